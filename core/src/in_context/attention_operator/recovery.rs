//! The weights of known atoms, from values of the operator: that they are determined is what
//! "without loss of information" means.
//!
//! For the atoms Y_k, and queries with slopes ξ_j,
//!
//! ```text
//! Σ_k p_k e^{ξ_j·Y_k − c_j} (Y_k − A_μ(x_j)) = 0,    Σ_k p_k = 1,
//! ```
//!
//! d equations a query, and one more, in as many unknowns as there are atoms. As many rows are
//! picked as there are unknowns, by elimination; the system is solved, and over intervals the solution
//! is proven: with an approximate inverse C of the matrix M, `‖I − CM‖ < 1` in the maximum norm says
//! that M is regular, and `|x − x̃| ≤ ‖C(b − Mx̃)‖/(1 − ‖I − CM‖)`.

use crate::error::check_length;
use crate::in_context::attention::balanced_sum;
use crate::scalar::float::Float;
use crate::scalar::interval::Interval;
use crate::slices::split_off_mut;
use crate::{Error, Scalar};

use super::{Measure, elimination};

/// Writes the d equations of a query, one after the other (d × n numbers): the weights of
/// `measure` are not looked at. `value` is A_μ(x).
///
/// # Errors
/// [`Error::Length`] if a slice does not fit; [`Error::NotFinite`] if an exponential overflows.
pub fn write_equations<S: Scalar>(
    measure: &Measure<'_, S>,
    slope: &[S],
    value: &[S],
    reference: S,
    equations: &mut [S],
) -> Result<(), Error> {
    let (dimension, count) = (measure.dimension(), measure.count());
    check_length("slope", dimension, slope.len())?;
    check_length("value of the operator", dimension, value.len())?;
    check_length("equations", dimension.saturating_mul(count), equations.len())?;
    for (feature, (row, &mean)) in equations.chunks_exact_mut(count.max(1)).zip(value).enumerate() {
        for ((atom, _), slot) in measure.atoms().zip(row.iter_mut()) {
            let Some(&entry) = atom.get(feature) else { continue };
            *slot = (mean.dot(slope, atom) - reference).exp() * (entry - mean);
        }
    }
    if equations.iter().all(|x| x.is_number()) {
        Ok(())
    } else {
        Err(Error::NotFinite { what: "equations for the weights of atoms" })
    }
}

/// A solution, by [`solve`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Solved<F> {
    /// The condition number of the rows that were picked, in the maximum norm, about.
    pub condition: F,
}

/// How many numbers [`solve`] needs for so many equations in so many unknowns.
#[must_use]
pub fn scratch(rows: usize, unknowns: usize) -> usize {
    let square = unknowns.saturating_mul(unknowns);
    rows.saturating_add(1).saturating_mul(unknowns).saturating_add(square.saturating_mul(2))
}

/// Finds weights that sum to 1 from `equations` (rows of as many numbers as there are
/// `weights`). An approximate inverse is left at the beginning of `room` ([`scratch`] numbers), and
/// `picked` (as many as unknowns) says which rows it is of; the row of ones has the number of
/// equations as its own.
///
/// # Errors
/// [`Error::Length`] if a slice does not fit; [`Error::Empty`] without unknowns;
/// [`Error::Singular`] if the rows do not determine the weights in this precision: too few
/// queries, or atoms that are the same.
pub fn solve<F: Float>(
    equations: &[F],
    weights: &mut [F],
    picked: &mut [usize],
    room: &mut [F],
) -> Result<Solved<F>, Error> {
    let unknowns = weights.len();
    if unknowns == 0 {
        return Err(Error::Empty { what: "atoms" });
    }
    let rows = equations.len().checked_div(unknowns).unwrap_or(0);
    check_length("equations", rows.saturating_mul(unknowns), equations.len())?;
    check_length("picked rows", unknowns, picked.len())?;
    let (needed, found) = (scratch(rows, unknowns), room.len());
    check_length("scratch of a solution", needed, found)?;
    let lack = Error::Length { what: "scratch of a solution", expected: needed, found };
    let square = unknowns.saturating_mul(unknowns);
    let mut rest = room;
    let inverse = split_off_mut(&mut rest, square).ok_or(lack)?;
    let matrix = split_off_mut(&mut rest, square).ok_or(lack)?;
    for (index, row) in rest.chunks_exact_mut(unknowns).enumerate() {
        write_row(equations, unknowns, index, F::ONE, row);
        scale(row);
    }
    elimination::pick(rest, picked)?;
    for (row, &from) in matrix.chunks_exact_mut(unknowns).zip(picked.iter()) {
        write_row(equations, unknowns, from, F::ONE, row);
        scale(row);
    }
    let size = elimination::norm(matrix, unknowns);
    elimination::invert(matrix, inverse, unknowns)?;
    let condition = size * elimination::norm(inverse, unknowns);
    // Beyond that no digit is right.
    if !(condition * F::UNIT_ROUNDOFF < F::ONE) {
        return Err(Error::Singular);
    }
    // Of the rows as they are: each column of the inverse times the scale of its row.
    for (column, &from) in picked.iter().enumerate() {
        let Some(row) = matrix.get_mut(..unknowns) else { return Err(lack) };
        write_row(equations, unknowns, from, F::ONE, row);
        let factor = scale(row);
        for slot in inverse.iter_mut().skip(column).step_by(unknowns) {
            *slot = *slot * factor;
        }
    }
    // The right-hand side is 1 in the row of ones, and 0 in all others. Once more with what is left.
    weights.fill(F::ZERO);
    for _ in 0..2 {
        let Some(row) = matrix.get_mut(..unknowns) else { return Err(lack) };
        for (slot, &from) in rest.iter_mut().zip(picked.iter()) {
            write_row(equations, unknowns, from, F::ONE, row);
            let wanted = if from >= rows { F::ONE } else { F::ZERO };
            *slot = wanted - balanced_sum(F::ZERO, row.iter().zip(&*weights).map(|(&a, &x)| a * x));
        }
        for (weight, row) in weights.iter_mut().zip(inverse.chunks_exact(unknowns)) {
            let terms = row.iter().zip(rest.iter()).map(|(&c, &r)| c * r);
            *weight = *weight + balanced_sum(F::ZERO, terms);
        }
    }
    Ok(Solved { condition })
}

/// Encloses the weights from enclosed equations, as [`solve`] was given approximately: `picked`,
/// `inverse` and `approximate` are what it found. `room` has as many numbers as there are unknowns.
///
/// # Errors
/// [`Error::Length`] if a slice does not fit; [`Error::Singular`] if it is not proven that the
/// equations determine the weights.
pub fn enclose<F: Float>(
    equations: &[Interval<F>],
    picked: &[usize],
    inverse: &[F],
    approximate: &[F],
    weights: &mut [Interval<F>],
    room: &mut [Interval<F>],
) -> Result<(), Error> {
    let unknowns = weights.len();
    if unknowns == 0 {
        return Err(Error::Empty { what: "atoms" });
    }
    let rows = equations.len().checked_div(unknowns).unwrap_or(0);
    check_length("equations", rows.saturating_mul(unknowns), equations.len())?;
    check_length("picked rows", unknowns, picked.len())?;
    check_length("inverse", unknowns.saturating_mul(unknowns), inverse.len())?;
    check_length("approximate weights", unknowns, approximate.len())?;
    check_length("scratch of an enclosure", unknowns, room.len())?;
    let (zero, one) = (Interval::point(F::ZERO), Interval::point(F::ONE));
    let entry = |row: usize, column: usize| {
        let index = row.saturating_mul(unknowns).saturating_add(column);
        if row < rows { equations.get(index).copied().unwrap_or(one) } else { one }
    };
    let within = |magnitude: F| Interval::point(magnitude);

    // What the approximate weights leave, b − M x̃.
    for (slot, &row) in room.iter_mut().zip(picked) {
        let terms = approximate.iter().enumerate().map(|(k, &x)| entry(row, k) * within(x));
        let wanted = if row >= rows { one } else { zero };
        *slot = wanted - balanced_sum(zero, terms);
    }
    // By how much they are off, roughly, in the place of the weights; and ‖I − CM‖.
    let mut largest = zero;
    let mut contraction = zero;
    let row_excess = |index: usize, row: &[F]| {
        (0..unknowns).fold(zero, |sum, column| {
            let products =
                row.iter().zip(picked).map(|(&c, &from)| within(c) * entry(from, column));
            let own = if index == column { one } else { zero };
            sum + within((own - balanced_sum(zero, products)).magnitude())
        })
    };
    for (index, (slot, row)) in weights.iter_mut().zip(inverse.chunks_exact(unknowns)).enumerate() {
        let terms = row.iter().zip(room.iter()).map(|(&c, &r)| within(c) * r);
        *slot = balanced_sum(zero, terms);
        largest = largest.max(slot.abs());
        contraction = contraction.max(row_excess(index, row));
    }
    let room_left = one - contraction;
    if !(room_left.lo() > F::ZERO) {
        return Err(Error::Singular);
    }
    let radius = (largest / room_left) * contraction;
    let around = Interval::new(-radius.hi(), radius.hi()).ok_or(Error::Singular)?;
    for (slot, &x) in weights.iter_mut().zip(approximate) {
        *slot = within(x) + *slot + around;
    }
    Ok(())
}

/// Row `from` of the equations, or of ones if there is none.
fn write_row<S: Copy>(equations: &[S], unknowns: usize, from: usize, one: S, row: &mut [S]) {
    row.fill(one);
    if let Some(given) = equations.chunks_exact(unknowns.max(1)).nth(from) {
        for (slot, &x) in row.iter_mut().zip(given) {
            *slot = x;
        }
    }
}

/// Divides a row by its largest entry; returns what it was multiplied by.
fn scale<F: Float>(row: &mut [F]) -> F {
    let largest = row.iter().fold(F::ZERO, |largest, x| largest.max(Float::abs(*x)));
    let factor = F::ONE / largest;
    if !(largest > F::ZERO) || !Float::is_finite(factor) {
        return F::ONE;
    }
    for x in row {
        *x = *x * factor;
    }
    factor
}
