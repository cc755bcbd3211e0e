//! What all constructions are told.

use crate::settings::{OutputSettings, ScalarKind};

/// What all constructions have, every default filled in.
#[derive(Clone, Debug, PartialEq)]
pub struct Shared {
    /// Of all that is drawn.
    pub seed: u64,
    /// How many random instances.
    pub instances: u64,
    /// What to compute with.
    pub scalar: ScalarKind,
    /// How results leave.
    pub output: OutputSettings,
    /// Print the resolved configuration, and stop.
    pub dry_run: bool,
}
