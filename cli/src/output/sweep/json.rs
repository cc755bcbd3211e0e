//! A sweep as one JSON document.

use serde_json::{Map, Value};

use super::{Part, Report};
use crate::asymptotics::TOLERANCE;
use crate::config::sweep::key;
use crate::output::json;
use crate::provenance::{LIBM, SCHEMA, VERSION};
use crate::sweep::exponents::{Exponent, Measure};
use crate::sweep::halves::{AtStart, Halves};
use crate::sweep::job::{axes_to_json, optional, point_to_json};
use crate::sweep::law::Constant;

pub(super) fn text(report: &Report<'_>) -> String {
    let mut document = Map::new();
    document.insert("schema".into(), SCHEMA.into());
    document.insert("popgd".into(), VERSION.into());
    document.insert("command".into(), "rates".into());
    let mut provenance = Map::new();
    provenance.insert("plan".into(), report.sweep.plan.clone().into());
    provenance.insert("libm".into(), LIBM.into());
    document.insert("provenance".into(), Value::Object(provenance));
    document.insert(
        "sweep".into(),
        Value::Object(axes_to_json(&report.sweep.axes, report.sweep.product)),
    );
    document.insert("tolerance".into(), TOLERANCE.into());
    document.insert("exponents".into(), report.parts.iter().map(part).collect());
    let runs = report.outcomes.iter().map(|run| Value::Object(run.to_json()));
    document.insert("runs".into(), runs.collect());
    if report.stopped {
        let mut stopped = Map::new();
        stopped.insert("reason".into(), "interrupted".into());
        stopped.insert("finished".into(), report.outcomes.len().into());
        stopped.insert("runs".into(), report.sweep.jobs.into());
        document.insert("stopped".into(), Value::Object(stopped));
    }
    json::text(document)
}

fn part(part: &Part<'_>) -> Value {
    let mut map = Map::new();
    map.insert("variable".into(), key(part.series.variable).into());
    if !part.series.others.is_empty() {
        map.insert("at".into(), Value::Object(point_to_json(&part.series.others)));
    }
    map.insert("least_tokens_over_group".into(), json::float(part.series.least_width()));
    map.insert("quantities".into(), part.exponents.iter().map(exponent).collect());
    if !part.halves.is_empty() {
        map.insert("halves".into(), part.halves.iter().flat_map(halves).collect());
    }
    if let Some(start) = &part.start {
        map.insert("at_stated_start".into(), at_start(start));
    }
    Value::Object(map)
}

/// What the closed form amounts to: that of the burn-in is a prediction.
fn closed_form(measure: Measure) -> (&'static str, &'static str) {
    match measure {
        Measure::Constant(_) => ("exact", "cited"),
        Measure::BurnIn => ("predicted", "predicted"),
    }
}

fn claim(value: f64, status: &str) -> Value {
    let mut map = Map::new();
    map.insert("value".into(), json::float(value));
    map.insert("status".into(), status.into());
    Value::Object(map)
}

fn measured(value: Option<Constant>) -> Value {
    value.map_or(Value::Null, |found| {
        let mut map = Map::new();
        map.insert("value".into(), json::float(found.value));
        map.insert("uncertainty".into(), optional(found.known_uncertainty()));
        map.insert("status".into(), "measured".into());
        Value::Object(map)
    })
}

fn exponent(exponent: &Exponent) -> Value {
    let mut map = Map::new();
    map.insert("quantity".into(), exponent.measure.key().into());
    map.insert("claimed".into(), claim(exponent.claimed, "cited"));
    let (key, status) = closed_form(exponent.measure);
    map.insert(key.into(), exponent.exact.map_or(Value::Null, |value| claim(value, status)));
    map.insert("measured".into(), measured(exponent.measured));
    map.insert("limit".into(), measured(exponent.limit));
    map.insert("verdict".into(), exponent.verdict.name().into());
    if let Some(reason) = &exponent.reason {
        map.insert("reason".into(), reason.clone().into());
    }
    let secants = exponent.secants.iter().map(|secant| {
        let mut map = Map::new();
        map.insert("from".into(), json::float(secant.from));
        map.insert("to".into(), json::float(secant.to));
        map.insert(key.into(), optional(secant.exact));
        map.insert("measured".into(), optional(secant.measured.map(|found| found.value)));
        map.insert(
            "uncertainty".into(),
            optional(secant.measured.and_then(Constant::known_uncertainty)),
        );
        Value::Object(map)
    });
    map.insert("between_neighbours".into(), secants.collect());
    Value::Object(map)
}

fn halves(halves: &Halves) -> [Value; 2] {
    let half = |side: &str, holds: &str, constant: f64, from_start: Option<f64>| {
        let mut map = Map::new();
        map.insert("quantity".into(), halves.quantity.key().into());
        map.insert("half".into(), side.into());
        map.insert("verdict".into(), holds.into());
        map.insert("constant".into(), json::float(constant));
        map.insert("constant_from_stated_start".into(), optional(from_start));
        map.insert("exponent_of_ratio".into(), measured(Some(halves.exponent)));
        map.insert("status".into(), "measured".into());
        let ratios = halves
            .ratios
            .iter()
            .map(|&(tokens, ratio)| Value::Array(vec![json::float(tokens), json::float(ratio)]));
        map.insert("ratios".into(), ratios.collect());
        Value::Object(map)
    };
    let [low, high] = halves.from_start.map_or([None; 2], |ends| ends.map(Some));
    [
        half("upper", halves.upper.name(), halves.least_upper, high),
        half("lower", halves.lower.name(), halves.largest_lower, low),
    ]
}

fn at_start(start: &AtStart) -> Value {
    let rows = start.rows.iter().map(|(tokens, row)| {
        let mut map = Map::new();
        map.insert("tokens".into(), json::float(*tokens));
        map.insert("steps".into(), json::float(row.steps));
        map.insert("excess_at_zero".into(), json::float(row.excess_at_zero));
        map.insert("excess".into(), optional(row.excess));
        map.insert("stated".into(), json::float(row.stated));
        Value::Object(map)
    });
    let mut map = Map::new();
    map.insert("rows".into(), rows.collect());
    map.insert("exponent_of_ratio".into(), optional(start.exponent));
    map.insert("exponent_of_ratio_at_zero".into(), optional(start.exponent_at_zero));
    map.insert("status".into(), "measured".into());
    Value::Object(map)
}
