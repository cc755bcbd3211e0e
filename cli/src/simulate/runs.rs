//! Runs that differ in batch size and in what they drew, and figures over them.

use super::Run;
use super::measure::Measure;

/// By batch size, then by index.
#[derive(Clone, Debug)]
pub struct Runs(pub Vec<Run>);

/// An estimate and its standard error; none where there is nothing to estimate it from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The mean over runs, or the value of the only one.
    pub mean: f64,
    /// Its standard error.
    pub error: Option<f64>,
}

impl Runs {
    /// Sizes of batches, increasing.
    pub fn batches(&self) -> Vec<usize> {
        let mut sizes: Vec<usize> = self.0.iter().map(|run| run.batch).collect();
        sizes.dedup();
        sizes
    }

    /// The runs with this size.
    pub fn of_batch(&self, batch: usize) -> impl Iterator<Item = &Run> {
        self.0.iter().filter(move |run| run.batch == batch)
    }

    /// The mean of |measure| over the runs of a size, at every step that all of them recorded.
    pub fn mean(&self, batch: usize, measure: Measure) -> Vec<(u64, f64)> {
        let count = self.of_batch(batch).count() as f64;
        let recorded = self.of_batch(batch).map(|run| run.rows.len()).min().unwrap_or(0);
        (0..recorded)
            .filter_map(|at| {
                let rows = || self.of_batch(batch).filter_map(|run| run.rows.get(at));
                let t = rows().next()?.t;
                Some((t, rows().map(|row| row.get(measure).abs()).sum::<f64>() / count))
            })
            .collect()
    }

    /// A measure at the end of the runs of a size.
    pub fn at_end(&self, batch: usize, measure: Measure) -> Option<Estimate> {
        let last = |run: &Run| run.rows.last().map(|row| row.get(measure));
        estimate(&self.of_batch(batch).filter_map(last).collect::<Vec<_>>())
    }
}

/// Mean and standard error.
pub(super) fn estimate(values: &[f64]) -> Option<Estimate> {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let square = values.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>();
    let error = (values.len() > 1).then(|| (square / (count - 1.0) / count).sqrt());
    mean.is_finite().then_some(Estimate { mean, error })
}
