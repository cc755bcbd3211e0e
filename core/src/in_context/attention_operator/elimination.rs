//! Elimination on small dense matrices of floats, row by row.

use crate::Error;
use crate::scalar::float::Float;

/// Picks as many rows as there are columns (as many as `picked` has entries), by elimination with
/// complete pivoting; the last row always. `matrix` is used up.
///
/// # Errors
/// [`Error::Singular`] if there are not so many independent ones.
pub(super) fn pick<F: Float>(matrix: &mut [F], picked: &mut [usize]) -> Result<(), Error> {
    let side = picked.len().max(1);
    let mut wanted = matrix.len().checked_div(side).and_then(|rows| rows.checked_sub(1));
    for done in 0..picked.len() {
        let Some((row, column)) = largest(matrix, side, wanted.take(), picked.get(..done)) else {
            return Err(Error::Singular);
        };
        if let Some(slot) = picked.get_mut(done) {
            *slot = row;
        }
        let pivot = at(matrix, side, row, column);
        for other in 0..matrix.len().checked_div(side).unwrap_or(0) {
            if picked.iter().take(done.saturating_add(1)).any(|&gone| gone == other) {
                continue;
            }
            let factor = at(matrix, side, other, column) / pivot;
            subtract(matrix, side, other, row, factor);
            // Exactly, so that this column is no pivot again.
            if let Some(slot) = matrix.get_mut(index(side, other, column)) {
                *slot = F::ZERO;
            }
        }
    }
    Ok(())
}

/// Where the largest entry is among rows that are not gone yet, or in the row that is wanted.
fn largest<F: Float>(
    matrix: &[F],
    side: usize,
    wanted: Option<usize>,
    gone: Option<&[usize]>,
) -> Option<(usize, usize)> {
    let gone = gone.unwrap_or(&[]);
    let mut found = None;
    let mut size = F::ZERO;
    for (row, entries) in matrix.chunks_exact(side.max(1)).enumerate() {
        if wanted.is_some_and(|wanted| wanted != row) || gone.contains(&row) {
            continue;
        }
        for (column, entry) in entries.iter().enumerate() {
            if Float::abs(*entry) > size {
                size = Float::abs(*entry);
                found = Some((row, column));
            }
        }
    }
    found
}

fn index(side: usize, row: usize, column: usize) -> usize {
    row.saturating_mul(side).saturating_add(column)
}

fn at<F: Float>(matrix: &[F], side: usize, row: usize, column: usize) -> F {
    matrix.get(index(side, row, column)).copied().unwrap_or(F::ZERO)
}

/// Takes `factor` times one row from another.
fn subtract<F: Float>(matrix: &mut [F], side: usize, from: usize, row: usize, factor: F) {
    if factor == F::ZERO {
        return;
    }
    for column in 0..side {
        let part = at(matrix, side, row, column);
        if let Some(slot) = matrix.get_mut(index(side, from, column)) {
            *slot = *slot - factor * part;
        }
    }
}

/// Gauss and Jordan with row pivots: `matrix`, used up, into `inverse`.
///
/// # Errors
/// [`Error::Singular`] if a pivot is 0 or no number.
pub(super) fn invert<F: Float>(
    matrix: &mut [F],
    inverse: &mut [F],
    side: usize,
) -> Result<(), Error> {
    inverse.fill(F::ZERO);
    for slot in inverse.iter_mut().step_by(side.saturating_add(1)) {
        *slot = F::ONE;
    }
    for done in 0..side {
        let size = |row: &usize| Float::abs(at(matrix, side, *row, done));
        let best = (done..side).reduce(|a, b| if size(&b) > size(&a) { b } else { a });
        let pivot = best.ok_or(Error::Singular)?;
        let divisor = at(matrix, side, pivot, done);
        if divisor == F::ZERO || !Float::is_finite(divisor) {
            return Err(Error::Singular);
        }
        for part in [&mut *matrix, &mut *inverse] {
            for column in 0..side {
                let (upper, lower) = (at(part, side, done, column), at(part, side, pivot, column));
                if let Some(slot) = part.get_mut(index(side, pivot, column)) {
                    *slot = upper;
                }
                if let Some(slot) = part.get_mut(index(side, done, column)) {
                    *slot = lower / divisor;
                }
            }
        }
        for row in (0..side).filter(|&row| row != done) {
            let factor = at(matrix, side, row, done);
            subtract(matrix, side, row, done, factor);
            subtract(inverse, side, row, done, factor);
        }
    }
    Ok(())
}

/// The largest sum of the sizes of a row.
pub(super) fn norm<F: Float>(matrix: &[F], side: usize) -> F {
    let rows = matrix.chunks_exact(side.max(1));
    let sizes = rows.map(|row| row.iter().fold(F::ZERO, |sum, x| sum + Float::abs(*x)));
    sizes.fold(F::ZERO, F::max)
}
