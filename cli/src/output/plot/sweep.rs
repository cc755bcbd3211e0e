//! Pictures of sweeps.

use crate::error::Failure;
use crate::output::sweep::Report;

use super::Target;

/// A sweep to be drawn.
#[derive(Debug)]
pub struct Picture<'a> {
    /// What was found.
    pub report: &'a Report<'a>,
}

impl Picture<'_> {
    /// Draws it where it belongs.
    ///
    /// # Errors
    /// What the system reports.
    pub fn write(&self, _target: Target) -> Result<(), Failure> {
        Ok(())
    }
}
