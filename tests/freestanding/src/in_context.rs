//! `popgd_core::in_context`.

use crate::input::{Input, room, rooms};
use core::hint::black_box;
use popgd_core::in_context::attention::{self as layers, Attention, Join};
use popgd_core::in_context::attention_operator::{self as operator, Measure, bounds, recovery};
use popgd_core::in_context::mirror_descent::mixture::Mixture;
use popgd_core::in_context::mirror_descent::stacked::Stacked;
use popgd_core::in_context::mirror_descent::transformer::Transformer;
use popgd_core::in_context::mirror_descent::{posterior, sampling};
use popgd_core::in_context::normalized_descent::bounds::{Terms, margin_between};
use popgd_core::in_context::normalized_descent::transformer::{self, Blocks, Looped};
use popgd_core::in_context::normalized_descent::{self as descent, Samples, imitation};
use popgd_core::scalar::Logarithm;
use popgd_core::scalar::float::Float;
use popgd_core::{Interval, Scalar};

fn some_layer<'a, S: Scalar>(input: &Input<'a, S>) -> Attention<'a, S> {
    Attention {
        width: input.size(),
        key_query: input.counts(),
        relative_scores: input.numbers(),
        key_bias: input.counts(),
        key_counts: input.counts(),
        value: input.counts(),
        relative_values: input.numbers(),
        relative_width: input.size(),
        join: black_box(Join::Concatenate),
    }
}

#[inline(never)]
pub(crate) fn attention<S: Scalar>(input: &Input<'_, S>, memory: &mut [S]) {
    let (size, columns) = (|| input.size(), input.numbers());
    black_box(layers::causal(size(), size()));
    let mask = |query, key| black_box(layers::causal(query, key));
    for layer in &black_box([Attention::uniform(size()), some_layer(input)]) {
        black_box(Attention::output_width(layer));
        black_box(Attention::scratch(layer, size()));
        let [output, scratch] = rooms(memory, size());
        let _ = black_box(Attention::weights(layer, columns, size(), mask, output, scratch));
        let queries = size()..size();
        let _ = black_box(Attention::apply(layer, columns, queries, mask, output, scratch));
    }
}

#[inline(never)]
pub(crate) fn normalized_descent<S: Scalar>(input: &Input<'_, S>, memory: &mut [S]) {
    let (size, numbers, number) = (|| input.size(), || input.numbers(), || input.number());
    let approximate = |_| black_box(input.float());
    let [first, second, third, fourth, fifth] = rooms(memory, size());
    let _ = black_box(descent::signed(size(), numbers(), numbers(), first));
    let _ = black_box(descent::signed_by_relus(size(), numbers(), numbers(), number(), first));
    let _ = black_box(transformer::write_exact_blocks(size(), number(), first, second));
    black_box(transformer::memory(size(), size()));
    black_box(imitation::scratch(size(), size()));
    black_box(margin_between(numbers(), size(), numbers(), numbers()));
    let Ok(samples) = black_box(Samples::new(size(), numbers())) else { return };
    black_box(Samples::features(&samples));
    black_box(Samples::count(&samples));
    for row in Samples::rows(&samples) {
        black_box(row);
    }
    let _ = black_box(Samples::margins(&samples, numbers(), first));
    let _ = black_box(Samples::direction(&samples, first, size(), second));
    let _ = black_box(Samples::step(&samples, number(), first, second, approximate));
    let blocks = black_box(Blocks { key_query: numbers(), value: numbers() });
    let Ok(mut run) = black_box(Looped::new(samples, numbers(), blocks, third)) else { return };
    black_box(Looped::layer(&run));
    black_box(Looped::columns(&run));
    black_box(Looped::state(&run));
    let _ = black_box(Looped::set_state(&mut run, numbers()));
    let _ = black_box(Looped::step(&mut run));
    let _ = black_box(Looped::attention(&mut run, first));
    black_box(Looped::read_out(&run));
    let slopes = (first, second);
    let [target, room] = [fourth, fifth];
    let _ = black_box(imitation::add_gradient(&mut run, &samples, blocks, target, slopes, room));
}

#[inline(never)]
pub(crate) fn attention_operator<S: Scalar>(input: &Input<'_, S>, memory: &mut [S]) {
    let (size, numbers, number) = (|| input.size(), || input.numbers(), || input.number());
    let approximate = |_| black_box(input.float());
    let [first, second] = rooms(memory, size());
    black_box(bounds::fine_tuning(number(), number()));
    black_box(bounds::prompt(number(), number(), number(), number()));
    let _ = black_box(operator::slope(numbers(), numbers(), first));
    let _ = black_box(operator::add_prompt(number(), first, number(), numbers()));
    let Ok(measure) = black_box(Measure::new(size(), numbers(), input.counts())) else { return };
    black_box(Measure::dimension(&measure));
    black_box(Measure::count(&measure));
    for atom in Measure::atoms(&measure) {
        black_box(atom);
    }
    black_box(Measure::mass(&measure));
    black_box(Measure::reference(&measure, numbers(), approximate));
    let _ = black_box(Measure::tilt(&measure, numbers(), number(), first));
    let rate = operator::rate_of_log_moment(&measure, numbers(), number(), approximate, first);
    let _ = black_box(rate);
    let (slope, value) = (numbers(), numbers());
    let _ = black_box(recovery::write_equations(&measure, slope, value, number(), second));
}

/// What needs a logarithm.
#[inline(never)]
pub(crate) fn with_logarithm<S: Logarithm>(input: &Input<'_, S>, memory: &mut [S]) {
    let (numbers, number) = (|| input.numbers(), || input.number());
    black_box(bounds::sampling(number(), number(), number(), number()));
    let terms = black_box(Terms { samples: number(), radius: number(), rate: number() });
    black_box(Terms::dual_gap(&terms, number()));
    black_box(Terms::margin_deficit(&terms));
    black_box(Terms::margin_gap(&terms, number(), number()));
    if let Ok(measure) = black_box(Measure::new(input.size(), numbers(), input.counts())) {
        let _ = black_box(Measure::log_moment(&measure, numbers(), number(), room(memory)));
    }
}

/// What only floats have; the row of a pick is a size.
#[inline(never)]
pub(crate) fn recovery_in_floats<F: Float>(input: &Input<'_, F>, memory: &mut [F]) {
    let [weights, scratch] = rooms(memory, input.size());
    black_box(recovery::scratch(input.size(), input.size()));
    let picked = &mut black_box([0; 7]);
    let picked = picked.get_mut(..input.size()).unwrap_or(&mut []);
    let _ = black_box(recovery::solve(input.numbers(), weights, picked, scratch));
}

/// What only intervals have.
#[inline(never)]
pub(crate) fn recovery_in_intervals<F: Float>(
    input: &Input<'_, Interval<F>>,
    memory: &mut [Interval<F>],
) {
    let ends = black_box([F::ONE; 64]);
    let ends = ends.get(..input.size()).unwrap_or(&[]);
    let [weights, scratch] = rooms(memory, input.size());
    let (equations, picked) = (input.numbers(), input.sizes());
    let _ = black_box(recovery::enclose(equations, picked, ends, ends, weights, scratch));
}

/// A mixture of which nothing is known.
fn some_mixture<'a, S: Scalar>(input: &Input<'a, S>) -> Option<Mixture<'a, S>> {
    black_box(Mixture::new(input.size(), input.size(), input.numbers())).ok()
}

#[inline(never)]
pub(crate) fn mirror_descent<S: Logarithm>(input: &Input<'_, S>, memory: &mut [S]) {
    let (size, number, tokens) = (|| input.size(), || input.number(), input.sizes());
    black_box(posterior::states(size(), size()));
    black_box(Transformer::<S>::memory(size(), size(), size(), black_box(true)));
    black_box(Stacked::<S>::memory(size(), size(), size(), size()));
    let Some(mixture) = &some_mixture(input) else { return };
    black_box(Mixture::alphabet(mixture));
    black_box(Mixture::order(mixture));
    black_box(Mixture::transitions(mixture));
    let _ = black_box(Mixture::evidence(mixture, tokens));
    let _ = black_box(Mixture::smoothness(mixture, tokens));
    let _ = black_box(Mixture::log_likelihood(mixture, tokens, input.numbers()));
    let [weights, scratch, next, table] = rooms(memory, size());
    let _ = black_box(Mixture::gradient(mixture, tokens, input.numbers(), weights));
    let _ = black_box(Mixture::step(mixture, tokens, number(), weights, scratch, next));
    let _ = black_box(Mixture::descend(mixture, tokens, number(), size(), weights, scratch));
    let _ = black_box(Mixture::predict(mixture, tokens, input.numbers(), next));
    let _ = black_box(posterior::mean(mixture, tokens, number(), weights, scratch));
    let strength = black_box(Some(number()));
    if let Ok(three) = &black_box(Transformer::new(*mixture, size(), number(), strength, table)) {
        black_box(Transformer::layers(three));
        black_box(Transformer::scratch(three));
        let _ = black_box(Transformer::run(three, tokens, weights, next, scratch));
    }
    let stack = black_box(Stacked::new(*mixture, size(), number(), size(), number(), table));
    if let Ok(stack) = &stack {
        black_box(Stacked::scratch(stack));
        let _ = black_box(Stacked::run(stack, tokens, weights, next, scratch));
        let _ = black_box(Stacked::run_from(stack, &[], tokens, weights, next, scratch));
    }
}

/// What only `f64` has.
#[inline(never)]
pub(crate) fn sampling(input: &Input<'_, f64>, memory: &mut [f64]) {
    sampling::uniform_distribution(room(memory), || input.float());
    let mut tokens = [0; 16];
    if let Some(mixture) = &some_mixture(input) {
        let tokens = room(&mut tokens);
        let _ = black_box(sampling::sequence(mixture, input.numbers(), tokens, || input.float()));
    }
}
