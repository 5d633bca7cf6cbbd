//! The run grows by an event: the prefixes that have it, with moves and costs, smaller ones first.

use std::time::Instant;

use super::{Before, Cell, FAR, Incomplete, MAX_CELLS, MAX_NEW_PREFIXES, NOWHERE, Prefix, PrefixId, Prefixes};
use crate::cost::Cost;
use crate::delta::Pending;
use crate::history::{Event, EventId, Move};
use crate::op::{Kind, Step};
use crate::{ObjectId, SELF_CHECKS, ThreadId, thread_ids};

/// The prefix that an event makes of another one.
struct Successor {
    hash: u128,
    /// The event is stale in it.
    stale: bool,
}

impl Prefixes {
    /// Adds the prefixes that have the newest event; returns the run itself.
    pub(super) fn extend(&mut self) -> usize {
        let most = self.history.events.len();
        let newest = EventId(most as u32 - 1);
        let &Event { n, after, ref step, .. } = self.history.at(newest);
        let thread = step.thread;
        if self.unsettled.len() <= most {
            self.unsettled.resize(most + 1, PrefixId::NONE);
        }
        let mut least = most;
        // A prefix that has all causes of the event is not older than the last of them.
        let first = self.lengths[after as usize];
        for i in first..self.prefixes.len() {
            let counts = &self.counts[i * self.stride..][..self.stride];
            if counts[thread.index()] == n
                && self.within(i, thread, self.limits.bound)
                && self.history.follows(self.history.at(newest), counts)
                && let Some(to) = self.successor(i, thread, newest)
            {
                let size = self.add(i, thread, newest, to);
                least = least.min(size);
            }
        }
        let mut top = None;
        let before = self.lengths[most];
        let mut settled = 0usize;
        for size in least..=most {
            let mut next = std::mem::replace(&mut self.unsettled[size], PrefixId::NONE);
            while next != PrefixId::NONE {
                settled += 1;
                if settled & 255 == 0 && self.has_enough(before) {
                    self.unsettled.fill(PrefixId::NONE);
                    return 0;
                }
                let i = next.index();
                if self.settle(i) && size < most {
                    self.grow(i, thread);
                }
                next = self.prefixes[i].next;
                top = Some(i);
            }
        }
        // The longest one comes last, and there is one of that size.
        let top = top.expect("internal error: the run is within the bound");
        debug_assert_eq!(self.prefixes[top].size as usize, most);
        top
    }

    /// Whether to stop, while the prefixes from `before` on are settled.
    fn has_enough(&mut self, before: usize) -> bool {
        if self.prefixes.len() - before > MAX_NEW_PREFIXES || self.cells.len() > MAX_CELLS {
            self.incomplete = Some(Incomplete::TooManyPrefixes);
        } else if self.limits.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            self.incomplete = Some(Incomplete::Time);
        }
        self.incomplete.is_some()
    }

    /// Adds the prefix that `thread` makes of prefix `i` with its event; returns its size.
    fn add(&mut self, i: usize, thread: ThreadId, event: EventId, to: Successor) -> usize {
        let size = self.prefixes[i].size + 1;
        let next = self.unsettled[size as usize];
        let new = self.allocate(to.hash, Prefix { size, base: FAR, event, next });
        self.unsettled[size as usize] = PrefixId::new(new);
        let row = i * self.stride;
        self.counts.extend_from_within(row..row + self.stride);
        self.counts[new * self.stride + thread.index()] += 1;
        self.cells.extend_from_within(row..row + self.stride);
        self.cells[new * self.stride..].iter_mut().for_each(|cell| cell.before = Before::NOWHERE);
        self.link(i, thread, new, to.stale);
        size as usize
    }

    /// `thread` makes one prefix of another with its event.
    fn link(&mut self, from: usize, thread: ThreadId, to: usize, stale: bool) {
        let stale = stale && self.prices.counts_stale();
        self.cells[to * self.stride + thread.index()].before = Before::new(from, stale);
    }

    /// What `thread`, whose step is within the bound, makes of prefix `i` with its event; none if the event is stale there and
    /// so not within the bound.
    fn successor(&mut self, i: usize, thread: ThreadId, event: EventId) -> Option<Successor> {
        let &Event { n, ref step, hash, .. } = self.history.at(event);
        if !step.in_graph {
            return Some(Successor { hash: self.hashes[i] ^ hash, stale: false });
        }
        // The event is one of the outcomes that the thread has there.
        let Move { arity, .. } = self.cell(i, thread).mv;
        let first = self.cell(i, thread).mv.first();
        let action = if arity == 1 { first } else { self.history.event_hash(thread, n, self.counts(i)) };
        if SELF_CHECKS {
            assert_eq!(action, self.history.event_hash(thread, n, self.counts(i)), "the only outcome was taken");
        }
        let stale = action != first;
        if stale && self.prices.counts_stale() && self.bound_with_stale(i, thread) > self.limits.bound {
            return None;
        }
        Some(Successor { hash: self.hashes[i] ^ action, stale })
    }

    /// Computes moves and costs of a prefix whose predecessors are settled; whether it is within the bound.
    ///
    /// First the moves of those who may have run last, because they tell what a switch costs. Where the bound does not pay for
    /// one, nobody asks what the others would do.
    fn settle(&mut self, i: usize) -> bool {
        if !self.reach(i) {
            self.forget_moves(i, |_| true);
            return false;
        }
        self.history.another_prefix();
        let step = self.history.at(self.prefixes[i].event).step;
        if self.fairness_matters() {
            thread_ids(self.width()).for_each(|t| self.renew(i, t, &step));
            self.filter_fair(i);
            self.price(i, |_, _| {});
        } else {
            self.price(i, |prefixes, t| prefixes.renew(i, t, &step));
            if self.refused(self.limits.bound) && self.prices.bound(self.prefixes[i].base) > self.limits.bound {
                self.forget_moves(i, |cell| cell.cost == FAR);
                return true;
            }
            for t in thread_ids(self.width()) {
                if self.cell(i, t).cost == FAR {
                    self.renew(i, t, &step);
                }
            }
        }
        self.note_costs(i);
        true
    }

    fn forget_moves(&mut self, i: usize, whose: impl Fn(&Cell) -> bool) {
        let cells = self.cells[i * self.stride..][..self.stride].iter_mut();
        cells.filter(|cell| whose(cell)).for_each(|cell| cell.mv = Move::default());
    }

    /// What it costs to come from each of the predecessors of a prefix; whether that is within the bound for one.
    fn reach(&mut self, i: usize) -> bool {
        let (stride, row, bound) = (self.stride, i * self.stride, self.limits.bound);
        let mut reached = false;
        for t in 0..self.width() {
            let (mut cost, before) = (FAR, self.cells[row + t].before);
            if let Some(p) = before.prefix() {
                let there = &self.cells[p * stride + t];
                let mut least = self.prices.lesser(there.cost, self.prefixes[p].base);
                if before.is_stale() {
                    least = self.prices.and_stale(least);
                }
                if there.mv.allowed && self.prices.bound(least) <= bound {
                    cost = least;
                    reached = true;
                }
            }
            self.cells[row + t].cost = cost;
        }
        reached
    }

    /// What a step of another thread than the last costs; `first` is called for each thread that may have run last.
    fn price(&mut self, i: usize, first: impl Fn(&mut Self, ThreadId)) {
        let (row, width) = (i * self.stride, self.width());
        let mut base = FAR;
        for t in thread_ids(width) {
            let cost = self.cells[row + t.index()].cost;
            if cost != FAR {
                first(self, t);
                let left = self.prices.and_switch(cost, self.switch_cost(i, t));
                base = self.prices.lesser(base, left);
            }
        }
        self.prefixes[i].base = base;
        if self.limits.cost == Cost::Depth && self.prefixes[i].size >= self.limits.bound {
            self.prefixes[i].base = FAR;
            let (cells, beyond) = (self.cells[row..row + width].iter_mut(), self.limits.bound.saturating_add(1));
            cells.filter(|cell| cell.cost != FAR).for_each(|cell| cell.cost = beyond);
        }
    }

    /// What it costs to let another thread run after `last` in prefix `i`.
    pub(super) fn switch_cost(&self, i: usize, last: ThreadId) -> u32 {
        self.limits.cost.of_leaving(self.goes_on(i, last))
    }

    fn goes_on(&self, i: usize, thread: ThreadId) -> bool {
        let mv = &self.cell(i, thread).mv;
        mv.allowed && !mv.gives_up && !(self.history.anybody_yields() && self.yielded(i, thread))
    }

    fn yielded(&self, i: usize, thread: ThreadId) -> bool {
        let last = self.counts[i * self.stride + thread.index()].checked_sub(1);
        last.and_then(|n| self.history.event(thread, n)).is_some_and(|e| e.step.yielded)
    }

    /// Most threads' next moves are those of the prefix this one was found from, of which it is a copy: only those that the
    /// step touches change.
    fn renew(&mut self, i: usize, t: ThreadId, step: &Step) {
        let row = i * self.stride;
        let counts = &self.counts[row..row + self.stride];
        let touches = |o: ObjectId| o == step.object || Some(o) == step.second();
        let changed = |op: &Pending| {
            (op.object != ObjectId::NONE && touches(op.object))
                || (op.kind == Kind::Relock && touches(op.other.object()))
                || (step.finished && matches!(op.kind, Kind::Join | Kind::IsFinished))
                || op.kind == Kind::Drain
        };
        // With SeqCst accesses about, a step elsewhere may rule out what an access could do before.
        let Cell { mv, stale, .. } = *self.cell(i, t);
        let depends = stale != NOWHERE && self.history.choices_depend_on_all(counts, t);
        if t == step.thread || !mv.known || depends || self.history.op(t, counts[t.index()]).is_some_and(changed) {
            self.ask(i, t);
        } else {
            let mv = &mut self.cells[row + t.index()].mv;
            mv.allowed = mv.enabled;
        }
    }

    /// What a thread would do next in a prefix.
    pub(super) fn ask(&mut self, i: usize, t: ThreadId) {
        let row = i * self.stride;
        let counts = &self.counts[row..row + self.stride];
        let (stores, place) = (self.history.stores_before(counts, t), (t, counts[t.index()]));
        let cell = &mut self.cells[row + t.index()];
        if let Some(known) = stores.and_then(|stores| self.answers.find(place, stores)) {
            (cell.mv, cell.stale) = known;
            if SELF_CHECKS {
                assert_eq!(cell.mv, self.history.next_move(counts, t), "it depends on these stores only");
            }
            return;
        }
        (cell.mv, cell.stale) = (self.history.next_move(counts, t), NOWHERE);
        if self.history.has_several() {
            cell.stale = self.answers.add_others(self.history.stale());
        }
        if let Some(stores) = stores {
            self.answers.add(place, stores, cell.mv, cell.stale);
        }
    }

    fn fairness_matters(&self) -> bool {
        self.limits.fair.is_some() && self.history.anybody_yields()
    }

    /// Who is too far ahead in yields may not go on.
    pub(super) fn filter_fair(&mut self, i: usize) {
        let Some(ahead) = self.limits.fair.filter(|_| self.history.anybody_yields()) else { return };
        let row = i * self.stride;
        let yields = |s: &Self, t: ThreadId| s.history.yields(t, s.counts[row + t.index()]);
        let enabled = thread_ids(self.history.width()).filter(|&t| self.cells[row + t.index()].mv.enabled);
        let Some(least) = enabled.map(|t| yields(self, t)).min() else { return };
        for t in thread_ids(self.history.width()) {
            if yields(self, t) > least + ahead {
                self.cells[row + t.index()].mv.allowed = false;
            }
        }
    }

    /// Adds what the events of other threads make of prefix `i`, which has the newest event.
    fn grow(&mut self, i: usize, newest: ThreadId) {
        for t in thread_ids(self.history.width()).filter(|&t| t != newest) {
            let n = self.counts(i)[t.index()];
            if n >= self.history.length(t) || !self.within(i, t, self.limits.bound) {
                continue;
            }
            let event = self.history.position(t, n);
            let follows = self.history.follows(self.history.at(event), self.counts(i));
            if !follows {
                continue;
            }
            let Some(to) = self.successor(i, t, event) else { continue };
            match self.find(to.hash) {
                Some(there) => self.link(i, t, there, to.stale),
                None => _ = self.add(i, t, event, to),
            }
        }
    }
}
