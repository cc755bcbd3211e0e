//! Stochastic training as the paper does it, beside the exact descent.
//!
//! # An example
//!
//! ```text
//! popgd simulate --preset gcn --plot gcn.svg
//! ```
//!
//! trains four students, each with its own samples, on the paper's graph convolution: every step draws
//! 100 inputs with independent standard Gaussian entries, labels them by the teacher with Gaussian noise,
//! and moves W_V and W_KQ against the gradient of the mean loss on these. Beside it runs descent on the
//! population loss from the same start. It prints
//!
//! ```text
//! graph convolution, D = 20 tokens, K = 3, ReLU
//! ‖V*‖ = 20, κ = 0.05, η = 0.075, 10,000 steps
//! trained on batches of 100, M = 2, d = 4, label noise 0.1, 4 runs of each, beside the exact descent
//!
//! By which power of T does each fall from 1,000 to 10,000 steps?
//!                                      trained    exact descent   predicted
//! ──────────────────────────────────────────────────────────────────────────
//!  excess loss, on a batch      −1.084 ± 0.019           −1.072        −1.0
//!  excess loss, exact           −1.072 ± 0.001           −1.072        −1.0
//!  score error ‖S − S*‖         −0.489 ± 0.000           −0.488        −0.5
//!  value error ‖W_V − V*‖       −0.526 ± 0.001           −0.528        −0.5
//!  OOD, ½E‖TF − f*‖²            −1.051 ± 0.017   −1.056 ± 0.013        −1.0
//!  OOD, noisy teacher labels    −1.053 ± 0.018   −1.058 ± 0.014           –
//!  OOD, unrelated labels        −0.545 ± 0.006   −0.550 ± 0.006           –
//!  OOD, unrelated, label mean   −0.533 ± 0.014   −0.538 ± 0.013        −0.5
//!
//! What is left at the end
//!                                                trained   exact descent
//! ───────────────────────────────────────────────────────────────────────
//!  excess loss, on a batch              0.334213 ± 0.006        0.350668
//!  excess loss, exact                  0.352156 ± 0.0004        0.350668
//!  score error ‖S − S*‖                  0.145394 ± 4e-5        0.145356
//!  value error ‖W_V − V*‖                1.08924 ± 0.008           1.084
//!  cos(W_V, V*)                          0.999999 ± 2e-7               –
//!  largest |S − S*|, in parts of 1/K               5.4 %               –
//!
//! How far is that from the exact run?
//!  batch N   ‖W_V − exact run‖       ‖S − exact run‖
//! ───────────────────────────────────────────────────
//!  100       0.0247256 ± 0.004   0.00181865 ± 0.0001
//! ```
//!
//! and draws what note 14 shows (`cli/pictures/simulate.svg`): losses, other inputs, cosines, and
//! S(T) beside S*.
//!
//! The last column is what the theorem says of training, and note 14 of other inputs: with labels of
//! the teacher the out-of-distribution gap of the population falls like 1/T, with labels that have
//! nothing to do with the inputs like T^{−1/2}.
//!
//! # More
//!
//! * `--batch 25,100,400,1600` compares batch sizes: the distance to the exact run falls like N^{−1/2}.
//! * `--noise 10` puts a floor under the loss (note 14, section 3).
//! * `--inputs t:5` measures on other inputs than exponential ones, by the laws of `popgd ood`.
//! * `--full-model` trains equation (2.5) of the paper, where attention sees tokens and positions, and
//!   tells how large each block of W_V and W_KQ becomes.
//! * `--images FILE` learns from images, such as MNIST, with the first layer of a trained network as
//!   teacher: see [`images`].
//! * `--resume FOLDER` keeps [checkpoints](checkpoint) there and goes on from them.
//!
//! What is measured is in [`measure`], how in [`observe`]; note 14 derives what to expect. Results do
//! not depend on `--threads`, and with `--resume FOLDER` neither on how often a simulation was broken
//! off: see [`draw`] and [`checkpoint`].

pub mod batch;
pub mod checkpoint;
pub mod course;
pub mod draw;
pub mod exact;
pub mod full;
pub mod full_student;
pub mod images;
pub mod learner;
pub mod measure;
pub mod observe;
pub mod problem;
pub mod product;
pub mod report;
pub mod runs;
pub mod settings;
pub mod student;

#[cfg(test)]
mod tests;

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use rayon::prelude::*;

use self::batch::Batch;
use self::checkpoint::{Checkpoint, Store};
use self::course::{Course, Population};
use self::draw::{Purpose, stream};
use self::exact::ExactState;
use self::full_student::FullStudent;
use self::learner::Learner;
use self::measure::Row;
use self::observe::Streams;
use self::problem::Problem;
use self::runs::Runs;
use self::settings::SimulateSettings;
use self::student::Student;
use crate::error::Failure;
use crate::interrupt;
use crate::progress::Progress;

/// One student's training.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// N.
    pub batch: usize,
    /// Which of the runs with this N, from 0.
    pub index: usize,
    /// What was measured, in the order of steps.
    pub rows: Vec<Row>,
    /// How many steps were made.
    pub steps: u64,
    /// W_V after them, M × d.
    pub values: Vec<f64>,
    /// S after them, one row per query; of the full model W_KQ, row by row.
    pub scores: Vec<f64>,
}

/// All runs, and what they are held against.
#[derive(Clone, Debug)]
pub struct Simulation {
    /// What was trained.
    pub problem: Problem,
    /// The exact run at the recorded steps.
    pub exact: Vec<ExactState>,
    /// By batch size, then by index.
    pub runs: Runs,
    /// Whether the full model was trained.
    pub full_model: bool,
    /// Whether the excess loss has a limit law ∝ 1/T.
    pub has_limit_law: bool,
    /// Whether the other inputs have second moments.
    pub inputs_have_moments: bool,
    /// Whether the user ended it early.
    pub interrupted: bool,
}

/// Trains everything that was asked for.
///
/// # Errors
/// A configuration that does not hang together, parameters that are no longer finite, and checkpoints
/// that cannot be read or written.
pub fn simulate(settings: &SimulateSettings) -> Result<Simulation, Failure> {
    let problem = Problem::of(&settings.base.model)?;
    let exact = exact::states(&problem, &settings.base.at)?;
    let evaluation = (&settings.inputs, settings.evaluation);
    let course = Population { problem: &problem, exact: &exact, evaluation };
    let at: Vec<u64> = exact.iter().map(|state| state.t).collect();
    let runs = if settings.full_model {
        train_all::<FullStudent<'_>>(&problem, settings, &course, &at)
    } else {
        train_all::<Student<'_>>(&problem, settings, &course, &at)
    }?;
    let (full_model, interrupted) = (settings.full_model, interrupt::requested());
    let has_limit_law = report::limit_law(&settings.base.model).is_some();
    let inputs_have_moments = settings.inputs.moments().is_ok();
    Ok(Simulation {
        problem,
        exact,
        runs,
        full_model,
        has_limit_law,
        inputs_have_moments,
        interrupted,
    })
}

/// How long one step takes here with a batch of this size.
///
/// # Errors
/// As [`simulate`].
pub fn time_per_step(settings: &SimulateSettings, batch: usize) -> Result<Duration, Failure> {
    let problem = Problem::of(&settings.base.model)?;
    let evaluation = (&settings.inputs, settings.evaluation);
    let course = Population { problem: &problem, exact: &[], evaluation };
    Ok(if settings.full_model {
        measure::<FullStudent<'_>>(&problem, &course, batch)
    } else {
        measure::<Student<'_>>(&problem, &course, batch)
    })
}

/// How long a step of this course takes.
fn measure<'p, L: Learner<'p>>(
    problem: &'p Problem,
    course: &impl Course<L>,
    batch: usize,
) -> Duration {
    const MEASURE: Duration = Duration::from_millis(100);
    let mut student = L::at_start(problem);
    let mut samples = Batch::default();
    let (start, mut steps) = (Instant::now(), 0);
    while start.elapsed() < MEASURE {
        step(course, &mut student, &mut samples, batch, [0, 0, steps]);
        steps += 1;
    }
    start.elapsed().div_f64(steps.max(1) as f64)
}

/// All runs of a course, in parallel.
fn train_all<'p, L: Learner<'p>>(
    problem: &'p Problem,
    settings: &SimulateSettings,
    course: &impl Course<L>,
    at: &[u64],
) -> Result<Runs, Failure> {
    let store =
        settings.resume.as_deref().map(|folder| Store::open(folder, settings)).transpose()?;
    let wanted: Vec<(usize, usize)> = settings
        .batches
        .iter()
        .flat_map(|&batch| (0..settings.seeds).map(move |index| (batch, index)))
        .collect();
    let steps = settings.base.model.steps;
    let samples = wanted.iter().map(|&(batch, _)| batch as u64 * steps).sum();
    let watch = Watch {
        progress: Progress::of("sample", samples, settings.base.output.quiet),
        samples: AtomicU64::new(0),
    };
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(settings.threads)
        .build()
        .map_err(|error| Failure::Io(format!("--threads: {error}")))?;
    let runs: Result<Vec<Run>, Failure> = pool.install(|| {
        let runs = wanted.into_par_iter().with_max_len(1);
        runs.map(|run| train(problem, settings, course, run, at, store.as_ref(), &watch)).collect()
    });
    Ok(Runs(runs?))
}

/// How far all runs together are.
struct Watch {
    progress: Progress,
    samples: AtomicU64,
}

impl Watch {
    fn trained_on(&self, samples: u64) {
        self.progress.reached(self.samples.fetch_add(samples, Ordering::Relaxed) + samples);
    }
}

/// Draws a batch, and makes a step.
fn step<'p, L: Learner<'p>>(
    course: &impl Course<L>,
    student: &mut L,
    samples: &mut Batch<f64>,
    batch: usize,
    [seed, index, t]: [u64; 3],
) {
    let mut random = stream(seed, index, batch as u64, Purpose::Training, t);
    course.draw(batch, &mut random, samples);
    student.step(samples);
}

/// One run, from its checkpoint if there is one.
fn train<'p, L: Learner<'p>>(
    problem: &'p Problem,
    settings: &SimulateSettings,
    course: &impl Course<L>,
    (batch, index): (usize, usize),
    at: &[u64],
    store: Option<&Store>,
    watch: &Watch,
) -> Result<Run, Failure> {
    let seed = settings.base.model.seed;
    let of = |purpose, t| stream(seed, index as u64, batch as u64, purpose, t);
    let mut student = L::at_start(problem);
    let (mut t, mut rows) = (0, Vec::new());
    if let Some(store) = store
        && let Some(kept) = store.load(course.measures(), at, (batch, index))?
    {
        let Checkpoint { t: made, values, keys, rows: measured } = kept;
        (t, rows) = (made, measured);
        student =
            L::with_parameters(problem, values, keys).ok_or_else(|| store.damaged(batch, index))?;
    }
    watch.trained_on(batch as u64 * t);
    let mut samples = Batch::default();
    let mut saved = (t, Instant::now());
    let save = |t: u64, student: &L, rows: &[Row]| match store {
        None => Ok(()),
        Some(store) => store.save((batch, index), t, student.parameters(), rows),
    };
    for (which, &target) in at.iter().enumerate().skip(rows.len()) {
        while t < target && !interrupt::requested() {
            step(course, &mut student, &mut samples, batch, [seed, index as u64, t]);
            t += 1;
            if !student.is_finite() {
                return Err(Failure::NotFinite(format!(
                    "training on batches of {batch} left the range of floats at step {t} (run \
                     {index}): choose a smaller --rate, or a larger --batch"
                )));
            }
            watch.trained_on(batch as u64);
            let due = match settings.checkpoint_every {
                Some(every) => t - saved.0 >= every,
                None => saved.1.elapsed() >= checkpoint::INTERVAL,
            };
            if due {
                save(t, &student, &rows)?;
                saved = (t, Instant::now());
            }
        }
        if t < target {
            break;
        }
        let mut streams = Streams {
            evaluation: of(Purpose::Evaluation, t),
            out_of_distribution: of(Purpose::OutOfDistribution, t),
        };
        let values = course.observe(&mut student, which, &mut streams)?;
        rows.push(Row { t, measures: course.measures(), values });
    }
    save(t, &student, &rows)?;
    let (values, scores) = (student.parameters().0.to_vec(), student.attention().to_vec());
    Ok(Run { batch, index, rows, steps: t, values, scores })
}
