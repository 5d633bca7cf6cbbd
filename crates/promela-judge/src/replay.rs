//! Executes a trace again. A trace names processes and places, not states, so the replay keeps
//! all states that fit what was named so far; it fails where none is left, or where the violation
//! at the end is not there.

use std::collections::BTreeSet;

use selvedge_core::trace::{Trace, TraceLocation, TraceStep};
use selvedge_core::{ReplayError, ViolationKind};
use selvedge_source::{Cancel, SourceMap, Span};

use super::flow::MarkLabel;
use super::reads::only;
use super::spin::clear;
use super::state::State;
use super::{Interpreter, PlainStep};
use selvedge_promela_syntax::ast::{Claim, Model};

/// Executes every step of a trace and checks that the violation at its end is really there.
pub fn replay(model: &Model, claim: Option<&Claim>, sources: &SourceMap, trace: &Trace) -> Result<(), ReplayError> {
    replay_until(model, claim, sources, trace, &Cancel::never())
}

/// As [`replay`], unless it is cancelled.
pub fn replay_until(
    model: &Model,
    claim: Option<&Claim>,
    sources: &SourceMap,
    trace: &Trace,
    cancel: &Cancel,
) -> Result<(), ReplayError> {
    let interpreter = Interpreter::new(model, claim).map_err(|reason| ReplayError::Unsupported { reason })?;
    let replay = Replay { interpreter: &interpreter, sources, trace, cancel };
    let mut current = BTreeSet::from([Candidate { state: interpreter.initial(), cycle: None }]);
    let mut faults = BTreeSet::new();
    for (index, step) in trace.steps.iter().enumerate() {
        if step.cycle_start {
            current = current.into_iter().map(|candidate| replay.begin_cycle(candidate)).collect();
        }
        (current, faults) = replay.advance(&current, step, index + 1 == trace.steps.len());
        if cancel.was_cancelled() {
            return Err(ReplayError::Cancelled);
        }
        if current.is_empty() && faults.is_empty() {
            let reason = format!("`{}` cannot be executed here", step.text);
            return Err(ReplayError::at(index + 1, reason));
        }
    }
    replay.check_end(&current, &faults)
}

/// A state that fits the trace so far.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    state: State,
    /// What is known of the cycle, once it has begun.
    cycle: Option<Cycle>,
}

/// A cycle so far.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Cycle {
    /// The state at its beginning.
    start: State,
    /// Whether the labels that matter were seen.
    seen: bool,
    /// Processes that were enabled in every state and did not move.
    neglected: BTreeSet<u32>,
}

struct Replay<'a> {
    interpreter: &'a Interpreter,
    sources: &'a SourceMap,
    trace: &'a Trace,
    cancel: &'a Cancel,
}

impl Replay<'_> {
    fn begin_cycle(&self, candidate: Candidate) -> Candidate {
        let seen = self.label_seen(&candidate.state);
        let start = self.interpreter.cycle_key(&candidate.state);
        let all = (0..candidate.state.processes.len() as u32).collect();
        let neglected = self.still_enabled(&candidate.state, all);
        Candidate { cycle: Some(Cycle { start, seen, neglected }), state: candidate.state }
    }

    /// The cycle after one more step, which leads to `s`.
    fn continue_cycle(&self, cycle: &Cycle, step: &PlainStep, s: &State) -> Cycle {
        let mut cycle = cycle.clone();
        cycle.seen |= self.label_seen(s);
        step.thread.iter().for_each(|moved| {
            cycle.neglected.remove(moved);
        });
        cycle.neglected = self.still_enabled(s, cycle.neglected);
        cycle
    }

    /// Those of the processes that are enabled in a state. In the middle of an atomic sequence nothing is known of
    /// the others.
    fn still_enabled(&self, s: &State, processes: BTreeSet<u32>) -> BTreeSet<u32> {
        if processes.is_empty() || !self.trace.options.fair {
            return BTreeSet::new();
        }
        let s = self.interpreter.settle(s.clone());
        if !s.is_stored() {
            return processes;
        }
        let steps = self.interpreter.bare_steps(&s);
        let enabled: BTreeSet<u32> = steps.iter().filter_map(|step| step.thread).collect();
        processes.intersection(&enabled).copied().collect()
    }

    /// Whether a process or the claim stands where a cycle of the kind in question is marked.
    fn label_seen(&self, s: &State) -> bool {
        match self.trace.violation.as_ref().map(|violation| violation.kind) {
            Some(ViolationKind::AcceptanceCycle) => self.interpreter.stands_at(s, MarkLabel::Accept),
            // No state is stored in the middle of an atomic sequence, so a label there marks nothing, as in Spin.
            Some(ViolationKind::NonProgressCycle) => {
                let s = self.interpreter.settle(s.clone());
                s.is_stored() && self.interpreter.stands_at(&s, MarkLabel::Progress)
            }
            _ => false,
        }
    }

    /// The states after a step, and the kinds of faults it can have; not all of them if it was cancelled.
    fn advance(
        &self,
        current: &BTreeSet<Candidate>,
        step: &TraceStep,
        last: bool,
    ) -> (BTreeSet<Candidate>, BTreeSet<ViolationKind>) {
        let mut next = BTreeSet::new();
        let mut faults = BTreeSet::new();
        for candidate in current {
            if self.cancel.asks() {
                break;
            }
            for taken in self.ways(&candidate.state, step, last) {
                if !self.fits(step, &taken) {
                    continue;
                }
                faults.extend(taken.faults.iter().map(|(kind, _)| *kind));
                if let Some(state) = &taken.next {
                    let cycle = candidate.cycle.as_ref().map(|cycle| self.continue_cycle(cycle, &taken, state));
                    next.insert(Candidate { state: state.clone(), cycle });
                }
            }
        }
        (next, if last { faults } else { BTreeSet::new() })
    }

    /// What could be meant by a step. Where only the claim moves it may do so once or twice, for
    /// the first move of a stuttering claim can be shown by itself or with the second.
    fn ways(&self, s: &State, step: &TraceStep, last: bool) -> Vec<PlainStep> {
        let mut ways = self.interpreter.steps(s);
        if step.thread.is_none() {
            if last {
                ways.extend(self.interpreter.claim_alone(s));
            }
            let first: Vec<PlainStep> = ways.iter().filter(|way| way.thread.is_none()).cloned().collect();
            for way in first {
                let Some(next) = &way.next else { continue };
                for mut second in self.interpreter.steps(next).into_iter().filter(|second| second.thread.is_none()) {
                    second.faults.extend(way.faults.iter().cloned());
                    ways.push(second);
                }
            }
        }
        ways
    }

    /// Whether a step of the interpreter is the one that the trace names.
    fn fits(&self, step: &TraceStep, taken: &PlainStep) -> bool {
        let partner = match (&step.partner, &taken.partner) {
            (None, None) => true,
            (Some(named), Some((thread, span))) => {
                self.trace.thread_number(named.thread) == *thread && self.same_place(&named.location, *span)
            }
            _ => false,
        };
        let place = match (&step.location, taken.span) {
            (Some(location), Some(span)) if step.thread.is_some() => self.same_place(location, span),
            _ => true,
        };
        step.thread.map(|id| self.trace.thread_number(id)) == taken.thread
            && partner
            && place
            && taken.next.as_ref().is_none_or(|next| self.changes_hold(step, next))
    }

    fn same_place(&self, location: &TraceLocation, span: Span) -> bool {
        let place = self.sources.location(span);
        location.line == place.line && location.column == place.column && location.file == place.file
    }

    /// Whether variables have the values that the trace gives them. A bare name is a global
    /// variable or one of the process that acts. Names that the interpreter does not use and values
    /// that it cannot read are passed over.
    fn changes_hold(&self, step: &TraceStep, next: &State) -> bool {
        if step.changes.0.is_empty() {
            return true;
        }
        let number = step.thread.map(|id| self.trace.thread_number(id) as usize);
        let actor = number.and_then(|number| self.interpreter.process_name(next, number));
        let named = |pid: usize| {
            let mark = format!("[{pid}].");
            step.changes.0.iter().any(|(name, _)| name.contains(&mark))
        };
        let variables = self.interpreter.variables_of(next, |pid| number == Some(pid) || named(pid));
        step.changes.0.iter().all(|(name, text)| {
            let Some(wanted) = self.interpreter.number(text) else { return true };
            let own = actor.as_ref().map(|actor| format!("{actor}.{name}"));
            let mut values = variables
                .iter()
                .filter(|(known, _)| known == name || own.as_ref() == Some(known))
                .map(|(_, value)| *value == wanted)
                .peekable();
            values.peek().is_none() || values.any(|holds| holds)
        })
    }

    /// Whether the run ends as the trace says.
    fn check_end(&self, current: &BTreeSet<Candidate>, faults: &BTreeSet<ViolationKind>) -> Result<(), ReplayError> {
        let Some(violation) = &self.trace.violation else { return Ok(()) };
        let interpreter = self.interpreter;
        let mut states = current.iter().map(|candidate| &candidate.state);
        let there = match violation.kind {
            ViolationKind::Assertion | ViolationKind::RuntimeError => faults.contains(&violation.kind),
            ViolationKind::ClaimCompleted => {
                faults.contains(&violation.kind) || states.any(|s| interpreter.claim_is_done(s))
            }
            ViolationKind::InvalidEndState => {
                states.any(|s| interpreter.steps(s).is_empty() && !interpreter.is_valid_end(s))
            }
            ViolationKind::LabelReached => {
                let label = self.trace.options.reach.as_deref().unwrap_or_default();
                states.any(|s| interpreter.is_at_label(s, label))
            }
            ViolationKind::AcceptanceCycle | ViolationKind::NonProgressCycle => {
                let wanted = violation.kind == ViolationKind::AcceptanceCycle;
                let closed = |candidate: &Candidate| match &candidate.cycle {
                    Some(Cycle { start, seen, neglected }) => {
                        *seen == wanted && neglected.is_empty() && interpreter.cycle_key(&candidate.state) == *start
                    }
                    None => false,
                };
                let is_finite = self.trace.steps.iter().all(|step| !step.cycle_start);
                let stays = |s: &State| interpreter.steps(s).is_empty() && interpreter.accepts_forever(s);
                current.iter().any(closed) || (wanted && is_finite && states.any(stays))
            }
            // None of a Promela model.
            ViolationKind::TargetCovered
            | ViolationKind::Panic
            | ViolationKind::Deadlock
            | ViolationKind::Livelock
            | ViolationKind::DataRace
            | ViolationKind::Leak => false,
        };
        if there {
            return Ok(());
        }
        let reason = format!("the run does not end as the trace says: {}", violation.kind.words());
        Err(ReplayError::at(self.trace.steps.len(), reason))
    }
}

impl Interpreter {
    /// What must be the same at both ends of a cycle: all that [`State::key`] has, and the hidden variables that can
    /// change what happens.
    fn cycle_key(&self, s: &State) -> State {
        // A process that is blocked inside its atomic sequence lets every process run, as if it were outside.
        let s = self.settle(s.clone());
        let hidden = only(&s.hidden, |slot| self.reads.hidden_decides(slot));
        let mut key = State { hidden: hidden.into(), ..s.key() };
        // What decides nothing may continue changing forever.
        clear(&mut key.globals, |slot| self.reads.global_decides(slot));
        key
    }

    /// Whether a process or the claim stands at a label that begins so.
    fn stands_at(&self, s: &State, label: MarkLabel) -> bool {
        self.claim_stands_at(s, label) || self.process_stands_at(s, label)
    }

    /// Whether the claim does.
    pub(crate) fn claim_stands_at(&self, s: &State, label: MarkLabel) -> bool {
        matches!((&self.claim, s.claim), (Some(claim), Some(at)) if claim.marks(label)[at])
    }

    /// Whether a process does.
    pub(crate) fn process_stands_at(&self, s: &State, label: MarkLabel) -> bool {
        s.processes.iter().any(|process| self.protos[process.proto].flow.marks(label)[process.at])
    }

    /// Whether a process stands at a label, given as `label` or `process:label`.
    pub(crate) fn is_at_label(&self, s: &State, label: &str) -> bool {
        let (process, label) = match label.rsplit_once([':', '@']) {
            Some((process, label)) => (Some(process), label),
            None => (None, label),
        };
        s.processes.iter().any(|p| {
            let proto = &self.protos[p.proto];
            let labels = &proto.flow.elements[p.at].labels;
            process.is_none_or(|process| process == proto.name) && labels.iter().any(|known| known == label)
        })
    }

    /// A process as it stands in front of its variables.
    pub(crate) fn process_name(&self, s: &State, pid: usize) -> Option<String> {
        s.processes.get(pid).map(|process| format!("{}[{pid}]", self.protos[process.proto].name))
    }

    /// The number that a text in a trace stands for.
    fn number(&self, text: &str) -> Option<i32> {
        match text {
            "true" => Some(1),
            "false" => Some(0),
            _ => text.parse().ok().or_else(|| self.globals.symbols.get(text).copied()),
        }
    }
}
