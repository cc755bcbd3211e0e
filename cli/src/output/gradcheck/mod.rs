//! What `popgd gradcheck` found, in every form.

mod csv;
mod json;
pub mod plan;
mod table;

use popgd_core::gradient_check::{Encodings, Slope};

use crate::error::Failure;
use crate::gradcheck::report::{Check, Report, Topic, Verdict, positions};
use crate::gradcheck::settings::GradcheckSettings;
use crate::provenance::{self, Provenance};
use crate::settings::Format;

/// The report in the form that was asked for.
///
/// # Errors
/// None in practice: writing to memory.
pub fn text(settings: &GradcheckSettings, report: &Report) -> Result<String, Failure> {
    match settings.output.format {
        Format::Table => Ok(table::text(settings, report)),
        Format::Json => Ok(json::text(settings, report)),
        Format::Csv => csv::text(report),
    }
}

/// Where the findings come from.
fn provenance(settings: &GradcheckSettings) -> Provenance {
    Provenance {
        config_hash: provenance::hash(&settings.echo),
        seed: settings.seed,
        scalar: "symbolic, interval64, f64",
    }
}

/// What is checked, in words.
fn heading(settings: &GradcheckSettings) -> String {
    let shape = settings.shape;
    let count =
        |count: usize, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
    let activation = match settings.slope {
        Slope::Symbol => "leaky ReLU of any slope".to_owned(),
        Slope::Fraction(1, 1) => "identity".to_owned(),
        Slope::Fraction(0, _) => "ReLU".to_owned(),
        Slope::Fraction(-1, 1) => "absolute value".to_owned(),
        Slope::Fraction(numerator, 1) => format!("leaky ReLU of slope {numerator}"),
        Slope::Fraction(numerator, denominator) => {
            format!("leaky ReLU of slope {numerator}/{denominator}")
        }
    };
    format!(
        "D = {}, M = {}, d = {}, {activation}, any teacher and temperature",
        count(shape.tokens, "token"),
        count(shape.channels, "channel"),
        count(shape.features, "feature"),
    )
}

/// A verdict in the words of its check.
fn word(check: Check, verdict: Verdict) -> &'static str {
    match (check, verdict) {
        (_, Verdict::Undecided) => "undecided",
        (Check::Proof, Verdict::Agrees) => "proven",
        (Check::Enclosure, Verdict::Agrees) => "consistent",
        (Check::Remainder, Verdict::Agrees) => "right",
        (Check::Proof | Check::Enclosure, Verdict::Refuted) => "refuted",
        (Check::Remainder, Verdict::Refuted) => "wrong",
    }
}

/// The name of positions in results.
fn kind(encodings: Encodings) -> &'static str {
    positions(encodings).name
}

/// The name of a topic in results.
fn topic(topic: Topic) -> &'static str {
    match topic {
        Topic::DenseStep(_) => "dense_step",
        Topic::LumpedStep => "lumped_step",
        Topic::LumpedIsDense => "lumped_is_dense",
        Topic::Invariant => "invariant",
    }
}

/// The worst verdict of all, in a word.
fn overall(report: &Report) -> &'static str {
    let worst = report.objections().first().map_or(Verdict::Agrees, |first| first.verdict);
    match worst {
        Verdict::Refuted => "refuted",
        Verdict::Undecided => "undecided",
        Verdict::Agrees if report.interrupted => "undecided",
        Verdict::Agrees if report.is_proven() => "proven",
        Verdict::Agrees => "consistent",
    }
}
