//! `popgd_core::theory`.

use crate::descent::{some_dense, some_lumped};
use crate::input::{Input, room, rooms};
use crate::model::some_activation;
use core::hint::black_box;
use popgd_core::Scalar;
use popgd_core::model::lumped::LumpedModel;
use popgd_core::model::teacher::Shape;
use popgd_core::scalar::float::Float;
use popgd_core::theory::clock::Clock;
use popgd_core::theory::exponents::Variable;
use popgd_core::theory::moments::{
    self, Errors, InputMoments, Law, SecondSums, TokenMoments, TokenSums,
};
use popgd_core::theory::{rates, stability};

#[inline(never)]
pub(crate) fn statements<S: Scalar>(input: &Input<'_, S>) {
    let number = || input.number();
    black_box(rates::stated_bounds(number(), number(), number(), number(), number()));
    black_box(rates::stated_start(number(), number(), number(), number()));
    black_box(rates::clock_rate(number(), number(), number(), number(), number(), number()));
    black_box(stability::first_slope(&some_activation(input), number()));
    black_box(stability::value_curvature(&some_lumped(input, &mut None)));
    for variable in black_box(Variable::ALL) {
        black_box(Variable::local(variable, number(), number(), number()));
    }
}

#[inline(never)]
pub(crate) fn second_moments<S: Scalar>(input: &Input<'_, S>, memory: &mut [S]) {
    let (number, numbers) = (|| input.number(), || input.numbers());
    let shape = Shape { tokens: input.size(), channels: input.size(), features: input.size() };
    let classes = &mut None;
    let model = some_lumped(input, classes);
    let errors = [
        Errors::Lumped { classes: model.classes, levels: numbers(), sum: number() },
        Errors::Dense { tokens: input.size(), columns: numbers() },
    ];
    for inputs in black_box([
        InputMoments::Isotropic { variance: number() },
        InputMoments::Bounded { square: number() },
        InputMoments::Independent { mean: numbers(), covariance: numbers() },
        InputMoments::Full { second: numbers() },
    ]) {
        let seen = InputMoments::seen_by(&inputs, shape, numbers(), room(memory));
        let Ok(seen) = black_box(seen) else { continue };
        for errors in black_box(&errors) {
            let _ = black_box(moments::mean_square(number(), &seen, errors));
        }
    }
    let bounded = black_box(TokenMoments::Bounded { square: number() });
    let _ = black_box(moments::mean_square(number(), &bounded, &black_box(errors[0])));
    for law in black_box([Law::Any, Law::Symmetric]) {
        black_box(moments::amplification(&some_activation(input), law));
    }
    black_box(moments::gap_bound(number(), number()));
    black_box(moments::sharp_square_gap(
        &some_activation(input),
        number(),
        number(),
        number(),
        number(),
        number(),
        number(),
    ));
    black_box(TokenSums::<S>::memory(input.size()));
    black_box(SecondSums::<S>::memory(input.size()));
    let [first, second, third, fourth] = rooms(memory, input.size());
    if let (Ok(mut sums), Ok(other)) = (
        black_box(TokenSums::new(number(), input.size(), first)),
        black_box(TokenSums::new(number(), input.size(), second)),
    ) {
        let _ = black_box(TokenSums::push(&mut sums, numbers()));
        let _ = black_box(TokenSums::merge(&mut sums, &other));
        black_box(TokenSums::count(&sums));
        black_box(TokenSums::mean(&sums, input.size()));
        black_box(TokenSums::mean_of_squares(&sums, input.size()));
    }
    if let (Ok(mut sums), Ok(other)) = (
        black_box(SecondSums::new(number(), input.size(), third)),
        black_box(SecondSums::new(number(), input.size(), fourth)),
    ) {
        let _ = black_box(SecondSums::push(&mut sums, numbers()));
        let _ = black_box(SecondSums::merge(&mut sums, &other));
        black_box(SecondSums::count(&sums));
        black_box(SecondSums::mean(&sums, input.size()));
        black_box(SecondSums::second(&sums, input.size(), input.size()));
    }
}

/// What only `f32` and `f64` have.
#[inline(never)]
pub(crate) fn statements_in_floats<F: Float>(input: &Input<'_, F>, memory: &mut [F]) {
    let classes = &mut None;
    let model = &some_lumped(input, classes);
    black_box(rates::sharp_constants(model));
    let _ = black_box(LumpedModel::validate(model));
    let _ = black_box(stability::check_start(&some_activation(input), input.number()));
    let _ = black_box(stability::check_rate(input.number(), input.number()));
    let _ = black_box(stability::check_lumped(model, room(memory)));
    let _ = black_box(stability::lumped_curvature(model, room(memory)));
    let _ = black_box(stability::dense_curvature(model, room(memory)));
    if let Some(model) = &some_dense(input) {
        let _ = black_box(stability::general_curvature(model, room(memory)));
    }
}

/// What only `f64` has.
#[inline(never)]
pub(crate) fn clock(input: &Input<'_, f64>, _: &mut [f64]) {
    let number = || input.number();
    let activation = some_activation(input);
    black_box(rates::clock_until(&activation, number(), number(), number()));
    for variable in black_box(Variable::ALL) {
        black_box(Variable::stated(variable));
        black_box(Variable::asymptotic(variable, number()));
    }
    let clock = black_box(Clock::new(activation, number(), number(), number(), number(), number()));
    let Some(clock) = &clock else { return };
    black_box(Clock::rate(clock));
    black_box(Clock::reading(clock, number()));
    black_box(Clock::tangent_at(clock, number()));
    black_box(Clock::gap_at(clock, number()));
    black_box(Clock::tangent_of(clock, number()));
    black_box(Clock::factor_at(clock, number()));
    black_box(Clock::extrapolate(clock, number(), number()));
    black_box(Clock::quantities_after(clock, number(), number()));
    black_box(Clock::burn_in(clock, number(), number()));
    black_box(Clock::predicted_burn_in(clock));
    black_box(Clock::burn_in_uncertainty(clock));
    black_box(Clock::stall(clock, input.size() as u32));
}
