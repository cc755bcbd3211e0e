//! The order of the Taylor remainder: how fast `|L(x + h d) − L(x) − h ⟨gradient, d⟩|` falls with h.
//!
//! Like h² if the gradient is right, like h if it is wrong, down to where rounding takes over. The
//! size of the remainder says nothing, only its order does; and where rounding hides it, neither.

use alloc::vec::Vec;

use super::enclosure::distance_from_zero;
use super::program::{Case, Gradient, Inputs, Program, logits, scores};
use super::random::Random;
use crate::Error;
use crate::scalar::dual::Dual;
use crate::scalar::float::Float;
use crate::scalar::interval::Interval;

/// What the remainder says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Verdict {
    /// It falls like h², or faster.
    Right,
    /// It falls like h.
    Wrong,
    /// It is below the rounding errors, or there is no clear order.
    Silent,
}

/// A remainder at a number of steps.
#[derive(Clone, Debug, PartialEq)]
pub struct Remainders {
    /// Steps h and remainders, h falling.
    pub points: Vec<(f64, f64)>,
    /// The median order between neighbouring steps, where rounding does not matter and h is
    /// small.
    pub order: Option<f64>,
    /// What it says.
    pub verdict: Verdict,
    /// If it falls like h: `⟨gradient − derivative, direction⟩` at the point, enclosed. The gradient
    /// is certainly wrong only if 0 is not in it; the order is measured.
    pub difference: Option<Interval<f64>>,
}

impl Remainders {
    /// How far the gradient is certainly off in this direction; 0 if it may be right.
    #[must_use]
    pub fn distance(&self) -> f64 {
        self.difference.map_or(0.0, distance_from_zero)
    }
}

/// Between how many neighbours the order is taken.
const ORDERS: usize = 4;

/// A remainder counts if it exceeds this many rounding errors of the largest number involved.
pub(super) const ROUNDINGS: f64 = 1024.0;

/// If even here the remainder counts, something is infinite.
const SMALLEST_STEP: f64 = 1e-30;

/// The remainder at a point in a direction, for h = ½, ¼, …
///
/// # Errors
/// What the program finds wrong with the sizes.
pub fn check<F: Float, P: Program>(
    program: &P,
    inputs: &Inputs<F>,
    direction: &Gradient<F>,
) -> Result<Remainders, Error> {
    let gradient = program.gradient(inputs)?.fits(inputs.shape)?;
    let (mut slope, mut slope_size) = (0.0, 0.0);
    for (g, d) in gradient.iter().zip(direction.iter()) {
        let product = if d.is_zero() { 0.0 } else { g.to_f64() * d.to_f64() };
        slope += product;
        slope_size += libm::fabs(product);
    }
    let before = program.loss(inputs)?.to_f64();
    let size = magnitude(inputs)?;
    remainders(
        |step| {
            let after = program.loss(&moved(inputs, direction, step))?.to_f64();
            Ok(libm::fabs(after - before - step * slope))
        },
        |step| ROUNDINGS * F::UNIT_ROUNDOFF.to_f64() * (size + step * slope_size),
        || enclosed_difference(program, inputs, direction),
    )
}

/// `⟨gradient − derivative, direction⟩` at a point.
fn enclosed_difference<F: Float, P: Program>(
    program: &P,
    inputs: &Inputs<F>,
    direction: &Gradient<F>,
) -> Result<Interval<f64>, Error> {
    let point = inputs.map(|x| Interval::point(x.to_f64()));
    let gradient = program.gradient(&point)?.fits(inputs.shape)?;
    let mut dual = point.map(Dual::<Interval<f64>, 1>::constant);
    let trained = dual.value_matrix.iter_mut().chain(&mut dual.key_query);
    let mut along = Interval::point(0.0);
    for ((slot, d), g) in trained.zip(direction.iter()).zip(gradient.iter()) {
        // Where nothing moves there may be no derivative.
        if d.is_zero() {
            continue;
        }
        let d = Interval::point(d.to_f64());
        slot.derivative = [d];
        along = along + g * d;
    }
    let [derivative] = program.loss(&dual)?.derivative;
    Ok(along - derivative)
}

/// The remainders of any function, given by the remainder at a step, what rounding can do to it, and
/// an enclosure of what the gradient is off by.
pub(super) fn remainders(
    remainder: impl Fn(f64) -> Result<f64, Error>,
    noise: impl Fn(f64) -> f64,
    difference: impl FnOnce() -> Result<Interval<f64>, Error>,
) -> Result<Remainders, Error> {
    let (mut points, mut orders) = (Vec::new(), Vec::new());
    let mut previous: Option<f64> = None;
    let mut step = 0.5;
    loop {
        let found = remainder(step)?;
        points.push((step, found));
        // Also the end if something is not a number.
        if !(found > noise(step)) || step < SMALLEST_STEP {
            break;
        }
        if let Some(previous) = previous {
            orders.push(libm::log2(previous / found));
        }
        previous = Some(found);
        step *= 0.5;
    }
    let mut last: Vec<f64> = orders.iter().rev().take(ORDERS).copied().collect();
    last.sort_by(f64::total_cmp);
    let order = last.get(last.len() / 2).copied();
    let enough = last.len() == ORDERS;
    let verdict = match order {
        Some(order) if enough && order > 1.5 => Verdict::Right,
        // An order of 1 is seen at every step, or it is none.
        Some(_) if enough && last.iter().all(|order| (0.75..1.25).contains(order)) => {
            Verdict::Wrong
        }
        _ => Verdict::Silent,
    };
    let difference = if verdict == Verdict::Wrong { Some(difference()?) } else { None };
    Ok(Remainders { points, order, verdict, difference })
}

/// A random direction, in proportion to the point: a row of W_V moves by about its own length (not
/// at all if it is 0, where the loss has no derivative), a logit by at most 1.
///
/// # Errors
/// If the inputs do not fit together.
pub fn random_direction<F: Float>(
    case: &Case,
    inputs: &Inputs<F>,
    random: &mut Random,
) -> Result<Gradient<F>, Error> {
    let mut value_matrix = Vec::new();
    for row in inputs.value_matrix.chunks_exact(case.shape.features.max(1)) {
        let largest = row.iter().fold(F::ZERO, |largest, weight| largest.max(weight.abs()));
        value_matrix.extend(row.iter().map(|_| largest * F::from_f64(random.signed(0.25, 1.0))));
    }
    let unscaled: Vec<F> =
        inputs.key_query.iter().map(|_| F::from_f64(random.signed(0.25, 1.0))).collect();
    let moved = Inputs { key_query: unscaled.clone(), ..inputs.clone() };
    let largest = logits(&moved)?.iter().fold(F::ZERO, |largest, z| largest.max(z.abs()));
    let scale = if largest > F::ZERO { F::ONE / largest } else { F::ZERO };
    let scale = if scale.is_finite() { scale } else { F::ZERO };
    let key_query = unscaled.into_iter().map(|x| x * scale).collect();
    Ok(Gradient { value_matrix, key_query })
}

fn moved<F: Float>(inputs: &Inputs<F>, direction: &Gradient<F>, step: f64) -> Inputs<F> {
    let mut moved = inputs.clone();
    let step = F::from_f64(step);
    for (slot, &d) in moved.value_matrix.iter_mut().zip(&direction.value_matrix) {
        *slot = *slot + step * d;
    }
    for (slot, &d) in moved.key_query.iter_mut().zip(&direction.key_query) {
        *slot = *slot + step * d;
    }
    moved
}

/// g (‖W‖²‖S‖² + ‖V*‖²‖S*‖²), of which the loss is a part: what rounding errors are measured by.
fn magnitude<F: Float>(inputs: &Inputs<F>) -> Result<f64, Error> {
    let square = |values: &[F]| values.iter().fold(0.0, |sum, x| sum + x.to_f64() * x.to_f64());
    let slope = inputs.slope.to_f64();
    let gain = 0.5 * (1.0 + slope * slope);
    let own = square(&inputs.value_matrix) * square(&scores(inputs)?);
    Ok(gain * (own + square(&inputs.teacher_values) * square(&inputs.teacher_scores)))
}
