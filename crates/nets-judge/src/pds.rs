//! Executes a trace of a pushdown system on the names in it, without the machine: every counterexample
//! is replayed here before it is shown. Systems that an engine found to be free of violations are explored again or
//! sampled; the crate of certificates proves them.

mod explore;
mod sample;

use std::collections::BTreeSet;

use selvedge_core::trace::{TraceLocation, TraceStep};
use selvedge_core::{ReplayError, Trace, ViolationKind};
use selvedge_source::{Cancel, SourceMap, Span};

use selvedge_nets_syntax::pds::{Pds, Rule, StateId, SymbolId};

use crate::lasso::Lasso;

pub use explore::{explore, explore_rounds};
pub use sample::sample;

/// A state of a system.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct State {
    shared: StateId,
    /// By thread, the top last.
    stacks: Vec<Vec<SymbolId>>,
}

impl State {
    fn initial(pds: &Pds) -> Self {
        State { shared: pds.initial, stacks: pds.threads.iter().map(|thread| vec![thread.entry]).collect() }
    }

    /// The threads that can continue.
    fn enabled(&self, pds: &Pds) -> BTreeSet<usize> {
        let fits = |thread: &usize| {
            let top = self.stacks[*thread].last();
            pds.threads[*thread].rules.iter().any(|rule| rule.from == self.shared && Some(&rule.top) == top)
        };
        (0..self.stacks.len()).filter(fits).collect()
    }

    /// The states after a step of a thread.
    fn successors(&self, pds: &Pds, thread: usize) -> Vec<State> {
        let Some(top) = self.stacks[thread].last() else { return Vec::new() };
        let fits = |rule: &&Rule| rule.from == self.shared && rule.top == *top;
        let follow = |rule: &Rule| {
            let mut next = State { shared: rule.to, ..self.clone() };
            next.stacks[thread].pop();
            next.stacks[thread].extend(rule.push.iter().rev());
            next
        };
        pds.threads[thread].rules.iter().filter(fits).map(follow).collect()
    }

    /// What a state violates: it is a target, or no thread is enabled although a stack is not empty.
    fn violation(&self, pds: &Pds, deadlock: bool) -> Option<(Span, ViolationKind)> {
        if let Some((_, span)) = pds.targets.iter().find(|(target, _)| *target == self.shared) {
            return Some((*span, ViolationKind::TargetCovered));
        }
        if !deadlock || (0..self.stacks.len()).any(|thread| !self.successors(pds, thread).is_empty()) {
            return None;
        }
        let stuck = self.stacks.iter().position(|stack| !stack.is_empty())?;
        Some((pds.threads[stuck].span, ViolationKind::InvalidEndState))
    }

    /// The bytes that a state takes, about.
    fn bytes(&self) -> u64 {
        self.stacks.iter().map(|stack| 32 + 4 * stack.len() as u64).sum::<u64>() + 80
    }
}

/// Whether the trace can be executed and ends as it says.
pub fn replay(pds: &Pds, sources: &SourceMap, trace: &Trace) -> Result<(), ReplayError> {
    replay_until(pds, sources, trace, &Cancel::never())
}

/// As [`replay`], unless it is cancelled.
pub fn replay_until(pds: &Pds, sources: &SourceMap, trace: &Trace, cancel: &Cancel) -> Result<(), ReplayError> {
    let mut state = State::initial(pds);
    let mut cycle: Option<Lasso<State, usize>> = None;
    for (index, step) in trace.steps.iter().enumerate() {
        if cancel.asks() {
            return Err(ReplayError::Cancelled);
        }
        if step.cycle_start {
            cycle = Some(Lasso::begin(state.clone(), state.enabled(pds)));
        }
        let error = |reason: &str| ReplayError::at(index + 1, reason);
        let thread = step.thread.map(|id| trace.thread_number(id) as usize);
        let thread =
            thread.filter(|thread| *thread < state.stacks.len()).ok_or_else(|| error("there is no such thread"))?;
        let rule = find(pds, thread, step, sources).ok_or_else(|| error("the thread has no such rule"))?;
        if rule.from != state.shared || state.stacks[thread].last() != Some(&rule.top) {
            return Err(error(&format!("`{}` cannot be followed here", step.text)));
        }
        state.stacks[thread].pop();
        state.stacks[thread].extend(rule.push.iter().rev());
        state.shared = rule.to;
        if let Some(cycle) = &mut cycle {
            cycle.step(&thread, &state.enabled(pds));
        }
    }
    let ends_so = match trace.violation.as_ref().map(|violation| violation.kind) {
        None => true,
        Some(ViolationKind::TargetCovered) => pds.targets.iter().any(|(target, _)| *target == state.shared),
        Some(ViolationKind::InvalidEndState) => state.enabled(pds).is_empty(),
        Some(ViolationKind::NonProgressCycle) => {
            cycle.is_some_and(|cycle| cycle.is_closed(&state) && (!trace.options.fair || cycle.is_fair()))
        }
        Some(_) => false,
    };
    if ends_so {
        return Ok(());
    }
    Err(ReplayError::at(trace.steps.len() + 1, "the run does not end in the violation"))
}

/// The rule of a step: the one that stands where the trace says and reads as it says.
fn find<'a>(pds: &'a Pds, thread: usize, step: &TraceStep, sources: &SourceMap) -> Option<&'a Rule> {
    pds.threads[thread].rules.iter().find(|rule| {
        let here: TraceLocation = sources.location(rule.span).into();
        let words: Vec<&str> = sources.text(rule.span).split_whitespace().collect();
        step.location.as_ref() == Some(&here) && step.text == words.join(" ")
    })
}
