//! Layers beside steps.

use popgd_core::in_context::normalized_descent::Samples;
use popgd_core::in_context::normalized_descent::transformer::{
    Blocks, Looped, memory, write_exact_blocks,
};
use popgd_core::{Error, Scalar};

use super::instance::Instance;
use crate::construct::comparison::Comparison;
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

/// Each layer and each step from the same state, a point, compared in `each`; and all layers after
/// each other beside all steps, in `ends`, by how much a step on average puts them apart. Returns
/// where the former lead.
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
    let size = largest(&instance.rows);
    let step_size = center(rate) * size;
    let points = |numbers: &[S]| -> Vec<S> {
        numbers.iter().map(|&x| x.lift(x.report().center())).collect()
    };
    let mut state = vec![rate.zero(); features];
    let last = with_layers(samples, rate, |layers| {
        let mut last = state.clone();
        for _ in 0..steps {
            layers.set_state(&state)?;
            let logits = size * largest(&state) * features as f64;
            layers.step()?;
            samples.step(rate, &mut state, &mut scratch, center)?;
            let scale = largest(&state).max(step_size);
            for (a, b) in layers.state().iter().zip(&state) {
                each.add(kind, a.report(), b.report(), scale, logits);
            }
            last.copy_from_slice(&state);
            state = points(&state);
        }
        Ok(last)
    })?;
    if instance.is_bounded() && !crate::construct::comparison::is_rigorous(kind) {
        let mut state = vec![rate.zero(); features];
        with_layers(samples, rate, |layers| {
            for _ in 0..steps {
                layers.step()?;
                samples.step(rate, &mut state, &mut scratch, center)?;
            }
            let scale = (largest(&state) + step_size) * steps as f64;
            for (a, b) in layers.state().iter().zip(&state) {
                ends.add(kind, a.report(), b.report(), scale, 0.0);
            }
            Ok(())
        })?;
    }
    Ok(last)
}
