//! The layered search: every state within a bound on preemptions (or on all switches), layer by layer, each transition
//! executed once whatever the bound (DESIGN 3.2; compare \[BCS\] Figure 3).
//!
//! A node is a state `s` with the thread `p` that ran last. Let `m(s)` be the least cost at which `s` is reached and
//! `M(s)` the threads that ran last on such runs. From `s` a step of `q` costs `m(s)` if `q` is in `M(s)` or if some
//! thread of `M(s)` cannot go on in `s`, else `m(s) + 1`, by preempting any of `M(s)`. So it is enough to take, in layer
//! `c`, the steps of each newly reached `(s, p)`, and, when the layer is exhausted, the steps not yet taken from its
//! states: the seam to layer `c + 1`. Which threads' steps were taken from a state is all that has to be remembered.
//!
//! Busy waiting (DESIGN 3.3): if `s` lies on a cycle of `p`'s own steps, leaving `p` in `s` is free. All nodes of such a
//! cycle have their steps taken in the same layer, so Tarjan's algorithm, run on the fly along the own steps of each
//! thread, sees every cycle without executing a step twice (`own`). Nodes that can lie on no such cycle wait until the
//! nodes met before them are done, so that a state is looked at once for several threads (`due`).
//!
//! Reduction (DESIGN 3.6): preempting `p` in front of a quiet step (see [`Machine::is_quiet`]) is pointless: the run in
//! which the step comes first has no more preemptions and no less to show. So quiet nodes have no seam, unless they lie
//! on a cycle of `p`'s own steps, which could put the others off for ever.
//! DIVERGENCE \[BCS\] Fig. 5: the paper also moves safe steps of threads that did not run last to the front and pays for
//! it with credits, so that its search with bound N reports runs of more than N preemptions. Ours stays exact.

mod due;
mod own;

use std::collections::VecDeque;

use rustc_hash::FxHashMap;
use selvedge_core::{Budget, Event, Layer, Observer, Stats, StopReason, ThreadId};
use selvedge_machine::{
    Arrival, ExpandBuffers, Fault, Machine, Path, Threads, Turn, expand, expand_own, expand_threads,
};

use self::own::{After, Child, Frame, Member};
use crate::findings::{Findings, Wanted};
use crate::lossy::Lossy;
use crate::memory::Memory;
use crate::search::Outcome;
use crate::shuffle::Shuffle;
use crate::store::Store;
use crate::watch::{Position, Watch};

/// What a layer counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Cost {
    /// Switches away from a thread that could have gone on.
    #[default]
    Preemptions,
    /// All switches.
    Switches,
}

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
    pub cost: Cost,
    /// The last layer; without it, until a layer adds nothing.
    pub max_bound: Option<u32>,
    /// A switch away from a busy-waiting thread is a preemption too.
    pub count_busy_wait: bool,
    /// Leave out preemptions in front of quiet steps.
    pub reduction: bool,
    /// How states are remembered.
    pub remember: Remember,
    /// Distinguishes searches with a lossy memory: which states are taken for one depends on it.
    pub seed: u64,
    /// Explore in another order, one for each number; what is found is the same, what is found first is not.
    pub shuffle: Option<u64>,
    /// What to do with violations.
    pub wanted: Wanted,
}

/// Explores layer by layer.
pub fn layered<M: Machine>(
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
            run(machine, options, Store::with_marks(hidden, &initial), &initial, Watch::new(budget, observer))
        }
        Remember::Compactly => {
            let memory = Lossy::compact(hidden, options.seed);
            run(machine, options, memory, &initial, Watch::new(budget, observer))
        }
        Remember::Bits { bytes, hashes } => {
            let memory = Lossy::bits(hidden, options.seed, bytes, hashes);
            run(machine, options, memory, &initial, Watch::new(budget, observer))
        }
    }
}

/// Something to do in the current layer.
enum Work<R> {
    /// The steps of the thread that ran last.
    Own { at: R, thread: ThreadId, depth: u32 },
    /// The steps of the threads whose turn has come.
    Due { at: R, depth: u32 },
    /// The steps of everybody else.
    Rest { at: R, depth: u32, why: Why },
}

/// An own successor found while the rest of a state's steps are taken.
struct RestStep<R> {
    thread: ThreadId,
    /// Whether the thread may come back to the state.
    may_return: bool,
    child: Child<R>,
}

/// Why the steps of everybody else are taken.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Why {
    /// The thread that ran last cannot go on, or there is none: perhaps nobody can.
    NobodyElse,
    /// It could go on.
    Left,
    /// Only the claim moves.
    Stutter,
}

struct Layered<'a, M: Machine, S: Memory> {
    machine: &'a M,
    options: &'a LayeredOptions,
    memory: S,
    watch: Watch<'a>,
    findings: Findings,
    /// Whether cycles of own steps matter.
    look_for_cycles: bool,
    bound: u32,
    shuffle: Option<Shuffle>,
    work: VecDeque<Work<S::Ref>>,
    /// States whose remaining steps belong to the next layer.
    seam: Vec<(S::Ref, u32)>,
    /// What is left of the seam of the layer before.
    crossing: std::vec::IntoIter<(S::Ref, u32)>,
    frames: Vec<Frame<S::Ref>>,
    children: Vec<Child<S::Ref>>,
    /// The own successors found while the rest of a state's steps are taken.
    rest: Vec<RestStep<S::Ref>>,
    /// The bytes of both.
    arena: Vec<u8>,
    /// The nodes of components that are not complete, all of one thread.
    component: Vec<Member<S::Ref>>,
    /// Numbers of the first of the nodes in `component`; filled when a cycle asks for them.
    open: FxHashMap<u64, u32>,
    layers: Vec<Layer>,
    transitions: u64,
    max_depth: u32,
    cut_by_depth: bool,
    /// A reason to stop that came up in the middle of an exploration.
    stop: Option<StopReason>,
}

/// Buffers of the machine, apart from the search so that both can be used at once.
struct Tools<M: Machine> {
    buffers: ExpandBuffers<M>,
    state: Vec<u8>,
}

fn run<'a, M: Machine, S: Memory>(
    machine: &'a M,
    options: &'a LayeredOptions,
    memory: S,
    initial: &[u8],
    watch: Watch<'a>,
) -> Outcome {
    let mut search = Layered {
        machine,
        options,
        memory,
        watch,
        findings: Findings::new(options.wanted),
        look_for_cycles: options.reduction || (options.cost == Cost::Preemptions && !options.count_busy_wait),
        bound: 0,
        shuffle: options.shuffle.map(Shuffle::new),
        work: VecDeque::new(),
        seam: Vec::new(),
        crossing: Vec::new().into_iter(),
        frames: Vec::new(),
        children: Vec::new(),
        rest: Vec::new(),
        arena: Vec::new(),
        component: Vec::new(),
        open: FxHashMap::default(),
        layers: Vec::new(),
        transitions: 0,
        max_depth: 0,
        cut_by_depth: false,
        stop: None,
    };
    let stop = search.all_layers(initial);
    search.outcome(stop)
}

impl<M: Machine, S: Memory> Layered<'_, M, S> {
    fn all_layers(&mut self, initial: &[u8]) -> StopReason {
        let mut tools = Tools { buffers: ExpandBuffers::default(), state: Vec::new() };
        let (at, _) = self.memory.insert(initial, None);
        if let Some(fault) = self.machine.state_fault(initial) {
            self.violation_at(&at, &fault);
        }
        self.work.push_back(Work::Rest { at, depth: 0, why: Why::NobodyElse });
        loop {
            if let Some(stop) = self.layer(&mut tools) {
                return stop;
            }
            self.layer_is_complete();
            if self.seam.is_empty() {
                return if self.cut_by_depth { StopReason::Depth } else { StopReason::Exhausted };
            }
            if self.options.max_bound.is_some_and(|max| self.bound >= max) {
                return if self.cut_by_depth { StopReason::Depth } else { StopReason::Bound };
            }
            self.bound += 1;
            let mut seam = std::mem::take(&mut self.seam);
            if let Some(shuffle) = &mut self.shuffle {
                shuffle.mix(&mut seam);
            }
            self.crossing = seam.into_iter();
        }
    }

    /// Everything that costs no more than the current bound.
    fn layer(&mut self, tools: &mut Tools<M>) -> Option<StopReason> {
        while let Some(work) = self.next_work() {
            match work {
                Work::Own { at, thread, depth } => {
                    if self.may_take(&at, thread, depth) {
                        let node = Child { at, bytes: 0..0, may_return: false };
                        if self.take_own(node, thread, depth, tools) {
                            self.explore(thread, tools);
                        }
                    }
                }
                Work::Due { at, depth } => self.take_due(&at, depth, tools),
                Work::Rest { at, depth, why } => self.take_rest(&at, depth, why, tools),
            }
            if self.findings.done() {
                return Some(StopReason::Violation);
            }
            if let Some(stop) = self.stop.or_else(|| self.look_around()) {
                return Some(stop);
            }
        }
        None
    }

    /// What is left of the seam of the layer before comes first.
    fn next_work(&mut self) -> Option<Work<S::Ref>> {
        let rest = self.crossing.next().map(|(at, depth)| Work::Rest { at, depth, why: Why::Left });
        rest.or_else(|| self.work.pop_front())
    }

    fn look_around(&mut self) -> Option<StopReason> {
        let (memory, frames) = (&self.memory, &self.frames);
        let waiting = self.crossing.len() + self.work.len() + self.seam.len();
        let transitions = self.transitions;
        self.watch.tick(memory.len(), || {
            let nodes = frames.capacity() * size_of::<Frame<S::Ref>>() + waiting * size_of::<Work<S::Ref>>();
            Position {
                states: memory.len(),
                transitions,
                frontier: waiting as u64,
                depth: frames.last().map_or(0, |frame| u64::from(frame.depth)),
                memory: memory.bytes() + nodes as u64,
                growth: memory.growth(),
            }
        })
    }

    /// Takes the steps of all threads whose steps were not taken from here before.
    fn take_rest(&mut self, at: &S::Ref, depth: u32, why: Why, tools: &mut Tools<M>) {
        if !self.watch.allows_depth(depth) {
            self.cut_by_depth = true;
            return;
        }
        if self.memory.all_taken(at) {
            return;
        }
        self.memory.load(at, &mut tools.state);
        self.expand_rest(at, depth, why, tools);
        self.explore_rest(at, depth, tools);
    }

    /// The same for a state that is in the buffer; does not go on from where the steps lead.
    fn expand_rest(&mut self, at: &S::Ref, depth: u32, why: Why, tools: &mut Tools<M>) {
        let Tools { buffers, state } = tools;
        let (machine, cost) = (self.machine, self.options.cost);
        let threads = self.memory.take_rest(at, machine.thread_count(state));
        let mut arrive = |arrival: Arrival<'_>| {
            if let (Some(thread), Some(child)) = (arrival.thread(), self.arrive(at, &arrival, depth)) {
                let may_return = self.may_return(state, thread);
                self.rest.push(RestStep { thread, may_return, child });
            }
        };
        let steps = match why {
            Why::Stutter => expand(machine, state, Turn::Stutter, buffers, &mut arrive),
            // Somebody could go on, so nothing is left out. Where every switch counts, perhaps nobody could.
            Why::Left if cost == Cost::Preemptions => expand_own(machine, state, &threads, buffers, &mut arrive),
            _ => expand_threads(machine, state, &threads, buffers, &mut arrive),
        };
        if steps == 0 && why == Why::NobodyElse {
            self.check_end(at, state, &threads, buffers);
        }
    }

    /// Goes on along the own steps of each thread whose steps were just taken.
    fn explore_rest(&mut self, at: &S::Ref, depth: u32, tools: &mut Tools<M>) {
        if self.rest.is_empty() {
            return;
        }
        let mut rest = std::mem::take(&mut self.rest);
        let mask = self.shuffle.as_mut().map_or(0, Shuffle::mask);
        rest.sort_by_key(|step| step.thread.0 ^ mask);
        for group in rest.chunk_by(|a, b| a.thread == b.thread) {
            self.children.extend(group.iter().map(|step| step.child.clone()));
            let RestStep { thread, may_return, .. } = group[0];
            self.open_node(at.clone(), After::Nothing, depth, may_return, (0, self.arena.len() as u32));
            self.explore(thread, tools);
            if self.stop.is_some() {
                break;
            }
        }
        rest.clear();
        self.rest = rest;
        self.arena.clear();
    }

    /// Reports a state in which nobody can go on, if ending there is wrong; `threads` are known not to go on.
    fn check_end(&mut self, at: &S::Ref, state: &[u8], threads: &Threads, buffers: &mut ExpandBuffers<M>) {
        let is_end = *threads == Threads::ALL || expand(self.machine, state, Turn::Any, buffers, &mut |_| {}) == 0;
        if let Some(fault) = self.machine.end_fault(state).filter(|_| is_end) {
            self.violation_at(at, &fault);
        }
    }

    /// A transition: notes its faults and where it leads. Returns the state after it if the thread that acted is the
    /// one that ran last there, so that its own steps go on from it.
    fn arrive(&mut self, from: &S::Ref, arrival: &Arrival<'_>, depth: u32) -> Option<Child<S::Ref>> {
        if arrival.may_be_faulty() {
            self.violations_on(from, arrival);
        }
        let next = arrival.state?;
        if self.findings.done() {
            return None;
        }
        self.transitions += 1;
        let (at, new) = self.memory.insert(next, Some(from));
        if new {
            self.max_depth = self.max_depth.max(depth + 1);
            if let Some(fault) = self.machine.state_fault(next) {
                self.violation_at(&at, &fault);
            }
        }
        let depth = depth + 1;
        let alive = |thread: ThreadId| thread.0 < self.machine.thread_count(next);
        // Where every switch counts, a thread that has ended still is the last one.
        let last = arrival.ran_last().filter(|last| alive(*last) || self.options.cost == Cost::Switches);
        let Some(last) = last.filter(|_| arrival.turn != Turn::Stutter) else {
            let why = if arrival.turn == Turn::Stutter { Why::Stutter } else { Why::NobodyElse };
            if new || !self.memory.all_taken(&at) {
                self.work.push_back(Work::Rest { at, depth, why });
            }
            return None;
        };
        let own = arrival.thread() == Some(last);
        if !new && self.is_closed(&at, last, own.then_some(from)) {
            return None;
        }
        let may_return = self.may_return(next, last);
        if !may_return && self.wait(&at, last, depth) {
            return None;
        }
        if own {
            return Some(self.child(at, next, may_return));
        }
        self.work.push_back(Work::Own { at, thread: last, depth });
        None
    }

    /// Whether nothing is to be done about a node: its own steps were taken, and if the thread came there `from` a state
    /// by a step of its own, it closes no cycle.
    fn is_closed(&self, at: &S::Ref, thread: ThreadId, from: Option<&S::Ref>) -> bool {
        match from {
            Some(from) => self.memory.is_taken_aside(at, thread) && self.memory.key(at) != self.memory.key(from),
            None => self.memory.is_taken(at, thread),
        }
    }

    fn violation_at(&mut self, at: &S::Ref, fault: &Fault) {
        self.findings.add(self.bound, fault, || self.memory.path(self.machine, at));
    }

    #[cold]
    fn violations_on(&mut self, from: &S::Ref, arrival: &Arrival<'_>) {
        let Layered { machine, memory, findings, bound, .. } = self;
        for (buffer, step) in arrival.steps() {
            for fault in &buffer.faults[step.faults.clone()] {
                findings.add(*bound, fault, || with_last(memory.path(*machine, from), arrival, fault));
            }
        }
    }

    fn layer_is_complete(&mut self) {
        let states = self.memory.len();
        let before = self.layers.last().map_or(0, |layer| layer.states);
        let layer = Layer {
            bound: self.bound,
            states,
            new_states: states - before,
            transitions: self.transitions,
            seconds: self.watch.budget.elapsed().as_secs_f64(),
        };
        self.layers.push(layer);
        self.watch.observer.event(&Event::Layer(layer));
    }

    fn outcome(self, stop: StopReason) -> Outcome {
        let stats = Stats {
            states: self.memory.len(),
            transitions: self.transitions,
            max_depth: u64::from(self.max_depth),
            seconds: self.watch.budget.elapsed().as_secs_f64(),
            peak_memory_bytes: self.watch.peak.max(self.memory.bytes()),
            bytes_per_state: self.memory.bytes_per_state(),
            revisits: 0,
        };
        Outcome {
            stop,
            stats,
            violated_at: self.findings.at,
            violations: self.findings.list,
            layers: self.layers,
            bound: self.bound,
            omission: self.memory.omission(),
        }
    }
}

/// A run and on along an arrival from its end, up to the step that has the fault.
pub(crate) fn with_last(mut path: Path, arrival: &Arrival<'_>, fault: &Fault) -> Path {
    for step in arrival.to_path() {
        let last = step.faults.contains(fault);
        path.steps.push(step);
        if last {
            break;
        }
    }
    path
}
