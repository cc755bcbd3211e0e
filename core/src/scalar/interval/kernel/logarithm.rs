//! ln x = e ln 2 − ln c + ln(1 + r) with |r| ≤ 2⁻⁷, note 5 section 4.

use super::Approximation;
use super::pair::{fast_two_sum, nearest_integer, two_product};
use super::tables::{LN, LN2_A, LN2_B};

/// First index of the table.
const FIRST: i64 = 90;

/// From this on (just above √2, in bits without exponent) the significand is halved.
const HALVED: u64 = 0x6_a09e_667f_3bcd;

const SIGNIFICAND: u64 = (1 << 52) - 1;

/// All but the last 21 bits: significands of 32 digits.
const SHORT: u64 = u64::MAX << 21;

/// A lower and an upper bound of ln x, for x ≥ 0: ln 0 = −∞, ln ∞ = ∞.
pub(in super::super) fn ln(x: f64) -> (f64, f64) {
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
    let index = nearest_integer(m * 128.0) as i64 - FIRST;
    let Some(row) = LN.get(index as usize) else { return Approximation::UNKNOWN };
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
