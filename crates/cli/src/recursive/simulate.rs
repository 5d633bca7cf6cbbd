//! `simulate` for Boolean programs and pushdown systems.

use selvedge_core::trace::TraceOptions;
use selvedge_core::{Bound, Trace, ViolationKind};
use selvedge_machine::{Counting, Heading, Machine, classify, narrate};

use super::{Model, Opened, Options, open, options_of, replay, trace_options};
use crate::args::SimulateArgs;
use crate::console::{Console, complain};
use crate::exit::Exit;
use crate::load::Request;
use crate::simulate::run::{End, Run};
use crate::simulate::tell::{self, Told};
use crate::simulate::{follow, interactive, random};
use crate::{simulate, trace_file};

/// Runs the command; `trace` is the one to follow.
pub fn run(args: &SimulateArgs, trace: Option<Trace>, console: &Console) -> Exit {
    let options = match &trace {
        Some(trace) => options_of(trace),
        // Being stuck is told, but no violation.
        None => Options { run: args.recursive, no_assert: args.no_assert, deadlock: true, ..Options::default() },
    };
    let opened = match (&trace, &args.replay, &args.file) {
        (Some(trace), Some(path), model) => replay::open_model(trace, path, model.as_deref(), args.format, console),
        (_, _, Some(file)) => open(&Request::new(file, args.language, args.format), &options, console),
        _ => None,
    };
    let Some(opened) = opened else { return Exit::Input };
    match &opened.model {
        Model::Bool(model) => simulate_machine(args, &opened, &options, &model.machine, trace.as_ref(), console),
        Model::Pds(machine) => simulate_machine(args, &opened, &options, &**machine, trace.as_ref(), console),
        Model::Dcps(machine) => simulate_machine(args, &opened, &options, &**machine, trace.as_ref(), console),
        Model::Net(model) => simulate_machine(args, &opened, &options, &model.machine, trace.as_ref(), console),
    }
}

fn simulate_machine<M: Machine>(
    args: &SimulateArgs,
    opened: &Opened,
    options: &Options,
    machine: &M,
    trace: Option<&Trace>,
    console: &Console,
) -> Exit {
    let kind = trace.and_then(|trace| trace.violation.as_ref()).map(|violation| violation.kind);
    let mut run = Run::new(machine, kind != Some(ViolationKind::InvalidEndState));
    if let Some(trace) = trace {
        match follow::follow(machine, &opened.sources, trace) {
            Ok(path) => run.resume(path),
            Err(stuck) => {
                complain(&simulate::misfit(&stuck));
                return Exit::Input;
            }
        }
    }
    let trace_options = trace.map_or_else(|| trace_options(options), |trace| trace.options.clone());
    let told = |run: &Run<'_, M>| told(opened, run, trace_options.clone());
    let end = if args.interactive {
        interactive::choose_steps(&mut run, &opened.sources, console, told)
    } else if trace.is_some() {
        run.end().unwrap_or(End::TraceOver)
    } else {
        random::run(&mut run, args.seed, args.steps)
    };
    let trace = told(&run);
    let saved = match &args.trace_out {
        Some(path) if !trace_file::save(&trace, path) => return Exit::Input,
        Some(path) => Some(path.display().to_string()),
        None => None,
    };
    let language = opened.language();
    tell::tell(&Told { args, path: &opened.path, language, end, trace: &trace, saved }, console)
}

/// The run so far as a trace.
fn told<M: Machine>(opened: &Opened, run: &Run<'_, M>, options: TraceOptions) -> Trace {
    let fault = run.fault();
    let switches = classify(run.machine(), run.path(), Counting::default());
    let heading = Heading { input: opened.input(), options, bound: Bound::UNBOUNDED };
    narrate(run.machine(), &opened.sources, run.path(), &switches, fault.as_ref(), heading)
}
