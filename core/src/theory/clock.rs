//! The clock of a two-level run: a function of its state that advances by the same amount every
//! step, and so tells the state after any number of steps.
//!
//! With x = tan θ of the columns and `u = 1/x²`, late in training
//! `u′ − u = μ [1 − β̂x + e₂x² + O(x³)]` with `e₂ = −2 + μ/2 − κv²/K²`, so that
//! `Ψ(u) = u + 2β̂√u + (β̂² − e₂) ln u` advances by μ a step up to O(x) of a step (note 4). This is
//! an expansion with an unproved remainder: what follows from it is a prediction.

use crate::model::activation::Activation;
use crate::theory::rates::clock_rate;

/// A two-level class from zero: D tokens, groups of K < D.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    activation: Activation<f64>,
    tokens: f64,
    group: f64,
    /// r = √((D−K)/K), the tangent at the start.
    ratio: f64,
    /// β̂ = b/g.
    bend: f64,
    /// e₂.
    second: f64,
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
        Some(Self {
            activation,
            tokens,
            group,
            ratio: libm::sqrt((tokens - group) / group),
            bend: activation.bend() / gain,
            second: -2.0 + 0.5 * advance - stiffness,
            rate: advance,
            contraction: rate * gain * tokens / group,
        })
    }

    /// μ, by how much the clock advances a step.
    pub fn rate(&self) -> f64 {
        self.rate
    }

    /// Ψ at the tangent x > 0.
    pub fn reading(&self, tangent: f64) -> f64 {
        let u = 1.0 / (tangent * tangent);
        u + 2.0 * self.bend / tangent + (self.bend * self.bend - self.second) * libm::log(u)
    }

    /// The tangent x at which the clock shows `reading`; the root that is far from the origin of
    /// the clock, where the expansion holds.
    pub fn tangent_at(&self, reading: f64) -> f64 {
        let logarithm = self.bend * self.bend - self.second;
        // Ψ is u and lower terms: Newton's method from a point where those are already counted.
        let mut u = reading.max(1.0);
        for _ in 0..50 {
            let value = u + 2.0 * self.bend * libm::sqrt(u) + logarithm * libm::log(u) - reading;
            let slope = 1.0 + self.bend / libm::sqrt(u) + logarithm / u;
            let next = (u - value / slope).max(0.5 * u);
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
    /// the scores of that state and ŷ the lag behind it, `rμ/(2λ)`, which holds where λ is not
    /// small.
    pub fn factor_at(&self, tangent: f64) -> f64 {
        let kernel = self.activation.kernel(libm::atan(tangent)) / self.activation.gain();
        let stretch = libm::sqrt(1.0 + tangent * tangent);
        // c* = ‖s*‖ κ̂/(g‖s‖), ‖s‖ = √(1+x²)/(√K (1+rx)).
        let optimum = (1.0 + self.ratio * tangent) * kernel / stretch;
        let lag = 0.5 * self.ratio * self.rate / self.contraction;
        optimum * (1.0 + lag * tangent * tangent * tangent)
    }

    /// The state (c, δ) after `steps` more steps than one with gap δ. Measured: good to some 1e−6 in
    /// the excess loss over two to four decades from x ≤ 0.1, to 1e−4 from x ≈ ½.
    pub fn extrapolate(&self, gap: f64, steps: f64) -> (f64, f64) {
        let now = self.reading(self.tangent_of(gap));
        let tangent = self.tangent_at(now + self.rate * steps);
        (self.factor_at(tangent), self.gap_at(tangent))
    }

    /// T_b, the number of steps that a state with gap δ after `steps` steps has lost: Ψ runs as if
    /// it had started there. Negative for groups of more than half of the tokens.
    pub fn burn_in(&self, gap: f64, steps: f64) -> f64 {
        steps - self.reading(self.tangent_of(gap)) / self.rate
    }

    /// T_b predicted from the configuration alone, for κv² ≪ K² and λ not small.
    pub fn predicted_burn_in(&self) -> f64 {
        // Far out, where the clock until x and the reading at x differ by a constant; not so far
        // that their own rounding shows.
        let tangent = 1e-3_f64.min(1e-3 * self.ratio);
        let until =
            crate::theory::rates::clock_until(&self.activation, self.tokens, self.group, tangent);
        (until - self.reading_without_steps(tangent)) / self.rate
    }

    /// Ψ in the limit of small steps and weak coupling, for which [`clock_until`] is derived.
    ///
    /// [`clock_until`]: crate::theory::rates::clock_until
    fn reading_without_steps(&self, tangent: f64) -> f64 {
        let u = 1.0 / (tangent * tangent);
        u + 2.0 * self.bend / tangent + (self.bend * self.bend + 2.0) * libm::log(u)
    }
}
