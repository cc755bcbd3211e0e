//! The types that a run computes with: how an exact number enters them, and how a result leaves.

use popgd_core::Scalar;
use popgd_core::scalar::float::Float;
use popgd_core::scalar::interval::Interval;

use crate::number::{Exact, Span};

/// A scalar that the command line can compute with.
pub trait CliScalar: Scalar {
    /// An exact number: floats round it once, intervals enclose it.
    fn from_exact(value: &Exact) -> Self;

    /// A number or an enclosure. A float takes numbers only (an enclosure for it is refused with
    /// the configuration): it would take the lower end.
    fn from_span(value: &Span) -> Self {
        Self::from_exact(&value.lo)
    }

    /// The value, with its own precision, ready for output.
    fn report(self) -> Number;

    /// Whether the value still says something: a finite float, a bounded nonempty interval.
    fn is_finite(self) -> bool;
}

/// A count, such as D or the multiplicity of a level: exact where the type can hold it, rounded
/// once by a float, enclosed by an interval.
pub fn count<S: CliScalar>(context: S, value: u64) -> S {
    match i64::try_from(value) {
        Ok(value) => context.integer(value),
        Err(_) => {
            // Only 2^63 and above.
            let half = context.integer(i64::try_from(value >> 1).unwrap_or(i64::MAX));
            half * context.integer(2) + context.integer(i64::from(value & 1 == 1))
        }
    }
}

/// A result, free of the type that it was computed with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// From `f64`.
    Float(f64),
    /// From `f32`: printed with the few digits that give this `f32` back.
    Single(f32),
    /// From `Interval<f64>`.
    Interval {
        /// The lower end.
        lo: f64,
        /// The upper end.
        hi: f64,
    },
    /// From `Interval<f32>`.
    SingleInterval {
        /// The lower end.
        lo: f32,
        /// The upper end.
        hi: f32,
    },
}

impl Number {
    /// The number itself; of an interval its midpoint.
    pub fn center(self) -> f64 {
        match self {
            Self::Float(value) => value,
            Self::Single(value) => f64::from(value),
            Self::Interval { lo, hi } => 0.5 * lo + 0.5 * hi,
            Self::SingleInterval { lo, hi } => 0.5 * (f64::from(lo) + f64::from(hi)),
        }
    }

    /// Whether it is finite; of an interval whether both ends are.
    pub fn is_finite(self) -> bool {
        match self {
            Self::Float(value) => value.is_finite(),
            Self::Single(value) => value.is_finite(),
            Self::Interval { lo, hi } => lo.is_finite() && hi.is_finite(),
            Self::SingleInterval { lo, hi } => lo.is_finite() && hi.is_finite(),
        }
    }
}

impl CliScalar for f64 {
    fn from_exact(value: &Exact) -> Self {
        value.to_f64()
    }

    fn report(self) -> Number {
        Number::Float(self)
    }

    fn is_finite(self) -> bool {
        f64::is_finite(self)
    }
}

impl CliScalar for f32 {
    fn from_exact(value: &Exact) -> Self {
        value.to_f32()
    }

    fn report(self) -> Number {
        Number::Single(self)
    }

    fn is_finite(self) -> bool {
        f32::is_finite(self)
    }
}

impl CliScalar for Interval<f64> {
    fn from_exact(value: &Exact) -> Self {
        value.enclose()
    }

    fn from_span(value: &Span) -> Self {
        value.enclose()
    }

    fn report(self) -> Number {
        Number::Interval { lo: self.lo(), hi: self.hi() }
    }

    fn is_finite(self) -> bool {
        Float::is_finite(self.lo()) && Float::is_finite(self.hi())
    }
}

impl CliScalar for Interval<f32> {
    fn from_exact(value: &Exact) -> Self {
        value.enclose()
    }

    fn from_span(value: &Span) -> Self {
        value.enclose()
    }

    fn report(self) -> Number {
        Number::SingleInterval { lo: self.lo(), hi: self.hi() }
    }

    fn is_finite(self) -> bool {
        Float::is_finite(self.lo()) && Float::is_finite(self.hi())
    }
}
