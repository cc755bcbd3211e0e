//! A simulation as a JSON document; its schema is described in [`crate::output::json`].

use serde_json::{Map, Value};

use crate::error::Warning;
use crate::output::json::{self, float, integer};
use crate::simulate::measure::Measure;
use crate::simulate::report::{Late, limit_law};
use crate::simulate::runs::{Estimate, Runs};
use crate::simulate::settings::SimulateSettings;
use crate::simulate::{Run, Simulation};

/// The text.
pub fn text(settings: &SimulateSettings, simulation: &Simulation, warnings: &[Warning]) -> String {
    let mut document = json::document("simulate", &settings.base, warnings);
    if simulation.interrupted {
        document.insert("stopped".into(), stopped(&simulation.runs));
    }
    document.insert("exact".into(), exact(settings, simulation));
    let batches = simulation.runs.batches();
    let late = batches.iter().filter_map(|&batch| simulation.late(batch));
    document.insert("late".into(), late.map(|late| of_late(&late)).collect());
    let exponents = [Measure::ValueDistance, Measure::ScoreDistance]
        .into_iter()
        .filter_map(|measure| Some((measure, simulation.distance_exponent(measure)?)));
    let exponents: Vec<Value> =
        exponents.map(|(measure, found)| exponent(measure, found)).collect();
    if !exponents.is_empty() {
        document.insert("exponents_of_batch".into(), exponents.into());
    }
    let runs = simulation.runs.0.iter().map(|run| of_run(simulation, run));
    document.insert("runs".into(), runs.collect());
    json::text(document)
}

/// Why runs ended early, and when.
pub(super) fn stopped(runs: &Runs) -> Value {
    let mut map = Map::new();
    map.insert("reason".into(), "interrupted".into());
    map.insert("t".into(), integer(runs.0.iter().map(|run| run.steps).min().unwrap_or(0)));
    Value::Object(map)
}

fn exact(settings: &SimulateSettings, simulation: &Simulation) -> Value {
    let rows = simulation.exact.iter().map(|state| {
        let mut map = Map::new();
        map.insert("t".into(), integer(state.t));
        map.insert("excess_loss".into(), float(state.quantities.excess_loss));
        map.insert("score_error".into(), float(state.quantities.score_error));
        map.insert("value_error".into(), float(state.quantities.value_error));
        Value::Object(map)
    });
    let mut map = Map::new();
    map.insert("trajectory".into(), rows.collect());
    if let Some(constant) = limit_law(&settings.base.model) {
        let mut law = Map::new();
        law.insert("t_times_excess_loss".into(), float(constant));
        law.insert("status".into(), "cited".into());
        map.insert("limit_law".into(), Value::Object(law));
    }
    let tokens = simulation.problem.shape.tokens;
    map.insert("teacher_scores".into(), matrix(&simulation.problem.teacher_scores, tokens, true));
    Value::Object(map)
}

fn of_late(late: &Late) -> Value {
    let slopes = late.slopes.iter().map(|slope| {
        let mut map = Map::new();
        map.insert("measure".into(), slope.measure.key().into());
        map.insert("trained".into(), estimate(slope.trained));
        map.insert("exact".into(), estimate(slope.exact));
        map.insert("predicted".into(), slope.predicted.map_or(Value::Null, float));
        map.insert("status".into(), "measured".into());
        Value::Object(map)
    });
    let mut map = Map::new();
    map.insert("batch".into(), late.batch.into());
    map.insert("from".into(), integer(late.from));
    map.insert("to".into(), integer(late.to));
    map.insert("slopes".into(), slopes.collect());
    Value::Object(map)
}

fn exponent(measure: Measure, found: Estimate) -> Value {
    let mut map = Map::new();
    map.insert("measure".into(), measure.key().into());
    map.insert("measured".into(), estimate(Some(found)));
    map.insert("predicted".into(), float(-0.5));
    map.insert("status".into(), "measured".into());
    Value::Object(map)
}

fn estimate(found: Option<Estimate>) -> Value {
    let Some(found) = found else { return Value::Null };
    let mut map = Map::new();
    map.insert("value".into(), float(found.mean));
    map.insert("standard_error".into(), found.error.map_or(Value::Null, float));
    Value::Object(map)
}

fn of_run(simulation: &Simulation, run: &Run) -> Value {
    let shape = simulation.problem.shape;
    let mut map = Map::new();
    map.insert("batch".into(), run.batch.into());
    map.insert("run".into(), run.index.into());
    map.insert("steps".into(), integer(run.steps));
    map.insert("trajectory".into(), trajectory(run));
    if simulation.full_model {
        let width = shape.features + shape.tokens;
        map.insert("value_matrix".into(), matrix(&run.values, width, false));
        map.insert("key_query".into(), matrix(&run.scores, width, false));
    } else {
        map.insert("attention_error".into(), float(simulation.attention_error(run)));
        map.insert("value_matrix".into(), matrix(&run.values, shape.features, false));
        map.insert("scores".into(), matrix(&run.scores, shape.tokens, true));
    }
    Value::Object(map)
}

/// What was measured, step by step.
pub(super) fn trajectory(run: &Run) -> Value {
    let rows = run.rows.iter().map(|row| {
        let mut map = Map::new();
        map.insert("t".into(), integer(row.t));
        for &measure in row.measures {
            map.insert(measure.key().into(), float(row.get(measure)));
        }
        Value::Object(map)
    });
    rows.collect()
}

/// Row by row; a square one that is held by queries, as on paper.
pub(super) fn matrix(entries: &[f64], columns: usize, by_query: bool) -> Value {
    let rows = entries.len() / columns.max(1);
    let entry = |row: usize, column: usize| {
        let at = if by_query { column * columns + row } else { row * columns + column };
        float(entries.get(at).copied().unwrap_or(f64::NAN))
    };
    (0..rows).map(|row| (0..columns).map(|column| entry(row, column)).collect::<Value>()).collect()
}
