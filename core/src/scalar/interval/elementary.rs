//! Elementary functions.
//!
//! Each is evaluated at those points where it is least and greatest; at a point it is the value of
//! `libm`, widened by a number of floats on each side and cut to the range of the function. The
//! evidence for that number is in the table of the [parent module](super).

use super::Interval;
use super::rounding::{steps_down, steps_up};
use crate::scalar::Scalar;
use crate::scalar::float::Float;

/// By how many floats values of exp, sin and cos are widened on each side.
const STEPS: u32 = 2;

/// By how many floats values of atan2 are widened on each side.
const ANGLE_STEPS: u32 = 4;

/// Beyond this, proper intervals are taken to contain extrema of sine and cosine.
const LARGEST_REDUCED: f64 = 1_073_741_824.0;

/// {eˣ} ⊂ \[0, ∞).
pub(super) fn exp<F: Float>(x: Interval<F>) -> Interval<F> {
    if x.is_empty() {
        return x;
    }
    // e⁰ = 1, and the exponential grows.
    let lo = steps_down(x.lo.exp(), STEPS).max(if x.lo >= F::ZERO { F::ONE } else { F::ZERO });
    let hi = steps_up(x.hi.exp(), STEPS);
    Interval::between(lo, if x.hi <= F::ZERO { hi.min(F::ONE) } else { hi })
}

/// {sin x} ⊂ \[−1, 1\].
pub(super) fn sin<F: Float>(x: Interval<F>) -> Interval<F> {
    // The extrema are at (k + 1/2) π.
    oscillation(x, 0.5, sin_point)
}

/// {cos x} ⊂ \[−1, 1\].
pub(super) fn cos<F: Float>(x: Interval<F>) -> Interval<F> {
    // The extrema are at k π.
    oscillation(x, 0.0, cos_point)
}

fn unit<F: Float>() -> Interval<F> {
    Interval::between(-F::ONE, F::ONE)
}

fn sin_point<F: Float>(x: F) -> Interval<F> {
    let magnitude = x.abs();
    let sine = magnitude.sin();
    // sin x ≤ x, and sin x ≥ 0 up to π.
    let hi = steps_up(sine, STEPS).min(magnitude);
    let lo = steps_down(sine, STEPS);
    let lo = if magnitude <= F::PI_LOWER { lo.max(F::ZERO) } else { lo };
    let value = Interval::between(lo, hi).intersection(unit());
    if x < F::ZERO { -value } else { value }
}

fn cos_point<F: Float>(x: F) -> Interval<F> {
    if x == F::ZERO {
        return Interval::between(F::ONE, F::ONE);
    }
    let cosine = x.abs().cos();
    Interval::between(steps_down(cosine, STEPS), steps_up(cosine, STEPS)).intersection(unit())
}

/// The range of a function that swings between its maxima 1 at (k + offset) π for even k, and
/// its minima −1 for odd k.
fn oscillation<F: Float>(
    x: Interval<F>,
    offset: f64,
    at_point: impl Fn(F) -> Interval<F>,
) -> Interval<F> {
    if x.is_empty() {
        return x;
    }
    if x.lo == x.hi {
        return at_point(x.lo);
    }
    let (lo, hi) = (x.lo.to_f64(), x.hi.to_f64());
    if !(lo >= -LARGEST_REDUCED && hi <= LARGEST_REDUCED) {
        return unit();
    }
    let phase = |x: f64| Interval::point(x) / Interval::PI - Interval::point(offset);
    // No extremum inside is missed; one that lies within a rounding of an end may be counted.
    let first = ceiling(phase(lo).lo);
    let last = floor(phase(hi).hi);
    let ends = at_point(x.lo).hull(at_point(x.hi));
    if first > last {
        ends
    } else if first < last {
        unit()
    } else if first & 1 == 0 {
        Interval::between(ends.lo, F::ONE)
    } else {
        Interval::between(-F::ONE, ends.hi)
    }
}

/// The largest integer ≤ x.
fn floor(x: f64) -> i64 {
    let integer = x as i64;
    if integer as f64 > x { integer.wrapping_sub(1) } else { integer }
}

/// The smallest integer ≥ x.
fn ceiling(x: f64) -> i64 {
    floor(-x).wrapping_neg()
}

/// The angles of {(x, y)} in \[−π, π\], x in `cosine`, y in `sine`; 0 at the origin. A box that
/// reaches the negative cosine axis from below has angles near −π and π, and so all.
pub(super) fn atan2<F: Float>(sine: Interval<F>, cosine: Interval<F>) -> Interval<F> {
    if sine.is_empty() || cosine.is_empty() {
        Interval::EMPTY
    } else if sine.lo >= F::ZERO {
        upper_angle(sine, cosine)
    } else if sine.hi < F::ZERO {
        -upper_angle(-sine, cosine)
    } else {
        let above = Interval::between(F::ZERO, sine.hi);
        let below = Interval::between(F::ZERO, -sine.lo);
        upper_angle(above, cosine).hull(-upper_angle(below, cosine))
    }
}

/// The angles of a box in the upper half-plane. They fall with the cosine, and away from the
/// origin they grow with the sine on the right (to π/2) and fall with it on the left.
fn upper_angle<F: Float>(sine: Interval<F>, cosine: Interval<F>) -> Interval<F> {
    let least = if cosine.hi >= F::ZERO { sine.lo } else { sine.hi };
    let greatest = if cosine.lo >= F::ZERO { sine.hi } else { sine.lo };
    Interval::between(angle(least, cosine.hi).lo, angle(greatest, cosine.lo).hi)
}

/// The angle of a point (or, with an infinite coordinate, of a limit) in the upper half-plane.
fn angle<F: Float>(sine: F, cosine: F) -> Interval<F> {
    if sine == F::ZERO && cosine >= F::ZERO {
        return Interval::between(F::ZERO, F::ZERO);
    }
    let value = sine.atan2(cosine);
    let lo = steps_down(value, ANGLE_STEPS).max(F::ZERO);
    let hi = steps_up(value, ANGLE_STEPS).min(F::PI_UPPER);
    Interval::between(lo, hi)
}

/// {1 − cos x} ⊂ \[0, 2\].
pub(super) fn one_minus_cos<F: Float>(x: Interval<F>) -> Interval<F> {
    if x.is_empty() {
        return x;
    }
    // Even; grows up to π, falls from there to 2π.
    let x = x.fold();
    let two = F::ONE + F::ONE;
    let least = || one_minus_cos_point(x.lo).lo;
    if x.hi <= F::PI_LOWER {
        return Interval::between(least(), one_minus_cos_point(x.hi).hi);
    }
    let plain = x.one() - cos(x);
    let lo =
        if x.hi <= two * F::PI_LOWER { least().min(one_minus_cos_point(x.hi).lo) } else { F::ZERO };
    plain.intersection(Interval::between(lo, two))
}

/// 2 sin²(x/2), from 0 to π and a little beyond.
fn one_minus_cos_point<F: Float>(x: F) -> Interval<F> {
    let half_sine = sin(Interval::point(x) * Interval::point(F::from_f64(0.5)));
    let two = F::ONE + F::ONE;
    (half_sine.square() * Interval::point(two)).intersection(Interval::between(F::ZERO, two))
}

/// {sin x − x cos x}.
pub(super) fn sin_minus_angle_cos<F: Float>(x: Interval<F>) -> Interval<F> {
    if x.is_empty() {
        return x;
    }
    // The derivative x sin x is not negative on [−π, π], and not positive on [π, 2π].
    if -F::PI_LOWER <= x.lo && x.hi <= F::PI_LOWER {
        return Interval::between(
            sin_minus_angle_cos_point(x.lo).lo,
            sin_minus_angle_cos_point(x.hi).hi,
        );
    }
    let plain = sin(x) - x * cos(x);
    let unimodal = |x: Interval<F>| {
        Interval::between(
            sin_minus_angle_cos_point(x.lo).lo.min(sin_minus_angle_cos_point(x.hi).lo),
            F::PI_UPPER,
        )
    };
    let limit = F::PI_LOWER + F::PI_LOWER;
    if x.lo >= F::ZERO && x.hi <= limit {
        plain.intersection(unimodal(x))
    } else if x.hi <= F::ZERO && x.lo >= -limit {
        plain.intersection(-unimodal(-x))
    } else {
        plain
    }
}

fn sin_minus_angle_cos_point<F: Float>(x: F) -> Interval<F> {
    let point = Interval::point(x);
    if x.abs() > F::ONE {
        return sin(point) - point * cos(point);
    }
    // x³/3 · (1 − x²/10 (1 − x²/28 (1 − x²/54 …))). The series alternates and its terms fall, so
    // that every bracket, that of the first term left out too, lies in [0, 1]. The factors are
    // 2(n−1)(2n+1), and 10 terms leave less than 2⁻⁵⁹ of the first.
    let square = point.square();
    let one = point.one();
    let mut bracket = Interval::between(F::ZERO, F::ONE);
    for factor in [378.0, 304.0, 238.0, 180.0, 130.0, 88.0, 54.0, 28.0, 10.0] {
        bracket = one - square / Interval::point(F::from_f64(factor)) * bracket;
    }
    point * square / Interval::point(F::from_f64(3.0)) * bracket
}
