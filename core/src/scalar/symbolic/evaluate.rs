//! The value of an expression in any other scalar.

use alloc::vec;

use num_bigint::{BigInt, BigUint, Sign};
use num_traits::ToPrimitive;

use super::arena::{Arena, ONE};
use super::expression::Expr;
use super::node::{Id, Node};
use crate::scalar::Scalar;

impl Expr<'_> {
    /// The value in another scalar, given those of the symbols; each shared part is computed once.
    ///
    /// `None` if a symbol has no value or the expression is undefined. Constants are converted
    /// so that an enclosure contains them and a float is off by a few roundings. 1 − cos x and
    /// sin x − x cos x are computed by the scalar's own stable form.
    ///
    /// With expressions as the other scalar this is substitution.
    ///
    /// ```
    /// use popgd_core::scalar::Scalar;
    /// use popgd_core::scalar::symbolic::Arena;
    ///
    /// let arena = Arena::new();
    /// let (x, y) = (arena.symbol("x"), arena.symbol("y"));
    /// let formula = x.square() + x.exp();
    /// assert_eq!(formula.evaluate(1.0, |name| (name == "x").then_some(0.0)), Some(1.0));
    /// assert_eq!(formula.evaluate(1.0, |_| None), None);
    ///
    /// let substituted = formula.evaluate(x, |_| Some(y + y.one()));
    /// assert_eq!(substituted.unwrap().to_string(), "(y + 1)^2 + exp(y + 1)");
    /// ```
    pub fn evaluate<T: Scalar>(
        self,
        context: T,
        mut symbols: impl FnMut(&str) -> Option<T>,
    ) -> Option<T> {
        let arena = self.arena();
        let mut values = vec![None::<T>; self.id() + 1];
        for id in arena.reachable(self.id()) {
            let value = |id: Id| values.get(id).copied().flatten();
            let result = match arena.node(id) {
                Node::Undefined => return None,
                Node::Constant(numerator, denominator) => {
                    constant(context, &numerator, &denominator)
                }
                Node::Pi => context.pi(),
                Node::Symbol(name) => symbols(&name)?,
                Node::Add(a, b) => match stable_form(arena, a, b) {
                    Some(StableForm::OneMinusCos(x)) => value(x)?.one_minus_cos(),
                    Some(StableForm::SinMinusAngleCos(x)) => value(x)?.sin_minus_angle_cos(),
                    None => match arena.node(b) {
                        Node::Negate(b) => value(a)? - value(b)?,
                        _ => value(a)? + value(b)?,
                    },
                },
                Node::Negate(a) => -value(a)?,
                Node::Multiply(a, b) => value(a)? * value(b)?,
                Node::Divide(a, b) => value(a)? / value(b)?,
                Node::Power(a, exponent) => power(value(a)?, exponent),
                Node::Sqrt(a) => value(a)?.sqrt(),
                Node::Norm(a) => value(a)?.norm(),
                Node::Sign(a) => value(a)?.sign(),
                Node::Exp(a) => value(a)?.exp(),
                Node::Sin(a) => value(a)?.sin(),
                Node::Cos(a) => value(a)?.cos(),
                Node::Atan2 { sine, cosine } => value(sine)?.atan2(value(cosine)?),
            };
            if let Some(value) = values.get_mut(id) {
                *value = Some(result);
            }
        }
        values.last().copied().flatten()
    }
}

/// A sum that cancels, for which every scalar has a better way; with its argument.
enum StableForm {
    OneMinusCos(Id),
    SinMinusAngleCos(Id),
}

fn stable_form(arena: &Arena, a: Id, b: Id) -> Option<StableForm> {
    let Node::Negate(subtracted) = arena.node(b) else {
        return None;
    };
    match (arena.node(a), arena.node(subtracted)) {
        (_, Node::Cos(x)) if a == ONE => Some(StableForm::OneMinusCos(x)),
        (Node::Sin(x), Node::Multiply(c, d)) => {
            let is_cosine = |id| arena.node(id) == Node::Cos(x);
            let matches = (c == x && is_cosine(d)) || (d == x && is_cosine(c));
            matches.then_some(StableForm::SinMinusAngleCos(x))
        }
        _ => None,
    }
}

/// xⁿ by squaring.
pub(super) fn power<T: Scalar>(base: T, exponent: u32) -> T {
    let mut result: Option<T> = None;
    let mut factor = base;
    let mut rest = exponent;
    while rest > 0 {
        if rest & 1 == 1 {
            result = Some(result.map_or(factor, |result| result * factor));
        }
        rest >>= 1;
        if rest > 0 {
            factor = factor.square();
        }
    }
    result.unwrap_or_else(|| base.one())
}

/// How many values a digit of a big number has.
const BASE: i64 = 1 << 32;

fn constant<T: Scalar>(context: T, numerator: &BigInt, denominator: &BigInt) -> T {
    if let (Some(numerator), Some(denominator)) = (numerator.to_i64(), denominator.to_i64()) {
        return context.rational(numerator, denominator);
    }
    // Both are brought to [1, BASE) first, and the powers of the base put back at the end: nothing
    // overflows on the way.
    let (mut value, numerator_digits) = leading(context, numerator.magnitude());
    let (divisor, denominator_digits) = leading(context, denominator.magnitude());
    value = value / divisor;
    for _ in denominator_digits..numerator_digits {
        value = value * context.integer(BASE);
    }
    for _ in numerator_digits..denominator_digits {
        value = value * context.rational(1, BASE);
    }
    if numerator.sign() == Sign::Minus { -value } else { value }
}

/// `number / BASE^(digits − 1)`, and the number of digits.
fn leading<T: Scalar>(context: T, number: &BigUint) -> (T, usize) {
    let (unit, mut count) = (context.rational(1, BASE), 0);
    let value = number.iter_u32_digits().fold(context.zero(), |lower, digit| {
        count += 1;
        lower * unit + context.integer(i64::from(digit))
    });
    (value, count)
}
