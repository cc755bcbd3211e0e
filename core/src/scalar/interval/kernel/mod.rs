//! Elementary functions at a point, with a proven error.
//!
//! But for one root (in `angle`), nothing here calls a library: a kernel reduces its argument
//! with the help of a small table, sums a short Taylor polynomial, and carries what rounding took
//! from the few leading terms in a second float. Note 5 bounds what is left, line by line, by less
//! than 2⁻⁶³ of the value; what is *declared* is 2⁻⁶², and the difference pays for the last
//! roundings in [`Approximation::ends`].
//!
//! The kernels compute in `f64`. Intervals of `f32` use the same ones, and round outwards once
//! more.

pub(super) mod angle;
pub(super) mod circular;
pub(super) mod exponential;
pub(super) mod logarithm;
mod pair;
pub(super) mod power;
mod reduction;
mod tables;

use super::rounding::sum;

/// Declared error of a kernel, relative to the value, where it does not say otherwise: 2⁻⁶².
pub(super) const RELATIVE_ERROR: f64 = power(-62);

/// A real number v, known up to an error:
/// |v − (high + low)| ≤ (1 − 2⁻²⁰) error − 2⁻⁶⁴ |high|, where |low| ≤ 2⁻¹² |high|.
#[derive(Clone, Copy, Debug)]
pub(super) struct Approximation {
    pub(super) high: f64,
    pub(super) low: f64,
    pub(super) error: f64,
}

impl Approximation {
    /// What can be said of any number.
    const UNKNOWN: Self = Self { high: 0.0, low: 0.0, error: f64::INFINITY };

    /// high + low, with the declared error.
    fn declared(high: f64, low: f64) -> Self {
        Self { high, low, error: high.abs() * RELATIVE_ERROR }
    }

    /// −v.
    pub(super) fn negated(self) -> Self {
        Self { high: -self.high, low: -self.low, error: self.error }
    }

    /// The same number, with |low| at most half a unit of high.
    fn normalized(self) -> Self {
        let (high, low) = pair::fast_two_sum(self.high, self.low);
        Self { high, low, error: self.error }
    }

    /// A lower and an upper bound of v, in most cases neighbours.
    #[inline]
    pub(super) fn ends(self) -> (f64, f64) {
        let Self { high, low, error } = self;
        (sum(high, low - error).down(), sum(high, low + error).up())
    }
}

/// 2ⁿ for −1022 ≤ n ≤ 1023.
const fn power(n: i32) -> f64 {
    f64::from_bits((1023_i64.wrapping_add(n as i64) as u64) << 52)
}
