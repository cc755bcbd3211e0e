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
//! Mixture of transition distributions, q = 10, m = 3 lags, T = 100 tokens, prior Dirichlet(1)
//! three layers, concatenating; 1 step of mirror descent, η = 0.25
//! 100 sequences (random), f64, seed 0
//!
//! Transformer against algorithm
//!               largest difference
//! ─────────────────────────────────
//!  weights λ               2.7e-15
//!  next token              6.1e-16
//! Measured. Logits go up to 34.9274, whose rounding neither can do without.
//! agrees: 100 of 100 sequences
//!
//! What the steps do
//!  likelihood not lowered: 28 of 100
//!  by a step of the rate 1/L, which never lowers it: 100 of 100
//!  mean distance to the posterior mean of λ: 0.329023 (of the uniform λ: 0.272428)
//!
//! Leakage of a mask of finite strength δ (three layers, f64)
//!  δ      error   error · e^δ    slope   ½ηm² e^−δ
//! ─────────────────────────────────────────────────
//!  4     6.6e-3        3.6e-1        –       below
//!  8     4.5e-5        1.3e-1   -1.249       below
//!  12    8.0e-7        1.3e-1   -1.007       below
//!  16    1.5e-8        1.3e-1   -1.000       below
//!  20   2.7e-10        1.3e-1   -1.000       below
//! Slope of ln error from one δ to the next; −1 in the end is claimed.
//!
//! One step against the posterior mean, π = 1/q + εD (f64)
//!             error at ε = 0.000976562   order   claimed
//! ────────────────────────────────────────────────────────────────
//!  η = 0.25                     2.5e-6   1.995         2   agrees
//!  η = 0.5                      2.4e-3   1.005         1   agrees
//! ```
//!
//! **Equality** is measured in floats, which round logits, and proven in intervals: what the
//! transformer does and what the algorithm does are both enclosed, and the enclosures must overlap.
//!
//! ```text
//! $ popgd construct mirror-descent --alphabet 10 -m 6 -T 200 --instances 1000 --scalar interval64
//! Mixture of transition distributions, q = 10, m = 6 lags, T = 200 tokens, prior Dirichlet(1)
//! three layers, concatenating; 1 step of mirror descent, η = 1/7
//! 1,000 sequences (random), interval64, seed 0
//!
//! Transformer against algorithm
//!               at most difference
//! ─────────────────────────────────
//!  weights λ               4.5e-14
//!  next token              6.0e-14
//! Proven: on every sequence the enclosures of both overlap; none is wider than
//! 2.1e-13 relative to what it encloses.
//! agrees: 1000 of 1000 sequences
//! …
//! ```
//!
//! If they do not overlap, the exit code is 3; if they are wider than a hundredth, it is 4. Enclosures of
//! several steps widen from step to step (1.0e-9 after three, q = 10, m = 6, T = 100).
//!
//! **What the steps do** is another matter. `1/(ma+1)` is the rate at which a step agrees with the
//! posterior mean to first order in the evidence (`--concentration` is a); with much evidence it
//! goes too far, as the lines above say. At a rate up to 1/L (L depends on the sequence) the
//! likelihood is never lowered, which is tried on every sequence, too. The posterior mean is computed
//! for up to 10⁶ states, of more than eight sequences for up to 50,000 each. An order is judged where the
//! last two pairs of ε agree about it, and is `open` otherwise: with much evidence ε = 1/1024 is far from
//! uniform still.
//!
//! **Masks.** The construction has true masks. With masks made from tables of ±δ instead
//! (`--mask-strength`) λ is off by at most about ½ηm²e^{−δ}.
//!
//! **Several steps** (`--steps S`) need 2S + 1 layers, each token m + 1 times, and evidence from both
//! sides.
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
//! $ popgd construct mirror-descent --transitions pi.csv --sequences y.csv -m 2 --format csv
//! sequence,length,agrees,difference,next_difference,relative_width,from_bayes,uniform_from_bayes,gain,safe_rate,safe_gain
//! 1,5,true,0.0,0.0,,0.005910297900849515,0.16666666666666669,0.2787770937078733,,
//! ```
//!
//! `--plot FILE` draws leakage and remainders; what JSON and CSV hold is told in
//! [`output::json`](crate::output::json).

pub mod findings;
pub mod instance;
pub mod settings;

use crate::config::Arguments;
use crate::config::construct::mirror_descent as config;
use crate::error::Failure;
use crate::interrupt;
use crate::output::construct::mirror_descent as output;
use crate::output::plot::target;
use crate::output::sink::Sink;
use crate::progress::Progress;

/// Runs the transformer beside its algorithm, tells, and says what that means.
///
/// # Errors
/// What is wrong with the input; [`Failure::Refuted`] if the two are not the same,
/// [`Failure::Interrupted`], and where results cannot be written.
pub fn execute(arguments: &Arguments) -> Result<(), Failure> {
    let settings = config::resolve(arguments)?;
    let sink = Sink::open(settings.shared.output.output.as_deref(), "--output")?;
    let picture = target::of_path(settings.shared.output.plot.as_deref())?;
    if settings.shared.dry_run {
        return sink.write(output::plan(&settings)?.as_bytes());
    }
    interrupt::listen();
    let progress =
        Progress::of("sequence", settings.shared.instances, settings.shared.output.quiet);
    let findings = findings::measure(&settings, &progress)?;
    drop(progress);
    sink.write(output::text(&settings, &findings)?.as_bytes())?;
    if let Some(picture) = picture {
        output::draw(&settings, &findings, picture)?;
    }
    if let Some(number) = findings.refuted() {
        return Err(Failure::Refuted(format!(
            "refuted: on sequence {}, counted from 1, the transformer does not do what the \
             algorithm does",
            number + 1
        )));
    }
    if let Some(number) = findings.lowered() {
        return Err(Failure::Refuted(format!(
            "refuted: on sequence {}, counted from 1, a step of the rate 1/L lowers the likelihood",
            number + 1
        )));
    }
    if let Some(number) = findings.too_wide() {
        return Err(Failure::Undecided(format!(
            "not decided: on sequence {}, counted from 1, the enclosures are wider than {}; choose \
             --scalar interval64, a smaller --rate, or fewer --steps",
            number + 1,
            findings::WIDEST
        )));
    }
    if findings.interrupted {
        let message = "interrupted before all sequences were tried; what was found is written";
        return Err(Failure::Interrupted(message.to_owned()));
    }
    Ok(())
}
