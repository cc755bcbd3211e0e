//! The network whose first layer becomes the teacher: convolution, average pooling, activation, and a
//! linear layer, trained to tell classes apart by cross-entropy.
//!
//! As pooling comes before the activation and both are linear, it acts on pooled patches: with
//! X̄ = X S* (d × windows, each column once) the features are `H = σ(V X̄)`, the scores of the classes
//! `A vec(H) + b`, and the loss is the mean of `log Σ_c exp(score_c) − score_class`. With
//! `E = softmax(scores) − (1 at the class)`, over the count, its gradient is
//! `Σ E vec(H)ᵀ` with respect to A, `Σ E` to b, and `Σ (Aᵀ E ∘ σ′(V X̄)) X̄ᵀ` to V.

use popgd_core::model::activation::Activation;
use popgd_core::scalar::Logarithm;
use rand_distr::{Distribution, StandardNormal};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::simulate::batch::{activate, slope};
use crate::simulate::product::{Product, View};

/// Weights, and their gradient alike.
#[derive(Clone, Debug, PartialEq)]
pub struct Weights<S> {
    /// V, M × d.
    pub filters: Vec<S>,
    /// A, classes × (M · windows).
    pub linear: Vec<S>,
    /// b.
    pub offsets: Vec<S>,
}

/// Sizes and activation.
#[derive(Clone, Copy, Debug)]
pub struct Network<S> {
    /// M.
    pub channels: usize,
    /// d.
    pub features: usize,
    /// Windows.
    pub windows: usize,
    /// How many classes there are.
    pub classes: usize,
    /// σ.
    pub activation: Activation<S>,
}

/// Pooled images and their classes.
#[derive(Clone, Debug)]
pub struct Examples<S> {
    /// X̄, d × windows for one image after the other.
    pub inputs: Vec<S>,
    /// Their classes.
    pub classes: Vec<u8>,
}

impl Network<f64> {
    /// Random weights: every output has the variance of a mean square of its inputs.
    pub fn start(&self, random: &mut Xoshiro256PlusPlus) -> Weights<f64> {
        let hidden = self.channels * self.windows;
        let mut draw = |count: usize, inputs: usize| -> Vec<f64> {
            let deviation = 1.0 / (inputs as f64).sqrt();
            (0..count)
                .map(|_| deviation * Distribution::<f64>::sample(&StandardNormal, random))
                .collect()
        };
        Weights {
            filters: draw(self.channels * self.features, self.features),
            linear: draw(self.classes * hidden, hidden),
            offsets: vec![0.0; self.classes],
        }
    }

    /// The share of examples that have the highest score at their class.
    pub fn accuracy(&self, weights: &Weights<f64>, examples: &Examples<f64>) -> f64 {
        let (_, scores) = self.scores(weights, &examples.inputs);
        let right =
            scores.chunks_exact(self.classes).zip(&examples.classes).filter(|(row, class)| {
                let own = row.get(usize::from(**class)).copied().unwrap_or(f64::NAN);
                row.iter().filter(|&&other| other >= own).count() == 1
            });
        right.count() as f64 / examples.classes.len().max(1) as f64
    }
}

impl<S: Product> Network<S> {
    /// `V X̄`, M × windows, and the scores of the classes, for one image after the other.
    fn scores(&self, weights: &Weights<S>, inputs: &[S]) -> (Vec<S>, Vec<S>) {
        let zero = self.activation.linear().zero();
        let filters = View::with_columns(&weights.filters, self.features);
        let hidden = self.channels * self.windows;
        let inputs = inputs.chunks_exact(self.features * self.windows);
        let count = inputs.len();
        let mut convolved = vec![zero; count * hidden];
        for (input, slots) in inputs.zip(convolved.chunks_exact_mut(hidden)) {
            S::add_product(filters, View::with_columns(input, self.windows), slots);
        }
        let activated: Vec<S> = convolved.iter().map(|&x| activate(&self.activation, x)).collect();
        let mut scores = weights.offsets.repeat(count);
        let linear = View::with_columns(&weights.linear, hidden).transposed();
        S::add_product(View::with_columns(&activated, hidden), linear, &mut scores);
        (convolved, scores)
    }
}

impl<S: Product + Logarithm> Network<S> {
    /// The mean loss of these examples, and its gradient.
    pub fn gradient(&self, weights: &Weights<S>, examples: &Examples<S>) -> (S, Weights<S>) {
        let zero = self.activation.linear().zero();
        let hidden = self.channels * self.windows;
        let (convolved, mut scores) = self.scores(weights, &examples.inputs);
        let count = zero.integer(examples.classes.len() as i64);
        let mut loss = zero;
        for (row, &class) in scores.chunks_exact_mut(self.classes).zip(&examples.classes) {
            let class = usize::from(class);
            let logits = row.to_vec();
            S::softmax(None, &logits, row);
            if let Some(share) = row.get_mut(class) {
                loss = loss - share.ln();
                *share = *share - zero.one();
            }
            row.iter_mut().for_each(|slot| *slot = *slot / count);
        }
        let errors = View::with_columns(&scores, self.classes);
        let activated: Vec<S> = convolved.iter().map(|&x| activate(&self.activation, x)).collect();
        let mut gradient = Weights {
            filters: vec![zero; weights.filters.len()],
            linear: vec![zero; weights.linear.len()],
            offsets: vec![zero; weights.offsets.len()],
        };
        let rows = View::with_columns(&activated, hidden);
        S::add_product(errors.transposed(), rows, &mut gradient.linear);
        for row in scores.chunks_exact(self.classes) {
            for (slot, &error) in gradient.offsets.iter_mut().zip(row) {
                *slot = *slot + error;
            }
        }
        let mut back = vec![zero; convolved.len()];
        S::add_product(errors, View::with_columns(&weights.linear, hidden), &mut back);
        for (slot, &x) in back.iter_mut().zip(&convolved) {
            *slot = *slot * slope(&self.activation, zero.one(), x);
        }
        let inputs = examples.inputs.chunks_exact(self.features * self.windows);
        for (input, back) in inputs.zip(back.chunks_exact(hidden)) {
            let input = View::with_columns(input, self.windows).transposed();
            S::add_product(View::with_columns(back, self.windows), input, &mut gradient.filters);
        }
        (loss / count, gradient)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulate::draw::{Purpose, stream};
    use popgd_core::scalar::dual::Dual;

    const FILTERS: usize = 2 * 2;
    const LINEAR: usize = 3 * 4;
    const ALL: usize = FILTERS + LINEAR + 3;
    type Number = Dual<f64, ALL>;
    impl Product for Number {}

    fn weights<S: Copy>(all: &[S]) -> Weights<S> {
        let (filters, rest) = all.split_at(FILTERS);
        let (linear, offsets) = rest.split_at(LINEAR);
        let [filters, linear, offsets] = [filters, linear, offsets].map(<[S]>::to_vec);
        Weights { filters, linear, offsets }
    }

    /// Every partial derivative of the loss, by running it over duals; and the loss itself, from
    /// its definition.
    #[test]
    fn the_gradient_is_the_derivative_of_the_loss() {
        for (case, slope) in [0.0, 0.1, 1.0].into_iter().enumerate() {
            let mut random = stream(case as u64, 0, 0, Purpose::Images, 0);
            let mut draw = |count: usize| -> Vec<f64> {
                (0..count).map(|_| StandardNormal.sample(&mut random)).collect()
            };
            let (all, inputs) = (draw(ALL), draw(5 * 4));
            let network = |slope| Network {
                channels: 2,
                features: 2,
                windows: 2,
                classes: 3,
                activation: Activation::leaky_relu(slope),
            };
            let examples = Examples { inputs, classes: vec![0, 2, 1, 1, 0] };
            let (loss, gradient) = network(slope).gradient(&weights(&all), &examples);
            let coded = [gradient.filters, gradient.linear, gradient.offsets].concat();

            let variables: Vec<Number> =
                all.iter().enumerate().map(|(at, &x)| Dual::variable(x, at)).collect();
            let network = Network {
                activation: Activation::leaky_relu(Number::constant(slope)),
                channels: 2,
                features: 2,
                windows: 2,
                classes: 3,
            };
            let inputs = examples.inputs.iter().map(|&x| Number::constant(x)).collect();
            let lifted = Examples { inputs, classes: examples.classes.clone() };
            let (found, _) = network.gradient(&weights(&variables), &lifted);
            assert!((found.value - loss).abs() < 1e-13);
            for (at, coded) in coded.into_iter().enumerate() {
                let derivative = found.derivative[at];
                assert!((derivative - coded).abs() < 1e-13, "{slope} {at}: {derivative} {coded}");
            }

            let Weights { filters, linear, offsets } = weights(&all);
            let mut expected = 0.0;
            for (input, &class) in examples.inputs.chunks(4).zip(&examples.classes) {
                let hidden = |channel: usize, window: usize| {
                    let x: f64 =
                        (0..2).map(|d| filters[2 * channel + d] * input[2 * d + window]).sum();
                    if x > 0.0 { x } else { slope * x }
                };
                let scores: Vec<f64> = (0..3)
                    .map(|c| {
                        let terms = (0..4).map(|at| linear[4 * c + at] * hidden(at / 2, at % 2));
                        offsets[c] + terms.sum::<f64>()
                    })
                    .collect();
                let sum: f64 = scores.iter().map(|x| x.exp()).sum();
                expected += sum.ln() - scores[usize::from(class)];
            }
            assert!((loss - expected / 5.0).abs() < 1e-13);
        }
    }
}
