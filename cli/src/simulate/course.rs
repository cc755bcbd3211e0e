//! What students learn from: samples of the model, or images.

use rand_xoshiro::Xoshiro256PlusPlus;

use super::batch::Batch;
use super::draw::TRAINING;
use super::exact::ExactState;
use super::learner::Learner;
use super::measure::Measure;
use super::observe::Streams;
use super::problem::Problem;
use crate::error::Failure;
use crate::ood::family::Family;

/// Where the samples of a step come from, and what is measured of students of this kind.
pub trait Course<L>: Sync {
    /// What is measured, in the order of columns.
    fn measures(&self) -> &'static [Measure];

    /// Draws so many samples.
    fn draw(&self, count: usize, random: &mut Xoshiro256PlusPlus, samples: &mut Batch<f64>);

    /// Measures a student at a recorded step, which is the one with this index.
    ///
    /// # Errors
    /// None in practice: the shapes fit.
    fn observe(
        &self,
        student: &mut L,
        which: usize,
        streams: &mut Streams,
    ) -> Result<Vec<f64>, Failure>;
}

/// Gaussian samples of the model, and the exact descent to be held against.
#[derive(Clone, Copy, Debug)]
pub struct Population<'a> {
    /// The model.
    pub problem: &'a Problem,
    /// The exact run at the recorded steps.
    pub exact: &'a [ExactState],
    /// The law of other inputs, and how many samples losses are measured on.
    pub evaluation: (&'a Family, usize),
}

impl<'p, L: Learner<'p>> Course<L> for Population<'_> {
    fn measures(&self) -> &'static [Measure] {
        L::MEASURES
    }

    fn draw(&self, count: usize, random: &mut Xoshiro256PlusPlus, samples: &mut Batch<f64>) {
        self.problem.draw(&TRAINING, count, random, samples);
    }

    fn observe(
        &self,
        student: &mut L,
        which: usize,
        streams: &mut Streams,
    ) -> Result<Vec<f64>, Failure> {
        match self.exact.get(which) {
            Some(exact) => student.observe(exact, self.evaluation, streams),
            None => Ok(vec![f64::NAN; L::MEASURES.len()]),
        }
    }
}
