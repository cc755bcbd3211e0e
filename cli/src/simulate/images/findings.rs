//! What a student of images learnt, filter by filter and query by query.

use super::ImageSimulation;
use super::patches::AREA;
use crate::simulate::Run;
use crate::simulate::observe::cosine;

/// What one run learnt.
#[derive(Clone, Debug, PartialEq)]
pub struct Findings {
    /// The cosine of every row of W_V with that of V*, in the order of filters.
    pub filters: Vec<f64>,
    /// For every query, the weight that it puts on its own window.
    pub weights: Vec<f64>,
    /// For every patch, the mean weight that the queries of its window put on it, over 1/K: 1 is right.
    pub shares: Vec<f64>,
    /// Patches that get less than half of what is right.
    pub missed: Vec<usize>,
    /// For every patch, the share of images of training in which it is blank.
    pub blank: Vec<f64>,
    /// By window, from left to right and top to bottom.
    pub windows: Vec<Window>,
    /// Queries that put less than half of their weight on their own window.
    pub failures: Vec<usize>,
}

/// A window of 3 × 3 patches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Window {
    /// The mean over its queries of the weight that they put on it.
    pub weight: f64,
    /// How many of its queries put less than half of their weight on it.
    pub failures: usize,
    /// How many of its patches get less than half of what is right.
    pub missed: usize,
    /// The share of patches here that are blank, over images of training.
    pub blank: f64,
}

/// Less weight than this on the own window is a failure.
const ENOUGH: f64 = 0.5;

impl ImageSimulation {
    /// Of one run, at its end.
    pub fn findings(&self, run: &Run) -> Findings {
        let task = &self.task;
        let rows =
            run.values.chunks_exact(AREA).zip(task.problem.teacher_values.chunks_exact(AREA));
        let weights = task.window_weights(&run.scores);
        let shares = task.shares(&run.scores);
        let missed: Vec<usize> = below(&shares);
        let failures = below(&weights);
        let blank = task.patches.blank(&task.training);
        let windows = weights.chunks_exact(AREA).zip(shares.chunks_exact(AREA));
        let windows = windows.zip(blank.chunks_exact(AREA));
        let mean = |of: &[f64]| of.iter().sum::<f64>() / of.len() as f64;
        Findings {
            filters: rows.map(|(own, goal)| cosine(own, goal)).collect(),
            windows: windows
                .map(|((weights, shares), blank)| Window {
                    weight: mean(weights),
                    failures: below(weights).len(),
                    missed: below(shares).len(),
                    blank: mean(blank),
                })
                .collect(),
            failures,
            weights,
            missed,
            shares,
            blank,
        }
    }
}

fn below(shares: &[f64]) -> Vec<usize> {
    let low = shares.iter().enumerate().filter(|(_, share)| **share < ENOUGH);
    low.map(|(at, _)| at).collect()
}
