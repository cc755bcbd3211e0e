//! `popgd construct attention-operator`: softmax attention beside the operator of a measure.
use super::settings::Shared;
use crate::config::Arguments;
use crate::error::Failure;
use crate::number::Exact;
use serde_json::Value;

/// What is run, every default filled in.
#[derive(Clone, Debug, PartialEq)]
pub struct AttentionOperatorSettings {
    /// What all constructions have.
    pub shared: Shared,
    /// d.
    pub dimension: usize,
    /// n.
    pub count: usize,
    /// Atoms of one's own.
    pub atoms: Option<Atoms>,
    /// k.
    pub prompts: usize,
    /// r.
    pub rank: usize,
    /// The configuration as JSON, keys as in files.
    pub echo: Value,
}

/// Weighted atoms.
#[derive(Clone, Debug, PartialEq)]
pub struct Atoms {
    /// d.
    pub dimension: usize,
    /// One an atom, none negative, not all 0.
    pub weights: Vec<Exact>,
    /// Coordinates, atom by atom.
    pub entries: Vec<Exact>,
}

impl Atoms {
    /// Rows, as in a file.
    pub fn to_json(&self) -> Value {
        let rows = self.weights.iter().zip(self.entries.chunks_exact(self.dimension));
        rows.map(|(weight, row)| {
            std::iter::once(weight)
                .chain(row)
                .map(crate::config::construct::echoed)
                .collect::<Value>()
        })
        .collect()
    }
}
/// x
pub fn execute(_arguments: &Arguments) -> Result<(), Failure> {
    Err(Failure::usage("none"))
}
