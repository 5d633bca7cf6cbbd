//! `selvedge check`: opens each model, searches it, replays what was found and tells it.

pub mod properties;
mod refuse;
pub mod tell;

use std::path::Path;

use selvedge_core::{Bound, Budget, Interrupt, Limits, Machine, Trace, narrate, retrace};
use selvedge_explicit::{Order, Outcome, SearchOptions, search};
use selvedge_promela::build::{BuildOptions, ClaimSelection, plain_machine};
use selvedge_promela::machine;
use selvedge_report::lanes;

use crate::args::{CheckArgs, Optimize, Search};
use crate::console::{Console, complain};
use crate::exit::Exit;
use crate::independent::{self, Answer};
use crate::load::{self, Opened, Request};
use crate::{memory, progress, recursive, signals, trace_file};

use properties::Checked;
use tell::{Subject, Told};

/// Runs the command.
pub fn run(args: &CheckArgs, console: &Console) -> Exit {
    if let Some(message) = refuse::refusal(args) {
        complain(&message);
        return Exit::Input;
    }
    let interrupt = signals::catch();
    let mut exit = Exit::NoViolation;
    for file in &args.files {
        if interrupt.is_set() {
            return exit.worst(Exit::Inconclusive);
        }
        exit = exit.worst(check_file(args, file, &interrupt, console));
    }
    exit
}

fn check_file(args: &CheckArgs, file: &Path, interrupt: &Interrupt, console: &Console) -> Exit {
    let request = Request::new(file, args.language, args.format);
    if recursive::reads(&request) {
        return recursive::check::check_file(args, &request, interrupt, console);
    }
    if let Some(message) = args.recursive.refusal() {
        complain(&message);
        return Exit::Input;
    }
    let options = build_options(args);
    let Some(opened) = load::open(&request, &options, console) else {
        return Exit::Input;
    };
    if refuse::claim_about_infinite_runs(args, &opened.built) {
        return Exit::Input;
    }
    let outcome = search_machine(args, &opened.built.machine, interrupt, console);
    let traces = traces(args, &opened, &options, &outcome);
    if !all_agreed(&opened.path, &traces, &|trace| independent::ask(&opened, trace), console) {
        return Exit::Defect;
    }
    let Some(saved) = save(args, &traces) else { return Exit::Input };
    let checked = Checked::of(args, &opened.built);
    let subject = Subject {
        path: &opened.path,
        language: load::PROMELA,
        sources: &opened.sources,
        engine: "explicit",
        advice: tell::PROMELA_ADVICE,
    };
    tell::tell(&Told { args, subject, outcome: &outcome, traces: &traces, saved: &saved, checked }, console)
}

fn build_options(args: &CheckArgs) -> BuildOptions {
    let claim = match (&args.ltl, args.no_claim) {
        (Some(text), _) => ClaimSelection::Chosen(text.clone()),
        (None, true) => ClaimSelection::None,
        (None, false) => ClaimSelection::FromFile,
    };
    let properties =
        machine::Properties { assertions: !args.no_assert, end_states: !args.no_deadlock, reach: args.reach.clone() };
    BuildOptions { claim, properties, optimize: args.optimize == Optimize::Safe }
}

/// Searches a machine as the options want it.
pub fn search_machine<M: Machine>(args: &CheckArgs, machine: &M, interrupt: &Interrupt, console: &Console) -> Outcome {
    let order = match args.search {
        Search::Dfs => Order::DepthFirst,
        _ => Order::BreadthFirst,
    };
    let options = SearchOptions { order, keep_going: args.keep_going, all_violations: args.all_violations };
    let limits = Limits {
        time: args.time_limit,
        memory: args.memory_limit.or_else(memory::default_limit),
        states: args.max_states,
        depth: args.max_depth,
    };
    let mut observer = progress::observer(console);
    search(machine, &options, &Budget::start(limits, interrupt.clone()), &mut *observer)
}

/// The traces of the violations that have a run: the first one, or all that were asked for.
fn traces(args: &CheckArgs, opened: &Opened, options: &BuildOptions, outcome: &Outcome) -> Vec<Trace> {
    if outcome.violations.is_empty() {
        return Vec::new();
    }
    let how_many = if args.all_violations { usize::MAX } else { 1 };
    // The optimised machine forgets values it does not need: the plain one tells the run.
    let plain = options
        .optimize
        .then(|| plain_machine(&opened.model, &opened.built, &options.properties, &opened.sources))
        .flatten();
    let told = |found: &selvedge_explicit::Found| {
        let followed = plain.as_ref().and_then(|machine| retrace(machine, &found.path));
        narrate(
            plain.as_ref().filter(|_| followed.is_some()).unwrap_or(&opened.built.machine),
            &opened.sources,
            followed.as_ref().unwrap_or(&found.path),
            Some(&found.fault),
            trace_file::input_of(opened),
            trace_file::options_of(&options.claim, args.reach.as_ref()),
            Bound::UNBOUNDED,
        )
    };
    outcome.violations.iter().take(how_many).map(told).collect()
}

/// Lets the plain interpreter execute every trace.
pub fn all_agreed(path: &str, traces: &[Trace], ask: &dyn Fn(&Trace) -> Answer, console: &Console) -> bool {
    let mut agreed = true;
    for trace in traces {
        match ask(trace) {
            Answer::Agrees => {}
            Answer::CannotTell(reason) => {
                console.warn(&format!("the run was not replayed independently: {reason}"));
            }
            Answer::Disagrees { step, reason } => {
                independent::report_disagreement(path, step, &reason, &lanes(trace, &console.lanes_on_stderr()));
                agreed = false;
            }
        }
    }
    agreed
}

/// Saves the traces where that was asked for; the names of the files. `None` if one could not be.
pub fn save(args: &CheckArgs, traces: &[Trace]) -> Option<Vec<String>> {
    let Some(out) = &args.trace_out else { return Some(Vec::new()) };
    let save = |(index, trace)| {
        let path = trace_file::numbered(out, index);
        trace_file::save(trace, &path).then(|| path.display().to_string())
    };
    traces.iter().enumerate().map(save).collect()
}
