//! `selvedge check`: opens each model, searches it, replays what was found and tells it.

pub mod explicit;
pub mod next;
pub mod outputs;
pub mod plan;
pub mod properties;
mod refuse;
pub mod say;
mod several;
pub mod tell;

use std::path::{Path, PathBuf};

use selvedge_core::trace::TraceLocation;
use selvedge_core::{Budget, Interrupt, Limits, ReplayError, StopReason, Trace};
use selvedge_explicit::{Found, Outcome};
use selvedge_machine::{Heading, classify, narrate, preemptions_per_cycle, retrace};
use selvedge_promela::build::{BuildOptions, ClaimSelection, plain_machine, stepping_machine};
use selvedge_promela::machine::{self, PromelaMachine};
use selvedge_report::lanes;
use selvedge_source::SourceMap;

use crate::args::{CheckArgs, Optimize};
use crate::console::{Console, complain};
use crate::exit::Exit;
use crate::independent;
use crate::load::{self, Opened, Request};
use crate::{memory, progress, publish, recursive, signals, trace_file, view};

use plan::{Needs, Plan, Planned, plan};
use properties::Checked;
pub use tell::{NOTHING_CHECKED, PROMELA_ADVICE};
use tell::{Subject, Told};

/// Runs the command.
pub fn run(args: &CheckArgs, console: &Console) -> Exit {
    if let Some(message) = refuse::refusal(args) {
        complain(&message);
        return Exit::Input;
    }
    if !outputs::can_write(args) || !publish::can_write(&args.machine) {
        return Exit::Input;
    }
    let interrupt = signals::catch();
    if args.until_stdin_ends {
        signals::set_when_stdin_ends(interrupt.clone());
    }
    if args.threads > 1 && args.files.len() == 1 {
        console.warn(
            "--threads is for several FILEs, which are then checked at once: a search of its own uses one thread",
        );
    }
    let exit = if several::at_once(args) > 1 {
        several::check_all(args, &interrupt, console)
    } else {
        one_by_one(args, &interrupt, console)
    };
    exit.worst(publish::publish(&args.machine, console))
}

fn one_by_one(args: &CheckArgs, interrupt: &Interrupt, console: &Console) -> Exit {
    let mut exit = Exit::NoViolation;
    for (index, file) in args.files.iter().enumerate() {
        // The first one is told about even if nothing was explored.
        if index > 0 && interrupt.is_set() {
            exit = exit.worst(Exit::Inconclusive);
            break;
        }
        exit = exit.worst(check_and_judge(args, file, interrupt, console));
    }
    exit
}

fn check_and_judge(args: &CheckArgs, file: &Path, interrupt: &Interrupt, console: &Console) -> Exit {
    console.begin(&file.display().to_string());
    let ended = check_file(args, file, interrupt, console);
    publish::judge(&args.machine, ended, console)
}

fn check_file(args: &CheckArgs, file: &Path, interrupt: &Interrupt, console: &Console) -> Exit {
    let request = Request::new(file, args.language, args.format);
    if recursive::reads(&request) {
        return recursive::check::check_file(args, &request, interrupt, console);
    }
    if let Some(message) = args.recursive.refusal().or_else(|| args.nets.refusal()) {
        complain(&message);
        return Exit::Input;
    }
    let options = build_options(args);
    let Some(mut opened) = load::open(&request, &options, console) else {
        return Exit::Input;
    };
    let planned = match planned(args, &opened) {
        Ok(planned) => planned,
        Err(message) => {
            complain(&message);
            return Exit::Input;
        }
    };
    if args.fair && !matches!(planned.plan, Plan::Cycles(_)) {
        console.warn(
            "--fair changes nothing: no property here is about infinite runs (an `ltl` formula, --acceptance and \
             --non-progress can be)",
        );
    }
    if matches!(&planned.plan, Plan::Spin(options) if options.reduction) {
        opened.built.machine = opened.built.machine.reduced_as_spin();
    }
    let budget = Budget::start(limits(args), interrupt.clone());
    let outcome = {
        let mut observer = progress::observer(console);
        explicit::run(&planned, &opened.built.machine, &budget, &mut *observer)
    };
    let traces = traces(args, &opened, &options, &planned, &outcome, &budget, console);
    if !all_agreed(&opened.path, &traces, &|trace| independent::replay(&opened, trace), console) {
        return Exit::Defect;
    }
    let saved = save(args, &opened.path, &traces, &opened.sources, console);
    let mut checked = Checked::of(args, &opened.built);
    checked.never_reached = never_reached(args, &opened, &outcome);
    let subject = Subject {
        path: &opened.path,
        sha256: &opened.sha256,
        language: load::PROMELA,
        sources: &opened.sources,
        engine: "explicit",
        advice: tell::PROMELA_ADVICE,
    };
    let told = Told {
        args,
        subject,
        planned: &planned,
        outcome: &outcome,
        traces: &traces,
        saved: &saved,
        checked,
        read_hidden: &opened.built.read_hidden,
    };
    tell::tell(&told, console)
}

/// The assertions that no run came to. Of a search that was cut short that says nothing.
fn never_reached(args: &CheckArgs, opened: &Opened, outcome: &Outcome) -> Vec<String> {
    let whole = matches!(outcome.stop, StopReason::Exhausted | StopReason::Bound) && outcome.omission.is_none();
    if args.no_assert || !whole || !opened.built.read_hidden.is_empty() || !outcome.violations.is_empty() {
        return Vec::new();
    }
    let spans = opened.built.machine.program().assertions.unreached();
    spans.into_iter().map(|span| TraceLocation::from(opened.sources.location(span)).to_string()).collect()
}

/// What has to be known of a model before it is searched many times.
pub struct Looked {
    /// Infinite runs are searched.
    pub cycles: bool,
    /// There is no property of any kind.
    pub nothing_to_check: bool,
}

/// Opens the first model and plans its search. If that fails, everything was said.
pub fn look(args: &CheckArgs, console: &Console) -> Result<Looked, Exit> {
    let refused = |message: String| {
        complain(&message);
        Exit::Input
    };
    if let Some(message) = refuse::refusal(args) {
        return Err(refused(message));
    }
    let request = Request::new(&args.files[0], args.language, args.format);
    let opened = load::open(&request, &build_options(args), console).ok_or(Exit::Input)?;
    let planned = planned(args, &opened).map_err(refused)?;
    let nothing_to_check = Checked::of(args, &opened.built).nothing();
    Ok(Looked { cycles: matches!(planned.plan, Plan::Cycles(_)), nothing_to_check })
}

/// The search of a model that the options ask for.
fn planned(args: &CheckArgs, opened: &Opened) -> Result<Planned, String> {
    let needs = Needs { liveness: opened.built.liveness, counts_steps: opened.built.counts_steps };
    refuse::claim_in_the_way(args, &opened.built).map_or_else(|| plan(args, needs), Err)
}

fn build_options(args: &CheckArgs) -> BuildOptions {
    let claim = match (&args.ltl, args.no_claim) {
        (Some(text), _) => ClaimSelection::Chosen(text.clone()),
        (None, true) => ClaimSelection::None,
        (None, false) => ClaimSelection::FromFile,
    };
    let properties = machine::Properties {
        assertions: !args.no_assert,
        end_states: !args.no_deadlock,
        reach: args.reach.clone(),
        acceptance: args.acceptance,
    };
    let optimize = args.optimize == Optimize::Safe;
    BuildOptions { claim, properties, optimize, keep_steps: args.bounds.depth.is_some() }
}

/// What the run may use.
pub fn limits(args: &CheckArgs) -> Limits {
    Limits {
        time: args.time_limit,
        memory: args.memory_limit.or_else(|| Some(memory::default_limit()? / several::at_once(args) as u64)),
        states: args.max_states,
        depth: args.max_depth,
    }
}

/// The runs of the violations that are shown: the first one, or all that were asked for.
fn traces(
    args: &CheckArgs,
    opened: &Opened,
    options: &BuildOptions,
    planned: &Planned,
    outcome: &Outcome,
    budget: &Budget,
    console: &Console,
) -> Vec<Trace> {
    if outcome.violations.is_empty() {
        return Vec::new();
    }
    // The optimised machine merges steps and forgets values: one that does not measures the runs, the plain one tells
    // them.
    let again = |build: fn(_, _, _, _) -> _| {
        options.optimize.then(|| build(&opened.model, &opened.built, &options.properties, &opened.sources)).flatten()
    };
    let stepping: Option<PromelaMachine> = again(stepping_machine);
    let plain: Option<PromelaMachine> = again(plain_machine);
    let searched = &opened.built.machine;
    let measuring = stepping.as_ref().unwrap_or(searched);
    let better = {
        let mut observer = progress::observer(console);
        explicit::improve(planned, outcome, args.all_violations, measuring, budget, &mut *observer)
    };
    if let Some(stop) = better.gave_up {
        console.warn(&tell::not_the_best(stop));
    }
    let shown = if args.all_violations { outcome.violations.as_slice() } else { &outcome.violations[..1] };
    let told = |found: &Found| {
        let best = match args.all_violations {
            true => better.found.iter().find(|better| better.fault == found.fault),
            false => better.found.first(),
        };
        let (machine, found) = best.map_or((searched, found), |best| (measuring, best));
        let switches = classify(machine, &found.path, planned.counting);
        // Followed once more from the start: stored states have the hidden variables of whoever came first.
        let teller = plain.as_ref().unwrap_or(machine);
        let heading = Heading {
            input: trace_file::input_of(opened),
            options: trace_file::options_of(args, &options.claim),
            bound: planned.bound(outcome.bound),
        };
        let per_cycle = |machine: &PromelaMachine, path: &_| preemptions_per_cycle(machine, path, planned.counting);
        let (mut trace, per_cycle) = match retrace(teller, &found.path) {
            Some(path) if path.steps.len() == switches.len() => {
                let trace = narrate(teller, &opened.sources, &path, &switches, Some(&found.fault), heading);
                (trace, per_cycle(machine, &found.path))
            }
            Some(path) => {
                let switches = classify(teller, &path, planned.counting);
                let trace = narrate(teller, &opened.sources, &path, &switches, Some(&found.fault), heading);
                (trace, per_cycle(teller, &path))
            }
            None => {
                let trace = narrate(machine, &opened.sources, &found.path, &switches, Some(&found.fault), heading);
                (trace, per_cycle(machine, &found.path))
            }
        };
        trace.violation.iter_mut().for_each(|violation| violation.set_preemptions_per_cycle(per_cycle));
        trace
    };
    shown.iter().map(told).collect()
}

/// Lets the plain interpreter execute every trace.
pub fn all_agreed(
    path: &str,
    traces: &[Trace],
    replay: &dyn Fn(&Trace) -> Result<(), ReplayError>,
    console: &Console,
) -> bool {
    let mut agreed = true;
    for trace in traces {
        match replay(trace) {
            Ok(()) => {}
            Err(ReplayError::Unsupported { reason }) => {
                console.warn(&format!("the run was not replayed independently: {reason}"));
            }
            Err(ReplayError::Mismatch { step, reason }) => {
                independent::report_disagreement(path, step, &reason, &lanes(trace, &console.lanes_on_stderr()));
                agreed = false;
            }
        }
    }
    agreed
}

/// What was written of the runs that are shown: names of files, one for each run or none.
#[derive(Clone, Debug, Default)]
pub struct Saved {
    /// Traces.
    pub traces: Vec<String>,
    /// Views.
    pub views: Vec<String>,
}

/// Saves the traces of the model at `model` and their views where that was asked for. What cannot be written is told, and
/// the answer is given all the same.
pub fn save(args: &CheckArgs, model: &str, traces: &[Trace], sources: &SourceMap, console: &Console) -> Saved {
    let written = |out: &PathBuf| {
        let out = outputs::file_for(out, outputs::TRACE, model, args);
        let save = |(index, trace)| {
            let path = trace_file::numbered(&out, index);
            console.kept(trace_file::save(trace, &path)).then(|| path.display().to_string())
        };
        traces.iter().enumerate().filter_map(save).collect()
    };
    let views = view::save(args, model, traces, sources, console);
    Saved { traces: args.trace_out.as_ref().map(written).unwrap_or_default(), views }
}
