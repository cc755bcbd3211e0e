//! Teacher, start and training as plain numbers.

use popgd_core::model::activation::Activation;
use popgd_core::model::positions::{Metric, Positions};
use popgd_core::model::teacher::{Shape, Teacher};
use popgd_core::scalar::Scalar;

use super::batch::{Batch, project};
use super::draw;
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
    /// For every query the tokens of weight other than 0, with their weights.
    support: Vec<Vec<(usize, f64)>>,
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
                let weights = |row: &[f64]| {
                    row.iter().copied().enumerate().filter(|&(_, weight)| weight != 0.0).collect()
                };
                Ok(Some(Self {
                    shape: teacher.shape(),
                    activation: *teacher.activation(),
                    slope_at_zero: core.slope_at_zero,
                    teacher_values: teacher.value_matrix().to_vec(),
                    support: scores.chunks(teacher.shape().tokens).map(weights).collect(),
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
        let (tokens, channels) = (self.shape.tokens, self.shape.channels);
        let mut projected = vec![0.0; channels * tokens];
        let inputs = batch.inputs.chunks_exact(self.shape.features * tokens);
        for (input, labels) in inputs.zip(batch.labels.chunks_exact_mut(channels * tokens)) {
            project(&self.teacher_values, self.shape.features, input, tokens, 0.0, &mut projected);
            for (labels, row) in labels.chunks_mut(tokens).zip(projected.chunks(tokens)) {
                for (slot, support) in labels.iter_mut().zip(&self.support) {
                    let sum = support.iter().fold(0.0, |sum, &(token, weight)| {
                        sum + weight * row.get(token).copied().unwrap_or(0.0)
                    });
                    *slot = self.activation.apply(sum);
                }
            }
        }
    }

    /// ‖V*‖_F.
    pub fn teacher_norm(&self) -> f64 {
        self.teacher_values.iter().map(|x| x * x).sum::<f64>().norm()
    }
}
