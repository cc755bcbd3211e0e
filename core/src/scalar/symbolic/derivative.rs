//! The derivative of a formula, as a formula.

use alloc::vec;

use super::arena::ZERO;
use super::expression::Expr;
use super::node::{Id, Node};
use crate::scalar::Scalar;

impl Expr<'_> {
    /// The derivative with respect to the symbol of this name, every other symbol held fixed.
    ///
    /// A part that is shared is differentiated once, and what the derivative has in common with
    /// the formula is the same node: a formula of n operations has a derivative of a few times n.
    /// The derivative is that at the points where the formula is differentiable. Elsewhere, at the
    /// origin of a norm or of an angle and where a sign changes, it is not defined, or 0 (of a
    /// sign).
    ///
    /// ```
    /// use popgd_core::scalar::Scalar;
    /// use popgd_core::scalar::symbolic::Arena;
    ///
    /// let arena = Arena::new();
    /// let (x, y) = (arena.symbol("x"), arena.symbol("y"));
    /// assert_eq!((x.square() * y).derivative("x").to_string(), "y*2*x");
    /// assert_eq!(x.atan2(y).derivative("x").to_string(), "y/(x^2 + y^2)");
    /// ```
    #[must_use]
    pub fn derivative(self, symbol: &str) -> Self {
        let arena = self.arena();
        let at = |id: Id| Expr::new(arena, id);
        // 0 for every node that does not depend on the symbol, and is not looked at again.
        let mut derivatives = vec![ZERO; self.id() + 1];
        for id in arena.reachable(self.id()) {
            let node = arena.node(id);
            let d = |id: Id| at(derivatives.get(id).copied().unwrap_or(ZERO));
            let constant = node.operands().all(|operand| d(operand).is_zero());
            let derivative = match node {
                Node::Undefined => return self,
                Node::Symbol(name) if *name == *symbol => self.one(),
                _ if constant => continue,
                Node::Constant(..) | Node::Pi | Node::Symbol(_) | Node::Sign(_) => self.zero(),
                Node::Add(a, b) => d(a) + d(b),
                Node::Negate(a) => -d(a),
                Node::Multiply(a, b) => d(a) * at(b) + at(a) * d(b),
                Node::Divide(a, b) => (d(a) - at(id) * d(b)) / at(b),
                Node::Power(a, exponent) => {
                    at(a).power(exponent - 1) * self.integer(i64::from(exponent)) * d(a)
                }
                Node::Sqrt(a) | Node::Norm(a) => d(a) / (self.integer(2) * at(id)),
                Node::Exp(a) => at(id) * d(a),
                Node::Sin(a) => at(a).cos() * d(a),
                Node::Cos(a) => -(at(a).sin() * d(a)),
                Node::Atan2 { sine, cosine } => {
                    let (y, x) = (at(sine), at(cosine));
                    (x * d(sine) - y * d(cosine)) / (x.square() + y.square())
                }
            };
            if let Some(slot) = derivatives.get_mut(id) {
                *slot = derivative.id();
            }
        }
        at(derivatives.last().copied().unwrap_or(ZERO))
    }
}
