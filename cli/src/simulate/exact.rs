//! Descent on the population loss from the same start: what training is held against.

use popgd_core::descent::accumulate::Accumulate;
use popgd_core::descent::dense::{Dense, DenseModel};
use popgd_core::model::Quantities;
use popgd_core::model::positions::Metric;

use super::problem::Problem;
use crate::engine;
use crate::error::Failure;
use crate::interrupt;

/// The exact run after `t` steps.
#[derive(Clone, Debug)]
pub struct ExactState {
    /// The number of steps.
    pub t: u64,
    /// W_V.
    pub values: Vec<f64>,
    /// Z, one row per query.
    pub logits: Vec<f64>,
    /// S, one row per query.
    pub scores: Vec<f64>,
    /// The quantities of Theorem 3.1.
    pub quantities: Quantities<f64>,
}

/// The run at these steps, which increase; fewer if the user ended it.
///
/// # Errors
/// None in practice: the shapes fit.
pub fn states(problem: &Problem, at: &[u64]) -> Result<Vec<ExactState>, Failure> {
    let model = DenseModel {
        teacher: problem.teacher()?,
        metric: Metric::Gain(problem.logit_gain),
        rate: problem.rate,
        slope_at_zero: problem.slope_at_zero,
    };
    let mut memory = vec![0.0; model.memory()];
    let (values, logits) = (&problem.start_values, &problem.start_logits);
    let mut run = Dense::from_state(model, Accumulate::Compensated, values, logits, &mut memory)
        .map_err(engine::refused)?;
    let mut t = 0;
    let mut states = Vec::with_capacity(at.len());
    for &target in at {
        while t < target {
            if t % 64 == 0 && interrupt::requested() {
                return Ok(states);
            }
            run.step();
            t += 1;
        }
        states.push(ExactState {
            t,
            values: run.value_matrix().to_vec(),
            logits: run.logits().to_vec(),
            scores: run.scores().to_vec(),
            quantities: run.quantities(),
        });
    }
    Ok(states)
}
