//! What sampling, fine-tuning and prompts can change of the operator (derived in note 13).
//!
//! All for measures on ‖y‖ ≤ R; ξ = Aᵀx.

use crate::Scalar;
use crate::scalar::Logarithm;

/// For n independent samples of μ, each coordinate of `A_μ̂(x) − A_μ(x)` is, with a probability of at
/// least 1 − p, not larger than this, `2R e^{2R‖ξ‖} √(2 ln(2/p)/n)`.
pub fn sampling<S: Logarithm>(radius: S, slope_norm: S, risk: S, samples: S) -> S {
    let two = radius.integer(2);
    let spread = two * radius;
    let tail = (two * (two / risk).ln() / samples).sqrt();
    spread * (spread * slope_norm).exp() * tail
}

/// `‖A_μ(x; A + E) − A_μ(x; A)‖` is not larger than this, `R²‖Eᵀx‖`; for E = UVᵀ of low rank only
/// Uᵀx matters, and nothing changes where that is 0.
pub fn fine_tuning<S: Scalar>(radius: S, shift_norm: S) -> S {
    radius.square() * shift_norm
}

/// How much k prompt tokens beside n others can move the operator at most: `2R α` with
/// `α = k e^{2R‖ξ‖}/(n + k e^{2R‖ξ‖})`.
pub fn prompt<S: Scalar>(radius: S, slope_norm: S, tokens: S, prompts: S) -> S {
    let two = radius.integer(2);
    let spread = two * radius;
    // Written so that a large exponent makes α 1.
    let others = tokens * (-(spread * slope_norm)).exp();
    spread * prompts / (others + prompts)
}
