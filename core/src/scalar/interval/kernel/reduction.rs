//! x modulo π/2 for every float x, after Payne and Hanek: only those digits of 2/π are multiplied
//! that neither make multiples of four quadrants nor are too small to matter. Note 5 section 5.

use super::pair::{fast_two_sum, two_product};
use super::power;
use super::tables::{HALF_PI, HALF_PI_REST, TWO_OVER_PI};

/// Absolute error of a remainder, declared: 2⁻¹³⁰. (What is proven is 2⁻¹³⁵.)
const ERROR: f64 = power(-130);

/// An argument x ≥ 0, as x = k π/2 + r with r = high + low.
pub(super) struct Remainder {
    /// k modulo 4; |r| is at most a little above π/4.
    pub(super) nearest: u8,
    pub(super) high: f64,
    pub(super) low: f64,
    /// Absolute error of r, beside a relative one of 2⁻¹⁰⁰; 0 if r is x itself.
    pub(super) error: f64,
    /// The largest integer ≤ x / (π/2), modulo 4; `None` if x is too near to a multiple to tell.
    pub(super) quadrant: Option<u8>,
}

/// The remainder of a finite x ≥ 0.
pub(super) fn remainder(x: f64) -> Remainder {
    if x <= 0.5 * HALF_PI {
        return Remainder { nearest: 0, high: x, low: 0.0, error: 0.0, quadrant: Some(0) };
    }
    // x = m 2ᵉ with e ≥ −53.
    let bits = x.to_bits();
    let m = bits & ((1 << 52) - 1) | 1 << 52;
    let exponent = (bits >> 52) as i64 - 1075;
    // Digits of 2/π up to the (e − 2)nd make multiples of 4. The table starts with 64 zeros.
    let skipped = (exponent - 2 + 64) as u64;
    let (word, shift) = ((skipped / 64) as usize, (skipped % 64) as u32);
    let digits = |i: usize| {
        let at = |i: usize| u128::from(TWO_OVER_PI.get(i).copied().unwrap_or(0));
        let start = word.wrapping_add(i);
        (((at(start) << 64 | at(start.wrapping_add(1))) << shift) >> 64) as u64
    };
    // x · 2/π modulo 4 is (p + something below 2⁵³) 2⁻¹⁹⁰, for a p of three words.
    let times_m = |digits: u64, carry: u128| u128::from(m) * u128::from(digits) + (carry >> 64);
    let last = times_m(digits(2), 0);
    let middle = times_m(digits(1), last);
    let first = times_m(digits(0), middle);
    let p = [first as u64, middle as u64, last as u64];
    let quadrant = (p[0] >> 62) as u8;
    let is_certain = p[0] | 3 << 62 != u64::MAX || p[1] != u64::MAX || p[2] <= u64::MAX << 53;
    // The fraction, in units of 2⁻¹⁹²; from a half on, its distance to 1.
    let fraction = [p[0] << 2 | p[1] >> 62, p[1] << 2 | p[2] >> 62, p[2] << 2];
    let is_below = fraction[0] >> 63 != 0;
    let magnitude = if is_below { negated(fraction) } else { fraction };
    let (high, low) = as_pair(magnitude);
    // Times π/2.
    let (product, rest) = two_product(high, HALF_PI);
    let (high, low) = fast_two_sum(product, rest + (high * HALF_PI_REST + low * HALF_PI));
    let (high, low) = if is_below { (-high, -low) } else { (high, low) };
    Remainder {
        nearest: quadrant.wrapping_add(u8::from(is_below)) & 3,
        high,
        low,
        error: ERROR,
        quadrant: is_certain.then_some(quadrant),
    }
}

/// 2¹⁹² − x.
fn negated(x: [u64; 3]) -> [u64; 3] {
    let (last, carry) = (!x[2]).overflowing_add(1);
    let (middle, carry) = (!x[1]).overflowing_add(u64::from(carry));
    [(!x[0]).wrapping_add(u64::from(carry)), middle, last]
}

/// 2⁻¹⁹² x, as a sum of two floats of 53 bits each, cut off.
fn as_pair(x: [u64; 3]) -> (f64, f64) {
    let mut zeros = 0;
    let mut x = x;
    while x[0] == 0 && zeros < 192 {
        x = [x[1], x[2], 0];
        zeros += 64;
    }
    let shift = x[0].leading_zeros() & 63;
    zeros += shift as i32;
    let top = u128::from(x[0]) << 64 | u128::from(x[1]);
    let top = top << shift | u128::from(x[2]) >> (64 - shift);
    let high = (top >> 75) as f64 * power(-53 - zeros);
    let low = ((top >> 22) & ((1 << 53) - 1)) as f64 * power(-106 - zeros);
    (high, low)
}
