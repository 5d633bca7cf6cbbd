//! The exhaustive search. Breadth-first, new states wait in a queue. Depth-first, the successors of
//! a state wait on a stack, not yet compared with what is stored, and are looked at in the order in
//! which the machine names them, so that states are met exactly as a recursive search meets them.
//! Iterative throughout; what ends it is a value.

use std::collections::VecDeque;

use selvedge_core::{Budget, Layer, Observer, Stats, StopReason, ThreadId};
use selvedge_machine::{ExpandBuffers, Fault, Machine, Path, Turn, expand};

use crate::ample::{self, OpenPath};
use crate::findings::{Findings, Wanted};
use crate::frontier::{Pending, Waiting};
use crate::path;
use crate::store::{StateId, Store};
use crate::stored::Stored;
use crate::watch::{Position, Watch};

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
    /// Keep the states for the caller.
    pub keep_states: bool,
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
#[derive(Debug)]
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
    /// It speaks of all runs, although bounds were raised step by step: the search without a bound answered.
    pub unbounded: bool,
    /// The states, where they were to be kept.
    pub stored: Option<Stored>,
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

/// The search in progress.
pub(crate) struct Exhaustive<'a, M: Machine> {
    machine: &'a M,
    options: ExhaustiveOptions,
    watch: Watch<'a>,
    findings: Findings,
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
    buffers: ExpandBuffers<M>,
    state: Vec<u8>,
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
    let mut search = Exhaustive::new(machine, options, &initial, Watch::new(budget, observer));
    loop {
        if let Some(stop) = search.advance() {
            return search.outcome(stop);
        }
    }
}

impl<'a, M: Machine> Exhaustive<'a, M> {
    /// A search at its start.
    pub fn new(machine: &'a M, options: &ExhaustiveOptions, initial: &[u8], watch: Watch<'a>) -> Self {
        let mut search = Exhaustive {
            machine,
            options: options.clone(),
            watch,
            findings: Findings::new(Wanted { keep_going: options.keep_going, all: options.all_violations }),
            store: Store::new(machine.hidden_prefix(), initial),
            queue: VecDeque::new(),
            pending: Pending::default(),
            open: OpenPath::new(machine.hidden_prefix()),
            transitions: 0,
            max_depth: 0,
            cut_by_depth: false,
            buffers: ExpandBuffers::default(),
            state: Vec::new(),
        };
        if let Some(waiting) = search.compare(initial, None, false, 0) {
            match options.order {
                Order::BreadthFirst => search.queue.push_back(waiting),
                Order::DepthFirst => search.expand_state(&waiting, initial),
            }
        }
        search
    }

    /// Expands one state; why the search ended, if it did.
    pub fn advance(&mut self) -> Option<StopReason> {
        let mut state = std::mem::take(&mut self.state);
        let waiting = self.next(&mut state);
        let stop = match waiting {
            _ if self.findings.done() => Some(StopReason::Violation),
            None if self.cut_by_depth => Some(StopReason::Depth),
            None => Some(StopReason::Exhausted),
            Some(waiting) => self.check_limits(&waiting),
        };
        if let (None, Some(waiting)) = (stop, waiting) {
            self.expand_state(&waiting, &state);
        }
        self.state = state;
        stop
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

    fn expand_state(&mut self, waiting: &Waiting, state: &[u8]) {
        if !self.watch.allows_depth(waiting.depth) {
            self.cut_by_depth = true;
            return;
        }
        let mut buffers = std::mem::take(&mut self.buffers);
        let chosen = self.choose(waiting, state, &mut buffers);
        let before = self.store.len();
        let mut steps = self.expand_steps(waiting, state, &mut buffers, &|thread| chosen.is_none_or(|c| c == thread));
        if chosen.is_some() && self.options.order == Order::BreadthFirst && self.store.len() == before {
            steps += self.expand_steps(waiting, state, &mut buffers, &|thread| chosen != Some(thread));
        }
        self.buffers = buffers;
        self.pending.order();
        if steps == 0
            && !waiting.stutter
            && let Some(fault) = self.machine.end_fault(state)
        {
            self.findings.add(0, &fault, || path::to(self.machine, &self.store, waiting.id));
        }
    }

    /// The thread whose steps stand for all, if one can be found.
    fn choose(&mut self, waiting: &Waiting, state: &[u8], buffers: &mut ExpandBuffers<M>) -> Option<ThreadId> {
        if !self.options.reduction || self.watch.budget.limits().depth.is_some() {
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
            if arrival.may_be_faulty() {
                let Exhaustive { machine, store, findings, .. } = self;
                for fault in arrival.steps().flat_map(|(buffer, step)| &buffer.faults[step.faults.clone()]) {
                    findings.add(0, fault, || path::with_last(*machine, store, waiting.id, &arrival, fault));
                }
            }
            if let Some(next) = arrival.state
                && !self.findings.done()
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
            self.findings.add(0, &fault, || path::to(self.machine, &self.store, id));
        }
        Some(Waiting { id, stutter, depth })
    }

    /// Bytes held.
    pub fn bytes(&self) -> u64 {
        self.store.bytes()
            + (self.queue.capacity() * size_of::<Waiting>()) as u64
            + self.pending.bytes()
            + self.open.bytes()
    }

    fn check_limits(&mut self, waiting: &Waiting) -> Option<StopReason> {
        let (states, memory, growth) = (self.store.len(), self.bytes(), self.store.growth());
        let (transitions, frontier) = (self.transitions, (self.queue.len() + self.pending.len()) as u64);
        let depth = u64::from(waiting.depth);
        self.watch.tick(states, || Position { states, transitions, frontier, depth, memory, growth })
    }

    /// What it found out.
    pub fn outcome(self, stop: StopReason) -> Outcome {
        let stats = Stats {
            states: self.store.len(),
            transitions: self.transitions,
            max_depth: u64::from(self.max_depth),
            seconds: self.watch.budget.elapsed().as_secs_f64(),
            peak_memory_bytes: self.watch.peak.max(self.bytes()),
            bytes_per_state: self.store.bytes_per_state(),
            revisits: 0,
        };
        Outcome {
            stop,
            stats,
            violations: self.findings.list,
            layers: Vec::new(),
            bound: 0,
            violated_at: None,
            omission: None,
            unbounded: false,
            stored: self.options.keep_states.then(|| Stored::new(self.store, Vec::new())),
        }
    }
}
