//! Expressions as text.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

use super::arena::Arena;
use super::expression::Expr;
use super::node::{Id, Node};

/// With no more parentheses than needed. What is shared is written out at every place, so the text
/// can be much longer than the expression is large: see [`with_sharing`](Expr::with_sharing).
impl fmt::Display for Expr<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Names::default().write(f, self.arena(), self.id())
    }
}

impl<'a> Expr<'a> {
    /// The formula, with a name for each part that occurs more than once:
    /// `t1 = …; t2 = …; formula`, or one to a line in the alternate form `{:#}`.
    ///
    /// ```
    /// use popgd_core::scalar::Scalar;
    /// use popgd_core::scalar::symbolic::Arena;
    ///
    /// let arena = Arena::new();
    /// let norm = (arena.symbol("x").square() + arena.symbol("y").square()).sqrt();
    /// let formula = norm / (norm + norm.one());
    /// assert_eq!(formula.with_sharing().to_string(), "t1 = sqrt(x^2 + y^2); t1/(t1 + 1)");
    /// ```
    #[must_use]
    pub fn with_sharing(self) -> WithSharing<'a> {
        WithSharing { expression: self }
    }
}

/// A formula that names its shared parts when printed: see [`Expr::with_sharing`].
#[derive(Clone, Copy, Debug)]
pub struct WithSharing<'a> {
    expression: Expr<'a>,
}

impl fmt::Display for WithSharing<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (arena, root) = (self.expression.arena(), self.expression.id());
        let names = Names::of_shared(arena, root);
        let separator = if f.alternate() { "\n" } else { "; " };
        // In the order of their places every definition comes before its use.
        for (&id, &number) in &names.numbers {
            write!(f, "{}{number} = ", names.prefix)?;
            names.write(f, arena, id)?;
            f.write_str(separator)?;
        }
        names.write(f, arena, root)
    }
}

/// Names of shared expressions: a prefix and a number.
#[derive(Default)]
struct Names {
    prefix: String,
    numbers: BTreeMap<Id, usize>,
}

impl Names {
    fn of_shared(arena: &Arena, root: Id) -> Self {
        let mut symbols = Vec::new();
        let mut uses = BTreeMap::new();
        for id in arena.reachable(root) {
            let node = arena.node(id);
            if let Node::Symbol(name) = &node {
                symbols.push(name.clone());
            }
            // A minus sign belongs to the place: what is shared is the expression under it.
            if !matches!(node, Node::Negate(_)) {
                for operand in node.operands() {
                    let operand = match arena.node(operand) {
                        Node::Negate(inner) => inner,
                        _ => operand,
                    };
                    *uses.entry(operand).or_insert(0_usize) += 1;
                }
            }
        }
        let mut prefix = String::from("t");
        while symbols.iter().any(|symbol| is_numbered(symbol, &prefix)) {
            prefix.push('t');
        }
        let shared =
            uses.into_iter().filter(|&(id, uses)| uses > 1 && is_compound(&arena.node(id)));
        let numbers = shared.zip(1..).map(|((id, _), number)| (id, number)).collect();
        Self { prefix, numbers }
    }

    /// Writes the expression out, with names for its named parts but not for itself.
    fn write(&self, f: &mut fmt::Formatter<'_>, arena: &Arena, root: Id) -> fmt::Result {
        // A list of what is still to write, its beginning last: recursion would be as deep as the
        // expression.
        let mut pending = Vec::new();
        self.expand(&mut pending, arena, root, Place::Whole);
        while let Some(piece) = pending.pop() {
            match piece {
                Piece::Text(text) => f.write_str(text)?,
                Piece::Exponent(exponent) => write!(f, "^{exponent}")?,
                Piece::Leaf(id) => match arena.node(id) {
                    Node::Constant(numerator, denominator) => {
                        write!(f, "{numerator}")?;
                        if denominator != 1.into() {
                            write!(f, "/{denominator}")?;
                        }
                    }
                    Node::Symbol(name) => f.write_str(&name)?,
                    Node::Pi => f.write_str("pi")?,
                    _ => f.write_str("undefined")?,
                },
                Piece::Operand(id, place) => match self.numbers.get(&id) {
                    Some(number) => write!(f, "{}{number}", self.prefix)?,
                    None => self.expand(&mut pending, arena, id, place),
                },
            }
        }
        Ok(())
    }

    /// Puts the pieces of one operation on the list.
    fn expand(&self, pending: &mut Vec<Piece>, arena: &Arena, id: Id, place: Place) {
        let node = arena.node(id);
        let parenthesised = place > tightest_place(&node);
        let place = if parenthesised { Place::Whole } else { place };
        // A later factor's first factor is a later factor, too.
        let factor = place.max(Place::Factor);
        let mut pieces = match node {
            Node::Undefined | Node::Constant(..) | Node::Pi | Node::Symbol(_) => {
                vec![Piece::Leaf(id)]
            }
            Node::Add(..) => self.sum(arena, id),
            Node::Negate(a) => vec![Piece::Text("-"), Piece::Operand(a, Place::Factor)],
            Node::Multiply(a, b) => vec![
                Piece::Operand(a, factor),
                Piece::Text("*"),
                Piece::Operand(b, Place::LaterFactor),
            ],
            Node::Divide(a, b) => {
                vec![Piece::Operand(a, factor), Piece::Text("/"), Piece::Operand(b, Place::Divisor)]
            }
            Node::Power(a, exponent) => {
                vec![Piece::Operand(a, Place::Base), Piece::Exponent(exponent)]
            }
            Node::Sqrt(a) => call("sqrt(", a),
            Node::Exp(a) => call("exp(", a),
            Node::Sin(a) => call("sin(", a),
            Node::Cos(a) => call("cos(", a),
            Node::Atan2 { sine, cosine } => vec![
                Piece::Text("atan2("),
                Piece::Operand(sine, Place::Whole),
                Piece::Text(", "),
                Piece::Operand(cosine, Place::Whole),
                Piece::Text(")"),
            ],
        };
        if parenthesised {
            pieces.insert(0, Piece::Text("("));
            pieces.push(Piece::Text(")"));
        }
        pending.extend(pieces.into_iter().rev());
    }

    /// The terms from left to right. Sums inside the sum need no parentheses, unless a minus sign
    /// stands before them.
    fn sum(&self, arena: &Arena, root: Id) -> Vec<Piece> {
        let mut pieces = Vec::new();
        let mut pending = vec![root];
        while let Some(id) = pending.pop() {
            match arena.node(id) {
                Node::Add(a, b) if id == root || !self.numbers.contains_key(&id) => {
                    pending.extend([b, a]);
                }
                _ => {
                    let (subtracted, term) = arena.split_sign(id);
                    pieces.push(Piece::Text(match (pieces.is_empty(), subtracted) {
                        (true, false) => "",
                        (true, true) => "-",
                        (false, false) => " + ",
                        (false, true) => " - ",
                    }));
                    pieces.push(Piece::Operand(term, Place::Factor));
                }
            }
        }
        pieces
    }
}

/// Something still to be written.
enum Piece {
    Text(&'static str),
    Exponent(u32),
    Leaf(Id),
    Operand(Id, Place),
}

/// Where an operand stands, by how tightly it must hold together.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    /// Between parentheses, or alone.
    Whole,
    /// A term of a sum, or the first factor of a product.
    Factor,
    LaterFactor,
    Divisor,
    Base,
}

/// The tightest place where the operation stands without parentheses.
fn tightest_place(node: &Node) -> Place {
    match node {
        Node::Add(..) | Node::Negate(_) => Place::Whole,
        Node::Constant(numerator, _) if *numerator < 0.into() => Place::Whole,
        Node::Constant(_, denominator) if *denominator != 1.into() => Place::Factor,
        Node::Multiply(..) | Node::Divide(..) => Place::LaterFactor,
        Node::Power(..) => Place::Divisor,
        _ => Place::Base,
    }
}

fn call(name: &'static str, argument: Id) -> Vec<Piece> {
    vec![Piece::Text(name), Piece::Operand(argument, Place::Whole), Piece::Text(")")]
}

fn is_compound(node: &Node) -> bool {
    node.operands().next().is_some()
}

/// Whether `name` is `prefix` and a number.
fn is_numbered(name: &str, prefix: &str) -> bool {
    name.strip_prefix(prefix)
        .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit()))
}
