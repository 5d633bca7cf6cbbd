//! Accesses in the execution graph: their places in the partial order, and what they would be in any prefix of the run.
//!
//! The class of a run is its graph: what each access reads from, and for any two stores of one atomic by different threads
//! which is the later one. So accesses of one atomic are ordered by reads-from and by nothing else, and the hash of a
//! prefix is that of its reads and of its pairs of stores. A store's part of it depends on the stores that the
//! prefix has: each pair is added with whichever of the two comes second.

use super::moves::{Move, action};
use super::{Event, History, Place};
use crate::delta::Pending;
use crate::graph::{Access, Choice, Node, Part, Scope, StoreId};
use crate::hash::pair;
use crate::{ObjectId, ThreadId};

/// What tells the events of graphs from other operations.
const READS: u64 = 0x517c_c1b7_2722_0a95;
const WRITES: u64 = 0x2545_f491_4f6c_dd1d;

/// The hash of a pair of stores, the earlier one first.
fn ordered(earlier: u64, later: u64) -> u128 {
    action(earlier, later, WRITES)
}

impl History {
    /// The mark of the operation that made a store.
    fn mark_of(&self, object: ObjectId, store: StoreId) -> u64 {
        match self.graph.maker(object, store) {
            Some(node) if node.step => self.threads[node.thread.index()].places[node.need as usize - 1].mark,
            Some(node) => pair(self.threads[node.thread.index()].key, u64::from(node.need) | WRITES << 32),
            None => READS,
        }
    }

    /// The part of an access's hash that is the same in all prefixes.
    fn constant(&self, object: ObjectId, place: u64, choice: &Choice) -> u128 {
        let from = match choice.part {
            Part::Write => WRITES,
            Part::Read | Part::Update => self.mark_of(object, choice.store),
        };
        action(place, READS, from)
    }

    /// The hash of the action that a thread makes with a choice.
    fn chosen(&self, counts: &[u32], thread: ThreadId, object: ObjectId, place: u64, choice: &Choice) -> u128 {
        let mut hash = self.constant(object, place, choice);
        if choice.part != Part::Read {
            let mut later = false;
            for (store, node) in self.graph.stores(object, Scope::Prefix(counts)) {
                hash ^= self.pair_with(thread, place, node, later);
                later |= store == choice.store;
            }
        }
        hash
    }

    /// The hash of the pair of a thread's store and another one, which may be the later one; nothing for stores of the same
    /// thread.
    fn pair_with(&self, thread: ThreadId, mine: u64, other: Option<&Node>, later: bool) -> u128 {
        let Some(node) = other.filter(|node| node.step && node.thread != thread) else { return 0 };
        let theirs = self.threads[node.thread.index()].places[node.need as usize - 1].mark;
        if later { ordered(mine, theirs) } else { ordered(theirs, mine) }
    }

    /// The part of an event of the graph in the hash of a prefix that has it.
    pub(super) fn part_of_hash(&self, event: &Event, counts: &[u32]) -> u128 {
        let Some(node) = event.node.map(|node| &self.graph.nodes()[node as usize]) else { return event.hash };
        let mut hash = event.hash;
        if node.written_after().is_some() {
            let place = self.threads[node.thread.index()].places[event.n as usize].mark;
            let mut later = false;
            for (_, other) in self.graph.stores(node.object, Scope::Prefix(counts)) {
                hash ^= self.pair_with(node.thread, place, other, later);
                later |= other.is_some_and(|other| std::ptr::eq(other, node));
            }
            debug_assert!(later, "a store is in the prefix");
        }
        hash
    }

    /// The constant part of the hash of a step that was made.
    pub(super) fn constant_of(&self, node: &Node, place: u64) -> u128 {
        let (store, part) = match (node.reads_from(), node.written_after()) {
            (Some(from), Some(_)) => (from, Part::Update),
            (Some(from), None) => (from, Part::Read),
            (None, after) => (after.unwrap_or(StoreId::BASE), Part::Write),
        };
        self.constant(node.object, place, &Choice { store, part, order: std::sync::atomic::Ordering::Relaxed })
    }

    /// What a thread would do next, an access, where it is not stale.
    pub(super) fn move_in_graph(
        &self,
        counts: &[u32],
        thread: ThreadId,
        op: &Pending,
        access: Access,
        place: u64,
    ) -> Move {
        let scope = Scope::Prefix(counts);
        let choice = self.graph.newest_choice(scope, op.object, access);
        let arity = 1 + u32::from(self.graph.has_several(scope, thread, op.object, access));
        Move { arity, ..Move::sure(self.chosen(counts, thread, op.object, place, &choice)) }
    }

    /// The pending access of a thread, if it is one of the graph.
    pub(crate) fn access(&self, counts: &[u32], thread: ThreadId) -> Option<Access> {
        self.op(thread, counts[thread.index()])?.access
    }

    /// The hashes of the actions that a thread, whose operation is an access of the graph, may make.
    pub(crate) fn choices(&self, counts: &[u32], thread: ThreadId) -> impl Iterator<Item = u128> {
        let Place { op, mark: place, .. } = &self.threads[thread.index()].places[counts[thread.index()] as usize];
        let choices = op.access.map(|access| self.graph.choices(Scope::Prefix(counts), thread, op.object, access));
        choices.into_iter().flatten().map(move |choice| self.chosen(counts, thread, op.object, *place, &choice))
    }

    /// Whether there are accesses in the graph.
    pub(crate) fn has_graph(&self) -> bool {
        !self.graph.nodes().is_empty()
    }

    /// Whether the n-th event of a thread is stale in a prefix that has it.
    pub(crate) fn is_stale(&self, thread: ThreadId, n: u32, counts: &[u32]) -> bool {
        let node = self.event(thread, n).and_then(|event| event.node);
        node.is_some_and(|node| self.graph.is_stale(node, Scope::Prefix(counts)))
    }

    /// Which outcome an event is in a prefix that has all that comes before it.
    pub(crate) fn outcome_of(&self, event: &Event, counts: &[u32]) -> Option<u32> {
        let Some(node) = event.node else { return Some(event.step.choice) };
        let access = self.op(event.step.thread, event.n)?.access?;
        self.graph.choice_of(node, Scope::Prefix(counts), access)
    }

    /// What an access reads comes before it.
    pub(super) fn after_store(&self, clock: &mut [u32], node: &Node) {
        let Some(maker) = node.reads_from().and_then(|from| self.graph.maker(node.object, from)) else { return };
        if let Some(last) = maker.need.checked_sub(1) {
            self.after(clock, self.threads[maker.thread.index()].places[last as usize].event);
        }
    }
}
