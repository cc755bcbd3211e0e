//! Expressions as text and as LaTeX.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

use super::arena::Arena;
use super::expression::Expr;
use super::node::{Id, Node};
use crate::scalar::Scalar;

/// With no more parentheses than needed. What is shared is written out at every place, so the text
/// can be much longer than the expression is large: see [`with_sharing`](Expr::with_sharing).
impl fmt::Display for Expr<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Names::none(Style::Text).write(f, self.arena(), self.id())
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

    /// The formula in LaTeX's mathematical mode, with a name for each part that occurs more than
    /// once; if there is one, as `aligned` lines.
    ///
    /// ```
    /// use popgd_core::scalar::Scalar;
    /// use popgd_core::scalar::symbolic::Arena;
    ///
    /// let arena = Arena::new();
    /// let (x, rate) = (arena.symbol("w12"), arena.symbol("eta"));
    /// let formula = (x.square() + x.rational(1, 2)).sqrt() / rate;
    /// assert_eq!(formula.latex().to_string(), r"\frac{\sqrt{w_{12}^{2} + \frac{1}{2}}}{\eta}");
    /// ```
    #[must_use]
    pub fn latex(self) -> Latex<'a> {
        Latex { expression: self }
    }
}

/// Several formulas, each with a name, that name what they share once for all: see
/// [`Expr::with_sharing`] for one.
///
/// Displayed as text, one definition to a line; in the alternate form `{:#}` as LaTeX.
///
/// ```
/// use popgd_core::scalar::Scalar;
/// use popgd_core::scalar::symbolic::{Arena, Listing};
///
/// let arena = Arena::new();
/// let x = arena.symbol("x");
/// let e = (-x).exp();
/// let listing = Listing::new([("f".into(), e + x), ("g".into(), e - x)]);
/// assert_eq!(listing.to_string(), "t1 = exp(-x)\nf = x + t1\ng = t1 - x\n");
/// ```
#[derive(Clone, Debug, Default)]
pub struct Listing<'a> {
    formulas: Vec<(String, Expr<'a>)>,
    /// What names begin with.
    front: String,
}

impl<'a> Listing<'a> {
    /// The formulas, in this order, with their names. All are brought to the arena of the first.
    pub fn new(formulas: impl IntoIterator<Item = (String, Expr<'a>)>) -> Self {
        let mut formulas: Vec<(String, Expr<'a>)> = formulas.into_iter().collect();
        if let Some(&(_, first)) = formulas.first() {
            for (_, formula) in &mut formulas {
                *formula = first.zero() + *formula;
            }
        }
        Self { formulas, front: String::new() }
    }

    /// With these letters before every name that the listing gives, so that names of two listings
    /// are not the same.
    #[must_use]
    pub fn with_prefix(mut self, front: &str) -> Self {
        self.front = String::from(front);
        self
    }
}

impl fmt::Display for Listing<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some((_, first)) = self.formulas.first() else { return Ok(()) };
        let arena = first.arena();
        let style = if f.alternate() { Style::Latex } else { Style::Text };
        let roots: Vec<Id> = self.formulas.iter().map(|(_, formula)| formula.id()).collect();
        let names = Names::of_shared(arena, &roots, style, &self.front);
        let lines = style.lines();
        f.write_str(lines.begin)?;
        names.define(f, arena, lines.equals, lines.end_of_line)?;
        for (name, formula) in &self.formulas {
            let mut full = self.front.clone();
            full.push_str(name);
            style.write_symbol(f, &full)?;
            f.write_str(lines.equals)?;
            // A formula that is itself a shared part is referred to by its name.
            match names.numbers.get(&formula.id()) {
                Some(&number) => names.write_name(f, number)?,
                None => names.write(f, arena, formula.id())?,
            }
            f.write_str(lines.end_of_line)?;
        }
        f.write_str(lines.end)
    }
}

/// A formula that displays as LaTeX: see [`Expr::latex`].
#[derive(Clone, Copy, Debug)]
pub struct Latex<'a> {
    expression: Expr<'a>,
}

impl fmt::Display for Latex<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (arena, root) = (self.expression.arena(), self.expression.id());
        let names = Names::of_shared(arena, &[root], Style::Latex, "");
        if names.numbers.is_empty() {
            return names.write(f, arena, root);
        }
        let lines = Style::Latex.lines();
        f.write_str(lines.begin)?;
        names.define(f, arena, lines.equals, lines.end_of_line)?;
        f.write_str("& ")?;
        names.write(f, arena, root)?;
        f.write_str("\n")?;
        f.write_str(lines.end)
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
        let names = Names::of_shared(arena, &[root], Style::Text, "");
        let separator = if f.alternate() { "\n" } else { "; " };
        names.define(f, arena, " = ", separator)?;
        names.write(f, arena, root)
    }
}

/// Names of shared expressions: a prefix and a number.
struct Names {
    prefix: String,
    numbers: BTreeMap<Id, usize>,
    style: Style,
}

impl Names {
    fn none(style: Style) -> Self {
        Self { prefix: String::new(), numbers: BTreeMap::new(), style }
    }

    fn of_shared(arena: &Arena, roots: &[Id], style: Style, front: &str) -> Self {
        let mut symbols = Vec::new();
        let mut uses = BTreeMap::new();
        for &root in roots {
            *uses.entry(root).or_insert(0_usize) += usize::from(roots.len() > 1);
        }
        for id in arena.reachable_from(roots) {
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
                    *uses.entry(operand).or_insert(0) += 1;
                }
            }
        }
        let mut prefix = String::from(front);
        prefix.push('t');
        while symbols.iter().any(|symbol| is_numbered(symbol, &prefix)) {
            prefix.push('t');
        }
        let shared =
            uses.into_iter().filter(|&(id, uses)| uses > 1 && is_compound(&arena.node(id)));
        let numbers = shared.zip(1..).map(|((id, _), number)| (id, number)).collect();
        Self { prefix, numbers, style }
    }

    fn write_name(&self, f: &mut fmt::Formatter<'_>, number: usize) -> fmt::Result {
        match self.style {
            Style::Text => write!(f, "{}{number}", self.prefix),
            Style::Latex if self.prefix.len() > 1 => {
                write!(f, "\\mathrm{{{}}}_{{{number}}}", self.prefix)
            }
            Style::Latex => write!(f, "{}_{{{number}}}", self.prefix),
        }
    }

    /// Writes what every name stands for.
    fn define(
        &self,
        f: &mut fmt::Formatter<'_>,
        arena: &Arena,
        equals: &str,
        end: &str,
    ) -> fmt::Result {
        // In the order of their places every definition comes before its use.
        for (&id, &number) in &self.numbers {
            self.write_name(f, number)?;
            f.write_str(equals)?;
            self.write(f, arena, id)?;
            f.write_str(end)?;
        }
        Ok(())
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
                Piece::Exponent(exponent) => match self.style {
                    Style::Text => write!(f, "^{exponent}")?,
                    Style::Latex => write!(f, "^{{{exponent}}}")?,
                },
                Piece::Leaf(id) => self.style.write_leaf(f, &arena.node(id))?,
                Piece::Operand(id, place) => match self.numbers.get(&id) {
                    Some(&number) => self.write_name(f, number)?,
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
        let style = self.style;
        let mut pieces = match node {
            Node::Undefined | Node::Constant(..) | Node::Pi | Node::Symbol(_) => {
                vec![Piece::Leaf(id)]
            }
            Node::Add(..) => self.sum(arena, id),
            Node::Negate(a) => vec![Piece::Text("-"), Piece::Operand(a, Place::Factor)],
            Node::Multiply(a, b) => vec![
                Piece::Operand(a, factor),
                Piece::Text(style.times()),
                Piece::Operand(b, Place::LaterFactor),
            ],
            Node::Divide(a, b) if style == Style::Latex => vec![
                Piece::Text(r"\frac{"),
                Piece::Operand(a, Place::Whole),
                Piece::Text("}{"),
                Piece::Operand(b, Place::Whole),
                Piece::Text("}"),
            ],
            Node::Divide(a, b) => {
                vec![Piece::Operand(a, factor), Piece::Text("/"), Piece::Operand(b, Place::Divisor)]
            }
            Node::Power(a, exponent) => {
                vec![Piece::Operand(a, Place::Base), Piece::Exponent(exponent)]
            }
            Node::Sqrt(a) | Node::Norm(a) => style.call(Function::Sqrt, &[a]),
            Node::Sign(a) => style.call(Function::Sign, &[a]),
            Node::Exp(a) => style.call(Function::Exp, &[a]),
            Node::Sin(a) => style.call(Function::Sin, &[a]),
            Node::Cos(a) => style.call(Function::Cos, &[a]),
            Node::Atan2 { sine, cosine } => style.call(Function::Atan2, &[sine, cosine]),
        };
        if parenthesised {
            let (open, close) = style.parentheses();
            pieces.insert(0, Piece::Text(open));
            pieces.push(Piece::Text(close));
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

/// For whom formulas are written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Style {
    /// A reader of programs, or a program.
    Text,
    /// A typesetter.
    Latex,
}

/// What is written between and around lines.
struct Lines {
    begin: &'static str,
    equals: &'static str,
    end_of_line: &'static str,
    end: &'static str,
}

#[derive(Clone, Copy)]
enum Function {
    Sqrt,
    Sign,
    Exp,
    Sin,
    Cos,
    Atan2,
}

impl Style {
    fn lines(self) -> Lines {
        match self {
            Self::Text => Lines { begin: "", equals: " = ", end_of_line: "\n", end: "" },
            Self::Latex => Lines {
                begin: "\\begin{aligned}\n",
                equals: " &= ",
                end_of_line: " \\\\\n",
                end: "\\end{aligned}",
            },
        }
    }

    fn times(self) -> &'static str {
        match self {
            Self::Text => "*",
            Self::Latex => r" \, ",
        }
    }

    fn parentheses(self) -> (&'static str, &'static str) {
        match self {
            Self::Text => ("(", ")"),
            Self::Latex => (r"\left(", r"\right)"),
        }
    }

    fn call(self, function: Function, arguments: &[Id]) -> Vec<Piece> {
        let (open, close) = match (self, function) {
            (Self::Text, Function::Sqrt) => ("sqrt(", ")"),
            (Self::Text, Function::Sign) => ("sign(", ")"),
            (Self::Text, Function::Exp) => ("exp(", ")"),
            (Self::Text, Function::Sin) => ("sin(", ")"),
            (Self::Text, Function::Cos) => ("cos(", ")"),
            (Self::Text, Function::Atan2) => ("atan2(", ")"),
            (Self::Latex, Function::Sqrt) => (r"\sqrt{", "}"),
            (Self::Latex, Function::Sign) => (r"\operatorname{sign}\left(", r"\right)"),
            (Self::Latex, Function::Exp) => (r"\exp\left(", r"\right)"),
            (Self::Latex, Function::Sin) => (r"\sin\left(", r"\right)"),
            (Self::Latex, Function::Cos) => (r"\cos\left(", r"\right)"),
            (Self::Latex, Function::Atan2) => (r"\operatorname{atan2}\left(", r"\right)"),
        };
        let mut pieces = vec![Piece::Text(open)];
        for (place, &argument) in arguments.iter().enumerate() {
            if place > 0 {
                pieces.push(Piece::Text(", "));
            }
            pieces.push(Piece::Operand(argument, Place::Whole));
        }
        pieces.push(Piece::Text(close));
        pieces
    }

    fn write_leaf(self, f: &mut fmt::Formatter<'_>, node: &Node) -> fmt::Result {
        match (self, node) {
            (Self::Latex, Node::Constant(numerator, denominator)) if *denominator != 1.into() => {
                let sign = if *numerator < 0.into() { "-" } else { "" };
                write!(f, "{sign}\\frac{{{}}}{{{denominator}}}", numerator.magnitude())
            }
            (_, Node::Constant(numerator, denominator)) => {
                write!(f, "{numerator}")?;
                if *denominator != 1.into() {
                    write!(f, "/{denominator}")?;
                }
                Ok(())
            }
            (_, Node::Symbol(name)) => self.write_symbol(f, name),
            (Self::Text, Node::Pi) => f.write_str("pi"),
            (Self::Latex, Node::Pi) => f.write_str(r"\pi"),
            (Self::Text, _) => f.write_str("undefined"),
            (Self::Latex, _) => f.write_str(r"\text{undefined}"),
        }
    }

    /// As text a symbol is its name. For LaTeX digits at its end become an index, a name of a
    /// Greek letter that letter, and another one of several letters upright.
    fn write_symbol(self, f: &mut fmt::Formatter<'_>, name: &str) -> fmt::Result {
        if self == Self::Text {
            return f.write_str(name);
        }
        let digit_or_line = |c: char| c.is_ascii_digit() || c == '_';
        let letters = name.trim_end_matches(digit_or_line);
        let index = name.strip_prefix(letters).unwrap_or("").trim_matches('_');
        if !letters.bytes().all(|byte| byte.is_ascii_alphabetic()) || letters.is_empty() {
            return f.write_str(name);
        }
        if GREEK.contains(&letters) {
            write!(f, "\\{letters}")?;
        } else if letters.len() == 1 {
            f.write_str(letters)?;
        } else {
            write!(f, "\\mathrm{{{letters}}}")?;
        }
        if index.is_empty() { Ok(()) } else { write!(f, "_{{{}}}", index.replace('_', ",")) }
    }
}

const GREEK: [&str; 12] = [
    "alpha", "beta", "gamma", "delta", "eta", "theta", "kappa", "lambda", "mu", "rho", "sigma",
    "tau",
];

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

fn is_compound(node: &Node) -> bool {
    node.operands().next().is_some()
}

/// Whether `name` is `prefix` and a number.
fn is_numbered(name: &str, prefix: &str) -> bool {
    name.strip_prefix(prefix)
        .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit()))
}
