//! What theory says of a configuration before it is run.

use popgd_core::scalar::float::Float;
use popgd_core::theory::{rates, stability};

use crate::engine::{refused, with_dense_model, with_lumped_model};
use crate::error::Failure;
use crate::settings::{ModelSettings, PositionSettings};

/// The rates from which on a run no longer converges.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// The rate itself.
    pub rate: f64,
    /// For a lumped run.
    pub lumped: f64,
    /// For the same run in full matrices.
    pub dense: f64,
}

/// The stability limits of a configuration.
///
/// # Errors
/// If the model does not hang together.
pub fn limits(model: &ModelSettings) -> Result<Limits, Failure> {
    let (lumped, dense) = with_lumped_model::<f64, _>(model, |lumped| {
        let mut memory = vec![0.0; 2 * lumped.levels()];
        let own = stability::lumped_curvature(&lumped, &mut memory)?;
        let full = stability::dense_curvature(&lumped, &mut memory)?;
        Ok((own, full))
    })
    .map_err(refused)?;
    let dense = match &model.dense {
        Some(settings) if matches!(settings.positions, PositionSettings::General(_)) => {
            with_dense_model::<f64, _>(model, settings, |core_model, _, _| {
                let mut memory = vec![0.0; 3 * core_model.teacher.shape().score_entries()];
                stability::general_curvature(&core_model, &mut memory)
            })?
        }
        _ => dense,
    };
    Ok(Limits { rate: model.rate.to_f64(), lumped: 2.0 / lumped, dense: 2.0 / dense })
}

/// The predicted number of steps, from zero, until the tangent of a single class of two levels
/// has fallen to `tangent`; nothing for other classes, or if it never does.
pub fn steps_until(model: &ModelSettings, tangent: f64) -> Option<f64> {
    steps_between(model, f64::INFINITY, tangent)
}

/// The same from a state with tangent `from`.
pub fn steps_between(model: &ModelSettings, from: f64, to: f64) -> Option<f64> {
    let group = model.group.filter(|&group| group < model.tokens && model.classes.len() == 1)?;
    let (tokens, group) = (model.tokens as f64, group as f64);
    with_lumped_model::<f64, _>(model, |lumped| {
        let until = |tangent| rates::clock_until(&lumped.activation, tokens, group, tangent);
        let clock = until(to) - if from.is_finite() { until(from) } else { 0.0 };
        let rate = rates::clock_rate(
            tokens,
            group,
            lumped.activation.gain(),
            lumped.teacher_norm,
            lumped.logit_gain,
            lumped.rate,
        );
        let steps = clock / rate;
        (Float::is_finite(steps) && steps >= 0.0).then_some(steps)
    })
}
