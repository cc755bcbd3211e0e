//! How far every way is from the exact run.

use popgd_core::Interval;

use super::stalls::{self, StallFindings};
use super::ways::{self, Reading, Record, Way};
use crate::asymptotics::Quantity;
use crate::error::Failure;
use crate::progress::Progress;
use crate::scalar::Number;
use crate::settings::ModelSettings;

/// All that is found.
#[derive(Clone, Debug)]
pub struct Findings {
    /// The runs, in the order of [`Way::ALL`].
    pub records: Vec<Record>,
    /// Of `f32` and of `f64`.
    pub stalls: [StallFindings; 2],
}

/// A relative error of the excess loss.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Judged {
    /// (value − exact)/exact of a float, enclosed: a proof.
    Proven(Interval<f64>),
    /// The same against a compensated `f64`, where the enclosure did not reach.
    Measured(f64),
    /// Of an enclosure the width over its lower end.
    Width(f64),
}

/// What a judgement lets one draw.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Size {
    /// It is so large.
    Of(f64),
    /// It is not known to be anything but 0, and so large at most.
    AtMost(f64),
    /// It is 0.
    Zero,
}

impl Judged {
    /// Its size, for a table or a picture.
    pub fn size(self) -> Size {
        match self {
            Self::Proven(error) if error.magnitude() == 0.0 => Size::Zero,
            Self::Proven(error) if error.contains(0.0) => Size::AtMost(error.magnitude()),
            Self::Proven(_) | Self::Measured(_) | Self::Width(_) => match self.center().abs() {
                0.0 => Size::Zero,
                size => Size::Of(size),
            },
        }
    }

    /// Its midpoint, with its sign.
    pub fn center(self) -> f64 {
        match self {
            Self::Proven(error) => error.midpoint(),
            Self::Measured(error) => error,
            Self::Width(width) => width,
        }
    }
}

impl Findings {
    /// Runs and judges, through the steps `at`.
    ///
    /// # Errors
    /// What the core refuses.
    pub fn of(model: &ModelSettings, at: &[u64], progress: &Progress) -> Result<Self, Failure> {
        let records = ways::all(model, at, progress)?;
        let stalls = stalls::both(model, &records);
        Ok(Self { records, stalls })
    }

    /// Whether the user ended it.
    pub fn is_interrupted(&self) -> bool {
        self.records.iter().any(|record| record.interrupted)
    }

    /// The record of a way.
    pub fn record(&self, way: Way) -> Option<&Record> {
        self.records.iter().find(|record| record.way == way)
    }

    /// What was read in a way after `t` steps.
    pub fn reading(&self, way: Way, t: u64) -> Option<&Reading> {
        self.record(way)?.at(t)
    }

    /// The relative error of the excess loss in a way after `t` steps; none where it is not known:
    /// where the loss is an enclosure that contains 0, or in floats the 0 that they round to.
    pub fn judge(&self, way: Way, t: u64) -> Option<Judged> {
        let excess = |way| Some(Quantity::ExcessLoss.of(&self.reading(way, t)?.quantities));
        let own = excess(way)?;
        if way.encloses() {
            let own = enclosure(own)?;
            let width = if own.width() == 0.0 { 0.0 } else { own.width() / own.lo() };
            return (width.is_finite() && own.lo() >= 0.0).then_some(Judged::Width(width));
        }
        let exact = excess(Way::DoubleEnclosure).and_then(enclosure).filter(|e| e.lo() > 0.0);
        match exact {
            Some(exact) => {
                let value = Interval::point(own.center());
                // The exact loss is in here once, so that no width is counted twice.
                let error = value / exact - Interval::point(1.0);
                Some(Judged::Proven(error))
            }
            None if way == Way::DoubleCompensated => None,
            None => {
                let exact = excess(Way::DoubleCompensated)?.center();
                let error = own.center() / exact - 1.0;
                error.is_finite().then_some(Judged::Measured(error))
            }
        }
    }

    /// The steps that something was read after.
    pub fn steps(&self) -> Vec<u64> {
        let mut steps: Vec<u64> = self
            .records
            .iter()
            .flat_map(|record| record.readings.iter().map(|reading| reading.t))
            .collect();
        steps.sort_unstable();
        steps.dedup();
        steps
    }
}

/// A number as an interval of doubles.
fn enclosure(number: Number) -> Option<Interval<f64>> {
    match number {
        Number::Interval { lo, hi } => Interval::new(lo, hi),
        Number::SingleInterval { lo, hi } => Interval::new(lo.into(), hi.into()),
        Number::Float(value) => Interval::new(value, value),
        Number::Single(value) => Interval::new(value.into(), value.into()),
    }
}
