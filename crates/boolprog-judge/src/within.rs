//! Explores every run of a program within a bound on switches of any kind, infinite runs included.
//!
//! A node is a state with the thread that ran last and what the run has spent of the bound. What is spent never becomes
//! less, so the nodes of a cycle have spent the same, and an infinite run within the bound is a path into a cycle.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use selvedge_boolprog_syntax::ast::Program;
use selvedge_core::{Bound, Budget, Effort, Explored, Found, SampledRun, Spent, ViolationKind};
use selvedge_source::Span;

use crate::cycles::{Graph, Node};
use crate::explore::MOST_THREADS;
use crate::{Goals, Interpreter, State, waits};

/// Explores what a bound leaves of a program without errors. A limit of the budget ends it as the effort does. With
/// `fresh_switches` a new thread has the switch number 0, otherwise one more than its creator's.
pub fn explore_within(
    program: &Program,
    goals: &Goals<'_>,
    bound: Bound,
    fresh_switches: bool,
    effort: Effort,
    budget: &Budget,
) -> Explored {
    explore(Interpreter::new(program, false, goals.assertions), goals, (bound, fresh_switches), effort, budget)
}

/// The same with every value decided as soon as a variable takes it: slower by far, and nothing is left to decide later. A
/// reference for tests.
pub fn explore_values_within(
    program: &Program,
    goals: &Goals<'_>,
    bound: Bound,
    fresh_switches: bool,
    effort: Effort,
    budget: &Budget,
) -> Explored {
    explore(Interpreter::new(program, true, goals.assertions), goals, (bound, fresh_switches), effort, budget)
}

fn explore(
    interpreter: Interpreter<'_>,
    goals: &Goals<'_>,
    (bound, fresh_switches): (Bound, bool),
    effort: Effort,
    budget: &Budget,
) -> Explored {
    let mut within = Within {
        interpreter: interpreter.exploring(),
        goals,
        decides_waits: waits::matter(goals, bound),
        effort,
        cut: false,
        bytes: 0,
        known: FxHashMap::default(),
        work: VecDeque::new(),
        graph: Graph::default(),
        explored: Explored::default(),
    };
    for state in within.interpreter.initial() {
        let switches = SampledRun::within(bound, fresh_switches, within.interpreter.thread_count(&state));
        for state in within.ways(state, None) {
            within.arrive(Place { state, last: None, switches: switches.clone() });
        }
    }
    while let Some((number, place)) = within.work.pop_front() {
        within.expand(number, &place);
        let exhausted = within.interpreter.work(within.explored.steps) > effort.steps || within.interpreter.was_cut();
        if exhausted || budget.spent(within.bytes).is_some() {
            within.cut = true;
            break;
        }
    }
    within.finish()
}

/// Where a run is.
#[derive(Clone)]
struct Place {
    state: State,
    last: Option<usize>,
    switches: SampledRun,
}

struct Within<'a> {
    interpreter: Interpreter<'a>,
    goals: &'a Goals<'a>,
    /// It matters which threads have a step.
    decides_waits: bool,
    effort: Effort,
    /// Something was not followed.
    cut: bool,
    /// What the places take.
    bytes: u64,
    known: FxHashMap<(State, Option<usize>, Spent), u32>,
    work: VecDeque<(u32, Place)>,
    graph: Graph,
    explored: Explored,
}

impl Within<'_> {
    /// The number of a place; a new one is looked at and put into the list. `None` where the run ends in a violation.
    fn arrive(&mut self, place: Place) -> Option<u32> {
        let key = (place.state.clone(), place.last, place.switches.spent());
        if let Some(&number) = self.known.get(&key) {
            return Some(number);
        }
        if let Some(span) = self.goals.reached(&self.interpreter, &place.state) {
            self.found(&place, ViolationKind::LabelReached, span);
            return None;
        }
        let free = place.last.is_none_or(|last| self.interpreter.can_switch(&place.state, last));
        if let Some(span) = self.goals.stuck(&self.interpreter, &place.state).filter(|_| free) {
            self.found(&place, ViolationKind::InvalidEndState, span);
        }
        self.bytes += 2 * self.interpreter.bytes(&place.state) + 64;
        let number = self.graph.nodes.len() as u32;
        self.graph.nodes.push(self.node(&place));
        self.known.insert(key, number);
        self.work.push_back((number, place));
        Some(number)
    }

    /// What is remembered of a place for infinite runs.
    fn node(&self, place: &Place) -> Node {
        let threads = 0..self.interpreter.thread_count(&place.state);
        let span = threads.clone().find_map(|thread| self.interpreter.position(&place.state, thread));
        let waits = |thread: &usize| self.interpreter.waits(&place.state, place.last, *thread) == Some(true);
        let waiting = if self.goals.fair { threads.filter(waits).collect() } else { Vec::new() };
        let free = !self.interpreter.in_init(&place.state)
            && place.last.is_none_or(|last| self.interpreter.can_switch(&place.state, last));
        Node { span, free, waiting, threads: self.interpreter.thread_count(&place.state), successors: Vec::new() }
    }

    fn expand(&mut self, number: u32, place: &Place) {
        for thread in 0..self.interpreter.thread_count(&place.state) {
            let Some(switches) = self.switched(place, thread) else { continue };
            for way in self.interpreter.moves(&place.state, thread) {
                self.explored.steps += 1;
                let Some(next) = way.next else {
                    self.found(place, ViolationKind::Assertion, way.span);
                    continue;
                };
                if self.is_beyond(&next, thread) {
                    self.cut = true;
                    continue;
                }
                self.follow(number, thread, &switches, next);
            }
        }
    }

    /// The states that a state stands for, with what decides which threads may run.
    fn ways(&self, state: State, last: Option<usize>) -> Vec<State> {
        let states = self.interpreter.with_flag_decided(state);
        if !self.decides_waits {
            return states;
        }
        states.into_iter().flat_map(|state| self.interpreter.with_waits_decided(state, last)).collect()
    }

    fn follow(&mut self, number: u32, thread: usize, switches: &SampledRun, next: State) {
        let mut switches = switches.clone();
        switches.stepped(thread, self.interpreter.thread_count(&next));
        let last = Some(thread);
        for state in self.ways(next, last) {
            if let Some(target) = self.arrive(Place { state, last, switches: switches.clone() }) {
                self.graph.nodes[number as usize].successors.push((target, thread));
            }
        }
    }

    /// What is spent when a thread takes the next step; `None` if it may not.
    fn switched(&mut self, place: &Place, thread: usize) -> Option<SampledRun> {
        let mut switches = place.switches.clone();
        if self.interpreter.in_init(&place.state) {
            return (thread == 0).then_some(switches);
        }
        let Some(last) = place.last.filter(|last| *last != thread) else { return Some(switches) };
        if !self.interpreter.can_switch(&place.state, last) {
            return None;
        }
        let arrives = self.interpreter.can_arrive(&place.state, last);
        // What is not known may cost less.
        self.cut |= arrives.is_none();
        let enabled = arrives != Some(false);
        if !switches.allows(last, thread, enabled) {
            return None;
        }
        switches.switch(last, thread, enabled);
        Some(switches)
    }

    fn is_beyond(&self, state: &State, thread: usize) -> bool {
        let threads = self.interpreter.thread_count(state);
        self.interpreter.depth(state, thread) > self.effort.stack
            || threads > MOST_THREADS.max(self.interpreter.roots.len() + 1)
    }

    fn found(&mut self, place: &Place, kind: ViolationKind, span: Span) {
        // Where steps were left out, it is not known which threads are enabled, and so not what the run costs.
        if self.interpreter.was_cut() {
            return;
        }
        self.explored.add(Found { round: place.switches.round, span, kind });
    }

    /// Looks for infinite runs among what was explored.
    fn finish(mut self) -> Explored {
        if self.goals.infinite_runs
            && !self.interpreter.was_cut()
            && let Some(span) = self.graph.infinite_run(self.goals.fair)
        {
            self.explored.add(Found { round: 0, span, kind: ViolationKind::NonProgressCycle });
        }
        Explored { states: self.graph.nodes.len() as u64, complete: !self.cut, ..self.explored }
    }
}
