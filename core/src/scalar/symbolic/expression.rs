//! A handle on an expression, and what makes it a scalar.

use core::fmt;
use core::ops::{Add, Div, Mul, Neg, Sub};
use core::ptr;

use num_rational::BigRational;

use super::arena::{Arena, ONE, UNDEFINED, ZERO};
use super::node::Id;
use crate::scalar::Scalar;

/// A formula: a handle into the [`Arena`] it lives in.
///
/// Two are equal if they are the same node of the same arena, which means that they were built
/// by the same operations up to order and [simplification](super#what-an-expression-means); two
/// formulas of the same value need not be equal. *Undefined* equals itself.
///
/// If the operands of an operation live in different arenas, the result lives in that of the
/// first, and the other is copied there.
#[derive(Clone, Copy)]
pub struct Expr<'a> {
    arena: &'a Arena,
    id: Id,
}

impl<'a> Expr<'a> {
    pub(super) fn new(arena: &'a Arena, id: Id) -> Self {
        Self { arena, id }
    }

    pub(super) fn id(self) -> Id {
        self.id
    }

    /// The arena it lives in.
    #[must_use]
    pub fn arena(self) -> &'a Arena {
        self.arena
    }

    /// Whether an operation outside its domain is part of it.
    #[must_use]
    pub fn is_undefined(self) -> bool {
        self.id == UNDEFINED
    }

    /// The value, if it is a rational constant.
    #[must_use]
    pub fn as_constant(self) -> Option<BigRational> {
        self.arena.constant_of(self.id)
    }

    /// How many distinct expressions it is made of, itself included: the number of operations of
    /// a program that computes it, plus its symbols and constants.
    #[must_use]
    pub fn node_count(self) -> usize {
        self.arena.reachable(self.id).len()
    }

    /// xⁿ as repeated [`square`](Scalar::square) and product, 1 for n = 0.
    #[must_use]
    pub fn power(self, exponent: u32) -> Self {
        super::evaluate::power(self, exponent)
    }

    fn here(self, other: Self) -> Id {
        if ptr::eq(self.arena, other.arena) {
            return other.id;
        }
        let copy = other.evaluate(self, |name| Some(self.arena.symbol(name)));
        copy.map_or(UNDEFINED, |copy| copy.id)
    }

    fn with(self, id: Id) -> Self {
        Self { id, ..self }
    }
}

impl PartialEq for Expr<'_> {
    fn eq(&self, other: &Self) -> bool {
        ptr::eq(self.arena, other.arena) && self.id == other.id
    }
}

impl Eq for Expr<'_> {}

/// The formula [with its sharing](Expr::with_sharing), which is short however often a part recurs.
impl fmt::Debug for Expr<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Expr({})", self.with_sharing())
    }
}

impl Add for Expr<'_> {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        self.with(self.arena.add(self.id, self.here(other)))
    }
}

impl Sub for Expr<'_> {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        self.with(self.arena.add(self.id, self.arena.negate(self.here(other))))
    }
}

impl Mul for Expr<'_> {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        self.with(self.arena.multiply(self.id, self.here(other)))
    }
}

/// Division by the constant 0 is undefined.
impl Div for Expr<'_> {
    type Output = Self;

    fn div(self, other: Self) -> Self {
        self.with(self.arena.divide(self.id, self.here(other)))
    }
}

impl Neg for Expr<'_> {
    type Output = Self;

    fn neg(self) -> Self {
        self.with(self.arena.negate(self.id))
    }
}

/// Every operation is recorded; stable forms are recorded as what they stand for.
impl Scalar for Expr<'_> {
    /// Exactly `value`, a fraction whose denominator is a power of 2; undefined if it is not
    /// finite.
    fn lift(self, value: f64) -> Self {
        match BigRational::from_float(value) {
            Some(value) => self.with(self.arena.constant(value).id),
            None => self.with(UNDEFINED),
        }
    }

    fn rational(self, numerator: i64, denominator: i64) -> Self {
        self.with(self.arena.rational(numerator, denominator).id)
    }

    fn zero(self) -> Self {
        self.with(ZERO)
    }

    fn one(self) -> Self {
        self.with(ONE)
    }

    fn pi(self) -> Self {
        self.with(self.arena.pi().id)
    }

    /// Whether it is the constant 0: what is 0 for deeper reasons (cos²x + sin²x − 1) is not found
    /// out.
    fn is_zero(self) -> bool {
        self.id == ZERO
    }

    fn sign(self) -> Self {
        self.with(self.arena.sign(self.id))
    }

    /// The expression itself: the even function that is asked for it has the same value.
    fn fold(self) -> Self {
        self
    }

    fn sqrt(self) -> Self {
        self.with(self.arena.sqrt(self.id))
    }

    /// The same formula as [`sqrt`](Self::sqrt), remembered as a norm: evaluated in another
    /// scalar it is that scalar's norm.
    fn norm(self) -> Self {
        self.with(self.arena.norm(self.id))
    }

    fn exp(self) -> Self {
        self.with(self.arena.exp(self.id))
    }

    fn sin(self) -> Self {
        self.with(self.arena.sin(self.id))
    }

    fn cos(self) -> Self {
        self.with(self.arena.cos(self.id))
    }

    fn atan2(self, cosine: Self) -> Self {
        self.with(self.arena.atan2(self.id, self.here(cosine)))
    }

    fn one_minus_cos(self) -> Self {
        self.one() - self.cos()
    }

    fn sin_minus_angle_cos(self) -> Self {
        self.sin() - self * self.cos()
    }
}
