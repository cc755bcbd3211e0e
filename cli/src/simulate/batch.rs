//! The loss of a student on a batch of samples, and its gradient.
//!
//! For samples (X_n, Y_n), n = 1 … N, the loss is `(1/2N) Σ_n ‖Y_n − σ(W X_n S)‖_F²`. With
//! `U_n = W X_n` and `R_n = (σ(U_n S) − Y_n) ∘ σ′(U_n S)` its gradient is (note 14)
//!
//! * `(1/N) Σ_n R_n Sᵀ X_nᵀ` with respect to W, and `(1/N) Σ_n U_nᵀ R_n` with respect to S;
//! * `s_j ∘ (g_j − ⟨s_j, g_j⟩ 1)` with respect to column j of the logits, g_j being that of S.
//!
//! Where an entry of U S is 0, σ′ is `slope_at_zero`. Over any [`Scalar`]: floats train, duals check
//! the gradient.

use popgd_core::model::activation::Activation;
use popgd_core::model::teacher::Shape;
use popgd_core::scalar::Scalar;

use super::product::{Product, View};

/// Samples: inputs N × d × D, labels N × M × D, each row of a matrix in one piece.
#[derive(Clone, Debug, Default)]
pub struct Batch<S> {
    /// X_1, X_2, …
    pub inputs: Vec<S>,
    /// Y_1, Y_2, …
    pub labels: Vec<S>,
}

/// A student `X ↦ σ(W X S)`.
#[derive(Clone, Copy, Debug)]
pub struct Network<'a, S> {
    /// D, M and d.
    pub shape: Shape,
    /// σ.
    pub activation: Activation<S>,
    /// σ′(0).
    pub slope_at_zero: S,
    /// W, M × d, row by row.
    pub values: &'a [S],
    /// S, D × D, one row per query.
    pub scores: &'a [S],
}

/// Room for the computations on a batch: each N × M × D.
#[derive(Clone, Debug)]
pub struct Scratch<S> {
    projected: Vec<S>,
    outputs: Vec<S>,
    back: Vec<S>,
}

// Not derived: numbers need no default for that.
impl<S> Default for Scratch<S> {
    fn default() -> Self {
        Self { projected: Vec::new(), outputs: Vec::new(), back: Vec::new() }
    }
}

impl<S: Product> Network<'_, S> {
    /// `W X` and `W X S` for every input.
    fn forward(&self, inputs: &[S], scratch: &mut Scratch<S>) {
        let Shape { tokens, channels, features } = self.shape;
        let Scratch { projected, outputs, .. } = scratch;
        let count = inputs.len().checked_div(features * tokens).unwrap_or(0);
        self.clear(projected, count);
        self.clear(outputs, count);
        let values = View::with_columns(self.values, features);
        let inputs = inputs.chunks_exact(features * tokens);
        for (input, projected) in inputs.zip(projected.chunks_exact_mut(channels * tokens)) {
            S::add_product(values, View::with_columns(input, tokens), projected);
        }
        let scores = View::with_columns(self.scores, tokens).transposed();
        S::add_product(View::with_columns(projected, tokens), scores, outputs);
    }

    /// So many matrices M × D of zeros.
    fn clear(&self, matrices: &mut Vec<S>, count: usize) {
        matrices.clear();
        let size = self.shape.channels * self.shape.tokens;
        matrices.resize(count * size, self.slope_at_zero.zero());
    }

    /// σ(W X S), M × D, for one input after the other, written to `outputs`.
    pub fn apply(&self, inputs: &[S], scratch: &mut Scratch<S>, outputs: &mut [S]) {
        self.forward(inputs, scratch);
        for (slot, &x) in outputs.iter_mut().zip(&scratch.outputs) {
            *slot = activate(&self.activation, x);
        }
    }

    /// The gradient of the loss: with respect to W (M × d, row by row) and to the logits (D × D, one
    /// row per query), written over what is there. Returns the loss, `(1/2N) Σ_n ‖Y_n − σ(W X_n S)‖²`.
    pub fn gradient(
        &self,
        batch: &Batch<S>,
        scratch: &mut Scratch<S>,
        value_gradient: &mut [S],
        logit_gradient: &mut [S],
    ) -> S {
        let Shape { tokens, channels, features } = self.shape;
        let zero = self.slope_at_zero.zero();
        self.forward(&batch.inputs, scratch);
        let Scratch { projected, outputs, back } = scratch;
        let mut sum = zero;
        for (slot, &label) in outputs.iter_mut().zip(&batch.labels) {
            let (x, residual) = (*slot, activate(&self.activation, *slot) - label);
            sum = sum + residual.square();
            *slot = residual * slope(&self.activation, self.slope_at_zero, x);
        }
        let residuals = View::with_columns(outputs, tokens);
        let count = outputs.len().checked_div(channels * tokens).unwrap_or(0);
        self.clear(back, count);
        S::add_product(residuals, View::with_columns(self.scores, tokens), back);
        value_gradient.fill(zero);
        let inputs = batch.inputs.chunks_exact(features * tokens);
        for (input, back) in inputs.zip(back.chunks_exact(channels * tokens)) {
            let input = View::with_columns(input, tokens).transposed();
            S::add_product(View::with_columns(back, tokens), input, value_gradient);
        }
        logit_gradient.fill(zero);
        let projected = View::with_columns(projected, tokens);
        S::add_product(residuals.transposed(), projected, logit_gradient);

        let count = self.slope_at_zero.integer(count as i64);
        value_gradient.iter_mut().for_each(|slot| *slot = *slot / count);
        let rows = logit_gradient.chunks_exact_mut(tokens);
        for (gradient, scores) in rows.zip(self.scores.chunks_exact(tokens)) {
            let mean = zero.dot(gradient, scores);
            for (slot, &score) in gradient.iter_mut().zip(scores) {
                *slot = score * (*slot - mean) / count;
            }
        }
        sum / (count * count.integer(2))
    }
}

/// σ(x) = αx + β|x| with α + β = 1.
pub(super) fn activate<S: Scalar>(activation: &Activation<S>, x: S) -> S {
    let linear = activation.linear();
    linear * x + (x.one() - linear) * x.absolute()
}

/// σ′(x).
pub(super) fn slope<S: Scalar>(activation: &Activation<S>, slope_at_zero: S, x: S) -> S {
    let linear = activation.linear();
    x.if_zero(slope_at_zero, linear + (x.one() - linear) * x.sign())
}

/// Inputs with their labels.
pub(super) fn samples<S>(shape: Shape, batch: &Batch<S>) -> impl Iterator<Item = (&[S], &[S])> {
    let inputs = batch.inputs.chunks_exact(shape.features * shape.tokens);
    inputs.zip(batch.labels.chunks_exact(shape.channels * shape.tokens))
}

/// `W X` for W of so many features and X with so many tokens, written to `result`.
pub fn project<S: Scalar>(
    values: &[S],
    features: usize,
    input: &[S],
    tokens: usize,
    zero: S,
    result: &mut [S],
) {
    result.fill(zero);
    for (weights, row) in values.chunks_exact(features).zip(result.chunks_exact_mut(tokens)) {
        for (&weight, feature) in weights.iter().zip(input.chunks_exact(tokens)) {
            add_multiple(row, weight, feature);
        }
    }
}

/// `sum += factor · row`.
pub fn add_multiple<S: Scalar>(sum: &mut [S], factor: S, row: &[S]) {
    for (slot, &x) in sum.iter_mut().zip(row) {
        *slot = *slot + factor * x;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulate::draw::{Purpose, stream};
    use popgd_core::scalar::dual::Dual;
    use rand_distr::{Distribution, StandardNormal};

    const SHAPE: Shape = Shape { tokens: 3, channels: 2, features: 2 };
    const VALUES: usize = 4;
    const ALL: usize = VALUES + 9;
    type Numbers = Dual<f64, ALL>;

    impl Product for Numbers {}

    fn softmax_by_query<S: Scalar>(logits: &[S]) -> Vec<S> {
        let mut scores = logits.to_vec();
        for (logits, scores) in logits.chunks(3).zip(scores.chunks_mut(3)) {
            S::softmax(None, logits, scores);
        }
        scores
    }

    /// Every partial derivative of the loss, by running it over duals.
    #[test]
    fn the_gradient_is_the_derivative_of_the_loss() {
        for (case, slope) in [1.0, 0.0, 0.1, -0.7, 1.5].into_iter().enumerate() {
            let mut random = stream(case as u64, 0, 0, Purpose::Training, 0);
            let mut draw = |count: usize| -> Vec<f64> {
                (0..count).map(|_| StandardNormal.sample(&mut random)).collect()
            };
            let (values, logits) = (draw(VALUES), draw(9));
            let batch = Batch { inputs: draw(5 * 6), labels: draw(5 * 6) };

            let scores = softmax_by_query(&logits);
            let network = Network {
                shape: SHAPE,
                activation: Activation::leaky_relu(slope),
                slope_at_zero: 1.0,
                values: &values,
                scores: &scores,
            };
            let mut scratch = Scratch::default();
            let (mut by_values, mut by_logits) = ([0.0; VALUES], [0.0; 9]);
            let loss = network.gradient(&batch, &mut scratch, &mut by_values, &mut by_logits);

            let variables: Vec<Numbers> = values
                .iter()
                .chain(&logits)
                .enumerate()
                .map(|(at, &x)| Dual::variable(x, at))
                .collect();
            let constant = |x: &f64| Numbers::constant(*x);
            let (values, logits) = variables.split_at(VALUES);
            let scores = softmax_by_query(logits);
            let dual = Network {
                shape: SHAPE,
                activation: Activation::leaky_relu(constant(&slope)),
                slope_at_zero: constant(&1.0),
                values,
                scores: &scores,
            };
            let batch = Batch {
                inputs: batch.inputs.iter().map(constant).collect(),
                labels: batch.labels.iter().map(constant).collect(),
            };
            // Its gradient is of no use here: the derivative of the loss that it returns is.
            let zero = constant(&0.0);
            let (values, logits) = (&mut [zero; VALUES], &mut [zero; 9]);
            let found = dual.gradient(&batch, &mut Scratch::default(), values, logits);
            assert!((found.value - loss).abs() < 1e-13 * loss);
            for (at, &coded) in by_values.iter().chain(&by_logits).enumerate() {
                let derivative = found.derivative[at];
                assert!(
                    (derivative - coded).abs() < 1e-12 * (1.0 + coded.abs()),
                    "slope {slope}, variable {at}: {derivative} {coded}"
                );
            }
        }
    }
}
