//! What theory says of a configuration before it is run.

use popgd_core::theory::rates::PAST_BURN_IN;
use popgd_core::theory::{rates, stability};

use crate::engine::{refused, with_dense_model, with_lumped_model};
use crate::error::Failure;
use crate::settings::{ModelSettings, PositionSettings, StateSettings};

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

/// The predicted number of steps until burn-in is over, from the start that the model has, or why
/// there is none.
///
/// # Errors
/// The reason.
pub fn burn_in(model: &ModelSettings) -> Result<f64, &'static str> {
    if let Some(dense) = &model.dense {
        if matches!(dense.positions, PositionSettings::General(_)) {
            return Err("not predicted for general positions");
        }
        if starts_in_matrices(model) {
            return Err("not predicted from a start in full matrices");
        }
    }
    let from = start_tangent(model).ok_or(MIXTURE)?;
    steps_between(model, from, PAST_BURN_IN).ok_or(if model.group == Some(model.tokens) {
        "there is none: convergence is geometric"
    } else {
        MIXTURE
    })
}

/// tan θ at the start of a lumped run, infinity standing for the zero start; nothing for a state of
/// other classes than a single one of two levels.
pub fn start_tangent(model: &ModelSettings) -> Option<f64> {
    model.state.as_ref().map_or(Some(f64::INFINITY), |state| state_tangent(model, state))
}

/// Whether a dense run has a start other than zero.
pub fn starts_in_matrices(model: &ModelSettings) -> bool {
    model.dense.as_ref().is_some_and(|dense| {
        dense.start_value_matrix.is_some()
            || dense.start_key_query.is_some()
            || dense.start_logits.is_some()
    })
}

const MIXTURE: &str = "predicted for one class of two levels only";

/// tan θ of a state of a single class of two levels.
fn state_tangent(model: &ModelSettings, state: &StateSettings) -> Option<f64> {
    let [class] = &model.classes[..] else { return None };
    let ([first, second], [z, other]) = (&class.levels[..], &state.logits[..]) else { return None };
    let (z, other) = (z.lo.to_f64(), other.lo.to_f64());
    let (inside, outside, gap) = match (first.weight.is_zero(), second.weight.is_zero()) {
        (false, true) => (first, second, z - other),
        (true, false) => (second, first, other - z),
        _ => return None,
    };
    Some((outside.count as f64 / inside.count as f64).sqrt() * (-gap).exp())
}

/// μ, by how much `1/tan²θ` of a single class of two levels grows a step in the limit.
pub fn clock_rate(model: &ModelSettings) -> Option<f64> {
    let group = model.group.filter(|&group| group < model.tokens && model.classes.len() == 1)?;
    let (tokens, group) = (model.tokens as f64, group as f64);
    with_lumped_model::<f64, _>(model, |lumped| {
        Some(rates::clock_rate(
            tokens,
            group,
            lumped.activation.gain(),
            lumped.teacher_norm,
            lumped.logit_gain,
            lumped.rate,
        ))
    })
}

/// The predicted number of steps in which the tangent of a single class of two levels falls from
/// `from`, infinity standing for the zero start, to `to`; nothing for other classes.
pub fn steps_between(model: &ModelSettings, from: f64, to: f64) -> Option<f64> {
    let group = model.group.filter(|&group| group < model.tokens && model.classes.len() == 1)?;
    let (tokens, group) = (model.tokens as f64, group as f64);
    let zero_start = ((tokens - group) / group).sqrt();
    let rate = clock_rate(model)?;
    with_lumped_model::<f64, _>(model, |lumped| {
        let until = |tangent| rates::clock_until(&lumped.activation, tokens, group, tangent);
        let clock = if from <= to {
            0.0
        } else if from.is_finite() && from > zero_start {
            // From the far side of the zero start: there the clock of the identity is x².
            until(to) + from * from - zero_start * zero_start
        } else if from.is_finite() {
            until(to) - until(from)
        } else {
            until(to)
        };
        let steps = clock / rate;
        (steps >= 0.0).then_some(steps)
    })
}
