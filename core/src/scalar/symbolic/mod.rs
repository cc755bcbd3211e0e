//! Formulas as scalars: what a computation over [`Expr`] yields is the computation itself.
//!
//! An [`Arena`] owns the nodes, each of them once: equal sub-expressions are the same node, so
//! the formula of a long program stays as small as the program. An [`Expr`] is a handle into it.
//!
//! ```
//! use popgd_core::scalar::Scalar;
//! use popgd_core::scalar::symbolic::Arena;
//!
//! let arena = Arena::new();
//! let [tokens, group, gap] = ["D", "K", "delta"].map(|name| arena.symbol(name));
//! let total = group + (tokens - group) * (-gap).exp();
//! assert_eq!(total.to_string(), "K + (D - K)*exp(-delta)");
//!
//! let value = total.evaluate(0.0, |name| match name {
//!     "D" => Some(8.0),
//!     "K" => Some(2.0),
//!     "delta" => Some(0.0),
//!     _ => None,
//! });
//! assert_eq!(value, Some(8.0));
//! ```
//!
//! # What an expression means
//! The real number that its operations give, wherever all of them are defined. Constants are
//! exact rationals (or π). Simplification on construction only removes operations: constants are
//! folded, neutral elements dropped, signs drawn out of products, repeated factors made powers,
//! opposite terms cancelled. Nothing is multiplied out or collected. A formula may become defined
//! at more points (x/x is 1), but never change a value. So the formula is the program that built
//! it, and [evaluating](Expr::evaluate) it in floating point differs from running that program by
//! a few roundings.
//!
//! Where the arithmetic of the constants breaks down (division by 0, the root of a negative
//! constant, [`lift`](super::Scalar::lift) of a NaN or an infinity) the result is *undefined*, an
//! expression of its own which every operation hands on. Nothing here panics.
//!
//! Constants are exact and therefore grow: symbols are what an expression is for, and a long
//! recursion on rational constants doubles their digits at every step.

mod arena;
mod derivative;
mod evaluate;
mod expression;
mod node;
mod normal_form;
mod print;
mod simplify;

pub use arena::Arena;
pub use expression::Expr;
pub use normal_form::{NormalForm, ZeroTest};
pub use num_rational::BigRational;
pub use print::{Latex, Listing, WithSharing};
