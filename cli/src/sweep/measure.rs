//! What is read off one run of a sweep.

use popgd_core::descent::Quantities;
use popgd_core::scalar::float::Float;
use popgd_core::theory::clock::Clock;
use popgd_core::theory::rates::{PAST_BURN_IN, sharp_constants, stated_bounds, stated_start};

use super::law::{self, Constant};
use super::planner;
use crate::asymptotics::{Quantity, two_digits_up};
use crate::engine::{self, with_lumped_model};
use crate::error::Failure;
use crate::fit;
use crate::geometric;
use crate::progress::Progress;
use crate::settings::{ModelSettings, ScalarKind};
use crate::trajectory::{End, Row, Trajectory};

/// Records in the last decade, from which constants are fitted.
const DENSE: f64 = 64.0;

/// Records in a decade before that.
const SPARSE: f64 = 24.0;

/// A constant that its last term moves by more than this share is none.
const UNSETTLED: f64 = 0.02;

/// Two windows may differ by this share in what a geometric decay loses a step.
const WINDOWS_APART: f64 = 0.01;

/// The clock is read where tan θ is at most this.
const LATE: f64 = 0.1;

/// One quantity of one run; constants are of √(ηT)·error and ηT·excess.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Finding {
    /// Which.
    pub quantity: Quantity,
    /// The exact limit.
    pub exact: f64,
    /// The same at the last step.
    pub at_end: f64,
    /// What the run extrapolates to; none before its time.
    pub limit: Option<Constant>,
    /// The power of T in the limit, of the normalised quantity, hence near 0; none before its time.
    pub power: Option<Constant>,
    /// What Theorem 3.1 states without its open constants; for one group size.
    pub stated: Option<f64>,
    /// The least and the largest ratio to it that was recorded from T* on.
    pub extremes: Option<[f64; 2]>,
}

/// Around T* = K D²/(η‖V*‖²), the constant in it taken to be 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Start {
    /// T*.
    pub steps: f64,
    /// The excess loss at T = 0.
    pub excess_at_zero: f64,
    /// The excess loss at T*; none if the run is shorter.
    pub excess: Option<f64>,
    /// The bound for it, K D⁴/(ηT*) = D²‖V*‖², again without its constant.
    pub stated: f64,
}

/// The time lost before the limit law sets in, in steps, for one class of two levels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BurnIn {
    /// From the clock at the end of the run; none before its time.
    pub measured: Option<f64>,
    /// From the configuration alone.
    pub predicted: f64,
    /// By how many steps that may be off.
    pub uncertainty: f64,
    /// κ‖V*‖²/K²: the prediction is for small ones.
    pub stiffness: f64,
}

impl BurnIn {
    /// Whether the prediction may be off by more than 1 %.
    pub fn is_doubtful(&self) -> bool {
        !(self.uncertainty <= 0.01 * self.predicted.abs())
    }
}

/// Of the quantities at a recorded step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Record {
    /// T.
    pub t: u64,
    /// tan θ, where there is one.
    pub tangent: Option<f64>,
    /// The quantities themselves, in the order of the theorem.
    pub values: [f64; 3],
}

/// What one run shows.
#[derive(Clone, Debug, PartialEq)]
pub enum Findings {
    /// It falls by powers of T.
    Powers {
        /// Whether constants could be read.
        settled: bool,
        /// A number of steps that would do, where they could not.
        needed: Option<u64>,
        /// tan θ at the end.
        tangent: f64,
        /// In the order of the theorem.
        quantities: Vec<Finding>,
        /// About T*.
        start: Option<Start>,
        /// About burn-in.
        burn_in: Option<BurnIn>,
        /// Some of what was recorded, for pictures.
        records: Vec<Record>,
    },
    /// No column has a zero: it falls by a factor a step.
    Geometric {
        /// As measured; none if two windows of the run do not agree.
        measured: Option<f64>,
        /// From the map linearised at the teacher.
        predicted: Option<f64>,
    },
}

/// Runs a model and reads off it what there is; nothing if the user stops it.
///
/// # Errors
/// As [`engine::run`], and a run that did not stay finite.
pub fn measure(model: &ModelSettings) -> Result<Option<Findings>, Failure> {
    let start = stated(model);
    let steps = schedule(model.steps, start.map(|(steps, _)| steps));
    let recording = engine::run(model, &steps, &Progress::new(0, true))?;
    let trajectory = &recording.trajectory;
    match trajectory.end {
        End::Complete => Ok(Some(findings(model, trajectory, start))),
        End::Interrupted { .. } => Ok(None),
        End::NotFinite { at } => {
            Err(Failure::Io(format!("the result of step {at} is not finite; check the --rate")))
        }
    }
}

/// T* and the bound at T*, for one group size.
fn stated(model: &ModelSettings) -> Option<(f64, f64)> {
    let group = model.group.filter(|&group| group < model.tokens)? as f64;
    let tokens = model.tokens as f64;
    with_lumped_model::<f64, _>(model, |lumped| {
        let (norm, rate) = (lumped.teacher_norm, lumped.rate);
        let steps = stated_start(tokens, group, norm, rate);
        Some((steps, stated_bounds(tokens, group, norm, rate, steps).excess_loss))
    })
}

/// The recorded steps.
fn schedule(last: u64, start: Option<f64>) -> Vec<u64> {
    let mut at = vec![0, last];
    at.extend((0..6).map(|power| 1 << power).filter(|&t| t <= last));
    let decades = (last.max(1) as f64).log10();
    let mut grid = |density: f64, from: f64| {
        let count = ((decades - from) * density).floor().max(0.0) as u32;
        at.extend((0..count).map(|k| {
            let share = 10_f64.powf(-f64::from(k) / density);
            ((last as f64 * share) as u64).min(last)
        }));
    };
    grid(DENSE, decades - 1.0);
    grid(SPARSE, 0.0);
    at.extend(start.filter(|&t| t >= 1.0 && t <= last as f64).map(|t| (t.ceil() as u64).min(last)));
    at.sort_unstable();
    at.dedup();
    at
}

fn findings(model: &ModelSettings, trajectory: &Trajectory, start: Option<(f64, f64)>) -> Findings {
    let rows = &trajectory.rows;
    let supports = planner::supports(model);
    if supports.is_empty() {
        return Findings::Geometric {
            measured: settled_shrinkage(model, rows).map(|lost| 1.0 - lost),
            predicted: geometric::shrinkage(model).map(|lost| 1.0 - lost),
        };
    }
    let end = rows.last().map_or(0, |row| row.t);
    let tangent = rows.last().and_then(|row| row.tangent).unwrap_or(f64::INFINITY).abs();
    // Late enough for series in x, r x and x/r; whichever class is the last.
    let latest = supports.iter().map(|&(k, m)| 0.5 * (m / k).sqrt()).fold(PAST_BURN_IN, f64::min);
    let window: Vec<&Row> = rows
        .iter()
        .filter(|row| row.t > 0 && row.t as f64 >= 0.0999 * end as f64)
        .filter(|row| row.tangent.is_some_and(|x| x.abs() <= latest))
        .collect();
    let (sharp, rate, norm) = with_lumped_model::<f64, _>(model, |lumped| {
        (sharp_constants(&lumped), lumped.rate, lumped.teacher_norm)
    });
    let quantities: Vec<Finding> = Quantity::ALL
        .into_iter()
        .map(|quantity| {
            let exact = sharp.as_ref().map_or(f64::NAN, |sharp| quantity.of(sharp));
            finding(model, quantity, rows, &window, [exact, rate, norm], start)
        })
        .collect();
    let settled = quantities.iter().all(|finding| finding.limit.is_some());
    Findings::Powers {
        settled,
        needed: (!settled).then(|| needed(model, end)),
        tangent,
        quantities,
        start: start.map(|(steps, stated)| about_start(rows, steps, stated)),
        burn_in: burn_in(model, &window),
        records: records(rows),
    }
}

/// What a run loses a step in the end, if two windows of it agree on that.
fn settled_shrinkage(model: &ModelSettings, rows: &[Row]) -> Option<f64> {
    // The last step at which rounding is still far below.
    let floor = match model.scalar {
        ScalarKind::F32 | ScalarKind::Interval32 => 1e-4,
        ScalarKind::F64 | ScalarKind::Interval64 => 1e-11,
    };
    let error = |row: &Row| row.value_error.center();
    let first = rows.iter().map(error).fold(0.0, f64::max);
    let kept: Vec<&Row> =
        rows.iter().filter(|row| row.t > 0 && error(row) > floor * first).collect();
    let last = kept.last()?;
    let at = |share: f64| kept.iter().find(|row| row.t as f64 >= share * last.t as f64);
    let lost = |from: &Row, to: &Row| -> Option<f64> {
        let steps = to.t.checked_sub(from.t).filter(|&steps| steps > 0)? as f64;
        Some(-((error(to) / error(from)).ln() / steps).exp_m1())
    };
    let (early, late) = (lost(at(0.5)?, at(0.75)?)?, lost(at(0.75)?, last)?);
    // Of 1 − f, or of f if that is small.
    ((early - late).abs() <= WINDOWS_APART * late.abs().min(1.0 - late)).then_some(late)
}

fn finding(
    model: &ModelSettings,
    quantity: Quantity,
    rows: &[Row],
    window: &[&Row],
    [exact, rate, norm]: [f64; 3],
    start: Option<(f64, f64)>,
) -> Finding {
    let power = -quantity.claimed();
    let value = |row: &Row| quantity.of_row(row).center();
    let normalised = |row: &Row| value(row) * (rate * row.t as f64).powf(power);
    let points: Vec<(f64, f64)> = window.iter().map(|row| (row.t as f64, value(row))).collect();
    let scale = rate.powf(power);
    let at_zero = rows.first().map_or(f64::NAN, value);
    let limit = law::constant(&points, power, at_zero)
        .filter(|found| found.uncertainty <= UNSETTLED * found.value)
        .map(|found| Constant {
            value: found.value * scale,
            uncertainty: found.uncertainty * scale,
        });
    let slope = |corrections| Some(fit::slope(&points, corrections)? + power);
    let power_found = match (slope(3), slope(2)) {
        (Some(value), Some(coarser)) if limit.is_some() => {
            Some(Constant { value, uncertainty: (value - coarser).abs() })
        }
        _ => None,
    };
    let stated = model.group.filter(|&group| group < model.tokens).map(|group| {
        let bounds: Quantities<f64> =
            stated_bounds(model.tokens as f64, group as f64, norm, 1.0, 1.0);
        quantity.of(&bounds)
    });
    let extremes = stated.zip(start).and_then(|(stated, (from, _))| {
        rows.iter()
            .filter(|row| row.t > 0 && row.t as f64 >= from)
            .map(|row| normalised(row) / stated)
            .fold(None, |found: Option<[f64; 2]>, ratio| {
                let [low, high] = found.unwrap_or([ratio; 2]);
                Some([low.min(ratio), high.max(ratio)])
            })
    });
    Finding {
        quantity,
        exact,
        at_end: rows.last().map_or(f64::NAN, normalised),
        limit,
        power: power_found,
        stated,
        extremes,
    }
}

fn about_start(rows: &[Row], steps: f64, stated: f64) -> Start {
    let excess = |row: &Row| row.excess_loss.center();
    Start {
        steps,
        excess_at_zero: rows.first().map_or(f64::NAN, excess),
        excess: rows.iter().find(|row| row.t as f64 >= steps).map(excess),
        stated,
    }
}

/// From the last record, if it is late enough for the clock.
fn burn_in(model: &ModelSettings, window: &[&Row]) -> Option<BurnIn> {
    let group = model.group.filter(|&group| group < model.tokens && model.classes.len() == 1)?;
    with_lumped_model::<f64, _>(model, |lumped| {
        let (norm, gain) = (lumped.teacher_norm, lumped.logit_gain);
        let clock = Clock::new(
            lumped.activation,
            model.tokens as f64,
            group as f64,
            norm,
            gain,
            lumped.rate,
        )?;
        let predicted = clock.predicted_burn_in();
        let from_zero = model.state.is_none() && Float::is_finite(predicted);
        let reading = |row: &&Row| -> Option<f64> {
            let tangent = row.tangent.filter(|x| *x > 0.0 && *x <= LATE)?;
            Some(clock.burn_in(clock.gap_at(tangent), row.t as f64))
        };
        from_zero.then(|| BurnIn {
            measured: window.last().and_then(reading),
            predicted,
            uncertainty: clock.burn_in_uncertainty(),
            stiffness: gain * norm * norm / (group as f64 * group as f64),
        })
    })
}

/// Steps that would do: those of the plan, or four times as many if they were made already.
fn needed(model: &ModelSettings, end: u64) -> u64 {
    let planned = planner::steps(model);
    if planned > end { planned } else { two_digits_up(4.0 * end.max(100) as f64) }
}

/// A few of each decade, more of them towards the end.
fn records(rows: &[Row]) -> Vec<Record> {
    let end = rows.last().map_or(1.0, |row| row.t.max(1) as f64).log10();
    let mut last = 0.0;
    let mut kept = Vec::new();
    for row in rows.iter().filter(|row| row.t > 0) {
        let decade = (row.t as f64).log10();
        let apart = if decade > end - 2.0 { 0.04 } else { 0.24 };
        if decade >= last + apart || kept.is_empty() || Some(row) == rows.last() {
            last = decade;
            let values = Quantity::ALL.map(|quantity| quantity.of_row(row).center());
            kept.push(Record { t: row.t, tangent: row.tangent, values });
        }
    }
    kept
}
