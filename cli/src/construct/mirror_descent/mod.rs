//! `popgd construct mirror-descent`: the transformer beside mirror descent, and mirror descent beside
//! exact Bayes.
//!
//! Tokens follow `P(y_t = j | past, λ) = Σ_g λ_g π(y_{t−g}, j)`, g = 1, …, m, with known π and weights λ
//! drawn anew for every sequence. Three layers of attention with explicit weights take one step of
//! mirror descent for λ, in context ([`popgd_core::in_context::mirror_descent`]; proofs in note 11 of
//! the repository's `proofs-notes`). The command builds them, runs both on random sequences or one's
//! own, and says whether they are the same. A first run:
//!
//! ```text
//! $ popgd construct mirror-descent
//! Mixture of transition distributions: attention as mirror descent
//! q = 10 tokens, m = 3 lags, T = 100, prior Dirichlet(1), η = 0.25, 1 step in 3 layers, 100 random sequences, f64
//!
//!                                                             checked      worst     allowed   verdict
//! ──────────────────────────────────────────────────────────────────────────────────────────────────────
//!  λ: layers = algorithm: ulps apart                              300    2.181e1    ≤ 1513.2   measured
//!  next token: layers = algorithm: ulps apart                   1,000    8.909e0   ≤ 1671.26   measured
//!  sequences whose likelihood a step of the rate 1/L lowers       100    0.000e0         ≤ 0   measured
//!  leakage of finite masks over its bound ½ηm² e^−δ                 4   1.190e-1         ≤ 1   measured
//!
//!  Orders                                                                     checked    worst           allowed   verdict
//! ──────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────
//!  order of the leakage of masks in e^δ, δ being the strength of the mask           4   -1.002   -1.050 … -0.950   measured
//!  order of the step less posterior mean at η = 0.25 in ε, π being 1/q + εD         9    1.997     1.950 … 2.050   measured
//!  order of the step less posterior mean at η = 0.5 in ε, π being 1/q + εD          9    1.003     0.950 … 1.050   measured
//!
//! Sequences whose likelihood the steps lower, of 100
//!      lowered
//! ─────────────
//!  1   72.0000
//!
//! Mean distance to the posterior mean of λ: of the steps, of the uniform λ
//!      from_posterior
//! ────────────────────
//!  1         0.329023
//!  2         0.272428
//! ```
//!
//! "Worst" is the figure that comes nearest to what is allowed, as it is. **Equality** is measured in floats,
//! in units in the last place of the largest entry, of which as many are allowed as what was rounded may
//! come to (note 11); and proven in intervals (`--scalar interval64`): what the transformer does and what
//! the algorithm does are both enclosed, and "apart at most" is the largest difference that any two numbers
//! within them have, relative to the largest entry. That and the width may be 10⁻¹²; beyond it is open, and
//! refuted if enclosures do not meet.
//!
//! **What the steps do** is another matter, and no claim. `1/(ma+1)` is the rate at which a step agrees with
//! the posterior mean to first order in the evidence (`--concentration` is a); with much evidence it
//! goes too far, as the lines above say. At a rate up to 1/L (L depends on the sequence) the
//! likelihood is never lowered, which is tried on every sequence. The posterior mean is computed
//! for up to 10⁶ states, of more than eight sequences for up to 50,000 each. An order is claimed where the
//! least ε agree about one: with much evidence ε = 1/4096 is far from uniform still.
//!
//! **Masks.** The construction has true masks. With masks made from tables of ±δ instead
//! (`--mask-strength`) λ is off by at most about ½ηm²e^{−δ}, which is looked at from δ = 8 on.
//!
//! **Several steps** (`--steps S`) need 2S + 1 layers, each token m + 1 times, and evidence from both
//! sides. They are compared one after the other, each from the same point λ, so that nothing widens.
//!
//! **Own data.** π is a file of q rows, sequences are rows of tokens 0, …, q−1, `.csv`, `.npy` or
//! `.json`; zeros in π are masks, and a sequence that no λ explains is refused with its place:
//!
//! ```text
//! $ cat pi.csv
//! 0,1
//! 1,0
//! $ cat y.csv
//! 0,0,1,1,0
//! $ popgd construct mirror-descent --transitions pi.csv --sequences y.csv -m 2
//! …
//! λ by the layers, sequence 1
//!      weights_1
//! ───────────────
//!  1    0.339244
//!  2    0.660756
//!
//! Posterior mean of λ, sequence 1
//!      posterior_1
//! ─────────────────
//!  1      0.333333
//!  2      0.666667
//! ```
//!
//! `--plot FILE` draws leakage and remainders; what JSON and CSV hold is told in
//! [`output::json`](crate::output::json).

mod instance;
mod leakage;
mod remainders;
mod sequence;
pub mod settings;

use popgd_core::Error;

use self::instance::Instance;
use self::sequence::Found;
use self::settings::MirrorDescent;
use super::comparison::{Comparison, greater};
use super::instances::each;
use super::report::{Answer, Claim, Report, Status};
use crate::config::Arguments;
use crate::config::construct::mirror_descent as config;
use crate::error::Failure;
use crate::output::digits::grouped;
use crate::output::findings;
use crate::provenance::scalar_name;
use crate::scalar::Number;

const COMMAND: &str = "construct mirror-descent";

/// On so many instances leakage and orders are measured.
const FEW: usize = 8;
/// Leakage and remainders below this are rounding, and have no slope.
const ROUNDING: f64 = 1e-13;

/// Runs the transformer beside its algorithm, tells, and says what that means.
///
/// # Errors
/// What is wrong with the input, and where results cannot be written; as
/// [`findings::tell`].
pub fn execute(arguments: &Arguments) -> Result<(), Failure> {
    let settings = config::resolve(arguments)?;
    findings::tell(COMMAND, &settings.shared, &settings.echo, || find(&settings))
}

fn find(settings: &MirrorDescent) -> Result<Report, Failure> {
    let count = settings.shared.instances;
    let found = each(&settings.shared, count, |number| sequence::look(settings, number as usize))?;
    let few = (0..found.len().min(FEW))
        .map(|number| told(settings, number, Instance::new(settings, number)))
        .collect::<Result<Vec<Instance>, Failure>>()?;
    let mut claims = equality(settings, &found);
    claims.push(safe_rates(&found));
    let (claim, curve) = leakage::of(settings, &few)?;
    claims.push(claim);
    let mut curves: Vec<_> = curve.into_iter().collect();
    curves.extend(remainders::of(settings, &few)?);
    Ok(Report {
        command: COMMAND,
        title: "Mixture of transition distributions: attention as mirror descent".into(),
        subtitle: subtitle(settings),
        claims,
        curves,
        answers: answers(settings, &found),
        stopped: ((found.len() as u64) < count).then_some(found.len() as u64),
    })
}

fn subtitle(settings: &MirrorDescent) -> String {
    let plural = |count: usize, one: &str| {
        format!("{} {one}{}", grouped(count as u64), if count == 1 { "" } else { "s" })
    };
    let (lengths, kind) = match &settings.sequences {
        Some(sequences) => {
            let lengths = sequences.iter().map(Vec::len);
            let (least, most) = (lengths.clone().min(), lengths.max());
            let (least, most) = (least.unwrap_or(0), most.unwrap_or(0));
            let text = if least == most { least.to_string() } else { format!("{least} to {most}") };
            (text, "given")
        }
        None => (settings.length.to_string(), "random"),
    };
    format!(
        "q = {} tokens, m = {}, T = {lengths}, prior Dirichlet({}), η = {}, {} in {} layers, {} \
         {kind} sequences, {}",
        settings.alphabet,
        plural(settings.order, "lag"),
        settings.concentration,
        settings.rate,
        plural(settings.steps, "step"),
        settings.layers(),
        grouped(settings.shared.instances),
        scalar_name(settings.shared.scalar),
    )
}

fn equality(settings: &MirrorDescent, found: &[Found]) -> Vec<Claim> {
    let kind = settings.shared.scalar;
    let mut same = [Comparison::default(); 2];
    for sequence in found {
        same.iter_mut().zip(&sequence.same).for_each(|(all, own)| all.merge(own));
    }
    let names = [("weights", "λ: layers = algorithm"), ("next", "next token: layers = algorithm")];
    let claims = same.iter().zip(names);
    claims.flat_map(|(same, (name, title))| same.claims(kind, name, title)).collect()
}

fn safe_rates(found: &[Found]) -> Claim {
    let gains: Vec<f64> = found.iter().filter_map(|sequence| sequence.safe_gain).collect();
    // What is no number would not be above 0 either.
    let lowered = gains.iter().filter(|gain| !(**gain >= 0.0)).count();
    let mut claim = Claim::at_most(
        "safe_rate",
        "sequences whose likelihood a step of the rate 1/L lowers",
        gains.len() as u64,
        lowered as f64,
        0.0,
        Status::Measured,
    );
    if gains.is_empty() {
        claim = claim.not_applicable();
    }
    claim
}

/// What is no claim: what steps do, and λ of sequences of one's own.
fn answers(settings: &MirrorDescent, found: &[Found]) -> Vec<Answer> {
    let figures = |figures: &[f64]| figures.iter().copied().map(Number::Float).collect();
    let lowered = found.iter().filter(|own| own.gain.is_none_or(|gain| gain < 0.0)).count();
    let mut answers = vec![Answer {
        name: "lowered".into(),
        title: format!("Sequences whose likelihood the steps lower, of {}", found.len()),
        numbers: figures(&[lowered as f64]),
    }];
    let known: Vec<[f64; 2]> = found.iter().filter_map(|own| own.from_posterior).collect();
    let mean = |at: usize| known.iter().map(|own| own[at]).sum::<f64>() / known.len() as f64;
    let others = match found.len() - known.len() {
        0 => String::new(),
        others => format!(" ({others} of {} have too many states)", found.len()),
    };
    answers.push(Answer {
        name: "from_posterior".into(),
        title: format!(
            "Mean distance to the posterior mean of λ: of the steps, of the uniform λ{others}"
        ),
        numbers: if known.is_empty() { Vec::new() } else { figures(&[mean(0), mean(1)]) },
    });
    if let Some(whole) = found.iter().filter_map(|own| own.whole).reduce(greater) {
        answers.push(Answer {
            name: "whole".into(),
            title: "Largest difference of λ, all layers after each other less all steps".into(),
            numbers: figures(&[whole]),
        });
    }
    if settings.sequences.is_some() {
        for (at, own) in found.iter().enumerate() {
            let number = at + 1;
            answers.push(Answer {
                name: format!("weights_{number}"),
                title: format!("λ by the layers, sequence {number}"),
                numbers: own.weights.clone(),
            });
            if let Some(mean) = &own.posterior {
                answers.push(Answer {
                    name: format!("posterior_{number}"),
                    title: format!("Posterior mean of λ, sequence {number}"),
                    numbers: figures(mean),
                });
            }
        }
    }
    answers
}

/// What core refuses, in the words of the command line.
fn told<T>(
    settings: &MirrorDescent,
    number: usize,
    result: Result<T, Error>,
) -> Result<T, Failure> {
    result.map_err(|error| {
        let place = match settings.sequences {
            Some(_) => format!("--sequences, row {}", number + 1),
            None => format!("sequence {}", number + 1),
        };
        match error {
            Error::Impossible { position } => Failure::usage(format!(
                "{place}, column {}: no earlier token within the order leads to this one: all \
                 transitions have probability 0; take another sequence, order or π",
                position + 1
            )),
            Error::NotFinite { what } => Failure::NotFinite(format!(
                "{place}: the {what} left the range of the scalar; choose a smaller --rate, fewer \
                 --steps, or --scalar f64"
            )),
            other => Failure::usage(format!("{place}: {other}")),
        }
    })
}

/// The largest |x − y|.
fn largest(values: &[f64], others: &[f64]) -> f64 {
    values.iter().zip(others).map(|(x, y)| (x - y).abs()).fold(0.0, greater)
}
