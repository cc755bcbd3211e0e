//! Where expressions live.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::collections::btree_map::Entry;
use alloc::vec;
use alloc::vec::Vec;
use core::cell::RefCell;
use core::fmt;

use num_bigint::{BigInt, Sign};
use num_rational::BigRational;

use super::expression::Expr;
use super::node::{Id, Node};

/// The owner of expressions: it keeps every distinct one once.
///
/// It only grows; dropping it frees all of them.
///
/// ```
/// use popgd_core::scalar::symbolic::Arena;
///
/// let arena = Arena::new();
/// let (x, y) = (arena.symbol("x"), arena.symbol("y"));
/// assert_eq!(x * y + arena.rational(1, 2), arena.rational(2, 4) + y * x);
/// ```
pub struct Arena {
    /// Borrowed by [`node`](Self::node), [`intern`](Self::intern) and
    /// [`node_count`](Self::node_count) only, none of which runs anyone else's code meanwhile: no
    /// two borrows ever meet.
    store: RefCell<Store>,
}

struct Store {
    nodes: Vec<Node>,
    ids: BTreeMap<Node, Id>,
}

/// The nodes that every arena has, in this order.
pub(super) const UNDEFINED: Id = 0;
pub(super) const ZERO: Id = 1;
pub(super) const ONE: Id = 2;

impl Arena {
    /// An arena without symbols.
    #[must_use]
    pub fn new() -> Self {
        let arena = Self { store: RefCell::new(Store { nodes: Vec::new(), ids: BTreeMap::new() }) };
        arena.intern(Node::Undefined);
        arena.intern(Node::Constant(0.into(), 1.into()));
        arena.intern(Node::Constant(1.into(), 1.into()));
        arena
    }

    /// The symbol of this name: the same one at every call.
    ///
    /// Any text will do; one that reads like a formula prints like one.
    pub fn symbol(&self, name: &str) -> Expr<'_> {
        Expr::new(self, self.intern(Node::Symbol(Box::from(name))))
    }

    /// The constant `numerator / denominator`; undefined for a denominator of 0.
    pub fn rational(&self, numerator: i64, denominator: i64) -> Expr<'_> {
        if denominator == 0 {
            return Expr::new(self, UNDEFINED);
        }
        self.constant(BigRational::new(BigInt::from(numerator), BigInt::from(denominator)))
    }

    /// The constant `value`; undefined if its denominator is 0.
    pub fn constant(&self, value: BigRational) -> Expr<'_> {
        let (numerator, denominator) = value.into();
        if denominator.sign() == Sign::NoSign {
            return Expr::new(self, UNDEFINED);
        }
        // Reduced anew: what `BigRational::new_raw` made need not be.
        Expr::new(self, self.intern(Node::constant(BigRational::new(numerator, denominator))))
    }

    /// The constant π.
    pub fn pi(&self) -> Expr<'_> {
        Expr::new(self, self.intern(Node::Pi))
    }

    /// How many distinct expressions there are: a measure of memory, and a few more than were
    /// asked for.
    #[must_use]
    pub fn node_count(&self) -> usize {
        self.store.borrow().nodes.len()
    }

    /// A copy of the node, so that nothing stays borrowed.
    pub(super) fn node(&self, id: Id) -> Node {
        self.store.borrow().nodes.get(id).cloned().unwrap_or(Node::Undefined)
    }

    /// The place of the node, which it gets if it has none yet.
    pub(super) fn intern(&self, node: Node) -> Id {
        let Store { nodes, ids } = &mut *self.store.borrow_mut();
        match ids.entry(node) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(new) => {
                let id = nodes.len();
                nodes.push(new.key().clone());
                *new.insert(id)
            }
        }
    }

    /// Every node that `root` is made of, itself last, each after its operands.
    pub(super) fn reachable(&self, root: Id) -> Vec<Id> {
        self.reachable_from(&[root])
    }

    /// Every node that one of the roots is made of, each after its operands.
    pub(super) fn reachable_from(&self, roots: &[Id]) -> Vec<Id> {
        let mut reached = vec![false; roots.iter().max().map_or(0, |last| last + 1)];
        let mut pending = roots.to_vec();
        while let Some(id) = pending.pop() {
            match reached.get_mut(id) {
                Some(reached) if !*reached => *reached = true,
                _ => continue,
            }
            pending.extend(self.node(id).operands());
        }
        let ids = reached.into_iter().enumerate();
        ids.filter_map(|(id, reached)| reached.then_some(id)).collect()
    }
}

impl Default for Arena {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Arena {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Arena").field("node_count", &self.node_count()).finish()
    }
}
