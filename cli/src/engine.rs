//! From a configuration to a trajectory: builds the run for the scalar asked for, and drives it
//! from recorded step to recorded step.

use std::time::{Duration, Instant};

use popgd_core::descent::Quantities;
use popgd_core::descent::accumulate::Accumulate;
use popgd_core::descent::dense::{Dense, DenseModel, Metric};
use popgd_core::descent::lumped::{Lumped, LumpedModel};
use popgd_core::model::activation::Activation;
use popgd_core::model::alignment::Alignment;
use popgd_core::model::classes::Class;
use popgd_core::model::positions::Positions;
use popgd_core::model::teacher::{Shape, Teacher};
use popgd_core::scalar::interval::Interval;

use crate::error::Failure;
use crate::interrupt;
use crate::number::Span;
use crate::progress::Progress;
use crate::scalar::{CliScalar, Number, count};
use crate::settings::{
    ClassSettings, DenseSettings, Matrix, ModelSettings, PositionSettings, ScalarKind, TeacherNorm,
};
use crate::trajectory::{ClassState, End, LevelState, Recording, Row, State, Trajectory};

/// Runs a model from its start through the steps `at`, which increase, recording each.
///
/// An interrupt and a figure that is no longer finite end the run early; what was recorded until
/// then is in the result, see [`End`].
///
/// # Errors
/// [`Failure`] if the model does not hang together.
pub fn run(model: &ModelSettings, at: &[u64], progress: &Progress) -> Result<Recording, Failure> {
    simulate(model, |simulation| {
        let trajectory = drive(simulation, at, progress);
        let state = match trajectory.end {
            End::NotFinite { .. } => None,
            End::Complete | End::Interrupted { .. } => Some(simulation.state()),
        };
        Recording { trajectory, state }
    })
}

/// How long one step of a model takes here, measured over about this long.
///
/// # Errors
/// As [`run`].
pub fn time_per_step(model: &ModelSettings, measure: Duration) -> Result<Duration, Failure> {
    simulate(model, |simulation| {
        let start = Instant::now();
        let mut steps = 0;
        loop {
            let chunk = simulation.chunk();
            let made = simulation.advance(chunk);
            steps += made.max(1);
            let elapsed = start.elapsed();
            if elapsed >= measure || made < chunk {
                return elapsed.div_f64(steps as f64);
            }
        }
    })
}

/// A run, whatever it computes with.
trait Simulation {
    /// How many steps to make between two looks at the clock and the keyboard.
    fn chunk(&self) -> u64;

    /// Makes so many steps, and returns how many of them ended in a finite state: fewer if the
    /// one after those did not.
    fn advance(&mut self, steps: u64) -> u64;

    /// What there is to record after `t` steps.
    fn observe(&mut self, t: u64) -> Row;

    /// Where it stands.
    fn state(&mut self) -> State;
}

fn drive(simulation: &mut dyn Simulation, at: &[u64], progress: &Progress) -> Trajectory {
    let mut rows: Vec<Row> = Vec::with_capacity(at.len());
    let mut t = 0;
    // The newest row that was looked at but not asked for. Enclosures grow until they say nothing,
    // so that they are looked at often, to have the last one that does.
    let mut newest: Option<Row> = None;
    let encloses = matches!(
        simulation.observe(0).excess_loss,
        Number::Interval { .. } | Number::SingleInterval { .. }
    );
    let keep = |mut rows: Vec<Row>, newest: Option<Row>, end: End| {
        rows.extend(newest.filter(|new| rows.last().is_none_or(|row| row.t < new.t)));
        Trajectory { rows, end }
    };
    for &target in at {
        while t < target {
            if interrupt::requested() {
                let row = Some(simulation.observe(t)).filter(Row::is_finite);
                return keep(rows, row, End::Interrupted { after: t });
            }
            let most = if encloses { (t / 64).max(1) } else { u64::MAX };
            let chunk = simulation.chunk().min(target - t).min(most);
            let made = simulation.advance(chunk);
            t += made;
            if made < chunk {
                return keep(rows, newest, End::NotFinite { at: t + 1 });
            }
            progress.reached(t);
            if encloses && t < target {
                let row = simulation.observe(t);
                if !row.is_finite() {
                    return keep(rows, newest, End::NotFinite { at: t });
                }
                newest = Some(row);
            }
        }
        let row = simulation.observe(t);
        if !row.is_finite() {
            return keep(rows, newest, End::NotFinite { at: t });
        }
        rows.push(row);
    }
    Trajectory { rows, end: End::Complete }
}

/// Builds the run that a configuration asks for, and hands it over.
fn simulate<R>(
    model: &ModelSettings,
    with: impl FnOnce(&mut dyn Simulation) -> R,
) -> Result<R, Failure> {
    match model.scalar {
        ScalarKind::F32 => simulate_with::<f32, R>(model, with),
        ScalarKind::F64 => simulate_with::<f64, R>(model, with),
        ScalarKind::Interval32 => simulate_with::<Interval<f32>, R>(model, with),
        ScalarKind::Interval64 => simulate_with::<Interval<f64>, R>(model, with),
    }
}

fn simulate_with<S: CliScalar, R>(
    model: &ModelSettings,
    with: impl FnOnce(&mut dyn Simulation) -> R,
) -> Result<R, Failure> {
    match &model.dense {
        Some(dense) => with_dense::<S, R>(model, dense, with),
        None => with_lumped_run::<S, R>(model, |mut run, classes| {
            with(&mut LumpedRun { run: &mut run, classes })
        }),
    }
}

/// What the core finds wrong with a model is wrong with the configuration.
pub(crate) fn refused(error: popgd_core::Error) -> Failure {
    Failure::Usage(error.to_string())
}

fn accumulate(model: &ModelSettings) -> Accumulate {
    if model.compensated { Accumulate::Compensated } else { Accumulate::Plain }
}

/// The core's model of a lumped run in the scalar S, for as long as `with` needs it.
///
/// It is there for dense configurations too: what theory says of a model it says of its classes.
pub(crate) fn with_lumped_model<S: CliScalar, R>(
    model: &ModelSettings,
    with: impl FnOnce(LumpedModel<'_, S>) -> R,
) -> R {
    let slope = S::from_exact(&model.slope);
    let levels: Vec<(S, Vec<S>, Vec<S>)> = model
        .classes
        .iter()
        .map(|class| {
            let counts = class.levels.iter().map(|level| count(slope, level.count)).collect();
            let weights = class.levels.iter().map(|level| S::from_exact(&level.weight)).collect();
            (count(slope, class.count), counts, weights)
        })
        .collect();
    let classes: Vec<Class<'_, S>> = levels
        .iter()
        .map(|(columns, counts, weights)| Class { columns: *columns, counts, weights })
        .collect();
    with(LumpedModel {
        activation: Activation::leaky_relu(slope),
        classes: &classes,
        teacher_norm: match &model.teacher_norm {
            TeacherNorm::Norm(norm) => S::from_exact(norm),
            TeacherNorm::Square(square) => S::from_exact(square).sqrt(),
        },
        logit_gain: S::from_exact(&model.logit_gain),
        rate: S::from_exact(&model.rate),
        slope_at_zero: S::from_exact(&model.slope_at_zero),
    })
}

/// A lumped run in the scalar S, from the start of the configuration, and its classes.
pub(crate) fn with_lumped_run<S: CliScalar, R>(
    model: &ModelSettings,
    with: impl FnOnce(Lumped<'_, S>, &[ClassSettings]) -> R,
) -> Result<R, Failure> {
    with_lumped_model(model, |lumped| {
        let mut memory = vec![lumped.rate; lumped.memory()];
        let run = match &model.state {
            None => Lumped::from_zero(lumped, accumulate(model), &mut memory),
            Some(state) => {
                let c = S::from_span(&state.c);
                let logits: Vec<S> = state.logits.iter().map(S::from_span).collect();
                Lumped::from_state(lumped, accumulate(model), c, &logits, &mut memory)
            }
        };
        run.map(|run| with(run, &model.classes)).map_err(refused)
    })
}

struct LumpedRun<'r, 'a, S> {
    run: &'r mut Lumped<'a, S>,
    classes: &'r [ClassSettings],
}

impl<S: CliScalar> Simulation for LumpedRun<'_, '_, S> {
    fn chunk(&self) -> u64 {
        let levels = u64::try_from(self.run.logits().len()).unwrap_or(u64::MAX);
        // The wedge of a class costs the square of its levels, up to a point.
        (1 << 16) / (levels * levels.min(8)).clamp(1, 1 << 16)
    }

    fn advance(&mut self, steps: u64) -> u64 {
        for made in 0..steps {
            self.run.step();
            if !(self.run.c().is_finite() && self.run.logits().iter().all(|z| z.is_finite())) {
                return made;
            }
        }
        steps
    }

    fn observe(&mut self, t: u64) -> Row {
        let tangent = self
            .classes
            .iter()
            .zip(self.run.columns())
            .filter(|(class, _)| class.levels.iter().any(|level| level.weight.is_zero()))
            .map(|(_, column)| tangent(&column))
            .reduce(f64::max);
        let quantities = self.run.quantities();
        let coefficients = self.run.coefficients();
        let c1 = Some(self.run.c().report());
        let [c2, c3] = match coefficients {
            Some([_, c2, c3]) => [Some(c2.report()), Some(c3.report())],
            None => [None, None],
        };
        row(t, [c1, c2, c3], &quantities, tangent)
    }

    fn state(&mut self) -> State {
        let c = self.run.c().report();
        let scores: Vec<S> = self.run.scores().to_vec();
        let mut values = self.run.logits().iter().zip(scores);
        let classes = self
            .classes
            .iter()
            .map(|class| ClassState {
                count: class.count,
                levels: class
                    .levels
                    .iter()
                    .zip(values.by_ref())
                    .map(|(level, (logit, score))| LevelState {
                        count: level.count,
                        weight: S::from_exact(&level.weight).report(),
                        logit: logit.report(),
                        score: score.report(),
                    })
                    .collect(),
            })
            .collect();
        State::Lumped { c, classes }
    }
}

/// tan θ, with a denominator that a random start may make small.
fn tangent<S: CliScalar>(column: &Alignment<S>) -> f64 {
    column.wedge.report().center() / column.inner.report().center()
}

fn row<S: CliScalar>(
    t: u64,
    [c1, c2, c3]: [Option<Number>; 3],
    quantities: &Quantities<S>,
    tangent: Option<f64>,
) -> Row {
    Row {
        t,
        c1,
        c2,
        c3,
        excess_loss: quantities.excess_loss.report(),
        score_error: quantities.score_error.report(),
        value_error: quantities.value_error.report(),
        tangent,
    }
}

/// The core's model of a dense run in the scalar S, for as long as `with` needs it; with it the
/// positions and τ, by which W_KQ makes logits.
pub(crate) fn with_dense_model<S: CliScalar, R>(
    model: &ModelSettings,
    dense: &DenseSettings,
    with: impl FnOnce(DenseModel<'_, S>, Positions<'_, S>, S) -> Result<R, popgd_core::Error>,
) -> Result<R, Failure> {
    let slope = S::from_exact(&model.slope);
    let shape = Shape {
        tokens: dense.scores.columns,
        channels: dense.value_matrix.rows,
        features: dense.value_matrix.columns,
    };
    let tokens = shape.tokens;
    let teacher_values = entries::<S>(&dense.value_matrix);
    let teacher_scores = transposed(&entries::<S>(&dense.scores), tokens);
    let teacher =
        Teacher::new(shape, Activation::leaky_relu(slope), &teacher_values, &teacher_scores)
            .map_err(refused)?;

    let gain = S::from_exact(&model.logit_gain);
    // For γ = 1, κ = 1/τ².
    let temperature = match &dense.logit_scale {
        Some(scale) => S::from_exact(scale),
        None => gain.one() / gain.sqrt(),
    };
    let encodings = match &dense.positions {
        PositionSettings::Identity => Vec::new(),
        PositionSettings::Orthogonal(p) | PositionSettings::General(p) => entries::<S>(p),
    };
    let positions = match &dense.positions {
        PositionSettings::Identity => Positions::Identity,
        PositionSettings::Orthogonal(_) => Positions::Orthogonal(&encodings),
        PositionSettings::General(_) => Positions::General(&encodings),
    };
    let mut gram = Vec::new();
    let metric = match (&dense.positions, &dense.logit_scale) {
        (PositionSettings::General(_), _) => {
            gram.resize(shape.score_entries(), slope);
            positions.gram(slope.one(), tokens, &mut gram).map_err(refused)?;
            Metric::Gram { gram: &gram, temperature }
        }
        (_, Some(_)) => Metric::Gain(slope.one() / temperature.square()),
        (_, None) => Metric::Gain(gain),
    };
    let core_model = DenseModel {
        teacher,
        metric,
        rate: S::from_exact(&model.rate),
        slope_at_zero: S::from_exact(&model.slope_at_zero),
    };
    with(core_model, positions, temperature).map_err(refused)
}

/// A dense run's model, with the W_V (M × d) and the logits (D × D, one row per query) that it starts
/// from.
pub(crate) fn with_dense_start<S: CliScalar, R>(
    model: &ModelSettings,
    dense: &DenseSettings,
    with: impl FnOnce(
        (DenseModel<'_, S>, Positions<'_, S>, S),
        &[S],
        &[S],
    ) -> Result<R, popgd_core::Error>,
) -> Result<R, Failure> {
    with_dense_model(model, dense, |core_model: DenseModel<'_, S>, positions, temperature| {
        let shape = core_model.teacher.shape();
        let zero = temperature.zero();
        let value_matrix = match &dense.start_value_matrix {
            Some(start) => spans(start),
            None => vec![zero; shape.value_entries()],
        };
        let mut logits = vec![zero; shape.score_entries()];
        if let Some(start) = &dense.start_key_query {
            let mut scratch = logits.clone();
            let start = spans::<S>(start);
            positions.logits(shape.tokens, &start, temperature, &mut logits, &mut scratch)?;
        }
        if let Some(start) = &dense.start_logits {
            logits = transposed(&spans(start), shape.tokens);
        }
        with((core_model, positions, temperature), &value_matrix, &logits)
    })
}

fn with_dense<S: CliScalar, R>(
    model: &ModelSettings,
    dense: &DenseSettings,
    with: impl FnOnce(&mut dyn Simulation) -> R,
) -> Result<R, Failure> {
    with_dense_start::<S, R>(
        model,
        dense,
        |(core_model, positions, temperature), values, logits| {
            let mut memory: Vec<S> = vec![temperature.zero(); core_model.memory()];
            let (sums, zeros) = (accumulate(model), zeros_by_column(&dense.scores));
            let mut run = Dense::from_state(core_model, sums, values, logits, &mut memory)?;
            Ok(with(&mut DenseRun { run: &mut run, positions, temperature, zeros }))
        },
    )
}

fn entries<S: CliScalar>(matrix: &Matrix) -> Vec<S> {
    matrix.entries.iter().map(S::from_exact).collect()
}

fn spans<S: CliScalar>(matrix: &Matrix<Span>) -> Vec<S> {
    matrix.entries.iter().map(S::from_span).collect()
}

/// From the paper's layout to the core's, one row per query, or back.
fn transposed<S: Copy>(matrix: &[S], side: usize) -> Vec<S> {
    (0..matrix.len()).filter_map(|at| matrix.get((at % side) * side + at / side).copied()).collect()
}

/// For each column of S*, whether it has zeros.
fn zeros_by_column(scores: &Matrix) -> Vec<bool> {
    (0..scores.columns)
        .map(|column| {
            scores.entries.iter().skip(column).step_by(scores.columns).any(|w| w.is_zero())
        })
        .collect()
}

struct DenseRun<'r, 'a, S> {
    run: &'r mut Dense<'a, S>,
    positions: Positions<'r, S>,
    temperature: S,
    zeros: Vec<bool>,
}

impl<S: CliScalar> Simulation for DenseRun<'_, '_, S> {
    fn chunk(&self) -> u64 {
        let shape = self.run.model().teacher.shape();
        let per_entry = match self.positions {
            Positions::General(_) => 2 * shape.tokens,
            Positions::Identity | Positions::Orthogonal(_) => 8,
        };
        let pairs = shape.channels.saturating_mul(shape.tokens);
        let work = shape
            .score_entries()
            .saturating_mul(per_entry)
            .saturating_add(pairs.saturating_mul(16))
            .saturating_add(shape.value_entries());
        ((1 << 20) / work.clamp(1, 1 << 20)) as u64
    }

    fn advance(&mut self, steps: u64) -> u64 {
        for made in 0..steps {
            self.run.step();
            let mut state = self.run.value_matrix().iter().chain(self.run.logits());
            if !state.all(|x| x.is_finite()) {
                return made;
            }
        }
        steps
    }

    fn observe(&mut self, t: u64) -> Row {
        let teacher = &self.run.model().teacher;
        let tokens = teacher.shape().tokens;
        let context = self.temperature;
        let columns =
            self.run.scores().chunks_exact(tokens).zip(teacher.scores().chunks_exact(tokens));
        let tangent = columns
            .zip(&self.zeros)
            .filter(|(_, has_zeros)| **has_zeros)
            .map(|((own, target), _)| tangent(&Alignment::of(context, None, own, target)))
            .reduce(f64::max);
        row(t, [None; 3], &self.run.quantities(), tangent)
    }

    fn state(&mut self) -> State {
        let Shape { tokens, channels, features } = self.run.model().teacher.shape();
        let report = |values: &[S]| values.iter().map(|x| x.report()).collect::<Vec<_>>();
        let logits = self.run.logits();
        // For PᵀP = I, ∂L/∂W_KQ = P (∂L/∂Z) Pᵀ/τ gives W_KQ = τ P Z Pᵀ if fed with τ² Z.
        let key_query = match self.positions {
            Positions::General(_) => None,
            Positions::Identity | Positions::Orthogonal(_) => {
                let square = self.temperature.square();
                let scaled: Vec<S> = logits.iter().map(|&z| square * z).collect();
                let mut key_query = vec![square; logits.len()];
                let mut scratch = key_query.clone();
                self.positions
                    .key_query_gradient(
                        tokens,
                        &scaled,
                        self.temperature,
                        &mut key_query,
                        &mut scratch,
                    )
                    .ok()
                    .map(|()| report(&key_query))
            }
        };
        State::Dense {
            tokens,
            channels,
            features,
            value_matrix: report(self.run.value_matrix()),
            scores: report(&transposed(self.run.scores(), tokens)),
            logits: report(&transposed(logits, tokens)),
            key_query,
        }
    }
}
