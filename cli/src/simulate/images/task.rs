//! A student of images: what it learns from, and what is measured of it.

use std::sync::Arc;

use rand_distr::{Distribution, Uniform};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::patches::{AREA, Patches};
use super::settings::ImageSettings;
use super::teacher::{self, Classified, Origin};
use crate::error::Failure;
use crate::simulate::batch::Batch;
use crate::simulate::course::Course;
use crate::simulate::draw::{self, Purpose, stream};
use crate::simulate::measure::Measure;
use crate::simulate::observe::{Streams, cosine, distance};
use crate::simulate::problem::Problem;
use crate::simulate::product::{Product, View};
use crate::simulate::settings::SimulateSettings;
use crate::simulate::student::Student;

/// One image of so many is kept back.
const KEPT_BACK: usize = 7;

/// Images, their teacher, and how it is learnt.
#[derive(Clone, Debug)]
pub struct Task {
    /// Teacher, start and rates.
    pub problem: Problem,
    /// The images.
    pub patches: Arc<Patches>,
    /// Which of them are trained on.
    pub training: Vec<usize>,
    /// Which are not.
    pub kept_back: Vec<usize>,
    /// Where V* comes from.
    pub origin: Origin,
    /// The largest curvature of the loss in W_V at S = S*, as an upper bound of what σ does.
    pub curvature: f64,
    /// `½ E ‖f*‖²` over images of training: what a student that says 0 gets wrong.
    pub signal: f64,
    /// How many images losses are measured on.
    evaluation: usize,
}

impl Task {
    /// Trains the network of the teacher if none is given, and fixes the rate.
    ///
    /// # Errors
    /// Too few images, or black ones; training that fails.
    pub fn prepare(settings: &SimulateSettings, images: &ImageSettings) -> Result<Self, Failure> {
        let refuse =
            |message: String| Failure::usage(format!("{}: {message}", images.path.display()));
        let patches = Arc::clone(&images.patches);
        let count = patches.count();
        if count < KEPT_BACK {
            return Err(refuse(format!(
                "expected at least {KEPT_BACK} images, of which one is kept back, found {count}"
            )));
        }
        let mut random = stream(settings.base.model.seed, 0, 0, Purpose::Images, 0);
        let mut training: Vec<usize> = (0..count).collect();
        teacher::shuffle(&mut training, &mut random);
        let kept_back = training.split_off(count - count / KEPT_BACK);

        let mut problem = Problem::of(&settings.base.model)?;
        let mut origin = Origin::Given;
        if let Some(classes) = &images.classes
            && !images.has_filters
        {
            let classified = Classified { patches: &patches, classes };
            let parts = (&*training, &*kept_back);
            let quiet = settings.base.output.quiet;
            let trained =
                teacher::train(&problem, classified, parts, images.epochs, &mut random, quiet)?;
            (problem.teacher_values, origin) = trained;
        }
        let curvature = curvature(&problem, &patches, &training);
        if curvature <= 0.0 {
            return Err(refuse("all images are blank".to_owned()));
        }
        let of_logits = curvature_of_logits(&problem, &patches, &training);
        problem.rate = match images.rate {
            None => two_digits(1.0 / f64::max(curvature, of_logits)),
            Some(rate) if rate < 2.0 / curvature => rate,
            Some(rate) => {
                return Err(Failure::usage(format!(
                    "--rate: {rate} is not below {}, where training is stable with these images; \
                     left out, it is chosen",
                    two_digits(2.0 / curvature)
                )));
            }
        };
        let evaluation = settings.evaluation;
        let mut task = Self {
            problem,
            patches,
            training,
            kept_back,
            origin,
            curvature,
            signal: 0.0,
            evaluation,
        };
        let shown = task.training.get(..evaluation).unwrap_or(&task.training);
        task.signal =
            task.batch(shown).labels.iter().map(|y| 0.5 * y * y).sum::<f64>() / shown.len() as f64;
        Ok(task)
    }

    /// These images, with the labels of the teacher.
    fn batch(&self, images: &[usize]) -> Batch<f64> {
        let mut batch = Batch::default();
        self.fill(images.iter().copied(), &mut batch);
        batch
    }

    fn fill(&self, images: impl Iterator<Item = usize>, batch: &mut Batch<f64>) {
        batch.inputs.clear();
        for image in images {
            batch.inputs.extend(self.patches.image(image).iter().map(|&x| f64::from(x)));
        }
        let count = batch.inputs.len() / (AREA * self.patches.tokens());
        let size = self.problem.shape.channels * self.patches.tokens();
        batch.labels.resize(count * size, 0.0);
        self.problem.label(batch);
    }

    /// `½ E ‖TF − f*‖²` over some of these images, as many as are measured on.
    fn loss(&self, student: &mut Student<'_>, images: &[usize]) -> f64 {
        let images = images.get(..self.evaluation).unwrap_or(images);
        let mut outputs = Vec::new();
        let mut sum = 0.0;
        // In parts, for a batch of many images is large.
        for part in images.chunks(100) {
            let batch = self.batch(part);
            student.apply(&batch, &mut outputs);
            let errors = outputs.iter().zip(&batch.labels).map(|(x, y)| 0.5 * (x - y) * (x - y));
            sum += errors.sum::<f64>();
        }
        sum / images.len() as f64
    }

    /// The weight that every query puts on its own window, for scores held one row a query.
    pub fn window_weights(&self, scores: &[f64]) -> Vec<f64> {
        let tokens = self.patches.tokens();
        let queries = scores.chunks_exact(tokens).enumerate();
        queries
            .map(|(query, row)| {
                let start = query / AREA * AREA;
                row.iter().skip(start).take(AREA).sum()
            })
            .collect()
    }

    /// For every token, the mean weight that the queries of its window put on it, over 1/K.
    pub fn shares(&self, scores: &[f64]) -> Vec<f64> {
        let tokens = self.patches.tokens();
        let share = |token: usize| -> f64 {
            let queries = scores.chunks_exact(tokens).skip(token / AREA * AREA).take(AREA);
            queries.filter_map(|row| row.get(token)).sum()
        };
        (0..tokens).map(share).collect()
    }
}

impl<'p> Course<Student<'p>> for Task {
    fn measures(&self) -> &'static [Measure] {
        &Measure::IMAGES
    }

    fn draw(&self, count: usize, random: &mut Xoshiro256PlusPlus, samples: &mut Batch<f64>) {
        let Ok(law) = Uniform::new(0, self.training.len()) else { return };
        let drawn: Vec<usize> =
            (0..count).filter_map(|_| self.training.get(law.sample(random)).copied()).collect();
        self.fill(drawn.into_iter(), samples);
        draw::add_noise(random, self.problem.noise, &mut samples.labels);
    }

    fn observe(
        &self,
        student: &mut Student<'p>,
        _which: usize,
        _streams: &mut Streams,
    ) -> Result<Vec<f64>, Failure> {
        let training = self.loss(student, &self.training);
        let kept_back = self.loss(student, &self.kept_back);
        let weights = self.window_weights(&student.scores);
        let value = |measure: Measure| match measure {
            Measure::TrainingLoss => training,
            Measure::KeptBackLoss => kept_back,
            Measure::ScoreError => distance(&student.scores, &self.problem.teacher_scores),
            Measure::ValueError => distance(&student.values, &self.problem.teacher_values),
            Measure::Cosine => cosine(&student.values, &self.problem.teacher_values),
            Measure::WindowWeight => weights.iter().sum::<f64>() / weights.len() as f64,
            _ => f64::NAN,
        };
        Ok(Measure::IMAGES.into_iter().map(value).collect())
    }
}

/// The largest eigenvalue of `E Σ_j (X s*_j)(X s*_j)ᵀ` times the largest σ′². At S = S* no direction
/// of W_V is curved more.
fn curvature(problem: &Problem, patches: &Patches, training: &[usize]) -> f64 {
    let windows = patches.tokens() / AREA;
    let mut moments = vec![0.0; AREA * AREA];
    for &image in training {
        let pooled: Vec<f64> = patches.pooled(image).collect();
        for (row, line) in moments.chunks_exact_mut(AREA).zip(pooled.chunks_exact(windows)) {
            for (slot, other) in row.iter_mut().zip(pooled.chunks_exact(windows)) {
                *slot += line.iter().zip(other).map(|(x, y)| x * y).sum::<f64>();
            }
        }
    }
    // Pixels are not negative, so neither is the first eigenvector, and this start meets it.
    let mut vector = vec![1.0 / SIDE_OF_ONES; AREA];
    let mut largest = 0.0;
    for _ in 0..ITERATIONS {
        let image: Vec<f64> = moments
            .chunks_exact(AREA)
            .map(|row| row.iter().zip(&vector).map(|(x, y)| x * y).sum())
            .collect();
        largest = image.iter().map(|x| x * x).sum::<f64>().sqrt();
        if largest == 0.0 {
            return 0.0;
        }
        vector = image.into_iter().map(|x| x / largest).collect();
    }
    // Every window stands for as many queries as it has patches.
    steepest_square(problem) * largest * AREA as f64 / training.len() as f64
}

/// By how much more a logit of the teacher's attention is curved at most, with its rate ηκ for η: the
/// Hessian is `J E[UᵀU] J`, U = V* X on a window, times σ′²; J = (I − 11ᵀ/K)/K is of norm 1/K,
/// and the norm of the product in the middle at most its trace.
fn curvature_of_logits(problem: &Problem, patches: &Patches, training: &[usize]) -> f64 {
    let tokens = patches.tokens();
    let values = View::with_columns(&problem.teacher_values, AREA);
    let mut traces = vec![0.0; tokens / AREA];
    for &image in training {
        let input: Vec<f64> = patches.image(image).iter().map(|&x| f64::from(x)).collect();
        let mut projected = vec![0.0; problem.shape.channels * tokens];
        f64::add_product(values, View::with_columns(&input, tokens), &mut projected);
        for row in projected.chunks_exact(tokens) {
            for (trace, window) in traces.iter_mut().zip(row.chunks_exact(AREA)) {
                *trace += window.iter().map(|u| u * u).sum::<f64>();
            }
        }
    }
    let largest = traces.into_iter().fold(0.0, f64::max) / training.len() as f64;
    problem.logit_gain * steepest_square(problem) * largest / (AREA * AREA) as f64
}

/// The largest σ′².
fn steepest_square(problem: &Problem) -> f64 {
    (2.0 * problem.activation.linear() - 1.0).abs().max(1.0).powi(2)
}

/// ‖(1, …, 1)‖ in so many dimensions as a patch has pixels.
const SIDE_OF_ONES: f64 = super::patches::SIDE as f64;
/// More than enough for two digits: of pixels, the first eigenvalue is far above the others.
const ITERATIONS: usize = 100;

fn two_digits(x: f64) -> f64 {
    format!("{x:.1e}").parse().unwrap_or(x)
}
