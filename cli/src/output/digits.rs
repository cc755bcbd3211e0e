//! Numbers for people: few digits, and for enclosures rounded outwards, so that what is printed
//! still encloses.

use crate::scalar::Number;

/// Significant digits of a plain number in a table.
const DIGITS: usize = 6;

/// Most significant digits of an end of an interval in a table.
const INTERVAL_DIGITS: usize = 10;

/// Which way decimal digits are cut off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rounding {
    Nearest,
    Down,
    Up,
}

/// A column of a table: every number in the same notation, so that a reader can run down it.
///
/// An interval is two lines, its lower end above its upper end. What does not exist is "–".
pub fn column(numbers: &[Option<Number>]) -> Vec<String> {
    let scientific = numbers.iter().flatten().any(|number| {
        let size = number.center().abs();
        size.is_finite() && size != 0.0 && !(1e-3..1e6).contains(&size)
    });
    numbers
        .iter()
        .map(|number| match *number {
            None => "–".to_owned(),
            Some(Number::Float(value)) => plain(value, scientific),
            Some(Number::Single(value)) => plain(f64::from(value), scientific),
            Some(Number::Interval { lo, hi }) => ends(lo, hi, scientific),
            Some(Number::SingleInterval { lo, hi }) => {
                ends(f64::from(lo), f64::from(hi), scientific)
            }
        })
        .collect()
}

/// One number in few digits.
pub fn short(value: f64) -> String {
    let size = value.abs();
    let scientific = size != 0.0 && !(1e-4..1e7).contains(&size);
    let text = decimal(value, DIGITS, Rounding::Nearest, scientific);
    trimmed(&text)
}

/// A slope or a ratio: three decimals, and no sign at what they round to 0.
pub fn ratio(value: f64) -> String {
    if !value.is_finite() {
        "–".to_owned()
    } else if value.abs() < 1e4 {
        let text = format!("{value:.3}");
        if text == "-0.000" { "0.000".to_owned() } else { text }
    } else {
        short(value)
    }
}

/// A number with so many digits after its point, for running text: a minus as wide as a plus, and
/// none before zeros.
pub fn signed(value: f64, digits: usize) -> String {
    let text = format!("{value:.digits$}");
    match text.strip_prefix('-') {
        Some(rest) if rest.contains(|digit: char| ('1'..='9').contains(&digit)) => {
            format!("−{rest}")
        }
        Some(rest) => rest.to_owned(),
        None => text,
    }
}

/// An integer, its digits in groups of three.
pub fn grouped(value: u64) -> String {
    let digits = value.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

fn plain(value: f64, scientific: bool) -> String {
    decimal(value, DIGITS, Rounding::Nearest, scientific)
}

fn ends(lo: f64, hi: f64, scientific: bool) -> String {
    let size = lo.abs().max(hi.abs());
    let width = hi - lo;
    // Two digits more than both ends share.
    let digits = if width > 0.0 && size.is_finite() {
        ((size / width).log10().ceil() + 2.0).clamp(3.0, INTERVAL_DIGITS as f64) as usize
    } else {
        INTERVAL_DIGITS
    };
    format!(
        "{}\n{}",
        decimal(lo, digits, Rounding::Down, scientific),
        decimal(hi, digits, Rounding::Up, scientific)
    )
}

/// Without zeros at the end of its fraction.
fn trimmed(text: &str) -> String {
    let (mantissa, exponent) = match text.split_once('e') {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (text, None),
    };
    let mantissa = if mantissa.contains('.') {
        mantissa.trim_end_matches('0').trim_end_matches('.')
    } else {
        mantissa
    };
    match exponent {
        Some(exponent) => format!("{mantissa}e{exponent}"),
        None => mantissa.to_owned(),
    }
}

fn decimal(value: f64, digits: usize, rounding: Rounding, scientific: bool) -> String {
    if !value.is_finite() {
        return if value.is_nan() {
            "nan".to_owned()
        } else if value > 0.0 {
            "inf".to_owned()
        } else {
            "-inf".to_owned()
        };
    }
    if value == 0.0 {
        return "0".to_owned();
    }
    let (digits, exponent) = significant(value, digits, rounding);
    let sign = if value < 0.0 { "-" } else { "" };
    if scientific {
        let (head, tail) = digits.split_at(1);
        let point = if tail.is_empty() { "" } else { "." };
        return format!("{sign}{head}{point}{tail}e{exponent}");
    }
    let count = i32::try_from(digits.len()).unwrap_or(i32::MAX);
    if exponent < 0 {
        let zeros = "0".repeat(usize::try_from(-exponent - 1).unwrap_or(0));
        format!("{sign}0.{zeros}{digits}")
    } else if exponent + 1 >= count {
        let zeros = "0".repeat(usize::try_from(exponent + 1 - count).unwrap_or(0));
        format!("{sign}{digits}{zeros}")
    } else {
        let (whole, fraction) = digits.split_at(usize::try_from(exponent + 1).unwrap_or(1));
        format!("{sign}{whole}.{fraction}")
    }
}

/// The digits of |value|, and the power of ten of the first.
fn significant(value: f64, count: usize, rounding: Rounding) -> (String, i32) {
    let up = match rounding {
        Rounding::Nearest => {
            return parts(&format!("{:.*e}", count.saturating_sub(1), value.abs()));
        }
        Rounding::Down => value < 0.0,
        Rounding::Up => value > 0.0,
    };
    // No f64 has more than 767 significant digits: these are exact, and cutting them off rounds
    // towards 0.
    let (exact, exponent) = parts(&format!("{:.800e}", value.abs()));
    let (kept, dropped) = exact.split_at(count.min(exact.len()));
    if !up || dropped.bytes().all(|digit| digit == b'0') {
        return (kept.to_owned(), exponent);
    }
    let mut digits = kept.as_bytes().to_vec();
    for at in (0..digits.len()).rev() {
        if digits[at] == b'9' {
            digits[at] = b'0';
        } else {
            digits[at] += 1;
            return (String::from_utf8_lossy(&digits).into_owned(), exponent);
        }
    }
    // All nines.
    (format!("1{}", "0".repeat(digits.len() - 1)), exponent + 1)
}

fn parts(scientific: &str) -> (String, i32) {
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((scientific, "0"));
    (mantissa.replace('.', ""), exponent.parse().unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_digits() {
        assert_eq!(short(0.0), "0");
        assert_eq!(short(1.0 / 36.0), "0.0277778");
        assert_eq!(short(-1234.5), "-1234.5");
        assert_eq!(short(3e-9), "3e-9");
        assert_eq!(short(100.0), "100");
        assert_eq!(grouped(7), "7");
        assert_eq!(grouped(1_234_567), "1,234,567");
        assert_eq!(ratio(-0.49951), "-0.500");
        assert_eq!(ratio(-0.0004), "0.000");
        assert_eq!(ratio(-0.0006), "-0.001");
        assert_eq!(signed(-0.0006, 3), "−0.001");
        assert_eq!(signed(-0.0004, 3), "0.000");
        assert_eq!(signed(1.5, 1), "1.5");
    }

    #[test]
    fn ends_are_rounded_outwards() {
        let third = 1.0 / 3.0;
        let both = column(&[Some(Number::Interval { lo: third, hi: third })]);
        assert_eq!(both, ["0.3333333333\n0.3333333334"]);
        let both = column(&[Some(Number::Interval { lo: -third, hi: -0.25 })]);
        assert_eq!(both, ["-0.334\n-0.250"]);
        let both = column(&[Some(Number::Interval { lo: 0.5, hi: 0.999_999_99 })]);
        assert_eq!(both, ["0.500\n1.00"]);
    }

    #[test]
    fn one_notation_a_column() {
        let numbers = [Some(Number::Float(1.5)), Some(Number::Float(1.5e-9)), None];
        assert_eq!(column(&numbers), ["1.50000e0", "1.50000e-9", "–"]);
    }
}
