//! Students of images as a JSON document; its schema is described in [`crate::output::json`].

use serde_json::{Map, Value};

use super::super::json::{matrix, stopped, trajectory};
use crate::error::Warning;
use crate::output::json::{self, float, integer};
use crate::simulate::Run;
use crate::simulate::images::ImageSimulation;
use crate::simulate::images::patches::AREA;
use crate::simulate::images::settings::ImageSettings;
use crate::simulate::images::task::Task;
use crate::simulate::images::teacher::Origin;
use crate::simulate::settings::SimulateSettings;

/// The text.
pub fn text(
    settings: &SimulateSettings,
    images: &ImageSettings,
    simulation: &ImageSimulation,
    warnings: &[Warning],
) -> String {
    let task = &simulation.task;
    let mut document = json::document("simulate", &settings.base, warnings);
    if simulation.interrupted {
        document.insert("stopped".into(), stopped(&simulation.runs));
    }
    document.insert("images".into(), of_images(images, task));
    document.insert("teacher".into(), of_teacher(task));
    let runs = simulation.runs.0.iter().map(|run| of_run(simulation, run));
    document.insert("runs".into(), runs.collect());
    json::text(document)
}

fn of_images(images: &ImageSettings, task: &Task) -> Value {
    let blank = task.patches.blank(&task.training);
    let mut map = Map::new();
    map.insert("count".into(), task.patches.count().into());
    map.insert("height".into(), images.size.0.into());
    map.insert("width".into(), images.size.1.into());
    map.insert("digest".into(), images.digest.clone().into());
    map.insert("windows".into(), Value::from(vec![task.patches.windows.0, task.patches.windows.1]));
    map.insert("kept_back".into(), task.kept_back.len().into());
    let places = (0..task.patches.tokens()).map(|token| {
        let (row, column) = task.patches.place(token);
        Value::from(vec![row, column])
    });
    map.insert("patches".into(), places.collect());
    map.insert("blank".into(), blank.into_iter().map(float).collect());
    Value::Object(map)
}

fn of_teacher(task: &Task) -> Value {
    let mut map = Map::new();
    match task.origin {
        Origin::Given => drop(map.insert("origin".into(), "given".into())),
        Origin::Trained { epochs, accuracy, norm } => {
            map.insert("origin".into(), "trained".into());
            map.insert("epochs".into(), epochs.into());
            map.insert("accuracy".into(), float(accuracy));
            map.insert("norm".into(), float(norm));
        }
    }
    map.insert("filters".into(), matrix(&task.problem.teacher_values, AREA, false));
    map.insert("half_mean_square".into(), float(task.signal));
    map.insert("curvature".into(), float(task.curvature));
    map.insert("rate".into(), float(task.problem.rate));
    Value::Object(map)
}

fn of_run(simulation: &ImageSimulation, run: &Run) -> Value {
    let tokens = simulation.task.patches.tokens();
    let findings = simulation.findings(run);
    let mut map = Map::new();
    map.insert("batch".into(), run.batch.into());
    map.insert("run".into(), run.index.into());
    map.insert("steps".into(), integer(run.steps));
    map.insert("trajectory".into(), trajectory(run));
    map.insert("cosines_of_filters".into(), findings.filters.into_iter().map(float).collect());
    map.insert("window_weights".into(), findings.weights.into_iter().map(float).collect());
    map.insert("failing_queries".into(), findings.failures.into());
    map.insert("shares_of_patches".into(), findings.shares.into_iter().map(float).collect());
    map.insert("missed_patches".into(), findings.missed.into());
    map.insert("value_matrix".into(), matrix(&run.values, AREA, false));
    map.insert("scores".into(), matrix(&run.scores, tokens, true));
    map.insert("status".into(), "measured".into());
    Value::Object(map)
}
