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
    pub(super) fn coefficients(&self) -> [Interval<F>; 3] {
        self.coefficients
    }

    /// The range.
    pub(super) fn value(&self) -> Interval<F> {
        let [a, b, c] = self.coefficients;
        a + self.domain * (b + self.domain * (c + self.domain * self.rest))
    }

    /// f(x)/x, for a₀ = 0.
    pub(super) fn over_x(&self) -> Interval<F> {
        let [_, b, c] = self.coefficients;
        b + self.domain * (c + self.domain * self.rest)
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
