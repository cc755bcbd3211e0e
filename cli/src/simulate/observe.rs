//! Measuring a student: in closed form where there is one, on batches as the paper does.

use popgd_core::model::population;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::batch::Batch;
use super::draw::{self, TRAINING};
use super::exact::ExactState;
use super::measure::Measure;
use super::problem::Problem;
use super::student::Student;
use crate::engine;
use crate::error::Failure;
use crate::ood::family::Family;

/// What a student gets wrong on inputs of another law.
#[derive(Clone, Copy, Debug)]
struct Gaps {
    half_square: f64,
    teacher: f64,
    unrelated: f64,
    unrelated_mean: f64,
}

/// The streams that batches for measuring are drawn from.
#[derive(Debug)]
pub struct Streams {
    /// For inputs as in training.
    pub evaluation: Xoshiro256PlusPlus,
    /// For other inputs.
    pub out_of_distribution: Xoshiro256PlusPlus,
}

/// Measures a student on batches of `count` samples, beside the exact run at the same step.
///
/// # Errors
/// None in practice: the shapes fit.
pub fn observe(
    problem: &Problem,
    student: &mut Student<'_>,
    exact: &ExactState,
    (inputs, count): (&Family, usize),
    streams: &mut Streams,
) -> Result<Vec<f64>, Failure> {
    let excess = population::excess_loss(&problem.teacher()?, &student.values, &student.scores)
        .map_err(engine::refused)?;
    let batch_excess = batch_excess(problem, student, count, &mut streams.evaluation);
    let [own, of_exact] = out_of_distribution(
        problem,
        student,
        exact,
        (inputs, count),
        &mut streams.out_of_distribution,
    );
    let value = |measure: Measure| match measure {
        Measure::BatchExcess => batch_excess,
        Measure::ExcessLoss => excess,
        Measure::ScoreError => distance(&student.scores, &problem.teacher_scores),
        Measure::ValueError => distance(&student.values, &problem.teacher_values),
        Measure::Cosine => cosine(&student.values, &problem.teacher_values),
        Measure::ValueDistance => distance(&student.values, &exact.values),
        Measure::ScoreDistance => distance(&student.scores, &exact.scores),
        Measure::OodHalfSquare => own.half_square,
        Measure::OodTeacher => own.teacher,
        Measure::OodUnrelated => own.unrelated,
        Measure::OodUnrelatedMean => own.unrelated_mean,
        Measure::ExactOodHalfSquare => of_exact.half_square,
        Measure::ExactOodTeacher => of_exact.teacher,
        Measure::ExactOodUnrelated => of_exact.unrelated,
        Measure::ExactOodUnrelatedMean => of_exact.unrelated_mean,
        _ => f64::NAN,
    };
    Ok(Measure::POSITION_ONLY.into_iter().map(value).collect())
}

/// `(1/2N) Σ (‖Y − TF‖² − ‖Y − f*‖²)` on a fresh batch of the kind that is trained on.
fn batch_excess(
    problem: &Problem,
    student: &mut Student<'_>,
    count: usize,
    random: &mut Xoshiro256PlusPlus,
) -> f64 {
    let mut batch = Batch::default();
    problem.draw(&TRAINING, count, random, &mut batch);
    let noisy = batch.labels.clone();
    problem.label(&mut batch);
    let mut outputs = Vec::new();
    student.apply(&batch, &mut outputs);
    gap(&noisy, &outputs, &batch.labels, count)
}

/// The gaps of a student and of the exact run on the same inputs of another law, with the same labels.
fn out_of_distribution(
    problem: &Problem,
    student: &mut Student<'_>,
    exact: &ExactState,
    (inputs, count): (&Family, usize),
    random: &mut Xoshiro256PlusPlus,
) -> [Gaps; 2] {
    let mut batch = Batch::default();
    problem.draw(inputs, count, random, &mut batch);
    let noisy = batch.labels.clone();
    problem.label(&mut batch);
    // Columns as long as those of V* on average, whatever the input is.
    let deviation = problem.teacher_norm() / (problem.shape.channels as f64).sqrt();
    let mut unrelated = vec![0.0; noisy.len()];
    draw::add_noise(random, deviation, &mut unrelated);
    let zeros = vec![0.0; noisy.len()];

    let mut own_outputs = Vec::new();
    student.apply(&batch, &mut own_outputs);
    let mut exact_outputs = Vec::new();
    Student::new(problem, exact.values.clone(), exact.logits.clone())
        .apply(&batch, &mut exact_outputs);
    [own_outputs, exact_outputs].map(|outputs| Gaps {
        half_square: gap(&batch.labels, &outputs, &batch.labels, count),
        teacher: gap(&noisy, &outputs, &batch.labels, count),
        unrelated: gap(&unrelated, &outputs, &batch.labels, count),
        // These labels have mean 0, whatever the input.
        unrelated_mean: gap(&zeros, &outputs, &batch.labels, count),
    })
}

/// `(1/2N) Σ (‖Y − TF‖² − ‖Y − f*‖²)`, written as `½‖TF − f*‖² + ⟨f* − Y, TF − f*⟩` so that nothing
/// cancels when TF is close to f*.
pub(super) fn gap(labels: &[f64], outputs: &[f64], teacher: &[f64], count: usize) -> f64 {
    let sum: f64 = outputs
        .iter()
        .zip(teacher)
        .zip(labels)
        .map(|((output, wanted), label)| {
            let error = output - wanted;
            error * (0.5 * error + (wanted - label))
        })
        .sum();
    sum / count as f64
}

/// ‖a − b‖.
pub fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| (x - y) * (x - y)).sum::<f64>().sqrt()
}

/// The cosine of two vectors; 0 if one of them is 0.
pub fn cosine(a: &[f64], b: &[f64]) -> f64 {
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
    let lengths = (dot(a, a) * dot(b, b)).sqrt();
    if lengths == 0.0 { 0.0 } else { dot(a, b) / lengths }
}
