//! Tokens drawn from a measure: how far their operator is from that of the measure.

use popgd_core::Error;
use popgd_core::in_context::attention_operator::{Measure, bounds};

use super::AttentionOperatorSettings;
use super::instance::Instance;
use crate::construct::random::{Random, norm};
use crate::construct::report::{Claim, Curve, Status};

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

/// The claim that the bound holds, and the curve of errors.
pub(super) fn run(settings: &AttentionOperatorSettings) -> Result<(Vec<Claim>, Vec<Curve>), Error> {
    let instance = Instance::<f64>::of(settings, 0);
    let exact = instance.value_with(&instance.matrix)?;
    let along = instance.slope_of(&instance.matrix)?;
    let mut random = Random::of(settings.shared.seed ^ 3, 0);
    let mut share = 0.0_f64;
    let (mut points, mut allowed) = (Vec::new(), Vec::new());
    for size in SIZES {
        let bound = bounds::sampling(instance.radius, norm(&along), RISK, size as f64);
        let mut square = 0.0;
        for _ in 0..DRAWS {
            let tokens = sample(&mut random, &instance, size);
            let measure = Measure::new(instance.dimension, &tokens, None)?;
            let mut value = along.clone();
            measure.tilt(&along, measure.reference(&along, |x| x), &mut value)?;
            for (a, b) in value.iter().zip(&exact) {
                share = share.max((a - b).abs() / bound);
                square += (a - b).powi(2);
            }
        }
        points.push((size as f64, (square / DRAWS as f64).sqrt()));
        allowed.push(bound);
    }
    // A measure at 0 has nothing to err about.
    let share = if share.is_nan() { 0.0 } else { share };
    let claim = Claim::at_most(
        "sampling_bound",
        "error of drawn tokens over its bound (risk 1e−9 each)",
        DRAWS * SIZES.len() as u64,
        share,
        1.0,
        Status::Measured,
    );
    let is_spread = points.iter().all(|(_, y)| *y > 1e-12);
    let curve = Curve {
        name: "sampling",
        title: "error of drawn tokens".to_owned(),
        against: "tokens n",
        points,
        bounds: allowed,
        claimed: Some(-0.5),
        tolerance: 0.05,
    };
    Ok((vec![claim], if is_spread { vec![curve] } else { Vec::new() }))
}
