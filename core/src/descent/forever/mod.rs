//! What holds for every later step of a two-level run, proven from one enclosed state.
//!
//! Late in training nothing surprising can happen any more: the states {0 < x ≤ x₀, ŷ in Y} (see
//! [`form`]) are shown to be mapped into themselves, by interval arithmetic on pieces down to x = 0;
//! and two clocks, functions of the state of which one advances by at most μ a step and the other by
//! at least μ, then bound x after any number of steps:
//!
//! ```text
//! Ψ(T) + A₊ x_T ≤ Ψ(T₀) + A₊ x_{T₀} + μ (T − T₀) ,     Ψ(T) − A₋ x_T ≥ Ψ(T₀) − A₋ x_{T₀} + μ (T − T₀) .
//! ```
//!
//! As Ψ = 1/x² + lower terms, the relative width of what follows *falls* like 1/T. Proofs: note 8.

mod clock;
pub mod form;
mod problem;
pub mod recheck;
mod refusal;
mod region;
mod series;

use crate::Scalar;
use crate::model::Quantities;
use crate::model::lumped::LumpedModel;
use crate::scalar::float::Float;
use crate::scalar::interval::Interval;
use clock::Dial;
use form::Form;
use problem::Problem;
pub use refusal::Refusal;
use region::{arc_excess, pieces};

/// From this x = tan θ downwards statements about every later step are tried.
pub const LATEST_START: f64 = 0.5;

/// The constants that a statement about every later step rests on.
#[derive(Clone, Copy, Debug)]
pub struct Claim<F> {
    /// x₀: the region has 0 < x ≤ x₀.
    pub top: F,
    /// Y: the region has ŷ in Y.
    pub lag: Interval<F>,
    /// A₊, of the clock that advances by at most μ a step.
    pub upper: F,
    /// A₋, of the clock that advances by at least μ a step.
    pub lower: F,
}

/// What the columns `e = c s − s*` of a two-level run are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OutputErrors<S> {
    /// On a token of the group.
    pub inside: S,
    /// On any other token.
    pub outside: S,
    /// c − 1, the sum of a column.
    pub sum: S,
}

/// A proven statement about every step from some T₀ on.
#[derive(Clone, Copy, Debug)]
pub struct Forever<F> {
    problem: Problem<F>,
    dial: Dial<F>,
    steps: u64,
    tangent: Interval<F>,
    lag: Interval<F>,
    claim: Claim<F>,
    /// Readings at T₀ of the clock that may lag, and of the one that may lead.
    slowest: Interval<F>,
    fastest: Interval<F>,
}

impl<F: Float> Forever<F> {
    /// Looks for constants with which a statement can be proven, and proves it.
    ///
    /// The state after `steps` steps is c and δ, the logit in the group less that outside of it.
    ///
    /// # Errors
    /// [`Refusal`], with the reason.
    pub fn prove(
        model: &LumpedModel<'_, Interval<F>>,
        steps: u64,
        c: Interval<F>,
        gap: Interval<F>,
    ) -> Result<Self, Refusal> {
        let problem = Problem::of(model)?;
        let state = problem.late_state(c, gap)?;
        let (form, top) = (&problem.form, state.0.hi());
        let lag = region::find(form, top, state.1)?;
        let (lower, upper) = clock::find(form, top, lag);
        Self::from_state(problem, steps, state, Claim { top, lag, upper, lower })
    }

    /// Proves the statement with given constants.
    ///
    /// # Errors
    /// [`Refusal`], if it is not proven with these.
    pub fn verify(
        model: &LumpedModel<'_, Interval<F>>,
        steps: u64,
        c: Interval<F>,
        gap: Interval<F>,
        claim: Claim<F>,
    ) -> Result<Self, Refusal> {
        let problem = Problem::of(model)?;
        let state = problem.late_state(c, gap)?;
        Self::from_state(problem, steps, state, claim)
    }

    fn from_state(
        problem: Problem<F>,
        steps: u64,
        (tangent, lag): (Interval<F>, Interval<F>),
        claim: Claim<F>,
    ) -> Result<Self, Refusal> {
        let form = problem.form;
        let finite = [claim.top, claim.upper, claim.lower].iter().all(|x| x.is_finite());
        if !(finite && claim.lag.is_common()) {
            return Err(Refusal::OutsideRegion);
        }
        let limit = LATEST_START;
        if !(claim.top <= F::from_f64(limit) && claim.top > F::ZERO) {
            return Err(Refusal::TooEarly { tangent: claim.top.to_f64(), limit });
        }
        if !(tangent.hi() <= claim.top && lag.is_common() && lag.is_subset_of(claim.lag)) {
            return Err(Refusal::OutsideRegion);
        }
        // c = c* (1 + ŷx³) stays positive, without which the step has another form.
        let (top, one) = (Interval::point(claim.top), form.one);
        let all = top.hull(top.zero());
        if !((one + claim.lag * all * all.square()).lo() > F::ZERO) {
            return Err(Refusal::FactorNotPositive);
        }
        region::check(&form, claim.top, claim.lag)?;
        clock::check(&form, claim.top, claim.lag, claim.upper, claim.lower)?;
        let dial = Dial::new(&form);
        let reading =
            |correction| dial.reading_times_square(tangent, lag, correction) / tangent.square();
        let proven = Self {
            problem,
            dial,
            steps,
            tangent,
            lag,
            claim,
            slowest: reading(-claim.lower),
            fastest: reading(claim.upper),
        };
        // Readings fall with x, in the whole region: −x³/2 times their derivative is positive.
        for correction in [-claim.lower, claim.upper] {
            if !(proven.steepness(all, correction).lo() > F::ZERO) {
                return Err(Refusal::ClockFails { tangent: claim.top.to_f64() });
            }
        }
        Ok(proven)
    }

    /// `1 + β̂x + (β̂² − e₂) x² − A x³/2 + (rμ/λ) x⁴ ŷ`.
    fn steepness(&self, x: Interval<F>, correction: F) -> Interval<F> {
        let square = x.square();
        let half = x.rational(1, 2);
        x.one() + self.dial.root * x + self.dial.logarithm * square
            - half * Interval::point(correction) * x * square
            + self.dial.lag * square.square() * self.claim.lag
    }

    /// T₀.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// The constants that it rests on.
    pub fn claim(&self) -> Claim<F> {
        self.claim
    }

    /// β̂, r, μ and λ.
    pub fn form(&self) -> Form<Interval<F>> {
        self.problem.form
    }

    /// x = tan θ and ŷ at T₀.
    pub fn state(&self) -> (Interval<F>, Interval<F>) {
        (self.tangent, self.lag)
    }

    /// x = tan θ after `steps` steps, for any number that is at least T₀; empty before.
    pub fn tangent_after(&self, steps: u64) -> Interval<F> {
        let Some(more) = steps.checked_sub(self.steps) else { return Interval::EMPTY };
        if more == 0 {
            return self.tangent;
        }
        let advance = self.problem.form.clock * whole(self.problem.form.one, more);
        // x is not below what the clock that leads shows, nor above what the other shows.
        let low = self.invert(self.fastest + advance, self.claim.upper, true);
        let high = self.invert(self.slowest + advance, -self.claim.lower, false);
        Interval::new(low, high.min(self.claim.top)).unwrap_or(Interval::EMPTY)
    }

    /// A bound of the x at which a clock shows `reading`: from below or from above.
    ///
    /// Newton's method in floats guesses; then it is moved outwards until interval arithmetic
    /// agrees.
    fn invert(&self, reading: Interval<F>, correction: F, below: bool) -> F {
        let target = reading.midpoint();
        let zero = F::ZERO;
        let show = |x: Interval<F>| {
            self.dial.reading_times_square(x, self.claim.lag, correction) / x.square()
        };
        let half = F::from_f64(0.5);
        let mut guess = (F::ONE / target.max(F::ONE)).sqrt().min(self.claim.top);
        for _ in 0..60 {
            let point = Interval::point(guess);
            let value = show(point).midpoint();
            let slope = self.steepness(point, correction).midpoint();
            // d(reading)/dx = −2 x⁻³ · steepness.
            let move_by = half * (value - target) * guess * guess * guess / slope;
            let next = (guess + move_by).max(half * guess).min(self.claim.top);
            let settled = (next - guess).abs() <= F::UNIT_ROUNDOFF * guess;
            if next.is_nan() || next == guess {
                break;
            }
            guess = next;
            if settled {
                break;
            }
        }
        let mut part = F::from_f64(4.0) * F::UNIT_ROUNDOFF;
        for _ in 0..60 {
            let x = if below { guess * (F::ONE - part) } else { guess * (F::ONE + part) };
            if !below && !(x < self.claim.top) {
                return self.claim.top;
            }
            if below && !(x > zero) {
                return zero;
            }
            let value = show(Interval::point(x));
            let beyond = if below { value.lo() > reading.hi() } else { value.hi() < reading.lo() };
            if beyond {
                return x;
            }
            part = part + part;
        }
        if below { zero } else { self.claim.top }
    }

    /// The quantities of Theorem 3.1 after `steps` ≥ T₀ steps; empty before.
    pub fn quantities_after(&self, steps: u64) -> Quantities<Interval<F>> {
        let x = self.tangent_after(steps);
        let lag = if steps == self.steps { self.lag } else { self.claim.lag };
        let Quantities { excess_loss, score_error, value_error } = self.over_tangent(x, lag);
        Quantities {
            excess_loss: excess_loss * x.square(),
            score_error: score_error * x,
            value_error: value_error * x,
        }
    }

    /// What the columns `e = c s − s*` are after `steps` ≥ T₀ steps; empty before.
    pub fn output_errors_after(&self, steps: u64) -> OutputErrors<Interval<F>> {
        let lag = if steps == self.steps { self.lag } else { self.claim.lag };
        self.output_errors(self.tangent_after(steps), lag)
    }

    /// The same for all T ≥ `steps` together, `steps` ≥ T₀; empty before.
    ///
    /// x falls, so that all later states are in {0 < x ≤ x_T}; each of the three is x times a factor
    /// that is enclosed on all of it.
    pub fn output_errors_from(&self, steps: u64) -> OutputErrors<Interval<F>> {
        let x = self.tangent_after(steps);
        self.output_errors(x.hull(x.zero()), self.claim.lag)
    }

    /// With `a = rx/(1+rx)`, `c = (1 + rx)(1 + x³h)/(1+x²)` and h as in note 8:
    /// `c − 1 = x (r − x + (1+rx)x²h)/(1+x²)`, `K e_in = c(1−a) − 1 = −x² (1 − xh)/(1+x²)` and
    /// `(D−K) e_out = ca = rx (1 + x³h)/(1+x²)`.
    fn output_errors(&self, x: Interval<F>, lag: Interval<F>) -> OutputErrors<Interval<F>> {
        let Form { one, ratio, .. } = self.problem.form;
        let Problem { tokens, group, .. } = self.problem;
        let square = x.square();
        let rise = self.rise(x, lag);
        let stretch = one + square;
        let lead = (ratio - x + (one + ratio * x) * square * rise) / stretch;
        OutputErrors {
            inside: -(square * (one - x * rise) / stretch) / group,
            outside: ratio * x * (one + x * square * rise) / stretch / (tokens - group),
            sum: x * lead,
        }
    }

    /// h in `c = (1 + rx)(1 + x³h)/(1+x²)`.
    fn rise(&self, x: Interval<F>, lag: Interval<F>) -> Interval<F> {
        let bend = self.problem.form.bend;
        let arc = arc_excess(x);
        bend * arc + lag + bend * lag * arc * x * x.square()
    }

    /// T (L − L_opt) and √T times the errors, for all T ≥ T₀ together: their least and greatest
    /// values are in these.
    pub fn ratios(&self) -> Quantities<Interval<F>> {
        let empty = Interval::EMPTY;
        let nothing = Quantities { excess_loss: empty, score_error: empty, value_error: empty };
        pieces(self.claim.top).fold(nothing, |all, piece| {
            // Smaller pieces where they are cheap: the ratios change with x.
            let middle = piece.midpoint();
            let point = Interval::point;
            let halves =
                [point(piece.lo()).hull(point(middle)), point(middle).hull(point(piece.hi()))];
            halves.into_iter().fold(all, |all, x| {
                let here = self.ratios_at(x);
                Quantities {
                    excess_loss: all.excess_loss.hull(here.excess_loss),
                    score_error: all.score_error.hull(here.score_error),
                    value_error: all.value_error.hull(here.value_error),
                }
            })
        })
    }

    /// The limits of T (L − L_opt) and of √T times the errors as T → ∞.
    pub fn limits(&self) -> Quantities<Interval<F>> {
        self.ratios_at(self.problem.form.one.zero())
    }

    /// The same as [`ratios`](Self::ratios), for x in one interval.
    fn ratios_at(&self, x: Interval<F>) -> Quantities<Interval<F>> {
        let Quantities { excess_loss, score_error, value_error } =
            self.over_tangent(x, self.claim.lag);
        let time = self.square_times_steps(x);
        let root = time.sqrt();
        Quantities {
            excess_loss: excess_loss * time,
            score_error: score_error * root,
            value_error: value_error * root,
        }
    }

    /// x² T, for the T ≥ T₀ at which tan θ = x.
    fn square_times_steps(&self, x: Interval<F>) -> Interval<F> {
        let start = whole(self.problem.form.one, self.steps);
        let by = |reading: Interval<F>, correction: F| {
            let shown = self.dial.reading_times_square(x, self.claim.lag, correction);
            x.square() * (start - reading / self.problem.form.clock)
                + shown / self.problem.form.clock
        };
        // The clock that leads needs at least so many steps, the other at most.
        let least = by(self.fastest, self.claim.upper);
        let most = by(self.slowest, -self.claim.lower);
        let since_start = x.square() * start;
        if least.is_empty() || most.is_empty() || since_start.is_empty() {
            return Interval::ENTIRE;
        }
        // Where the upper end is below the lower one, no T ≥ T₀ has such an x.
        let least = least.lo().max(since_start.lo());
        Interval::new(least, most.hi()).unwrap_or(Interval::EMPTY)
    }

    /// The quantities, over x² and over x.
    fn over_tangent(&self, x: Interval<F>, lag: Interval<F>) -> Quantities<Interval<F>> {
        let Form { one, bend, ratio, .. } = self.problem.form;
        let square = x.square();
        let arc = arc_excess(x);
        let root = (one + square).sqrt();
        // γ = (1 − κ̂/g)/x², and κ̂/g.
        let gamma = (one / (one + root) - bend * x * arc) / root;
        let kernel = one - square * gamma;
        let half = one.rational(1, 2);
        let length = lag * x * kernel - gamma;
        let ahead = one + lag * x * square;
        let Problem { tokens, group, teacher_norm, gain, .. } = self.problem;
        let scale = teacher_norm.square() * tokens * gain / group;
        let reach = one + ratio * x;
        let rise = self.rise(x, lag);
        let lead = (ratio - x + reach * square * rise) / (one + square);
        Quantities {
            excess_loss: scale * (half * square * length.square() + ahead * kernel * gamma),
            score_error: tokens / (group * reach),
            value_error: teacher_norm * lead.absolute(),
        }
    }
}

/// A whole number as an interval.
fn whole<F: Float>(one: Interval<F>, value: u64) -> Interval<F> {
    let half = i64::try_from(value >> 1).unwrap_or(i64::MAX);
    let odd = if value & 1 == 1 { one } else { one.zero() };
    one.integer(half) * one.integer(2) + odd
}
