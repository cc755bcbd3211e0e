//! Transformers that are algorithms, run beside their algorithms: `popgd construct`.
//!
//! One module a construction: what it measures on its instances, over any scalar. [`settings`] has
//! what all share.

pub mod attention_operator;
pub mod comparison;
pub mod instances;
pub mod mirror_descent;
pub mod normalized_gd;
pub mod random;
pub mod report;
pub mod settings;
pub mod share;

use popgd_core::Error;

use crate::error::Failure;
use crate::number::Exact;

/// What core refuses of the user's `what`, in the words of the command line.
fn refused(error: Error, what: &str) -> Failure {
    match error {
        Error::NotFinite { .. } => Failure::NotFinite(format!(
            "{error}; numbers that large have no place in this type: scale the {what} down"
        )),
        _ => Failure::usage(error.to_string()),
    }
}

/// R², the largest square of the length of a row of so many entries.
fn square_radius(entries: &[Exact], width: usize) -> Exact {
    let squares =
        entries.chunks_exact(width).map(|row| row.iter().map(Exact::square).sum::<Exact>());
    squares.fold(Exact::zero(), |most, square| if square > most { square } else { most })
}
