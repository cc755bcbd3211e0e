//! How long checks will take: enough to tell seconds from hours.

use std::time::{Duration, Instant};

use popgd_core::gradient_check::{Case, Coded, Encodings, Program, Random, enclosure};
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

/// About how many seconds a random box takes, by a measurement.
pub fn box_seconds(case: &Case) -> f64 {
    let mut random = Random::new(0);
    let inputs = enclosure::random_box::<f64>(case, &mut random, 0.0);
    let dual = inputs.map(Dual::<Interval<f64>, DIRECTIONS>::constant);
    let (start, mut runs) = (Instant::now(), 0_u32);
    while runs == 0 || start.elapsed() < Duration::from_millis(20) {
        // Sizes are checked: there is a loss.
        let _ = Coded.loss(&dual);
        runs += 1;
    }
    let entries = case.shape.channels * case.shape.features + case.shape.tokens.pow(2);
    start.elapsed().as_secs_f64() / f64::from(runs) * entries.div_ceil(DIRECTIONS) as f64
}
