//! Adding many small increments to a large number.

use crate::Scalar;

/// How the parameters of a run add up their increments.
///
/// Late in training a step moves a logit δ by about 1/(2T). Once that is below half of the spacing
/// of numbers at δ a plain sum stalls: in `f32`, for δ between 4 and 8, from T ≈ 2·10⁶ on. Types
/// that do not round, or that enclose what they round, are not affected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Accumulate {
    /// Carry what rounding took from a sum over to the next increment.
    #[default]
    Compensated,
    /// Add, and let rounding take what it takes.
    Plain,
}

impl Accumulate {
    /// Adds `increment` to `sum`, whose own rounding error is kept in `carry`.
    #[inline]
    pub fn add<S: Scalar>(self, sum: &mut S, carry: &mut S, increment: S) {
        match self {
            Self::Compensated => (*sum, *carry) = sum.two_sum(increment + *carry),
            Self::Plain => *sum = *sum + increment,
        }
    }
}
