//! How long checks will take: enough to tell seconds from hours.

use std::time::{Duration, Instant};

use popgd_core::gradient_check::{Case, Coded, Encodings, Program, Random, enclosure};
use popgd_core::model::teacher::Shape;
use popgd_core::scalar::dual::Dual;
use popgd_core::scalar::interval::Interval;

use super::settings::{GradcheckSettings, Proof};

/// Longer proofs are left out unless they are asked for.
pub const LIMIT_SECONDS: f64 = 20.0;

/// In how many directions at a time the enclosures differentiate.
const DIRECTIONS: usize = 8;

/// About how many seconds the proof of all entries takes, one core, optimised: fitted to
/// measurements between D = 2 and 6, M = 1 and 12, d = 1 and 12. Entries of W_KQ, each with the
/// exponentials of its column, make most of it; in many features norms multiply out to long sums.
pub fn proof_seconds(case: &Case) -> f64 {
    let [tokens, channels, features] =
        [case.shape.tokens, case.shape.channels, case.shape.features].map(|size| size as f64);
    let (seconds, power) = match case.encodings {
        Encodings::Identity => (0.03, 5.0),
        Encodings::General => (0.08, 6.0),
    };
    seconds
        * (channels.max(2.0) / 2.0).powf(1.5)
        * (tokens / 2.0).powf(power)
        * (1.0 + (features / 4.0).powi(4))
}

/// Whether the gradient is proven for these positions; if not, how many seconds it would take.
pub fn is_proven(settings: &GradcheckSettings, encodings: Encodings) -> Result<(), f64> {
    let seconds = proof_seconds(&settings.case(encodings));
    match settings.proof {
        Proof::Always => Ok(()),
        Proof::Auto if seconds <= LIMIT_SECONDS => Ok(()),
        Proof::Auto | Proof::Never => Err(seconds),
    }
}

/// About how many seconds it takes to prove that lumped and dense steps agree, for these tokens in
/// groups: every logit is a formula.
fn lumped_is_dense_seconds(tokens: usize) -> f64 {
    0.0015 * (tokens as f64).powi(2)
}

/// About how many seconds all comparisons of lumped and dense steps take.
pub fn comparisons_seconds(settings: &GradcheckSettings) -> f64 {
    settings.groups().iter().map(|&(tokens, _)| lumped_is_dense_seconds(tokens)).sum()
}

/// Whether lumped and dense steps are compared; if not, how many seconds it would take.
pub fn is_compared(settings: &GradcheckSettings) -> Result<(), f64> {
    let seconds = comparisons_seconds(settings);
    match settings.proof {
        Proof::Always => Ok(()),
        Proof::Auto if seconds <= LIMIT_SECONDS => Ok(()),
        Proof::Auto | Proof::Never => Err(seconds),
    }
}

/// About how many seconds the claims about steps take that do not depend on the positions.
pub fn claims_seconds(settings: &GradcheckSettings) -> f64 {
    let compared = if is_compared(settings).is_ok() { comparisons_seconds(settings) } else { 0.0 };
    let symmetries = match is_proven(settings, Encodings::Identity) {
        // As many formulas as there are trained numbers, a few times.
        Ok(()) => proof_seconds(&settings.case(Encodings::Identity)),
        Err(_) => 0.0,
    };
    compared + symmetries
}

/// Larger sizes are not timed, but scaled from these: a plan must not take as long as what it plans.
const TIMED_UP_TO: usize = 32;

/// A case that is soon computed, and how much more work the whole one is.
fn timed(case: &Case) -> (Case, f64) {
    let cap = |size: usize| size.min(TIMED_UP_TO);
    let shape = Shape {
        tokens: cap(case.shape.tokens),
        channels: cap(case.shape.channels),
        features: cap(case.shape.features),
    };
    let work = |shape: Shape| {
        let [tokens, channels, features] =
            [shape.tokens, shape.channels, shape.features].map(|size| size as f64);
        let logits = match case.encodings {
            Encodings::Identity => tokens.powi(2),
            Encodings::General => tokens.powi(3),
        };
        logits + channels * features
    };
    (Case { shape, ..*case }, work(case.shape) / work(shape))
}

/// About how many seconds this many random boxes take, by a measurement.
pub fn boxes_seconds(case: &Case, boxes: u64) -> f64 {
    if boxes == 0 {
        return 0.0;
    }
    let (small, factor) = timed(case);
    let inputs = enclosure::random_box::<f64>(&small, &mut Random::new(0), 0.0);
    let dual = inputs.map(Dual::<Interval<f64>, DIRECTIONS>::constant);
    // Sizes are checked: there is a loss.
    let seconds = seconds_of(|| _ = Coded.loss(&dual));
    let entries = case.shape.channels * case.shape.features + case.shape.tokens.pow(2);
    boxes as f64 * seconds * factor * entries.div_ceil(DIRECTIONS) as f64
}

/// About how many seconds the remainders at this many points take, by a measurement.
pub fn remainders_seconds(case: &Case, points: u64) -> f64 {
    /// Losses at a point, in both blocks: steps are halved until rounding hides the remainder.
    const LOSSES: f64 = 2.0 * 20.0;
    if points == 0 {
        return 0.0;
    }
    let (small, factor) = timed(case);
    let inputs = enclosure::random_inputs(&small, &mut Random::new(0));
    let seconds = seconds_of(|| _ = Coded.loss(&inputs));
    points as f64 * seconds * factor * LOSSES
}

/// How many seconds a call takes, over 20 milliseconds.
fn seconds_of(mut call: impl FnMut()) -> f64 {
    let (start, mut runs) = (Instant::now(), 0_u32);
    while runs == 0 || start.elapsed() < Duration::from_millis(20) {
        call();
        runs += 1;
    }
    start.elapsed().as_secs_f64() / f64::from(runs)
}
