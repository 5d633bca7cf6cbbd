//! Accesses in the execution graph: their places in the partial order, and what they would be in any prefix of the run.
//!
//! The class of a run is its graph: what each access reads from, and for any two stores of one atomic by different threads
//! which is the later one. So accesses of one atomic are ordered by reads-from and by nothing else, and the hash of a
//! prefix is that of its reads and of its pairs of stores. A store's part of it depends on the stores that the
//! prefix has: each pair is added with whichever of the two comes second.

use super::moves::{Move, action};
use super::{Event, History};
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

    /// The hash of the pair of a thread's store and another one, which may be the later one; nothing for stores of the same
    /// thread.
    fn pair_with(&self, thread: ThreadId, mine: u64, other: Option<&Node>, later: bool) -> u128 {
        let Some(node) = other.filter(|node| node.step && node.thread != thread) else { return 0 };
        let theirs = self.threads[node.thread.index()].places[node.need as usize - 1].mark;
        if later { ordered(mine, theirs) } else { ordered(theirs, mine) }
    }

    /// The part of an event of the graph in the hash of a prefix that has it.
    pub(super) fn part_of_hash(&self, event: &Event, counts: &[u32]) -> u128 {
        let Some(node) = event.node.map(|node| self.graph.node(node)) else { return event.hash };
        let mut hash = event.hash;
        if let Some(made) = event.node.and_then(|node| self.graph.made(node)) {
            let place = self.threads[node.thread.index()].places[event.n as usize].mark;
            for (store, other) in self.graph.stores_of_others(node.object, node.thread, Scope::Prefix(counts)) {
                let later = self.graph.is_before(node.object, made, store);
                hash ^= self.pair_with(node.thread, place, Some(other), later);
            }
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

    /// What a thread would do next, an access; the hashes of what else it may do are in `stale` afterwards.
    ///
    /// A new store is the last one at first, and then stands before one store after the other: the hash of each pair is turned
    /// round once.
    pub(super) fn move_in_graph(
        &mut self,
        counts: &[u32],
        thread: ThreadId,
        op: &Pending,
        access: Access,
        place: u64,
    ) -> Move {
        let (scope, object) = (Scope::Prefix(counts), op.object);
        let (mut found, mut stale) = (std::mem::take(&mut self.found), std::mem::take(&mut self.stale));
        self.several = self.graph.find_choices(scope, thread, object, access, &mut found) > 1;
        let (mut pairs, writes) = (0, found.iter().any(|choice| choice.part != Part::Read));
        if writes {
            let others = self.graph.stores_of_others(object, thread, scope);
            pairs = others.fold(0, |pairs, (_, node)| pairs ^ self.pair_with(thread, place, Some(node), false));
        }
        stale.clear();
        let mut newer = self.graph.stores(object, scope).rev().peekable();
        for choice in &found {
            while writes && let Some((_, node)) = newer.next_if(|(store, _)| *store != choice.store) {
                pairs ^= self.pair_with(thread, place, node, false) ^ self.pair_with(thread, place, node, true);
            }
            let mine = if choice.part == Part::Read { 0 } else { pairs };
            stale.push(self.constant(object, place, choice) ^ mine);
        }
        let first = stale.remove(0);
        let arity = 1 + stale.len() as u32;
        (self.found, self.stale) = (found, stale);
        Move { arity, ..Move::sure(first) }
    }

    /// What the access of the graph whose move was asked for last may do besides.
    pub(crate) fn stale(&self) -> &[u128] {
        &self.stale
    }

    /// Whether the move that was asked for last is an access of the graph to which coherence leaves several choices.
    pub(crate) fn has_several(&self) -> bool {
        self.several
    }

    /// Whether what a thread does next is an access whose choices can change without an access of its object.
    pub(crate) fn choices_depend_on_all(&self, counts: &[u32], thread: ThreadId) -> bool {
        let access = self.op(thread, counts[thread.index()]).and_then(|op| op.access);
        access.is_some_and(|access| self.graph.depends_on_all(Scope::Prefix(counts), thread, access))
    }

    /// Whether there are accesses in the graph.
    pub(crate) fn has_graph(&self) -> bool {
        !self.graph.nodes().is_empty()
    }

    /// The stores of the object that a thread accesses next, those that the prefix has, as a number, where what the thread may do
    /// depends on nothing else.
    pub(crate) fn stores_before(&self, counts: &[u32], thread: ThreadId) -> Option<u64> {
        let op = self.op(thread, counts[thread.index()])?;
        let known = self.born(counts, thread) && !self.graph.depends_on_all(Scope::Prefix(counts), thread, op.access?);
        known.then(|| self.graph.stores_as_number(op.object, counts)).flatten()
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
