//! Reading rates off a trajectory, and saying when there is nothing to read yet.

use popgd_core::descent::Quantities;
use popgd_core::theory::rates::{CLAIMED_EXPONENTS, PAST_BURN_IN, sharp_constants, stated_bounds};

use crate::engine::with_lumped_model;
use crate::fit;
use crate::geometric;
use crate::plan;
use crate::scalar::Number;
use crate::settings::{ModelSettings, ScalarKind};
use crate::trajectory::{Row, Trajectory};

/// A measured slope within this much of a claimed one agrees with it.
pub const TOLERANCE: f64 = 0.02;

/// How many steps of the last decade are looked at.
const POINTS: u32 = 8;

/// How many powers of T^{−1/2} are taken out of a slope. With one less the answer should be the
/// same; the difference is what the answer is trusted to.
const CORRECTIONS: i32 = 3;

/// The steps that rates are read from, whatever else is recorded: evenly spread over the last
/// decade, and a few of the first, from which a geometric decay is read.
pub fn measured_steps(steps: u64) -> Vec<u64> {
    let mut at: Vec<u64> = (0..7).map(|power| 1 << power).filter(|&t| t <= steps).collect();
    if let Some(start) = decade_start(steps) {
        at.push(start);
        at.extend((0..POINTS).map(|k| {
            let t = steps as f64 * 10_f64.powf(-f64::from(k) / f64::from(POINTS));
            (t as u64).clamp(start, steps)
        }));
    }
    at.push(steps);
    at.sort_unstable();
    at.dedup();
    at
}

/// The first step of the last decade.
fn decade_start(steps: u64) -> Option<u64> {
    (steps >= 10).then(|| steps.div_ceil(10))
}

/// One of the three quantities of Theorem 3.1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// ‖S − S*‖_F.
    ScoreError,
    /// ‖W_V − V*‖_F.
    ValueError,
    /// L − L_opt.
    ExcessLoss,
}

impl Quantity {
    /// All three, in the order of the theorem.
    pub const ALL: [Self; 3] = [Self::ScoreError, Self::ValueError, Self::ExcessLoss];

    /// Its name in results.
    pub fn key(self) -> &'static str {
        match self {
            Self::ScoreError => "score_error",
            Self::ValueError => "value_error",
            Self::ExcessLoss => "excess_loss",
        }
    }

    /// Its name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::ScoreError => "score error",
            Self::ValueError => "value error",
            Self::ExcessLoss => "excess loss",
        }
    }

    /// Its formula.
    pub fn formula(self) -> &'static str {
        match self {
            Self::ScoreError => "‖S − S*‖",
            Self::ValueError => "‖W_V − V*‖",
            Self::ExcessLoss => "L − L_opt",
        }
    }

    /// Its value in a row.
    pub fn of_row(self, row: &Row) -> Number {
        match self {
            Self::ScoreError => row.score_error,
            Self::ValueError => row.value_error,
            Self::ExcessLoss => row.excess_loss,
        }
    }

    /// Its value among the three.
    pub fn of<S: Copy>(self, quantities: &Quantities<S>) -> S {
        match self {
            Self::ScoreError => quantities.score_error,
            Self::ValueError => quantities.value_error,
            Self::ExcessLoss => quantities.excess_loss,
        }
    }

    /// The claimed power of T.
    pub fn claimed(self) -> f64 {
        self.of(&CLAIMED_EXPONENTS)
    }
}

/// What a measurement says of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The slope is the claimed one, within the tolerance.
    Agrees,
    /// It is not, and this is no matter of too few steps.
    Differs,
    /// More steps are needed to tell.
    Inconclusive,
}

impl Verdict {
    /// Its name in results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Agrees => "agrees",
            Self::Differs => "differs",
            Self::Inconclusive => "inconclusive",
        }
    }
}

/// A slope between two recorded steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LocalSlope {
    /// The first.
    pub from: u64,
    /// The second.
    pub to: u64,
    /// The slope of the logarithm of the quantity against that of T.
    pub slope: f64,
}

/// A slope of the last decade.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slope {
    /// Of the straight line.
    pub plain: f64,
    /// In the limit: corrections T^{−1/2}, T^{−1}, T^{−3/2} taken out.
    pub limit: f64,
    /// By how much the limit moves if one correction less is taken out.
    pub uncertainty: f64,
}

/// The size of a quantity beside its exact limit law.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Size {
    /// The exact limit of √(ηT)·error or ηT·excess.
    pub sharp: f64,
    /// What Theorem 3.1 states for it without its open constant; for a single group size.
    pub stated: Option<f64>,
    /// Measured over exact, at the last step.
    pub at_end: f64,
    /// Measured over exact in the limit, by the same corrections as the slope.
    pub limit: Option<f64>,
}

/// What is found of one quantity.
#[derive(Clone, Debug, PartialEq)]
pub struct Rate {
    /// Which.
    pub quantity: Quantity,
    /// Slopes between the steps that the user asked for, over the last decades.
    pub local: Vec<LocalSlope>,
    /// The slope over the last decade, if that has positive figures.
    pub slope: Option<Slope>,
    /// Its size; none before anything is recorded.
    pub size: Option<Size>,
    /// What this says of Theorem 3.1.
    pub verdict: Verdict,
}

/// How descent approaches its limit.
#[derive(Clone, Debug, PartialEq)]
pub enum Approach {
    /// By powers of T; one entry a quantity.
    Powers {
        /// tan θ at the start of the last decade and at the end.
        tangents: [f64; 2],
        /// Whether all of the last decade is past burn-in.
        past_burn_in: bool,
        /// A number of steps that would do, where this one does not.
        needed: Option<u64>,
        /// In the order of the theorem.
        rates: Vec<Rate>,
    },
    /// By a factor a step: no column of S* has a zero.
    Geometric {
        /// The factor of |c − 1| as it was measured.
        measured: Option<f64>,
        /// As theory has it.
        predicted: Option<f64>,
    },
}

/// Judges a trajectory of a model; `shown` are the steps between which local slopes are wanted.
pub fn judge(model: &ModelSettings, trajectory: &Trajectory, shown: &[u64]) -> Approach {
    let rows = &trajectory.rows;
    let closed =
        model.classes.iter().all(|class| class.levels.iter().all(|level| !level.weight.is_zero()));
    if closed {
        return Approach::Geometric {
            measured: measured_factor(model, rows),
            predicted: geometric::factor(model),
        };
    }
    let end = rows.last().map_or(0, |row| row.t);
    let start = decade_start(end);
    let decade: Vec<&Row> = match start {
        Some(start) => rows.iter().filter(|row| row.t >= start).collect(),
        None => Vec::new(),
    };
    let tangent = |row: Option<&&Row>| row.and_then(|row| row.tangent).unwrap_or(f64::INFINITY);
    let tangents = [tangent(decade.first()), tangent(rows.last().as_ref())];
    // An interrupted run may have no record at the start of its last decade.
    let whole = decade.first().is_some_and(|row| row.t as f64 <= 0.11 * end as f64);
    let past_burn_in = whole && tangents[0].abs() <= PAST_BURN_IN;
    let rates: Vec<Rate> = Quantity::ALL
        .into_iter()
        .map(|quantity| rate(model, quantity, rows, &decade, shown, past_burn_in))
        .collect();
    let undecided = rates.iter().any(|rate| rate.verdict == Verdict::Inconclusive);
    let needed = undecided.then(|| needed_steps(model, end, tangents[1], past_burn_in));
    Approach::Powers { tangents, past_burn_in, needed, rates }
}

fn rate(
    model: &ModelSettings,
    quantity: Quantity,
    rows: &[Row],
    decade: &[&Row],
    shown: &[u64],
    past_burn_in: bool,
) -> Rate {
    let value = |row: &Row| quantity.of_row(row).center();
    let points: Vec<(f64, f64)> = decade.iter().map(|row| (row.t as f64, value(row))).collect();
    let positive = points.iter().all(|&(_, y)| y > 0.0);
    let slope = if positive { slope(&points) } else { None };
    let verdict = match slope {
        Some(slope) if past_burn_in => verdict(slope, quantity.claimed()),
        _ => Verdict::Inconclusive,
    };
    Rate {
        quantity,
        local: local_slopes(rows, shown, value),
        slope,
        size: size(model, quantity, rows, &points),
        verdict,
    }
}

fn slope(points: &fit::Points) -> Option<Slope> {
    let plain = fit::slope(points, 0)?;
    let limit = fit::slope(points, CORRECTIONS)?;
    let coarser = fit::slope(points, CORRECTIONS - 1)?;
    Some(Slope { plain, limit, uncertainty: (limit - coarser).abs() })
}

/// Agreement needs a settled answer; disagreement needs one that no unsettledness explains.
fn verdict(slope: Slope, claimed: f64) -> Verdict {
    let distance = (slope.limit - claimed).abs();
    if distance <= TOLERANCE && slope.uncertainty <= 2.0 * TOLERANCE {
        Verdict::Agrees
    } else if distance > TOLERANCE + slope.uncertainty {
        Verdict::Differs
    } else {
        Verdict::Inconclusive
    }
}

fn local_slopes(rows: &[Row], shown: &[u64], value: impl Fn(&Row) -> f64) -> Vec<LocalSlope> {
    let kept: Vec<&Row> =
        rows.iter().filter(|row| row.t > 0 && shown.binary_search(&row.t).is_ok()).collect();
    kept.windows(2)
        .filter_map(|pair| {
            let (from, to) = (pair.first()?, pair.last()?);
            let slope = (value(to) / value(from)).ln() / (to.t as f64 / from.t as f64).ln();
            slope.is_finite().then_some(LocalSlope { from: from.t, to: to.t, slope })
        })
        .collect()
}

fn size(
    model: &ModelSettings,
    quantity: Quantity,
    rows: &[Row],
    points: &fit::Points,
) -> Option<Size> {
    let last = rows.last().filter(|row| row.t > 0)?;
    let claimed = quantity.claimed();
    with_lumped_model::<f64, _>(model, |lumped| {
        let sharp = quantity.of(&sharp_constants(&lumped)?);
        let scale = lumped.rate.powf(-claimed);
        let normalised = (last.t as f64).powf(-claimed) * scale;
        let stated = model.group.map(|group| {
            let bounds = stated_bounds(
                model.tokens as f64,
                group as f64,
                lumped.teacher_norm,
                lumped.rate,
                last.t as f64,
            );
            quantity.of(&bounds) * normalised
        });
        let limit = fit::limit_constant(points, claimed, CORRECTIONS);
        Some(Size {
            sharp,
            stated,
            at_end: quantity.of_row(last).center() * normalised / sharp,
            limit: limit.map(|constant| constant * scale / sharp),
        })
    })
}

/// How many steps would give a decade that can be read, with something to spare.
fn needed_steps(model: &ModelSettings, end: u64, tangent: f64, past_burn_in: bool) -> u64 {
    let end = end.max(1) as f64;
    // Comfortably past burn-in at the start of the decade, and with corrections small that are
    // of order r x and x/r, r² = (D − K)/K.
    let goal = match model.group {
        Some(group) if group < model.tokens => {
            let r = ((model.tokens - group) as f64 / group as f64).sqrt();
            f64::min(0.6 * PAST_BURN_IN, 0.34 / r.max(1.0 / r))
        }
        _ => 0.6 * PAST_BURN_IN,
    };
    let needed = if past_burn_in {
        4.0 * end
    } else if let Some(more) = plan::steps_between(model, tangent, goal) {
        10.0 * (end + more)
    } else if tangent < 0.5 {
        // 1/x² grows in proportion to the steps.
        10.0 * end * (tangent / goal).powi(2)
    } else {
        10.0 * end
    };
    two_digits_up(needed.max(100.0))
}

/// The next number of two digits and zeros.
pub(crate) fn two_digits_up(value: f64) -> u64 {
    let unit = 10_f64.powi((value.log10().floor() as i32) - 1);
    ((value / unit).ceil() * unit) as u64
}

/// The factor by which |c − 1| shrinks, from the last two records that rounding has not reached.
pub(crate) fn measured_factor(model: &ModelSettings, rows: &[Row]) -> Option<f64> {
    let floor = match model.scalar {
        ScalarKind::F32 | ScalarKind::Interval32 => 1e-4,
        ScalarKind::F64 | ScalarKind::Interval64 => 1e-11,
    };
    let first = rows.iter().map(|row| row.value_error.center()).fold(0.0, f64::max);
    let kept: Vec<&Row> =
        rows.iter().filter(|row| row.t > 0 && row.value_error.center() > floor * first).collect();
    let [.., from, to] = kept[..] else { return None };
    let ratio = to.value_error.center() / from.value_error.center();
    Some(ratio.powf(1.0 / (to.t - from.t) as f64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measured_steps_cover_the_last_decade() {
        let at = measured_steps(10_000_000);
        assert!(at.contains(&1_000_000) && at.contains(&10_000_000));
        assert_eq!(at.iter().filter(|&&t| t >= 1_000_000).count(), 9);
        assert!(at.is_sorted());
        assert_eq!(measured_steps(3), [1, 2, 3]);
        assert!(measured_steps(u64::MAX >> 1).is_sorted());
    }

    #[test]
    fn verdicts() {
        let slope = |limit, uncertainty| Slope { plain: limit, limit, uncertainty };
        assert_eq!(verdict(slope(-0.51, 0.001), -0.5), Verdict::Agrees);
        assert_eq!(verdict(slope(-0.53, 0.001), -0.5), Verdict::Differs);
        assert_eq!(verdict(slope(-0.53, 0.02), -0.5), Verdict::Inconclusive);
        assert_eq!(verdict(slope(-0.50, 0.2), -0.5), Verdict::Inconclusive);
    }

    #[test]
    fn rounding_up() {
        assert_eq!(two_digits_up(123_456.0), 130_000);
        assert_eq!(two_digits_up(100.0), 100);
        assert_eq!(two_digits_up(99.5), 100);
    }
}
