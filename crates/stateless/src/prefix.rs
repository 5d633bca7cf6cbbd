//! The prefixes of the current run that can be reached within the bound, with the least cost of getting there:
//! the function CB of \[CBPOR\] section 3.2.
//!
//! DIVERGENCE \[CBPOR\] 3.2: CB is not computed backwards over all prefixes with a table that lives as long as the search, but
//! forwards, over those within the bound only: when the run grows by an event, the new prefixes are exactly those
//! that have it. What the run loses when the search backtracks is cut off again. So the memory is that
//! of one run, and a low bound sees few prefixes.

mod cheapest;
mod grow;

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use crate::delta::Delta;
use crate::history::{History, Move, action};
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
