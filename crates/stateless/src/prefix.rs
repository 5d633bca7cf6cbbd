//! The prefixes of the current run that can be reached within the bound, with the least cost of getting there:
//! the function CB of [CBPOR] section 3.2.
//!
//! DIVERGENCE [CBPOR] 3.2: CB is not computed backwards over all prefixes with a table that lives as long as the search, but
//! forwards, over those within the bound only: when the run grows by an event, the new prefixes are exactly those
//! that have it. What the run loses when the search backtracks is cut off again. So the memory is that
//! of one run, and a low bound sees few prefixes.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use crate::delta::Delta;
use crate::history::{History, Move, action};
use crate::op::Kind;
use crate::strategy::bounded::Cost;

/// Out of the bound.
pub(crate) const FAR: u32 = u32::MAX;

/// Prefixes are hashed already.
#[derive(Default)]
pub(crate) struct Identity(u64);

impl Hasher for Identity {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.0 ^= u64::from_le_bytes(word);
        }
    }

    fn write_u64(&mut self, x: u64) {
        self.0 = x;
    }

    fn write_u128(&mut self, x: u128) {
        self.0 = x as u64;
    }
}

/// A map or set keyed by hashes of prefixes.
pub(crate) type ByHash = BuildHasherDefault<Identity>;

/// What the rules of the search are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    pub(crate) cost: Cost,
    pub(crate) bound: u32,
    pub(crate) fair: Option<u32>,
}

/// A prefix.
#[derive(Clone, Copy)]
struct Prefix {
    hash: u128,
    /// Number of events.
    size: u32,
    /// The least cost at which a thread that did not run last makes a step here.
    base: u32,
    /// The prefix and the thread it was first found from.
    from: u32,
    by: u32,
}

/// The prefixes of the current run.
pub(crate) struct Prefixes {
    pub(crate) history: History,
    limits: Limits,
    prefixes: Vec<Prefix>,
    /// Per prefix and thread, `stride` apart: events in it, least cost with that thread running last, next move.
    stride: usize,
    counts: Vec<u32>,
    costs: Vec<u32>,
    moves: Vec<Move>,
    /// By the lower half of the hash: enough for the prefixes of one run.
    index: HashMap<u64, u32, ByHash>,
    /// Number of prefixes after each delta, and the deltas.
    lengths: Vec<usize>,
    deltas: Vec<Delta>,
    spare: Vec<Delta>,
    buckets: Vec<Vec<u32>>,
    /// A step was found that the bound refuses.
    pub(crate) refused: bool,
}

impl Prefixes {
    pub(crate) fn new(limits: Limits) -> Prefixes {
        Prefixes {
            history: History::default(),
            limits,
            prefixes: Vec::new(),
            stride: 4,
            counts: Vec::new(),
            costs: Vec::new(),
            moves: Vec::new(),
            index: HashMap::default(),
            lengths: Vec::new(),
            deltas: Vec::new(),
            spare: Vec::new(),
            buckets: Vec::new(),
            refused: false,
        }
    }

    /// Forgets the run and takes a new bound.
    pub(crate) fn set_bound(&mut self, bound: u32) {
        self.truncate(0);
        self.limits.bound = bound;
        self.refused = false;
    }

    /// The number of deltas: one more than events.
    pub(crate) fn len(&self) -> usize {
        self.deltas.len()
    }

    /// The deltas of the run.
    pub(crate) fn deltas(&self) -> &[Delta] {
        &self.deltas
    }

    /// A delta to be filled and given to [`Self::push`].
    pub(crate) fn blank(&mut self) -> Delta {
        self.spare.pop().unwrap_or_default()
    }

    /// The run so far, all of it.
    pub(crate) fn top(&self) -> usize {
        self.find(self.history.hash()).expect("internal error: the run is within the bound")
    }

    fn find(&self, hash: u128) -> Option<usize> {
        self.index.get(&(hash as u64)).map(|&i| i as usize)
    }

    /// Cuts the run back to its first `len` deltas.
    pub(crate) fn truncate(&mut self, len: usize) {
        while self.deltas.len() > len {
            if let (Some(delta), Some(before)) = (self.deltas.pop(), self.lengths.pop()) {
                for prefix in self.prefixes.drain(before..) {
                    self.index.remove(&(prefix.hash as u64));
                }
                self.history.pop(&delta);
                self.spare.push(delta);
            }
        }
        let size = self.prefixes.len() * self.stride;
        self.counts.truncate(size);
        self.costs.truncate(size);
        self.moves.truncate(size);
    }

    /// The run grows.
    pub(crate) fn push(&mut self, delta: Delta) {
        self.lengths.push(self.prefixes.len());
        self.history.push(&delta);
        self.widen();
        let first = delta.step.is_none();
        self.deltas.push(delta);
        if first {
            self.add_empty();
        } else {
            self.extend();
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
        self.costs = spread(&self.costs, old, self.stride, FAR);
        self.moves = spread(&self.moves, old, self.stride, Move::default());
    }

    fn allocate(&mut self, prefix: Prefix) -> usize {
        self.prefixes.push(prefix);
        let size = self.prefixes.len() * self.stride;
        self.counts.resize(size, 0);
        self.costs.resize(size, FAR);
        self.moves.resize(size, Move::default());
        let i = self.prefixes.len() - 1;
        self.index.insert(prefix.hash as u64, i as u32);
        i
    }

    fn add_empty(&mut self) {
        let i = self.allocate(Prefix { hash: 0, size: 0, base: 0, from: u32::MAX, by: 0 });
        self.history.another_prefix();
        for t in 0..self.history.width() {
            let counts = &self.counts[i * self.stride..(i + 1) * self.stride];
            self.moves[i * self.stride + t] = self.history.next_move(counts, t);
        }
        self.filter_fair(i);
        // DIVERGENCE [CBPOR] section 2: not every first step is free. The main thread has run, it started the others; to
        // begin with another one while it can go on is a preemption, as it would be a step later.
        self.costs[i * self.stride] = 0;
        self.prefixes[i].base = self.switch_cost(i, 0);
        self.refused |= self.refuses(i);
    }

    fn refuses(&self, i: usize) -> bool {
        (0..self.width()).any(|t| self.may(i, t) && self.cost(i, t) > self.limits.bound)
    }

    /// The least cost at which `thread` makes its step in prefix `i`: CB(s, t).
    pub(crate) fn cost(&self, i: usize, thread: usize) -> u32 {
        self.prefixes[i].base.min(self.costs[i * self.stride + thread])
    }

    /// Whether `thread` may make a step in prefix `i`.
    fn may(&self, i: usize, thread: usize) -> bool {
        self.moves[i * self.stride + thread].allowed
    }

    /// ... within the bound.
    pub(crate) fn within(&self, i: usize, thread: usize) -> bool {
        self.may(i, thread) && self.cost(i, thread) <= self.limits.bound
    }

    fn in_bound(&self, i: usize) -> bool {
        let p = &self.prefixes[i];
        p.size == 0 || self.costs[i * self.stride..(i + 1) * self.stride].iter().any(|&c| c <= self.limits.bound)
    }

    /// The hash of a prefix.
    pub(crate) fn hash(&self, i: usize) -> u128 {
        self.prefixes[i].hash
    }

    /// The hashes of what `thread` can make of prefix `i`, one for each outcome.
    pub(crate) fn successors(&self, i: usize, thread: usize) -> impl Iterator<Item = u128> + '_ {
        let mv = self.moves[i * self.stride + thread];
        let counts = &self.counts[i * self.stride..(i + 1) * self.stride];
        (0..mv.arity).map(move |choice| {
            let outcome = self.history.outcome_mark(counts, thread, choice);
            self.prefixes[i].hash ^ action(mv.label, outcome)
        })
    }

    /// The prefix without the last event of `thread`, if that is one and within the bound.
    pub(crate) fn predecessor(&self, i: usize, thread: usize) -> Option<usize> {
        let n = self.counts[i * self.stride + thread].checked_sub(1)?;
        let event = self.history.event(thread, n)?;
        self.find(self.prefixes[i].hash ^ event.hash)
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

/// The prefixes that have the newest event.
impl Prefixes {
    fn extend(&mut self) {
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
    fn switch_cost(&self, i: usize, last: usize) -> u32 {
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
                    (op.object != crate::op::NONE && touches(op.object))
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
    fn filter_fair(&mut self, i: usize) {
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

/// The cheapest schedule.
impl Prefixes {
    /// The steps of the cheapest linear order of the run, by event; `last` must come last if given.
    pub(crate) fn cheapest(&self, last: Option<usize>) -> Vec<usize> {
        let mut order = Vec::new();
        let mut i = self.top();
        let mut must = last;
        // The cost with which the step after this prefix is made, and by whom.
        let mut target: Option<(u32, usize)> = None;
        while self.prefixes[i].size > 0 {
            let fits = |t: &usize| {
                let cost = self.costs[i * self.stride + t];
                match target {
                    _ if cost == FAR => None,
                    Some((total, next)) => {
                        let here = cost + if next == *t { 0 } else { self.switch_cost(i, *t) };
                        (here <= total).then_some(cost)
                    }
                    None => Some(cost),
                }
            };
            let choices = (0..self.width()).filter(|t| must.is_none_or(|m| m == *t));
            let best = choices.filter_map(|t| fits(&t).map(|cost| (target.is_none_or(|x| x.1 != t), cost, t)));
            let best = if target.is_some() { best.min() } else { best.min_by_key(|b| b.1) };
            let Some((_, cost, thread)) = best else { break };
            let n = self.counts[i * self.stride + thread] - 1;
            order.push(self.history.position(thread, n));
            target = Some((cost, thread));
            must = None;
            match self.predecessor(i, thread) {
                Some(p) => i = p,
                None => break,
            }
        }
        order.reverse();
        order
    }
}

impl Prefixes {
    /// The events in another order as a schedule. Threads are numbered in the order of their births, so their numbers
    /// may change; nothing if outcomes, which depend on numbers, were chosen then.
    pub(crate) fn renumber(&self, order: &[usize]) -> Option<Vec<(u32, u32)>> {
        let mut numbers: Vec<Option<u32>> = vec![None; self.width()];
        let mut next = 0;
        let mut made = vec![0; self.width()];
        let mut schedule = Vec::new();
        self.number_born(&mut numbers, &mut next, &made);
        for &event in order {
            let step = &self.history.events[event].step;
            schedule.push((numbers[step.thread as usize]?, step.choice));
            made[step.thread as usize] += 1;
            self.number_born(&mut numbers, &mut next, &made);
        }
        let same = numbers.iter().enumerate().all(|(i, n)| n.is_none_or(|n| n as usize == i));
        (same || schedule.iter().all(|s| s.1 == 0)).then_some(schedule)
    }

    fn number_born(&self, numbers: &mut [Option<u32>], next: &mut u32, made: &[u32]) {
        for t in 0..numbers.len() {
            let born = match self.history.birth(t) {
                Some((p, after)) => numbers[p as usize].is_some() && made[p as usize] >= after,
                None => true,
            };
            if born && numbers[t].is_none() {
                numbers[t] = Some(*next);
                *next += 1;
            }
        }
    }
}
