//! The table H of \[CBPOR\] Algorithm 2 for all bounds at once, and `Mark`, which fills it at the end of every run.
//!
//! DIVERGENCE \[CBPOR\] Algorithm 2: the table does not say of a prefix whether nothing new can be reached from it within the bound,
//! but up to which bound that is so: its *level*. A step that costs c and leads to a prefix of level l stands in the way of
//! every bound from max(c, l) on, so the level of a prefix is the least of these numbers over its steps. A run is marked once for
//! all bounds up to which its prefixes are worked out, and need not be looked at again when the bound is raised.

use super::table::{EVERY, Level, Table};
use crate::prefix::{PrefixId, Prefixes};

/// The prefixes from which nothing new can be reached, and up to which bound.
pub(super) struct Marked {
    table: Table,
    /// Prefixes of the run to be looked at, by their sizes, and whether they are there; empty in between.
    work: Vec<Vec<PrefixId>>,
    waits: Vec<bool>,
}

/// The level of what is finished within a bound.
pub(super) fn level_of(bound: u32) -> Level {
    Level::try_from(bound.saturating_add(1)).unwrap_or(EVERY)
}

impl Marked {
    pub(super) fn new() -> Marked {
        Marked { table: Table::new(), work: Vec::new(), waits: Vec::new() }
    }

    /// Nothing is known.
    pub(super) fn clear(&mut self) {
        self.table.clear();
    }

    /// Bytes in use.
    pub(super) fn memory(&self) -> usize {
        self.table.memory()
    }

    /// How many prefixes are known.
    pub(super) fn len(&self) -> usize {
        self.table.len()
    }

    /// Whether nothing new can be reached within a bound from the prefix with this hash.
    #[inline]
    pub(super) fn contains(&self, hash: u128, bound: u32) -> bool {
        u32::from(self.table.level(hash)) > bound
    }

    /// `Mark(s)` of the run: lines 15–22, for all bounds up to which the prefixes are worked out. The run itself gets the level `end`.
    /// An aborted run has one predecessor only: its last step came last.
    pub(super) fn mark(&mut self, prefixes: &Prefixes, aborted: bool, end: Level) {
        let top = prefixes.top();
        self.table.raise(prefixes.hash(top), end);
        self.waits.resize(prefixes.count(), false);
        if aborted {
            let last = prefixes.history.events.last().map(|e| e.step.thread);
            if let Some(before) = last.and_then(|thread| prefixes.predecessor_within(top, thread)) {
                self.look_at(prefixes, before);
            }
        } else {
            self.look_at_predecessors(prefixes, top);
        }
        let reach = level_of(prefixes.limits.bound);
        for size in (0..prefixes.size(top)).rev() {
            while let Some(i) = self.work.get_mut(size).and_then(Vec::pop) {
                self.waits[i.index()] = false;
                self.settle(prefixes, i.index(), reach);
            }
        }
    }

    /// Line 18: works out the level of a prefix; if it has risen, those of its predecessors may rise.
    fn settle(&mut self, prefixes: &Prefixes, i: usize, reach: Level) {
        let hash = prefixes.hash(i);
        let before = self.table.level(hash);
        let level = prefixes.level(i, before, reach, |to| self.table.level(to));
        if level > before {
            self.table.raise(hash, level);
            self.look_at_predecessors(prefixes, i);
        }
    }

    fn look_at_predecessors(&mut self, prefixes: &Prefixes, i: usize) {
        for p in prefixes.predecessors(i) {
            self.look_at(prefixes, p);
        }
    }

    fn look_at(&mut self, prefixes: &Prefixes, i: usize) {
        if std::mem::replace(&mut self.waits[i], true) {
            return;
        }
        let size = prefixes.size(i);
        if self.work.len() <= size {
            self.work.resize_with(size + 1, Vec::new);
        }
        self.work[size].push(PrefixId::new(i));
    }
}
