//! A simulation as CSV: one line a run and recorded step.

use crate::error::Failure;
use crate::output::csv::{self, float};
use crate::simulate::Simulation;
use crate::simulate::measure::Measure;

/// The quantities of Theorem 3.1 of the exact run.
const OF_EXACT: [Measure; 3] = [Measure::ExcessLoss, Measure::ScoreError, Measure::ValueError];

/// The text.
///
/// # Errors
/// None in practice: writing into memory.
pub fn text(simulation: &Simulation) -> Result<String, Failure> {
    let mut heads: Vec<String> = ["batch", "run", "t"].map(str::to_owned).to_vec();
    heads.extend(simulation.measures().iter().map(|measure| measure.key().to_owned()));
    heads.extend(OF_EXACT.map(|measure| format!("exact_{}", measure.key())));
    let exact = OF_EXACT.map(|measure| simulation.exact(measure).unwrap_or_default());
    let records = simulation.runs.0.iter().flat_map(|run| {
        let exact = &exact;
        run.rows.iter().enumerate().map(move |(at, row)| {
            let mut record = vec![run.batch.to_string(), run.index.to_string(), row.t.to_string()];
            record.extend(row.values.iter().map(|&value| float(value)));
            let at = exact.iter().map(|series| series.get(at).map_or(f64::NAN, |point| point.1));
            record.extend(at.map(float));
            record
        })
    });
    csv::text(&heads, records)
}
