//! How far student and teacher are apart at most, or exactly, and what that costs.

use super::errors::Errors;
use super::structure::{TokenMoments, quadratic};
use crate::error::check_length;
use crate::model::activation::Activation;
use crate::{Error, Scalar};

/// What is known of the law of inputs beside its moments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Law {
    /// Nothing.
    Any,
    /// X̃ and −X̃ have the same law.
    Symmetric,
}

/// `Σ_j E‖V*X̃e_j‖²`, exactly; for [`TokenMoments::Bounded`] its upper bound `ω² Σ_j ‖e_j‖₁²`.
///
/// With equal moments that is `(own − cross) Σ‖e_j‖² + cross Σ(Σ_i e_ij)²`; with all moments
/// `Σ e_jᵀ B e_j`. By the triangle inequality tokens that depend on one another, or have a mean, need
/// the ‖·‖₁ of the bound: ‖·‖₂ would be wrong.
///
/// # Errors
/// [`Error::Length`] where slices do not fit, also for full moments with lumped errors, which do not
/// say which tokens they belong to.
pub fn mean_square<S: Scalar>(
    context: S,
    moments: &TokenMoments<'_, S>,
    errors: &Errors<'_, S>,
) -> Result<S, Error> {
    errors.check()?;
    match *moments {
        TokenMoments::Exchangeable { own, cross } => {
            let sizes = errors.sizes(context);
            Ok((own - cross) * sizes.square + cross * sizes.square_of_sums)
        }
        TokenMoments::Bounded { square } => Ok(square * errors.sizes(context).square_of_sizes),
        TokenMoments::Full { gram } => {
            let (tokens, columns) = match *errors {
                Errors::Dense { tokens, columns } => (tokens, columns),
                Errors::Lumped { levels, .. } => {
                    return Err(Error::Length {
                        what: "errors of the columns",
                        expected: gram.len(),
                        found: levels.len(),
                    });
                }
            };
            check_length("moments of tokens", columns.len(), gram.len())?;
            Ok(columns
                .chunks(tokens.max(1))
                .fold(context.zero(), |sum, column| sum + quadratic(context, gram, column)))
        }
    }
}

/// By what σ may stretch a mean square: `E(σ(u) − σ(v))² ≤ amplification · E(u − v)²`.
///
/// That is `Lip² = max(1, s²)` for any law, and `g = (1 + s²)/2` where (u, v) and (−u, −v) have the
/// same law; both are 1 for the identity, for which the inequality is an equality.
pub fn amplification<S: Scalar>(activation: &Activation<S>, law: Law) -> S {
    match law {
        Law::Symmetric => activation.gain(),
        Law::Any => {
            let slope = activation.slope();
            let (one, square) = (slope.one(), slope.square());
            (one + square + (one - square).absolute()) * slope.rational(1, 2)
        }
    }
}

/// `½Δ² + RΔ`, the largest magnitude of what the student loses to the teacher, for a mean square
/// distance Δ² of the two (or a bound on it) and labels whose conditional mean is at a root mean square
/// distance R from the teacher.
pub fn gap_bound<S: Scalar>(square_distance: S, label_distance: S) -> S {
    square_distance * square_distance.rational(1, 2) + label_distance * square_distance.sqrt()
}

/// The limit of `ηT Δ²` as T → ∞ for independent tokens of one law and one class of columns with K of
/// D tokens in a group:
/// `K(D−K)²/(2κgv²) Σ_m q_m [(v_m·μ)² + v_mᵀΣv_m/(D−K)]`, `q_m = p_m + s²(1 − p_m)`,
/// `p_m = P(v_m·X̃s* > 0)`, where that is never 0 (or σ is the identity).
///
/// `weighted_mean` is `Σ_m q_m (v_m·μ)²` and `weighted_spread` is `Σ_m q_m v_mᵀΣv_m`; a mean thus costs
/// a factor of D − K.
pub fn sharp_square_gap<S: Scalar>(
    activation: &Activation<S>,
    tokens: S,
    group: S,
    teacher_norm: S,
    logit_gain: S,
    weighted_mean: S,
    weighted_spread: S,
) -> S {
    let outside = tokens - group;
    let scale = group * outside.square()
        / (tokens.integer(2) * logit_gain * activation.gain() * teacher_norm.square());
    scale * (weighted_mean + weighted_spread / outside)
}
