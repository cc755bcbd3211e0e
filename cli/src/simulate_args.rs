//! Flags of `popgd simulate`: how training is done, and what it is measured on.

use std::path::PathBuf;

use clap::Args;

/// Flags of a simulation.
#[derive(Clone, Debug, Default, Args)]
pub struct SimulateArgs {
    /// Train the whole model (2.5), whose attention sees tokens and positions, and tell which of its
    /// blocks move
    #[arg(long, help_heading = "Simulation")]
    pub full_model: bool,

    /// Learn from the images of this file instead of Gaussian inputs: IDX as MNIST has it (plain or
    /// gzip), .npy or .csv; without other flags with 16 channels, ‖V*‖ = 50, no noise and the rate
    /// 1/λ, λ the largest curvature
    #[arg(long, value_name = "FILE", help_heading = "Images")]
    pub images: Option<PathBuf>,

    /// The classes of the images, such as their digits: IDX, .npy or .csv; a .csv file of images may
    /// have them in its first column
    #[arg(long, value_name = "FILE", help_heading = "Images")]
    pub digits: Option<PathBuf>,

    /// V*, one filter of 3 × 3 pixels a row, instead of the first layer of a network that is trained
    /// to tell the classes apart
    #[arg(long, value_name = "FILE", help_heading = "Images")]
    pub filters: Option<PathBuf>,

    /// How often that network sees every image [default: 20]
    #[arg(long, value_name = "N", help_heading = "Images", allow_hyphen_values = true)]
    pub epochs: Option<String>,

    /// N, the number of fresh samples in the batch of a step; several, separated by commas, are
    /// compared [default: 100]
    #[arg(long, value_name = "N,…", help_heading = "Simulation", allow_hyphen_values = true)]
    pub batch: Option<String>,

    /// How many runs, each with its own samples, a batch size [default: 4; with images 1]
    #[arg(long, value_name = "N", help_heading = "Simulation", allow_hyphen_values = true)]
    pub seeds: Option<String>,

    /// The law of entries of inputs other than in training: exponential, gaussian:2, laplace, t:5, …
    /// as in `popgd ood` [default: exponential]
    #[arg(long, value_name = "LAW", help_heading = "Simulation", allow_hyphen_values = true)]
    pub inputs: Option<String>,

    /// How many samples empirical losses are measured on [default: 100; of images 1000, the first of each kind]
    #[arg(long, value_name = "N", help_heading = "Simulation", allow_hyphen_values = true)]
    pub evaluation: Option<String>,

    /// Keep checkpoints in this folder, and go on from those that are there
    #[arg(long, value_name = "FOLDER", help_heading = "Simulation")]
    pub resume: Option<PathBuf>,

    /// Write a checkpoint after so many steps [default: every two seconds]
    #[arg(long, value_name = "STEPS", help_heading = "Simulation", allow_hyphen_values = true)]
    pub checkpoint_every: Option<String>,

    /// How many runs at the same time; results do not depend on it [default: one a processor]
    #[arg(long, value_name = "N", help_heading = "Simulation", allow_hyphen_values = true)]
    pub threads: Option<String>,
}
