//! Boolean programs that create threads, with the dynamic engine: compiled to a network, and its run told by the
//! machine of Boolean programs, with the places of the source.

use selvedge_boolprog::endless::creates_without_limit;
use selvedge_boolprog::guide;
use selvedge_boolprog::machine::{BoolMachine, MachineOptions};
use selvedge_core::{Bound, Budget};
use selvedge_dynamic::program::{Compiled, Refused, compile};
use selvedge_machine::{Fault, Heading, Machine, Path, narrate_within};
use selvedge_nets_syntax::dcps::Move;

use super::{Found, Untold, network, refuse};
use crate::args::{CheckArgs, Engine};
use crate::console::{Console, complain, report_defect};
use crate::exit::Exit;
use crate::recursive::{BoolModel, Model, Opened, Options, trace_options};

/// Whether the dynamic engine is asked for a program.
pub fn wanted(args: &CheckArgs, opened: &Opened) -> bool {
    let bounded = args.bounds.thread_switches.is_some() || args.bounds.strata.is_some();
    matches!(opened.model, Model::Bool(_)) && (bounded || args.recursive.engine == Some(Engine::Dynamic))
}

/// Whether the dynamic engine is the one to begin with, though nobody asked for it: threads are created without limit, so a
/// search state by state need not end, and nothing was said that only such a search can do.
pub fn better(args: &CheckArgs, opened: &Opened, budget: &Budget) -> bool {
    let Model::Bool(model) = &opened.model else { return false };
    let free = args.recursive.engine.is_none() && !args.bounds.unbounded && refuse::refusal(args, opened).is_none();
    free && creates_without_limit(&model.built.program)
        && !matches!(compile(&model.built.program, budget), Err(Refused::Unsuited(_) | Refused::TooLarge(_)))
}

/// Checks a program.
pub fn check(
    args: &CheckArgs,
    opened: &Opened,
    options: &Options,
    model: &BoolModel,
    budget: &Budget,
    console: &Console,
) -> Result<Found, Exit> {
    let compiled = match compile(&model.built.program, budget) {
        Ok(compiled) => compiled,
        Err(Refused::Stopped(reason)) => {
            let kind = if args.bounds.strata.is_some() {
                selvedge_core::BoundKind::Strata
            } else {
                selvedge_core::BoundKind::ThreadSwitches
            };
            let mut found = super::bounded::nothing(Bound { kind, value: Some(0) });
            found.stop = reason;
            found.seconds = budget.elapsed().as_secs_f64();
            return Ok(found);
        }
        Err(Refused::Unsuited(what)) => {
            complain(&format!(
                "`{}`: the dynamic engine cannot analyse a program that {what}: use --rounds, or --engine explicit",
                opened.path
            ));
            return Err(Exit::Input);
        }
        Err(Refused::TooLarge(why)) => {
            complain(&format!(
                "`{}`: the program is too large for the dynamic engine, which lists shared and local states: {why}; \
                 --engine explicit looks at runs one by one",
                opened.path
            ));
            return Err(Exit::Input);
        }
    };
    let told = |moves: &[Move], bound| match path(&compiled, model, opened, moves) {
        Ok((machine, path, fault)) => {
            let heading = Heading { input: opened.input(), options: trace_options(options), bound };
            // Every switch of a thread counts here, and a thread that creates others never comes back to a state.
            Ok(narrate_within(&machine, &opened.sources, &path, &fault, heading, budget)?)
        }
        Err(why) => {
            report_defect(&format!("{}: the engine and the interpreter disagree: {why}", opened.path));
            Err(Untold::Ended(Exit::Defect))
        }
    };
    let mut found = network(args, opened, &compiled.dcps, &told, budget, console)?;
    // A proof speaks of a net that the user does not see.
    if found.proof.take().is_some() {
        found.why_holds = Some("by coverability, with any number of threads at each place");
    }
    Ok(found)
}

/// The run of the network as one of the program, with the violation that it ends in; the error is one sentence.
fn path(
    compiled: &Compiled,
    model: &BoolModel,
    opened: &Opened,
    moves: &[Move],
) -> Result<(BoolMachine, Path, Fault), String> {
    // A run cannot have more calls inside each other than steps.
    let limits = MachineOptions { stack_limit: moves.len() as u32 + 32, ..MachineOptions::default() };
    let machine = BoolMachine::new(model.built.program.clone(), &opened.sources, limits);
    let moves = compiled.moves(moves);
    let path = guide::follow(&machine, &moves)
        .map_err(|stuck| format!("after {} of {} steps: {}", stuck.moves, moves.len(), stuck.reason))?;
    let fault = fault_of(&machine, &path).ok_or("the run ends in no violation")?;
    Ok((machine, path, fault))
}

fn fault_of(machine: &BoolMachine, path: &Path) -> Option<Fault> {
    let Some(last) = path.steps.last() else { return machine.state_fault(&path.initial) };
    let state = Some(&last.state).filter(|state| !state.is_empty());
    last.faults.first().cloned().or_else(|| machine.state_fault(state?))
}
