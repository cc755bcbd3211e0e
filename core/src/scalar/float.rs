//! `f32` and `f64` as scalars, and the bit-level tools that intervals need.
//!
//! All elementary functions come from `libm`, called by name: `num_traits::Float` would switch
//! to the platform's library as soon as any crate of a build asked for it, and bits would change.

use super::{Logarithm, Scalar};

mod sealed {
    pub trait Sealed {}
    impl Sealed for f32 {}
    impl Sealed for f64 {}
}

/// An IEEE 754 binary format: [`f32`] or [`f64`].
pub trait Float:
    Scalar + PartialOrd + core::fmt::Display + core::fmt::LowerExp + sealed::Sealed
{
    /// +∞.
    const INFINITY: Self;
    /// −∞.
    const NEG_INFINITY: Self;
    /// Not a number.
    const NAN: Self;
    /// 0.
    const ZERO: Self;
    /// 1.
    const ONE: Self;
    /// The largest finite number.
    const MAX: Self;
    /// The smallest positive normal number.
    const MIN_POSITIVE: Self;
    /// Binary digits of a normal number: 53 or 24.
    const DIGITS: u32;
    /// The smallest positive number is 2 to this power: −1074 or −149.
    const LEAST_EXPONENT: i32;
    /// Half the spacing of numbers at 1: the largest relative rounding error.
    const UNIT_ROUNDOFF: Self;
    /// The float after [`UNIT_ROUNDOFF`](Self::UNIT_ROUNDOFF).
    const STEP: Self;
    /// The largest float below π.
    const PI_LOWER: Self;
    /// The smallest float above π.
    const PI_UPPER: Self;

    /// `value` rounded to nearest.
    fn from_f64(value: f64) -> Self;
    /// The same number as an `f64`.
    fn to_f64(self) -> f64;
    /// The next larger number (the core's own: `f64::next_up` came with Rust 1.86 only).
    fn next_up(self) -> Self;
    /// The next smaller number.
    fn next_down(self) -> Self;
    /// A nonzero number moved to the next one away from 0 (`outward`) or toward 0 (`inward`; by
    /// both, or by none, it stays where it is). ∞ is the one after the largest float.
    fn stepped(self, outward: bool, inward: bool) -> Self;
    /// Whether the sign bit is set.
    fn is_negative(self) -> bool;
    /// Whether the binary exponent is in the middle of its range: 2⁻²⁵⁵ ≤ |x| < 2²⁵⁷ for `f64`,
    /// 2⁻³¹ ≤ |x| < 2³³ for `f32`. Neither products nor quotients of such numbers, nor their
    /// rounding errors, are near overflow or underflow.
    fn is_moderate(self) -> bool;
    /// Whether the value is not a number.
    fn is_nan(self) -> bool;
    /// Whether the value is neither infinite nor NaN.
    fn is_finite(self) -> bool;
    /// |x|.
    fn abs(self) -> Self;
    /// The smaller of two numbers; the other one if one is NaN.
    fn min(self, other: Self) -> Self;
    /// The larger of two numbers; the other one if one is NaN.
    fn max(self, other: Self) -> Self;
    /// The product and its rounding error, after Dekker: exact as long as neither the product
    /// overflows nor the error underflows (|x|, |y|, |x y| < 2¹⁰²³ and |x y| > 2⁻⁹⁶⁸ for `f64`;
    /// 2¹²⁷ and 2⁻¹⁰² for `f32`).
    fn two_product(self, other: Self) -> (Self, Self);
}

macro_rules! float {
    (
        $float:ident, $bits:ident, safe: $safe:expr, pi: $pi_lower:expr, $pi_upper:expr,
        terms: $terms:expr,
        libm: $sqrt:ident $exp:ident $log:ident $sin:ident $cos:ident $atan2:ident
    ) => {
        impl Float for $float {
            const INFINITY: Self = $float::INFINITY;
            const NEG_INFINITY: Self = $float::NEG_INFINITY;
            const NAN: Self = $float::NAN;
            const ZERO: Self = 0.0;
            const ONE: Self = 1.0;
            const MAX: Self = $float::MAX;
            const MIN_POSITIVE: Self = $float::MIN_POSITIVE;
            const DIGITS: u32 = $float::MANTISSA_DIGITS;
            const LEAST_EXPONENT: i32 =
                $float::MIN_EXP.wrapping_sub($float::MANTISSA_DIGITS as i32);
            const UNIT_ROUNDOFF: Self = $float::EPSILON / 2.0;
            const STEP: Self = $float::from_bits(($float::EPSILON / 2.0).to_bits().wrapping_add(1));
            const PI_LOWER: Self = $pi_lower;
            const PI_UPPER: Self = $pi_upper;

            #[inline]
            fn from_f64(value: f64) -> Self {
                value as $float
            }

            #[inline]
            fn to_f64(self) -> f64 {
                f64::from(self)
            }

            #[inline]
            fn next_up(self) -> Self {
                let bits = self.to_bits();
                if self.is_nan() || self == $float::INFINITY {
                    self
                } else if self == 0.0 {
                    $float::from_bits(1)
                } else if self > 0.0 {
                    $float::from_bits(bits.wrapping_add(1))
                } else {
                    $float::from_bits(bits.wrapping_sub(1))
                }
            }

            #[inline]
            fn next_down(self) -> Self {
                -Float::next_up(-self)
            }

            #[inline]
            fn stepped(self, outward: bool, inward: bool) -> Self {
                let bits = self.to_bits();
                let bits = bits.wrapping_add(outward as $bits).wrapping_sub(inward as $bits);
                $float::from_bits(bits)
            }

            #[inline]
            fn is_negative(self) -> bool {
                $float::is_sign_negative(self)
            }

            #[inline]
            fn is_moderate(self) -> bool {
                // The biased exponent, of which a quarter around its middle is taken: from there
                // on its two leading digits are 0.
                const LEADING: u32 = $bits::BITS - 3;
                const FIRST: $bits = 3 << (LEADING - 1);
                self.to_bits().wrapping_sub(FIRST) & (3 << LEADING) == 0
            }

            #[inline]
            fn is_nan(self) -> bool {
                $float::is_nan(self)
            }

            #[inline]
            fn is_finite(self) -> bool {
                $float::is_finite(self)
            }

            #[inline]
            fn abs(self) -> Self {
                $float::abs(self)
            }

            #[inline]
            fn min(self, other: Self) -> Self {
                $float::min(self, other)
            }

            #[inline]
            fn max(self, other: Self) -> Self {
                $float::max(self, other)
            }

            #[inline]
            fn two_product(self, other: Self) -> (Self, Self) {
                // The upper half of the digits, rounded, so that what is left has one digit less
                // than the lower half and a sign.
                let split = |x: $float| {
                    const LOW: $bits =
                        1 << ($float::MANTISSA_DIGITS / 2 + $float::MANTISSA_DIGITS % 2);
                    let high = $float::from_bits(x.to_bits().wrapping_add(LOW / 2) & !(LOW - 1));
                    (high, x - high)
                };
                let product = self * other;
                let (a_high, a_low) = split(self);
                let (b_high, b_low) = split(other);
                let error =
                    ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low;
                (product, error)
            }
        }

        impl Logarithm for $float {
            #[inline]
            fn ln(self) -> Self {
                libm::$log(self)
            }
        }

        impl Scalar for $float {
            #[inline]
            fn lift(self, value: f64) -> Self {
                value as $float
            }

            #[inline]
            fn rational(self, numerator: i64, denominator: i64) -> Self {
                numerator as $float / denominator as $float
            }

            #[inline]
            fn integer(self, value: i64) -> Self {
                value as $float
            }

            #[inline]
            fn zero(self) -> Self {
                0.0
            }

            #[inline]
            fn one(self) -> Self {
                1.0
            }

            #[inline]
            fn pi(self) -> Self {
                core::$float::consts::PI
            }

            #[inline]
            fn is_zero(self) -> bool {
                self == 0.0
            }

            #[inline]
            fn is_number(self) -> bool {
                $float::is_finite(self)
            }

            #[inline]
            fn sign(self) -> Self {
                if self < 0.0 { -1.0 } else { 1.0 }
            }

            #[inline]
            fn fold(self) -> Self {
                $float::abs(self)
            }

            #[inline]
            fn sqrt(self) -> Self {
                libm::$sqrt(self)
            }

            #[inline]
            fn hypot(self, other: Self) -> Self {
                let (x, y) = ($float::abs(self), $float::abs(other));
                let (larger, smaller) = (x.max(y), x.min(y));
                // Where no square over- or underflows, which is almost always.
                if $safe.contains(&larger) || larger == 0.0 {
                    libm::$sqrt(x * x + y * y)
                } else {
                    let ratio = smaller / larger;
                    larger * libm::$sqrt(1.0 + ratio * ratio)
                }
            }

            #[inline]
            fn exp(self) -> Self {
                libm::$exp(self)
            }

            #[inline]
            fn sin(self) -> Self {
                libm::$sin(self)
            }

            #[inline]
            fn cos(self) -> Self {
                libm::$cos(self)
            }

            #[inline]
            fn atan2(self, cosine: Self) -> Self {
                libm::$atan2(self, cosine)
            }

            #[inline]
            fn one_minus_cos(self) -> Self {
                let half_sine = libm::$sin(0.5 * self);
                2.0 * half_sine * half_sine
            }

            fn sin_minus_angle_cos(self) -> Self {
                if $float::abs(self) > 1.0 {
                    return libm::$sin(self) - self * libm::$cos(self);
                }
                // Σ_{n≥1} (−1)ⁿ⁺¹ 2n x²ⁿ⁺¹/(2n+1)!, from the smallest term up.
                let square = self * self;
                let mut sum = 0.0;
                let mut n = $terms;
                while n > 1.0 {
                    // The ratio of term n to term n − 1 is −x²/(2 (n−1) (2n+1)).
                    sum = -square / (2.0 * (n - 1.0) * (2.0 * n + 1.0)) * (1.0 + sum);
                    n -= 1.0;
                }
                self * square / 3.0 * (1.0 + sum)
            }

            #[inline]
            fn two_sum(self, other: Self) -> (Self, Self) {
                let sum = self + other;
                let part = sum - self;
                (sum, (self - (sum - part)) + (other - part))
            }

            fn product_difference(self, other: Self, third: Self, fourth: Self) -> Self {
                let (minuend, subtrahend) = (self * other, third * fourth);
                // No cancellation beyond half of the larger product: nothing to mend.
                let plain = minuend - subtrahend;
                let larger = $float::max($float::abs(minuend), $float::abs(subtrahend));
                if !($float::abs(plain) < 0.5 * larger) {
                    return plain;
                }
                let (minuend, minuend_error) = Float::two_product(self, other);
                let (subtrahend, subtrahend_error) = Float::two_product(third, fourth);
                let mended = (minuend - subtrahend) + (minuend_error - subtrahend_error);
                // Splitting, or a partial product, may overflow near the largest float.
                if mended.is_finite() { mended } else { plain }
            }

            fn softmax(counts: Option<&[Self]>, logits: &[Self], scores: &mut [Self]) {
                let length = logits.len().min(scores.len());
                let logits = logits.get(..length).unwrap_or(&[]);
                let scores = scores.get_mut(..length).unwrap_or(&mut []);
                // Shifted by the largest, so that no exponential overflows.
                let largest =
                    logits.iter().fold($float::NEG_INFINITY, |max, &z| $float::max(max, z));
                for (score, &logit) in scores.iter_mut().zip(logits) {
                    *score = logit - largest;
                }
                Self::exp_slice(scores);
                let sum = scores
                    .iter()
                    .enumerate()
                    .fold(0.0, |sum: $float, (i, &e)| sum + super::times(counts, i, e));
                for score in scores {
                    *score /= sum;
                }
            }

            fn wedge(self, counts: Option<&[Self]>, a: &[Self], b: &[Self]) -> Self {
                super::wedge_by_length(self, counts, a, b)
            }
        }
    };
}

float!(
    f64, u64,
    safe: (1e-140..=1e150),
    pi: core::f64::consts::PI, f64::from_bits(0x4009_21fb_5444_2d19),
    terms: 10.0,
    libm: sqrt exp log sin cos atan2
);
float!(
    f32, u32,
    safe: (1e-15..=1e18),
    pi: f32::from_bits(0x4049_0fda), core::f32::consts::PI,
    terms: 6.0,
    libm: sqrtf expf logf sinf cosf atan2f
);
