//! How operations are built: exactly folded where they are constant, in one canonical order where
//! they commute.
//!
//! Every rule takes operations away and leaves the others as the program had them; only powers
//! may be multiplied up in another order. Collecting terms or expanding products is not done here.

use num_bigint::{BigInt, Sign};
use num_rational::BigRational;

use super::arena::{Arena, ONE, UNDEFINED, ZERO};
use super::node::{Id, Node};

impl Arena {
    pub(super) fn constant_of(&self, id: Id) -> Option<BigRational> {
        self.node(id).into_constant()
    }

    fn is_constant(&self, id: Id) -> bool {
        matches!(self.node(id), Node::Constant(..))
    }

    fn fold(&self, value: BigRational) -> Id {
        self.intern(Node::constant(value))
    }

    /// Whether the expression carries a minus sign, and what is left without.
    pub(super) fn split_sign(&self, id: Id) -> (bool, Id) {
        match self.node(id) {
            Node::Negate(a) => (true, a),
            Node::Constant(numerator, denominator) if numerator.sign() == Sign::Minus => {
                (true, self.intern(Node::Constant(-numerator, denominator)))
            }
            _ => (false, id),
        }
    }

    fn with_sign(&self, negative: bool, id: Id) -> Id {
        if negative { self.negate(id) } else { id }
    }

    pub(super) fn negate(&self, a: Id) -> Id {
        match self.node(a) {
            Node::Undefined => UNDEFINED,
            Node::Constant(numerator, denominator) => {
                self.intern(Node::Constant(-numerator, denominator))
            }
            Node::Negate(inner) => inner,
            _ => self.intern(Node::Negate(a)),
        }
    }

    pub(super) fn add(&self, a: Id, b: Id) -> Id {
        if a == UNDEFINED || b == UNDEFINED {
            return UNDEFINED;
        }
        if a == ZERO {
            return b;
        }
        if b == ZERO {
            return a;
        }
        if let (Some(a), Some(b)) = (self.constant_of(a), self.constant_of(b)) {
            return self.fold(a + b);
        }
        let ((a_negative, a_size), (b_negative, b_size)) = (self.split_sign(a), self.split_sign(b));
        if a_size == b_size && a_negative != b_negative {
            return ZERO;
        }
        // In the order people write: x + 1, 1 − x, x − 1, y − x.
        let rank = |negative, size| (negative, self.is_constant(size), size);
        if rank(a_negative, a_size) <= rank(b_negative, b_size) {
            self.intern(Node::Add(a, b))
        } else {
            self.intern(Node::Add(b, a))
        }
    }

    pub(super) fn multiply(&self, a: Id, b: Id) -> Id {
        if a == UNDEFINED || b == UNDEFINED {
            return UNDEFINED;
        }
        if a == ZERO || b == ZERO {
            return ZERO;
        }
        if let (Some(a), Some(b)) = (self.constant_of(a), self.constant_of(b)) {
            return self.fold(a * b);
        }
        let ((a_negative, a), (b_negative, b)) = (self.split_sign(a), self.split_sign(b));
        let product = self.multiply_unsigned(a, b);
        self.with_sign(a_negative != b_negative, product)
    }

    /// The product of two expressions without a minus sign, not both constant, neither 0.
    fn multiply_unsigned(&self, a: Id, b: Id) -> Id {
        if a == ONE {
            return b;
        }
        if b == ONE {
            return a;
        }
        let ((a_base, a_exponent), (b_base, b_exponent)) = (self.base(a), self.base(b));
        if a_base == b_base {
            if let Some(exponent) = a_exponent.checked_add(b_exponent) {
                return self.intern(Node::Power(a_base, exponent));
            }
        }
        // Constants first: 2 x.
        let rank = |id| (!self.is_constant(id), id);
        if rank(a) <= rank(b) {
            self.intern(Node::Multiply(a, b))
        } else {
            self.intern(Node::Multiply(b, a))
        }
    }

    fn base(&self, id: Id) -> (Id, u32) {
        match self.node(id) {
            Node::Power(base, exponent) => (base, exponent),
            _ => (id, 1),
        }
    }

    pub(super) fn divide(&self, a: Id, b: Id) -> Id {
        if a == UNDEFINED || b == UNDEFINED || b == ZERO {
            return UNDEFINED;
        }
        if a == ZERO {
            return ZERO;
        }
        if let (Some(a), Some(b)) = (self.constant_of(a), self.constant_of(b)) {
            return self.fold(a / b);
        }
        let ((a_negative, a), (b_negative, b)) = (self.split_sign(a), self.split_sign(b));
        let quotient = if b == ONE {
            a
        } else if a == b {
            ONE
        } else {
            self.intern(Node::Divide(a, b))
        };
        self.with_sign(a_negative != b_negative, quotient)
    }

    pub(super) fn sqrt(&self, a: Id) -> Id {
        self.root(a, Node::Sqrt(a))
    }

    pub(super) fn norm(&self, a: Id) -> Id {
        self.root(a, Node::Norm(a))
    }

    /// `root` is the root of `a`, if that is not the square of a rational.
    fn root(&self, a: Id, root: Node) -> Id {
        match self.node(a) {
            Node::Undefined => UNDEFINED,
            Node::Constant(numerator, denominator) => {
                if numerator.sign() == Sign::Minus {
                    return UNDEFINED;
                }
                match (exact_root(&numerator), exact_root(&denominator)) {
                    (Some(numerator), Some(denominator)) => {
                        self.intern(Node::Constant(numerator, denominator))
                    }
                    _ => self.intern(root),
                }
            }
            _ => self.intern(root),
        }
    }

    /// A constant has its own sign; those of exponentials, roots and even powers are known too.
    pub(super) fn sign(&self, a: Id) -> Id {
        match self.node(a) {
            Node::Undefined => UNDEFINED,
            Node::Constant(numerator, _) => {
                if numerator.sign() == Sign::Minus {
                    self.negate(ONE)
                } else {
                    ONE
                }
            }
            Node::Pi | Node::Sqrt(_) | Node::Norm(_) | Node::Exp(_) => ONE,
            Node::Power(_, exponent) if exponent % 2 == 0 => ONE,
            Node::Sign(_) => a,
            _ => self.intern(Node::Sign(a)),
        }
    }

    pub(super) fn exp(&self, a: Id) -> Id {
        match a {
            UNDEFINED => UNDEFINED,
            ZERO => ONE,
            _ => self.intern(Node::Exp(a)),
        }
    }

    pub(super) fn sin(&self, a: Id) -> Id {
        match a {
            UNDEFINED => UNDEFINED,
            ZERO => ZERO,
            _ => self.intern(Node::Sin(a)),
        }
    }

    pub(super) fn cos(&self, a: Id) -> Id {
        match a {
            UNDEFINED => UNDEFINED,
            ZERO => ONE,
            _ => self.intern(Node::Cos(a)),
        }
    }

    pub(super) fn atan2(&self, sine: Id, cosine: Id) -> Id {
        if sine == UNDEFINED || cosine == UNDEFINED {
            return UNDEFINED;
        }
        let signs = (self.constant_sign(sine), self.constant_sign(cosine));
        match signs {
            (Some(Sign::NoSign), Some(Sign::Minus)) => self.intern(Node::Pi),
            (Some(Sign::NoSign), Some(_)) => ZERO,
            (Some(sign), Some(Sign::NoSign)) => {
                let two = self.intern(Node::Constant(2.into(), 1.into()));
                let right_angle = self.divide(self.intern(Node::Pi), two);
                self.with_sign(sign == Sign::Minus, right_angle)
            }
            _ => self.intern(Node::Atan2 { sine, cosine }),
        }
    }

    pub(super) fn constant_sign(&self, id: Id) -> Option<Sign> {
        match self.node(id) {
            Node::Constant(numerator, _) => Some(numerator.sign()),
            _ => None,
        }
    }
}

/// The square root of a square; `None` for every other number.
fn exact_root(value: &BigInt) -> Option<BigInt> {
    if value.sign() == Sign::Minus {
        return None;
    }
    let root = value.sqrt();
    (&root * &root == *value).then_some(root)
}
