//! eˣ = 2^(k/128) eʳ with |r| ≤ ln 2 / 256 + …, note 5 section 3: first in few steps, which nearly
//! always tell the bounds, and else with twice the digits.

use super::super::rounding::Rounded;
use super::pair::{NEAREST_INTEGER, fast_two_sum, nearest_integer, two_product, two_sum};
use super::tables::{EXP2, LN2_128_A, LN2_128_B, LN2_128_C, STEPS_PER_UNIT};
use super::{Approximation, power};

/// Above this (which is below ln of the largest float + half a unit) bounds would not be floats.
const LARGEST: f64 = 709.79;

/// Below this eˣ < 2⁻¹⁰⁷⁴.
const SMALLEST: f64 = -745.14;

/// Up to this size neither eˣ nor what it is made of is near overflow or underflow.
const MODERATE: f64 = 690.0;

/// Error of the few steps, relative to a power of two from the table: 7 · 2⁻⁶².
const QUICK_ERROR: f64 = 7.0 * power(-62);

/// A lower bound of eˣ at `lo` and an upper bound at `hi`, for any numbers but NaN: e^−∞ = 0,
/// e^∞ = ∞.
#[inline]
pub(in super::super) fn exp(lo: f64, hi: f64) -> (f64, f64) {
    // Side by side, so that both are computed in the same vectors where there are such.
    let ((low, low_is_known), (high, high_is_known)) = (quick(lo), quick(hi));
    (
        if low_is_known { low.down() } else { careful(lo).0 },
        if high_is_known { high.up() } else { careful(hi).1 },
    )
}

/// eˣ in few steps, and whether they tell it.
#[inline(always)]
fn quick(x: f64) -> (Rounded<f64>, bool) {
    let Short { nearest, rest, scale, index } = short_value(x);
    // The rest has the sign of what is left of eˣ, if it is larger than its error.
    let is_known = (x.abs() < MODERATE) & (rest.abs() > QUICK_ERROR * scale);
    let exponent = (index as i32) >> 7;
    let scaled = f64::from_bits(nearest.to_bits().wrapping_add((exponent as u64) << 52));
    (Rounded::with_residual(scaled, rest), is_known)
}

/// 2⁻ⁿ eˣ up to [`QUICK_ERROR`] · scale.
struct Short {
    nearest: f64,
    /// Exactly what rounding took from `nearest`.
    rest: f64,
    /// The power of two from the table, in [1, 2).
    scale: f64,
    /// 128 n and the place in the table, in the lowest 32 bits.
    index: u64,
}

#[inline(always)]
fn short_value(x: f64) -> Short {
    let shifted = x * STEPS_PER_UNIT + NEAREST_INTEGER;
    let index = shifted.to_bits();
    let k = shifted - NEAREST_INTEGER;
    let r = (x - k * LN2_128_A) - k * (LN2_128_B + LN2_128_C);
    // Pairs of terms, so that not every step has to wait for the one before.
    let z = r * r;
    let series =
        (1.0 / 2.0 + r * (1.0 / 6.0)) + z * ((1.0 / 24.0 + r * (1.0 / 120.0)) + z * (1.0 / 720.0));
    let [t1, t2] = EXP2[(index & 127) as usize].map(f64::from_bits);
    let (nearest, rest) = fast_two_sum(t1, t2 + t1 * (r + z * series));
    Short { nearest, rest, scale: t1, index }
}

/// eˣ, as an approximation of 2⁻ⁿ eˣ in (0.98, 2.02), and n; for |x| ≤ 746.
fn reduced(x: f64) -> (Approximation, i32) {
    let k = nearest_integer(x * STEPS_PER_UNIT);
    let index = k as i32;
    // r = x − k ln 2/128 = r1 + r2. The products with A and B are exact, the first difference too.
    let first = x - k * LN2_128_A;
    let (r1, rest) = two_sum(first, -k * LN2_128_B);
    let r2 = rest - k * LN2_128_C;
    // eʳ − 1 = r + r²/2 + cubic.
    let (square, square_rest) = two_product(r1, r1);
    let series = 1.0 / 6.0
        + r1 * (1.0 / 24.0 + r1 * (1.0 / 120.0 + r1 * (1.0 / 720.0 + r1 * (1.0 / 5040.0))));
    let cubic = r1 * square * series;
    let (m1, m_rest) = fast_two_sum(r1, 0.5 * square);
    let m2 = m_rest + ((r2 + r1 * r2 + 0.5 * square_rest) + cubic);
    // 2^(j/128) eʳ = t + t (eʳ − 1).
    let [t1, t2] = EXP2[(index & 127) as usize].map(f64::from_bits);
    let (p, p_rest) = two_product(t1, m1);
    let (high, rest) = fast_two_sum(t1, p);
    let low = rest + (p_rest + (t1 * m2 + (t2 + t2 * m1)));
    (Approximation::declared(high, low), index >> 7)
}

/// Bounds of eˣ, nearly always neighbours.
#[inline(never)]
fn careful(x: f64) -> (f64, f64) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scalar::float::Float;

    /// The best bounds are within all bounds.
    #[test]
    fn few_steps_agree_with_many() {
        let mut known = 0;
        // Out to ±746, beyond what few steps can do and what floats can hold.
        for i in -137_760_i32..137_760 {
            // Near the border of one cell of the table, where r is largest; and anywhere in it.
            for offset in [0.5 - 1e-9, 0.5 + 1e-9, 0.618_033_988 * f64::from(i)] {
                let x = (f64::from(i) + offset) / STEPS_PER_UNIT;
                let (value, is_known) = quick(x);
                let (lo, hi) = careful(x);
                if is_known {
                    known += 1;
                    assert!(lo <= value.down() && value.up() <= hi, "{x:e}");
                }
            }
        }
        assert!(known > 650_000, "{known}");
        for edge in [690.0, -690.0] {
            for x in [Float::next_down(edge), edge, Float::next_up(edge)] {
                let ((value, is_known), (lo, hi)) = (quick(x), careful(x));
                assert!(!is_known || lo <= value.down() && value.up() <= hi, "{x:e}");
            }
        }
    }

    /// Note 5 proves 6.22 · 2⁻⁶² of the scale, which is the largest at borders of cells; the long
    /// way errs by 2⁻⁷⁵ there.
    #[test]
    fn few_steps_err_by_less_than_declared() {
        let proven = 6.22 * power(-62);
        let mut largest = 0.0_f64;
        for i in -127_400_i32..127_400 {
            for offset in [0.5 - 1e-9, 0.5 + 1e-9, 0.49, 0.51, 1e-3 * f64::from(i % 1000)] {
                let x = (f64::from(i) + offset) / STEPS_PER_UNIT;
                let Short { nearest, rest, scale, index } = short_value(x);
                let (Approximation { high, low, .. }, exponent) = reduced(x);
                assert_eq!(exponent, index as i32 >> 7);
                let error = ((nearest - high) + (rest - low)).abs() / scale;
                assert!(error <= proven, "{x:e}: {error:e}");
                largest = largest.max(error);
            }
        }
        // What is declared pays for what is proven, and what is proven is not far from what is.
        assert!(QUICK_ERROR >= proven && 2.0 * largest >= proven, "{}", largest * power(62));
    }
}
