//! Teachers' scores up to symmetry: columns that are permutations of one another, and tokens of
//! equal weight.
//!
//! Descent from zero never breaks these symmetries (note 2), so a run needs one softmax per
//! class and one logit per level, whatever the number of tokens.

use crate::Scalar;

/// Columns of S* with the same weights up to a permutation of tokens.
///
/// `counts` and `weights` run over the levels: m tokens of target weight w each, Σ m w = 1.
/// Counts are scalars, so that they can be symbols.
#[derive(Clone, Copy, Debug)]
pub struct Class<'a, S> {
    /// n, how many columns there are.
    pub columns: S,
    /// m, how many tokens there are on each level.
    pub counts: &'a [S],
    /// w, the target weight of a token on each level.
    pub weights: &'a [S],
}

impl<'a, S: Scalar> Class<'a, S> {
    /// Its levels, as pairs of count and target weight.
    pub fn levels(&self) -> impl Iterator<Item = (S, S)> + use<'a, S> {
        self.counts.iter().copied().zip(self.weights.iter().copied())
    }

    /// ‖s*‖² = Σ m w², of one column.
    pub fn square_norm(&self, context: S) -> S {
        self.levels().fold(context.zero(), |sum, (count, weight)| sum + count * weight.square())
    }

    /// The counts of its tokens with positive and with zero weight: k and D − k.
    pub fn support(&self, context: S) -> (S, S) {
        self.levels().fold(
            (context.zero(), context.zero()),
            |(inside, outside), (count, weight)| {
                if weight.is_zero() { (inside, outside + count) } else { (inside + count, outside) }
            },
        )
    }
}

/// The one class that every teacher of the paper is: D columns, K tokens of weight 1/K, and
/// D − K of weight 0 (no second level if D = K).
#[derive(Clone, Copy, Debug)]
pub struct TwoLevel<S> {
    tokens: S,
    counts: [S; 2],
    weights: [S; 2],
}

impl<S: Scalar> TwoLevel<S> {
    /// D tokens in groups of K. That 1 ≤ K ≤ D is the caller's promise.
    pub fn new(tokens: S, group: S) -> Self {
        Self {
            tokens,
            counts: [group, tokens - group],
            weights: [group.one() / group, group.zero()],
        }
    }

    /// Itself, as a class.
    pub fn class(&self) -> Class<'_, S> {
        let [inside, outside] = &self.counts;
        let [weight, _] = &self.weights;
        if outside.is_zero() {
            Class {
                columns: self.tokens,
                counts: core::slice::from_ref(inside),
                weights: core::slice::from_ref(weight),
            }
        } else {
            Class { columns: self.tokens, counts: &self.counts, weights: &self.weights }
        }
    }
}
