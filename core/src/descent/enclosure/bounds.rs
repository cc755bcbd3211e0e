//! Sums of non-negative numbers, rounded upwards.

use crate::scalar::float::Float;

/// At least `Σ aᵢ bᵢ` for aᵢ, bᵢ ≥ 0, where 0 · ∞ counts as 0; ∞ if an entry is not a number.
///
/// A product rounded to nearest, and then the next float above, is not below the exact one, also
/// where it underflows; the same holds for sums.
pub(super) fn dot_above<F: Float>(terms: impl IntoIterator<Item = (F, F)>) -> F {
    let mut sum = F::ZERO;
    for (a, b) in terms {
        if a == F::ZERO || b == F::ZERO {
            continue;
        }
        sum = sum_above(sum, (a * b).next_up());
    }
    sum
}

/// At least `a + b` for a, b ≥ 0; ∞ if one of them is not a number.
pub(super) fn sum_above<F: Float>(a: F, b: F) -> F {
    let sum = if a == F::ZERO {
        b
    } else if b == F::ZERO {
        a
    } else {
        (a + b).next_up()
    };
    if sum.is_nan() { F::INFINITY } else { sum }
}
