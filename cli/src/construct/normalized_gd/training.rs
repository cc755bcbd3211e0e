//! A layer is trained to imitate one step, and looped on data of another kind.

use popgd_core::Error;
use popgd_core::in_context::normalized_descent::Samples;
use popgd_core::in_context::normalized_descent::imitation::{add_gradient, scratch};
use popgd_core::in_context::normalized_descent::transformer::{Blocks, Looped, memory};

use super::NormalizedGdSettings;
use crate::construct::random::{Random, into_unit_ball, norm};
use crate::construct::report::{Claim, Curve, Limit, Status, Verdict};
use crate::interrupt;

const FEATURES: usize = 4;
const SAMPLES: usize = 16;
const BATCH: usize = 256;
const LEARNING_RATE: f64 = 0.3;
const SQUARE: usize = FEATURES * FEATURES;

/// How fast training ends, fitted to runs like it: there is no proof of that rate.
const FITTED_START: f64 = 4.0;
const FITTED_RATE: f64 = 0.018;

/// How often the trained layer is looped, and on how many data sets.
const LOOPS: u64 = 300;
const DATA_SETS: u64 = 20;

/// B and V.
type Layer = ([f64; SQUARE], [f64; SQUARE]);

/// ‖block − factor · I‖.
fn off_identity(block: &[f64], factor: f64) -> f64 {
    let of = |(at, x): (usize, &f64)| if at % (FEATURES + 1) == 0 { x - factor } else { *x };
    norm(&block.iter().enumerate().map(of).collect::<Vec<_>>())
}

/// w after a step of rate 1.
fn stepped(samples: &Samples<'_, f64>, weights: &[f64]) -> Result<Vec<f64>, Error> {
    let mut weights = weights.to_vec();
    let mut room = [0.0; SAMPLES + FEATURES];
    samples.step(1.0, &mut weights, &mut room, |x| x)?;
    Ok(weights)
}

/// Moves the layer by one step of stochastic descent, on samples and states that are normal.
fn improve(layer: &mut Layer, random: &mut Random, room: &mut [f64]) -> Result<(), Error> {
    let (mut by_key_query, mut by_value) = ([0.0; SQUARE], [0.0; SQUARE]);
    let mut own_room = vec![0.0; scratch(SAMPLES, FEATURES)];
    for _ in 0..BATCH {
        let (rows, weights) = (random.normals(SAMPLES * FEATURES), random.normals(FEATURES));
        let samples = Samples::new(FEATURES, &rows)?;
        let mut target = stepped(&samples, &weights)?;
        target.iter_mut().zip(&weights).for_each(|(x, w)| *x -= w);
        let blocks = Blocks { key_query: &layer.0, value: &layer.1 };
        let mut run = Looped::new(samples, &[0.0; FEATURES], blocks, room)?;
        run.set_state(&weights)?;
        let slopes = (&mut by_key_query[..], &mut by_value[..]);
        add_gradient(&mut run, &samples, blocks, &target, slopes, &mut own_room)?;
    }
    let share = LEARNING_RATE / BATCH as f64;
    let parts = [(&mut layer.0, by_key_query), (&mut layer.1, by_value)];
    for (block, slopes) in parts {
        block.iter_mut().zip(slopes).for_each(|(x, slope)| *x -= share * slope);
    }
    Ok(())
}

/// Trains from zero; claims about where that ends, and how it went.
pub(super) fn run(settings: &NormalizedGdSettings) -> Result<(Vec<Claim>, Option<Curve>), Error> {
    let mut random = Random::of(settings.shared.seed, u64::MAX);
    let mut room = vec![0.0; memory(SAMPLES, FEATURES)];
    let mut layer = ([0.0; SQUARE], [0.0; SQUARE]);
    let mut points = Vec::new();
    for step in 1..=settings.train {
        if interrupt::requested() {
            return Ok((Vec::new(), None));
        }
        improve(&mut layer, &mut random, &mut room)?;
        if step % settings.train.div_ceil(24) == 0 || step == settings.train {
            points.push((step as f64, off_identity(&layer.1, 1.0)));
        }
    }
    let (off_value, off_scores) = (off_identity(&layer.1, 1.0), off_identity(&layer.0, -1.0));
    let share = looped(settings, &layer, off_value, off_scores, &mut room)?;
    let steps = settings.train;
    let mut claims = vec![
        Claim::at_most(
            "imitation",
            format!(
                "‖V − ηI‖ of a layer trained for {steps} steps over \
                 {FITTED_START} e^(−{FITTED_RATE} steps) + 1e−12, a fit"
            ),
            steps,
            off_value / (FITTED_START * (-FITTED_RATE * steps as f64).exp() + 1e-12),
            1.0,
            Status::Measured,
        ),
        Claim::at_most(
            "looped",
            format!("that layer, looped {LOOPS} times on shifted heavy tails, over its bound"),
            DATA_SETS,
            share,
            1.0,
            Status::Measured,
        ),
    ];
    // A fit is no counterexample.
    if let Some(claim) = claims.first_mut().filter(|claim| claim.verdict == Verdict::Fails) {
        claim.verdict = Verdict::Open;
    }
    let curve = Curve {
        name: "training",
        title: "‖V − ηI‖ in training".to_owned(),
        against: "steps of training",
        bounds: Vec::new(),
        points: points.into_iter().filter(|(_, y)| *y > 0.0).collect(),
        claimed: None,
        tolerance: 0.0,
        limit: Limit::Large,
    };
    Ok((claims, Some(curve)))
}

/// How far the looped layer is from as many steps, over what its weights allow: a step in the unit
/// ball is off by ‖V − I‖ + 2‖B + I‖‖w‖ at most, and steps do not lead apart.
fn looped(
    settings: &NormalizedGdSettings,
    (key_query, value): &Layer,
    off_value: f64,
    off_scores: f64,
    room: &mut [f64],
) -> Result<f64, Error> {
    let mut share = 0.0_f64;
    for index in 0..DATA_SETS {
        let mut random = Random::of(settings.shared.seed, u64::MAX - 1 - index);
        let mut rows = random.heavy(SAMPLES * FEATURES);
        rows.iter_mut().step_by(FEATURES).for_each(|x| *x += 0.25 * index as f64);
        into_unit_ball(&mut rows, FEATURES);
        let samples = Samples::new(FEATURES, &rows)?;
        let mut run = Looped::new(samples, &[0.0; FEATURES], Blocks { key_query, value }, room)?;
        let mut weights = vec![0.0; FEATURES];
        let mut allowed = 0.0;
        for _ in 0..LOOPS {
            // Roundings beside what training left.
            let size = norm(run.state());
            allowed += off_value + 2.0 * off_scores * size + 64.0 * f64::EPSILON * (1.0 + size);
            run.step()?;
            weights = stepped(&samples, &weights)?;
        }
        let off: Vec<f64> = run.state().iter().zip(&weights).map(|(a, b)| a - b).collect();
        let own = norm(&off) / allowed;
        // What is no number is as far off as can be.
        share = if own.is_nan() { f64::INFINITY } else { share.max(own) };
    }
    Ok(share)
}
