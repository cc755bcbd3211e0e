//! Where plain sums stand still: predicted, and seen.

use popgd_core::Activation;
use popgd_core::descent::accumulate::Accumulate;
use popgd_core::descent::lumped::Lumped;
use popgd_core::scalar::float::Float;
use popgd_core::theory::clock::Clock;
use popgd_core::theory::stall::Stall;
use popgd_tests::problem::LumpedProblem;
use popgd_tests::relative_difference;

/// D, K, slope of the activation, ‖V*‖, λ; gaps stall between 4 and 8.
const MODELS: [[f64; 5]; 9] = [
    [36.0, 4.0, 0.0, 4.0, 0.5],
    [16.0, 4.0, 0.0, 4.0, 1.25],
    [64.0, 8.0, 1.0, 20.0, 0.5],
    [12.0, 3.0, -0.3, 3.0, 0.5],
    [20.0, 10.0, 0.1, 8.0, 0.5],
    [8.0, 2.0, 0.0, 2.0, 0.5],
    [8.0, 2.0, 0.0, 2.0, 0.25],
    [8.0, 2.0, 0.0, 2.0, 0.02],
    [36.0, 4.0, 0.0, 4.0, 1.9],
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
        let stall = clock.stall(f32::MANTISSA_DIGITS).unwrap();
        let (last, gap) = seen::<f32>(&problem, 10_000_000).unwrap();
        let off = gap - stall.gap;
        assert!(off.abs() < stall.within, "{model:?}: {gap} {stall:?}");
        let late = last as f64 / stall.steps - 1.0;
        assert!(late.abs() < 2e-5 + 2.0 * stall.within, "{model:?}: {last} {stall:?}");
        assert_eq!(stall.spacing, 2.0_f64.powi(-21), "{model:?}");
    }
}

/// Note 9: c rests above its falling optimum, by up to ulp/(2λ), which halts δ early: the slower c, the
/// more so.
#[test]
fn a_slow_factor_halts_the_gap_early() {
    for lambda in [0.25, 0.02] {
        let (problem, clock) = problem([8.0, 2.0, 0.0, 2.0, lambda]);
        let stall = clock.stall(f32::MANTISSA_DIGITS).unwrap();
        let (_, gap) = seen::<f32>(&problem, 10_000_000).unwrap();
        let rest = 0.25 * 2.0_f64.powi(-23) / lambda * stall.gap.exp();
        let off = gap - stall.gap;
        assert!((-1.0..-0.6).contains(&(off / rest)), "{lambda}: {off} {rest}");
    }
}

/// Note 9: within one binade the steps to a standstill are A/q beyond the burn-in, and the exact run
/// passes there after 1/q.
#[test]
fn steps_to_a_standstill_are_those_of_the_closed_form() {
    let levels = || (1..2_000_000).map(f64::from);
    let rounded = levels().map(|n| 0.5 * ((n + 0.5) / (n - 0.5)).ln() / n).sum::<f64>();
    let exact = levels().map(|n| 0.5 / (n * n - 0.25)).sum::<f64>();
    assert!((rounded - 0.875_316).abs() < 1e-6 && (exact - 1.0).abs() < 1e-6, "{rounded} {exact}");
    for model in MODELS {
        let (_, clock) = problem(model);
        let Stall { steps, passed, spacing, .. } = clock.stall(f32::MANTISSA_DIGITS).unwrap();
        let from = clock.predicted_burn_in();
        // What is left is the part of the clock beyond its leading term.
        assert!(((steps - from) * spacing - rounded).abs() < 1e-2, "{model:?} {steps}");
        assert!(((passed - from) * spacing - exact).abs() < 1e-2, "{model:?} {passed}");
    }
}

/// Where the spacing doubles just before the standstill, that comes with the doubling at the latest.
#[test]
fn a_wider_spacing_ends_a_run_that_was_still_moving() {
    for (norm, at_the_doubling) in [(157.0, true), (240.0, false)] {
        let (problem, clock) = problem([64.0, 8.0, 1.0, norm, 0.5]);
        let stall = clock.stall(f32::MANTISSA_DIGITS).unwrap();
        let (last, gap) = seen::<f32>(&problem, 10_000_000).unwrap();
        assert_eq!(stall.spacing, 2.0_f64.powi(-20), "{norm}");
        assert_eq!(stall.gap == 8.0, at_the_doubling, "{norm}: {stall:?}");
        assert!(relative_difference(stall.steps, last as f64) < 1e-3, "{norm}: {last} {stall:?}");
        // For so large a norm the clock, which is meant for κv² ≪ K², is no better.
        assert!((gap - stall.gap).abs() < 1e-3, "{norm}: {gap} {stall:?}");
    }
}

/// No run gets as far in double precision; but one that starts there shows where it would end.
#[test]
fn double_precision_stalls_where_predicted() {
    for model in MODELS {
        let (problem, clock) = problem(model);
        let [.., lambda] = model;
        let stall = clock.stall(f64::MANTISSA_DIGITS).unwrap();
        assert!((1e14..1e16).contains(&stall.steps), "{model:?}: {stall:?}");
        let moves = |gap: f64| {
            problem.with_model(0.0_f64, |model| {
                let c = clock.factor_at(clock.tangent_of(gap));
                let mut memory = vec![0.0; model.memory()];
                let mut run =
                    Lumped::from_state(model, Accumulate::Plain, c, &[gap, 0.0], &mut memory)
                        .unwrap();
                // c settles first.
                let trial = (40.0 / lambda).max(256.0) as u32;
                (0..trial).for_each(|_| run.step());
                let settled = run.logits()[0];
                (0..trial).for_each(|_| run.step());
                run.logits()[0] != settled
            })
        };
        assert!(moves(stall.gap - 1e-5) && !moves(stall.gap + 1e-5), "{model:?}: {stall:?}");
    }
}

#[test]
fn what_does_not_come_to_a_standstill_has_none() {
    let (_, clock) = problem(MODELS[0]);
    // Here increments are rounded away during the burn-in, of which the late law says nothing.
    for (norm, lambda) in [(1e-3, 0.5), (2.0, 1e-7)] {
        let (_, clock) = problem([8.0, 2.0, 0.0, norm, lambda]);
        assert_eq!(clock.stall(f32::MANTISSA_DIGITS), None, "{norm} {lambda}");
    }
    // A spacing below all numbers.
    assert_eq!(clock.stall(u32::MAX), None);
    assert_eq!(clock.stall(100_000), None);
    let (coarse, fine) = (clock.stall(20).unwrap(), clock.stall(24).unwrap());
    assert!(coarse.steps < fine.steps && coarse.gap < fine.gap);
}
