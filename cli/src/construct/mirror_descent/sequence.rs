//! What is found of a sequence: transformer beside algorithm, and both beside exact Bayes.

use popgd_core::in_context::mirror_descent::posterior;
use popgd_core::{Error, Interval};

use super::instance::{Instance, Outcome, RunScalar};
use super::settings::MirrorDescent;
use super::{largest, told};
use crate::construct::comparison::{Comparison, greater, is_rigorous};
use crate::error::Failure;
use crate::scalar::Number;
use crate::settings::ScalarKind;

/// Of so few sequences the posterior is computed up to the states that core takes on, of more up to so
/// many, not to wait for it.
const FEW: u64 = 8;
const STATES_OF_MANY: usize = 50_000;

/// What was found.
#[derive(Clone, Debug)]
pub(super) struct Found {
    /// λ, and the next token's distribution.
    pub(super) same: [Comparison; 2],
    /// λ by the transformer.
    pub(super) weights: Vec<Number>,
    /// The largest difference of λ after all layers and after all steps, over floats.
    pub(super) whole: Option<f64>,
    /// The posterior mean of λ, if it was computed.
    pub(super) posterior: Option<Vec<f64>>,
    /// The largest difference of λ by the algorithm to it, and of the uniform λ.
    pub(super) from_posterior: Option<[f64; 2]>,
    /// By how much the log-likelihood of the uniform λ rose; nothing if λ ends where the sequence is
    /// impossible.
    pub(super) gain: Option<f64>,
    /// By how much a step of the rate 1/L raises it, if there is such a rate.
    pub(super) safe_gain: Option<f64>,
}

/// Runs both on a sequence, in the scalar that was asked for.
pub(super) fn look(settings: &MirrorDescent, number: usize) -> Result<Found, Failure> {
    let found = Instance::new(settings, number).and_then(|instance| match settings.shared.scalar {
        ScalarKind::F32 => run::<f32>(settings, &instance),
        ScalarKind::F64 => run::<f64>(settings, &instance),
        ScalarKind::Interval32 => run::<Interval<f32>>(settings, &instance),
        ScalarKind::Interval64 => run::<Interval<f64>>(settings, &instance),
    });
    told(settings, number, found)
}

fn run<S: RunScalar>(settings: &MirrorDescent, instance: &Instance) -> Result<Found, Error> {
    let (rate, steps, kind) =
        (S::from_exact(&settings.rate), settings.steps, settings.shared.scalar);
    let mut same = [Comparison::default(); 2];
    let weights = instance.compare(rate, steps, kind, &mut same)?;
    let whole = if steps == 1 || is_rigorous(kind) {
        None
    } else {
        let (layers, _) = instance.attend(rate, steps, None)?;
        let (all, _) = instance.descend(rate, steps)?;
        let apart = layers.iter().zip(&all).map(|(&a, &b)| (a - b).report().center().abs());
        Some(apart.fold(0.0, greater))
    };
    let eta = settings.rate.to_f64();
    let in_floats: Outcome<f64> = instance.descend(eta, steps)?;
    let few = settings.shared.instances <= FEW;
    let most = if few { posterior::MOST_STATES } else { STATES_OF_MANY };
    let posterior = instance.bayes(settings.concentration.to_f64(), most)?;
    let even = vec![1.0 / instance.order as f64; instance.order];
    let from_posterior =
        posterior.as_ref().map(|mean| [largest(&in_floats.0, mean), largest(&even, mean)]);
    let safe_gain = match instance.safe_rate()? {
        Some(rate) => instance.gain(rate, 1)?,
        None => None,
    };
    Ok(Found {
        same,
        weights: weights.iter().map(|x| x.report()).collect(),
        whole,
        posterior,
        from_posterior,
        gain: instance.gain(eta, steps)?,
        safe_gain,
    })
}
