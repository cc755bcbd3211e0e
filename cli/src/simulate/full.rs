//! The whole one-layer model, equation (2.5) of the paper: attention sees tokens and positions.
//!
//! With `Z = [X; P]`, (d + D) × D, it is `σ(W_V Z 𝒮(Zᵀ W_KQ Z/τ))`, 𝒮 the softmax of columns. The
//! paper trains this and finds that only two blocks move, which are those of the position-only
//! student: W_V on inputs, and W_KQ between positions. Gradients as in [`batch`](super::batch), with
//! `∂/∂W_KQ = (1/τ) Z (∂/∂L) Zᵀ` for the logits L.

use popgd_core::model::activation::Activation;
use popgd_core::model::teacher::Shape;
use popgd_core::scalar::Scalar;

use super::batch::{Batch, activate, add_multiple, project, samples, slope};

/// The model.
#[derive(Clone, Copy, Debug)]
pub struct FullNetwork<'a, S> {
    /// D, M and d.
    pub shape: Shape,
    /// σ.
    pub activation: Activation<S>,
    /// σ′(0).
    pub slope_at_zero: S,
    /// P, D × D, row by row: column i is the position of token i.
    pub positions: &'a [S],
    /// τ.
    pub temperature: S,
    /// W_V, M × (d + D), row by row.
    pub values: &'a [S],
    /// W_KQ, (d + D) × (d + D), row by row.
    pub keys: &'a [S],
}

/// Room for the computations on one sample.
#[derive(Clone, Debug)]
pub struct FullScratch<S> {
    embedded: Vec<S>,
    queried: Vec<S>,
    logits: Vec<S>,
    /// S, one row per query.
    pub scores: Vec<S>,
    projected: Vec<S>,
    outputs: Vec<S>,
    back: Vec<S>,
    score_gradient: Vec<S>,
}

// Not derived: numbers need no default for that.
impl<S> Default for FullScratch<S> {
    fn default() -> Self {
        Self {
            embedded: Vec::new(),
            queried: Vec::new(),
            logits: Vec::new(),
            scores: Vec::new(),
            projected: Vec::new(),
            outputs: Vec::new(),
            back: Vec::new(),
            score_gradient: Vec::new(),
        }
    }
}

/// d + D, the length of a token with its position.
pub fn width(shape: Shape) -> usize {
    shape.features + shape.tokens
}

impl<S: Scalar> FullNetwork<'_, S> {
    /// Fills in everything up to W_V Z S, M × D.
    fn forward(&self, input: &[S], scratch: &mut FullScratch<S>) {
        let (tokens, width) = (self.shape.tokens, width(self.shape));
        let zero = self.slope_at_zero.zero();
        scratch.embedded.clear();
        scratch.embedded.extend(input);
        scratch.embedded.extend(self.positions);
        scratch.queried.resize(width * tokens, zero);
        project(self.keys, width, &scratch.embedded, tokens, zero, &mut scratch.queried);
        scratch.logits.clear();
        scratch.logits.resize(tokens * tokens, zero);
        let rows = scratch.queried.chunks_exact(tokens).zip(scratch.embedded.chunks_exact(tokens));
        for (queried, embedded) in rows {
            for (logits, &factor) in scratch.logits.chunks_exact_mut(tokens).zip(queried) {
                add_multiple(logits, factor, embedded);
            }
        }
        scratch.logits.iter_mut().for_each(|logit| *logit = *logit / self.temperature);
        scratch.scores.resize(tokens * tokens, zero);
        let queries = scratch.logits.chunks_exact(tokens);
        for (logits, scores) in queries.zip(scratch.scores.chunks_exact_mut(tokens)) {
            S::softmax(None, logits, scores);
        }
        scratch.projected.resize(self.shape.channels * tokens, zero);
        project(self.values, width, &scratch.embedded, tokens, zero, &mut scratch.projected);
        scratch.outputs.resize(self.shape.channels * tokens, zero);
        let rows = scratch.projected.chunks_exact(tokens);
        for (projected, outputs) in rows.zip(scratch.outputs.chunks_exact_mut(tokens)) {
            for (slot, scores) in outputs.iter_mut().zip(scratch.scores.chunks_exact(tokens)) {
                *slot = zero.dot(projected, scores);
            }
        }
    }

    /// Its output for one X, M × D.
    pub fn apply(&self, input: &[S], scratch: &mut FullScratch<S>, outputs: &mut [S]) {
        self.forward(input, scratch);
        for (slot, &x) in outputs.iter_mut().zip(&scratch.outputs) {
            *slot = activate(&self.activation, x);
        }
    }

    /// `(1/2N) Σ_n ‖Y_n − TF(X_n)‖²`.
    pub fn loss(&self, batch: &Batch<S>, scratch: &mut FullScratch<S>) -> S {
        let mut sum = self.slope_at_zero.zero();
        let mut count = 0;
        for (input, labels) in samples(self.shape, batch) {
            self.forward(input, scratch);
            for (&x, &label) in scratch.outputs.iter().zip(labels) {
                sum = sum + (activate(&self.activation, x) - label).square();
            }
            count += 1;
        }
        sum / self.slope_at_zero.integer(2 * count)
    }

    /// The gradient of the loss with respect to W_V and W_KQ, written over what is there.
    pub fn gradient(
        &self,
        batch: &Batch<S>,
        scratch: &mut FullScratch<S>,
        value_gradient: &mut [S],
        key_gradient: &mut [S],
    ) {
        let zero = self.slope_at_zero.zero();
        value_gradient.fill(zero);
        key_gradient.fill(zero);
        let mut count = 0;
        for (input, labels) in samples(self.shape, batch) {
            self.forward(input, scratch);
            for (slot, &label) in scratch.outputs.iter_mut().zip(labels) {
                let residual = activate(&self.activation, *slot) - label;
                *slot = residual * slope(&self.activation, self.slope_at_zero, *slot);
            }
            self.add_sample(scratch, value_gradient, key_gradient);
            count += 1;
        }
        let count = self.slope_at_zero.integer(count);
        for slot in value_gradient.iter_mut() {
            *slot = *slot / count;
        }
        for slot in key_gradient.iter_mut() {
            *slot = *slot / (count * self.temperature);
        }
    }

    /// Adds what one sample contributes, its residuals being in the place of outputs.
    fn add_sample(
        &self,
        scratch: &mut FullScratch<S>,
        value_gradient: &mut [S],
        key_gradient: &mut [S],
    ) {
        let (tokens, width) = (self.shape.tokens, width(self.shape));
        let zero = self.slope_at_zero.zero();
        scratch.back.clear();
        scratch.back.resize(self.shape.channels * tokens, zero);
        scratch.score_gradient.clear();
        scratch.score_gradient.resize(tokens * tokens, zero);
        let channels = scratch.outputs.chunks_exact(tokens).zip(scratch.projected.chunks(tokens));
        for ((residuals, projected), back) in channels.zip(scratch.back.chunks_exact_mut(tokens)) {
            let queries = residuals.iter().zip(scratch.scores.chunks_exact(tokens));
            for ((&residual, scores), gradient) in
                queries.zip(scratch.score_gradient.chunks_exact_mut(tokens))
            {
                add_multiple(back, residual, scores);
                add_multiple(gradient, residual, projected);
            }
        }
        let queries = scratch.score_gradient.chunks_exact_mut(tokens);
        for (gradient, scores) in queries.zip(scratch.scores.chunks_exact(tokens)) {
            let mean = zero.dot(gradient, scores);
            for (slot, &score) in gradient.iter_mut().zip(scores) {
                *slot = score * (*slot - mean);
            }
        }
        let embedded = || scratch.embedded.chunks_exact(tokens);
        let rows = value_gradient.chunks_exact_mut(width);
        for (gradient, back) in rows.zip(scratch.back.chunks_exact(tokens)) {
            for (slot, row) in gradient.iter_mut().zip(embedded()) {
                *slot = *slot + zero.dot(back, row);
            }
        }
        // Z (∂/∂L) row by row, and that times Zᵀ.
        for (gradient, row) in key_gradient.chunks_exact_mut(width).zip(embedded()) {
            let by_query = scratch.score_gradient.chunks_exact(tokens);
            for (slot, column) in scratch.queried.iter_mut().zip(by_query) {
                *slot = zero.dot(row, column);
            }
            for (slot, other) in gradient.iter_mut().zip(embedded()) {
                *slot = *slot + zero.dot(scratch.queried.get(..tokens).unwrap_or_default(), other);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulate::draw::{Purpose, stream};
    use popgd_core::scalar::dual::Dual;
    use rand_distr::{Distribution, StandardNormal};

    const SHAPE: Shape = Shape { tokens: 3, channels: 2, features: 1 };
    const WIDTH: usize = 4;
    const VALUES: usize = 2 * WIDTH;
    const ALL: usize = VALUES + WIDTH * WIDTH;
    type Numbers = Dual<f64, ALL>;

    #[test]
    fn the_gradient_is_the_derivative_of_the_loss() {
        for (case, slope) in [1.0, 0.0, 0.1, -0.7].into_iter().enumerate() {
            let mut random = stream(case as u64, 0, 0, Purpose::Training, 0);
            let mut draw = |count: usize| -> Vec<f64> {
                (0..count).map(|_| StandardNormal.sample(&mut random)).collect()
            };
            let (positions, parameters) = (draw(9), draw(ALL));
            let batch = Batch { inputs: draw(4 * 3), labels: draw(4 * 6) };
            let network = FullNetwork {
                shape: SHAPE,
                activation: Activation::leaky_relu(slope),
                slope_at_zero: 1.0,
                positions: &positions,
                temperature: 1.3,
                values: &parameters[..VALUES],
                keys: &parameters[VALUES..],
            };
            let (mut by_values, mut by_keys) = ([0.0; VALUES], [0.0; WIDTH * WIDTH]);
            let scratch = &mut FullScratch::default();
            network.gradient(&batch, scratch, &mut by_values, &mut by_keys);

            let constant = |x: &f64| Numbers::constant(*x);
            let positions: Vec<Numbers> = positions.iter().map(constant).collect();
            let variables: Vec<Numbers> =
                parameters.iter().enumerate().map(|(at, &x)| Dual::variable(x, at)).collect();
            let network = FullNetwork {
                shape: SHAPE,
                activation: Activation::leaky_relu(constant(&slope)),
                slope_at_zero: constant(&1.0),
                positions: &positions,
                temperature: constant(&1.3),
                values: &variables[..VALUES],
                keys: &variables[VALUES..],
            };
            let batch = Batch {
                inputs: batch.inputs.iter().map(constant).collect(),
                labels: batch.labels.iter().map(constant).collect(),
            };
            let found = network.loss(&batch, &mut FullScratch::default());
            for (at, coded) in by_values.iter().chain(&by_keys).enumerate() {
                let derivative = found.derivative[at];
                assert!(
                    (derivative - coded).abs() < 1e-12 * (1.0 + coded.abs()),
                    "slope {slope}, variable {at}: {derivative} {coded}"
                );
            }
        }
    }
}
