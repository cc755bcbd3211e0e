//! `--dry-run`: what would be checked, and how long it would take.

use serde_json::{Map, Value, json};

use super::{heading, kind, provenance};
use crate::dry_run::duration;
use crate::error::Failure;
use crate::gradcheck::cost::{self, LIMIT_SECONDS};
use crate::gradcheck::report::positions;
use crate::gradcheck::settings::{GradcheckSettings, Proof};
use crate::output::style::Style;
use crate::output::{csv, json};
use crate::settings::Format;

/// The plan in the form that was asked for.
///
/// # Errors
/// None in practice: writing to memory.
pub fn text(settings: &GradcheckSettings) -> Result<String, Failure> {
    let parts: Vec<Part> = settings
        .positions
        .iter()
        .map(|&encodings| {
            let case = settings.case(encodings);
            Part {
                kind: kind(encodings),
                title: positions(encodings).formula,
                entries: case.entries().count(),
                proven: cost::is_proven(settings, encodings).is_ok(),
                proof_seconds: cost::proof_seconds(&case),
                boxes_seconds: cost::boxes_seconds(&case, settings.boxes),
                remainders_seconds: cost::remainders_seconds(&case, settings.remainders),
            }
        })
        .collect();
    let claims = cost::claims_seconds(settings);
    let seconds = parts.iter().map(Part::seconds).sum::<f64>() + claims;
    match settings.output.format {
        Format::Table => Ok(for_people(settings, &parts, claims, seconds)),
        Format::Json => {
            let mut document = json::head("gradcheck", &settings.echo, &provenance(settings));
            let mut plan = Map::new();
            plan.insert("gradient".into(), parts.iter().map(Part::to_json).collect());
            plan.insert("claims_seconds".into(), json::float(claims));
            plan.insert("expected_seconds".into(), json::float(seconds));
            document.insert("dry_run".into(), Value::Object(plan));
            Ok(json::text(document))
        }
        Format::Csv => {
            let mut records = entries(settings);
            for part in &parts {
                records.push(vec![format!("{}_proof", part.kind), part.proven.to_string()]);
            }
            records.push(vec!["expected_seconds".into(), csv::float(seconds)]);
            csv::text(&["key".to_owned(), "value".to_owned()], records)
        }
    }
}

/// What to expect for one kind of positions.
struct Part {
    kind: &'static str,
    title: &'static str,
    entries: usize,
    proven: bool,
    proof_seconds: f64,
    boxes_seconds: f64,
    remainders_seconds: f64,
}

impl Part {
    fn seconds(&self) -> f64 {
        let proof = if self.proven { self.proof_seconds } else { 0.0 };
        proof + self.boxes_seconds + self.remainders_seconds
    }

    fn to_json(&self) -> Value {
        json!({
            "positions": self.kind,
            "entries": self.entries,
            "proof": self.proven,
            "proof_seconds": json::float(self.proof_seconds),
            "boxes_seconds": json::float(self.boxes_seconds),
            "remainders_seconds": json::float(self.remainders_seconds),
        })
    }
}

fn entries(settings: &GradcheckSettings) -> Vec<Vec<String>> {
    let map = settings.echo.as_object().into_iter().flatten();
    map.map(|(key, value)| {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        vec![key.clone(), text]
    })
    .collect()
}

fn for_people(settings: &GradcheckSettings, parts: &[Part], claims: f64, seconds: f64) -> String {
    let style = Style::for_results(&settings.output);
    let mut text = format!("{}\n", style.bold(&style.prose(&heading(settings))));
    text.push_str(&format!("\n{}\n", style.bold("Configuration")));
    for entry in entries(settings) {
        if let [key, value] = &entry[..] {
            text.push_str(&format!("  {key:20}{value}\n"));
        }
    }
    text.push_str(&format!("\n{}\n", style.bold("What to expect")));
    for part in parts {
        let time = duration(part.proof_seconds);
        let proof = match settings.proof {
            _ if part.proven => format!("proven, in about {time}"),
            Proof::Never => "not proven".to_owned(),
            _ => format!(
                "not proven: about {time}, and the limit is {LIMIT_SECONDS} s (--proof always)"
            ),
        };
        text.push_str(&format!("  {:20}{} entries, {proof}\n", part.title, part.entries));
        let boxes = duration(part.boxes_seconds);
        text.push_str(&format!("  {:20}{} boxes, about {boxes}\n", "", settings.boxes));
        let remainders = duration(part.remainders_seconds);
        let points = settings.remainders;
        text.push_str(&format!("  {:20}{points} remainders, about {remainders}\n", ""));
    }
    let left_out = match (settings.proof, cost::is_compared(settings)) {
        (Proof::Auto, Err(_)) => ", lumped = dense left out (--proof always)",
        _ => "",
    };
    let about = duration(claims);
    if settings.proof != Proof::Never {
        text.push_str(&format!("  {:20}about {about}{left_out}\n", "steps"));
    }
    text.push_str(&format!("  {:20}about {}\n", "run time", duration(seconds)));
    text
}
