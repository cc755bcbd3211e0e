//! Attention as an operator on distributions.
//!
//! For a measure μ on vectors y, and a d × d matrix A,
//!
//! ```text
//! A_μ(x) = ∫ y e^{xᵀAy} dμ(y) / ∫ e^{xᵀAy} dμ(y) = ∇ ln M_μ(ξ) at ξ = Aᵀx,   M_μ(ξ) = ∫ e^{ξ·y} dμ(y).
//! ```
//!
//! On the empirical measure of tokens that is softmax attention over them. P. Liu and D.-X. Zhou,
//! *Generalization Analysis of Transformers in Distribution Regression* (2026), regress on
//! distributions with it; all that is proven of it here is derived in note 13.
//!
//! Measures are weighted atoms. Exponentials are taken relative to a `reference`, a number near
//! the largest exponent: any other gives the same operator, but may overflow.
//!
//! ```
//! use popgd_core::in_context::attention_operator::{Measure, slope};
//!
//! // Weight 1 at (1, 0), and 3 at (0, 1); A = I, x = (ln 3, 0).
//! let measure = Measure::new(2, &[1.0, 0.0, 0.0, 1.0], Some(&[1.0, 3.0]))?;
//! let (mut along, mut mean) = ([0.0; 2], [0.0; 2]);
//! slope(&[1.0, 0.0, 0.0, 1.0], &[3.0_f64.ln(), 0.0], &mut along)?;
//! let reference = measure.reference(&along, |x| x);
//! measure.tilt(&along, reference, &mut mean)?;
//! assert!((mean[0] - 0.5).abs() < 1e-15 && (mean[1] - 0.5).abs() < 1e-15);
//! # Ok::<(), popgd_core::Error>(())
//! ```
//!
//! | module | what it holds |
//! |---|---|
//! | this one | measures, the operator by its definition, ln M and its integral along a line |
//! | [`bounds`] | what sampling, fine-tuning and prompts can change |
//! | [`recovery`] | the weights of known atoms, from values of the operator |

pub mod bounds;
mod elimination;
pub mod recovery;

use super::attention::balanced_sum;
use crate::error::check_length;
use crate::scalar::Logarithm;
use crate::{Error, Scalar};

/// A measure of finitely many atoms.
#[derive(Clone, Copy, Debug)]
pub struct Measure<'a, S> {
    dimension: usize,
    atoms: &'a [S],
    weights: Option<&'a [S]>,
    context: S,
}

impl<'a, S: Scalar> Measure<'a, S> {
    /// Atoms of so many coordinates, one after the other, and the weight of each, which must not be
    /// negative (1 each, if there are none). Weights need not sum to 1.
    ///
    /// # Errors
    /// [`Error::Empty`] without atoms or coordinates; [`Error::Length`] if a slice does not fit;
    /// [`Error::NotFinite`] if an entry or a weight is no number; [`Error::NotPositive`] if a
    /// weight is certainly negative, or all are 0.
    pub fn new(dimension: usize, atoms: &'a [S], weights: Option<&'a [S]>) -> Result<Self, Error> {
        let &[context, ..] = atoms else { return Err(Error::Empty { what: "atoms" }) };
        let count =
            atoms.len().checked_div(dimension).ok_or(Error::Empty { what: "coordinates" })?;
        check_length("atoms", count.saturating_mul(dimension), atoms.len())?;
        if !atoms.iter().all(|x| x.is_number()) {
            return Err(Error::NotFinite { what: "atoms" });
        }
        if let Some(weights) = weights {
            check_length("weights of atoms", count, weights.len())?;
            if !weights.iter().all(|weight| weight.is_number()) {
                return Err(Error::NotFinite { what: "weights of atoms" });
            }
            let is_negative =
                |weight: &S| !weight.is_zero() && (*weight + weight.absolute()).is_zero();
            if weights.iter().any(is_negative) {
                return Err(Error::NotPositive { what: "weights of atoms" });
            }
            if weights.iter().all(|weight| weight.is_zero()) {
                return Err(Error::NotPositive { what: "sum of the weights of atoms" });
            }
        }
        Ok(Self { dimension, atoms, weights, context })
    }

    /// d.
    #[must_use]
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// The number of atoms.
    #[must_use]
    pub fn count(&self) -> usize {
        self.atoms.len().checked_div(self.dimension).unwrap_or(0)
    }

    /// Atoms and their weights, none for one.
    pub fn atoms(&self) -> impl Iterator<Item = (&'a [S], Option<S>)> + Clone {
        let weights = self.weights;
        self.atoms
            .chunks_exact(self.dimension.max(1))
            .enumerate()
            .map(move |(index, atom)| (atom, crate::scalar::count(weights, index)))
    }

    /// Those whose weight is not 0: what the others would do under- or overflow does not matter.
    fn support(&self) -> impl Iterator<Item = (&'a [S], Option<S>)> + Clone {
        self.atoms().filter(|(_, weight)| !weight.is_some_and(|weight| weight.is_zero()))
    }

    /// The sum of all weights.
    #[must_use]
    pub fn mass(&self) -> S {
        let one = self.context.one();
        balanced_sum(one.zero(), self.support().map(|(_, weight)| weight.unwrap_or(one)))
    }

    /// The largest of `approximate(ξ·y)` over atoms y with weight, as a reference; 0 if none is a
    /// number. Any number near it does as well.
    pub fn reference(&self, slope: &[S], approximate: impl Fn(S) -> f64) -> S {
        let exponents = self.support().map(|(atom, _)| approximate(self.context.dot(slope, atom)));
        let largest = exponents.fold(f64::NEG_INFINITY, f64::max);
        self.context.lift(if largest.is_finite() { largest } else { 0.0 })
    }

    /// Writes A_μ(x) for the `slope` ξ = Aᵀx to `mean` (d numbers), and returns
    /// `M_μ(ξ) e^{−reference}`, of the weights as they are.
    ///
    /// # Errors
    /// [`Error::Length`] if a slice does not fit; [`Error::NotFinite`] if an exponential or a
    /// product overflows, or all exponentials underflow.
    pub fn tilt(&self, slope: &[S], reference: S, mean: &mut [S]) -> Result<S, Error> {
        check_length("slope", self.dimension, slope.len())?;
        check_length("value of the operator", self.dimension, mean.len())?;
        let terms = |feature: Option<usize>| {
            self.support().map(move |(atom, weight)| {
                let exponential = (self.context.dot(slope, atom) - reference).exp();
                let term = weight.map_or(exponential, |weight| weight * exponential);
                match feature.and_then(|feature| atom.get(feature)) {
                    Some(&entry) => term * entry,
                    None => term,
                }
            })
        };
        let zero = self.context.zero();
        let total = balanced_sum(zero, terms(None));
        for (feature, slot) in mean.iter_mut().enumerate() {
            *slot = balanced_sum(zero, terms(Some(feature))) / total;
        }
        if !total.is_number() || total.is_zero() || !mean.iter().all(|x| x.is_number()) {
            return Err(Error::NotFinite { what: "exponential moments of the measure" });
        }
        Ok(total)
    }
}

impl<S: Logarithm> Measure<'_, S> {
    /// ln M_μ(ξ), the measure being normalised. `mean` is as in [`tilt`](Self::tilt).
    ///
    /// # Errors
    /// As [`tilt`](Self::tilt).
    pub fn log_moment(&self, slope: &[S], reference: S, mean: &mut [S]) -> Result<S, Error> {
        let total = self.tilt(slope, reference, mean)?;
        Ok(reference + (total / self.mass()).ln())
    }
}

/// Writes ξ = Aᵀx, for A d × d, row by row.
///
/// # Errors
/// [`Error::Length`] if a slice does not fit; [`Error::Empty`] if x is empty.
pub fn slope<S: Scalar>(matrix: &[S], query: &[S], slope: &mut [S]) -> Result<(), Error> {
    let &[context, ..] = query else { return Err(Error::Empty { what: "query" }) };
    check_length("matrix of the operator", query.len().saturating_mul(query.len()), matrix.len())?;
    check_length("slope", query.len(), slope.len())?;
    slope.fill(context.zero());
    for (&x, row) in query.iter().zip(matrix.chunks_exact(query.len().max(1))) {
        for (sum, &entry) in slope.iter_mut().zip(row) {
            *sum = *sum + x * entry;
        }
    }
    Ok(())
}

/// A_μ(tx)·Aᵀx, the derivative of `ln M_μ(tξ)` in t. `scratch` has 2d numbers.
///
/// It grows with t, being the derivative of a convex function, so that its sums over left and right
/// ends of pieces of \[0, 1\] enclose `ln M_μ(ξ) = ∫₀¹ A_μ(tx)·Aᵀx dt`: with values of the operator
/// alone, M_μ is known, and so the measure.
///
/// # Errors
/// As [`Measure::tilt`].
pub fn rate_of_log_moment<S: Scalar>(
    measure: &Measure<'_, S>,
    slope: &[S],
    time: S,
    approximate: impl Fn(S) -> f64,
    scratch: &mut [S],
) -> Result<S, Error> {
    check_length("slope", measure.dimension, slope.len())?;
    let needed = measure.dimension.saturating_mul(2);
    check_length("scratch along a line", needed, scratch.len())?;
    let Some((scaled, mean)) = scratch.split_at_mut_checked(measure.dimension) else {
        return Err(Error::Length { what: "scratch along a line", expected: needed, found: 0 });
    };
    for (slot, &x) in scaled.iter_mut().zip(slope) {
        *slot = time * x;
    }
    let reference = measure.reference(scaled, approximate);
    measure.tilt(scaled, reference, mean)?;
    Ok(time.dot(slope, mean))
}

/// Prompt tokens put beside others: `(1−α) A_μ + α A_ν` with `α = M_ν/(M_μ + M_ν)`, M being sums over
/// tokens, relative to one reference, as [`Measure::tilt`] returns them. Turns `mean` into the
/// mixture, and returns α.
///
/// # Errors
/// [`Error::Length`] if the two values do not have the same length; [`Error::NotFinite`] if both
/// moments are 0.
pub fn add_prompt<S: Scalar>(
    moment: S,
    mean: &mut [S],
    prompt_moment: S,
    prompt_mean: &[S],
) -> Result<S, Error> {
    check_length("value of the operator on the prompt", mean.len(), prompt_mean.len())?;
    let share = prompt_moment / (moment + prompt_moment);
    if !share.is_number() {
        return Err(Error::NotFinite { what: "share of the prompt" });
    }
    for (slot, &other) in mean.iter_mut().zip(prompt_mean) {
        *slot = (share.one() - share) * *slot + share * other;
    }
    Ok(share)
}
