//! Intervals as sets of real numbers: what is in them, and how two of them lie to one another.
//!
//! Relations hold or fail for sure: ends are compared as they are, without rounding.

use super::Interval;
use crate::scalar::float::Float;

impl<F: Float> Interval<F> {
    /// Whether no number is in the interval: the range of an operation whose argument lies
    /// outside of its domain, such as the root of \[−2, −1\].
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.lo.is_nan()
    }

    /// Whether both ends are finite; so they are, by convention, if the interval is empty.
    #[must_use]
    pub fn is_bounded(self) -> bool {
        self.is_empty() || (self.lo.is_finite() && self.hi.is_finite())
    }

    /// Whether `x` is in the interval. Infinities and NaN are in none.
    #[must_use]
    pub fn contains(self, x: F) -> bool {
        x.is_finite() && self.lo <= x && x <= self.hi
    }

    /// Whether every number of `other` is in the interval.
    ///
    /// The empty set is a subset of every set: who proves something by inclusion must also see
    /// that `other` is not [empty](Self::is_empty).
    #[must_use]
    pub fn contains_interval(self, other: Self) -> bool {
        other.is_empty() || (self.lo <= other.lo && other.hi <= self.hi)
    }

    /// The numbers that are in both.
    #[must_use]
    pub fn intersection(self, other: Self) -> Self {
        if self.is_empty() || other.is_empty() {
            return Self::EMPTY;
        }
        let (lo, hi) = (self.lo.max(other.lo), self.hi.min(other.hi));
        if lo <= hi { Self::between(lo, hi) } else { Self::EMPTY }
    }

    /// The smallest interval that contains both.
    #[must_use]
    pub fn hull(self, other: Self) -> Self {
        // The minimum and maximum pass over the NaN ends of an empty interval.
        Self::between(self.lo.min(other.lo), self.hi.max(other.hi))
    }

    /// Whether the interval is \[−∞, ∞\].
    #[must_use]
    pub fn is_entire(self) -> bool {
        self.lo == F::NEG_INFINITY && self.hi == F::INFINITY
    }

    /// Whether the interval holds exactly one number.
    #[must_use]
    pub fn is_singleton(self) -> bool {
        self.lo == self.hi
    }

    /// Whether the interval is bounded and not empty.
    #[must_use]
    pub fn is_common(self) -> bool {
        self.lo.is_finite() && self.hi.is_finite()
    }

    /// Whether every number of the interval is in `other`.
    #[must_use]
    pub fn is_subset_of(self, other: Self) -> bool {
        other.contains_interval(self)
    }

    /// Whether every number of the interval is in `other` together with a neighbourhood.
    #[must_use]
    pub fn is_interior_to(self, other: Self) -> bool {
        self.is_empty() || (starts_before(other.lo, self.lo) && ends_before(self.hi, other.hi))
    }

    /// Whether no number is in both.
    #[must_use]
    pub fn is_disjoint_from(self, other: Self) -> bool {
        self.intersection(other).is_empty()
    }

    /// Whether for every x in the interval there is a y ≥ x in `other`, and for every y in `other`
    /// an x ≤ y in the interval.
    #[must_use]
    pub fn is_weakly_less_than(self, other: Self) -> bool {
        (self.is_empty() && other.is_empty()) || (self.lo <= other.lo && self.hi <= other.hi)
    }

    /// Whether for every x in the interval there is a y > x in `other`, and for every y in `other`
    /// an x < y in the interval.
    #[must_use]
    pub fn is_strictly_less_than(self, other: Self) -> bool {
        (self.is_empty() && other.is_empty())
            || (starts_before(self.lo, other.lo) && ends_before(self.hi, other.hi))
    }

    /// Whether x ≤ y for every x in the interval and every y in `other`.
    #[must_use]
    pub fn precedes(self, other: Self) -> bool {
        self.is_empty() || other.is_empty() || self.hi <= other.lo
    }

    /// Whether x < y for every x in the interval and every y in `other`.
    #[must_use]
    pub fn strictly_precedes(self, other: Self) -> bool {
        self.is_empty() || other.is_empty() || self.hi < other.lo
    }
}

/// Whether a lower end is below another; two unbounded ones are below each other.
fn starts_before<F: Float>(lo: F, other: F) -> bool {
    lo < other || (lo == F::NEG_INFINITY && other == lo)
}

/// Whether an upper end is below another; two unbounded ones are below each other.
fn ends_before<F: Float>(hi: F, other: F) -> bool {
    hi < other || (hi == F::INFINITY && other == hi)
}
