//! The loss on the full matrices W_V and W_KQ, for any teacher, start and positions.

use super::population;
use super::positions::Metric;
use super::teacher::Teacher;
use crate::Scalar;

/// Everything that a dense run is determined by, but its state.
#[derive(Clone, Copy, Debug)]
pub struct DenseModel<'a, S> {
    /// The teacher.
    pub teacher: Teacher<'a, S>,
    /// How logits move.
    pub metric: Metric<'a, S>,
    /// η.
    pub rate: S,
    /// σ′(0), used where a row of W_V is 0.
    pub slope_at_zero: S,
}

impl<S: Scalar> DenseModel<'_, S> {
    /// How many scalars of memory a [`Dense`](crate::descent::dense::Dense) run asks for: W_V, the logits, their carries and
    /// their gradients, the scores, and scratch.
    pub fn memory(&self) -> usize {
        let shape = self.teacher.shape();
        let matrices = shape
            .value_entries()
            .saturating_mul(3)
            .saturating_add(shape.score_entries().saturating_mul(5));
        matrices.saturating_add(population::gradient_scratch(shape.channels))
    }
}
