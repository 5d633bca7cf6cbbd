//! `check` for Boolean programs and pushdown systems: which engine, and the explicit one.

use std::collections::BTreeSet;

use selvedge_boolprog::program::{Op, Program};
use selvedge_core::{Budget, Interrupt, StopReason, Trace};
use selvedge_explicit::{Found, Outcome};
use selvedge_machine::{Heading, Machine, classify, narrate};

use super::{BoolModel, Model, Opened, Options, open, trace_options};
use crate::args::{CheckArgs, Engine};
use crate::check::explicit as search;
use crate::check::plan::{Needs, Planned, plan};
use crate::check::properties::Checked;
use crate::check::tell::{self, Subject, Told};
use crate::check::{all_agreed, limits, save};
use crate::console::{Console, complain};
use crate::exit::Exit;
use crate::load::Request;
use crate::{dynamic, progress, symbolic};

/// Checks one file.
pub fn check_file(args: &CheckArgs, request: &Request<'_>, interrupt: &Interrupt, console: &Console) -> Exit {
    if let Some(message) = refusal(args) {
        complain(&message);
        return Exit::Input;
    }
    let options = Options {
        run: args.recursive.run,
        no_assert: args.no_assert,
        deadlock: args.recursive.deadlock,
        reach: args.reach.clone(),
        fresh_switches: args.nets.fresh_switches,
    };
    let Some(opened) = open(request, &options, console) else { return Exit::Input };
    if let Some(exit) = dynamic::check(args, &opened, &options, interrupt, console) {
        return exit;
    }
    match symbolically(args, &opened) {
        Ok(true) => return symbolic::check(args, &opened, &options, interrupt, console),
        Ok(false) => {}
        Err(message) => {
            complain(&message);
            return Exit::Input;
        }
    }
    match &opened.model {
        Model::Bool(model) => explicit(args, &opened, &options, &model.machine, interrupt, console),
        Model::Pds(machine) => explicit(args, &opened, &options, &**machine, interrupt, console),
        Model::Dcps(machine) => explicit(args, &opened, &options, &**machine, interrupt, console),
        Model::Net(model) => explicit(args, &opened, &options, &model.machine, interrupt, console),
    }
}

/// Whether the symbolic engine is the one: if it was asked for, or if nothing was said that only the explicit one can do.
fn symbolically(args: &CheckArgs, opened: &Opened) -> Result<bool, String> {
    if dynamic::is_net(opened) {
        return Ok(false);
    }
    let in_the_way = symbolic::refusal(args).or_else(|| symbolic::cannot(opened));
    let only_symbolic = args.recursive.symbolic_only();
    match (args.recursive.engine, in_the_way, only_symbolic) {
        (Some(Engine::Symbolic), Some(message), _) | (None, Some(message), Some(_)) => Err(message),
        (Some(Engine::Explicit), _, Some(name)) => {
            Err(format!("--{name} is for the symbolic engine (--engine symbolic)"))
        }
        (Some(Engine::Dynamic), ..) => {
            Err("--engine dynamic is for Boolean programs, dynamic networks and nets".to_owned())
        }
        (Some(Engine::Explicit), ..) | (None, Some(_), None) => Ok(false),
        (_, None, _) => Ok(true),
    }
}

fn refusal(args: &CheckArgs) -> Option<String> {
    let promela_only = [("ltl", args.ltl.is_some()), ("no-claim", args.no_claim), ("safety-only", args.safety_only)];
    let (name, _) = promela_only.into_iter().find(|(_, given)| *given)?;
    Some(format!("--{name} is for Promela models"))
}

fn explicit<M: Machine>(
    args: &CheckArgs,
    opened: &Opened,
    options: &Options,
    machine: &M,
    interrupt: &Interrupt,
    console: &Console,
) -> Exit {
    let planned = match plan(args, Needs::default()) {
        Ok(planned) => planned,
        Err(message) => {
            complain(&message);
            return Exit::Input;
        }
    };
    let budget = Budget::start(limits(args), interrupt.clone());
    let mut outcome = {
        let mut observer = progress::observer(console);
        search::run(&planned, machine, &budget, &mut *observer)
    };
    // What was cut off may be within the bound too.
    if matches!(outcome.stop, StopReason::Exhausted | StopReason::Bound) {
        outcome.stop = opened.cut_by().unwrap_or(outcome.stop);
    }
    let traces = traces(args, opened, options, &planned, machine, &outcome, &budget, console);
    if !all_agreed(&opened.path, &traces, &|trace| opened.replay(trace), console) {
        return Exit::Defect;
    }
    let saved = save(args, &opened.path, &traces, &opened.sources, console);
    let checked = checked(args, opened);
    let subject = Subject {
        path: &opened.path,
        sha256: &opened.sha256,
        language: opened.language(),
        sources: &opened.sources,
        engine: "explicit",
        advice: opened.advice(),
    };
    let told = Told {
        args,
        subject,
        planned: &planned,
        outcome: &outcome,
        traces: &traces,
        saved: &saved,
        checked,
        read_hidden: &[],
    };
    tell::tell(&told, console)
}

#[allow(clippy::too_many_arguments)]
fn traces<M: Machine>(
    args: &CheckArgs,
    opened: &Opened,
    options: &Options,
    planned: &Planned,
    machine: &M,
    outcome: &Outcome,
    budget: &Budget,
    console: &Console,
) -> Vec<Trace> {
    if outcome.violations.is_empty() {
        return Vec::new();
    }
    let better = {
        let mut observer = progress::observer(console);
        search::improve(planned, outcome, args.all_violations, machine, budget, &mut *observer)
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
        let found = best.unwrap_or(found);
        let switches = classify(machine, &found.path, planned.counting);
        let heading =
            Heading { input: opened.input(), options: trace_options(options), bound: planned.bound(outcome.bound) };
        narrate(machine, &opened.sources, &found.path, &switches, Some(&found.fault), heading)
    };
    shown.iter().map(told).collect()
}

/// What the options and the model amount to.
pub fn checked(args: &CheckArgs, opened: &Opened) -> Checked {
    let mut checked = Checked::default();
    match &opened.model {
        Model::Bool(model) => bool_properties(args, model, &mut checked),
        Model::Pds(machine) => {
            let pds = machine.pds();
            let names = pds.targets.iter().map(|(state, _)| format!("`{}`", pds.states[state.0 as usize]));
            let names: BTreeSet<String> = names.collect();
            checked_targets(names, &mut checked);
        }
        Model::Dcps(machine) => {
            let dcps = machine.dcps();
            let names = dcps.targets.iter().map(|(state, _)| format!("`{}`", dcps.state_name(*state)));
            checked_targets(names.collect(), &mut checked);
        }
        Model::Net(model) => {
            let net = model.machine.net();
            let names = net.targets.iter().map(|target| format!("`{}`", net.shown(&target.need)));
            checked_targets(names.collect(), &mut checked);
        }
    }
    match args.recursive.deadlock {
        true => checked.properties.push("invalid end states".to_owned()),
        false if dynamic::is_net(opened) => {
            checked
                .not("invalid end states", "because a run may end anywhere (--engine explicit --deadlock checks them)");
        }
        false if matches!(opened.model, Model::Pds(_)) => {
            checked
                .not("invalid end states", "because a thread without a rule only ends a run (--deadlock checks them)");
        }
        false => checked.not("invalid end states", "because a false `assume` only ends a run (--deadlock checks them)"),
    }
    checked
}

fn checked_targets(names: BTreeSet<String>, checked: &mut Checked) {
    match names.is_empty() {
        true => checked.not("targets", "because the file has none"),
        false => checked.properties.push(format!("targets {}", Vec::from_iter(names).join(", "))),
    }
}

fn bool_properties(args: &CheckArgs, model: &BoolModel, checked: &mut Checked) {
    let program = &model.built.program;
    match (args.no_assert, assertions(program)) {
        (true, _) => checked.not("assertions", "because of --no-assert"),
        (false, 0) => checked.not("assertions", "because the program has none"),
        (false, n) => checked.properties.push(format!("assertions ({n})")),
    }
    let mut labels: BTreeSet<&str> = program.targets.iter().map(|target| target.label.as_str()).collect();
    labels.extend(args.reach.as_deref());
    for label in labels {
        checked.properties.push(format!("label `{label}` is not reached"));
    }
}

/// Assertions of the source.
fn assertions(program: &Program) -> usize {
    let spans = program.edges.iter().filter(|edge| matches!(edge.op, Op::Assert(_))).map(|edge| edge.span);
    spans.collect::<BTreeSet<_>>().len()
}
