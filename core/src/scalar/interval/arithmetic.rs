//! The four operations, square and root.

use core::ops::{Add, Div, Mul, Neg, Sub};

use super::Interval;
use super::kernel::power;
use super::rounding::{
    converted, product, product_above, product_sum, quotient, quotient_above, root, sum,
};
use crate::scalar::Scalar;
use crate::scalar::float::Float;

impl<F: Float> Neg for Interval<F> {
    type Output = Self;

    /// {−x}.
    #[inline]
    fn neg(self) -> Self {
        Self::between(-self.hi, -self.lo)
    }
}

impl<F: Float> Add for Interval<F> {
    type Output = Self;

    /// {x + y}.
    #[inline]
    fn add(self, other: Self) -> Self {
        // The NaN ends of an empty interval make NaN ends. No sum of ends is −0.
        Self { lo: sum(self.lo, other.lo).down(), hi: sum(self.hi, other.hi).up() }
    }
}

impl<F: Float> Sub for Interval<F> {
    type Output = Self;

    /// {x − y}, for x and y that know nothing of each other: x − x is 0 only if x is a point.
    #[inline]
    fn sub(self, other: Self) -> Self {
        Self { lo: sum(self.lo, -other.hi).down(), hi: sum(self.hi, -other.lo).up() }
    }
}

impl<F: Float> Mul for Interval<F> {
    type Output = Self;

    /// {x y}. Which ends make the least and the greatest product:
    ///
    /// | \[a, b\] · \[c, d\] | c ≥ 0 | d ≤ 0 | c < 0 < d |
    /// |---|---|---|---|
    /// | a ≥ 0     | ac, bd | bc, ad | bc, bd |
    /// | b ≤ 0     | ad, bc | bd, ac | ad, ac |
    /// | a < 0 < b | ad, bd | bc, ac | min(ad, bc), max(ac, bd) |
    #[inline]
    fn mul(self, other: Self) -> Self {
        let (a, b, c, d) = (self.lo, self.hi, other.lo, other.hi);
        let is_moderate = a.is_moderate() & b.is_moderate() & c.is_moderate() & d.is_moderate();
        if !is_moderate {
            return product_by_table(self, other);
        }
        let from = |low: (F, F), high: (F, F)| Self {
            lo: -product_above(-low.0, low.1),
            hi: product_above(high.0, high.1),
        };
        at_corners((a, b), (c, d), from, || product_by_table(self, other))
    }
}

/// Hands the factors of the least and of the greatest product of \[a, b\] and \[c, d\] by the table
/// of `mul` to `from`; takes `mixed` if both intervals have numbers of either sign. An end at 0 may
/// be in either of two cells of the table: both give the same products.
///
/// (A function that returned the factors or none made products slower by a seventh.)
#[inline(always)]
fn at_corners<F: Float, R>(
    (a, b): (F, F),
    (c, d): (F, F),
    from: impl FnOnce((F, F), (F, F)) -> R,
    mixed: impl FnOnce() -> R,
) -> R {
    let (low, high) = if a > F::ZERO {
        if c > F::ZERO {
            ((a, c), (b, d))
        } else if d < F::ZERO {
            ((b, c), (a, d))
        } else {
            ((b, c), (b, d))
        }
    } else if b < F::ZERO {
        if c > F::ZERO {
            ((a, d), (b, c))
        } else if d < F::ZERO {
            ((b, d), (a, c))
        } else {
            ((a, d), (a, c))
        }
    } else if c > F::ZERO {
        ((a, d), (b, d))
    } else if d < F::ZERO {
        ((b, c), (a, c))
    } else {
        return mixed();
    };
    from(low, high)
}

/// {x y}, for any intervals.
#[inline(never)]
fn product_by_table<F: Float>(x: Interval<F>, y: Interval<F>) -> Interval<F> {
    if x.is_empty() || y.is_empty() {
        return Interval::EMPTY;
    }
    let (a, b, c, d) = (x.lo, x.hi, y.lo, y.hi);
    let from = |low: (F, F), high: (F, F)| {
        Interval::between(product(low.0, low.1).down(), product(high.0, high.1).up())
    };
    let hull = || from((a, d), (a, c)).hull(from((b, c), (b, d)));
    at_corners((a, b), (c, d), from, hull)
}

impl<F: Float> Div for Interval<F> {
    type Output = Self;

    /// The hull of {x / y : y ≠ 0}:
    ///
    /// | \[a, b\] / \[c, d\] | c > 0 | c = 0 < d | c < 0 < d |
    /// |---|---|---|---|
    /// | a = b = 0 | 0 | 0 | 0 |
    /// | a ≥ 0     | \[a/d, b/c\] | \[a/d, ∞\] | \[−∞, ∞\] |
    /// | b ≤ 0     | \[a/c, b/d\] | \[−∞, b/d\] | \[−∞, ∞\] |
    /// | a < 0 < b | \[a/c, b/c\] | \[−∞, ∞\] | \[−∞, ∞\] |
    ///
    /// For d ≤ 0 both are negated; division by \[0, 0\] is empty.
    #[inline]
    fn div(self, other: Self) -> Self {
        let (a, b, c, d) = (self.lo, self.hi, other.lo, other.hi);
        let is_moderate = a.is_moderate() & b.is_moderate() & c.is_moderate() & d.is_moderate();
        if !is_moderate || (c < F::ZERO && d > F::ZERO) {
            return quotient_by_table(self, other);
        }
        // The first column; or, with all signs changed, the same one.
        let (a, b, c, d) = if c < F::ZERO { (-b, -a, -d, -c) } else { (a, b, c, d) };
        let below = if a < F::ZERO { c } else { d };
        let above = if b < F::ZERO { d } else { c };
        Self { lo: -quotient_above(-a, below), hi: quotient_above(b, above) }
    }
}

/// The hull of {x / y : y ≠ 0}, for any intervals.
#[inline(never)]
fn quotient_by_table<F: Float>(x: Interval<F>, y: Interval<F>) -> Interval<F> {
    if x.is_empty() || y.is_empty() || y.is_zero() {
        return Interval::EMPTY;
    }
    if x.is_zero() {
        return x;
    }
    let (dividend, divisor) = if y.hi <= F::ZERO { (-x, -y) } else { (x, y) };
    let (a, b, c, d) = (dividend.lo, dividend.hi, divisor.lo, divisor.hi);
    if c < F::ZERO || (c == F::ZERO && a < F::ZERO && b > F::ZERO) {
        return Interval::ENTIRE;
    }
    let lo = if a >= F::ZERO {
        quotient(a, d).down()
    } else if c == F::ZERO {
        F::NEG_INFINITY
    } else {
        quotient(a, c).down()
    };
    let hi = if b <= F::ZERO {
        quotient(b, d).up()
    } else if c == F::ZERO {
        F::INFINITY
    } else {
        quotient(b, c).up()
    };
    Interval::between(lo, hi)
}

/// {|x|}.
pub(super) fn absolute<F: Float>(x: Interval<F>) -> Interval<F> {
    if x.lo >= F::ZERO {
        x
    } else if x.hi <= F::ZERO {
        -x
    } else if x.is_empty() {
        Interval::EMPTY
    } else {
        Interval::between(F::ZERO, x.hi.max(-x.lo))
    }
}

/// {x²}, never negative.
pub(super) fn square<F: Float>(x: Interval<F>) -> Interval<F> {
    let x = absolute(x);
    Interval::between(product(x.lo, x.lo).down(), product(x.hi, x.hi).up())
}

/// {√x : x ≥ 0}.
pub(super) fn square_root<F: Float>(x: Interval<F>) -> Interval<F> {
    let x = x.intersection(Interval::NON_NEGATIVE);
    Interval::between(root(x.lo).down(), root(x.hi).up())
}

/// Operations beside those of [`Scalar`].
impl<F: Float> Interval<F> {
    /// {1 / x : x ≠ 0}; empty if x is \[0, 0\].
    #[must_use]
    pub fn recip(self) -> Self {
        Self::between(F::ONE, F::ONE) / self
    }

    /// {x y + z}, rounded once.
    #[must_use]
    pub fn fma(self, factor: Self, term: Self) -> Self {
        if self.is_empty() || factor.is_empty() || term.is_empty() {
            return Self::EMPTY;
        }
        // The extrema are at corners; those with the least and greatest product are among them.
        let corners = [
            (self.lo, factor.lo),
            (self.lo, factor.hi),
            (self.hi, factor.lo),
            (self.hi, factor.hi),
        ];
        let (mut lo, mut hi) = (F::INFINITY, F::NEG_INFINITY);
        for (x, y) in corners {
            lo = lo.min(lower_end(x, y, term.lo));
            hi = hi.max(-lower_end(-x, y, -term.hi));
        }
        Self::between(lo, hi)
    }

    /// {xⁿ}, where x⁰ = 1, and x ≠ 0 if n < 0.
    #[must_use]
    pub fn pown(self, n: i32) -> Self {
        if self.is_empty() {
            return self;
        }
        if n == 0 {
            return Self::between(F::ONE, F::ONE);
        }
        if n & 1 == 0 {
            return power_of_positive(absolute(self), n);
        }
        if self.lo >= F::ZERO {
            return power_of_positive(self, n);
        }
        if self.hi <= F::ZERO {
            return -power_of_positive(-self, n);
        }
        if n < 0 {
            return Self::ENTIRE;
        }
        let above = power_of_positive(Self::between(F::ZERO, self.hi), n);
        let below = power_of_positive(Self::between(F::ZERO, -self.lo), n);
        Self::between(-below.hi, above.hi)
    }

    /// {|x|}.
    #[must_use]
    pub fn abs(self) -> Self {
        absolute(self)
    }

    /// {min(x, y)}.
    #[must_use]
    pub fn min(self, other: Self) -> Self {
        if self.is_empty() || other.is_empty() {
            return Self::EMPTY;
        }
        Self::between(self.lo.min(other.lo), self.hi.min(other.hi))
    }

    /// {max(x, y)}.
    #[must_use]
    pub fn max(self, other: Self) -> Self {
        if self.is_empty() || other.is_empty() {
            return Self::EMPTY;
        }
        Self::between(self.lo.max(other.lo), self.hi.max(other.hi))
    }
}

/// A lower bound of x y + z, where an infinite x y is that of an unbounded product.
fn lower_end<F: Float>(x: F, y: F, z: F) -> F {
    if z == F::NEG_INFINITY { z } else { product_sum(x, y, z).0 }
}

/// {xⁿ : x ≥ 0} for n ≠ 0, without 0 if n < 0.
fn power_of_positive<F: Float>(x: Interval<F>, n: i32) -> Interval<F> {
    if n < 0 && x.hi == F::ZERO {
        return Interval::EMPTY;
    }
    let at = |x: F| {
        let x = x.to_f64();
        if x == 0.0 || x == f64::INFINITY {
            let limit = if (n < 0) == (x == 0.0) { f64::INFINITY } else { 0.0 };
            (limit, limit)
        } else {
            power::pown(x, n)
        }
    };
    let first = at(x.lo);
    let last = if x.lo == x.hi { first } else { at(x.hi) };
    let (lo, hi) = if n < 0 { (last.0, first.1) } else { (first.0, last.1) };
    Interval::between(converted(lo).down(), converted(hi).up())
}
