//! `check` for Boolean programs and pushdown systems with the symbolic engine: analyses, turns the run it finds into one of the
//! machine, lets the independent interpreter replay it, and tells.

mod refuse;
mod sequentialize;
mod tell;

use selvedge_boolprog::machine::{BoolMachine, MachineOptions};
use selvedge_boolprog::program::Program;
use selvedge_core::{Bound, BoundKind, Budget, Interrupt, Trace};
use selvedge_machine::{Counting, Fault, Heading, Machine, Path, classify, narrate};
use selvedge_nets::pds::{PdsMachine, PdsOptions};
use selvedge_symbolic::analysis::{self, Method, Outcome, Violation, analyse, error_projection};
use selvedge_symbolic::from_pds::{Converted, convert};
use selvedge_symbolic::witness::run_of;

use crate::args::{Analysis, CheckArgs};
use crate::check::{all_agreed, limits, save};
use crate::console::{Console, complain, report_defect};
use crate::exit::Exit;
use crate::progress;
use crate::recursive::answer::{self, Common};
use crate::recursive::check::checked;
use crate::recursive::{Model, Opened, Options, trace_options};

pub use refuse::{cannot, refusal};
pub use sequentialize::run as sequentialize;

/// Shared states that `--print-reachable` prints at most.
const MOST_SHARED: usize = 100_000;

/// Checks a model that [`cannot`] has nothing against.
pub fn check(args: &CheckArgs, opened: &Opened, options: &Options, interrupt: &Interrupt, console: &Console) -> Exit {
    let converted = match &opened.model {
        Model::Bool(_) | Model::Dcps(_) | Model::Net(_) => None,
        Model::Pds(machine) => Some(convert(machine.pds())),
    };
    let program = match (&opened.model, &converted) {
        (Model::Bool(model), _) => &model.built.program,
        (_, Some(converted)) => &converted.program,
        (Model::Pds(_) | Model::Dcps(_) | Model::Net(_), None) => return Exit::Defect,
    };
    let budget = Budget::start(limits(args), interrupt.clone());
    let asked = asked(args);
    let outcome = {
        let mut observer = progress::observer(console);
        analyse(program, &asked, &budget, &mut *observer)
    };
    let outcome = match outcome {
        Ok(outcome) => outcome,
        Err(too_large) => {
            complain(&format!("--analysis {}: {}", method_name(asked.method), too_large.0));
            return Exit::Input;
        }
    };
    let trace = match outcome.violation.as_ref().map(|v| trace_of(opened, options, converted.as_ref(), v)).transpose() {
        Ok(trace) => trace,
        Err(why) => {
            report_defect(&format!("{}: the analysis and the interpreter disagree: {why}", opened.path));
            return Exit::Defect;
        }
    };
    let traces = Vec::from_iter(trace);
    if !all_agreed(&opened.path, &traces, &|trace| opened.replay(trace), console) {
        return Exit::Defect;
    }
    let saved = save(args, &opened.path, &traces, &opened.sources, console);
    let projection = projection(args, program, &outcome, &budget);
    let common = Common { args, opened, trace: traces.first(), saved: &saved, checked: checked(args, opened) };
    let converted = converted.as_ref();
    let told = tell::Told { common, program, converted, method: asked.method, outcome: &outcome, projection };
    answer::tell(&told, console)
}

fn asked(args: &CheckArgs) -> analysis::Options {
    let method = match args.recursive.analysis.unwrap_or_default() {
        Analysis::Lazy => Method::Lazy,
        Analysis::Eager => Method::Eager,
        Analysis::Pds => Method::Pds,
        Analysis::Spds => Method::Spds,
    };
    analysis::Options {
        method,
        rounds: args.bounds.rounds,
        max_rounds: args.bounds.max_bound,
        keep_going: args.keep_going,
        deadlock: false,
        list_shared: if args.recursive.print_reachable { MOST_SHARED } else { 0 },
    }
}

/// As the command line spells it.
fn method_name(method: Method) -> &'static str {
    match method {
        Method::Lazy => "lazy",
        Method::Eager => "eager",
        Method::Pds => "pds",
        Method::Spds => "spds",
    }
}

/// The run of a violation as a trace; the error is one sentence.
fn trace_of(
    opened: &Opened,
    options: &Options,
    converted: Option<&Converted>,
    violation: &Violation,
) -> Result<Trace, String> {
    // A run cannot have more calls inside each other than steps.
    let stack_limit = violation.moves.len() as u32 + 32;
    match &opened.model {
        Model::Bool(model) => {
            let limits = MachineOptions { stack_limit, ..MachineOptions::default() };
            let machine = BoolMachine::new(model.built.program.clone(), &opened.sources, limits);
            let (path, fault) = run_of(&machine, violation)?;
            Ok(told(&machine, opened, options, &path, &fault, violation.rounds))
        }
        Model::Pds(given) => {
            let limits = PdsOptions { stack_limit, ..PdsOptions::default() };
            let machine = PdsMachine::new(given.pds().clone(), &opened.sources, limits);
            let rules = converted.map(|converted| converted.rules(&violation.moves)).unwrap_or_default();
            let path = machine.run(&rules).ok_or("the machine cannot follow the rules")?;
            let state = path.steps.last().map_or(&path.initial, |step| &step.state);
            let of_step = path.steps.last().and_then(|step| step.faults.first().cloned());
            let fault = of_step.or_else(|| machine.state_fault(state)).ok_or("the run ends in no target")?;
            Ok(told(&machine, opened, options, &path, &fault, violation.rounds))
        }
        Model::Dcps(_) | Model::Net(_) => Err("a net is not for this engine".to_owned()),
    }
}

fn told<M: Machine>(machine: &M, opened: &Opened, options: &Options, path: &Path, fault: &Fault, rounds: u32) -> Trace {
    let bound = Bound { kind: BoundKind::Rounds, value: Some(rounds) };
    let heading = Heading { input: opened.input(), options: trace_options(options), bound };
    let switches = classify(machine, path, Counting::default());
    narrate(machine, &opened.sources, path, &switches, Some(fault), heading)
}

/// Where each thread can be on its way to a violation, if that was asked for: one line for each place.
fn projection(args: &CheckArgs, program: &Program, outcome: &Outcome, budget: &Budget) -> Option<tell::Projection> {
    if !args.recursive.error_projection {
        return None;
    }
    let Some(violation) = &outcome.violation else { return Some(tell::Projection::NoViolation) };
    Some(match error_projection(program, violation.rounds, budget) {
        Ok(Ok(nodes)) => tell::Projection::Nodes(nodes),
        Ok(Err(stop)) => tell::Projection::Stopped(stop),
        Err(too_large) => tell::Projection::TooLarge(too_large.0),
    })
}
