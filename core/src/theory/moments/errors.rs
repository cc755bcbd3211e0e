//! What the outputs of student and teacher differ by before σ: the columns `e_j = c s_j − s*_j`.

use crate::Error;
use crate::Scalar;
use crate::error::check_length;
use crate::model::classes::Class;

/// The columns `e_j = c s_j − s*_j`, D of them with D entries each.
///
/// Before σ student and teacher differ by `V* X e_j` in column j.
#[derive(Clone, Copy, Debug)]
pub enum Errors<'a, S> {
    /// Of a lumped run: equal on every level of a class.
    Lumped {
        /// The classes of columns.
        classes: &'a [Class<'a, S>],
        /// e, one a level, class after class.
        levels: &'a [S],
        /// c − 1, the sum of every column.
        sum: S,
    },
    /// In full: row j holds column j.
    Dense {
        /// D.
        tokens: usize,
        /// D × D, one row per query.
        columns: &'a [S],
    },
}

/// The sums over columns that bounds are made of.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sizes<S> {
    /// Σ_j ‖e_j‖².
    pub(super) square: S,
    /// Σ_j ‖e_j‖₁².
    pub(super) square_of_sizes: S,
    /// Σ_j (Σ_i e_ij)².
    pub(super) square_of_sums: S,
}

impl<S: Scalar> Errors<'_, S> {
    /// Whether there are as many entries as there should be.
    pub(super) fn check(&self) -> Result<(), Error> {
        match *self {
            Self::Lumped { classes, levels, .. } => {
                let wanted = classes.iter().map(|class| class.counts.len()).sum();
                check_length("errors of the levels", wanted, levels.len())
            }
            Self::Dense { tokens, columns } => {
                check_length("errors of the columns", tokens.saturating_mul(tokens), columns.len())
            }
        }
    }

    pub(super) fn sizes(&self, context: S) -> Sizes<S> {
        let zero = context.zero();
        let mut sizes = Sizes { square: zero, square_of_sizes: zero, square_of_sums: zero };
        match *self {
            Self::Lumped { classes, levels, sum } => {
                let mut levels = levels.iter();
                for class in classes {
                    let (mut square, mut size) = (zero, zero);
                    for (&count, &e) in class.counts.iter().zip(levels.by_ref()) {
                        square = square + count * e.square();
                        size = size + count * e.absolute();
                    }
                    let columns = class.columns;
                    sizes.square = sizes.square + columns * square;
                    sizes.square_of_sizes = sizes.square_of_sizes + columns * size.square();
                    sizes.square_of_sums = sizes.square_of_sums + columns * sum.square();
                }
            }
            Self::Dense { tokens, columns } => {
                for column in columns.chunks(tokens.max(1)) {
                    let (mut square, mut size, mut sum) = (zero, zero, zero);
                    for &e in column {
                        square = square + e.square();
                        size = size + e.absolute();
                        sum = sum + e;
                    }
                    sizes.square = sizes.square + square;
                    sizes.square_of_sizes = sizes.square_of_sizes + size.square();
                    sizes.square_of_sums = sizes.square_of_sums + sum.square();
                }
            }
        }
        sizes
    }
}
