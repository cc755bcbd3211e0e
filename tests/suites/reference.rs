//! Every reference value, over every scalar.

use popgd_core::Scalar;
use popgd_core::descent::Quantities;
use popgd_core::descent::accumulate::Accumulate;
use popgd_core::descent::lumped::{Lumped, LumpedModel};
use popgd_core::model::activation::Activation;
use popgd_core::model::classes::TwoLevel;
use popgd_core::scalar::interval::Interval;
use popgd_tests::reference::{self, Decimal};
use popgd_tests::{largest_difference, relative_difference};

fn listed<S: Copy>(q: Quantities<S>) -> [S; 3] {
    [q.excess_loss, q.score_error, q.value_error]
}

#[test]
fn lumped_f64_agrees_to_ten_digits() {
    let mut worst = 0.0_f64;
    for case in reference::reduced() {
        case.config.problem().with_run(0.0_f64, Accumulate::Compensated, |run| {
            let mut t = 0;
            for point in &case.trajectory {
                while t < point.t {
                    run.step();
                    t += 1;
                }
                let [c1, c2, c3] = run.coefficients().unwrap();
                let [excess, score, value] = listed(run.quantities());
                for (name, found, expected) in [
                    ("c1", c1, &point.c1),
                    ("c2", c2, &point.c2),
                    ("c3", c3, &point.c3),
                    ("delta", run.logits()[0], &point.delta),
                    ("excess loss", excess, &point.excess_loss),
                    ("score error", score, &point.score_error),
                    ("value error", value, &point.value_error),
                ] {
                    let difference = relative_difference(found, expected.to_f64());
                    worst = worst.max(difference);
                    assert!(difference <= 1e-10, "{name} at {t}: {found} against {expected:?}");
                }
            }
        });
    }
    println!("lumped f64: largest relative difference {worst:.2e}");
}

#[test]
fn lumped_f32_compensated_agrees_to_three_digits() {
    let mut worst = 0.0_f64;
    for case in reference::reduced() {
        case.config.problem().with_run(0.0_f32, Accumulate::Compensated, |run| {
            let last = case.trajectory.last().unwrap();
            assert_eq!(last.t, 100_000);
            for _ in 0..last.t {
                run.step();
            }
            let expected = [&last.excess_loss, &last.score_error, &last.value_error];
            for (found, expected) in listed(run.quantities()).into_iter().zip(expected) {
                let difference = relative_difference(found.into(), expected.to_f64());
                worst = worst.max(difference);
                assert!(difference <= 1e-3, "{found} against {expected:?}");
            }
        });
    }
    println!("lumped f32: largest relative difference at T = 10^5 {worst:.2e}");
}

#[test]
fn lumped_intervals_contain_the_first_hundred_steps() {
    for case in reference::reduced() {
        // The configuration's decimals are exact; those that are not doubles are enclosed.
        let problem = case.config.problem();
        let zero = Interval::point(0.0_f64);
        problem.with_model(zero, |mut model| {
            let tokens = i64::from(case.config.tokens);
            // The file's logit gains are 1/D to 34 digits.
            model.logit_gain = zero.rational(1, tokens);
            if case.config.activation == "leaky-relu:0.1" {
                model.activation = Activation::leaky_relu(zero.rational(1, 10));
            }
            let teacher =
                TwoLevel::new(zero.integer(tokens), zero.integer(case.config.group.into()));
            let classes = [teacher.class()];
            let LumpedModel { activation, teacher_norm, logit_gain, rate, slope_at_zero, .. } =
                model;
            let model = LumpedModel {
                activation,
                classes: &classes,
                teacher_norm,
                logit_gain,
                rate,
                slope_at_zero,
            };
            let mut memory = vec![zero; model.memory()];
            let mut run = Lumped::from_zero(model, Accumulate::Compensated, &mut memory).unwrap();
            let mut t = 0;
            for point in case.trajectory.iter().filter(|point| point.t <= 100) {
                while t < point.t {
                    run.step();
                    t += 1;
                }
                let expected = [&point.excess_loss, &point.score_error, &point.value_error];
                for (found, expected) in listed(run.quantities()).into_iter().zip(expected) {
                    assert!(expected.is_in(found), "{found:?} at {t} misses {expected:?}");
                    assert!(found.width() <= 1e-6 * found.hi(), "{found:?} at {t} is too wide");
                }
                assert!(point.c1.is_in(run.c()), "c at {t}");
                assert!(point.delta.is_in(run.logits()[0]), "delta at {t}");
            }
        });
    }
}

#[test]
fn dense_f64_agrees_to_ten_digits_and_its_gradients_to_twelve() {
    let (mut worst, mut worst_gradient) = (0.0_f64, 0.0_f64);
    for case in reference::dense() {
        let problem = case.config.problem();
        problem.with_run(0.0_f64, Accumulate::Compensated, |run| {
            let mut t = 0;
            for point in &case.trajectory {
                while t < point.t {
                    run.step();
                    t += 1;
                }
                let expected = [&point.excess_loss, &point.score_error, &point.value_error];
                for (found, expected) in listed(run.quantities()).into_iter().zip(expected) {
                    let difference = relative_difference(found, expected.to_f64());
                    worst = worst.max(difference);
                    assert!(difference <= 1e-10, "{found} at {t} against {expected:?}");
                }
                if let (Some(grad_w), Some(grad_kq)) = (&point.grad_w, &point.grad_kq) {
                    let number = |m: &[Vec<Decimal>]| {
                        m.concat().iter().map(Decimal::to_f64).collect::<Vec<_>>()
                    };
                    let (values, logits) = run.gradient();
                    let difference = largest_difference(values, &number(grad_w));
                    let tokens = problem.shape.tokens;
                    let mut key_query = vec![0.0; tokens * tokens];
                    let mut scratch = key_query.clone();
                    problem
                        .positions(problem.positions.as_deref().unwrap())
                        .key_query_gradient(
                            tokens,
                            logits,
                            problem.temperature,
                            &mut key_query,
                            &mut scratch,
                        )
                        .unwrap();
                    let difference =
                        difference.max(largest_difference(&key_query, &number(grad_kq)));
                    worst_gradient = worst_gradient.max(difference);
                    assert!(difference <= 1e-12, "gradient at {t}: {difference}");
                }
            }
        });
    }
    println!(
        "dense f64: largest relative difference {worst:.2e}, of gradients {worst_gradient:.2e}"
    );
}

#[test]
fn dense_intervals_contain_the_first_five_steps() {
    for case in reference::dense() {
        let zero = Interval::point(0.0_f64);
        case.config.problem().with_run(zero, Accumulate::Compensated, |run| {
            let mut t = 0;
            for point in case.trajectory.iter().filter(|point| point.t <= 5) {
                while t < point.t {
                    run.step();
                    t += 1;
                }
                let expected = [&point.excess_loss, &point.score_error, &point.value_error];
                for (found, expected) in listed(run.quantities()).into_iter().zip(expected) {
                    assert!(expected.is_in(found), "{found:?} at {t} misses {expected:?}");
                    assert!(found.width() <= 1e-6 * found.hi(), "{found:?} at {t} is too wide");
                }
            }
        });
    }
}
