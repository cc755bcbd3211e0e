//! Enclosures of long runs contain them, and stay narrow.

use popgd_core::Interval;
use popgd_core::descent::accumulate::Accumulate;
use popgd_core::descent::enclosure::Enclosure;
use popgd_core::descent::forever::recheck;
use popgd_tests::enclosed::{LongRow, LongRun, long_runs, with_enclosure};
use popgd_tests::problem::{LumpedProblem, OwnedClass};
use popgd_tests::reference;

/// Up to this step in every run of the tests, up to the last one with `POPGD_LONG=1`.
fn last_step() -> u64 {
    if std::env::var("POPGD_LONG").as_deref() == Ok("1") { u64::MAX } else { 100_000 }
}

fn check(run: &mut Enclosure<'_, f64>, row: &LongRow) -> f64 {
    let made = row.t - run.steps();
    assert_eq!(run.advance(made), made, "the enclosure became unbounded");
    let quantities = run.quantities();
    for (found, expected) in [
        (run.c(), &row.c),
        (run.logits()[0], &row.gap),
        (quantities.excess_loss, &row.excess_loss),
        (quantities.score_error, &row.score_error),
        (quantities.value_error, &row.value_error),
    ] {
        assert!(expected.is_in(found), "{found:?} misses {expected:?} after {} steps", row.t);
    }
    quantities.excess_loss.width() / quantities.excess_loss.lo()
}

#[test]
fn drawn_configurations_stay_inside_until_they_are_late() {
    for (index, long) in long_runs().into_iter().take(200).enumerate() {
        let late = long.rows.last().unwrap().t - 100_000;
        let last = if index < 8 { last_step() } else { last_step().min(late) };
        let width = long.with_model(|model| {
            with_enclosure(model, |run| {
                let rows = long.rows.iter().filter(|row| row.t <= last);
                rows.map(|row| check(run, row)).fold(0.0, f64::max)
            })
        });
        println!("configuration {index}: {width:.1e}");
        assert!(width < 1e-8, "configuration {index}: {width:e}");
    }
}

#[test]
fn a_million_steps_at_every_rate() {
    for long in long_runs().into_iter().skip(200) {
        long.with_model(|model| {
            with_enclosure(model, |run| {
                for row in long.rows.iter().filter(|row| row.t <= last_step()) {
                    let width = check(run, row);
                    println!("D = {}, η = {}, T = {}: {width:.1e}", long.tokens, long.rate, row.t);
                    // What is asked for is 10⁻⁹ and 10⁻⁸; compensated centres do far better.
                    assert!(width <= 1e-11, "{width:e} after {} steps", row.t);
                }
            });
        });
    }
}

#[test]
fn reference_trajectories_are_inside() {
    for case in reference::reduced() {
        let problem = case.config.problem();
        problem.with_model(Interval::point(0.0), |mut model| {
            // The file has exact decimals.
            let exact = |decimal: &reference::Decimal| decimal.0.parse::<Interval<f64>>().unwrap();
            model.rate = exact(&case.config.rate);
            model.teacher_norm = exact(&case.config.teacher_norm);
            model.logit_gain = exact(&case.config.logit_gain);
            with_enclosure(model, |run| {
                for point in &case.trajectory {
                    run.advance(point.t - run.steps());
                    let quantities = run.quantities();
                    for (found, expected) in [
                        (run.c(), &point.c1),
                        (quantities.excess_loss, &point.excess_loss),
                        (quantities.score_error, &point.score_error),
                        (quantities.value_error, &point.value_error),
                    ] {
                        assert!(expected.is_in(found), "{found:?} misses {expected:?}");
                    }
                }
            });
        });
    }
}

/// Mixtures of groups and non-uniform weights: against floats, which differ from the
/// exact run by far less than is allowed here, and against plain intervals while these last.
#[test]
fn mixtures_stay_inside() {
    let class = |columns: f64, levels: &[(f64, f64)]| -> OwnedClass { (columns, levels.to_vec()) };
    let mixtures = [
        vec![class(4.0, &[(2.0, 0.5), (8.0, 0.0)]), class(6.0, &[(5.0, 0.2), (5.0, 0.0)])],
        vec![
            class(3.0, &[(1.0, 0.5), (2.0, 0.25), (5.0, 0.0)]),
            class(5.0, &[(6.0, 0.125), (1.0, 0.25), (1.0, 0.0)]),
        ],
        // Two classes that are alike: their slow directions are free to turn.
        vec![class(5.0, &[(2.0, 0.5), (8.0, 0.0)]), class(5.0, &[(2.0, 0.5), (8.0, 0.0)])],
        vec![
            class(2.0, &[(1.0, 1.0), (11.0, 0.0)]),
            class(4.0, &[(3.0, 1.0 / 4.0), (1.0, 0.25), (8.0, 0.0)]),
            class(6.0, &[(1.0, 0.5), (1.0, 0.25), (2.0, 0.125), (8.0, 0.0)]),
        ],
    ];
    for (index, classes) in mixtures.into_iter().enumerate() {
        for (slope, lambda) in [(0.0, 0.3), (1.0, 0.9), (-0.5, 0.3), (1.0, 1.4)] {
            let problem = LumpedProblem {
                classes: classes.clone(),
                slope,
                teacher_norm: 2.0,
                logit_gain: 0.1,
                rate: 0.1,
                slope_at_zero: 1.0,
            }
            .at_lambda(lambda);
            let steps = [1, 10, 100, 1000, 10_000, 100_000];
            let expected = problem.with_run(0.0, Accumulate::Compensated, |run| {
                let mut made = 0;
                steps.map(|step| {
                    (made..step).for_each(|_| run.step());
                    made = step;
                    run.quantities()
                })
            });
            problem.with_model(Interval::point(0.0), |model| {
                with_enclosure(model, |run| {
                    for (step, expected) in steps.into_iter().zip(expected) {
                        run.advance(step - run.steps());
                        let found = run.quantities();
                        for (found, expected) in [
                            (found.excess_loss, expected.excess_loss),
                            (found.score_error, expected.score_error),
                            (found.value_error, expected.value_error),
                        ] {
                            let slack: f64 = 1e-9 * f64::abs(expected);
                            let near = found + Interval::new(-slack, slack).unwrap();
                            assert!(near.contains(expected), "{found:?} {expected} at {step}");
                            assert!(
                                found.width() <= 1e-6 * expected,
                                "{found:?} at {step}, mixture {index}, slope {slope}, λ = {lambda}"
                            );
                        }
                    }
                });
            });
            problem.with_run(Interval::point(0.0), Accumulate::Plain, |plain| {
                problem.with_model(Interval::point(0.0), |model| {
                    with_enclosure(model, |run| {
                        for _ in 0..100 {
                            plain.step();
                            run.step();
                            assert!(!plain.c().is_disjoint_from(run.c()));
                            for (a, b) in plain.logits().iter().zip(run.logits()) {
                                assert!(!a.is_disjoint_from(*b));
                            }
                        }
                    });
                });
            });
        }
    }
}

/// A run that goes on from a box is wider than the unbroken one, but not by much, and contains it.
#[test]
fn restarts_lose_little() {
    let long = &long_runs()[200];
    long.with_model(|model| {
        let row = long.rows.iter().find(|row| row.t == 10_000).unwrap();
        let (c, gap) = with_enclosure(model, |run| {
            run.advance(1000);
            (run.c(), run.logits()[0])
        });
        with_enclosure(model, |run| {
            let shifted = gap + Interval::point(3.0);
            assert!(run.restart(1000, c, &[shifted]).is_err());
            run.restart(1000, c, &[shifted, Interval::point(3.0)]).unwrap();
            assert!(check(run, row) < 1e-11);
        });
    });
}

#[test]
fn a_model_and_its_derivative_must_be_the_same() {
    use popgd_core::descent::enclosure::{Memory, sizes};
    use popgd_core::model::classes::Class;
    use popgd_core::{Dual, Error};
    let problem = LumpedProblem::two_level(8.0, 2.0, 1.0, 1.0, 0.125, 0.1);
    let zero = Interval::point(0.0);
    problem.with_model(zero, |model| {
        let nothing = Class { columns: Dual::constant(zero), counts: &[], weights: &[] };
        let (mut numbers, mut classes) = ([Dual::constant(zero); 4], [nothing]);
        let mut tangent = model.mapped(Dual::constant, &mut numbers, &mut classes).unwrap();
        tangent.rate = tangent.rate + tangent.rate;
        let sizes = sizes(&model);
        let (mut floats, mut intervals) = (vec![0.0; sizes.floats], vec![zero; sizes.intervals]);
        let mut duals = vec![Dual::constant(zero); sizes.duals];
        let memory = Memory { floats: &mut floats, intervals: &mut intervals, duals: &mut duals };
        let refused = Enclosure::from_zero(model, tangent, memory);
        assert_eq!(refused.err(), Some(Error::NotTheSame));
    });
}

/// An enclosure that says nothing any more says so.
#[test]
fn unbounded_states_are_not_empty() {
    let problem = LumpedProblem::two_level(8.0, 2.0, 1.0, 1.0, 0.125, 0.1);
    problem.with_model(Interval::point(0.0), |model| {
        with_enclosure(model, |run| {
            let wide = Interval::new(0.5, 2.0).unwrap();
            run.restart(10, wide, &[wide, Interval::point(0.0)]).unwrap();
            let made = run.advance(1_000_000);
            assert!(made < 1_000_000 && !run.is_bounded());
            assert!(run.c().is_entire() || !run.c().is_bounded());
            run.step();
            assert!(!run.c().is_empty() && !run.logits()[0].is_empty());
        });
    });
}

/// The other way to later states, which certificates are checked with.
#[test]
fn carried_boxes_contain_the_runs() {
    for (index, long) in long_runs().into_iter().enumerate() {
        let late = if index < 200 { long.rows.last().unwrap().t - 100_000 } else { 10_000 };
        let last = if index < 4 { 100_000 } else { late };
        carried(&long, last.min(last_step()));
    }
}

fn carried(long: &LongRun, last: u64) {
    long.with_model(|model| {
        let mut state = recheck::after_first_step(&model).unwrap();
        for row in long.rows.iter().filter(|row| row.t <= last) {
            state = recheck::carry(&model, state, row.t, |_| true).unwrap().unwrap();
            assert!(row.c.is_in(state.c), "{:?} misses {:?} at {}", state.c, row.c, row.t);
            assert!(row.gap.is_in(state.gap), "{:?} misses {:?}", state.gap, row.gap);
            assert!(state.gap.width() < 1e-9, "{:?} at {}", state.gap, row.t);
        }
        let stopped = recheck::carry(&model, state, state.steps + 10_000, |_| false).unwrap();
        assert!(stopped.is_none());
    });
}

/// Where scores of a full column meet exactly those of the teacher, a kinked activation has no derivative
/// that duals could enclose: such runs say so, and those of the identity go on.
#[test]
fn full_columns_need_the_identity() {
    for (slope, lasts) in [(0.0, false), (1.0, true)] {
        let problem = LumpedProblem {
            classes: vec![
                (3.0, vec![(2.0, 0.5), (6.0, 0.0)]),
                (5.0, vec![(4.0, 0.125), (4.0, 0.125)]),
            ],
            slope,
            teacher_norm: 2.0,
            logit_gain: 0.1,
            rate: 0.1,
            slope_at_zero: 1.0,
        }
        .at_lambda(0.5);
        problem.with_model(Interval::point(0.0), |model| {
            with_enclosure(model, |run| {
                assert_eq!(run.advance(20_000) == 20_000, lasts);
                assert_eq!(run.quantities().excess_loss.width() < 1e-9, lasts);
            });
        });
    }
}
