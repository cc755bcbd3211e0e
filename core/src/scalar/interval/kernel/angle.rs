//! The angle of a point of the plane, note 5 section 8: atan2, and so atan, asin and acos.

use super::pair::{fast_two_sum, nearest_integer, short_product, two_product};
use super::tables::{ATAN, HALF_PI, HALF_PI_REST};
use super::{Approximation, power};

/// Ratios below this are angles up to a relative error of 2⁻¹²⁰.
pub(in super::super) const TINY: f64 = power(-60);

/// An unrounded coordinate: a sum of two floats.
type Pair = (f64, f64);

/// The angle of (x, y) for finite x, and finite y > 0. If x > 0, then y/x ≥ 2⁻⁶⁰.
pub(in super::super) fn atan2(y: f64, x: f64) -> Approximation {
    let magnitude = x.abs();
    let larger = magnitude.max(y);
    // Bring the larger one near 1, in two exact steps; what underflows is tiny.
    let step = if larger < power(-500) {
        power(600)
    } else if larger > power(500) {
        power(-600)
    } else {
        1.0
    };
    let bits = (larger * step).to_bits() >> 52;
    let scale = power(1023_i32.wrapping_sub(bits as i32));
    of_point((y * step * scale, 0.0), (x * step * scale, 0.0))
}

/// arcsin x for 2⁻⁶⁰ ≤ x ≤ 1.
#[inline]
pub(in super::super) fn asin(x: f64) -> Approximation {
    of_point((x, 0.0), cosine_of_arcsine(x))
}

/// arccos x for |x| < 1.
#[inline]
pub(in super::super) fn acos(x: f64) -> Approximation {
    of_point(cosine_of_arcsine(x), (x, 0.0))
}

/// √(1 − x²).
#[inline]
fn cosine_of_arcsine(x: f64) -> Pair {
    let x = if x.abs() < TINY { 0.0 } else { x };
    let (square, square_rest) = two_product(x, x);
    let (first, first_rest) = fast_two_sum(1.0, -square);
    let (high, low) = fast_two_sum(first, first_rest - square_rest);
    let root = libm::sqrt(high);
    if root == 0.0 {
        return (0.0, 0.0);
    }
    // Begun before the product is known.
    let half_inverse = 0.5 / root;
    let (back, back_rest) = two_product(root, root);
    (root, ((high - back) - back_rest + low) * half_inverse)
}

/// The angle of (x, y) for y ≥ 0, the larger of |x|, y being in [1/2, 2]. If x > 0, then
/// y/x ≥ 2⁻⁶⁰.
#[inline]
fn of_point(y: Pair, x: Pair) -> Approximation {
    let (is_left, magnitude) = if x.0 < 0.0 { (true, (-x.0, -x.1)) } else { (false, x) };
    let is_steep = y.0 > magnitude.0;
    let (short, long) = if is_steep { (magnitude, y) } else { (y, magnitude) };
    // Beside π/2 or π a tiny angle is just an error.
    let angle = if (is_left || is_steep) && short.0 < TINY * long.0 {
        Approximation { high: 0.0, low: 0.0, error: 2.0 * TINY }
    } else {
        octant(short, long)
    };
    // Nothing, a right angle or two; then plus or minus the angle.
    let quarters = if is_steep {
        1.0
    } else if is_left {
        2.0
    } else {
        0.0
    };
    let sign = if is_left == is_steep { 1.0 } else { -1.0 };
    let (high, rest) = fast_two_sum(quarters * HALF_PI, sign * angle.high);
    let low = rest + (quarters * HALF_PI_REST + sign * angle.low);
    let value = Approximation::declared(high, low);
    let error = value.error.max(angle.error + 0.25 * value.error);
    Approximation { error: if quarters == 0.0 { angle.error } else { error }, ..value }
}

/// arctan(short/long), for 2⁻⁶¹ ≤ short/long, short.0 ≤ long.0 and 1/2 ≤ long ≤ 2.
#[inline]
fn octant(short: Pair, long: Pair) -> Approximation {
    let index = nearest_integer(64.0 * (short.0 / long.0));
    let Some(row) = ATAN.get(index as usize) else { return Approximation::UNKNOWN };
    let [t1, t2] = row.map(f64::from_bits);
    // arctan(a/b) = arctan c + arctan d with d = (a − c b)/(b + c a).
    let c = index * (1.0 / 64.0);
    let (p, p_rest) = short_product(c, long.0);
    // Exact: p is 0, or between half and twice short.0.
    let n1 = short.0 - p;
    let n2 = short.1 - p_rest - c * long.1;
    let (q, q_rest) = short_product(c, short.0);
    let (s1, s_rest) = fast_two_sum(long.0, q);
    let s2 = s_rest + (q_rest + long.1 + c * short.1);
    let inverse = 1.0 / s1;
    let d1 = n1 * inverse;
    let (back, back_rest) = two_product(d1, s1);
    let d2 = (((n1 - back) - back_rest) + n2 - d1 * s2) * inverse;
    let z = d1 * d1;
    let series = d1 * z * (-1.0 / 3.0 + z * (1.0 / 5.0 + z * (-1.0 / 7.0 + z * (1.0 / 9.0))));
    // d1 is the smaller one, or t1 is 0.
    let (high, rest) = fast_two_sum(t1, d1);
    let low = rest + (t2 + ((d2 - z * d2) + series));
    Approximation::declared(high, low)
}
