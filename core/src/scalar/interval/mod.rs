//! Intervals: enclosures of exact numbers.
//!
//! An operation on intervals yields an interval that contains the result of that operation on
//! any real numbers from its arguments, whatever floating-point rounding does on the way. So the
//! exact result of a long computation is, for certain, between the two floats at its end.
//!
//! ```
//! use popgd_core::scalar::{Scalar, interval::Interval};
//!
//! let one = Interval::point(1.0_f64);
//! let third = one.rational(1, 3);
//! assert!(third.lo() < third.hi()); // 1/3 is not a float
//! assert!((third * one.integer(3)).contains(1.0));
//! ```
//!
//! # Accuracy
//! Every enclosure is *proven*, in note 5 of the repository's `proofs-notes`: arithmetic by
//! error-free transformations, elementary functions by kernels of our own with a written bound on
//! their error. The ends of arithmetic, roots and text are the best floats; those of elementary
//! functions nearly always are. [`conformance`] says it operation by operation, with the evidence,
//! and what of IEEE 1788.1 is left out.
//!
//! ```
//! # use popgd_core::scalar::interval::Interval;
//! let x: Interval<f64> = "[0.1, 2/3]".parse()?;
//! assert!(x.is_subset_of("0.4?3".parse()?));
//! let angle = Interval::point(1.0 - 1e-12).acos(); // about 1.4e-6, and no digit is lost
//! assert!(angle.wid() < 1e-21);
//! # Ok::<(), popgd_core::Error>(())
//! ```
//!
//! The empty interval is the result outside of the domain of an operation (√\[−2, −1\],
//! \[1, 2\] / \[0, 0\]); whatever is computed from it is empty.

mod arithmetic;
pub mod conformance;
mod elementary;
mod exact;
mod kernel;
mod natural;
mod numeric;
mod rounding;
#[cfg(feature = "serde")]
mod serialize;
mod sets;
pub mod text;

use super::float::Float;
use super::{Logarithm, Scalar};

/// A closed interval \[lo, hi\] of real numbers, with floats as ends.
///
/// An end may be infinite: the interval is unbounded on that side (∞ itself is never a member).
/// The interval may be empty.
#[derive(Clone, Copy, Debug)]
pub struct Interval<F> {
    // Both NaN (empty), or lo ≤ hi, lo < ∞, hi > −∞.
    lo: F,
    hi: F,
}

impl<F: Float> Interval<F> {
    /// No number.
    pub const EMPTY: Self = Self { lo: F::NAN, hi: F::NAN };

    /// All real numbers, \[−∞, ∞\].
    pub const ENTIRE: Self = Self { lo: F::NEG_INFINITY, hi: F::INFINITY };

    /// \[0, ∞\].
    pub const NON_NEGATIVE: Self = Self { lo: F::ZERO, hi: F::INFINITY };

    /// The two floats around π.
    pub const PI: Self = Self { lo: F::PI_LOWER, hi: F::PI_UPPER };

    /// \[lo, hi\], if these are the ends of a nonempty interval: lo ≤ hi, lo < ∞, hi > −∞.
    #[must_use]
    pub fn new(lo: F, hi: F) -> Option<Self> {
        if lo <= hi && lo < F::INFINITY && hi > F::NEG_INFINITY {
            Some(Self::between(lo, hi))
        } else {
            None
        }
    }

    /// \[x, x\]; empty if x is infinite or NaN, since these are no real numbers.
    #[must_use]
    pub fn point(x: F) -> Self {
        if x.is_finite() { Self::between(x, x) } else { Self::EMPTY }
    }

    /// \[lo, hi\] for ends that are known to be in order, or both NaN. Zero ends are +0.
    fn between(lo: F, hi: F) -> Self {
        Self { lo: lo + F::ZERO, hi: hi + F::ZERO }
    }

    /// The lower end, in \[−∞, ∞); NaN if the interval is empty.
    #[must_use]
    pub fn lo(self) -> F {
        self.lo
    }

    /// The upper end, in (−∞, ∞\]; NaN if the interval is empty.
    #[must_use]
    pub fn hi(self) -> F {
        self.hi
    }

    /// hi − lo, rounded up; NaN if the interval is empty.
    #[must_use]
    pub fn width(self) -> F {
        rounding::sum(self.hi, -self.lo).up()
    }

    /// A finite number in the interval, the one in the middle up to rounding. Of an unbounded
    /// interval it is 0 or, if only one end is infinite, the last finite float on that side; NaN
    /// if the interval is empty.
    #[must_use]
    pub fn midpoint(self) -> F {
        let half = F::from_f64(0.5);
        if self.is_empty() {
            F::NAN
        } else if self.is_bounded() {
            let sum = self.lo + self.hi;
            let middle = if sum.is_finite() { half * sum } else { half * self.lo + half * self.hi };
            // Not −0.
            middle.max(self.lo).min(self.hi) + F::ZERO
        } else if self.lo.is_finite() {
            F::MAX
        } else if self.hi.is_finite() {
            -F::MAX
        } else {
            F::ZERO
        }
    }

    /// The largest |x|, in \[0, ∞\]; NaN if the interval is empty.
    #[must_use]
    pub fn magnitude(self) -> F {
        self.lo.abs().max(self.hi.abs())
    }
}

/// Equality as sets: the empty interval equals itself.
impl<F: Float> PartialEq for Interval<F> {
    fn eq(&self, other: &Self) -> bool {
        (self.is_empty() && other.is_empty()) || (self.lo == other.lo && self.hi == other.hi)
    }
}

impl<F: Float> Eq for Interval<F> {}

impl<F: Float> Logarithm for Interval<F> {
    fn ln(self) -> Self {
        elementary::ln(self)
    }
}

impl<F: Float> Scalar for Interval<F> {
    /// The tightest enclosure of `value`; empty if that is infinite or NaN.
    fn lift(self, value: f64) -> Self {
        if value.is_finite() {
            let value = rounding::converted(value);
            Self::between(value.down(), value.up())
        } else {
            Self::EMPTY
        }
    }

    /// An enclosure of the quotient; empty if the denominator is 0.
    fn rational(self, numerator: i64, denominator: i64) -> Self {
        self.integer(numerator) / self.integer(denominator)
    }

    /// The tightest enclosure of `value`.
    fn integer(self, value: i64) -> Self {
        let value = rounding::integer(value);
        Self::between(
            rounding::converted(value.down()).down(),
            rounding::converted(value.up()).up(),
        )
    }

    fn zero(self) -> Self {
        Self::between(F::ZERO, F::ZERO)
    }

    fn one(self) -> Self {
        Self::between(F::ONE, F::ONE)
    }

    fn pi(self) -> Self {
        Self::PI
    }

    fn is_zero(self) -> bool {
        self.lo == F::ZERO && self.hi == F::ZERO
    }

    fn if_zero(self, at_zero: Self, elsewhere: Self) -> Self {
        if self.is_zero() {
            at_zero
        } else if self.doubts_zero() {
            at_zero.hull(elsewhere)
        } else {
            elsewhere
        }
    }

    fn doubts_zero(self) -> bool {
        self.contains(F::ZERO) && !self.is_zero()
    }

    fn is_number(self) -> bool {
        self.is_common()
    }

    fn detached(self) -> Self {
        Self::point(self.midpoint())
    }

    fn sign(self) -> Self {
        if self.is_empty() { self } else { Self::between(self.lo.sign(), self.hi.sign()) }
    }

    fn fold(self) -> Self {
        arithmetic::absolute(self)
    }

    fn absolute(self) -> Self {
        arithmetic::absolute(self)
    }

    fn square(self) -> Self {
        arithmetic::square(self)
    }

    fn sqrt(self) -> Self {
        arithmetic::square_root(self)
    }

    fn exp(self) -> Self {
        elementary::exp(self)
    }

    fn sin(self) -> Self {
        elementary::sin(self)
    }

    fn cos(self) -> Self {
        elementary::cos(self)
    }

    fn atan2(self, cosine: Self) -> Self {
        elementary::atan2(self, cosine)
    }

    fn one_minus_cos(self) -> Self {
        elementary::one_minus_cos(self)
    }

    fn sin_minus_angle_cos(self) -> Self {
        elementary::sin_minus_angle_cos(self)
    }

    /// Not negative, and at most ‖a‖ ‖b‖.
    fn wedge(self, counts: Option<&[Self]>, a: &[Self], b: &[Self]) -> Self {
        let product = super::counted_square(self, counts, a).norm()
            * super::counted_square(self, counts, b).norm();
        super::wedge_by_length(self, counts, a, b).intersection(Self::between(F::ZERO, product.hi))
    }
}
