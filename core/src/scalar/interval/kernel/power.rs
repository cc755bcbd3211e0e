//! xⁿ by repeated squaring of sums of two floats, note 5 section 9.

use super::exponential::{scaled_down, scaled_up};
use super::pair::{fast_two_sum, two_product};
use super::{Approximation, power};

/// The number (high + low) 2ᵉ with high in [1, 2], up to its relative error; exact, if so marked.
#[derive(Clone, Copy)]
struct Scaled {
    high: f64,
    low: f64,
    exponent: i64,
    is_exact: bool,
}

impl Scaled {
    fn new(x: f64) -> Self {
        let (x, shift) = if x < power(-500) { (x * power(600), -600) } else { (x, 0) };
        let bits = x.to_bits();
        Self {
            high: f64::from_bits(bits & ((1 << 52) - 1) | 1023 << 52),
            low: 0.0,
            exponent: ((bits >> 52) as i64).wrapping_sub(1023).wrapping_add(shift),
            is_exact: true,
        }
    }

    fn times(self, other: Self) -> Self {
        let (product, rest) = two_product(self.high, other.high);
        let cross = self.high * other.low + self.low * other.high;
        let (high, low) = fast_two_sum(product, rest + cross);
        // In [1, 4]: back to [1, 2], exactly.
        let (scale, step) = if high >= 2.0 { (0.5, 1) } else { (1.0, 0) };
        Self {
            high: high * scale,
            low: low * scale,
            exponent: self.exponent.saturating_add(other.exponent).saturating_add(step),
            is_exact: self.is_exact && other.is_exact && self.low == 0.0 && other.low == 0.0,
        }
    }

    /// 1/x, with a first factor in [1/2, 1].
    fn inverse(self) -> Self {
        let quotient = 1.0 / self.high;
        let (back, rest) = two_product(quotient, self.high);
        let remainder = ((1.0 - back) - rest) - quotient * self.low;
        Self {
            high: quotient,
            low: remainder / self.high,
            exponent: self.exponent.saturating_neg(),
            is_exact: self.is_exact && self.low == 0.0 && remainder == 0.0,
        }
    }
}

/// A lower and an upper bound of xⁿ, for 0 < x < ∞.
pub(in super::super) fn pown(x: f64, n: i32) -> (f64, f64) {
    let mut square = Scaled::new(x);
    let mut result = Scaled { high: 1.0, low: 0.0, exponent: 0, is_exact: true };
    let mut left = n.unsigned_abs();
    while left > 0 {
        if left & 1 == 1 {
            result = result.times(square);
        }
        left >>= 1;
        if left > 0 {
            square = square.times(square);
        }
    }
    let result = if n < 0 { result.inverse() } else { result };
    if result.exponent > 1025 {
        return (f64::MAX, f64::INFINITY);
    }
    if result.exponent < -1080 {
        return (0.0, f64::from_bits(1));
    }
    let exponent = result.exponent as i32;
    let declared = Approximation::declared(result.high, result.low);
    let error = if result.is_exact { 0.0 } else { declared.error };
    let (lo, hi) = Approximation { error, ..declared }.ends();
    (scaled_down(lo, exponent), scaled_up(hi, exponent))
}
