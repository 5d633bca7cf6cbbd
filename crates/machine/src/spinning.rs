//! Spinning (docs/design.md 3.3, after \[BCS\] 3.1): a thread that goes round a loop which changes nothing others can see is
//! waiting, and a switch away from it is no preemption.
//!
//! `p` spins in `s` iff, in the model without its claim, `s` lies on a cycle of at most [`LONGEST_CYCLE`] statements of
//! `p`'s own, between whose stored states only what `p` alone can see differs ([`Hints::same_shared`]). A step after
//! which another thread counts as the one that ran last, as after a rendezvous, is not an own step. Variables that
//! nothing reads are not compared ([`Hints::erase_unread`]).
//!
//! This is a property of `(s, p)` alone, so it is found by following `p`'s own steps from `s`, whoever asks. The graph of
//! own steps is kept from question to question, up to a number of bytes; answers do not depend on what is kept.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use selvedge_core::ThreadId;

use crate::{Arrival, ExpandBuffers, Hints, Turn, expand_unclaimed};

/// Statements of the longest cycle that counts as spinning.
pub const LONGEST_CYCLE: u32 = 1_000;

/// Bytes of own steps that are kept.
const MOST_BYTES: u64 = 32 << 20;

/// What is known about the cycles of a thread's own steps, unseen by others, through a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OwnCycle {
    /// There is none.
    None,
    /// If there is one, it is longer than [`LONGEST_CYCLE`].
    Long,
    /// The thread is spinning.
    Spinning,
}

/// Finds out who is spinning, for one machine.
pub struct Spinning<M: Hints> {
    graphs: FxHashMap<ThreadId, Graph>,
    buffers: ExpandBuffers<M>,
    state: Vec<u8>,
    queue: BinaryHeap<Reverse<(u32, NodeId)>>,
    bytes: u64,
}

/// A state in the graph of one thread.
type NodeId = u32;

/// The graph of one thread's own steps that others cannot see.
#[derive(Default)]
struct Graph {
    ids: FxHashMap<Arc<[u8]>, NodeId>,
    nodes: Vec<Node>,
    /// Where each own step leads, and its statements.
    edges: Vec<(NodeId, u32)>,
    /// Counts the walks, so that distances of the walks before need not be cleared.
    walk: u32,
}

struct Node {
    state: Arc<[u8]>,
    answer: Option<OwnCycle>,
    /// Its edges, once it is expanded.
    edges: Option<(u32, u32)>,
    /// The walk that came here last, and its distance in statements.
    walk: u32,
    distance: u32,
    /// The node that the walk came from.
    from: NodeId,
}

impl<M: Hints> Default for Spinning<M> {
    fn default() -> Self {
        Spinning {
            graphs: FxHashMap::default(),
            buffers: ExpandBuffers::up_to(LONGEST_CYCLE as usize),
            state: Vec::new(),
            queue: BinaryHeap::new(),
            bytes: 0,
        }
    }
}

impl<M: Hints> Spinning<M> {
    /// Whether `thread` is spinning in `state`.
    pub fn is_spinning(&mut self, machine: &M, state: &[u8], thread: ThreadId) -> bool {
        self.own_cycle(machine, state, thread) == OwnCycle::Spinning
    }

    /// What is known about cycles of own steps through `state`.
    pub(crate) fn own_cycle(&mut self, machine: &M, state: &[u8], thread: ThreadId) -> OwnCycle {
        if !machine.may_spin(state, thread) {
            return OwnCycle::None;
        }
        self.forget_if_large();
        let Some(home) = self.enter(machine, state, thread) else { return OwnCycle::None };
        if let Some(answer) = self.graphs[&thread].nodes[home as usize].answer {
            return answer;
        }
        let (distance, complete) = self.walk(machine, thread, home, home, LONGEST_CYCLE);
        let answer = match (distance, complete) {
            (Some(_), _) => OwnCycle::Spinning,
            (None, true) => OwnCycle::None,
            (None, false) => OwnCycle::Long,
        };
        self.note(thread, home, answer);
        answer
    }

    /// Whether the step that led `thread` from `before` to `state`, of this many statements, lies on a cycle on which it
    /// is spinning in `state`.
    pub(crate) fn is_on_cycle(
        &mut self,
        machine: &M,
        before: &[u8],
        state: &[u8],
        statements: u32,
        thread: ThreadId,
    ) -> bool {
        if !machine.may_spin(before, thread) || !machine.may_spin(state, thread) {
            return false;
        }
        self.forget_if_large();
        let (Some(from), Some(to)) = (self.enter(machine, before, thread), self.enter(machine, state, thread)) else {
            return false;
        };
        let Some(most) = LONGEST_CYCLE.checked_sub(statements) else { return false };
        let nodes = &self.graphs[&thread].nodes;
        let (one, other) = (&nodes[from as usize].state, &nodes[to as usize].state);
        machine.same_shared(one, other, thread)
            && (from == to || self.walk(machine, thread, to, from, most).0.is_some())
    }

    /// Bytes held.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    fn forget_if_large(&mut self) {
        if self.bytes > MOST_BYTES {
            self.graphs.clear();
            self.bytes = 0;
        }
    }

    /// The node of a state; `None` if it has no edges, which need not be kept.
    fn enter(&mut self, machine: &M, state: &[u8], thread: ThreadId) -> Option<NodeId> {
        self.state.clear();
        self.state.extend_from_slice(state);
        machine.erase_unread(&mut self.state, thread);
        if let Some(known) = self.graphs.get(&thread).and_then(|graph| graph.ids.get(self.state.as_slice())) {
            return Some(*known);
        }
        let steps = self.own_steps(machine, thread);
        if steps.is_empty() {
            return None;
        }
        let id = self.insert(thread);
        self.set_edges(thread, id, steps);
        Some(id)
    }

    /// The own steps from the state in the buffer that others cannot see: the state after each, and its statements.
    fn own_steps(&mut self, machine: &M, thread: ThreadId) -> Vec<(Vec<u8>, u32)> {
        let Spinning { buffers, state, .. } = self;
        let mut steps = Vec::new();
        let is_own = |arrival: &Arrival<'_>| {
            arrival.steps().all(|(_, step)| step.thread == Some(thread) && step.ran_last == Some(thread))
        };
        expand_unclaimed(machine, state, thread, buffers, &mut |arrival| {
            let Some(next) = arrival.state.filter(|_| arrival.turn == Turn::Any && is_own(&arrival)) else { return };
            let mut next = next.to_vec();
            machine.erase_unread(&mut next, thread);
            if machine.same_shared(state, &next, thread) {
                steps.push((next, arrival.steps.len() as u32));
            }
        });
        if buffers.was_cut() {
            // Wherever the atomic sequence ends, it is too long for a cycle.
            steps.push((state.clone(), LONGEST_CYCLE + 1));
        }
        steps
    }

    /// Adds the state in the buffer.
    fn insert(&mut self, thread: ThreadId) -> NodeId {
        let graph = self.graphs.entry(thread).or_default();
        if let Some(known) = graph.ids.get(self.state.as_slice()) {
            return *known;
        }
        let id = graph.nodes.len() as NodeId;
        let state: Arc<[u8]> = self.state.as_slice().into();
        self.bytes += (state.len() + size_of::<Node>() + 64) as u64;
        graph.ids.insert(Arc::clone(&state), id);
        graph.nodes.push(Node { state, answer: None, edges: None, walk: 0, distance: 0, from: id });
        id
    }

    fn set_edges(&mut self, thread: ThreadId, id: NodeId, steps: Vec<(Vec<u8>, u32)>) {
        let mut edges = Vec::with_capacity(steps.len());
        for (state, statements) in steps {
            self.state = state;
            edges.push((self.insert(thread), statements));
        }
        let graph = self.graphs.entry(thread).or_default();
        let start = graph.edges.len() as u32;
        self.bytes += size_of_val(edges.as_slice()) as u64;
        graph.edges.extend(edges);
        graph.nodes[id as usize].edges = Some((start, graph.edges.len() as u32));
    }

    /// The least number of statements, at least one and at most `most`, from a node to another one (Dijkstra's
    /// algorithm); and whether every node that can be reached was looked at.
    fn walk(&mut self, machine: &M, thread: ThreadId, home: NodeId, to: NodeId, most: u32) -> (Option<u32>, bool) {
        let graph = self.graphs.entry(thread).or_default();
        graph.walk += 1;
        let walk = graph.walk;
        self.queue.clear();
        self.queue.push(Reverse((0, home)));
        let mut complete = true;
        while let Some(Reverse((distance, id))) = self.queue.pop() {
            if id == to && distance > 0 {
                return (Some(distance), complete);
            }
            let node = &self.graphs[&thread].nodes[id as usize];
            if distance > 0 && node.distance < distance {
                continue;
            }
            let (start, end) = self.edges_of(machine, thread, id);
            let graph = self.graphs.entry(thread).or_default();
            for edge in start..end {
                let (next, statements) = graph.edges[edge as usize];
                let there = distance + statements;
                if there > most {
                    complete = false;
                    continue;
                }
                let node = &mut graph.nodes[next as usize];
                if node.walk != walk || node.distance > there {
                    (node.walk, node.distance, node.from) = (walk, there, id);
                    self.queue.push(Reverse((there, next)));
                }
            }
        }
        (None, complete)
    }

    fn edges_of(&mut self, machine: &M, thread: ThreadId, id: NodeId) -> (u32, u32) {
        let node = &self.graphs[&thread].nodes[id as usize];
        if let Some(edges) = node.edges {
            return edges;
        }
        self.state.clear();
        self.state.extend_from_slice(&node.state);
        let steps = self.own_steps(machine, thread);
        self.set_edges(thread, id, steps);
        self.graphs[&thread].nodes[id as usize].edges.unwrap_or((0, 0))
    }

    /// Notes an answer, for every node of the cycle that the last walk found.
    fn note(&mut self, thread: ThreadId, home: NodeId, answer: OwnCycle) {
        let graph = self.graphs.entry(thread).or_default();
        graph.nodes[home as usize].answer = Some(answer);
        let mut at = graph.nodes[home as usize].from;
        while answer == OwnCycle::Spinning && at != home {
            graph.nodes[at as usize].answer = Some(answer);
            at = graph.nodes[at as usize].from;
        }
    }
}
