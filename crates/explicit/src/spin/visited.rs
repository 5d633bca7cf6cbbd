//! What the search remembers of the states it visited: the states themselves, or bits.
//!
//! Protocol: [`Visited::arrive`] for every transition; after an answer that asks for a visit the
//! state is open until [`Visited::leave`] is called with the same key, last opened first.

use rustc_hash::FxHashMap;
use selvedge_core::{ThreadId, mix};

use super::{BitArray, SpinOptions};
use crate::ample::OpenPath;
use crate::store::{StateId, Store};

/// What is to be done with a state just reached.
pub(super) enum Visit<K> {
    /// Never seen: visit it.
    New(K),
    /// Seen, but dearer (or, where that is remembered, after another process): visit it again.
    Again(K),
    /// Nothing: the earlier visit covers it.
    Old,
    /// Nothing: it is open.
    Open,
}

/// A memory of visits.
pub(super) trait Visited {
    /// What stands for an open state.
    type Key: Copy;
    /// A transition by `last` led to `state` at the cost of `switches`.
    fn arrive(&mut self, state: &[u8], switches: u32, last: Option<ThreadId>) -> Visit<Self::Key>;
    /// The visit is over.
    fn leave(&mut self, key: Self::Key);
    /// Different states.
    fn states(&self) -> u64;
    /// Bytes held.
    fn bytes(&self) -> u64;
    /// Bytes that the next growth takes on top.
    fn growth(&self) -> u64;
    /// Bytes for a state.
    fn bytes_per_state(&self) -> f64;
    /// The expected share of states not mistaken for others, where that can happen.
    fn coverage(&self) -> Option<f64>;
}

/// A set of processes.
type Processes = [u64; 4];

fn with(processes: &Processes, ThreadId(thread): ThreadId) -> Processes {
    let thread = thread.min(255) as usize;
    std::array::from_fn(|word| processes[word] | if thread / 64 == word { 1 << (thread % 64) } else { 0 })
}

/// The cheapest visit of a state.
struct Mark {
    switches: u32,
    open: bool,
}

/// Every state, with the cost of its cheapest visit.
pub(super) struct Exact {
    store: Store,
    marks: FxHashMap<StateId, Mark>,
    /// The processes that ran last at the cheapest visits, where they are remembered.
    processes: Option<FxHashMap<StateId, Processes>>,
    stack: bool,
    as_pan: bool,
    /// The state that was new or found open last.
    latest: Option<StateId>,
}

impl Exact {
    pub(super) fn new(options: &SpinOptions, hidden: usize, reference: &[u8]) -> Self {
        Exact {
            store: Store::new(hidden, reference),
            marks: FxHashMap::default(),
            processes: options.remember_processes.then(FxHashMap::default),
            stack: options.cycle_rule || options.reduction,
            as_pan: options.as_pan,
            latest: None,
        }
    }

    /// Opens a state. Returns the key with which it will be left.
    //
    // DIVERGENCE [BCS] Fig. 5, lines 16 and 45: in `pan` a state visited again does not count as open,
    // and when it is left, the state that was new or found open last is taken off the stack instead.
    fn open(&mut self, id: StateId, new: bool) -> StateId {
        if self.as_pan && !new {
            return self.latest.unwrap_or(id);
        }
        if let Some(mark) = self.marks.get_mut(&id) {
            mark.open = self.stack;
        }
        self.latest = Some(id);
        id
    }

    /// Whether a visit at the same cost is to be made because no process like `last` made one.
    fn adds_process(&mut self, id: StateId, last: Option<ThreadId>) -> bool {
        let (Some(processes), Some(last)) = (&mut self.processes, last) else { return false };
        let known = processes.entry(id).or_default();
        let more = with(known, last);
        std::mem::replace(known, more) != more
    }
}

impl Visited for Exact {
    type Key = StateId;

    // DIVERGENCE [BCS] CONSTRAINT: an open state is not visited again where the stack is kept, as in
    // `pan`; Figure 3 has no stack, and Figure 5 asks only whether a safe step leads there.
    fn arrive(&mut self, state: &[u8], switches: u32, last: Option<ThreadId>) -> Visit<StateId> {
        let (id, new) = self.store.insert(state, None);
        let mark = self.marks.entry(id).or_insert(Mark { switches: u32::MAX, open: false });
        if mark.open {
            self.latest = Some(id);
            return Visit::Open;
        }
        let cheaper = switches < mark.switches;
        if cheaper {
            mark.switches = switches;
            if let Some(processes) = &mut self.processes {
                processes.remove(&id);
            }
        } else if switches > mark.switches {
            return Visit::Old;
        }
        if !self.adds_process(id, last) && !cheaper {
            return Visit::Old;
        }
        let key = self.open(id, new);
        if new { Visit::New(key) } else { Visit::Again(key) }
    }

    fn leave(&mut self, key: StateId) {
        if let Some(mark) = self.marks.get_mut(&key) {
            mark.open = false;
        }
    }

    fn states(&self) -> u64 {
        self.store.len()
    }

    fn bytes(&self) -> u64 {
        let marks = self.marks.capacity() * (size_of::<(StateId, Mark)>() + 1);
        let processes = self.processes.as_ref().map_or(0, FxHashMap::capacity);
        self.store.bytes() + (marks + processes * (size_of::<(StateId, Processes)>() + 1)) as u64
    }

    fn growth(&self) -> u64 {
        self.store.growth() + 2 * (self.bytes() - self.store.bytes())
    }

    fn bytes_per_state(&self) -> f64 {
        let marks = (self.bytes() - self.store.bytes()) as f64 / self.states().max(1) as f64;
        self.store.bytes_per_state() + marks
    }

    fn coverage(&self) -> Option<f64> {
        None
    }
}

/// A few bits for every state and number of switches (\[BCS\] 3.2, replicated storage): a visit at some
/// cost sets those of this cost and of all higher ones, so that a dearer visit finds them set.
///
/// DIVERGENCE \[BCS\] 3.2 as in `pan -DBITSTATE`: `pan` also stops at a copy of a *higher* cost that it
/// finds set, so that a cheaper visit is never made; here only the copy of the cost itself is asked.
pub(super) struct Bits {
    words: Vec<u64>,
    set: u64,
    hashes: u32,
    seed: u64,
    bound: u32,
    hidden: usize,
    states: u64,
    /// Expected number of new states taken for old ones.
    missed: f64,
    /// Open states, where the stack is kept.
    open: Option<OpenPath>,
}

impl Bits {
    pub(super) fn new(options: &SpinOptions, array: BitArray, hidden: usize) -> Self {
        Bits {
            words: vec![0; array.bytes.div_ceil(8).max(1) as usize],
            set: 0,
            hashes: array.hashes.max(1),
            seed: array.seed,
            bound: options.bound,
            hidden,
            states: 0,
            missed: 0.0,
            open: (options.cycle_rule || options.reduction).then(|| OpenPath::new(hidden)),
        }
    }

    /// Sets the bits of one copy. Returns whether one of them was clear.
    fn set(&mut self, state: (u64, u64), switches: u32) -> bool {
        let first = mix(state.0 ^ mix(u64::from(switches) + 1));
        let stride = mix(state.1 ^ first) | 1;
        let bits = self.words.len() as u64 * 64;
        let mut fresh = false;
        for index in 0..u64::from(self.hashes) {
            let place = first.wrapping_add(index.wrapping_mul(stride));
            let bit = ((u128::from(mix(place)) * u128::from(bits)) >> 64) as u64;
            let (word, mask) = ((bit / 64) as usize, 1 << (bit % 64));
            if self.words[word] & mask == 0 {
                (fresh, self.set) = (true, self.set + 1);
                self.words[word] |= mask;
            }
        }
        fresh
    }

    /// The probability that a new copy finds all its bits set.
    fn mistaken(&self) -> f64 {
        let filled = self.set as f64 / (self.words.len() as f64 * 64.0);
        filled.powi(self.hashes as i32)
    }
}

impl Visited for Bits {
    type Key = ();

    fn arrive(&mut self, state: &[u8], switches: u32, _last: Option<ThreadId>) -> Visit<()> {
        let seen = &state[self.hidden..];
        if self.open.as_ref().is_some_and(|open| open.contains(state)) {
            return Visit::Open;
        }
        let hash = (fold(seen, self.seed), fold(seen, !self.seed));
        let mistaken = self.mistaken();
        if !self.set(hash, switches) {
            return Visit::Old;
        }
        let mut new = switches == self.bound;
        for more in switches + 1..=self.bound {
            new = self.set(hash, more);
        }
        if let Some(open) = &mut self.open {
            open.push(state);
        }
        if !new {
            return Visit::Again(());
        }
        self.states += 1;
        // Each new state seen as such stands for 1 / (1 - p) that were tried.
        self.missed += mistaken / (1.0 - mistaken).max(f64::EPSILON);
        Visit::New(())
    }

    fn leave(&mut self, (): ()) {
        if let Some(open) = &mut self.open {
            open.pop();
        }
    }

    fn states(&self) -> u64 {
        self.states
    }

    fn bytes(&self) -> u64 {
        self.words.len() as u64 * 8 + self.open.as_ref().map_or(0, OpenPath::bytes)
    }

    fn growth(&self) -> u64 {
        0
    }

    fn bytes_per_state(&self) -> f64 {
        self.words.len() as f64 * 8.0 / self.states.max(1) as f64
    }

    fn coverage(&self) -> Option<f64> {
        Some(self.states as f64 / (self.states as f64 + self.missed))
    }
}

/// A hash of bytes: words multiplied to twice their width and folded.
fn fold(bytes: &[u8], seed: u64) -> u64 {
    let mut hash = mix(seed ^ bytes.len() as u64);
    for group in bytes.chunks(8) {
        let mut word = [0; 8];
        word[..group.len()].copy_from_slice(group);
        let product = u128::from(hash ^ u64::from_le_bytes(word)) * 0x9e37_79b9_7f4a_7c15;
        hash = ((product as u64) ^ ((product >> 64) as u64)).wrapping_add(0xbf58_476d_1ce4_e5b9);
    }
    mix(hash)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bits(bytes: u64, options: &SpinOptions) -> Bits {
        Bits::new(options, BitArray { bytes, hashes: 3, seed: 1 }, 0)
    }

    fn new_states<V: Visited>(visited: &mut V, states: u32) -> u32 {
        let arrive = |i: &u32| matches!(visited.arrive(&i.to_le_bytes(), 0, Some(ThreadId(0))), Visit::New(_));
        (0..states).filter(arrive).count() as u32
    }

    #[test]
    fn a_large_array_mistakes_nothing_and_a_full_one_reports_it() {
        let mut large = bits(1 << 20, &SpinOptions::default());
        assert_eq!(new_states(&mut large, 20_000), 20_000);
        assert_eq!((large.states(), large.bytes()), (20_000, 1 << 20));
        assert!(large.coverage().is_some_and(|share| (0.999..=1.0).contains(&share)), "{:?}", large.coverage());
        let mut full = bits(1 << 10, &SpinOptions::default());
        assert!(new_states(&mut full, 20_000) < 10_000);
        assert!(
            full.coverage().is_some_and(|share| (0.0..0.9).contains(&share) && share > 0.0),
            "{:?}",
            full.coverage()
        );
    }

    #[test]
    fn a_dearer_visit_finds_the_bits_of_a_cheaper_one() {
        let mut visited = bits(1 << 16, &SpinOptions { bound: 2, ..SpinOptions::default() });
        let mut arrive = |switches| match visited.arrive(b"state", switches, None) {
            Visit::New(()) => "new",
            Visit::Again(()) => "again",
            Visit::Old => "old",
            Visit::Open => "open",
        };
        assert_eq!([2, 1, 2, 0, 1, 0].map(&mut arrive), ["new", "again", "old", "again", "old", "old"]);
    }

    #[test]
    fn bytes_are_those_of_store_marks_and_processes() {
        let options = SpinOptions { remember_processes: true, ..SpinOptions::default() };
        let mut exact = Exact::new(&options, 0, &[0; 4]);
        // As many as a table of 32,768 slots holds.
        let states = 28_672;
        assert_eq!(new_states(&mut exact, states), states);
        let each = (size_of::<(StateId, Mark)>() + 1 + size_of::<(StateId, Processes)>() + 1) as u64;
        let (bytes, least) = (exact.bytes() - exact.store.bytes(), u64::from(states) * each);
        assert!((least..3 * least).contains(&bytes), "{bytes} {least}");
        assert!(exact.bytes_per_state() > each as f64 + exact.store.bytes_per_state() - 1.0);
    }
}
