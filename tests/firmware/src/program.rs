//! What is computed, once for every scalar. To add something, write a section and call it from
//! [`sections`] or [`sections_of_intervals`].

use crate::board::Board;
use crate::lumped::{with_model, with_run};
use crate::report::{Bits, FloatBits, Report};
use popgd_core::descent::accumulate::Accumulate;
use popgd_core::descent::enclosure::{Enclosure, Memory};
use popgd_core::model::Quantities;
use popgd_core::model::activation::Activation;
use popgd_core::model::alignment::Alignment;
use popgd_core::model::classes::Class;
use popgd_core::model::population::{excess_loss, gradient};
use popgd_core::model::teacher::{Shape, Teacher};
use popgd_core::scalar::dual::Dual;
use popgd_core::scalar::interval::Interval;
use popgd_core::theory::moments::estimate::{SecondSums, TokenSums};

/// All of it.
pub fn everything(board: &mut dyn Board) {
    let mut report = Report::new(board);
    sections::<f32>(&mut report);
    sections::<f64>(&mut report);
    sections::<Interval<f32>>(&mut report);
    sections::<Interval<f64>>(&mut report);
    sections_of_intervals::<f32>(&mut report);
    sections_of_intervals::<f64>(&mut report);
    report.finish();
}

fn sections<S: Bits>(report: &mut Report<'_>) {
    let one = S::context();
    expectations(one, report);
    dense_gradient(one, report);
    moments(one, report);
    lumped(one, Accumulate::Compensated, "lumped, compensated", report);
    lumped(one, Accumulate::Plain, "lumped, plain", report);
}

fn sections_of_intervals<F: FloatBits>(report: &mut Report<'_>) {
    enclosure::<F>(report);
}

/// Closed forms at angles from tiny to obtuse, for three activations.
#[inline(never)]
fn expectations<S: Bits>(one: S, report: &mut Report<'_>) {
    report.section::<S>("expectations");
    for (name, slope) in
        [("identity", one), ("ReLU", one.zero()), ("leaky ReLU", one.rational(1, 10))]
    {
        let activation = Activation::leaky_relu(slope);
        report.numbers(name, &[activation.gain(), activation.bend()]);
        for (name, vector) in [
            ("narrow", [one, one.rational(1, 1_000_000)]),
            ("acute", [one.rational(3, 7), one.rational(5, 9)]),
            ("obtuse", [-one.rational(2, 3), one.rational(1, 11)]),
        ] {
            let alignment = Alignment::of(one, None, &vector, &[one.rational(9, 10), one.zero()]);
            let angle = alignment.angle();
            report.numbers(
                name,
                &[
                    angle,
                    activation.kernel(angle),
                    activation.pull(angle),
                    activation.gap(alignment.wedge, alignment.inner),
                    activation.half_square_distance(&alignment),
                ],
            );
        }
    }
    report.end();
}

/// Loss and gradient of full matrices, in buffers that are given: D = 4, M = 2, d = 3.
#[inline(never)]
fn dense_gradient<S: Bits>(one: S, report: &mut Report<'_>) {
    const SHAPE: Shape = Shape { tokens: 4, channels: 2, features: 3 };
    report.section::<S>("dense gradient");
    let part = |numerator, denominator| one.rational(numerator, denominator);
    let (half, zero) = (part(1, 2), one.zero());
    #[rustfmt::skip]
    let goals = [
        half, half, zero, zero,
        half, half, zero, zero,
        zero, zero, half, half,
        zero, zero, half, half,
    ];
    #[rustfmt::skip]
    let scores = [
        part(1, 10), part(2, 10), part(3, 10), part(4, 10),
        part(1, 4), part(1, 4), part(1, 4), part(1, 4),
        part(5, 8), part(1, 8), part(1, 8), part(1, 8),
        part(1, 12), part(2, 12), part(3, 12), part(6, 12),
    ];
    let teacher_values = [one, part(-1, 3), half, part(2, 7), one, part(-5, 4)];
    // The second row is where the loss has a kink.
    let values = [part(1, 5), part(3, 4), part(-2, 9), zero, zero, zero];
    let activation = Activation::leaky_relu(part(1, 10));
    let Ok(teacher) = Teacher::new(SHAPE, activation, &teacher_values, &goals) else {
        return report.refused();
    };
    let (mut by_value, mut by_logit, mut scratch) = ([zero; 6], [zero; 16], [zero; 16]);
    let done =
        gradient(&teacher, &values, &scores, one, &mut by_value, &mut by_logit, &mut scratch);
    match (done, excess_loss(&teacher, &values, &scores)) {
        (Ok(()), Ok(loss)) => {
            report.numbers("loss", &[loss]);
            report.numbers("by W_V", &by_value);
            report.numbers("by logits", &by_logit);
        }
        _ => report.refused(),
    }
    report.end();
}

/// A stream of inputs, as a sensor would send them: second and fourth moments of tokens, and means of
/// products, of one stream after the other.
#[inline(never)]
fn moments<S: Bits>(one: S, report: &mut Report<'_>) {
    const TOKENS: usize = 3;
    report.section::<S>("moments");
    let mut state = 12_345_u32;
    // From −1 to 1, in steps that every scalar holds.
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        one.rational(i64::from(state >> 20) - 2048, 2048)
    };
    let mut streams = || {
        let (mut token_memory, mut pair_memory) = ([one; 12], [one; 18]);
        let tokens = token_memory.get_mut(..TokenSums::<S>::memory(TOKENS))?;
        let pairs = pair_memory.get_mut(..SecondSums::<S>::memory(TOKENS))?;
        let mut sums = TokenSums::new(one, TOKENS, tokens).ok()?;
        let mut seconds = SecondSums::new(one, TOKENS, pairs).ok()?;
        for _ in 0..100 {
            let (first, second) = ([next(), next(), next()], [next(), next(), next()]);
            let mut norms = [one; TOKENS];
            for ((norm, x), y) in norms.iter_mut().zip(first).zip(second) {
                *norm = x.square() + y.square();
            }
            sums.push(&norms).ok()?;
            seconds.push(&first).ok()?;
        }
        for token in 0..TOKENS {
            report.numbers("token", &[sums.mean(token)?, sums.mean_of_squares(token)?]);
            report.numbers("pairs", &[seconds.mean(token)?, seconds.second(token, 0)?]);
        }
        Some(())
    };
    if streams().and_then(|()| streams()).is_none() {
        report.refused();
    }
    report.end();
}

/// 10⁴ steps, or as many as intervals stay bounded (nothing is compared in two unbounded ones): every
/// state enters the checksum, one a decade is printed.
#[inline(never)]
fn lumped<S: Bits>(one: S, accumulate: Accumulate, name: &str, report: &mut Report<'_>) {
    const STEPS: u64 = 10_000;
    report.section::<S>(name);
    let done = with_run(one, accumulate, |mut run| {
        let mut next = 1;
        for step in 1..=STEPS {
            run.step();
            if !run.c().is_bounded() {
                report.count("unbounded from step", step);
                break;
            }
            report.silently(&[run.c()]);
            report.silently(run.logits());
            if step == next {
                next *= 10;
                report.count("step", step);
                report.numbers("c", &[run.c()]);
                report.numbers("logits", run.logits());
                let Quantities { excess_loss, score_error, value_error } = run.quantities();
                report.numbers("quantities", &[excess_loss, score_error, value_error]);
            }
        }
    });
    if done.is_none() {
        report.refused();
    }
    report.end();
}

/// The same run enclosed, in the form that lasts.
#[inline(never)]
fn enclosure<F: FloatBits>(report: &mut Report<'_>) {
    let one = Interval::<F>::context();
    report.section::<Interval<F>>("enclosure");
    let done = with_model(one, |model| {
        let mut numbers = [Dual::constant(one); 4];
        let nothing = Class { columns: Dual::constant(one), counts: &[], weights: &[] };
        let mut classes = [nothing; 1];
        let tangent = model.mapped(Dual::constant, &mut numbers, &mut classes).ok()?;
        let (mut floats, mut intervals, mut duals) =
            ([F::ZERO; 24], [one; 18], [Dual::constant(one); 6]);
        let memory = Memory { floats: &mut floats, intervals: &mut intervals, duals: &mut duals };
        let mut run = Enclosure::from_zero(model, tangent, memory).ok()?;
        for until in [1, 10, 100, 1_000, 3_000] {
            let missing = until - run.steps();
            run.advance(missing);
            report.count("step", run.steps());
            report.numbers("c", &[run.c()]);
            report.numbers("logits", run.logits());
            let Quantities { excess_loss, score_error, value_error } = run.quantities();
            report.numbers("quantities", &[excess_loss, score_error, value_error]);
        }
        report.count("derivatives", run.blocks());
        Some(())
    });
    if done.is_none() {
        report.refused();
    }
    report.end();
}
