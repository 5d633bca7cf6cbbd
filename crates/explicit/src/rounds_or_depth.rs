//! Searches under a bound by which states can be ranked: rounds (every thread gets at most one context, in the order of
//! their numbers) and depth (steps of the run). Here the least rank at which a state is reached is all that matters of
//! the way to it, so each state is expanded once, in the order of ranks.
//!
//! A rank of the round-robin schedule is a round and a thread: a step of `q` in rank `(r, p)` has rank `(r, q)` if
//! `q >= p`, else `(r + 1, q)`; contexts may be empty, so a lower rank can do whatever a higher one can. A rendezvous is
//! a step of the sender. A rank of depth is the number of steps; those inside an atomic sequence count one by one.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use selvedge_core::{Budget, Observer, StopReason, ThreadId};
use selvedge_machine::{Arrival, ExpandBuffers, Fault, Hints, Path, Threads, Turn, expand};

use crate::findings::Wanted;
use crate::outcome::Outcome;
use crate::path::extended;
use crate::search::{Progress, Search, StoreFigures, Waiting};
use crate::store::{StateId, Store};
use crate::watch::Watch;

/// What a rank is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counted {
    /// Rounds, from 1.
    Rounds,
    /// Steps, from 0.
    Depth,
}

/// How to search.
#[derive(Clone, Debug)]
pub struct RoundsOrDepthOptions {
    /// What is bounded.
    pub counted: Counted,
    /// The bound; without it, until nothing is left.
    pub max_bound: Option<u32>,
    /// What to do with violations.
    pub wanted: Wanted,
}

/// Ranks of one round.
const ROUND: u32 = Threads::MOST;

/// The best way to a state so far.
#[derive(Clone, Copy)]
struct Reached {
    rank: u32,
    parent: Option<StateId>,
    thread: Option<ThreadId>,
    stutter: bool,
    expanded: bool,
}

struct RoundsOrDepth<'a, M: Hints> {
    machine: &'a M,
    options: &'a RoundsOrDepthOptions,
    store: Store,
    progress: Progress<'a>,
    reached: FxHashMap<StateId, Reached>,
    waiting: BTreeMap<u32, Vec<StateId>>,
    /// Something lies beyond the bound.
    beyond: bool,
    buffers: ExpandBuffers<M>,
    state: Vec<u8>,
}

/// Explores in the order of ranks.
pub fn rounds_or_depth<M: Hints>(
    machine: &M,
    options: &RoundsOrDepthOptions,
    budget: &Budget,
    observer: &mut dyn Observer,
) -> Outcome {
    let mut initial = Vec::new();
    machine.initial(&mut initial);
    let mut search = RoundsOrDepth {
        machine,
        options,
        store: Store::new(machine.hidden_prefix(), &initial),
        progress: Progress::bounded(Watch::new(budget, observer), options.wanted),
        reached: FxHashMap::default(),
        waiting: BTreeMap::new(),
        beyond: false,
        buffers: ExpandBuffers::within(budget),
        state: Vec::new(),
    };
    search.start(&initial);
    search.run()
}

impl<M: Hints> RoundsOrDepth<'_, M> {
    fn start(&mut self, initial: &[u8]) {
        let first = match self.options.counted {
            Counted::Rounds => ROUND,
            Counted::Depth => 0,
        };
        self.progress.bound = self.bound_of(first);
        let (id, _) = self.store.insert(initial, None);
        self.reach(id, Reached { rank: first, parent: None, thread: None, stutter: false, expanded: false });
    }

    /// Everything within the bound was explored.
    fn end(&mut self) -> StopReason {
        match (self.beyond, self.options.max_bound) {
            (true, Some(max)) => {
                self.complete_layers_below(max + 1);
                self.progress.bound = max;
                StopReason::Bound
            }
            _ => {
                self.complete_layers_below(self.progress.bound + 1);
                StopReason::Exhausted
            }
        }
    }

    fn bound_of(&self, rank: u32) -> u32 {
        match self.options.counted {
            Counted::Rounds => rank / ROUND,
            Counted::Depth => rank,
        }
    }

    fn is_within(&self, rank: u32) -> bool {
        self.options.max_bound.is_none_or(|max| self.bound_of(rank) <= max)
    }

    /// The rank after steps of a thread.
    fn rank_after(&self, rank: u32, arrival: &Arrival<'_>) -> u32 {
        match (self.options.counted, arrival.thread()) {
            (Counted::Depth, _) => rank.saturating_add(arrival.steps.len() as u32),
            (Counted::Rounds, None) => rank,
            (Counted::Rounds, Some(ThreadId(thread))) => {
                let (round, thread) = (rank / ROUND, thread.min(ROUND - 1));
                if thread >= rank % ROUND { round * ROUND + thread } else { (round + 1) * ROUND + thread }
            }
        }
    }

    /// Takes a state of this rank that is still to be expanded.
    fn next(&mut self, rank: u32) -> Option<StateId> {
        let ids = self.waiting.get_mut(&rank)?;
        let id = ids.pop();
        if ids.is_empty() {
            self.waiting.remove(&rank);
        }
        let reached = self.reached.get_mut(&id?)?;
        if reached.expanded || reached.rank != rank {
            return None;
        }
        reached.expanded = true;
        id
    }

    /// A way to a state; kept if it is better than the one known.
    fn reach(&mut self, id: StateId, reached: Reached) {
        let rank = reached.rank;
        if self.reached.get(&id).is_some_and(|known| known.rank <= rank) {
            return;
        }
        let new = self.reached.insert(id, reached).is_none();
        self.waiting.entry(rank).or_default().push(id);
        if new {
            let mut state = Vec::new();
            self.store.get(id, &mut state);
            if let Some(fault) = self.machine.state_fault(&state) {
                self.violation(rank, &fault, id);
            }
        }
    }

    fn expand(&mut self, id: StateId) {
        let (mut buffers, mut state) = (std::mem::take(&mut self.buffers), std::mem::take(&mut self.state));
        self.store.get(id, &mut state);
        let Reached { rank, stutter, .. } = self.reached[&id];
        let turn = if stutter { Turn::Stutter } else { Turn::Any };
        let machine = self.machine;
        let steps = expand(machine, &state, turn, &mut buffers, &mut |arrival| self.arrive(id, rank, &arrival));
        if steps == 0
            && !stutter
            && let Some(fault) = machine.end_fault(&state)
        {
            self.violation(rank, &fault, id);
        }
        (self.buffers, self.state) = (buffers, state);
    }

    /// A violation in a state of this rank.
    fn violation(&mut self, rank: u32, fault: &Fault, id: StateId) {
        let bound = self.bound_of(rank);
        self.progress.findings.add(bound, fault, || path(self.machine, &self.store, &self.reached, id));
    }

    fn arrive(&mut self, from: StateId, rank: u32, arrival: &Arrival<'_>) {
        let after = self.rank_after(rank, arrival);
        for (number, (buffer, step)) in arrival.steps().enumerate() {
            // Of an atomic sequence that is too long, the beginning counts.
            let at_step = match self.options.counted {
                Counted::Rounds => after,
                Counted::Depth => rank + number as u32 + 1,
            };
            if !self.is_within(at_step) {
                break;
            }
            for fault in &buffer.faults[step.faults.clone()] {
                let path = || extended(path(self.machine, &self.store, &self.reached, from), arrival, fault);
                self.progress.findings.add(self.bound_of(at_step), fault, path);
            }
        }
        let Some(next) = arrival.state else { return };
        if !self.is_within(after) {
            self.beyond = true;
            return;
        }
        self.progress.transitions += 1;
        let (id, _) = self.store.insert(next, Some(from));
        let stutter = arrival.turn == Turn::Stutter;
        let (parent, thread) = (Some(from), arrival.thread());
        self.reach(id, Reached { rank: after, parent, thread, stutter, expanded: false });
    }

    fn check_limits(&mut self) -> Option<StopReason> {
        let RoundsOrDepth { progress, store, waiting, reached, .. } = self;
        progress.check_limits(store.len(), || {
            let reached = (reached.capacity() * size_of::<(StateId, Reached)>()) as u64;
            Waiting {
                frontier: waiting.values().map(|ids| ids.len() as u64).sum(),
                depth: waiting.first_key_value().map_or(0, |(rank, _)| u64::from(*rank)),
                memory: store.bytes() + reached,
                growth: store.growth() + reached,
            }
        })
    }

    /// Every rank below `bound` has been explored.
    fn complete_layers_below(&mut self, bound: u32) {
        if self.options.counted == Counted::Depth {
            self.progress.bound = self.progress.bound.max(bound);
            return;
        }
        while self.progress.bound < bound {
            self.progress.complete_layer(self.store.len());
            self.progress.bound += 1;
        }
    }
}

impl<M: Hints> Search for RoundsOrDepth<'_, M> {
    /// Expands one state of the least rank.
    fn advance(&mut self) -> Option<StopReason> {
        if let Some(stop) = self.buffers.stopped().filter(|_| !self.progress.is_done()) {
            return Some(stop);
        }
        let Some((&rank, _)) = self.waiting.first_key_value() else { return Some(self.end()) };
        self.complete_layers_below(self.bound_of(rank));
        let id = self.next(rank)?;
        let stop = self.check_limits();
        if stop.is_some() {
            return stop;
        }
        self.expand(id);
        self.progress.is_done().then_some(StopReason::Violation)
    }

    fn outcome(mut self, stop: StopReason) -> Outcome {
        let stored = StoreFigures {
            states: self.store.len(),
            bytes: self.store.bytes(),
            bytes_per_state: self.store.bytes_per_state(),
            omission: None,
        };
        self.progress.max_depth = self.progress.bound;
        if let (StopReason::Exhausted | StopReason::Bound, Some(layer)) = (stop, self.progress.layers.last()) {
            self.progress.bound = layer.bound;
        }
        self.progress.outcome(stop, stored)
    }
}

/// The best run to a state.
fn path<M: Hints>(machine: &M, store: &Store, reached: &FxHashMap<StateId, Reached>, id: StateId) -> Path {
    let mut chain = vec![id];
    while let Some(parent) = reached[&chain[chain.len() - 1]].parent {
        chain.push(parent);
    }
    chain.reverse();
    let mut path = Path::default();
    machine.initial(&mut path.initial);
    let (mut from, mut to) = (Vec::new(), Vec::new());
    for pair in chain.windows(2) {
        store.get(pair[0], &mut from);
        store.get(pair[1], &mut to);
        let turn = if reached[&pair[0]].stutter { Turn::Stutter } else { Turn::Any };
        let mut best: Option<Vec<_>> = None;
        expand(machine, &from, turn, &mut ExpandBuffers::default(), &mut |arrival| {
            let hidden = machine.hidden_prefix();
            let same = arrival.state.is_some_and(|state| state[hidden..] == to[hidden..]);
            let shorter = best.as_ref().is_none_or(|best| arrival.steps.len() < best.len());
            if same && shorter && arrival.thread() == reached[&pair[1]].thread {
                best = Some(arrival.to_path());
            }
        });
        path.steps.extend(best.unwrap_or_default());
    }
    path
}
