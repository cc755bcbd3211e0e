//! Students of images.

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
