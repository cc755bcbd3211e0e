//! With which power of a variable the constants go: claimed, predicted, measured.

use std::f64::consts::FRAC_PI_2;

use popgd_core::model::activation::Activation;
use popgd_core::theory::exponents::Variable;

use super::job::Sweep;
use super::law::Constant;
use super::measure::{Finding, Findings};
use super::outcome::Outcome;
use super::planner;
use crate::asymptotics::{Quantity, TOLERANCE, Verdict, two_digits_up};
use crate::engine::with_lumped_model;
use crate::fit::least_squares;
use crate::number::Exact;

/// Below this ratio of D to K the exponents are visibly not those of D/K → ∞.
pub const WIDE: f64 = 32.0;

/// Below this times r the [`bend`] is too small: the burn-in of other activations than the identity
/// is still on its way from r² to r.
const CROSSED: f64 = 5.0;

/// Below this nothing of the power beyond shows yet.
const CROSSING: f64 = 1.0;

/// What an exponent is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// The constant of a quantity of Theorem 3.1.
    Constant(Quantity),
    /// The time lost before the limit law sets in, which the theorem calls T*.
    BurnIn,
}

impl Measure {
    /// All of them.
    pub const ALL: [Self; 4] = [
        Self::Constant(Quantity::ScoreError),
        Self::Constant(Quantity::ValueError),
        Self::Constant(Quantity::ExcessLoss),
        Self::BurnIn,
    ];

    /// Its name in results.
    pub fn key(self) -> &'static str {
        match self {
            Self::Constant(quantity) => quantity.key(),
            Self::BurnIn => "burn_in",
        }
    }

    /// Its name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Constant(quantity) => quantity.name(),
            Self::BurnIn => "burn-in",
        }
    }

    /// Its formula.
    pub fn formula(self) -> &'static str {
        match self {
            Self::Constant(Quantity::ScoreError) => "√(ηT) ‖S − S*‖",
            Self::Constant(Quantity::ValueError) => "√(ηT) ‖W_V − V*‖",
            Self::Constant(Quantity::ExcessLoss) => "ηT (L − L_opt)",
            Self::BurnIn => "η T_b, for η T*",
        }
    }

    /// The exponent in Theorem 3.1; that of the burn-in is of ηT* = Θ(K D²/‖V*‖²).
    pub fn claimed(self, variable: Variable) -> f64 {
        match (self, variable) {
            (Self::Constant(quantity), _) => quantity.of(&variable.stated()),
            (Self::BurnIn, Variable::Tokens) => 2.0,
            (Self::BurnIn, Variable::Group) => 1.0,
            (Self::BurnIn, Variable::TeacherNorm) => -2.0,
            (Self::BurnIn, Variable::Rate | Variable::Steps) => 0.0,
        }
    }
}

/// An exponent between two neighbouring values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Secant {
    /// The values.
    pub from: f64,
    /// The values.
    pub to: f64,
    /// From the runs; none before their time.
    pub measured: Option<Constant>,
    /// Of the closed form, between the same values; of the burn-in what is predicted, if it is.
    pub exact: Option<f64>,
    /// K/D between them: what must go to 0.
    pub narrowness: f64,
}

/// One exponent.
#[derive(Clone, Debug, PartialEq)]
pub struct Exponent {
    /// Of what.
    pub measure: Measure,
    /// In Theorem 3.1.
    pub claimed: f64,
    /// Of the closed form, between the first and the last value; of the burn-in what is
    /// predicted, if it is.
    pub exact: Option<f64>,
    /// From the runs, between the same.
    pub measured: Option<Constant>,
    /// Extrapolated to D/K → ∞, or for the other variables what was measured.
    pub limit: Option<Constant>,
    /// Between neighbours.
    pub secants: Vec<Secant>,
    /// What the limit says of the claim.
    pub verdict: Verdict,
    /// Why, if it is inconclusive.
    pub reason: Option<String>,
}

/// Runs that differ in one variable only.
#[derive(Clone, Debug)]
pub struct Series<'a> {
    /// Which.
    pub variable: Variable,
    /// What else was varied, and its values here.
    pub others: Vec<(Variable, Exact)>,
    /// The runs, in increasing order of the variable, with its values.
    pub runs: Vec<(f64, &'a Outcome)>,
}

/// The runs of a sweep, variable by variable.
pub fn series<'a>(sweep: &Sweep, outcomes: &'a [Outcome]) -> Vec<Series<'a>> {
    let mut found = Vec::new();
    for axis in &sweep.axes {
        let mut groups: Vec<Series<'a>> = Vec::new();
        for outcome in outcomes {
            let value = outcome.job.point.iter().find(|(variable, _)| *variable == axis.variable);
            let Some((_, value)) = value else { continue };
            let others: Vec<_> = outcome
                .job
                .point
                .iter()
                .filter(|(variable, _)| *variable != axis.variable)
                .cloned()
                .collect();
            let run = (value.to_f64(), outcome);
            match groups.iter_mut().find(|group| group.others == others) {
                Some(group) => group.runs.push(run),
                None => {
                    groups.push(Series { variable: axis.variable, others, runs: vec![run] });
                }
            }
        }
        for group in &mut groups {
            group.runs.sort_by(|a, b| a.0.total_cmp(&b.0));
        }
        found.extend(groups);
    }
    found
}

impl Series<'_> {
    /// The exponents of all that was measured; the burn-in only where there is one.
    pub fn exponents(&self) -> Vec<Exponent> {
        Measure::ALL.into_iter().filter_map(|measure| self.exponent(measure)).collect()
    }

    fn powers(&self, measure: Measure) -> Powers {
        let identity =
            self.runs.iter().all(|(_, run)| run.job.settings.model.slope == Exact::one());
        match measure {
            Measure::Constant(_) => Powers::Whole,
            Measure::BurnIn if identity => Powers::Logarithm,
            Measure::BurnIn => Powers::Half,
        }
    }

    /// The least ratio of D to K among the runs.
    pub fn least_width(&self) -> f64 {
        self.runs.iter().map(|(_, run)| 1.0 / narrowness(run)).fold(f64::INFINITY, f64::min)
    }

    fn exponent(&self, measure: Measure) -> Option<Exponent> {
        if measure == Measure::BurnIn && self.variable == Variable::Steps {
            return None;
        }
        let runs: Vec<(f64, Sample)> = self
            .runs
            .iter()
            .map(|(at, run)| Some((*at, sample(run, measure, self.variable)?)))
            .collect::<Option<_>>()?;
        let between = |pair: [&(f64, Sample); 2]| -> Secant {
            let [(from, a), (to, b)] = pair;
            let span = (to / from).ln();
            let positive = |found: Constant| (found.value > 0.0).then_some(found);
            let ends = a.measured.and_then(positive).zip(b.measured.and_then(positive));
            let measured = ends.map(|(a, b)| Constant {
                value: (b.value / a.value).ln() / span,
                uncertainty: (a.uncertainty / a.value + b.uncertainty / b.value).abs() / span,
            });
            Secant {
                from: *from,
                to: *to,
                measured: measured.filter(|found| found.value.is_finite()),
                exact: a
                    .exact
                    .zip(b.exact)
                    .map(|(a, b)| (b / a).ln() / span)
                    .filter(|found| found.is_finite()),
                narrowness: (a.narrowness * b.narrowness).sqrt(),
            }
        };
        let secants: Vec<Secant> = runs
            .windows(2)
            .filter_map(|pair| Some(between([pair.first()?, pair.last()?])))
            .collect();
        let whole = between([runs.first()?, runs.last()?]);
        let claimed = measure.claimed(self.variable);
        let limit = match self.variable {
            Variable::Tokens | Variable::Group => self.wide_limit(measure, &secants),
            Variable::Steps => power_of_steps(self.runs.last()?.1, measure),
            Variable::TeacherNorm | Variable::Rate => spread(&whole, &secants),
        };
        let early = runs.iter().any(|(_, sample)| sample.measured.is_none());
        let (verdict, reason) = self.judge(measure, claimed, limit, secants.len(), early);
        Some(Exponent {
            measure,
            claimed,
            exact: whole.exact,
            measured: whole.measured,
            limit,
            secants,
            verdict,
            reason,
        })
    }

    /// The limit as D/K → ∞. Long before the crossover of a burn-in there is nothing to go by.
    fn wide_limit(&self, measure: Measure, secants: &[Secant]) -> Option<Constant> {
        let powers = self.powers(measure);
        if matches!(powers, Powers::Half) {
            let least =
                self.runs.iter().map(|(_, run)| crossing(run)).fold(f64::INFINITY, f64::min);
            if least < CROSSING {
                return None;
            }
        }
        wide_limit(powers, secants)
    }

    /// Why the limit of a burn-in is not claimed, if the runs are not all past the crossover.
    fn before_crossover(&self, measure: Measure) -> Option<String> {
        let wide = matches!(self.variable, Variable::Tokens | Variable::Group);
        if !wide || !matches!(self.powers(measure), Powers::Half) {
            return None;
        }
        let crossed = |run: &Outcome| crossing(run) >= CROSSED;
        if self.runs.iter().all(|(_, run)| crossed(run)) {
            return None;
        }
        let needed = self.runs.iter().map(|(_, run)| {
            let r = CROSSED / bend_of(run);
            narrowness(run) * run.job.settings.model.tokens as f64 * (1.0 + r * r)
        });
        let needed = needed.fold(0.0, f64::max);
        let needed = if needed < 1e18 {
            format!("D ≥ {}", two_digits_up(needed))
        } else {
            "D beyond all numbers of tokens".to_owned()
        };
        Some(format!(
            "crossover: before r = √(D/K − 1) is large enough the power is another: needs {needed}"
        ))
    }

    fn judge(
        &self,
        measure: Measure,
        claimed: f64,
        limit: Option<Constant>,
        secants: usize,
        early: bool,
    ) -> (Verdict, Option<String>) {
        let variable = crate::config::sweep::name(self.variable);
        let open = |reason: String| (Verdict::Inconclusive, Some(reason));
        // The longest wait is what is missing.
        let needed = self.runs.iter().filter_map(|(at, run)| match &run.findings {
            Findings::Powers { needed, .. } => needed.map(|needed| (needed, *at)),
            Findings::Geometric { .. } => None,
        });
        if let Some((needed, at)) = needed.max_by_key(|&(needed, _)| needed)
            && early
        {
            return open(format!(
                "before its time: at {variable} = {at} it takes --steps {needed}"
            ));
        }
        if measure == Measure::BurnIn
            && let Some((at, _)) = self.runs.iter().find(|(_, run)| lost_nothing(run))
        {
            return open(format!("burn-in is not positive at {variable} = {at}: no power"));
        }
        if let Some(reason) = self.before_crossover(measure) {
            return open(reason);
        }
        let Some(limit) = limit else {
            return open(match self.variable {
                Variable::Steps => "the longest run is too short: let steps go on".to_owned(),
                _ if secants < 2 => {
                    format!("two values of {variable} do not extrapolate: take three or more")
                }
                _ if measure == Measure::BurnIn => "tan θ does not fall to 0.1".to_owned(),
                _ => "there is no limit to read off".to_owned(),
            });
        };
        let distance = (limit.value - claimed).abs();
        if limit.uncertainty <= TOLERANCE && distance <= TOLERANCE {
            (Verdict::Agrees, None)
        } else if distance > TOLERANCE + limit.uncertainty && limit.uncertainty <= 0.25 {
            (Verdict::Differs, None)
        } else {
            let advice = match self.variable {
                Variable::Tokens => "take larger values of tokens",
                Variable::Group => "take --tokens larger",
                _ => "take values further apart, or --steps more",
            };
            open(format!("the extrapolation is open by ± {:.3}: {advice}", limit.uncertainty))
        }
    }
}

/// One constant of one run, beside the closed form.
struct Sample {
    measured: Option<Constant>,
    exact: Option<f64>,
    narrowness: f64,
}

fn sample(run: &Outcome, measure: Measure, variable: Variable) -> Option<Sample> {
    let narrowness = narrowness(run);
    let Findings::Powers { quantities, burn_in, .. } = &run.findings else { return None };
    match measure {
        Measure::Constant(quantity) => {
            let found = quantities.iter().find(|finding| finding.quantity == quantity)?;
            let measured = match variable {
                // Over steps there is nothing to extrapolate one by one.
                Variable::Steps => Some(Constant { value: found.at_end, uncertainty: 0.0 }),
                _ => found.limit,
            };
            Some(Sample { measured, exact: Some(found.exact), narrowness })
        }
        Measure::BurnIn => {
            let burn_in = (*burn_in)?;
            let rate = run.job.settings.model.rate.to_f64();
            let measured =
                burn_in.measured.map(|value| Constant { value: value * rate, uncertainty: 0.0 });
            let usable = burn_in.predicted > 0.0 && !burn_in.is_doubtful();
            let predicted = usable.then_some(burn_in.predicted * rate);
            Some(Sample { measured, exact: predicted, narrowness })
        }
    }
}

/// The smaller of β̂ = b/g and 1 − β̂π/2, whose product is in the limit law of the burn-in: the one
/// vanishes for the identity, the other for the absolute value.
fn bend(activation: &Activation<f64>) -> f64 {
    let bend = activation.bend() / activation.gain();
    bend.min(1.0 - bend * FRAC_PI_2).max(0.0)
}

fn bend_of(run: &Outcome) -> f64 {
    with_lumped_model::<f64, _>(&run.job.settings.model, |lumped| bend(&lumped.activation))
}

/// That times r, r = √((D−K)/K) being tan θ at the start.
fn crossing(run: &Outcome) -> f64 {
    bend_of(run) * (1.0 / narrowness(run) - 1.0).max(0.0).sqrt()
}

/// Whether a run has a burn-in, and it is not positive.
fn lost_nothing(run: &Outcome) -> bool {
    match &run.findings {
        Findings::Powers { burn_in: Some(burn_in), .. } => {
            burn_in.measured.is_some_and(|measured| measured <= 0.0)
        }
        _ => false,
    }
}

/// K/D, of the widest support if there are several.
fn narrowness(run: &Outcome) -> f64 {
    let model = &run.job.settings.model;
    let widest = planner::supports(model).into_iter().map(|(k, _)| k).fold(0.0, f64::max);
    widest / model.tokens as f64
}

fn power_of_steps(run: &Outcome, measure: Measure) -> Option<Constant> {
    let Findings::Powers { quantities, .. } = &run.findings else { return None };
    let Measure::Constant(quantity) = measure else { return None };
    quantities.iter().find(|finding: &&Finding| finding.quantity == quantity)?.power
}

/// The exponent between the first and the last value; it is trusted to within what its parts
/// scatter.
fn spread(whole: &Secant, secants: &[Secant]) -> Option<Constant> {
    let found = whole.measured?;
    let apart = secants
        .iter()
        .filter_map(|secant| secant.measured)
        .map(|secant| (secant.value - found.value).abs())
        .fold(0.0, f64::max);
    Some(Constant { value: found.value, uncertainty: found.uncertainty + apart })
}

/// How a secant depends on ε = K/D near 0.
#[derive(Clone, Copy, Debug)]
enum Powers {
    /// 1, ε, ε²: of the constants.
    Whole,
    /// 1, ε ln ε, ε: of the burn-in for the identity, `r² + 4 ln r − r⁻²` with r² = 1/ε − 1.
    Logarithm,
    /// 1, √ε ln ε, √ε, and for comparison 1, √ε, ε: of the burn-in for the others, whose
    /// corrections are in 1/r and (ln r)/r.
    Half,
    /// Only the second of these.
    HalfAlone,
}

/// Secants at ε → 0 by such a series: with two terms, and one less to see what that changes.
fn wide_limit(powers: Powers, secants: &[Secant]) -> Option<Constant> {
    let points: Vec<(f64, Constant)> = secants
        .iter()
        .map(|secant| Some((secant.narrowness, secant.measured?)))
        .collect::<Option<_>>()?;
    let column = |basis: Powers, index: usize| -> Vec<f64> {
        points
            .iter()
            .map(|&(epsilon, _)| match (index, basis) {
                (0, _) => 1.0,
                (1, Powers::Logarithm) => epsilon * epsilon.ln(),
                (_, Powers::Logarithm) => epsilon.powi(index as i32 - 1),
                (_, Powers::Whole) => epsilon.powi(index as i32),
                (1, Powers::Half) => epsilon.sqrt() * epsilon.ln(),
                (_, Powers::Half) => epsilon.sqrt().powi(index as i32 - 1),
                (_, Powers::HalfAlone) => epsilon.sqrt().powi(index as i32),
            })
            .collect()
    };
    let values: Vec<f64> = points.iter().map(|(_, found)| found.value).collect();
    let fit = |basis: Powers, powers: usize| -> Option<f64> {
        let columns: Vec<_> = (0..=powers).map(|index| column(basis, index)).collect();
        (points.len() > powers)
            .then(|| least_squares(&columns, &values))
            .flatten()
            .and_then(|solution| solution.first().copied())
    };
    let longest = points.len().saturating_sub(1).min(2);
    let shortest = longest.checked_sub(1)?;
    let value = fit(powers, longest)?;
    let mut others = vec![fit(powers, shortest)?];
    if matches!(powers, Powers::Half) {
        others.extend([fit(Powers::HalfAlone, longest)?, fit(Powers::HalfAlone, shortest)?]);
    }
    let apart = others.into_iter().map(|other| (value - other).abs()).fold(0.0, f64::max);
    // Errors of the secants are enlarged on their way to ε = 0, for a factor of 2 by about 3.
    let carried = points.iter().map(|(_, found)| found.uncertainty).fold(0.0, f64::max);
    Some(Constant { value, uncertainty: apart + 3.0 * carried })
}

#[cfg(test)]
mod tests {
    use popgd_core::theory::clock::Clock;

    use super::*;

    /// The limit of the burn-in that is predicted, over D and K from the first to the last.
    fn of_predictions(slope: f64, runs: &[(f64, f64)], by: fn(f64, f64) -> f64) -> Constant {
        let burn_in = |(d, k): (f64, f64)| {
            let clock = Clock::new(Activation::leaky_relu(slope), d, k, 1.0, 1.0 / d, 1e-3);
            clock.unwrap().predicted_burn_in()
        };
        let secants: Vec<Secant> = runs
            .windows(2)
            .map(|pair| {
                let ((d, k), (e, l)) = (pair[0], pair[1]);
                let value = (burn_in((e, l)) / burn_in((d, k))).ln() / by(e / d, l / k).ln();
                let measured = Some(Constant { value, uncertainty: 0.0 });
                let narrowness = (k / d * l / e).sqrt();
                Secant { from: d, to: e, measured, exact: None, narrowness }
            })
            .collect();
        wide_limit(Powers::Half, &secants).unwrap()
    }

    #[test]
    fn the_limit_of_a_burn_in_is_three_halves_within_its_uncertainty() {
        for slope in [0.5, 0.2, 0.0, -0.3, -0.5] {
            let bend = bend(&Activation::leaky_relu(slope));
            for first in [8.0, 64.0, 256.0, 4096.0, 65_536.0] {
                if bend * (first / 4.0 - 1.0_f64).sqrt() < CROSSING {
                    continue;
                }
                let over_d: Vec<(f64, f64)> =
                    (0..4).map(|at| (first * f64::from(1 << at), 4.0)).collect();
                let over_k: Vec<(f64, f64)> =
                    (0..4).map(|at| (first * 2.0, f64::from(1 << at))).collect();
                let found = of_predictions(slope, &over_d, |d, _| d);
                assert!(
                    (found.value - 1.5).abs() <= found.uncertainty,
                    "{slope} {first} {found:?}"
                );
                let found = of_predictions(slope, &over_k, |_, k| k);
                assert!(
                    (found.value - 1.5).abs() <= found.uncertainty,
                    "{slope} {first} {found:?}"
                );
            }
        }
    }
}
