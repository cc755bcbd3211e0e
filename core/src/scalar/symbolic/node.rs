//! One operation of an expression.

use alloc::boxed::Box;

use num_bigint::BigInt;
use num_rational::BigRational;

/// The place of a node in its arena. Operands have smaller ones than the operation.
pub(super) type Id = usize;

/// An operation on operands in the same arena, or a leaf.
///
/// There is no subtraction (a − b is a + (−b)) and no negative power (a quotient is one division,
/// as in the program it came from).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Node {
    /// The result of an operation outside its domain.
    Undefined,
    /// Numerator and denominator, reduced, the latter positive. Not a `BigRational`, whose order
    /// recurses as deep as its continued fraction is long.
    Constant(BigInt, BigInt),
    Pi,
    Symbol(Box<str>),
    Add(Id, Id),
    Negate(Id),
    Multiply(Id, Id),
    Divide(Id, Id),
    /// The exponent is at least 2.
    Power(Id, u32),
    Sqrt(Id),
    /// The root of a sum of squares: the same value, but other scalars differentiate it otherwise.
    Norm(Id),
    /// 1 where the operand is ≥ 0, −1 elsewhere.
    Sign(Id),
    Exp(Id),
    Sin(Id),
    Cos(Id),
    Atan2 {
        sine: Id,
        cosine: Id,
    },
}

impl Node {
    pub(super) fn constant(value: BigRational) -> Self {
        let (numerator, denominator) = value.into();
        Self::Constant(numerator, denominator)
    }

    pub(super) fn into_constant(self) -> Option<BigRational> {
        match self {
            Self::Constant(numerator, denominator) => {
                Some(BigRational::new_raw(numerator, denominator))
            }
            _ => None,
        }
    }

    /// The operands, in order.
    pub(super) fn operands(&self) -> impl Iterator<Item = Id> + use<> {
        let (first, second) = match *self {
            Self::Undefined | Self::Constant(..) | Self::Pi | Self::Symbol(_) => (None, None),
            Self::Add(a, b) | Self::Multiply(a, b) | Self::Divide(a, b) => (Some(a), Some(b)),
            Self::Atan2 { sine, cosine } => (Some(sine), Some(cosine)),
            Self::Negate(a)
            | Self::Power(a, _)
            | Self::Sqrt(a)
            | Self::Norm(a)
            | Self::Sign(a)
            | Self::Exp(a)
            | Self::Sin(a)
            | Self::Cos(a) => (Some(a), None),
        };
        first.into_iter().chain(second)
    }
}
