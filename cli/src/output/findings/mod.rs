//! What was found of a construction, in every form.

mod csv;
mod json;
mod picture;
mod table;

use serde_json::Value;

use crate::construct::report::{Report, Verdict};
use crate::construct::settings::Shared;
use crate::error::Failure;
use crate::output::json as document;
use crate::output::plot;
use crate::output::sink::Sink;
use crate::provenance::{self, Provenance};
use crate::settings::Format;

/// Where findings come from.
fn provenance(shared: &Shared, echo: &Value) -> Provenance {
    Provenance {
        config_hash: provenance::hash(echo),
        seed: shared.seed,
        scalar: provenance::scalar_name(shared.scalar),
    }
}

/// Runs what `find` does, between opening all destinations and writing to them.
///
/// # Errors
/// Where results cannot be written; [`Failure::Refuted`] if a claim fails, [`Failure::Undecided`]
/// if one is open, [`Failure::Interrupted`] if the user stopped it; what `find` reports.
pub fn tell(
    command: &'static str,
    shared: &Shared,
    echo: &Value,
    find: impl FnOnce() -> Result<Report, Failure>,
) -> Result<(), Failure> {
    let sink = Sink::open(shared.output.output.as_deref(), "--output")?;
    let target = plot::of_path(shared.output.plot.as_deref())?;
    if shared.dry_run {
        return sink.write(plan(command, shared, echo)?.as_bytes());
    }
    let report = find()?;
    let text = match shared.output.format {
        Format::Table => table::text(&shared.output, &report),
        Format::Json => json::text(shared, echo, &report),
        Format::Csv => csv::text(&report)?,
    };
    if let Some(target) = target {
        picture::write(target, shared, echo, &report)?;
    }
    sink.write(text.as_bytes())?;
    verdict(&report)?;
    if report.stopped.is_some() {
        let message = "interrupted before all instances were tried; what was found is written";
        return Err(Failure::Interrupted(message.to_owned()));
    }
    Ok(())
}

/// The configuration alone.
fn plan(command: &'static str, shared: &Shared, echo: &Value) -> Result<String, Failure> {
    let entries = || echo.as_object().into_iter().flatten();
    match shared.output.format {
        Format::Json => {
            Ok(document::text(document::head(command, echo, &provenance(shared, echo))))
        }
        Format::Csv => crate::output::csv::text(
            &["key".to_owned(), "value".to_owned()],
            entries().map(|(key, value)| vec![key.clone(), value.to_string()]),
        ),
        Format::Table => Ok(entries().map(|(key, value)| format!("{key} = {value}\n")).collect()),
    }
}

fn verdict(report: &Report) -> Result<(), Failure> {
    let claims = report.all_claims();
    let of = |verdict| claims.iter().filter(move |claim| claim.verdict == verdict);
    if let Some(claim) = of(Verdict::Fails).next() {
        let (least, most) = claim.allowed;
        return Err(Failure::Refuted(format!(
            "{}: found {:e}, allowed {least:e} to {most:e}",
            claim.title, claim.measured
        )));
    }
    match of(Verdict::Open).next() {
        Some(claim) => Err(Failure::Undecided(format!(
            "{}: not decided; {}",
            claim.title,
            match claim.name {
                "repeated" => "give the same atom once, with the sum of its weights",
                "undetermined" => "take fewer --samples, or more --features",
                _ => "take more --instances, or another --scalar",
            }
        ))),
        None => Ok(()),
    }
}
