//! From formulas to polynomials: which generators there are, and what each of them stands for.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::rc::Rc;
use alloc::vec;
use alloc::vec::Vec;

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed, ToPrimitive, Zero};

use super::polynomial::{Generator, Monomial, Polynomial, Term};
use crate::scalar::symbolic::arena::Arena;
use crate::scalar::symbolic::node::{Id, Node};

/// What a generator stands for; always in terms of earlier generators.
#[derive(Clone, Debug)]
pub(super) enum Meaning {
    /// A symbol, π, an exponential, an angle, the cosine of something else: taken to be
    /// independent of everything earlier.
    Free,
    /// The root of `radicand`, which is equal to `expanded` and may be shorter.
    Root { radicand: Rc<Polynomial>, expanded: Rc<Polynomial> },
    /// A name for a sum.
    Name { definition: Rc<Polynomial> },
}

#[derive(Clone, Debug)]
struct Defined {
    meaning: Meaning,
    /// Whether the value cannot be negative.
    nonnegative: bool,
    /// On which independent generators it depends, itself included: a bit for each.
    depends: Vec<u64>,
    /// Its value where the independent generators have certain values: a guide, not a proof.
    sample: f64,
}

/// An angle whose sine and cosine are known.
#[derive(Clone, Debug)]
struct Angle {
    generator: Generator,
    sine: Rc<Polynomial>,
    cosine: Rc<Polynomial>,
    radius: Term,
}

/// A part of a formula that has no normal form: an undefined part, or one that is too large.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stuck;

/// The generators in use, each defined by earlier ones, and the normal forms of formulas in them.
#[derive(Debug)]
pub(super) struct Tower<'a> {
    arena: &'a Arena,
    positive: Vec<Box<str>>,
    generators: Vec<Defined>,
    forms: BTreeMap<Id, Rc<Polynomial>>,
    symbols: BTreeMap<Box<str>, Generator>,
    pi: Option<Generator>,
    names: BTreeMap<Polynomial, Generator>,
    roots: BTreeMap<Polynomial, Generator>,
    exponentials: BTreeMap<Polynomial, Generator>,
    circular: BTreeMap<Polynomial, (Generator, Generator)>,
    angles: Vec<Angle>,
    divisors: BTreeMap<Polynomial, Term>,
    /// The largest number of terms that a polynomial may have.
    limit: usize,
}

impl<'a> Tower<'a> {
    pub(super) fn new(arena: &'a Arena, limit: usize) -> Self {
        Self {
            arena,
            positive: Vec::new(),
            generators: Vec::new(),
            forms: BTreeMap::new(),
            symbols: BTreeMap::new(),
            pi: None,
            names: BTreeMap::new(),
            roots: BTreeMap::new(),
            exponentials: BTreeMap::new(),
            circular: BTreeMap::new(),
            angles: Vec::new(),
            divisors: BTreeMap::new(),
            limit,
        }
    }

    pub(super) fn assume_positive(&mut self, name: &str) {
        self.positive.push(name.into());
    }

    pub(super) fn generator_count(&self) -> usize {
        self.generators.len()
    }

    pub(super) fn meaning(&self, generator: Generator) -> Meaning {
        self.generators.get(generator).map_or(Meaning::Free, |defined| defined.meaning.clone())
    }

    fn push(&mut self, meaning: Meaning, nonnegative: bool) -> Generator {
        let place = self.generators.len();
        let (depends, sample) = match &meaning {
            Meaning::Free => {
                let mut depends = vec![0; place / 64 + 1];
                if let Some(last) = depends.last_mut() {
                    *last = 1 << (place % 64);
                }
                let spread = scattered(place);
                let negative = !nonnegative && place % 3 == 0;
                (depends, if negative { -spread } else { spread })
            }
            Meaning::Root { radicand, .. } => {
                let (depends, square) = self.sample(radicand);
                (depends, libm::sqrt(square))
            }
            Meaning::Name { definition } => self.sample(definition),
        };
        self.generators.push(Defined { meaning, nonnegative, depends, sample });
        place
    }

    /// On what the polynomial depends, and its value at the sample point.
    fn sample(&self, polynomial: &Polynomial) -> (Vec<u64>, f64) {
        let (mut depends, mut sum) = (Vec::new(), 0.0);
        for (monomial, coefficient) in polynomial.terms() {
            let (of_term, value) = self.sample_term(monomial, coefficient);
            unite(&mut depends, &of_term);
            sum += value;
        }
        (depends, sum)
    }

    fn sample_term(&self, monomial: &Monomial, coefficient: &BigRational) -> (Vec<u64>, f64) {
        let mut depends = Vec::new();
        let mut value = coefficient.to_f64().unwrap_or(f64::NAN);
        for (generator, exponent) in monomial.factors() {
            if let Some(defined) = self.generators.get(generator) {
                unite(&mut depends, &defined.depends);
                value *= integer_power(defined.sample, exponent);
            }
        }
        (depends, value)
    }

    /// Two parts of a polynomial, one of which does not depend on an independent generator that
    /// the other depends on, if both of them seem to vanish.
    pub(super) fn split(&self, polynomial: &Polynomial) -> Option<(Polynomial, Polynomial)> {
        let samples: Vec<(Vec<u64>, f64)> =
            polynomial.terms().map(|(m, c)| self.sample_term(m, c)).collect();
        // On which some terms depend, but not all.
        let mut candidates = Vec::new();
        samples.iter().for_each(|(depends, _)| unite(&mut candidates, depends));
        for (word, bits) in candidates.iter_mut().enumerate() {
            let shared = samples.iter().fold(u64::MAX, |shared, (depends, _)| {
                shared & depends.get(word).copied().unwrap_or(0)
            });
            *bits &= !shared;
        }
        for generator in (0..self.generators.len()).rev() {
            let (word, bit) = (generator / 64, 1_u64 << (generator % 64));
            let chosen = |depends: &[u64]| depends.get(word).is_some_and(|bits| bits & bit != 0);
            if candidates.get(word).is_none_or(|bits| bits & bit == 0) {
                continue;
            }
            let (mut sums, mut sizes) = ([0.0; 2], [0.0; 2]);
            for (depends, value) in &samples {
                let part = usize::from(chosen(depends));
                if let (Some(sum), Some(size)) = (sums.get_mut(part), sizes.get_mut(part)) {
                    *sum += value;
                    *size += libm::fabs(*value);
                }
            }
            if sums.iter().zip(sizes).all(|(sum, size)| libm::fabs(*sum) <= NEGLIGIBLE * size) {
                let is_chosen =
                    |index: usize| samples.get(index).is_some_and(|(depends, _)| chosen(depends));
                return Some(polynomial.partition(is_chosen));
            }
        }
        None
    }

    fn generator_is_nonnegative(&self, generator: Generator) -> bool {
        self.generators.get(generator).is_some_and(|defined| defined.nonnegative)
    }

    fn monomial_is_nonnegative(&self, monomial: &Monomial) -> bool {
        monomial.factors().all(|(generator, exponent)| {
            exponent % 2 == 0 || self.generator_is_nonnegative(generator)
        })
    }

    fn is_nonnegative(&self, polynomial: &Polynomial) -> bool {
        polynomial.terms().all(|(monomial, coefficient)| {
            coefficient.is_positive() && self.monomial_is_nonnegative(monomial)
        })
    }

    /// The formula as a polynomial in the generators. Sums that are factors are named, not
    /// multiplied out.
    pub(super) fn form(&mut self, root: Id) -> Result<Rc<Polynomial>, Stuck> {
        let arena = self.arena;
        for id in arena.reachable(root) {
            if self.forms.contains_key(&id) {
                continue;
            }
            let form = self.form_of_node(&arena.node(id))?;
            self.check(&form)?;
            self.forms.insert(id, Rc::new(form));
        }
        self.known(root)
    }

    /// `base` to a power, from a list of the lower ones.
    pub(super) fn power<'p>(
        &self,
        powers: &'p mut Vec<Polynomial>,
        base: &Polynomial,
        exponent: i32,
    ) -> Result<&'p Polynomial, Stuck> {
        let exponent = usize::try_from(exponent).map_err(|_| Stuck)?;
        while powers.len() <= exponent {
            let next = match powers.last() {
                Some(last) => last.multiply(base),
                None => Term::one().into(),
            };
            self.check(&next)?;
            powers.push(next);
        }
        powers.get(exponent).ok_or(Stuck)
    }

    /// Neither too long nor with too large exponents.
    pub(super) fn check(&self, polynomial: &Polynomial) -> Result<(), Stuck> {
        if polynomial.len() <= self.limit && polynomial.is_tame() { Ok(()) } else { Err(Stuck) }
    }

    /// Refuses what seems to be 0 everywhere: nothing can be said about 1/0, sign 0 or the angle
    /// of the origin.
    fn check_not_zero(&self, polynomial: &Polynomial) -> Result<(), Stuck> {
        let (mut sum, mut size) = (0.0, 0.0);
        for (monomial, coefficient) in polynomial.terms() {
            let (_, value) = self.sample_term(monomial, coefficient);
            sum += value;
            size += libm::fabs(value);
        }
        if libm::fabs(sum) <= NEGLIGIBLE * size { Err(Stuck) } else { Ok(()) }
    }

    fn known(&self, id: Id) -> Result<Rc<Polynomial>, Stuck> {
        self.forms.get(&id).cloned().ok_or(Stuck)
    }

    fn form_of_node(&mut self, node: &Node) -> Result<Polynomial, Stuck> {
        Ok(match *node {
            Node::Undefined => return Err(Stuck),
            Node::Constant(ref numerator, ref denominator) => {
                Polynomial::constant(BigRational::new_raw(numerator.clone(), denominator.clone()))
            }
            Node::Pi => {
                let generator = match self.pi {
                    Some(generator) => generator,
                    None => self.push(Meaning::Free, true),
                };
                self.pi = Some(generator);
                Term::of(generator, 1).into()
            }
            Node::Symbol(ref name) => Term::of(self.symbol(name), 1).into(),
            Node::Add(a, b) => self.known(a)?.add(&*self.known(b)?),
            Node::Negate(a) => self.known(a)?.negate(),
            Node::Multiply(a, b) => {
                let (a, b) = (self.known(a)?, self.known(b)?);
                match (a.as_constant(), b.as_constant()) {
                    (Some(c), _) => b.scale(&Term { coefficient: c, ..Term::one() }),
                    (_, Some(c)) => a.scale(&Term { coefficient: c, ..Term::one() }),
                    _ => self.named(&a)?.multiply(&self.named(&b)?).into(),
                }
            }
            Node::Divide(a, b) => {
                let (a, b) = (self.known(a)?, self.known(b)?);
                let divisor = self.divisor(&b)?;
                match divisor.monomial.is_one() || a.is_zero() {
                    true => a.scale(&divisor.power(-1)),
                    false => self.named(&a)?.multiply(&divisor.power(-1)).into(),
                }
            }
            Node::Power(a, exponent) => {
                let exponent = i32::try_from(exponent).ok().filter(|&n| n < 1000).ok_or(Stuck)?;
                let a = self.known(a)?;
                if a.is_zero() {
                    Polynomial::default()
                } else {
                    self.named(&a)?.power(exponent).into()
                }
            }
            Node::Sqrt(a) | Node::Norm(a) => {
                let a = self.known(a)?;
                self.root(&a)?
            }
            Node::Sign(a) => {
                let a = self.known(a)?;
                self.sign(&a)?
            }
            Node::Exp(a) => self.exponential(a)?,
            Node::Sin(a) => self.sine_and_cosine(a)?.0,
            Node::Cos(a) => self.sine_and_cosine(a)?.1,
            Node::Atan2 { sine, cosine } => {
                let (sine, cosine) = (self.known(sine)?, self.known(cosine)?);
                if sine.is_zero() && self.is_nonnegative(&cosine) {
                    return Ok(Polynomial::default());
                }
                let angle = self.angle(sine, cosine)?;
                Term::of(angle, 1).into()
            }
        })
    }

    fn symbol(&mut self, name: &str) -> Generator {
        if let Some(&generator) = self.symbols.get(name) {
            return generator;
        }
        let positive = self.positive.iter().any(|known| **known == *name);
        let generator = self.push(Meaning::Free, positive);
        self.symbols.insert(name.into(), generator);
        generator
    }

    /// The polynomial as a single term, with a name for the sum in it. It must not be 0.
    fn named(&mut self, polynomial: &Polynomial) -> Result<Term, Stuck> {
        if let Some(term) = polynomial.as_term() {
            return Ok(term);
        }
        let Some((factor, sum)) = polynomial.primitive() else {
            return Ok(Term { coefficient: BigRational::zero(), ..Term::one() });
        };
        let name = match self.names.get(&sum) {
            Some(&name) => name,
            None => {
                let nonnegative = self.is_nonnegative(&sum);
                let definition = Rc::new(sum.clone());
                let name = self.push(Meaning::Name { definition }, nonnegative);
                self.names.insert(sum, name);
                name
            }
        };
        Ok(factor.multiply(&Term::of(name, 1)))
    }

    /// The same for a divisor, in terms of roots that are already known if possible.
    fn divisor(&mut self, polynomial: &Polynomial) -> Result<Term, Stuck> {
        self.check_not_zero(polynomial)?;
        if let Some(term) = polynomial.as_term() {
            return Ok(term);
        }
        if let Some(term) = self.divisors.get(polynomial) {
            return Ok(term.clone());
        }
        let (factor, rest) = self.factored(polynomial)?;
        let term = if rest.as_constant().is_some() { factor } else { self.named(polynomial)? };
        self.divisors.insert(polynomial.clone(), term.clone());
        Ok(term)
    }

    /// Every name replaced by what it stands for, and the square of every root by its radicand,
    /// as far as exponents are positive.
    pub(super) fn expanded(&self, polynomial: &Polynomial) -> Result<Polynomial, Stuck> {
        let mut current = polynomial.clone();
        for bound in (0..self.generators.len()).rev() {
            let (replacement, step) = match self.generators.get(bound).map(|d| &d.meaning) {
                Some(Meaning::Root { expanded, .. }) => (expanded, 2),
                Some(Meaning::Name { definition }) => (definition, 1),
                _ => continue,
            };
            // Only a term has negative powers.
            let as_term = replacement.as_term();
            let times = |exponent: i32| match as_term {
                Some(_) => exponent.div_euclid(step),
                None => exponent.max(0) / step,
            };
            let replaceable = |(g, e): (Generator, i32)| g == bound && times(e) != 0;
            if !current.terms().any(|(monomial, _)| monomial.factors().any(replaceable)) {
                continue;
            }
            let mut next = Polynomial::default();
            let mut powers = Vec::new();
            for (monomial, coefficient) in current.terms() {
                let times = times(monomial.exponent(bound));
                let factor = Term {
                    coefficient: coefficient.clone(),
                    monomial: monomial.multiply(&Monomial::of(bound, -(times * step))),
                };
                match &as_term {
                    Some(term) => next.add_scaled(&factor, &term.power(times).into()),
                    None => next.add_scaled(&factor, self.power(&mut powers, replacement, times)?),
                }
                if next.len() > self.limit {
                    return Err(Stuck);
                }
            }
            self.check(&next)?;
            current = next;
        }
        Ok(current)
    }

    /// The polynomial, expanded, as a term times a rest that no known radicand divides.
    fn factored(&self, polynomial: &Polynomial) -> Result<(Term, Polynomial), Stuck> {
        let (mut factor, mut rest) = (Term::one(), polynomial.clone());
        loop {
            let expanded = self.expanded(&rest)?;
            let Some((content, primitive)) = expanded.primitive() else {
                return Ok((Term { coefficient: BigRational::zero(), ..Term::one() }, expanded));
            };
            // What was divided out can leave positive powers of a name.
            let done = primitive == rest || content.monomial.is_one();
            factor = factor.multiply(&content);
            rest = primitive;
            if done {
                break;
            }
        }
        for (radicand, &root) in &self.roots {
            if radicand.len() < 2 {
                continue;
            }
            while let Some(quotient) = rest.divide_exactly(radicand) {
                rest = quotient;
                factor = factor.multiply(&Term::of(root, 2));
            }
        }
        if let Some(constant) = rest.as_constant() {
            factor.coefficient *= constant;
            rest = Polynomial::from(Term::one());
        }
        Ok((factor, rest))
    }

    /// √polynomial.
    fn root(&mut self, polynomial: &Polynomial) -> Result<Polynomial, Stuck> {
        let (factor, mut rest) = self.factored(polynomial)?;
        if factor.coefficient.is_zero() {
            return Ok(Polynomial::default());
        }
        self.check_not_zero(polynomial)?;
        let mut outside = Term::one();
        for (generator, exponent) in factor.monomial.factors() {
            let half = exponent.div_euclid(2);
            outside = outside.multiply(&self.absolute(generator)?.power(half));
            if exponent % 2 == 0 {
                continue;
            }
            if self.generator_is_nonnegative(generator) {
                let root = self.root_generator(Term::of(generator, 1).into());
                outside = outside.multiply(&Term::of(root, 1));
            } else {
                rest = rest.scale(&Term::of(generator, 1));
            }
        }
        // √(n/d) = √(n d)/d, and n d is taken apart.
        let (numerator, denominator) = factor.coefficient.into();
        outside.coefficient /= BigRational::from(denominator.clone());
        let product = numerator * denominator;
        if product.is_negative() {
            rest = rest.negate();
        }
        for (prime, exponent) in prime_powers(product.magnitude().clone().into()) {
            outside.coefficient *= BigRational::from(prime.pow(exponent / 2));
            if exponent % 2 == 1 {
                let root = self.root_generator(Polynomial::constant(prime.into()));
                outside = outside.multiply(&Term::of(root, 1));
            }
        }
        match rest.as_constant() {
            Some(constant) if constant.is_one() => return Ok(outside.into()),
            Some(_) => return Err(Stuck),
            None => {}
        }
        let root = self.root_generator(rest);
        Ok(outside.multiply(&Term::of(root, 1)).into())
    }

    fn root_generator(&mut self, radicand: Polynomial) -> Generator {
        if let Some(&root) = self.roots.get(&radicand) {
            return root;
        }
        let shared = Rc::new(radicand.clone());
        let meaning = Meaning::Root { radicand: shared.clone(), expanded: shared };
        let root = self.push(meaning, true);
        self.roots.insert(radicand, root);
        root
    }

    /// |generator|, the root of its square unless its sign is known.
    fn absolute(&mut self, generator: Generator) -> Result<Term, Stuck> {
        if self.generator_is_nonnegative(generator) {
            return Ok(Term::of(generator, 1));
        }
        Ok(Term::of(self.root_generator(Term::of(generator, 2).into()), 1))
    }

    /// The sign, as |x|/x.
    fn sign(&mut self, polynomial: &Polynomial) -> Result<Polynomial, Stuck> {
        if self.is_nonnegative(polynomial) {
            return Ok(Term::one().into());
        }
        self.check_not_zero(polynomial)?;
        let term = self.named(polynomial)?;
        let coefficient = term.coefficient.signum();
        let mut sign = Term { coefficient, ..Term::one() };
        for (generator, exponent) in term.monomial.factors() {
            if exponent % 2 != 0 && !self.generator_is_nonnegative(generator) {
                let size = self.absolute(generator)?;
                sign = sign.multiply(&size).multiply(&Term::of(generator, -1));
            }
        }
        Ok(sign.into())
    }

    /// eˣ, as a product of the exponentials of the summands of x, as the formula has them.
    fn exponential(&mut self, argument: Id) -> Result<Polynomial, Stuck> {
        let mut product = Term::one();
        let mut pending = vec![(argument, 1)];
        while let Some((id, sign)) = pending.pop() {
            match self.arena.node(id) {
                Node::Add(a, b) => pending.extend([(a, sign), (b, sign)]),
                Node::Negate(a) => pending.push((a, -sign)),
                _ => {
                    let form = self.known(id)?;
                    product = product.multiply(&self.exponential_of(&form)?.power(sign));
                }
            }
        }
        Ok(product.into())
    }

    fn exponential_of(&mut self, form: &Polynomial) -> Result<Term, Stuck> {
        let Some((factor, mut key)) = self.expanded(form)?.primitive() else {
            return Ok(Term::one());
        };
        let (numerator, denominator) = factor.coefficient.into();
        let exponent = numerator.to_i32().filter(|n| n.unsigned_abs() < 1000).ok_or(Stuck)?;
        let coefficient = BigRational::new(BigInt::one(), denominator);
        key = key.scale(&Term { coefficient, monomial: factor.monomial });
        let generator = match self.exponentials.get(&key) {
            Some(&generator) => generator,
            None => {
                let generator = self.push(Meaning::Free, true);
                self.exponentials.insert(key, generator);
                generator
            }
        };
        Ok(Term::of(generator, exponent))
    }

    /// The generator of the angle with this sine and cosine, up to a common factor.
    fn angle(&mut self, sine: Rc<Polynomial>, cosine: Rc<Polynomial>) -> Result<Generator, Stuck> {
        for known in self.angles.clone() {
            let cross = known.sine.multiply(&cosine).add(&known.cosine.multiply(&sine).negate());
            if (known.sine == sine && known.cosine == cosine)
                || (self.expanded(&cross)?.is_zero() && self.same_side(&known, &sine, &cosine)?)
            {
                return Ok(known.generator);
            }
        }
        let square = sine.multiply(&sine).add(&cosine.multiply(&cosine));
        let radius = self.root(&square)?.as_term().ok_or(Stuck)?;
        self.shorten_radicand(&sine, &cosine, &radius);
        let nonnegative = self.is_nonnegative(&sine);
        let generator = self.push(Meaning::Free, nonnegative);
        self.angles.push(Angle { generator, sine, cosine, radius });
        Ok(generator)
    }

    /// Whether two parallel directions are the same: both are on the upper side of the cosine axis,
    /// or their inner product is not negative.
    fn same_side(
        &self,
        known: &Angle,
        sine: &Polynomial,
        cosine: &Polynomial,
    ) -> Result<bool, Stuck> {
        if !sine.is_zero() && self.is_nonnegative(&known.sine) && self.is_nonnegative(sine) {
            return Ok(true);
        }
        let inner = known.sine.multiply(sine).add(&known.cosine.multiply(cosine));
        Ok(self.is_nonnegative(&self.expanded(&inner)?))
    }

    /// If the sine is a multiple of a root, `factor · √q`, then q is the square of the radius
    /// less that of the cosine, over that of the factor: few terms, where Lagrange's identity
    /// holds.
    fn shorten_radicand(&mut self, sine: &Polynomial, cosine: &Polynomial, radius: &Term) {
        let Some(term) = sine.as_term() else { return };
        let Some((root, 1)) = term.monomial.factors().next() else { return };
        let factor = term.multiply(&Term::of(root, -1)).power(-2);
        let difference = Polynomial::from(radius.power(2)).add(&cosine.multiply(cosine).negate());
        let shorter = difference.scale(&factor);
        let earlier = shorter.top().is_none_or(|top| top < root);
        if let Some(Defined { meaning: Meaning::Root { radicand, .. }, .. }) =
            self.generators.get_mut(root)
        {
            if earlier && shorter.len() < radicand.len() {
                *radicand = Rc::new(shorter);
            }
        }
    }

    fn sine_and_cosine(&mut self, argument: Id) -> Result<(Polynomial, Polynomial), Stuck> {
        let form = self.known(argument)?;
        if form.is_zero() {
            return Ok((Polynomial::default(), Term::one().into()));
        }
        let generator = form.as_term().filter(|term| term.coefficient.is_one()).and_then(|term| {
            term.monomial.factors().next().filter(|_| term.monomial.factors().count() == 1)
        });
        let angle = self.angles.iter().find(|angle| generator == Some((angle.generator, 1)));
        if let Some(angle) = angle {
            let inverse = angle.radius.power(-1);
            return Ok((angle.sine.scale(&inverse), angle.cosine.scale(&inverse)));
        }
        // Any other argument: two new generators on the unit circle.
        let (sine, cosine) = match self.circular.get(&*form) {
            Some(&pair) => pair,
            None => {
                let cosine = self.push(Meaning::Free, false);
                let minus = Term { coefficient: -BigRational::one(), ..Term::of(cosine, 2) };
                let square = Rc::new(Polynomial::from(Term::one()).add(&minus.into()));
                let meaning = Meaning::Root { radicand: square.clone(), expanded: square };
                let sine = self.push(meaning, false);
                self.circular.insert((*form).clone(), (sine, cosine));
                (sine, cosine)
            }
        };
        Ok((Term::of(sine, 1).into(), Term::of(cosine, 1).into()))
    }
}

/// A positive number as a product of powers: of small primes, and of what is left.
fn prime_powers(mut number: BigInt) -> Vec<(BigInt, u32)> {
    let mut powers = Vec::new();
    for candidate in 2_u32..1000 {
        let mut exponent = 0;
        while (&number % candidate).is_zero() {
            number /= candidate;
            exponent += 1;
        }
        if exponent > 0 {
            powers.push((BigInt::from(candidate), exponent));
        }
    }
    if !number.is_one() {
        let root = number.sqrt();
        let is_square = &root * &root == number;
        powers.push(if is_square { (root, 2) } else { (number, 1) });
    }
    powers
}

/// xⁿ by squaring.
fn integer_power(x: f64, exponent: i32) -> f64 {
    let (mut result, mut factor, mut rest) = (1.0, x, exponent.unsigned_abs());
    while rest > 0 {
        if rest & 1 == 1 {
            result *= factor;
        }
        factor *= factor;
        rest >>= 1;
    }
    if exponent < 0 { 1.0 / result } else { result }
}

/// A number in \[½, 3/2) for each place, mixed so that no short sum of them is 0 (multiples of one
/// irrational number would be: x₁ + x₄ = x₂ + x₃).
fn scattered(place: usize) -> f64 {
    let mut bits = (place as u64).wrapping_add(1);
    for multiplier in [0x9e37_79b9_7f4a_7c15, 0xd6e8_feb8_6659_fd93] {
        bits = bits.wrapping_mul(multiplier);
        bits ^= bits >> 32;
    }
    0.5 + bits as f64 / u64::MAX as f64
}

/// A sum this small against its terms seems to vanish.
const NEGLIGIBLE: f64 = 1e-10;

/// Adds the bits of `more` to `all`.
fn unite(all: &mut Vec<u64>, more: &[u64]) {
    if all.len() < more.len() {
        all.resize(more.len(), 0);
    }
    for (bits, &others) in all.iter_mut().zip(more) {
        *bits |= others;
    }
}
