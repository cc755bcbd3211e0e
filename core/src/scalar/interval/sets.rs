//! Intervals as sets of real numbers.

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
}
