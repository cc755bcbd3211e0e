//! What `popgd simulate` does, with every default filled in.

use std::path::PathBuf;

use super::images::settings::ImageSettings;
use crate::ood::family::Family;
use crate::settings::Settings;

/// A simulation.
#[derive(Clone, Debug, PartialEq)]
pub struct SimulateSettings {
    /// Model, training, recorded steps and output.
    pub base: Settings,
    /// Whether attention sees tokens too: equation (2.5) of the paper.
    pub full_model: bool,
    /// Sizes of batches, increasing.
    pub batches: Vec<usize>,
    /// Runs of each.
    pub seeds: usize,
    /// Samples that empirical losses are measured on.
    pub evaluation: usize,
    /// The law of inputs other than in training.
    pub inputs: Family,
    /// Where checkpoints are.
    pub resume: Option<PathBuf>,
    /// Steps between checkpoints; none for a time.
    pub checkpoint_every: Option<u64>,
    /// Runs at the same time; 0 for one a processor.
    pub threads: usize,
    /// The images to learn from, instead of samples of the model.
    pub images: Option<ImageSettings>,
}
