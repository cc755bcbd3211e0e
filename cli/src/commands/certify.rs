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
use crate::output::sink::Sink;
use crate::output::style::Style;
use crate::output::{certify, json};
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
            let value = file::to_json(&certificate);
            document.insert("certificate_hash".into(), file::hash(&value).into());
            document.insert("certificate".into(), value);
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
    let Some(value) = document.get("certificate") else {
        return Err(named(
            "has no `certificate`: expected the result of `popgd certify --format json`".to_owned(),
        ));
    };
    let certificate = file::from_json(value).map_err(named)?;
    let intact = document.get("certificate_hash").and_then(Value::as_str)
        == Some(file::hash(value).as_str());

    interrupt::listen();
    let outcome = check::check(&certificate);
    if outcome == Outcome::Interrupted {
        return Err(Failure::Interrupted("interrupted: the certificate is not checked".to_owned()));
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
