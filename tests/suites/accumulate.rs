//! Compensated sums, and what happens without them.

use popgd_core::descent::accumulate::Accumulate;
use popgd_core::scalar::interval::Interval;
use popgd_tests::problem::LumpedProblem;
use popgd_tests::relative_difference;

fn sum_of(increments: impl Iterator<Item = f32>, accumulate: Accumulate) -> (f32, f32) {
    let (mut sum, mut carry) = (0.0, 0.0);
    for increment in increments {
        accumulate.add(&mut sum, &mut carry, increment);
    }
    (sum, carry)
}

#[test]
fn compensated_sums_lose_nothing() {
    let increments = || (1..=300_000).map(|k| 1.0 / k as f32);
    let exact: f64 = increments().map(f64::from).sum();
    let (sum, carry) = sum_of(increments(), Accumulate::Compensated);
    assert!(relative_difference(f64::from(sum) + f64::from(carry), exact) < 1e-8);
    assert!(relative_difference(sum.into(), exact) < 1e-7);
    let (plain, carry) = sum_of(increments(), Accumulate::Plain);
    let lost = relative_difference(plain.into(), exact);
    assert!(1e-6 < lost && lost < 1e-3, "{lost}");
    assert_eq!(carry, 0.0);
}

#[test]
fn enclosures_have_nothing_to_carry() {
    let (mut sum, mut carry) = (Interval::point(1.0_f64), Interval::point(0.0));
    Accumulate::Compensated.add(&mut sum, &mut carry, Interval::point(1e-30));
    assert_eq!(carry, Interval::point(0.0));
    assert!(sum.contains(1.0) && sum.hi() > 1.0);
    assert_eq!(Accumulate::default(), Accumulate::Compensated);
}

/// Where a step moves a logit by less than half of its last place, a plain sum stops.
#[test]
fn plain_single_precision_stalls_and_compensated_does_not() {
    let problem = LumpedProblem::two_level(8.0, 2.0, 0.0, 2.0, 0.125, 0.0).at_lambda(0.5);
    let steps = 3_000_000;
    let excess = |accumulate| {
        problem.with_run(0.0_f32, accumulate, |run| {
            for _ in 0..steps {
                run.step();
            }
            f64::from(run.quantities().excess_loss)
        })
    };
    let exact = problem.with_run(0.0_f64, Accumulate::Compensated, |run| {
        for _ in 0..steps {
            run.step();
        }
        run.quantities().excess_loss
    });
    let compensated = relative_difference(excess(Accumulate::Compensated), exact);
    let plain = relative_difference(excess(Accumulate::Plain), exact);
    assert!(compensated < 2e-3, "{compensated}");
    assert!(0.05 < plain && plain < 0.5, "{plain}");
}
