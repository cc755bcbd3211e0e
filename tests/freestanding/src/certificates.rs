//! `popgd_core::descent::enclosure` and `popgd_core::descent::forever`.

use crate::descent::some_lumped;
use crate::input::{Input, room};
use core::hint::black_box;
use popgd_core::Scalar;
use popgd_core::descent::enclosure::{Enclosure, Memory, sizes};
use popgd_core::descent::forever::form::{Form, Ring};
use popgd_core::descent::forever::recheck::{Checkpoint, after_first_step, carry};
use popgd_core::descent::forever::{Claim, Forever};
use popgd_core::descent::lumped::LumpedModel;
use popgd_core::model::classes::Class;
use popgd_core::scalar::dual::Dual;
use popgd_core::scalar::float::Float;
use popgd_core::scalar::interval::Interval;

#[inline(never)]
pub(crate) fn enclosure<F: Float>(input: &Input<'_, Interval<F>>, memory: &mut [Interval<F>]) {
    let classes = &mut None;
    let model = some_lumped(input, classes);
    let constant = Dual::constant(input.number());
    let (mut numbers, mut duals) = ([constant; 16], [constant; 16]);
    let nothing = Class { columns: constant, counts: &[], weights: &[] };
    let mut tangent_classes = [nothing; 3];
    let tangent = LumpedModel::mapped(
        &model,
        Dual::constant,
        room(&mut numbers),
        black_box(&mut tangent_classes),
    );
    let Ok(tangent) = black_box(tangent) else { return };
    let mut floats = [Interval::lo(input.number()); 64];
    black_box(sizes(&model));
    let memory =
        Memory { floats: room(&mut floats), intervals: room(memory), duals: room(&mut duals) };
    let Ok(run) = Enclosure::from_zero(model, tangent, memory) else { return };
    let mut run = black_box(run);
    let (c, logits) = (input.number(), input.numbers());
    let _ = black_box(Enclosure::restart(&mut run, input.size() as u64, c, logits));
    Enclosure::step(&mut run);
    black_box(Enclosure::advance(&mut run, input.size() as u64));
    black_box(Enclosure::steps(&run));
    black_box(Enclosure::blocks(&run));
    black_box(Enclosure::c(&run));
    black_box(Enclosure::logits(&mut run));
    black_box(Enclosure::scores(&mut run));
    black_box(Enclosure::is_bounded(&run));
    black_box(Enclosure::quantities(&mut run));
}

fn formulas<T: Ring>(form: Form<T>, x: T) {
    black_box(Form::optimum(&form, x, x));
    black_box(Form::optimum_slope(&form, x, x));
    black_box(Form::pull(&form, x));
    black_box(Form::pace(&form, x, x, x));
}

#[inline(never)]
pub(crate) fn forever(input: &Input<'_, Interval<f64>>, _: &mut [Interval<f64>]) {
    let classes = &mut None;
    let model = &some_lumped(input, classes);
    let steps = input.size() as u64;
    let number = || Interval::lo(input.number());
    let claim = Claim { top: number(), lag: input.number(), upper: number(), lower: number() };
    let (c, gap) = (input.number(), input.number());
    let found = black_box(Forever::prove(model, steps, c, gap));
    let given = black_box(Forever::verify(model, steps, c, gap, claim));
    for proven in [found, given].into_iter().flatten() {
        black_box(Forever::steps(&proven));
        black_box(Forever::claim(&proven));
        black_box(Forever::state(&proven));
        black_box(Forever::tangent_after(&proven, steps));
        black_box(Forever::quantities_after(&proven, steps));
        black_box(Forever::output_errors_after(&proven, steps));
        black_box(Forever::output_errors_from(&proven, steps));
        black_box(Forever::ratios(&proven));
        black_box(Forever::limits(&proven));
        let form = Forever::form(&proven);
        formulas(form, input.number());
        formulas(Form::map(&form, Interval::midpoint), input.float());
    }
    let first = black_box(after_first_step(model));
    let from = Checkpoint { steps, c, gap };
    let later = black_box(carry(model, from, input.size() as u64, |step| step < steps));
    if let (Ok(first), Ok(Some(later))) = (first, later) {
        black_box(Checkpoint::contains(&first, &later));
    }
    black_box(Scalar::zero(c));
}
