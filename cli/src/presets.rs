//! The four tasks of the paper: their sizes and what else they suggest.

use crate::settings::Task;

/// What a task takes where nothing is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Preset {
    /// The task.
    pub task: Task,
    /// Its name on the command line.
    pub name: &'static str,
    /// D, as in the paper's experiments.
    pub tokens: u64,
    /// K, as in the paper's experiments.
    pub group: u64,
    /// M, small: by symmetry it hardly matters.
    pub channels: u64,
    /// d, likewise.
    pub features: u64,
    /// The name of its activation.
    pub activation: &'static str,
}

const PRESETS: [Preset; 4] = [
    Preset {
        task: Task::Cnn,
        name: "cnn",
        tokens: 36,
        group: 4,
        channels: 2,
        features: 4,
        activation: "relu",
    },
    Preset {
        task: Task::Gcn,
        name: "gcn",
        tokens: 20,
        group: 3,
        channels: 2,
        features: 4,
        activation: "relu",
    },
    Preset {
        task: Task::Sts,
        name: "sts",
        tokens: 20,
        group: 4,
        channels: 4,
        features: 4,
        activation: "identity",
    },
    Preset {
        task: Task::Gslp,
        name: "gslp",
        tokens: 20,
        group: 1,
        channels: 1,
        features: 4,
        activation: "identity",
    },
];

/// What a task takes where nothing is said; scores from a file take sizes from there, and the
/// rest as `cnn` does.
pub fn of(task: Task) -> Preset {
    let [cnn, ..] = PRESETS;
    PRESETS.into_iter().find(|preset| preset.task == task).unwrap_or(cnn)
}

/// The task of this name.
pub fn named(name: &str) -> Option<Preset> {
    PRESETS.into_iter().find(|preset| preset.name == name)
}
