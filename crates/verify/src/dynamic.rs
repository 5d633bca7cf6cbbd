//! The dynamic engine: networks, nets, and programs that create threads. The run that the engine finds becomes one of
//! the machine and the judge replays it; a certificate is checked before the answer is given.

mod bounded;
mod program;

use selvedge_certificate::{Certificate, CertificateFile, Subject, SwitchBound, check};
use selvedge_core::{Bound, BoundKind, Budget, Layer, Observer, Stats, StopReason, Trace, Verdict};
use selvedge_dynamic::cover::{self, cover};
use selvedge_dynamic::network::{Bounds, iterate};
use selvedge_machine::{Describe, Heading, Hints, Path, narrate_within};
use selvedge_nets::dcps::{DcpsMachine, DcpsOptions};
use selvedge_nets::net::NetMachine;
use selvedge_nets_syntax::dcps::{Dcps, Move};

use selvedge_core::Evidence;

use crate::answer::{Answer, Details, DynamicCount, DynamicDetails, FoundViolation};
use crate::judge;
use crate::model::{Executable, OpenModel};
use crate::properties::Checked;
use crate::refusal::Refusal;
use crate::request::{Engine, Request};

pub(crate) use program::suits_better;

/// A check.
struct Check<'a> {
    request: &'a Request,
    model: &'a OpenModel,
    budget: &'a Budget,
}

/// What the engine found out.
struct Found {
    /// The bounds that were completed without a violation.
    layers: Vec<Layer>,
    /// The bound of the answer.
    bound: Bound,
    /// The run to a target.
    run: Option<Trace>,
    /// The certificate that the checker accepted, and the bound it is for.
    certificate: Option<(Option<u32>, Certificate)>,
    /// No bound can change the answer.
    holds: bool,
    /// Why it holds, where there is no certificate to be written.
    why_holds: Option<&'static str>,
    /// Why the engine gave up.
    gave_up: Option<String>,
    /// The steps of a run to a target that a limit kept from being written down and replayed.
    unwritten: Option<usize>,
    stop: StopReason,
    states: u64,
    transitions: u64,
    bytes: u64,
}

/// Why a run that was found has no trace.
enum NoTrace {
    /// A limit came first.
    Stopped(StopReason),
    /// The run does not fit the model.
    Refused(Refusal),
}

impl From<StopReason> for NoTrace {
    fn from(reason: StopReason) -> Self {
        NoTrace::Stopped(reason)
    }
}

impl Found {
    /// Nothing is known yet.
    fn nothing(bound: Bound) -> Found {
        Found {
            layers: Vec::new(),
            bound,
            run: None,
            certificate: None,
            holds: false,
            why_holds: None,
            gave_up: None,
            unwritten: None,
            stop: StopReason::Exhausted,
            states: 0,
            transitions: 0,
            bytes: 0,
        }
    }

    /// Takes a run of `steps` steps, or the reason why there is none.
    fn take_run(&mut self, trace: Result<Trace, NoTrace>, steps: usize) -> Result<(), Refusal> {
        match trace {
            Ok(trace) => {
                self.stop = StopReason::Violation;
                self.run = Some(trace);
            }
            Err(NoTrace::Stopped(reason)) => {
                self.stop = reason;
                self.unwritten = Some(steps);
            }
            Err(NoTrace::Refused(refusal)) => return Err(refusal),
        }
        Ok(())
    }
}

/// Makes a trace of a run that was found within a bound.
type Narrator<'a> = dyn Fn(&[Move], Bound) -> Result<Trace, NoTrace> + 'a;

/// Options that need each other, or a model of another kind.
pub(crate) fn conflict(request: &Request, model: &OpenModel) -> Option<String> {
    if request.dynamic.solver.is_some() && request.bounds.strata.is_none() {
        return Some("--solver is only for --strata".to_owned());
    }
    let recursive = matches!(&model.executable, Executable::Dcps(machine) if !machine.dcps().is_finite_state());
    if request.dynamic.certificate && (recursive || request.bounds.strata.is_some()) {
        return Some("--certificate is only for networks and nets that are decided by coverability".to_owned());
    }
    None
}

/// Checks a model.
pub(crate) fn run(
    request: &Request,
    model: &OpenModel,
    checked: &Checked,
    budget: &Budget,
    observer: &mut dyn Observer,
) -> Result<Answer, Refusal> {
    let check = Check { request, model, budget };
    let found = match &model.executable {
        Executable::Dcps(machine) => {
            let narrator = |moves: &[Move], bound| check.network_trace(machine, moves, bound);
            check.network(machine.dcps(), &narrator, observer)?
        }
        Executable::Net(net) => check.net(&net.machine, observer)?,
        Executable::Bool(program) => check.program(program, observer)?,
        Executable::Promela(_) | Executable::Pds(_) => {
            return Err(Refusal::defect(format!("{}: the dynamic engine does not read this language", model.path)));
        }
    };
    check.conclude(found, checked)
}

impl Check<'_> {
    fn conclude(&self, found: Found, checked: &Checked) -> Result<Answer, Refusal> {
        let mut traces = Vec::from_iter(found.run.clone());
        let mut warnings = Vec::new();
        let replayed = judge::replayed(self.model, &mut traces, &mut warnings, self.budget)?;
        let proved = traces.is_empty() && found.certificate.is_some();
        let evidence = if proved { Evidence::Certificate } else { replayed };
        let verdict = match () {
            () if !traces.is_empty() => Verdict::Violated,
            () if checked.nothing() => Verdict::Inconclusive,
            () if found.holds => Verdict::Holds,
            () if found.stop == StopReason::Bound => Verdict::HoldsWithinBound,
            () => Verdict::Inconclusive,
        };
        let counts = match (&self.model.executable, found.bound.kind) {
            (Executable::Net(_), _) => DynamicCount::Tokens,
            (_, BoundKind::Strata) => DynamicCount::Strata,
            _ => DynamicCount::ThreadSwitches,
        };
        let kind = if counts == DynamicCount::Strata { BoundKind::Strata } else { BoundKind::ThreadSwitches };
        let covered = found.layers.last().map(|layer| Bound { kind, value: Some(layer.bound) });
        let decidable = matches!(&self.model.executable, Executable::Dcps(machine) if machine.dcps().is_finite_state());
        let stats = self.stats(&found);
        let certificate =
            found.certificate.as_ref().and_then(|(bound, certificate)| self.certificate_file(*bound, certificate));
        Ok(Answer {
            path: self.model.path.clone(),
            language: self.model.language,
            sha256: self.model.sha256.clone(),
            sources: self.model.sources.clone(),
            engine: Engine::Dynamic,
            verdict,
            bound: found.bound,
            complete: found.holds || found.stop == StopReason::Bound,
            covered,
            stop: found.stop,
            layers: found.layers,
            stats,
            violations: traces.iter().filter_map(FoundViolation::of).collect(),
            traces,
            minimal: None,
            checked: checked.clone(),
            properties: Vec::new(),
            parts: Vec::new(),
            evidence,
            warnings,
            advice: self.model.advice(),
            details: Details::Dynamic(DynamicDetails {
                counts,
                certificate,
                why_holds: found.why_holds,
                gave_up: found.gave_up,
                unwritten: found.unwritten,
                decidable,
            }),
        })
    }

    fn stats(&self, found: &Found) -> Stats {
        Stats {
            states: found.states,
            transitions: found.transitions,
            max_depth: found.run.as_ref().map_or(0, |trace| trace.steps.len()) as u64,
            seconds: self.budget.elapsed().as_secs_f64(),
            peak_memory_bytes: found.bytes,
            bytes_per_state: found.bytes as f64 / found.states.max(1) as f64,
            revisits: 0,
        }
    }

    fn certificate_file(&self, thread_switches: Option<u32>, certificate: &Certificate) -> Option<CertificateFile> {
        let bound = SwitchBound { thread_switches, fresh_switches: self.request.dynamic.fresh_switches };
        CertificateFile::new(subject(self.model)?, &self.model.path, &self.model.sha256, bound, certificate)
    }

    fn rejected(&self, flaw: &selvedge_certificate::Flaw) -> Refusal {
        Refusal::defect(format!("{}: the checker rejects the certificate of the engine: {}", self.model.path, flaw.0))
    }

    /// A network: one bound, or one after the other.
    fn network(&self, dcps: &Dcps, narrator: &Narrator<'_>, observer: &mut dyn Observer) -> Result<Found, Refusal> {
        let (bounds, fresh_switches) = (&self.request.bounds, self.request.dynamic.fresh_switches);
        if bounds.strata.is_some() || !dcps.is_finite_state() {
            return self.bounded(dcps, narrator, observer);
        }
        let asked = match (bounds.thread_switches, bounds.unbounded) {
            (Some(bound), _) => Bounds::Exactly(bound),
            (None, true) => Bounds::Unbounded,
            (None, false) => Bounds::From0(bounds.max_bound),
        };
        let found = iterate(dcps, asked, fresh_switches, self.budget, observer)
            .map_err(|_| Refusal::request(self.recursion()))?;
        if let Some(why) = &found.defect {
            return Err(Refusal::defect(format!("{}: {why}", self.model.path)));
        }
        let stopped = !matches!(found.stop, StopReason::Exhausted | StopReason::Bound | StopReason::Violation);
        let answered = found.levels.last().map(|level| level.figures).unwrap_or_default();
        let last = if stopped { found.figures } else { answered };
        let safe = found.levels.iter().filter(|level| level.safe && level.bound.is_some());
        let layers: Vec<Layer> = safe.map(|level| level.figures).collect();
        let reached = found.run.as_ref().map_or_else(|| layers.last().map(|layer| layer.bound), |(bound, _)| *bound);
        let bound = match asked {
            Bounds::Unbounded => Bound::UNBOUNDED,
            Bounds::Exactly(bound) => switches(Some(bound)),
            Bounds::From0(_) if found.holds => switches(None),
            Bounds::From0(_) => switches(Some(reached.unwrap_or(0))),
        };
        let mut answer = Found {
            layers,
            holds: found.holds,
            stop: found.stop,
            states: last.states,
            transitions: last.transitions,
            bytes: found.peak_bytes,
            ..Found::nothing(bound)
        };
        if let Some((thread_switches, certificate)) = &found.certificate {
            let bound = SwitchBound { thread_switches: *thread_switches, fresh_switches };
            let accepted = certificate.check(dcps, bound).map_err(|flaw| self.rejected(&flaw))?;
            answer.certificate = Some((*thread_switches, accepted));
        }
        if let Some((at, moves)) = &found.run {
            let heading = if at.is_none() { Bound::UNBOUNDED } else { switches(*at) };
            answer.take_run(narrator(moves, heading), moves.len())?;
        }
        Ok(answer)
    }

    /// A network whose stacks grow, or the program of one, cannot be decided without a bound.
    fn recursion(&self) -> String {
        format!(
            "`{}`: --unbounded cannot be decided where threads are recursive, because two stacks can compute anything: \
             bound it with --thread-switches or --strata",
            self.model.path
        )
    }

    fn network_trace(&self, machine: &DcpsMachine, moves: &[Move], bound: Bound) -> Result<Trace, NoTrace> {
        // A run cannot create more threads than it has steps.
        let limits = DcpsOptions {
            thread_limit: moves.len() as u32 + 1,
            stack_limit: moves.len() as u32 + 1,
            thread_switches: bound.value,
            fresh_switches: self.request.dynamic.fresh_switches,
            deadlock: false,
        };
        let machine = DcpsMachine::new(machine.dcps().clone(), &self.model.sources, limits);
        self.trace(&machine, machine.run_within(moves, self.budget)?, bound)
    }

    fn net(&self, machine: &NetMachine, observer: &mut dyn Observer) -> Result<Found, Refusal> {
        let outcome = cover(machine.net(), cover::Options::default(), self.budget, observer);
        let mut found = Found {
            states: outcome.states,
            transitions: outcome.transitions,
            bytes: outcome.bytes,
            ..Found::nothing(Bound::UNBOUNDED)
        };
        match outcome.answer {
            cover::Answer::Covered(run) => {
                let path = machine.run_within(&run.start, &run.transitions, self.budget);
                let trace = path.map_err(NoTrace::from).and_then(|path| self.trace(machine, path, Bound::UNBOUNDED));
                found.take_run(trace, run.transitions.len())?;
            }
            cover::Answer::Safe(certificate) => {
                check(machine.net(), &certificate).map_err(|flaw| self.rejected(&flaw))?;
                found.holds = true;
                found.certificate = Some((None, certificate));
            }
            cover::Answer::Stopped(stop) => found.stop = stop,
            cover::Answer::GaveUp => found.stop = StopReason::GaveUp,
            cover::Answer::Defect(why) => {
                return Err(Refusal::defect(format!("{}: {why}", self.model.path)));
            }
        }
        Ok(found)
    }

    /// The trace of a run that must end in a target.
    fn trace<M: Describe + Hints>(&self, machine: &M, path: Option<Path>, bound: Bound) -> Result<Trace, NoTrace> {
        let path = path.ok_or_else(|| self.disagreement("the machine cannot follow the run"))?;
        let last = path.steps.last().map_or(&path.initial, |step| &step.state);
        let fault = machine.state_fault(last).ok_or_else(|| self.disagreement("the run ends in no target"))?;
        Ok(narrate_within(machine, &self.model.sources, &path, &fault, self.heading(bound), self.budget)?)
    }

    fn heading(&self, bound: Bound) -> Heading {
        Heading { input: self.model.input(), options: self.model.trace_options.clone(), bound }
    }

    fn disagreement(&self, why: &str) -> NoTrace {
        let message = format!("{}: the engine and the interpreter disagree: {why}", self.model.path);
        NoTrace::Refused(Refusal::defect(message))
    }
}

fn switches(value: Option<u32>) -> Bound {
    Bound { kind: BoundKind::ThreadSwitches, value }
}

/// What certificates of a model are about. `None` if there are none for it.
fn subject(model: &OpenModel) -> Option<Subject<'_>> {
    match &model.executable {
        Executable::Net(model) => Some(Subject::Net(model.machine.net())),
        Executable::Dcps(machine) => Some(Subject::Network(machine.dcps())),
        Executable::Promela(_) | Executable::Bool(_) | Executable::Pds(_) => None,
    }
}
