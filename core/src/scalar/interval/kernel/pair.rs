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

/// x y = product + rest, exactly, for a factor x of at most 26 digits, and neither overflow nor
/// underflow.
#[inline]
pub(super) fn short_product(x: f64, y: f64) -> (f64, f64) {
    const LOW: u64 = (1 << 27) - 1;
    let high = f64::from_bits(y.to_bits() & !LOW);
    fast_two_sum(x * high, x * (y - high))
}

/// Added to |x| ≤ 2⁵¹, this leaves the integer nearest to x (of two, the even one), as the last
/// digits of the sum: floats between 2⁵² and 2⁵³ are the integers.
pub(super) const NEAREST_INTEGER: f64 = 6_755_399_441_055_744.0; // 3 · 2⁵¹

/// The integer nearest to x (of two, the even one), for |x| ≤ 2⁵¹.
#[inline]
pub(super) fn nearest_integer(x: f64) -> f64 {
    (x + NEAREST_INTEGER) - NEAREST_INTEGER
}
