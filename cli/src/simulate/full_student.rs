//! The whole model in training, and which of its blocks move.

use popgd_core::scalar::Scalar;

use super::batch::Batch;
use super::draw::TRAINING;
use super::exact::ExactState;
use super::full::{FullNetwork, FullScratch, width};
use super::learner::Learner;
use super::measure::Measure;
use super::observe::{Streams, cosine, distance, gap};
use super::problem::Problem;
use crate::error::Failure;
use crate::ood::family::Family;

/// W_V and W_KQ in full, from 0.
#[derive(Clone, Debug)]
pub struct FullStudent<'p> {
    problem: &'p Problem,
    values: Vec<f64>,
    keys: Vec<f64>,
    value_gradient: Vec<f64>,
    key_gradient: Vec<f64>,
    scratch: FullScratch<f64>,
}

/// A block of a matrix: its rows and its columns, each before (false) or after (true) d.
fn block(
    matrix: &[f64],
    columns: usize,
    split: usize,
    rows: Option<bool>,
    right: bool,
) -> Vec<f64> {
    let kept = matrix.chunks(columns).enumerate();
    kept.filter(|(row, _)| rows.is_none_or(|lower| (*row >= split) == lower))
        .flat_map(|(_, row)| {
            let (left, rest) = row.split_at(split);
            if right { rest } else { left }
        })
        .copied()
        .collect()
}

fn norm(entries: &[f64]) -> f64 {
    entries.iter().map(|x| x * x).sum::<f64>().norm()
}

impl FullStudent<'_> {
    fn network(&self) -> FullNetwork<'_, f64> {
        FullNetwork {
            shape: self.problem.shape,
            activation: self.problem.activation,
            slope_at_zero: self.problem.slope_at_zero,
            positions: &self.problem.positions,
            temperature: self.problem.temperature,
            values: &self.values,
            keys: &self.keys,
        }
    }

    /// The excess loss on a fresh batch, and the root of the mean of ‖S − S*‖² on it.
    fn on_a_batch(&self, count: usize, streams: &mut Streams) -> (f64, f64) {
        let (problem, shape) = (self.problem, self.problem.shape);
        let mut batch = Batch::default();
        problem.draw(&TRAINING, count, &mut streams.evaluation, &mut batch);
        let noisy = batch.labels.clone();
        problem.label(&mut batch);
        let mut outputs = vec![0.0; noisy.len()];
        let mut square = 0.0;
        let mut scratch = self.scratch.clone();
        let inputs = batch.inputs.chunks_exact(shape.features * shape.tokens);
        for (input, outputs) in inputs.zip(outputs.chunks_mut(shape.channels * shape.tokens)) {
            self.network().apply(input, &mut scratch, outputs);
            square += distance(&scratch.scores, &problem.teacher_scores).powi(2);
        }
        (gap(&noisy, &outputs, &batch.labels, count), (square / count as f64).sqrt())
    }
}

impl<'p> Learner<'p> for FullStudent<'p> {
    const MEASURES: &'static [Measure] = &Measure::FULL;

    fn at_start(problem: &'p Problem) -> Self {
        let width = width(problem.shape);
        let values = vec![0.0; problem.shape.channels * width];
        let keys = vec![0.0; width * width];
        Self {
            problem,
            value_gradient: values.clone(),
            key_gradient: keys.clone(),
            values,
            keys,
            scratch: FullScratch::default(),
        }
    }

    fn with_parameters(problem: &'p Problem, values: Vec<f64>, keys: Vec<f64>) -> Option<Self> {
        let start = Self::at_start(problem);
        let fit = (values.len(), keys.len()) == (start.values.len(), start.keys.len());
        fit.then_some(Self { values, keys, ..start })
    }

    fn parameters(&self) -> (&[f64], &[f64]) {
        (&self.values, &self.keys)
    }

    fn step(&mut self, batch: &Batch<f64>) {
        let mut scratch = std::mem::take(&mut self.scratch);
        let mut by_values = std::mem::take(&mut self.value_gradient);
        let mut by_keys = std::mem::take(&mut self.key_gradient);
        self.network().gradient(batch, &mut scratch, &mut by_values, &mut by_keys);
        let moved = self.values.iter_mut().chain(&mut self.keys);
        for (weight, slope) in moved.zip(by_values.iter().chain(&by_keys)) {
            *weight -= self.problem.rate * slope;
        }
        (self.scratch, self.value_gradient, self.key_gradient) = (scratch, by_values, by_keys);
    }

    fn observe(
        &mut self,
        _exact: &ExactState,
        (_, count): (&Family, usize),
        streams: &mut Streams,
    ) -> Result<Vec<f64>, Failure> {
        let (split, width) = (self.problem.shape.features, width(self.problem.shape));
        let (excess, attention) = self.on_a_batch(count, streams);
        let on_inputs = block(&self.values, width, split, None, false);
        let keys = |lower, right| norm(&block(&self.keys, width, split, Some(lower), right));
        let value = |measure: &Measure| match measure {
            Measure::BatchExcess => excess,
            Measure::ScoreError => attention,
            Measure::ValueError => distance(&on_inputs, &self.problem.teacher_values),
            Measure::Cosine => cosine(&on_inputs, &self.problem.teacher_values),
            Measure::ValueInputs => norm(&on_inputs),
            Measure::ValuePositions => norm(&block(&self.values, width, split, None, true)),
            Measure::KeysInputs => keys(false, false),
            Measure::KeysInputsPositions => keys(false, true),
            Measure::KeysPositionsInputs => keys(true, false),
            Measure::KeysPositions => keys(true, true),
            _ => f64::NAN,
        };
        Ok(Self::MEASURES.iter().map(value).collect())
    }

    fn attention(&self) -> &[f64] {
        &self.keys
    }
}
