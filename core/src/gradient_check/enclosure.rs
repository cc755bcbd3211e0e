//! The derivative of the coded loss, enclosed over a box, against the coded gradient, enclosed over
//! the same box.
//!
//! Both enclosures contain the true value at every point of the box where the loss is
//! differentiable. If they do not meet, the gradient is wrong: that is certain. If they do, it is
//! right up to their widths. Works at any size.

use alloc::vec::Vec;

use super::program::{Block, Case, Entry, Gradient, Inputs, Program};
use super::random::Random;
use crate::Error;
use crate::scalar::Scalar;
use crate::scalar::dual::Dual;
use crate::scalar::float::Float;
use crate::scalar::interval::Interval;

/// What the enclosures say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Verdict {
    /// They meet: coded gradient and derivative differ by their widths at most.
    Consistent,
    /// They do not meet.
    Refuted,
    /// The entry belongs to a row of W_V that is 0: there the loss has no derivative, and the
    /// gradient is a convention.
    NotDifferentiable,
    /// One of them is empty: something left the domain of an operation.
    Undefined,
}

impl Verdict {
    /// On enclosures of the coded gradient and of the derivative.
    pub(super) fn of<F: Float>(coded: Interval<F>, derivative: Interval<F>) -> Self {
        if coded.is_empty() || derivative.is_empty() {
            Self::Undefined
        } else if coded.intersection(derivative).is_empty() {
            Self::Refuted
        } else {
            Self::Consistent
        }
    }
}

/// What came out for one trained number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EntryEnclosure<F: Float> {
    /// Which one.
    pub entry: Entry,
    /// The coded gradient over the box.
    pub coded: Interval<F>,
    /// The derivative of the coded loss over the box.
    pub derivative: Interval<F>,
    /// Whether they can be equal.
    pub verdict: Verdict,
}

impl<F: Float> EntryEnclosure<F> {
    /// [`width`] of gradient and derivative.
    #[must_use]
    pub fn width(&self) -> F {
        width(self.coded, self.derivative)
    }

    /// [`distance`] of gradient and derivative.
    #[must_use]
    pub fn distance(&self) -> F {
        distance(self.coded, self.derivative)
    }

    /// How large the coded gradient certainly is.
    #[must_use]
    pub fn size(&self) -> F {
        distance_from_zero(self.coded)
    }
}

/// How far apart coded gradient and derivative can be: the largest difference that the enclosures
/// allow.
#[must_use]
pub fn width<F: Float>(coded: Interval<F>, derivative: Interval<F>) -> F {
    (coded - derivative).magnitude()
}

/// How far apart they certainly are; 0 unless refuted.
#[must_use]
pub fn distance<F: Float>(coded: Interval<F>, derivative: Interval<F>) -> F {
    distance_from_zero(coded - derivative)
}

/// The smallest magnitude of what is in the interval.
#[must_use]
pub fn distance_from_zero<F: Float>(enclosure: Interval<F>) -> F {
    if enclosure.is_empty() {
        return F::ZERO;
    }
    enclosure.lo().max(-enclosure.hi()).max(F::ZERO)
}

/// In how many directions at a time the loss is differentiated.
const DIRECTIONS: usize = 8;

/// Encloses gradient and derivative, entry by entry, over a box of inputs.
///
/// # Errors
/// What the program finds wrong with the sizes.
pub fn check<F: Float, P: Program>(
    case: &Case,
    program: &P,
    inputs: &Inputs<Interval<F>>,
) -> Result<Vec<EntryEnclosure<F>>, Error> {
    let coded = program.gradient(inputs)?.fits(inputs.shape)?;
    let derivative = derivative_of_the_loss(program, inputs)?;
    let features = inputs.shape.features.max(1);
    let row_is_zero = |row: usize| {
        let mut row = inputs.value_matrix.chunks_exact(features).nth(row).into_iter().flatten();
        row.all(|weight| weight.is_zero())
    };
    let pairs = coded.iter().zip(derivative.iter());
    let judged = case.entries().zip(pairs).map(|(entry, (coded, derivative))| {
        let verdict = if entry.block == Block::Value && row_is_zero(entry.row) {
            Verdict::NotDifferentiable
        } else {
            Verdict::of(coded, derivative)
        };
        EntryEnclosure { entry, coded, derivative, verdict }
    });
    Ok(judged.collect())
}

/// The derivative of the loss of a program with respect to all trained numbers, over any scalar,
/// in forward mode.
///
/// # Errors
/// What the program finds wrong with the sizes.
pub fn derivative_of_the_loss<S: Scalar, P: Program>(
    program: &P,
    inputs: &Inputs<S>,
) -> Result<Gradient<S>, Error> {
    let values = inputs.value_matrix.len();
    let mut derivatives = Vec::new();
    let count = values + inputs.key_query.len();
    for first in (0..count).step_by(DIRECTIONS) {
        let mut dual = inputs.map(Dual::<S, DIRECTIONS>::constant);
        let trained = dual.value_matrix.iter_mut().chain(&mut dual.key_query);
        for (direction, slot) in trained.skip(first).take(DIRECTIONS).enumerate() {
            *slot = Dual::variable(slot.value, direction);
        }
        let loss = program.loss(&dual)?;
        derivatives.extend(loss.derivative.into_iter().take(count - first));
    }
    let key_query = derivatives.split_off(values.min(derivatives.len()));
    Ok(Gradient { value_matrix: derivatives, key_query })
}

/// A random box: entries of either sign around 1 in magnitude, weights of the teacher's attention
/// in \[0, 1\], each number with its neighbourhood of this radius.
pub fn random_box<F: Float>(case: &Case, random: &mut Random, radius: f64) -> Inputs<Interval<F>> {
    random_inputs(case, random).map(|centre| {
        let (lo, hi) = (F::from_f64(centre - radius), F::from_f64(centre + radius));
        Interval::new(lo, hi).unwrap_or(Interval::EMPTY)
    })
}

/// The centre of such a box.
pub fn random_inputs(case: &Case, random: &mut Random) -> Inputs<f64> {
    case.inputs(|name| match name {
        "tau" => random.between(0.5, 2.0),
        "slope" => random.between(-0.9, 1.5),
        _ if name.starts_with('s') => random.unit(),
        _ => random.signed(0.25, 1.25),
    })
}
