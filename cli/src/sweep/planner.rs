//! From a sweep to its jobs: every value resolved to a whole configuration, with steps enough to
//! be past burn-in.

use std::time::Duration;

use popgd_core::theory::exponents::Variable;
use popgd_core::theory::rates;

use super::job::{Job, Sweep};
use crate::asymptotics::two_digits_up;
use crate::config::sweep::{Axis, CommonNorm, SweepSettings, key};
use crate::config::{self, Arguments, CommandKind};
use crate::dry_run::duration;
use crate::engine::{time_per_step, with_lumped_model};
use crate::error::{Failure, Warning};
use crate::geometric;
use crate::number::Exact;
use crate::settings::{ModelSettings, Settings};

/// More jobs than these are a slip of the pen.
const MAX_JOBS: usize = 100_000;

/// A common norm keeps κ‖V*‖²/K² and ηκ‖V*‖² below this: then attention moves slowly against
/// W_V, and what is predicted of the burn-in holds.
const SLOW: f64 = 0.1;

/// Planned steps beyond these, a quarter of an hour and more, are worth a warning.
const LONG: u64 = 10_000_000_000;

/// The logarithm of the factor by which a geometric decay is to be followed.
const SHRINKS: f64 = 30.0;

/// Steps that are planned for a geometric decay at most.
const MOST_GEOMETRIC: f64 = 1e8;

/// How long a step is measured for an estimate of all.
const MEASURE: Duration = Duration::from_millis(20);

/// The jobs of a sweep, and what they are warned of.
#[derive(Clone, Debug)]
pub struct Plan {
    /// One for every run, in order.
    pub jobs: Vec<Job>,
    /// Of all jobs, each once.
    pub warnings: Vec<String>,
    /// What was chosen for the user, in words.
    pub remarks: Vec<String>,
}

/// Plans a sweep.
///
/// # Errors
/// A configuration that is refused: the message names its values.
pub fn plan(arguments: &Arguments, wanted: &SweepSettings) -> Result<Plan, Failure> {
    let points = points(&wanted.axes, wanted.product)?;
    let arguments = ["sweep", "product", "plan", "from", "resume", "threads"]
        .into_iter()
        .fold(arguments.clone(), |arguments, key| arguments.without(key));
    let mut remarks = Vec::new();
    let arguments = match &wanted.common_norm {
        None => arguments,
        Some(CommonNorm::Norm(norm)) => with_norm(&arguments, norm),
        Some(CommonNorm::Auto) => {
            let arguments = arguments.without("common_norm").without("teacher_norm");
            let norm = common_norm(&arguments, &points)?;
            remarks.push(format!(
                "‖V*‖ = {norm} in all runs: the largest with κ‖V*‖² ≤ K²/10 and ηκ‖V*‖² ≤ 1/10 in \
                 each, rounded down to two digits. Only κ‖V*‖² counts for descent, and burn-in takes ‖V*‖⁻² as many steps."
            ));
            with_norm(&arguments, &norm)
        }
    };
    let mut resolved = Vec::with_capacity(points.len());
    let mut warnings: Vec<String> = Vec::new();
    let by_steps = wanted.axes.iter().any(|axis| axis.variable == Variable::Steps);
    for point in points {
        let varied = at(&arguments, &point);
        let (mut settings, mut found) = resolve(&varied, &point)?;
        if !wanted.steps_given && !by_steps {
            let steps = steps(&settings.model).to_string();
            (settings, found) = resolve(&varied.with("steps", &steps), &point)?;
        }
        for warning in found.iter().map(ToString::to_string) {
            if !warnings.contains(&warning) {
                warnings.push(warning);
            }
        }
        resolved.push((point, settings));
    }
    if !wanted.steps_given && !by_steps {
        let steps = || resolved.iter().map(|(_, settings)| settings.model.steps);
        let (longest, all) = (steps().max(), steps().fold(0, u64::saturating_add));
        if all > LONG {
            let mut seconds = 0.0;
            if let Some((_, settings)) = resolved.iter().max_by_key(|run| run.1.model.steps) {
                seconds = time_per_step(&settings.model, MEASURE)?.as_secs_f64() * all as f64;
            }
            warnings.push(format!(
                "to be past burn-in these runs take {} steps in all, on one core about {}; a \
                 larger --teacher-norm or --common-norm makes it fewer, and --steps ends them before",
                crate::output::digits::short(all as f64),
                duration(seconds)
            ));
        }
        let longest = crate::output::digits::grouped(longest.unwrap_or(0));
        let powers = resolved.iter().any(|(_, run)| !supports(&run.model).is_empty());
        remarks.push(if powers {
            format!(
                "Steps are picked from the predicted burn-in, and meant to be past it: up to \
                 {longest}."
            )
        } else {
            format!("Steps are picked from the predicted factor a step: up to {longest}.")
        });
    }
    let sweep = Sweep::of(&wanted.axes, wanted.product, &resolved);
    let jobs = resolved
        .into_iter()
        .enumerate()
        .map(|(index, (point, settings))| Job { index, sweep: sweep.clone(), point, settings })
        .collect();
    Ok(Plan { jobs, warnings, remarks })
}

/// The values of all variables, run by run: one variable at a time, or every combination, the
/// last variable running fastest.
fn points(axes: &[Axis], product: bool) -> Result<Vec<Vec<(Variable, Exact)>>, Failure> {
    let along = |axis: &Axis| -> Vec<Vec<(Variable, Exact)>> {
        axis.values.iter().map(|value| vec![(axis.variable, value.clone())]).collect()
    };
    if !product {
        return Ok(axes.iter().flat_map(along).collect());
    }
    let mut all = vec![Vec::new()];
    for axis in axes {
        if all.len().saturating_mul(axis.values.len()) > MAX_JOBS {
            let message = format!("--product: more than {MAX_JOBS} runs: take fewer values");
            return Err(Failure::usage(message));
        }
        all = all
            .iter()
            .flat_map(|point: &Vec<_>| {
                along(axis).into_iter().map(|last| [&point[..], &last].concat())
            })
            .collect();
    }
    Ok(all)
}

fn at(arguments: &Arguments, point: &[(Variable, Exact)]) -> Arguments {
    point.iter().fold(arguments.clone(), |arguments, (variable, value)| {
        arguments.with(key(*variable), &value.to_string())
    })
}

fn resolve(
    arguments: &Arguments,
    point: &[(Variable, Exact)],
) -> Result<(Settings, Vec<Warning>), Failure> {
    config::resolve(CommandKind::Rates, arguments.clone()).map_err(|failure| match failure {
        Failure::Usage(message) => {
            Failure::Usage(format!("{message} (at {})", super::job::shown(point)))
        }
        other => other,
    })
}

fn with_norm(arguments: &Arguments, norm: &Exact) -> Arguments {
    arguments.without("common_norm").with("teacher_norm", &norm.to_string())
}

/// The largest norm of two digits at which attention is slow in every run.
fn common_norm(arguments: &Arguments, points: &[Vec<(Variable, Exact)>]) -> Result<Exact, Failure> {
    // The norm itself must not matter for whether a configuration is read.
    let probe = arguments.with("teacher_norm", "1e-3");
    let mut square = f64::INFINITY;
    for point in points {
        let model = resolve(&at(&probe, point), point)?.0.model;
        let gain = model.logit_gain.to_f64();
        let group = supports(&model).into_iter().map(|(k, _)| k).fold(f64::INFINITY, f64::min);
        square = square.min(SLOW * group * group / gain).min(SLOW / (gain * model.rate.to_f64()));
    }
    let norm = square.sqrt();
    let unit = 10_f64.powi(norm.log10().floor() as i32 - 1);
    let text = format!("{:.1e}", (norm / unit).floor() * unit);
    Exact::parse(&text).map_err(|error| Failure::usage(format!("--common-norm auto: {error}")))
}

/// Of the columns with zeros, how many weights are positive and how many not, class by class.
pub fn supports(model: &ModelSettings) -> Vec<(f64, f64)> {
    model
        .classes
        .iter()
        .map(|class| {
            let count = |zero: bool| {
                let levels = class.levels.iter().filter(|level| level.weight.is_zero() == zero);
                levels.map(|level| level.count as f64).sum::<f64>()
            };
            (count(false), count(true))
        })
        .filter(|&(_, outside)| outside > 0.0)
        .collect()
}

/// The tangent at which a run of columns with k weights and m zeros can end: the corrections that
/// are left go in powers of it, of r times it and of it over r, r² = m/k.
pub fn goal(inside: f64, outside: f64) -> f64 {
    let r = (outside / inside).sqrt();
    f64::min(0.04, f64::min(0.6 / r, 0.15 * r))
}

/// Steps after which the constants of a model can be read off, as predicted for each of its
/// classes by itself, and twice that if there are several, which hold one another up.
///
/// Where no column has a zero, after them the predicted factor has shrunk the errors by e³⁰.
pub fn steps(model: &ModelSettings) -> u64 {
    let supports = supports(model);
    if supports.is_empty() {
        let lost = geometric::shrinkage(model).unwrap_or(SHRINKS);
        return two_digits_up((SHRINKS / lost).clamp(100.0, MOST_GEOMETRIC));
    }
    let predicted = with_lumped_model::<f64, _>(model, |lumped| {
        let steps = supports.iter().map(|&(inside, outside)| {
            let tokens = inside + outside;
            let gain = lumped.activation.gain();
            let norm = lumped.teacher_norm;
            let clock =
                rates::clock_rate(tokens, inside, gain, norm, lumped.logit_gain, lumped.rate);
            let goal = goal(inside, outside);
            rates::clock_until(&lumped.activation, tokens, inside, goal) / clock
        });
        steps.fold(0.0, f64::max)
    });
    let several = if model.classes.len() > 1 { 2.0 } else { 1.0 };
    two_digits_up((several * predicted).clamp(1000.0, 9e18)).min(1 << 62)
}
