//! What is to be checked, every default filled in.

use popgd_core::gradient_check::{Case, Encodings, Slope};
use popgd_core::model::teacher::Shape;

use crate::settings::OutputSettings;

/// When gradients are proven.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proof {
    /// Where it takes seconds.
    Auto,
    /// However long it takes.
    Always,
    /// Never.
    Never,
}

/// For whom formulas are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Formulas {
    /// Readers, and programs.
    Text,
    /// A typesetter.
    Latex,
}

/// A resolved configuration of `gradcheck`.
#[derive(Clone, Debug, PartialEq)]
pub struct GradcheckSettings {
    /// D, M and d.
    pub shape: Shape,
    /// K, if lumped and dense steps are to be compared for these tokens alone.
    pub group: Option<usize>,
    /// The slope of the activation: a number, or any.
    pub slope: Slope,
    /// P.
    pub positions: Vec<Encodings>,
    /// Whether to prove.
    pub proof: Proof,
    /// How many random boxes.
    pub boxes: u64,
    /// Their radius.
    pub radius: f64,
    /// At how many points the order of the remainder is measured.
    pub remainders: u64,
    /// Of all that is drawn.
    pub seed: u64,
    /// Print formulas instead of checking.
    pub print: Option<Formulas>,
    /// How results leave.
    pub output: OutputSettings,
    /// Print what would be done, and stop.
    pub dry_run: bool,
    /// The configuration as JSON, keys as in files.
    pub echo: serde_json::Value,
}

impl GradcheckSettings {
    /// The case of these positions.
    pub fn case(&self, encodings: Encodings) -> Case {
        Case { shape: self.shape, slope: self.slope, encodings }
    }

    /// For which D and K lumped and dense steps are compared.
    pub fn groups(&self) -> Vec<(usize, usize)> {
        /// The largest D of the comparison for all K.
        const ALL_UP_TO: usize = 6;
        match self.group {
            Some(group) => vec![(self.shape.tokens, group)],
            None => (1..=ALL_UP_TO)
                .flat_map(|tokens| (1..=tokens).map(move |group| (tokens, group)))
                .collect(),
        }
    }
}
