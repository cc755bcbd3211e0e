//! `popgd_core::in_context`.

use crate::input::{Input, room, rooms};
use core::hint::black_box;
use popgd_core::Scalar;
use popgd_core::in_context::attention::{self as layers, Attention, Join};
use popgd_core::in_context::mirror_descent::mixture::Mixture;
use popgd_core::in_context::mirror_descent::stacked::Stacked;
use popgd_core::in_context::mirror_descent::transformer::Transformer;
use popgd_core::in_context::mirror_descent::{posterior, sampling};
use popgd_core::scalar::Logarithm;

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
