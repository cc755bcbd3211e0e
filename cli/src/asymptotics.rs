//! Reading rates off a trajectory, and saying when there is nothing to read yet.

use popgd_core::descent::Quantities;
use popgd_core::theory::rates::{CLAIMED_EXPONENTS, PAST_BURN_IN, sharp_constants, stated_bounds};
use popgd_core::theory::stability::value_curvature;

use crate::engine::with_lumped_model;
use crate::fit;
use crate::geometric;
use crate::plan;
use crate::scalar::Number;
use crate::settings::{ModelSettings, PositionSettings, ScalarKind};
use crate::trajectory::{End, Row, Trajectory};

/// A measured slope within this much of a claimed one agrees with it.
pub const TOLERANCE: f64 = 0.02;

/// How many steps of a decade are looked at.
const POINTS: u32 = 8;

/// How many powers of T^{−1/2} are taken out of a slope. With one less the answer should be the
/// same; the difference is what the answer is trusted to.
const CORRECTIONS: i32 = 3;

/// How small the part of a tenth of the last decade may be that a mode of curvature h still has:
/// `e^{−ηhT/10}` with at least this exponent.
const DECAYED: f64 = 30.0;

/// By how much the fall of tan θ, a power of T, may be less than ½, and more, where the clock is
/// to be T. A run that began ahead falls too slowly, without end to it; one that has lost steps in
/// burn-in falls too fast at first, which the corrections to a slope account for.
const CLOCK_TOLERANCE: [f64; 2] = [0.03, 0.1];

/// By how much the measured size may differ from the exact limit, in the limit.
const SIZE_TOLERANCE: f64 = 0.05;

/// More steps than these are out of reach: days, at some ten nanoseconds a step.
const REACHABLE: f64 = 1e13;

/// The steps that rates are read from, whatever else is recorded: evenly spread over the last
/// decade and, because a run may end early, over all before it; and a few of the first, from
/// which a geometric decay is read.
pub fn measured_steps(steps: u64) -> Vec<u64> {
    let mut at: Vec<u64> = (0..7).map(|power| 1 << power).filter(|&t| t <= steps).collect();
    let mut k = 0;
    loop {
        let t = steps as f64 * 10_f64.powf(-f64::from(k) / f64::from(POINTS));
        if t < 64.0 {
            break;
        }
        at.push((t as u64).min(steps));
        k += 1;
    }
    at.extend(decade_start(steps));
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

    /// What it is multiplied with in its limit law.
    pub fn time(self) -> &'static str {
        match self {
            Self::ScoreError | Self::ValueError => "√T",
            Self::ExcessLoss => "T",
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
    /// It cannot be told, see [`Doubt`].
    Inconclusive,
}

/// Why a verdict is withheld.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doubt {
    /// There is no decade of recorded steps.
    TooFewSteps,
    /// The run broke off: a figure overflowed, or an enclosure grew without bound.
    BrokenOff,
    /// Figures are exactly 0, below what the scalar resolves.
    Vanished,
    /// tan θ does not fall.
    Standing,
    /// tan θ is small and does not fall any more.
    Frozen,
    /// tan θ is not small yet.
    BurnIn,
    /// tan θ is small but does not fall like T^{−1/2}: the time that counts is not T, because
    /// the run began ahead (a late state, a first step that went far) or has lost steps.
    OtherClock,
    /// Increments are lost in plain sums.
    Rounding,
    /// Differences between tokens of unequal weights have not died out.
    SlowModes,
    /// Corrections are too large to be taken out.
    Corrections,
    /// The slope agrees, but the size is not the one that the exact limit law has.
    Size,
    /// The slope is another one, but P is not one that the theorem is about.
    OutsideTheorem,
}

impl Doubt {
    /// Its name in results.
    pub fn name(self) -> &'static str {
        match self {
            Self::TooFewSteps => "too_few_steps",
            Self::BrokenOff => "broken_off",
            Self::Vanished => "vanished",
            Self::Standing => "standing",
            Self::Frozen => "frozen",
            Self::BurnIn => "burn_in",
            Self::OtherClock => "other_clock",
            Self::Rounding => "rounding",
            Self::SlowModes => "slow_modes",
            Self::Corrections => "corrections",
            Self::Size => "size",
            Self::OutsideTheorem => "outside_theorem",
        }
    }
}

/// What would settle a doubt.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Mend {
    /// So many steps.
    Longer(u64),
    /// More steps, so many that nobody can make them.
    TooLong(f64),
    /// No number of steps.
    Otherwise,
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
    /// By how much the limit moves if one correction less is taken out, and by how much rounding
    /// may move it.
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
    /// Why nothing, if so.
    pub doubt: Option<Doubt>,
}

/// How descent approaches its limit.
#[derive(Clone, Debug, PartialEq)]
pub enum Approach {
    /// By powers of T; one entry a quantity.
    Powers {
        /// The first step and the last of the decade that rates are read from, if there is one.
        decade: Option<[u64; 2]>,
        /// tan θ at these.
        tangents: [f64; 2],
        /// Whether all of that decade is past burn-in.
        past_burn_in: bool,
        /// The first reason for which a verdict is withheld.
        doubt: Option<Doubt>,
        /// What would help against it.
        mend: Option<Mend>,
        /// In the order of the theorem.
        rates: Vec<Rate>,
    },
    /// By a factor a step: no column of S* has a zero.
    Geometric {
        /// One minus the factor of |c − 1|, as it was measured.
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
            measured: measured_shrinkage(model, rows),
            predicted: geometric::shrinkage(model),
        };
    }
    let end = rows.last().map_or(0, |row| row.t);
    // A run that was interrupted may have no record at the start of its last decade, but has one
    // somewhat before.
    let first = decade_start(end)
        .and_then(|start| rows.iter().rposition(|row| row.t > 0 && row.t <= start));
    let decade: Vec<&Row> = rows.iter().skip(first.unwrap_or(rows.len())).collect();
    let clock = Clock::of(model, &decade, rows.last());
    let common = common_doubt(model, trajectory, &decade, &clock);
    let mut rates: Vec<Rate> = Quantity::ALL
        .into_iter()
        .map(|quantity| rate(model, quantity, rows, &decade, shown, common))
        .collect();
    // All three approach their laws together: while one is unsettled, none is called different.
    if rates.iter().any(|rate| rate.doubt.is_some()) {
        for rate in rates.iter_mut().filter(|rate| rate.verdict == Verdict::Differs) {
            rate.verdict = Verdict::Inconclusive;
            rate.doubt = Some(Doubt::Corrections);
        }
    }
    let doubt = common.or_else(|| rates.iter().find_map(|rate| rate.doubt));
    let done = match trajectory.end {
        End::Complete => end,
        End::Interrupted { after } => after,
        End::NotFinite { at } => at.saturating_sub(1),
    };
    let [from, to] = clock.tangents;
    Approach::Powers {
        decade: decade.first().map(|row| [row.t, end]),
        tangents: [from, to],
        past_burn_in: clock.is_late(),
        doubt,
        mend: doubt.map(|doubt| mend(model, doubt, done, &clock)),
        rates,
    }
}

/// Whether a model has positions for which the limit laws are known: PᵀP = γI.
pub fn has_limit_law(model: &ModelSettings) -> bool {
    let positions = model.dense.as_ref().map(|dense| &dense.positions);
    !matches!(positions, Some(PositionSettings::General(_)))
}

/// The time that tan θ shows, beside T.
#[derive(Clone, Copy, Debug)]
struct Clock {
    /// The steps between which it is read.
    steps: [f64; 2],
    /// tan θ at these.
    tangents: [f64; 2],
    /// By how much `1/tan²θ` grows a step: in theory where that is known, else as measured.
    rate: Option<f64>,
}

impl Clock {
    fn of(model: &ModelSettings, decade: &[&Row], last: Option<&Row>) -> Self {
        let tangent =
            |row: Option<&Row>| row.and_then(|row| row.tangent).map_or(f64::INFINITY, f64::abs);
        let time = |row: Option<&Row>| row.map_or(0.0, |row| row.t as f64);
        let first = decade.first().copied();
        let (steps, tangents) = ([time(first), time(last)], [tangent(first), tangent(last)]);
        let reading = tangents.map(|x| 1.0 / (x * x));
        let measured = (reading[1] - reading[0]) / (steps[1] - steps[0]);
        let known = if has_limit_law(model) { plan::clock_rate(model) } else { None };
        let rate = known.or(Some(measured)).filter(|rate| *rate > 0.0 && rate.is_finite());
        Self { steps, tangents, rate }
    }

    /// Whether tan θ is small all the time.
    fn is_late(&self) -> bool {
        self.tangents[0] <= PAST_BURN_IN
    }

    /// The power of T with which tan θ falls.
    fn fall(&self) -> f64 {
        let ([from, to], [t, end]) = (self.tangents, self.steps);
        (from / to).log10() / (end / t).log10()
    }

    /// How many steps late (or early, if negative) the limit law runs beside T.
    fn offset(&self) -> Option<f64> {
        let [_, x] = self.tangents;
        self.rate.map(|rate| self.steps[1] - 1.0 / (x * x * rate))
    }
}

/// What stands against any verdict.
fn common_doubt(
    model: &ModelSettings,
    trajectory: &Trajectory,
    decade: &[&Row],
    clock: &Clock,
) -> Option<Doubt> {
    if let End::NotFinite { .. } = trajectory.end {
        return Some(Doubt::BrokenOff);
    }
    let Some(first) = decade.first() else { return Some(Doubt::TooFewSteps) };
    let zero = |row: &&Row| Quantity::ALL.iter().all(|q| q.of_row(row).center() == 0.0);
    if clock.tangents[1] == 0.0 || decade.last().is_some_and(zero) {
        return Some(Doubt::Vanished);
    }
    let fall = clock.fall();
    // A plateau that theory knows the end of is no standstill.
    let predicted =
        clock.tangents[0] > PAST_BURN_IN && steps_to(model, clock, PAST_BURN_IN).is_some();
    if !(fall.abs() > 1e-6 || predicted) {
        return Some(match clock.is_late() {
            _ if stalls(model, first.t) => Doubt::Rounding,
            true => Doubt::Frozen,
            false => Doubt::Standing,
        });
    }
    if !clock.is_late() {
        return Some(Doubt::BurnIn);
    }
    let decayed = slowest_decay(model).is_none_or(|decay| decay * first.t as f64 >= DECAYED);
    if !decayed {
        return Some(Doubt::SlowModes);
    }
    // NaN is in no range.
    if !(0.5 - CLOCK_TOLERANCE[0]..=0.5 + CLOCK_TOLERANCE[1]).contains(&fall) {
        let last = trajectory.rows.last().map_or(0, |row| row.t);
        return Some(if stalls(model, last) { Doubt::Rounding } else { Doubt::OtherClock });
    }
    None
}

/// Whether plain sums lose increments within so many steps: those of a logit are about 1/(2T).
fn stalls(model: &ModelSettings, steps: u64) -> bool {
    let unit = unit_roundoff(model.scalar);
    !model.compensated && steps as f64 * unit > 0.003
}

fn unit_roundoff(scalar: ScalarKind) -> f64 {
    match scalar {
        ScalarKind::F32 | ScalarKind::Interval32 => f64::from(f32::EPSILON) / 2.0,
        ScalarKind::F64 | ScalarKind::Interval64 => f64::EPSILON / 2.0,
    }
}

/// The least η·(curvature) of what descent has to forget before the limit law holds: of c, and of
/// differences between tokens of unequal weights; by note 4, section 3.
fn slowest_decay(model: &ModelSettings) -> Option<f64> {
    // From a start in full matrices also tokens of equal weight differ.
    let unequal_start = plan::starts_in_matrices(model);
    with_lumped_model::<f64, _>(model, |lumped| {
        let gain = lumped.activation.gain();
        let along_values = value_curvature(&lumped);
        let mut slowest = along_values;
        let (mut groups, mut square_norms) = (0.0, 0.0);
        for class in lumped.classes {
            let mut levels: Vec<(f64, f64)> =
                class.levels().filter(|&(_, weight)| weight > 0.0).collect();
            groups += class.columns / levels.iter().map(|&(count, _)| count).sum::<f64>();
            square_norms += class.columns * class.square_norm(0.0);
            levels.sort_by(|a, b| a.1.total_cmp(&b.1));
            let smallest = if unequal_start && levels.first().is_some_and(|level| level.0 > 1.0) {
                levels.first().map(|level| level.1)
            } else {
                smallest_spread(&levels)
            };
            if let Some(spread) = smallest {
                let stiffness = gain * lumped.logit_gain * lumped.teacher_norm.powi(2);
                slowest = slowest.min(stiffness * spread * spread);
            }
        }
        // The part that is left to a mode in which c makes up for the logits.
        let shared = (groups / square_norms).min(1.0);
        let slowest = if slowest < along_values { slowest * shared } else { slowest };
        Some(lumped.rate * slowest)
    })
}

/// The least eigenvalue but 0 of diag(w) − w wᵀ, for levels (count, weight) in increasing order of
/// weight: it is between the two smallest weights, and a root of `Σ m w²/(w − x) = 1`.
fn smallest_spread(levels: &[(f64, f64)]) -> Option<f64> {
    let [(_, first), (_, second), ..] = levels[..] else { return None };
    let excess = |x: f64| levels.iter().map(|&(m, w)| m * w * w / (w - x)).sum::<f64>() - 1.0;
    let (mut low, mut high) = (first, second);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        // From −∞ to ∞ between the two poles.
        if excess(middle) < 0.0 { low = middle } else { high = middle }
    }
    Some(low)
}

fn rate(
    model: &ModelSettings,
    quantity: Quantity,
    rows: &[Row],
    decade: &[&Row],
    shown: &[u64],
    common: Option<Doubt>,
) -> Rate {
    let value = |row: &Row| quantity.of_row(row).center();
    let points: Vec<(f64, f64)> = decade.iter().map(|row| (row.t as f64, value(row))).collect();
    let positive = points.iter().all(|&(_, y)| y > 0.0);
    let noise = decade
        .iter()
        .map(|row| relative_width(quantity.of_row(row)))
        .fold(8.0 * unit_roundoff(model.scalar), f64::max);
    let slope = if positive { slope(&points, noise) } else { None };
    let size = if has_limit_law(model) { size(model, quantity, rows, &points) } else { None };
    let judged = match (common, slope) {
        (Some(doubt), _) => Err(doubt),
        (None, None) if !positive => Err(Doubt::Vanished),
        (None, None) => Err(Doubt::TooFewSteps),
        (None, Some(slope)) => match verdict(slope, quantity.claimed()) {
            Verdict::Differs if !has_limit_law(model) => Err(Doubt::OutsideTheorem),
            Verdict::Differs | Verdict::Inconclusive
                if stalls(model, rows.last().map_or(0, |row| row.t)) =>
            {
                Err(Doubt::Rounding)
            }
            Verdict::Inconclusive => Err(Doubt::Corrections),
            Verdict::Agrees
                if size.is_some_and(|size| {
                    size.limit.is_none_or(|x| !((x - 1.0).abs() <= SIZE_TOLERANCE))
                }) =>
            {
                Err(Doubt::Size)
            }
            verdict => Ok(verdict),
        },
    };
    Rate {
        quantity,
        local: local_slopes(rows, shown, value),
        slope,
        size,
        verdict: judged.unwrap_or(Verdict::Inconclusive),
        doubt: judged.err(),
    }
}

/// By what part an enclosure may be off.
fn relative_width(number: Number) -> f64 {
    let (lo, hi) = match number {
        Number::Interval { lo, hi } => (lo, hi),
        Number::SingleInterval { lo, hi } => (f64::from(lo), f64::from(hi)),
        Number::Float(_) | Number::Single(_) => return 0.0,
    };
    if lo > 0.0 { (hi - lo) / (hi + lo) } else { f64::INFINITY }
}

/// The slope, where each figure may be off by the part `noise`.
fn slope(points: &fit::Points, noise: f64) -> Option<Slope> {
    let plain = fit::slope(points, 0)?;
    let limit = fit::slope(points, CORRECTIONS)?;
    let coarser = fit::slope(points, CORRECTIONS - 1)?;
    let rounding = noise * fit::sensitivity(points, CORRECTIONS)?;
    Some(Slope { plain, limit, uncertainty: (limit - coarser).abs() + rounding })
}

/// Both need a settled answer, disagreement a firmer one: the fit has many coefficients.
fn verdict(slope: Slope, claimed: f64) -> Verdict {
    let distance = (slope.limit - claimed).abs();
    if !(slope.uncertainty <= 2.0 * TOLERANCE) {
        Verdict::Inconclusive
    } else if distance <= TOLERANCE {
        Verdict::Agrees
    } else if distance > TOLERANCE + slope.uncertainty && slope.uncertainty <= 0.5 * TOLERANCE {
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

/// The steps from the last one to a tangent, where theory has them.
fn steps_to(model: &ModelSettings, clock: &Clock, goal: f64) -> Option<f64> {
    if !plan::starts_in_matrices(model) && has_limit_law(model) {
        plan::steps_between(model, clock.tangents[1], goal)
    } else {
        None
    }
}

/// What would help, after `done` steps.
fn mend(model: &ModelSettings, doubt: Doubt, done: u64, clock: &Clock) -> Mend {
    // Comfortably past burn-in at the start of the decade, and with corrections small that are
    // of order r x and x/r, r² = (D − K)/K.
    let goal = match model.group {
        Some(group) if group < model.tokens => {
            let r = ((model.tokens - group) as f64 / group as f64).sqrt();
            f64::min(0.6 * PAST_BURN_IN, 0.34 / r.max(1.0 / r))
        }
        _ => 0.6 * PAST_BURN_IN,
    };
    let steps = done.max(1) as f64;
    // The start of a decade by which the clock has come to the goal, times ten.
    let by_clock = clock.rate.map_or(0.0, |rate| 10.0 / (goal * goal * rate));
    let decayed = slowest_decay(model).map_or(0.0, |decay| 10.0 * DECAYED / decay);
    let wanted = match doubt {
        Doubt::Standing | Doubt::Frozen | Doubt::Vanished | Doubt::Rounding | Doubt::BrokenOff => {
            None
        }
        Doubt::OutsideTheorem => None,
        Doubt::TooFewSteps | Doubt::BurnIn => Some(match steps_to(model, clock, goal) {
            Some(more) => 10.0 * (steps + more),
            // 1/x² grows in proportion to the steps.
            None if clock.tangents[1] < 0.5 => 10.0 * steps * (clock.tangents[1] / goal).powi(2),
            None => 10.0 * steps,
        }),
        // So late that what T is off by is a small part of a tenth of it.
        Doubt::OtherClock => clock.offset().map(|offset| by_clock.max(100.0 * offset.abs())),
        Doubt::SlowModes => Some(by_clock),
        Doubt::Corrections | Doubt::Size => Some(by_clock.max(4.0 * steps)),
    };
    match wanted.map(|wanted| wanted.max(decayed).max(2.0 * steps).max(100.0)) {
        None => Mend::Otherwise,
        Some(wanted) if wanted <= REACHABLE => Mend::Longer(two_digits_up(wanted)),
        Some(wanted) => Mend::TooLong(wanted),
    }
}

/// The next number of two digits and zeros.
pub(crate) fn two_digits_up(value: f64) -> u64 {
    let unit = 10_f64.powi((value.log10().floor() as i32) - 1);
    ((value / unit).ceil() * unit) as u64
}

/// One minus the factor by which |c − 1| shrinks, from the last two records that rounding has
/// not reached.
pub(crate) fn measured_shrinkage(model: &ModelSettings, rows: &[Row]) -> Option<f64> {
    let floor = match model.scalar {
        ScalarKind::F32 | ScalarKind::Interval32 => 1e-4,
        ScalarKind::F64 | ScalarKind::Interval64 => 1e-11,
    };
    let first = rows.iter().map(|row| row.value_error.center()).fold(0.0, f64::max);
    let kept: Vec<&Row> =
        rows.iter().filter(|row| row.t > 0 && row.value_error.center() > floor * first).collect();
    let [.., from, to] = kept[..] else { return None };
    let ratio = to.value_error.center() / from.value_error.center();
    Some(-(ratio.ln() / (to.t - from.t) as f64).exp_m1())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measured_steps_cover_the_last_decade() {
        let at = measured_steps(10_000_000);
        assert!(at.contains(&1_000_000) && at.contains(&10_000_000));
        assert_eq!(at.iter().filter(|&&t| t >= 1_000_000).count(), 9);
        // Wherever a run is stopped, a decade is recorded.
        assert!(
            (3..7).all(|p| at
                .iter()
                .filter(|&&t| t >= 10_u64.pow(p) / 10 && t < 10_u64.pow(p))
                .count()
                >= 8)
        );
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
        assert_eq!(verdict(slope(-2.4, 1.9), -0.5), Verdict::Inconclusive);
    }

    #[test]
    fn the_slowest_mode_of_unequal_weights() {
        // Two weights p and 1 − p have the one mode 2p(1 − p).
        let spread = smallest_spread(&[(1.0, 0.001), (1.0, 0.999)]).unwrap();
        assert!((spread - 2.0 * 0.001 * 0.999).abs() < 1e-12, "{spread}");
        assert_eq!(smallest_spread(&[(4.0, 0.25)]), None);
    }

    #[test]
    fn rounding_up() {
        assert_eq!(two_digits_up(123_456.0), 130_000);
        assert_eq!(two_digits_up(100.0), 100);
        assert_eq!(two_digits_up(99.5), 100);
    }
}
