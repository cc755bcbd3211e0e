//! Normalised gradient descent as layers of attention.
//!
//! Columns are [z_i; w] for the n samples and [x; w] for a query x; keys and values are those of the
//! samples alone. With `W_K = [I 0]`, `W_Q = [0 −I]` and `W_V = [[0, 0], [ηI, 0]]`, added to the
//! column, a layer leaves the upper half alone and adds η Σ_i softmax(−Zw)_i z_i to the lower one.
//! k layers are k steps, and as all are the same, one layer looped is enough. The readout is x·w.
//!
//! In general the lower half receives `V Σ_i softmax(Z Bᵀ w)_i z_i`: B and V are what is trained
//! when a layer is to [learn](super::imitation) a step (B = −I, V = ηI).
//!
//! ```
//! use popgd_core::in_context::normalized_descent::Samples;
//! use popgd_core::in_context::normalized_descent::transformer::{
//!     Blocks, Looped, memory, write_exact_blocks,
//! };
//!
//! let rows = [1.0, 0.5, 0.5, -1.0]; // two samples z = y x
//! let samples = Samples::new(2, &rows)?;
//! let (mut key_query, mut value) = ([0.0; 4], [0.0; 4]);
//! write_exact_blocks(2, 0.5, &mut key_query, &mut value)?;
//! let blocks = Blocks { key_query: &key_query, value: &value };
//! let mut room = vec![0.0; memory(2, 2)];
//! let mut layers = Looped::new(samples, &[1.0, 1.0], blocks, &mut room)?;
//!
//! layers.step()?; // from 0: half of the mean
//! assert_eq!(layers.state(), [0.375, -0.125]);
//! assert_eq!(layers.read_out(), 0.25);
//!
//! let (mut weights, mut scratch) = ([0.375, -0.125], [0.0; 4]);
//! samples.step(0.5, &mut weights, &mut scratch, |x| x)?;
//! layers.step()?;
//! assert!((layers.state()[0] - weights[0]).abs() < 1e-15);
//! # Ok::<(), popgd_core::Error>(())
//! ```

use super::Samples;
use crate::error::check_length;
use crate::in_context::attention::{Attention, Join};
use crate::slices::split_off_mut;
use crate::{Error, Scalar};

/// The blocks of a layer that are not 0, d × d each, row by row.
#[derive(Clone, Copy, Debug)]
pub struct Blocks<'a, S> {
    /// B: sample z has the score wᵀ B z; one row per feature of w. Of an exact step −I.
    pub key_query: &'a [S],
    /// V: sample z has the value V z. Of an exact step ηI.
    pub value: &'a [S],
}

/// Writes B = −I and V = ηI: a layer that is one step of rate η.
///
/// # Errors
/// [`Error::Length`] if a slice is not d² long.
pub fn write_exact_blocks<S: Scalar>(
    features: usize,
    rate: S,
    key_query: &mut [S],
    value: &mut [S],
) -> Result<(), Error> {
    for (what, block, diagonal) in
        [("key-query block", key_query, -rate.one()), ("value block", value, rate)]
    {
        check_length(what, features.saturating_mul(features), block.len())?;
        block.fill(rate.zero());
        for slot in block.iter_mut().step_by(features.saturating_add(1)) {
            *slot = diagonal;
        }
    }
    Ok(())
}

/// A transformer whose layers are all the same, and its columns.
#[derive(Debug)]
pub struct Looped<'a, S> {
    samples: Samples<'a, S>,
    key_query: &'a mut [S],
    value: &'a mut [S],
    columns: &'a mut [S],
    output: &'a mut [S],
    scratch: &'a mut [S],
}

/// How many numbers [`Looped::new`] needs.
#[must_use]
pub fn memory(samples: usize, features: usize) -> usize {
    let width = features.saturating_mul(2);
    let columns = samples.saturating_add(1);
    let squares = width.saturating_mul(width).saturating_mul(2);
    let sides = columns.saturating_mul(width).saturating_mul(2);
    squares.saturating_add(sides).saturating_add(Attention::<f64>::uniform(width).scratch(columns))
}

impl<'a, S: Scalar> Looped<'a, S> {
    /// Columns for these samples and this query (d numbers), with w = 0. `room` has
    /// [`memory`]`(n, d)` entries, of any content.
    ///
    /// # Errors
    /// [`Error::Length`] if a slice does not fit.
    pub fn new(
        samples: Samples<'a, S>,
        query: &[S],
        blocks: Blocks<'_, S>,
        room: &'a mut [S],
    ) -> Result<Self, Error> {
        let features = samples.features();
        let (width, count) = (features.saturating_mul(2), samples.count());
        let (needed, found) = (memory(count, features), room.len());
        check_length("query", features, query.len())?;
        check_length("key-query block", features.saturating_mul(features), blocks.key_query.len())?;
        check_length("value block", features.saturating_mul(features), blocks.value.len())?;
        check_length("memory of a looped layer", needed, found)?;
        room.fill(samples.context.zero());
        let lack = Error::Length { what: "memory of a looped layer", expected: needed, found };
        let (square, side) =
            (width.saturating_mul(width), count.saturating_add(1).saturating_mul(width));
        let mut rest = room;
        let run = Self {
            samples,
            key_query: split_off_mut(&mut rest, square).ok_or(lack)?,
            value: split_off_mut(&mut rest, square).ok_or(lack)?,
            columns: split_off_mut(&mut rest, side).ok_or(lack)?,
            output: split_off_mut(&mut rest, side).ok_or(lack)?,
            scratch: rest,
        };
        // Both act from the upper half of a column to the lower half of another.
        for (whole, block) in
            [(&mut *run.key_query, blocks.key_query), (&mut *run.value, blocks.value)]
        {
            let lower = whole.chunks_exact_mut(width.max(1)).skip(features);
            for (row, entries) in lower.zip(block.chunks_exact(features.max(1))) {
                for (slot, &entry) in row.iter_mut().zip(entries) {
                    *slot = entry;
                }
            }
        }
        let contents = run.samples.rows().chain(core::iter::once(query));
        for (column, content) in run.columns.chunks_exact_mut(width.max(1)).zip(contents) {
            for (slot, &entry) in column.iter_mut().zip(content) {
                *slot = entry;
            }
        }
        Ok(run)
    }

    /// The layer.
    #[must_use]
    pub fn layer(&self) -> Attention<'_, S> {
        Attention {
            key_query: Some(&*self.key_query),
            value: Some(&*self.value),
            join: Join::Add,
            ..Attention::uniform(self.samples.features.saturating_mul(2))
        }
    }

    /// All columns, (n + 1) × 2d; the query is the last.
    #[must_use]
    pub fn columns(&self) -> &[S] {
        self.columns
    }

    /// w, the lower half of the query's column.
    #[must_use]
    pub fn state(&self) -> &[S] {
        let from = self.columns.len().saturating_sub(self.samples.features);
        self.columns.get(from..).unwrap_or(&[])
    }

    /// Puts another w in its place. (Those of the other columns are never looked at.)
    ///
    /// # Errors
    /// [`Error::Length`] if there are not d numbers.
    pub fn set_state(&mut self, weights: &[S]) -> Result<(), Error> {
        check_length("weights", self.samples.features, weights.len())?;
        let from = self.columns.len().saturating_sub(self.samples.features);
        for (slot, &weight) in self.columns.iter_mut().skip(from).zip(weights) {
            *slot = weight;
        }
        Ok(())
    }

    /// One layer. Only the query's column is computed: that of a sample would receive the same, and
    /// nothing reads it.
    ///
    /// # Errors
    /// [`Error::NotFinite`] if a score or the result is no number.
    pub fn step(&mut self) -> Result<(), Error> {
        let count = self.samples.count();
        let layer = Attention {
            key_query: Some(&*self.key_query),
            value: Some(&*self.value),
            join: Join::Add,
            ..Attention::uniform(self.samples.features.saturating_mul(2))
        };
        let queries = count..count.saturating_add(1);
        layer.apply(self.columns, queries, |_, key| key < count, self.output, self.scratch)?;
        core::mem::swap(&mut self.columns, &mut self.output);
        Ok(())
    }

    /// The attention that the query pays to each sample (n numbers): softmax(−Zw) if the layer is
    /// exact.
    ///
    /// # Errors
    /// [`Error::Length`] if the slice does not fit; as [`step`](Self::step).
    pub fn attention(&mut self, weights: &mut [S]) -> Result<(), Error> {
        let count = self.samples.count();
        check_length("attention", count, weights.len())?;
        let layer = Attention {
            key_query: Some(&*self.key_query),
            join: Join::Add,
            ..Attention::uniform(self.samples.features.saturating_mul(2))
        };
        // The output is not in use between two steps.
        let Some(all) = self.output.get_mut(..count.saturating_add(1)) else {
            return Err(Error::Empty { what: "features" });
        };
        layer.weights(self.columns, count, |_, key| key < count, all, self.scratch)?;
        for (slot, &weight) in weights.iter_mut().zip(all.iter()) {
            *slot = weight;
        }
        Ok(())
    }

    /// x·w, whose sign is the predicted label of the query.
    #[must_use]
    pub fn read_out(&self) -> S {
        let width = self.samples.features.saturating_mul(2);
        let from = self.columns.len().saturating_sub(width);
        let query = self.columns.get(from..).unwrap_or(&[]);
        let query = query.get(..self.samples.features).unwrap_or(&[]);
        self.samples.context.dot(query, self.state())
    }
}
