//! Directed rounding out of rounding to nearest.
//!
//! Every operation is done once, rounded to nearest, together with the *sign* of what rounding
//! took away; where that sign shows that the rounded number lies on the wrong side, the bound is
//! the neighbouring float. The sign comes from error-free transformations (Dekker's sum
//! and product, the remainders of division and root); where those could overflow or underflow,
//! from the integers inside the floats ([`exact`]). So every bound is the best one.
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

/// A real number, known by the float nearest to it and by the side of that float it is on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rounded<F> {
    nearest: F,
    /// Has the sign of (real number − nearest).
    residual: F,
}

impl<F: Float> Rounded<F> {
    fn exact(nearest: F) -> Self {
        Self { nearest, residual: F::ZERO }
    }

    /// A number beyond the largest float, that was rounded to infinity.
    fn overflow(nearest: F) -> Self {
        Self { nearest, residual: -nearest }
    }

    /// A number known by comparing its magnitude with that of the nearest float.
    fn compared(nearest: F, magnitude: Ordering) -> Self {
        let away = if nearest < F::ZERO { -F::ONE } else { F::ONE };
        let residual = match magnitude {
            Ordering::Less => -away,
            Ordering::Equal => F::ZERO,
            Ordering::Greater => away,
        };
        Self { nearest, residual }
    }

    /// A nonzero number, too small to be told from 0.
    fn underflow(positive: bool) -> Self {
        Self { nearest: F::ZERO, residual: if positive { F::ONE } else { -F::ONE } }
    }

    /// A float that is not above the real number.
    pub(super) fn down(self) -> F {
        if self.residual >= F::ZERO { self.nearest } else { self.nearest.next_down() }
    }

    /// A float that is not below the real number.
    pub(super) fn up(self) -> F {
        if self.residual <= F::ZERO { self.nearest } else { self.nearest.next_up() }
    }
}

/// Factors up to this magnitude can be split, and their products of up to this magnitude have
/// parts that do not overflow (2⁹⁶⁹ for `f64`, 2¹⁰² for `f32`).
fn largest_safe<F: Float>() -> F {
    F::UNIT_ROUNDOFF / F::MIN_POSITIVE
}

/// The error of a product above this magnitude is a float (2⁻⁹⁶⁸ for `f64`, 2⁻¹⁰¹ for `f32`).
fn smallest_safe<F: Float>() -> F {
    (F::MIN_POSITIVE + F::MIN_POSITIVE) / F::UNIT_ROUNDOFF
}

/// Whether [`Float::two_product`] of these factors, with this product, is free of error.
fn product_is_safe<F: Float>(x: F, y: F, product: F) -> bool {
    let largest = largest_safe::<F>();
    x.abs() <= largest
        && y.abs() <= largest
        && product.abs() <= largest
        && product.abs() > smallest_safe::<F>()
}

/// x + y. An infinite term stands for an unbounded end and makes an infinite sum.
pub(super) fn sum<F: Float>(x: F, y: F) -> Rounded<F> {
    let nearest = x + y;
    if nearest.is_finite() {
        // From the larger one on no step overflows, and both differences are exact.
        let (larger, smaller) = if x.abs() < y.abs() { (y, x) } else { (x, y) };
        Rounded { nearest, residual: smaller - (nearest - larger) }
    } else if x.is_finite() && y.is_finite() {
        Rounded::overflow(nearest)
    } else {
        Rounded::exact(nearest)
    }
}

/// x y, where 0 · ∞ = 0: an unbounded end is never reached, so that 0 times it is 0.
pub(super) fn product<F: Float>(x: F, y: F) -> Rounded<F> {
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
    if !product_is_safe(x, y, nearest) {
        return Rounded::compared(nearest, compare_product(x, y, nearest));
    }
    let (nearest, residual) = x.two_product(y);
    Rounded { nearest, residual }
}

/// x / y for y > 0, not both infinite; x / ∞ = 0 is the limit that is never reached.
pub(super) fn quotient<F: Float>(x: F, y: F) -> Rounded<F> {
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
    if !product_is_safe(nearest, y, nearest * y) {
        // |x/y| is the larger where |nearest y| is the smaller.
        return Rounded::compared(nearest, compare_product(nearest, y, x).reverse());
    }
    Rounded { nearest, residual: remainder(x, nearest, y) }
}

/// √x for x ≥ 0.
pub(super) fn root<F: Float>(x: F) -> Rounded<F> {
    let nearest = x.sqrt();
    if x == F::ZERO || !x.is_finite() {
        return Rounded::exact(nearest);
    }
    if !product_is_safe(nearest, nearest, nearest * nearest) {
        return Rounded::compared(nearest, compare_product(nearest, nearest, x).reverse());
    }
    Rounded { nearest, residual: remainder(x, nearest, nearest) }
}

/// x − factor · other, with the right sign, if the product is safe and lies between x/2 and 2x
/// (as it does, the factor being the float nearest to x / other, even a subnormal one): then the
/// first difference is exact, and the second one errs in size only.
fn remainder<F: Float>(x: F, factor: F, other: F) -> F {
    let (product, error) = factor.two_product(other);
    (x - product) - error
}

/// An `f64` in another format. NaN stays NaN.
pub(super) fn converted<F: Float>(value: f64) -> Rounded<F> {
    let nearest = F::from_f64(value);
    let back = nearest.to_f64();
    if value > back {
        Rounded { nearest, residual: F::ONE }
    } else if value < back {
        Rounded { nearest, residual: -F::ONE }
    } else {
        Rounded::exact(nearest)
    }
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
