//! Reachability of any network, finite-state or recursive, within a bound: chooses the construction, and takes a run back
//! through it. Every run is executed on the original network before it is returned ([`crate::follow`]).

use selvedge_core::{Budget, StopReason};
use selvedge_nets_syntax::dcps::{Dcps, Move};

use crate::closure::{NotLifted, NotReduced, Reduction};
use crate::follow::{Rules, follow};
use crate::network::{self, Question, bounded_switch};
use crate::strata::{Solver, stratified, tagged};

/// What is bounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Within {
    /// The switch number of every thread that runs (BSR\[k\]).
    ThreadSwitches(u32),
    /// The same, threads in the order of their switch numbers (SSR\[k\]).
    Strata(u32),
}

impl Within {
    /// The bound.
    pub fn most(self) -> u32 {
        match self {
            Within::ThreadSwitches(most) | Within::Strata(most) => most,
        }
    }
}

/// A reachability query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Query {
    /// The bound.
    pub within: Within,
    /// A new thread has the switch number 0, not its creator's plus one.
    pub fresh_switches: bool,
    /// The solver for the formulas of strata.
    pub solver: Solver,
}

/// The answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reach {
    /// A target is reached by this run.
    Reached(Vec<Move>),
    /// No target is reached within the bound.
    Unreachable,
    /// A limit came first.
    Stopped(StopReason),
    /// No answer was found; why.
    GaveUp(String),
    /// The run that was found cannot be executed: a bug of these analyses.
    Defect(String),
}

/// The answer with its figures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reached {
    /// The answer.
    pub reach: Reach,
    /// Markings, or nodes of the automaton of strata.
    pub states: u64,
    /// Steps between them.
    pub transitions: u64,
    /// Symbols and rules of the finite-state network, where it was made from a recursive one.
    pub reduced: Option<(usize, usize)>,
}

/// Decides whether a target is reachable.
pub fn reach(dcps: &Dcps, query: Query, budget: &Budget) -> Reached {
    let ended = |reach| Reached { reach, states: 0, transitions: 0, reduced: None };
    if dcps.is_target(dcps.initial) {
        return ended(Reach::Reached(Vec::new()));
    }
    if dcps.is_finite_state() {
        return executed(dcps, query, finite_state(dcps, query, budget));
    }
    let reduction = match Reduction::build(dcps, query.within.most(), query.fresh_switches, budget) {
        Ok(reduction) => reduction,
        Err(NotReduced::Stopped(reason)) => return ended(Reach::Stopped(reason)),
        Err(NotReduced::Automaton(most)) => {
            return ended(Reach::GaveUp(format!("the automaton of a thread's behaviour has more than {most} states")));
        }
    };
    let mut found = finite_state(&reduction.network, query, budget);
    found.reduced = Some((reduction.network.symbols.len(), reduction.network.rules.len()));
    if let Reach::Reached(moves) = &found.reach {
        found.reach = match reduction.lift(dcps, moves, budget) {
            Ok(lifted) => Reach::Reached(lifted),
            Err(NotLifted::Stopped(reason)) => Reach::Stopped(reason),
            Err(NotLifted::Defect(why)) => Reach::Defect(why),
        };
    }
    executed(dcps, query, found)
}

fn finite_state(dcps: &Dcps, query: Query, budget: &Budget) -> Reached {
    let question = |thread_switches| Question { thread_switches, fresh_switches: query.fresh_switches };
    match query.within {
        Within::ThreadSwitches(k) => of_network(bounded_switch(dcps, question(Some(k)), budget)),
        Within::Strata(k) if query.fresh_switches => {
            if !tagged::fits(dcps, k) {
                let reach = Reach::GaveUp(format!("{k} strata are too many for this network with --fresh-switches"));
                return Reached { reach, states: 0, transitions: 0, reduced: None };
            }
            let tagged = tagged::tag(dcps, k);
            let mut found = of_network(bounded_switch(&tagged.network, question(None), budget));
            if let Reach::Reached(moves) = &mut found.reach {
                tagged.untag(moves);
            }
            found
        }
        Within::Strata(k) => {
            stratified(dcps, k, query.solver, budget).unwrap_or_else(|network::NotFiniteState| Reached {
                reach: Reach::Defect("a recursive network was treated as a finite-state one".to_owned()),
                states: 0,
                transitions: 0,
                reduced: None,
            })
        }
    }
}

fn of_network(outcome: Result<network::Outcome, network::NotFiniteState>) -> Reached {
    let Ok(outcome) = outcome else {
        let why = "a recursive network was treated as a finite-state one".to_owned();
        return Reached { reach: Reach::Defect(why), states: 0, transitions: 0, reduced: None };
    };
    let reach = match outcome.answer {
        network::Answer::Reached(moves) => Reach::Reached(moves),
        network::Answer::Unreachable(_) => Reach::Unreachable,
        network::Answer::Stopped(reason) => Reach::Stopped(reason),
        network::Answer::GaveUp => Reach::GaveUp("the search for a covering run gave up".to_owned()),
        network::Answer::Defect(why) => Reach::Defect(why),
    };
    Reached { reach, states: outcome.states, transitions: outcome.transitions, reduced: None }
}

/// Executes the run that was found.
fn executed(dcps: &Dcps, query: Query, mut found: Reached) -> Reached {
    if let Reach::Reached(moves) = &found.reach {
        let stratified = matches!(query.within, Within::Strata(_));
        let rules = Rules { most: Some(query.within.most()), stratified, fresh_switches: query.fresh_switches };
        if let Err((step, why)) = follow(dcps, rules, moves) {
            found.reach = Reach::Defect(format!("step {} of the run: {why}", step + 1));
        }
    }
    found
}
