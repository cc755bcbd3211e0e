//! Students of images as CSV: one line a run and recorded step.

use crate::error::Failure;
use crate::output::csv::{self, float};
use crate::simulate::images::ImageSimulation;
use crate::simulate::measure::Measure;

/// The text.
///
/// # Errors
/// None in practice: writing into memory.
pub fn text(simulation: &ImageSimulation) -> Result<String, Failure> {
    let mut heads: Vec<String> = ["batch", "run", "t"].map(str::to_owned).to_vec();
    heads.extend(Measure::IMAGES.iter().map(|measure| measure.key().to_owned()));
    let records = simulation.runs.0.iter().flat_map(|run| {
        run.rows.iter().map(move |row| {
            let mut record = vec![run.batch.to_string(), run.index.to_string(), row.t.to_string()];
            record.extend(row.values.iter().map(|&value| float(value)));
            record
        })
    });
    csv::text(&heads, records)
}
