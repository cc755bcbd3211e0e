//! What we compute with: one small trait, and the types that have it.
//!
//! | type | what a computation over it yields |
//! |---|---|
//! | [`f32`], [`f64`] | numbers, rounded |
//! | [`Interval<F>`](interval::Interval) | an enclosure of the exact number |
//! | [`Dual<T, N>`](dual::Dual) | the number and its derivative in N directions |
#![cfg_attr(feature = "symbolic", doc = "| [`Expr<'a>`](symbolic::Expr) | the formula itself |")]
#![cfg_attr(
    not(feature = "symbolic"),
    doc = "| `Expr<'a>` (feature `symbolic`) | the formula itself |"
)]

pub mod dual;
pub mod float;
pub mod interval;
#[cfg(feature = "symbolic")]
pub mod symbolic;

use core::fmt::Debug;
use core::ops::{Add, Div, Mul, Neg, Sub};

/// A number to compute with.
///
/// There is no constructor out of nothing: constants are made from a value at hand
/// (`x.one()`, `x.rational(1, 3)`, `x.pi()`), because an expression lives in an arena that only
/// an expression knows. Neither is there an order: whatever needs a branch (1 − cos θ, softmax,
/// the angle of two vectors) is a method, and every type answers it in its own right way.
///
/// # What implementers promise
/// For real arguments in the domain of an operation the result is: for floats, the real result
/// up to a few rounding errors; for enclosures, a set that contains it; for duals, its value and
/// derivative; for expressions, itself.
pub trait Scalar:
    Copy
    + Debug
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
{
    /// The constant `value`: rounded to nearest by `f32`, exact or enclosed everywhere else.
    fn lift(self, value: f64) -> Self;

    /// The constant `numerator / denominator`.
    fn rational(self, numerator: i64, denominator: i64) -> Self;

    /// The constant `value`.
    fn integer(self, value: i64) -> Self {
        self.rational(value, 1)
    }

    /// The constant 0.
    fn zero(self) -> Self {
        self.integer(0)
    }

    /// The constant 1.
    fn one(self) -> Self {
        self.integer(1)
    }

    /// The constant π.
    fn pi(self) -> Self;

    /// Whether the value is *certainly* 0 (an interval only if it is \[0, 0\], a dual only if
    /// its value is; its derivative does not matter).
    fn is_zero(self) -> bool;

    /// `at_zero` where the value is 0, `elsewhere` where it is not: for what is defined by a
    /// convention at 0. An enclosure that contains 0 and more gives the hull of both, and its
    /// derivative across the jump is unbounded.
    fn if_zero(self, at_zero: Self, elsewhere: Self) -> Self {
        if self.is_zero() { at_zero } else { elsewhere }
    }

    /// Whether the value may be 0 though it is not certain: only enclosures doubt.
    fn doubts_zero(self) -> bool {
        false
    }

    /// Whether the value is certainly a real number: neither infinite nor NaN, an enclosure neither
    /// unbounded nor empty, a dual with all its derivatives. Expressions do not look: true.
    fn is_number(self) -> bool {
        true
    }

    /// A constant near the value, to scale by: without the width of an enclosure and without the
    /// derivative of a dual, for neither has a part in a factor that cancels.
    fn detached(self) -> Self {
        self
    }

    /// 1 where the value is ≥ 0, −1 where it is negative; an interval that contains both signs
    /// gives \[−1, 1\].
    fn sign(self) -> Self;

    /// A representative of {x, −x}, as argument of an even function: |x| where the order is
    /// known, x itself for an expression.
    fn fold(self) -> Self;

    /// |x|.
    fn absolute(self) -> Self {
        self * self.sign()
    }

    /// x².
    fn square(self) -> Self {
        self * self
    }

    /// √x for x ≥ 0. An enclosure takes the part of its argument in the domain.
    fn sqrt(self) -> Self;

    /// √x where x is a sum of squares, that is, a norm.
    ///
    /// The same value as [`sqrt`](Self::sqrt), but at 0 the derivative is 0, the smallest
    /// subgradient of a norm, so that derivatives on the diagonal are finite.
    fn norm(self) -> Self {
        self.sqrt()
    }

    /// √(x² + y²), a norm.
    fn hypot(self, other: Self) -> Self {
        (self.square() + other.square()).norm()
    }

    /// eˣ.
    fn exp(self) -> Self;

    /// sin x.
    fn sin(self) -> Self;

    /// cos x.
    fn cos(self) -> Self;

    /// The angle in (−π, π] whose sine and cosine are proportional to `self` and `cosine`;
    /// 0 if both are 0.
    fn atan2(self, cosine: Self) -> Self;

    /// 1 − cos x, to full relative accuracy near 0.
    fn one_minus_cos(self) -> Self;

    /// sin x − x cos x, to full relative accuracy near 0 (where it is x³/3).
    fn sin_minus_angle_cos(self) -> Self;

    /// The sum, and what rounding took from it. Types that do not round, or that enclose what
    /// they round, have nothing to tell: (x + y, 0).
    fn two_sum(self, other: Self) -> (Self, Self) {
        (self + other, self.zero())
    }

    /// `self · other − third · fourth`, without the cancellation of rounded products.
    fn product_difference(self, other: Self, third: Self, fourth: Self) -> Self {
        self * other - third * fourth
    }

    /// Replaces each entry by its exponential.
    fn exp_slice(values: &mut [Self]) {
        for value in values {
            *value = value.exp();
        }
    }

    /// Replaces each cosine by the angle [`atan2`](Self::atan2) of the sine beside it and it.
    fn atan2_slice(sines: &[Self], cosines: &mut [Self]) {
        for (&sine, cosine) in sines.iter().zip(cosines) {
            *cosine = sine.atan2(*cosine);
        }
    }

    /// Σ aᵢ bᵢ over the common length.
    fn dot(self, a: &[Self], b: &[Self]) -> Self {
        a.iter().zip(b).fold(self.zero(), |sum, (&x, &y)| sum + x * y)
    }

    /// The softmax of `logits`, each standing for as many equal ones as `counts` says (one, if
    /// there is none): `scores_i = 1 / Σ_j counts_j e^{logits_j − logits_i}`.
    ///
    /// The result does not change when all logits are shifted. Only the common length is
    /// looked at.
    fn softmax(counts: Option<&[Self]>, logits: &[Self], scores: &mut [Self]) {
        let length = logits.len().min(scores.len());
        for (i, (&own, score)) in logits.iter().zip(scores).enumerate() {
            let mut sum = own.zero();
            for (j, &other) in logits.iter().take(length).enumerate() {
                // An enclosure of e^{z − z} would be wide.
                let term = if i == j { own.one() } else { (other - own).exp() };
                sum = sum + times(counts, j, term);
            }
            *score = sum.one() / sum;
        }
    }

    /// ‖a ∧ b‖ = ‖a‖ ‖b‖ sin ∠(a, b), each entry standing for as many equal ones as `counts`
    /// says (one, if there is none).
    fn wedge(self, counts: Option<&[Self]>, a: &[Self], b: &[Self]) -> Self {
        pairwise_wedge(self, counts, a, b)
    }
}

/// Scalars that have a logarithm.
pub trait Logarithm: Scalar {
    /// ln x for x > 0; −∞ or undefined at 0, NaN or undefined below.
    fn ln(self) -> Self;
}

/// The multiplicity of entry `index`: `None` stands for one.
pub(crate) fn count<S: Copy>(counts: Option<&[S]>, index: usize) -> Option<S> {
    counts.and_then(|counts| counts.get(index).copied())
}

/// `x`, as often as `counts` says.
pub(crate) fn times<S: Scalar>(counts: Option<&[S]>, index: usize, x: S) -> S {
    match count(counts, index) {
        Some(n) => n * x,
        None => x,
    }
}

/// Σ nᵢ aᵢ bᵢ.
pub(crate) fn counted_dot<S: Scalar>(context: S, counts: Option<&[S]>, a: &[S], b: &[S]) -> S {
    match counts {
        None => context.dot(a, b),
        Some(_) => a
            .iter()
            .zip(b)
            .enumerate()
            .fold(context.zero(), |sum, (i, (&x, &y))| sum + times(counts, i, x * y)),
    }
}

/// Σ nᵢ aᵢ², by squares (an interval's square is never negative).
pub(crate) fn counted_square<S: Scalar>(context: S, counts: Option<&[S]>, a: &[S]) -> S {
    a.iter().enumerate().fold(context.zero(), |sum, (i, &x)| sum + times(counts, i, x.square()))
}

/// The wedge by Lagrange's identity, √Σ_{i<k} nᵢ n_k (aᵢ b_k − a_k bᵢ)²: best for few entries,
/// and a polynomial under the root.
pub(crate) fn pairwise_wedge<S: Scalar>(context: S, counts: Option<&[S]>, a: &[S], b: &[S]) -> S {
    let mut sum = context.zero();
    for (i, (&a_i, &b_i)) in a.iter().zip(b).enumerate() {
        for (k, (&a_k, &b_k)) in a.iter().zip(b).enumerate().skip(i + 1) {
            let minor = a_i.product_difference(b_k, a_k, b_i).square();
            sum = sum + times(counts, i, times(counts, k, minor));
        }
    }
    sum.norm()
}

/// Beyond this many entries the chord is used where a type may choose.
pub(crate) const PAIRWISE_WEDGE_LIMIT: usize = 8;

/// The wedge by Kahan's chords, ‖a‖ ‖b‖ ½ ‖â − b̂‖ ‖â + b̂‖: a number of operations that grows
/// with the length only, and an absolute error of a few roundings of ‖a‖ ‖b‖.
pub(crate) fn chord_wedge<S: Scalar>(context: S, counts: Option<&[S]>, a: &[S], b: &[S]) -> S {
    let norm_a = counted_square(context, counts, a).norm();
    let norm_b = counted_square(context, counts, b).norm();
    if norm_a.is_zero() || norm_b.is_zero() {
        return context.zero();
    }
    let (mut difference, mut sum) = (context.zero(), context.zero());
    for (i, (&x, &y)) in a.iter().zip(b).enumerate() {
        let (x, y) = (x / norm_a, y / norm_b);
        difference = difference + times(counts, i, (x - y).square());
        sum = sum + times(counts, i, (x + y).square());
    }
    norm_a * norm_b * difference.norm() * sum.norm() * context.rational(1, 2)
}

/// The wedge, by whichever of the two forms suits the length.
pub(crate) fn wedge_by_length<S: Scalar>(context: S, counts: Option<&[S]>, a: &[S], b: &[S]) -> S {
    if a.len().min(b.len()) <= PAIRWISE_WEDGE_LIMIT {
        pairwise_wedge(context, counts, a, b)
    } else {
        chord_wedge(context, counts, a, b)
    }
}
