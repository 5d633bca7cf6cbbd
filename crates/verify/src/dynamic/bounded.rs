//! Strata, and networks whose threads are recursive: one bound after the other, or the one that was asked for.

use selvedge_core::{Bound, BoundKind, Event, Layer, Observer, StopReason};
use selvedge_dynamic::closure::safe_without_switches;
use selvedge_dynamic::presburger::smt::Program;
use selvedge_dynamic::reach::{Query, Reach, Within, reach};
use selvedge_dynamic::strata::Solver;
use selvedge_nets_syntax::dcps::Dcps;

use super::{Check, Found, Narrator};
use crate::refusal::Refusal;
use crate::request::{Request, SolverName};

impl Check<'_> {
    /// Answers for a network.
    pub(super) fn bounded(
        &self,
        dcps: &Dcps,
        narrator: &Narrator<'_>,
        observer: &mut dyn Observer,
    ) -> Result<Found, Refusal> {
        let bounds = &self.request.bounds;
        if bounds.unbounded {
            return Err(Refusal::request(self.recursion()));
        }
        let solver = solver(self.request)?;
        let (first, last) = match (bounds.strata, bounds.thread_switches) {
            (Some(k), _) | (None, Some(k)) => (k, Some(k)),
            (None, None) => (0, bounds.max_bound),
        };
        let mut found = Found::nothing(self.bound(Some(first)));
        if !dcps.is_finite_state() {
            match safe_without_switches(dcps, self.budget) {
                Ok(true) => {
                    found.holds = true;
                    found.why_holds = Some("no thread alone reaches a target, whatever the others do");
                    found.bound = self.bound(None);
                    return Ok(found);
                }
                Ok(false) => {}
                Err(reason) => {
                    found.stop = reason;
                    return Ok(found);
                }
            }
        }
        for k in first..=last.unwrap_or(u32::MAX) {
            let within = if bounds.strata.is_some() { Within::Strata(k) } else { Within::ThreadSwitches(k) };
            let query = Query { within, fresh_switches: self.request.dynamic.fresh_switches, solver };
            if !self.level(dcps, query, &mut found, narrator, observer)? {
                break;
            }
        }
        Ok(found)
    }

    /// One bound; whether the next is to be explored.
    fn level(
        &self,
        dcps: &Dcps,
        query: Query,
        found: &mut Found,
        narrator: &Narrator<'_>,
        observer: &mut dyn Observer,
    ) -> Result<bool, Refusal> {
        let answer = reach(dcps, query, self.budget);
        found.states += answer.states;
        found.transitions += answer.transitions;
        let here = Bound { value: Some(query.within.most()), ..found.bound };
        match answer.reach {
            Reach::Reached(moves) => {
                found.bound = here;
                found.take_run(narrator(&moves, here), moves.len())?;
                Ok(false)
            }
            Reach::Unreachable => {
                let layer = Layer {
                    bound: query.within.most(),
                    states: found.states,
                    new_states: answer.states,
                    transitions: found.transitions,
                    seconds: self.budget.elapsed().as_secs_f64(),
                };
                observer.event(&Event::Layer(layer));
                found.layers.push(layer);
                found.bound = here;
                found.stop = StopReason::Bound;
                Ok(true)
            }
            Reach::Stopped(reason) => {
                found.stop = reason;
                Ok(false)
            }
            Reach::GaveUp(why) => {
                found.stop = StopReason::GaveUp;
                found.gave_up = Some(why);
                Ok(false)
            }
            Reach::Defect(why) => Err(Refusal::defect(format!("{}: {why}", self.model.path))),
        }
    }

    /// A bound of the kind that was asked for.
    pub(super) fn bound(&self, value: Option<u32>) -> Bound {
        let strata = self.request.bounds.strata.is_some();
        Bound { kind: if strata { BoundKind::Strata } else { BoundKind::ThreadSwitches }, value }
    }
}

/// The solver; an installed one must be there.
fn solver(request: &Request) -> Result<Solver, Refusal> {
    let program = match request.dynamic.solver {
        None | Some(SolverName::Builtin) => return Ok(Solver::BuiltIn),
        Some(SolverName::Z3) => Program::Z3,
        Some(SolverName::Cvc5) => Program::Cvc5,
    };
    if request.dynamic.fresh_switches {
        return Err(Refusal::request(
            "--solver is only for --strata without --fresh-switches: with it there is no formula to solve",
        ));
    }
    if !program.is_installed() {
        let message = format!("--solver {0}: `{0}` is not installed or not in PATH", program.name());
        return Err(Refusal::request(message));
    }
    Ok(Solver::Installed(program))
}
