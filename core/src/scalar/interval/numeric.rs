//! Numbers that describe an interval, by the names of IEEE 1788. Those of an empty interval are
//! NaN, except for `inf` and `sup`.

use super::Interval;
use super::rounding::sum;
use crate::scalar::float::Float;

impl<F: Float> Interval<F> {
    /// The greatest lower bound: +∞ of the empty interval; a zero is −0.
    #[must_use]
    pub fn inf(self) -> F {
        if self.is_empty() {
            F::INFINITY
        } else if self.lo == F::ZERO {
            -F::ZERO
        } else {
            self.lo
        }
    }

    /// The least upper bound: −∞ of the empty interval; a zero is +0.
    #[must_use]
    pub fn sup(self) -> F {
        if self.is_empty() { F::NEG_INFINITY } else { self.hi }
    }

    /// The [`midpoint`](Self::midpoint).
    #[must_use]
    pub fn mid(self) -> F {
        self.midpoint()
    }

    /// The smallest r for which \[mid − r, mid + r\], in exact arithmetic, contains the interval.
    #[must_use]
    pub fn rad(self) -> F {
        let middle = self.midpoint();
        let below = sum(middle, -self.lo).up();
        let above = sum(self.hi, -middle).up();
        if self.is_empty() { F::NAN } else { below.max(above) }
    }

    /// The [`width`](Self::width).
    #[must_use]
    pub fn wid(self) -> F {
        self.width()
    }

    /// The [`magnitude`](Self::magnitude), the largest |x|.
    #[must_use]
    pub fn mag(self) -> F {
        self.magnitude()
    }

    /// The mignitude, the smallest |x|.
    #[must_use]
    pub fn mig(self) -> F {
        if self.is_empty() { F::NAN } else { self.lo.max(-self.hi).max(F::ZERO) }
    }
}
