//! The coded gradient is the derivative of the coded loss.

use popgd_core::Scalar;
use popgd_core::descent::accumulate::Accumulate;
use popgd_core::model::activation::Activation;
use popgd_core::model::population;
use popgd_core::model::teacher::{Shape, Teacher};
use popgd_core::scalar::dual::Dual;
use popgd_tests::generate::RandomProblem;
use popgd_tests::largest_difference;
use popgd_tests::problem::DenseProblem;
use popgd_tests::property;
use quickcheck::TestResult;

type Derivative = Dual<f64, 1>;

/// The loss as a function of all entries of W_V and W_KQ, differentiated one by one.
fn derivative_of_the_loss(problem: &DenseProblem) -> (Vec<f64>, Vec<f64>) {
    let zero = Derivative::constant(0.0);
    let lift = |values: &[f64]| values.iter().map(|&x| Dual::constant(x)).collect::<Vec<_>>();
    let (v, s) = (lift(&problem.teacher_values), lift(&problem.teacher_scores));
    let activation = Activation::leaky_relu(zero.lift(problem.slope));
    let teacher = Teacher::new(problem.shape, activation, &v, &s).unwrap();
    let p = problem.positions.as_deref().map(lift).unwrap_or_default();
    let positions = problem.positions(&p);
    let tokens = problem.shape.tokens;
    let temperature = zero.lift(problem.temperature);
    let loss = |w: &[Derivative], key_query: &[Derivative]| {
        let mut logits = vec![zero; tokens * tokens];
        let mut scores = logits.clone();
        positions.logits(tokens, key_query, temperature, &mut logits, &mut scores).unwrap();
        for (z, s) in logits.chunks_exact(tokens).zip(scores.chunks_exact_mut(tokens)) {
            Derivative::softmax(None, z, s);
        }
        population::excess_loss(&teacher, w, &scores).unwrap().derivative[0]
    };
    let (mut w, mut key_query) = (lift(&problem.start_values), lift(&problem.start_key_query));
    let of_w = (0..w.len())
        .map(|k| {
            w[k].derivative[0] = 1.0;
            let slope = loss(&w, &key_query);
            w[k].derivative[0] = 0.0;
            slope
        })
        .collect();
    let of_key_query = (0..key_query.len())
        .map(|k| {
            key_query[k].derivative[0] = 1.0;
            let slope = loss(&w, &key_query);
            key_query[k].derivative[0] = 0.0;
            slope
        })
        .collect();
    (of_w, of_key_query)
}

/// The coded gradient with respect to W_V and W_KQ.
fn coded_gradient(problem: &DenseProblem) -> (Vec<f64>, Vec<f64>) {
    problem.with_run(0.0_f64, Accumulate::Plain, |run| {
        let (values, logits) = run.gradient();
        let tokens = problem.shape.tokens;
        let mut key_query = vec![0.0; tokens * tokens];
        let mut scratch = key_query.clone();
        problem
            .positions(problem.positions.as_deref().unwrap_or_default())
            .key_query_gradient(tokens, logits, problem.temperature, &mut key_query, &mut scratch)
            .unwrap();
        (values.to_vec(), key_query)
    })
}

#[test]
fn gradient_is_the_derivative_by_duals() {
    fn holds(RandomProblem(problem): RandomProblem) -> TestResult {
        // At a zero row the loss has no derivative.
        let mut rows = problem.start_values.chunks_exact(problem.shape.features);
        if rows.any(|row| row.iter().all(|&w| w == 0.0)) {
            return TestResult::discard();
        }
        let (w, key_query) = coded_gradient(&problem);
        let (expected_w, expected_key_query) = derivative_of_the_loss(&problem);
        // One scale for both blocks: a block whose gradient cancels to nothing has no digits.
        let found = [w, key_query].concat();
        let expected = [expected_w, expected_key_query].concat();
        let difference = largest_difference(&found, &expected);
        if difference <= 1e-11 {
            TestResult::passed()
        } else {
            TestResult::error(format!("{difference:e}: {found:?} against {expected:?}"))
        }
    }
    property::check(400, holds as fn(RandomProblem) -> TestResult);
}

#[test]
fn gradient_is_finite_and_right_on_the_diagonal() {
    // Student = teacher up to a factor: every angle is exactly 0, where θ has no derivative.
    let shape = Shape { tokens: 2, channels: 2, features: 2 };
    let values = vec![0.3, -0.4, 0.5, 0.2];
    let mut problem = DenseProblem::from_zero(shape, 0.0, values.clone(), vec![0.5; 4], 0.1);
    problem.start_values = values.iter().map(|v| 1.5 * v).collect();
    let (w, key_query) = coded_gradient(&problem);
    let (expected_w, expected_key_query) = derivative_of_the_loss(&problem);
    assert!(largest_difference(&w, &expected_w) < 1e-14, "{w:?} {expected_w:?}");
    // ½ g (1.5 − 1) ‖v‖ ‖s‖² per entry and column, from ½ g ‖w − v‖² ‖s‖².
    let plain: Vec<f64> = values.iter().map(|v| 2.0 * 0.5 * 0.5 * 0.5 * v).collect();
    assert!(largest_difference(&w, &plain) < 1e-14, "{w:?} {plain:?}");
    assert!(key_query.iter().chain(&expected_key_query).all(|x| x.abs() < 1e-16));
}

#[test]
fn gradient_at_zero_follows_the_convention() {
    // −σ′(0) α Σ_j ⟨s_j, s*_j⟩ v, and no pull on the logits.
    let shape = Shape { tokens: 2, channels: 1, features: 2 };
    for slope in [1.0, 0.4, 0.0, -0.3, 2.0] {
        for slope_at_zero in [0.0, 0.5, 1.0] {
            let mut problem = DenseProblem::from_zero(
                shape,
                slope,
                vec![0.6, -0.8],
                vec![1.0, 0.0, 0.25, 0.75],
                0.1,
            );
            problem.slope_at_zero = slope_at_zero;
            let (w, key_query) = coded_gradient(&problem);
            let sum = 0.5 + 0.5;
            let factor = -slope_at_zero * 0.5 * (1.0 + slope) * sum;
            assert!((w[0] - factor * 0.6).abs() < 1e-15, "{w:?}");
            assert!((w[1] + factor * 0.8).abs() < 1e-15, "{w:?}");
            assert!(key_query.iter().all(|&x| x == 0.0), "{key_query:?}");
        }
    }
}

#[test]
fn first_step_from_zero_is_a_multiple_of_the_teacher() {
    let shape = Shape { tokens: 3, channels: 2, features: 2 };
    let values = vec![0.3, -0.4, 0.5, 0.2];
    let scores = vec![1.0, 0.0, 0.0, 0.0, 0.5, 0.5, 0.2, 0.3, 0.5];
    let problem = DenseProblem::from_zero(shape, 0.0, values.clone(), scores, 0.1);
    problem.with_run(0.0_f64, Accumulate::Compensated, |run| {
        run.step();
        // η σ′(0) α Σ_j ⟨s_j, s*_j⟩ with s_j uniform.
        let factor = 0.1 * 0.5 * (3.0 / 3.0);
        let expected: Vec<f64> = values.iter().map(|v| factor * v).collect();
        assert!(largest_difference(run.value_matrix(), &expected) < 1e-15);
        assert!(run.logits().iter().all(|&z| z == 0.0));
    });
}

/// Around zero rows the loss is not differentiable, but what descent uses must not be NaN.
#[test]
fn zero_rows_of_student_or_teacher_are_harmless() {
    let shape = Shape { tokens: 2, channels: 2, features: 2 };
    let mut problem = DenseProblem::from_zero(
        shape,
        0.1,
        vec![0.0, 0.0, 0.5, 0.2],
        vec![1.0, 0.0, 0.5, 0.5],
        0.1,
    );
    problem.start_values = vec![0.3, 0.1, 0.0, 0.0];
    let (w, key_query) = coded_gradient(&problem);
    assert!(w.iter().chain(&key_query).all(|x| x.is_finite()), "{w:?} {key_query:?}");
    // A row without teacher only shrinks: its gradient is g Σ‖s_j‖² w.
    let gain = 0.5 * (1.0 + 0.01);
    assert!((w[0] - gain * (0.5 + 0.5) * 0.3).abs() < 1e-15);
    problem.with_run(0.0_f64, Accumulate::Plain, |run| {
        for _ in 0..50 {
            run.step();
        }
        let q = run.quantities();
        assert!(q.excess_loss.is_finite() && q.score_error.is_finite());
    });
}
