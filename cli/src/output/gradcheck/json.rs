//! The report as JSON; the schema is described in [`json`](crate::output::json).

use popgd_core::gradient_check::claim::Claim;
use popgd_core::gradient_check::exact::{self, EntryProof};
use popgd_core::gradient_check::{Block, Entry};
use serde_json::{Map, Value, json};

use super::{kind, overall, provenance, topic, word};
use crate::gradcheck::report::{
    Check, Enclosed, EntryFindings, GradientFindings, Order, Report, Topic, Verdict,
};
use crate::gradcheck::settings::GradcheckSettings;
use crate::output::json;

pub(super) fn text(settings: &GradcheckSettings, report: &Report) -> String {
    let mut document = json::head("gradcheck", &settings.echo, &provenance(settings));
    document.insert("verdict".into(), overall(report).into());
    if report.interrupted {
        document.insert("stopped".into(), json!({ "reason": "interrupted" }));
    }
    let gradients = report.gradients.iter().map(gradient).collect();
    document.insert("gradient".into(), Value::Array(gradients));
    let mut lumped = Map::new();
    if !report.lumped.is_empty() {
        let of = |(name, found): &(String, Enclosed)| {
            let mut map = Map::new();
            map.insert("of".into(), name.as_str().into());
            map.insert("enclosure".into(), enclosure(found));
            Value::Object(map)
        };
        lumped.insert("entries".into(), report.lumped.iter().map(of).collect());
    }
    if let Some(found) = &report.lumped_order {
        lumped.insert("remainder".into(), order(found));
    }
    document.insert("lumped_step".into(), Value::Object(lumped));
    let claims = report.claims.iter().map(|(topic, found)| claim(*topic, found)).collect();
    document.insert("claims".into(), Value::Array(claims));
    document.insert("claims_left_out".into(), report.claims_left_out.into());
    if let Some(seconds) = report.comparison_left_out {
        let value = json!({ "expected_seconds": json::float(seconds) });
        document.insert("comparison_left_out".into(), value);
    }
    json::text(document)
}

fn gradient(found: &GradientFindings) -> Value {
    let mut map = Map::new();
    map.insert("positions".into(), kind(found.encodings).into());
    if let Some(seconds) = found.proof_left_out {
        map.insert("proof_left_out".into(), json!({ "expected_seconds": json::float(seconds) }));
    }
    map.insert("entries".into(), found.entries.iter().map(entry).collect());
    if !found.orders.is_empty() {
        map.insert("remainders".into(), found.orders.iter().map(order).collect());
    }
    Value::Object(map)
}

fn entry(found: &EntryFindings) -> Value {
    let Entry { block, row, column } = found.entry;
    let mut map = Map::new();
    map.insert("block".into(), block_name(block).into());
    map.insert("row".into(), (row + 1).into());
    map.insert("column".into(), (column + 1).into());
    if let Some(found) = &found.proof {
        map.insert("proof".into(), proof(found));
    }
    if let Some(found) = &found.enclosed {
        map.insert("enclosure".into(), enclosure(found));
    }
    Value::Object(map)
}

pub(super) fn block_name(block: Block) -> &'static str {
    match block {
        Block::Value => "W_V",
        Block::KeyQuery => "W_KQ",
    }
}

/// A verdict, and whether it is proven or measured if it is a claim: that enclosures are consistent
/// is none.
fn judged(check: Check, verdict: Verdict) -> Map<String, Value> {
    let mut map = Map::new();
    map.insert("verdict".into(), word(check, verdict).into());
    let status = match (check, verdict) {
        (_, Verdict::Undecided) | (Check::Enclosure, Verdict::Agrees) => None,
        (Check::Remainder, Verdict::Agrees) => Some("measured"),
        _ => Some("proven"),
    };
    if let Some(status) = status {
        map.insert("status".into(), status.into());
    }
    map
}

fn with_value(map: &mut Map<String, Value>, verdict: &exact::Verdict) {
    if let exact::Verdict::Refuted { value } = verdict {
        let value = json!({ "lo": json::float(value.lo()), "hi": json::float(value.hi()) });
        map.insert("difference".into(), value);
    }
}

fn proof(found: &EntryProof) -> Value {
    let mut map = judged(Check::Proof, (&found.verdict).into());
    with_value(&mut map, &found.verdict);
    map.insert("operations".into(), found.operations.into());
    map.insert("terms".into(), found.terms.into());
    Value::Object(map)
}

fn enclosure(found: &Enclosed) -> Value {
    let mut map = judged(Check::Enclosure, found.verdict);
    let bound = json!({ "value": json::float(found.difference_at_most), "status": "proven" });
    map.insert("difference_at_most".into(), bound);
    if found.verdict == Verdict::Refuted {
        map.insert("difference_at_least".into(), json::float(found.difference_at_least));
    }
    Value::Object(map)
}

fn order(found: &Order) -> Value {
    let mut map = Map::new();
    map.insert("of".into(), found.block.into());
    map.extend(judged(Check::Remainder, found.verdict()));
    if let Some(order) = found.order {
        map.insert("order".into(), json::float(order));
    }
    map.insert("right".into(), json::integer(found.right));
    map.insert("wrong".into(), json::integer(found.wrong));
    map.insert("silent".into(), json::integer(found.silent));
    if found.wrong > 0 {
        map.insert("refuted".into(), json::integer(found.refuted));
    }
    if found.refuted > 0 {
        map.insert("difference".into(), json::float(found.difference));
    }
    let point = |&(step, remainder): &(f64, f64)| json!({ "step": json::float(step), "remainder": json::float(remainder) });
    map.insert("first".into(), found.first.iter().map(point).collect());
    Value::Object(map)
}

fn claim(about: Topic, found: &Claim) -> Value {
    let mut map = Map::new();
    map.insert("about".into(), topic(about).into());
    if let Topic::DenseStep(encodings) = about {
        map.insert("positions".into(), kind(encodings).into());
    }
    map.insert("claim".into(), found.name.as_str().into());
    map.extend(judged(Check::Proof, (&found.verdict).into()));
    with_value(&mut map, &found.verdict);
    map.insert("formulas".into(), found.formulas.into());
    map.insert("operations".into(), found.operations.into());
    map.insert("terms".into(), found.terms.into());
    Value::Object(map)
}
