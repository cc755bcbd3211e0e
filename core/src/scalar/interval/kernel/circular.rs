//! Sine and cosine: sin(t + d) and cos(t + d) with t = i/64 from a table and |d| ≤ 2⁻⁷ + …, note 5
//! section 6; and the two combinations 1 − cos x and sin x − x cos x, section 7.

use super::pair::{fast_two_sum, nearest_integer, two_product, two_sum};
use super::reduction::{Remainder, remainder};
use super::tables::SIN_COS;
use super::{Approximation, RELATIVE_ERROR};

/// The largest integer ≤ x / (π/2), modulo 4, of a finite x; `None` if x is too near to a multiple
/// of π/2 other than 0 to tell.
pub(in super::super) fn quadrant(x: f64) -> Option<u8> {
    let quadrant = remainder(x.abs()).quadrant?;
    Some(if x < 0.0 { 3 - quadrant } else { quadrant })
}

/// sin x, for 2⁻²⁰¹ ≤ |x| < ∞.
pub(in super::super) fn sin(x: f64) -> Approximation {
    let reduced = remainder(x.abs());
    let turned = turned_sine(&reduced, 0);
    if x < 0.0 { turned.negated() } else { turned }
}

/// cos x, for |x| < ∞.
pub(in super::super) fn cos(x: f64) -> Approximation {
    turned_sine(&remainder(x.abs()), 1)
}

/// sin(x + turn π/2).
fn turned_sine(reduced: &Remainder, turn: u8) -> Approximation {
    let quadrant = reduced.nearest.wrapping_add(turn);
    let value = if quadrant & 1 == 0 { sine(reduced) } else { cosine(reduced) };
    let value = if quadrant & 2 == 0 { value } else { value.negated() };
    Approximation { error: value.error + reduced.error, ..value }
}

/// A remainder |r| = t + d: functions of t from the table, and of d by their series.
struct Parts {
    d: f64,
    d_rest: f64,
    sin_t: [f64; 2],
    cos_t: [f64; 2],
    /// sin d − d.
    sine_series: f64,
    /// cos d − 1.
    cosine_series: f64,
}

fn parts(high: f64, low: f64) -> Option<Parts> {
    let index = nearest_integer(64.0 * high);
    let [s1, s2, c1, c2] = SIN_COS.get(index as usize)?.map(f64::from_bits);
    // Exact.
    let d = high - index * (1.0 / 64.0);
    let z = d * d;
    Some(Parts {
        d,
        d_rest: low,
        sin_t: [s1, s2],
        cos_t: [c1, c2],
        sine_series: d * z * (-1.0 / 6.0 + z * (1.0 / 120.0 - z * (1.0 / 5040.0))),
        cosine_series: z * (-1.0 / 2.0 + z * (1.0 / 24.0 - z * (1.0 / 720.0))) - d * low,
    })
}

/// sin r.
fn sine(reduced: &Remainder) -> Approximation {
    let is_negative = reduced.high < 0.0;
    let (high, low) =
        if is_negative { (-reduced.high, -reduced.low) } else { (reduced.high, reduced.low) };
    let Some(x) = parts(high, low) else { return Approximation::UNKNOWN };
    // sin t cos d + cos t sin d
    let (p, p_rest) = two_product(x.cos_t[0], x.d);
    let (high, rest) = two_sum(x.sin_t[0], p);
    let small = x.sin_t[0] * x.cosine_series + x.cos_t[0] * x.sine_series;
    let low = (rest + p_rest + (x.cos_t[0] * x.d_rest + (x.cos_t[1] * x.d + x.sin_t[1]))) + small;
    let value = Approximation::declared(high, low);
    if is_negative { value.negated() } else { value }
}

/// cos r.
fn cosine(reduced: &Remainder) -> Approximation {
    let is_negative = reduced.high < 0.0;
    let (high, low) =
        if is_negative { (-reduced.high, -reduced.low) } else { (reduced.high, reduced.low) };
    let Some(x) = parts(high, low) else { return Approximation::UNKNOWN };
    // cos t cos d − sin t sin d
    let (p, p_rest) = two_product(x.sin_t[0], x.d);
    let (high, rest) = two_sum(x.cos_t[0], -p);
    let small = x.cos_t[0] * x.cosine_series - x.sin_t[0] * x.sine_series;
    let low = (rest - p_rest + (x.cos_t[1] - (x.sin_t[0] * x.d_rest + x.sin_t[1] * x.d))) + small;
    Approximation::declared(high, low)
}

/// 1 − cos x = 2 sin²(x/2), for 2⁻²⁰⁰ ≤ |x| < ∞.
pub(in super::super) fn one_minus_cos(x: f64) -> Approximation {
    let Approximation { high, low, error } = sin(0.5 * x).normalized();
    let (square, rest) = two_product(high, high);
    let (high_square, low_square) = fast_two_sum(square, rest + 2.0 * high * low);
    let error = 6.0 * error * (high.abs() + error);
    Approximation { high: 2.0 * high_square, low: 2.0 * low_square, error }
}

/// Up to here sin x − x cos x is summed by its series.
const SERIES: f64 = 0.25;

/// sin x − x cos x, for 2⁻²⁰⁰ ≤ |x| ≤ 2²⁰⁰.
pub(in super::super) fn sin_minus_angle_cos(x: f64) -> Approximation {
    if x.abs() < SERIES {
        return small_sin_minus_angle_cos(x);
    }
    let (sine, cosine) = (sin(x).normalized(), cos(x).normalized());
    let (product, rest) = two_product(x, cosine.high);
    let (high, high_rest) = two_sum(sine.high, -product);
    let low = (high_rest - rest) + (sine.low - x * cosine.low);
    let (high, low) = two_sum(high, low);
    // Each term's own error, and the roundings of the low parts.
    let size = sine.high.abs() + product.abs();
    let error = 1.01 * (sine.error + x.abs() * cosine.error) + size * RELATIVE_ERROR / 64.0;
    Approximation { high, low, error: error + high.abs() * RELATIVE_ERROR }
}

/// x³/3 (1 − x²/10 + x⁴/280 − …), for |x| < 1/4.
fn small_sin_minus_angle_cos(x: f64) -> Approximation {
    let (z, z_rest) = two_product(x, x);
    // The terms after the first, relative to it: factors −1/(2n (2n + 3)).
    let series = z
        * (-1.0 / 10.0
            + z * (1.0 / 280.0
                + z * (-1.0 / 15_120.0
                    + z * (1.0 / 1_330_560.0
                        + z * (-1.0 / 172_972_800.0 + z * (1.0 / 31_135_104_000.0))))));
    let (cube, cube_rest) = two_product(x, z);
    let cube_rest = cube_rest + x * z_rest;
    // A third of cube + cube_rest: quotient and remainder.
    let third = cube / 3.0;
    let (back, back_rest) = two_product(3.0, third);
    let third_rest = ((cube - back) - back_rest + cube_rest) / 3.0;
    let (high, low) = fast_two_sum(third, third_rest + third * series);
    // The series is up to 2⁻⁷ of the whole, and so are its roundings.
    Approximation { high, low, error: 64.0 * high.abs() * RELATIVE_ERROR }
}
