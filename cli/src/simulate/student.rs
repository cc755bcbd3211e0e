//! The position-only student in training.

use popgd_core::scalar::Scalar;

use super::batch::{Batch, Network, Scratch};
use super::exact::ExactState;
use super::learner::Learner;
use super::measure::Measure;
use super::observe::{Streams, observe};
use super::problem::Problem;
use crate::error::Failure;
use crate::ood::family::Family;

/// W_V and the logits, through which alone W_KQ acts: for orthogonal positions a step on W_KQ is a
/// step on the logits at κ times the rate (note 1).
#[derive(Clone, Debug)]
pub struct Student<'p> {
    problem: &'p Problem,
    /// W_V, M × d.
    pub values: Vec<f64>,
    /// Z, one row per query.
    pub logits: Vec<f64>,
    /// S, one row per query.
    pub scores: Vec<f64>,
    value_gradient: Vec<f64>,
    logit_gradient: Vec<f64>,
    scratch: Scratch<f64>,
}

impl<'p> Student<'p> {
    /// With these parameters.
    pub fn new(problem: &'p Problem, values: Vec<f64>, logits: Vec<f64>) -> Self {
        let mut student = Self {
            problem,
            scores: logits.clone(),
            value_gradient: values.clone(),
            logit_gradient: logits.clone(),
            scratch: Scratch::default(),
            values,
            logits,
        };
        student.attend();
        student
    }

    /// σ(W_V X S) for every input of a batch, one after the other.
    pub fn apply(&mut self, batch: &Batch<f64>, outputs: &mut Vec<f64>) {
        let network = Network {
            shape: self.problem.shape,
            activation: self.problem.activation,
            slope_at_zero: self.problem.slope_at_zero,
            values: &self.values,
            scores: &self.scores,
        };
        outputs.resize(batch.labels.len(), 0.0);
        network.apply(&batch.inputs, &mut self.scratch, outputs);
    }

    fn attend(&mut self) {
        let tokens = self.problem.shape.tokens;
        let queries = self.logits.chunks_exact(tokens).zip(self.scores.chunks_exact_mut(tokens));
        for (logits, scores) in queries {
            f64::softmax(None, logits, scores);
        }
    }
}

impl<'p> Learner<'p> for Student<'p> {
    const MEASURES: &'static [Measure] = &Measure::POSITION_ONLY;

    fn at_start(problem: &'p Problem) -> Self {
        Self::new(problem, problem.start_values.clone(), problem.start_logits.clone())
    }

    fn with_parameters(problem: &'p Problem, values: Vec<f64>, logits: Vec<f64>) -> Option<Self> {
        let shape = problem.shape;
        let fit = (values.len(), logits.len()) == (shape.value_entries(), shape.score_entries());
        fit.then(|| Self::new(problem, values, logits))
    }

    fn parameters(&self) -> (&[f64], &[f64]) {
        (&self.values, &self.logits)
    }

    fn step(&mut self, batch: &Batch<f64>) {
        let network = Network {
            shape: self.problem.shape,
            activation: self.problem.activation,
            slope_at_zero: self.problem.slope_at_zero,
            values: &self.values,
            scores: &self.scores,
        };
        network.gradient(
            batch,
            &mut self.scratch,
            &mut self.value_gradient,
            &mut self.logit_gradient,
        );
        let rate = self.problem.rate;
        for (weight, slope) in self.values.iter_mut().zip(&self.value_gradient) {
            *weight -= rate * slope;
        }
        let rate = rate * self.problem.logit_gain;
        for (logit, slope) in self.logits.iter_mut().zip(&self.logit_gradient) {
            *logit -= rate * slope;
        }
        self.attend();
    }

    fn observe(
        &mut self,
        exact: &ExactState,
        evaluation: (&Family, usize),
        streams: &mut Streams,
    ) -> Result<Vec<f64>, Failure> {
        observe(self.problem, self, exact, evaluation, streams)
    }

    fn attention(&self) -> &[f64] {
        &self.scores
    }
}
