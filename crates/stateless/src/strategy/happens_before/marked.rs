//! The table H of \[CBPOR\] Algorithm 2 for one bound, and `Mark`, which fills it at the end of every run.

use super::table::Table;
use crate::ThreadId;
use crate::prefix::Prefixes;

/// The prefixes from which nothing new can be reached within a bound.
pub(super) struct Marked {
    bound: u32,
    table: Table,
    /// Prefixes of the run to be marked; empty in between.
    work: Vec<usize>,
}

impl Marked {
    pub(super) fn new() -> Marked {
        Marked { bound: 0, table: Table::new(), work: Vec::new() }
    }

    /// Nothing is known within this bound.
    pub(super) fn clear(&mut self, bound: u32) {
        self.bound = bound;
        self.table.clear();
        self.work.clear();
    }

    /// Bytes in use.
    pub(super) fn memory(&self) -> usize {
        self.table.memory()
    }

    pub(super) fn contains(&self, hash: u128) -> bool {
        self.table.contains(hash)
    }

    /// `Mark(s)` of the run: lines 15–22. An aborted run has one predecessor only: its last step came last.
    pub(super) fn mark(&mut self, prefixes: &Prefixes, aborted: bool) {
        let top = prefixes.top();
        if !self.table.insert(prefixes.hash(top)) {
            return;
        }
        if aborted {
            let last = prefixes.history.events.last().map(|e| e.step.thread);
            let before = last.and_then(|t| Some((t, prefixes.predecessor(top, t)?)));
            self.work.extend(before.filter(|&(t, p)| self.exhausted(prefixes, p, t)).map(|(_, p)| p));
        } else {
            self.mark_predecessors(prefixes, top);
        }
        while let Some(i) = self.work.pop() {
            if self.table.insert(prefixes.hash(i)) {
                self.mark_predecessors(prefixes, i);
            }
        }
    }

    /// Prefix `i` was marked just now, so its predecessors are not yet: something new could be reached through it.
    fn mark_predecessors(&mut self, prefixes: &Prefixes, i: usize) {
        for (thread, p) in prefixes.predecessors(i, self.bound) {
            if self.exhausted(prefixes, p, thread) {
                self.work.push(p);
            }
        }
    }

    /// Line 18: nothing new can be reached from a prefix, of which `thread` made one that is marked.
    fn exhausted(&self, prefixes: &Prefixes, i: usize, thread: ThreadId) -> bool {
        prefixes.all_successors(i, self.bound, thread, |to| self.table.contains(to))
    }
}
