//! Certificates: what is proven of a two-level run for every step from some T₀ on, with all that a
//! checker needs to see it again.

pub mod check;
pub mod file;
pub mod make;
pub mod problem;

use popgd_core::descent::Quantities;
use popgd_core::descent::forever::recheck::Checkpoint;
use popgd_core::descent::forever::{Claim, Forever, Refusal};
use popgd_core::theory::rates::stated_bounds;
use popgd_core::{Interval, Scalar};

pub use problem::Problem;

/// An enclosure of one number.
pub type Enclosed = Interval<f64>;

/// A certificate.
#[derive(Clone, Debug)]
pub struct Certificate {
    /// What is run.
    pub problem: Problem,
    /// States on the way, enclosed; the last is the one at T₀.
    pub checkpoints: Vec<Checkpoint<f64>>,
    /// λ.
    pub contraction: Enclosed,
    /// μ.
    pub clock: Enclosed,
    /// The region and the clocks.
    pub claim: Claim<f64>,
    /// What follows from them.
    pub findings: Findings,
}

/// What a certificate says.
#[derive(Clone, Debug)]
pub struct Findings {
    /// The quantities at T₀ and at steps asked for.
    pub at: Vec<Reading>,
    /// T (L − L_opt) and √T times the errors, for all T ≥ T₀ together.
    pub later: Quantities<Enclosed>,
    /// Their limits.
    pub limits: Quantities<Enclosed>,
    /// The quantities over the bounds of Theorem 3.1 without their constants, for all T ≥ T₀
    /// together: `lo · bound ≤ quantity ≤ hi · bound`.
    pub over_stated: Quantities<Enclosed>,
}

/// What is proven after so many steps.
#[derive(Clone, Copy, Debug)]
pub struct Reading {
    /// T.
    pub steps: u64,
    /// tan θ.
    pub tangent: Enclosed,
    /// The quantities.
    pub quantities: Quantities<Enclosed>,
}

impl Certificate {
    /// T₀, from which on everything is proven.
    pub fn late(&self) -> u64 {
        self.checkpoints.last().map_or(0, |state| state.steps)
    }
}

impl Reading {
    /// At an enclosed state.
    fn at(problem: &Problem, state: &Checkpoint<f64>) -> Self {
        problem.with_model(|model| {
            let zero = state.gap.zero();
            let (mut scores, mut scratch) = ([zero; 2], [zero; 2]);
            let logits = [state.gap, zero];
            let quantities = model.quantities(state.c, &logits, &mut scores, &mut scratch);
            let [tokens, group] = problem.sizes();
            let ratio = ((tokens - group) / group).sqrt();
            Self { steps: state.steps, tangent: ratio * (-state.gap).exp(), quantities }
        })
    }
}

impl Findings {
    /// What follows from checkpoints and a statement for the steps `at`; those before T₀ that have no
    /// checkpoint are left out.
    pub fn of(
        problem: &Problem,
        checkpoints: &[Checkpoint<f64>],
        proven: &Forever<f64>,
        at: &[u64],
    ) -> Self {
        let later = proven.ratios();
        // At T = 1 the bounds are what T times and √T times them are at any T.
        let stated = problem.with_model(|model| {
            let one = model.rate.one();
            let [tokens, group] = problem.sizes();
            stated_bounds(tokens, group, model.teacher_norm, model.rate, one)
        });
        Self {
            at: at
                .iter()
                .filter_map(|&steps| {
                    if steps >= proven.steps() {
                        return Some(Reading {
                            steps,
                            tangent: proven.tangent_after(steps),
                            quantities: proven.quantities_after(steps),
                        });
                    }
                    let checkpoint = checkpoints.iter().find(|state| state.steps == steps)?;
                    Some(Reading::at(problem, checkpoint))
                })
                .collect(),
            later,
            limits: proven.limits(),
            over_stated: Quantities {
                excess_loss: later.excess_loss / stated.excess_loss,
                score_error: later.score_error / stated.score_error,
                value_error: later.value_error / stated.value_error,
            },
        }
    }
}

/// What is wrong with a configuration for a statement about every later step, and what to change.
pub fn explain(refusal: Refusal) -> String {
    let mend = match refusal {
        Refusal::NotTwoLevel => "take a task, or one class of equal weights",
        Refusal::Geometric => "take a --group smaller than --tokens",
        Refusal::NotStable { .. } => "take a smaller --rate",
        Refusal::FactorNotPositive => "take a start with c > 0",
        Refusal::TooEarly { .. } | Refusal::OutsideRegion => "take a later --from-step",
        Refusal::Coupling { .. } => {
            "take a smaller --teacher-norm or --rate, or a later --from-step"
        }
        _ => "take a later --from-step, or a smaller --rate",
    };
    format!("{refusal}; {mend}")
}
