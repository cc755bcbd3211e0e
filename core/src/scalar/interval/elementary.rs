//! Elementary functions.
//!
//! Each is evaluated at those points where it is least and greatest; at a point it is enclosed by
//! its [kernel](super::kernel), in `f64`, and rounded outwards to the format of the interval.

use super::Interval;
use super::kernel::{angle, circular, exponential, logarithm};
use super::rounding::{converted, quotient};
use crate::scalar::Scalar;
use crate::scalar::float::Float;

/// Functions beside those of [`Scalar`].
impl<F: Float> Interval<F> {
    /// {ln x : x > 0}; empty if no x is positive. ln 0 counts as −∞.
    #[must_use]
    pub fn ln(self) -> Self {
        ln(self)
    }

    /// {arctan x} ⊂ \[−π/2, π/2\].
    #[must_use]
    pub fn atan(self) -> Self {
        atan(self)
    }

    /// {arcsin x : |x| ≤ 1} ⊂ \[−π/2, π/2\].
    #[must_use]
    pub fn asin(self) -> Self {
        asin(self)
    }

    /// {arccos x : |x| ≤ 1} ⊂ \[0, π\], to full relative accuracy near x = 1.
    #[must_use]
    pub fn acos(self) -> Self {
        acos(self)
    }

    /// The angles in (−π, π] of {(x, y)} without the origin, y in `self` and x in `cosine`, rounded
    /// to the closed hull: `atan2` in the sense of IEEE 1788, which is empty if both are \[0, 0\].
    ///
    /// [`Scalar::atan2`] gives the origin the angle 0.
    #[must_use]
    pub fn argument(self, cosine: Self) -> Self {
        argument(self, cosine)
    }
}

/// A lower and an upper bound of a number.
type Bounds = (f64, f64);

/// Arguments below this are so small that the first two terms of a series say it all.
const TINY: f64 = angle::TINY;

/// The range of a function that grows on x, by its bounds at a point.
fn increasing<F: Float>(x: Interval<F>, at: impl Fn(f64) -> Bounds) -> Interval<F> {
    if x.is_empty() {
        return x;
    }
    let low = at(x.lo.to_f64());
    let high = if x.lo == x.hi { low } else { at(x.hi.to_f64()) };
    rounded(low.0, high.1)
}

/// [lo, hi], with ends in another format.
fn rounded<F: Float>(lo: f64, hi: f64) -> Interval<F> {
    Interval::between(converted::<F>(lo).down(), converted::<F>(hi).up())
}

/// Bounds of an odd function, by those at |x|.
fn odd(x: f64, at: impl Fn(f64) -> Bounds) -> Bounds {
    if x < 0.0 {
        let (lo, hi) = at(-x);
        (-hi, -lo)
    } else {
        at(x)
    }
}

/// {eˣ} ⊂ \[0, ∞).
pub(super) fn exp<F: Float>(x: Interval<F>) -> Interval<F> {
    if x.is_empty() {
        return x;
    }
    let (lo, hi) = exponential::exp(x.lo.to_f64(), x.hi.to_f64());
    rounded(lo, hi)
}

/// {ln x : x > 0}.
pub(super) fn ln<F: Float>(x: Interval<F>) -> Interval<F> {
    // NaN is not positive.
    if !(x.hi > F::ZERO) {
        return Interval::EMPTY;
    }
    let (lo, hi) = logarithm::ln(x.lo.to_f64().max(0.0), x.hi.to_f64());
    rounded(lo, hi)
}

/// {arctan x} ⊂ \[−π/2, π/2\].
pub(super) fn atan<F: Float>(x: Interval<F>) -> Interval<F> {
    increasing(x, |x| {
        odd(x, |x| {
            // arctan x ≤ x
            let (lo, hi) = angle_bounds(x, 1.0);
            (lo, hi.min(x))
        })
    })
}

/// {arcsin x : |x| ≤ 1} ⊂ \[−π/2, π/2\].
pub(super) fn asin<F: Float>(x: Interval<F>) -> Interval<F> {
    increasing(x.intersection(unit()), |x| {
        odd(x, |x| {
            if x >= 1.0 {
                right_angle()
            } else if x < TINY {
                // x ≤ arcsin x ≤ x + x³
                (x, if x == 0.0 { x } else { Float::next_up(x) })
            } else {
                // arcsin x ≥ x
                let (lo, hi) = angle::asin(x).ends();
                (lo.max(x), hi)
            }
        })
    })
}

/// {arccos x : |x| ≤ 1} ⊂ \[0, π\].
pub(super) fn acos<F: Float>(x: Interval<F>) -> Interval<F> {
    // It falls: grows with −x.
    increasing(-x.intersection(unit()), |minus_x| {
        if minus_x <= -1.0 {
            (0.0, 0.0)
        } else if minus_x >= 1.0 {
            (f64::PI_LOWER, f64::PI_UPPER)
        } else {
            angle::acos(-minus_x).ends()
        }
    })
}

/// The two floats around π/2.
fn right_angle() -> Bounds {
    (0.5 * f64::PI_LOWER, 0.5 * f64::PI_UPPER)
}

/// {sin x} ⊂ \[−1, 1\].
pub(super) fn sin<F: Float>(x: Interval<F>) -> Interval<F> {
    let turns = Turns { highest: 1, maximum: 1.0, minimum: -1.0 };
    oscillation(x, &turns, |x| odd(x, sin_bounds))
}

/// {cos x} ⊂ \[−1, 1\].
pub(super) fn cos<F: Float>(x: Interval<F>) -> Interval<F> {
    let turns = Turns { highest: 0, maximum: 1.0, minimum: -1.0 };
    oscillation(x, &turns, cos_bounds)
}

fn sin_bounds(x: f64) -> Bounds {
    if x < TINY {
        // x − x³ ≤ sin x ≤ x
        return (if x == 0.0 { x } else { Float::next_down(x) }, x);
    }
    let (lo, hi) = circular::sin(x).ends();
    (lo.max(-1.0), hi.min(1.0).min(x))
}

fn cos_bounds(x: f64) -> Bounds {
    if x == 0.0 {
        return (1.0, 1.0);
    }
    let (lo, hi) = circular::cos(x).ends();
    (lo.max(-1.0), hi.min(1.0))
}

fn unit<F: Float>() -> Interval<F> {
    Interval::between(-F::ONE, F::ONE)
}

/// Where a periodic function turns.
struct Turns {
    /// At the start of this quadrant (counted from 0 at the argument 0) it has its maximum, two
    /// quadrants on its minimum; in between it is monotone.
    highest: u8,
    maximum: f64,
    minimum: f64,
}

/// The range of a function that turns there, by its bounds at a point.
fn oscillation<F: Float>(x: Interval<F>, turns: &Turns, at: impl Fn(f64) -> Bounds) -> Interval<F> {
    if x.is_empty() {
        return x;
    }
    if x.is_bounded() && x.lo == x.hi {
        let (lo, hi) = at(x.lo.to_f64());
        return rounded(lo, hi);
    }
    let everything = rounded(turns.minimum, turns.maximum);
    if !x.is_bounded() {
        return everything;
    }
    let (lo, hi) = (x.lo.to_f64(), x.hi.to_f64());
    // Ends less than 2π apart are zero to four quadrants apart. Modulo four, zero is four if they
    // are more than 3π/2 apart, and zero if they are less than π/2 apart.
    let width = hi - lo;
    let (Some(first), Some(last)) = (circular::quadrant(lo), circular::quadrant(hi)) else {
        return everything;
    };
    let crossed = last.wrapping_sub(first) & 3;
    if width >= 6.0 || (crossed == 0 && width > 3.0) {
        return everything;
    }
    let crosses = |quadrant: u8| {
        let steps = quadrant.wrapping_sub(first) & 3;
        steps != 0 && steps <= crossed
    };
    let (low, high) = (at(lo), at(hi));
    let least = if crosses(turns.highest ^ 2) { turns.minimum } else { low.0.min(high.0) };
    let greatest = if crosses(turns.highest) { turns.maximum } else { low.1.max(high.1) };
    rounded(least, greatest)
}

/// The angles of {(x, y)} in \[−π, π\], x in `cosine`, y in `sine`, the origin left out. A box
/// that reaches the negative cosine axis from below has angles near −π and π, and so all.
pub(super) fn argument<F: Float>(sine: Interval<F>, cosine: Interval<F>) -> Interval<F> {
    if sine.is_empty() || cosine.is_empty() {
        Interval::EMPTY
    } else if sine.lo >= F::ZERO {
        upper_argument(sine, cosine)
    } else if sine.hi < F::ZERO || (sine.hi == F::ZERO && cosine.lo >= F::ZERO) {
        -upper_argument(-sine, cosine)
    } else {
        // 0 on the axis to the right, π on that to the left.
        let above = Interval::between(F::ZERO, sine.hi);
        let below = Interval::between(F::ZERO, -sine.lo);
        upper_argument(above, cosine).hull(-upper_argument(below, cosine))
    }
}

/// The angles of a box in the upper half-plane without the origin.
fn upper_argument<F: Float>(sine: Interval<F>, cosine: Interval<F>) -> Interval<F> {
    if sine.lo > F::ZERO || cosine.lo > F::ZERO || cosine.hi < F::ZERO {
        return upper_angle(sine, cosine);
    }
    // The box touches the origin. Directions near it: up, left and right where it extends.
    if sine.hi == F::ZERO && cosine.is_zero() {
        return Interval::EMPTY;
    }
    let half_turn: Interval<F> = rounded(f64::PI_LOWER, f64::PI_UPPER);
    let right_angle: Interval<F> = {
        let (lo, hi) = right_angle();
        rounded(lo, hi)
    };
    let least = if cosine.hi > F::ZERO {
        F::ZERO
    } else if sine.hi > F::ZERO {
        right_angle.lo
    } else {
        half_turn.lo
    };
    let greatest = if cosine.lo < F::ZERO {
        half_turn.hi
    } else if sine.hi > F::ZERO {
        right_angle.hi
    } else {
        F::ZERO
    };
    Interval::between(least, greatest)
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
    Interval::between(point_angle(least, cosine.hi).lo, point_angle(greatest, cosine.lo).hi)
}

/// The angle of a point (or, with an infinite coordinate, of a limit) in the upper half-plane.
fn point_angle<F: Float>(sine: F, cosine: F) -> Interval<F> {
    let (lo, hi) = angle_bounds(sine.to_f64(), cosine.to_f64());
    rounded(lo, hi)
}

/// Bounds of the angle of (x, y) for y ≥ 0; 0 at the origin. Where y = ∞ it is a right angle,
/// where x = ±∞ (and y is finite, or a limit) it is 0 or π.
fn angle_bounds(y: f64, x: f64) -> Bounds {
    if x == f64::INFINITY || (y == 0.0 && x >= 0.0) {
        (0.0, 0.0)
    } else if x == f64::NEG_INFINITY || y == 0.0 {
        (f64::PI_LOWER, f64::PI_UPPER)
    } else if y == f64::INFINITY {
        right_angle()
    } else if y < TINY * x {
        // q − q³/3 ≤ arctan q < q. A quotient that is no float is farther from the next one
        // below than q³/3.
        let ratio = quotient(y, x);
        let (lo, hi) = (ratio.down(), ratio.up());
        (if lo == hi { Float::next_down(lo) } else { lo }, hi)
    } else {
        let (lo, hi) = angle::atan2(y, x).ends();
        (lo, hi.min(f64::PI_UPPER))
    }
}

/// {1 − cos x} ⊂ \[0, 2\].
pub(super) fn one_minus_cos<F: Float>(x: Interval<F>) -> Interval<F> {
    let turns = Turns { highest: 2, maximum: 2.0, minimum: 0.0 };
    oscillation(x, &turns, one_minus_cos_bounds)
}

fn one_minus_cos_bounds(x: f64) -> Bounds {
    if x.abs() < SMALLEST_DIRECT {
        // x²/2 (1 − x²/12) ≤ 1 − cos x ≤ x²/2
        let square = Interval::point(x).square() * Interval::point(0.5);
        return (Float::next_down(square.lo).max(0.0), square.hi);
    }
    let (lo, hi) = circular::one_minus_cos(x).ends();
    (lo.max(0.0), hi.min(2.0))
}

/// {sin x − x cos x}.
pub(super) fn sin_minus_angle_cos<F: Float>(x: Interval<F>) -> Interval<F> {
    if x.is_empty() {
        return x;
    }
    // The derivative x sin x is not negative on [−π, π], and not positive on [π, 2π].
    let at = |x| odd(x, sin_minus_angle_cos_bounds);
    if x.lo == x.hi || (-F::PI_LOWER <= x.lo && x.hi <= F::PI_LOWER) {
        return increasing(x, at);
    }
    let plain = sin(x) - x * cos(x);
    let unimodal = |x: Interval<F>| {
        let (low, high) = (at(x.lo.to_f64()), at(x.hi.to_f64()));
        rounded(low.0.min(high.0), f64::PI_UPPER)
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

/// For x ≥ 0.
fn sin_minus_angle_cos_bounds(x: f64) -> Bounds {
    let point = Interval::point(x);
    if x < SMALLEST_DIRECT {
        // x³/3 (1 − x²/10) ≤ sin x − x cos x ≤ x³/3
        let cube = point * point.square() / Interval::point(3.0);
        (Float::next_down(cube.lo).max(0.0), cube.hi)
    } else if x > LARGEST_DIRECT {
        let direct = sin(point) - point * cos(point);
        (direct.lo, direct.hi)
    } else {
        circular::sin_minus_angle_cos(x).ends()
    }
}

/// From here on the products of the two kernels are exact: 2⁻²⁰⁰.
const SMALLEST_DIRECT: f64 = f64::from_bits((1023 - 200) << 52);

/// Up to here those of the second are: 2²⁰⁰.
const LARGEST_DIRECT: f64 = f64::from_bits((1023 + 200) << 52);
