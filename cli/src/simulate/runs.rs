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

    /// How many steps all runs of a size recorded: of runs that were broken off, some have more.
    pub fn recorded(&self, batch: usize) -> usize {
        self.of_batch(batch).map(|run| run.rows.len()).min().unwrap_or(0)
    }

    /// The mean of a measure over the runs of a size, at every step that all of them recorded.
    pub fn mean(&self, batch: usize, measure: Measure) -> Vec<(u64, f64)> {
        let count = self.of_batch(batch).count() as f64;
        (0..self.recorded(batch))
            .filter_map(|at| {
                let rows = || self.of_batch(batch).filter_map(|run| run.rows.get(at));
                let t = rows().next()?.t;
                Some((t, rows().map(|row| row.get(measure)).sum::<f64>() / count))
            })
            .collect()
    }

    /// A measure at the last step that all runs of a size recorded.
    pub fn at_end(&self, batch: usize, measure: Measure) -> Option<Estimate> {
        let last = self.recorded(batch).checked_sub(1)?;
        let read = |run: &Run| run.rows.get(last).map(|row| row.get(measure));
        estimate(&self.of_batch(batch).filter_map(read).collect::<Vec<_>>())
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulate::measure::Row;

    #[test]
    fn estimates_are_means_with_standard_errors() {
        let Estimate { mean, error } = estimate(&[1.0, 2.0, 3.0, 6.0]).unwrap();
        // Squares of deviations: 4 + 1 + 0 + 9 = 14; over 3, over 4, the root of it.
        assert_eq!((mean, error), (3.0, Some((14.0_f64 / 12.0).sqrt())));
        assert_eq!(estimate(&[7.0]), Some(Estimate { mean: 7.0, error: None }));
        assert_eq!(estimate(&[]), None);
        assert_eq!(estimate(&[f64::NAN, 1.0]), None);
    }

    #[test]
    fn broken_runs_are_read_where_all_of_them_were() {
        const MEASURES: [Measure; 1] = [Measure::Cosine];
        let run = |index: usize, cosines: &[f64]| Run {
            batch: 5,
            index,
            rows: (0_u64..)
                .zip(cosines)
                .map(|(t, &x)| Row { t, measures: &MEASURES, values: vec![x] })
                .collect(),
            steps: 9,
            values: Vec::new(),
            scores: Vec::new(),
        };
        let runs = Runs(vec![run(0, &[-1.0, -0.5, 0.5]), run(1, &[-1.0, -0.7])]);
        assert_eq!(runs.recorded(5), 2);
        let end = runs.at_end(5, Measure::Cosine).unwrap();
        assert!((end.mean + 0.6).abs() < 1e-15, "{end:?}");
        // With its sign.
        assert_eq!(runs.mean(5, Measure::Cosine).len(), 2);
        assert_eq!(runs.mean(5, Measure::Cosine)[0], (0, -1.0));
    }
}
