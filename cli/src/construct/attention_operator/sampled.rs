//! Tokens drawn from a measure: how far their operator is from that of the measure.

use popgd_core::Error;
use popgd_core::in_context::attention_operator::{Measure, bounds};

use super::AttentionOperatorSettings;
use super::instance::Instance;
use crate::construct::random::{Random, norm};
use crate::construct::report::{Claim, Curve, Limit, Status};
use crate::construct::share::Share;
use crate::scalar::Number;

/// Each bound may be violated with this probability.
const RISK: f64 = 1e-9;

/// How often tokens are drawn.
const DRAWS: u64 = 1000;

/// How many tokens.
const SIZES: [usize; 4] = [256, 512, 1024, 2048];

/// Draws so many tokens.
fn sample(random: &mut Random, instance: &Instance<f64>, tokens: usize) -> Vec<f64> {
    let sum: f64 = instance.weights.iter().sum();
    let mut drawn = Vec::with_capacity(tokens * instance.dimension);
    for _ in 0..tokens {
        let mut left = sum * random.uniform();
        let at = instance.weights.iter().position(|weight| {
            left -= weight;
            left < 0.0
        });
        // Only if rounding leaves none.
        let heaviest = || instance.weights.iter().position(|weight| *weight > 0.0).unwrap_or(0);
        let from = at.unwrap_or_else(heaviest) * instance.dimension;
        drawn.extend_from_slice(&instance.atoms[from..from + instance.dimension]);
    }
    drawn
}

/// Which part of drawn tokens counts, after tilting: (Σ p e^(ξ·y))² over Σ p e^(2ξ·y). Where few
/// do, the error does not fall like a root yet.
fn effective(instance: &Instance<f64>, along: &[f64]) -> f64 {
    let dot = |atom: &[f64]| atom.iter().zip(along).map(|(y, x)| x * y).sum::<f64>();
    let exponents: Vec<f64> = instance.atoms.chunks_exact(instance.dimension).map(dot).collect();
    let largest = exponents.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let total: f64 = instance.weights.iter().sum();
    let moment = |factor: f64| {
        let terms = exponents.iter().zip(&instance.weights);
        terms.map(|(x, p)| p / total * (factor * (x - largest)).exp()).sum::<f64>()
    };
    moment(1.0).powi(2) / moment(2.0)
}

/// The claim that the bound holds, and the curve of errors.
pub(super) fn run(settings: &AttentionOperatorSettings) -> Result<(Vec<Claim>, Vec<Curve>), Error> {
    let instance = Instance::<f64>::of(settings, 0);
    let exact = instance.value_with(&instance.matrix)?;
    let along = instance.slope_of(&instance.matrix)?;
    let mut random = Random::of(settings.shared.seed ^ 3, 0);
    let mut share = Share::default();
    let (mut points, mut allowed) = (Vec::new(), Vec::new());
    let mut errors = Vec::new();
    for size in SIZES {
        let bound = bounds::sampling(instance.radius, norm(&along), RISK, size as f64);
        let (mut square, mut fourth) = (0.0, 0.0);
        for _ in 0..DRAWS {
            let tokens = sample(&mut random, &instance, size);
            let measure = Measure::new(instance.dimension, &tokens, None)?;
            let mut value = along.clone();
            measure.tilt(&along, measure.reference(&along, |x| x), &mut value)?;
            let off: Vec<f64> = value.iter().zip(&exact).map(|(a, b)| a - b).collect();
            for &off in &off {
                share.add(Number::Float(off.abs()), Number::Float(bound));
            }
            let own = off.iter().map(|off| off * off).sum::<f64>();
            square += own;
            fourth += own * own;
        }
        let draws = DRAWS as f64;
        points.push((size as f64, (square / draws).sqrt()));
        // Of ln y, which is half the logarithm of a mean of squares.
        errors.push(0.5 * (fourth / (square * square) - 1.0 / draws).max(0.0).sqrt());
        allowed.push(bound);
    }
    let title = "error of drawn tokens over its bound (risk 1e−9 each)";
    let claim = share.claim("sampling_bound", title, Status::Measured);
    // Sizes are powers of 2, so the fitted order errs by this sum.
    let spreads = [-1.5, -0.5, 0.5, 1.5].map(|at| at * std::f64::consts::LN_2);
    let spread: f64 = spreads.iter().map(|x| x * x).sum();
    let error = norm(&spreads.iter().zip(&errors).map(|(x, e)| x * e / spread).collect::<Vec<_>>());
    let is_asymptotic = effective(&instance, &along) * SIZES[0] as f64 >= 100.0;
    let is_spread = points.iter().all(|(_, y)| *y > 1e-12);
    let curve = Curve {
        name: "sampling",
        title: "error of drawn tokens".to_owned(),
        against: "tokens n",
        points,
        bounds: allowed,
        claimed: is_asymptotic.then_some(-0.5),
        tolerance: 0.05_f64.max(4.0 * error),
        limit: Limit::Large,
    };
    Ok((vec![claim], if is_spread { vec![curve] } else { Vec::new() }))
}
