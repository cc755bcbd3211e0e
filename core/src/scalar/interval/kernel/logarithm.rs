//! ln x = e ln 2 − ln c + ln(1 + r) with |r| ≤ 2⁻⁷, note 5 section 4: first in few steps, which
//! nearly always tell the bounds, and else with twice the digits.

use super::super::rounding::Rounded;
use super::pair::{NEAREST_INTEGER, fast_two_sum, nearest_integer, two_product};
use super::tables::{LN, LN2_A, LN2_B};
use super::{Approximation, power};

/// First index of the table.
const FIRST: usize = 90;

/// From this on (just above √2, in bits without exponent) the significand is halved.
const HALVED: u64 = 0x6_a09e_667f_3bcd;

const SIGNIFICAND: u64 = (1 << 52) - 1;

/// All but the last 21 bits: significands of 32 digits.
const SHORT: u64 = u64::MAX << 21;

/// Error of the few steps: 2⁻⁵⁹.
const QUICK_ERROR: f64 = power(-59);

/// A lower bound of ln x at `lo` and an upper bound at `hi`, both ≥ 0: ln 0 = −∞, ln ∞ = ∞.
#[inline]
pub(in super::super) fn ln(lo: f64, hi: f64) -> (f64, f64) {
    // Side by side, so that both are computed in the same vectors where there are such.
    let ((low, low_is_known), (high, high_is_known)) = (quick(lo), quick(hi));
    (
        if low_is_known { low.down() } else { careful(lo).0 },
        if high_is_known { high.up() } else { careful(hi).1 },
    )
}

/// ln x in few steps, and whether they tell it.
#[inline(always)]
fn quick(x: f64) -> (Rounded<f64>, bool) {
    let is_normal = x.to_bits().wrapping_sub(1 << 52) < 0x7fe << 52;
    let (nearest, rest) = short_value(x);
    // The rest has the sign of what is left of ln x, if it is larger than its error.
    (Rounded::with_residual(nearest, rest), is_normal & (rest.abs() > QUICK_ERROR))
}

/// ln x up to [`QUICK_ERROR`], in two floats, the second one exactly what rounding took from the
/// first; for normal x.
#[inline(always)]
fn short_value(x: f64) -> (f64, f64) {
    let bits = x.to_bits();
    // x = 2ᵉ m with m in [0.7, 1.42).
    let exponent = (bits.wrapping_sub(HALVED + (1022 << 52)) as i64) >> 52;
    let m = f64::from_bits(bits.wrapping_sub((exponent as u64) << 52));
    let index = (m * 128.0 + NEAREST_INTEGER).to_bits() as usize & 255;
    let [c, minus_ln_c, minus_ln_c_rest] =
        LN[index.saturating_sub(FIRST).min(LN.len() - 1)].map(f64::from_bits);
    let m_short = f64::from_bits(m.to_bits() & SHORT);
    let r = (c * m_short - 1.0) + c * (m - m_short);
    // Pairs of terms, so that not every step has to wait for the one before.
    let z = r * r;
    let series = (-1.0 / 2.0 + r * (1.0 / 3.0))
        + z * ((-1.0 / 4.0 + r * (1.0 / 5.0))
            + z * ((-1.0 / 6.0 + r * (1.0 / 7.0)) + z * (-1.0 / 8.0)));
    let e = exponent as i32 as f64;
    fast_two_sum(e * LN2_A + minus_ln_c, r + (z * series + (e * LN2_B + minus_ln_c_rest)))
}

/// Bounds of ln x, nearly always neighbours.
#[inline(never)]
fn careful(x: f64) -> (f64, f64) {
    if x == 0.0 {
        return (f64::NEG_INFINITY, f64::NEG_INFINITY);
    }
    if x == f64::INFINITY {
        return (x, x);
    }
    if x == 1.0 {
        return (0.0, 0.0);
    }
    value(x).ends()
}

/// ln x, for 0 < x < ∞ other than 1.
fn value(x: f64) -> Approximation {
    let (scaled, shift) =
        if x < f64::MIN_POSITIVE { (x * 18_014_398_509_481_984.0, 54) } else { (x, 0) };
    let bits = scaled.to_bits();
    let fraction = bits & SIGNIFICAND;
    let halved = u64::from(fraction >= HALVED);
    // x = 2ᵉ m with m in [0.7, 1.42).
    let exponent = (bits >> 52) as i64 - 1023 - shift + halved as i64;
    let m = f64::from_bits(fraction | (1023 - halved) << 52);
    let index = (nearest_integer(m * 128.0) as usize).wrapping_sub(FIRST);
    let Some(row) = LN.get(index) else { return Approximation::UNKNOWN };
    let [c, minus_ln_c, minus_ln_c_rest] = row.map(f64::from_bits);
    // r = c m − 1 = r1 + r2, exactly.
    let m_short = f64::from_bits(m.to_bits() & SHORT);
    let (r1, r2) = fast_two_sum(c * m_short - 1.0, c * (m - m_short));
    let (square, square_rest) = two_product(r1, r1);
    let series = 1.0 / 3.0
        + r1 * (-1.0 / 4.0
            + r1 * (1.0 / 5.0
                + r1 * (-1.0 / 6.0
                    + r1 * (1.0 / 7.0
                        + r1 * (-1.0 / 8.0 + r1 * (1.0 / 9.0 - r1 * (1.0 / 10.0)))))));
    let cubic = r1 * square * series;
    let e = exponent as f64;
    // Both terms are multiples of 2⁻⁴² and their sum is below 2¹⁰: it is exact.
    let start = e * LN2_A + minus_ln_c;
    let (first, rest_1) = fast_two_sum(start, r1);
    let (high, rest_2) = fast_two_sum(first, -0.5 * square);
    let low = (rest_1 + rest_2)
        + ((e * LN2_B + minus_ln_c_rest) + ((r2 - r1 * r2 - 0.5 * square_rest) + cubic));
    Approximation::declared(high, low)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The best bounds are within all bounds.
    #[test]
    fn few_steps_agree_with_many() {
        let mut known = 0;
        for i in 0..100_000_u32 {
            // Near the border of one cell of the table, where r is largest; and anywhere in it.
            for offset in [0.5 - 1e-9, 0.5 + 1e-9, 1e-3 * f64::from(i)] {
                let cell = f64::from(91 + i % 90);
                let x = (cell + offset) * power(i as i32 % 2000 - 1000);
                let (value, is_known) = quick(x);
                let (lo, hi) = careful(x);
                if is_known {
                    known += 1;
                    assert!(lo <= value.down() && value.up() <= hi, "{x:e}");
                }
            }
        }
        assert!(known > 290_000, "{known}");
    }

    /// Note 5 proves 3.11 · 2⁻⁶¹, which is the largest at borders of cells; the long way errs by
    /// 2⁻⁷¹ there.
    #[test]
    fn few_steps_err_by_less_than_declared() {
        let proven = 3.11 * power(-61);
        let mut largest = 0.0_f64;
        for i in 0..900_000_u32 {
            let distance = 1e-9 + 1e-7 * f64::from(i / 900);
            let border =
                f64::from(91 + i % 90) + 0.5 + if i & 1 == 0 { distance } else { -distance };
            let x = border * power(-7) * power((i / 90) as i32 % 3 - 1);
            let (nearest, rest) = short_value(x);
            let Approximation { high, low, .. } = value(x);
            let error = ((nearest - high) + (rest - low)).abs();
            assert!(error <= proven, "{x:e}: {error:e}");
            largest = largest.max(error);
        }
        // What is declared pays for what is proven, and what is proven is not far from what is.
        assert!(QUICK_ERROR >= proven && 2.0 * largest >= proven, "{}", largest * power(61));
    }
}
