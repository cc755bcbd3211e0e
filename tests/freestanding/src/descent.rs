//! `popgd_core::descent`.

use crate::input::{Input, room, rooms};
use crate::model::{some_activation, some_class, some_teacher};
use core::hint::black_box;
use popgd_core::Scalar;
use popgd_core::descent::accumulate::Accumulate;
use popgd_core::descent::dense::{Dense, DenseModel, Metric};
use popgd_core::descent::lumped::{Lumped, LumpedModel};
use popgd_core::model::classes::Class;

pub(crate) fn some_lumped<'a, S: Scalar>(
    input: &Input<'a, S>,
    classes: &'a mut Option<[Class<'a, S>; 3]>,
) -> LumpedModel<'a, S> {
    let classes = classes.insert([some_class(input), some_class(input), some_class(input)]);
    LumpedModel {
        activation: some_activation(input),
        classes: black_box(classes),
        teacher_norm: input.number(),
        logit_gain: input.number(),
        rate: input.number(),
        slope_at_zero: input.number(),
    }
}

pub(crate) fn some_dense<'a, S: Scalar>(input: &Input<'a, S>) -> Option<DenseModel<'a, S>> {
    let by_gain = Metric::Gain(input.number());
    let by_gram = Metric::Gram { gram: input.numbers(), temperature: input.number() };
    Some(DenseModel {
        teacher: some_teacher(input)?,
        metric: black_box(if input.size() == 0 { by_gain } else { by_gram }),
        rate: input.number(),
        slope_at_zero: input.number(),
    })
}

fn some_accumulate() -> Accumulate {
    black_box(Default::default())
}

#[inline(never)]
pub(crate) fn accumulate<S: Scalar>(input: &Input<'_, S>) {
    let (mut sum, mut carry) = (input.number(), input.number());
    Accumulate::add(some_accumulate(), &mut sum, &mut carry, input.number());
    black_box((sum, carry));
}

#[inline(never)]
pub(crate) fn lumped<S: Scalar>(input: &Input<'_, S>, memory: &mut [S]) {
    let classes = &mut None;
    let model = some_lumped(input, classes);
    black_box(LumpedModel::levels(&model));
    black_box(LumpedModel::memory(&model));
    let _ = black_box(LumpedModel::check(&model));
    let (c, logits) = (input.number(), input.numbers());
    let [scores, scratch] = rooms(memory, input.size());
    black_box(LumpedModel::increments(&model, c, logits, scores, scratch));
    black_box(LumpedModel::quantities(&model, c, logits, scores, scratch));
    LumpedModel::output_errors(&model, c, logits, scores, scratch);
    black_box((scores, scratch));

    if let Ok(run) = Lumped::from_zero(model, some_accumulate(), room(memory)) {
        lumped_run(run);
    }
    if let Ok(run) = Lumped::from_state(model, some_accumulate(), c, logits, room(memory)) {
        lumped_run(run);
    }
}

fn lumped_run<S: Scalar>(run: Lumped<'_, S>) {
    let mut run = black_box(run);
    Lumped::step(&mut run);
    black_box(Lumped::model(&run));
    black_box(Lumped::c(&run));
    black_box(Lumped::logits(&run));
    black_box(Lumped::quantities(&mut run));
    black_box(Lumped::output_errors(&mut run));
    black_box(Lumped::scores(&mut run));
    Lumped::columns(&mut run).for_each(|column| {
        black_box(column);
    });
    black_box(Lumped::coefficients(&run));
}

#[inline(never)]
pub(crate) fn dense<S: Scalar>(input: &Input<'_, S>, memory: &mut [S]) {
    for _ in 0..input.size() {
        let Some(model) = some_dense(input) else { return };
        black_box(DenseModel::memory(&model));
        if let Ok(run) = Dense::from_zero(model, some_accumulate(), room(memory)) {
            dense_run(run);
        }
        let (value_matrix, logits) = (input.numbers(), input.numbers());
        let how = some_accumulate();
        if let Ok(run) = Dense::from_state(model, how, value_matrix, logits, room(memory)) {
            dense_run(run);
        }
    }
}

fn dense_run<S: Scalar>(run: Dense<'_, S>) {
    let mut run = black_box(run);
    Dense::step(&mut run);
    black_box(Dense::model(&run));
    black_box(Dense::value_matrix(&run));
    black_box(Dense::logits(&run));
    black_box(Dense::scores(&run));
    black_box(Dense::gradient(&mut run));
    black_box(Dense::quantities(&run));
}
