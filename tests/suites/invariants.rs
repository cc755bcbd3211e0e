//! What must hold whatever the numbers are.

use popgd_core::Scalar;
use popgd_core::descent::accumulate::Accumulate;
use popgd_core::model::activation::Activation;
use popgd_core::model::alignment::Alignment;
use popgd_core::model::population;
use popgd_core::model::teacher::{Shape, Teacher};
use popgd_core::scalar::dual::Dual;
use popgd_core::scalar::interval::Interval;
use popgd_tests::generate::{self, RandomProblem};
use popgd_tests::problem::{DenseProblem, LumpedProblem};
use popgd_tests::property;
use popgd_tests::{largest_difference, relative_difference};
use quickcheck::{Arbitrary, Gen};

fn check<A: Arbitrary, R: quickcheck::Testable>(property: fn(A) -> R)
where
    fn(A) -> R: quickcheck::Testable,
{
    property::check(300, property);
}

fn excess(problem: &DenseProblem) -> f64 {
    problem.with_run(0.0_f64, Accumulate::Plain, |run| run.quantities().excess_loss)
}

#[test]
fn loss_is_not_negative_and_splits_off_the_noise() {
    fn holds(RandomProblem(problem): RandomProblem) -> bool {
        excess(&problem) >= 0.0
    }
    check(holds);
    assert_eq!(population::irreducible_loss(3.0, 5.0, 0.5), 0.5 * 3.0 * 5.0 * 0.25);
}

#[test]
fn loss_is_zero_where_student_and_teacher_coincide() {
    fn holds(RandomProblem(mut problem): RandomProblem) -> bool {
        // A softmax has no zeros: take its own scores for the teacher.
        problem.start_values = problem.teacher_values.clone();
        problem.teacher_scores =
            problem.with_run(0.0_f64, Accumulate::Plain, |run| run.scores().to_vec());
        problem.with_run(0.0_f64, Accumulate::Plain, |run| {
            let zero_loss = run.quantities().excess_loss == 0.0;
            let (values, logits) = run.gradient();
            zero_loss && values.iter().chain(logits).all(|x| x.abs() < 1e-14)
        })
    }
    check(holds);
}

#[test]
fn orthogonal_change_of_features_changes_nothing() {
    fn holds((RandomProblem(problem), seed): (RandomProblem, u64)) -> bool {
        let side = problem.shape.features;
        let turn = generate::orthogonal(&mut Gen::from_size_and_seed(10, seed), side);
        let mut turned = problem.clone();
        turned.teacher_values = generate::product(&problem.teacher_values, &turn, side);
        turned.start_values = generate::product(&problem.start_values, &turn, side);
        problem.with_run(0.0_f64, Accumulate::Plain, |run| {
            turned.with_run(0.0_f64, Accumulate::Plain, |other| {
                let (a, b) = (run.quantities(), other.quantities());
                let (values, logits) = run.gradient();
                let values = generate::product(values, &turn, side);
                let (other_values, other_logits) = other.gradient();
                let scale = |x: &[f64]| x.iter().fold(1e-3_f64, |m, v| m.max(v.abs()));
                let close = |x: &[f64], y: &[f64]| {
                    let allowed = 1e-12 * scale(x);
                    x.iter().zip(y).all(|(a, b)| (a - b).abs() <= allowed)
                };
                // The gradient at a zero row is a convention, and turning makes zeros inexact.
                let zero_row = problem
                    .start_values
                    .chunks_exact(side)
                    .any(|row| row.iter().all(|w| *w == 0.0));
                zero_row
                    || (relative_difference(a.excess_loss, b.excess_loss) < 1e-12
                        && close(&values, other_values)
                        && close(logits, other_logits))
            })
        })
    }
    check::<(RandomProblem, u64), bool>(holds);
}

/// Moves token i to place `order[i]`, in rows and columns.
fn permute(matrix: &[f64], order: &[usize]) -> Vec<f64> {
    let side = order.len();
    let mut permuted = vec![0.0; matrix.len()];
    for (j, &to_j) in order.iter().enumerate() {
        for (i, &to_i) in order.iter().enumerate() {
            permuted[to_j * side + to_i] = matrix[j * side + i];
        }
    }
    permuted
}

#[test]
fn permuting_tokens_permutes_the_gradient() {
    fn holds((RandomProblem(mut problem), seed): (RandomProblem, u64)) -> bool {
        problem.positions = None;
        let mut g = Gen::from_size_and_seed(10, seed);
        let mut order: Vec<usize> = (0..problem.shape.tokens).collect();
        for k in (1..order.len()).rev() {
            order.swap(k, generate::between(&mut g, 0, k));
        }
        let mut moved = problem.clone();
        moved.teacher_scores = permute(&problem.teacher_scores, &order);
        moved.start_key_query = permute(&problem.start_key_query, &order);
        problem.with_run(0.0_f64, Accumulate::Plain, |run| {
            moved.with_run(0.0_f64, Accumulate::Plain, |other| {
                let (a, b) = (run.quantities().excess_loss, other.quantities().excess_loss);
                let (values, logits) = run.gradient();
                let logits = permute(logits, &order);
                let (other_values, other_logits) = other.gradient();
                let found = [values, &logits].concat();
                let expected = [other_values, other_logits].concat();
                relative_difference(a, b) < 1e-12 && largest_difference(&found, &expected) < 1e-12
            })
        })
    }
    check::<(RandomProblem, u64), bool>(holds);
}

#[test]
fn columns_of_scores_sum_to_one_and_of_logit_gradients_to_zero() {
    fn holds(RandomProblem(problem): RandomProblem) -> bool {
        let tokens = problem.shape.tokens;
        problem.with_run(0.0_f64, Accumulate::Compensated, |run| {
            for _ in 0..20 {
                run.step();
            }
            let sums = run.scores().chunks_exact(tokens).map(|row| row.iter().sum::<f64>());
            let stochastic = sums.into_iter().all(|sum| (sum - 1.0).abs() < 1e-14);
            let (_, logits) = run.gradient();
            let scale = logits.iter().fold(1e-3_f64, |m, x| m.max(x.abs()));
            let balanced = logits
                .chunks_exact(tokens)
                .all(|row| row.iter().sum::<f64>().abs() <= 1e-14 * scale.max(1.0));
            stochastic && balanced
        })
    }
    check(holds);
}

#[test]
fn descent_descends() {
    fn holds(RandomProblem(mut problem): RandomProblem) -> bool {
        problem.rate = 1e-3;
        problem.with_run(0.0_f64, Accumulate::Compensated, |run| {
            let before = run.quantities().excess_loss;
            for _ in 0..10 {
                run.step();
            }
            run.quantities().excess_loss <= before * (1.0 + 1e-14)
        })
    }
    check(holds);
}

/// From zero, rows of W_V stay multiples of those of V* by one factor, and logits of tokens of
/// equal target weight stay equal.
#[test]
fn invariants_of_the_paper() {
    fn holds((RandomProblem(problem), pick): (RandomProblem, u8)) -> bool {
        let tokens = problem.shape.tokens;
        let slope = [1.0, 0.4, 0.0, -0.3, 2.0][usize::from(pick) % 5];
        // Weights from a short list, so that several tokens share one.
        let mut scores: Vec<f64> =
            problem.teacher_scores.iter().map(|s| if *s > 0.3 { 2.0 } else { 1.0 }).collect();
        for row in scores.chunks_exact_mut(tokens) {
            let sum: f64 = row.iter().sum();
            row.iter_mut().for_each(|s| *s /= sum);
        }
        let values = problem.teacher_values.clone();
        let run = DenseProblem::from_zero(problem.shape, slope, values, scores, 0.05);
        let norm = run.teacher_norm();
        run.with_run(0.0_f64, Accumulate::Compensated, |run| {
            for _ in 0..50 {
                run.step();
            }
            let teacher = run.model().teacher.value_matrix();
            let c = f64::dot(0.0, run.value_matrix(), teacher) / norm.powi(2);
            let proportional = norm == 0.0
                || run
                    .value_matrix()
                    .iter()
                    .zip(teacher)
                    .all(|(w, v)| (w - c * v).abs() <= 1e-13 * norm);
            let weights = run.model().teacher.scores();
            let equal = run.logits().chunks_exact(tokens).zip(weights.chunks_exact(tokens)).all(
                |(z, w)| {
                    (0..tokens)
                        .all(|i| (0..tokens).all(|k| w[i] != w[k] || (z[i] - z[k]).abs() < 1e-13))
                },
            );
            proportional && equal
        })
    }
    check::<(RandomProblem, u8), bool>(holds);
}

/// Entries of any size whose fourth powers neither over- nor underflow.
fn wild(g: &mut Gen, count: usize, decades: i32) -> Vec<f64> {
    (0..count)
        .map(|_| match generate::between(g, 0, 5) {
            0 => 0.0,
            _ => {
                let exponent = i32::arbitrary(g) % decades;
                generate::unit(g).signum() * 10.0_f64.powi(exponent)
            }
        })
        .collect()
}

fn finite_everywhere<S: Scalar>(
    context: S,
    problem: &DenseProblem,
    is_finite: impl Fn(S) -> bool,
) -> bool {
    problem.with_run(context, Accumulate::Plain, |run| {
        let q = run.quantities();
        let (values, logits) = run.gradient();
        [q.excess_loss, q.score_error, q.value_error]
            .into_iter()
            .chain(values.iter().copied())
            .chain(logits.iter().copied())
            .all(is_finite)
    })
}

#[test]
fn no_nan_in_the_documented_domain() {
    fn holds((RandomProblem(mut problem), seed): (RandomProblem, u64)) -> bool {
        let mut g = Gen::from_size_and_seed(10, seed);
        let shape = problem.shape;
        problem.positions = None;
        problem.temperature = 1.0;
        problem.start_key_query =
            (0..shape.score_entries()).map(|_| 900.0 * generate::unit(&mut g)).collect();
        problem.teacher_values = wild(&mut g, shape.value_entries(), 71);
        problem.start_values = wild(&mut g, shape.value_entries(), 71);
        let double = finite_everywhere(0.0_f64, &problem, f64::is_finite);
        problem.teacher_values = wild(&mut g, shape.value_entries(), 9);
        problem.start_values = wild(&mut g, shape.value_entries(), 9);
        double && finite_everywhere(0.0_f32, &problem, f32::is_finite)
    }
    check::<(RandomProblem, u64), bool>(holds);
}

#[test]
fn interval_runs_stay_beside_float_runs() {
    fn holds(RandomProblem(problem): RandomProblem) -> bool {
        let zero = Interval::point(0.0_f64);
        problem.with_run(0.0_f64, Accumulate::Plain, |run| {
            problem.with_run(zero, Accumulate::Plain, |enclosure| {
                for _ in 0..3 {
                    run.step();
                    enclosure.step();
                }
                let (a, b) = (run.quantities(), enclosure.quantities());
                // A float run is itself off by its roundings.
                let near = |x: f64, i: Interval<f64>| i.lo() - 1e-13 <= x && x <= i.hi() + 1e-13;
                near(a.excess_loss, b.excess_loss)
                    && near(a.score_error, b.score_error)
                    && near(a.value_error, b.value_error)
            })
        })
    }
    check(holds);
}

/// A dual run is the float run, up to rounding, beside its derivative.
#[test]
fn duals_carry_the_floats() {
    fn holds(RandomProblem(problem): RandomProblem) -> bool {
        problem.with_run(0.0_f64, Accumulate::Plain, |run| {
            problem.with_run(Dual::<f64, 1>::constant(0.0), Accumulate::Plain, |dual| {
                for _ in 0..3 {
                    run.step();
                    dual.step();
                }
                let (a, b) = (run.quantities(), dual.quantities());
                let near = |x: f64, y: f64| (x - y).abs() < 1e-12 * (1.0 + x.abs());
                near(a.excess_loss, b.excess_loss.value)
                    && near(a.score_error, b.score_error.value)
                    && near(a.value_error, b.value_error.value)
            })
        })
    }
    check(holds);
}

#[test]
fn wrong_lengths_are_refused_and_nothing_is_written() {
    let shape = Shape { tokens: 2, channels: 1, features: 1 };
    let activation = Activation::relu(0.0);
    let scores = [0.5; 4];
    let teacher = Teacher::new(shape, activation, &[1.0], &scores).unwrap();
    assert!(Teacher::new(shape, activation, &[], &scores).is_err());
    assert!(Teacher::new(shape, activation, &[1.0], &[0.5; 3]).is_err());
    for empty in [
        Shape { tokens: 0, ..shape },
        Shape { channels: 0, ..shape },
        Shape { features: 0, ..shape },
    ] {
        assert!(Teacher::new(empty, activation, &[], &[]).is_err());
    }
    assert!(population::excess_loss(&teacher, &[1.0], &[0.5; 3]).is_err());
    assert!(population::excess_loss(&teacher, &[], &scores).is_err());
    assert_eq!(population::excess_loss(&teacher, &[1.0], &scores), Ok(0.0));
    // ½ g (3 − 1)² ‖s‖², twice.
    let excess = population::excess_loss(&teacher, &[3.0], &scores).unwrap();
    assert!(relative_difference(excess, 0.5 * 0.5 * 4.0 * 0.5 * 2.0) < 1e-15);
    let (w, s) = ([2.0], [0.25, 0.75, 0.5, 0.5]);
    let mut scratch = [0.0; 8];
    let mut attempt = |w: &[f64], s: &[f64], gw: usize, gz: usize, extra: usize| {
        let (mut of_w, mut of_z) = (vec![7.0; gw], vec![7.0; gz]);
        let scratch = &mut scratch[..extra];
        let done = population::gradient(&teacher, w, s, 1.0, &mut of_w, &mut of_z, scratch);
        let untouched = of_w.iter().chain(&of_z).all(|&x| x == 7.0);
        assert!(done.is_ok() != untouched);
        done.is_ok()
    };
    assert!(attempt(&w, &s, 1, 4, population::gradient_scratch(1)));
    assert!(!attempt(&w, &s, 1, 4, 7));
    assert!(!attempt(&w, &s, 1, 3, 8));
    assert!(!attempt(&w, &s, 2, 4, 8));
    assert!(!attempt(&w, &s[..3], 1, 4, 8));
    assert!(!attempt(&[], &s, 1, 4, 8));
}

/// Boxes of matrices: loss, errors and gradient of every member are in what the box gives, zero
/// rows of W_V included, at which the gradient is a convention.
#[test]
fn boxes_contain_what_their_members_give() {
    fn holds((RandomProblem(mut problem), seed): (RandomProblem, u64)) -> bool {
        let mut g = Gen::from_size_and_seed(10, seed);
        problem.positions = None;
        if bool::arbitrary(&mut g) {
            problem.start_values[..problem.shape.features].fill(0.0);
        }
        let radius = 10.0_f64.powi(-(generate::between(&mut g, 1, 9) as i32));
        let shape = problem.shape;
        // The teacher is lifted as points; W and the scores are widened around their members.
        problem.with_run(0.0_f64, Accumulate::Plain, |run| {
            let teacher = run.model().teacher;
            let zero = Interval::point(0.0_f64);
            let lift = |x: &[f64]| x.iter().map(|&x| Interval::point(x)).collect::<Vec<_>>();
            let (v, s) = (lift(teacher.value_matrix()), lift(teacher.scores()));
            let activation = Activation::leaky_relu(zero.lift(problem.slope));
            let boxed = Teacher::new(shape, activation, &v, &s).unwrap();
            let mut around = |x: f64| {
                let below = generate::unit(&mut g).abs() * radius;
                let above = generate::unit(&mut g).abs() * radius;
                Interval::new(x - below, x + above).unwrap()
            };
            let w: Vec<_> = run.value_matrix().iter().map(|&x| around(x)).collect();
            let scores: Vec<_> = run.scores().iter().map(|&x| around(x)).collect();
            let loss = population::excess_loss(&boxed, &w, &scores).unwrap();
            let mut of_w = vec![zero; w.len()];
            let mut of_z = vec![zero; scores.len()];
            let mut scratch = vec![zero; population::gradient_scratch(shape.channels)];
            let at_zero = zero.lift(problem.slope_at_zero);
            population::gradient(&boxed, &w, &scores, at_zero, &mut of_w, &mut of_z, &mut scratch)
                .unwrap();
            let excess = run.quantities().excess_loss;
            let (member_w, member_z) = run.gradient();
            let inside = |x: f64, i: &Interval<f64>| {
                let rounding = 1e-13 * (1.0 + x.abs());
                i.lo() - rounding <= x && x <= i.hi() + rounding
            };
            inside(excess, &loss)
                && member_w.iter().zip(&of_w).all(|(&x, i)| inside(x, i))
                && member_z.iter().zip(&of_z).all(|(&x, i)| inside(x, i))
        })
    }
    check::<(RandomProblem, u64), bool>(holds);
}

#[test]
fn factors_that_may_be_zero_enclose_the_convention() {
    // At c = 0 the step is ασ′(0)⟨s, w⟩, elsewhere it follows the angle: a jump.
    let problem = LumpedProblem::two_level(6.0, 2.0, 0.4, 1.0, 0.5, 0.1);
    let at_zero = problem.with_model(0.0_f64, |model| {
        model.increments(0.0, &[0.5, 0.0], &mut [0.0; 2], &mut [0.0; 2])
    });
    let zero = Interval::point(0.0_f64);
    for (lo, hi) in [(0.0, 1e-9), (-1e-9, 1e-9), (-1e-9, 0.0), (0.0, 0.0)] {
        let boxed = Interval::new(lo, hi).unwrap();
        problem.with_model(zero, |model| {
            let logits = [Interval::point(0.5), zero];
            let found = model.increments(boxed, &logits, &mut [zero; 2], &mut [zero; 2]);
            let wide = 1e-15;
            assert!(found.lo() - wide <= at_zero && at_zero <= found.hi() + wide, "{found}");
            for member in [lo, hi] {
                let point = problem.with_model(0.0_f64, |model| {
                    model.increments(member, &[0.5, 0.0], &mut [0.0; 2], &mut [0.0; 2])
                });
                assert!(found.lo() - wide <= point && point <= found.hi() + wide, "{found}");
            }
        });
        // Across the jump a derivative is unbounded.
        let c = Dual::<_, 1>::variable(boxed, 0);
        let slope = c.if_zero(c.one(), c).derivative[0];
        assert_eq!(slope == Interval::ENTIRE, lo < hi, "{slope}");
    }
}

#[test]
fn scores_of_nothing_give_no_nan() {
    // A row of scores that is 0 altogether is no softmax, but it is a finite matrix.
    let shape = Shape { tokens: 2, channels: 1, features: 2 };
    let teacher_scores = [1.0, 0.0, 0.5, 0.5];
    let teacher = Teacher::new(shape, Activation::relu(0.0), &[0.6, 0.8], &teacher_scores).unwrap();
    let (mut of_w, mut of_z, mut scratch) = ([0.0; 2], [0.0; 4], [0.0; 8]);
    let scores = [0.0, 0.0, 0.5, 0.5];
    population::gradient(&teacher, &[0.3, 0.1], &scores, 1.0, &mut of_w, &mut of_z, &mut scratch)
        .unwrap();
    assert!(of_w.iter().chain(&of_z).all(|x: &f64| x.is_finite()), "{of_w:?} {of_z:?}");
    // Small teachers late in training: the square of their wedge would vanish, it does not.
    for (v, x) in [(1e-8_f32, 1e-7_f32), (1e-8, 1e-12), (1e8, 1e-7), (1e8, 1.0)] {
        let row = Alignment { own: v, target: v, inner: v * v, wedge: 0.0 };
        let column = Alignment { own: 1.0, target: 1.0, inner: 1.0, wedge: x };
        let wedge = f64::from(row.tensor(&column).wedge);
        let expected = f64::from(v) * f64::from(v) * f64::from(x);
        assert!(relative_difference(wedge, expected) < 1e-6, "{v} {x}: {wedge}");
    }
}
