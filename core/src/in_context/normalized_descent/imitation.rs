//! One layer learns to be a step: the squared distance of what it adds to w from what the step
//! would add, and its gradient.
//!
//! ```text
//! ½ ‖V Σ_i softmax(Z Bᵀ w)_i z_i − target‖²
//! ```
//!
//! At B = V = 0 the gradient of B is 0, and V moves first; note 12 tells where training ends.

use super::Samples;
use super::transformer::{Blocks, Looped};
use crate::error::check_length;
use crate::{Error, Scalar};

/// How many numbers [`add_gradient`] needs.
#[must_use]
pub fn scratch(samples: usize, features: usize) -> usize {
    samples.saturating_add(features.saturating_mul(3))
}

/// The loss at the state w of `run`, whose layer has these `blocks`; its gradient is added to
/// `gradient` (both blocks, d² numbers each).
///
/// # Errors
/// [`Error::Length`] if a slice does not fit, `room` being [`scratch`]`(n, d)` long; as
/// [`Looped::attention`].
pub fn add_gradient<S: Scalar>(
    run: &mut Looped<'_, S>,
    samples: &Samples<'_, S>,
    blocks: Blocks<'_, S>,
    target: &[S],
    gradient: (&mut [S], &mut [S]),
    room: &mut [S],
) -> Result<S, Error> {
    let (count, features) = (samples.count(), samples.features());
    let (key_query_slope, value_slope) = gradient;
    let square = features.saturating_mul(features);
    check_length("target", features, target.len())?;
    for slice in
        [blocks.key_query.len(), blocks.value.len(), key_query_slope.len(), value_slope.len()]
    {
        check_length("block of a layer", square, slice)?;
    }
    let needed = scratch(count, features);
    check_length("scratch of imitation", needed, room.len())?;
    let lack = Error::Length { what: "scratch of imitation", expected: needed, found: room.len() };
    let mut rest = room;
    let mut take = |length| crate::slices::split_off_mut(&mut rest, length).ok_or(lack);
    let (shares, mean) = (take(count)?, take(features)?);
    let (residual, back) = (take(features)?, take(features)?);
    run.attention(shares)?;
    let zero = samples.context.zero();

    // m = Σ s_i z_i, e = V m − target, and Vᵀe.
    mean.fill(zero);
    for (row, &share) in samples.rows().zip(shares.iter()) {
        for (sum, &x) in mean.iter_mut().zip(row) {
            *sum = *sum + share * x;
        }
    }
    back.fill(zero);
    let rows = blocks.value.chunks_exact(features.max(1));
    for ((row, error), &wanted) in rows.zip(residual.iter_mut()).zip(target) {
        *error = zero.dot(row, mean) - wanted;
        for (sum, &entry) in back.iter_mut().zip(row) {
            *sum = *sum + entry * *error;
        }
    }
    for (row, &error) in value_slope.chunks_exact_mut(features.max(1)).zip(residual.iter()) {
        for (slot, &x) in row.iter_mut().zip(mean.iter()) {
            *slot = *slot + error * x;
        }
    }
    // dℓ_i = s_i (z_i − m)·Vᵀe for the scores, and Σ dℓ_i z_i, which takes the place of the mean.
    let middle = zero.dot(mean, back);
    mean.fill(zero);
    for (row, &share) in samples.rows().zip(shares.iter()) {
        let slope = share * (zero.dot(row, back) - middle);
        for (sum, &x) in mean.iter_mut().zip(row) {
            *sum = *sum + slope * x;
        }
    }
    let rows = key_query_slope.chunks_exact_mut(features.max(1));
    for (row, &weight) in rows.zip(run.state()) {
        for (slot, &x) in row.iter_mut().zip(mean.iter()) {
            *slot = *slot + weight * x;
        }
    }
    let square = residual.iter().fold(zero, |sum, x| sum + x.square());
    Ok(square * zero.rational(1, 2))
}
