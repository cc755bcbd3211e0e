//! How it runs: gradient descent on the population loss, in full and collapsed to few scalars.

pub mod accumulate;
pub mod dense;
pub mod lumped;

/// What Theorem 3.1 speaks of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quantities<S> {
    /// L − L_opt.
    pub excess_loss: S,
    /// ‖S − S*‖_F.
    pub score_error: S,
    /// ‖W_V − V*‖_F.
    pub value_error: S,
}
