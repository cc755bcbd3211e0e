//! `--dry-run`: the resolved configuration, what theory says of it, and how long it would take.

use std::time::{Duration, Instant};

use serde_json::{Map, Value};

use crate::engine;
use crate::error::{Failure, Warning};
use crate::output::digits::short;
use crate::output::sink::Sink;
use crate::output::style::{Style, wrapped};
use crate::output::{csv, json, precision, table, words};
use crate::plan::{self, Limits};
use crate::settings::{Format, Settings};

/// How long steps are measured to predict how long all of them take.
const MEASURE: Duration = Duration::from_millis(50);

/// Prints what `command` would do.
///
/// # Errors
/// If the model does not hang together, or the output cannot be written.
pub fn execute(command: &str, settings: &Settings, warnings: &[Warning]) -> Result<(), Failure> {
    let model = &settings.model;
    let start = Instant::now();
    let step = engine::time_per_step(model, MEASURE)?;
    // What that took beyond the steps was spent on setting the run up.
    let setup = start.elapsed().saturating_sub(MEASURE.max(step));
    let seconds = setup.as_secs_f64() + step.as_secs_f64() * model.steps as f64;
    tell(command, settings, warnings, seconds)
}

/// Prints what `command` would do, and that it would take so many seconds.
///
/// # Errors
/// As [`execute`].
pub fn tell(
    command: &str,
    settings: &Settings,
    warnings: &[Warning],
    seconds: f64,
) -> Result<(), Failure> {
    let limits = plan::limits(&settings.model)?;
    let burn_in = plan::burn_in(&settings.model);
    let text = match settings.output.format {
        Format::Json => {
            let mut document = json::document(command, settings, warnings);
            document.insert("dry_run".into(), expectations(&limits, burn_in, seconds));
            json::text(document)
        }
        Format::Csv => flat(settings, &limits, burn_in, seconds)?,
        Format::Table => for_people(settings, &limits, burn_in, seconds),
    };
    Sink::open(settings.output.output.as_deref(), "--output")?.write(text.as_bytes())
}

fn expectations(limits: &Limits, burn_in: Result<f64, &str>, seconds: f64) -> Value {
    let mut stability = Map::new();
    stability.insert("rate".into(), json::float(limits.rate));
    stability.insert("lumped_limit".into(), json::float(limits.lumped));
    stability.insert("dense_limit".into(), json::float(limits.dense));
    let mut plan = Map::new();
    plan.insert("stability".into(), Value::Object(stability));
    if let Ok(steps) = burn_in {
        plan.insert("burn_in_steps".into(), json::float(steps.ceil()));
    }
    plan.insert("expected_seconds".into(), json::float(seconds));
    Value::Object(plan)
}

fn flat(
    settings: &Settings,
    limits: &Limits,
    burn_in: Result<f64, &str>,
    seconds: f64,
) -> Result<String, Failure> {
    let mut records: Vec<Vec<String>> = entries(settings);
    records.push(vec!["lumped_limit".into(), csv::float(limits.lumped)]);
    records.push(vec!["dense_limit".into(), csv::float(limits.dense)]);
    records
        .extend(burn_in.ok().map(|steps| vec!["burn_in_steps".into(), csv::float(steps.ceil())]));
    records.push(vec!["expected_seconds".into(), csv::float(seconds)]);
    csv::text(&["key".to_owned(), "value".to_owned()], records)
}

fn entries(settings: &Settings) -> Vec<Vec<String>> {
    let map = settings.echo.as_object().into_iter().flatten();
    map.map(|(key, value)| {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        vec![key.clone(), text]
    })
    .collect()
}

fn for_people(
    settings: &Settings,
    limits: &Limits,
    burn_in: Result<f64, &str>,
    seconds: f64,
) -> String {
    let style = Style::for_results(&settings.output);
    let model = &settings.model;
    let computation = match settings.echo.get("scalar") {
        Some(_) => words::computation(model),
        None => precision::WAYS.to_owned(),
    };
    let mut text = table::heading_of(model, &computation, style);
    text.push_str(&format!("\n{}\n", style.bold("Configuration")));
    let width = 20;
    for entry in entries(settings) {
        if let [key, value] = &entry[..] {
            text.push_str(&format!("  {key:width$}{}\n", shortened(value)));
        }
    }
    text.push_str(&format!("\n{}\n", style.bold("What to expect")));
    let mut line = |key: &str, value: String| {
        let indented =
            wrapped(&value, 80 - 2 - width).replace('\n', &format!("\n{:1$}", "", 2 + width));
        text.push_str(&format!("  {key:width$}{indented}\n"));
    };
    line(
        "stability",
        format!(
            "a lumped run converges for rates below {}, a dense run below {} (here {})",
            short(limits.lumped),
            short(limits.dense),
            short(limits.rate)
        ),
    );
    let burn_in = match burn_in {
        Err(reason) => reason.to_owned(),
        Ok(0.0) => "over already at this start".to_owned(),
        Ok(steps) => {
            let wanted = settings.model.steps as f64;
            let remark = if steps > wanted {
                ", more than this run has"
            } else if 10.0 * steps > wanted {
                ", which leaves less than a decade of steps to measure rates on"
            } else {
                ""
            };
            format!("over after about {} steps{remark}", short(rounded(steps.ceil())))
        }
    };
    line("burn-in", burn_in);
    line("run time", format!("about {}", duration(seconds)));
    text
}

/// Matrices and long lists need not be read again.
fn shortened(value: &str) -> String {
    const LONGEST: usize = 56;
    if value.chars().count() <= LONGEST {
        return value.to_owned();
    }
    let head: String = value.chars().take(LONGEST).collect();
    format!("{head} …")
}

/// To two digits: a prediction deserves no more.
fn rounded(value: f64) -> f64 {
    format!("{value:.1e}").parse().unwrap_or(value)
}

/// A time in words.
pub fn duration(seconds: f64) -> String {
    const LEVELS: [(f64, f64, &str); 6] = [
        (1e-3, 1e-6, "microseconds"),
        (1.0, 1e-3, "milliseconds"),
        (120.0, 1.0, "seconds"),
        (7200.0, 60.0, "minutes"),
        (2.0 * 86_400.0, 3600.0, "hours"),
        (2.0 * 365.25 * 86_400.0, 86_400.0, "days"),
    ];
    let (unit, name) = LEVELS
        .into_iter()
        .find(|&(below, ..)| seconds < below)
        .map_or((365.25 * 86_400.0, "years"), |(_, unit, name)| (unit, name));
    let count = short(rounded(seconds / unit));
    let name = if count == "1" { name.trim_end_matches('s') } else { name };
    format!("{count} {name}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_in_words() {
        assert_eq!(duration(0.000_42), "420 microseconds");
        assert_eq!(duration(0.61), "610 milliseconds");
        assert_eq!(duration(14.0), "14 seconds");
        assert_eq!(duration(1.04), "1 second");
        assert_eq!(duration(3600.0), "60 minutes");
        assert_eq!(duration(1e12), "32000 years");
    }
}
