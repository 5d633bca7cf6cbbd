//! Linear temporal logic to Büchi automata: an `ltl` property becomes the never claim of its
//! negation, so that the rest of the tool knows claims only.
//!
//! The way from property to claim, one file each: expressions become [`atoms`]; the property becomes
//! a hash-consed [`formula`], made smaller by [`rewrite`] and [`implies`]; [`translate`] builds a
//! generalised automaton with marks on its moves; [`graph`], [`simulate`] and [`reduce`] make it
//! small; [`degeneralise`] leaves one acceptance set; [`claim`] and [`print`] write it as Promela.
//!
//! What must hold: the automaton accepts a word iff the formula it was built from holds on it. The
//! tests compare with a direct evaluation of the formula on ultimately periodic words.
#![forbid(unsafe_code)]

mod atoms;
mod claim;
mod cube;
mod degeneralise;
mod expr_text;
mod formula;
mod graph;
mod implies;
mod print;
mod reduce;
mod rewrite;
mod simulate;
mod translate;
mod vacuity;

#[cfg(test)]
mod tests;

use std::fmt;

use selvedge_promela_syntax::ast;

pub use claim::to_claim;
pub use print::print_never_claim;
pub use vacuity::conditions;

/// Index of an atom in [`Translation::atoms`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AtomId(pub u32);

/// An atom or its negation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Literal {
    /// Which expression.
    pub atom: AtomId,
    /// Whether it must be true (not 0) or false.
    pub positive: bool,
}

/// One move of the automaton.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    /// All must hold in the state that is read; empty for `true`. Ordered by atom.
    pub guard: Vec<Literal>,
    /// Index of the state reached.
    pub target: usize,
}

/// A state of the automaton.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AutomatonState {
    /// A run that is here infinitely often is accepted.
    pub accepting: bool,
    /// Moves: towards the accept-all state first, back to this state last.
    pub edges: Vec<Edge>,
}

/// A Büchi automaton. Every state but perhaps the first is reachable and can still accept some
/// word; an automaton that accepts nothing is one state without edges.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Automaton {
    /// The states, in the order a breadth-first search meets them.
    pub states: Vec<AutomatonState>,
    /// Index of the first state.
    pub initial: usize,
}

impl Automaton {
    /// Whether `state` accepts every word from here on by staying: accepting, with an unguarded
    /// edge to itself.
    pub(crate) fn is_accept_all(&self, state: usize) -> bool {
        let here = &self.states[state];
        here.accepting && here.edges.iter().any(|e| e.target == state && e.guard.is_empty())
    }

    /// Whether every accepting cycle is the accept-all state. The property is then a safety
    /// property, and a finite run that reaches that state is a counterexample.
    pub fn is_safety_violation_only(&self) -> bool {
        let graph = graph::Graph::from_automaton(self);
        let components = graph.components();
        (0..self.states.len()).all(|state| {
            let on_accepting_cycle = self.states[state].accepting && components.is_cyclic(state, &graph);
            !on_accepting_cycle || self.is_accept_all(state)
        })
    }
}

/// An automaton with the expressions its guards speak of.
#[derive(Clone, Debug)]
pub struct Translation {
    /// The automaton.
    pub automaton: Automaton,
    /// The expression of every [`AtomId`], spans as in the property.
    pub atoms: Vec<ast::Expr>,
}

/// The property is too large: the translation is exponential, and this is where it gave up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLarge {
    /// What there was too much of, in the plural.
    pub what: &'static str,
    /// How much is allowed.
    pub limit: usize,
}

impl fmt::Display for TooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the automaton of this property needs more than {} {}", self.limit, self.what)
    }
}

impl std::error::Error for TooLarge {}

/// The automaton of `!property`: it accepts the words that violate the property.
pub fn translate_negation(property: &ast::Ltl) -> Result<Translation, TooLarge> {
    translate_with(property, true)
}

/// The automaton of `property` itself.
pub fn translate(property: &ast::Ltl) -> Result<Translation, TooLarge> {
    translate_with(property, false)
}

fn translate_with(property: &ast::Ltl, negated: bool) -> Result<Translation, TooLarge> {
    let mut atoms = atoms::Atoms::default();
    let mut formulas = formula::Formulas::new();
    let root = atoms.formula_of(property, &mut formulas)?;
    let root = if negated { root.not() } else { root };
    let generalised = translate::candidates(&mut formulas, root)?;
    let automaton = reduce::smallest_automaton(generalised)?;
    Ok(Translation { automaton, atoms: atoms.into_exprs() })
}
