//! What is trained: anything that has parameters, makes steps and can be measured.

use super::batch::Batch;
use super::exact::ExactState;
use super::measure::Measure;
use super::observe::Streams;
use super::problem::Problem;
use crate::error::Failure;
use crate::ood::family::Family;

/// A student in training.
pub trait Learner<'p>: Sized {
    /// What is measured of it, in the order of columns.
    const MEASURES: &'static [Measure];

    /// As it is before training.
    fn at_start(problem: &'p Problem) -> Self;

    /// With these parameters; nothing if they are not as many as there should be.
    fn with_parameters(problem: &'p Problem, values: Vec<f64>, keys: Vec<f64>) -> Option<Self>;

    /// W_V, and W_KQ or what stands for it.
    fn parameters(&self) -> (&[f64], &[f64]);

    /// One step of gradient descent on the loss of a batch.
    fn step(&mut self, batch: &Batch<f64>);

    /// Measures it on batches of so many samples of the model, beside the exact run at the same step.
    ///
    /// # Errors
    /// None in practice: the shapes fit.
    fn observe(
        &mut self,
        exact: &ExactState,
        evaluation: (&Family, usize),
        streams: &mut Streams,
    ) -> Result<Vec<f64>, Failure>;

    /// What is shown as attention at the end: S for the position-only student, otherwise W_KQ.
    fn attention(&self) -> &[f64];

    /// Whether all parameters are finite.
    fn is_finite(&self) -> bool {
        let (values, keys) = self.parameters();
        values.iter().chain(keys).all(|x| x.is_finite())
    }
}
