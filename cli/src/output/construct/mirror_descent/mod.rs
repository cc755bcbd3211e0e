//! What `popgd construct mirror-descent` found, in every form.

mod csv;
mod json;
mod picture;
mod table;

use crate::construct::mirror_descent::findings::Findings;
use crate::construct::mirror_descent::settings::MirrorDescent;
use crate::error::Failure;
use crate::output::style::Style;
use crate::provenance::{self, Provenance};
use crate::settings::Format;

pub use self::picture::draw;

/// The findings in the form that was asked for.
///
/// # Errors
/// None in practice: writing to memory.
pub fn text(settings: &MirrorDescent, findings: &Findings) -> Result<String, Failure> {
    match settings.shared.output.format {
        Format::Table => Ok(table::text(settings, findings)),
        Format::Json => Ok(json::text(settings, findings)),
        Format::Csv => csv::text(findings),
    }
}

/// `--dry-run`: what would be run.
///
/// # Errors
/// As [`text`].
pub fn plan(settings: &MirrorDescent) -> Result<String, Failure> {
    match settings.shared.output.format {
        Format::Table => Ok(table::heading(settings, Style::for_results(&settings.shared.output))),
        Format::Json => Ok(json::plan(settings)),
        Format::Csv => csv::plan(settings),
    }
}

fn provenance(settings: &MirrorDescent) -> Provenance {
    Provenance {
        config_hash: provenance::hash(&settings.echo),
        seed: settings.shared.seed,
        scalar: provenance::scalar_name(settings.shared.scalar),
    }
}

/// The largest of what some sequences have, and whether all that have it are counted.
fn largest(figures: impl Iterator<Item = Option<f64>>) -> Option<f64> {
    figures.flatten().reduce(f64::max)
}
