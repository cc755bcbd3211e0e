//! How it runs: gradient descent on the population loss, in full and collapsed to few scalars.

pub mod accumulate;
pub mod dense;
pub mod enclosure;
pub mod forever;
pub mod lumped;

pub use crate::model::Quantities;
