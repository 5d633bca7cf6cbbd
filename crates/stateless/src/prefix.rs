//! The prefixes of the current run that can be reached within the bound, with the least cost of getting there:
//! the function CB of \[CBPOR\] section 3.2.
//!
//! DIVERGENCE \[CBPOR\] 3.2: CB is not computed backwards over all prefixes with a table that lives as long as the search, but
//! forwards, over those within the bound only: when the run grows by an event, the new prefixes are exactly those
//! that have it. What the run loses when the search backtracks is cut off again. So the memory is that
//! of one run, and a low bound sees few prefixes.

mod answers;
mod cheapest;
mod grow;
mod index;
mod price;

use std::time::Instant;

use crate::cost::Cost;
use crate::delta::Delta;
use crate::history::{EventId, History, Move};
use crate::{MAIN, ThreadId, thread_ids};
use answers::Answers;
use index::Index;
pub(crate) use price::{Price, Prices};

/// Out of the bound.
pub(crate) const FAR: u32 = u32::MAX;

/// What the rules of the search are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    pub(crate) cost: Cost,
    /// The greatest bound that is asked about: prefixes beyond it are not there. It may change while there are some; those
    /// found under a greater one do no harm, for their costs are what they are.
    pub(crate) bound: u32,
    pub(crate) fair: Option<u32>,
    pub(crate) deadline: Option<Instant>,
}

/// Why the prefixes of a run are not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Incomplete {
    /// There are too many: threads that have nothing to do with each other make all their subsets prefixes.
    TooManyPrefixes,
    /// The time is over.
    Time,
}

/// Prefixes that one event may add, and cells there may be (of 44 bytes, with their counts).
const MAX_NEW_PREFIXES: usize = 1 << 15;
const MAX_CELLS: usize = 1 << 23;

/// No hashes.
const NOWHERE: u32 = u32::MAX;

/// A prefix, numbered in the order in which they are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PrefixId(u32);

impl PrefixId {
    const NONE: PrefixId = PrefixId(u32::MAX);

    pub(crate) fn new(index: usize) -> PrefixId {
        PrefixId(index as u32)
    }

    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// A prefix; its hash is in `Prefixes::hashes`.
#[derive(Clone, Copy)]
struct Prefix {
    /// Number of events.
    size: u32,
    /// The least cost at which a thread that did not run last makes a step here.
    base: Price,
    /// The event by which it was found first.
    event: EventId,
    /// While the run grows: the next prefix of the same size to be settled.
    next: PrefixId,
}

/// A thread in a prefix.
#[derive(Clone, Copy, Debug)]
struct Cell {
    /// The least cost with that thread running last.
    cost: Price,
    /// The prefix without the thread's last event, if that is one and within the bound.
    before: Before,
    /// What it would do next.
    mv: Move,
    /// Where in `Prefixes::answers` the hashes of its other outcomes begin, if that is an access of the graph to which coherence
    /// leaves several.
    stale: u32,
}

/// A prefix without its thread's last event, and whether that event is stale in the longer one.
#[derive(Clone, Copy, Debug)]
struct Before(u32);

impl Before {
    const NOWHERE: Before = Before(NOWHERE);
    const STALE: u32 = 1 << 31;

    fn new(prefix: usize, stale: bool) -> Before {
        Before(prefix as u32 | if stale { Before::STALE } else { 0 })
    }

    fn prefix(self) -> Option<usize> {
        (self.0 != NOWHERE).then_some((self.0 & !Before::STALE) as usize)
    }

    fn is_stale(self) -> bool {
        self.0 != NOWHERE && self.0 & Before::STALE != 0
    }
}

impl Cell {
    fn empty() -> Cell {
        Cell { cost: FAR, before: Before::NOWHERE, mv: Move::default(), stale: NOWHERE }
    }
}

/// The prefixes of the current run.
pub(crate) struct Prefixes {
    pub(crate) history: History,
    pub(crate) limits: Limits,
    pub(crate) prices: Prices,
    prefixes: Vec<Prefix>,
    hashes: Vec<u128>,
    /// Per prefix and thread, `stride` apart: events in it, and the rest.
    stride: usize,
    counts: Vec<u32>,
    cells: Vec<Cell>,
    answers: Answers,
    index: Index,
    /// Number of prefixes before each delta.
    lengths: Vec<usize>,
    /// After each delta: the run so far, all of it.
    tops: Vec<PrefixId>,
    /// While the run grows: for each size the first prefix to be settled; else nowhere.
    unsettled: Vec<PrefixId>,
    /// The most that a step costs which could be made in some prefix so far.
    dearest: u32,
    /// A step was left out whatever the bound is.
    capped: bool,
    /// The prefixes are not all there, and why; what is known is of no use then.
    pub(crate) incomplete: Option<Incomplete>,
}

impl Prefixes {
    pub(crate) fn new(limits: Limits, prices: Prices) -> Prefixes {
        Prefixes {
            history: History::default(),
            limits,
            prices,
            prefixes: Vec::with_capacity(64),
            hashes: Vec::with_capacity(64),
            stride: 4,
            counts: Vec::with_capacity(256),
            cells: Vec::with_capacity(256),
            answers: Answers::default(),
            index: Index::new(),
            lengths: Vec::with_capacity(32),
            tops: Vec::with_capacity(32),
            unsettled: Vec::with_capacity(32),
            dearest: 0,
            capped: false,
            incomplete: None,
        }
    }

    /// Whether a step was found that no bound allows.
    pub(crate) fn is_capped(&self) -> bool {
        self.capped
    }

    /// Whether a step was found that this bound refuses. (One that costs more comes after one that costs just too much.)
    pub(crate) fn refused(&self, bound: u32) -> bool {
        self.dearest > bound
    }

    /// As new, keeping memory.
    pub(crate) fn forget(&mut self) {
        self.clear();
        self.history.forget();
        self.stride = 4;
        self.dearest = 0;
        self.capped = false;
        self.incomplete = None;
    }

    /// Bytes in use, about.
    pub(crate) fn memory(&self) -> usize {
        self.cells.capacity() * size_of::<Cell>() + self.history.memory()
    }

    /// The number of deltas: one more than events.
    pub(crate) fn len(&self) -> usize {
        self.history.len()
    }

    /// The number of prefixes.
    pub(crate) fn count(&self) -> usize {
        self.prefixes.len()
    }

    /// The run so far, all of it.
    pub(crate) fn top(&self) -> usize {
        self.tops.last().expect("internal error: the run has begun").index()
    }

    fn find(&self, hash: u128) -> Option<usize> {
        self.index.find(&self.hashes, hash)
    }

    /// Takes back the whole run.
    pub(crate) fn clear(&mut self) {
        self.history.clear();
        self.index.clear(&self.hashes);
        self.lengths.clear();
        self.answers.clear();
        self.tops.clear();
        self.hashes.clear();
        self.prefixes.clear();
        self.counts.clear();
        self.cells.clear();
    }

    /// Cuts the run back to its first `len` deltas.
    pub(crate) fn truncate(&mut self, len: usize) {
        while self.len() > len {
            self.history.pop();
        }
        let Some(&before) = self.lengths.get(len) else { return };
        self.answers.truncate(len);
        self.lengths.truncate(len);
        self.tops.truncate(len);
        while self.hashes.len() > before {
            self.index.pop(&self.hashes);
            self.hashes.pop();
        }
        self.prefixes.truncate(before);
        self.counts.truncate(before * self.stride);
        self.cells.truncate(before * self.stride);
    }

    /// The run grows.
    pub(crate) fn push(&mut self, delta: &Delta) {
        self.lengths.push(self.prefixes.len());
        self.answers.begin_delta();
        match delta.step {
            Some(step) => {
                // The hash of an access of the graph follows from the graph.
                let hash = if step.in_graph { 0 } else { self.outcome(self.top(), step.thread, step.choice) };
                self.history.push(delta, hash);
                self.widen();
                let top = self.extend();
                self.tops.push(PrefixId::new(top));
            }
            None => {
                self.history.push(delta, 0);
                self.widen();
                self.add_empty();
                self.tops.push(PrefixId(0));
            }
        }
    }

    /// Makes room for more threads.
    fn widen(&mut self) {
        let old = self.stride;
        if self.history.width() <= old {
            return;
        }
        self.stride = self.history.width().next_power_of_two();
        self.counts = spread(&self.counts, old, self.stride, 0);
        self.cells = spread(&self.cells, old, self.stride, Cell::empty());
    }

    fn allocate(&mut self, hash: u128, prefix: Prefix) -> usize {
        self.prefixes.push(prefix);
        self.hashes.push(hash);
        self.index.push(&self.hashes);
        self.hashes.len() - 1
    }

    fn add_empty(&mut self) {
        let i = self.allocate(0, Prefix { size: 0, base: 0, event: EventId::NONE, next: PrefixId::NONE });
        self.counts.resize(self.stride, 0);
        self.cells.resize(self.stride, Cell::empty());
        self.history.another_prefix();
        thread_ids(self.history.width()).for_each(|t| self.ask(i, t));
        self.filter_fair(i);
        // DIVERGENCE [CBPOR] section 2: not every first step is free. The main thread has run, it started the others; to
        // begin with another one while it is enabled is a preemption, as it would be a step later.
        self.cells[0].cost = 0;
        self.prefixes[i].base = self.prices.and_switch(0, self.switch_cost(i, MAIN));
        self.note_costs(i);
    }

    /// Takes in what steps from prefix `i` cost, while that is news.
    fn note_costs(&mut self, i: usize) {
        if self.refused(self.limits.bound) {
            return;
        }
        if !self.prices.counts_stale() || !self.history.has_graph() {
            let base = self.prices.bound(self.prefixes[i].base);
            let steps = self.row(i).iter().filter(|cell| cell.mv.allowed);
            let costs = steps.map(|cell| base.min(self.prices.bound(cell.cost)));
            let dearest = costs.fold(0, u32::max);
            // What is out of every bound is looked at one by one.
            if dearest < FAR {
                self.dearest = self.dearest.max(dearest);
                return;
            }
        }
        for t in thread_ids(self.width()) {
            if !self.may(i, t) {
                continue;
            }
            let stale = self.prices.counts_stale() && self.has_stale_choices(i, t);
            let stale = stale.then(|| self.bound_with_stale(i, t));
            for bound in [self.bound(i, t)].into_iter().chain(stale) {
                if bound == FAR {
                    self.capped = true;
                } else {
                    self.dearest = self.dearest.max(bound);
                }
            }
        }
    }

    /// The threads in prefix `i`.
    fn row(&self, i: usize) -> &[Cell] {
        &self.cells[i * self.stride..][..self.history.width()]
    }

    /// How many events of each thread are in prefix `i`.
    fn counts(&self, i: usize) -> &[u32] {
        &self.counts[i * self.stride..][..self.stride]
    }

    fn cell(&self, i: usize, thread: ThreadId) -> &Cell {
        &self.cells[i * self.stride + thread.index()]
    }

    /// The least bound within which `thread` makes its step in prefix `i`: CB(s, t).
    fn bound(&self, i: usize, thread: ThreadId) -> u32 {
        let (base, cost) = (self.prefixes[i].base, self.cell(i, thread).cost);
        self.prices.bound(base).min(self.prices.bound(cost))
    }

    /// ... and makes a stale access.
    fn bound_with_stale(&self, i: usize, thread: ThreadId) -> u32 {
        let (base, cost) = (self.prefixes[i].base, self.cell(i, thread).cost);
        self.prices.bound_with_stale(base).min(self.prices.bound_with_stale(cost))
    }

    /// Whether `thread` may make a step in prefix `i`.
    fn may(&self, i: usize, thread: ThreadId) -> bool {
        self.cell(i, thread).mv.allowed
    }

    /// ... within a bound, at most that of the limits.
    pub(crate) fn within(&self, i: usize, thread: ThreadId, bound: u32) -> bool {
        self.may(i, thread) && self.bound(i, thread) <= bound
    }

    /// Whether there may be prefixes in which a thread is enabled, but none within the bound.
    pub(crate) fn may_stop(&self) -> bool {
        self.limits.cost.may_refuse_everybody() || self.history.anybody_yields()
    }

    /// Whether the next operation of a thread in prefix `i` is an access that may be stale.
    fn has_stale_choices(&self, i: usize, thread: ThreadId) -> bool {
        self.cell(i, thread).mv.arity > 1 && self.cell(i, thread).stale != NOWHERE
    }

    /// The hashes of the actions that a thread's stale accesses in prefix `i` would be.
    fn stale_outcomes(&self, cell: &Cell) -> &[u128] {
        match cell.stale {
            NOWHERE => &[],
            first => self.answers.others(first, cell.mv.arity as usize - 1),
        }
    }

    /// The hash of a prefix.
    pub(crate) fn hash(&self, i: usize) -> u128 {
        self.hashes[i]
    }

    /// The least bound within which a step from prefix `i` leads to a prefix that is not finished within it: for each step the
    /// greater one of its cost and of `level` of the prefix that it leads to. At most `most`; if it is not above `enough`, any
    /// number that is not.
    pub(crate) fn level(&self, i: usize, enough: u16, most: u16, level: impl Fn(u128) -> u16) -> u16 {
        let (hash, base) = (self.hashes[i], self.prices.bound(self.prefixes[i].base));
        let mut least = u32::from(most);
        for (t, cell) in (0..).map(ThreadId).zip(self.row(i)) {
            let cost = base.min(self.prices.bound(cell.cost));
            if !cell.mv.allowed || cost >= least {
                continue;
            }
            least = least.min(cost.max(level(hash ^ cell.mv.first()).into()));
            if cell.mv.arity > 1 {
                least = self.level_of_others(i, t, least, &level);
            }
            if least <= enough.into() {
                break;
            }
        }
        u16::try_from(least).unwrap_or(u16::MAX)
    }

    /// The same for the outcomes of a thread's step but the first.
    fn level_of_others(&self, i: usize, thread: ThreadId, least: u32, level: impl Fn(u128) -> u16) -> u32 {
        let stale = self.has_stale_choices(i, thread);
        let cost = if stale { self.bound_with_stale(i, thread) } else { self.bound(i, thread) };
        if cost >= least {
            return least;
        }
        let others = self.successors(i, thread, cost).skip(1);
        others.map(|(_, to)| cost.max(level(to).into())).fold(least, u32::min)
    }

    /// The predecessors of prefix `i` from which the step to it is within the bound of the limits.
    pub(crate) fn predecessors(&self, i: usize) -> impl Iterator<Item = usize> + '_ {
        (0..).map(ThreadId).zip(self.row(i)).filter_map(move |(t, _)| self.predecessor_within(i, t))
    }

    /// The one by the step of `thread`.
    pub(crate) fn predecessor_within(&self, i: usize, thread: ThreadId) -> Option<usize> {
        let before = self.cell(i, thread).before;
        let p = before.prefix()?;
        let least = if before.is_stale() { self.bound_with_stale(p, thread) } else { self.bound(p, thread) };
        (self.may(p, thread) && least <= self.limits.bound).then_some(p)
    }

    /// The number of events of prefix `i`.
    pub(crate) fn size(&self, i: usize) -> usize {
        self.prefixes[i].size as usize
    }

    /// What `thread`, which may make a step in prefix `i` within a bound, can make of it there: the outcomes and the hashes.
    pub(crate) fn successors(&self, i: usize, thread: ThreadId, bound: u32) -> impl Iterator<Item = (u32, u128)> + '_ {
        let cell = self.cell(i, thread);
        let within = cell.stale != NOWHERE && self.bound_with_stale(i, thread) <= bound;
        let stale = if within { self.stale_outcomes(cell) } else { &[] };
        let outcomes = if cell.stale == NOWHERE { cell.mv.arity } else { 1 };
        let first = (0..outcomes).map(move |choice| self.outcome(i, thread, choice));
        (0..).zip(first.chain(stale.iter().copied()).map(move |action| self.hashes[i] ^ action))
    }

    /// The hash of the action that `thread` makes in prefix `i` with one of its outcomes.
    fn outcome(&self, i: usize, thread: ThreadId, choice: u32) -> u128 {
        if choice == 0 {
            return self.cell(i, thread).mv.first();
        }
        self.history.other_outcome(self.counts(i), thread, choice)
    }

    /// The prefix without the last event of `thread`, if that is one and within the bound.
    pub(crate) fn predecessor(&self, i: usize, thread: ThreadId) -> Option<usize> {
        self.cell(i, thread).before.prefix()
    }

    /// Threads there are.
    pub(crate) fn width(&self) -> usize {
        self.history.width()
    }
}

fn spread<T: Copy>(old: &[T], from: usize, to: usize, fill: T) -> Vec<T> {
    let mut new = Vec::with_capacity(old.len() / from * to);
    for row in old.chunks(from) {
        new.extend_from_slice(row);
        new.resize(new.len() + to - from, fill);
    }
    new
}
