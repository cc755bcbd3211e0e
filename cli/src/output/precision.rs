//! What `popgd precision` found, in every form.

use popgd_core::descent::Quantities;
use serde_json::{Map, Value};

use crate::asymptotics::Quantity;
use crate::error::Failure;
use crate::output::digits::{grouped, short, signed};
use crate::output::style::Style;
use crate::output::{csv, json, table};
use crate::precision::judge::Size;
use crate::precision::{Findings, Judged, Reading, StallFindings, Way};
use crate::scalar::Number;
use crate::settings::ModelSettings;

/// How a run is computed here.
pub const WAYS: &str = "lumped, in eight ways";

/// For people: where sums stand still, then how far from the exact run every way is.
pub fn for_people(model: &ModelSettings, findings: &Findings, style: Style) -> String {
    let mut text = table::heading_of(model, WAYS, style);
    text.push_str(&format!("\n{}\n", style.bold("Where plain sums stand still")));
    text.push_str(&stalls(findings));
    text.push_str(&style.dim(&style.prose(
        "δ: gap between the logits, where its floats are this far apart. Placed: by starting there. \
         Passed: when the exact run is at that δ.",
    )));
    text.push_str(&format!("\n\n{}\n", style.bold("Relative error of the excess loss")));
    text.push_str(&errors(findings, &Way::ALL[..4]));
    text.push_str(&style.dim(&style.prose(&foundation(findings))));
    text.push_str(&format!("\n\n{}\n", style.bold("Relative width of its enclosures (proven)")));
    text.push_str(&errors(findings, &Way::ALL[4..]));
    let ends: Vec<String> = findings
        .records
        .iter()
        .filter_map(|record| {
            let what = if record.way.encloses() { "unbounded" } else { "not finite" };
            Some(format!(
                "{} is {what} from step {}",
                record.way.name(),
                grouped(record.unbounded?)
            ))
        })
        .collect();
    if !ends.is_empty() {
        text.push_str(&style.dim(&style.prose(&format!("{}.", ends.join("; ")))));
        text.push('\n');
    }
    text
}

fn stalls(findings: &Findings) -> String {
    let heads = ["", "δ apart", "δ predicted", "placed", "seen", "T predicted", "seen", "passed"];
    let or_dash = |text: Option<String>| text.unwrap_or_else(|| "–".to_owned());
    let gap = |gap: Option<f64>| or_dash(gap.map(|gap| format!("{gap:.4}")));
    let steps =
        |steps: f64| if steps < 1e10 { grouped(steps.round() as u64) } else { short(steps) };
    let rows = findings.stalls.iter().map(|stall| {
        let predicted = stall.predicted;
        vec![
            format!("{} plain", stall.scalar),
            or_dash(predicted.map(|stall| format!("{:.2e}", stall.spacing))),
            gap(predicted.map(|stall| stall.gap)),
            gap(stall.placed),
            gap(stall.seen.and_then(|seen| seen.gap)),
            or_dash(predicted.map(|stall| steps(stall.steps))),
            or_dash(stall.seen.map(|seen| grouped(seen.steps))),
            or_dash(predicted.map(|stall| steps(stall.passed))),
        ]
    });
    table::text(&table::table(&heads, rows))
}

fn errors(findings: &Findings, ways: &[Way]) -> String {
    let mut heads = vec!["T"];
    heads.extend(ways.iter().map(|way| way.name()));
    let rows = findings.steps().into_iter().map(|t| {
        let mut row = vec![grouped(t)];
        row.extend(ways.iter().map(|&way| match findings.judge(way, t) {
            None => "–".to_owned(),
            Some(judged) => relative(judged),
        }));
        row
    });
    table::text(&table::table(&heads, rows))
}

/// An error in few digits; one that the enclosure does not tell from 0 as what it is at most.
fn relative(judged: Judged) -> String {
    match (judged.size(), judged) {
        (Size::Zero, _) => "0".to_owned(),
        // At least the bound, in one digit.
        (Size::AtMost(most), _) => format!("< {:.0e}", most * 1.5),
        (Size::Of(width), Judged::Width(_)) => format!("{width:.1e}"),
        (Size::Of(size), _) if (1e-3..1e4).contains(&size) => signed(judged.center(), 4),
        (Size::Of(_), _) => format!("{:.1e}", judged.center()),
    }
}

fn foundation(findings: &Findings) -> String {
    let measured = findings
        .steps()
        .into_iter()
        .any(|t| matches!(findings.judge(Way::SingleCompensated, t), Some(Judged::Measured(_))));
    let mut text = "Against enclosure64, which contains the exact run: proven.".to_owned();
    if measured {
        text.push_str(" Where that did not reach, against f64 compensated: measured.");
    }
    text
}

/// Adds `stalls` and `ways`.
pub fn insert(document: &mut Map<String, Value>, findings: &Findings) {
    document.insert("stalls".into(), findings.stalls.iter().map(stall).collect());
    let ways = findings.records.iter().map(|record| {
        let mut map = Map::new();
        map.insert("way".into(), record.way.name().into());
        if let Some(seen) = record.standstill {
            map.insert("stands_still_after".into(), json::integer(seen.steps));
        }
        if let Some(t) = record.unbounded {
            map.insert("not_finite_at".into(), json::integer(t));
        }
        let readings = record.readings.iter().map(|r| reading(findings, record.way, r)).collect();
        map.insert("readings".into(), Value::Array(readings));
        Value::Object(map)
    });
    document.insert("ways".into(), ways.collect());
    if findings.is_interrupted() {
        let mut stopped = Map::new();
        stopped.insert("reason".into(), "interrupted".into());
        document.insert("stopped".into(), Value::Object(stopped));
    }
}

fn stall(found: &StallFindings) -> Value {
    let mut map = Map::new();
    map.insert("scalar".into(), found.scalar.into());
    if let Some(predicted) = found.predicted {
        let mut entry = Map::new();
        for (name, value) in [
            ("gap", predicted.gap),
            ("within", predicted.within),
            ("spacing", predicted.spacing),
            ("steps", predicted.steps),
            ("passed", predicted.passed),
        ] {
            entry.insert(name.into(), json::float(value));
        }
        entry.insert("status".into(), "predicted".into());
        map.insert("predicted".into(), Value::Object(entry));
    }
    if let Some(seen) = found.seen {
        let mut entry = Map::new();
        entry.insert("steps".into(), json::integer(seen.steps));
        entry.insert("period".into(), json::integer(seen.period));
        entry.extend(seen.gap.map(|gap| ("gap".to_owned(), json::float(gap))));
        entry.insert("status".into(), "measured".into());
        map.insert("seen".into(), Value::Object(entry));
    }
    if let Some(gap) = found.placed {
        let mut entry = Map::new();
        entry.insert("gap".into(), json::float(gap));
        entry.insert("status".into(), "measured".into());
        map.insert("placed".into(), Value::Object(entry));
    }
    Value::Object(map)
}

fn reading(findings: &Findings, way: Way, reading: &Reading) -> Value {
    let Quantities { excess_loss, score_error, value_error } = reading.quantities;
    let mut map = Map::new();
    map.insert("t".into(), json::integer(reading.t));
    map.insert("excess_loss".into(), json::number(excess_loss));
    map.insert("score_error".into(), json::number(score_error));
    map.insert("value_error".into(), json::number(value_error));
    match findings.judge(way, reading.t) {
        None => {}
        Some(Judged::Proven(error)) => {
            let error = Number::Interval { lo: error.lo(), hi: error.hi() };
            map.insert("relative_error".into(), json::number(error));
            map.insert("status".into(), "proven".into());
        }
        Some(Judged::Measured(error)) => {
            map.insert("relative_error".into(), json::float(error));
            map.insert("status".into(), "measured".into());
        }
        Some(Judged::Width(width)) => {
            map.insert("relative_width".into(), json::float(width));
            map.insert("status".into(), "proven".into());
        }
    }
    Value::Object(map)
}

/// One line a reading.
///
/// # Errors
/// None in practice: writing to memory.
pub fn csv(findings: &Findings) -> Result<String, Failure> {
    let mut header = vec!["way".to_owned(), "t".to_owned()];
    for name in ["excess_loss", "score_error", "value_error", "relative_error"] {
        header.extend([format!("{name}_lo"), format!("{name}_hi")]);
    }
    header.push("status".to_owned());
    let records = findings.records.iter().flat_map(|record| {
        record.readings.iter().map(|reading| {
            let mut line = vec![record.way.name().to_owned(), reading.t.to_string()];
            let quantities = [Quantity::ExcessLoss, Quantity::ScoreError, Quantity::ValueError];
            for quantity in quantities {
                let (lo, hi) = ends(quantity.of(&reading.quantities));
                line.extend([csv::float(lo), csv::float(hi)]);
            }
            let (error, status) = match findings.judge(record.way, reading.t) {
                Some(Judged::Proven(error)) => (Some((error.lo(), error.hi())), "proven"),
                Some(Judged::Measured(error)) => (Some((error, error)), "measured"),
                // An enclosure has no error, but a width; its ends say it.
                Some(Judged::Width(_)) => (None, "proven"),
                None => (None, "measured"),
            };
            match error {
                Some((lo, hi)) => line.extend([csv::float(lo), csv::float(hi)]),
                None => line.extend([String::new(), String::new()]),
            }
            line.push(status.to_owned());
            line
        })
    });
    csv::text(&header, records)
}

fn ends(number: Number) -> (f64, f64) {
    match number {
        Number::Float(value) => (value, value),
        Number::Single(value) => (value.into(), value.into()),
        Number::Interval { lo, hi } => (lo, hi),
        Number::SingleInterval { lo, hi } => (lo.into(), hi.into()),
    }
}
