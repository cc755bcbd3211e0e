//! From a configuration to a certificate.

use std::sync::atomic::{AtomicBool, Ordering};

use popgd_core::descent::accumulate::Accumulate;
use popgd_core::descent::enclosure::{Enclosure, Memory, sizes};
use popgd_core::descent::forever::recheck::{self, Checkpoint};
use popgd_core::descent::forever::{Forever, LATEST_START, Refusal};
use popgd_core::descent::lumped::{Lumped, LumpedModel};
use popgd_core::model::classes::Class;
use popgd_core::{Dual, Interval};

use super::{Certificate, Enclosed, Findings, Problem, explain};
use crate::engine::{refused, with_lumped_model};
use crate::error::Failure;
use crate::geometric;
use crate::interrupt;
use crate::output::digits::{grouped, short};
use crate::plan;
use crate::progress::Progress;
use crate::settings::{ModelSettings, TeacherNorm};

/// T₀ is soon after tan θ has fallen below this, unless one is asked for.
const LATE: f64 = 0.1;

/// Up to about this step, or a few times T₀, a statement that is refused is tried again later.
const PATIENCE: u64 = 1 << 16;

/// How many steps are made between two looks at the keyboard.
const CHUNK: u64 = 4096;

/// What is wanted.
#[derive(Clone, Copy, Debug)]
pub struct Wanted<'a> {
    /// T₀.
    pub from_step: Option<u64>,
    /// Steps to report on.
    pub at: &'a [u64],
    /// No progress.
    pub quiet: bool,
}

/// Makes a certificate.
///
/// # Errors
/// [`Failure::Undecided`] with the reason, if nothing can be proven; an interrupt.
pub fn certificate(model: &ModelSettings, wanted: Wanted<'_>) -> Result<Certificate, Failure> {
    let problem = Problem::of(model).ok_or_else(|| Failure::Undecided(not_two_level(model)))?;
    let start = first_checkpoint(model, &problem)?;
    if wanted.at.first().is_some_and(|&first| first < start.steps) {
        let message = format!("--at: the first enclosed state is that after step {}", start.steps);
        return Err(Failure::Usage(message));
    }
    let mut late = match wanted.from_step {
        Some(steps) if steps < start.steps.max(1) => {
            return Err(Failure::usage("--from-step: expected a step from 1 on"));
        }
        Some(steps) => steps,
        None => late_step(model, wanted.quiet)?.max(start.steps),
    };
    let progress = Progress::new(late, wanted.quiet);
    let mut checkpoints = vec![start];
    let patience = PATIENCE.max(late.saturating_mul(4)).min(model.steps / 2);
    let proven = loop {
        let from = checkpoints.last().map_or(0, |state| state.steps);
        problem.with_model(|lumped| {
            for mark in marks(from, late, wanted.at) {
                let Some(&last) = checkpoints.last() else { break };
                checkpoints.push(advance(lumped, last, mark, &progress)?);
            }
            Ok::<(), Failure>(())
        })?;
        let last = checkpoints.last().copied().unwrap_or(start);
        match problem.with_model(|lumped| Forever::prove(&lumped, last.steps, last.c, last.gap)) {
            Ok(proven) => break proven,
            // A start that is late in its scores may not be so in c, and where c is tightly coupled to
            // the logits the region is small: that needs some steps more.
            Err(_) if wanted.from_step.is_none() && late <= patience => late *= 2,
            Err(refusal) => return Err(Failure::Undecided(refused_at(model, late, refusal))),
        }
    };
    drop(progress);
    let mut at = vec![late];
    at.extend(wanted.at);
    at.sort_unstable();
    at.dedup();
    let form = proven.form();
    Ok(Certificate {
        findings: Findings::of(&problem, &checkpoints, &proven, &at),
        problem,
        checkpoints,
        contraction: form.contraction,
        clock: form.clock,
        claim: proven.claim(),
    })
}

fn first_checkpoint(model: &ModelSettings, problem: &Problem) -> Result<Checkpoint<f64>, Failure> {
    let undecided = |refusal| Failure::Undecided(explain(refusal));
    match Problem::start(model) {
        None => problem.with_model(|lumped| recheck::after_first_step(&lumped)).map_err(undecided),
        Some(start) if start.c.lo() > 0.0 => Ok(start),
        Some(_) => Err(undecided(Refusal::FactorNotPositive)),
    }
}

/// Why there is no statement about every later step, and what to change.
fn not_two_level(model: &ModelSettings) -> String {
    if model.dense.is_some() {
        return "certificates are for lumped runs: leave out --method dense, and starts and \
                positions that need it"
            .to_owned();
    }
    if model.group == Some(model.tokens) {
        let factor = geometric::shrinkage(model)
            .map(|lost| format!("; the errors shrink by the factor {} a step", short(1.0 - lost)));
        return format!(
            "{}{}; take a --group smaller than --tokens",
            Refusal::Geometric,
            factor.unwrap_or_default()
        );
    }
    explain(Refusal::NotTwoLevel)
}

fn refused_at(model: &ModelSettings, late: u64, refusal: Refusal) -> String {
    let hint = match refusal {
        Refusal::TooEarly { .. } => plan::steps_between(model, start_tangent(model), LATE)
            .map(|steps| format!(", such as {}", grouped(steps.ceil() as u64))),
        _ => None,
    };
    format!(
        "nothing is proven for all T ≥ {}: {}{}",
        grouped(late),
        explain(refusal),
        hint.unwrap_or_default()
    )
}

/// T₀, as far as it is known before: as asked for, or as predicted, or else the most that is allowed.
pub fn expected_steps(model: &ModelSettings, from_step: Option<u64>) -> u64 {
    let predicted = || {
        let steps = plan::steps_between(model, start_tangent(model), LATE)?;
        (steps < model.steps as f64).then_some(steps.ceil() as u64)
    };
    from_step.or_else(predicted).unwrap_or(model.steps)
}

fn start_tangent(model: &ModelSettings) -> f64 {
    plan::start_tangent(model).unwrap_or(f64::INFINITY)
}

/// A step soon after tan θ has fallen below [`LATE`], by a run in floats.
fn late_step(model: &ModelSettings, quiet: bool) -> Result<u64, Failure> {
    let predicted = plan::steps_between(model, start_tangent(model), LATE);
    let limit = model.steps;
    let too_many = |steps: f64| {
        let steps = if steps < 1e18 { grouped(steps.ceil() as u64) } else { short(steps) };
        Failure::Undecided(format!(
            "it takes about {steps} steps until tan θ ≤ {LATE}, more than the {} that are allowed: \
             raise --steps, begin earlier with --from-step (tan θ ≤ {LATEST_START} may do), or take \
             a larger --teacher-norm: only κ‖V*‖² counts for descent, now {}",
            grouped(limit),
            short(stiffness(model)),
        ))
    };
    if let Some(steps) = predicted.filter(|&steps| 0.95 * steps > limit as f64) {
        return Err(too_many(steps));
    }
    let progress = Progress::new(predicted.map_or(limit, |steps| steps.ceil() as u64), quiet);
    with_lumped_model::<f64, _>(model, |lumped| {
        let mut memory = vec![0.0; lumped.memory()];
        let sums = Accumulate::Compensated;
        let mut run = match Problem::start(model) {
            None => Lumped::from_zero(lumped, sums, &mut memory),
            Some(start) => {
                let logits: Vec<f64> = logits_of(&lumped, start.gap.midpoint());
                Lumped::from_state(lumped, sums, start.c.midpoint(), &logits, &mut memory)
            }
        }
        .map_err(refused)?;
        let mut steps = 0;
        loop {
            let tangent = run.columns().next().map_or(0.0, |column| column.wedge / column.inner);
            if tangent <= LATE * (1.0 - 1e-9) {
                return Ok(steps.max(1));
            }
            if steps >= limit {
                return Err(too_many(predicted.unwrap_or(limit as f64).max(limit as f64)));
            }
            if interrupt::requested() {
                return Err(interrupted());
            }
            // tan θ falls by less than 1/(2T) of itself a step: a look every so often is enough.
            let chunk = (steps / 4096).clamp(1, CHUNK).min(limit - steps);
            for _ in 0..chunk {
                run.step();
            }
            steps += chunk;
            progress.reached(steps);
        }
    })
}

fn stiffness(model: &ModelSettings) -> f64 {
    let square = match &model.teacher_norm {
        TeacherNorm::Norm(norm) => norm.square(),
        TeacherNorm::Square(square) => square.clone(),
    };
    model.logit_gain.to_f64() * square.to_f64()
}

/// The logits of a state, in the order of the levels of the class.
fn logits_of(model: &LumpedModel<'_, f64>, gap: f64) -> Vec<f64> {
    let levels = model.classes.iter().flat_map(|class| class.weights);
    levels.map(|&weight| if weight == 0.0 { 0.0 } else { gap }).collect()
}

/// Steps at which a state is written down: ever rarer, so that errors that were rounded up shrink
/// in between; those that were asked for; T₀.
fn marks(first: u64, last: u64, at: &[u64]) -> Vec<u64> {
    let mut marks: Vec<u64> =
        at.iter().copied().filter(|t| (first + 1..last).contains(t)).collect();
    let mut mark: u64 = 16;
    while mark < last {
        if mark > first {
            marks.push(mark);
        }
        mark = mark.saturating_mul(if mark < 4096 { 4 } else { 2 });
    }
    if last > first {
        marks.push(last);
    }
    marks.sort_unstable();
    marks.dedup();
    marks
}

/// The state at a later step, enclosed in two ways, each a witness of the other.
fn advance(
    model: LumpedModel<'_, Enclosed>,
    from: Checkpoint<f64>,
    steps: u64,
    progress: &Progress,
) -> Result<Checkpoint<f64>, Failure> {
    let stopped = AtomicBool::new(false);
    let go_on = || {
        if interrupt::requested() {
            stopped.store(true, Ordering::Relaxed);
        }
        !stopped.load(Ordering::Relaxed)
    };
    let (skew, plain) = rayon::join(
        || {
            enclose(model, from, steps, |reached| {
                progress.reached(reached);
                go_on()
            })
        },
        || recheck::carry(&model, from, steps, |_| go_on()),
    );
    let plain = plain.map_err(|refusal| Failure::Undecided(explain(refusal)))?;
    let (Some(skew), Some(plain)) = (skew?, plain) else { return Err(interrupted()) };
    if skew.c.is_disjoint_from(plain.c) || skew.gap.is_disjoint_from(plain.gap) {
        return Err(Failure::Refuted(format!(
            "after {} steps two enclosures of the same state have nothing in common: this is an \
             error in popgd",
            grouped(steps)
        )));
    }
    let both = |a: Enclosed, b: Enclosed| {
        let hull = a.hull(b);
        hull + Interval::new(-0.01, 0.01).unwrap_or(Interval::ENTIRE)
            * Interval::point(hull.width())
    };
    let checkpoint = Checkpoint { steps, c: both(skew.c, plain.c), gap: both(skew.gap, plain.gap) };
    let narrow = checkpoint.gap.width() < 0.01 && checkpoint.c.lo() > 0.0;
    if narrow && checkpoint.c.is_common() {
        Ok(checkpoint)
    } else {
        Err(Failure::Undecided(format!(
            "the enclosure grows too wide before step {}; take another --rate or --teacher-norm",
            grouped(steps)
        )))
    }
}

/// By the skew boxes that serve any lumped run; nothing if `pause` ends it.
fn enclose(
    model: LumpedModel<'_, Enclosed>,
    from: Checkpoint<f64>,
    steps: u64,
    mut pause: impl FnMut(u64) -> bool,
) -> Result<Option<Checkpoint<f64>>, Failure> {
    let zero = Interval::point(0.0);
    let mut numbers = vec![Dual::constant(zero); 2 * model.levels()];
    let nothing = Class { columns: Dual::constant(zero), counts: &[], weights: &[] };
    let mut classes = vec![nothing; model.classes.len()];
    let tangent = model.mapped(Dual::constant, &mut numbers, &mut classes).map_err(refused)?;
    let sizes = sizes(&model);
    let mut floats = vec![0.0; sizes.floats];
    let mut intervals = vec![zero; sizes.intervals];
    let mut duals = vec![Dual::constant(zero); sizes.duals];
    let memory = Memory { floats: &mut floats, intervals: &mut intervals, duals: &mut duals };
    let mut run = Enclosure::from_zero(model, tangent, memory).map_err(refused)?;
    run.restart(from.steps, from.c, &[from.gap, zero]).map_err(refused)?;
    while run.steps() < steps {
        if !pause(run.steps()) {
            return Ok(None);
        }
        let chunk = CHUNK.min(steps - run.steps());
        if run.advance(chunk) < chunk {
            break;
        }
    }
    let gap = run.logits().first().copied().unwrap_or(Interval::ENTIRE);
    Ok(Some(if run.steps() == steps {
        Checkpoint { steps, c: run.c(), gap }
    } else {
        Checkpoint { steps, c: Interval::ENTIRE, gap: Interval::ENTIRE }
    }))
}

fn interrupted() -> Failure {
    Failure::Interrupted(
        "interrupted: a certificate is written only when it is complete".to_owned(),
    )
}
