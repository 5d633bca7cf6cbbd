//! The symbolic engine: analyse, turn the run it finds into one of the machine, let the judge replay it.

use std::collections::BTreeSet;

use selvedge_boolprog::machine::{BoolMachine, MachineOptions};
use selvedge_boolprog::program::{Global, NodeId, Program};
use selvedge_core::{Bound, BoundKind, Budget, Layer, Observer, Stats, StopReason, Trace, Verdict};
use selvedge_machine::{Counting, Describe, Fault, Heading, Hints, Machine, Path, classify_until, narrate_until};
use selvedge_nets::pds::{PdsMachine, PdsOptions};
use selvedge_source::Cancel;
use selvedge_symbolic::analysis::{
    self, MOST_UNCHANGED_ROUNDS, Method, Outcome, Proof, Violation, analyse, error_projection,
};
use selvedge_symbolic::from_pds::{Converted, convert};
use selvedge_symbolic::witness::run_of;

use crate::answer::{
    Answer, Details, DiagramFigures, FoundViolation, Projection, Reachable, RoundFigures, SymbolicDetails,
    SymbolicProof,
};
use crate::choice::Choice;
use crate::judge;
use crate::model::{Executable, OpenModel};
use crate::properties::Checked;
use crate::refusal::Refusal;
use crate::request::{Analysis, Engine, Request};

/// Shared states that are listed at most.
const MOST_SHARED: usize = 100_000;

/// Why the engine cannot analyse a model, if it cannot.
pub(crate) fn unsuited(model: &OpenModel) -> Option<String> {
    let Executable::Bool(model) = &model.executable else { return None };
    let reasons = [
        (model.program.creates_threads(), "creates threads while it runs"),
        (model.program.broadcasts(), "waits for broadcasts"),
        (model.program.init_ends_thread(), "leaves `init` by `end_thread`"),
    ];
    let (_, what) = reasons.into_iter().find(|(applies, _)| *applies)?;
    Some(format!("the symbolic engine cannot analyse a program that {what}: use --engine explicit"))
}

/// The program of a model, made from it where it is a pushdown system. `None` for other models.
pub(crate) fn program_of(model: &OpenModel) -> Option<(Program, Option<Converted>)> {
    match &model.executable {
        Executable::Bool(model) => Some((model.program.clone(), None)),
        Executable::Pds(machine) => {
            let converted = convert(machine.pds());
            Some((converted.program.clone(), Some(converted)))
        }
        Executable::Promela(_) | Executable::Dcps(_) | Executable::Net(_) => None,
    }
}

/// Checks a model that [`unsuited`] has nothing against.
pub(crate) fn run(
    request: &Request,
    model: &OpenModel,
    checked: &Checked,
    budget: &Budget,
    observer: &mut dyn Observer,
) -> Result<Answer, Refusal> {
    let Some((program, converted)) = program_of(model) else {
        return Err(Refusal::defect(format!("{}: the symbolic engine does not accept nets", model.path)));
    };
    let analysis = request.symbolic.analysis.unwrap_or_default();
    let outcome = analyse(&program, &options(request, analysis), budget, observer)
        .map_err(|too_large| Refusal::request(format!("--analysis {}: {}", analysis.name(), too_large.0)))?;
    let check = Check { request, model, program: &program, converted: converted.as_ref(), analysis, outcome: &outcome };
    let cancel = judge::cancel(budget);
    let trace = outcome.violation.as_ref().map(|violation| check.trace(violation, &cancel)).transpose();
    let mut traces = Vec::from_iter(trace.map_err(|why| match cancel.was_cancelled() {
        true => Refusal::Cancelled,
        false => Refusal::defect(format!("{}: the analysis and the interpreter disagree: {why}", model.path)),
    })?);
    let mut warnings = Vec::new();
    let evidence = judge::replayed(model, &mut traces, &mut warnings, budget)?;
    let verdict = check.verdict(checked);
    Ok(Answer {
        path: model.path.clone(),
        language: model.language,
        sha256: model.sha256.clone(),
        sources: model.sources.clone(),
        engine: Engine::Symbolic,
        verdict,
        bound: check.answered(),
        complete: outcome.stop == StopReason::Exhausted,
        covered: check.covered(),
        stop: outcome.stop,
        layers: outcome.rounds.iter().map(layer).collect(),
        stats: check.stats(),
        violations: traces.iter().filter_map(FoundViolation::of).collect(),
        traces,
        minimal: None,
        checked: checked.clone(),
        properties: Vec::new(),
        parts: Vec::new(),
        evidence,
        warnings,
        advice: model.advice(),
        details: Details::Symbolic(check.details(budget)),
    })
}

fn options(request: &Request, analysis: Analysis) -> analysis::Options {
    let method = match analysis {
        Analysis::Lazy => Method::Lazy,
        Analysis::Eager => Method::Eager,
        Analysis::Pds => Method::Pds,
        Analysis::Spds => Method::Spds,
    };
    analysis::Options {
        method,
        rounds: request.bounds.rounds,
        max_rounds: request.bounds.max_bound,
        keep_going: request.search.keep_going,
        deadlock: false,
        list_shared: if request.symbolic.print_reachable { MOST_SHARED } else { 0 },
    }
}

fn layer(round: &analysis::Round) -> Layer {
    Layer {
        bound: round.number,
        states: round.shared as u64,
        new_states: round.new_shared as u64,
        transitions: round.operations,
        seconds: round.seconds,
    }
}

fn rounds(value: u32) -> Bound {
    Bound { kind: BoundKind::Rounds, value: Some(value) }
}

/// An analysis that is over.
struct Check<'a> {
    request: &'a Request,
    model: &'a OpenModel,
    program: &'a Program,
    /// Of a pushdown system, how it became a program.
    converted: Option<&'a Converted>,
    analysis: Analysis,
    outcome: &'a Outcome,
}

impl Check<'_> {
    fn verdict(&self, checked: &Checked) -> Verdict {
        let exhausted = self.outcome.stop == StopReason::Exhausted;
        match () {
            () if self.outcome.violation.is_some() => Verdict::Violated,
            () if checked.nothing() => Verdict::Inconclusive,
            () if exhausted && self.outcome.proof.is_some() => Verdict::Holds,
            () if exhausted => Verdict::HoldsWithinBound,
            () => Verdict::Inconclusive,
        }
    }

    /// The rounds that were explored completely.
    fn completed(&self) -> u32 {
        self.outcome.rounds.last().map_or(0, |round| round.number)
    }

    /// The largest bound without a violation. Rounds behind a violation may be completed, too.
    fn covered(&self) -> Option<Bound> {
        let first = self.outcome.violation.as_ref().map_or(u32::MAX, |violation| violation.rounds);
        Some(self.completed().min(first.saturating_sub(1))).filter(|covered| *covered > 0).map(rounds)
    }

    /// The bound that the answer speaks of.
    fn answered(&self) -> Bound {
        let reached = self.outcome.violation.as_ref().map_or(self.completed(), |violation| violation.rounds);
        let asked = self.request.bounds.rounds.filter(|_| self.outcome.violation.is_none());
        let value = self.outcome.proof.is_none().then(|| asked.unwrap_or(reached));
        Bound { kind: BoundKind::Rounds, value }
    }

    fn shared(&self) -> f64 {
        self.outcome.rounds.last().map_or(0.0, |round| round.shared)
    }

    fn stats(&self) -> Stats {
        Stats {
            states: self.shared() as u64,
            transitions: self.outcome.bdd.operations,
            max_depth: u64::from(self.completed()),
            seconds: self.outcome.seconds,
            peak_memory_bytes: self.outcome.bdd.peak_bytes,
            bytes_per_state: 0.0,
            revisits: 0,
        }
    }

    fn details(&self, budget: &Budget) -> SymbolicDetails {
        let outcome = self.outcome;
        let figures = |round: &analysis::Round| RoundFigures {
            number: round.number,
            shared: round.shared,
            new_shared: round.new_shared,
            operations: round.operations,
            seconds: round.seconds,
        };
        SymbolicDetails {
            analysis: self.analysis,
            rounds: outcome.rounds.iter().map(figures).collect(),
            violated_at: outcome.violation.as_ref().map(|violation| violation.rounds),
            proof: outcome.proof.map(|proof| match proof {
                Proof::OneThread => SymbolicProof::OneThread,
                Proof::ThreadModular => SymbolicProof::ThreadModular,
            }),
            all_shared: outcome.all_shared,
            quiet_rounds: outcome.unchanged.then_some(MOST_UNCHANGED_ROUNDS),
            reachable: self.request.symbolic.print_reachable.then(|| self.reachable()),
            projection: self.request.symbolic.error_projection.then(|| self.projection(budget)),
            certificate: None,
            diagrams: DiagramFigures {
                variables: outcome.bdd.variables.into(),
                nodes: outcome.bdd.nodes,
                peak_nodes: outcome.bdd.peak_nodes,
                operations: outcome.bdd.operations,
                collections: outcome.bdd.collections,
                peak_bytes: outcome.bdd.peak_bytes,
            },
        }
    }

    fn reachable(&self) -> Reachable {
        match &self.outcome.shared {
            None => Reachable::NotComputed { limit: self.outcome.limit },
            Some(shared) => Reachable::States {
                states: shared.iter().filter_map(|shared| self.state(shared)).collect(),
                all: shared.len() as f64 >= self.shared(),
            },
        }
    }

    /// A shared state in words.
    fn state(&self, shared: &[bool]) -> Option<String> {
        if let (Executable::Pds(machine), Some(converted)) = (&self.model.executable, self.converted) {
            return converted.state(shared).map(|state| machine.pds().states[state.0 as usize].clone());
        }
        let value = |(global, value): (&Global, &bool)| format!("{}={}", global.name, u8::from(*value));
        Some(self.program.globals.iter().zip(shared).map(value).collect::<Vec<_>>().join(" "))
    }

    /// Where each thread can be on its way to a violation.
    fn projection(&self, budget: &Budget) -> Projection {
        let Some(violation) = &self.outcome.violation else { return Projection::NoViolation };
        match error_projection(self.program, violation.rounds, budget) {
            Ok(Ok(nodes)) => Projection::Places(self.places(&nodes)),
            Ok(Err(stop)) => Projection::Stopped(stop),
            Err(too_large) => Projection::TooLarge(too_large.0),
        }
    }

    fn places(&self, nodes: &BTreeSet<(usize, NodeId)>) -> BTreeSet<(String, selvedge_core::trace::TraceLocation)> {
        let place = |(thread, node): &(usize, NodeId)| {
            let location = self.model.sources.location(self.program.node(*node).span).into();
            (self.program.threads[*thread].name.clone(), location)
        };
        nodes.iter().map(place).collect()
    }

    /// The run of a violation as a trace; the error is one sentence, which means nothing if it was cancelled.
    fn trace(&self, violation: &Violation, cancel: &Cancel) -> Result<Trace, String> {
        // A run cannot have more calls inside each other than steps.
        let stack_limit = violation.moves.len() as u32 + 32;
        match &self.model.executable {
            Executable::Bool(model) => {
                let limits = MachineOptions { stack_limit, ..MachineOptions::default() };
                let machine = BoolMachine::new(model.program.clone(), &self.model.sources, limits);
                let (path, fault) = run_of(&machine, violation, cancel)?;
                self.narrated(&machine, &path, &fault, violation.rounds, cancel)
            }
            Executable::Pds(given) => {
                let limits = PdsOptions { stack_limit, ..PdsOptions::default() };
                let machine = PdsMachine::new(given.pds().clone(), &self.model.sources, limits);
                let rules = self.converted.map(|converted| converted.rules(&violation.moves)).unwrap_or_default();
                let path = machine.run_until(&rules, cancel).ok_or("the machine cannot follow the rules")?;
                let state = path.steps.last().map_or(&path.initial, |step| &step.state);
                let of_step = path.steps.last().and_then(|step| step.faults.first().cloned());
                let fault = of_step.or_else(|| machine.state_fault(state)).ok_or("the run ends in no target")?;
                self.narrated(&machine, &path, &fault, violation.rounds, cancel)
            }
            Executable::Promela(_) | Executable::Dcps(_) | Executable::Net(_) => {
                Err("the model is not one for this engine".to_owned())
            }
        }
    }

    fn narrated<M: Describe + Hints>(
        &self,
        machine: &M,
        path: &Path,
        fault: &Fault,
        value: u32,
        cancel: &Cancel,
    ) -> Result<Trace, String> {
        let heading =
            Heading { input: self.model.input(), options: self.model.trace_options.clone(), bound: rounds(value) };
        let switches = classify_until(machine, path, Counting::default(), cancel);
        let narrated = |switches: Vec<_>| {
            narrate_until(machine, &self.model.sources, path, &switches, Some(fault), heading, cancel)
        };
        switches.and_then(narrated).ok_or_else(|| "cancelled".to_owned())
    }
}
