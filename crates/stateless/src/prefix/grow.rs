//! The run grows by an event: the prefixes that have it, with moves and costs, smaller ones first.

use super::{FAR, Prefix, Prefixes};
use crate::history::Move;
use crate::op::{Kind, NONE};
use crate::strategy::bounded::Cost;

impl Prefixes {
    pub(super) fn extend(&mut self) {
        let newest = self.history.events.len() - 1;
        let (thread, n) = (self.history.events[newest].step.thread as usize, self.history.events[newest].n);
        let most = self.history.events.len();
        if self.buckets.len() <= most {
            self.buckets.resize_with(most + 1, Vec::new);
        }
        let mut least = most;
        for i in 0..self.prefixes.len() {
            let row = i * self.stride;
            if self.counts[row + thread] == n
                && self.history.follows(&self.history.events[newest], &self.counts[row..row + self.stride])
                && self.within(i, thread)
            {
                let size = self.add(i, thread, newest);
                least = least.min(size);
            }
        }
        for size in least..=most {
            let mut bucket = std::mem::take(&mut self.buckets[size]);
            for &i in &bucket {
                self.settle(i as usize);
                self.grow(i as usize, thread);
            }
            bucket.clear();
            self.buckets[size] = bucket;
        }
    }

    /// Adds the prefix that `thread` makes of prefix `i` with its event; returns its size.
    fn add(&mut self, i: usize, thread: usize, event: usize) -> usize {
        let Prefix { hash, size, .. } = self.prefixes[i];
        let hash = hash ^ self.history.events[event].hash;
        let new = self.allocate(Prefix { hash, size: size + 1, base: FAR, from: i as u32, by: thread as u32 });
        let (from, to) = (i * self.stride, new * self.stride);
        self.counts.copy_within(from..from + self.stride, to);
        self.counts[to + thread] += 1;
        self.buckets[size as usize + 1].push(new as u32);
        size as usize + 1
    }

    /// Computes moves and costs of a prefix whose predecessors are settled.
    fn settle(&mut self, i: usize) {
        let width = self.history.width();
        let row = i * self.stride;
        let mut reached = false;
        for t in 0..width {
            let cost = match self.predecessor(i, t) {
                Some(p) if self.may(p, t) => self.cost(p, t),
                _ => FAR,
            };
            self.costs[row + t] = if cost <= self.limits.bound { cost } else { FAR };
            reached |= cost <= self.limits.bound;
        }
        if !reached {
            return;
        }
        self.inherit_moves(i);
        self.filter_fair(i);
        let mut base = FAR;
        for t in 0..width {
            let cost = self.costs[row + t];
            if cost != FAR {
                base = base.min(cost + self.switch_cost(i, t));
            }
        }
        self.prefixes[i].base = base;
        if self.limits.cost == Cost::Depth && self.prefixes[i].size >= self.limits.bound {
            self.prefixes[i].base = FAR;
            self.costs[row..row + width].iter_mut().for_each(|c| *c = if *c == FAR { FAR } else { 0 });
        }
        self.refused |= self.refuses(i);
    }

    /// What it costs to let another thread run after `last` in prefix `i`.
    pub(super) fn switch_cost(&self, i: usize, last: usize) -> u32 {
        match self.limits.cost {
            Cost::Free | Cost::Depth => 0,
            Cost::Switches => 1,
            Cost::Preemptions => u32::from(self.goes_on(i, last)),
        }
    }

    fn goes_on(&self, i: usize, thread: usize) -> bool {
        let row = i * self.stride;
        let mv = &self.moves[row + thread];
        let yielded = self.counts[row + thread]
            .checked_sub(1)
            .and_then(|n| self.history.event(thread, n))
            .is_some_and(|e| e.step.yielded);
        mv.allowed && !mv.gives_up && !yielded
    }

    /// Most threads' next moves are those of the prefix this one was found from: only those that the step touches change.
    fn inherit_moves(&mut self, i: usize) {
        let Prefix { from, by, .. } = self.prefixes[i];
        let (row, parent, by) = (i * self.stride, from as usize * self.stride, by as usize);
        let step = self.history.event(by, self.counts[parent + by]).expect("internal error: the event exists").step;
        let after = self.counts[row + by];
        self.history.another_prefix();
        for t in 0..self.history.width() {
            let changed = t == by
                || self.history.birth(t).is_some_and(|(p, n)| n == 0 || (p as usize == by && n == after))
                || self.history.op(t, self.counts[row + t]).is_some_and(|op| {
                    let touches = |o: u32| o == step.object || Some(o) == step.second();
                    (op.object != NONE && touches(op.object))
                        || (op.kind == Kind::Relock && touches(op.other))
                        || (step.finished && matches!(op.kind, Kind::Join | Kind::Drain | Kind::IsFinished))
                        || op.kind == Kind::Drain
                });
            if changed {
                let counts = &self.counts[row..row + self.stride];
                self.moves[row + t] = self.history.next_move(counts, t);
            } else {
                let inherited = self.moves[parent + t];
                self.moves[row + t] = Move { allowed: inherited.enabled, ..inherited };
            }
        }
    }

    /// Who is too far ahead in yields may not go on.
    pub(super) fn filter_fair(&mut self, i: usize) {
        let Some(ahead) = self.limits.fair.filter(|_| self.history.anybody_yields()) else { return };
        let row = i * self.stride;
        let yields = |s: &Self, t: usize| s.history.yields(t, s.counts[row + t]);
        let enabled = (0..self.history.width()).filter(|&t| self.moves[row + t].enabled);
        let Some(least) = enabled.map(|t| yields(self, t)).min() else { return };
        for t in 0..self.history.width() {
            if yields(self, t) > least + ahead {
                self.moves[row + t].allowed = false;
            }
        }
    }

    /// Adds what the events of other threads make of prefix `i`, which has the newest event.
    fn grow(&mut self, i: usize, newest: usize) {
        if !self.in_bound(i) {
            return;
        }
        let row = i * self.stride;
        for t in (0..self.history.width()).filter(|&t| t != newest) {
            let n = self.counts[row + t];
            if n >= self.history.length(t) || !self.within(i, t) {
                continue;
            }
            let Some(event) = self.history.event(t, n) else { continue };
            let follows = self.history.follows(event, &self.counts[row..row + self.stride]);
            if follows && self.find(self.prefixes[i].hash ^ event.hash).is_none() {
                let position = self.history.position(t, n);
                self.add(i, t, position);
            }
        }
    }
}
