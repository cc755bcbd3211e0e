//! The step on few scalars against the derivative of its loss, in numbers: by enclosures and by the
//! order of the Taylor remainder, as for the full matrices.

use alloc::vec;
use alloc::vec::Vec;

use super::enclosure;
use super::random::Random;
use super::taylor::{self, ROUNDINGS, Remainders};
use crate::Error;
use crate::descent::lumped::LumpedModel;
use crate::model::activation::Activation;
use crate::model::classes::Class;
use crate::scalar::Scalar;
use crate::scalar::dual::Dual;
use crate::scalar::float::Float;
use crate::scalar::interval::Interval;

/// A lumped state of one class, with everything its step depends on.
#[derive(Clone, Debug)]
pub struct LumpedInputs<S> {
    /// s.
    pub slope: S,
    /// c.
    pub c: S,
    /// The logit of each level.
    pub logits: Vec<S>,
    /// m, the number of tokens of each level.
    pub counts: Vec<S>,
    /// w, the weight of a token of each level.
    pub weights: Vec<S>,
    /// n, the number of columns.
    pub columns: S,
    /// ‖V*‖_F.
    pub teacher_norm: S,
    /// κ.
    pub logit_gain: S,
    /// η.
    pub rate: S,
}

impl<S: Scalar> LumpedInputs<S> {
    /// The same inputs in another scalar.
    pub fn map<T>(&self, mut convert: impl FnMut(S) -> T) -> LumpedInputs<T> {
        let mut all = |values: &[S]| values.iter().map(|&x| convert(x)).collect();
        LumpedInputs {
            logits: all(&self.logits),
            counts: all(&self.counts),
            weights: all(&self.weights),
            slope: convert(self.slope),
            c: convert(self.c),
            columns: convert(self.columns),
            teacher_norm: convert(self.teacher_norm),
            logit_gain: convert(self.logit_gain),
            rate: convert(self.rate),
        }
    }

    fn with_model<R>(&self, visit: impl FnOnce(LumpedModel<'_, S>) -> R) -> R {
        let class = Class { columns: self.columns, counts: &self.counts, weights: &self.weights };
        visit(LumpedModel {
            activation: Activation::leaky_relu(self.slope),
            classes: &[class],
            teacher_norm: self.teacher_norm,
            logit_gain: self.logit_gain,
            rate: self.rate,
            slope_at_zero: self.rate.one(),
        })
    }

    fn loss(&self) -> S {
        let (mut scores, mut scratch) = (self.logits.clone(), self.logits.clone());
        self.with_model(|model| {
            model.quantities(self.c, &self.logits, &mut scores, &mut scratch).excess_loss
        })
    }

    /// The derivatives with respect to c and to each logit that belong to the increments of a step.
    ///
    /// The step of a logit is `−ηκ (x_ℓ − x_last)`, x being ∂L/∂z per token; and as a common shift of
    /// logits changes nothing, Σ m x = 0.
    fn gradient(&self) -> Vec<S> {
        let (mut scores, mut increments) = (self.logits.clone(), self.logits.clone());
        let of_c = self.with_model(|model| {
            model.increments(self.c, &self.logits, &mut scores, &mut increments)
        });
        let mut gradient = vec![-(of_c * self.teacher_norm.square() / self.rate)];
        let scale = self.rate * self.logit_gain;
        let zero = self.c.zero();
        let (sum, total) = increments
            .iter()
            .zip(&self.counts)
            .fold((zero, zero), |(sum, total), (&increment, &count)| {
                (sum + count * increment, total + count)
            });
        let mean = sum / total;
        gradient.extend(
            increments
                .iter()
                .zip(&self.counts)
                .map(|(&increment, &count)| -(self.columns * count * (increment - mean) / scale)),
        );
        gradient
    }
}

/// Random inputs of two or three levels, the last of weight 0; c of either sign.
pub fn random_inputs(random: &mut Random) -> LumpedInputs<f64> {
    let levels = 2 + random.below(2) as usize;
    let counts: Vec<f64> = (0..levels).map(|_| 1.0 + random.below(6) as f64).collect();
    let mut weights: Vec<f64> = counts.iter().map(|_| random.between(0.25, 1.0)).collect();
    if let Some(last) = weights.last_mut() {
        *last = 0.0;
    }
    let sum: f64 = counts.iter().zip(&weights).map(|(m, w)| m * w).sum();
    weights.iter_mut().for_each(|weight| *weight /= sum);
    LumpedInputs {
        slope: random.between(-0.9, 1.5),
        c: random.signed(0.25, 1.25),
        logits: (0..levels).map(|_| random.signed(0.25, 1.25)).collect(),
        counts,
        weights,
        columns: 1.0 + random.below(6) as f64,
        teacher_norm: random.between(0.5, 2.0),
        logit_gain: random.between(0.1, 1.0),
        rate: random.between(0.1, 1.0),
    }
}

/// Encloses what the step says is the derivative and the derivative of the loss, with respect to c
/// and to each logit.
pub fn enclose<F: Float>(
    inputs: &LumpedInputs<Interval<F>>,
) -> Vec<(Interval<F>, Interval<F>, enclosure::Verdict)> {
    let judge = |(direction, coded): (usize, Interval<F>)| {
        let mut dual = inputs.map(Dual::<Interval<F>, 1>::constant);
        let mut trained = core::iter::once(&mut dual.c).chain(&mut dual.logits);
        if let Some(slot) = trained.nth(direction) {
            *slot = Dual::variable(slot.value, 0);
        }
        let [derivative] = dual.loss().derivative;
        (coded, derivative, enclosure::Verdict::of(coded, derivative))
    };
    inputs.gradient().into_iter().enumerate().map(judge).collect()
}

/// The remainder of the loss in a random direction.
///
/// # Errors
/// None that can occur.
pub fn remainders<F: Float>(
    inputs: &LumpedInputs<F>,
    random: &mut Random,
) -> Result<Remainders, Error> {
    let gradient = inputs.gradient();
    let direction: Vec<f64> = gradient.iter().map(|_| random.signed(0.1, 0.5)).collect();
    let products = || gradient.iter().zip(&direction).map(|(g, d)| g.to_f64() * d);
    let slope: f64 = products().sum();
    let slope_size: f64 = products().map(libm::fabs).sum();
    let before = inputs.loss().to_f64();
    // ‖S‖ ≤ n, and so is ‖S*‖.
    let squares = (1.0 + inputs.c.to_f64() * inputs.c.to_f64()) * inputs.columns.to_f64();
    let gain = 0.5 * (1.0 + inputs.slope.to_f64() * inputs.slope.to_f64());
    let norm = inputs.teacher_norm.to_f64();
    let size = gain * squares * norm * norm;
    taylor::remainders(
        |step| {
            let mut moved = inputs.clone();
            let trained = core::iter::once(&mut moved.c).chain(&mut moved.logits);
            for (slot, d) in trained.zip(&direction) {
                *slot = *slot + F::from_f64(step * d);
            }
            Ok(libm::fabs(moved.loss().to_f64() - before - step * slope))
        },
        |step| ROUNDINGS * F::UNIT_ROUNDOFF.to_f64() * (size + step * slope_size),
        || Ok(enclosed_difference(inputs, &direction)),
    )
}

/// `⟨gradient − derivative, direction⟩` at a point.
fn enclosed_difference<F: Float>(inputs: &LumpedInputs<F>, direction: &[f64]) -> Interval<f64> {
    let point = inputs.map(|x| Interval::point(x.to_f64()));
    enclose(&point)
        .into_iter()
        .zip(direction)
        .fold(Interval::point(0.0), |sum, ((coded, derivative, _), &d)| {
            sum + (coded - derivative) * Interval::point(d)
        })
}
