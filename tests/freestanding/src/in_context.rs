//! `popgd_core::in_context`.

use crate::input::{Input, rooms};
use core::hint::black_box;
use popgd_core::Scalar;
use popgd_core::in_context::attention::{self as layers, Attention, Join};

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
