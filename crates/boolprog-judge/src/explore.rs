//! Explores a program again, state by state, with round-robin schedules: every step of every thread from every state in
//! which the threads may switch, once. A round in which no thread finds a new state ends the exploration, and what
//! was found speaks of any number of rounds.

use std::rc::Rc;

use rustc_hash::FxHashSet;

use selvedge_boolprog_syntax::ast::Program;
use selvedge_core::{Budget, Effort, Explored, Found, ViolationKind};

use crate::{Goals, Interpreter, State};

/// Threads in a state, at most; a step that creates more is not followed.
pub(crate) const MOST_THREADS: usize = 24;

/// Explores `rounds` rounds of a program without errors. A limit of the budget ends it as the effort does.
pub fn explore_rounds(program: &Program, goals: &Goals<'_>, rounds: u32, effort: Effort, budget: &Budget) -> Explored {
    let mut exploration = Exploration::new(program, goals, effort, budget);
    if exploration.start().is_ok() && exploration.rounds(rounds).is_ok() {
        exploration.explored.complete = !exploration.cut;
        exploration.explored.saturated = !exploration.cut && exploration.is_saturated();
    }
    exploration.explored.states = exploration.states.len() as u64;
    exploration.explored
}

/// Explores any number of rounds of a program without errors.
pub fn explore(program: &Program, goals: &Goals<'_>, effort: Effort, budget: &Budget) -> Explored {
    explore_rounds(program, goals, u32::MAX, effort, budget)
}

/// Steps between two looks at the limits.
const LOOK_EVERY: u64 = 1 << 9;

/// The effort is used up, or a limit is met.
struct Exhausted;

struct Exploration<'a> {
    interpreter: Interpreter<'a>,
    goals: &'a Goals<'a>,
    effort: Effort,
    budget: &'a Budget,
    /// What the states take.
    bytes: u64,
    explored: Explored,
    round: u32,
    /// The stack limit kept a call from being followed, or a thread from being created.
    cut: bool,
    /// States in which the threads may switch, in the order in which they were found.
    states: Vec<Rc<State>>,
    known: FxHashSet<Rc<State>>,
    /// By thread: the first state from which its steps were not explored.
    next: Vec<usize>,
    /// By thread: states in which no other may run.
    inside: Vec<FxHashSet<State>>,
    /// How often the limits were looked at.
    looks: u64,
}

impl<'a> Exploration<'a> {
    fn new(program: &'a Program, goals: &'a Goals<'a>, effort: Effort, budget: &'a Budget) -> Self {
        Exploration {
            interpreter: Interpreter::new(program, false, goals.assertions).exploring(),
            goals,
            effort,
            budget,
            bytes: 0,
            explored: Explored::default(),
            round: 0,
            cut: false,
            states: Vec::new(),
            known: FxHashSet::default(),
            next: Vec::new(),
            inside: Vec::new(),
            looks: 0,
        }
    }

    /// Finds the states in which the first context can start: after `init`, if there is one.
    fn start(&mut self) -> Result<(), Exhausted> {
        for state in self.interpreter.initial() {
            for state in self.interpreter.with_flag_decided(state) {
                self.make_room(&state);
                if let Some(span) = self.goals.reached(&self.interpreter, &state) {
                    self.found(ViolationKind::LabelReached, span);
                } else if self.interpreter.in_init(&state) {
                    self.inside[0].insert(state.clone());
                    self.run(0, state)?;
                } else {
                    // Any thread may be the first to run, whatever the flag is.
                    self.add(state);
                }
            }
        }
        Ok(())
    }

    fn rounds(&mut self, rounds: u32) -> Result<(), Exhausted> {
        while self.round < rounds && !self.is_saturated() {
            self.round += 1;
            let mut thread = 0;
            while thread < self.next.len() {
                self.context(thread)?;
                thread += 1;
            }
        }
        Ok(())
    }

    fn is_saturated(&self) -> bool {
        self.next.iter().all(|next| *next == self.states.len())
    }

    /// Explores the contexts of a thread from all states that it has not seen.
    fn context(&mut self, thread: usize) -> Result<(), Exhausted> {
        while let Some(state) = self.states.get(self.next[thread]) {
            let state = State::clone(state);
            self.next[thread] += 1;
            self.run(thread, state)?;
        }
        Ok(())
    }

    /// Explores the steps of a thread up to the next states in which another may run.
    fn run(&mut self, thread: usize, state: State) -> Result<(), Exhausted> {
        let mut work = vec![state];
        while let Some(state) = work.pop() {
            self.explored.steps += 1;
            for way in self.interpreter.moves(&state, thread) {
                self.explored.steps += 1;
                match way.next {
                    None => self.found(ViolationKind::Assertion, way.span),
                    Some(next) if self.is_beyond(&next, thread) => self.cut = true,
                    Some(next) => {
                        for next in self.interpreter.with_flag_decided(next) {
                            work.extend(self.arrive(thread, next));
                        }
                    }
                }
            }
            self.go_on()?;
        }
        Ok(())
    }

    fn go_on(&mut self) -> Result<(), Exhausted> {
        let looks = self.explored.steps / LOOK_EVERY;
        let limited = looks != self.looks && self.budget.spent(self.bytes).is_some();
        self.looks = looks;
        if limited || self.interpreter.work(self.explored.steps) > self.effort.steps || self.interpreter.was_cut() {
            Err(Exhausted)
        } else {
            Ok(())
        }
    }

    /// Whether a state has more frames or threads than are followed.
    fn is_beyond(&self, state: &State, thread: usize) -> bool {
        let threads = self.interpreter.thread_count(state);
        self.interpreter.depth(state, thread) > self.effort.stack
            || threads > MOST_THREADS.max(self.interpreter.roots.len() + 1)
    }

    /// Notes a state that a thread has reached; returns it if only this thread may continue and it is new.
    fn arrive(&mut self, thread: usize, state: State) -> Option<State> {
        if let Some(span) = self.goals.reached(&self.interpreter, &state) {
            self.found(ViolationKind::LabelReached, span);
            return None;
        }
        self.make_room(&state);
        if self.interpreter.can_switch(&state, thread) {
            self.add(state);
            return None;
        }
        self.bytes += self.interpreter.bytes(&state);
        self.inside[thread].insert(state.clone()).then_some(state)
    }

    fn add(&mut self, state: State) {
        if !self.goals.deadlock {
            return self.add_decided(state);
        }
        // Here other threads may run.
        for state in self.interpreter.with_waits_decided(state, None) {
            self.add_decided(state);
        }
    }

    fn add_decided(&mut self, state: State) {
        let state = Rc::new(state);
        if self.known.insert(state.clone()) {
            self.bytes += self.interpreter.bytes(&state);
            if let Some(span) = self.goals.stuck(&self.interpreter, &state) {
                self.found(ViolationKind::InvalidEndState, span);
            }
            self.states.push(state);
        }
    }

    fn make_room(&mut self, state: &State) {
        let threads = self.interpreter.thread_count(state).max(self.next.len());
        self.next.resize(threads, 0);
        self.inside.resize_with(threads, FxHashSet::default);
    }

    fn found(&mut self, kind: ViolationKind, span: selvedge_source::Span) {
        // A thread whose steps were left out is not stuck.
        if kind == ViolationKind::InvalidEndState && self.interpreter.was_cut() {
            return;
        }
        self.explored.add(Found { round: self.round, span, kind });
    }
}
