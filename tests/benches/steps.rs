//! The time of a step: `cargo bench -p popgd-tests`.

use divan::Bencher;
use popgd_core::Scalar;
use popgd_core::descent::accumulate::Accumulate;
use popgd_core::model::teacher::{self, Shape};
use popgd_core::scalar::dual::Dual;
use popgd_core::scalar::interval::Interval;
use popgd_tests::enclosed::with_enclosure;
use popgd_tests::problem::{DenseProblem, LumpedProblem};

fn main() {
    divan::main();
}

/// A thousand steps in the middle of training, D = 16, K = 4, ReLU.
fn thousand_lumped_steps<S: Scalar>(bencher: Bencher<'_, '_>, context: S, accumulate: Accumulate) {
    LumpedProblem::two_level(16.0, 4.0, 0.0, 1.0, 1.0 / 16.0, 0.0625).with_run(
        context,
        accumulate,
        |run| {
            (0..10).for_each(|_| run.step());
            bencher.bench_local(|| (0..1000).for_each(|_| run.step()));
        },
    );
}

#[divan::bench]
fn lumped_1000_steps_f32(bencher: Bencher<'_, '_>) {
    thousand_lumped_steps(bencher, 0.0_f32, Accumulate::Compensated);
}

#[divan::bench]
fn lumped_1000_steps_f64(bencher: Bencher<'_, '_>) {
    thousand_lumped_steps(bencher, 0.0_f64, Accumulate::Compensated);
}

#[divan::bench]
fn lumped_1000_steps_f64_plain(bencher: Bencher<'_, '_>) {
    thousand_lumped_steps(bencher, 0.0_f64, Accumulate::Plain);
}

/// A single state, over and over: an enclosure cannot run a thousand steps without widening.
fn lumped_increments<S: Scalar>(bencher: Bencher<'_, '_>, context: S) {
    LumpedProblem::two_level(16.0, 4.0, 0.0, 1.0, 1.0 / 16.0, 0.0625).with_model(
        context,
        |model| {
            let logits = [context.lift(1.5), context.zero()];
            let mut scores = [context; 2];
            let mut increments = [context; 2];
            let c = context.lift(1.25);
            bencher.bench_local(|| {
                model.increments(divan::black_box(c), &logits, &mut scores, &mut increments)
            });
        },
    );
}

#[divan::bench]
fn lumped_increments_f64(bencher: Bencher<'_, '_>) {
    lumped_increments(bencher, 0.0_f64);
}

#[divan::bench]
fn lumped_increments_interval_f64(bencher: Bencher<'_, '_>) {
    lumped_increments(bencher, Interval::point(0.0_f64));
}

#[divan::bench]
fn lumped_increments_dual_interval_f64(bencher: Bencher<'_, '_>) {
    lumped_increments(bencher, Dual::<_, 2>::constant(Interval::point(0.0_f64)));
}

/// A thousand enclosed steps late in training, the derivatives that they need included.
#[divan::bench]
fn enclosed_1000_steps_f64(bencher: Bencher<'_, '_>) {
    let problem = LumpedProblem::two_level(16.0, 4.0, 0.0, 1.0, 1.0 / 16.0, 0.0625);
    problem.with_model(Interval::point(0.0), |model| {
        with_enclosure(model, |run| {
            run.advance(100_000);
            bencher.bench_local(|| run.advance(1000));
        });
    });
}

/// A dense step, M = 32, d = 64, ReLU, average pooling over four tokens.
#[divan::bench(args = [64, 256, 1024])]
fn dense_step_f64(bencher: Bencher<'_, '_>, tokens: usize) {
    let shape = Shape { tokens, channels: 32, features: 64 };
    let mut scores = vec![0.0; tokens * tokens];
    teacher::average_pooling(1.0, tokens, 4, &mut scores).unwrap();
    let values: Vec<f64> = (0..shape.value_entries())
        .map(|i| ((i * 7919 % 1009) as f64 / 1009.0 - 0.5) * 0.1)
        .collect();
    let rate = 0.25 * 4.0 / (0.5 * tokens as f64);
    DenseProblem::from_zero(shape, 0.0, values, scores, rate).with_run(
        0.0_f64,
        Accumulate::Compensated,
        |run| {
            run.step();
            bencher.bench_local(|| run.step());
        },
    );
}
