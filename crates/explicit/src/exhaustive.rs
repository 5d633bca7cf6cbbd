//! The exhaustive search. Breadth-first, new states wait in a queue. Depth-first, the successors of
//! a state wait on a stack, not yet compared with what is stored, and are looked at in the order in
//! which the machine names them, so that states are met exactly as a recursive search meets them.
//! Iterative throughout; what ends it is a value.

use std::collections::{HashSet, VecDeque};

use selvedge_core::{Budget, Event, Layer, Observer, Stats, StopReason, ThreadId};
use selvedge_machine::{ExpandBuffers, Fault, Machine, Path, Turn, expand};

use crate::ample::{self, OpenPath};
use crate::frontier::{Pending, Waiting};
use crate::path;
use crate::store::{StateId, Store};

/// In which order states are expanded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// Deep first.
    DepthFirst,
    /// Near first: the first violation found is one of the shortest.
    #[default]
    BreadthFirst,
}

/// How to search.
#[derive(Clone, Debug, Default)]
pub struct ExhaustiveOptions {
    /// The order.
    pub order: Order,
    /// Explore past violations, so that counts are exact.
    pub keep_going: bool,
    /// How many different violations to keep; the first one otherwise.
    pub all_violations: bool,
    /// Safe steps of one thread stand for those of all. Not with a limit on the depth, under which
    /// the order of steps matters.
    pub reduction: bool,
}

/// A violation with the run that shows it.
#[derive(Clone, Debug)]
pub struct Found {
    /// What is wrong.
    pub fault: Fault,
    /// How to get there.
    pub path: Path,
}

/// What a search found out.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Why it stopped.
    pub stop: StopReason,
    /// Its figures.
    pub stats: Stats,
    /// Different violations in the order found, the first with the path that shows it.
    pub violations: Vec<Found>,
    /// One entry for each bound that was completed; empty where the search has no bound.
    pub layers: Vec<Layer>,
    /// The bound that was being explored at the end.
    pub bound: u32,
    /// The bound at which the first violation was found.
    pub violated_at: Option<u32>,
    /// What a lossy store may have missed.
    pub omission: Option<Omission>,
}

/// What a search with a lossy store may have missed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Omission {
    /// The probability that any state was missed because its hash was that of another.
    Probability(f64),
    /// The expected share of the states that were not missed because their bits were set already (states that are
    /// reached only through missed ones aside), and how full the array is.
    Coverage {
        /// Expected share of states, from 0 to 1.
        expected: f64,
        /// Share of the bits that are set.
        filled: f64,
    },
    /// The algorithm itself misses states within the bound.
    ByDesign,
}

/// How many expansions pass between two looks at the limits.
const CHECK_EVERY: u32 = 256;
/// How many different violations are kept at most.
const MOST_VIOLATIONS: usize = 1000;

struct Exhaustive<'a, M: Machine> {
    machine: &'a M,
    options: &'a ExhaustiveOptions,
    budget: &'a Budget,
    store: Store,
    /// Breadth-first: stored, not yet expanded.
    queue: VecDeque<Waiting>,
    /// Depth-first: reached, not yet compared.
    pending: Pending,
    /// Depth-first with reduction: the states on the way to the one being expanded.
    open: OpenPath,
    transitions: u64,
    max_depth: u32,
    cut_by_depth: bool,
    seen: HashSet<Fault>,
    violations: Vec<Found>,
    peak: u64,
}

/// Explores everything reachable.
pub fn exhaustive<M: Machine>(
    machine: &M,
    options: &ExhaustiveOptions,
    budget: &Budget,
    observer: &mut dyn Observer,
) -> Outcome {
    let mut initial = Vec::new();
    machine.initial(&mut initial);
    let mut search = Exhaustive {
        machine,
        options,
        budget,
        store: Store::new(machine.hidden_prefix(), &initial),
        queue: VecDeque::new(),
        pending: Pending::default(),
        open: OpenPath::new(machine.hidden_prefix()),
        transitions: 0,
        max_depth: 0,
        cut_by_depth: false,
        seen: HashSet::new(),
        violations: Vec::new(),
        peak: 0,
    };
    let stop = search.run(initial, observer);
    search.outcome(stop)
}

impl<M: Machine> Exhaustive<'_, M> {
    fn run(&mut self, mut state: Vec<u8>, observer: &mut dyn Observer) -> StopReason {
        let mut buffers = ExpandBuffers::default();
        if let Some(waiting) = self.compare(&state, None, false, 0) {
            self.expand_or_wait(waiting, &state, &mut buffers);
        }
        let max_states = self.budget.limits().states.unwrap_or(u64::MAX);
        let (mut countdown, mut next_report) = (CHECK_EVERY, 1.0);
        while let Some(waiting) = self.next(&mut state) {
            if self.done() {
                return StopReason::Violation;
            }
            if self.store.len() >= max_states {
                return StopReason::States;
            }
            countdown -= 1;
            if countdown == 0 {
                countdown = CHECK_EVERY;
                if let Some(stop) = self.look_around(&waiting, &mut next_report, observer) {
                    return stop;
                }
            }
            self.expand_state(&waiting, &state, &mut buffers);
        }
        match (self.done(), self.cut_by_depth) {
            (true, _) => StopReason::Violation,
            (false, true) => StopReason::Depth,
            (false, false) => StopReason::Exhausted,
        }
    }

    /// The next state to expand, written to `state`.
    fn next(&mut self, state: &mut Vec<u8>) -> Option<Waiting> {
        match self.options.order {
            Order::BreadthFirst => {
                let waiting = self.queue.pop_front()?;
                self.store.get(waiting.id, state);
                Some(waiting)
            }
            Order::DepthFirst => loop {
                let (parent, stutter, depth) = self.pending.pop(state)?;
                if let Some(waiting) = self.compare(state, Some(parent), stutter, depth) {
                    return Some(waiting);
                }
            },
        }
    }

    /// Whether a violation ends the search.
    fn done(&self) -> bool {
        !self.violations.is_empty() && !self.options.keep_going && !self.options.all_violations
    }

    /// The initial state: in either order the first one to be expanded.
    fn expand_or_wait(&mut self, waiting: Waiting, state: &[u8], buffers: &mut ExpandBuffers<M>) {
        match self.options.order {
            Order::BreadthFirst => self.queue.push_back(waiting),
            Order::DepthFirst => self.expand_state(&waiting, state, buffers),
        }
    }

    fn expand_state(&mut self, waiting: &Waiting, state: &[u8], buffers: &mut ExpandBuffers<M>) {
        if self.budget.limits().depth.is_some_and(|max| u64::from(waiting.depth) >= max) {
            self.cut_by_depth = true;
            return;
        }
        let chosen = self.choose(waiting, state, buffers);
        let before = self.store.len();
        let mut steps = self.expand_steps(waiting, state, buffers, &|thread| chosen.is_none_or(|c| c == thread));
        if chosen.is_some() && self.options.order == Order::BreadthFirst && self.store.len() == before {
            steps += self.expand_steps(waiting, state, buffers, &|thread| chosen != Some(thread));
        }
        self.pending.order();
        if steps == 0
            && !waiting.stutter
            && let Some(fault) = self.machine.end_fault(state)
        {
            self.violation(fault, |search, _| path::to(search.machine, &search.store, waiting.id));
        }
    }

    /// The thread whose steps stand for all, if one can be found.
    fn choose(&mut self, waiting: &Waiting, state: &[u8], buffers: &mut ExpandBuffers<M>) -> Option<ThreadId> {
        if !self.options.reduction || self.budget.limits().depth.is_some() {
            return None;
        }
        if self.options.order == Order::DepthFirst {
            self.open.enter(waiting.depth, state);
        }
        if waiting.stutter {
            return None;
        }
        ample::choose(self.machine, state, &self.open, buffers)
    }

    /// Follows the steps of the threads that are wanted, and those of no thread.
    fn expand_steps(
        &mut self,
        waiting: &Waiting,
        state: &[u8],
        buffers: &mut ExpandBuffers<M>,
        wanted: &dyn Fn(ThreadId) -> bool,
    ) -> usize {
        let turn = if waiting.stutter { Turn::Stutter } else { Turn::Any };
        expand(self.machine, state, turn, buffers, &mut |arrival| {
            let (buffer, index) = arrival.steps[0];
            if buffer.list[index].thread.is_some_and(|thread| !wanted(thread)) {
                return;
            }
            let faulty = arrival.steps().any(|(_, step)| !step.faults.is_empty());
            if faulty {
                let faults: Vec<Fault> = arrival
                    .steps()
                    .flat_map(|(buffer, step)| buffer.faults[step.faults.clone()].iter().cloned())
                    .collect();
                for fault in faults {
                    self.violation(fault, |search, fault| {
                        path::with_last(search.machine, &search.store, waiting.id, &arrival, fault)
                    });
                }
            }
            if let Some(next) = arrival.state
                && !self.done()
            {
                self.arrive(next, waiting.id, arrival.turn, waiting.depth + 1);
            }
        })
    }

    /// A transition led to a state.
    fn arrive(&mut self, state: &[u8], parent: StateId, turn: Turn, depth: u32) {
        let stutter = turn == Turn::Stutter;
        match self.options.order {
            Order::BreadthFirst => {
                if let Some(waiting) = self.compare(state, Some(parent), stutter, depth) {
                    self.queue.push_back(waiting);
                }
            }
            Order::DepthFirst => self.pending.push(state, parent, stutter, depth),
        }
    }

    /// Stores a state. Returns it if it is new.
    fn compare(&mut self, state: &[u8], parent: Option<StateId>, stutter: bool, depth: u32) -> Option<Waiting> {
        self.transitions += u64::from(parent.is_some());
        let (id, new) = self.store.insert(state, parent);
        if !new {
            return None;
        }
        self.max_depth = self.max_depth.max(depth);
        if let Some(fault) = self.machine.state_fault(state) {
            self.violation(fault, |search, _| path::to(search.machine, &search.store, id));
        }
        Some(Waiting { id, stutter, depth })
    }

    /// Keeps a violation that was not seen before. Only the first one is kept with its path,
    /// unless all are wanted.
    fn violation(&mut self, fault: Fault, path: impl FnOnce(&Self, &Fault) -> Path) {
        if self.seen.len() >= MOST_VIOLATIONS || !self.seen.insert(fault.clone()) {
            return;
        }
        let path = if self.violations.is_empty() || self.options.all_violations {
            path(self, &fault)
        } else {
            Path::default()
        };
        self.violations.push(Found { fault, path });
    }

    fn memory(&self) -> u64 {
        self.store.bytes()
            + (self.queue.capacity() * size_of::<Waiting>()) as u64
            + self.pending.bytes()
            + self.open.bytes()
    }

    fn look_around(
        &mut self,
        waiting: &Waiting,
        next_report: &mut f64,
        observer: &mut dyn Observer,
    ) -> Option<StopReason> {
        let memory = self.memory();
        self.peak = self.peak.max(memory + self.store.growth());
        let seconds = self.budget.elapsed().as_secs_f64();
        if seconds >= *next_report {
            *next_report = seconds + 0.1;
            observer.event(&Event::Progress {
                states: self.store.len(),
                transitions: self.transitions,
                frontier: (self.queue.len() + self.pending.len()) as u64,
                depth: u64::from(waiting.depth),
                memory,
                seconds,
            });
        }
        self.budget.check(self.store.len(), memory + self.store.growth())
    }

    fn outcome(self, stop: StopReason) -> Outcome {
        let stats = Stats {
            states: self.store.len(),
            transitions: self.transitions,
            max_depth: u64::from(self.max_depth),
            seconds: self.budget.elapsed().as_secs_f64(),
            peak_memory_bytes: self.peak.max(self.memory()),
            bytes_per_state: self.store.bytes_per_state(),
            revisits: 0,
        };
        Outcome {
            stop,
            stats,
            violations: self.violations,
            layers: Vec::new(),
            bound: 0,
            violated_at: None,
            omission: None,
        }
    }
}
