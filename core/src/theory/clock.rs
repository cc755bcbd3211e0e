//! The clock of a two-level run: a function of its state that advances by the same amount every
//! step, and so tells the state after any number of steps.
//!
//! With x = tan θ of the columns and `u = 1/x²`, late in training
//! `u′ − u = μ [1 − β̂x + e₂x² + e₃x³ + O(x⁴)]`, so that
//! `Ψ(u) = u + 2β̂√u + (β̂² − e₂) ln u + b/√u` advances by μ (1 + O(x⁴)) a step, with q = κv²/K² and
//!
//! `e₂ = −2 + μ/2 − q`, `e₃ = (8/3 − μ + q) β̂ + 4q/r`, `b = 2e₃ + 4β̂e₂ − 2β̂³ − ½β̂μ` (note 4).
//!
//! This is an expansion with an unproved remainder: what follows from it is a prediction.

use crate::model::Quantities;
use crate::model::activation::Activation;
use crate::model::classes::TwoLevel;
use crate::model::lumped::LumpedModel;
use crate::theory::rates::{clock_rate, clock_until};

/// A two-level class from zero: D tokens, groups of K < D.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    activation: Activation<f64>,
    tokens: f64,
    group: f64,
    teacher_norm: f64,
    logit_gain: f64,
    /// η.
    step_size: f64,
    /// r = √((D−K)/K), the tangent at the start.
    ratio: f64,
    series: Series,
    /// μ.
    rate: f64,
    /// λ = ηgD/K.
    contraction: f64,
}

impl Clock {
    /// The clock of D tokens in groups of K, with teacher norm ‖V*‖_F, logit gain κ and rate η;
    /// `None` unless 0 < K < D and all three are positive and finite.
    pub fn new(
        activation: Activation<f64>,
        tokens: f64,
        group: f64,
        teacher_norm: f64,
        logit_gain: f64,
        rate: f64,
    ) -> Option<Self> {
        let positive = |x: f64| x > 0.0 && x.is_finite();
        let proper = group > 0.0 && group < tokens && tokens.is_finite();
        if !(proper && positive(teacher_norm) && positive(logit_gain) && positive(rate)) {
            return None;
        }
        let gain = activation.gain();
        let advance = clock_rate(tokens, group, gain, teacher_norm, logit_gain, rate);
        let stiffness = logit_gain * teacher_norm * teacher_norm / (group * group);
        let ratio = libm::sqrt((tokens - group) / group);
        let bend = activation.bend() / gain;
        Some(Self {
            activation,
            tokens,
            group,
            teacher_norm,
            logit_gain,
            step_size: rate,
            ratio,
            series: Series::new(bend, ratio, advance, stiffness),
            rate: advance,
            contraction: rate * gain * tokens / group,
        })
    }

    /// μ, by how much the clock advances a step.
    pub fn rate(&self) -> f64 {
        self.rate
    }

    /// λ = ηgD/K.
    pub(super) fn contraction(&self) -> f64 {
        self.contraction
    }

    /// r, the tangent at the start.
    pub(super) fn ratio(&self) -> f64 {
        self.ratio
    }

    /// u′/u − 1 of a late state with gap δ, to first order in μ/u.
    pub(super) fn advance(&self, gap: f64) -> f64 {
        let tangent = self.tangent_of(gap);
        self.rate * tangent * tangent / self.series.slope(tangent)
    }

    /// Ψ at the tangent x > 0.
    pub fn reading(&self, tangent: f64) -> f64 {
        self.series.at(tangent)
    }

    /// The tangent x at which the clock shows `reading`; the root that is far from the origin of
    /// the clock, where the expansion holds.
    pub fn tangent_at(&self, reading: f64) -> f64 {
        // Ψ is u and lower terms: Newton's method from a point where those are already counted.
        let mut u = reading.max(1.0);
        for _ in 0..50 {
            let tangent = 1.0 / libm::sqrt(u);
            let value = self.reading(tangent) - reading;
            let next = (u - value / self.series.slope(tangent)).max(0.5 * u);
            let settled = (next - u).abs() <= 1e-15 * u;
            u = next;
            if settled {
                break;
            }
        }
        1.0 / libm::sqrt(u)
    }

    /// The gap δ between the logits of a state with tangent x.
    pub fn gap_at(&self, tangent: f64) -> f64 {
        libm::log(self.ratio / tangent)
    }

    /// The tangent of a state with gap δ between its logits.
    pub fn tangent_of(&self, gap: f64) -> f64 {
        self.ratio * libm::exp(-gap)
    }

    /// The factor c that a late state with tangent x has: c*(1 + ŷx³), c* being its optimum for
    /// the scores of that state and `ŷ = (μ/2λ) [r + (r² − β̂r − 2) x + O(x²)]` the lag behind it,
    /// which holds where λ is not small.
    pub fn factor_at(&self, tangent: f64) -> f64 {
        let kernel = self.activation.kernel(libm::atan(tangent)) / self.activation.gain();
        let stretch = libm::sqrt(1.0 + tangent * tangent);
        // c* = ‖s*‖ κ̂/(g‖s‖), ‖s‖ = √(1+x²)/(√K (1+rx)).
        let optimum = (1.0 + self.ratio * tangent) * kernel / stretch;
        let r = self.ratio;
        let first = r + (r * r - self.series.bend * r - 2.0) * tangent;
        let lag = 0.5 * self.rate / self.contraction * first;
        optimum * (1.0 + lag * tangent * tangent * tangent)
    }

    /// The state (c, δ) after `steps` more steps than one with gap δ. Measured: from x ≤ 0.1 good
    /// to 1e−6 in the excess loss and both errors over two decades, to 1e−8 over four.
    pub fn extrapolate(&self, gap: f64, steps: f64) -> (f64, f64) {
        let now = self.reading(self.tangent_of(gap));
        let tangent = self.tangent_at(now + self.rate * steps);
        (self.factor_at(tangent), self.gap_at(tangent))
    }

    /// The quantities of Theorem 3.1 after `steps` more steps than a state with gap δ: those of the
    /// [extrapolated](Self::extrapolate) state.
    pub fn quantities_after(&self, gap: f64, steps: f64) -> Quantities<f64> {
        let (c, gap) = self.extrapolate(gap, steps);
        let levels = TwoLevel::new(self.tokens, self.group);
        let model = LumpedModel {
            activation: self.activation,
            classes: &[levels.class()],
            teacher_norm: self.teacher_norm,
            logit_gain: self.logit_gain,
            rate: self.step_size,
            slope_at_zero: 1.0,
        };
        model.quantities(c, &[gap, 0.0], &mut [0.0; 2], &mut [0.0; 2])
    }

    /// T_b, the number of steps that a state with gap δ after `steps` steps has lost: Ψ runs as if
    /// it had started there. Negative for groups of more than half of the tokens.
    pub fn burn_in(&self, gap: f64, steps: f64) -> f64 {
        steps - self.reading(self.tangent_of(gap)) / self.rate
    }

    /// T_b predicted from the configuration alone, with c at its optimum all the time; how much is
    /// left open by that is [`burn_in_uncertainty`](Self::burn_in_uncertainty).
    pub fn predicted_burn_in(&self) -> f64 {
        // Far out, where the clock until x and the reading at x differ by a constant; not so far
        // that their own rounding shows.
        let tangent = 1e-3_f64.min(1e-3 * self.ratio);
        let until = clock_until(&self.activation, self.tokens, self.group, tangent);
        // The reading in the limit of small steps and weak coupling, for which that is derived.
        let slow = Series::new(self.series.bend, self.ratio, 0.0, 0.0);
        (until - slow.at(tangent)) / self.rate
    }

    /// By how many steps the [predicted](Self::predicted_burn_in) burn-in may be off, above all
    /// because c lags behind its optimum: `2 + (1 + ½ ln(D/K)) r²/λ`, a small part of it where
    /// κv² ≪ K². The form is that of the lag, the factors are measured, with room to spare (note 4).
    pub fn burn_in_uncertainty(&self) -> f64 {
        let spread = 1.0 + 0.5 * libm::log(self.tokens / self.group);
        2.0 + spread * self.ratio * self.ratio / self.contraction
    }
}

/// Ψ as a series in √u: its coefficients of √u, ln u and 1/√u, that of u being 1.
#[derive(Clone, Copy, Debug)]
struct Series {
    /// β̂ = b/g; the coefficient of √u is twice that.
    bend: f64,
    logarithm: f64,
    inverse: f64,
}

impl Series {
    /// For r, μ and q.
    fn new(bend: f64, ratio: f64, advance: f64, stiffness: f64) -> Self {
        let square = bend * bend;
        let second = -2.0 + 0.5 * advance - stiffness;
        let third = (8.0 / 3.0 - advance + stiffness) * bend + 4.0 * stiffness / ratio;
        Self {
            bend,
            logarithm: square - second,
            inverse: 2.0 * (third + bend * (2.0 * second - square - 0.25 * advance)),
        }
    }

    fn at(self, tangent: f64) -> f64 {
        let u = 1.0 / (tangent * tangent);
        u + 2.0 * self.bend / tangent + self.logarithm * libm::log(u) + self.inverse * tangent
    }

    /// dΨ/du.
    fn slope(self, tangent: f64) -> f64 {
        1.0 + tangent * (self.bend + tangent * (self.logarithm - 0.5 * tangent * self.inverse))
    }
}
