//! Natural numbers of a fixed size, on the stack: the exact arithmetic behind text.

use core::cmp::Ordering;

use super::exact::Dyadic;

/// Enough for the 10⁸⁵⁰ · 10⁴⁰¹ that text may ask for: 4352 binary digits.
const WORDS: usize = 68;

/// A natural number below 2⁴³⁵². Results that do not fit are cut off at the top; the callers' bounds
/// exclude that.
#[derive(Clone, Copy)]
pub(super) struct Natural {
    /// From the least significant word up.
    words: [u64; WORDS],
}

impl Natural {
    pub(super) const ZERO: Self = Self { words: [0; WORDS] };

    pub(super) fn from_word(word: u64) -> Self {
        Self::ZERO.times_plus(0, word)
    }

    pub(super) fn is_zero(&self) -> bool {
        self.words.iter().all(|&word| word == 0)
    }

    /// factor · self + term.
    pub(super) fn times_plus(mut self, factor: u64, term: u64) -> Self {
        let mut carry = u128::from(term);
        for word in &mut self.words {
            let product = u128::from(*word).wrapping_mul(u128::from(factor)).wrapping_add(carry);
            *word = product as u64;
            carry = product >> 64;
        }
        self
    }

    /// self · 10ⁿ.
    pub(super) fn times_power_of_ten(mut self, n: u64) -> Self {
        for _ in 0..n {
            self = self.times_plus(10, 0);
        }
        self
    }

    pub(super) fn plus(mut self, other: &Self) -> Self {
        let mut carry = false;
        for (word, &other) in self.words.iter_mut().zip(&other.words) {
            let (sum, first) = word.overflowing_add(other);
            let (sum, second) = sum.overflowing_add(u64::from(carry));
            *word = sum;
            carry = first || second;
        }
        self
    }

    /// self − other, for other ≤ self.
    pub(super) fn minus(mut self, other: &Self) -> Self {
        let mut borrow = false;
        for (word, &other) in self.words.iter_mut().zip(&other.words) {
            let (difference, first) = word.overflowing_sub(other);
            let (difference, second) = difference.overflowing_sub(u64::from(borrow));
            *word = difference;
            borrow = first || second;
        }
        self
    }

    pub(super) fn compare(&self, other: &Self) -> Ordering {
        self.words.iter().rev().cmp(other.words.iter().rev())
    }

    /// The number of binary digits.
    fn length(&self) -> i32 {
        let mut length = 0;
        for (&word, start) in self.words.iter().zip((0..).step_by(64)) {
            if word != 0 {
                length = 64_i32.wrapping_sub(word.leading_zeros() as i32).wrapping_add(start);
            }
        }
        length
    }

    /// self · 2ⁿ.
    fn shifted(self, n: u32) -> Self {
        let mut words = [0; WORDS];
        let (skipped, bits) = ((n / 64) as usize, n % 64);
        let mut below = 0_u64;
        for (word, &from) in words.iter_mut().skip(skipped).zip(&self.words) {
            let both = (u128::from(from) << 64 | u128::from(below)) << bits;
            *word = (both >> 64) as u64;
            below = from;
        }
        Self { words }
    }

    /// self / divisor to 64 binary digits and more, cut off. The divisor is not 0.
    pub(super) fn divided_by(self, divisor: &Self) -> Dyadic {
        if self.is_zero() {
            return Dyadic { magnitude: 0, exponent: 0, has_tail: false };
        }
        // Both get the same length: the quotient is between 1/2 and 2.
        let shift = divisor.length().wrapping_sub(self.length());
        let distance = shift.unsigned_abs();
        let (mut rest, divisor) = if shift >= 0 {
            (self.shifted(distance), *divisor)
        } else {
            (self, divisor.shifted(distance))
        };
        let mut quotient = 0_u128;
        for _ in 0..=64 {
            quotient <<= 1;
            if rest.compare(&divisor).is_ge() {
                rest = rest.minus(&divisor);
                quotient |= 1;
            }
            rest = rest.plus(&rest);
        }
        Dyadic {
            magnitude: quotient,
            exponent: (-64_i32).wrapping_sub(shift),
            has_tail: !rest.is_zero(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_products_and_quotients() {
        let n = Natural::from_word;
        let large = n(7).times_power_of_ten(200);
        assert_eq!(large.length(), 668);
        assert!(large.minus(&n(1)).compare(&large).is_lt());
        assert!(large.minus(&n(1)).plus(&n(1)).compare(&large).is_eq());
        let third = n(1).divided_by(&n(3));
        assert_eq!(third.magnitude, (1 << 65) / 3);
        assert!(third.has_tail && third.exponent == -65);
        let seven = large.divided_by(&n(1).times_power_of_ten(200)).ends::<f64>();
        assert_eq!(seven, (7.0, 7.0));
        assert_eq!(n(3).shifted(129).divided_by(&n(1)).ends::<f64>().0, 3.0 * 2_f64.powi(129));
        assert!(Natural::ZERO.is_zero() && !large.is_zero());
    }
}
