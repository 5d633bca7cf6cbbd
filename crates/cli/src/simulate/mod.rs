//! `selvedge simulate`: one run of a model, its steps chosen by a seed, by the user or by a trace.
//! Claims are left out (as Spin's simulator does), except where a trace was found with one.

pub mod follow;
pub mod interactive;
pub mod random;
pub mod run;
pub mod stepper;
pub mod tell;

use selvedge_core::trace::TraceOptions;
use selvedge_core::{Bound, Trace};
use selvedge_machine::{Counting, Heading, classify, narrate};
use selvedge_promela::build::{BuildOptions, ClaimSelection};
use selvedge_promela::machine::{PromelaMachine, Properties};

use crate::args::SimulateArgs;
use crate::console::{Console, advise, complain};
use crate::exit::Exit;
use crate::load::{self, Opened, Request};
use crate::recursive;
use crate::trace_file::{self, Found};

use run::{End, Run};
use tell::Told;

/// Runs the command.
pub fn run(args: &SimulateArgs, console: &Console) -> Exit {
    let trace = match args.replay.as_deref().map(trace_file::read) {
        Some(None) => return Exit::Input,
        Some(trace) => trace,
        None => None,
    };
    let by_trace = trace.as_ref().map(|trace| recursive::language_of(trace).is_some());
    let by_file =
        || args.file.as_deref().is_some_and(|file| recursive::reads(&Request::new(file, args.language, args.format)));
    if by_trace.unwrap_or_else(by_file) {
        return recursive::simulate::run(args, trace, console);
    }
    if let Some(message) = args.recursive.refusal() {
        complain(&message);
        return Exit::Input;
    }
    run_promela(args, trace, console)
}

fn run_promela(args: &SimulateArgs, trace: Option<Trace>, console: &Console) -> Exit {
    let Some((opened, trace)) = open(args, trace, console) else { return Exit::Input };
    let mut run = Run::new(&opened.built.machine, args.no_deadlock);
    if let Some(trace) = &trace {
        match follow::follow(&opened.built.machine, &opened.sources, trace) {
            Ok(path) => run.resume(path),
            Err(stuck) => {
                complain(&misfit(&stuck));
                advise("if the model was changed on purpose, the trace is out of date: run `selvedge check` again");
                return Exit::Input;
            }
        }
    }
    let options = match &trace {
        Some(trace) => trace.options.clone(),
        None => TraceOptions { no_claim: true, ..TraceOptions::default() },
    };
    let end = if args.interactive {
        interactive::choose_steps(&mut run, &opened.sources, console, |run| told(&opened, run, options.clone()))
    } else if trace.is_some() {
        run.end().unwrap_or(End::TraceOver)
    } else {
        random::run(&mut run, args.seed, args.steps)
    };
    let trace = told(&opened, &run, options);
    let saved = match &args.trace_out {
        Some(path) if !trace_file::save(&trace, path) => return Exit::Input,
        Some(path) => Some(path.display().to_string()),
        None => None,
    };
    let language = load::PROMELA;
    tell::tell(&Told { args, path: &opened.path, language, end, trace: &trace, saved }, console)
}

/// Why a trace cannot be followed.
pub fn misfit(stuck: &follow::Stuck) -> String {
    format!("the trace does not fit the model: step {}: {}", stuck.step, stuck.reason)
}

/// The model, and the trace to follow if there is one.
fn open(args: &SimulateArgs, trace: Option<Trace>, console: &Console) -> Option<(Opened, Option<Trace>)> {
    if let (Some(path), Some(trace)) = (&args.replay, trace) {
        let Found { trace, opened } = trace_file::open(trace, path, args.file.as_deref(), args.format, console)?;
        return Some((opened, Some(trace)));
    }
    let file = args.file.as_deref()?;
    let properties = Properties { assertions: !args.no_assert, end_states: true, ..Properties::default() };
    let options = BuildOptions { claim: ClaimSelection::None, properties, ..BuildOptions::default() };
    let opened = load::open(&Request::new(file, args.language, args.format), &options, console)?;
    Some((opened, None))
}

/// The run so far as a trace.
fn told(opened: &Opened, run: &Run<'_, PromelaMachine>, options: TraceOptions) -> Trace {
    let fault = run.fault();
    let (path, input) = (run.path(), trace_file::input_of(opened));
    let heading = Heading { input, options, bound: Bound::UNBOUNDED };
    let switches = classify(&opened.built.machine, path, Counting::default());
    narrate(&opened.built.machine, &opened.sources, path, &switches, fault.as_ref(), heading)
}
