//! The part of the search tree that waits for a higher bound. It grows with the number of executions, so its nodes are
//! small and all in one block: nothing has to be visited to give the memory back when the time is over.

use rustc_hash::FxHashMap;

use super::{Node, Taken};
use crate::cost::Spent;
use crate::set::ThreadSet;
use crate::{MAIN, ThreadId};

/// A kept node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct KeptId(u32);

impl KeptId {
    /// No node: the end of a list.
    pub(super) const NONE: KeptId = KeptId(u32::MAX);
}

/// A node without what can be found again. Children and free nodes are lists along `sibling`.
#[derive(Clone, Copy)]
struct Kept {
    candidates: u64,
    backtrack: u64,
    done: u64,
    stale: u64,
    fingerprint: u64,
    cost: Spent,
    last: ThreadId,
    /// The step that leads here from the parent; 0 outcomes: not known how many.
    thread: ThreadId,
    choice: u32,
    arity: u32,
    sibling: KeptId,
    child: KeptId,
    last_goes_on: bool,
    stale_step: bool,
    /// The sets have threads beyond the first 64: they are in `Tree::wide`.
    wide: bool,
}

/// Kept nodes.
pub(super) struct Tree {
    nodes: Vec<Kept>,
    free: KeptId,
    /// Candidates, threads to be explored, explored ones, and those with stale accesses left, where a word is not enough.
    wide: FxHashMap<u32, [ThreadSet; 4]>,
}

impl Tree {
    pub(super) fn new() -> Tree {
        Tree { nodes: Vec::new(), free: KeptId::NONE, wide: FxHashMap::default() }
    }

    /// Bytes in use.
    pub(super) fn memory(&self) -> usize {
        self.nodes.len() * size_of::<Kept>()
    }

    /// Keeps a node that `taken` leads to from its parent, at the front of the list `siblings`; the front is returned.
    pub(super) fn keep(&mut self, node: Node, taken: Taken, siblings: KeptId) -> KeptId {
        let id = self.slot();
        let sets = [node.candidates, node.backtrack, node.done, node.stale];
        let wide = sets.iter().any(|set| !set.fits_a_word());
        self.nodes[id.0 as usize] = Kept {
            candidates: sets[0].first_word(),
            backtrack: sets[1].first_word(),
            done: sets[2].first_word(),
            stale: sets[3].first_word(),
            fingerprint: node.fingerprint,
            cost: node.cost,
            last: node.last.0,
            thread: taken.thread,
            choice: taken.choice,
            arity: taken.arity.unwrap_or(0),
            sibling: siblings,
            child: node.left,
            last_goes_on: node.last.1,
            stale_step: taken.stale,
            wide,
        };
        if wide {
            self.wide.insert(id.0, sets);
        }
        id
    }

    fn slot(&mut self) -> KeptId {
        if self.free != KeptId::NONE {
            let id = self.free;
            self.free = self.nodes[id.0 as usize].sibling;
            return id;
        }
        let (none, id) = (KeptId::NONE, KeptId(self.nodes.len() as u32));
        self.nodes.push(Kept {
            candidates: 0,
            backtrack: 0,
            done: 0,
            stale: 0,
            fingerprint: 0,
            cost: Spent::default(),
            last: MAIN,
            thread: MAIN,
            choice: 0,
            arity: 0,
            sibling: none,
            child: none,
            last_goes_on: false,
            stale_step: false,
            wide: false,
        });
        id
    }

    /// Takes a node out again, to go on from it: with the step that leads to it and the rest of its list. Its children
    /// are to be entered.
    pub(super) fn take(&mut self, id: KeptId) -> (Node, Taken, KeptId) {
        let kept = self.nodes[id.0 as usize];
        let word = |bits: u64| {
            let mut set = ThreadSet::default();
            set.set_low(bits);
            set
        };
        let sets = if kept.wide { self.wide.remove(&id.0) } else { None };
        let [candidates, backtrack, done, stale] =
            sets.unwrap_or_else(|| [kept.candidates, kept.backtrack, kept.done, kept.stale].map(word));
        self.nodes[id.0 as usize].sibling = self.free;
        self.free = id;
        let node = Node {
            candidates,
            backtrack,
            done,
            stale,
            last: (kept.last, kept.last_goes_on),
            fingerprint: kept.fingerprint,
            cost: kept.cost,
            taken: None,
            fresh: false,
            op: None,
            enter: kept.child,
            left: KeptId::NONE,
        };
        let arity = (kept.arity > 0).then_some(kept.arity);
        (node, Taken { thread: kept.thread, choice: kept.choice, arity, stale: kept.stale_step }, kept.sibling)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(threads: &[u32]) -> Node {
        let mut candidates = ThreadSet::default();
        threads.iter().for_each(|&t| _ = candidates.insert(ThreadId(t)));
        Node {
            backtrack: candidates.clone(),
            done: ThreadSet::default(),
            stale: ThreadSet::default(),
            candidates,
            last: (ThreadId(7), true),
            fingerprint: 11,
            cost: Spent { switches: 2, stale: 1 },
            taken: None,
            fresh: true,
            op: None,
            enter: KeptId::NONE,
            left: KeptId::NONE,
        }
    }

    #[test]
    fn what_is_kept_comes_back_newest_first_with_any_number_of_threads() {
        let mut tree = Tree::new();
        let step =
            |thread| Taken { thread: ThreadId(thread), choice: 1, arity: (thread > 0).then_some(3), stale: true };
        let first = tree.keep(node(&[0, 1]), step(0), KeptId::NONE);
        let both = tree.keep(node(&[3, 64, 200]), step(9), first);
        let (wide, taken, rest) = tree.take(both);
        assert_eq!(wide.candidates.iter().collect::<Vec<_>>(), [3, 64, 200].map(ThreadId));
        assert_eq!(
            (wide.last, wide.fingerprint, wide.cost, taken.thread, taken.arity),
            ((ThreadId(7), true), 11, Spent { switches: 2, stale: 1 }, ThreadId(9), Some(3))
        );
        let (narrow, taken, rest) = tree.take(rest);
        assert_eq!(narrow.backtrack.iter().collect::<Vec<_>>(), [0, 1].map(ThreadId));
        assert_eq!((taken.thread, taken.choice, taken.arity, rest), (MAIN, 1, None, KeptId::NONE));
        assert!(tree.wide.is_empty());
        // The memory is used again.
        tree.keep(node(&[5]), step(0), KeptId::NONE);
        assert_eq!(tree.nodes.len(), 2);
        assert!(tree.memory() <= 2 * 80);
    }
}
