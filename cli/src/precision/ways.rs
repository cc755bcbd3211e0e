//! The same run in eight ways.

use std::sync::atomic::{AtomicU64, Ordering};

use popgd_core::descent::Quantities;
use popgd_core::descent::enclosure::{Enclosure, Memory, sizes};
use popgd_core::descent::lumped::{Lumped, LumpedModel};
use popgd_core::model::classes::Class;
use popgd_core::scalar::float::Float;
use popgd_core::{Dual, Interval};
use rayon::iter::{IntoParallelIterator, ParallelIterator};

use crate::engine::{refused, with_lumped_model, with_lumped_run};
use crate::error::Failure;
use crate::interrupt;
use crate::progress::Progress;
use crate::scalar::{CliScalar, Number};
use crate::settings::ModelSettings;

/// How many steps are made between two looks at the keyboard.
const CHUNK: u64 = 4096;

/// A way to compute a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// `f32`, increments simply added.
    SinglePlain,
    /// `f32`, compensated sums.
    SingleCompensated,
    /// `f64`, increments simply added.
    DoublePlain,
    /// `f64`, compensated sums.
    DoubleCompensated,
    /// `Interval<f32>`, step after step.
    SingleIntervals,
    /// `Interval<f64>`, step after step.
    DoubleIntervals,
    /// Enclosed in mean-value form, with ends in `f32`.
    SingleEnclosure,
    /// Enclosed in mean-value form, with ends in `f64`.
    DoubleEnclosure,
}

impl Way {
    /// All of them; the last is what the others are judged by.
    pub const ALL: [Self; 8] = [
        Self::SinglePlain,
        Self::SingleCompensated,
        Self::DoublePlain,
        Self::DoubleCompensated,
        Self::SingleIntervals,
        Self::DoubleIntervals,
        Self::SingleEnclosure,
        Self::DoubleEnclosure,
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::SinglePlain => "f32 plain",
            Self::SingleCompensated => "f32 compensated",
            Self::DoublePlain => "f64 plain",
            Self::DoubleCompensated => "f64 compensated",
            Self::SingleIntervals => "interval32",
            Self::DoubleIntervals => "interval64",
            Self::SingleEnclosure => "enclosure32",
            Self::DoubleEnclosure => "enclosure64",
        }
    }

    /// Whether its results are sets that contain the exact ones.
    pub fn encloses(self) -> bool {
        !matches!(
            self,
            Self::SinglePlain
                | Self::SingleCompensated
                | Self::DoublePlain
                | Self::DoubleCompensated
        )
    }

    fn run(self, model: &ModelSettings, at: &[u64], beat: &Beat<'_>) -> Result<Record, Failure> {
        let plain = ModelSettings { compensated: false, ..model.clone() };
        let compensated = ModelSettings { compensated: true, ..model.clone() };
        match self {
            Self::SinglePlain => stepped::<f32>(self, &plain, at, beat),
            Self::SingleCompensated => stepped::<f32>(self, &compensated, at, beat),
            Self::DoublePlain => stepped::<f64>(self, &plain, at, beat),
            Self::DoubleCompensated => stepped::<f64>(self, &compensated, at, beat),
            Self::SingleIntervals => stepped::<Interval<f32>>(self, &plain, at, beat),
            Self::DoubleIntervals => stepped::<Interval<f64>>(self, &plain, at, beat),
            Self::SingleEnclosure => enclosed::<f32>(self, model, at, beat),
            Self::DoubleEnclosure => enclosed::<f64>(self, model, at, beat),
        }
    }
}

/// What was read after `t` steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reading {
    /// How many steps were made.
    pub t: u64,
    /// The quantities of Theorem 3.1.
    pub quantities: Quantities<Number>,
}

/// A state that comes again, so that the run goes no further: what follows followed before.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Standstill {
    /// The step in which a logit moved for the last time, or c if no logit ever moves; where they go to
    /// and fro, one from which on they do.
    pub steps: u64,
    /// After how many steps the state comes again: 1 where nothing moves, more where c goes to and
    /// fro.
    pub period: u64,
    /// δ, the gap between the logits, where there are two.
    pub gap: Option<f64>,
}

/// What became of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// How it was computed.
    pub way: Way,
    /// One a step that was asked for, as far as it came.
    pub readings: Vec<Reading>,
    /// Where a plain sum stands still, if it does.
    pub standstill: Option<Standstill>,
    /// The step that is no longer finite: enclosures can grow without bound.
    pub unbounded: Option<u64>,
    /// Whether the user ended it.
    pub interrupted: bool,
}

impl Record {
    fn new(way: Way) -> Self {
        Self { way, readings: Vec::new(), standstill: None, unbounded: None, interrupted: false }
    }

    fn read<S: CliScalar>(&mut self, t: u64, quantities: Quantities<S>) {
        let Quantities { excess_loss, score_error, value_error } = quantities;
        self.readings.push(Reading {
            t,
            quantities: Quantities {
                excess_loss: excess_loss.report(),
                score_error: score_error.report(),
                value_error: value_error.report(),
            },
        });
    }

    /// The reading after `t` steps.
    pub fn at(&self, t: u64) -> Option<&Reading> {
        self.readings.iter().find(|reading| reading.t == t)
    }
}

/// Counts the steps of all runs together.
struct Beat<'a> {
    progress: &'a Progress,
    done: AtomicU64,
}

impl Beat<'_> {
    fn add(&self, steps: u64) {
        self.progress.reached(self.done.fetch_add(steps, Ordering::Relaxed) + steps);
    }
}

/// Makes all runs, through the steps `at`, which increase.
///
/// # Errors
/// What the core refuses.
pub fn all(model: &ModelSettings, at: &[u64], progress: &Progress) -> Result<Vec<Record>, Failure> {
    let beat = Beat { progress, done: AtomicU64::new(0) };
    Way::ALL.into_par_iter().map(|way| way.run(model, at, &beat)).collect()
}

fn stepped<S: CliScalar + PartialEq>(
    way: Way,
    model: &ModelSettings,
    at: &[u64],
    beat: &Beat<'_>,
) -> Result<Record, Failure> {
    // What a compensated sum carries is not seen in its state.
    let may_stand_still = !way.encloses() && !model.compensated;
    with_lumped_run(model, |mut run: Lumped<'_, S>, _| {
        let mut record = Record::new(way);
        let mut last = run.logits().to_vec();
        let (mut t, mut moved, mut c_moved) = (0, 0, 0);
        let (mut resting, mut whole) = (Recurrence::new(), Recurrence::new());
        for &target in at {
            while t < target && record.standstill.is_none() {
                if t % CHUNK == 0 {
                    beat.add(CHUNK.min(target - t));
                    if interrupt::requested() {
                        record.interrupted = true;
                        return record;
                    }
                }
                let c = run.c();
                run.step();
                t += 1;
                if !(run.c().is_finite() && run.logits().iter().all(|z| z.is_finite())) {
                    record.unbounded = Some(t);
                    return record;
                }
                if !may_stand_still {
                    continue;
                }
                if run.c() != c {
                    c_moved = t;
                }
                if run.logits() != last {
                    moved = t;
                    last.copy_from_slice(run.logits());
                    resting.restart();
                }
                // Logits that rest are found soon after they came to rest; any others at all.
                let state = || std::iter::once(run.c()).chain(run.logits().iter().copied());
                let found = match resting.look(t, state()) {
                    Some((_, 1)) if moved == 0 => Some((c_moved, 1)),
                    Some((at, period)) if moved == 0 => Some((at, period)),
                    Some((_, period)) => Some((moved, period)),
                    None => whole.look(t, state()),
                };
                if let Some((steps, period)) = found {
                    let gap = match run.logits() {
                        [gap, _] => Some(gap.report().center()),
                        _ => None,
                    };
                    record.standstill = Some(Standstill { steps, period, gap });
                }
            }
            // From here on the states of one period come again and again: one of them is read.
            record.read(target, run.quantities());
        }
        record
    })
}

/// Finds out that a state comes again (Brent's way: a kept state is compared with those after it, and
/// replaced by the last of them after twice as many each time).
struct Recurrence<S> {
    kept: Vec<S>,
    at: u64,
    patience: u64,
}

impl<S: PartialEq> Recurrence<S> {
    fn new() -> Self {
        Self { kept: Vec::new(), at: 0, patience: 0 }
    }

    /// Forgets what was seen, but not the room for it: logits move in almost every step.
    fn restart(&mut self) {
        self.kept.clear();
        (self.at, self.patience) = (0, 0);
    }

    /// If this state, after `t` steps, was there before: after how many steps, and the period.
    fn look(&mut self, t: u64, state: impl Iterator<Item = S> + Clone) -> Option<(u64, u64)> {
        if !self.kept.is_empty() && state.clone().zip(&self.kept).all(|(now, then)| now == *then) {
            return Some((self.at, t - self.at));
        }
        if self.kept.is_empty() || t - self.at >= self.patience {
            self.kept.clear();
            self.kept.extend(state);
            self.at = t;
            self.patience = 2 * self.patience.max(1);
        }
        None
    }
}

fn enclosed<F: Float>(
    way: Way,
    model: &ModelSettings,
    at: &[u64],
    beat: &Beat<'_>,
) -> Result<Record, Failure>
where
    Interval<F>: CliScalar,
{
    with_lumped_model(model, |lumped: LumpedModel<'_, Interval<F>>| {
        let (context, needed) = (lumped.rate, sizes(&lumped));
        let constant = Dual::constant(context);
        let mut numbers = vec![constant; 2 * lumped.levels()];
        let nothing = Class { columns: constant, counts: &[], weights: &[] };
        let mut classes = vec![nothing; lumped.classes.len()];
        let tangent = lumped.mapped(Dual::constant, &mut numbers, &mut classes)?;
        let mut floats = vec![F::ZERO; needed.floats];
        let mut intervals = vec![context; needed.intervals];
        let mut duals = vec![constant; needed.duals];
        let memory = Memory { floats: &mut floats, intervals: &mut intervals, duals: &mut duals };
        let mut run = Enclosure::from_zero(lumped, tangent, memory)?;
        if let Some(start) = &model.state {
            let logits: Vec<_> = start.logits.iter().map(Interval::from_span).collect();
            run.restart(0, Interval::from_span(&start.c), &logits)?;
        }
        let mut record = Record::new(way);
        for &target in at {
            while run.steps() < target {
                if interrupt::requested() {
                    record.interrupted = true;
                    return Ok(record);
                }
                let chunk = CHUNK.min(target - run.steps());
                beat.add(chunk);
                if run.advance(chunk) < chunk || !run.is_bounded() {
                    record.unbounded = Some(run.steps());
                    return Ok(record);
                }
            }
            record.read(target, run.quantities());
        }
        Ok(record)
    })
    .map_err(refused)
}
