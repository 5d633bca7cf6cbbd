//! Hash-consed formulas in negation normal form. Formulas come in pairs: interning one interns its
//! negation beside it, so that negation is flipping a bit, and every rule that [`super::rewrite`]
//! states for `&&`, `U` holds for `||`, `R` without being written again.
//!
//! `<>f` is `true U f`, `[]f` is `false R f`, `f W g` is `g R (f || g)`.
//!
//! What must hold: `nodes[f.not()]` is the dual of `nodes[f]`; children have smaller indices than
//! their parents (up to the last bit), so recursion over children ends.

use std::collections::HashMap;

use super::{Literal, TooLarge};

/// How many formulas there may be.
const MAX_FORMULAS: usize = 20_000;

/// Index of a formula; the last bit distinguishes it from its negation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct FormulaId(u32);

impl FormulaId {
    /// `true`.
    pub(super) const TRUE: FormulaId = FormulaId(0);
    /// `false`.
    pub(super) const FALSE: FormulaId = FormulaId(1);

    /// The negation.
    pub(super) fn not(self) -> FormulaId {
        FormulaId(self.0 ^ 1)
    }

    fn index(self) -> usize {
        self.0 as usize
    }
}

/// A formula's head. The children of `And` and `Or` are ordered, at least two, and not of the
/// same kind.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Node {
    True,
    False,
    Literal(Literal),
    And(Vec<FormulaId>),
    Or(Vec<FormulaId>),
    Next(FormulaId),
    Until(FormulaId, FormulaId),
    Release(FormulaId, FormulaId),
}

/// The formulas of one translation.
pub(super) struct Formulas {
    nodes: Vec<Node>,
    eventual: Vec<bool>,
    index: HashMap<Node, FormulaId>,
    /// What [`super::implies`] has found out.
    pub(super) implied: HashMap<(FormulaId, FormulaId), bool>,
}

impl Formulas {
    /// `true` and `false` only.
    pub(super) fn new() -> Self {
        let mut formulas =
            Formulas { nodes: Vec::new(), eventual: Vec::new(), index: HashMap::new(), implied: HashMap::new() };
        formulas.intern(Node::True);
        formulas
    }

    /// The head of `f`.
    pub(super) fn node(&self, f: FormulaId) -> &Node {
        &self.nodes[f.index()]
    }

    /// Whether `f` on a suffix implies `f` on the whole word (`<>f` is `f`).
    pub(super) fn is_eventual(&self, f: FormulaId) -> bool {
        self.eventual[f.index()]
    }

    /// Whether `f` implies `f` on every suffix (`[]f` is `f`).
    pub(super) fn is_universal(&self, f: FormulaId) -> bool {
        self.is_eventual(f.not())
    }

    /// Whether `f` holds at all positions of a word or at none, as `[]<>p` does.
    pub(super) fn is_suspendable(&self, f: FormulaId) -> bool {
        self.is_eventual(f) && self.is_universal(f)
    }

    /// The formula of a literal.
    pub(super) fn literal(&mut self, literal: Literal) -> FormulaId {
        let positive = self.intern(Node::Literal(Literal { positive: true, ..literal }));
        if literal.positive { positive } else { positive.not() }
    }

    /// `a` of `[]a`.
    pub(super) fn always_of(&self, f: FormulaId) -> Option<FormulaId> {
        match *self.node(f) {
            Node::Release(FormulaId::FALSE, a) => Some(a),
            _ => None,
        }
    }

    /// `a` of `<>a`.
    pub(super) fn eventually_of(&self, f: FormulaId) -> Option<FormulaId> {
        match *self.node(f) {
            Node::Until(FormulaId::TRUE, a) => Some(a),
            _ => None,
        }
    }

    /// An error when the rewriting made too many formulas.
    pub(super) fn check_size(&self) -> Result<(), TooLarge> {
        if self.nodes.len() > MAX_FORMULAS {
            return Err(TooLarge { what: "subformulas", limit: MAX_FORMULAS });
        }
        Ok(())
    }

    /// The formula with this head, as it stands. Requires the children simplified and, in `And` and
    /// `Or`, ordered.
    pub(super) fn intern(&mut self, node: Node) -> FormulaId {
        if let Some(&id) = self.index.get(&node) {
            return id;
        }
        let dual = dual(&node);
        let id = FormulaId(self.nodes.len() as u32);
        let eventual = (self.eventual_by_children(&node), self.eventual_by_children(&dual));
        self.index.insert(node.clone(), id);
        self.index.insert(dual.clone(), id.not());
        self.nodes.extend([node, dual]);
        self.eventual.extend([eventual.0, eventual.1]);
        id
    }

    /// \[EH\] Section 5: purely eventual formulas, closed under what preserves them.
    fn eventual_by_children(&self, node: &Node) -> bool {
        match node {
            Node::True | Node::False => true,
            Node::Literal(_) => false,
            Node::And(parts) | Node::Or(parts) => parts.iter().all(|p| self.is_eventual(*p)),
            Node::Next(a) => self.is_eventual(*a),
            Node::Until(a, b) => *a == FormulaId::TRUE || self.is_eventual(*b),
            Node::Release(a, b) => self.is_eventual(*a) && self.is_eventual(*b),
        }
    }
}

fn dual(node: &Node) -> Node {
    let duals = |parts: &[FormulaId]| {
        let mut duals: Vec<FormulaId> = parts.iter().map(|p| p.not()).collect();
        duals.sort();
        duals
    };
    match node {
        Node::True => Node::False,
        Node::False => Node::True,
        Node::Literal(l) => Node::Literal(Literal { positive: !l.positive, ..*l }),
        Node::And(parts) => Node::Or(duals(parts)),
        Node::Or(parts) => Node::And(duals(parts)),
        Node::Next(a) => Node::Next(a.not()),
        Node::Until(a, b) => Node::Release(a.not(), b.not()),
        Node::Release(a, b) => Node::Until(a.not(), b.not()),
    }
}
