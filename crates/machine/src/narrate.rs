//! Turns a run as an engine found it ([`Path`]: micro-steps and states) into what people and files get ([`Trace`]).
//! Called once for each run that is reported, which may have hundreds of thousands of steps: the cost of a step must be
//! at most linear in the size of its state. The switches were classified before ([`crate::classify`]). `values` lists
//! how the whole state changes, `links` which step enabled which other one, `explain` why the run is a violation.

mod explain;
mod links;
mod values;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::convert::Infallible;

use selvedge_source::{Cancel, SourceMap, Span};

use self::links::Blocked;
use self::values::{first_of_each, state_changes};
use crate::switches::classify_within;
use crate::{Counting, Describe, Fault, Hints, Path, PathStep, Step, Steps, Turn};
use selvedge_core::trace::{
    Changes, SCHEMA, TraceBound, TraceFrame, TraceInput, TraceLink, TraceLocation, TraceMessage, TraceOptions,
    TracePartner, TraceSince, TraceStep, TraceThread, TraceViolation, TraceWaiting,
};
use selvedge_core::{Bound, Budget, StopReason, Switch, SwitchCost, SwitchReason, ThreadId, Trace, ViolationKind};

/// What a trace says besides its steps.
#[derive(Clone, Debug)]
pub struct Heading {
    /// The model.
    pub input: TraceInput,
    /// Options that replay must repeat.
    pub options: TraceOptions,
    /// The bound of the run.
    pub bound: Bound,
}

/// Tells the run `path`, which ends in `fault` if there is one, as a trace. `switches` has the
/// reason of the switch in front of each step, if there is one. `sources` must be the files that the machine's spans speak of.
pub fn narrate<M: Describe + Hints>(
    machine: &M,
    sources: &SourceMap,
    path: &Path,
    switches: &[Option<SwitchReason>],
    fault: Option<&Fault>,
    heading: Heading,
) -> Trace {
    let narrator = Narrator::new(machine, sources, path);
    let Ok(trace) = narrator.narrate(path, switches, fault, heading, |_| Ok::<(), Infallible>(()));
    trace
}

/// As [`narrate`]; `None` if it was cancelled.
pub fn narrate_until<M: Describe + Hints>(
    machine: &M,
    sources: &SourceMap,
    path: &Path,
    switches: &[Option<SwitchReason>],
    fault: Option<&Fault>,
    heading: Heading,
    cancel: &Cancel,
) -> Option<Trace> {
    let go_on = |_| if cancel.asks() { Err(()) } else { Ok(()) };
    Narrator::new(machine, sources, path).narrate(path, switches, fault, heading, go_on).ok()
}

/// As [`narrate`], for a run of an analysis whose bound counts no preemptions, as long as a budget allows. Which switches
/// are preemptions is worked out here; a switch away from a thread that waits busily is one.
pub fn narrate_within<M: Describe + Hints>(
    machine: &M,
    sources: &SourceMap,
    path: &Path,
    fault: &Fault,
    heading: Heading,
    budget: &Budget,
) -> Result<Trace, StopReason> {
    let switches = classify_within(machine, path, Counting { busy_waiting: true }, budget)?;
    let held = path.bytes();
    let go_on = |bytes: u64| budget.go_on(held + bytes);
    Narrator::new(machine, sources, path).narrate(path, &switches, Some(fault), heading, go_on)
}

struct Narrator<'a, M: Describe + Hints> {
    machine: &'a M,
    sources: &'a SourceMap,
    roster: Roster,
    scratch: M::Scratch,
    buffer: Steps,
    blocked: Blocked,
}

impl<'a, M: Describe + Hints> Narrator<'a, M> {
    fn new(machine: &'a M, sources: &'a SourceMap, path: &Path) -> Self {
        let mut narrator = Narrator {
            machine,
            sources,
            roster: Roster::above(highest_number(machine, path)),
            scratch: M::Scratch::default(),
            buffer: Steps::new(),
            blocked: Blocked::default(),
        };
        let able = narrator.able(&path.initial);
        narrator.blocked.start(machine.thread_count(&path.initial), &able);
        narrator
    }

    /// The whole run; `go_on` gets its size in bytes so far, and may end it.
    fn narrate<E>(
        mut self,
        path: &Path,
        switches: &[Option<SwitchReason>],
        fault: Option<&Fault>,
        Heading { input, options, bound }: Heading,
        go_on: impl Fn(u64) -> Result<(), E>,
    ) -> Result<Trace, E> {
        let initial = Changes(first_of_each(self.machine.variables(&path.initial)));
        let mut steps: Vec<TraceStep> = Vec::with_capacity(path.steps.len());
        let mut bytes = 0;
        for (index, reason) in switches.iter().enumerate().take(path.steps.len()) {
            go_on(bytes)?;
            let step = self.step(path, index, *reason);
            bytes += size(&step);
            steps.push(step);
        }
        links::messages_and_starts(&mut steps);
        if let Some(first) = path.cycle {
            steps[first].cycle_start = true;
        }
        if steps.iter().all(|step| TraceFrame::depth_of(&step.stack) <= 1) {
            steps.iter_mut().for_each(|step| step.stack.clear());
        }
        let waiting = self.end(path, fault, &steps);
        let mut trace = Trace {
            schema: SCHEMA,
            input,
            options,
            bound: TraceBound { kind: bound.kind, value: bound.value },
            violation: fault.map(|fault| self.violation(fault, switches)),
            threads: self.roster.threads(),
            initial,
            steps,
            waiting,
        };
        let explanation = fault.map(|fault| explain::explain(self.machine, path, fault, &trace));
        if let Some(violation) = &mut trace.violation {
            violation.explanation = explanation;
        }
        Ok(trace)
    }

    fn step(&mut self, path: &Path, index: usize, reason: Option<SwitchReason>) -> TraceStep {
        let PathStep { step, state, .. } = &path.steps[index];
        let before = path.before(index);
        let after = (!state.is_empty()).then_some(state.as_slice());
        let view = self.machine.view(before, step, after);
        let started = after.map_or(0..0, |state| self.machine.thread_count(before)..self.machine.thread_count(state));
        let spawns = started.map(|thread| self.thread(after.unwrap_or_default(), ThreadId(thread))).collect();
        let follows = self.unblocked(index, step, after);
        let changes = Changes(view.changes);
        let state = after.and_then(|after| state_changes(self.machine.differing_variables(before, after), &changes));
        let propositions =
            after.map_or_else(BTreeMap::new, |after| self.machine.propositions(after).into_iter().collect());
        let partner = view.partner.map(|(thread, span, text)| TracePartner {
            thread: self.thread(before, thread),
            location: self.location(span),
            text,
        });
        TraceStep {
            thread: step.thread.map(|thread| self.thread(before, thread)),
            location: view.span.map(|span| self.location(span)),
            text: view.text,
            changes,
            state,
            propositions,
            stack: step.thread.map_or_else(Vec::new, |thread| self.stack(before, thread)),
            switch: reason.map_or(Switch::None, SwitchReason::switch),
            reason,
            atomic: matches!(step.turn, Turn::Only(_)),
            message: view.message.map(|(channel, direction, values)| TraceMessage {
                channel,
                direction: direction.to_string(),
                values,
            }),
            partner,
            spawns,
            follows,
            output: view.output,
            cycle_start: false,
        }
    }

    fn stack(&self, state: &[u8], thread: ThreadId) -> Vec<TraceFrame> {
        let frames = self.machine.stack(state, thread).into_iter();
        TraceFrame::stack(frames.map(|frame| (frame.procedure, frame.span.map(|span| self.location(span)))))
    }

    /// Whether nothing can continue in `state`.
    fn is_stuck(&mut self, state: &[u8]) -> bool {
        self.able(state).is_empty()
    }

    /// The threads that can continue in `state`.
    fn able(&mut self, state: &[u8]) -> BTreeSet<ThreadId> {
        let threads = (0..self.machine.thread_count(state)).map(ThreadId);
        let known = threads.map(|thread| Some((thread, self.machine.has_step(state, thread)?)));
        if let Some(known) = known.collect::<Option<Vec<_>>>().filter(|known| !known.is_empty()) {
            return known.into_iter().filter(|(_, able)| *able).map(|(thread, _)| thread).collect();
        }
        self.buffer.clear();
        self.machine.steps(state, Turn::Any, &mut self.scratch, &mut self.buffer);
        self.buffer.list.iter().filter_map(|step| step.thread).collect()
    }

    /// The step that a step had to wait for; then what the step itself makes possible is looked at. Inside an atomic
    /// sequence no other thread is asked: what it changes is in its last step.
    fn unblocked(&mut self, index: usize, step: &Step, after: Option<&[u8]>) -> Vec<TraceLink> {
        let link = step.thread.and_then(|thread| self.blocked.act(thread));
        if let Some(partner) = step.ran_last {
            self.blocked.act(partner);
        }
        if let (Some(after), false) = (after, matches!(step.turn, Turn::Only(_))) {
            let threads = self.machine.thread_count(after);
            // A thread that is alone makes nothing possible for anybody else.
            if threads > 1 || step.thread != Some(ThreadId(0)) {
                let able = self.able(after);
                self.blocked.observe(index, threads, &able, [step.thread, step.ran_last]);
            }
        }
        link.into_iter().collect()
    }

    /// Lists the threads alive at the end and, where none of them can continue, what they wait for. A run to a place that was
    /// asked for is over when it gets there: whether a thread is enabled there does not matter.
    fn end(&mut self, path: &Path, fault: Option<&Fault>, steps: &[TraceStep]) -> Vec<TraceWaiting> {
        let Some(last) = last_state(path) else { return Vec::new() };
        let alive = || (0..self.machine.thread_count(last)).map(ThreadId);
        let completed = path.steps.last().is_none_or(|step| !step.state.is_empty());
        let ends_badly = fault.is_some_and(|fault| fault.kind == ViolationKind::InvalidEndState);
        let arrived =
            fault.is_some_and(|f| matches!(f.kind, ViolationKind::LabelReached | ViolationKind::TargetCovered));
        let stuck = completed && !arrived && (ends_badly || self.is_stuck(last));
        let mut waiting = Vec::new();
        for thread in alive() {
            let id = self.thread(last, thread);
            if let Some((span, reason)) = self.machine.waiting(last, thread).filter(|_| stuck) {
                let on = self.machine.waits_on(last, thread);
                let since = on.iter().filter_map(|name| last_change(steps, name)).filter(|since| since.thread != id);
                waiting.push(TraceWaiting {
                    thread: id,
                    location: self.location(span),
                    reason,
                    since: since.collect(),
                });
            }
        }
        waiting
    }

    fn violation(&self, fault: &Fault, switches: &[Option<SwitchReason>]) -> TraceViolation {
        let (preemptions, all) = (SwitchCost::Preemptions.of_run(switches), SwitchCost::Switches.of_run(switches));
        TraceViolation {
            kind: fault.kind,
            message: fault.message.clone(),
            location: fault.span.map(|span| self.location(span)),
            preemptions: Some(preemptions),
            preemptions_per_cycle: None,
            switches: all,
            length: switches.len() as u32,
            explanation: None,
            avoided_by_swapping: None,
        }
    }

    fn thread(&mut self, state: &[u8], thread: ThreadId) -> u32 {
        self.roster.id(thread.0, self.machine.thread_name(state, thread))
    }

    fn location(&self, span: Span) -> TraceLocation {
        self.sources.location(span).into()
    }
}

/// The last step that changed a variable, if a thread took it.
fn last_change(steps: &[TraceStep], variable: &str) -> Option<TraceSince> {
    let changes = |step: &TraceStep| match &step.state {
        Some(state) => state.0.iter().any(|(name, _)| name == variable),
        None => step.changes.0.iter().any(|(name, _)| name == variable),
    };
    let at = steps.iter().rposition(changes)?;
    Some(TraceSince { variable: variable.to_owned(), step: at as u32 + 1, thread: steps[at].thread? })
}

/// The threads met so far. A thread's id is the language's number, unless a thread of another name
/// had that number before: then it is the next number that no thread of the run has.
struct Roster {
    /// By number: ids and names, in the order met.
    known: BTreeMap<u32, Vec<(u32, String)>>,
    next_free: u32,
}

impl Roster {
    fn above(highest: u32) -> Self {
        Roster { known: BTreeMap::new(), next_free: highest + 1 }
    }

    fn id(&mut self, number: u32, name: String) -> u32 {
        let same_number = self.known.entry(number).or_default();
        if let Some((id, _)) = same_number.iter().find(|(_, known)| *known == name) {
            return *id;
        }
        let taken = !same_number.is_empty();
        let id = if taken { self.next_free } else { number };
        self.next_free += u32::from(taken);
        same_number.push((id, name));
        id
    }

    /// By id; names that several threads have are distinguished by the language's number.
    fn threads(&self) -> Vec<TraceThread> {
        let all = || self.known.iter().flat_map(|(number, list)| list.iter().map(move |(id, name)| (id, number, name)));
        let mut shared: HashMap<&str, usize> = HashMap::new();
        all().for_each(|(.., name)| *shared.entry(name).or_default() += 1);
        let display = |number: u32, name: &str| {
            if shared[name] > 1 { format!("{name}({number})") } else { name.to_string() }
        };
        let mut threads: Vec<TraceThread> = all()
            .map(|(id, number, name)| TraceThread {
                id: *id,
                number: (number != id).then_some(*number),
                name: display(*number, name),
            })
            .collect();
        threads.sort_by_key(|thread| thread.id);
        threads
    }
}

/// Bytes that a step of a trace takes, about.
fn size(step: &TraceStep) -> u64 {
    let changes: usize = step.changes.0.iter().map(|(name, value)| name.len() + value.len() + 48).sum();
    let whole = step.state.as_ref().map_or(0, |state| {
        state.0.iter().map(|(name, value)| name.len() + value.as_ref().map_or(0, String::len) + 48).sum::<usize>()
    });
    (size_of::<TraceStep>() + step.text.len() + changes + whole) as u64
}

/// An upper bound of the thread numbers in a run.
fn highest_number<M: Describe + Hints>(machine: &M, path: &Path) -> u32 {
    let states = std::iter::once(&path.initial).chain(path.steps.iter().map(|step| &step.state));
    let alive = states.filter(|state| !state.is_empty()).map(|state| machine.thread_count(state)).max().unwrap_or(0);
    let acting = path.steps.iter().flat_map(|step| [step.step.thread, step.step.ran_last]).flatten();
    acting.map(|thread| thread.0).chain(std::iter::once(alive)).max().unwrap_or(0)
}

/// The last state that exists (the last step may not have been completed).
fn last_state(path: &Path) -> Option<&[u8]> {
    let states = path.steps.iter().rev().map(|step| &step.state).chain(std::iter::once(&path.initial));
    states.map(Vec::as_slice).find(|state| !state.is_empty())
}

#[cfg(test)]
mod tests;
