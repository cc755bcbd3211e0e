//! Whether a certificate proves what it says, from its contents alone.

use popgd_core::descent::Quantities;
use popgd_core::descent::forever::recheck::{self, Checkpoint};
use popgd_core::descent::forever::{Forever, Refusal};
use rayon::prelude::*;
use std::sync::atomic::{AtomicU64, Ordering};

use super::{Certificate, Enclosed, Findings};
use crate::interrupt;
use crate::output::digits::grouped;
use crate::progress::Progress;

/// What a check found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Everything follows.
    Holds,
    /// Something does not.
    Fails(String),
    /// It would take too long.
    TooLong {
        /// How many steps would be run again.
        steps: u64,
    },
    /// The user stopped it.
    Interrupted,
}

/// Longer runs are not made again unasked.
const MOST_STEPS: u64 = 100_000_000_000;

/// Checks everything but the hash of the file.
pub fn check(certificate: &Certificate, progress: &Progress) -> Outcome {
    let steps = certificate.late();
    if steps > MOST_STEPS {
        return Outcome::TooLong { steps };
    }
    match examine(certificate, progress) {
        Ok(true) => Outcome::Holds,
        Ok(false) => Outcome::Interrupted,
        Err(reason) => Outcome::Fails(reason),
    }
}

fn examine(certificate: &Certificate, progress: &Progress) -> Result<bool, String> {
    let Certificate { problem, checkpoints, claim, findings, .. } = certificate;
    let refused = |refusal: Refusal| refusal.to_string();
    let (Some(first), Some(last)) = (checkpoints.first(), checkpoints.last()) else {
        return Err("there is no checkpoint".to_owned());
    };
    problem.check()?;
    if !problem.from_zero && first.steps != 0 {
        return Err(format!(
            "a given start is the state after step 0, not after step {}",
            grouped(first.steps)
        ));
    }
    if problem.from_zero {
        let start =
            problem.with_model(|model| recheck::after_first_step(&model)).map_err(refused)?;
        if !first.contains(&start) {
            return Err(format!(
                "the first checkpoint does not enclose the state after step {}",
                grouped(start.steps)
            ));
        }
    }
    for pair in checkpoints.windows(2) {
        if let [from, to] = pair
            && to.steps <= from.steps
        {
            return Err(format!("the checkpoint at step {} is out of order", grouped(to.steps)));
        }
    }
    // From every checkpoint to the next, independently of one another.
    let segments: Vec<_> = checkpoints.windows(2).collect();
    let made = AtomicU64::new(0);
    let results: Vec<_> = segments
        .into_par_iter()
        .rev()
        .map(|pair| segment(certificate, pair, &made, progress))
        .collect();
    for result in results.into_iter().rev() {
        if !result? {
            return Ok(false);
        }
    }
    let proven = problem
        .with_model(|model| Forever::verify(&model, last.steps, last.c, last.gap, *claim))
        .map_err(refused)?;
    let form = proven.form();
    within("λ", form.contraction, certificate.contraction)?;
    within("μ", form.clock, certificate.clock)?;

    let at: Vec<u64> = findings.at.iter().map(|reading| reading.steps).collect();
    let own = Findings::of(problem, checkpoints, &proven, &at);
    if own.at.len() < at.len() {
        return Err(format!(
            "a claim is about a step before T₀ = {} that has no checkpoint",
            grouped(proven.steps())
        ));
    }
    for (own, claimed) in own.at.iter().zip(&findings.at) {
        let place = format!("after {} steps", grouped(own.steps));
        within(&format!("tan θ {place}"), own.tangent, claimed.tangent)?;
        all_within(&place, &own.quantities, &claimed.quantities)?;
    }
    all_within("times T or √T, for all later T,", &own.later, &findings.later)?;
    all_within("times T or √T, in the limit,", &own.limits, &findings.limits)?;
    all_within("over the bounds of Theorem 3.1", &own.over_stated, &findings.over_stated)?;
    Ok(true)
}

/// Whether a checkpoint encloses what follows from the one before; false if interrupted.
fn segment(
    certificate: &Certificate,
    pair: &[Checkpoint<f64>],
    made: &AtomicU64,
    progress: &Progress,
) -> Result<bool, String> {
    let [from, to] = pair else { return Ok(true) };
    let mut reached = from.steps;
    let carried = certificate.problem.with_model(|model| {
        recheck::carry(&model, *from, to.steps, |step| {
            let all = made.fetch_add(step - reached, Ordering::Relaxed) + (step - reached);
            reached = step;
            progress.reached(all);
            !interrupt::requested()
        })
    });
    match carried.map_err(|refusal| refusal.to_string())? {
        None => Ok(false),
        Some(state) if to.contains(&state) => Ok(true),
        Some(_) => Err(format!(
            "the checkpoint at step {} does not enclose what follows from that at step {}",
            grouped(to.steps),
            grouped(from.steps)
        )),
    }
}

fn all_within(
    place: &str,
    own: &Quantities<Enclosed>,
    claimed: &Quantities<Enclosed>,
) -> Result<(), String> {
    within(&format!("the excess loss {place}"), own.excess_loss, claimed.excess_loss)?;
    within(&format!("the score error {place}"), own.score_error, claimed.score_error)?;
    within(&format!("the value error {place}"), own.value_error, claimed.value_error)
}

/// What is proven must lie in what is claimed.
fn within(what: &str, proven: Enclosed, claimed: Enclosed) -> Result<(), String> {
    if !proven.is_empty() && proven.is_subset_of(claimed) {
        Ok(())
    } else {
        Err(format!("{what} is proven to be in {}, not in {}", shown(proven), shown(claimed)))
    }
}

fn shown(interval: Enclosed) -> String {
    if interval.is_empty() {
        "the empty set".to_owned()
    } else {
        format!("[{:?}, {:?}]", interval.lo(), interval.hi())
    }
}
