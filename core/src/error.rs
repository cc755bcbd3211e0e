//! What can be wrong with an input.

use core::fmt;

/// Why a computation was refused.
///
/// Core never panics: whatever is wrong with an input is one of these.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Error {
    /// A slice has another length than the shapes around it ask for.
    Length {
        /// What the slice holds.
        what: &'static str,
        /// How many entries are needed.
        expected: usize,
        /// How many there are.
        found: usize,
    },
    /// Something that must have at least one entry has none.
    Empty {
        /// What is empty.
        what: &'static str,
    },
    /// The group size is zero or larger than the number of tokens.
    Group {
        /// Number of tokens, D.
        tokens: usize,
        /// Group size, K.
        group: usize,
    },
    /// The number of tokens is not a multiple of the group size.
    NotDivisible {
        /// Number of tokens, D.
        tokens: usize,
        /// Group size, K.
        group: usize,
    },
    /// An index points outside of the tokens.
    Index {
        /// The index.
        index: usize,
        /// Number of tokens, D.
        tokens: usize,
    },
    /// The groups of a partition differ in size.
    UnequalGroups {
        /// A token of the offending group.
        token: usize,
        /// The size of its group.
        size: usize,
        /// The size of the group of token 0.
        expected: usize,
    },
    /// The same edge, or the same selected token, was given twice.
    Repeated {
        /// The token at which the repetition was met.
        index: usize,
    },
    /// The vertices of a graph have different degrees.
    NotRegular {
        /// A vertex whose degree differs from that of vertex 0.
        vertex: usize,
        /// Its degree.
        degree: usize,
        /// The degree of vertex 0.
        expected: usize,
    },
    /// Counts and weights of a class do not make a column: a count is not positive, a weight is
    /// negative, or counts times weights do not sum to 1.
    NotStochastic {
        /// The class, numbered from 0.
        class: usize,
    },
    /// A class has another number of tokens than there are columns in all.
    NotSquare {
        /// The class, numbered from 0.
        class: usize,
    },
    /// A number that must be positive and finite is not.
    NotPositive {
        /// What it is.
        what: &'static str,
    },
    /// A number overflowed, or is none: infinite, NaN, an unbounded or empty enclosure.
    NotFinite {
        /// What it is.
        what: &'static str,
    },
    /// A query of an attention layer may attend to no key at all.
    NoKeys {
        /// The query, numbered from 0.
        query: usize,
    },
    /// A label is neither 1 nor −1.
    NotALabel {
        /// The sample, numbered from 0.
        index: usize,
    },
    /// A system of linear equations does not determine its unknowns, in the precision at hand.
    Singular,
    /// There are fewer of something than are needed.
    TooFew {
        /// What there are too few of.
        what: &'static str,
        /// How many are needed.
        least: usize,
        /// How many there are.
        found: usize,
    },
    /// Something is too large to be computed.
    TooLarge {
        /// What is too large.
        what: &'static str,
        /// The largest that is not.
        most: usize,
    },
    /// What was observed has probability 0 whatever the parameters are.
    Impossible {
        /// Where, counted from 0.
        position: usize,
    },
    /// Training from zero does not start, or starts away from the teacher: α σ′(0) ≤ 0.
    NoStart,
    /// The rate is not below the limit of stability.
    Unstable {
        /// Rates must be below this.
        limit: f64,
    },
    /// A model and the one that should be the same over another scalar differ.
    NotTheSame,
    /// A text does not denote what was to be read from it.
    Text {
        /// How many bytes were understood.
        position: usize,
        /// What was expected there.
        expected: &'static str,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Length { what, expected, found } => {
                write!(f, "{what}: {expected} entries expected, {found} found")
            }
            Self::Empty { what } => write!(f, "{what}: at least one entry is needed"),
            Self::Group { tokens, group } => {
                write!(
                    f,
                    "the group size must be between 1 and the number of tokens: group {group}, tokens {tokens}"
                )
            }
            Self::NotDivisible { tokens, group } => {
                write!(
                    f,
                    "the number of tokens must be a multiple of the group size: {tokens} tokens, groups of {group}"
                )
            }
            Self::Index { index, tokens } => {
                write!(f, "token {index} does not exist: the {tokens} tokens are numbered from 0")
            }
            Self::UnequalGroups { token, size, expected } => {
                write!(
                    f,
                    "the groups of a partition must be equally large: that of token {token} has {size}, that of token 0 has {expected}"
                )
            }
            Self::Repeated { index } => write!(f, "token {index} is named twice"),
            Self::NotRegular { vertex, degree, expected } => {
                write!(
                    f,
                    "the graph must be regular: vertex {vertex} has degree {degree}, vertex 0 has {expected}"
                )
            }
            Self::NotStochastic { class } => {
                write!(f, "class {class} is no column: counts must be positive, weights not negative, and counts times weights sum to 1")
            }
            Self::NotSquare { class } => {
                write!(f, "the counts of class {class} must sum to the number of columns of all classes")
            }
            Self::NotPositive { what } => write!(f, "the {what} must be positive and finite"),
            Self::NotFinite { what } => {
                write!(f, "the {what} must be finite: a number overflowed, or is none")
            }
            Self::NoKeys { query } => {
                write!(f, "query {query}, counted from 0, may attend to no key")
            }
            Self::NotALabel { index } => {
                write!(f, "the label of sample {index}, counted from 0, must be 1 or -1")
            }
            Self::Singular => {
                f.write_str("the equations do not determine their unknowns, at least not in this precision")
            }
            Self::TooFew { what, least, found } => {
                write!(f, "{what}: at least {least} needed, {found} found")
            }
            Self::TooLarge { what, most } => write!(f, "too many {what}: at most {most} are possible"),
            Self::Impossible { position } => {
                write!(f, "what stands at {position}, counted from 0, has probability 0 whatever the weights")
            }
            Self::NoStart => {
                f.write_str("training from zero does not start: (1 + slope)/2 times the slope at zero must be positive")
            }
            Self::Unstable { limit } => write!(f, "the rate is not stable: it must be below {limit}"),
            Self::NotTheSame => f.write_str("the model and its derivative are not the same model"),
            Self::Text { position, expected } => {
                write!(f, "after {position} bytes of text: {expected} expected")
            }
        }
    }
}

impl core::error::Error for Error {}

/// The one check that every slice goes through.
pub(crate) fn check_length(what: &'static str, expected: usize, found: usize) -> Result<(), Error> {
    if expected == found { Ok(()) } else { Err(Error::Length { what, expected, found }) }
}
