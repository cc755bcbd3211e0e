//! A bound, and how much of it was used.

use super::comparison::{lower, upper};
use super::report::{Claim, Status, Verdict};
use crate::scalar::Number;

/// Rounding alone may reach a bound that is attained.
const SLACK: f64 = 1e-6;

/// How often a bound was looked at, the largest share of it that was used, and whether all was
/// decided.
#[derive(Clone, Copy, Debug, Default)]
pub struct Share {
    checked: u64,
    largest: Option<f64>,
    is_exceeded: bool,
    is_undecided: bool,
}

impl Share {
    /// Looks at `found ≤ allowed`, whatever their sign: an enclosure holds with its upper end against the
    /// lower end of the other, and is refuted the other way round.
    pub fn add(&mut self, found: Number, allowed: Number) {
        self.add_between((lower(found), upper(found)), allowed);
    }

    /// The same of a number that is known to be between two others.
    pub fn add_between(&mut self, (least, most): (f64, f64), allowed: Number) {
        self.checked += 1;
        let slack = match allowed {
            Number::Float(_) | Number::Single(_) => 1.0 + SLACK,
            _ => 1.0,
        };
        let (low, high) = (lower(allowed) * slack, upper(allowed) * slack);
        let is_known = most.is_finite() && high.is_finite();
        if !is_known || most > low {
            // An overflow is no counterexample.
            if is_known && least > high {
                self.is_exceeded = true;
            } else {
                self.is_undecided = true;
            }
        }
        // Of nothing there is no share.
        let low = lower(allowed);
        if is_known && low > 0.0 {
            let share = most / low;
            self.largest = Some(self.largest.map_or(share, |largest| largest.max(share)));
        }
    }

    /// What another has looked at, too.
    pub fn merge(&mut self, other: &Self) {
        self.checked += other.checked;
        self.is_exceeded |= other.is_exceeded;
        self.is_undecided |= other.is_undecided;
        if let Some(share) = other.largest {
            self.largest = Some(self.largest.map_or(share, |largest| largest.max(share)));
        }
    }

    /// That the bound holds, wherever it was looked at.
    pub fn claim(&self, name: &'static str, title: impl Into<String>, status: Status) -> Claim {
        let most = if status == Status::Proven { 1.0 } else { 1.0 + SLACK };
        let largest = self.largest.unwrap_or(0.0);
        let mut claim = Claim::at_most(name, title, self.checked, largest, most, status);
        claim.verdict = match self {
            Self { checked: 0, .. } => Verdict::NotApplicable,
            Self { is_exceeded: true, .. } => Verdict::Fails,
            Self { is_undecided: true, .. } => Verdict::Open,
            _ => Verdict::Holds,
        };
        claim
    }
}
