//! What `popgd ood` found, as a JSON document.

use serde_json::{Map, Value};

use crate::ood::check::{Check, TokenCheck};
use crate::ood::report::{Figure, Report, Row, Statement};
use crate::ood::slopes::Slope;
use crate::ood::tail::CONFIDENCE;
use crate::output::json;

/// Adds it to a document.
pub(super) fn insert(document: &mut Map<String, Value>, report: &Report) {
    document.insert("moments".into(), check(&report.check));
    if !report.rows.is_empty() {
        document.insert("samples".into(), json::integer(report.samples));
        document.insert("batch_samples".into(), json::integer(report.batch));
        document.insert("amplification".into(), json::float(report.amplification));
        if let Some(distance) = report.label_distance {
            document.insert("label_distance_at_most".into(), json::float(distance));
        }
        document.insert("gaps".into(), report.rows.iter().map(row).collect());
        document.insert("slopes".into(), report.slopes.iter().map(slope).collect());
    }
    if let Some(sharp) = report.sharp {
        let mut map = Map::new();
        map.insert("limit".into(), json::float(sharp.constant));
        map.insert("at_end_over_limit".into(), json::float(sharp.at_end));
        map.insert("standard_error".into(), sharp.error.map_or(Value::Null, json::float));
        document.insert("sharp_constant".into(), Value::Object(map));
    }
    if let Some(from) = report.noise_from {
        document.insert("noise_dominates_batch_from".into(), json::float(from));
    }
    if let Some(statement) = &report.statement {
        document.insert("theorem".into(), statement_to_json(statement, report));
    }
    if report.interrupted {
        let mut stopped = Map::new();
        stopped.insert("reason".into(), "interrupted".into());
        document.insert("stopped".into(), Value::Object(stopped));
    }
}

fn check(check: &Check) -> Value {
    let mut map = Map::new();
    map.insert("verdict".into(), check.verdict.name().into());
    let status = if check.data.is_some() { "measured" } else { "proven" };
    map.insert("status".into(), status.into());
    map.insert("sentence".into(), check.sentence.as_str().into());
    map.insert("largest".into(), check.largest_moment.map_or("inf".into(), json::float));
    if let Some(entry) = check.entry {
        map.insert("entry_mean".into(), json::float(entry.mean));
        map.insert("entry_variance".into(), json::float(entry.variance));
    }
    if let Some(data) = &check.data {
        map.insert("samples".into(), json::integer(data.samples));
        map.insert("confidence".into(), json::float(CONFIDENCE));
        map.insert("tokens".into(), data.tokens.iter().map(column).collect());
        if !data.responses.is_empty() {
            map.insert("responses".into(), data.responses.iter().map(column).collect());
        }
    }
    map.insert("fourth_moments_are_finite".into(), check.has_fourth_moments.into());
    Value::Object(map)
}

fn column(column: &TokenCheck) -> Value {
    let mut map = Map::new();
    map.insert("moment".into(), json::float(column.moment));
    map.insert("moment_least".into(), json::float(column.moment_least));
    map.insert("moment_most".into(), json::float(column.moment_most));
    map.insert("moment_bounds_hold".into(), column.bounds_hold().into());
    if let Some(tail) = column.tail {
        map.insert("tail_index".into(), json::float(tail.estimate));
        map.insert("tail_index_least".into(), json::float(tail.least));
        map.insert("tail_index_most".into(), json::float(tail.most));
        map.insert("order_statistics".into(), tail.order.into());
    }
    Value::Object(map)
}

fn figure(figure: &Figure) -> Value {
    let mut map = Map::new();
    map.insert("value".into(), json::float(figure.value));
    if !figure.exact {
        map.insert("standard_error".into(), figure.error.map_or(Value::Null, json::float));
    }
    map.insert("status".into(), figure.status().into());
    Value::Object(map)
}

fn row(row: &Row) -> Value {
    let mut map = Map::new();
    map.insert("t".into(), json::integer(row.t));
    map.insert("square_distance".into(), figure(&row.square_distance));
    map.insert("gap".into(), figure(&row.gap));
    map.insert("bound".into(), json::float(row.bound));
    map.insert("is_below".into(), row.is_below().map_or(Value::Null, Value::from));
    if let Some(batch) = row.batch_gap {
        map.insert("batch_gap".into(), json::float(batch));
    }
    Value::Object(map)
}

fn slope(slope: &Slope) -> Value {
    let mut map = Map::new();
    map.insert("of".into(), slope.series.name().into());
    map.insert("from".into(), json::integer(slope.from));
    map.insert("slope".into(), slope.slope.map_or(Value::Null, json::float));
    map.insert("uncertainty".into(), slope.uncertainty.map_or(Value::Null, json::float));
    map.insert("sign_changes".into(), slope.sign_changes.into());
    map.insert("power".into(), slope.power.name().into());
    Value::Object(map)
}

fn statement_to_json(statement: &Statement, report: &Report) -> Value {
    let mut map = Map::new();
    let integer = |value: Option<u64>| value.map_or(Value::Null, json::integer);
    let float = |value: Option<f64>| value.map_or(Value::Null, json::float);
    // What rests on the moments of a sample is no more certain than these.
    let status = if report.check.data.is_some() { "measured" } else { "proven" };
    map.insert("epsilon".into(), json::float(statement.epsilon));
    map.insert("input_moment".into(), json::float(statement.inputs));
    map.insert("label_moment".into(), json::float(statement.labels));
    map.insert("stated_steps".into(), float(statement.stated));
    map.insert("verdict".into(), report.outcome(statement).name().into());
    let steps = statement.proven_steps();
    match &statement.proven {
        Ok(proven) => {
            map.insert("status".into(), status.into());
            map.insert("proven_from".into(), json::integer(proven.late));
            map.insert("bound_there".into(), json::float(proven.bound_at_late));
        }
        Err(reason) => {
            map.insert("reason".into(), reason.as_str().into());
        }
    }
    map.insert("steps".into(), integer(steps));
    let over = steps.zip(statement.stated).map(|(steps, stated)| steps as f64 / stated);
    map.insert("steps_over_stated".into(), float(over));
    let reached = statement.reached;
    let mut measured = Map::new();
    measured.insert("status".into(), "measured".into());
    measured.insert("after".into(), integer(reached.after));
    measured.insert("by".into(), integer(reached.by));
    measured.insert("about".into(), float(reached.about));
    let over = reached.about.zip(statement.stated).map(|(steps, stated)| steps / stated);
    measured.insert("over_stated".into(), float(over));
    map.insert("measured_steps".into(), Value::Object(measured));
    Value::Object(map)
}
