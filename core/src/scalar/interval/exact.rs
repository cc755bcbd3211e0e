//! Exact arithmetic on the integers inside floats, for what error-free transformations cannot do:
//! products near overflow and underflow, x y + z with one rounding, and text.

use core::cmp::Ordering;

use crate::scalar::float::Float;

/// A real number from m 2ᵉ on, below (m + 1) 2ᵉ.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dyadic {
    /// m; 0, or at least 2⁶³ if there is a tail.
    pub(super) magnitude: u128,
    /// e.
    pub(super) exponent: i32,
    /// Whether the number is above m 2ᵉ.
    pub(super) has_tail: bool,
}

/// |x| = m 2ᵉ, for finite x.
pub(super) fn parts<F: Float>(x: F) -> (u64, i32) {
    let bits = x.abs().to_f64().to_bits();
    let fraction = bits & ((1 << 52) - 1);
    match (bits >> 52) as i32 {
        0 => (fraction, -1074),
        biased => (fraction | 1 << 52, biased.wrapping_sub(1075)),
    }
}

/// 2ⁿ for −1074 ≤ n ≤ 1023.
fn power(n: i32) -> f64 {
    if n >= -1022 {
        f64::from_bits((n.wrapping_add(1023) as u64) << 52)
    } else {
        f64::from_bits(1_u64.wrapping_shl(n.wrapping_add(1074) as u32))
    }
}

fn bit_length(x: u128) -> i32 {
    128_i32.wrapping_sub(x.leading_zeros() as i32)
}

impl Dyadic {
    /// The largest float that is not above, and the smallest that is not below.
    pub(super) fn ends<F: Float>(self) -> (F, F) {
        let Self { magnitude, exponent, has_tail } = self;
        if magnitude == 0 && !has_tail {
            return (F::ZERO, F::ZERO);
        }
        // The last digit of a float of that size.
        let top = exponent.saturating_add(bit_length(magnitude));
        let last = top.saturating_sub(F::DIGITS as i32).max(F::LEAST_EXPONENT);
        let dropped = last.saturating_sub(exponent);
        let (kept, is_inexact) = if dropped >= 128 {
            (0, true)
        } else if dropped > 0 {
            let kept = magnitude >> dropped;
            (kept, has_tail || kept << dropped != magnitude)
        } else {
            // Fewer digits than a float holds: moved up to where `last` is.
            (magnitude << dropped.unsigned_abs().min(127), has_tail)
        };
        if last > 971 {
            return (F::MAX, F::INFINITY);
        }
        let float = |digits: u128| F::from_f64(digits as f64 * power(last));
        let (lo, hi) = (float(kept), float(kept.wrapping_add(u128::from(is_inexact))));
        (if lo == F::INFINITY { F::MAX } else { lo }, if lo == F::INFINITY { lo } else { hi })
    }
}

/// |x y| compared with |z|, exactly; all finite.
pub(super) fn compare_product<F: Float>(x: F, y: F, z: F) -> Ordering {
    let ((m_x, e_x), (m_y, e_y), (m_z, e_z)) = (parts(x), parts(y), parts(z));
    let (product, other) = (u128::from(m_x).wrapping_mul(u128::from(m_y)), u128::from(m_z));
    if product == 0 || other == 0 {
        return product.cmp(&other);
    }
    let exponent = e_x.wrapping_add(e_y);
    let top = exponent.wrapping_add(bit_length(product));
    top.cmp(&e_z.wrapping_add(bit_length(other))).then_with(|| {
        // Equally long: the lower exponent has the more digits, and they suffice for both.
        let shift = exponent.wrapping_sub(e_z);
        let distance = shift.unsigned_abs().min(127);
        if shift >= 0 {
            (product << distance).cmp(&other)
        } else {
            product.cmp(&(other << distance))
        }
    })
}

/// Bounds of x y + z, rounded once; all finite.
pub(super) fn product_sum<F: Float>(x: F, y: F, z: F) -> (F, F) {
    let ((m_x, e_x), (m_y, e_y), (m_z, e_z)) = (parts(x), parts(y), parts(z));
    let product = u128::from(m_x).wrapping_mul(u128::from(m_y));
    let is_negative = (x < F::ZERO) != (y < F::ZERO);
    let first = (product, e_x.wrapping_add(e_y), is_negative);
    let second = (u128::from(m_z), e_z, z < F::ZERO);
    if product == 0 {
        return (z, z);
    }
    let (sum, is_negative) = if m_z == 0 {
        (Dyadic { magnitude: product, exponent: first.1, has_tail: false }, is_negative)
    } else if first.1.wrapping_add(bit_length(product)) >= e_z.wrapping_add(bit_length(second.0)) {
        signed_sum(first, second)
    } else {
        signed_sum(second, first)
    };
    let (lo, hi) = sum.ends::<F>();
    if is_negative { (-hi, -lo) } else { (lo, hi) }
}

/// The sum of two numbers (magnitude, exponent, is it negative?), not 0 and of at most 106 digits,
/// where the first one reaches at least as far up; and whether it is negative.
fn signed_sum(larger: (u128, i32, bool), smaller: (u128, i32, bool)) -> (Dyadic, bool) {
    // The larger one gets 126 digits. Of the smaller one digits are lost only if it ends more than
    // 20 places lower; then at most one leading digit cancels.
    let up = 126_i32.wrapping_sub(bit_length(larger.0));
    let magnitude = larger.0 << (up.unsigned_abs() & 127);
    let exponent = larger.1.wrapping_sub(up);
    let shift = smaller.1.wrapping_sub(exponent);
    let (aligned, is_cut) = if shift >= 0 {
        (smaller.0 << (shift.unsigned_abs() & 127), false)
    } else if shift > -128 {
        let down = shift.unsigned_abs();
        let aligned = smaller.0 >> down;
        (aligned, aligned << down != smaller.0)
    } else {
        (0, true)
    };
    let (magnitude, is_negative) = if larger.2 == smaller.2 {
        (magnitude.wrapping_add(aligned), larger.2)
    } else if aligned <= magnitude {
        // m − (a + something below 1) is from m − a − 1 on.
        (magnitude.wrapping_sub(aligned).wrapping_sub(u128::from(is_cut)), larger.2)
    } else {
        (aligned.wrapping_sub(magnitude), smaller.2)
    };
    (Dyadic { magnitude, exponent, has_tail: is_cut }, is_negative)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_of_dyadics() {
        let ends =
            |magnitude, exponent, has_tail| Dyadic { magnitude, exponent, has_tail }.ends::<f64>();
        assert_eq!(ends(3, 4, false), (48.0, 48.0));
        assert_eq!(ends(1 << 64, -64, true), (1.0, 1.0 + f64::EPSILON));
        assert_eq!(ends(u128::MAX, 0, false), (2_f64.powi(128).next_down(), 2_f64.powi(128)));
        assert_eq!(ends(1, -1074, false), (f64::from_bits(1), f64::from_bits(1)));
        assert_eq!(ends(3, -1075, false), (f64::from_bits(1), f64::from_bits(2)));
        assert_eq!(ends(1 << 70, -5000, true), (0.0, f64::from_bits(1)));
        assert_eq!(ends(1 << 70, 5000, true), (f64::MAX, f64::INFINITY));
        assert_eq!(ends(1, 1024, false), (f64::MAX, f64::INFINITY));
        assert_eq!(ends(1, 1023, false), (2_f64.powi(1023), 2_f64.powi(1023)));
        let single = Dyadic { magnitude: u128::MAX, exponent: 0, has_tail: true }.ends::<f32>();
        assert_eq!(single, (f32::MAX, f32::INFINITY));
    }

    #[test]
    fn products_and_sums() {
        assert_eq!(compare_product(3.0, -5.0, 15.0), Ordering::Equal);
        assert_eq!(compare_product(3.0, 5.0, 15.0_f64.next_up()), Ordering::Less);
        assert_eq!(compare_product(1e-300, 1e-20, f64::from_bits(1)), Ordering::Greater);
        assert_eq!(compare_product(1e-300, 1e-200, f64::from_bits(1)), Ordering::Less);
        assert_eq!(product_sum(3.0, 5.0, -15.0), (0.0, 0.0));
        assert_eq!(product_sum(3.0, 5.0, -14.0), (1.0, 1.0));
        let tiny = f64::from_bits(1);
        assert_eq!(product_sum(1.0, 1.0, -tiny), (1.0_f64.next_down(), 1.0));
        assert_eq!(product_sum(-1.0, 1.0, -tiny), ((-1.0_f64).next_down(), -1.0));
        assert_eq!(product_sum(tiny, tiny, -tiny), (-tiny, -0.0));
        assert_eq!(product_sum(f64::MAX, 2.0, -f64::MAX), (f64::MAX, f64::MAX));
        assert_eq!(product_sum(f64::MAX, 2.0, 0.0), (f64::MAX, f64::INFINITY));
        let x = 1.0 + f64::EPSILON;
        assert_eq!(
            product_sum(x, x, -(x + f64::EPSILON)),
            (f64::EPSILON.powi(2), f64::EPSILON.powi(2))
        );
    }
}
