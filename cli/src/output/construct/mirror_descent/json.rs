//! The findings as JSON.

use serde_json::{Map, Value, json};

use super::{largest, provenance};
use crate::construct::mirror_descent::findings::{Findings, Sequence};
use crate::construct::mirror_descent::settings::MirrorDescent;
use crate::output::json::{self, float, number};

/// The command, as documents name it.
pub(super) const COMMAND: &str = "construct mirror-descent";

pub(super) fn text(settings: &MirrorDescent, findings: &Findings) -> String {
    let mut document = json::head(COMMAND, &settings.echo, &provenance(settings));
    if findings.interrupted {
        let finished = findings.sequences.len();
        document.insert("stopped".into(), json!({"reason": "interrupted", "finished": finished}));
    }
    document.insert("equality".into(), equality(findings));
    document.insert("likelihood".into(), likelihood(findings));
    document.insert("bayes".into(), bayes(findings));
    let leaks = findings.leakage.iter();
    let leaks = leaks.map(|leak| {
        json!({
            "strength": float(leak.strength),
            "error": float(leak.error),
            "slope": optional(leak.slope),
            "is_within_bound": leak.within,
        })
    });
    let leaks: Value = leaks.collect();
    let slope = optional(findings.leakage_slope());
    document.insert(
        "leakage".into(),
        json!({"status": "measured", "slope": slope, "claimed": -1, "strengths": leaks}),
    );
    let remainders = findings.remainders.iter().map(|remainder| {
        let points = remainder.points.iter();
        let points = points.map(|&(e, x)| json!({"epsilon": float(e), "error": float(x)}));
        json!({
            "rate": remainder.rate,
            "claimed_order": remainder.claimed,
            "order": optional(remainder.order),
            "verdict": verdict(remainder.as_claimed),
            "status": "measured",
            "points": points.collect::<Value>(),
        })
    });
    document.insert("remainders".into(), remainders.collect());
    document.insert("sequences".into(), findings.sequences.iter().map(sequence).collect());
    json::text(document)
}

pub(super) fn plan(settings: &MirrorDescent) -> String {
    let mut document = json::head(COMMAND, &settings.echo, &provenance(settings));
    let steps = settings.steps;
    let layers = if steps == 1 { 3 } else { 2 * steps + 1 };
    document.insert("dry_run".into(), json!({"layers": layers}));
    json::text(document)
}

fn verdict(agrees: Option<bool>) -> &'static str {
    match agrees {
        Some(true) => "agrees",
        Some(false) => "differs",
        None => "open",
    }
}

fn optional(figure: Option<f64>) -> Value {
    figure.map_or(Value::Null, float)
}

fn equality(findings: &Findings) -> Value {
    let all = || findings.sequences.iter();
    let width = largest(all().map(|found| found.relative_width));
    let mut map = Map::new();
    map.insert("verdict".into(), verdict(findings.verdict()).into());
    let most = |of: fn(&Sequence) -> f64| optional(largest(all().map(|found| Some(of(found)))));
    let difference = most(|found| found.difference);
    map.insert("difference_at_most".into(), difference);
    map.insert("next_difference_at_most".into(), most(|found| found.next_difference));
    if let Some(width) = width {
        map.insert("relative_width".into(), float(width));
    }
    let status = if width.is_some() { "proven" } else { "measured" };
    map.insert("status".into(), status.into());
    Value::Object(map)
}

fn likelihood(findings: &Findings) -> Value {
    let lowered =
        findings.sequences.iter().filter(|found| found.gain.is_none_or(|x| x < 0.0)).count();
    let safe = findings.sequences.iter().filter_map(|found| found.safe_gain);
    let (rates, least) = (safe.clone().count(), safe.reduce(f64::min));
    json!({
        "lowered": lowered,
        "safe_rates": rates,
        "least_safe_gain": optional(least),
        "status": "measured",
    })
}

fn bayes(findings: &Findings) -> Value {
    let known = findings.sequences.iter().filter(|found| found.from_bayes.is_some()).count();
    let of =
        |of: fn(&Sequence) -> Option<f64>| optional(largest(findings.sequences.iter().map(of)));
    json!({
        "known": known,
        "largest_difference": of(|found| found.from_bayes),
        "largest_difference_of_uniform": of(|found| found.uniform_from_bayes),
        "status": "measured",
    })
}

fn sequence(found: &Sequence) -> Value {
    let numbers = |numbers: &[crate::scalar::Number]| -> Value {
        numbers.iter().map(|&x| number(x)).collect()
    };
    let mut map = Map::new();
    map.insert("length".into(), found.length.into());
    map.insert("transformer".into(), numbers(&found.transformer));
    map.insert("algorithm".into(), numbers(&found.algorithm));
    map.insert("difference_at_most".into(), float(found.difference));
    map.insert("agrees".into(), found.agrees.into());
    map.insert("from_bayes".into(), optional(found.from_bayes));
    map.insert("gain".into(), optional(found.gain));
    map.insert("safe_rate".into(), optional(found.safe_rate));
    Value::Object(map)
}
