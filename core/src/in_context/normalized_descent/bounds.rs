//! What margin and dual owe to the number of steps (derived in note 12).
//!
//! All from w₀ = 0, with ‖z_i‖ ≤ R and η R² ≤ 1; γ is the margin of the samples,
//! `max_{‖u‖≤1} min_i z_i·u = min_q ‖Zᵀq‖` over weights q, which is 0 if no hyperplane through
//! the origin separates them.

use crate::Scalar;
use crate::scalar::Logarithm;

/// What the bounds depend on.
#[derive(Clone, Copy, Debug)]
pub struct Terms<S> {
    /// n, the number of samples.
    pub samples: S,
    /// R, at least every ‖z_i‖.
    pub radius: S,
    /// η, at most 1/R².
    pub rate: S,
}

impl<S: Logarithm> Terms<S> {
    /// `½‖Zᵀq_t‖² − ½γ²` is not more than this, `ln n / (ηt)`; q_t = softmax(−Zw_t). Separable or not.
    pub fn dual_gap(&self, steps: S) -> S {
        self.samples.ln() / (self.rate * steps)
    }

    /// `min_i z_i·w_t` is not less than `γ‖w_t‖` less this, `ln n + ηR²/2`.
    pub fn margin_deficit(&self) -> S {
        self.samples.ln() + self.rate * self.radius.square() * self.rate.rational(1, 2)
    }

    /// `γ − min_i z_i·w_t/‖w_t‖` is not more than this, `(ln n + ηR²/2)/(ηγt)`; for γ > 0.
    pub fn margin_gap(&self, margin: S, steps: S) -> S {
        self.margin_deficit() / (self.rate * margin * steps)
    }
}

/// Bounds of γ from a state: `min_i z_i·w/‖w‖` below, for any w ≠ 0, and `‖Zᵀq‖` above, for any
/// weights q. `margins` are z_i·w, `direction` is Zᵀq; the lower bound is the value for the sample
/// `smallest`, or none if there is no such sample.
pub fn margin_between<S: Scalar>(
    margins: &[S],
    smallest: usize,
    weights: &[S],
    direction: &[S],
) -> Option<(S, S)> {
    let &margin = margins.get(smallest)?;
    let norm = |numbers: &[S]| numbers.iter().fold(margin.zero(), |sum, x| sum + x.square()).norm();
    Some((margin / norm(weights), norm(direction)))
}
