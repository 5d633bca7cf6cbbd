//! The graph in which cycles are looked for: nodes are states with the thread that ran last, edges are steps.

use rustc_hash::FxHashMap;
use selvedge_core::{Arrival, BusyWaiting, ExpandBuffers, Fault, Machine, Path, ThreadId, Threads, Turn, expand};

use crate::layered::{Cost, with_last};
use crate::store::{StateId, Store};

/// A node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Node(pub u32);

/// Who ran last at a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Last {
    /// This thread.
    Thread(ThreadId),
    /// It does not matter: every step from here is free.
    Anybody,
    /// Only the claim moves.
    Nobody,
}

/// An edge.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    pub to: Node,
    /// Who acts; `None` for the claim, and for an edge that is no step.
    pub thread: Option<ThreadId>,
    /// Number of the arrival, and its steps; `None` for an edge that is no step.
    pub arrival: Option<(u32, u32)>,
    /// It costs a switch that is counted.
    pub counted: bool,
}

/// Edges from a node, and what was found on the way.
#[derive(Debug, Default)]
pub(super) struct Edges {
    pub edges: Vec<Edge>,
    /// Faults, each with the number of the arrival that has it, or none if the state itself has it.
    pub faults: Vec<(Option<u32>, Fault)>,
    /// Transitions executed.
    pub executed: u64,
    /// A thread has a step.
    goes_on: bool,
    /// Leaving the thread that ran last is counted.
    pub can_be_preempted: bool,
}

pub(super) struct Graph<'a, M: Machine> {
    machine: &'a M,
    cost: Option<Cost>,
    count_busy_wait: bool,
    store: Store,
    nodes: Vec<(StateId, Last)>,
    numbers: FxHashMap<(StateId, Last), Node>,
    busy: BusyWaiting<M>,
    buffers: ExpandBuffers<M>,
    state: Vec<u8>,
}

impl<'a, M: Machine> Graph<'a, M> {
    pub fn new(machine: &'a M, cost: Option<Cost>, count_busy_wait: bool) -> Self {
        let mut initial = Vec::new();
        machine.initial(&mut initial);
        Graph {
            machine,
            cost,
            count_busy_wait,
            store: Store::new(machine.hidden_prefix(), &initial),
            nodes: Vec::new(),
            numbers: FxHashMap::default(),
            busy: BusyWaiting::default(),
            buffers: ExpandBuffers::default(),
            state: Vec::new(),
        }
    }

    pub fn initial(&mut self) -> Node {
        let mut initial = Vec::new();
        self.machine.initial(&mut initial);
        let (state, _) = self.store.insert(&initial, None);
        self.node(state, Last::Anybody)
    }

    fn node(&mut self, state: StateId, last: Last) -> Node {
        let Graph { nodes, numbers, .. } = self;
        *numbers.entry((state, last)).or_insert_with(|| {
            nodes.push((state, last));
            Node(nodes.len() as u32 - 1)
        })
    }

    pub fn states(&self) -> u64 {
        self.store.len()
    }

    pub fn bytes(&self) -> u64 {
        let per_node = size_of::<(StateId, Last)>() * 2 + size_of::<Node>() * 2 + 16;
        self.store.bytes() + self.busy.bytes() + (self.nodes.len() * per_node) as u64
    }

    pub fn growth(&self) -> u64 {
        self.store.growth()
    }

    fn load(&mut self, node: Node) -> Last {
        let (state, last) = self.nodes[node.0 as usize];
        self.store.get(state, &mut self.state);
        last
    }

    pub fn is_accepting(&mut self, node: Node) -> bool {
        self.load(node);
        self.machine.is_accepting(&self.state)
    }

    pub fn is_progress(&mut self, node: Node) -> bool {
        self.load(node);
        self.machine.is_progress(&self.state)
    }

    pub fn thread_count(&mut self, node: Node) -> u32 {
        self.load(node);
        self.machine.thread_count(&self.state)
    }

    pub fn state_fault(&mut self, node: Node) -> Option<Fault> {
        self.load(node);
        self.machine.state_fault(&self.state)
    }

    /// Threads that have no step at a node.
    pub fn disabled(&mut self, node: Node) -> Threads {
        self.load(node);
        let mut enabled = Threads::NONE;
        expand(self.machine, &self.state, Turn::Any, &mut self.buffers, &mut |arrival| {
            arrival.thread().into_iter().for_each(|thread| enabled.insert(thread));
        });
        enabled.complement()
    }

    /// The edges that cost nothing.
    pub fn free_edges(&mut self, node: Node) -> Edges {
        match self.load(node) {
            Last::Anybody => self.collect(None, Turn::Any),
            Last::Nobody => self.collect(None, Turn::Stutter),
            Last::Thread(thread) => {
                let mut own = self.collect(Some(thread), Turn::Any);
                let free = self.cost == Some(Cost::Preemptions) && (!own.goes_on || self.is_busy(node, thread));
                if free {
                    let to = self.node(self.nodes[node.0 as usize].0, Last::Anybody);
                    own.edges.push(Edge { to, thread: None, arrival: None, counted: false });
                }
                own.can_be_preempted = !free;
                own
            }
        }
    }

    fn is_busy(&mut self, node: Node, thread: ThreadId) -> bool {
        self.load(node);
        !self.count_busy_wait && self.busy.is_busy(self.machine, &self.state, thread)
    }

    /// All edges; those that are not free cost one.
    pub fn all_edges(&mut self, node: Node) -> Edges {
        let free = self.free_edges(node);
        if !free.can_be_preempted {
            return free;
        }
        let last = self.load(node);
        let mut all = self.collect(None, Turn::Any);
        for edge in &mut all.edges {
            edge.counted = edge.thread.is_some_and(|thread| Last::Thread(thread) != last);
        }
        all
    }

    /// The steps from a node, of one thread or of all.
    fn collect(&mut self, only: Option<ThreadId>, turn: Turn) -> Edges {
        let (machine, cost) = (self.machine, self.cost);
        let Graph { store, nodes, numbers, buffers, state, .. } = self;
        let mut out = Edges::default();
        let mut number = 0;
        let mut arrive = |arrival: Arrival<'_>| {
            let this = number;
            number += 1;
            if only.is_some() && arrival.thread() != only && arrival.state.is_some() {
                return;
            }
            out.goes_on |= arrival.thread().is_some();
            for (buffer, step) in arrival.steps() {
                out.faults.extend(buffer.faults[step.faults.clone()].iter().map(|fault| (Some(this), fault.clone())));
            }
            let Some(next) = arrival.state else { return };
            out.executed += 1;
            let (id, _) = store.insert(next, None);
            let last = last_at(machine, cost, &arrival, next);
            let to = *numbers.entry((id, last)).or_insert_with(|| {
                nodes.push((id, last));
                Node(nodes.len() as u32 - 1)
            });
            let steps = arrival.steps.len() as u32;
            out.edges.push(Edge { to, thread: arrival.thread(), arrival: Some((this, steps)), counted: false });
        };
        // Arrivals are numbered as those of all threads, so that any of them can be found again.
        let steps = expand(machine, state, turn, buffers, &mut arrive);
        if steps == 0 && turn == Turn::Any {
            out.faults.extend(machine.end_fault(state).map(|fault| (None, fault)));
        }
        out
    }

    /// A run to a node and on along one of the arrivals from it, up to the step that has the fault.
    pub fn with_arrival(&mut self, path: Path, node: Node, number: u32, fault: &Fault) -> Path {
        let mut path = Some(path);
        self.nth_arrival(node, number, &mut |arrival| {
            path = path.take().map(|path| with_last(path, &arrival, fault));
        });
        path.unwrap_or_default()
    }

    /// Appends the steps of an edge to a run.
    pub fn follow(&mut self, path: &mut Path, from: Node, edge: &Edge) {
        if let Some((number, _)) = edge.arrival {
            self.nth_arrival(from, number, &mut |arrival| path.steps.extend(arrival.to_path()));
        }
    }

    pub fn initial_path(&self) -> Path {
        let mut path = Path::default();
        self.machine.initial(&mut path.initial);
        path
    }

    fn nth_arrival(&mut self, node: Node, number: u32, then: &mut dyn FnMut(Arrival<'_>)) {
        let turn = if self.load(node) == Last::Nobody { Turn::Stutter } else { Turn::Any };
        let mut index = 0;
        expand(self.machine, &self.state, turn, &mut self.buffers, &mut |arrival| {
            if index == number {
                then(arrival);
            }
            index += 1;
        });
    }
}

/// Who counts as the one that ran last after an arrival.
fn last_at<M: Machine>(machine: &M, cost: Option<Cost>, arrival: &Arrival<'_>, next: &[u8]) -> Last {
    let alive = |thread: &ThreadId| thread.0 < machine.thread_count(next);
    match (cost, arrival.ran_last()) {
        _ if arrival.turn == Turn::Stutter => Last::Nobody,
        (None, _) => Last::Anybody,
        (Some(Cost::Switches), Some(last)) => Last::Thread(last),
        (Some(Cost::Preemptions), Some(last)) if alive(&last) => Last::Thread(last),
        _ => Last::Anybody,
    }
}
