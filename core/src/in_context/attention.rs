//! One head of softmax attention, with relative tables, true masks, and either a residual sum or
//! concatenation.
//!
//! Columns h₀, …, h_{n−1} of d features lie one after the other in a slice. Query i gives key j the
//! weight `A_ij = n_j e^{e_ij} / Σ_k n_k e^{e_ik}`, over the keys that its mask allows, with
//!
//! `e_ij = h_iᵀ W_A h_j + h_iᵀ R_A[i−j] + b_j`
//!
//! (W_A = W_Qᵀ W_K in other books), and receives `[Σ_j A_ij W_V h_j; Σ_j A_ij R_V[i−j]]`, which is
//! put below h_i or added to it. A mask is true: what it forbids has weight 0, not e^{−large}.
//!
//! ```
//! use popgd_core::in_context::attention::{Attention, causal};
//!
//! // Each column receives the mean of those before it and itself.
//! let columns = [1.0, 3.0, 8.0];
//! let layer = Attention::uniform(1);
//! let mut output = [0.0; 6];
//! let mut scratch = [0.0; 14];
//! assert_eq!(scratch.len(), layer.scratch(3));
//! layer.apply(&columns, 0..3, causal, &mut output, &mut scratch)?;
//! assert_eq!(output, [1.0, 1.0, 3.0, 2.0, 8.0, 4.0]);
//! # Ok::<(), popgd_core::Error>(())
//! ```

use core::ops::Range;

use crate::error::check_length;
use crate::slices::split_off_mut;
use crate::{Error, Scalar};

/// What becomes of the attended value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Join {
    /// It is put below the query's own column ("disentangled").
    Concatenate,
    /// It is added to the query's own column.
    Add,
}

/// The weights of one head. Absent matrices are as the fields say; tables reach as far as they are
/// long, and are 0 beyond, and for keys after the query.
#[derive(Clone, Copy, Debug)]
pub struct Attention<'a, S> {
    /// d, the number of features of a column.
    pub width: usize,
    /// W_A, d × d, row by row, one row per feature of the query; 0 if there is none.
    pub key_query: Option<&'a [S]>,
    /// R_A\[0\], R_A\[1\], …, d numbers each, for the key that many columns before the query.
    pub relative_scores: &'a [S],
    /// b, one number per column; 0 if there is none.
    pub key_bias: Option<&'a [S]>,
    /// n, how many equal keys each column stands for (a bias of ln n, and a mask where n is 0);
    /// one if there is none. None is negative.
    pub key_counts: Option<&'a [S]>,
    /// W_V, a × d, row by row; the identity if there is none.
    pub value: Option<&'a [S]>,
    /// R_V\[0\], R_V\[1\], …, `relative_width` numbers each.
    pub relative_values: &'a [S],
    /// p, how many numbers R_V has for a distance; what is added has d, or none.
    pub relative_width: usize,
    /// What becomes of the attended value.
    pub join: Join,
}

/// The mask that forbids keys after the query.
pub fn causal(query: usize, key: usize) -> bool {
    key <= query
}

impl<'a, S: Scalar> Attention<'a, S> {
    /// All scores 0, values the columns themselves, concatenated: to be altered field by field.
    #[must_use]
    pub fn uniform(width: usize) -> Self {
        Self {
            width,
            key_query: None,
            relative_scores: &[],
            key_bias: None,
            key_counts: None,
            value: None,
            relative_values: &[],
            relative_width: 0,
            join: Join::Concatenate,
        }
    }

    /// The number of features of a column of the output: d + a + p if joined by concatenation, d
    /// if by addition.
    #[must_use]
    pub fn output_width(&self) -> usize {
        match self.join {
            Join::Add => self.width,
            Join::Concatenate => {
                self.width.saturating_add(self.value_width()).saturating_add(self.relative_width)
            }
        }
    }

    /// How many numbers [`apply`](Self::apply) and [`weights`](Self::weights) need for themselves
    /// if there are so many columns: 4 n + 2 d.
    #[must_use]
    pub fn scratch(&self, columns: usize) -> usize {
        columns.saturating_mul(4).saturating_add(self.width.saturating_mul(2))
    }

    /// a, the number of features that W_V makes.
    fn value_width(&self) -> usize {
        match self.value {
            Some(value) => value.len().checked_div(self.width).unwrap_or(0),
            None => self.width,
        }
    }

    /// Writes A_ij, for every key j of query i, to `weights` (n numbers, 0 where the mask forbids).
    /// Of a key that stands for several, this is the weight of all.
    ///
    /// # Errors
    /// As [`apply`](Self::apply).
    pub fn weights(
        &self,
        columns: &[S],
        query: usize,
        mask: impl Fn(usize, usize) -> bool,
        weights: &mut [S],
        scratch: &mut [S],
    ) -> Result<(), Error> {
        let (tokens, _) = self.check(columns, scratch)?;
        check_length("weights of attention", tokens, weights.len())?;
        if query >= tokens {
            return Err(Error::Index { index: query, tokens });
        }
        self.weigh(columns, tokens, query, &mask, weights, scratch).map(|_| ())
    }

    /// Applies the layer to `columns` (n × d numbers), for the queries asked for, into `output`
    /// (n × [`output_width`](Self::output_width)). Other columns keep their own features; what would
    /// be put below them is 0. `mask(i, j)` says whether query i may attend to key j.
    ///
    /// # Errors
    /// [`Error::Empty`] without columns or features; [`Error::Length`] if a slice does not fit,
    /// `scratch` being at least [`scratch`](Self::scratch) long; [`Error::Index`] for a query that
    /// does not exist; [`Error::NoKeys`] for one that may attend to nothing; [`Error::NotFinite`]
    /// if a score or a result is no number.
    pub fn apply(
        &self,
        columns: &[S],
        queries: Range<usize>,
        mask: impl Fn(usize, usize) -> bool,
        output: &mut [S],
        scratch: &mut [S],
    ) -> Result<(), Error> {
        let (tokens, zero) = self.check(columns, scratch)?;
        let width = self.output_width();
        check_length("output of attention", tokens.saturating_mul(width), output.len())?;
        if queries.end > tokens {
            return Err(Error::Index { index: queries.end - 1, tokens });
        }
        let mut rest = scratch;
        let missing = Error::Empty { what: "scratch" };
        let weights = split_off_mut(&mut rest, tokens).ok_or(missing)?;
        let attended = split_off_mut(&mut rest, self.width).ok_or(missing)?;
        let rows =
            columns.chunks_exact(self.width.max(1)).zip(output.chunks_exact_mut(width.max(1)));
        for (query, (column, row)) in rows.enumerate() {
            let Some((own, below)) = row.split_at_mut_checked(self.width) else { continue };
            for (slot, &x) in own.iter_mut().zip(column) {
                *slot = x;
            }
            if queries.contains(&query) {
                let keys = self.weigh(columns, tokens, query, &mask, weights, rest)?;
                let allowed = |key: &usize| self.allows(&mask, query, *key);
                let keys = keys.filter(allowed);
                self.attend(columns, keys.clone(), weights, attended);
                self.join_to(query, keys, weights, attended, own, below);
                if !own.iter().chain(below.iter()).all(|x| x.is_number()) {
                    return Err(Error::NotFinite { what: "output of attention" });
                }
            } else {
                below.fill(zero);
            }
        }
        Ok(())
    }

    /// The number of columns, and 0, if all shapes fit.
    fn check(&self, columns: &[S], scratch: &[S]) -> Result<(usize, S), Error> {
        let d = self.width;
        let empty = Error::Empty { what: "columns of attention" };
        let zero = columns.first().filter(|_| d > 0).ok_or(empty)?.zero();
        let tokens = columns.len().checked_div(d).unwrap_or(0);
        check_length("columns of attention", tokens.saturating_mul(d), columns.len())?;
        if let Some(matrix) = self.key_query {
            check_length("key-query matrix", d.saturating_mul(d), matrix.len())?;
        }
        for (what, per_column) in [("key bias", self.key_bias), ("key counts", self.key_counts)] {
            if let Some(numbers) = per_column {
                check_length(what, tokens, numbers.len())?;
            }
        }
        let whole = |what, numbers: &[S], row: usize| {
            let rows = numbers.len().checked_div(row).unwrap_or(0);
            check_length(what, rows.saturating_mul(row), numbers.len())
        };
        whole("relative scores", self.relative_scores, d)?;
        whole("relative values", self.relative_values, self.relative_width)?;
        if let Some(matrix) = self.value {
            whole("value matrix of attention", matrix, d)?;
        }
        if self.join == Join::Add {
            check_length("attended value that is added", d, self.value_width())?;
            if self.relative_width > 0 {
                check_length("relative values that are added", d, self.relative_width)?;
            }
        }
        let needed = self.scratch(tokens);
        if scratch.len() < needed {
            check_length("scratch of attention", needed, scratch.len())?;
        }
        Ok((tokens, zero))
    }

    /// Whether a query may attend to a key that stands for any.
    fn allows(&self, mask: &impl Fn(usize, usize) -> bool, query: usize, key: usize) -> bool {
        let count = self.key_counts.and_then(|counts| counts.get(key));
        mask(query, key) && !count.is_some_and(|count| count.is_zero())
    }

    /// A_ij of one query, and a range that has all its keys. Shapes are checked.
    fn weigh(
        &self,
        columns: &[S],
        tokens: usize,
        query: usize,
        mask: &impl Fn(usize, usize) -> bool,
        weights: &mut [S],
        scratch: &mut [S],
    ) -> Result<Range<usize>, Error> {
        let d = self.width.max(1);
        let missing = Error::Empty { what: "scratch" };
        let mut rest = scratch;
        let projected = split_off_mut(&mut rest, d).ok_or(missing)?;
        let logits = split_off_mut(&mut rest, tokens).ok_or(missing)?;
        let counts = split_off_mut(&mut rest, tokens).ok_or(missing)?;
        let scores = split_off_mut(&mut rest, tokens).ok_or(missing)?;
        let own = columns.chunks_exact(d).nth(query).unwrap_or(&[]);
        let zero = own.first().ok_or(missing)?.zero();

        projected.fill(zero);
        if let Some(matrix) = self.key_query {
            for (&x, row) in own.iter().zip(matrix.chunks_exact(d)) {
                for (sum, &w) in projected.iter_mut().zip(row) {
                    *sum = *sum + x * w;
                }
            }
        }
        let allowed = || (0..tokens).filter(|&key| self.allows(mask, query, key));
        let (mut found, mut range) = (0, tokens..0);
        for ((key, logit), count) in allowed().zip(logits.iter_mut()).zip(counts.iter_mut()) {
            let column = columns.chunks_exact(d).nth(key).unwrap_or(&[]);
            *logit = if self.key_query.is_some() { zero.dot(projected, column) } else { zero };
            if let Some(table) = relative(self.relative_scores, d, query, key) {
                *logit = *logit + zero.dot(own, table);
            }
            if let Some(&bias) = self.key_bias.and_then(|bias| bias.get(key)) {
                *logit = *logit + bias;
            }
            if !logit.is_number() {
                return Err(Error::NotFinite { what: "scores of attention" });
            }
            if let Some(&own_count) = self.key_counts.and_then(|counts| counts.get(key)) {
                *count = own_count;
            }
            found += 1;
            range = range.start.min(key)..key + 1;
        }
        if found == 0 {
            return Err(Error::NoKeys { query });
        }
        let logits = logits.get(..found).unwrap_or(&[]);
        let counts = self.key_counts.map(|_| counts.get(..found).unwrap_or(&[]));
        S::softmax(counts, logits, scores);
        weights.fill(zero);
        for ((index, key), &score) in allowed().enumerate().zip(scores.iter()) {
            if let Some(slot) = weights.get_mut(key) {
                *slot = crate::scalar::times(counts, index, score);
            }
        }
        Ok(range)
    }

    /// Σ_j A_ij h_j.
    fn attend(
        &self,
        columns: &[S],
        keys: impl Iterator<Item = usize> + Clone,
        weights: &[S],
        attended: &mut [S],
    ) {
        for (feature, slot) in attended.iter_mut().enumerate() {
            let terms = keys.clone().filter_map(|key| {
                let at = key.saturating_mul(self.width).saturating_add(feature);
                Some(*weights.get(key)? * *columns.get(at)?)
            });
            *slot = balanced_sum(slot.zero(), terms);
        }
    }

    /// Puts W_V · attended and Σ_j A_ij R_V\[i−j\] below, or adds them.
    fn join_to(
        &self,
        query: usize,
        keys: impl Iterator<Item = usize> + Clone,
        weights: &[S],
        attended: &[S],
        own: &mut [S],
        below: &mut [S],
    ) {
        let Some(zero) = weights.first().map(|weight| weight.zero()) else { return };
        let value = |row: usize| match self.value {
            None => attended.get(row).copied().unwrap_or(zero),
            Some(matrix) => {
                let row = matrix.chunks_exact(self.width.max(1)).nth(row).unwrap_or(&[]);
                zero.dot(row, attended)
            }
        };
        let by_distance = |row: usize| {
            let terms = keys.clone().filter_map(|key| {
                let table = relative(self.relative_values, self.relative_width, query, key)?;
                Some(*weights.get(key)? * *table.get(row)?)
            });
            balanced_sum(zero, terms)
        };
        if self.join == Join::Add {
            for (row, slot) in own.iter_mut().enumerate() {
                *slot = *slot + value(row);
                if self.relative_width > 0 {
                    *slot = *slot + by_distance(row);
                }
            }
            return;
        }
        let values = self.value_width();
        for (row, slot) in below.iter_mut().enumerate() {
            *slot = match row.checked_sub(values) {
                None => value(row),
                Some(row) => by_distance(row),
            };
        }
    }
}

/// The row of a table for the distance between query and key, if it has one.
fn relative<S>(table: &[S], width: usize, query: usize, key: usize) -> Option<&[S]> {
    let distance = query.checked_sub(key)?;
    if width == 0 { None } else { table.chunks_exact(width).nth(distance) }
}

/// A sum by halves: the number of roundings that a term goes through is the logarithm of how many
/// there are, which keeps enclosures of long sums tight.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BalancedSum<S> {
    /// Entry k holds the sum of 2ᵏ terms where bit k of the number of terms is 1.
    partial: [S; usize::BITS as usize],
    terms: usize,
}

impl<S: Scalar> BalancedSum<S> {
    pub(crate) fn new(zero: S) -> Self {
        Self { partial: [zero; usize::BITS as usize], terms: 0 }
    }

    pub(crate) fn add(&mut self, term: S) {
        let mut sum = term;
        for (level, slot) in self.partial.iter_mut().enumerate() {
            if self.terms >> level & 1 == 0 {
                *slot = sum;
                break;
            }
            sum = *slot + sum;
        }
        self.terms = self.terms.wrapping_add(1);
    }

    /// The sum, if there are terms.
    pub(crate) fn total(&self) -> Option<S> {
        let levels = self.partial.iter().enumerate();
        let set = levels.filter(|&(level, _)| self.terms >> level & 1 == 1);
        set.map(|(_, &part)| part).reduce(|sum, part| part + sum)
    }
}

/// The [sum by halves](BalancedSum) of `terms`; `zero` if there are none.
pub(crate) fn balanced_sum<S: Scalar>(zero: S, terms: impl Iterator<Item = S>) -> S {
    let mut sum = BalancedSum::new(zero);
    terms.for_each(|term| sum.add(term));
    sum.total().unwrap_or(zero)
}
