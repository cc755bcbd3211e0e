//! What note 14 says of training, held against training.

use popgd_core::model::population;
use popgd_core::model::teacher::Shape;

use super::batch::{Batch, Network, Scratch};
use super::course::Population;
use super::draw::{Purpose, TRAINING, stream};
use super::full_student::FullStudent;
use super::learner::Learner;
use super::problem::Problem;
use super::student::Student;
use super::{observe, step};
use crate::config::{self, Arguments};

/// The problem that such flags ask for.
fn problem(flags: &[(&'static str, &str)]) -> Problem {
    let arguments = flags.iter().fold(Arguments::default(), |all, (key, text)| all.with(key, text));
    let (settings, _) = config::simulate::resolve(&arguments).unwrap();
    Problem::of(&settings.base.model).unwrap()
}

/// Samples of the model, and nothing measured.
fn course(problem: &Problem) -> Population<'_> {
    Population { problem, exact: &[], evaluation: (&TRAINING, 0) }
}

/// A student that is neither at the start nor at the teacher.
fn between(problem: &Problem) -> Student<'_> {
    let values = problem.teacher_values.iter().enumerate();
    let values = values.map(|(at, x)| 0.6 * x + 0.3 * f64::sin(at as f64)).collect();
    let logits = (0..problem.shape.score_entries()).map(|at| f64::cos(1.7 * at as f64));
    Student::new(problem, values, logits.collect())
}

/// Both gradients of a batch, in one vector.
fn gradient(problem: &Problem, student: &Student<'_>, batch: &Batch<f64>) -> Vec<f64> {
    let shape = problem.shape;
    let network = Network {
        shape,
        activation: problem.activation,
        slope_at_zero: problem.slope_at_zero,
        values: &student.values,
        scores: &student.scores,
    };
    let mut values = vec![0.0; shape.value_entries()];
    let mut logits = vec![0.0; shape.score_entries()];
    network.gradient(batch, &mut Scratch::default(), &mut values, &mut logits);
    [values, logits].concat()
}

/// The same of the population.
fn population_gradient(problem: &Problem, student: &Student<'_>) -> Vec<f64> {
    let Shape { channels, .. } = problem.shape;
    let mut values = vec![0.0; problem.shape.value_entries()];
    let mut logits = vec![0.0; problem.shape.score_entries()];
    let mut scratch = vec![0.0; population::gradient_scratch(channels)];
    population::gradient(
        &problem.teacher().unwrap(),
        &student.values,
        &student.scores,
        problem.slope_at_zero,
        &mut values,
        &mut logits,
        &mut scratch,
    )
    .unwrap();
    [values, logits].concat()
}

/// Mean and standard error of every entry of the gradient, over so many batches.
fn moments(
    problem: &Problem,
    student: &Student<'_>,
    (batch, count): (usize, u64),
) -> Vec<(f64, f64)> {
    let mut samples = Batch::default();
    let gradients: Vec<Vec<f64>> = (0..count)
        .map(|k| {
            let mut random = stream(1, 0, batch as u64, Purpose::Training, k);
            problem.draw(&TRAINING, batch, &mut random, &mut samples);
            gradient(problem, student, &samples)
        })
        .collect();
    let count = gradients.len() as f64;
    (0..gradients[0].len())
        .map(|at| {
            let mean = gradients.iter().map(|g| g[at]).sum::<f64>() / count;
            let square = gradients.iter().map(|g| (g[at] - mean).powi(2)).sum::<f64>();
            (mean, (square / (count - 1.0) / count).sqrt())
        })
        .collect()
}

#[test]
fn the_gradient_of_a_batch_has_the_mean_of_the_population() {
    for activation in ["identity", "relu", "leaky-relu:0.3"] {
        let problem = problem(&[
            ("tokens", "4"),
            ("group", "2"),
            ("features", "2"),
            ("teacher_norm", "2"),
            ("activation", activation),
            ("noise", "0.5"),
        ]);
        for student in [between(&problem), Student::at_start(&problem)] {
            let exact = population_gradient(&problem, &student);
            for ((mean, error), exact) in moments(&problem, &student, (200, 200)).iter().zip(exact)
            {
                // The stream is fixed; five deviations leave room for every entry.
                assert!(
                    (mean - exact).abs() <= 5.0 * error + 1e-14,
                    "{activation}: {mean} ± {error}, exactly {exact}"
                );
            }
        }
    }
}

#[test]
fn the_deviation_of_a_gradient_falls_with_the_root_of_the_batch() {
    let problem =
        problem(&[("tokens", "4"), ("group", "2"), ("teacher_norm", "2"), ("noise", "0.5")]);
    let student = between(&problem);
    let size = |batch| {
        let moments = moments(&problem, &student, (batch, 400));
        moments.iter().map(|(_, error)| error * error).sum::<f64>().sqrt()
    };
    let ratio = size(10) / size(160);
    assert!((ratio - 4.0).abs() < 0.3, "{ratio}");
}

#[test]
fn without_noise_the_teacher_is_at_rest() {
    let problem =
        problem(&[("tokens", "4"), ("group", "2"), ("teacher_norm", "2"), ("noise", "0")]);
    // Attention that is that of the teacher to the last bit needs logits beyond those of floats.
    let logits = problem.teacher_scores.iter().map(|&w| if w > 0.0 { 0.0 } else { -800.0 });
    let student = Student::new(&problem, problem.teacher_values.clone(), logits.collect());
    let mut samples = Batch::default();
    problem.draw(&TRAINING, 50, &mut stream(3, 0, 0, Purpose::Training, 0), &mut samples);
    for slope in gradient(&problem, &student, &samples) {
        assert!(slope.abs() < 1e-12, "{slope}");
    }
}

/// Note 14, section 3: training comes to rest at a mean excess loss to which W_V contributes
/// `M d λ ν²/(2N(2 − λ))` to first order in 1/N, and attention, if it is free to move, likewise.
#[test]
fn noise_puts_a_floor_under_the_loss() {
    let (tokens, group, norm) = (12.0, 3.0, 10.0_f64);
    let problem = problem(&[
        ("tokens", "12"),
        ("group", "3"),
        ("teacher_norm", "10"),
        ("noise", "2"),
        ("rate", "1/10"),
    ]);
    let logits: Vec<f64> =
        problem.teacher_scores.iter().map(|&w| if w > 0.0 { 0.0 } else { -800.0 }).collect();
    let teacher = problem.teacher().unwrap();
    let batch = 400;
    let rest = |lambda: f64| lambda / (2.0 - lambda);
    let of_values = 2.0 * 4.0 * rest(0.1 * 0.5 * tokens / group);
    let of_attention =
        tokens * (group - 1.0) * rest(0.1 / tokens * 0.5 * norm * norm / (group * group));
    for (is_free, parts) in [(false, of_values), (true, of_values + of_attention)] {
        let mut student = Student::new(&problem, problem.teacher_values.clone(), logits.clone());
        let mut samples = Batch::default();
        let (mut sum, mut count) = (0.0, 0.0);
        for t in 0..4000 {
            step(&course(&problem), &mut student, &mut samples, batch, [5, 0, t]);
            if !is_free {
                student = Student::new(&problem, student.values.clone(), logits.clone());
            }
            if t >= 200 {
                let scores = &student.scores;
                sum += population::excess_loss(&teacher, &student.values, scores).unwrap();
                count += 1.0;
            }
        }
        let floor = 2.0 * 2.0 / (2.0 * batch as f64) * parts;
        let ratio = sum / count / floor;
        assert!((ratio - 1.0).abs() < 0.1, "{is_free}: {ratio}");
    }
}

/// Note 14, section 6: what the first step does to W_V on positions.
#[test]
fn the_first_step_of_the_full_model_offsets_its_output() {
    for (activation, beta) in [("identity", 0.0), ("relu", 0.5), ("leaky-relu:0.2", 0.4)] {
        let problem = problem(&[
            ("tokens", "6"),
            ("group", "2"),
            ("teacher_norm", "2"),
            ("activation", activation),
        ]);
        let mut student = FullStudent::at_start(&problem);
        step(&course(&problem), &mut student, &mut Batch::default(), 40_000, [2, 0, 0]);
        let (values, keys) = student.parameters();
        assert!(keys.iter().all(|&x| x == 0.0), "W_V is 0 when W_KQ is asked for its gradient");
        let rows = values.chunks(10).zip(problem.teacher_values.chunks(4));
        for (row, teacher) in rows {
            let length = teacher.iter().map(|x| x * x).sum::<f64>().sqrt();
            let mean = beta * (2.0 / std::f64::consts::PI).sqrt() * length / 2.0_f64.sqrt();
            for &entry in &row[4..] {
                let expected = problem.rate * mean;
                assert!(
                    (entry - expected).abs() < 0.02 * problem.rate * length,
                    "{entry} {expected}"
                );
            }
        }
    }
}

/// The form without cancellation is the difference of squares.
#[test]
fn gaps_are_differences_of_losses() {
    let (labels, outputs, teacher) = ([1.0, -2.0, 0.5], [0.5, 3.0, 0.25], [0.75, 1.0, -1.0]);
    let half = |other: &[f64; 3]| 0.5 * observe::distance(&labels, other).powi(2);
    let expected = (half(&outputs) - half(&teacher)) / 2.0;
    let found = observe::gap(&labels, &outputs, &teacher, 2);
    assert!((found - expected).abs() < 1e-14, "{found} {expected}");
}

#[test]
fn cosines_and_distances() {
    assert_eq!(observe::cosine(&[1.0, 0.0], &[1.0, 0.0]), 1.0);
    assert_eq!(observe::cosine(&[1.0, 1.0], &[-1.0, 1.0]), 0.0);
    assert_eq!(observe::cosine(&[0.0, 0.0], &[-1.0, 1.0]), 0.0);
    assert_eq!(observe::distance(&[3.0, 0.0], &[0.0, 4.0]), 5.0);
}
