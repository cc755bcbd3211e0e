//! Directed rounding out of rounding to nearest.
//!
//! Every operation is done once, rounded to nearest, together with the *side* on which rounding
//! left the exact number; where that shows that the rounded number lies on the wrong side, the bound
//! is the neighbouring float. The side comes from error-free transformations (Dekker's sum and
//! product, the remainders of division and root); where those could overflow or underflow, from the
//! integers inside the floats ([`exact`](super::exact)). So every bound is the best one.
//!
//! | situation | lower bound | upper bound |
//! |---|---|---|
//! | exact | the number | the number |
//! | inexact | the largest float below | the smallest float above |
//! | overflow of a positive result | the largest finite float | +∞ |
//! | underflow of a positive result to 0 | 0 | the smallest positive float |

use core::cmp::Ordering;

use super::exact::compare_product;
use crate::scalar::float::Float;

/// A real number, known by a float next to it and by the side of that float it is on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rounded<F> {
    /// Not 0, unless it is the number.
    nearest: F,
    /// Whether the number is farther away from 0.
    is_larger: bool,
    /// Whether the number is nearer to 0.
    is_smaller: bool,
}

impl<F: Float> Rounded<F> {
    #[inline]
    fn exact(nearest: F) -> Self {
        Self { nearest, is_larger: false, is_smaller: false }
    }

    /// A number beyond the largest float, that was rounded to infinity.
    #[inline]
    fn overflow(nearest: F) -> Self {
        Self { nearest, is_larger: false, is_smaller: true }
    }

    /// A nonzero number, too small to be told from 0.
    #[inline]
    fn underflow(is_positive: bool) -> Self {
        let smallest = F::ZERO.next_up();
        Self::overflow(if is_positive { smallest } else { -smallest })
    }

    /// A number known by comparing its magnitude with that of the nearest float.
    #[inline]
    fn compared(nearest: F, magnitude: Ordering) -> Self {
        Self {
            nearest,
            is_larger: magnitude == Ordering::Greater,
            is_smaller: magnitude == Ordering::Less,
        }
    }

    /// The number nearest + residual, of which the residual's sign is known. NaN counts as 0.
    #[inline]
    pub(super) fn with_residual(nearest: F, residual: F) -> Self {
        let (is_above, is_below) = (residual > F::ZERO, residual < F::ZERO);
        let is_negative = nearest.is_negative();
        Self {
            nearest,
            is_larger: (is_negative & is_below) | (!is_negative & is_above),
            is_smaller: (is_negative & is_above) | (!is_negative & is_below),
        }
    }

    /// A float that is not above the real number: the largest one, if `nearest` is next to it.
    #[inline]
    pub(super) fn down(self) -> F {
        let is_negative = self.nearest.is_negative();
        self.nearest.stepped(is_negative & self.is_larger, !is_negative & self.is_smaller)
    }

    /// A float that is not below the real number: the smallest one, if `nearest` is next to it.
    #[inline]
    pub(super) fn up(self) -> F {
        let is_negative = self.nearest.is_negative();
        self.nearest.stepped(!is_negative & self.is_larger, is_negative & self.is_smaller)
    }
}

/// x + y. An infinite term stands for an unbounded end and makes an infinite sum.
#[inline]
pub(super) fn sum<F: Float>(x: F, y: F) -> Rounded<F> {
    let nearest = x + y;
    // From the larger one on no step overflows, and both differences are exact. An overflow has an
    // infinite residual towards 0, an infinite term NaN.
    let is_swapped = x.abs() < y.abs();
    let (larger, smaller) = if is_swapped { (y, x) } else { (x, y) };
    Rounded::with_residual(nearest, smaller - (nearest - larger))
}

/// x y for [moderate](Float::is_moderate) x, y.
#[inline]
fn moderate_product<F: Float>(x: F, y: F) -> Rounded<F> {
    let (nearest, residual) = x.two_product(y);
    Rounded::with_residual(nearest, residual)
}

/// x / y for moderate x, y > 0.
#[inline]
fn moderate_quotient<F: Float>(x: F, y: F) -> Rounded<F> {
    let nearest = x / y;
    Rounded::with_residual(nearest, remainder(x, nearest, y))
}

/// √x for moderate x > 0.
#[inline]
fn moderate_root<F: Float>(x: F) -> Rounded<F> {
    let nearest = x.sqrt();
    Rounded::with_residual(nearest, remainder(x, nearest, nearest))
}

/// x − factor · other, with the right sign, for moderate numbers of which `factor` is the float
/// nearest to x / other: then the first difference is exact, and the second one errs in size only.
#[inline]
fn remainder<F: Float>(x: F, factor: F, other: F) -> F {
    let (product, error) = factor.two_product(other);
    (x - product) - error
}

/// The float after a normal number that is not near overflow or underflow, or the number itself.
#[inline]
fn above<F: Float>(nearest: F, is_above: bool) -> F {
    // What is added is more than a half and at most one unit of the last place.
    nearest + if is_above { nearest.abs() * F::STEP } else { F::ZERO }
}

/// The smallest float ≥ x y, for moderate x, y; the largest one ≤ x y is −(that of −x and y).
#[inline]
pub(super) fn product_above<F: Float>(x: F, y: F) -> F {
    let (nearest, residual) = x.two_product(y);
    above(nearest, residual > F::ZERO)
}

/// The smallest float ≥ x / y, for moderate x, y > 0.
#[inline]
pub(super) fn quotient_above<F: Float>(x: F, y: F) -> F {
    let nearest = x / y;
    above(nearest, remainder(x, nearest, y) > F::ZERO)
}

/// x y, where 0 · ∞ = 0: an unbounded end is never reached, so that 0 times it is 0.
pub(super) fn product<F: Float>(x: F, y: F) -> Rounded<F> {
    if x.is_moderate() && y.is_moderate() {
        return moderate_product(x, y);
    }
    if x == F::ZERO || y == F::ZERO {
        return Rounded::exact(F::ZERO);
    }
    let nearest = x * y;
    if !nearest.is_finite() {
        return if x.is_finite() && y.is_finite() {
            Rounded::overflow(nearest)
        } else {
            Rounded::exact(nearest)
        };
    }
    if nearest == F::ZERO {
        return Rounded::underflow((x > F::ZERO) == (y > F::ZERO));
    }
    Rounded::compared(nearest, compare_product(x, y, nearest))
}

/// x / y for y > 0, not both infinite; x / ∞ = 0 is the limit that is never reached.
pub(super) fn quotient<F: Float>(x: F, y: F) -> Rounded<F> {
    if x.is_moderate() && y.is_moderate() {
        return moderate_quotient(x, y);
    }
    if x == F::ZERO {
        return Rounded::exact(F::ZERO);
    }
    let nearest = x / y;
    if !(x.is_finite() && y.is_finite()) {
        return Rounded::exact(nearest);
    }
    if nearest == F::ZERO {
        return Rounded::underflow(x > F::ZERO);
    }
    if !nearest.is_finite() {
        return Rounded::overflow(nearest);
    }
    Rounded::compared(nearest, compare_product(nearest, y, x).reverse())
}

/// √x for x ≥ 0.
#[inline]
pub(super) fn root<F: Float>(x: F) -> Rounded<F> {
    if x.is_moderate() { moderate_root(x) } else { extreme_root(x) }
}

#[inline(never)]
fn extreme_root<F: Float>(x: F) -> Rounded<F> {
    let nearest = x.sqrt();
    if x == F::ZERO || !x.is_finite() {
        return Rounded::exact(nearest);
    }
    Rounded::compared(nearest, compare_product(nearest, nearest, x).reverse())
}

/// An `f64` in another format. NaN stays NaN.
#[inline]
pub(super) fn converted<F: Float>(value: f64) -> Rounded<F> {
    let nearest = F::from_f64(value);
    let back = nearest.to_f64();
    if back == 0.0 && value != 0.0 {
        return Rounded::underflow(value > 0.0);
    }
    Rounded { nearest, is_larger: value.abs() > back.abs(), is_smaller: value.abs() < back.abs() }
}

/// An integer, by its upper and lower 32 bits, each of which is a float.
pub(super) fn integer(value: i64) -> Rounded<f64> {
    let high = (value >> 32) as f64 * 4_294_967_296.0;
    let low = (value & 0xffff_ffff) as f64;
    sum(high, low)
}

/// Bounds of x y + z, rounded once, where 0 · ∞ = 0 and an infinite term makes an infinite sum
/// (never two of opposite sign).
pub(super) fn product_sum<F: Float>(x: F, y: F, z: F) -> (F, F) {
    if x == F::ZERO || y == F::ZERO || !z.is_finite() {
        (z, z)
    } else if x.is_finite() && y.is_finite() {
        super::exact::product_sum(x, y, z)
    } else {
        (x * y, x * y)
    }
}
