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
use selvedge_nets_syntax::dcps::Dcps;

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
/// symbols. A run within few strata is one within many, and its formula is smaller: few are tried first.
pub fn stratified(dcps: &Dcps, k: u32, solver: Solver, budget: &Budget) -> Result<Reached, NotFiniteState> {
    if !dcps.is_finite_state() {
        return Err(NotFiniteState);
    }
    let fewer = std::iter::successors(Some(1u32), |few| few.checked_mul(2)).take_while(|few| *few < k);
    let mut found = ended(Reach::Unreachable, (0, 0));
    for most in fewer.chain([k]) {
        let automaton = match Automaton::build(dcps, most, budget) {
            Ok(automaton) => automaton,
            Err(reason) => return Ok(ended(Reach::Stopped(reason), (found.states, found.transitions))),
        };
        let figures = (automaton.nodes.len() as u64, automaton.edges.len() as u64);
        // More strata only add to the automaton: one of the same size is the same, and so is its answer.
        if figures != (found.states, found.transitions) {
            found = ended(answer(dcps, automaton, solver, budget), figures);
        }
        if !matches!(found.reach, Reach::Unreachable | Reach::GaveUp(_)) {
            break;
        }
    }
    Ok(found)
}

/// Whether an automaton has a run to a target.
fn answer(dcps: &Dcps, automaton: Automaton, solver: Solver, budget: &Budget) -> Reach {
    if automaton.finals.is_empty() {
        return Reach::Unreachable;
    }
    let (system, connected) = formula::formula(&automaton);
    let automaton = connected.automaton.clone();
    let solved = match solver {
        Solver::BuiltIn => presburger::solve(system, Arc::new(connected), SolverLimits::default(), budget),
        Solver::Installed(program) => smt::solve(program, &system, &connected, budget),
    };
    match solved {
        Solved::Unsatisfiable => Reach::Unreachable,
        Solved::Stopped(reason) => Reach::Stopped(reason),
        Solved::Unknown(why) => Reach::GaveUp(why),
        Solved::Model(values) => match run::moves(dcps, &automaton, &values) {
            Ok(moves) => Reach::Reached(moves),
            Err(run::NoRun::TooLong) => {
                Reach::GaveUp("the run that was found has more steps than can be shown".to_owned())
            }
            Err(run::NoRun::Defect(why)) => Reach::Defect(why),
        },
    }
}

fn ended(reach: Reach, (states, transitions): (u64, u64)) -> Reached {
    Reached { reach, states, transitions, reduced: None }
}
