//! The four operations, square and root.

use core::ops::{Add, Div, Mul, Neg, Sub};

use super::Interval;
use super::rounding::{product, quotient, root, sum};
use crate::scalar::Scalar;
use crate::scalar::float::Float;

impl<F: Float> Neg for Interval<F> {
    type Output = Self;

    /// {−x}.
    fn neg(self) -> Self {
        Self::between(-self.hi, -self.lo)
    }
}

impl<F: Float> Add for Interval<F> {
    type Output = Self;

    /// {x + y}.
    fn add(self, other: Self) -> Self {
        // The NaN ends of an empty interval make NaN ends.
        Self::between(sum(self.lo, other.lo).down(), sum(self.hi, other.hi).up())
    }
}

impl<F: Float> Sub for Interval<F> {
    type Output = Self;

    /// {x − y}, for x and y that know nothing of each other: x − x is 0 only if x is a point.
    fn sub(self, other: Self) -> Self {
        self + (-other)
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
    fn mul(self, other: Self) -> Self {
        if self.is_empty() || other.is_empty() {
            return Self::EMPTY;
        }
        let (a, b, c, d) = (self.lo, self.hi, other.lo, other.hi);
        let from = |low: (F, F), high: (F, F)| {
            Self::between(product(low.0, low.1).down(), product(high.0, high.1).up())
        };
        let (positive, negative) = (c >= F::ZERO, d <= F::ZERO);
        if a >= F::ZERO {
            if positive {
                from((a, c), (b, d))
            } else if negative {
                from((b, c), (a, d))
            } else {
                from((b, c), (b, d))
            }
        } else if b <= F::ZERO {
            if positive {
                from((a, d), (b, c))
            } else if negative {
                from((b, d), (a, c))
            } else {
                from((a, d), (a, c))
            }
        } else if positive {
            from((a, d), (b, d))
        } else if negative {
            from((b, c), (a, c))
        } else {
            from((a, d), (a, c)).hull(from((b, c), (b, d)))
        }
    }
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
    fn div(self, other: Self) -> Self {
        if self.is_empty() || other.is_empty() || other.is_zero() {
            return Self::EMPTY;
        }
        if self.is_zero() {
            return self;
        }
        let (dividend, divisor) = if other.hi <= F::ZERO { (-self, -other) } else { (self, other) };
        let (a, b, c, d) = (dividend.lo, dividend.hi, divisor.lo, divisor.hi);
        if c < F::ZERO || (c == F::ZERO && a < F::ZERO && b > F::ZERO) {
            return Self::ENTIRE;
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
        Self::between(lo, hi)
    }
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
