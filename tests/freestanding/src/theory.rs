//! `popgd_core::theory`.

use crate::descent::{some_dense, some_lumped};
use crate::input::{Input, room};
use crate::model::some_activation;
use core::hint::black_box;
use popgd_core::Scalar;
use popgd_core::model::lumped::LumpedModel;
use popgd_core::scalar::float::Float;
use popgd_core::theory::clock::Clock;
use popgd_core::theory::exponents::Variable;
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
