//! eˣ = 2^(k/32) eʳ with |r| ≤ ln 2 / 64 + …, note 5 section 3.

use super::pair::{fast_two_sum, nearest_integer, two_product, two_sum};
use super::tables::{EXP2, LN2_32_A, LN2_32_B, LN2_32_C};
use super::{Approximation, power};

/// Above this (which is below ln of the largest float + half a unit) bounds would not be floats.
const LARGEST: f64 = 709.79;

/// Below this eˣ < 2⁻¹⁰⁷⁴.
const SMALLEST: f64 = -745.14;

/// 32 / ln 2, rounded.
const INVERSE_STEP: f64 = 46.166_241_308_446_83;

/// eˣ, as an approximation of 2⁻ⁿ eˣ in (0.97, 2.03), and n; for |x| ≤ 746.
fn reduced(x: f64) -> (Approximation, i32) {
    let k = nearest_integer(x * INVERSE_STEP);
    let index = k as i32;
    // r = x − k ln 2/32 = r1 + r2. The products with A and B are exact, the first difference too.
    let first = x - k * LN2_32_A;
    let (r1, rest) = two_sum(first, -k * LN2_32_B);
    let r2 = rest - k * LN2_32_C;
    // eʳ − 1 = r + r²/2 + cubic.
    let (square, square_rest) = two_product(r1, r1);
    let series = 1.0 / 6.0
        + r1 * (1.0 / 24.0
            + r1 * (1.0 / 120.0 + r1 * (1.0 / 720.0 + r1 * (1.0 / 5040.0 + r1 * (1.0 / 40320.0)))));
    let cubic = r1 * square * series;
    let (m1, m_rest) = fast_two_sum(r1, 0.5 * square);
    let m2 = m_rest + ((r2 + r1 * r2 + 0.5 * square_rest) + cubic);
    // 2^(j/32) eʳ = t + t (eʳ − 1).
    let [t1, t2] = EXP2[(index & 31) as usize].map(f64::from_bits);
    let (p, p_rest) = two_product(t1, m1);
    let (high, rest) = fast_two_sum(t1, p);
    let low = rest + (p_rest + (t1 * m2 + (t2 + t2 * m1)));
    (Approximation::declared(high, low), index >> 5)
}

/// A lower and an upper bound of eˣ, for any x but NaN: e^−∞ = 0, e^∞ = ∞.
pub(in super::super) fn exp(x: f64) -> (f64, f64) {
    if x > LARGEST {
        return (if x < f64::INFINITY { f64::MAX } else { x }, f64::INFINITY);
    }
    if x < SMALLEST {
        return (0.0, if x > f64::NEG_INFINITY { f64::from_bits(1) } else { 0.0 });
    }
    if x == 0.0 {
        return (1.0, 1.0);
    }
    let (value, exponent) = reduced(x);
    let (lo, hi) = value.ends();
    let (lo, hi) = (scaled_down(lo, exponent), scaled_up(hi, exponent));
    // e⁰ = 1, and the exponential grows.
    if x > 0.0 { (lo.max(1.0), hi) } else { (lo, hi.min(1.0)) }
}

/// 2ⁿ x and its rounding error, where −1100 ≤ n ≤ 1025 and 1/4 ≤ x ≤ 4: (nearest, is it too
/// small?, is it too large?).
fn scaled(x: f64, n: i32) -> (f64, bool, bool) {
    if n >= -1000 {
        // Exact, or infinite and too large.
        let result = x * power(n.wrapping_sub(2)) * 4.0;
        (result, false, result == f64::INFINITY)
    } else {
        // One rounding, in the second product; going back is exact.
        let (small, large) = (power(-600), power(600));
        let part = x * power(n.wrapping_add(600));
        let result = part * small;
        let back = result * large;
        (result, back < part, back > part)
    }
}

/// A lower bound of 2ⁿ x, for −1100 ≤ n ≤ 1025 and 1/4 ≤ x ≤ 4.
pub(super) fn scaled_down(x: f64, n: i32) -> f64 {
    let (result, _, large) = scaled(x, n);
    if large { crate::scalar::float::Float::next_down(result) } else { result }
}

/// An upper bound of 2ⁿ x, for −1100 ≤ n ≤ 1025 and 1/4 ≤ x ≤ 4.
pub(super) fn scaled_up(x: f64, n: i32) -> f64 {
    let (result, small, _) = scaled(x, n);
    if small { crate::scalar::float::Float::next_up(result) } else { result }
}
