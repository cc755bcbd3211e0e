//! `popgd construct attention-operator`.

use crate::config::Arguments;
use crate::error::Failure;

/// Runs the transformer beside its algorithm.
///
/// # Errors
/// What is wrong with the input, and where results cannot be written.
pub fn execute(_arguments: &Arguments) -> Result<(), Failure> {
    Err(Failure::usage("construct attention-operator: there is nothing to run yet"))
}
