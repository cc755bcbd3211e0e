//! Logistic regression in context: softmax attention is gradient descent on the exponential loss,
//! normalised by that loss.
//!
//! Samples (x_i, y_i) with y_i = ±1 enter as z_i = y_i x_i. For `L(w) = (1/n) Σ_i e^{−w·z_i}`
//!
//! ```text
//! −∇L(w)/L(w) = Σ_i q_i z_i,    q = softmax(−Zw),
//! ```
//!
//! so a head whose scores are −w·z_i and whose values are η z_i adds one step
//! `w⁺ = w − η ∇L(w)/L(w)` to w. C. Zhang and Y. Cao, *Transformers Efficiently Perform In-Context
//! Logistic Regression via Normalized Gradient Descent* (2026), say that a layer is such a step and
//! that one trained layer, looped, does the same; the weights here, and all bounds, are derived in
//! note 12.
//!
//! | module | what it holds |
//! |---|---|
//! | this one | the samples, and the algorithm by its definition |
//! | [`transformer`] | the same as layers of attention |
//! | [`bounds`] | what the margin and the dual owe to the number of steps |
//! | [`imitation`] | the gradient with which one layer learns to be a step |
//!
//! For the logistic loss `ln(1 + e^{−w·z})` the same holds only asymptotically, when every margin is
//! large: its gradient has weights σ(−w·z_i), which are no softmax.

pub mod bounds;
pub mod imitation;
pub mod transformer;

use super::attention::balanced_sum;
use crate::error::check_length;
use crate::{Error, Scalar};

/// Labelled samples as z_i = y_i x_i, n × d, row by row.
#[derive(Clone, Copy, Debug)]
pub struct Samples<'a, S> {
    features: usize,
    rows: &'a [S],
    context: S,
}

impl<'a, S: Scalar> Samples<'a, S> {
    /// Samples of so many features each.
    ///
    /// # Errors
    /// [`Error::Empty`] without samples or features, [`Error::Length`] if the last sample is cut
    /// off, [`Error::NotFinite`] if an entry is no number.
    pub fn new(features: usize, rows: &'a [S]) -> Result<Self, Error> {
        let &[context, ..] = rows else { return Err(Error::Empty { what: "samples" }) };
        let count = rows.len().checked_div(features).ok_or(Error::Empty { what: "features" })?;
        check_length("samples", count.saturating_mul(features), rows.len())?;
        if !rows.iter().all(|x| x.is_number()) {
            return Err(Error::NotFinite { what: "samples" });
        }
        Ok(Self { features, rows, context })
    }

    /// d.
    #[must_use]
    pub fn features(&self) -> usize {
        self.features
    }

    /// n.
    #[must_use]
    pub fn count(&self) -> usize {
        self.rows.len().checked_div(self.features).unwrap_or(0)
    }

    /// z_1, z_2, …
    pub fn rows(&self) -> impl Iterator<Item = &'a [S]> + Clone {
        self.rows.chunks_exact(self.features.max(1))
    }

    /// Writes z_i·w for every sample.
    ///
    /// # Errors
    /// [`Error::Length`] if a slice does not fit; [`Error::NotFinite`] if a product overflows.
    pub fn margins(&self, weights: &[S], margins: &mut [S]) -> Result<(), Error> {
        check_length("weights", self.features, weights.len())?;
        check_length("margins", self.count(), margins.len())?;
        for (row, margin) in self.rows().zip(margins.iter_mut()) {
            *margin = self.context.dot(row, weights);
        }
        if !margins.iter().all(|margin| margin.is_number()) {
            return Err(Error::NotFinite { what: "margins" });
        }
        Ok(())
    }

    /// Replaces margins by `e^{m_r − m_i}`, r being the `reference`, and writes
    /// `−∇L/L = Σ_i e^{m_r − m_i} z_i / Σ_i e^{m_r − m_i}`.
    ///
    /// Numerator and denominator are those of the definition, both times n e^{m_r}. Whatever the
    /// reference, the quotient is the same; with one of the smallest margins nothing overflows.
    ///
    /// # Errors
    /// [`Error::Length`] if a slice does not fit, [`Error::Index`] if there is no such sample;
    /// [`Error::NotFinite`] if an exponential overflows.
    pub fn direction(
        &self,
        margins: &mut [S],
        reference: usize,
        direction: &mut [S],
    ) -> Result<(), Error> {
        let tokens = self.count();
        check_length("margins", tokens, margins.len())?;
        check_length("direction", self.features, direction.len())?;
        let &smallest = margins.get(reference).ok_or(Error::Index { index: reference, tokens })?;
        for (index, margin) in margins.iter_mut().enumerate() {
            // An enclosure of m − m would not be 0.
            *margin = if index == reference { margin.one() } else { (smallest - *margin).exp() };
        }
        let loss = balanced_sum(self.context.zero(), margins.iter().copied());
        for (feature, slot) in direction.iter_mut().enumerate() {
            let entries = self.rows().filter_map(|row| row.get(feature));
            let terms = margins.iter().zip(entries).map(|(&e, &x)| e * x);
            *slot = balanced_sum(self.context.zero(), terms) / loss;
        }
        if !direction.iter().all(|x| x.is_number()) {
            return Err(Error::NotFinite { what: "direction of descent" });
        }
        Ok(())
    }

    /// One step of normalised gradient descent, w ← w − η ∇L(w)/L(w).
    ///
    /// `scratch` has n + d entries, of any content. `approximate` says roughly how large a number
    /// is: by it the reference of [`direction`](Self::direction) is chosen.
    ///
    /// # Errors
    /// As [`margins`](Self::margins) and [`direction`](Self::direction).
    pub fn step(
        &self,
        rate: S,
        weights: &mut [S],
        scratch: &mut [S],
        approximate: impl Fn(S) -> f64,
    ) -> Result<(), Error> {
        let needed = self.count().saturating_add(self.features);
        check_length("scratch of a step", needed, scratch.len())?;
        let Some((margins, direction)) = scratch.split_at_mut_checked(self.count()) else {
            return Err(Error::Length { what: "scratch", expected: needed, found: 0 });
        };
        self.margins(weights, margins)?;
        let reference = least(margins.iter().map(|&margin| approximate(margin)));
        self.direction(margins, reference, direction)?;
        for (weight, &along) in weights.iter_mut().zip(direction.iter()) {
            *weight = *weight + rate * along;
        }
        Ok(())
    }
}

/// The first position of the least number.
fn least(numbers: impl Iterator<Item = f64>) -> usize {
    let mut found = (0, f64::INFINITY);
    for (index, number) in numbers.enumerate() {
        if number < found.1 {
            found = (index, number);
        }
    }
    found.0
}

/// z = y x, for samples x (n × d, row by row) and labels y = ±1.
///
/// # Errors
/// [`Error::Length`] if a slice does not fit, [`Error::NotALabel`] for a label that is not
/// certainly 1 or −1.
pub fn signed<S: Scalar>(
    features: usize,
    samples: &[S],
    labels: &[S],
    rows: &mut [S],
) -> Result<(), Error> {
    prepare(features, samples, labels, rows, |x, label| x * label)
}

/// The same by a layer of ReLUs, for |x| ≤ B: `y x = relu(x + By) − relu(−x + By) − x`.
///
/// The sums round: the result is within two roundings of 2B, exact if x and B have few digits.
///
/// # Errors
/// As [`signed`].
pub fn signed_by_relus<S: Scalar>(
    features: usize,
    samples: &[S],
    labels: &[S],
    bound: S,
    rows: &mut [S],
) -> Result<(), Error> {
    let relu = |x: S| (x + x.absolute()) * x.rational(1, 2);
    prepare(features, samples, labels, rows, |x, label| {
        let shift = bound * label;
        relu(x + shift) - relu(shift - x) - x
    })
}

fn prepare<S: Scalar>(
    features: usize,
    samples: &[S],
    labels: &[S],
    rows: &mut [S],
    signed: impl Fn(S, S) -> S,
) -> Result<(), Error> {
    let entries = labels.len().saturating_mul(features);
    check_length("samples", entries, samples.len())?;
    check_length("rows", entries, rows.len())?;
    let (given, made) =
        (samples.chunks_exact(features.max(1)), rows.chunks_exact_mut(features.max(1)));
    for (index, ((x, z), &label)) in given.zip(made).zip(labels).enumerate() {
        if !(label - label.one()).is_zero() && !(label + label.one()).is_zero() {
            return Err(Error::NotALabel { index });
        }
        for (slot, &entry) in z.iter_mut().zip(x) {
            *slot = signed(entry, label);
        }
    }
    Ok(())
}
