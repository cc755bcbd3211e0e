//! What `construct mirror-descent` is told.

use crate::construct::settings::Shared;
use crate::number::Exact;

/// A resolved configuration.
#[derive(Clone, Debug, PartialEq)]
pub struct MirrorDescent {
    /// What all constructions have.
    pub shared: Shared,
    /// q.
    pub alphabet: usize,
    /// m.
    pub order: usize,
    /// T, of sequences that are drawn.
    pub length: usize,
    /// a.
    pub concentration: Exact,
    /// π, q × q, if it is given.
    pub transitions: Option<Vec<Exact>>,
    /// Sequences, if they are given.
    pub sequences: Option<Vec<Vec<usize>>>,
    /// η.
    pub rate: Exact,
    /// How many steps.
    pub steps: usize,
    /// δ, increasing.
    pub mask_strengths: Vec<Exact>,
    /// The configuration as JSON, keys as in files.
    pub echo: serde_json::Value,
}

impl MirrorDescent {
    /// How many layers do all steps: three for one, or two each and one.
    #[must_use]
    pub fn layers(&self) -> usize {
        2 * self.steps + 1
    }
}
