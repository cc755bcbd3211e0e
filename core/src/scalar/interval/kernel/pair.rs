//! Error-free transformations: a rounded result, and what rounding took from it.

use crate::scalar::float::Float;

/// x + y = sum + rest, exactly, unless it overflows (Knuth).
#[inline]
pub(super) fn two_sum(x: f64, y: f64) -> (f64, f64) {
    let sum = x + y;
    let part = sum - x;
    (sum, (x - (sum - part)) + (y - part))
}

/// x + y = sum + rest, exactly, for |x| ≥ |y| (Dekker).
#[inline]
pub(super) fn fast_two_sum(x: f64, y: f64) -> (f64, f64) {
    let sum = x + y;
    (sum, y - (sum - x))
}

/// x y = product + rest, exactly, for |x|, |y|, |x y| ≤ 2⁹⁰⁰ and |x y| ≥ 2⁻⁹⁰⁰ or x y = 0
/// (Dekker).
#[inline]
pub(super) fn two_product(x: f64, y: f64) -> (f64, f64) {
    Float::two_product(x, y)
}

/// The integer nearest to x (of two, the even one), for |x| ≤ 2⁵¹.
#[inline]
pub(super) fn nearest_integer(x: f64) -> f64 {
    // Floats between 2⁵² and 2⁵³ are the integers.
    const SHIFT: f64 = 6_755_399_441_055_744.0; // 3 · 2⁵¹
    (x + SHIFT) - SHIFT
}
