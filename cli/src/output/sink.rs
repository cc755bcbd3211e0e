//! Where bytes go. A file appears whole or not at all: what is written goes to a file beside it
//! first, which then takes its name.

use std::ffi::OsString;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::error::Failure;
use crate::interrupt;

/// A destination, opened before a long run so that a wrong path costs no time.
#[derive(Debug)]
pub enum Sink {
    /// Standard output.
    Standard,
    /// A regular file, by way of a temporary one.
    File {
        /// What is written to until it is complete.
        temporary: NamedTempFile,
        /// What it becomes.
        path: PathBuf,
    },
    /// What cannot be replaced by a file: a device, a pipe.
    Device {
        /// Its path.
        path: PathBuf,
    },
}

impl Sink {
    /// Standard output, or the file if one is given.
    ///
    /// # Errors
    /// If the file cannot be made.
    pub fn open(path: Option<&Path>, flag: &str) -> Result<Self, Failure> {
        match path {
            None => Ok(Self::Standard),
            Some(path) => Self::file(path, flag),
        }
    }

    /// A file; `flag` is what named it, for messages.
    ///
    /// # Errors
    /// If it cannot be made.
    pub fn file(path: &Path, flag: &str) -> Result<Self, Failure> {
        let named = path.display();
        // Through a link to what it stands for: the link stays.
        let path = target(path);
        match std::fs::metadata(&path) {
            Ok(found) if found.is_dir() => {
                let message = format!("{flag} {named}: is a folder; name a file in it");
                return Err(Failure::usage(message));
            }
            Ok(found) if !found.is_file() => return Ok(Self::Device { path }),
            _ => {}
        }
        let folder = match path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        let temporary = temporary_in(folder).map_err(|error| {
            let hint =
                if error.kind() == ErrorKind::NotFound { " (the folder must exist)" } else { "" };
            Failure::Io(format!("{flag} {named}: {}{hint}", reason(&error)))
        })?;
        interrupt::guard(temporary.path());
        Ok(Self::File { temporary, path })
    }

    /// Writes everything, and gives a file its name.
    ///
    /// # Errors
    /// What the system reports; [`Failure::ClosedPipe`] if nobody reads any more.
    pub fn write(self, bytes: &[u8]) -> Result<(), Failure> {
        match self {
            Self::Standard => {
                let mut out = std::io::stdout().lock();
                out.write_all(bytes).and_then(|()| out.flush()).map_err(Failure::from)
            }
            Self::File { mut temporary, path } => {
                let beside = temporary.path().to_owned();
                let written = temporary
                    .write_all(bytes)
                    .and_then(|()| temporary.as_file().sync_all())
                    .and_then(|()| temporary.persist(&path).map(drop).map_err(|error| error.error))
                    .map_err(|error| Failure::unwritable(&path, &error));
                interrupt::release(&beside);
                written
            }
            Self::Device { path } => std::fs::OpenOptions::new()
                .write(true)
                .open(&path)
                .and_then(|mut device| device.write_all(bytes))
                .map_err(|error| Failure::unwritable(&path, &error)),
        }
    }
}

/// What a path stands for: through symbolic links, also one to a file that is not there yet.
pub fn target(path: &Path) -> PathBuf {
    /// As many as systems follow.
    const LINKS: usize = 40;
    let mut path = path.to_owned();
    for _ in 0..LINKS {
        let Ok(link) = std::fs::read_link(&path) else { break };
        path = path.parent().unwrap_or(Path::new("")).join(link);
    }
    let folder = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    match (path.file_name(), folder.canonicalize()) {
        (Some(name), Ok(folder)) => folder.join(name),
        _ => path,
    }
}

/// An error without the name of a file that nobody asked for.
pub fn reason(error: &std::io::Error) -> String {
    // The maker of temporary files puts theirs at the end, and hides the error within.
    let text = error.to_string();
    match text.split_once(" at path \"") {
        Some((reason, _)) => reason.to_owned(),
        None => text,
    }
}

/// A new file with the permissions that any new file gets.
fn temporary_in(folder: &Path) -> std::io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".popgd-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder)
}

/// `FILE.npy` and `scores` make `FILE-scores.npy`.
pub fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name: OsString = path.file_stem().map(OsString::from).unwrap_or_default();
    name.push("-");
    name.push(suffix);
    if let Some(extension) = path.extension() {
        name.push(".");
        name.push(extension);
    }
    path.with_file_name(name)
}

/// The ending of a file's name, in small letters.
pub fn extension(path: &Path) -> String {
    path.extension().map(|ending| ending.to_string_lossy().to_lowercase()).unwrap_or_default()
}
