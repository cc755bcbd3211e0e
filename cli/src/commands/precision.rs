//! `popgd precision`: one run in eight ways, and where plain sums stand still.

use crate::dry_run;
use crate::error::{Failure, Warning};
use crate::interrupt;
use crate::output::plot::{self, precision::PrecisionPicture};
use crate::output::sink::Sink;
use crate::output::style::Style;
use crate::output::{json, precision};
use crate::precision::{Findings, Way, stalls};
use crate::progress::Progress;
use crate::settings::{Format, Settings};

/// Runs, judges, and writes what was asked for.
///
/// # Errors
/// What cannot be written; an interrupt, after writing what was computed; with `strict`,
/// [`Failure::Refuted`] if a sum stands still elsewhere than predicted.
pub fn execute(settings: &Settings, warnings: &[Warning]) -> Result<(), Failure> {
    if settings.dry_run {
        return dry_run::execute("precision", settings, warnings);
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
    let surprised = findings
        .stalls
        .iter()
        .find(|stall| stall.surprise().is_some_and(|surprise| surprise.abs() > stalls::TOLERANCE));
    match surprised {
        Some(stall) if settings.strict => Err(Failure::Refuted(format!(
            "a plain sum in {} stands still elsewhere than predicted",
            stall.scalar
        ))),
        _ => Ok(()),
    }
}
