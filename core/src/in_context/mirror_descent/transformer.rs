//! Three layers of attention that take one step of mirror descent from the uniform λ.
//!
//! One head a layer, no feed-forward part, causal, what is attended to put below one's own
//! ("disentangled"). Columns begin as one-hot vectors of tokens; δ is the strength of the mask, and
//! β = η m (T − m).
//!
//! | layer | W_A | R_A\[r\] | R_V\[r\] | leaves |
//! |---|---|---|---|---|
//! | 1 | (ln π)ᵀ | δ·1_q for r = 1, …, m, else −δ·1_q | e_r for r = 1, …, m | the responsibilities γ_i, below 2q |
//! | 2 | 0 | −δ on the first q for r ≥ T − m | – | in the last column their mean over i > m |
//! | 3 | 0 | δ on the first q and β at the mean of γ_g for r = g − 1, g = 1, …, m; −δ on the first q for other r | – | λ as weights, and Σ_g λ_g onehot(y_{T+1−g}) |
//!
//! and πᵀ reads the distribution of the next token off the last column. As δ → ∞ this is the step
//! (\[paper\], with its indices corrected); instead of that limit a true mask may be taken, and then
//! it *is* the step. A transition of probability 0, whose logarithm is no number, is masked always.

use crate::error::check_length;
use crate::in_context::attention::{Attention, causal};
use crate::in_context::mirror_descent::mixture::Mixture;
use crate::scalar::Logarithm;
use crate::slices::split_off_mut;
use crate::{Error, Scalar};

/// The transformer for sequences of one length.
#[derive(Clone, Copy, Debug)]
pub struct Transformer<'a, S> {
    mixture: Mixture<'a, S>,
    length: usize,
    /// Whether masks are true, instead of made from tables.
    exact: bool,
    layers: [Attention<'a, S>; 3],
}

/// What does not fit, if memory does not.
const MEMORY: &str = "memory of the transformer";

/// The widths of columns before each layer and after the last: q, 2q + m, 2(2q + m), 4(2q + m).
fn widths(alphabet: usize, order: usize) -> [usize; 4] {
    let first = alphabet.saturating_mul(2).saturating_add(order);
    let second = first.saturating_mul(2);
    [alphabet, first, second, second.saturating_mul(2)]
}

/// A length as an integer; lengths of what is in memory always fit.
pub(super) fn to_integer(length: usize) -> i64 {
    i64::try_from(length).unwrap_or(i64::MAX)
}

/// W_A = (ln π)ᵀ, at `[token of the query][token of the key]`; 0 where π is, which is masked.
pub(super) fn logarithms<S: Logarithm>(
    mixture: &Mixture<'_, S>,
    matrix: &mut [S],
    width: usize,
) -> Result<(), Error> {
    for (to, row) in matrix.chunks_exact_mut(width.max(1)).enumerate().take(mixture.alphabet()) {
        for (from, slot) in row.iter_mut().enumerate().take(mixture.alphabet()) {
            let p = mixture.transition(from, to).ok_or(Error::Empty { what: "transitions" })?;
            *slot = if p.is_zero() { p } else { p.ln() };
            if !slot.is_number() {
                return Err(Error::NotFinite { what: "logarithms of the transitions" });
            }
        }
    }
    Ok(())
}

impl<'a, S: Logarithm> Transformer<'a, S> {
    /// How many numbers the weights need, for q tokens, order m and length T; those of a finite mask
    /// (`finite`) need longer tables.
    #[must_use]
    pub fn memory(alphabet: usize, order: usize, length: usize, finite: bool) -> usize {
        tables(alphabet, order, length, finite)
            .iter()
            .fold(0, |sum, &part| sum.saturating_add(part))
    }

    /// The transformer that takes a step of rate η on sequences of T tokens (`length`). With a
    /// strength δ of the mask it leaks; with `None` the masks are true.
    ///
    /// # Errors
    /// [`Error::TooFew`] if T < m, [`Error::Length`] unless `memory` has
    /// [`memory`](Self::memory) entries, [`Error::NotFinite`] if a weight is no number.
    pub fn new(
        mixture: Mixture<'a, S>,
        length: usize,
        rate: S,
        mask_strength: Option<S>,
        memory: &'a mut [S],
    ) -> Result<Self, Error> {
        let (q, m) = (mixture.alphabet(), mixture.order());
        if length < m {
            return Err(Error::TooFew { what: "tokens of a sequence", least: m, found: length });
        }
        let finite = mask_strength.is_some();
        check_length(MEMORY, Self::memory(q, m, length, finite), memory.len())?;
        let sizes = tables(q, m, length, finite);
        let [_, first, second, _] = widths(q, m);
        let zero = rate.zero();
        memory.fill(zero);
        let mut rest = memory;
        let mut parts = sizes.map(|size| split_off_mut(&mut rest, size).unwrap_or_default());
        let [key_query, window, lags, evidence, readout] = &mut parts;

        logarithms(&mixture, key_query, q)?;
        for (r, row) in lags.chunks_exact_mut(m.max(1)).enumerate() {
            if let Some(slot) = r.checked_sub(1).and_then(|g| row.get_mut(g)) {
                *slot = zero.one();
            }
        }
        let beta =
            rate * zero.integer(to_integer(m)) * zero.integer(to_integer(length.saturating_sub(m)));
        let mean = first.saturating_add(q.saturating_mul(2));
        for (r, row) in readout.chunks_exact_mut(second.max(1)).enumerate().take(m) {
            if let Some(slot) = row.get_mut(mean.saturating_add(r)) {
                *slot = beta;
            }
        }
        if let Some(strength) = mask_strength {
            // Which distances each layer favours, leaves alone, or suppresses.
            let window_of = |r: usize| if (1..=m).contains(&r) { strength } else { -strength };
            let evidence_of =
                |r: usize| if r >= length - m && length > m { -strength } else { zero };
            let readout_of = |r: usize| if r < m { strength } else { -strength };
            fill_first(window, q, q, window_of);
            fill_first(evidence, first, q, evidence_of);
            fill_first(readout, second, q, readout_of);
        }
        let number = |table: &[S]| table.iter().all(|x| x.is_number());
        if !parts.iter().all(|part| number(part)) {
            return Err(Error::NotFinite { what: "weights of the transformer" });
        }
        let [key_query, window, lags, evidence, readout] = parts.map(|part| &*part);
        let layers = [
            Attention {
                key_query: Some(key_query),
                relative_scores: window,
                relative_values: lags,
                relative_width: m,
                ..Attention::uniform(q)
            },
            Attention { relative_scores: evidence, ..Attention::uniform(first) },
            Attention { relative_scores: readout, ..Attention::uniform(second) },
        ];
        Ok(Self { mixture, length, exact: !finite, layers })
    }

    /// The three layers, with all their weights.
    #[must_use]
    pub fn layers(&self) -> &[Attention<'a, S>; 3] {
        &self.layers
    }

    /// How many numbers [`run`](Self::run) needs for itself.
    #[must_use]
    pub fn scratch(&self) -> usize {
        let [q, first, second, third] = widths(self.mixture.alphabet(), self.mixture.order());
        let per_token = q.saturating_add(first).saturating_add(second).saturating_add(third);
        // The widest layer is the last; one row of weights more is for what is read off.
        self.length
            .saturating_mul(per_token.saturating_add(5))
            .saturating_add(second.saturating_mul(2))
    }

    /// Runs it on a sequence. Writes the weights λ that the last layer gives to the m last tokens to
    /// `weights` (λ_1 is that of the last one), and the distribution of the next token, read off the
    /// last column by πᵀ, to `next` (q numbers).
    ///
    /// Without evidence (T = m) the result is the uniform λ.
    ///
    /// # Errors
    /// [`Error::Length`] for a sequence of another length and slices that do not fit, `scratch` being
    /// [`scratch`](Self::scratch) long; as [`Mixture::evidence`]; [`Error::NotFinite`] if a score is
    /// no number.
    pub fn run(
        &self,
        tokens: &[usize],
        weights: &mut [S],
        next: &mut [S],
        scratch: &mut [S],
    ) -> Result<(), Error> {
        let (q, m, length) = (self.mixture.alphabet(), self.mixture.order(), self.length);
        check_length("tokens of the sequence", length, tokens.len())?;
        self.mixture.evidence(tokens)?;
        check_length("weights of the mixture", m, weights.len())?;
        check_length("distribution of the next token", q, next.len())?;
        check_length(MEMORY, self.scratch(), scratch.len())?;
        let zero = self.mixture.context().ok_or(Error::Empty { what: "alphabet" })?.zero();
        let missing = Error::Empty { what: MEMORY };
        let mut rest = scratch;
        let [h0, h1, h2, h3] = {
            let mut part = |width: usize| {
                split_off_mut(&mut rest, width.saturating_mul(length)).ok_or(missing)
            };
            let [w0, w1, w2, w3] = widths(q, m);
            [part(w0)?, part(w1)?, part(w2)?, part(w3)?]
        };
        let row = split_off_mut(&mut rest, length).ok_or(missing)?;

        h0.fill(zero);
        for (column, &token) in h0.chunks_exact_mut(q.max(1)).zip(tokens) {
            if let Some(slot) = column.get_mut(token) {
                *slot = zero.one();
            }
        }
        let (exact, last) = (self.exact, length - 1);
        let possible = |query: usize, key: usize| {
            let pair = tokens.get(key).zip(tokens.get(query));
            let p = pair.and_then(|(&from, &to)| self.mixture.transition(from, to));
            p.is_some_and(|p| !p.is_zero())
        };
        let within = |query: usize, key: usize| (1..=m).contains(&query.wrapping_sub(key));
        let [first, second, third] = &self.layers;
        // With a finite mask all queries attend to something, themselves if need be.
        let responsible = |query: usize, key: usize| {
            causal(query, key)
                && (possible(query, key) || !exact && !within(query, key) && query == key)
                && (!exact || within(query, key))
        };
        let queries = if exact { m..length } else { 0..length };
        first.apply(h0, queries, responsible, h1, rest)?;
        let seen = |query, key| causal(query, key) && (!exact || key >= m || key == query);
        second.apply(h1, last..length, seen, h2, rest)?;
        let recent = |query, key| causal(query, key) && (!exact || key + m > query);
        third.weights(h2, last, recent, row, rest)?;
        third.apply(h2, last..length, recent, h3, rest)?;

        for (slot, &weight) in weights.iter_mut().zip(row.iter().rev()) {
            *slot = weight;
        }
        let [_, _, below, whole] = widths(q, m);
        let read = h3.chunks_exact(whole.max(1)).last().and_then(|column| column.get(below..));
        let read = read.and_then(|attended| attended.get(..q)).ok_or(missing)?;
        read_out(&self.mixture, read, next);
        Ok(())
    }
}

/// πᵀ applied to weights of tokens.
pub(super) fn read_out<S: Scalar>(mixture: &Mixture<'_, S>, tokens: &[S], next: &mut [S]) {
    for (to, slot) in next.iter_mut().enumerate() {
        let terms = tokens
            .iter()
            .enumerate()
            .filter_map(|(from, &weight)| mixture.transition(from, to).map(|p| weight * p));
        *slot = terms.reduce(|sum, term| sum + term).unwrap_or(*slot);
    }
}

/// The lengths of W_A, R_A, R_V of layer 1, R_A of layer 2, R_A of layer 3.
fn tables(alphabet: usize, order: usize, length: usize, finite: bool) -> [usize; 5] {
    let [q, first, second, _] = widths(alphabet, order);
    let reach = if finite { length } else { 0 };
    let last = if finite { length } else { order };
    [
        q.saturating_mul(q),
        reach.saturating_mul(q),
        order.saturating_add(1).saturating_mul(order),
        reach.saturating_mul(first),
        last.saturating_mul(second),
    ]
}

/// Adds what `of` says about a distance to the first `count` entries of its row.
fn fill_first<S: Scalar>(table: &mut [S], width: usize, count: usize, of: impl Fn(usize) -> S) {
    for (r, row) in table.chunks_exact_mut(width.max(1)).enumerate() {
        for slot in row.iter_mut().take(count) {
            *slot = of(r);
        }
    }
}
