//! `popgd precision`: one run in eight ways, and where plain sums stand still.

use std::time::{Duration, Instant};

use serde_json::Value;

use crate::dry_run;
use crate::error::{Failure, Warning};
use crate::interrupt;
use crate::output::plot::{self, precision::PrecisionPicture};
use crate::output::sink::Sink;
use crate::output::style::Style;
use crate::output::{json, precision};
use crate::precision::stalls::{self, Surprise};
use crate::precision::{Findings, Way, ways};
use crate::progress::Progress;
use crate::settings::{Format, Settings};

/// Runs, judges, and writes what was asked for.
///
/// # Errors
/// What cannot be written; an interrupt, after writing what was computed; with `strict`,
/// [`Failure::Refuted`] if a sum stands still elsewhere than predicted, or not at all.
pub fn execute(settings: &Settings, warnings: &[Warning]) -> Result<(), Failure> {
    if settings.dry_run {
        let seconds = expected_seconds(settings)?;
        return dry_run::tell("precision", settings, warnings, seconds);
    }
    let output = Sink::open(settings.output.output.as_deref(), "--output")?;
    let picture = plot::open(settings)?;

    interrupt::listen();
    let model = &settings.model;
    let count = u64::try_from(Way::ALL.len()).unwrap_or(1);
    let progress = Progress::new(model.steps.saturating_mul(count), settings.output.quiet);
    let findings = Findings::of(model, &settings.at, &progress)?;
    drop(progress);

    let text = match settings.output.format {
        Format::Table => {
            precision::for_people(model, &findings, Style::for_results(&settings.output))
        }
        Format::Json => {
            let mut document = json::document("precision", settings, warnings);
            if let Some(Value::Object(provenance)) = document.get_mut("provenance") {
                provenance.insert("scalar".into(), "all".into());
            }
            precision::insert(&mut document, &findings);
            json::text(document)
        }
        Format::Csv => precision::csv(&findings)?,
    };
    // A reader who closed the pipe may still have asked for a picture.
    let printed = output.write(text.as_bytes());
    if let Some(picture) = picture {
        PrecisionPicture::new(settings, &findings).write(picture)?;
    }
    printed?;
    if findings.is_interrupted() {
        let message = "interrupted: what was computed until then is written";
        return Err(Failure::Interrupted(message.to_owned()));
    }
    let surprise = findings.stalls.iter().find_map(|stall| {
        let surprise = stall.surprise(model.steps)?;
        let scalar = stall.scalar;
        Some(match surprise {
            Surprise::Elsewhere => {
                format!("a plain sum in {scalar} stands still elsewhere than predicted")
            }
            Surprise::Missing => {
                format!("a plain sum in {scalar} goes on where it was predicted to stand still")
            }
        })
    });
    match surprise {
        Some(message) if settings.strict => Err(Failure::Refuted(message)),
        _ => Ok(()),
    }
}

/// How long all ways take together, from how long they take for few steps, and the search for
/// standstills after them.
fn expected_seconds(settings: &Settings) -> Result<f64, Failure> {
    const ENOUGH: Duration = Duration::from_millis(100);
    let mut model = settings.model.clone();
    let all = model.steps;
    model.steps = all.min(1024);
    loop {
        let start = Instant::now();
        let records = ways::all(&model, &[model.steps], &Progress::new(model.steps, true))?;
        let took = start.elapsed();
        if took >= ENOUGH || model.steps == all {
            let search = Instant::now();
            stalls::both(&model, &records);
            let steps = took.as_secs_f64() * all as f64 / model.steps.max(1) as f64;
            return Ok(steps + search.elapsed().as_secs_f64());
        }
        model.steps = all.min(4 * model.steps);
    }
}
