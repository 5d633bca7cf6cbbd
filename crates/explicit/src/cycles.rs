//! Infinite runs (docs/design.md 3.5): cycles through accepting states, cycles without progress, fair or not, at every bound.
//!
//! A run with at most N counted switches makes its last one somewhere, so the cycle it ends with is made of steps that
//! cost nothing. The graph of those steps has nodes `(s, p)`, state and thread that ran last; where leaving `p` is free
//! (it is blocked, has ended, or is spinning) the node is joined to `(s, anybody)`, from which every step is free.
//! Along a cycle the least cost of the nodes stays the same. So the search goes layer by layer: in layer `c` it
//! explores, depth first, the nodes that cost `c` and finds the strongly connected components (Tarjan) as it goes; the
//! first layer with a bad one has the least bound. Without a bound every switch is free, and there is one layer.
//!
//! From a state the steps of a thread lead to the same nodes whoever was preempted for them, so a state is left like this
//! once, in the layer in which it was first reached.
//!
//! Reduction (docs/design.md 3.6), sound for properties that cannot count steps and without fairness. With a bound, preempting a
//! thread in front of a local step is pointless, as in the search of finite runs. Without one, the steps of one thread
//! stand for those of all where they are safe and none leads back to the path that is being explored ([`ample`]): every
//! cycle of the reduced graph has a state that is not reduced.
//!
//! `states` has the states and executes transitions, `graph` the nodes and edges, `lasso` the run that shows what was
//! found.

mod graph;
mod lasso;
mod states;

use rustc_hash::FxHashSet;
use selvedge_core::{Budget, Observer, StopReason, SwitchCost, ThreadId, ViolationKind};
use selvedge_machine::{Counting, Fault, Hints, Path, Threads};

use crate::findings::Wanted;
use crate::outcome::Outcome;
use crate::search::{Progress, Search, StoreFigures, Waiting};
use crate::watch::Watch;
use graph::{Edges, FreeSteps, Graph, Node};
use states::Faulty;

/// Which infinite runs are looked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Cycle {
    /// Those that pass an accepting state again and again.
    #[default]
    Acceptance,
    /// Those that from some point on pass no progress state.
    NonProgress,
}

/// How to search.
#[derive(Clone, Debug, Default)]
pub struct CycleOptions {
    /// Which infinite runs are looked for.
    pub cycle: Cycle,
    /// Only runs in which a thread that stays enabled takes a step again and again.
    pub fair: bool,
    /// What is counted; nothing, if every switch is free.
    pub cost: Option<SwitchCost>,
    /// The last layer; without it, until a layer adds nothing.
    pub max_bound: Option<u32>,
    /// A switch away from a spinning thread is a preemption too.
    pub count_busy_wait: bool,
    /// Leave out schedules that no property without fairness can tell from others; the property must not count steps.
    pub reduction: bool,
    /// When a cycle is found, look at the others of its layer too and show the simplest run; if that takes much longer than
    /// finding the first one did, the simplest of those found by then.
    pub simplest: bool,
    /// What to do with violations.
    pub wanted: Wanted,
}

/// Edges that are followed in search of a better cycle than the first one, at least.
const PATIENCE: u64 = 1_000_000;

/// A node on the path of Tarjan's algorithm.
struct Frame {
    node: Node,
    low: u32,
    own_edge: bool,
    start: usize,
    next: usize,
    end: usize,
    depth: u32,
}

/// Where a node stands in Tarjan's algorithm.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Seen {
    Open(u32),
    Done,
}

struct Cycles<'a, M: Hints> {
    options: &'a CycleOptions,
    graph: Graph<'a, M>,
    progress: Progress<'a>,
    /// Indexed by node.
    seen: Vec<Option<Seen>>,
    roots: Vec<Node>,
    /// Nodes that a thread can be preempted at.
    next_layer: Vec<Node>,
    /// Steps of one thread may stand for those of all.
    is_reduced: bool,
    frames: Vec<Frame>,
    edges: Vec<Node>,
    buffer: Edges,
    component: Vec<Node>,
    /// Components with a cycle that is looked for, if the best of them is to be shown.
    bad: Vec<Vec<Node>>,
    /// Nodes that may still be looked at for a better one.
    patience: u64,
}

/// Looks for cycles, layer by layer.
pub fn cycles<M: Hints>(machine: &M, options: &CycleOptions, budget: &Budget, observer: &mut dyn Observer) -> Outcome {
    let reduction = options.reduction && !options.fair && budget.limits().depth.is_none();
    let rules =
        FreeSteps { cost: options.cost, counting: Counting { busy_waiting: options.count_busy_wait }, reduction };
    let mut search = Cycles {
        options,
        graph: Graph::new(machine, rules, budget),
        progress: Progress {
            is_bounded: options.cost.is_some(),
            ..Progress::new(Watch::new(budget, observer), options.wanted)
        },
        seen: Vec::new(),
        roots: Vec::new(),
        next_layer: Vec::new(),
        is_reduced: reduction && options.cost.is_none(),
        frames: Vec::new(),
        edges: Vec::new(),
        buffer: Edges::default(),
        component: Vec::new(),
        bad: Vec::new(),
        patience: 0,
    };
    search.start();
    search.run()
}

impl<M: Hints> Cycles<'_, M> {
    fn start(&mut self) {
        let initial = self.graph.initial();
        self.reach(initial, initial);
        self.roots.push(initial);
    }

    /// Everything that costs no more than the current bound.
    fn layer(&mut self) -> Option<StopReason> {
        let stop = self.explore_layer();
        if !self.bad.is_empty() {
            let bad = std::mem::take(&mut self.bad);
            self.report(&bad);
        }
        stop.or_else(|| self.progress.is_done().then_some(StopReason::Violation))
    }

    fn explore_layer(&mut self) -> Option<StopReason> {
        while let Some(root) = self.roots.pop() {
            if self.seen(root).is_some() {
                continue;
            }
            self.open(root, 0);
            while !self.frames.is_empty() {
                self.follow_edge();
                if self.progress.is_done() || self.is_out_of_patience() {
                    return Some(StopReason::Violation);
                }
                if let Some(stop) = self.graph.stopped().or_else(|| self.check_limits()) {
                    return Some(stop);
                }
            }
        }
        None
    }

    fn seen(&self, node: Node) -> Option<Seen> {
        self.seen.get(node.0 as usize).copied().flatten()
    }

    fn set_seen(&mut self, node: Node, seen: Seen) {
        if self.seen.len() <= node.0 as usize {
            self.seen.resize(node.0 as usize + 1, None);
        }
        self.seen[node.0 as usize] = Some(seen);
    }

    /// One step of Tarjan's algorithm.
    fn follow_edge(&mut self) {
        let Some(frame) = self.frames.last_mut() else { return };
        if frame.next == frame.end {
            self.leave();
            return;
        }
        let (node, to, depth) = (frame.node, self.edges[frame.next], frame.depth + 1);
        frame.next += 1;
        if self.is_cut(node, to) {
            self.roots.push(to);
            return;
        }
        match self.seen(to) {
            None if !self.progress.watch.allows_depth(depth) => self.progress.cut_by_depth = true,
            None => self.open(to, depth),
            Some(Seen::Open(number)) => {
                if let Some(frame) = self.frames.last_mut() {
                    frame.low = frame.low.min(number);
                    frame.own_edge |= to == node;
                }
            }
            Some(Seen::Done) => {}
        }
    }

    /// Whether no cycle that is looked for goes along an edge.
    fn is_cut(&mut self, from: Node, to: Node) -> bool {
        self.options.cycle == Cycle::NonProgress && (self.graph.is_progress(from) || self.graph.is_progress(to))
    }

    fn open(&mut self, node: Node, depth: u32) {
        self.progress.max_depth = self.progress.max_depth.max(depth);
        let number = self.component.len() as u32;
        self.set_seen(node, Seen::Open(number));
        self.component.push(node);
        let start = self.edges.len();
        let mut free = std::mem::take(&mut self.buffer);
        if !self.put_ample_edges(node, &mut free) {
            self.graph.put_free_edges(node, &mut free);
        }
        self.take(node, &free);
        self.edges.extend(free.edges.iter().map(|edge| edge.to));
        if free.can_be_preempted && !self.graph.was_left(node) {
            self.next_layer.push(node);
        }
        self.buffer = free;
        let end = self.edges.len();
        self.frames.push(Frame { node, low: number, own_edge: false, start, next: start, end, depth });
    }

    /// The edges of one thread's steps, if they stand for those of all; whether they do. A state with progress is not
    /// reduced: edges from it are not followed depth first.
    fn put_ample_edges(&mut self, node: Node, out: &mut Edges) -> bool {
        if !self.is_reduced {
            return false;
        }
        self.graph.enter(node);
        let progress = self.options.cycle == Cycle::NonProgress && self.graph.is_progress(node);
        !progress && !self.graph.is_stutter(node) && self.graph.put_ample_edges(node, out)
    }

    /// Steps from a node are taken.
    fn take(&mut self, node: Node, edges: &Edges) {
        self.progress.transitions += edges.executed;
        self.faults(node, &edges.faults);
        for edge in &edges.edges {
            self.reach(edge.to, node);
        }
    }

    fn leave(&mut self) {
        let Some(frame) = self.frames.pop() else { return };
        self.edges.truncate(frame.start);
        if self.is_reduced {
            self.graph.go_back(frame.node);
        }
        if let Some(parent) = self.frames.last_mut() {
            parent.low = parent.low.min(frame.low);
        }
        if self.seen(frame.node) != Some(Seen::Open(frame.low)) {
            return;
        }
        let members = self.component.split_off(frame.low as usize);
        for member in &members {
            self.set_seen(*member, Seen::Done);
        }
        if (frame.own_edge || members.len() > 1) && self.is_bad(&members) {
            self.found(members);
        }
    }

    fn found(&mut self, members: Vec<Node>) {
        if !self.options.simplest {
            return self.report(&[members]);
        }
        if self.bad.is_empty() {
            self.patience = PATIENCE.max(2 * self.graph.states());
        }
        self.bad.push(members);
    }

    /// Whether enough was done for a better cycle than those found.
    fn is_out_of_patience(&mut self) -> bool {
        if self.bad.is_empty() || self.options.wanted.keep_going {
            return false;
        }
        self.patience = self.patience.saturating_sub(1);
        self.patience == 0
    }

    /// Whether a component has a cycle that is looked for.
    fn is_bad(&mut self, members: &[Node]) -> bool {
        let bad = match self.options.cycle {
            Cycle::Acceptance => members.iter().any(|node| self.graph.is_accepting(*node)),
            Cycle::NonProgress => !self.graph.is_progress(members[0]),
        };
        // What is not known of all threads is not known to be fair.
        bad && (!self.options.fair || (self.is_fair(members) && self.graph.stopped().is_none()))
    }

    /// Whether every thread takes a step, or is blocked, somewhere in a component.
    fn is_fair(&mut self, members: &[Node]) -> bool {
        let inside: FxHashSet<Node> = members.iter().copied().collect();
        let mut settled = Threads::NONE;
        let mut threads = 0;
        for node in members {
            threads = threads.max(self.graph.thread_count(*node));
            settled = settled.union(&self.graph.disabled(*node));
            for edge in self.graph.free_edges(*node).edges {
                if let (Some(thread), true) = (edge.thread, inside.contains(&edge.to)) {
                    settled.insert(thread);
                }
            }
        }
        (0..threads).all(|thread| settled.contains(ThreadId(thread)))
    }

    fn report(&mut self, components: &[Vec<Node>]) {
        let (kind, message) = match self.options.cycle {
            Cycle::Acceptance => (
                ViolationKind::AcceptanceCycle,
                "acceptance cycle: an infinite run that the claim or an accept label describes is possible",
            ),
            Cycle::NonProgress => {
                (ViolationKind::NonProgressCycle, "non-progress cycle: the run can continue forever without progress")
            }
        };
        let fault = Fault { kind, message: message.to_owned(), span: None, thread: None };
        let options = self.options;
        self.find(&fault, |graph, bound| lasso::find(graph, options, bound, components));
    }

    /// A thread is preempted: everybody's steps lead to the next layer.
    fn preempt_at(&mut self, node: Node) {
        if self.graph.leave(node) {
            let mut all = std::mem::take(&mut self.buffer);
            self.graph.put_edges_after_preemption(node, &mut all);
            self.take(node, &all);
            self.roots.extend(all.edges.iter().map(|edge| edge.to));
            self.buffer = all;
        }
    }

    /// The search comes to a node.
    fn reach(&mut self, node: Node, from: Node) {
        if self.graph.reach(node, from)
            && let Some(fault) = self.graph.state_fault(node)
        {
            let options = self.options;
            self.find(&fault, |graph, bound| lasso::to(graph, options, bound, node));
        }
    }

    fn faults(&mut self, node: Node, faults: &[Faulty]) {
        let options = self.options;
        for faulty in faults {
            self.find(&faulty.fault, |graph, bound| {
                let path: Path = lasso::to(graph, options, bound, node);
                if faulty.at_end { path } else { graph.with_fault(path, node, faulty) }
            });
        }
    }

    /// A violation was found; puts the run together that shows it.
    fn find(&mut self, fault: &Fault, run: impl FnOnce(&mut Graph<'_, M>, u32) -> Path) {
        let (graph, bound) = (&mut self.graph, self.progress.bound);
        graph.set_aside(true);
        self.progress.violation(fault, || run(graph, bound));
        self.graph.set_aside(false);
    }

    fn check_limits(&mut self) -> Option<StopReason> {
        let Cycles { progress, graph, roots, next_layer, frames, seen, .. } = self;
        progress.check_limits(graph.states(), || {
            let waiting = (roots.len() + next_layer.len() + frames.len()) as u64;
            let seen = (seen.capacity() * size_of::<Option<Seen>>()) as u64;
            Waiting {
                frontier: waiting,
                depth: 0,
                memory: graph.bytes() + waiting * size_of::<Frame>() as u64 + seen,
                growth: graph.growth(),
            }
        })
    }
}

impl<M: Hints> Search for Cycles<'_, M> {
    /// Explores a layer.
    fn advance(&mut self) -> Option<StopReason> {
        let stop = self.layer();
        if stop.is_some() {
            return stop;
        }
        if self.options.cost.is_some() {
            self.progress.complete_layer(self.graph.states());
        }
        let last = self.options.max_bound.is_some_and(|max| self.progress.bound >= max);
        if self.next_layer.is_empty() || last {
            return Some(self.progress.end(!self.next_layer.is_empty()));
        }
        self.progress.bound += 1;
        for node in std::mem::take(&mut self.next_layer) {
            self.preempt_at(node);
            if let Some(stop) = self.graph.stopped().or_else(|| self.check_limits()) {
                return Some(stop);
            }
        }
        None
    }

    fn outcome(self, stop: StopReason) -> Outcome {
        let (states, bytes) = (self.graph.states(), self.graph.bytes());
        let bytes_per_state = bytes as f64 / states.max(1) as f64;
        self.progress.outcome(stop, StoreFigures { states, bytes, bytes_per_state, omission: None })
    }
}
