//! Teacher, start and training as plain numbers.

use popgd_core::model::activation::Activation;
use popgd_core::model::positions::{Metric, Positions};
use popgd_core::model::teacher::{Shape, Teacher};
use popgd_core::scalar::Scalar;

use super::batch::Batch;
use super::draw;
use super::product::{Product, View};
use crate::engine;
use crate::error::Failure;
use crate::ood::family::Family;
use crate::settings::ModelSettings;

/// All that determines training but what is drawn.
#[derive(Clone, Debug)]
pub struct Problem {
    /// D, M and d.
    pub shape: Shape,
    /// σ.
    pub activation: Activation<f64>,
    /// σ′(0).
    pub slope_at_zero: f64,
    /// V*, M × d.
    pub teacher_values: Vec<f64>,
    /// S*, one row per query.
    pub teacher_scores: Vec<f64>,
    /// The different columns of S*: the tokens of weight other than 0, with their weights.
    columns: Vec<Vec<(usize, f64)>>,
    /// For every query, which of these columns is its own.
    column_of: Vec<usize>,
    /// W_V at the start.
    pub start_values: Vec<f64>,
    /// Z at the start, one row per query.
    pub start_logits: Vec<f64>,
    /// η.
    pub rate: f64,
    /// κ.
    pub logit_gain: f64,
    /// P, row by row: column i is the position of token i. For the full model only, otherwise P is in
    /// κ.
    pub positions: Vec<f64>,
    /// τ.
    pub temperature: f64,
    /// Standard deviation of the label noise.
    pub noise: f64,
}

impl Problem {
    /// Of a dense configuration.
    ///
    /// # Errors
    /// One that does not hang together, and positions that are not orthogonal.
    pub fn of(model: &ModelSettings) -> Result<Self, Failure> {
        let Some(dense) = &model.dense else {
            return Err(Failure::usage("--method: only dense runs can be simulated"));
        };
        let noise = model.noise.to_f64();
        engine::with_dense_start::<f64, _>(
            model,
            dense,
            |(core, positions, temperature), values, logits| {
                let teacher = core.teacher;
                let Metric::Gain(logit_gain) = core.metric else { return Ok(None) };
                let scores = teacher.scores().to_vec();
                let tokens = teacher.shape().tokens;
                let identity = || (0..tokens * tokens).map(|at| f64::from(at % (tokens + 1) == 0));
                let positions = match positions {
                    Positions::Orthogonal(given) | Positions::General(given) => given.to_vec(),
                    Positions::Identity => identity().collect(),
                };
                let (columns, column_of) = different_columns(&scores, tokens);
                Ok(Some(Self {
                    shape: teacher.shape(),
                    activation: *teacher.activation(),
                    slope_at_zero: core.slope_at_zero,
                    teacher_values: teacher.value_matrix().to_vec(),
                    columns,
                    column_of,
                    teacher_scores: scores,
                    start_values: values.to_vec(),
                    start_logits: logits.to_vec(),
                    rate: core.rate,
                    logit_gain,
                    positions,
                    temperature,
                    noise,
                }))
            },
        )?
        .ok_or_else(|| {
            Failure::usage(
                "p: is not orthogonal, and training is simulated for orthogonal positions only: \
                 leave it out, or run the exact descent with `popgd run`",
            )
        })
    }

    /// The teacher, for what the core computes.
    ///
    /// # Errors
    /// None in practice: the shapes fit.
    pub fn teacher(&self) -> Result<Teacher<'_, f64>, Failure> {
        Teacher::new(self.shape, self.activation, &self.teacher_values, &self.teacher_scores)
            .map_err(engine::refused)
    }

    /// Draws inputs and labels: σ(V* X S*) and noise.
    pub fn draw(
        &self,
        law: &Family,
        count: usize,
        random: &mut rand_xoshiro::Xoshiro256PlusPlus,
        batch: &mut Batch<f64>,
    ) {
        let (tokens, channels) = (self.shape.tokens, self.shape.channels);
        batch.inputs.resize(count * self.shape.features * tokens, 0.0);
        batch.labels.resize(count * channels * tokens, 0.0);
        draw::fill(law, random, &mut batch.inputs);
        self.label(batch);
        draw::add_noise(random, self.noise, &mut batch.labels);
    }

    /// Labels without noise: σ(V* X S*).
    pub fn label(&self, batch: &mut Batch<f64>) {
        let Shape { tokens, channels, features } = self.shape;
        let mut projected = vec![0.0; channels * tokens];
        let mut outputs = vec![0.0; self.columns.len()];
        let values = View::with_columns(&self.teacher_values, features);
        let inputs = batch.inputs.chunks_exact(features * tokens);
        for (input, labels) in inputs.zip(batch.labels.chunks_exact_mut(channels * tokens)) {
            projected.fill(0.0);
            f64::add_product(values, View::with_columns(input, tokens), &mut projected);
            for (labels, row) in labels.chunks_mut(tokens).zip(projected.chunks(tokens)) {
                for (slot, column) in outputs.iter_mut().zip(&self.columns) {
                    let sum = column.iter().fold(0.0, |sum, &(token, weight)| {
                        sum + weight * row.get(token).copied().unwrap_or(0.0)
                    });
                    *slot = self.activation.apply(sum);
                }
                for (slot, &column) in labels.iter_mut().zip(&self.column_of) {
                    *slot = outputs.get(column).copied().unwrap_or(0.0);
                }
            }
        }
    }

    /// ‖V*‖_F.
    pub fn teacher_norm(&self) -> f64 {
        self.teacher_values.iter().map(|x| x * x).sum::<f64>().norm()
    }
}

/// The different columns of S*, sparse, and for every query which of them is its own.
fn different_columns(scores: &[f64], tokens: usize) -> (Vec<Vec<(usize, f64)>>, Vec<usize>) {
    let mut columns: Vec<Vec<(usize, f64)>> = Vec::new();
    let mut column_of = Vec::new();
    for row in scores.chunks(tokens) {
        let entries = row.iter().copied().enumerate().filter(|&(_, weight)| weight != 0.0);
        let column: Vec<_> = entries.collect();
        let known = columns.iter().rposition(|other| *other == column);
        column_of.push(known.unwrap_or(columns.len()));
        if known.is_none() {
            columns.push(column);
        }
    }
    (columns, column_of)
}
