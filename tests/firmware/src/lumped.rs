//! The lumped run of all binaries: the CNN of the paper, in memory on the stack.

use popgd_core::Scalar;
use popgd_core::descent::accumulate::Accumulate;
use popgd_core::descent::lumped::{Lumped, LumpedModel};
use popgd_core::model::activation::Activation;
use popgd_core::model::classes::TwoLevel;

/// D.
const TOKENS: i64 = 36;
/// K.
const GROUP: i64 = 4;

/// Hands the model to `with`: average pooling of 36 tokens in groups of 4, ReLU, ‖V*‖ = 4.
pub fn with_model<S: Scalar, R>(one: S, with: impl FnOnce(LumpedModel<'_, S>) -> R) -> R {
    let teacher = TwoLevel::new(one.integer(TOKENS), one.integer(GROUP));
    with(LumpedModel {
        activation: Activation::relu(one),
        classes: &[teacher.class()],
        teacher_norm: one.integer(4),
        logit_gain: one.rational(1, TOKENS),
        rate: one.rational(1, 18),
        slope_at_zero: one,
    })
}

/// Hands a run from zero to `with`; nothing if core refuses it.
pub fn with_run<S: Scalar, R>(
    one: S,
    accumulate: Accumulate,
    with: impl FnOnce(Lumped<'_, S>) -> R,
) -> Option<R> {
    with_model(one, |model| {
        let mut memory = [one; 8];
        Lumped::from_zero(model, accumulate, &mut memory).ok().map(with)
    })
}
