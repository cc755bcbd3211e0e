//! The stability limits are those at which runs start to diverge.

use popgd_core::Error;
use popgd_core::descent::accumulate::Accumulate;
use popgd_core::descent::lumped::Lumped;
use popgd_core::model::activation::Activation;
use popgd_core::model::teacher::{self, Shape};
use popgd_core::theory::stability;
use popgd_tests::problem::{DenseProblem, LumpedProblem};
use popgd_tests::{generate, relative_difference};
use quickcheck::Gen;

fn lumped_curvature(problem: &LumpedProblem) -> f64 {
    problem.with_model(0.0_f64, |model| {
        let mut memory = vec![0.0; 2 * model.levels()];
        stability::lumped_curvature(&model, &mut memory).unwrap()
    })
}

fn dense_curvature(problem: &LumpedProblem) -> f64 {
    problem.with_model(0.0_f64, |model| {
        let mut memory = vec![0.0; 2 * model.levels()];
        stability::dense_curvature(&model, &mut memory).unwrap()
    })
}

#[test]
fn two_level_limits_are_the_closed_forms() {
    for (d, k, slope, v, kappa) in [
        (16.0, 4.0, 0.0, 1.0, 1.0 / 16.0),
        (12.0, 3.0, 0.1, 5.0, 0.5),
        (8.0, 1.0, 1.0, 9.0, 2.0),
        (6.0, 6.0, -0.3, 2.0, 1.0),
        (1e9, 4.0, 0.0, 1.0, 1e-9),
    ] {
        let problem = LumpedProblem::two_level(d, k, slope, v, kappa, 0.1);
        let gain = 0.5 * (1.0 + slope * slope);
        let value = gain * d / k;
        let inside = if k >= 2.0 { gain * kappa * v * v / (k * k) } else { 0.0 };
        assert!(relative_difference(lumped_curvature(&problem), value) < 1e-14);
        assert!(relative_difference(dense_curvature(&problem), value.max(inside)) < 1e-14);
        problem.with_model(0.0_f64, |model| {
            assert!(relative_difference(stability::value_curvature(&model), value) < 1e-14);
        });
    }
}

/// By how much a small disturbance of the optimum grows or shrinks over some steps.
fn growth(problem: &LumpedProblem, rate: f64) -> f64 {
    let problem = LumpedProblem { rate, ..problem.clone() };
    problem.with_model(0.0_f64, |model| {
        // Logits ln w on the support, far below it elsewhere.
        let mut nudge = 1e-6;
        let logits: Vec<f64> = problem
            .classes
            .iter()
            .flat_map(|(_, levels)| levels)
            .map(|&(_, w)| {
                nudge *= -1.1;
                if w > 0.0 { w.ln() + nudge } else { -60.0 }
            })
            .collect();
        let mut memory = vec![0.0; model.memory()];
        let mut run =
            Lumped::from_state(model, Accumulate::Compensated, 1.0 + 1e-6, &logits, &mut memory)
                .unwrap();
        let start = run.quantities().excess_loss;
        for _ in 0..400 {
            run.step();
        }
        run.quantities().excess_loss / start
    })
}

#[test]
fn non_uniform_classes_diverge_just_beyond_the_limit() {
    for (classes, v, kappa) in [
        (vec![(3.0, vec![(1.0, 0.5), (1.0, 0.3), (1.0, 0.2), (1.0, 0.0)])], 6.0, 1.0),
        (
            vec![
                (2.0, vec![(2.0, 0.375), (1.0, 0.25)]),
                (1.0, vec![(1.0, 0.75), (1.0, 0.25), (1.0, 0.0)]),
            ],
            3.0,
            2.0,
        ),
        // Weak coupling: the limit is that of c alone.
        (vec![(4.0, vec![(1.0, 0.75), (1.0, 0.25), (2.0, 0.0)])], 1.0, 0.01),
    ] {
        let problem = LumpedProblem {
            classes,
            slope: 0.0,
            teacher_norm: v,
            logit_gain: kappa,
            rate: 0.0,
            slope_at_zero: 1.0,
        };
        let limit = 2.0 / lumped_curvature(&problem);
        let (below, beyond) = (growth(&problem, 0.97 * limit), growth(&problem, 1.03 * limit));
        assert!(below < 1.0 && beyond > 1e3, "{problem:?}: {below:e} {beyond:e}");
    }
}

/// The same for a dense run, disturbed inside of a group.
fn dense_growth(problem: &DenseProblem, rate: f64) -> f64 {
    let tokens = problem.shape.tokens;
    let mut disturbed = problem.clone();
    disturbed.rate = rate;
    disturbed.positions = None;
    disturbed.start_values = problem.teacher_values.clone();
    // Logits 30 on the support and 0 elsewhere, through W_KQ = Zᵀ τ for P = I.
    for j in 0..tokens {
        for i in 0..tokens {
            let inside = problem.teacher_scores[j * tokens + i] > 0.0;
            let logit = if inside { 30.0 + 1e-7 * ((i * 5 + j * 3) % 7) as f64 } else { 0.0 };
            disturbed.start_key_query[i * tokens + j] = logit * problem.temperature;
        }
    }
    disturbed.with_run(0.0_f64, Accumulate::Compensated, |run| {
        let start = run.quantities().excess_loss;
        for _ in 0..400 {
            run.step();
        }
        run.quantities().excess_loss / start
    })
}

#[test]
fn dense_runs_also_diverge_inside_of_groups() {
    let shape = Shape { tokens: 4, channels: 1, features: 2 };
    let mut scores = vec![0.0; 16];
    teacher::average_pooling(1.0, 4, 2, &mut scores).unwrap();
    let problem = DenseProblem::from_zero(shape, 0.0, vec![6.0, 8.0], scores, 0.1);
    let lumped = LumpedProblem::two_level(4.0, 2.0, 0.0, 10.0, 0.25, 0.1);
    let limit = 2.0 / dense_curvature(&lumped);
    // 2K²/(gκv²), well below 2K/(gD).
    assert!(relative_difference(limit, 2.0 * 4.0 / (0.5 * 0.25 * 100.0)) < 1e-14);
    let (below, beyond) =
        (dense_growth(&problem, 0.97 * limit), dense_growth(&problem, 1.03 * limit));
    assert!(below < 1.0 && beyond > 1e3, "{below:e} {beyond:e}");
}

#[test]
fn general_positions_reduce_to_the_gain_where_they_are_orthogonal() {
    let mut g = Gen::from_size_and_seed(10, 11);
    let shape = Shape { tokens: 4, channels: 1, features: 2 };
    let mut scores = vec![0.0; 16];
    teacher::token_selection(1.0, 4, &[0, 3], &mut scores).unwrap();
    for (v, gamma) in [(1.0, 1.0), (20.0, 0.5), (20.0, 2.0_f64)] {
        let mut problem =
            DenseProblem::from_zero(shape, 0.4, vec![0.6 * v, 0.8 * v], scores.clone(), 0.1);
        let p = generate::orthogonal(&mut g, 4).iter().map(|x| gamma.sqrt() * x).collect();
        problem.positions = Some(p);
        problem.orthogonal = false;
        let lumped = LumpedProblem::two_level(4.0, 2.0, 0.4, v, gamma * gamma / 4.0, 0.1);
        let expected = dense_curvature(&lumped);
        let found = problem.with_run(0.0_f64, Accumulate::Plain, |run| {
            let mut memory = vec![0.0; 48];
            assert!(stability::general_curvature(run.model(), &mut [0.0; 47]).is_err());
            stability::general_curvature(run.model(), &mut memory).unwrap()
        });
        assert!(relative_difference(found, expected) < 1e-9, "{found} {expected}");
        problem.positions = None;
        problem.temperature = 2.0 / gamma;
        let found = problem.with_run(0.0_f64, Accumulate::Plain, |run| {
            stability::general_curvature(run.model(), &mut vec![0.0; 48]).unwrap()
        });
        assert!(relative_difference(found, expected) < 1e-9, "{found} {expected}");
    }
}

#[test]
fn beyond_the_limit_a_run_locks_instead_of_converging() {
    // λ(1 + x²) = 2(1 + rx)² at the edge of stability: c ends in a two-cycle.
    let problem = LumpedProblem::two_level(16.0, 4.0, 0.0, 1.0, 1.0 / 16.0, 0.0).at_lambda(2.4);
    problem.with_run(0.0_f64, Accumulate::Compensated, |run| {
        // On this plateau a run takes its time.
        for _ in 0..2_000_000 {
            run.step();
        }
        let x = run.columns().map(|column| column.wedge / column.inner).next().unwrap();
        let r = 3.0_f64.sqrt();
        let edge = 2.0 * (1.0 + r * x).powi(2) / (1.0 + x * x);
        assert!(relative_difference(edge, 2.4) < 1e-2, "x = {x}, edge {edge}");
    });
}

#[test]
fn starts_train_when_the_first_step_points_to_the_teacher() {
    for (slope, at_zero, trains) in [
        (0.0, 1.0, true),
        (0.0, 0.0, false),
        (-1.0, 1.0, false),
        (-2.0, 1.0, false),
        (-2.0, -2.0, true),
        (-0.3, -0.3, false),
        (-0.3, 1.0, true),
        (2.0, 1.5, true),
    ] {
        let first = stability::first_slope(&Activation::leaky_relu(slope), at_zero);
        assert_eq!(first > 0.0, trains, "{slope} {at_zero}");
        let mut problem = LumpedProblem::two_level(8.0, 2.0, slope, 1.0, 1.0, 0.0).at_lambda(0.5);
        problem.slope_at_zero = at_zero;
        problem.with_run(0.0_f64, Accumulate::Compensated, |run| {
            let start = run.quantities().excess_loss;
            for _ in 0..20_000 {
                run.step();
            }
            assert_eq!(run.quantities().excess_loss < 0.1 * start, trains, "{slope} {at_zero}");
        });
    }
}

#[test]
fn coupled_weights_have_the_closed_form_of_a_quadratic() {
    // Two columns of weights a, b: on (c, difference of logits) the curvature is 2 × 2.
    let (a, b, n, kappa, v) = (0.7, 0.3, 2.0, 2.0, 3.0);
    let problem = LumpedProblem {
        classes: vec![(n, vec![(1.0, a), (1.0, b)])],
        slope: 0.4,
        teacher_norm: v,
        logit_gain: kappa,
        rate: 0.1,
        slope_at_zero: 1.0,
    };
    let gain = 0.5 * (1.0 + 0.16);
    let (p, q) = (n * (a * a + b * b), 4.0 * kappa * v * v * a * a * b * b);
    let mixed = (2.0 * n * kappa).sqrt() * v * a * b * (a - b);
    let largest = 0.5 * (p + q) + (0.25 * (p - q).powi(2) + mixed * mixed).sqrt();
    assert!(relative_difference(lumped_curvature(&problem), gain * largest) < 1e-10);
}

#[test]
fn curvatures_that_overflow_leave_no_rate() {
    let classes = vec![(4.0, vec![(2.0, 0.25), (1.0, 0.5), (1.0, 0.0)])];
    let problem = LumpedProblem {
        classes,
        slope: 0.0,
        teacher_norm: 1e160,
        logit_gain: 1.0,
        rate: 0.1,
        slope_at_zero: 1.0,
    };
    assert_eq!(lumped_curvature(&problem), f64::INFINITY);
    let problem = LumpedProblem { teacher_norm: f64::NAN, ..problem };
    assert_eq!(lumped_curvature(&problem), f64::INFINITY);
    assert_eq!(dense_curvature(&problem), f64::INFINITY);
    let single = LumpedProblem { teacher_norm: 3e19, ..problem }
        .with_model(0.0_f32, |model| stability::lumped_curvature(&model, &mut [0.0; 6]).unwrap());
    assert_eq!(single, f32::INFINITY);
    assert!(stability::check_rate(1e-30, f64::INFINITY).is_err());
}

#[test]
fn what_cannot_be_trained_is_refused_with_the_reason() {
    let fine = LumpedProblem::two_level(8.0, 2.0, 0.0, 1.0, 0.125, 0.1);
    let judge = |problem: &LumpedProblem| {
        problem.with_model(0.0_f64, |model| {
            let mut memory = vec![0.0; 2 * model.levels()];
            stability::check_lumped(&model, &mut memory)
        })
    };
    assert_eq!(judge(&fine), Ok(()));
    // 2K/(gD) = 1.
    let Err(Error::Unstable { limit }) = judge(&LumpedProblem { rate: 1.0, ..fine.clone() }) else {
        panic!("λ = 2 must be refused")
    };
    assert!(relative_difference(limit, 1.0) < 1e-14);
    assert_eq!(judge(&LumpedProblem { rate: 0.999, ..fine.clone() }), Ok(()));
    assert_eq!(judge(&LumpedProblem { slope: -1.0, ..fine.clone() }), Err(Error::NoStart));
    assert_eq!(judge(&LumpedProblem { slope_at_zero: 0.0, ..fine.clone() }), Err(Error::NoStart));
    for broken in [
        LumpedProblem { rate: 0.0, ..fine.clone() },
        LumpedProblem { rate: f64::NAN, ..fine.clone() },
        LumpedProblem { logit_gain: -1.0, ..fine.clone() },
        LumpedProblem { teacher_norm: f64::INFINITY, ..fine.clone() },
    ] {
        assert!(matches!(judge(&broken), Err(Error::NotPositive { .. })), "{broken:?}");
    }
    for (classes, expected) in [
        (vec![(4.0, vec![(2.0, 0.7), (2.0, 0.0)])], Error::NotStochastic { class: 0 }),
        (vec![(4.0, vec![(2.0, 0.75), (2.0, -0.25)])], Error::NotStochastic { class: 0 }),
        (vec![(4.0, vec![(4.0, 0.25), (0.0, 0.0)])], Error::NotStochastic { class: 0 }),
        (vec![(-4.0, vec![(4.0, 0.25)])], Error::NotStochastic { class: 0 }),
        (vec![(5.0, vec![(4.0, 0.25)])], Error::NotSquare { class: 0 }),
        (
            vec![(1.0, vec![(2.0, 0.5)]), (1.0, vec![(3.0, 1.0 / 3.0)])],
            Error::NotSquare { class: 1 },
        ),
    ] {
        let broken = LumpedProblem { classes, ..fine.clone() };
        assert_eq!(judge(&broken), Err(expected));
        assert!(!expected.to_string().is_empty());
    }
}
