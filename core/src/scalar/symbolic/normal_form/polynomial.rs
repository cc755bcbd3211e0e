//! Polynomials in many generators, with rational coefficients and integer exponents of either
//! sign.

use alloc::collections::BTreeMap;
use alloc::collections::btree_map::Entry;
use alloc::vec;
use alloc::vec::Vec;
use core::cmp::Ordering;

use num_rational::BigRational;
use num_traits::{One, Zero};

/// The place of a generator in its tower.
pub(super) type Generator = usize;

/// A product of powers of generators.
///
/// The order is lexicographic, the latest generator first: it is respected by multiplication.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Monomial(
    /// Falling generators, exponents other than 0.
    Vec<(Generator, i32)>,
);

impl Monomial {
    pub(super) fn of(generator: Generator, exponent: i32) -> Self {
        Self(if exponent == 0 { vec![] } else { vec![(generator, exponent)] })
    }

    pub(super) fn is_one(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn factors(&self) -> impl Iterator<Item = (Generator, i32)> + '_ {
        self.0.iter().copied()
    }

    fn top(&self) -> Option<Generator> {
        self.0.first().map(|&(generator, _)| generator)
    }

    pub(super) fn exponent(&self, generator: Generator) -> i32 {
        self.factors().find(|&(other, _)| other == generator).map_or(0, |(_, exponent)| exponent)
    }

    pub(super) fn multiply(&self, other: &Self) -> Self {
        self.combine(other, |a, b| a.saturating_add(b))
    }

    /// The greatest monomial that divides both, exponents of absent generators being 0.
    fn common(&self, other: &Self) -> Self {
        self.combine(other, i32::min)
    }

    fn combine(&self, other: &Self, rule: impl Fn(i32, i32) -> i32) -> Self {
        let mut product = Vec::with_capacity(self.0.len() + other.0.len());
        let (mut left, mut right) = (self.0.iter().peekable(), other.0.iter().peekable());
        loop {
            let (generator, exponent) = match (left.peek(), right.peek()) {
                (None, None) => return Self(product),
                (Some(&&(g, e)), Some(&&(h, f))) if g == h => {
                    left.next();
                    right.next();
                    (g, rule(e, f))
                }
                (Some(&&(g, e)), other) if other.is_none_or(|&&(h, _)| g > h) => {
                    left.next();
                    (g, rule(e, 0))
                }
                (_, Some(&&(h, f))) => {
                    right.next();
                    (h, rule(0, f))
                }
                (Some(_), None) => return Self(product),
            };
            if exponent != 0 {
                product.push((generator, exponent));
            }
        }
    }

    pub(super) fn power(&self, exponent: i32) -> Self {
        if exponent == 0 {
            return Self::default();
        }
        Self(self.factors().map(|(g, e)| (g, e.saturating_mul(exponent))).collect())
    }

    fn is_polynomial(&self) -> bool {
        self.factors().all(|(_, exponent)| exponent > 0)
    }

    /// The monomial without the generator, if that is the first.
    fn split_top(&self, generator: Generator) -> (i32, Self) {
        match self.0.split_first() {
            Some((&(top, exponent), rest)) if top == generator => (exponent, Self(rest.to_vec())),
            _ => (0, self.clone()),
        }
    }
}

impl Ord for Monomial {
    fn cmp(&self, other: &Self) -> Ordering {
        let (mut left, mut right) = (self.factors(), other.factors());
        loop {
            return match (left.next(), right.next()) {
                (None, None) => Ordering::Equal,
                (Some((_, e)), None) => e.cmp(&0),
                (None, Some((_, f))) => 0.cmp(&f),
                (Some((g, e)), Some((h, f))) => match g.cmp(&h) {
                    Ordering::Greater => e.cmp(&0),
                    Ordering::Less => 0.cmp(&f),
                    Ordering::Equal if e == f => continue,
                    Ordering::Equal => e.cmp(&f),
                },
            };
        }
    }
}

impl PartialOrd for Monomial {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The largest exponent of a tame polynomial. Powers of such a polynomial with tame exponents,
/// times another one, are far from the end of the range.
const LARGEST_EXPONENT: u32 = 1000;

/// A coefficient times a monomial.
#[derive(Clone, Debug)]
pub(super) struct Term {
    pub(super) coefficient: BigRational,
    pub(super) monomial: Monomial,
}

impl Term {
    pub(super) fn one() -> Self {
        Self { coefficient: BigRational::one(), monomial: Monomial::default() }
    }

    pub(super) fn of(generator: Generator, exponent: i32) -> Self {
        Self { monomial: Monomial::of(generator, exponent), ..Self::one() }
    }

    pub(super) fn multiply(&self, other: &Self) -> Self {
        Self {
            coefficient: &self.coefficient * &other.coefficient,
            monomial: self.monomial.multiply(&other.monomial),
        }
    }

    /// Any power; the coefficient must not be 0.
    pub(super) fn power(&self, exponent: i32) -> Self {
        Self {
            coefficient: num_traits::pow::Pow::pow(&self.coefficient, exponent),
            monomial: self.monomial.power(exponent),
        }
    }
}

/// A sum of terms with different monomials, none of them 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Polynomial(BTreeMap<Monomial, BigRational>);

impl Polynomial {
    pub(super) fn constant(value: BigRational) -> Self {
        Self::from(Term { coefficient: value, monomial: Monomial::default() })
    }

    pub(super) fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn terms(&self) -> impl DoubleEndedIterator<Item = (&Monomial, &BigRational)> {
        self.0.iter()
    }

    /// The value, if there are no generators.
    pub(super) fn as_constant(&self) -> Option<BigRational> {
        if self.is_zero() {
            return Some(BigRational::zero());
        }
        self.as_term().filter(|term| term.monomial.is_one()).map(|term| term.coefficient)
    }

    /// Itself, if it is a single term.
    pub(super) fn as_term(&self) -> Option<Term> {
        match self.0.first_key_value() {
            Some((monomial, coefficient)) if self.len() == 1 => {
                Some(Term { coefficient: coefficient.clone(), monomial: monomial.clone() })
            }
            _ => None,
        }
    }

    /// Whether no exponent is so large that a few more operations could leave the range of
    /// exponents, where they would saturate.
    pub(super) fn is_tame(&self) -> bool {
        let mut factors = self.0.keys().flat_map(Monomial::factors);
        factors.all(|(_, exponent)| exponent.unsigned_abs() <= LARGEST_EXPONENT)
    }

    /// The latest generator.
    pub(super) fn top(&self) -> Option<Generator> {
        self.0.keys().filter_map(Monomial::top).max()
    }

    /// The terms for which `chosen`, and the others.
    pub(super) fn partition(&self, mut chosen: impl FnMut(usize) -> bool) -> (Self, Self) {
        let (mut first, mut second) = (Self::default(), Self::default());
        for (index, (monomial, coefficient)) in self.0.iter().enumerate() {
            let part = if chosen(index) { &mut first } else { &mut second };
            part.0.insert(monomial.clone(), coefficient.clone());
        }
        (first, second)
    }

    fn insert(&mut self, monomial: Monomial, coefficient: BigRational) {
        match self.0.entry(monomial) {
            Entry::Vacant(slot) => {
                if !coefficient.is_zero() {
                    slot.insert(coefficient);
                }
            }
            Entry::Occupied(mut slot) => {
                let sum = slot.get() + coefficient;
                if sum.is_zero() {
                    slot.remove();
                } else {
                    slot.insert(sum);
                }
            }
        }
    }

    pub(super) fn add(&self, other: &Self) -> Self {
        let (mut sum, summand) =
            if self.len() < other.len() { (other.clone(), self) } else { (self.clone(), other) };
        for (monomial, coefficient) in &summand.0 {
            sum.insert(monomial.clone(), coefficient.clone());
        }
        sum
    }

    pub(super) fn negate(&self) -> Self {
        Self(self.0.iter().map(|(m, c)| (m.clone(), -c)).collect())
    }

    pub(super) fn scale(&self, factor: &Term) -> Self {
        if factor.coefficient.is_zero() {
            return Self::default();
        }
        let terms = self.0.iter();
        Self(terms.map(|(m, c)| (m.multiply(&factor.monomial), c * &factor.coefficient)).collect())
    }

    /// Adds `factor · other`.
    pub(super) fn add_scaled(&mut self, factor: &Term, other: &Self) {
        for (monomial, coefficient) in &other.0 {
            self.insert(monomial.multiply(&factor.monomial), coefficient * &factor.coefficient);
        }
    }

    pub(super) fn multiply(&self, other: &Self) -> Self {
        let (few, many) = if self.len() < other.len() { (self, other) } else { (other, self) };
        let mut product = Self::default();
        for (monomial, coefficient) in &few.0 {
            let factor = Term { coefficient: coefficient.clone(), monomial: monomial.clone() };
            product.add_scaled(&factor, many);
        }
        product
    }

    /// As coefficient and monomial times a polynomial whose largest coefficient, in the order of
    /// monomials, is 1 and in which every generator has the least exponent 0. `None` for 0.
    pub(super) fn primitive(&self) -> Option<(Term, Self)> {
        let (_, leading) = self.0.last_key_value()?;
        let mut keys = self.0.keys();
        let first = keys.next()?.clone();
        // A generator that is absent somewhere has exponent 0 there.
        let monomial = keys.fold(first, |common, monomial| common.common(monomial));
        let inverse = Term { coefficient: leading.recip(), monomial: monomial.power(-1) };
        Some((Term { coefficient: leading.clone(), monomial }, self.scale(&inverse)))
    }

    /// The quotient, if it is a polynomial without negative exponents; both must be such.
    pub(super) fn divide_exactly(&self, divisor: &Self) -> Option<Self> {
        let (leading, coefficient) = divisor.0.last_key_value()?;
        let (least, _) = divisor.0.first_key_value()?;
        let inverse = leading.power(-1);
        // The least monomials divide, too, if the quotient is to be exact.
        let (own_least, _) = self.0.first_key_value()?;
        if !own_least.multiply(&least.power(-1)).is_polynomial() {
            return None;
        }
        let (mut rest, mut quotient) = (self.clone(), Self::default());
        while let Some((top, value)) = rest.0.last_key_value() {
            let monomial = top.multiply(&inverse);
            if !monomial.is_polynomial() || quotient.len() > self.len().saturating_mul(4) {
                return None;
            }
            let factor = Term { coefficient: value / coefficient, monomial };
            let negative =
                Term { coefficient: -&factor.coefficient, monomial: factor.monomial.clone() };
            rest.add_scaled(&negative, divisor);
            quotient.insert(factor.monomial, factor.coefficient);
        }
        Some(quotient)
    }

    /// As a polynomial in its latest generator: the coefficient of each power.
    pub(super) fn by_power_of_top(&self, generator: Generator) -> BTreeMap<i32, Self> {
        let mut parts: BTreeMap<i32, Self> = BTreeMap::new();
        for (monomial, coefficient) in &self.0 {
            let (exponent, rest) = monomial.split_top(generator);
            parts.entry(exponent).or_default().0.insert(rest, coefficient.clone());
        }
        parts
    }
}

impl From<Term> for Polynomial {
    fn from(term: Term) -> Self {
        let mut polynomial = Self::default();
        polynomial.insert(term.monomial, term.coefficient);
        polynomial
    }
}

/// Any total order: polynomials are looked up. (That of `BigRational` recurses.)
impl Ord for Polynomial {
    fn cmp(&self, other: &Self) -> Ordering {
        let key = |polynomial: &Self| polynomial.len();
        key(self).cmp(&key(other)).then_with(|| {
            for ((m, a), (n, b)) in self.0.iter().zip(&other.0) {
                let order = m
                    .cmp(n)
                    .then_with(|| a.numer().cmp(b.numer()))
                    .then_with(|| a.denom().cmp(b.denom()));
                if order != Ordering::Equal {
                    return order;
                }
            }
            Ordering::Equal
        })
    }
}

impl PartialOrd for Polynomial {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
