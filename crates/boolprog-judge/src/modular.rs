//! Proves a program safe for any number of rounds and any depth of recursion: each thread alone, with every change of
//! the globals that the others make (thread-modular analysis), on explicit valuations. An engine that calls a program safe
//! by such a proof is confirmed by this one, which executes the syntax tree.
//!
//! * *Facts* are states of one thread with two frames at most: a call and its caller's. What a call returns with is
//!   handed to all callers that made the same call, so recursion needs no limit.
//! * *Changes* are pairs of globals: before and after the steps of a thread from one state in which another may run to the
//!   next. Atomic sections thus take effect at once. Where another thread may run, all its changes are applied.
//!
//! Where the threads are, relative to each other, is forgotten: a violation that is found need not be one of a run.

use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};

use selvedge_boolprog_syntax::ast::{Program, StmtKind, walk};
use selvedge_core::{Budget, Effort, Explored, Found, ViolationKind};
use selvedge_source::Span;

use crate::{Frame, Goals, Interpreter, State, Thread, Value};

type Globals = Vec<Value>;

/// Tries to prove that no run violates anything. [`Explored::confirms`] is the proof; violations are possible ones only.
/// `None` if the program creates threads or waits for broadcasts. The stack limit does not matter here.
pub fn prove(program: &Program, goals: &Goals<'_>, effort: Effort, budget: &Budget) -> Option<Explored> {
    if !has_fixed_threads(program) {
        return None;
    }
    let mut proof = Proof {
        interpreter: Interpreter::new(program, false, goals.assertions).exploring(),
        goals,
        effort,
        budget,
        bytes: 0,
        looks: 0,
        explored: Explored::default(),
        threads: Vec::new(),
        work: Vec::new(),
    };
    let done = proof.run();
    proof.explored.complete = done.is_ok();
    proof.explored.saturated = done.is_ok();
    proof.explored.states = proof.threads.iter().map(|thread| thread.facts.len() as u64).sum();
    Some(proof.explored)
}

fn has_fixed_threads(program: &Program) -> bool {
    let mut fixed = true;
    for function in &program.functions {
        walk(&function.body, &mut |statement| {
            let kind = &statement.kind;
            fixed &= !matches!(kind, StmtKind::Start { .. } | StmtKind::StartGoto(_));
            fixed &= !matches!(kind, StmtKind::Wait | StmtKind::Broadcast);
        });
    }
    fixed
}

/// Steps between two looks at the limits.
const LOOK_EVERY: u64 = 1 << 9;

/// The effort is used up, or a limit is met.
struct Exhausted;

/// A thread in one of its calls.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Fact {
    call: usize,
    /// Only this thread has frames.
    state: State,
    /// The globals where another thread could run last, if none can now.
    since: Option<Globals>,
}

/// A call with the frame of its caller, or what the thread starts with.
#[derive(Default)]
struct Call {
    /// The calls it was made in, with the frames left out.
    callers: Vec<(usize, Vec<Frame>)>,
    /// What it returned with.
    returned: Vec<(State, Option<Globals>)>,
}

/// What is known of a thread.
#[derive(Default)]
struct Known {
    facts: FxHashSet<Fact>,
    calls: Vec<Call>,
    numbers: FxHashMap<(State, Option<Globals>), usize>,
    /// Facts where another may run.
    open: FxHashMap<Globals, Vec<Fact>>,
    changes: FxHashMap<Globals, BTreeSet<Globals>>,
}

struct Proof<'a> {
    interpreter: Interpreter<'a>,
    goals: &'a Goals<'a>,
    effort: Effort,
    budget: &'a Budget,
    /// What the facts take.
    bytes: u64,
    /// How often the limits were looked at.
    looks: u64,
    explored: Explored,
    threads: Vec<Known>,
    work: Vec<(usize, Fact)>,
}

impl Proof<'_> {
    fn run(&mut self) -> Result<(), Exhausted> {
        let initial = self.interpreter.initial();
        let count = initial.first().map_or(0, |state| state.threads.len());
        self.threads.resize_with(count, Known::default);
        self.threads.iter_mut().for_each(|thread| thread.calls.push(Call::default()));
        let starts: Vec<State> = initial.into_iter().flat_map(|state| self.with_globals_decided(state)).collect();
        if self.interpreter.was_cut() {
            return Err(Exhausted);
        }
        if let Some(span) = starts.iter().find_map(|state| self.goals.reached(&self.interpreter, state)) {
            self.found(ViolationKind::LabelReached, span);
        }
        let first = usize::from(self.interpreter.init.is_some());
        if first == 0 {
            starts.iter().for_each(|state| self.start(state, first));
            return self.saturate();
        }
        // `init` runs alone; the others start with the globals it leaves.
        for state in &starts {
            self.add(0, Fact { call: 0, state: self.alone(state, 0), since: Some(state.globals.clone()) });
        }
        self.saturate()?;
        let left: BTreeSet<Globals> = self.threads[0].open.keys().cloned().collect();
        self.threads[0] = Known::default();
        for globals in left {
            let state = State { globals, ..starts[0].clone() };
            self.start(&state, first);
        }
        self.saturate()
    }

    /// The threads from number `first` on start; any may be the first to run, whatever the flag is.
    fn start(&mut self, state: &State, first: usize) {
        for thread in first..state.threads.len() {
            let fact = Fact { call: 0, state: self.alone(state, thread), since: None };
            self.add(thread, fact.clone());
            if !self.interpreter.can_switch(&fact.state, thread) {
                self.open(thread, fact);
            }
        }
    }

    /// The state with frames of one thread only.
    fn alone(&self, state: &State, thread: usize) -> State {
        let mut state = state.clone();
        for (_, ended) in state.threads.iter_mut().enumerate().filter(|(other, _)| *other != thread) {
            *ended = Thread { root: ended.root, frames: Vec::new(), atomic: 0 };
        }
        state
    }

    /// The states with a value for each global; none if they are too many.
    fn with_globals_decided(&self, state: State) -> Vec<State> {
        let open = state.globals.iter().filter(|value| **value == Value::Open).count();
        if self.interpreter.is_full(1_usize.checked_shl(open as u32).unwrap_or(usize::MAX)) {
            return Vec::new();
        }
        let Some(open) = state.globals.iter().position(|value| *value == Value::Open) else { return vec![state] };
        let (mut lowered, mut raised) = (state.clone(), state);
        (lowered.globals[open], raised.globals[open]) = (Value::Known(false), Value::Known(true));
        [lowered, raised].into_iter().flat_map(|state| self.with_globals_decided(state)).collect()
    }

    fn saturate(&mut self) -> Result<(), Exhausted> {
        while let Some((thread, fact)) = self.work.pop() {
            self.explored.steps += 1;
            for way in self.interpreter.moves(&fact.state, thread) {
                let Some(next) = way.next else {
                    self.found(ViolationKind::Assertion, way.span);
                    continue;
                };
                for next in self.with_globals_decided(next) {
                    self.explored.steps += 1;
                    self.arrive(thread, &fact, next);
                }
            }
            let looks = self.explored.steps / LOOK_EVERY;
            let limited = looks != self.looks && self.budget.spent(self.bytes).is_some();
            self.looks = looks;
            if limited || self.interpreter.work(self.explored.steps) > self.effort.steps || self.interpreter.was_cut() {
                return Err(Exhausted);
            }
        }
        Ok(())
    }

    /// A thread has taken a step.
    fn arrive(&mut self, thread: usize, from: &Fact, state: State) {
        let before = from.since.as_ref().unwrap_or(&from.state.globals).clone();
        let since = (!self.interpreter.can_switch(&state, thread)).then(|| before.clone());
        if since.is_none() {
            self.change(thread, before, &state.globals);
        }
        let (depth, deeper) = (from.state.threads[thread].frames.len(), state.threads[thread].frames.len());
        match deeper {
            _ if deeper > depth => self.call(thread, from.call, state, since),
            1 if depth == 2 && from.call > 0 => self.give_back(thread, from.call, state, since),
            _ => self.add(thread, Fact { call: from.call, state, since }),
        }
    }

    fn add(&mut self, thread: usize, fact: Fact) {
        if !self.threads[thread].facts.insert(fact.clone()) {
            return;
        }
        if let Some(span) = self.goals.reached(&self.interpreter, &fact.state) {
            return self.found(ViolationKind::LabelReached, span);
        }
        self.bytes += 2 * self.interpreter.bytes(&fact.state);
        if self.interpreter.can_switch(&fact.state, thread) {
            self.open(thread, fact.clone());
        }
        self.work.push((thread, fact));
    }

    /// Other threads may run where a thread is.
    fn open(&mut self, thread: usize, fact: Fact) {
        let others = self.threads.iter().enumerate().filter(|(other, _)| *other != thread);
        let changes = others.filter_map(|(_, other)| other.changes.get(&fact.state.globals));
        let changes: BTreeSet<Globals> = changes.flatten().cloned().collect();
        self.threads[thread].open.entry(fact.state.globals.clone()).or_default().push(fact.clone());
        for globals in changes {
            self.disturb(thread, &fact, globals);
        }
    }

    /// A thread changes the globals; the others see it.
    fn change(&mut self, thread: usize, before: Globals, after: &Globals) {
        if before == *after || !self.threads[thread].changes.entry(before.clone()).or_default().insert(after.clone()) {
            return;
        }
        for other in (0..self.threads.len()).filter(|other| *other != thread) {
            for fact in self.threads[other].open.get(&before).cloned().unwrap_or_default() {
                self.disturb(other, &fact, after.clone());
            }
        }
    }

    fn disturb(&mut self, thread: usize, fact: &Fact, globals: Globals) {
        self.explored.steps += 1;
        let state = State { globals, ..fact.state.clone() };
        self.add(thread, Fact { state, ..fact.clone() });
    }

    /// A call: its facts keep the frames of caller and callee.
    fn call(&mut self, thread: usize, caller: usize, mut state: State, since: Option<Globals>) {
        let frames = &mut state.threads[thread].frames;
        let base: Vec<Frame> = frames.drain(..frames.len() - 2).collect();
        let known = &mut self.threads[thread];
        let next = known.calls.len();
        let call = *known.numbers.entry((state.clone(), since.clone())).or_insert(next);
        if call == next {
            known.calls.push(Call::default());
        }
        let callers = &mut known.calls[call].callers;
        let made = (caller, base.clone());
        if !callers.contains(&made) {
            callers.push(made);
            for (state, since) in known.calls[call].returned.clone() {
                self.go_on(thread, caller, &base, state, since);
            }
        }
        self.add(thread, Fact { call, state, since });
    }

    /// A call has returned.
    fn give_back(&mut self, thread: usize, call: usize, state: State, since: Option<Globals>) {
        let known = &mut self.threads[thread].calls[call];
        let result = (state, since);
        if known.returned.contains(&result) {
            return;
        }
        known.returned.push(result.clone());
        for (caller, base) in known.callers.clone() {
            self.go_on(thread, caller, &base, result.0.clone(), result.1.clone());
        }
    }

    fn go_on(&mut self, thread: usize, call: usize, base: &[Frame], mut state: State, since: Option<Globals>) {
        state.threads[thread].frames.splice(0..0, base.iter().cloned());
        self.add(thread, Fact { call, state, since });
    }

    fn found(&mut self, kind: ViolationKind, span: Span) {
        self.explored.add(Found { round: 0, span, kind });
    }
}
