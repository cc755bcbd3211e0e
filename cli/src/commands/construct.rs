//! `popgd construct`: transformers that are algorithms, run beside their algorithms.

use crate::config::Arguments;
use crate::construct::{attention_operator, mirror_descent, normalized_gd};
use crate::construct_args::Construction;
use crate::error::Failure;

/// Builds, runs, compares and tells.
///
/// # Errors
/// What is wrong with the input, [`Failure::Refuted`] if transformer and algorithm are not the same
/// or a bound does not hold, and where results cannot be written.
pub fn execute(construction: &Construction, arguments: &Arguments) -> Result<(), Failure> {
    match construction {
        Construction::MirrorDescent(_) => mirror_descent::execute(arguments),
        Construction::NormalizedGd(_) => normalized_gd::execute(arguments),
        Construction::AttentionOperator(_) => attention_operator::execute(arguments),
    }
}
