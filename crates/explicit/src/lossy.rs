//! Memories that do not keep states whole: a hash of 64 bits for each (compact), or a few bits in one large array
//! (bitstate, \[BCS\] 3.2). Both may take a state for one that was met before and miss what lies behind it; they say how
//! likely that is and never prove anything.
//!
//! Layers arrive in order of cost, so that the first visit of a state is its cheapest: bits for the state and for the
//! state together with each thread are enough. DIVERGENCE \[BCS\] 3.2: the paper's replicated storage, a copy for each
//! higher bound, is not needed here.
//!
//! States that the search still holds are kept whole, each with the state it was reached from, so that a run can be
//! reconstructed; they are freed when the search drops them.

use std::cell::Cell;
use std::rc::Rc;

use rustc_hash::FxHashSet;
use selvedge_core::{Omission, ThreadId};
use selvedge_machine::{Machine, Path, Threads};
use xxhash_rust::xxh3::xxh3_128_with_seed;

use crate::memory::Memory;
use crate::path;

/// A state that the search holds.
pub(crate) struct Held {
    state: Box<[u8]>,
    hash: u128,
    parent: Option<Rc<Held>>,
    held: Rc<Cell<u64>>,
}

impl Held {
    fn bytes(&self) -> u64 {
        (self.state.len() + size_of::<Held>() + 16) as u64
    }
}

impl Drop for Held {
    /// A long run must not be dropped state by state on the call stack.
    fn drop(&mut self) {
        self.held.set(self.held.get() - self.bytes());
        let mut next = self.parent.take();
        while let Some(parent) = next.and_then(Rc::into_inner) {
            let mut parent = parent;
            next = parent.parent.take();
        }
    }
}

/// What is remembered of the states that were met.
enum Marks {
    Fingerprints(Fingerprints),
    Bits(Bits),
}

/// A memory that may take two states for one.
pub(crate) struct Lossy {
    marks: Marks,
    seed: u64,
    hidden: usize,
    states: u64,
    held: Rc<Cell<u64>>,
}

/// What is marked: that a state was met, or that steps were taken from it.
#[derive(Clone, Copy)]
enum Mark {
    Met,
    Taken(ThreadId),
    AllTaken,
}

impl Lossy {
    /// By hashes of 64 bits.
    pub(crate) fn compact(hidden: usize, seed: u64) -> Self {
        Self::new(hidden, seed, Marks::Fingerprints(Fingerprints::default()))
    }

    /// By `hashes` bits in an array of `bytes` bytes.
    pub(crate) fn bits(hidden: usize, seed: u64, bytes: u64, hashes: u32) -> Self {
        Self::new(hidden, seed, Marks::Bits(Bits::new(bytes, hashes)))
    }

    fn new(hidden: usize, seed: u64, marks: Marks) -> Self {
        Lossy { marks, seed, hidden, states: 0, held: Rc::new(Cell::new(0)) }
    }

    /// Sets a mark; whether it was not set before.
    fn set(&mut self, hash: u128, mark: Mark) -> bool {
        match &mut self.marks {
            Marks::Fingerprints(fingerprints) => fingerprints.set(hash as u64, mark),
            Marks::Bits(bits) => bits.set(mixed(hash, mark)),
        }
    }

    fn is_set(&self, hash: u128, mark: Mark) -> bool {
        match &self.marks {
            Marks::Fingerprints(fingerprints) => fingerprints.is_set(hash as u64, mark),
            Marks::Bits(bits) => bits.is_set(mixed(hash, mark)),
        }
    }
}

impl Memory for Lossy {
    type Ref = Rc<Held>;

    fn insert(&mut self, state: &[u8], parent: Option<&Rc<Held>>) -> (Rc<Held>, bool) {
        let hash = xxh3_128_with_seed(&state[self.hidden..], self.seed);
        let new = self.set(hash, Mark::Met);
        self.states += u64::from(new);
        let held = Held { state: state.into(), hash, parent: parent.cloned(), held: self.held.clone() };
        self.held.set(self.held.get() + held.bytes());
        (Rc::new(held), new)
    }

    fn load(&self, at: &Rc<Held>, out: &mut Vec<u8>) {
        out.clear();
        out.extend_from_slice(&at.state);
    }

    fn is_taken(&self, at: &Rc<Held>, thread: ThreadId) -> bool {
        self.is_set(at.hash, Mark::Taken(thread)) || self.is_set(at.hash, Mark::AllTaken)
    }

    fn take(&mut self, at: &Rc<Held>, thread: ThreadId) -> bool {
        !self.is_set(at.hash, Mark::AllTaken) && self.set(at.hash, Mark::Taken(thread))
    }

    fn all_taken(&self, at: &Rc<Held>) -> bool {
        self.is_set(at.hash, Mark::AllTaken)
    }

    fn take_others(&mut self, at: &Rc<Held>, threads: u32) -> Threads {
        let mut taken = Threads::NONE;
        let threads = (0..threads).map(ThreadId);
        threads.filter(|t| self.is_set(at.hash, Mark::Taken(*t))).for_each(|t| taken.insert(t));
        self.set(at.hash, Mark::AllTaken);
        taken.complement()
    }

    fn path<M: Machine>(&self, machine: &M, at: &Rc<Held>) -> Path {
        let mut states = vec![at.state.to_vec()];
        let mut parent = at.parent.as_ref();
        while let Some(held) = parent {
            states.push(held.state.to_vec());
            parent = held.parent.as_ref();
        }
        states.reverse();
        path::through(machine, &states)
    }

    fn len(&self) -> u64 {
        self.states
    }

    fn bytes(&self) -> u64 {
        let marks = match &self.marks {
            Marks::Fingerprints(fingerprints) => fingerprints.bytes(),
            Marks::Bits(bits) => bits.words.len() as u64 * 8,
        };
        marks + self.held.get()
    }

    fn growth(&self) -> u64 {
        match &self.marks {
            Marks::Fingerprints(fingerprints) => fingerprints.bytes() * 3 / 2,
            Marks::Bits(_) => 0,
        }
    }

    fn bytes_per_state(&self) -> f64 {
        let marks = self.bytes() - self.held.get();
        if self.states == 0 { 0.0 } else { marks as f64 / self.states as f64 }
    }

    fn omission(&self) -> Option<Omission> {
        Some(match &self.marks {
            Marks::Fingerprints(_) => {
                // The birthday bound: pairs of states, each alike with probability 2^-64.
                let pairs = self.states as f64 * (self.states as f64 - 1.0) / 2.0;
                Omission::Probability((pairs / 2f64.powi(64)).min(1.0))
            }
            Marks::Bits(bits) => {
                let met = self.states as f64;
                Omission::Coverage { expected: met / (met + bits.expected_misses), filled: bits.filled() }
            }
        })
    }
}

/// The hash of a state and a mark.
fn mixed(hash: u128, mark: Mark) -> u128 {
    let number: u128 = match mark {
        Mark::Met => return hash,
        Mark::AllTaken => 1,
        Mark::Taken(thread) => 2 + u128::from(thread.0),
    };
    (hash ^ number.wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835)).wrapping_mul(0xda94_2042_e4dd_58b5)
        ^ (hash >> 64)
}

/// Hashes in an open-addressing table, each with a bit for every one of the first threads.
#[derive(Default)]
struct Fingerprints {
    keys: Vec<u64>,
    marks: Vec<u16>,
    len: usize,
    far: FxHashSet<(u64, u32)>,
}

const FINGERPRINT_THREADS: u32 = 15;

impl Fingerprints {
    fn bytes(&self) -> u64 {
        self.keys.len() as u64 * 10 + self.far.capacity() as u64 * 17
    }

    /// Where a key is, or the free slot where it would be.
    fn slot(&self, key: u64) -> usize {
        let mut slot = ((u128::from(key) * self.keys.len() as u128) >> 64) as usize;
        while self.keys[slot] != 0 && self.keys[slot] != key {
            slot = if slot + 1 == self.keys.len() { 0 } else { slot + 1 };
        }
        slot
    }

    fn bit(mark: Mark) -> Option<u16> {
        match mark {
            Mark::Met => Some(0),
            Mark::AllTaken => Some(1 << FINGERPRINT_THREADS),
            Mark::Taken(thread) => (thread.0 < FINGERPRINT_THREADS).then(|| 1 << thread.0),
        }
    }

    fn is_set(&self, key: u64, mark: Mark) -> bool {
        let key = key.max(1);
        match (Self::bit(mark), mark) {
            (Some(bit), _) => !self.keys.is_empty() && self.marks[self.slot(key)] & bit != 0,
            (None, Mark::Taken(thread)) => self.far.contains(&(key, thread.0)),
            (None, _) => false,
        }
    }

    fn set(&mut self, key: u64, mark: Mark) -> bool {
        let key = key.max(1);
        match (Self::bit(mark), mark) {
            (Some(0), _) => self.add(key),
            (Some(bit), _) => {
                let slot = self.slot(key);
                let new = self.marks[slot] & bit == 0;
                self.marks[slot] |= bit;
                new
            }
            (None, Mark::Taken(thread)) => self.far.insert((key, thread.0)),
            (None, _) => false,
        }
    }

    fn add(&mut self, key: u64) -> bool {
        if self.len * 4 >= self.keys.len() * 3 {
            self.grow();
        }
        let slot = self.slot(key);
        let new = self.keys[slot] == 0;
        self.keys[slot] = key;
        self.len += usize::from(new);
        new
    }

    fn grow(&mut self) {
        let size = (self.keys.len() + self.keys.len() / 2).max(1 << 10);
        let keys = std::mem::replace(&mut self.keys, vec![0; size]);
        let marks = std::mem::replace(&mut self.marks, vec![0; size]);
        for (key, marks) in keys.into_iter().zip(marks).filter(|(key, _)| *key != 0) {
            let slot = self.slot(key);
            (self.keys[slot], self.marks[slot]) = (key, marks);
        }
    }
}

/// A Bloom filter.
struct Bits {
    words: Vec<u64>,
    hashes: u32,
    set_bits: u64,
    /// Sum, over everything added, of how many others would have been taken for it by mistake.
    expected_misses: f64,
}

impl Bits {
    fn new(bytes: u64, hashes: u32) -> Self {
        let words = usize::try_from(bytes.div_ceil(8)).unwrap_or(usize::MAX).max(1);
        Bits { words: vec![0; words], hashes: hashes.max(1), set_bits: 0, expected_misses: 0.0 }
    }

    fn filled(&self) -> f64 {
        self.set_bits as f64 / (self.words.len() as f64 * 64.0)
    }

    fn positions(&self, hash: u128) -> impl Iterator<Item = u64> + use<> {
        let bits = self.words.len() as u128 * 64;
        let (start, stride) = (hash as u64, (hash >> 64) as u64 | 1);
        (0..u64::from(self.hashes)).map(move |i| {
            let hash = start.wrapping_add(stride.wrapping_mul(i));
            ((u128::from(hash) * bits) >> 64) as u64
        })
    }

    fn is_set(&self, hash: u128) -> bool {
        self.positions(hash).all(|bit| self.words[(bit / 64) as usize] >> (bit % 64) & 1 == 1)
    }

    fn set(&mut self, hash: u128) -> bool {
        let mut new = false;
        let filled = self.filled();
        for bit in self.positions(hash) {
            let word = &mut self.words[(bit / 64) as usize];
            let mask = 1 << (bit % 64);
            if *word & mask == 0 {
                *word |= mask;
                self.set_bits += 1;
                new = true;
            }
        }
        if new {
            let mistaken = filled.powi(self.hashes as i32);
            self.expected_misses += mistaken / (1.0 - mistaken).max(f64::MIN_POSITIVE);
        }
        new
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(i: u32) -> Vec<u8> {
        i.to_le_bytes().to_vec()
    }

    fn memories() -> [Lossy; 2] {
        [Lossy::compact(0, 1), Lossy::bits(0, 1, 1 << 20, 3)]
    }

    #[test]
    fn remember_what_was_met_and_taken() {
        for mut memory in memories() {
            let mut last = None;
            for i in 0..20_000 {
                let (at, new) = memory.insert(&state(i), None);
                assert!(new, "{i}: with this many bits nothing is mistaken");
                assert!(memory.take(&at, ThreadId(3)) && !memory.take(&at, ThreadId(3)));
                assert!(!memory.is_taken(&at, ThreadId(4)) && !memory.is_taken(&at, ThreadId(99)));
                assert!(memory.take(&at, ThreadId(99)) && memory.is_taken(&at, ThreadId(99)));
                last = Some(at);
            }
            assert_eq!(memory.len(), 20_000);
            let last = last.expect("the last state");
            assert!(!memory.all_taken(&last));
            let rest = memory.take_others(&last, 255);
            assert!(!rest.contains(ThreadId(3)) && !rest.contains(ThreadId(99)) && rest.contains(ThreadId(4)));
            assert!(memory.all_taken(&last) && memory.is_taken(&last, ThreadId(7)));
            assert!((0..20_000).all(|i| !memory.insert(&state(i), None).1));
        }
    }

    #[test]
    fn a_full_array_reports_how_much_it_may_have_missed() {
        let mut memory = Lossy::bits(0, 1, 1024, 3);
        let met = (0..20_000).filter(|i| memory.insert(&state(*i), None).1).count();
        let Some(Omission::Coverage { expected, filled }) = memory.omission() else { panic!("lossy") };
        assert!(filled > 0.99, "{filled}");
        assert!(met < 10_000 && expected < 0.9, "{met} {expected}");
    }

    #[test]
    fn bytes_are_those_of_the_tables_and_of_the_states_held() {
        let mut memory = Lossy::compact(0, 1);
        let held: Vec<Rc<Held>> = (0..2_400).map(|i| memory.insert(&state(i), None).0).collect();
        assert!(held.iter().all(|at| memory.take(at, ThreadId(99))));
        let with_states = memory.bytes();
        drop(held);
        assert!(with_states - memory.bytes() >= 2_400 * (4 + size_of::<Held>() as u64));
        let Marks::Fingerprints(table) = &memory.marks else { panic!("it is compact") };
        assert!(table.keys.len() <= 2 * 2_400, "the table grows by half when it is three quarters full");
        let keys = size_of_val(&table.keys[..]) + size_of_val(&table.marks[..]);
        let least = (keys + 2_400 * size_of::<(u64, u32)>()) as u64;
        assert!((least..2 * least).contains(&memory.bytes()), "{} {least}", memory.bytes());
    }

    #[test]
    fn one_state_alone_is_taken_for_no_other() {
        let mut memory = Lossy::compact(0, 1);
        let probability = |memory: &Lossy| match memory.omission() {
            Some(Omission::Probability(probability)) => probability,
            _ => panic!("it is compact"),
        };
        memory.insert(&state(0), None);
        assert_eq!(probability(&memory), 0.0);
        memory.insert(&state(1), None);
        assert_eq!(probability(&memory), 2f64.powi(-64));
    }

    #[test]
    fn a_long_run_is_let_go_without_recursion() {
        let mut memory = Lossy::compact(0, 1);
        let (mut at, _) = memory.insert(&state(0), None);
        for i in 1..300_000 {
            at = memory.insert(&state(i), Some(&at)).0;
        }
        assert!(memory.held.get() > 0);
        drop(at);
        assert_eq!(memory.held.get(), 0);
    }
}
