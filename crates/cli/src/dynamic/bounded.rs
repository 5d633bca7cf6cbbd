//! Strata, and networks whose threads are recursive: one bound after the other, or the one that was asked for.

use selvedge_core::{Bound, BoundKind, Budget, Event, Layer, Observer, StopReason};
use selvedge_dynamic::closure::harmless;
use selvedge_dynamic::presburger::smt::Program;
use selvedge_dynamic::reach::{Ask, Reach, Within, reach};
use selvedge_dynamic::strata::Solver;
use selvedge_nets_syntax::dcps::Dcps;

use super::{Found, Teller, refuse};
use crate::args::{CheckArgs, SolverName};
use crate::console::{Console, complain, report_defect};
use crate::exit::Exit;
use crate::progress;
use crate::recursive::Opened;

/// Answers for a network.
pub fn network(
    args: &CheckArgs,
    opened: &Opened,
    dcps: &Dcps,
    told: &Teller<'_>,
    budget: &Budget,
    console: &Console,
) -> Result<Found, Exit> {
    if args.bounds.unbounded {
        complain(&refuse::recursion(opened));
        return Err(Exit::Input);
    }
    if args.nets.certificate.is_some() {
        complain("--certificate is for networks and nets that are decided by coverability");
        return Err(Exit::Input);
    }
    let solver = solver(args)?;
    let (first, last) = match (args.bounds.strata, args.bounds.thread_switches) {
        (Some(k), _) | (None, Some(k)) => (k, Some(k)),
        (None, None) => (0, args.bounds.max_bound),
    };
    let mut found = nothing(bound(args, Some(first)));
    if !dcps.is_finite_state() {
        match harmless(dcps, budget) {
            Ok(true) => {
                found.holds = true;
                found.why_holds = Some("each thread, whatever the others do, meets none");
                found.bound = bound(args, None);
                found.seconds = budget.elapsed().as_secs_f64();
                return Ok(found);
            }
            Ok(false) => {}
            Err(reason) => {
                found.stop = reason;
                found.seconds = budget.elapsed().as_secs_f64();
                return Ok(found);
            }
        }
    }
    let mut observer = progress::observer(console);
    for k in first..=last.unwrap_or(u32::MAX) {
        let within = if args.bounds.strata.is_some() { Within::Strata(k) } else { Within::ThreadSwitches(k) };
        let ask = Ask { within, fresh_switches: args.nets.fresh_switches, solver };
        if !level(dcps, ask, &mut found, told, budget, opened, &mut *observer)? {
            break;
        }
    }
    found.seconds = budget.elapsed().as_secs_f64();
    Ok(found)
}

/// One bound; whether the next is to be looked at.
fn level(
    dcps: &Dcps,
    ask: Ask,
    found: &mut Found,
    told: &Teller<'_>,
    budget: &Budget,
    opened: &Opened,
    observer: &mut dyn Observer,
) -> Result<bool, Exit> {
    let answer = reach(dcps, ask, budget);
    found.states += answer.states;
    found.transitions += answer.transitions;
    let here = Bound { value: Some(ask.within.most()), ..found.bound };
    match answer.reach {
        Reach::Reached(moves) => {
            found.bound = here;
            found.take_run(told(&moves, here), moves.len())?;
            Ok(false)
        }
        Reach::Unreachable => {
            let layer = Layer {
                bound: ask.within.most(),
                states: found.states,
                new_states: answer.states,
                transitions: found.transitions,
                seconds: budget.elapsed().as_secs_f64(),
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
        Reach::Defect(why) => {
            report_defect(&format!("{}: {why}", opened.path));
            Err(Exit::Defect)
        }
    }
}

fn bound(args: &CheckArgs, value: Option<u32>) -> Bound {
    let kind = if args.bounds.strata.is_some() { BoundKind::Strata } else { BoundKind::ThreadSwitches };
    Bound { kind, value }
}

/// Nothing is known yet.
pub fn nothing(bound: Bound) -> Found {
    Found {
        layers: Vec::new(),
        bound,
        run: None,
        proof: None,
        holds: false,
        why_holds: None,
        gave_up: None,
        unwritten: None,
        stop: StopReason::Exhausted,
        states: 0,
        transitions: 0,
        bytes: 0,
        seconds: 0.0,
    }
}

/// Who solves; an installed solver must be there.
fn solver(args: &CheckArgs) -> Result<Solver, Exit> {
    let program = match args.nets.solver {
        None | Some(SolverName::Builtin) => return Ok(Solver::BuiltIn),
        Some(SolverName::Z3) => Program::Z3,
        Some(SolverName::Cvc5) => Program::Cvc5,
    };
    if args.nets.fresh_switches {
        complain("--solver is for strata without --fresh-switches: with it there is no formula to solve");
        return Err(Exit::Input);
    }
    if !program.is_installed() {
        complain(&format!("--solver {0}: `{0}` is not installed, or not in the PATH", program.name()));
        return Err(Exit::Input);
    }
    Ok(Solver::Installed(program))
}
