//! Dynamic networks, nets, and programs that create threads: `check` with the dynamic engine, `certify`, `convert`. The run that the engine finds
//! becomes one of the machine, the independent interpreter replays it, and the answer is told.

mod bounded;
pub mod certify;
pub mod convert;
mod program;
mod proof;
mod refuse;
mod tell;

use selvedge_core::{
    Bound, BoundKind, Budget, Heading, Interrupt, Layer, Machine, Path, StopReason, Trace, narrate_within,
};
use selvedge_dynamic::cover::certificate::Certificate;
use selvedge_dynamic::cover::{self, cover};
use selvedge_dynamic::network::{Bounds, iterate};
use selvedge_nets::dcps::{Dcps, DcpsMachine, DcpsOptions, Move};
use selvedge_nets::net::NetMachine;

use crate::args::{CheckArgs, Engine};
use crate::check::{all_agreed, limits, save};
use crate::console::{Console, complain, report_defect};
use crate::exit::Exit;
use crate::progress;
use crate::recursive::answer::{self, Common};
use crate::recursive::check::checked;
use crate::recursive::{Model, Opened, Options, trace_options};

/// What the engine found out.
pub struct Found {
    /// The bounds that were completed without a violation.
    layers: Vec<Layer>,
    /// The bound of the answer.
    bound: Bound,
    /// The run to a target.
    run: Option<Trace>,
    /// The proof, and the bound it is for.
    proof: Option<(Option<u32>, Certificate)>,
    /// No bound can change the answer.
    holds: bool,
    /// Why it holds, where there is no proof to be written.
    why_holds: Option<&'static str>,
    /// Why the engine gave up.
    gave_up: Option<String>,
    /// The steps of a run to a target that a limit kept from being written down and replayed.
    unwritten: Option<usize>,
    stop: StopReason,
    states: u64,
    transitions: u64,
    bytes: u64,
    seconds: f64,
}

/// Why a run that was found is not told.
enum Untold {
    /// A limit came first.
    Stopped(StopReason),
    /// Everything was said.
    Ended(Exit),
}

impl From<StopReason> for Untold {
    fn from(reason: StopReason) -> Self {
        Untold::Stopped(reason)
    }
}

impl Found {
    /// Takes a run of so many steps, or why there is none.
    fn take_run(&mut self, told: Result<Trace, Untold>, steps: usize) -> Result<(), Exit> {
        match told {
            Ok(trace) => {
                self.stop = StopReason::Violation;
                self.run = Some(trace);
            }
            Err(Untold::Stopped(reason)) => {
                self.stop = reason;
                self.unwritten = Some(steps);
            }
            Err(Untold::Ended(exit)) => return Err(exit),
        }
        Ok(())
    }
}

/// Whether a model is a network or a net.
pub fn is_net(opened: &Opened) -> bool {
    matches!(opened.model, Model::Dcps(_) | Model::Net(_))
}

/// Checks a network or a net with the dynamic engine. `None` if it is for another engine.
pub fn check(
    args: &CheckArgs,
    opened: &Opened,
    options: &Options,
    interrupt: &Interrupt,
    console: &Console,
) -> Option<Exit> {
    let budget = Budget::start(limits(args), interrupt.clone());
    if !is_net(opened) && !program::wanted(args, opened) && !program::better(args, opened, &budget) {
        let message = args.nets.refusal().or_else(|| args.recursive.run.nets.refusal())?;
        complain(&message);
        return Some(Exit::Input);
    }
    if let Some(message) = refuse::refusal(args, opened) {
        complain(&message);
        return Some(Exit::Input);
    }
    if args.recursive.engine == Some(Engine::Explicit) {
        return None;
    }
    let found = match &opened.model {
        Model::Dcps(machine) => {
            let told = |moves: &[Move], bound| network_trace(opened, options, machine, moves, bound, &budget);
            network(args, opened, machine.dcps(), &told, &budget, console)
        }
        Model::Net(model) => net(opened, options, &model.machine, &budget, console),
        Model::Bool(model) => program::check(args, opened, options, model, &budget, console),
        Model::Pds(_) => return None,
    };
    Some(match found {
        Ok(found) => conclude(args, opened, &found, console),
        Err(exit) => exit,
    })
}

/// Replays, saves and tells.
fn conclude(args: &CheckArgs, opened: &Opened, found: &Found, console: &Console) -> Exit {
    let traces = Vec::from_iter(found.run.clone());
    if !all_agreed(&opened.path, &traces, &|trace| opened.ask(trace), console) {
        return Exit::Defect;
    }
    let saved = save(args, &opened.path, &traces, &opened.sources, console);
    let proof = match (&args.nets.certificate, &found.proof) {
        (Some(path), Some((bound, certificate))) => {
            let proof = proof::Proof::new(opened, *bound, args.nets.fresh_switches, certificate);
            match proof.write(path) {
                Ok(()) => Some(path.display().to_string()),
                Err(message) => {
                    complain(&message);
                    return Exit::Input;
                }
            }
        }
        _ => None,
    };
    let trace = found.run.as_ref();
    let common = Common { args, opened, trace, saved: &saved, checked: checked(args, opened) };
    answer::tell(&tell::Told { common, found, proof: proof.as_ref() }, console)
}

/// Makes a trace of a run that was found within a bound.
type Teller<'a> = dyn Fn(&[Move], Bound) -> Result<Trace, Untold> + 'a;

/// A network: one bound, or one after the other.
fn network(
    args: &CheckArgs,
    opened: &Opened,
    dcps: &Dcps,
    told: &Teller<'_>,
    budget: &Budget,
    console: &Console,
) -> Result<Found, Exit> {
    if args.bounds.strata.is_some() || !dcps.is_finite_state() {
        return bounded::network(args, opened, dcps, told, budget, console);
    }
    let bounds = match (args.bounds.thread_switches, args.bounds.unbounded) {
        (Some(bound), _) => Bounds::Exactly(bound),
        (None, true) => Bounds::Unbounded,
        (None, false) => Bounds::From0(args.bounds.max_bound),
    };
    let found = {
        let mut observer = progress::observer(console);
        iterate(dcps, bounds, args.nets.fresh_switches, budget, &mut *observer)
    };
    let Ok(found) = found else {
        complain(&refuse::recursion(opened));
        return Err(Exit::Input);
    };
    if let Some(why) = &found.defect {
        report_defect(&format!("{}: {why}", opened.path));
        return Err(Exit::Defect);
    }
    let stopped = !matches!(found.stop, StopReason::Exhausted | StopReason::Bound | StopReason::Violation);
    let answered = found.levels.last().map(|level| level.figures).unwrap_or_default();
    let last = if stopped { found.figures } else { answered };
    let safe = found.levels.iter().filter(|level| level.safe && level.bound.is_some());
    let layers: Vec<Layer> = safe.map(|level| level.figures).collect();
    let reached = found.run.as_ref().map_or_else(|| layers.last().map(|layer| layer.bound), |(bound, _)| *bound);
    let bound = match bounds {
        Bounds::Unbounded => Bound::UNBOUNDED,
        Bounds::Exactly(bound) => switches(Some(bound)),
        Bounds::From0(_) if found.holds => switches(None),
        Bounds::From0(_) => switches(Some(reached.unwrap_or(0))),
    };
    let mut answer = Found {
        layers,
        holds: found.holds,
        proof: found.certificate,
        stop: found.stop,
        states: last.states,
        transitions: last.transitions,
        bytes: found.peak_bytes,
        ..bounded::nothing(bound)
    };
    if let Some((at, moves)) = &found.run {
        let heading = if at.is_none() { Bound::UNBOUNDED } else { switches(*at) };
        answer.take_run(told(moves, heading), moves.len())?;
    }
    answer.seconds = budget.elapsed().as_secs_f64();
    Ok(answer)
}

fn switches(value: Option<u32>) -> Bound {
    Bound { kind: BoundKind::ThreadSwitches, value }
}

fn network_trace(
    opened: &Opened,
    options: &Options,
    machine: &DcpsMachine,
    moves: &[Move],
    bound: Bound,
    budget: &Budget,
) -> Result<Trace, Untold> {
    // A run cannot create more threads than it has steps.
    let limits = DcpsOptions {
        thread_limit: moves.len() as u32 + 1,
        stack_limit: moves.len() as u32 + 1,
        thread_switches: bound.value,
        fresh_switches: options.fresh_switches,
        deadlock: false,
    };
    let machine = DcpsMachine::new(machine.dcps().clone(), &opened.sources, limits);
    told(opened, options, &machine, machine.run_within(moves, budget)?, bound, budget)
}

fn net(
    opened: &Opened,
    options: &Options,
    machine: &NetMachine,
    budget: &Budget,
    console: &Console,
) -> Result<Found, Exit> {
    let outcome = {
        let mut observer = progress::observer(console);
        cover(machine.net(), cover::Options::default(), budget, &mut *observer)
    };
    let mut found = Found {
        states: outcome.states,
        transitions: outcome.transitions,
        bytes: outcome.bytes,
        ..bounded::nothing(Bound::UNBOUNDED)
    };
    match outcome.answer {
        cover::Answer::Covered(run) => {
            let path = machine.run_within(&run.start, &run.transitions, budget);
            let trace = path
                .map_err(Untold::from)
                .and_then(|path| told(opened, options, machine, path, Bound::UNBOUNDED, budget));
            found.take_run(trace, run.transitions.len())?;
        }
        cover::Answer::Safe(certificate) => {
            found.holds = true;
            found.proof = Some((None, certificate));
        }
        cover::Answer::Stopped(stop) => found.stop = stop,
        cover::Answer::GaveUp => found.stop = StopReason::GaveUp,
        cover::Answer::Defect(why) => {
            report_defect(&format!("{}: {why}", opened.path));
            return Err(Exit::Defect);
        }
    }
    found.seconds = budget.elapsed().as_secs_f64();
    Ok(found)
}

/// The trace of a run that must end in a target.
fn told<M: Machine>(
    opened: &Opened,
    options: &Options,
    machine: &M,
    path: Option<Path>,
    bound: Bound,
    budget: &Budget,
) -> Result<Trace, Untold> {
    let defect = |why: &str| {
        report_defect(&format!("{}: the engine and the interpreter disagree: {why}", opened.path));
        Untold::Ended(Exit::Defect)
    };
    let path = path.ok_or_else(|| defect("the machine cannot follow the run"))?;
    let last = path.steps.last().map_or(&path.initial, |step| &step.state);
    let fault = machine.state_fault(last).ok_or_else(|| defect("the run ends in no target"))?;
    let heading = Heading { input: opened.input(), options: trace_options(options), bound };
    Ok(narrate_within(machine, &opened.sources, &path, &fault, heading, budget)?)
}
