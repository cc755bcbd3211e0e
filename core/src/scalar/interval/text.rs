//! Intervals as text.
//!
//! # Reading
//! What a text denotes is an exact set; the result is the smallest interval that contains it, by
//! exact integer arithmetic on the stack. Upper and lower case are alike, and blanks may stand
//! inside of brackets, around numbers.
//!
//! | text | denotes |
//! |---|---|
//! | `[]`, `[empty]` | no number |
//! | `[entire]`, `[,]` | all numbers |
//! | `[-1.25, 3e4]` | all numbers between; an end left out, `inf` or `infinity` makes it unbounded |
//! | `[0.1]`, `0.1` | the number |
//! | `3.56?1`, `3.56?` | numbers up to 1 unit, or ½, of the last place away |
//! | `3.56?1u`, `3.56?d`, `3.56??u` | only upwards, only downwards, without bound |
//! | `3.56?1e2` | all of it times 10² |
//!
//! A number is decimal (`-12.5e-3`), hexadecimal (`0x1.8p-4`) or a fraction of integers (`-2/3`).
//!
//! Of a number the first [`DIGITS`] significant digits are read. Further ones make it larger than
//! those by less than a unit of their last place, and all of that is enclosed: an end may then be one
//! float farther out than the best one. The uncertain form is refused beyond that.
//!
//! If rounding alone could have swapped two ends (`[1.0000000000000002, 1.0000000000000001]`),
//! both are enclosed, as IEEE 1788 recommends.
//!
//! # Writing
//! `{}` writes each end by the shortest digits that give it back to a reader who rounds to nearest;
//! read back as above, they make an interval that contains the one written. `{:x}` writes
//! hexadecimal ends, which are exact: they give back the very interval.

use core::cmp::Ordering;
use core::fmt;
use core::str::FromStr;

use super::Interval;
use super::exact::{Dyadic, parts};
use super::natural::Natural;
use crate::error::Error;
use crate::scalar::float::Float;

/// How many significant digits of a number are read.
pub const DIGITS: u32 = 400;

/// A lower and an upper bound.
type Bounds<F> = (F, F);

/// Where the reader is.
struct Reader<'a> {
    text: &'a [u8],
    at: usize,
}

/// Digits, read as a natural number times a power of the base.
struct Digits {
    value: Natural,
    /// Whether digits other than 0 were left out.
    has_more: bool,
    /// Power of the base that `value` is to be multiplied by.
    exponent: i64,
    /// Whether there was a point.
    has_point: bool,
}

impl Reader<'_> {
    fn error<T>(&self, expected: &'static str) -> Result<T, Error> {
        Err(Error::Text { position: self.at, expected })
    }

    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).map(u8::to_ascii_lowercase)
    }

    fn skip_blanks(&mut self) {
        while self.peek().is_some_and(|c| c.is_ascii_whitespace()) {
            self.at = self.at.wrapping_add(1);
        }
    }

    /// Reads `word`, if it comes next.
    fn accept(&mut self, word: &str) -> bool {
        let rest = self.text.get(self.at..).unwrap_or(&[]);
        let found = rest.get(..word.len()).is_some_and(|s| s.eq_ignore_ascii_case(word.as_bytes()));
        if found {
            self.at = self.at.wrapping_add(word.len());
        }
        found
    }

    fn expect(&mut self, word: &'static str) -> Result<(), Error> {
        if self.accept(word) { Ok(()) } else { self.error(word) }
    }

    /// Whether a minus stood there.
    fn sign(&mut self) -> bool {
        let is_negative = self.accept("-");
        if !is_negative {
            self.accept("+");
        }
        is_negative
    }

    /// Digits of a base up to 16, with a point if that is allowed.
    fn digits(&mut self, base: u32, may_have_point: bool) -> Result<Digits, Error> {
        let mut digits =
            Digits { value: Natural::ZERO, has_more: false, exponent: 0, has_point: false };
        let (mut significant, mut found) = (0_u32, false);
        while let Some(c) = self.peek() {
            if c == b'.' && may_have_point && !digits.has_point {
                digits.has_point = true;
            } else if let Some(digit) = char::from(c).to_digit(base) {
                found = true;
                let mut step = i64::from(digits.has_point);
                if significant > 0 || digit > 0 {
                    significant = significant.saturating_add(1);
                }
                if significant <= DIGITS {
                    digits.value = digits.value.times_plus(u64::from(base), u64::from(digit));
                } else {
                    digits.has_more |= digit > 0;
                    step -= 1;
                }
                digits.exponent = digits.exponent.saturating_sub(step);
            } else {
                break;
            }
            self.at = self.at.wrapping_add(1);
        }
        if found { Ok(digits) } else { self.error("a digit") }
    }

    /// A power, if its letter comes next.
    fn exponent(&mut self, letter: &str) -> Result<i64, Error> {
        if !self.accept(letter) {
            return Ok(0);
        }
        let is_negative = self.sign();
        let (mut exponent, mut found) = (0_i64, false);
        while let Some(digit) = self.peek().and_then(|c| char::from(c).to_digit(10)) {
            found = true;
            exponent = exponent.saturating_mul(10).saturating_add(i64::from(digit));
            self.at = self.at.wrapping_add(1);
        }
        if found {
            // Far from the limits of i64, so that no sum with it overflows.
            let exponent = exponent.min(1 << 40);
            Ok(if is_negative { -exponent } else { exponent })
        } else {
            self.error("the digits of an exponent")
        }
    }

    /// A number, or the uncertain form if that is allowed.
    fn number<F: Float>(&mut self, may_be_uncertain: bool) -> Result<Bounds<F>, Error> {
        let is_negative = self.sign();
        if self.accept("0x") {
            let digits = self.digits(16, true)?;
            let exponent = self.exponent("p")?;
            let power = digits.exponent.saturating_mul(4).saturating_add(exponent);
            let unit = Natural::from_word(1);
            return Ok(signed(is_negative, magnitude(&digits, (&unit, false), Power::Two(power))));
        }
        let start = self.at;
        let digits = self.digits(10, true)?;
        if self.accept("/") {
            if digits.has_point {
                self.at = start;
                return self.error("an integer before /");
            }
            let divisor = self.digits(10, false)?;
            if divisor.value.is_zero() {
                return self.error("a divisor other than 0");
            }
            let power = Power::Ten(digits.exponent.saturating_sub(divisor.exponent));
            let divisor = (&divisor.value, divisor.has_more);
            return Ok(signed(is_negative, magnitude(&digits, divisor, power)));
        }
        if self.peek() == Some(b'?') {
            if !may_be_uncertain {
                return self.error("a number without ?");
            }
            return self.uncertain(is_negative, &digits);
        }
        let exponent = self.exponent("e")?.saturating_add(digits.exponent);
        let unit = Natural::from_word(1);
        Ok(signed(is_negative, magnitude(&digits, (&unit, false), Power::Ten(exponent))))
    }

    /// What follows the digits of the uncertain form.
    fn uncertain<F: Float>(
        &mut self,
        is_negative: bool,
        digits: &Digits,
    ) -> Result<Bounds<F>, Error> {
        self.expect("?")?;
        let is_unbounded = self.accept("?");
        let has_radius = !is_unbounded && self.peek().is_some_and(|c| c.is_ascii_digit());
        // Ten times everything, so that half a unit is an integer.
        let middle = digits.value.times_plus(10, 0);
        let radius = if has_radius {
            let radius = self.digits(10, false)?;
            if radius.exponent != 0 {
                return self.error("at most 400 digits in the uncertain form");
            }
            radius.value.times_plus(10, 0)
        } else {
            Natural::from_word(5)
        };
        // Digits behind the point made the exponent negative by one each; any left out made it
        // larger again.
        if digits.has_more {
            return self.error("at most 400 digits in the uncertain form");
        }
        let (below, above) = match (self.accept("d"), self.accept("u")) {
            (true, false) => (true, false),
            (false, true) => (false, true),
            (false, false) => (true, true),
            (true, true) => return self.error("one of d and u"),
        };
        let exponent = self.exponent("e")?.saturating_add(digits.exponent).saturating_sub(1);
        let bound = |is_lower: bool| -> F {
            let moves = if is_lower { below } else { above };
            let unbounded = if is_lower { F::NEG_INFINITY } else { F::INFINITY };
            if moves && is_unbounded {
                return unbounded;
            }
            let radius = if moves { radius } else { Natural::ZERO };
            // ± middle ∓ radius, by sign and magnitude.
            let (is_negative, size) = if is_negative == is_lower {
                (is_negative, middle.plus(&radius))
            } else if middle.compare(&radius) == Ordering::Less {
                (!is_negative, radius.minus(&middle))
            } else {
                (is_negative, middle.minus(&radius))
            };
            let size = quotient(&size, &Natural::from_word(1), Power::Ten(exponent));
            let (lo, hi) = signed(is_negative, size);
            if is_lower { lo } else { hi }
        };
        Ok((bound(true), bound(false)))
    }

    /// An end inside of brackets: nothing, infinity or a number.
    fn end<F: Float>(&mut self, is_lower: bool) -> Result<Bounds<F>, Error> {
        let unbounded = if is_lower { F::NEG_INFINITY } else { F::INFINITY };
        if matches!(self.peek(), Some(b',' | b']')) {
            return Ok((unbounded, unbounded));
        }
        let start = self.at;
        let is_negative = self.sign();
        if self.accept("infinity") || self.accept("inf") {
            if is_negative == is_lower {
                return Ok((unbounded, unbounded));
            }
            self.at = start;
            return self.error("an end below ∞ and above −∞");
        }
        self.at = start;
        self.number(false)
    }

    /// What follows the opening bracket.
    fn bracket<F: Float>(&mut self) -> Result<Interval<F>, Error> {
        self.skip_blanks();
        if self.accept("]") {
            return Ok(Interval::EMPTY);
        }
        for (word, interval) in [("empty", Interval::EMPTY), ("entire", Interval::ENTIRE)] {
            if self.accept(word) {
                self.skip_blanks();
                self.expect("]")?;
                return Ok(interval);
            }
        }
        let start = self.at;
        let lower: Bounds<F> = self.end(true)?;
        self.skip_blanks();
        if self.accept("]") {
            return match Interval::new(lower.0, lower.1) {
                Some(interval) => Ok(interval),
                None => {
                    self.at = start;
                    self.error("a number, or two ends")
                }
            };
        }
        self.expect(",")?;
        self.skip_blanks();
        let upper: Bounds<F> = self.end(false)?;
        self.skip_blanks();
        self.expect("]")?;
        if lower.0 <= upper.1 && (lower.0 <= upper.0 || lower.1 <= upper.1) {
            return Ok(Interval::between(lower.0, upper.1));
        }
        self.at = start;
        self.error("ends in order")
    }
}

/// A power that a quotient is multiplied by.
#[derive(Clone, Copy)]
enum Power {
    Two(i64),
    Ten(i64),
}

fn signed<F: Float>(is_negative: bool, (lo, hi): Bounds<F>) -> Bounds<F> {
    if is_negative { (-hi, -lo) } else { (lo, hi) }
}

/// Bounds of digits / divisor · power, where either may be less than one larger than it looks.
fn magnitude<F: Float>(digits: &Digits, divisor: (&Natural, bool), power: Power) -> Bounds<F> {
    let (divisor, divisor_has_more) = divisor;
    let more = |x: &Natural, has_more: bool| x.times_plus(1, u64::from(has_more));
    let (lo, hi) = quotient(&digits.value, &more(divisor, divisor_has_more), power);
    if !digits.has_more && !divisor_has_more {
        return (lo, hi);
    }
    (lo, quotient(&more(&digits.value, digits.has_more), divisor, power).1)
}

/// Bounds of dividend / divisor · power. Both are below 10⁴⁰².
fn quotient<F: Float>(dividend: &Natural, divisor: &Natural, power: Power) -> Bounds<F> {
    if dividend.is_zero() {
        return (F::ZERO, F::ZERO);
    }
    let ratio = match power {
        Power::Two(exponent) => {
            let ratio = dividend.divided_by(divisor);
            let exponent = exponent.clamp(-10_000, 10_000) as i32;
            Dyadic { exponent: ratio.exponent.saturating_add(exponent), ..ratio }
        }
        // The quotient itself is between 10⁻⁴⁰² and 10⁴⁰².
        Power::Ten(exponent) if exponent > 800 => return (F::MAX, F::INFINITY),
        Power::Ten(exponent) if exponent < -850 => return (F::ZERO, F::ZERO.next_up()),
        Power::Ten(exponent) => {
            let distance = exponent.unsigned_abs();
            if exponent >= 0 {
                dividend.times_power_of_ten(distance).divided_by(divisor)
            } else {
                dividend.divided_by(&divisor.times_power_of_ten(distance))
            }
        }
    };
    ratio.ends()
}

/// See the [module](self) for the grammar.
///
/// # Errors
/// [`Error::Text`] says what was expected where.
impl<F: Float> FromStr for Interval<F> {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let mut reader = Reader { text: text.as_bytes(), at: 0 };
        reader.skip_blanks();
        let interval = if reader.accept("[") {
            reader.bracket()?
        } else {
            let (lo, hi) = reader.number(true)?;
            Self::between(lo, hi)
        };
        reader.skip_blanks();
        if reader.at == text.len() { Ok(interval) } else { reader.error("the end of the text") }
    }
}

/// `[lo, hi]`, each end by the shortest digits that give it back; `[empty]`.
impl<F: Float> fmt::Display for Interval<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() {
            f.write_str("[empty]")
        } else {
            write!(f, "[{:?}, {:?}]", self.lo, self.hi)
        }
    }
}

/// `[lo, hi]` with exact hexadecimal ends, integers times powers of two; `[empty]`.
impl<F: Float> fmt::LowerHex for Interval<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() {
            return f.write_str("[empty]");
        }
        let mut write = |before: &str, x: F, after: &str| {
            let sign = if x < F::ZERO { "-" } else { "" };
            if x.is_finite() {
                let (digits, exponent) = parts(x);
                write!(f, "{before}{sign}0x{digits:x}p{exponent}{after}")
            } else {
                write!(f, "{before}{sign}inf{after}")
            }
        };
        write("[", self.lo, ", ")?;
        write("", self.hi, "]")
    }
}
