//! Exact numbers: what the user wrote, with no digit lost, until a scalar rounds it once or
//! encloses it.

use std::cmp::Ordering;
use std::fmt;
use std::ops::{Add, Mul, Neg, Sub};
use std::str::FromStr;
use std::sync::Arc;

use num_bigint::{BigInt, BigUint, Sign};
use num_rational::BigRational;
use num_traits::{One, Pow, Signed, ToPrimitive, Zero};
use popgd_core::scalar::float::Float;
use popgd_core::scalar::interval::Interval;

/// Powers of ten beyond this are refused before anything is allocated for them.
const MAX_EXPONENT: u32 = 5000;

/// Longer texts are refused: nobody means them.
const MAX_LENGTH: usize = 20_000;

/// Up to so many significant digits a terminating decimal is shown as such.
const MAX_SHOWN_DIGITS: usize = 40;

/// The largest integer that is read, 2^63.
pub const MAX_INTEGER: u64 = 1 << 63;

/// A rational number.
///
/// The value is shared, so that copies cost nothing: a matrix of scores holds few distinct
/// numbers many times.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Exact(Arc<BigRational>);

/// Why a text is not a number that can be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NumberError {
    /// There is nothing.
    Empty,
    /// It is none of the forms.
    Syntax(String),
    /// It is an infinity, or not a number.
    NotFinite(String),
    /// Its size is beyond all floats.
    OutOfRange(String),
    /// It has more digits than anyone means.
    TooLong(String),
    /// It divides by zero.
    ZeroDenominator(String),
    /// An integer was expected.
    NotInteger(String),
    /// It is an integer outside of what is counted with.
    IntegerRange(String),
}

impl fmt::Display for NumberError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => {
                f.write_str("a number is missing: expected one such as 0.1, 1e6, 10^12 or 1/3")
            }
            Self::Syntax(text) => {
                write!(f, "`{text}` is not a number: expected one such as 0.1, 1e6, 10^12 or 1/3")
            }
            Self::NotFinite(text) => write!(f, "`{text}` is not finite: expected a finite number"),
            Self::OutOfRange(text) => write!(
                f,
                "{text} is out of range: expected 0, or a size that the scalar type can hold"
            ),
            Self::TooLong(text) => write!(
                f,
                "`{text}` is too long: expected a number of at most {MAX_LENGTH} characters"
            ),
            Self::ZeroDenominator(text) => write!(f, "`{text}` divides by zero"),
            Self::NotInteger(text) => {
                write!(f, "{text} is not an integer: expected one such as 36, 1e6 or 10^12")
            }
            Self::IntegerRange(text) => {
                write!(f, "{text} is out of range: expected an integer from 0 to 2^63")
            }
        }
    }
}

impl std::error::Error for NumberError {}

/// How a number between two floats is turned into one of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rounding {
    /// To the nearer one; to the one with an even mantissa if both are equally near.
    NearestEven,
    /// To the one nearer to zero.
    ToZero,
    /// To the one further from zero.
    FromZero,
}

/// A binary format by its numbers.
#[derive(Clone, Copy, Debug)]
struct Layout {
    /// Bits of a mantissa, with the hidden one.
    precision: i64,
    /// The exponent of the smallest subnormal number.
    smallest: i64,
    /// The bit pattern of +∞.
    infinity: u64,
}

const DOUBLE: Layout = Layout { precision: 53, smallest: -1074, infinity: 0x7ff0_0000_0000_0000 };
const SINGLE: Layout = Layout { precision: 24, smallest: -149, infinity: 0x7f80_0000 };

impl Layout {
    /// The bits of |value|, rounded; overflow gives those of ∞.
    fn magnitude(self, value: &BigRational, rounding: Rounding) -> u64 {
        let (numerator, denominator) = (value.numer().magnitude(), value.denom().magnitude());
        if numerator.is_zero() {
            return 0;
        }
        // The exponent of the leading bit, ⌊log₂ |value|⌋: one of two, by the lengths.
        let lengths = signed(numerator.bits()) - signed(denominator.bits());
        let leading = if scaled(numerator, -lengths) < scaled(denominator, lengths) {
            lengths - 1
        } else {
            lengths
        };
        // |value| in units of the last place.
        let unit = (leading - (self.precision - 1)).max(self.smallest);
        let divisor = scaled(denominator, unit);
        let dividend = scaled(numerator, -unit);
        let quotient = &dividend / &divisor;
        let rest = dividend - &quotient * &divisor;
        let mut mantissa = quotient.to_u64().unwrap_or(u64::MAX);
        let up = match rounding {
            Rounding::ToZero => false,
            Rounding::FromZero => !rest.is_zero(),
            Rounding::NearestEven => match (rest << 1_u8).cmp(&divisor) {
                Ordering::Less => false,
                Ordering::Equal => mantissa & 1 == 1,
                Ordering::Greater => true,
            },
        };
        if up {
            mantissa = mantissa.saturating_add(1);
        }
        // Without its hidden bit, if it has one; a mantissa that was rounded up to a power of
        // two carries over to the exponent by itself.
        let hidden = 1_u64 << (self.precision - 1);
        let bits = match mantissa.checked_sub(hidden) {
            None => mantissa,
            Some(fraction) => {
                let exponent = u64::try_from(unit - self.smallest + 1).unwrap_or(u64::MAX);
                exponent.saturating_mul(hidden).saturating_add(fraction)
            }
        };
        if bits < self.infinity {
            bits
        } else if rounding == Rounding::ToZero {
            self.infinity - 1
        } else {
            self.infinity
        }
    }
}

/// `value · 2^shift` if `shift` is positive, `value` otherwise.
fn scaled(value: &BigUint, shift: i64) -> BigUint {
    match u64::try_from(shift) {
        Ok(shift) => value << shift,
        Err(_) => value.clone(),
    }
}

/// A number of bits; those of what is in memory always fit.
fn signed(bits: u64) -> i64 {
    i64::try_from(bits).unwrap_or(i64::MAX)
}

/// The ends of an enclosure can be made of it: [`f32`] and [`f64`].
pub trait Endpoint: Float {
    /// The largest such float that is not above the number.
    fn below(value: &Exact) -> Self;
    /// The smallest such float that is not below the number.
    fn above(value: &Exact) -> Self;
}

impl Endpoint for f64 {
    fn below(value: &Exact) -> Self {
        value.double(if value.is_negative() { Rounding::FromZero } else { Rounding::ToZero })
    }

    fn above(value: &Exact) -> Self {
        value.double(if value.is_negative() { Rounding::ToZero } else { Rounding::FromZero })
    }
}

impl Endpoint for f32 {
    fn below(value: &Exact) -> Self {
        value.single(if value.is_negative() { Rounding::FromZero } else { Rounding::ToZero })
    }

    fn above(value: &Exact) -> Self {
        value.single(if value.is_negative() { Rounding::ToZero } else { Rounding::FromZero })
    }
}

impl Exact {
    /// 0.
    pub fn zero() -> Self {
        Self::from_rational(BigRational::zero())
    }

    /// 1.
    pub fn one() -> Self {
        Self::from_rational(BigRational::one())
    }

    /// A count.
    pub fn integer(value: u64) -> Self {
        Self::from_rational(BigRational::from_integer(BigInt::from(value)))
    }

    /// `numerator / denominator`; none if the denominator is 0.
    pub fn ratio(numerator: u64, denominator: u64) -> Option<Self> {
        (denominator != 0).then(|| {
            Self::from_rational(BigRational::new(
                BigInt::from(numerator),
                BigInt::from(denominator),
            ))
        })
    }

    /// The number that a float is; none for infinities and NaN.
    pub fn from_f64(value: f64) -> Option<Self> {
        BigRational::from_float(value).map(Self::from_rational)
    }

    fn from_rational(value: BigRational) -> Self {
        Self(Arc::new(value))
    }

    /// Reads a decimal (`0.1`, `-3`, `1e6`), a power of one (`10^12`), or a quotient of two of
    /// these (`1/3`), whatever spaces are around.
    ///
    /// # Errors
    /// [`NumberError`], for sizes beyond about `10^5000` without computing them.
    pub fn parse(text: &str) -> Result<Self, NumberError> {
        let text = text.trim();
        if text.is_empty() {
            return Err(NumberError::Empty);
        }
        let shown = || shorten(text);
        if text.len() > MAX_LENGTH {
            return Err(NumberError::TooLong(shown()));
        }
        // What is copied from our own tables, or from a paper, has the sign of typography.
        let ascii = text.replace('\u{2212}', "-");
        let text = ascii.as_str();
        let bare = text.trim_start_matches(['+', '-']).to_ascii_lowercase();
        if matches!(bare.as_str(), "nan" | "inf" | "infinity") {
            return Err(NumberError::NotFinite(shown()));
        }
        let read = |part: &str| {
            power(part.trim()).map_err(|problem| match problem {
                Problem::Syntax => NumberError::Syntax(shown()),
                Problem::Range => NumberError::OutOfRange(shown()),
                Problem::Zero => NumberError::ZeroDenominator(shown()),
            })
        };
        let value = match text.split_once('/') {
            None => read(text)?,
            Some((numerator, denominator)) => {
                let (numerator, denominator) = (read(numerator)?, read(denominator)?);
                if denominator.is_zero() {
                    return Err(NumberError::ZeroDenominator(shown()));
                }
                numerator / denominator
            }
        };
        Ok(Self::from_rational(value))
    }

    /// Reads an integer from 0 to 2^63, in any form that [`parse`](Self::parse) reads.
    ///
    /// # Errors
    /// [`NumberError`].
    pub fn parse_integer(text: &str) -> Result<u64, NumberError> {
        let value = Self::parse(text)?;
        if !value.0.is_integer() {
            return Err(NumberError::NotInteger(shorten(text.trim())));
        }
        match value.0.numer().to_u64() {
            Some(integer) if integer <= MAX_INTEGER => Ok(integer),
            _ => Err(NumberError::IntegerRange(shorten(text.trim()))),
        }
    }

    /// The nearest `f64`, the even one of two equally near; ±∞ beyond them.
    pub fn to_f64(&self) -> f64 {
        self.double(Rounding::NearestEven)
    }

    /// The nearest `f32`, the even one of two equally near; ±∞ beyond them.
    pub fn to_f32(&self) -> f32 {
        self.single(Rounding::NearestEven)
    }

    fn double(&self, rounding: Rounding) -> f64 {
        let size = f64::from_bits(DOUBLE.magnitude(&self.0, rounding));
        if self.is_negative() { -size } else { size }
    }

    fn single(&self, rounding: Rounding) -> f32 {
        let bits = SINGLE.magnitude(&self.0, rounding);
        let size = f32::from_bits(u32::try_from(bits).unwrap_or(u32::MAX));
        if self.is_negative() { -size } else { size }
    }

    /// The narrowest interval that contains it.
    pub fn enclose<F: Endpoint>(&self) -> Interval<F> {
        Interval::new(F::below(self), F::above(self)).unwrap_or(Interval::ENTIRE)
    }

    /// Whether an `f64` holds it without rounding.
    pub fn is_f64(&self) -> bool {
        Self::from_f64(self.to_f64()).is_some_and(|rounded| rounded == *self)
    }

    /// The integer that it is, if it is one from 0 to 2^64 − 1.
    pub fn to_integer(&self) -> Option<u64> {
        if self.0.is_integer() { self.0.numer().to_u64() } else { None }
    }

    /// Numerator and denominator, the latter positive, if both fit.
    pub fn to_fraction(&self) -> Option<(i64, i64)> {
        Some((self.0.numer().to_i64()?, self.0.denom().to_i64()?))
    }

    /// Whether it is 0.
    pub fn is_zero(&self) -> bool {
        self.0.is_zero()
    }

    /// Whether it is below 0.
    pub fn is_negative(&self) -> bool {
        self.0.is_negative()
    }

    /// Whether it is above 0.
    pub fn is_positive(&self) -> bool {
        self.0.is_positive()
    }

    /// |x|.
    #[must_use]
    pub fn abs(&self) -> Self {
        if self.is_negative() { -self } else { self.clone() }
    }

    /// x².
    #[must_use]
    pub fn square(&self) -> Self {
        self * self
    }

    /// 1/x; none for 0.
    pub fn reciprocal(&self) -> Option<Self> {
        (!self.is_zero()).then(|| Self::from_rational(self.0.recip()))
    }

    /// x/y; none if y is 0.
    pub fn checked_div(&self, divisor: &Self) -> Option<Self> {
        (!divisor.is_zero()).then(|| Self::from_rational(&*self.0 / &*divisor.0))
    }

    /// x^n; none for 0 to a negative power, or if the result had more than some 5000 digits.
    pub fn power(&self, exponent: i64) -> Option<Self> {
        power_of(&self.0, exponent).ok().map(Self::from_rational)
    }
}

/// A number, or an enclosure of it where no more is known: what an interval run starts from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// The lower end.
    pub lo: Exact,
    /// The upper end; the lower one if the number is known.
    pub hi: Exact,
}

impl Span {
    /// Whether it is one number.
    pub fn is_point(&self) -> bool {
        self.lo == self.hi
    }

    /// Whether it is 0, for certain.
    pub fn is_zero(&self) -> bool {
        self.lo.is_zero() && self.hi.is_zero()
    }

    /// The narrowest interval that contains it.
    pub fn enclose<F: Endpoint>(&self) -> Interval<F> {
        Interval::new(F::below(&self.lo), F::above(&self.hi)).unwrap_or(Interval::ENTIRE)
    }
}

impl From<Exact> for Span {
    fn from(value: Exact) -> Self {
        Self { lo: value.clone(), hi: value }
    }
}

impl PartialEq<Exact> for Span {
    fn eq(&self, other: &Exact) -> bool {
        self.lo == *other && self.hi == *other
    }
}

/// What can be wrong with a part of a number.
enum Problem {
    Syntax,
    Range,
    Zero,
}

/// A decimal, or a decimal to an integer power.
fn power(text: &str) -> Result<BigRational, Problem> {
    let Some((base, exponent)) = text.split_once('^') else {
        return decimal(text);
    };
    // As in writing, the sign of −10² does not belong to what is squared.
    let base = base.trim();
    let (base, negative) = match base.strip_prefix('-') {
        Some(base) => (base, true),
        None => (base, false),
    };
    let value = power_of(&decimal(base)?, integer_exponent(exponent.trim())?)?;
    Ok(if negative { -value } else { value })
}

fn power_of(base: &BigRational, exponent: i64) -> Result<BigRational, Problem> {
    if base.is_zero() && exponent < 0 {
        return Err(Problem::Zero);
    }
    if base.is_zero() || base.abs().is_one() {
        // The one case where huge exponents are harmless.
        let odd = exponent % 2 != 0;
        return Ok(if exponent == 0 {
            BigRational::one()
        } else if odd {
            base.clone()
        } else {
            base.abs()
        });
    }
    let bits = base.numer().bits().max(base.denom().bits());
    // log₂ 10 < 10/3.
    if bits.saturating_mul(exponent.unsigned_abs()) > u64::from(MAX_EXPONENT) * 10 / 3 + 64 {
        return Err(Problem::Range);
    }
    let exponent = i32::try_from(exponent).map_err(|_| Problem::Range)?;
    Ok(Pow::pow(base, exponent))
}

/// `[+-]digits[.digits][e[+-]digits]`, with a digit before or after the point.
fn decimal(text: &str) -> Result<BigRational, Problem> {
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, integer_exponent(exponent)?),
        None => (text, 0),
    };
    let (negative, unsigned) = match mantissa.as_bytes().first() {
        Some(b'-') => (true, &mantissa[1..]),
        Some(b'+') => (false, &mantissa[1..]),
        _ => (false, mantissa),
    };
    let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, ""));
    let digits = [whole, fraction].concat();
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(Problem::Syntax);
    }
    let digits = BigInt::from(BigUint::from_str(&digits).map_err(|_| Problem::Syntax)?);
    if digits.is_zero() {
        return Ok(BigRational::zero());
    }
    let places = i64::try_from(fraction.len()).map_err(|_| Problem::Range)?;
    let shift = exponent.saturating_sub(places);
    if exponent.unsigned_abs() > u64::from(MAX_EXPONENT) {
        return Err(Problem::Range);
    }
    let scale = u32::try_from(shift.unsigned_abs()).map_err(|_| Problem::Range)?;
    let scale = BigInt::from(10).pow(scale);
    let size = if shift < 0 {
        BigRational::new(digits, scale)
    } else {
        BigRational::from_integer(digits * scale)
    };
    Ok(if negative { -size } else { size })
}

/// An integer of any length, brought down to what is compared with the limit.
fn integer_exponent(text: &str) -> Result<i64, Problem> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(Problem::Syntax);
    }
    // Only too many digits can be wrong now.
    Ok(text.parse().unwrap_or(i64::MAX))
}

/// A text as it is quoted in a message.
fn shorten(text: &str) -> String {
    const LONGEST: usize = 60;
    let clean = |c: char| if c.is_control() { ' ' } else { c };
    if text.chars().count() <= LONGEST {
        text.chars().map(clean).collect()
    } else {
        text.chars().take(LONGEST).map(clean).chain("…".chars()).collect()
    }
}

/// As a decimal if it ends soon, otherwise as a quotient; [`Exact::parse`] reads both back.
impl fmt::Display for Exact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match as_decimal(&self.0) {
            Some(text) => f.write_str(&text),
            None => write!(f, "{}/{}", self.0.numer(), self.0.denom()),
        }
    }
}

impl fmt::Debug for Exact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Exact({self})")
    }
}

/// The number as a decimal, if it has one of at most [`MAX_SHOWN_DIGITS`] significant digits.
fn as_decimal(value: &BigRational) -> Option<String> {
    let (two, five, ten) = (BigUint::from(2_u8), BigUint::from(5_u8), BigUint::from(10_u8));
    let mut rest = value.denom().magnitude().clone();
    let mut divided = |prime: &BigUint| {
        let mut times = 0_u32;
        while (&rest % prime).is_zero() {
            rest /= prime;
            times += 1;
        }
        times
    };
    let (twos, fives) = (divided(&two), divided(&five));
    if !rest.is_one() {
        return None;
    }
    let places = twos.max(fives);
    let mut mantissa =
        value.numer().magnitude() * two.pow(places - twos) * five.pow(places - fives);
    let mut exponent = -i64::from(places);
    // Of an integer, the zeros at its end.
    while !mantissa.is_zero() && (&mantissa % &ten).is_zero() {
        mantissa /= &ten;
        exponent += 1;
    }
    let digits = mantissa.to_string();
    if digits.len() > MAX_SHOWN_DIGITS {
        return None;
    }
    let sign = if value.numer().sign() == Sign::Minus { "-" } else { "" };
    let length = signed(u64::try_from(digits.len()).ok()?);
    // The place of the point, counted from before the first digit.
    let point = length + exponent;
    let plain = if mantissa.is_zero() {
        "0".to_owned()
    } else if exponent >= 0 && point <= 21 {
        digits + &"0".repeat(usize::try_from(exponent).ok()?)
    } else if exponent < 0 && point > 0 {
        let (whole, fraction) = digits.split_at_checked(usize::try_from(point).ok()?)?;
        format!("{whole}.{fraction}")
    } else if exponent < 0 && point > -6 {
        format!("0.{}{digits}", "0".repeat(usize::try_from(-point).ok()?))
    } else {
        let (first, others) = digits.split_at_checked(1)?;
        let point_and_others = if others.is_empty() { String::new() } else { format!(".{others}") };
        format!("{first}{point_and_others}e{}", point - 1)
    };
    Some(format!("{sign}{plain}"))
}

impl FromStr for Exact {
    type Err = NumberError;

    fn from_str(text: &str) -> Result<Self, NumberError> {
        Self::parse(text)
    }
}

macro_rules! operators {
    ($($trait:ident $method:ident),*) => {$(
        impl $trait for &Exact {
            type Output = Exact;

            fn $method(self, other: Self) -> Exact {
                Exact::from_rational((&*self.0).$method(&*other.0))
            }
        }

        impl $trait for Exact {
            type Output = Exact;

            fn $method(self, other: Self) -> Exact {
                (&self).$method(&other)
            }
        }
    )*};
}

operators!(Add add, Sub sub, Mul mul);

impl Neg for &Exact {
    type Output = Exact;

    fn neg(self) -> Exact {
        Exact::from_rational(-&*self.0)
    }
}

impl std::iter::Sum for Exact {
    fn sum<I: Iterator<Item = Self>>(numbers: I) -> Self {
        numbers.fold(Self::zero(), |sum, number| &sum + &number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_core::{Rng, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    fn exact(text: &str) -> Exact {
        Exact::parse(text).unwrap()
    }

    #[test]
    fn all_forms_are_read() {
        for (text, numerator, denominator) in [
            ("0.1", 1, 10),
            (" 3 ", 3, 1),
            ("+2.50", 5, 2),
            (".5", 1, 2),
            ("5.", 5, 1),
            ("1e6", 1_000_000, 1),
            ("1E+2", 100, 1),
            ("25e-1", 5, 2),
            ("10^12", 1_000_000_000_000, 1),
            ("2^-3", 1, 8),
            ("0.5^2", 1, 4),
            ("1/3", 1, 3),
            (" 2 / 6 ", 1, 3),
            ("1/10^3", 1, 1000),
            ("0.1/0.3", 1, 3),
            ("000", 0, 1),
            ("0^0", 1, 1),
        ] {
            assert_eq!(Some(exact(text)), Exact::ratio(numerator, denominator), "{text}");
        }
        assert_eq!(exact("-3"), -&exact("3"));
        assert_eq!(exact("-10^2"), -&exact("100"));
        assert_eq!(exact("1/-4"), exact("-0.25"));
    }

    #[test]
    fn no_digit_is_lost() {
        let text = "0.1000000000000000000000000000000000000000000000000001";
        assert_ne!(exact(text), exact("0.1"));
        let difference = &exact(text) - &exact("0.1");
        assert_eq!(difference, exact("1e-52"));
    }

    #[test]
    fn other_texts_are_refused() {
        for text in [
            "abc", "1.2.3", "1e", "e5", ".", "-", "1/2/3", "1 2", "0x10", "1_0", "--1", "2^",
            "2^1.5", "½", "1e5.0",
        ] {
            assert!(matches!(Exact::parse(text), Err(NumberError::Syntax(_))), "{text}");
        }
        assert_eq!(Exact::parse("  "), Err(NumberError::Empty));
        for text in ["nan", "NaN", "inf", "-inf", "Infinity", "+INF"] {
            assert!(matches!(Exact::parse(text), Err(NumberError::NotFinite(_))), "{text}");
        }
        for text in ["1/0", "0^-1", "1/0.0"] {
            assert!(matches!(Exact::parse(text), Err(NumberError::ZeroDenominator(_))), "{text}");
        }
    }

    #[test]
    fn huge_exponents_cost_nothing() {
        for text in [
            "1e5001",
            "1e-5001",
            "10^99999999999999999999",
            "7^-999999999",
            "1e999999999999999999999",
            "1/3e99999",
        ] {
            assert!(matches!(Exact::parse(text), Err(NumberError::OutOfRange(_))), "{text}");
        }
        assert_eq!(exact("1^99999999999999999999"), Exact::one());
        assert_eq!(exact("0e99999"), Exact::zero());
    }

    #[test]
    fn integers_reach_two_to_the_63() {
        assert_eq!(Exact::parse_integer("1e6"), Ok(1_000_000));
        assert_eq!(Exact::parse_integer("2^63"), Ok(MAX_INTEGER));
        assert_eq!(Exact::parse_integer("12/4"), Ok(3));
        assert!(matches!(Exact::parse_integer("2^63.0"), Err(NumberError::Syntax(_))));
        assert!(matches!(Exact::parse_integer("1.5"), Err(NumberError::NotInteger(_))));
        assert!(matches!(Exact::parse_integer("-1"), Err(NumberError::IntegerRange(_))));
        assert!(matches!(
            Exact::parse_integer("9223372036854775809"),
            Err(NumberError::IntegerRange(_))
        ));
    }

    #[test]
    fn rounding_agrees_with_the_standard_library() {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
        for _ in 0..20_000 {
            let digits = 1 + random.next_u32() % 40;
            let mut text: String =
                (0..digits).map(|_| char::from(b'0' + (random.next_u32() % 10) as u8)).collect();
            text.insert((random.next_u32() % digits) as usize, '.');
            let wide = random.next_u32() % 2 == 0;
            let span = if wide { 700 } else { 100 };
            let exponent = i64::from(random.next_u32() % span) - i64::from(span) / 2;
            let sign = if random.next_u32() % 2 == 0 { "-" } else { "" };
            let text = format!("{sign}{text}e{exponent}");
            let value = exact(&text);
            assert_eq!(value.to_f64(), text.parse::<f64>().unwrap(), "{text}");
            assert_eq!(value.to_f32(), text.parse::<f32>().unwrap(), "{text}");
        }
    }

    #[test]
    fn hard_cases_round_to_even() {
        for text in [
            // Halfway between neighbours, and just beside it.
            "9007199254740993",
            "9007199254740993.00000000000000000000000000001",
            "9007199254740992.99999999999999999999999999999",
            "9007199254740995",
            // The borders of normal, subnormal and zero.
            "2.2250738585072011e-308",
            "2.2250738585072014e-308",
            "4.9406564584124654e-324",
            "2.4703282292062327e-324",
            "2.4703282292062328e-324",
            "1e-400",
            // The border of infinity.
            "1.7976931348623157e308",
            "1.7976931348623158e308",
            "1.7976931348623159e308",
            "1e400",
        ] {
            let value = exact(text);
            assert_eq!(value.to_f64().to_bits(), text.parse::<f64>().unwrap().to_bits(), "{text}");
        }
        for text in [
            "16777217",
            "16777219",
            "1.1754942e-38",
            "7.0064923e-46",
            "7.006493e-46",
            "3.4028235e38",
            "3.4028236e38",
            "1e39",
        ] {
            let value = exact(text);
            assert_eq!(value.to_f32().to_bits(), text.parse::<f32>().unwrap().to_bits(), "{text}");
        }
        // Half the smallest subnormal number is a tie, and 0 is even.
        let tiny = Exact::from_f64(f64::from_bits(1)).unwrap();
        assert_eq!((&tiny * &exact("0.5")).to_f64(), 0.0);
        assert_eq!((&tiny * &exact("1.5")).to_f64(), f64::from_bits(2));
    }

    #[test]
    fn enclosures_are_tight() {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(2);
        for _ in 0..5_000 {
            let (p, q) = (random.next_u64() >> 20, 1 + (random.next_u64() >> 30));
            let size = Exact::ratio(p, q).unwrap();
            for value in [size.clone(), -&size] {
                let double = value.enclose::<f64>();
                let (lo, hi) = (double.lo(), double.hi());
                assert!(Exact::from_f64(lo).unwrap() <= value);
                assert!(Exact::from_f64(hi).unwrap() >= value);
                assert!(lo == hi || lo.next_up() == hi, "{value}");
                assert_eq!(lo == hi, value.is_f64());
                let single = value.enclose::<f32>();
                let (lo, hi) = (single.lo(), single.hi());
                assert!(Exact::from_f64(lo.into()).unwrap() <= value);
                assert!(Exact::from_f64(hi.into()).unwrap() >= value);
                assert!(lo == hi || lo.next_up() == hi, "{value}");
            }
        }
        assert_eq!(exact("1e400").enclose::<f64>().lo(), f64::MAX);
        assert_eq!(exact("1e400").enclose::<f64>().hi(), f64::INFINITY);
        assert_eq!(exact("-1e-400").enclose::<f64>().lo(), -f64::from_bits(1));
        assert_eq!(exact("-1e-400").enclose::<f64>().hi(), 0.0);
    }

    #[test]
    fn what_is_shown_is_read_back() {
        for (text, shown) in [
            ("0.10", "0.1"),
            ("1/3", "1/3"),
            ("1/36", "1/36"),
            ("-5/2", "-2.5"),
            ("10^12", "1000000000000"),
            ("1e300", "1e300"),
            ("-1.25e-30", "-1.25e-30"),
            ("0.00001", "0.00001"),
            ("1e-7", "1e-7"),
            ("0", "0"),
            ("123.456", "123.456"),
        ] {
            assert_eq!(exact(text).to_string(), shown);
            assert_eq!(exact(shown), exact(text));
        }
        let mut random = Xoshiro256PlusPlus::seed_from_u64(3);
        for _ in 0..2_000 {
            let value = f64::from_bits(random.next_u64());
            if let Some(value) = Exact::from_f64(value) {
                assert_eq!(exact(&value.to_string()), value);
                assert!(value.is_f64());
            }
        }
    }
}
