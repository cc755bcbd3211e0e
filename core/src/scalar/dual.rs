//! Forward-mode derivatives: a number and its derivative in N directions at once.
//!
//! ```
//! use popgd_core::scalar::{Scalar, dual::Dual};
//!
//! // d/dx x sin x = sin x + x cos x
//! let x = Dual::<f64, 1>::variable(2.0, 0);
//! let y = x * x.sin();
//! assert!((y.derivative[0] - (2.0_f64.sin() + 2.0 * 2.0_f64.cos())).abs() < 1e-15);
//! ```

use core::ops::{Add, Div, Mul, Neg, Sub};

use super::{Logarithm, Scalar, count};

/// A value and its derivative in `N` directions.
///
/// Over floats the derivative is a number, over intervals an enclosure of all derivatives in a
/// box, over duals a second derivative. Where a function has a kink the derivative is one that
/// keeps computations finite: 0 for a norm at 0 and for the angle at the origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dual<T, const N: usize> {
    /// The number itself.
    pub value: T,
    /// Its derivative in each direction.
    pub derivative: [T; N],
}

impl<T: Scalar, const N: usize> Dual<T, N> {
    /// A number that does not change: derivative 0 in every direction.
    #[must_use]
    pub fn constant(value: T) -> Self {
        Self { value, derivative: [value.zero(); N] }
    }

    /// The coordinate along `direction`: derivative 1 in that direction, 0 in the others. If
    /// there is no such direction (`direction` ≥ N) it is a constant.
    #[must_use]
    pub fn variable(value: T, direction: usize) -> Self {
        let mut variable = Self::constant(value);
        if let Some(derivative) = variable.derivative.get_mut(direction) {
            *derivative = value.one();
        }
        variable
    }

    /// f(x), where f(x.value) = `value` and f′(x.value) = `slope`.
    fn chain(self, value: T, slope: T) -> Self {
        self.map(value, |d| slope * d)
    }

    /// `value`, and each derivative by `rule` from that of `self`.
    fn map(self, value: T, rule: impl Fn(T) -> T) -> Self {
        let mut derivative = self.derivative;
        for d in &mut derivative {
            *d = rule(*d);
        }
        Self { value, derivative }
    }

    /// `value`, and each derivative by `rule` from those of `self` and `other`.
    fn zip(self, other: Self, value: T, rule: impl Fn(T, T) -> T) -> Self {
        let mut derivative = self.derivative;
        for (d, e) in derivative.iter_mut().zip(other.derivative) {
            *d = rule(*d, e);
        }
        Self { value, derivative }
    }
}

/// (xy)′ = x′y + xy′.
fn product_rule<T: Scalar>(x: T, dx: T, y: T, dy: T) -> T {
    dx * y + x * dy
}

/// q′ = (x′ − q y′)/y for q = x/y.
fn quotient_rule<T: Scalar>(quotient: T, dx: T, y: T, dy: T) -> T {
    (dx - quotient * dy) / y
}

impl<T: Scalar, const N: usize> Neg for Dual<T, N> {
    type Output = Self;

    fn neg(self) -> Self {
        self.map(-self.value, |d| -d)
    }
}

impl<T: Scalar, const N: usize> Add for Dual<T, N> {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        self.zip(other, self.value + other.value, |d, e| d + e)
    }
}

impl<T: Scalar, const N: usize> Sub for Dual<T, N> {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        self.zip(other, self.value - other.value, |d, e| d - e)
    }
}

impl<T: Scalar, const N: usize> Mul for Dual<T, N> {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        self.zip(other, self.value * other.value, |d, e| {
            product_rule(self.value, d, other.value, e)
        })
    }
}

impl<T: Scalar, const N: usize> Div for Dual<T, N> {
    type Output = Self;

    fn div(self, other: Self) -> Self {
        let quotient = self.value / other.value;
        self.zip(other, quotient, |d, e| quotient_rule(quotient, d, other.value, e))
    }
}

impl<T: Scalar, const N: usize> Scalar for Dual<T, N> {
    fn lift(self, value: f64) -> Self {
        Self::constant(self.value.lift(value))
    }

    fn rational(self, numerator: i64, denominator: i64) -> Self {
        Self::constant(self.value.rational(numerator, denominator))
    }

    fn integer(self, value: i64) -> Self {
        Self::constant(self.value.integer(value))
    }

    fn zero(self) -> Self {
        Self::constant(self.value.zero())
    }

    fn one(self) -> Self {
        Self::constant(self.value.one())
    }

    fn pi(self) -> Self {
        Self::constant(self.value.pi())
    }

    fn is_zero(self) -> bool {
        self.value.is_zero()
    }

    /// With derivative 0.
    fn if_zero(self, at_zero: Self, elsewhere: Self) -> Self {
        let value = self.value.if_zero(at_zero.value, elsewhere.value);
        at_zero.zip(elsewhere, value, |d, e| {
            let slope = self.value.if_zero(d, e);
            if self.value.doubts_zero() {
                // Across a jump the slope is anything: all reals, made from what may be 0.
                let unbounded = d.one() / self.value;
                slope + (unbounded + (-unbounded))
            } else {
                slope
            }
        })
    }

    fn doubts_zero(self) -> bool {
        self.value.doubts_zero()
    }

    fn is_number(self) -> bool {
        self.value.is_number() && self.derivative.iter().all(|d| d.is_number())
    }

    fn detached(self) -> Self {
        Self::constant(self.value.detached())
    }

    fn sign(self) -> Self {
        Self::constant(self.value.sign())
    }

    fn fold(self) -> Self {
        self.chain(self.value.fold(), self.value.sign())
    }

    fn square(self) -> Self {
        self.chain(self.value.square(), self.value + self.value)
    }

    /// With derivative 1/(2√x), infinite at 0; see [`norm`](Self::norm).
    fn sqrt(self) -> Self {
        let root = self.value.sqrt();
        self.map(root, |d| d / (root + root))
    }

    fn norm(self) -> Self {
        let norm = self.value.norm();
        if norm.is_zero() { Self::constant(norm) } else { self.map(norm, |d| d / (norm + norm)) }
    }

    fn exp(self) -> Self {
        let exponential = self.value.exp();
        self.chain(exponential, exponential)
    }

    fn sin(self) -> Self {
        self.chain(self.value.sin(), self.value.cos())
    }

    fn cos(self) -> Self {
        self.chain(self.value.cos(), -self.value.sin())
    }

    /// With derivative (x dy − y dx)/(x² + y²) for the cosine x and the sine y; 0 at the origin.
    fn atan2(self, cosine: Self) -> Self {
        let (y, x) = (self.value, cosine.value);
        let angle = y.atan2(x);
        if y.is_zero() && x.is_zero() {
            return Self::constant(angle);
        }
        let square = x.square() + y.square();
        self.zip(cosine, angle, |dy, dx| x.product_difference(dy, y, dx) / square)
    }

    fn one_minus_cos(self) -> Self {
        self.chain(self.value.one_minus_cos(), self.value.sin())
    }

    fn sin_minus_angle_cos(self) -> Self {
        self.chain(self.value.sin_minus_angle_cos(), self.value * self.value.sin())
    }

    /// Derivatives are added like values: each sum, and what rounding took from it.
    fn two_sum(self, other: Self) -> (Self, Self) {
        let (sum, error) = self.value.two_sum(other.value);
        (self.zip(other, sum, |d, e| d.two_sum(e).0), self.zip(other, error, |d, e| d.two_sum(e).1))
    }

    fn product_difference(self, other: Self, third: Self, fourth: Self) -> Self {
        let (a, b, c, d) = (self.value, other.value, third.value, fourth.value);
        let value = a.product_difference(b, c, d);
        // a′b − c′d, and a b′ − c d′.
        let left = self.zip(third, value, |da, dc| da.product_difference(b, dc, d));
        let right = other.zip(fourth, value, |db, dd| a.product_difference(db, c, dd));
        left.zip(right, value, |x, y| x + y)
    }

    /// With derivative sᵢ (Σ_k n_k s_k (dzᵢ − dz_k) − Σ_k dn_k s_k), written in differences of
    /// logits so that enclosures stay tight. A score that is 0 neither moves nor moves others.
    fn softmax(counts: Option<&[Self]>, logits: &[Self], scores: &mut [Self]) {
        let length = logits.len().min(scores.len());
        for (i, (own, score)) in logits.iter().zip(scores.iter_mut()).enumerate() {
            let mut sum = own.value.zero();
            for (j, other) in logits.iter().take(length).enumerate() {
                let term = if i == j { own.value.one() } else { (other.value - own.value).exp() };
                sum = sum + count(counts, j).map_or(term, |n| n.value * term);
            }
            let value = sum.one() / sum;
            // An exponential that overflows makes a score 0, whose own derivatives, if it is a
            // dual, have no use.
            *score = Self::constant(if value.is_zero() { sum.zero() } else { value });
        }
        for (i, own) in logits.iter().take(length).enumerate() {
            let Some(&score) = scores.get(i) else { return };
            if score.is_zero() {
                continue;
            }
            // The derivative of ln sᵢ.
            let mut logarithmic = score;
            logarithmic.derivative = [score.value.zero(); N];
            for (k, (other, other_score)) in logits.iter().zip(scores.iter()).enumerate() {
                if other_score.is_zero() {
                    continue;
                }
                let n = count(counts, k);
                let share = n.map_or(other_score.value, |n| n.value * other_score.value);
                if k != i {
                    let difference = own.zip(*other, score.value, |d, e| share * (d - e));
                    logarithmic = logarithmic.zip(difference, score.value, |sum, d| sum + d);
                }
                if let Some(n) = n {
                    logarithmic =
                        logarithmic.zip(n, score.value, |sum, d| sum - other_score.value * d);
                }
            }
            if let Some(slot) = scores.get_mut(i) {
                *slot = logarithmic.chain(score.value, score.value);
            }
        }
    }

    fn wedge(self, counts: Option<&[Self]>, a: &[Self], b: &[Self]) -> Self {
        super::wedge_by_length(self, counts, a, b)
    }
}

impl<T: Logarithm, const N: usize> Logarithm for Dual<T, N> {
    fn ln(self) -> Self {
        self.map(self.value.ln(), |d| d / self.value)
    }
}
