//! SSR\[k\]: reachability where threads run in the order of their switch numbers (\[DYN\] Section 4). All
//! contexts of threads with switch number 0 come first, then those with 1, and so on: a stratum each. What
//! a stratum leaves behind is there before the next begins, so only numbers matter, not their order: a run is
//! a path through a finite automaton ([`automaton`]) on which every thread that is activated was
//! left behind by the stratum before. This is a Presburger formula over how often each transition is
//! taken ([`formula`]), and a model of it is a run ([`run`]).

mod automaton;
mod formula;
mod run;

use std::sync::Arc;

use selvedge_core::{Budget, StopReason};
use selvedge_nets::dcps::Dcps;

use crate::network::{Answer, NotFiniteState, Outcome};
use crate::presburger::{self, Solved, SolverLimits, smt};
use automaton::Automaton;

/// Who solves the formula.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Solver {
    /// The solver that is built in.
    #[default]
    BuiltIn,
    /// An installed one.
    Installed(smt::Program),
}

/// The answer, and why there is none where the solver gave up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stratified {
    /// The answer with its figures: nodes and transitions of the automaton.
    pub outcome: Outcome,
    /// Why the solver gave up; the answer is then that it stopped.
    pub gave_up: Option<String>,
}

/// Whether a target of a finite-state network can be reached within the strata 0 to `k`. `Err` if a rule pushes two
/// symbols.
pub fn stratified(dcps: &Dcps, k: u32, solver: Solver, budget: &Budget) -> Result<Stratified, NotFiniteState> {
    if !dcps.is_finite_state() {
        return Err(NotFiniteState);
    }
    let automaton = match Automaton::build(dcps, k, budget) {
        Ok(automaton) => automaton,
        Err(reason) => return Ok(ended(Answer::Stopped(reason), None, (0, 0))),
    };
    let figures = (automaton.nodes.len() as u64, automaton.edges.len() as u64);
    if automaton.finals.is_empty() {
        return Ok(ended(Answer::Unreachable, None, figures));
    }
    let (system, connected) = formula::formula(&automaton);
    let automaton = connected.automaton.clone();
    let solved = match solver {
        Solver::BuiltIn => presburger::solve(system, Arc::new(connected), SolverLimits::default(), budget),
        Solver::Installed(program) => smt::solve(program, &system, &connected, budget),
    };
    let (answer, gave_up) = match solved {
        Solved::Unsatisfiable => (Answer::Unreachable, None),
        Solved::Stopped(reason) => (Answer::Stopped(reason), None),
        Solved::Unknown(why) => (Answer::Stopped(StopReason::States), Some(why)),
        Solved::Model(values) => match run::moves(dcps, &automaton, &values) {
            Some(moves) => (Answer::Reached(moves), None),
            None => {
                let why = "the run that was found has more steps than can be shown".to_owned();
                (Answer::Stopped(StopReason::Depth), Some(why))
            }
        },
    };
    Ok(ended(answer, gave_up, figures))
}

fn ended(answer: Answer, gave_up: Option<String>, (states, transitions): (u64, u64)) -> Stratified {
    Stratified { outcome: Outcome { answer, states, transitions }, gave_up }
}
