//! How a vector lies to the vector that it should become.
//!
//! Everything that the Gaussian expectations need of two vectors is four numbers, and those of
//! a tensor product `w ⊗ s` against `v ⊗ s*` follow from those of its factors. No angle is ever
//! taken from its cosine: acos loses half of the digits near 0.

use crate::Scalar;
use crate::scalar::{counted_dot, counted_square};

/// The lengths of two vectors, their inner product, and the area that they span.
///
/// `inner² + wedge² = (own · target)²`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Alignment<S> {
    /// The length of the vector, ‖a‖.
    pub own: S,
    /// The length of its target, ‖b‖.
    pub target: S,
    /// ⟨a, b⟩ = ‖a‖ ‖b‖ cos θ.
    pub inner: S,
    /// ‖a ∧ b‖ = ‖a‖ ‖b‖ sin θ ≥ 0.
    pub wedge: S,
}

impl<S: Scalar> Alignment<S> {
    /// Of two vectors of equal length, entry i standing for `counts[i]` equal ones (for one,
    /// without counts). `context` only says where constants live.
    pub fn of(context: S, counts: Option<&[S]>, own: &[S], target: &[S]) -> Self {
        Self {
            own: counted_square(context, counts, own).norm(),
            target: counted_square(context, counts, target).norm(),
            inner: counted_dot(context, counts, own, target),
            wedge: context.wedge(counts, own, target),
        }
    }

    /// Of `w ⊗ s` against `v ⊗ s*`, `self` being that of w to v and `column` that of s to s*:
    /// `‖u ∧ u*‖² = (‖w ∧ v‖ ‖s‖ ‖s*‖)² + (⟨w, v⟩ ‖s ∧ s*‖)²`.
    pub fn tensor(&self, column: &Self) -> Self {
        let by_row = self.wedge * column.own * column.target;
        let by_column = self.inner * column.wedge;
        Self {
            own: self.own * column.own,
            target: self.target * column.target,
            inner: self.inner * column.inner,
            wedge: by_row.hypot(by_column),
        }
    }

    /// Of `factor · a` against the same b.
    pub fn scaled(&self, factor: S) -> Self {
        let size = factor.absolute();
        Self {
            own: size * self.own,
            target: self.target,
            inner: factor * self.inner,
            wedge: size * self.wedge,
        }
    }

    /// The angle between the two, in \[0, π\]; 0 if one of them is 0.
    pub fn angle(&self) -> S {
        self.wedge.atan2(self.inner)
    }
}
