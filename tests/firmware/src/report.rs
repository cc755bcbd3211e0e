//! How numbers are told: all of their bits, and a checksum of them.

use crate::board::Board;
use popgd_core::scalar::Scalar;
use popgd_core::scalar::float::Float;
use popgd_core::scalar::interval::Interval;

/// A scalar whose bits can be told.
pub trait Bits: Scalar {
    /// Its name.
    const NAME: &'static str;

    /// A value to make constants from.
    fn context() -> Self;

    /// Its words, the low ones of `tell`'s argument that hold `digits` hexadecimal digits.
    fn words(self, tell: impl FnMut(u64, u32));

    /// Whether it says anything: neither infinite, nor with an infinite end, nor no number.
    fn is_bounded(self) -> bool;
}

/// A float whose bits can be told.
pub trait FloatBits: Float {
    /// The name of intervals of it.
    const INTERVAL: &'static str;
    /// How many hexadecimal digits it has.
    const HEX: u32;

    /// Its bits.
    fn word(self) -> u64;
}

/// IEEE 754 leaves open which bits the result of an invalid operation has, and processors differ:
/// there is but one NaN here.
macro_rules! float_bits {
    ($($float:ident, $interval:literal, $digits:literal;)*) => { $(
        impl FloatBits for $float {
            const INTERVAL: &'static str = $interval;
            const HEX: u32 = $digits;

            fn word(self) -> u64 {
                let one_nan = if self.is_nan() { $float::NAN } else { self };
                u64::from(one_nan.to_bits())
            }
        }

        impl Bits for $float {
            const NAME: &'static str = stringify!($float);

            fn context() -> Self {
                1.0
            }

            fn words(self, mut tell: impl FnMut(u64, u32)) {
                tell(self.word(), $digits);
            }

            fn is_bounded(self) -> bool {
                self.is_finite()
            }
        }
    )* };
}

float_bits! {
    f32, "interval32", 8;
    f64, "interval64", 16;
}

impl<F: FloatBits> Bits for Interval<F> {
    const NAME: &'static str = F::INTERVAL;

    fn context() -> Self {
        Self::point(F::ONE)
    }

    fn words(self, mut tell: impl FnMut(u64, u32)) {
        tell(self.lo().word(), F::HEX);
        tell(self.hi().word(), F::HEX);
    }

    fn is_bounded(self) -> bool {
        self.lo().is_finite() && self.hi().is_finite()
    }
}

/// The hash of Fowler, Noll and Vo, 64 bits, variant 1a.
#[derive(Clone, Copy, Debug)]
struct Checksum(u64);

impl Checksum {
    const EMPTY: Self = Self(0xcbf2_9ce4_8422_2325);

    fn add(&mut self, word: u64, digits: u32) {
        for byte in word.to_le_bytes().into_iter().take(digits as usize / 2) {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}

/// What the program has to say, on a board.
///
/// Lines that begin with `#` are about the board, and are not compared.
pub struct Report<'a> {
    board: &'a mut dyn Board,
    all: Checksum,
    section: Checksum,
}

impl core::fmt::Debug for Report<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("Report")
    }
}

impl<'a> Report<'a> {
    /// A report that has nothing in it.
    pub fn new(board: &'a mut dyn Board) -> Self {
        Self { board, all: Checksum::EMPTY, section: Checksum::EMPTY }
    }

    /// Begins a section about a scalar: `f32 expectations`.
    pub fn section<S: Bits>(&mut self, name: &str) {
        self.section = Checksum::EMPTY;
        self.words(&[S::NAME, " ", name, "\n"]);
        self.board.forget_stack();
    }

    /// Ends it with its checksum, and says how deep the stack was.
    pub fn end(&mut self) {
        let depth = self.board.stack_used();
        let checksum = self.section.0;
        self.all.add(checksum, 16);
        self.words(&["  checksum"]);
        self.hexadecimal(checksum, 16);
        self.words(&["\n"]);
        if let Some(depth) = depth {
            self.words(&["# stack "]);
            self.decimal(depth as u64);
            self.words(&["\n"]);
        }
    }

    /// A line of numbers, which enter the checksum.
    pub fn numbers<S: Bits>(&mut self, name: &str, numbers: &[S]) {
        self.words(&["  ", name]);
        for &number in numbers {
            number.words(|word, digits| {
                self.section.add(word, digits);
                self.hexadecimal(word, digits);
            });
        }
        self.words(&["\n"]);
    }

    /// Numbers that enter the checksum, but are too many to print.
    pub fn silently<S: Bits>(&mut self, numbers: &[S]) {
        for &number in numbers {
            number.words(|word, digits| self.section.add(word, digits));
        }
    }

    /// A count, which enters the checksum.
    pub fn count(&mut self, name: &str, count: u64) {
        self.section.add(count, 16);
        self.words(&["  ", name, " "]);
        self.decimal(count);
        self.words(&["\n"]);
    }

    /// What must not happen: the line is not in the report of the others.
    pub fn refused(&mut self) {
        self.words(&["  refused\n"]);
    }

    /// The checksum of all checksums.
    pub fn finish(mut self) {
        self.words(&["all"]);
        self.hexadecimal(self.all.0, 16);
        self.words(&["\n"]);
    }

    fn words(&mut self, words: &[&str]) {
        for word in words {
            self.board.print(word);
        }
    }

    fn hexadecimal(&mut self, word: u64, digits: u32) {
        self.board.print(" ");
        print_digits::<16>(self.board, word, digits);
    }

    fn decimal(&mut self, value: u64) {
        let digits = value.checked_ilog10().unwrap_or(0) + 1;
        print_digits::<10>(self.board, value, digits);
    }
}

/// The last `digits` digits of a number, in base 10 or 16.
pub fn print_digits<const BASE: u64>(board: &mut dyn Board, value: u64, digits: u32) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let (mut text, mut rest) = ([b'0'; 20], value);
    for slot in text.iter_mut().rev() {
        *slot = DIGITS.get((rest % BASE) as usize).copied().unwrap_or(b'?');
        rest /= BASE;
    }
    let start = text.len().saturating_sub(digits as usize);
    let shown = text.get(start..).unwrap_or_default();
    board.print(core::str::from_utf8(shown).unwrap_or_default());
}
