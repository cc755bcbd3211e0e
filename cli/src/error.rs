//! How a command can fail, and what it may have to warn of.

use std::fmt;
use std::io;
use std::path::Path;

use crate::output::digits::{grouped, short};
use crate::output::sink::reason;

/// Why a command ended without doing all that was asked: one message, one exit code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// Something outside failed, such as writing a file: exit code 1.
    Io(String),
    /// A result is beyond the floats that it was computed with: exit code 1.
    NotFinite(String),
    /// The command line or an input is wrong: exit code 2.
    Usage(String),
    /// A proof refuted a claim, or a measured disagreement counts as failure (`--strict`):
    /// exit code 3.
    Refuted(String),
    /// The question could not be decided; the message says what to change: exit code 4.
    Undecided(String),
    /// The user stopped it, and what was computed is written: exit code 130.
    Interrupted(String),
    /// Whoever read the output has had enough: ends quietly.
    ClosedPipe,
}

impl Failure {
    /// A wrong input.
    pub fn usage(message: impl Into<String>) -> Self {
        Self::Usage(message.into())
    }

    /// An input file that cannot be read: part of the input, so exit code 2.
    pub fn unreadable(path: &Path, error: &io::Error) -> Self {
        let reason = match error.kind() {
            io::ErrorKind::NotFound => "there is no such file".to_owned(),
            io::ErrorKind::PermissionDenied => "reading it is not permitted".to_owned(),
            io::ErrorKind::IsADirectory => "it is a folder, and a file was expected".to_owned(),
            io::ErrorKind::InvalidData => "it is not UTF-8 text".to_owned(),
            _ => error.to_string(),
        };
        Self::Usage(format!("{}: {reason}", path.display()))
    }

    /// A file that cannot be written; a closed pipe is no failure.
    pub fn unwritable(path: &Path, error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::ClosedPipe,
            _ => Self::Io(format!("{}: cannot be written: {}", path.display(), reason(error))),
        }
    }

    /// The exit code of the process.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::ClosedPipe => 0,
            Self::Io(_) | Self::NotFinite(_) => 1,
            Self::Usage(_) => 2,
            Self::Refuted(_) => 3,
            Self::Undecided(_) => 4,
            Self::Interrupted(_) => 130,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(message)
            | Self::NotFinite(message)
            | Self::Usage(message)
            | Self::Refuted(message)
            | Self::Undecided(message)
            | Self::Interrupted(message) => f.write_str(message),
            Self::ClosedPipe => f.write_str("the output was closed"),
        }
    }
}

impl std::error::Error for Failure {}

/// Of standard output; files have their name in the message, see [`Failure::unwritable`].
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::ClosedPipe,
            _ => Self::Io(format!("writing failed: {error}")),
        }
    }
}

/// Something that the user should know although the command goes on; each says what to change.
#[derive(Clone, Debug, PartialEq)]
pub enum Warning {
    /// A lumped run at a rate at which the same run in full matrices would be unstable.
    BeyondDenseLimit {
        /// The rate, as it was given.
        rate: String,
        /// The rate from which on a dense run is unstable.
        limit: f64,
    },
    /// A flag that won over another key of the file.
    Replaced {
        /// The flag.
        flag: String,
        /// The key, with its file.
        key: String,
    },
    /// A flag that changes nothing of what this command says.
    Unused {
        /// The flag.
        flag: String,
        /// Why it does not.
        why: &'static str,
    },
    /// Means of squares whose law has no finite fourth moments, or too large ones.
    NoStandardErrors,
    /// Plain sums over so many steps that increments are lost to rounding.
    Stalls {
        /// The number of steps.
        steps: u64,
        /// The scalar type.
        scalar: &'static str,
    },
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BeyondDenseLimit { rate, limit } => write!(
                f,
                "the rate {rate} is beyond {}, from which on differences of tokens within a group \
                 grow: descent on the full matrices leaves this orbit; choose a smaller --rate if \
                 that matters",
                short(*limit)
            ),
            Self::Replaced { flag, key } => {
                write!(f, "{key}: not used, because {flag} is given; leave it out of the file")
            }
            Self::Unused { flag, why } => write!(f, "{flag} changes nothing here: {why}"),
            Self::NoStandardErrors => f.write_str(
                "fourth moments are infinite, may be, or are too large for so many samples: measured gaps \
                 have no standard errors, and are not held against their bounds",
            ),
            Self::Stalls { steps, scalar } => write!(
                f,
                "plain sums in {scalar} stall before {} steps are done, because increments fall \
                 below the rounding of what they are added to; use --accumulate compensated",
                grouped(*steps)
            ),
        }
    }
}
