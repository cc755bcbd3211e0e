//! `popgd certify`: rates proven for every later step, and the check of such a proof.

use std::path::Path;

use serde_json::Value;

use crate::certificate::check::{self, Outcome};
use crate::certificate::file;
use crate::certificate::make::{self, Wanted};
use crate::config::Arguments;
use crate::dry_run;
use crate::error::{Failure, Warning};
use crate::interrupt;
use crate::output::digits::grouped;
use crate::output::sink::Sink;
use crate::output::style::Style;
use crate::output::{certify, json};
use crate::progress::Progress;
use crate::provenance::SCHEMA;
use crate::settings::{Format, ModelSettings, Settings};

/// Proves, and writes the certificate.
///
/// # Errors
/// [`Failure::Undecided`] with the reason if nothing can be proven, and what cannot be written.
pub fn execute(settings: &Settings, warnings: &[Warning]) -> Result<(), Failure> {
    if settings.dry_run {
        // What takes time is the way to T₀.
        let steps = make::expected_steps(&settings.model, settings.from_step);
        let model = ModelSettings { steps, ..settings.model.clone() };
        return dry_run::execute("certify", &Settings { model, ..settings.clone() }, warnings);
    }
    let output = Sink::open(settings.output.output.as_deref(), "--output")?;
    interrupt::listen();
    let wanted =
        Wanted { from_step: settings.from_step, at: &settings.at, quiet: settings.output.quiet };
    let certificate = make::certificate(&settings.model, wanted)?;
    let text = match settings.output.format {
        Format::Table => {
            certify::for_people(&settings.model, &certificate, Style::for_results(&settings.output))
        }
        Format::Json => {
            let mut document = json::document("certify", settings, warnings);
            document.insert("certificate".into(), file::to_json(&certificate));
            document.insert(file::HASH.into(), file::hash(&document).into());
            json::text(document)
        }
        Format::Csv => certify::csv(&certificate)?,
    };
    output.write(text.as_bytes())
}

/// Checks the certificate in a file.
///
/// # Errors
/// [`Failure::Refuted`] if it does not prove what it says; [`Failure::Io`] if it does, but its hash
/// is another one; what cannot be read or understood.
pub fn check(path: &Path, arguments: &Arguments) -> Result<(), Failure> {
    const ALLOWED: [&str; 5] = ["check", "format", "output", "quiet", "color"];
    if let Some(key) = arguments.flagged().find(|key| !ALLOWED.contains(key)) {
        return Err(Failure::usage(format!(
            "--check: a certificate says itself what it is about; leave out {}",
            crate::config::values::flag_of(key)
        )));
    }
    let text = std::fs::read_to_string(path).map_err(|error| Failure::unreadable(path, &error))?;
    let named = |message: String| Failure::usage(format!("{}: {message}", path.display()));
    let document: Value =
        serde_json::from_str(&text).map_err(|error| named(format!("is not JSON: {error}")))?;
    let document = document.as_object().cloned().unwrap_or_default();
    let Some(value) = document.get("certificate") else {
        return Err(named(
            "has no `certificate`: expected the result of `popgd certify --format json`".to_owned(),
        ));
    };
    if document.get("schema").and_then(Value::as_u64) != Some(SCHEMA) {
        return Err(named(format!("is not of schema {SCHEMA}, which this program checks")));
    }
    let certificate = file::from_json(value).map_err(named)?;
    let intact =
        document.get(file::HASH).and_then(Value::as_str) == Some(file::hash(&document).as_str());

    interrupt::listen();
    let progress = Progress::new(certificate.late(), arguments.is_quiet());
    let outcome = check::check(&certificate, &progress);
    drop(progress);
    match outcome {
        Outcome::Interrupted => {
            let message = "interrupted: the certificate is not checked";
            return Err(Failure::Interrupted(message.to_owned()));
        }
        Outcome::TooLong { steps } => {
            return Err(Failure::Undecided(format!(
                "{}: its {} steps would take too long to run again; ask for a certificate from an \
                 earlier step",
                path.display(),
                grouped(steps)
            )));
        }
        Outcome::Holds | Outcome::Fails(_) => {}
    }
    let (format, target) = arguments.form_of_output()?;
    let text = match format {
        Format::Table => certify::check_for_people(&certificate, &outcome, intact),
        Format::Json => json::text(certify::check_document(&certificate, &outcome, intact)),
        Format::Csv => certify::check_csv(&outcome, intact)?,
    };
    Sink::open(target.as_deref(), "--output")?.write(text.as_bytes())?;
    verdict(path, outcome, intact)
}

fn verdict(path: &Path, outcome: Outcome, intact: bool) -> Result<(), Failure> {
    match (outcome, intact) {
        (Outcome::Fails(reason), _) => {
            Err(Failure::Refuted(format!("{}: not proven: {reason}", path.display())))
        }
        (_, false) => Err(Failure::Io(format!(
            "{}: the proof holds, but the file is not as it was written: its hash differs",
            path.display()
        ))),
        (_, true) => Ok(()),
    }
}
