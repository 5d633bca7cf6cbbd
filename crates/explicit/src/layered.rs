//! The layered search: every state within a bound on preemptions (or on all switches), layer by layer, each transition
//! executed once whatever the bound (docs/design.md 3.2; compare \[BCS\] Figure 3).
//!
//! A node is a state `s` with the thread `p` that ran last. Let `m(s)` be the least cost at which `s` is reached and
//! `M(s)` the threads that ran last on such runs. From `s` a step of `q` costs `m(s)` if `q` is in `M(s)` or if some
//! thread of `M(s)` is blocked in `s`, else `m(s) + 1`, by preempting any of `M(s)`. So in layer `c`:
//!
//! ```text
//! for each newly reached (s, p) with m(s) = c:
//!     take p's own steps, or everybody's if p is blocked         -> may add states and members to layer c
//! when layer c is exhausted:
//!     for each s with m(s) = c: take the steps not taken yet     -> the seeds of layer c + 1
//! ```
//!
//! Which threads' steps were taken from a state is all that has to be remembered. Nodes wait in a queue, so that a state
//! is expanded once for all threads that ran last on runs to it.
//!
//! Busy waiting (docs/design.md 3.3): a thread that spins in `s` counts as blocked there, for preemptions ([`Leaving`]).
//!
//! Reduction (docs/design.md 3.6): preempting `p` in front of a local step (see [`selvedge_machine::Hints::is_local`]) is pointless: the run in
//! which the step comes first has no more preemptions and shows no less. So nodes with local steps are not left in the
//! next layer, unless `p` may return to them by steps that others cannot see, which would put the others off for ever.
//! DIVERGENCE \[BCS\] Fig. 5: the paper also moves safe steps of threads that did not run last to the front and pays for
//! it with credits, so that its search with bound N reports runs of more than N preemptions. Ours stays exact.

use std::collections::VecDeque;

use selvedge_core::{Budget, Layer, Observer, StopReason, SwitchCost, SwitchReason, ThreadId};
use selvedge_machine::{
    Arrival, Counting, ExpandBuffers, Fault, Hints, Leaving, Threads, Turn, expand, expand_own, expand_threads,
};

use crate::findings::Wanted;
use crate::lossy::Lossy;
use crate::memory::Memory;
use crate::outcome::Outcome;
use crate::packed::{PackedLayers, Packing, Relay, Reports, TakeOver};
use crate::path;
use crate::search::{Progress, Search, StoreFigures, Waiting};
use crate::shuffle::Shuffle;
use crate::store::{StateId, Store};
use crate::watch::Watch;

/// How states are remembered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Remember {
    /// Whole.
    #[default]
    Exactly,
    /// By a hash of 64 bits.
    Compactly,
    /// By a few bits in an array of this many bytes.
    Bits {
        /// Size of the array.
        bytes: u64,
        /// Bits for a state.
        hashes: u32,
    },
}

/// How to search.
#[derive(Clone, Debug, Default)]
pub struct LayeredOptions {
    /// What a layer counts.
    pub cost: SwitchCost,
    /// The last layer; without it, until a layer adds nothing.
    pub max_bound: Option<u32>,
    /// A switch away from a spinning thread is a preemption too.
    pub count_busy_wait: bool,
    /// Leave out preemptions in front of local steps.
    pub reduction: bool,
    /// How states are remembered.
    pub remember: Remember,
    /// Distinguishes searches with a lossy memory: which states are taken for one depends on it.
    pub seed: u64,
    /// Explore in another order, one for each number; what is found is the same, what is found first is not.
    pub shuffle: Option<u64>,
    /// What to do with violations.
    pub wanted: Wanted,
    /// Keep the states for the caller, if they are remembered exactly.
    pub keep_states: bool,
    /// When states are packed, where that is possible.
    pub packing: Packing,
}

/// Explores layer by layer.
pub fn layered<M: Hints>(
    machine: &M,
    options: &LayeredOptions,
    budget: &Budget,
    observer: &mut dyn Observer,
) -> Outcome {
    let mut initial = Vec::new();
    machine.initial(&mut initial);
    let hidden = machine.hidden_prefix();
    match options.remember {
        Remember::Exactly => {
            let reports = Reports::to(observer);
            let (mut one, mut other) = (reports.one(), reports.one());
            exact(machine, options, Watch::new(budget, &mut one), Watch::new(budget, &mut other)).run()
        }
        Remember::Compactly => {
            let memory = Lossy::compact(hidden, options.seed);
            Layered::new(machine, options, memory, &initial, Watch::new(budget, observer)).run()
        }
        Remember::Bits { bytes, hashes } => {
            let memory = Lossy::bits(hidden, options.seed, bytes, hashes);
            Layered::new(machine, options, memory, &initial, Watch::new(budget, observer)).run()
        }
    }
}

/// The search with an exact store, which packs states after a while where that is possible.
pub(crate) type Exact<'a, M> = Relay<'a, Layered<'a, M, Store>, PackedLayers<'a, M>>;

/// Such a search at its start.
pub(crate) fn exact<'a, M: Hints>(
    machine: &'a M,
    options: &'a LayeredOptions,
    watch: Watch<'a>,
    packed_watch: Watch<'a>,
) -> Exact<'a, M> {
    let mut initial = Vec::new();
    machine.initial(&mut initial);
    let packs = options.shuffle.is_none() && !options.keep_states && watch.budget.limits().depth.is_none();
    let take_over: TakeOver<'a, _, _> =
        Box::new(move |present| PackedLayers::new(machine, options, packed_watch)?.continuing(present));
    let memory = Store::with_marks(machine.hidden_prefix(), &initial);
    let present = Layered::new(machine, options, memory, &initial, watch);
    Relay::new(present, packs.then_some(take_over), options.packing)
}

impl<M: Hints> Exact<'_, M> {
    /// The layer that is being explored.
    pub(crate) fn bound(&self) -> u32 {
        self.packed().map_or(self.present.bound(), PackedLayers::bound)
    }

    /// The layers that were completed.
    pub(crate) fn completed(&self) -> &[Layer] {
        self.packed().map_or(self.present.completed(), PackedLayers::completed)
    }

    /// Transitions so far.
    pub(crate) fn transitions(&self) -> u64 {
        self.packed().map_or(self.present.progress.transitions, PackedLayers::transitions)
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> u64 {
        self.present.bytes() + self.packed().map_or(0, PackedLayers::bytes)
    }
}

/// Something to do in the current layer.
pub(crate) enum Work<R> {
    /// Take the steps of the threads that ran last: this one, or those that the memory has gathered.
    Own { at: R, thread: Option<ThreadId>, depth: u32 },
    /// Take the steps of everybody else.
    Others { at: R, depth: u32, switch: Switch },
}

/// Why the steps of everybody else are taken.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Switch {
    /// The thread that ran last is blocked, or there is none: perhaps everybody is.
    Forced,
    /// It has a step.
    Voluntary,
    /// Only the claim moves.
    Stutter,
}

/// The search in progress.
pub(crate) struct Layered<'a, M: Hints, S: Memory> {
    machine: &'a M,
    options: &'a LayeredOptions,
    pub memory: S,
    pub progress: Progress<'a>,
    leaving: Leaving<M>,
    shuffle: Option<Shuffle>,
    pub work: VecDeque<Work<S::Ref>>,
    /// States from which the steps that were not taken belong to the next layer.
    pub next_layer: Vec<(S::Ref, u32)>,
    /// What is left of those of the layer before.
    pub layer_seeds: std::vec::IntoIter<(S::Ref, u32)>,
    /// Where the memory ended after each layer that was completed.
    ends: Vec<StateId>,
    tools: Tools<M>,
}

/// Buffers, taken out of the search while it uses them.
struct Tools<M: Hints> {
    buffers: ExpandBuffers<M>,
    state: Vec<u8>,
}

impl<M: Hints> Default for Tools<M> {
    fn default() -> Self {
        Tools { buffers: ExpandBuffers::default(), state: Vec::new() }
    }
}

impl<'a, M: Hints, S: Memory> Layered<'a, M, S> {
    /// A search at its start.
    pub(crate) fn new(
        machine: &'a M,
        options: &'a LayeredOptions,
        mut memory: S,
        initial: &[u8],
        watch: Watch<'a>,
    ) -> Self {
        let (at, _) = memory.insert(initial, None);
        let tools = Tools { buffers: ExpandBuffers::within(watch.budget), state: Vec::new() };
        let mut search = Layered {
            machine,
            options,
            memory,
            progress: Progress::bounded(watch, options.wanted),
            leaving: Leaving::new(Counting { busy_waiting: options.count_busy_wait }),
            shuffle: options.shuffle.map(Shuffle::new),
            work: VecDeque::new(),
            next_layer: Vec::new(),
            layer_seeds: Vec::new().into_iter(),
            ends: Vec::new(),
            tools,
        };
        if let Some(fault) = machine.state_fault(initial) {
            search.violation_at(&at, &fault);
        }
        search.work.push_back(Work::Others { at, depth: 0, switch: Switch::Forced });
        search
    }

    /// The seeds of the layer come first.
    fn next_work(&mut self) -> Option<Work<S::Ref>> {
        let seed = self.layer_seeds.next().map(|(at, depth)| Work::Others { at, depth, switch: Switch::Voluntary });
        seed.or_else(|| self.work.pop_front())
    }

    fn start_next_layer(&mut self) -> Option<StopReason> {
        self.progress.complete_layer(self.memory.len());
        self.ends.push(self.memory.end());
        let last = self.options.max_bound.is_some_and(|max| self.progress.bound >= max);
        if self.next_layer.is_empty() || last {
            return Some(self.progress.end(!self.next_layer.is_empty()));
        }
        self.progress.bound += 1;
        let mut seeds = std::mem::take(&mut self.next_layer);
        if let Some(shuffle) = &mut self.shuffle {
            shuffle.mix(&mut seeds);
        }
        self.layer_seeds = seeds.into_iter();
        None
    }

    fn check_limits(&mut self) -> Option<StopReason> {
        let Layered { progress, memory, leaving, layer_seeds, work, next_layer, .. } = self;
        let waiting = layer_seeds.len() + work.len() + next_layer.len();
        let depth = u64::from(progress.max_depth);
        let stop = progress.check_limits(memory.len(), || Waiting {
            frontier: waiting as u64,
            depth,
            memory: memory.bytes() + leaving.bytes() + (waiting * size_of::<Work<S::Ref>>()) as u64,
            growth: memory.growth(),
        });
        stop.filter(|stop| !progress.only_growth_does_not_fit(*stop, memory.bytes()) || !memory.grow_less())
    }

    /// Takes the steps of threads that ran last.
    fn take_own_steps(&mut self, at: &S::Ref, thread: Option<ThreadId>, depth: u32) {
        if !self.progress.watch.allows_depth(depth) {
            self.progress.cut_by_depth |= !self.memory.all_taken(at);
            return;
        }
        let threads = match thread {
            Some(thread) if self.memory.take(at, thread) => Threads::only(thread),
            Some(_) => Threads::NONE,
            None => self.memory.take_batch(at),
        };
        if threads == Threads::NONE {
            return;
        }
        let mut tools = std::mem::take(&mut self.tools);
        self.memory.load(at, &mut tools.state);
        let Tools { buffers, state } = &mut tools;
        let mut moved = Threads::NONE;
        expand_own(self.machine, state, &threads, buffers, &mut |arrival| {
            let thread = arrival.thread();
            thread.into_iter().for_each(|thread| moved.insert(thread));
            // Of the steps of no thread, only those that report something: the others belong to everybody else.
            if thread.is_some() || arrival.state.is_none() {
                self.arrive(at, &arrival, depth);
            }
        });
        self.leave(at, depth, (&threads, &moved), &mut tools);
        self.tools = tools;
    }

    /// Decides when the steps of the others are taken, given who ran last and who of them has a step.
    fn leave(&mut self, at: &S::Ref, depth: u32, (threads, moved): (&Threads, &Threads), tools: &mut Tools<M>) {
        let blocked = !moved.includes(threads);
        if self.is_free_to_leave(blocked, moved, &tools.state) {
            if self.memory.put_free(at) {
                let switch = if *moved == Threads::NONE { Switch::Forced } else { Switch::Voluntary };
                self.expand_others(at, depth, switch, tools);
            }
            return;
        }
        if blocked && self.nobody_has_a_step(tools) {
            // What the claim does alone is no switch.
            if self.memory.put_free(at) {
                self.expand_others(at, depth, Switch::Forced, tools);
            }
            return;
        }
        if blocked || moved.iter().any(|thread| !self.is_pointless_to_preempt(&tools.state, thread)) {
            self.next_layer.push((at.clone(), depth));
        }
    }

    fn nobody_has_a_step(&self, tools: &mut Tools<M>) -> bool {
        let Tools { buffers, state } = tools;
        let mut nobody = true;
        expand(self.machine, state, Turn::Any, buffers, &mut |arrival| nobody &= arrival.thread().is_none());
        nobody
    }

    /// Whether leaving one of the threads that ran last costs nothing: a blocked one, if there is one, or one of those that
    /// have a step.
    fn is_free_to_leave(&mut self, blocked: bool, moved: &Threads, state: &[u8]) -> bool {
        let Layered { machine, options, leaving, .. } = self;
        let cost = options.cost;
        (blocked && cost.of_leaving(SwitchReason::Blocked) == 0)
            || moved.iter().any(|thread| leaving.cost(cost, *machine, state, thread, true) == 0)
    }

    /// Whether the next steps of a thread may come before everybody else's.
    fn is_pointless_to_preempt(&mut self, state: &[u8], thread: ThreadId) -> bool {
        self.options.reduction && self.leaving.is_pointless(self.machine, state, thread)
    }

    /// Takes the steps of all threads whose steps were not taken from here before.
    fn take_others_steps(&mut self, at: &S::Ref, depth: u32, switch: Switch) {
        if !self.progress.watch.allows_depth(depth) {
            self.progress.cut_by_depth = true;
            return;
        }
        if !self.memory.all_taken(at) {
            let mut tools = std::mem::take(&mut self.tools);
            self.memory.load(at, &mut tools.state);
            self.expand_others(at, depth, switch, &mut tools);
            self.tools = tools;
        }
    }

    /// The same for the state in the buffer.
    fn expand_others(&mut self, at: &S::Ref, depth: u32, switch: Switch, tools: &mut Tools<M>) {
        let Tools { buffers, state } = tools;
        let (machine, cost) = (self.machine, self.options.cost);
        let threads = self.memory.take_others(at, machine.thread_count(state));
        let mut arrive = |arrival: Arrival<'_>| self.arrive(at, &arrival, depth);
        let steps = match switch {
            Switch::Stutter => expand(machine, state, Turn::Stutter, buffers, &mut arrive),
            // Somebody has a step, so nothing is left out. Where a switch from a blocked thread counts, perhaps nobody has.
            Switch::Voluntary if cost.of_leaving(SwitchReason::Blocked) == 0 => {
                expand_own(machine, state, &threads, buffers, &mut arrive)
            }
            _ => expand_threads(machine, state, &threads, buffers, &mut arrive),
        };
        if steps == 0 && switch == Switch::Forced {
            self.check_end(at, &threads, tools);
        }
    }

    /// Reports a state in which every thread is blocked, if ending there is wrong; `threads` are known to be blocked.
    fn check_end(&mut self, at: &S::Ref, threads: &Threads, tools: &mut Tools<M>) {
        let Tools { buffers, state } = tools;
        let is_end = *threads == Threads::ALL || expand(self.machine, state, Turn::Any, buffers, &mut |_| {}) == 0;
        if let Some(fault) = self.machine.end_fault(state).filter(|_| is_end) {
            self.violation_at(at, &fault);
        }
    }

    /// A transition: notes its faults and where it leads.
    fn arrive(&mut self, from: &S::Ref, arrival: &Arrival<'_>, depth: u32) {
        if arrival.may_be_faulty() {
            self.violations_on(from, arrival);
        }
        let Some(next) = arrival.state.filter(|_| !self.progress.is_done()) else { return };
        self.progress.transitions += 1;
        let depth = depth + 1;
        let (at, new) = self.memory.insert(next, Some(from));
        if new {
            self.progress.max_depth = self.progress.max_depth.max(depth);
            if let Some(fault) = self.machine.state_fault(next) {
                self.violation_at(&at, &fault);
            }
        }
        let alive = |thread: ThreadId| thread.0 < self.machine.thread_count(next);
        let keep_finished = self.options.cost.remembers_finished_threads();
        let last = arrival.ran_last().filter(|last| alive(*last) || keep_finished);
        match last.filter(|_| arrival.turn != Turn::Stutter) {
            Some(last) => self.reach(at, last, depth),
            None if new || !self.memory.all_taken(&at) => {
                let switch = if arrival.turn == Turn::Stutter { Switch::Stutter } else { Switch::Forced };
                self.work.push_back(Work::Others { at, depth, switch });
            }
            None => {}
        }
    }

    /// A node: its own steps are to be taken in this layer, unless they were.
    fn reach(&mut self, at: S::Ref, last: ThreadId, depth: u32) {
        let work = match self.memory.put_in_batch(&at, last) {
            Some(true) => Work::Own { at, thread: None, depth },
            Some(false) => return,
            None if self.memory.is_taken(&at, last) => return,
            None => Work::Own { at, thread: Some(last), depth },
        };
        match self.shuffle.as_mut().map_or(0, Shuffle::mask) & 1 {
            0 => self.work.push_back(work),
            _ => self.work.push_front(work),
        }
    }

    fn violation_at(&mut self, at: &S::Ref, fault: &Fault) {
        self.progress.violation(fault, || self.memory.path(self.machine, at));
    }

    #[cold]
    fn violations_on(&mut self, from: &S::Ref, arrival: &Arrival<'_>) {
        let Layered { machine, memory, progress, .. } = self;
        for (buffer, step) in arrival.steps() {
            for fault in &buffer.faults[step.faults.clone()] {
                progress.violation(fault, || path::extended(memory.path(*machine, from), arrival, fault));
            }
        }
    }

    /// The layer that is being explored.
    pub(crate) fn bound(&self) -> u32 {
        self.progress.bound
    }

    /// The layers that were completed.
    pub(crate) fn completed(&self) -> &[Layer] {
        &self.progress.layers
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> u64 {
        let waiting = self.layer_seeds.len() + self.work.len() + self.next_layer.len();
        self.memory.bytes() + self.leaving.bytes() + (waiting * size_of::<Work<S::Ref>>()) as u64
    }
}

impl<M: Hints, S: Memory> Search for Layered<'_, M, S> {
    fn advance(&mut self) -> Option<StopReason> {
        match self.next_work() {
            Some(Work::Own { at, thread, depth }) => self.take_own_steps(&at, thread, depth),
            Some(Work::Others { at, depth, switch }) => self.take_others_steps(&at, depth, switch),
            None => return self.start_next_layer(),
        }
        match self.progress.is_done() {
            true => Some(StopReason::Violation),
            false => self.tools.buffers.stopped().or_else(|| self.check_limits()),
        }
    }

    fn outcome(self, stop: StopReason) -> Outcome {
        let figures = StoreFigures {
            states: self.memory.len(),
            bytes: self.memory.bytes(),
            bytes_per_state: self.memory.bytes_per_state(),
            omission: self.memory.omission(),
        };
        let stored = self.options.keep_states.then(|| self.memory.into_stored(self.ends)).flatten();
        Outcome { stored, ..self.progress.outcome(stop, figures) }
    }
}
