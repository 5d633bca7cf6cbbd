//! `selvedge simulate`: one run of a model, its steps chosen by a seed, by the user or by a trace.
//! Claims are left out (as Spin's simulator does), except where a trace was found with one.

pub mod follow;
mod interactive;
mod random;
mod run;
mod tell;

use selvedge_core::trace::TraceOptions;
use selvedge_core::{Bound, Counting, Heading, Trace, classify, narrate};
use selvedge_promela::build::{BuildOptions, ClaimSelection};
use selvedge_promela::machine::Properties;

use crate::args::SimulateArgs;
use crate::console::{Console, advise, complain};
use crate::exit::Exit;
use crate::load::{self, Opened, Request};
use crate::trace_file::{self, Found};

use run::{End, Run};
use tell::Told;

/// Runs the command.
pub fn run(args: &SimulateArgs, console: &Console) -> Exit {
    let Some((opened, trace)) = open(args, console) else { return Exit::Input };
    let mut run = Run::new(&opened.built.machine, args.no_deadlock);
    if let Some(trace) = &trace {
        match follow::follow(&opened, trace) {
            Ok(path) => run.resume(path),
            Err(stuck) => {
                complain(&format!("the trace does not fit the model: step {}: {}", stuck.step, stuck.reason));
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
        interactive::choose_steps(&mut run, &opened, console, |run| told(&opened, run, options.clone()))
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
    tell::tell(&Told { args, opened: &opened, end, trace: &trace, saved }, console)
}

/// The model, and the trace to follow if there is one.
fn open(args: &SimulateArgs, console: &Console) -> Option<(Opened, Option<Trace>)> {
    if let Some(path) = &args.replay {
        let Found { trace, opened } = trace_file::open(path, args.file.as_deref(), args.format, console)?;
        return Some((opened, Some(trace)));
    }
    let file = args.file.as_deref()?;
    let properties = Properties { assertions: !args.no_assert, end_states: true, ..Properties::default() };
    let options = BuildOptions { claim: ClaimSelection::None, properties, ..BuildOptions::default() };
    let opened = load::open(&Request::new(file, args.language, args.format), &options, console)?;
    Some((opened, None))
}

/// The run so far as a trace.
fn told(opened: &Opened, run: &Run<'_>, options: TraceOptions) -> Trace {
    let fault = run.fault();
    let (path, input) = (run.path(), trace_file::input_of(opened));
    let heading = Heading { input, options, bound: Bound::UNBOUNDED };
    let switches = classify(&opened.built.machine, path, Counting::default());
    narrate(&opened.built.machine, &opened.sources, path, &switches, fault.as_ref(), heading)
}
