//! Transformers that are algorithms, run beside their algorithms: `popgd construct`.
//!
//! One module a construction: what it measures on its instances, over any scalar. [`settings`] has
//! what all share.

pub mod attention_operator;
pub mod comparison;
pub mod mirror_descent;
pub mod normalized_gd;
pub mod random;
pub mod report;
pub mod settings;
pub mod share;
