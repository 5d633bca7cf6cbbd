//! The stores of an atomic in modification order. A store may be put between two others, so its position shifts; its *rank* is
//! a number that does not, as long as there is room between the ranks of its neighbours.

use super::{NodeId, StoreId};
use crate::ThreadId;

/// Where a store stands in modification order: later stores have greater ranks, and there is room for one more in between.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Rank(pub(super) u64);

impl Rank {
    /// The distance between stores that are added at the end.
    const STEP: u64 = 1 << 32;

    /// Right behind this one.
    pub(super) fn behind(self) -> Rank {
        Rank(self.0 + 1)
    }

    /// Between this one and the next, with room on both sides; none if there is too little.
    fn between(self, next: Option<Rank>) -> Option<Rank> {
        match next {
            None => self.0.checked_add(Rank::STEP).map(Rank),
            Some(next) if next.0 - self.0 >= 4 => Some(Rank(self.0 + (next.0 - self.0) / 2)),
            Some(_) => None,
        }
    }
}

/// A store of an atomic.
pub(super) struct Store {
    /// None for the value it was created with.
    pub(super) node: Option<NodeId>,
    /// The node that read it last; the ones before follow along `Graph::earlier`.
    pub(super) reader: Option<NodeId>,
    /// The read-modify-write that stands behind it.
    pub(super) update: Option<StoreId>,
    pub(super) rank: Rank,
}

impl Store {
    pub(super) fn new(node: Option<NodeId>, rank: Rank) -> Store {
        Store { node, reader: None, update: None, rank }
    }
}

/// The stores of an atomic.
#[derive(Default)]
pub(super) struct Location {
    pub(super) stores: Vec<Store>,
    /// In modification order.
    pub(super) order: Vec<StoreId>,
    /// For each thread the stores that are steps of it, by node.
    pub(super) threads: Vec<(ThreadId, Vec<NodeId>)>,
}

impl Location {
    /// There is the value that the atomic was created with.
    pub(super) fn begin(&mut self) {
        self.stores.push(Store::new(None, Rank(0)));
        self.order.push(StoreId::BASE);
    }

    /// Where a store stands among the others.
    pub(super) fn position(&self, store: StoreId) -> usize {
        self.order.iter().rposition(|&s| s == store).expect("internal error: a store is in its modification order")
    }

    /// The rank of a store.
    pub(super) fn rank(&self, store: StoreId) -> Rank {
        self.stores[store.index()].rank
    }

    /// Adds the store of a node behind another one.
    pub(super) fn insert(&mut self, node: NodeId, after: StoreId) -> StoreId {
        let new = StoreId(self.stores.len() as u32);
        let place = self.position(after) + 1;
        let next = self.order.get(place).map(|&next| self.rank(next));
        let rank = self.rank(after).between(next);
        self.stores.push(Store::new(Some(node), rank.unwrap_or(Rank(0))));
        self.order.insert(place, new);
        if rank.is_none() {
            for (place, store) in (0..).zip(&self.order) {
                self.stores[store.index()].rank = Rank(place * Rank::STEP);
            }
        }
        new
    }

    /// Takes back the store that was added last.
    pub(super) fn pop(&mut self) {
        let gone = StoreId(self.stores.len() as u32 - 1);
        let place = self.position(gone);
        self.order.remove(place);
        self.stores.pop();
    }

    /// The stores that are steps of a thread.
    pub(super) fn of_thread(&mut self, thread: ThreadId) -> &mut Vec<NodeId> {
        let known = self.threads.iter().position(|(other, _)| *other == thread);
        let index = known.unwrap_or_else(|| {
            self.threads.push((thread, Vec::new()));
            self.threads.len() - 1
        });
        &mut self.threads[index].1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_in_modification_order_however_stores_are_put() {
        let mut location = Location::default();
        location.begin();
        // At the front, at the end, and in the middle: so often that there is no room any more.
        for node in 0..300 {
            let after = match node % 3 {
                0 => StoreId::BASE,
                1 => location.order[location.order.len() - 1],
                _ => location.order[location.order.len() / 2],
            };
            let place = location.position(after) + 1;
            let new = location.insert(NodeId(node), after);
            assert_eq!(location.order[place], new);
            let ranks: Vec<Rank> = location.order.iter().map(|&store| location.rank(store)).collect();
            assert!(ranks.windows(2).all(|pair| pair[0].behind() < pair[1]));
        }
        (0..300).for_each(|_| location.pop());
        assert_eq!((location.order.len(), location.stores.len()), (1, 1));
    }
}
