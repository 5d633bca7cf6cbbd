//! The exhaustive search. Breadth-first, new states wait in a queue. Depth-first, the successors of
//! a state wait on a stack, not yet compared with what is stored, and are looked at in the order in
//! which the machine names them, so that states are met exactly as a recursive search meets them.
//! Iterative throughout; what ends it is a value.

use std::collections::VecDeque;

use selvedge_core::{Budget, Observer, StopReason, ThreadId};
use selvedge_machine::{Arrival, ExpandBuffers, Hints, Threads, Turn, expand, expand_threads};

use crate::ample::{self, OpenStates, Payoff};
use crate::findings::Wanted;
use crate::frontier::{Entry, Pending, Unexpanded};
use crate::outcome::Outcome;
use crate::packed::{PackedWhole, Packing, Relay, Reports, TakeOver};
use crate::path;
use crate::search::{Progress, Search, StoreFigures, Waiting};
use crate::store::{StateId, Store};
use crate::stored::Stored;
use crate::watch::Watch;

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
    /// When states are packed, where that is possible.
    pub packing: Packing,
}

/// The search in progress.
pub(crate) struct Exhaustive<'a, M: Hints> {
    machine: &'a M,
    options: ExhaustiveOptions,
    pub progress: Progress<'a>,
    pub store: Store,
    /// Breadth-first: stored, not yet expanded.
    pub queue: VecDeque<Unexpanded>,
    /// Depth-first: reached, not yet compared.
    pub pending: Pending,
    /// Depth-first with reduction: the states on the way to the one being expanded.
    open: OpenStates,
    pub payoff: Payoff,
    buffers: ExpandBuffers<M>,
    state: Vec<u8>,
}

/// Explores everything reachable.
pub fn exhaustive<M: Hints>(
    machine: &M,
    options: &ExhaustiveOptions,
    budget: &Budget,
    observer: &mut dyn Observer,
) -> Outcome {
    let reports = Reports::to(observer);
    let (mut one, mut other) = (reports.one(), reports.one());
    whole(machine, options, Watch::new(budget, &mut one), Watch::new(budget, &mut other)).run()
}

/// The search, which packs states after a while where that is possible.
pub(crate) type Whole<'a, M> = Relay<'a, Exhaustive<'a, M>, PackedWhole<'a, M>>;

/// Such a search at its start.
pub(crate) fn whole<'a, M: Hints>(
    machine: &'a M,
    options: &ExhaustiveOptions,
    watch: Watch<'a>,
    packed_watch: Watch<'a>,
) -> Whole<'a, M> {
    let mut initial = Vec::new();
    machine.initial(&mut initial);
    let packs = !options.keep_states && watch.budget.limits().depth.is_none();
    let same = options.clone();
    let take_over: TakeOver<'a, _, _> =
        Box::new(move |present| PackedWhole::new(machine, &same, packed_watch)?.continuing(present));
    let present = Exhaustive::new(machine, options, &initial, watch);
    Relay::new(present, packs.then_some(take_over), options.packing)
}

impl<M: Hints> Whole<'_, M> {
    /// Transitions so far.
    pub(crate) fn transitions(&self) -> u64 {
        self.packed().map_or(self.present.progress.transitions, PackedWhole::transitions)
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> u64 {
        self.present.bytes() + self.packed().map_or(0, PackedWhole::bytes)
    }
}

impl<'a, M: Hints> Exhaustive<'a, M> {
    /// A search at its start.
    pub(crate) fn new(machine: &'a M, options: &ExhaustiveOptions, initial: &[u8], watch: Watch<'a>) -> Self {
        let wanted = Wanted { keep_going: options.keep_going, all: options.all_violations };
        let buffers = ExpandBuffers::within(watch.budget);
        let mut search = Exhaustive {
            machine,
            options: options.clone(),
            progress: Progress::new(watch, wanted),
            store: Store::new(machine.hidden_prefix(), initial),
            queue: VecDeque::new(),
            pending: Pending::default(),
            open: OpenStates::new(machine.hidden_prefix()),
            payoff: Payoff::default(),
            buffers,
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

    /// The next state to expand, written to `state`.
    fn next(&mut self, state: &mut Vec<u8>) -> Option<Unexpanded> {
        match self.options.order {
            Order::BreadthFirst => {
                let waiting = self.queue.pop_front()?;
                self.store.get(waiting.id, state);
                Some(waiting)
            }
            Order::DepthFirst => loop {
                let (Entry { parent, hash, stutter, depth, .. }, encoded) = self.pending.top()?;
                let (id, new) = self.store.insert_encoded(encoded, hash, Some(parent));
                self.pending.pop();
                self.progress.transitions += 1;
                if new {
                    self.store.get(id, state);
                    return Some(self.discover(Unexpanded { id, stutter, depth }, state));
                }
            },
        }
    }

    fn expand_state(&mut self, waiting: &Unexpanded, state: &[u8]) {
        if !self.progress.watch.allows_depth(waiting.depth) {
            self.progress.cut_by_depth = true;
            return;
        }
        let mut buffers = std::mem::take(&mut self.buffers);
        let chosen = self.choose(waiting, state, &mut buffers);
        let before = self.store.len();
        let threads = chosen.map_or(Threads::ALL, Threads::only);
        let mut steps = self.expand_steps(waiting, state, &mut buffers, &threads);
        if chosen.is_some() && self.options.order == Order::BreadthFirst && self.store.len() == before {
            steps += self.expand_steps(waiting, state, &mut buffers, &threads.complement());
        }
        self.buffers = buffers;
        self.pending.order(&self.store);
        if steps == 0
            && !waiting.stutter
            && let Some(fault) = self.machine.end_fault(state)
        {
            self.progress.violation(&fault, || path::to(self.machine, &self.store, waiting.id));
        }
    }

    /// The thread whose steps stand for all, if one can be found.
    fn choose(&mut self, waiting: &Unexpanded, state: &[u8], buffers: &mut ExpandBuffers<M>) -> Option<ThreadId> {
        if !self.options.reduction || self.progress.watch.budget.limits().depth.is_some() {
            return None;
        }
        let asks = !waiting.stutter && self.payoff.asks();
        if self.options.order == Order::DepthFirst {
            self.open.enter(waiting.depth, state, asks);
        }
        if !asks {
            return None;
        }
        let Exhaustive { machine, open, .. } = self;
        let is_open = &mut |next: &[u8]| open.contains(next);
        let chosen = ample::choose(*machine, state, is_open, buffers);
        self.payoff.learn(chosen.is_some());
        chosen
    }

    /// Follows the steps of `threads`, and those of no thread.
    fn expand_steps(
        &mut self,
        waiting: &Unexpanded,
        state: &[u8],
        buffers: &mut ExpandBuffers<M>,
        threads: &Threads,
    ) -> usize {
        let machine = self.machine;
        let mut arrive = |arrival: Arrival<'_>| {
            if arrival.may_be_faulty() {
                let Exhaustive { machine, store, progress, .. } = self;
                for fault in arrival.steps().flat_map(|(buffer, step)| &buffer.faults[step.faults.clone()]) {
                    progress.violation(fault, || path::with_last(*machine, store, waiting.id, &arrival, fault));
                }
            }
            if let Some(next) = arrival.state
                && !self.progress.is_done()
            {
                self.arrive(next, waiting.id, arrival.turn, waiting.depth + 1);
            }
        };
        match waiting.stutter {
            true => expand(machine, state, Turn::Stutter, buffers, &mut arrive),
            false if *threads == Threads::ALL => expand(machine, state, Turn::Any, buffers, &mut arrive),
            false => expand_threads(machine, state, threads, buffers, &mut arrive),
        }
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
            Order::DepthFirst => self.pending.push(&self.store, state, parent, stutter, depth),
        }
    }

    /// Stores a state. Returns it if it is new.
    fn compare(&mut self, state: &[u8], parent: Option<StateId>, stutter: bool, depth: u32) -> Option<Unexpanded> {
        self.progress.transitions += u64::from(parent.is_some());
        let (id, new) = self.store.insert(state, parent);
        new.then(|| self.discover(Unexpanded { id, stutter, depth }, state))
    }

    /// A state is new.
    fn discover(&mut self, found: Unexpanded, state: &[u8]) -> Unexpanded {
        self.progress.max_depth = self.progress.max_depth.max(found.depth);
        if let Some(fault) = self.machine.state_fault(state) {
            self.progress.violation(&fault, || path::to(self.machine, &self.store, found.id));
        }
        found
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> u64 {
        bytes(&self.store, &self.queue, &self.pending, &self.open)
    }

    fn check_limits(&mut self, next: &Unexpanded) -> Option<StopReason> {
        let Exhaustive { progress, store, queue, pending, open, .. } = self;
        let stop = progress.check_limits(store.len(), || Waiting {
            frontier: (queue.len() + pending.len()) as u64,
            depth: u64::from(next.depth),
            memory: bytes(store, queue, pending, open),
            growth: store.growth(),
        });
        stop.filter(|stop| !progress.only_growth_does_not_fit(*stop, store.bytes()) || !store.grow_less())
    }
}

impl<M: Hints> Search for Exhaustive<'_, M> {
    /// Expands one state.
    fn advance(&mut self) -> Option<StopReason> {
        // The first state is expanded before the first call.
        if let Some(stop) = self.buffers.stopped().filter(|_| !self.progress.is_done()) {
            return Some(stop);
        }
        let mut state = std::mem::take(&mut self.state);
        let next = self.next(&mut state);
        let stop = match &next {
            _ if self.progress.is_done() => Some(StopReason::Violation),
            None => Some(self.progress.end(false)),
            Some(next) => self.check_limits(next),
        };
        if let (None, Some(next)) = (stop, next) {
            self.expand_state(&next, &state);
        }
        self.state = state;
        stop
    }

    fn outcome(self, stop: StopReason) -> Outcome {
        let figures = StoreFigures {
            states: self.store.len(),
            bytes: self.bytes(),
            bytes_per_state: self.store.bytes_per_state(),
            omission: None,
        };
        // There is no bound at which something was found.
        let stored = self.options.keep_states.then(|| Stored::new(self.store, Vec::new()));
        Outcome { violated_at: None, stored, ..self.progress.outcome(stop, figures) }
    }
}

fn bytes(store: &Store, queue: &VecDeque<Unexpanded>, pending: &Pending, open: &OpenStates) -> u64 {
    store.bytes() + (queue.capacity() * size_of::<Unexpanded>()) as u64 + pending.bytes() + open.bytes()
}
