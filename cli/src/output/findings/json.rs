//! Findings as JSON.

use serde_json::{Map, Value};

use super::provenance;
use crate::construct::report::{Claim, Curve, Report};
use crate::construct::settings::Shared;
use crate::output::json;

pub(super) fn text(shared: &Shared, echo: &Value, report: &Report) -> String {
    let mut document = json::head(report.command, echo, &provenance(shared, echo));
    if let Some(finished) = report.stopped {
        let reason = serde_json::json!({"reason": "interrupted", "finished": finished});
        document.insert("stopped".into(), reason);
    }
    document.insert("claims".into(), report.all_claims().iter().map(claim).collect());
    document.insert("curves".into(), report.curves.iter().map(curve).collect());
    for answer in &report.answers {
        let numbers = answer.numbers.iter().map(|&number| json::number(number)).collect();
        document.insert(answer.name.clone(), numbers);
    }
    json::text(document)
}

fn claim(claim: &Claim) -> Value {
    let mut map = Map::new();
    map.insert("claim".into(), claim.name.into());
    map.insert("about".into(), claim.title.clone().into());
    map.insert("checked".into(), json::integer(claim.checked));
    map.insert("worst".into(), json::float(claim.measured));
    if claim.allowed.0 > f64::NEG_INFINITY {
        map.insert("at_least".into(), json::float(claim.allowed.0));
    }
    map.insert("at_most".into(), json::float(claim.allowed.1));
    map.insert("status".into(), claim.status.name().into());
    map.insert("verdict".into(), claim.verdict.name().into());
    Value::Object(map)
}

fn curve(curve: &Curve) -> Value {
    let mut map = Map::new();
    map.insert("curve".into(), curve.name.into());
    map.insert("about".into(), curve.title.clone().into());
    map.insert("against".into(), curve.against.into());
    if let Some(claimed) = curve.claimed {
        map.insert("claimed_order".into(), json::float(claimed));
    }
    if let Some((order, from)) = curve.order() {
        map.insert("fitted_order".into(), json::float(order));
        map.insert("fitted_from".into(), json::float(from));
    }
    let points = curve.points.iter().map(|&(x, y)| vec![json::float(x), json::float(y)]);
    map.insert("points".into(), points.map(Value::from).collect());
    if !curve.bounds.is_empty() {
        map.insert("bounds".into(), curve.bounds.iter().map(|&x| json::float(x)).collect());
    }
    Value::Object(map)
}
