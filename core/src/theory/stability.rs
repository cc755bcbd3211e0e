//! Which rates converge, and which starts train.
//!
//! Locally, at the optimum: near it the loss is `½ g ‖V‖² Σ_j ‖c s_j − s*_j‖²` to second order, so descent is
//! linear with the curvature operator `g J Jᵀ`, `J = [s*, √κ v (diag w − w wᵀ)]` (note 2): it
//! contracts, in all directions that have curvature, if and only if
//! `η · (largest curvature) < 2`. That runs from zero then converge is measured, not proven.

use crate::error::check_length;
use crate::model::activation::Activation;
use crate::model::dense::DenseModel;
use crate::model::lumped::LumpedModel;
use crate::model::positions::{Metric, congruence};
use crate::scalar::float::Float;
use crate::{Error, Scalar};

/// `α σ′(0)`, the sign of the first step from W_V = 0 along V*. Training from zero needs it
/// positive: at 0 nothing moves, below 0 descent ends in a bad basin.
pub fn first_slope<S: Scalar>(activation: &Activation<S>, slope_at_zero: S) -> S {
    activation.linear() * slope_at_zero
}

/// Whether training from W_V = 0 starts towards the teacher.
///
/// # Errors
/// [`Error::NoStart`] unless [`first_slope`] is positive.
pub fn check_start<F: Float>(activation: &Activation<F>, slope_at_zero: F) -> Result<(), Error> {
    if first_slope(activation, slope_at_zero) > F::ZERO { Ok(()) } else { Err(Error::NoStart) }
}

/// Whether a rate is below the limit of stability, 2 over the largest curvature.
///
/// # Errors
/// [`Error::NotPositive`] and [`Error::Unstable`].
pub fn check_rate<F: Float>(rate: F, curvature: F) -> Result<(), Error> {
    if !(rate > F::ZERO && rate.is_finite()) {
        return Err(Error::NotPositive { what: "rate" });
    }
    let limit = F::ONE.integer(2) / curvature;
    if rate < limit { Ok(()) } else { Err(Error::Unstable { limit: limit.to_f64() }) }
}

/// Whether a lumped run from zero makes sense: the model is
/// [valid](LumpedModel::validate), its start trains, and its rate is below the lumped limit.
/// `memory` has two entries a level.
///
/// # Errors
/// Those of the three.
pub fn check_lumped<F: Float>(model: &LumpedModel<'_, F>, memory: &mut [F]) -> Result<(), Error> {
    model.validate()?;
    check_start(&model.activation, model.slope_at_zero)?;
    check_rate(model.rate, lumped_curvature(model, memory)?)
}

/// The curvature along W_V: `g Σ_j ‖s*_j‖²`, which is gD/K for one two-level class.
pub fn value_curvature<S: Scalar>(model: &LumpedModel<'_, S>) -> S {
    let context = model.rate;
    let columns = model
        .classes
        .iter()
        .fold(context.zero(), |sum, class| sum + class.columns * class.square_norm(context));
    model.activation.gain() * columns
}

/// The largest curvature at the optimum in the directions that a lumped run has; rates must stay
/// below 2 over it. ∞ where it overflows or is no number.
///
/// Equal to [`value_curvature`] where all positive weights of a column are equal; in general by
/// power iteration, which comes from below: to about ten digits in `f64`, but only to some 10⁻⁶
/// where the two largest curvatures nearly coincide. `memory` has two entries a level.
///
/// # Errors
/// What [`LumpedModel::check`] finds, and [`Error::Length`] for the memory.
pub fn lumped_curvature<F: Float>(
    model: &LumpedModel<'_, F>,
    memory: &mut [F],
) -> Result<F, Error> {
    model.check()?;
    let levels = model.levels();
    let (expected, found) = (levels.saturating_mul(2), memory.len());
    check_length("memory of the curvature", expected, found)?;
    let (direction, image) = memory.split_at_mut_checked(levels).ok_or(Error::Length {
        what: "memory",
        expected,
        found,
    })?;
    let gain = model.activation.gain();
    let logit_scale = gain * model.logit_gain * model.teacher_norm.square();
    Ok(spectral_radius(direction, image, |c, logits, image| {
        let mut value_part = F::ZERO;
        let (mut z, mut out) = (logits.iter(), image.iter_mut());
        for class in model.classes {
            let own = z.clone();
            let mean = class
                .levels()
                .zip(own.clone())
                .fold(F::ZERO, |sum, ((count, weight), &z)| sum + count * weight * z);
            let residual = |weight: F, z: F| weight * (c + z - mean);
            let along = class.levels().zip(own).fold(F::ZERO, |sum, ((count, weight), &z)| {
                sum + count * weight * residual(weight, z)
            });
            value_part = value_part + class.columns * along;
            for ((_, weight), (&z, slot)) in class.levels().zip(z.by_ref().zip(out.by_ref())) {
                *slot = logit_scale * weight * (residual(weight, z) - along);
            }
        }
        gain * value_part
    }))
}

/// The largest curvature that a dense run with positions PᵀP = γI meets: that of the lumped run,
/// or that of differences within a level of two or more tokens, `gκv²w²`, which a lumped run
/// cannot see. For one two-level class the rate must stay below 2K/(gD) and, if K ≥ 2, below
/// 2K²/(gκv²).
///
/// # Errors
/// As [`lumped_curvature`].
pub fn dense_curvature<F: Float>(model: &LumpedModel<'_, F>, memory: &mut [F]) -> Result<F, Error> {
    let lumped = lumped_curvature(model, memory)?;
    let scale = model.activation.gain() * model.logit_gain * model.teacher_norm.square();
    let levels = model.classes.iter().flat_map(|class| class.levels());
    Ok(levels.fold(lumped, |largest, (count, weight)| {
        if count > F::ONE { largest.max(scale * weight.square()) } else { largest }
    }))
}

/// The largest curvature that a dense run with any positions meets, by power iteration on all
/// logits. `memory` has 3 D² entries.
///
/// # Errors
/// [`Error::Length`] for the memory.
pub fn general_curvature<F: Float>(
    model: &DenseModel<'_, F>,
    memory: &mut [F],
) -> Result<F, Error> {
    let teacher = &model.teacher;
    let shape = teacher.shape();
    let squares = shape.score_entries();
    let (expected, found) = (squares.saturating_mul(3), memory.len());
    let wrong = Error::Length { what: "memory of the curvature", expected, found };
    check_length("memory of the curvature", expected, found)?;
    let (direction, rest) = memory.split_at_mut_checked(squares).ok_or(wrong)?;
    let (image, scratch) = rest.split_at_mut_checked(squares).ok_or(wrong)?;
    let gain = teacher.activation().gain();
    let square_norm = F::ZERO.dot(teacher.value_matrix(), teacher.value_matrix());
    Ok(spectral_radius(direction, image, |c, logits, image| {
        let mut value_part = F::ZERO;
        let queries = shape.queries(logits).zip(shape.queries_mut(image));
        for ((z, out), weights) in queries.zip(shape.queries(teacher.scores())) {
            let mean = c.dot(weights, z);
            for ((slot, &z), &weight) in out.iter_mut().zip(z).zip(weights) {
                *slot = weight * (c + z - mean);
            }
            let along = c.dot(weights, out);
            value_part = value_part + along;
            for (slot, &weight) in out.iter_mut().zip(weights) {
                *slot = weight * (*slot - along);
            }
        }
        let scale = match model.metric {
            Metric::Gain(gain) => gain,
            Metric::Gram { gram, temperature } => {
                congruence(c, shape.tokens, gram, image, scratch);
                F::ONE / temperature.square()
            }
        };
        for slot in image.iter_mut() {
            *slot = gain * square_norm * scale * *slot;
        }
        gain * value_part
    }))
}

/// The spectral radius of a map on (c, logits) whose eigenvalues are real and ≥ 0, by power
/// iteration. `apply` writes the image of the logits and returns that of c.
fn spectral_radius<F: Float>(
    direction: &mut [F],
    image: &mut [F],
    mut apply: impl FnMut(F, &[F], &mut [F]) -> F,
) -> F {
    // A start without symmetry, so that no eigenvector is missed: multiples of the golden
    // section modulo 1, centred.
    let golden = F::ONE.lift(0.618_033_988_749_894_9);
    let mut weyl = F::ZERO;
    let mut next = || {
        weyl = weyl + golden;
        if weyl > F::ONE {
            weyl = weyl - F::ONE;
        }
        weyl - F::ONE.lift(0.443)
    };
    let mut c = next();
    for slot in direction.iter_mut() {
        *slot = next();
    }
    let length = |c: F, logits: &[F]| (c.square() + c.dot(logits, logits)).sqrt();
    let tolerance = F::ONE.integer(4) * F::UNIT_ROUNDOFF;
    let mut radius = F::ZERO;
    for _ in 0..10_000 {
        let size = length(c, direction);
        if size == F::ZERO {
            return F::ZERO;
        }
        if !size.is_finite() {
            // Overflow or NaN: no rate is known to be stable.
            return F::INFINITY;
        }
        c = c / size;
        for slot in direction.iter_mut() {
            *slot = *slot / size;
        }
        c = apply(c, direction, image);
        for (slot, &value) in direction.iter_mut().zip(image.iter()) {
            *slot = value;
        }
        let now = length(c, direction);
        let settled = (now - radius).abs() <= tolerance * now;
        radius = now;
        if settled {
            break;
        }
    }
    radius
}
