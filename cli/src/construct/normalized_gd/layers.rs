//! Layers beside steps.

use popgd_core::in_context::normalized_descent::Samples;
use popgd_core::in_context::normalized_descent::transformer::{
    Blocks, Looped, memory, write_exact_blocks,
};
use popgd_core::{Error, Scalar};

use super::instance::Instance;
use crate::construct::comparison::{Comparison, is_rigorous, softmax_roundings};
use crate::scalar::CliScalar;
use crate::settings::ScalarKind;

/// Hands over a transformer whose layer is one step.
fn with_layers<S: Scalar, R>(
    samples: Samples<'_, S>,
    rate: S,
    with: impl FnOnce(&mut Looped<'_, S>) -> Result<R, Error>,
) -> Result<R, Error> {
    let features = samples.features();
    let mut blocks = vec![rate; 2 * features * features];
    let (key_query, value) = blocks.split_at_mut(features * features);
    write_exact_blocks(features, rate, key_query, value)?;
    let mut room = vec![rate; memory(samples.count(), features)];
    let query = vec![rate.zero(); features];
    with(&mut Looped::new(samples, &query, Blocks { key_query, value }, &mut room)?)
}

/// The largest of numbers, roughly.
fn largest<S: CliScalar>(numbers: &[S]) -> f64 {
    numbers.iter().fold(0.0, |most, x| most.max(x.report().center().abs()))
}

/// How many units in the last place a layer and a step from this state may be apart, relative to the
/// larger of w and ηz.
fn roundings(rows: &[f64], state: &[f64]) -> f64 {
    let (mut products, mut logit) = (0.0_f64, 0.0_f64);
    for row in rows.chunks_exact(state.len().max(1)) {
        let terms = row.iter().zip(state).map(|(z, w)| z * w);
        products = products.max(terms.clone().map(f64::abs).sum());
        logit = logit.max(terms.sum::<f64>().abs());
    }
    softmax_roundings(state.len(), products, logit, rows.len() / state.len().max(1))
}

/// Each layer and each step from the same state, a point, compared in `each`; and all layers after
/// each other beside all steps, in `ends`, over floats, as long as steps do not lead apart. Returns where
/// the former lead.
pub(super) fn run<S: CliScalar>(
    instance: &Instance<S>,
    steps: u64,
    kind: ScalarKind,
    each: &mut Comparison,
    ends: &mut Comparison,
) -> Result<Vec<S>, Error> {
    let (features, rate) = (instance.features, instance.rate);
    let samples = Samples::new(features, &instance.rows)?;
    let mut scratch = vec![rate; samples.count() + features];
    let center = |x: S| x.report().center();
    let centers = |numbers: &[S]| numbers.iter().map(|&x| center(x)).collect::<Vec<f64>>();
    let rows = centers(&instance.rows);
    let step_size = center(rate) * largest(&instance.rows);
    let mut state = vec![rate.zero(); features];
    // What all roundings so far may come to, each at most as they were in one step.
    let mut sum = 0.0;
    let last = with_layers(samples, rate, |layers| {
        let mut last = state.clone();
        for _ in 0..steps {
            layers.set_state(&state)?;
            let roundings = roundings(&rows, &centers(&state));
            layers.step()?;
            samples.step(rate, &mut state, &mut scratch, center)?;
            let scale = largest(&state).max(step_size);
            for (a, b) in layers.state().iter().zip(&state) {
                each.add(kind, a.report(), b.report(), scale, roundings);
            }
            sum += roundings * scale;
            last.copy_from_slice(&state);
            state = state.iter().map(|&x| x.lift(center(x))).collect();
        }
        Ok(last)
    })?;
    if instance.is_bounded() && !is_rigorous(kind) {
        let mut state = vec![rate.zero(); features];
        with_layers(samples, rate, |layers| {
            for _ in 0..steps {
                layers.step()?;
                samples.step(rate, &mut state, &mut scratch, center)?;
            }
            let scale = largest(&state).max(step_size);
            // Lengths do not grow from step to step; they are up to √d times the largest entry.
            let roundings = match scale {
                // Samples of zeros move nothing.
                0.0 => 0.0,
                _ => (features as f64).sqrt() * sum / scale,
            };
            for (a, b) in layers.state().iter().zip(&state) {
                ends.add(kind, a.report(), b.report(), scale, roundings);
            }
            Ok(())
        })?;
    }
    Ok(last)
}
