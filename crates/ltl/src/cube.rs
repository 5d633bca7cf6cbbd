//! Conjunctions of literals, as two words of bits: the guards while the automaton is built.
//!
//! What must hold: no cube contains an atom and its negation, so every cube is satisfiable.

use super::{AtomId, Literal};

/// Atoms that fit into a cube.
pub(super) const MAX_ATOMS: usize = 64;

/// A satisfiable conjunction of literals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Cube {
    positive: u64,
    negative: u64,
}

impl Cube {
    /// The empty conjunction.
    pub(super) const TRUE: Cube = Cube { positive: 0, negative: 0 };

    /// One literal. Requires an atom below [`MAX_ATOMS`].
    pub(super) fn literal(literal: Literal) -> Cube {
        let bit = 1u64 << literal.atom.0;
        if literal.positive { Cube { positive: bit, negative: 0 } } else { Cube { positive: 0, negative: bit } }
    }

    /// Both, unless they contradict each other.
    pub(super) fn and(self, other: Cube) -> Option<Cube> {
        let both = Cube { positive: self.positive | other.positive, negative: self.negative | other.negative };
        (both.positive & both.negative == 0).then_some(both)
    }

    /// Whether every letter in `self` is in `weaker`.
    pub(super) fn implies(self, weaker: Cube) -> bool {
        weaker.positive & !self.positive == 0 && weaker.negative & !self.negative == 0
    }

    /// The literals, ordered by atom.
    pub(super) fn literals(self) -> Vec<Literal> {
        (0..MAX_ATOMS as u32)
            .filter(|atom| (self.positive | self.negative) >> atom & 1 == 1)
            .map(|atom| Literal { atom: AtomId(atom), positive: self.positive >> atom & 1 == 1 })
            .collect()
    }

    /// `self` without the literals of `other`.
    fn minus(self, other: Cube) -> Cube {
        Cube { positive: self.positive & !other.positive, negative: self.negative & !other.negative }
    }

    /// The cube with every literal negated.
    fn flipped(self) -> Cube {
        Cube { positive: self.negative, negative: self.positive }
    }

    fn len(self) -> u32 {
        self.positive.count_ones() + self.negative.count_ones()
    }

    fn first_literal(self) -> Cube {
        let lowest = |bits: u64| bits & bits.wrapping_neg();
        match lowest(self.positive) {
            0 => Cube { positive: 0, negative: lowest(self.negative) },
            bit => Cube { positive: bit, negative: 0 },
        }
    }

    /// `self && !other` where that is a cube again: `other` says one literal more than `self`.
    pub(super) fn and_not(self, other: Cube) -> Option<Cube> {
        let more = other.minus(self);
        if more.len() == 1 { self.and(more.flipped()) } else { None }
    }

    /// The one cube that is `self || other`, where there is one: they differ in the sign of one
    /// literal, or one implies the other.
    pub(super) fn union(self, other: Cube) -> Option<Cube> {
        if self.implies(other) {
            return Some(other);
        }
        if other.implies(self) {
            return Some(self);
        }
        let mine = self.minus(other);
        (mine.len() == 1 && mine.flipped() == other.minus(self)).then(|| self.minus(mine))
    }

    /// Whether every letter in `self` is in one of `cubes`. Each step takes one from `fuel`; with
    /// none left the answer is `false`.
    pub(super) fn covered_by(self, cubes: &[Cube], fuel: &mut u64) -> bool {
        *fuel = fuel.saturating_sub(1 + cubes.len() as u64);
        if *fuel == 0 {
            return false;
        }
        let meeting: Vec<Cube> = cubes.iter().copied().filter(|c| self.and(*c).is_some()).collect();
        if meeting.iter().any(|c| self.implies(*c)) {
            return true;
        }
        let Some(first) = meeting.first() else { return false };
        let literal = first.minus(self).first_literal();
        let half = |literal: Cube| self.and(literal).expect("the literal's atom is not in the cube");
        half(literal).covered_by(&meeting, fuel) && half(literal.flipped()).covered_by(&meeting, fuel)
    }
}
