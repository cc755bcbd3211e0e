//! Whether a formula is 0: a normal form in a tower of generators.
//!
//! A formula becomes a polynomial with rational coefficients in *generators*, of which each is
//! a symbol, π, an exponential or an angle (all taken to be independent), the root of a polynomial
//! in earlier generators, or a name for one. Divisors become names too, so exponents may be
//! negative and there are no fractions to bring to a common denominator. The sine and cosine of an
//! angle are rational in its arguments and the root of the sum of their squares.
//!
//! To see whether a polynomial vanishes, the latest generator is got rid of first: the
//! coefficients of the powers of an independent generator must vanish one by one; even and odd
//! powers of a root separately, with its square replaced by the radicand; a name is replaced by
//! what it stands for. Most identities hold long before everything is multiplied out.
//!
//! A formula that vanishes is 0 at every point where it is defined and no argument of a sign and no
//! angle's sum of squares is 0; and, where it is continuous, on the closure of these points (note 6). One that does not vanish is *probably* another function, but not
//! certainly: independence was only assumed.
//!
//! Two things guide the search and prove nothing: every generator has a value at a sample point, in
//! floating point, by which parts of a polynomial are found that may vanish by themselves; and
//! whatever is 0 at that point is not divided by.

mod polynomial;
mod tower;

use alloc::vec::Vec;

use polynomial::Polynomial;
use tower::{Meaning, Stuck, Tower};

use super::arena::Arena;
use super::expression::Expr;

/// What became of a formula that should be 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NormalForm {
    /// The formula is 0, wherever it is defined and no sign or angle in it has argument 0.
    Zero {
        /// The largest number of terms that a polynomial had on the way.
        terms: usize,
    },
    /// Something is left. That refutes nothing.
    NonZero {
        /// The number of terms of what is left.
        terms: usize,
    },
    /// The formula has an undefined part, or it outgrew the limit.
    Unknown,
}

/// Brings formulas of one arena to normal form.
///
/// ```
/// use popgd_core::scalar::Scalar;
/// use popgd_core::scalar::symbolic::{Arena, NormalForm, ZeroTest};
///
/// let arena = Arena::new();
/// let [x, y] = ["x", "y"].map(|name| arena.symbol(name));
/// let norm = (x.square() + y.square()).norm();
/// let angle = y.atan2(x);
///
/// let mut test = ZeroTest::new(&arena);
/// assert!(matches!(test.form(norm * angle.sin() - y), NormalForm::Zero { .. }));
/// assert!(matches!(test.form(angle.derivative("x") + y / norm.square()), NormalForm::Zero { .. }));
/// assert!(matches!(test.form(angle.sin() - y), NormalForm::NonZero { .. }));
/// ```
#[derive(Debug)]
pub struct ZeroTest<'a> {
    tower: Tower<'a>,
    largest: usize,
}

/// Beyond this many terms a polynomial is given up.
const LIMIT: usize = 50_000;

/// From this many terms on it is worth looking for parts that vanish by themselves.
const WORTH_SPLITTING: usize = 8;

impl<'a> ZeroTest<'a> {
    /// For the formulas of this arena.
    #[must_use]
    pub fn new(arena: &'a Arena) -> Self {
        Self { tower: Tower::new(arena, LIMIT), largest: 0 }
    }

    /// From now on the symbol of this name is taken to be positive, so that √x² = x.
    pub fn assume_positive(&mut self, name: &str) {
        self.tower.assume_positive(name);
    }

    /// How many generators the formulas so far have needed.
    #[must_use]
    pub fn generators(&self) -> usize {
        self.tower.generator_count()
    }

    /// Whether the formula, of the same arena, is 0.
    pub fn form(&mut self, formula: Expr<'_>) -> NormalForm {
        self.largest = 0;
        let outcome = match self.tower.form(formula.id()) {
            Ok(form) => self.remainder(&form),
            Err(stuck) => Err(stuck),
        };
        match outcome {
            Ok(0) => NormalForm::Zero { terms: self.largest },
            Ok(terms) => NormalForm::NonZero { terms },
            Err(Stuck) => NormalForm::Unknown,
        }
    }

    /// The number of terms of the first coefficient that does not vanish; 0 if all do.
    fn remainder(&mut self, polynomial: &Polynomial) -> Result<usize, Stuck> {
        let terms = polynomial.len();
        self.largest = self.largest.max(terms);
        self.tower.check(polynomial)?;
        let Some(top) = polynomial.top() else { return Ok(terms) };
        if terms >= WORTH_SPLITTING {
            if let Some((first, second)) = self.tower.split(polynomial) {
                let left = self.remainder(&first)?;
                return if left > 0 { Ok(left) } else { self.remainder(&second) };
            }
        }
        let parts = polynomial.by_power_of_top(top);
        let (replacement, step) = match self.tower.meaning(top) {
            Meaning::Free => {
                for part in parts.values() {
                    let left = self.remainder(part)?;
                    if left > 0 {
                        return Ok(left);
                    }
                }
                return Ok(0);
            }
            Meaning::Root { radicand, .. } => (radicand, 2),
            Meaning::Name { definition } => (definition, 1),
        };
        for parity in 0..step {
            let same = || parts.iter().filter(|(exponent, _)| exponent.rem_euclid(step) == parity);
            let Some((&least, _)) = same().next() else { continue };
            let mut powers = Vec::new();
            let mut sum = Polynomial::default();
            for (exponent, part) in same() {
                let times = (exponent - least) / step;
                sum =
                    sum.add(&part.multiply(self.tower.power(&mut powers, &replacement, times)?));
                self.tower.check(&sum)?;
            }
            let left = self.remainder(&sum)?;
            if left > 0 {
                return Ok(left);
            }
        }
        Ok(0)
    }
}
