//! Turns a run as an engine found it ([`Path`]: micro-steps and states) into what people and files
//! get ([`Trace`]). Called once for each run that is reported, after the replayer agreed with it;
//! speed does not matter here. Switches are counted by [`SwitchCounter`] alone:
//!
//! * the thread that ran last could have gone on if one of the steps that the state before allows
//!   ([`Turn::Any`]) is its own;
//! * inside an atomic sequence the thread whose turn it is counts as the last one, so that going on
//!   is never a switch, while another thread running because the sequence is blocked is a forced one;
//! * steps in which only the claim moves are no thread's and switch nothing.

use selvedge_source::{SourceMap, Span};

use crate::trace::{
    Changes, SCHEMA, TraceBound, TraceInput, TraceLocation, TraceMessage, TraceOptions, TracePartner, TraceStep,
    TraceThread, TraceViolation, TraceWaiting,
};
use crate::{
    Bound, Fault, Machine, Path, PathStep, Step, Steps, Switch, SwitchCounter, ThreadId, Trace, Turn, ViolationKind,
};

/// Tells the run `path`, which ends in `fault` if there is one, as a trace. `sources` must be the
/// files that the machine's spans speak of.
pub fn narrate<M: Machine>(
    machine: &M,
    sources: &SourceMap,
    path: &Path,
    fault: Option<&Fault>,
    input: TraceInput,
    options: TraceOptions,
    bound: Bound,
) -> Trace {
    let mut narrator = Narrator::new(machine, sources, path);
    let mut steps: Vec<TraceStep> = (0..path.steps.len()).map(|index| narrator.step(path, index)).collect();
    if let Some(first) = fault.and_then(|fault| cycle_start(path, fault.kind, machine.hidden_prefix())) {
        steps[first].cycle_start = true;
    }
    let waiting = narrator.end(path, fault);
    Trace {
        schema: SCHEMA,
        input,
        options,
        bound: TraceBound { kind: bound.kind, value: bound.value },
        violation: fault.map(|fault| narrator.violation(fault, path.steps.len())),
        threads: narrator.roster.threads(),
        steps,
        waiting,
    }
}

struct Narrator<'a, M: Machine> {
    machine: &'a M,
    sources: &'a SourceMap,
    counter: SwitchCounter,
    roster: Roster,
    scratch: M::Scratch,
    buffer: Steps,
}

impl<'a, M: Machine> Narrator<'a, M> {
    fn new(machine: &'a M, sources: &'a SourceMap, path: &Path) -> Self {
        let roster = Roster::above(highest_number(machine, path));
        let (counter, scratch, buffer) = (SwitchCounter::default(), M::Scratch::default(), Steps::new());
        Narrator { machine, sources, counter, roster, scratch, buffer }
    }

    fn step(&mut self, path: &Path, index: usize) -> TraceStep {
        let PathStep { step, state, .. } = &path.steps[index];
        let before = state_before(path, index);
        let after = (!state.is_empty()).then_some(state.as_slice());
        let view = self.machine.view(before, step, after);
        let switch = self.switch(before, step);
        let partner = view.partner.map(|(thread, span, text)| TracePartner {
            thread: self.thread(before, thread),
            location: self.location(span),
            text,
        });
        TraceStep {
            thread: step.thread.map(|thread| self.thread(before, thread)),
            location: view.span.map(|span| self.location(span)),
            text: view.text,
            changes: Changes(view.changes),
            switch,
            atomic: matches!(step.turn, Turn::Only(_)),
            message: view.message.map(|(channel, direction, values)| TraceMessage {
                channel,
                direction: direction.to_string(),
                values,
            }),
            partner,
            output: view.output,
            cycle_start: false,
        }
    }

    fn switch(&mut self, before: &[u8], step: &Step) -> Switch {
        let Some(thread) = step.thread else { return Switch::None };
        let last = self.counter.last();
        let last_could_go_on = last.is_some_and(|last| last != thread && self.can_go_on(before, Some(last)));
        let ran_last = match step.turn {
            Turn::Only(next) => next,
            Turn::Any | Turn::Stutter => step.ran_last.unwrap_or(thread),
        };
        self.counter.step(thread, last_could_go_on, ran_last)
    }

    /// Whether `thread` has a step in `state`; with `None`, whether any thread has.
    fn can_go_on(&mut self, state: &[u8], thread: Option<ThreadId>) -> bool {
        self.buffer.clear();
        self.machine.steps(state, Turn::Any, &mut self.scratch, &mut self.buffer);
        self.buffer.list.iter().any(|step| step.thread.is_some() && (thread.is_none() || step.thread == thread))
    }

    /// Lists the threads alive at the end and, where none of them can go on, what they wait for.
    fn end(&mut self, path: &Path, fault: Option<&Fault>) -> Vec<TraceWaiting> {
        let Some(last) = last_state(path) else { return Vec::new() };
        let alive = || (0..self.machine.thread_count(last)).map(ThreadId);
        let completed = path.steps.last().is_none_or(|step| !step.state.is_empty());
        let ends_badly = fault.is_some_and(|fault| fault.kind == ViolationKind::InvalidEndState);
        let stuck = completed && (ends_badly || !self.can_go_on(last, None));
        let mut waiting = Vec::new();
        for thread in alive() {
            let id = self.thread(last, thread);
            if let Some((span, reason)) = self.machine.waiting(last, thread).filter(|_| stuck) {
                waiting.push(TraceWaiting { thread: id, location: self.location(span), reason });
            }
        }
        waiting
    }

    fn violation(&self, fault: &Fault, length: usize) -> TraceViolation {
        TraceViolation {
            kind: fault.kind,
            message: fault.message.clone(),
            location: fault.span.map(|span| self.location(span)),
            preemptions: self.counter.preemptions,
            switches: self.counter.switches,
            length: length as u32,
        }
    }

    fn thread(&mut self, state: &[u8], thread: ThreadId) -> u32 {
        self.roster.id(thread.0, self.machine.thread_name(state, thread))
    }

    fn location(&self, span: Span) -> TraceLocation {
        self.sources.location(span).into()
    }
}

/// The threads met so far. A thread's id is the language's number, unless a thread of another name
/// had that number before: then it is the next number that no thread of the run has.
struct Roster {
    /// Id, number and name, in the order met.
    known: Vec<(u32, u32, String)>,
    next_free: u32,
}

impl Roster {
    fn above(highest: u32) -> Self {
        Roster { known: Vec::new(), next_free: highest + 1 }
    }

    fn id(&mut self, number: u32, name: String) -> u32 {
        if let Some((id, ..)) = self.known.iter().find(|(_, n, known)| *n == number && *known == name) {
            return *id;
        }
        let taken = self.known.iter().any(|(_, n, _)| *n == number);
        let id = if taken { self.next_free } else { number };
        self.next_free += u32::from(taken);
        self.known.push((id, number, name));
        id
    }

    /// By id; names that several threads have are told apart by the language's number.
    fn threads(&self) -> Vec<TraceThread> {
        let shared = |name: &str| self.known.iter().filter(|(.., known)| known == name).count() > 1;
        let display = |number: u32, name: &str| {
            if shared(name) { format!("{name}({number})") } else { name.to_string() }
        };
        let mut threads: Vec<TraceThread> = self
            .known
            .iter()
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

/// An upper bound of the thread numbers in a run.
fn highest_number<M: Machine>(machine: &M, path: &Path) -> u32 {
    let states = std::iter::once(&path.initial).chain(path.steps.iter().map(|step| &step.state));
    let alive = states.filter(|state| !state.is_empty()).map(|state| machine.thread_count(state)).max().unwrap_or(0);
    let acting = path.steps.iter().flat_map(|step| [step.step.thread, step.step.ran_last]).flatten();
    acting.map(|thread| thread.0).chain(std::iter::once(alive)).max().unwrap_or(0)
}

fn state_before(path: &Path, index: usize) -> &[u8] {
    index.checked_sub(1).map_or(&path.initial, |last| &path.steps[last].state)
}

/// The last state that exists (the last step may not have been completed).
fn last_state(path: &Path) -> Option<&[u8]> {
    let states = path.steps.iter().rev().map(|step| &step.state).chain(std::iter::once(&path.initial));
    states.map(Vec::as_slice).find(|state| !state.is_empty())
}

/// The first step of the cycle that a lasso ends with: the step from the state in which the run
/// ends. Of several, the longest cycle for acceptance (it passes whatever the shorter ones pass),
/// the shortest one for non-progress (it avoids whatever the longer ones avoid).
fn cycle_start(path: &Path, kind: ViolationKind, hidden: usize) -> Option<usize> {
    let last = path.steps.last().filter(|step| !step.state.is_empty())?;
    let turn_before = |index: usize| index.checked_sub(1).map_or(Turn::Any, |last| path.steps[last].step.turn);
    let same_state = |index: &usize| state_before(path, *index).get(hidden..) == last.state.get(hidden..);
    let same = |index: &usize| turn_before(*index) == last.step.turn && same_state(index);
    let mut indices = 0..path.steps.len();
    match kind {
        ViolationKind::AcceptanceCycle => indices.clone().find(same).or_else(|| indices.find(same_state)),
        ViolationKind::NonProgressCycle => indices.clone().rfind(same).or_else(|| indices.rfind(same_state)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    //! A toy machine whose source is `ABC…`: thread `i` runs the statements of `PROGRAMS[i]`.

    use selvedge_source::FileId;

    use super::*;
    use crate::StepView;

    /// Statements of the toy: plain, the start of an atomic pair, blocked for ever, an assertion that
    /// fails, a jump to the start of the program.
    #[derive(Clone, Copy, PartialEq)]
    enum Op {
        Plain,
        Atomic,
        Block,
        Fail,
        Loop,
    }
    use Op::*;

    /// A state is one program counter for each thread.
    struct Toy(Vec<(&'static str, Vec<Op>)>);

    impl Toy {
        fn path(&self, choices: &[u32]) -> Path {
            let mut path = Path::default();
            self.initial(&mut path.initial);
            let mut turn = Turn::Any;
            for choice in choices {
                let mut steps = Steps::new();
                let before = last_state(&path).unwrap().to_vec();
                self.steps(&before, turn, &mut (), &mut steps);
                if steps.list.is_empty() {
                    self.steps(&before, Turn::Any, &mut (), &mut steps);
                }
                let step =
                    steps.list.iter().find(|step| step.thread == Some(ThreadId(*choice))).expect("enabled").clone();
                let state = steps.state(&step).unwrap_or(&[]).to_vec();
                turn = step.turn;
                path.steps.push(PathStep { step, state, faults: Vec::new() });
            }
            path
        }

        fn tell(&self, choices: &[u32], fault: Option<(ViolationKind, &str)>) -> Trace {
            let mut sources = SourceMap::new();
            let file = sources.add("toy.pml", "abcdef\n");
            let fault = fault.map(|(kind, message)| Fault {
                kind,
                message: message.into(),
                span: Some(Span::new(file, 2, 3)),
                thread: None,
            });
            let input = TraceInput { path: "toy.pml".into(), language: "toy".into(), sha256: String::new() };
            let bound = Bound::UNBOUNDED;
            narrate(self, &sources, &self.path(choices), fault.as_ref(), input, TraceOptions::default(), bound)
        }
    }

    impl Machine for Toy {
        type Scratch = ();

        fn initial(&self, out: &mut Vec<u8>) {
            out.extend(self.0.iter().map(|_| 0));
        }

        fn steps(&self, state: &[u8], turn: Turn, _: &mut (), out: &mut Steps) {
            for (index, (_, program)) in self.0.iter().enumerate() {
                let thread = ThreadId(index as u32);
                let op = program.get(state[index] as usize).copied().unwrap_or(Block);
                if op == Block || matches!(turn, Turn::Only(only) if only != thread) {
                    continue;
                }
                let start = out.bytes.len();
                if op != Fail {
                    out.bytes.extend(state);
                    out.bytes[start + index] = if op == Loop { 0 } else { state[index] + 1 };
                }
                let turn = if op == Atomic { Turn::Only(thread) } else { Turn::Any };
                let (state, faults) = (start..out.bytes.len(), 0..0);
                out.list.push(Step {
                    thread: Some(thread),
                    ran_last: Some(thread),
                    action: [0; 3],
                    state,
                    turn,
                    faults,
                });
            }
        }

        fn end_fault(&self, _: &[u8]) -> Option<Fault> {
            None
        }

        fn thread_count(&self, _: &[u8]) -> u32 {
            self.0.len() as u32
        }

        fn thread_name(&self, _: &[u8], thread: ThreadId) -> String {
            self.0[thread.0 as usize].0.to_string()
        }

        fn view(&self, before: &[u8], step: &Step, _: Option<&[u8]>) -> StepView {
            let at = before[step.thread.unwrap().0 as usize] as usize;
            StepView { span: Some(Span::new(FileId(0), at, at + 1)), text: format!("op {at}"), ..StepView::default() }
        }

        fn waiting(&self, state: &[u8], thread: ThreadId) -> Option<(Span, String)> {
            let at = state[thread.0 as usize] as usize;
            let blocked = self.0[thread.0 as usize].1.get(at) == Some(&Block);
            blocked.then(|| (Span::new(FileId(0), at, at + 1), "waits for ever".to_string()))
        }

        fn variables(&self, _: &[u8]) -> Vec<(String, String)> {
            Vec::new()
        }
    }

    fn switches(trace: &Trace) -> Vec<Switch> {
        trace.steps.iter().map(|step| step.switch).collect()
    }

    #[test]
    fn switches_are_forced_where_the_last_thread_is_blocked_or_done() {
        let toy = Toy(vec![("main", vec![Plain, Plain]), ("inc", vec![Plain, Fail]), ("inc", vec![Plain, Plain])]);
        let trace = toy.tell(&[0, 0, 1, 2, 1], Some((ViolationKind::Assertion, "assertion violated")));
        use Switch::{Forced, Preemptive};
        assert_eq!(switches(&trace), [Switch::None, Switch::None, Forced, Preemptive, Preemptive]);
        let violation = trace.violation.unwrap();
        assert_eq!((violation.preemptions, violation.switches, violation.length), (2, 3, 5));
        assert_eq!(violation.location.unwrap().to_string(), "toy.pml:1:3");
        let names: Vec<&str> = trace.threads.iter().map(|thread| thread.name.as_str()).collect();
        assert_eq!(names, ["main", "inc(1)", "inc(2)"]);
        assert_eq!(trace.waiting, [], "the run did not get stuck: its last step was not completed");
    }

    #[test]
    fn an_atomic_sequence_switches_only_where_it_is_blocked() {
        let toy = Toy(vec![("a", vec![Atomic, Plain, Plain]), ("b", vec![Atomic, Block])]);
        let trace = toy.tell(&[0, 0, 1, 0], None);
        use Switch::{Forced, Preemptive};
        assert_eq!(switches(&trace), [Switch::None, Switch::None, Preemptive, Forced]);
        assert_eq!(trace.steps.iter().map(|step| step.atomic).collect::<Vec<_>>(), [true, false, true, false]);
    }

    #[test]
    fn a_deadlock_names_who_waits_where() {
        let toy = Toy(vec![("a", vec![Plain, Block]), ("b", vec![Block]), ("c", vec![])]);
        let trace = toy.tell(&[0], Some((ViolationKind::InvalidEndState, "nobody can go on")));
        let waiting: Vec<String> = trace.waiting.iter().map(|w| format!("{} {}", w.thread, w.location)).collect();
        assert_eq!(waiting, ["0 toy.pml:1:2", "1 toy.pml:1:1"]);
        assert_eq!(trace.threads.len(), 3, "a thread that never ran is listed while it is alive");
    }

    #[test]
    fn the_cycle_of_a_lasso_starts_where_the_run_comes_back_to() {
        let toy = Toy(vec![("a", vec![Plain, Loop]), ("b", vec![Plain])]);
        let start = |trace: &Trace| trace.steps.iter().position(|step| step.cycle_start);
        let accept = Some((ViolationKind::AcceptanceCycle, "acceptance cycle"));
        let non_progress = Some((ViolationKind::NonProgressCycle, "no progress"));
        assert_eq!(start(&toy.tell(&[0, 1, 0, 0, 0], accept)), Some(3));
        assert_eq!(start(&toy.tell(&[1, 0, 0, 0, 0], accept)), Some(1));
        assert_eq!(start(&toy.tell(&[1, 0, 0, 0, 0], non_progress)), Some(3));
        assert_eq!(start(&toy.tell(&[1, 0, 0], None)), None);
    }

    #[test]
    fn a_fault_of_the_initial_state_has_no_steps() {
        let trace = Toy(vec![("a", vec![Block])]).tell(&[], Some((ViolationKind::InvalidEndState, "stuck")));
        assert_eq!((trace.steps.len(), trace.waiting.len(), trace.threads.len()), (0, 1, 1));
    }

    #[test]
    fn a_number_used_again_by_a_thread_of_another_name_gets_an_id_of_its_own() {
        let mut roster = Roster::above(2);
        let ids =
            [(0, "init"), (1, "a"), (2, "b"), (1, "b"), (1, "a"), (1, "b")].map(|(n, name)| roster.id(n, name.into()));
        assert_eq!(ids, [0, 1, 2, 3, 1, 3]);
        let names: Vec<String> = roster.threads().into_iter().map(|thread| thread.name).collect();
        assert_eq!(names, ["init", "a", "b(2)", "b(1)"]);
    }
}
