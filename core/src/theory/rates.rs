//! Theorem 3.1 as stated, and the limits that descent really has.

use crate::Scalar;
use crate::model::Quantities;
use crate::model::activation::Activation;
use crate::model::lumped::LumpedModel;
use crate::scalar::float::Float;

/// The exponents of T in Theorem 3.1: of the excess loss, and of both errors.
pub const CLAIMED_EXPONENTS: Quantities<f64> =
    Quantities { excess_loss: -1.0, score_error: -0.5, value_error: -0.5 };

/// The bounds of Theorem 3.1 after `steps` steps, without the constants that it leaves open, and
/// for its logit gain κ = 1/D: `K D⁴/(ηT)`, `D^{5/2}/(‖V*‖ √(ηT))` and `D² √(K/(ηT))`.
///
/// The powers of D in them are the paper's; see [`sharp_constants`] for the exact limits.
pub fn stated_bounds<S: Scalar>(
    tokens: S,
    group: S,
    teacher_norm: S,
    rate: S,
    steps: S,
) -> Quantities<S> {
    let time = rate * steps;
    let square = tokens.square();
    Quantities {
        excess_loss: group * square.square() / time,
        score_error: square * tokens.sqrt() / (teacher_norm * time.sqrt()),
        value_error: square * (group / time).sqrt(),
    }
}

/// T* of Theorem 3.1 without its constant, `K D²/(η ‖V*‖²)`: from when on its bounds are claimed.
pub fn stated_start<S: Scalar>(tokens: S, group: S, teacher_norm: S, rate: S) -> S {
    group * tokens.square() / (rate * teacher_norm.square())
}

/// The limits of `ηT (L − L_opt)`, `√(ηT) ‖S − S*‖_F` and `√(ηT) ‖W_V − V*‖_F` as T → ∞, for any
/// mixture of classes (note 4); `None` if every column has full support, where convergence is
/// geometric.
///
/// For one class with K of D tokens in a group: `K(D−K)/(4κ)`, `√(D(D−K)/(2gκ))/‖V*‖`, and
/// `(D−K) √(K/(2κgD))`.
pub fn sharp_constants<F: Float>(model: &LumpedModel<'_, F>) -> Option<Quantities<F>> {
    let (zero, two) = (F::ZERO, F::ONE.integer(2));
    let gain = model.activation.gain();
    let stiffness = model.logit_gain * model.teacher_norm.square() * gain;
    let supports = || model.classes.iter().map(|class| (class, class.support(zero)));

    let mut excess = zero;
    let mut inverse_groups = zero;
    let mut open = false;
    for (class, (inside, outside)) in supports() {
        let tokens = inside + outside;
        excess = excess + class.columns * inside * outside / tokens;
        inverse_groups = inverse_groups + class.columns / inside;
        open |= outside > zero;
    }
    if !open {
        return None;
    }

    // B of a class and its derivative, as functions of Γ.
    let b_of = |limit: F, inside: F| {
        let linear = limit / inside;
        let root = (linear.square() + two / stiffness).sqrt();
        ((linear + root) / two, (F::ONE + linear / root) / (two * inside))
    };
    // Γ is the only root of a function minus Γ that is convex and falls, positive at 0: from
    // there Newton's method climbs to it monotonically.
    let mut limit = zero;
    for _ in 0..60 {
        let (mut value, mut slope) = (zero, zero);
        for (class, (inside, outside)) in supports() {
            let share = class.columns * outside / ((inside + outside) * inverse_groups);
            let (b, derivative) = b_of(limit, inside);
            value = value + share * b;
            slope = slope + share * derivative;
        }
        let next = limit + (value - limit) / (F::ONE - slope);
        if !(next > limit) {
            break;
        }
        limit = next;
    }

    let mut square_error = zero;
    for (class, (inside, outside)) in supports() {
        let leak = b_of(limit, inside).0 * inside * outside / (inside + outside);
        let shift = limit - leak;
        let spread = if outside > zero { leak.square() / outside } else { zero };
        square_error = square_error
            + class.columns
                * (shift * (shift - two * limit) / inside
                    + limit.square() * class.square_norm(zero)
                    + spread);
    }
    Some(Quantities {
        excess_loss: excess / (two.square() * model.logit_gain),
        score_error: square_error.sqrt(),
        value_error: limit * model.teacher_norm,
    })
}

/// μ, by how much the clock `u = 1/tan²θ` of a two-level class advances a step in the limit:
/// `2ηκv²gD/(K²(D−K))`.
pub fn clock_rate<S: Scalar>(
    tokens: S,
    group: S,
    gain: S,
    teacher_norm: S,
    logit_gain: S,
    rate: S,
) -> S {
    rate.integer(2) * rate * logit_gain * teacher_norm.square() * gain * tokens
        / (group.square() * (tokens - group))
}

/// The clock at which a two-level run from zero reaches the tangent x: the predicted number of
/// steps times μ, `2 ∫_x^r (1+t²)^{3/2} / (t³ (1 − β̂ atan t) κ̂/g) dt` with `r² = (D−K)/K`; 0 for
/// x ≥ r.
///
/// Derived for κv² ≪ K² and rates not far below the stability limit; a prediction, not a bound.
pub fn clock_until(activation: &Activation<f64>, tokens: f64, group: f64, tangent: f64) -> f64 {
    let start = libm::sqrt((tokens - group) / group);
    if !(tangent < start && tangent > 0.0) {
        return 0.0;
    }
    let gain = activation.gain();
    // dt = t d(ln t); the integrand is smooth in ln t.
    let integrand = |t: f64| {
        let angle = libm::atan(t);
        let stretch = 1.0 + t * t;
        let slowed = activation.pull(angle) / gain * (activation.kernel(angle) / gain);
        2.0 * stretch * libm::sqrt(stretch) / (t * t * slowed)
    };
    let panels = 2048_u16;
    let step = libm::log(start / tangent) / f64::from(panels);
    let mut sum = integrand(tangent) - integrand(start);
    for panel in 0..panels {
        let middle = tangent * libm::exp((f64::from(panel) + 0.5) * step);
        let right = tangent * libm::exp((f64::from(panel) + 1.0) * step);
        sum += 4.0 * integrand(middle) + 2.0 * integrand(right);
    }
    sum * step / 6.0
}

/// From this tangent on a run counts as past its burn-in: the expansion of the clock in x then
/// converges well.
///
/// It is no promise that a slope is near its limit: the time lost before, `T_b`, makes slopes
/// steeper by a factor of about `T/(T − T_b)` until T is many times `T_b` (note 4).
pub const PAST_BURN_IN: f64 = 0.2;
