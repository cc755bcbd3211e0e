//! `popgd_core::model`.

use crate::input::{Input, room, rooms};
use core::hint::black_box;
use popgd_core::Scalar;
use popgd_core::model::activation::Activation;
use popgd_core::model::alignment::Alignment;
use popgd_core::model::classes::{Class, TwoLevel};
use popgd_core::model::population;
use popgd_core::model::positions::Positions;
use popgd_core::model::teacher::{self as teachers, Shape, Teacher};

pub(crate) fn some_activation<S: Scalar>(input: &Input<'_, S>) -> Activation<S> {
    black_box(Activation::leaky_relu(input.number()))
}

pub(crate) fn some_alignment<S: Scalar>(input: &Input<'_, S>) -> Alignment<S> {
    Alignment {
        own: input.number(),
        target: input.number(),
        inner: input.number(),
        wedge: input.number(),
    }
}

pub(crate) fn some_class<'a, S: Scalar>(input: &Input<'a, S>) -> Class<'a, S> {
    Class { columns: input.number(), counts: input.numbers(), weights: input.numbers() }
}

pub(crate) fn some_shape<S: Scalar>(input: &Input<'_, S>) -> Shape {
    Shape { tokens: input.size(), channels: input.size(), features: input.size() }
}

pub(crate) fn some_teacher<'a, S: Scalar>(input: &Input<'a, S>) -> Option<Teacher<'a, S>> {
    let shape = some_shape(input);
    black_box(Teacher::new(shape, some_activation(input), input.numbers(), input.numbers())).ok()
}

#[inline(never)]
pub(crate) fn activation<S: Scalar>(input: &Input<'_, S>) {
    black_box(Activation::leaky_relu(input.number()));
    black_box(Activation::identity(input.number()));
    black_box(Activation::relu(input.number()));
    black_box(Activation::absolute_value(input.number()));
    let activation = &some_activation(input);
    black_box(Activation::slope(activation));
    black_box(Activation::linear(activation));
    black_box(Activation::gain(activation));
    black_box(Activation::bend(activation));
    black_box(Activation::kernel(activation, input.number()));
    black_box(Activation::pull(activation, input.number()));
    black_box(Activation::gap(activation, input.number(), input.number()));
    black_box(Activation::half_square_distance(activation, &some_alignment(input)));
}

/// What only `f64` has.
#[inline(never)]
pub(crate) fn activation_of_samples(input: &Input<'_, f64>, _: &mut [f64]) {
    black_box(Activation::apply(&some_activation(input), input.number()));
}

#[inline(never)]
pub(crate) fn alignment<S: Scalar>(input: &Input<'_, S>) {
    let (own, target) = (input.numbers(), input.numbers());
    black_box(Alignment::of(input.number(), input.counts(), own, target));
    let alignment = &some_alignment(input);
    black_box(Alignment::tensor(alignment, &some_alignment(input)));
    black_box(Alignment::scaled(alignment, input.number()));
    black_box(Alignment::angle(alignment));
}

#[inline(never)]
pub(crate) fn classes<S: Scalar>(input: &Input<'_, S>) {
    let class = &some_class(input);
    Class::levels(class).for_each(|level| {
        black_box(level);
    });
    black_box(Class::square_norm(class, input.number()));
    black_box(Class::support(class, input.number()));
    let two_level = black_box(TwoLevel::new(input.number(), input.number()));
    black_box(TwoLevel::class(&two_level));
}

#[inline(never)]
pub(crate) fn teacher<S: Scalar>(input: &Input<'_, S>, memory: &mut [S]) {
    let shape = &some_shape(input);
    black_box(Shape::value_entries(shape));
    black_box(Shape::score_entries(shape));
    if let Some(teacher) = &some_teacher(input) {
        black_box(Teacher::shape(teacher));
        black_box(Teacher::activation(teacher));
        black_box(Teacher::value_matrix(teacher));
        black_box(Teacher::scores(teacher));
    }

    let (one, size) = (input.number(), || input.size());
    let mut edges = [(0, 0); 16];
    for (slot, pair) in edges.iter_mut().zip(input.sizes().windows(2)) {
        if let &[from, to] = pair {
            *slot = (from, to);
        }
    }
    let _ = black_box(teachers::average_pooling(one, size(), size(), room(memory)));
    let _ = black_box(teachers::partition_pooling(one, input.sizes(), room(memory)));
    let edges: &[(usize, usize)] = black_box(&edges);
    let _ = black_box(teachers::graph_convolution(one, size(), edges, room(memory)));
    let _ = black_box(teachers::circulant_convolution(one, size(), input.sizes(), room(memory)));
    let _ = black_box(teachers::token_selection(one, size(), input.sizes(), room(memory)));
    let _ = black_box(teachers::single_layer(one, size(), room(memory)));
}

#[inline(never)]
pub(crate) fn population<S: Scalar>(input: &Input<'_, S>, memory: &mut [S]) {
    let number = || input.number();
    black_box(population::irreducible_loss(number(), number(), number()));
    black_box(population::gradient_scratch(input.size()));
    let Some(teacher) = &some_teacher(input) else { return };
    let (value_matrix, scores) = (input.numbers(), input.numbers());
    let _ = black_box(population::excess_loss(teacher, value_matrix, scores));
    let [by_value, by_logit, scratch] = rooms(memory, input.size());
    let _ = black_box(population::gradient(
        teacher,
        value_matrix,
        scores,
        number(),
        by_value,
        by_logit,
        scratch,
    ));
}

#[inline(never)]
pub(crate) fn positions<S: Scalar>(input: &Input<'_, S>, memory: &mut [S]) {
    let matrix = input.numbers();
    for positions in
        [Positions::Identity, Positions::Orthogonal(matrix), Positions::General(matrix)]
    {
        let (positions, tokens, from) = (&black_box(positions), input.size(), input.numbers());
        let [to, scratch] = rooms(memory, input.size());
        let scale = input.number();
        let _ = black_box(Positions::logits(positions, tokens, from, scale, to, scratch));
        let _ =
            black_box(Positions::key_query_gradient(positions, tokens, from, scale, to, scratch));
        let _ = black_box(Positions::gram(positions, scale, tokens, to));
        let _ = black_box(Positions::metric(positions, tokens, scale, scratch));
    }
}
