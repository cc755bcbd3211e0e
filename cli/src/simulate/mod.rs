//! Stochastic training as the paper does it, beside the exact descent.
//!
//! # An example
//!
//! `popgd simulate` trains four students, each with its own samples, on the paper's convolution:
//! every step draws 100 inputs with independent standard Gaussian entries, labels them by the teacher
//! with Gaussian noise, and moves W_V and W_KQ against the gradient of the mean loss on these. Beside
//! it runs descent on the population loss from the same start. Then it says by which power of T each
//! error falls in both, and what is left at the end; with `--plot` it draws both, and the attention
//! beside that of the teacher.
//!
//! What is measured is in [`measure`], how in [`observe`]; note 14 derives what to expect. Results do
//! not depend on `--threads`, and with `--resume FOLDER` neither on how often a simulation was broken
//! off: see [`draw`] and [`checkpoint`].

pub mod batch;
pub mod checkpoint;
pub mod draw;
pub mod exact;
pub mod measure;
pub mod observe;
pub mod problem;
pub mod report;
pub mod settings;
pub mod student;

#[cfg(test)]
mod tests;

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use rayon::prelude::*;

use self::batch::Batch;
use self::checkpoint::{Checkpoint, Store};
use self::draw::{Purpose, TRAINING, stream};
use self::exact::ExactState;
use self::measure::Row;
use self::observe::{Streams, observe};
use self::problem::Problem;
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
    /// S after them, one row per query.
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
    pub runs: Vec<Run>,
    /// Whether the user ended it early.
    pub interrupted: bool,
}

/// Trains everything that was asked for.
///
/// # Errors
/// A configuration that does not hang together, parameters that are no longer finite, and checkpoints
/// that cannot be read or written.
pub fn simulate(settings: &SimulateSettings) -> Result<Simulation, Failure> {
    let model = &settings.base.model;
    let problem = Problem::of(model)?;
    let store =
        settings.resume.as_deref().map(|folder| Store::open(folder, settings)).transpose()?;
    let exact = exact::states(&problem, &settings.base.at)?;
    let wanted: Vec<(usize, usize)> = settings
        .batches
        .iter()
        .flat_map(|&batch| (0..settings.seeds).map(move |index| (batch, index)))
        .collect();
    let samples = wanted.iter().map(|&(batch, _)| batch as u64 * model.steps).sum();
    let watch = Watch {
        progress: Progress::of("sample", samples, settings.base.output.quiet),
        samples: AtomicU64::new(0),
    };
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(settings.threads)
        .build()
        .map_err(|error| Failure::Io(format!("--threads: {error}")))?;
    let runs: Result<Vec<Run>, Failure> = pool.install(|| {
        wanted
            .into_par_iter()
            .with_max_len(1)
            .map(|run| train(&problem, settings, run, &exact, store.as_ref(), &watch))
            .collect()
    });
    drop(watch);
    Ok(Simulation { problem, exact, runs: runs?, interrupted: interrupt::requested() })
}

/// How long one step takes here with a batch of this size.
///
/// # Errors
/// As [`simulate`].
pub fn time_per_step(settings: &SimulateSettings, batch: usize) -> Result<Duration, Failure> {
    const MEASURE: Duration = Duration::from_millis(100);
    let problem = Problem::of(&settings.base.model)?;
    let mut student = Student::at_start(&problem);
    let mut samples = Batch::default();
    let (start, mut steps) = (Instant::now(), 0);
    while start.elapsed() < MEASURE {
        step(&problem, &mut student, &mut samples, batch, [0, 0, steps]);
        steps += 1;
    }
    Ok(start.elapsed().div_f64(steps.max(1) as f64))
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
fn step(
    problem: &Problem,
    student: &mut Student<'_>,
    samples: &mut Batch<f64>,
    batch: usize,
    [seed, index, t]: [u64; 3],
) {
    let mut random = stream(seed, index, batch as u64, Purpose::Training, t);
    problem.draw(&TRAINING, batch, &mut random, samples);
    student.step(samples);
}

/// One run, from its checkpoint if there is one.
fn train(
    problem: &Problem,
    settings: &SimulateSettings,
    (batch, index): (usize, usize),
    exact: &[ExactState],
    store: Option<&Store>,
    watch: &Watch,
) -> Result<Run, Failure> {
    let of = |purpose, t| stream(settings.base.model.seed, index as u64, batch as u64, purpose, t);
    let kept = store.map(|store| store.load(problem, batch, index)).transpose()?.flatten();
    let Checkpoint { mut t, values, logits, mut rows } = kept.unwrap_or_else(|| Checkpoint {
        t: 0,
        values: problem.start_values.clone(),
        logits: problem.start_logits.clone(),
        rows: Vec::new(),
    });
    let mut student = Student::new(problem, values, logits);
    watch.trained_on(batch as u64 * t);
    let mut samples = Batch::default();
    let mut saved = (t, Instant::now());
    let save = |t: u64, student: &Student<'_>, rows: &[Row]| match store {
        None => Ok(()),
        Some(store) => store.save(batch, index, t, student, rows),
    };
    for state in exact.get(rows.len()..).unwrap_or_default() {
        while t < state.t && !interrupt::requested() {
            let source = [settings.base.model.seed, index as u64, t];
            step(problem, &mut student, &mut samples, batch, source);
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
        if t < state.t {
            break;
        }
        let mut streams = Streams {
            evaluation: of(Purpose::Evaluation, t),
            out_of_distribution: of(Purpose::OutOfDistribution, t),
        };
        rows.push(observe(
            problem,
            &mut student,
            state,
            (&settings.inputs, settings.evaluation),
            &mut streams,
        )?);
    }
    save(t, &student, &rows)?;
    Ok(Run { batch, index, rows, steps: t, values: student.values, scores: student.scores })
}
