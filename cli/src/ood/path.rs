//! The student on its way: what its outputs differ by from the teacher's before σ, at recorded steps.

use popgd_core::Interval;
use popgd_core::descent::lumped::LumpedModel;

use crate::engine::{with_lumped_model, with_lumped_run};
use crate::error::Failure;
use crate::interrupt;
use crate::progress::Progress;
use crate::settings::ModelSettings;

/// A recorded step.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// T.
    pub t: u64,
    /// c s − s* on every level of every class.
    pub errors: Vec<f64>,
    /// c − 1.
    pub ahead: f64,
    /// L − L_opt, on the Gaussian inputs of training.
    pub excess_loss: f64,
}

/// Runs a lumped model through the steps `at`, which increase.
///
/// # Errors
/// A model that does not hang together, an interrupt, a figure that is not finite.
pub fn follow(
    model: &ModelSettings,
    at: &[u64],
    progress: &Progress,
) -> Result<Vec<Point>, Failure> {
    const CHUNK: u64 = 4096;
    with_lumped_run::<f64, _>(model, |mut run, _| {
        let mut points = Vec::with_capacity(at.len());
        let mut t = 0;
        for &target in at {
            while t < target {
                if interrupt::requested() {
                    return Err(Failure::Interrupted(
                        "interrupted before anything could be measured".to_owned(),
                    ));
                }
                let chunk = CHUNK.min(target - t);
                for _ in 0..chunk {
                    run.step();
                }
                t += chunk;
                progress.reached(t);
            }
            let excess_loss = run.quantities().excess_loss;
            let errors = run.output_errors().to_vec();
            if !(excess_loss.is_finite() && errors.iter().all(|e| e.is_finite())) {
                let message = format!("a figure is not finite after {t} steps");
                return Err(Failure::NotFinite(message));
            }
            points.push(Point { t, errors, ahead: run.c() - 1.0, excess_loss });
        }
        Ok(points)
    })?
}

/// The weights of the levels, and for every level the class it belongs to.
pub fn levels_of(model: &ModelSettings) -> (Vec<f64>, Vec<usize>) {
    with_lumped_model::<f64, _>(model, |lumped: LumpedModel<'_, f64>| {
        let weights = lumped.classes.iter().flat_map(|class| class.weights.iter().copied());
        let classes = lumped.classes.iter().enumerate();
        let owners = classes.flat_map(|(at, class)| class.weights.iter().map(move |_| at));
        (weights.collect(), owners.collect())
    })
}

/// A number and its neighbourhood, where it is known to some digits only.
pub fn around(value: f64) -> Interval<f64> {
    Interval::point(value) * Interval::new(1.0 - 1e-14, 1.0 + 1e-14).unwrap_or(Interval::ENTIRE)
}
