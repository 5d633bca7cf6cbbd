//! SSR\[k\]: reachability where threads run in the order of their switch numbers (\[DYN\] Section 4). All
//! contexts of threads with switch number 0 come first, then those with 1, and so on: a stratum each. What
//! a stratum leaves behind is there before the next begins, so only numbers matter, not their order: a run is
//! a path through a finite automaton ([`automaton`]) on which every thread that is activated was
//! left behind by the stratum before. This is a Presburger formula over how often each transition is
//! taken ([`formula`]), and a model of it is a run ([`run`]).

mod automaton;
mod formula;
mod run;
pub(crate) mod tagged;

use std::sync::Arc;

use selvedge_core::Budget;
use selvedge_nets::dcps::Dcps;

use crate::network::NotFiniteState;
use crate::presburger::{self, Solved, SolverLimits, smt};
use crate::reach::{Reach, Reached};
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

/// Whether a target of a finite-state network can be reached within the strata 0 to `k`. `Err` if a rule pushes two
/// symbols.
pub fn stratified(dcps: &Dcps, k: u32, solver: Solver, budget: &Budget) -> Result<Reached, NotFiniteState> {
    if !dcps.is_finite_state() {
        return Err(NotFiniteState);
    }
    let automaton = match Automaton::build(dcps, k, budget) {
        Ok(automaton) => automaton,
        Err(reason) => return Ok(ended(Reach::Stopped(reason), (0, 0))),
    };
    let figures = (automaton.nodes.len() as u64, automaton.edges.len() as u64);
    if automaton.finals.is_empty() {
        return Ok(ended(Reach::Unreachable, figures));
    }
    let (system, connected) = formula::formula(&automaton);
    let automaton = connected.automaton.clone();
    let solved = match solver {
        Solver::BuiltIn => presburger::solve(system, Arc::new(connected), SolverLimits::default(), budget),
        Solver::Installed(program) => smt::solve(program, &system, &connected, budget),
    };
    let reach = match solved {
        Solved::Unsatisfiable => Reach::Unreachable,
        Solved::Stopped(reason) => Reach::Stopped(reason),
        Solved::Unknown(why) => Reach::GaveUp(why),
        Solved::Model(values) => match run::moves(dcps, &automaton, &values) {
            Some(moves) => Reach::Reached(moves),
            None => Reach::GaveUp("the run that was found has more steps than can be shown".to_owned()),
        },
    };
    Ok(ended(reach, figures))
}

fn ended(reach: Reach, (states, transitions): (u64, u64)) -> Reached {
    Reached { reach, states, transitions, reduced: None }
}
