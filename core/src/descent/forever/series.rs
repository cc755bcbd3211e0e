//! Functions of x by their first three coefficients at 0, and an enclosure of what is left over x³.
//!
//! `f(x) = a₀ + a₁x + a₂x² + x³ R(x)` with R(x) in `rest` for all x of the domain. Where the
//! coefficients of a sum cancel, nothing but the rest remains, and no division by a small x is
//! needed to see how large it is. The calculus is that of Taylor models, with the remainder kept
//! as a factor.

use core::ops::{Add, Div, Mul, Sub};

use crate::Scalar;
use crate::scalar::float::Float;
use crate::scalar::interval::Interval;

/// Such a function.
#[derive(Clone, Copy, Debug)]
pub(super) struct Series<F> {
    /// x, as an interval of numbers ≥ 0.
    domain: Interval<F>,
    /// a₀, a₁, a₂.
    coefficients: [Interval<F>; 3],
    /// An enclosure of R over the domain.
    pub(super) rest: Interval<F>,
}

impl<F: Float> Series<F> {
    pub(super) fn new(
        domain: Interval<F>,
        coefficients: [Interval<F>; 3],
        rest: Interval<F>,
    ) -> Self {
        Self { domain, coefficients, rest }
    }

    /// A number.
    pub(super) fn constant(domain: Interval<F>, value: Interval<F>) -> Self {
        let zero = value.zero();
        Self::new(domain, [value, zero, zero], zero)
    }

    /// x itself.
    pub(super) fn variable(domain: Interval<F>) -> Self {
        let zero = domain.zero();
        Self::new(domain, [zero, domain.one(), zero], zero)
    }

    /// Enclosures of the coefficients.
    #[cfg(test)]
    pub(super) fn coefficients(&self) -> [Interval<F>; 3] {
        self.coefficients
    }

    /// The range.
    pub(super) fn value(&self) -> Interval<F> {
        let [a, b, c] = self.coefficients;
        a + self.domain * (b + self.domain * (c + self.domain * self.rest))
    }

    /// f(x)/x², for a₀ = a₁ = 0.
    pub(super) fn over_square(&self) -> Interval<F> {
        let [_, _, c] = self.coefficients;
        c + self.domain * self.rest
    }

    /// (eᶠ − 1)/f, for a₀ = a₁ = 0.
    ///
    /// It is 1 + f/2 + f² q with q = ½ ∫₀¹ (1−s)² e^{sf} ds between e^{min(f,0)}/6 and
    /// e^{max(f,0)}/6.
    pub(super) fn exponential_quotient(self) -> Self {
        let one = self.domain.one();
        let half = one.rational(1, 2);
        let value = self.value();
        let extreme = one.hull(value.exp());
        let square = self.domain * self.over_square().square();
        let [_, _, c] = self.coefficients;
        Self::new(
            self.domain,
            [one, one.zero(), half * c],
            half * self.rest + square * extreme * one.rational(1, 6),
        )
    }
}

impl<F: Float> Add for Series<F> {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        let ([a, b, c], [d, e, f]) = (self.coefficients, other.coefficients);
        Self::new(self.domain, [a + d, b + e, c + f], self.rest + other.rest)
    }
}

impl<F: Float> Sub for Series<F> {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        let ([a, b, c], [d, e, f]) = (self.coefficients, other.coefficients);
        Self::new(self.domain, [a - d, b - e, c - f], self.rest - other.rest)
    }
}

impl<F: Float> Mul for Series<F> {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        let ([a, b, c], [d, e, f]) = (self.coefficients, other.coefficients);
        let x = self.domain;
        let polynomial = a + x * (b + x * c);
        Self::new(
            x,
            [a * d, a * e + b * d, a * f + b * e + c * d],
            b * f + c * e + x * c * f + self.rest * other.value() + other.rest * polynomial,
        )
    }
}

impl<F: Float> Div for Series<F> {
    type Output = Self;

    /// By the reciprocal p of the divisor to second order: `1/g = p + x³ R` with
    /// `x³ R = (1 − g p)/g`, where g p has the coefficients 1, 0, 0.
    fn div(self, divisor: Self) -> Self {
        let [d, e, f] = divisor.coefficients;
        let p = d.one() / d;
        let q = -(e * p) / d;
        let s = -(e * q + f * p) / d;
        let zero = d.zero();
        let mut reciprocal = Self::new(divisor.domain, [p, q, s], zero);
        reciprocal.rest = -((divisor * reciprocal).rest / divisor.value());
        self * reciprocal
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(x: f64) -> Interval<f64> {
        Interval::point(x)
    }

    /// A series, and its function.
    type Example = (Series<f64>, fn(f64) -> f64);

    /// f = 1 + 2x − x² + 3x³ and g = 2 − x + x²/2 − x³.
    fn examples(domain: Interval<f64>) -> [Example; 2] {
        let series = |a: [f64; 4]| {
            Series::new(domain, [number(a[0]), number(a[1]), number(a[2])], number(a[3]))
        };
        [
            (series([1.0, 2.0, -1.0, 3.0]), |x| 1.0 + x * (2.0 + x * (-1.0 + 3.0 * x))),
            (series([2.0, -1.0, 0.5, -1.0]), |x| 2.0 + x * (-1.0 + x * (0.5 - x))),
        ]
    }

    /// Whether the rest of a series, times x³, is what its function has beyond its coefficients.
    fn agrees(series: Series<f64>, coefficients: [f64; 3], f: impl Fn(f64) -> f64, x: f64) {
        for (found, expected) in series.coefficients().into_iter().zip(coefficients) {
            assert!((found.midpoint() - expected).abs() < 1e-15 && found.width() < 1e-14);
        }
        let [a, b, c] = coefficients;
        let rest = (f(x) - (a + x * (b + x * c))) / (x * x * x);
        let slack = 1e-13 / (x * x * x);
        assert!(series.rest.lo() - slack <= rest && rest <= series.rest.hi() + slack, "{rest}");
        let value = series.value();
        assert!(value.lo() - 1e-15 <= f(x) && f(x) <= value.hi() + 1e-15);
    }

    #[test]
    fn rests_enclose_what_is_left() {
        for (lo, hi) in [(0.1, 0.11), (0.3, 0.3125), (0.0, 0.05)] {
            let domain = Interval::new(lo, hi).unwrap();
            let [(f, f_at), (g, g_at)] = examples(domain);
            for x in [lo.max(0.01), 0.5 * (lo + hi), hi] {
                agrees(f + g, [3.0, 1.0, -0.5], |x| f_at(x) + g_at(x), x);
                agrees(f - g, [-1.0, 3.0, -1.5], |x| f_at(x) - g_at(x), x);
                agrees(f * g, [2.0, 3.0, -3.5], |x| f_at(x) * g_at(x), x);
                agrees(f / g, [0.5, 1.25, 0.0], |x| f_at(x) / g_at(x), x);
                let variable = Series::variable(domain);
                let small = variable * variable * f;
                let quotient = |x: f64| (x * x * f_at(x)).exp_m1() / (x * x * f_at(x));
                agrees(small.exponential_quotient(), [1.0, 0.0, 0.5], quotient, x);
            }
        }
    }
}
