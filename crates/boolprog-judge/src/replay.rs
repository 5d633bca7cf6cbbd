//! Executes a trace. A trace names threads, places and values; where several moves fit, all are
//! followed side by side. Values that the trace leaves open are decided when they are read; of too many ways to do that
//! some are left out, and a run that does not fit the others is neither confirmed nor contradicted.

use std::collections::BTreeSet;

use selvedge_core::trace::{TraceLocation, TraceStep};
use selvedge_core::{ReplayError, Trace, ViolationKind};
use selvedge_source::{Cancel, SourceMap};

use super::eval::{MOST_WAYS, Place};
use super::wanted::Wanted;
use super::{Interpreter, Move, State, Value};
use selvedge_boolprog_syntax::ast::{Initializer, Program, Variable};

/// A state of a run that fits the trace so far.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    state: State,
    /// The thread that ran last.
    last: Option<usize>,
    /// Threads that have had a step since the cycle began, all the time, and have not taken one.
    neglected: BTreeSet<usize>,
}

/// Whether the trace can be executed and ends as it says. A trace to another violation than a failed
/// assertion may have been found with assertions switched off, so both ways are tried.
pub fn replay(program: &Program, sources: &SourceMap, trace: &Trace) -> Result<(), ReplayError> {
    replay_until(program, sources, trace, &Cancel::never())
}

/// As [`replay`], unless it is cancelled.
pub fn replay_until(program: &Program, sources: &SourceMap, trace: &Trace, cancel: &Cancel) -> Result<(), ReplayError> {
    let run = |assertions| {
        let interpreter = Interpreter::new(program, false, assertions);
        let replayer = Replayer { interpreter, sources, trace, cancel };
        replayer.run().map_err(|error| match (replayer.interpreter.was_cut(), error.step()) {
            _ if cancel.was_cancelled() => ReplayError::Cancelled,
            (true, Some(step)) => ReplayError::Unsupported {
                reason: format!("up to step {step} the values that it leaves open allow more than {MOST_WAYS} states"),
            },
            _ => error,
        })
    };
    let asserted = trace.violation.as_ref().is_none_or(|violation| violation.kind == ViolationKind::Assertion);
    run(true).or_else(|error| if asserted || cancel.was_cancelled() { Err(error) } else { run(false) })
}

/// How often a cycle is repeated until its states are those of an earlier time.
const MOST_TIMES: usize = 64;

struct Replayer<'a> {
    interpreter: Interpreter<'a>,
    sources: &'a SourceMap,
    trace: &'a Trace,
    cancel: &'a Cancel,
}

impl Replayer<'_> {
    fn run(&self) -> Result<(), ReplayError> {
        let initial = self.interpreter.initial().into_iter();
        let candidate = |state| Candidate { state, last: None, neglected: BTreeSet::new() };
        let initial = initial.flat_map(|state| self.decided(state, None));
        let mut candidates: BTreeSet<Candidate> = initial.map(candidate).collect();
        let mut failed = false;
        let mut expected = self.values_at_start();
        for (index, step) in self.trace.steps.iter().enumerate() {
            if step.cycle_start {
                candidates = self.begin_cycle(candidates);
            }
            self.note_changes(&mut expected, step);
            let error = |reason: String| ReplayError::at(index + 1, reason);
            if failed {
                return Err(error("the run has ended in a failed assertion before".to_owned()));
            }
            let last = index + 1 == self.trace.steps.len();
            (candidates, failed) = self.step(&candidates, step, &expected, last).map_err(error)?;
        }
        let error = |reason| ReplayError::at(self.trace.steps.len() + 1, reason);
        match &self.trace.violation {
            Some(violation) if violation.kind == ViolationKind::NonProgressCycle => {
                self.repeats(candidates, expected).map_err(error)
            }
            _ => self.end(&candidates, failed).map_err(error),
        }
    }

    /// The values of the globals that a trace starts with; `None` where any is possible.
    fn values_at_start(&self) -> Vec<Option<bool>> {
        let initial = |global: &Variable| match global.initial {
            Some(Initializer::Value(value)) => Some(value),
            _ => None,
        };
        self.interpreter.program.globals.iter().map(initial).collect()
    }

    /// The values of the globals after a step, by the changes that the trace gives.
    fn note_changes(&self, expected: &mut [Option<bool>], step: &TraceStep) {
        for (name, value) in &step.changes.0 {
            let global = self.interpreter.program.globals.iter().position(|global| global.name.text == *name);
            if let Some(index) = global {
                expected[index] = known(value);
            }
        }
    }

    /// The states after a step, and whether an assertion can fail in it. Fails if it is cancelled.
    fn step(
        &self,
        candidates: &BTreeSet<Candidate>,
        step: &TraceStep,
        expected: &[Option<bool>],
        last: bool,
    ) -> Result<(BTreeSet<Candidate>, bool), String> {
        let Some(id) = step.thread else { return Err("no thread acts".to_owned()) };
        let thread = self.trace.thread_number(id) as usize;
        let mut next: BTreeSet<Candidate> = BTreeSet::new();
        let mut failed = false;
        let wanted = self.wanted(step, expected);
        for candidate in candidates {
            let (state, ran_last) = (&candidate.state, candidate.last);
            if ran_last.is_some_and(|ran_last| ran_last != thread && !self.interpreter.can_switch(state, ran_last)) {
                continue;
            }
            if self.interpreter.in_init(state) && thread != 0 {
                continue;
            }
            if self.interpreter.is_full(next.len()) {
                break;
            }
            if self.cancel.asks() {
                return Err("cancelled".to_owned());
            }
            let state = self.interpreter.decided_for(state, thread, &wanted);
            let ways = self.interpreter.moves_to(&state, thread, &wanted).into_iter();
            for way in ways.filter(|way| self.looks_like(way, step)) {
                match way.next {
                    None => failed |= last,
                    Some(after) => {
                        let fitted = self.fit(after, thread, step, expected).into_iter();
                        let ways = fitted.flat_map(|state| self.decided(state, Some(thread)));
                        next.extend(ways.map(|state| self.after(candidate, thread, state)));
                    }
                }
            }
        }
        if next.is_empty() && !failed {
            return Err(format!("`{}` cannot be executed here", step.text));
        }
        Ok((next, failed))
    }

    /// The states that a state stands for, if it matters which threads have a step: in a fair run.
    fn decided(&self, state: State, last: Option<usize>) -> Vec<State> {
        match self.trace.options.fair {
            true => self.interpreter.with_waits_decided(state, last),
            false => vec![state],
        }
    }

    /// The values after a step that the trace gives.
    fn wanted<'t>(&self, step: &'t TraceStep, expected: &'t [Option<bool>]) -> Wanted<'t> {
        let globals = &self.interpreter.program.globals;
        let local = |name: &'t str| match name.split_once('.') {
            Some((_, local)) => Some(local),
            None => (!globals.iter().any(|global| global.name.text == name)).then_some(name),
        };
        let locals = step.changes.0.iter().filter_map(|(name, value)| Some((local(name)?, known(value)?)));
        Wanted { globals: expected, locals: locals.collect() }
    }

    /// The candidate after a step of a thread.
    fn after(&self, before: &Candidate, thread: usize, state: State) -> Candidate {
        let last = Some(thread);
        let goes_on = |other: &usize| *other != thread && self.interpreter.waits(&state, last, *other) != Some(true);
        let neglected = before.neglected.iter().copied().filter(goes_on).collect();
        Candidate { state, last, neglected }
    }

    /// With `--fair`, every thread that has a step where the cycle begins is waited for.
    fn begin_cycle(&self, candidates: BTreeSet<Candidate>) -> BTreeSet<Candidate> {
        let begun = |candidate: Candidate| {
            let threads = 0..if self.trace.options.fair { candidate.state.threads.len() } else { 0 };
            let goes_on =
                |other: &usize| self.interpreter.waits(&candidate.state, candidate.last, *other) != Some(true);
            Candidate { neglected: threads.filter(goes_on).collect(), ..candidate }
        };
        candidates.into_iter().map(begun).collect()
    }

    /// Whether the cycle can be repeated for ever. Values that are not read again may differ after the first time, so it is
    /// repeated until the states are those of an earlier time: each of them then comes from another one of them.
    fn repeats(&self, mut candidates: BTreeSet<Candidate>, mut expected: Vec<Option<bool>>) -> Result<(), String> {
        let start = self.trace.steps.iter().position(|step| step.cycle_start);
        let cycle = &self.trace.steps[start.ok_or("the trace has no cycle")?..];
        let mut times: Vec<BTreeSet<Candidate>> = Vec::new();
        while times.len() < MOST_TIMES {
            candidates.retain(|candidate| candidate.neglected.is_empty());
            if candidates.is_empty() {
                return Err("a thread that is always enabled never runs".to_owned());
            }
            candidates = self.begin_cycle(candidates);
            if times.contains(&candidates) {
                return Ok(());
            }
            times.push(candidates.clone());
            for step in cycle {
                self.note_changes(&mut expected, step);
                candidates = self.step(&candidates, step, &expected, false)?.0;
            }
        }
        Err("the cycle does not return to its first state".to_owned())
    }

    fn looks_like(&self, way: &Move, step: &TraceStep) -> bool {
        let here: TraceLocation = self.sources.location(way.span).into();
        let statement = self.sources.text(way.span).split_whitespace().collect::<Vec<_>>().join(" ");
        let text = way.note.as_ref().map_or_else(|| statement.clone(), |note| format!("{statement} [{note}]"));
        step.location.as_ref() == Some(&here) && step.text == text
    }

    /// The state with the values that the trace gives, if they are possible: those that the step changes, and
    /// those that the globals have kept. A global whose value the trace leaves open may change unseen.
    fn fit(&self, mut after: State, thread: usize, step: &TraceStep, expected: &[Option<bool>]) -> Option<State> {
        let globals = expected.iter().enumerate().filter_map(|(index, value)| Some((Place::Global(index), (*value)?)));
        let mut wanted: Vec<(Place, bool)> = globals.collect();
        for (name, value) in &step.changes.0 {
            if let Some(value) = known(value) {
                wanted.push((self.named(&after, thread, name)?, value));
            }
        }
        for (place, wanted) in wanted {
            match Interpreter::get(&after, thread, place) {
                Value::Known(value) if value != wanted => return None,
                _ => Interpreter::set(&mut after, thread, place, Value::Known(wanted)),
            }
        }
        Some(after)
    }

    /// A variable as the trace names it.
    fn named(&self, state: &State, thread: usize, name: &str) -> Option<Place> {
        let function = state.threads.get(thread)?.frames.last().map(|frame| frame.function);
        if let (Some(function), Some((_, local))) = (function, name.split_once('.')) {
            return self.interpreter.place(function, local);
        }
        match function {
            Some(function) => {
                // A global that a local hides is meant by its own name.
                let global = self.interpreter.program.globals.iter().position(|global| global.name.text == name);
                global.map(Place::Global).or_else(|| self.interpreter.place(function, name))
            }
            None => {
                let globals = &self.interpreter.program.globals;
                globals.iter().position(|global| global.name.text == name).map(Place::Global)
            }
        }
    }

    fn end(&self, candidates: &BTreeSet<Candidate>, failed: bool) -> Result<(), String> {
        let Some(violation) = &self.trace.violation else { return Ok(()) };
        let ends_so = match violation.kind {
            ViolationKind::Assertion => failed,
            ViolationKind::LabelReached => candidates.iter().any(|one| self.at_target(&one.state)),
            ViolationKind::InvalidEndState => candidates.iter().any(|one| {
                let mut ways = self.interpreter.with_waits_decided(one.state.clone(), one.last).into_iter();
                ways.any(|state| self.stuck(&state))
            }),
            _ => false,
        };
        if ends_so { Ok(()) } else { Err(format!("the run ends differently: {}", violation.message)) }
    }

    fn at_target(&self, state: &State) -> bool {
        let reach = self.trace.options.reach.as_deref();
        let (function, labels) = match reach.map(|reach| reach.split_once('@').ok_or(reach)) {
            Some(Ok((function, label))) => (Some(function), vec![label]),
            Some(Err(label)) => (None, vec![label]),
            None => (None, vec!["SLIC_ERROR", "ERROR"]),
        };
        (0..state.threads.len()).any(|thread| self.interpreter.stands_at(state, thread, &labels, function))
    }

    /// Whether a thread has not ended, but none can get to a place where others may run.
    fn stuck(&self, state: &State) -> bool {
        let alive = state.threads.iter().any(|thread| !thread.frames.is_empty());
        alive && (0..state.threads.len()).all(|thread| self.interpreter.can_arrive(state, thread) != Some(true))
    }
}

/// A value as a trace writes it; `None` if it is open.
fn known(value: &str) -> Option<bool> {
    match value {
        "0" => Some(false),
        "1" => Some(true),
        _ => None,
    }
}
