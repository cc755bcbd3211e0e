//! Is the coded gradient the derivative of the coded loss? Checks that answer, from proof down to
//! measurement.
//!
//! All of them run the code that descent runs, over another scalar:
//!
//! | check | over | says |
//! |---|---|---|
//! | [`exact`] | expressions | an identity of formulas, for all inputs at once |
//! | [`step`] | expressions | a dense step is descent on both matrices |
//! | [`enclosure`] | duals over intervals, and intervals | a gradient outside of the enclosure of the derivative is wrong |
//! | [`taylor`] | floats | order 2 of the remainder is right, 1 is wrong |
//! | [`lumped`] | expressions | the step on few scalars is the gradient of the lumped loss, and the dense step |
//! | [`lumped_numbers`] | intervals and floats | the same by enclosures and by the order of the remainder |
//! | [`invariants`] | expressions | what the paper's argument needs of every step |
//!
//! What is checked is a [`Program`]; [`Coded`] is the one of this crate, and a wrong one must be
//! found out.
//!
//! ```
//! use popgd_core::gradient_check::{Case, Coded, Encodings, Slope, exact};
//! use popgd_core::model::teacher::Shape;
//!
//! let case = Case {
//!     shape: Shape { tokens: 2, channels: 1, features: 1 },
//!     slope: Slope::Symbol,
//!     encodings: Encodings::General,
//! };
//! let entries = exact::check(&case, &Coded, 1)?;
//! assert_eq!(entries.len(), 1 + 4);
//! assert!(entries.iter().all(|entry| entry.verdict == exact::Verdict::Proven));
//! # Ok::<(), popgd_core::Error>(())
//! ```

pub mod claim;
pub mod enclosure;
pub mod exact;
pub mod invariants;
pub mod lumped;
pub mod lumped_numbers;
mod program;
mod random;
pub mod step;
pub mod taylor;

pub use program::{Block, Case, Coded, Encodings, Entry, Gradient, Inputs, Program, Slope};
pub use random::Random;
