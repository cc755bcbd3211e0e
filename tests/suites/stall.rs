//! Where plain sums stand still: predicted, and seen.

use popgd_core::Activation;
use popgd_core::descent::accumulate::Accumulate;
use popgd_core::scalar::float::Float;
use popgd_core::theory::clock::Clock;
use popgd_core::theory::stall::Stall;
use popgd_tests::problem::LumpedProblem;
use popgd_tests::relative_difference;

/// D, K, slope of the activation, ‖V*‖, λ.
const MODELS: [[f64; 5]; 6] = [
    [36.0, 4.0, 0.0, 4.0, 0.5],
    [16.0, 4.0, 0.0, 4.0, 1.25],
    [64.0, 8.0, 1.0, 20.0, 0.5],
    [12.0, 3.0, -0.3, 3.0, 0.5],
    [20.0, 10.0, 0.1, 8.0, 0.5],
    [8.0, 2.0, 0.0, 2.0, 0.5],
];

fn problem([d, k, slope, norm, lambda]: [f64; 5]) -> (LumpedProblem, Clock) {
    let problem = LumpedProblem::two_level(d, k, slope, norm, 1.0 / d, 0.0).at_lambda(lambda);
    let clock =
        Clock::new(Activation::leaky_relu(slope), d, k, norm, 1.0 / d, problem.rate).unwrap();
    (problem, clock)
}

/// After how many steps δ of a plain run has moved for the last time, and where it is then. A
/// state that a step does not change is never changed again.
fn seen<F: Float>(problem: &LumpedProblem, most: u64) -> Option<(u64, f64)> {
    problem.with_run(F::ZERO, Accumulate::Plain, |run| {
        let mut moved = 0;
        for step in 1..=most {
            let (c, gap) = (run.c(), run.logits()[0]);
            run.step();
            if run.logits()[0] != gap {
                moved = step;
            } else if run.c() == c {
                return Some((moved, gap.to_f64()));
            }
        }
        None
    })
}

#[test]
fn single_precision_stalls_where_predicted() {
    for model in MODELS {
        let (problem, clock) = problem(model);
        let Stall { gap, spacing, steps, passed } = clock.stall(f32::MANTISSA_DIGITS).unwrap();
        let (last, at) = seen::<f32>(&problem, 10_000_000).unwrap();
        eprintln!(
            "{model:?}: gap {gap} {at} ({} spacings), steps {steps} {last} ({}), passed {passed}",
            (at - gap) / spacing,
            relative_difference(steps, last as f64)
        );
    }
}
