//! What is computed: activations, teachers, and the exact population loss and gradient.

pub mod activation;
pub mod alignment;
pub mod classes;
pub mod dense;
pub mod lumped;
pub mod population;
pub mod positions;
pub mod teacher;

/// What Theorem 3.1 speaks of.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Quantities<S> {
    /// L − L_opt.
    pub excess_loss: S,
    /// ‖S − S*‖_F.
    pub score_error: S,
    /// ‖W_V − V*‖_F.
    pub value_error: S,
}
