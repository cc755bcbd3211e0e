//! Second moments of a stream of samples, in memory of the caller.
//!
//! Sums carry what rounding takes from them, so that the order of samples, and where a stream is
//! split, hardly matter; over intervals they enclose. Two sums merge into that of both streams.

use crate::error::check_length;
use crate::{Error, Scalar};

/// A sum and what rounding took from it, side by side in memory.
fn add<S: Scalar>(cell: &mut [S], value: S) {
    if let [sum, carry] = cell {
        (*sum, *carry) = sum.two_sum(value + *carry);
    }
}

/// Adds the cells of another memory.
fn merge<S: Scalar>(memory: &mut [S], other: &[S]) {
    for (cell, other) in memory.chunks_mut(2).zip(other.chunks(2)) {
        for &value in other {
            add(cell, value);
        }
    }
}

/// The total of a cell over a count.
fn mean<S: Scalar>(memory: &[S], at: usize, count: u64) -> Option<S> {
    let mut cell = memory.chunks(2).nth(at)?.iter();
    let (&sum, &carry) = (cell.next()?, cell.next()?);
    let count = i64::try_from(count).ok().filter(|&count| count > 0)?;
    Some((sum + carry) / sum.integer(count))
}

fn cleared<S: Scalar>(context: S, memory: &mut [S]) -> &mut [S] {
    for slot in memory.iter_mut() {
        *slot = context.zero();
    }
    memory
}

/// For every token of a stream of inputs, the sums of `‖x̃_i‖²` and of its square: the moments that
/// Theorem 3.2 asks for, and how well they are known.
#[derive(Debug)]
pub struct TokenSums<'m, S> {
    tokens: usize,
    count: u64,
    squares: &'m mut [S],
    fourths: &'m mut [S],
}

impl<'m, S: Scalar> TokenSums<'m, S> {
    /// How many scalars of memory are asked for.
    pub const fn memory(tokens: usize) -> usize {
        tokens.saturating_mul(4)
    }

    /// Of no sample yet. What `memory` holds does not matter.
    ///
    /// # Errors
    /// [`Error::Length`] unless there are [`memory`](Self::memory) entries; [`Error::Empty`] without
    /// tokens.
    pub fn new(context: S, tokens: usize, memory: &'m mut [S]) -> Result<Self, Error> {
        if tokens == 0 {
            return Err(Error::Empty { what: "tokens" });
        }
        let (expected, found) = (Self::memory(tokens), memory.len());
        check_length("memory of the moments", expected, found)?;
        let memory = cleared(context, memory);
        let half = tokens.saturating_mul(2);
        let Some((squares, fourths)) = memory.split_at_mut_checked(half) else {
            return Err(Error::Length { what: "memory of the moments", expected, found });
        };
        Ok(Self { tokens, count: 0, squares, fourths })
    }

    /// One more input, given by `‖x̃_i‖²` for every token.
    ///
    /// # Errors
    /// [`Error::Length`] unless there is one for every token.
    pub fn push(&mut self, square_norms: &[S]) -> Result<(), Error> {
        check_length("square norms of tokens", self.tokens, square_norms.len())?;
        let cells = self.squares.chunks_mut(2).zip(self.fourths.chunks_mut(2));
        for ((square, fourth), &norm) in cells.zip(square_norms) {
            add(square, norm);
            add(fourth, norm.square());
        }
        self.count = self.count.saturating_add(1);
        Ok(())
    }

    /// Takes in what another stream gave.
    ///
    /// # Errors
    /// [`Error::Length`] if it has another number of tokens.
    pub fn merge(&mut self, other: &TokenSums<'_, S>) -> Result<(), Error> {
        check_length("tokens", self.tokens, other.tokens)?;
        merge(self.squares, other.squares);
        merge(self.fourths, other.fourths);
        self.count = self.count.saturating_add(other.count);
        Ok(())
    }

    /// How many inputs there were.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The mean of `‖x̃_i‖²`; nothing without samples or for a token that does not exist.
    pub fn mean(&self, token: usize) -> Option<S> {
        mean(self.squares, token, self.count)
    }

    /// The mean of `‖x̃_i‖⁴`, likewise.
    pub fn mean_of_squares(&self, token: usize) -> Option<S> {
        mean(self.fourths, token, self.count)
    }
}

/// The sums of a stream of vectors and of their products in pairs: `E x` and `E x xᵀ`.
#[derive(Debug)]
pub struct SecondSums<'m, S> {
    length: usize,
    count: u64,
    firsts: &'m mut [S],
    /// The lower triangle, row by row.
    seconds: &'m mut [S],
}

impl<'m, S: Scalar> SecondSums<'m, S> {
    /// How many scalars of memory are asked for, for vectors of this length.
    pub const fn memory(length: usize) -> usize {
        length.saturating_mul(2).saturating_add(length.saturating_mul(length.saturating_add(1)))
    }

    /// Of no sample yet. What `memory` holds does not matter.
    ///
    /// # Errors
    /// [`Error::Length`] unless there are [`memory`](Self::memory) entries; [`Error::Empty`] for
    /// vectors of no entries.
    pub fn new(context: S, length: usize, memory: &'m mut [S]) -> Result<Self, Error> {
        if length == 0 {
            return Err(Error::Empty { what: "vectors" });
        }
        let (expected, found) = (Self::memory(length), memory.len());
        check_length("memory of the moments", expected, found)?;
        let memory = cleared(context, memory);
        let Some((firsts, seconds)) = memory.split_at_mut_checked(length.saturating_mul(2)) else {
            return Err(Error::Length { what: "memory of the moments", expected, found });
        };
        Ok(Self { length, count: 0, firsts, seconds })
    }

    /// One more vector.
    ///
    /// # Errors
    /// [`Error::Length`] if it has another length.
    pub fn push(&mut self, vector: &[S]) -> Result<(), Error> {
        check_length("vector", self.length, vector.len())?;
        for (cell, &x) in self.firsts.chunks_mut(2).zip(vector) {
            add(cell, x);
        }
        let mut cells = self.seconds.chunks_mut(2);
        for (i, &x) in vector.iter().enumerate() {
            // A square is never negative; the product of an interval with itself may be.
            for &y in vector.iter().take(i) {
                cells.next().into_iter().for_each(|cell| add(cell, x * y));
            }
            cells.next().into_iter().for_each(|cell| add(cell, x.square()));
        }
        self.count = self.count.saturating_add(1);
        Ok(())
    }

    /// Takes in what another stream gave.
    ///
    /// # Errors
    /// [`Error::Length`] if its vectors have another length.
    pub fn merge(&mut self, other: &SecondSums<'_, S>) -> Result<(), Error> {
        check_length("vectors", self.length, other.length)?;
        merge(self.firsts, other.firsts);
        merge(self.seconds, other.seconds);
        self.count = self.count.saturating_add(other.count);
        Ok(())
    }

    /// How many vectors there were.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The mean of entry i; nothing without samples or for an entry that does not exist.
    pub fn mean(&self, entry: usize) -> Option<S> {
        mean(self.firsts, entry, self.count)
    }

    /// The mean of the product of two entries, likewise.
    pub fn second(&self, first: usize, second: usize) -> Option<S> {
        let (row, column) = if first < second { (second, first) } else { (first, second) };
        if row >= self.length {
            return None;
        }
        let before = row.checked_mul(row.checked_add(1)?)? >> 1;
        mean(self.seconds, before.checked_add(column)?, self.count)
    }
}
