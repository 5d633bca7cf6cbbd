//! Syntactic implication: a cheap test that `a` implies `b`, by the shape of the two (\[SB\], \[EH\]).
//! Used by [`super::rewrite`] to drop what is implied and by [`super::translate`] to drop sets of
//! obligations that contradict themselves.
//!
//! What must hold: `true` only if the implication is valid; `false` says nothing.

use super::formula::{FormulaId, Formulas, Node};

/// Pairs tried before everything else counts as unknown.
const MAX_PAIRS: usize = 400_000;

impl Formulas {
    /// Whether `a` implies `b`, as far as their shape shows.
    pub(super) fn implies(&mut self, a: FormulaId, b: FormulaId) -> bool {
        if a == b || a == FormulaId::FALSE || b == FormulaId::TRUE {
            return true;
        }
        if a == FormulaId::TRUE || b == FormulaId::FALSE {
            return false;
        }
        if let Some(&known) = self.implied.get(&(a, b)) {
            return known;
        }
        if self.implied.len() >= MAX_PAIRS {
            return false;
        }
        let answer = self.implies_by_shape(a, b);
        self.implied.insert((a, b), answer);
        answer
    }

    /// Whether `a` and `b` exclude each other, as far as their shape shows.
    pub(super) fn contradict(&mut self, a: FormulaId, b: FormulaId) -> bool {
        self.implies(a, b.not())
    }

    /// Every rule asks about pairs in which one side is a child, so this ends.
    fn implies_by_shape(&mut self, a: FormulaId, b: FormulaId) -> bool {
        let (head_a, head_b) = (self.node(a).clone(), self.node(b).clone());
        match (&head_a, &head_b) {
            (Node::Or(parts), _) => return parts.iter().all(|p| self.implies(*p, b)),
            (_, Node::And(parts)) => return parts.iter().all(|p| self.implies(a, *p)),
            _ => {}
        }
        let weaker_left = match &head_a {
            Node::And(parts) => parts.iter().any(|p| self.implies(*p, b)),
            Node::Next(a1) => self.is_eventual(b) && self.implies(*a1, b),
            Node::Until(a1, a2) => self.implies(*a2, b) && (self.is_eventual(b) || self.implies(*a1, b)),
            Node::Release(_, a2) => self.implies(*a2, b),
            _ => false,
        };
        weaker_left || self.implies_by_right(a, &head_b) || self.implies_by_both(a, b, &head_a, &head_b)
    }

    fn implies_by_right(&mut self, a: FormulaId, head_b: &Node) -> bool {
        match head_b {
            Node::Or(parts) => parts.iter().any(|p| self.implies(a, *p)),
            Node::Next(b1) => self.is_universal(a) && self.implies(a, *b1),
            Node::Until(_, b2) => self.implies(a, *b2),
            Node::Release(b1, b2) => self.implies(a, *b2) && (self.is_universal(a) || self.implies(a, *b1)),
            _ => false,
        }
    }

    fn implies_by_both(&mut self, a: FormulaId, b: FormulaId, head_a: &Node, head_b: &Node) -> bool {
        match (head_a, head_b) {
            (Node::Next(a1), Node::Next(b1)) => self.implies(*a1, *b1),
            (Node::Until(a1, a2), Node::Until(b1, _)) => self.implies(*a1, *b1) && self.implies(*a2, b),
            (Node::Release(a1, _), Node::Release(b1, b2)) => self.implies(*a1, *b1) && self.implies(a, *b2),
            _ => false,
        }
    }
}
