//! The exact store: every state once, in a chunked arena, found through an open-addressing table of
//! arena positions.
//!
//! A record is its parent's position, marks where the search wants them (which threads' steps were
//! taken from here), the bytes that do not tell states apart, and the state's code:
//! its length, then for every eight bytes a bitmap of those that differ from the initial state,
//! followed by the differences. Most of a state is as it was at the start, so the code is short;
//! it is prefix-free, so comparing codes compares states.
//!
//! What must hold: a position never changes, so parents and frontier can keep it; two states are
//! the same iff their bytes after the hidden prefix are.

use std::hash::Hasher;

use rustc_hash::{FxHashSet, FxHasher};
use selvedge_core::{ThreadId, Threads};

/// Where a state stands in the arena.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct StateId(pub(crate) u64);

const CHUNK_BITS: u32 = 20;
const CHUNK: usize = 1 << CHUNK_BITS;
/// Five bytes of parent position.
const PARENT: usize = 5;
const NO_PARENT: u64 = (1 << 40) - 1;
const POSITION_MASK: u64 = (1 << 40) - 1;
const TAG_MASK: u64 = (1 << 24) - 1;
/// Bytes of marks: a bit for each of the first threads, one for all threads together, one for states on a path.
const MARKS: usize = 2;
const MARKED_THREADS: u32 = 14;
const ALL_TAKEN: u16 = 1 << 15;
const ON_PATH: u16 = 1 << 14;

/// The store.
pub(crate) struct Store {
    chunks: Vec<Box<[u8]>>,
    /// Bytes used in the last chunk.
    used: usize,
    /// 24 bits of hash above 40 bits of position plus one; 0 is free.
    table: Vec<u64>,
    len: u64,
    hidden: usize,
    /// Bytes of a record in front of the hidden ones.
    head: usize,
    /// Marks of threads for which there is no bit.
    far_marks: FxHashSet<(StateId, u32)>,
    capacity_bytes: u64,
    /// What codes are differences from.
    reference: Vec<u8>,
    /// The code of the state being inserted.
    code: Vec<u8>,
}

impl Store {
    /// An empty store for states whose first `hidden` bytes do not count and which resemble
    /// `reference`.
    pub fn new(hidden: usize, reference: &[u8]) -> Self {
        Self::with_head(hidden, reference, PARENT)
    }

    /// The same, with marks.
    pub fn with_marks(hidden: usize, reference: &[u8]) -> Self {
        Self::with_head(hidden, reference, PARENT + MARKS)
    }

    fn with_head(hidden: usize, reference: &[u8], head: usize) -> Self {
        Store {
            chunks: Vec::new(),
            used: CHUNK,
            table: vec![0; 1 << 10],
            len: 0,
            hidden,
            head,
            far_marks: FxHashSet::default(),
            capacity_bytes: 0,
            reference: reference[hidden..].to_vec(),
            code: Vec::new(),
        }
    }

    /// States stored.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Bytes held: arena and table.
    pub fn bytes(&self) -> u64 {
        self.capacity_bytes + self.table.len() as u64 * 8 + self.far_marks.capacity() as u64 * 17
    }

    /// Bytes the states themselves and their share of the table take.
    pub fn bytes_per_state(&self) -> f64 {
        if self.len == 0 {
            return 0.0;
        }
        let unused = self.chunks.last().map_or(0, |chunk| chunk.len() - self.used);
        (self.bytes() - unused as u64) as f64 / self.len as f64
    }

    /// Bytes the next growth of the table takes on top of what is held.
    pub fn growth(&self) -> u64 {
        self.table.len() as u64 * 12
    }

    /// Adds a state. Returns its position and whether it is new.
    pub fn insert(&mut self, state: &[u8], parent: Option<StateId>) -> (StateId, bool) {
        if self.len as usize * 4 >= self.table.len() * 3 {
            self.grow();
        }
        encode(&state[self.hidden..], &self.reference, &mut self.code);
        let hash = hash(&self.code);
        let tag = hash & TAG_MASK;
        let mut slot = slot(hash, self.table.len());
        loop {
            let entry = self.table[slot];
            if entry == 0 {
                break;
            }
            if entry >> 40 == tag {
                let id = StateId((entry & POSITION_MASK) - 1);
                if self.record(id)[self.head + self.hidden..].starts_with(&self.code) {
                    return (id, false);
                }
            }
            slot = if slot + 1 == self.table.len() { 0 } else { slot + 1 };
        }
        let id = self.append(&state[..self.hidden], parent);
        self.table[slot] = (tag << 40) | (id.0 + 1);
        self.len += 1;
        (id, true)
    }

    fn append(&mut self, hidden: &[u8], parent: Option<StateId>) -> StateId {
        let head = self.head;
        let needed = head + hidden.len() + self.code.len();
        let room = self.chunks.last().map_or(0, |chunk| chunk.len());
        if self.used + needed > room || self.used >= CHUNK {
            // A record longer than a chunk gets a chunk of its own length.
            let size = needed.max(CHUNK);
            self.chunks.push(vec![0; size].into_boxed_slice());
            self.used = 0;
            self.capacity_bytes += size as u64;
        }
        let index = self.chunks.len() - 1;
        let position = ((index as u64) << CHUNK_BITS) | self.used as u64;
        let record = &mut self.chunks[index][self.used..self.used + needed];
        let parent = parent.map_or(NO_PARENT, |p| p.0);
        record[..PARENT].copy_from_slice(&parent.to_le_bytes()[..PARENT]);
        record[head..head + hidden.len()].copy_from_slice(hidden);
        record[head + hidden.len()..].copy_from_slice(&self.code);
        self.used += needed;
        StateId(position)
    }

    fn record(&self, id: StateId) -> &[u8] {
        &self.chunks[(id.0 >> CHUNK_BITS) as usize][(id.0 as usize) & (CHUNK - 1)..]
    }

    /// Writes a state's bytes to `out`.
    pub fn get(&self, id: StateId, out: &mut Vec<u8>) {
        out.clear();
        let record = &self.record(id)[self.head..];
        out.extend_from_slice(&record[..self.hidden]);
        decode(&record[self.hidden..], &self.reference, out);
    }

    /// The state from which it was first reached.
    pub fn parent(&self, id: StateId) -> Option<StateId> {
        let mut bytes = [0; 8];
        bytes[..PARENT].copy_from_slice(&self.record(id)[..PARENT]);
        let parent = u64::from_le_bytes(bytes);
        (parent != NO_PARENT).then_some(StateId(parent))
    }

    fn marks(&self, id: StateId) -> u16 {
        let record = self.record(id);
        u16::from_le_bytes([record[PARENT], record[PARENT + 1]])
    }

    fn set_marks(&mut self, id: StateId, marks: u16) {
        let at = (id.0 as usize & (CHUNK - 1)) + PARENT;
        self.chunks[(id.0 >> CHUNK_BITS) as usize][at..at + MARKS].copy_from_slice(&marks.to_le_bytes());
    }

    /// Whether a thread is marked.
    pub fn is_marked(&self, id: StateId, ThreadId(thread): ThreadId) -> bool {
        let marks = self.marks(id);
        marks & ALL_TAKEN != 0
            || if thread < MARKED_THREADS { marks >> thread & 1 == 1 } else { self.far_marks.contains(&(id, thread)) }
    }

    /// Marks a thread; whether it was not marked before.
    pub fn mark(&mut self, id: StateId, thread: ThreadId) -> bool {
        if self.is_marked(id, thread) {
            return false;
        }
        if thread.0 < MARKED_THREADS {
            let marks = self.marks(id);
            self.set_marks(id, marks | 1 << thread.0);
        } else {
            self.far_marks.insert((id, thread.0));
        }
        true
    }

    /// Marks a state as lying on a path, or not any more.
    pub fn mark_path(&mut self, id: StateId, on_path: bool) {
        let marks = self.marks(id);
        self.set_marks(id, if on_path { marks | ON_PATH } else { marks & !ON_PATH });
    }

    /// Whether it is marked so.
    pub fn has_path_mark(&self, id: StateId) -> bool {
        self.marks(id) & ON_PATH != 0
    }

    /// Whether all threads are marked.
    pub fn all_marked(&self, id: StateId) -> bool {
        self.marks(id) & ALL_TAKEN != 0
    }

    /// Marks all of the first `threads` threads; those that were not marked before.
    pub fn mark_all(&mut self, id: StateId, threads: u32) -> Threads {
        let marks = self.marks(id);
        let mut taken = Threads::NONE;
        (0..MARKED_THREADS).filter(|t| marks >> t & 1 == 1).for_each(|t| taken.insert(ThreadId(t)));
        for thread in MARKED_THREADS..threads {
            if self.far_marks.remove(&(id, thread)) {
                taken.insert(ThreadId(thread));
            }
        }
        self.set_marks(id, marks | ALL_TAKEN);
        taken.complement()
    }

    /// Half as much again, so that the table is never less than half full.
    fn grow(&mut self) {
        let size = self.table.len() + self.table.len() / 2;
        let old = std::mem::replace(&mut self.table, vec![0; size]);
        for entry in old.into_iter().filter(|e| *e != 0) {
            let id = StateId((entry & POSITION_MASK) - 1);
            let code = &self.record(id)[self.head + self.hidden..];
            let mut slot = slot(hash(&code[..code_length(code)]), size);
            while self.table[slot] != 0 {
                slot = if slot + 1 == size { 0 } else { slot + 1 };
            }
            self.table[slot] = entry;
        }
    }
}

fn hash(code: &[u8]) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(code);
    hasher.finish().wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// The first slot to look at: the hash scaled to the table's length.
fn slot(hash: u64, len: usize) -> usize {
    ((u128::from(hash) * len as u128) >> 64) as usize
}

/// Writes the code of a state.
fn encode(state: &[u8], reference: &[u8], code: &mut Vec<u8>) {
    code.clear();
    if state.len() < 0x80 {
        code.push(state.len() as u8);
    } else {
        code.extend_from_slice(&(state.len() as u32 | 0x8000_0000).to_be_bytes());
    }
    for (index, group) in state.chunks(8).enumerate() {
        let at = code.len();
        code.push(0);
        let mut bitmap = 0u8;
        let usual = reference.get(index * 8..).unwrap_or(&[]);
        if usual.len() >= 8 && group == &usual[..8] {
            continue;
        }
        for (bit, byte) in group.iter().enumerate() {
            let difference = byte ^ usual.get(bit).copied().unwrap_or(0);
            if difference != 0 {
                bitmap |= 1 << bit;
                code.push(difference);
            }
        }
        code[at] = bitmap;
    }
}

/// The length of the state a code stands for, and where its groups start.
fn header(code: &[u8]) -> (usize, usize) {
    if code[0] < 0x80 {
        (usize::from(code[0]), 1)
    } else {
        ((u32::from_be_bytes([code[0], code[1], code[2], code[3]]) & 0x7fff_ffff) as usize, 4)
    }
}

fn code_length(code: &[u8]) -> usize {
    let (len, mut at) = header(code);
    for _ in 0..len.div_ceil(8) {
        at += 1 + code[at].count_ones() as usize;
    }
    at
}

fn decode(code: &[u8], reference: &[u8], out: &mut Vec<u8>) {
    let (len, mut at) = header(code);
    let start = out.len();
    out.extend_from_slice(&reference[..len.min(reference.len())]);
    out.resize(start + len, 0);
    for group in 0..len.div_ceil(8) {
        let mut bitmap = code[at];
        at += 1;
        while bitmap != 0 {
            out[start + group * 8 + bitmap.trailing_zeros() as usize] ^= code[at];
            at += 1;
            bitmap &= bitmap - 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(store: &Store, id: StateId) -> Vec<u8> {
        let mut out = vec![99];
        store.get(id, &mut out);
        out
    }

    #[test]
    fn keeps_each_state_once_with_its_first_parent() {
        let mut store = Store::new(0, b"");
        let (a, new) = store.insert(b"a", None);
        assert!(new);
        let (b, new) = store.insert(b"b", Some(a));
        assert!(new);
        assert_eq!(store.insert(b"b", None), (b, false));
        assert_eq!(store.parent(b), Some(a));
        assert_eq!(store.parent(a), None);
        assert_eq!(store.len(), 2);
    }

    #[test]
    fn grows_and_finds_everything_again() {
        let mut store = Store::new(0, &[7; 100]);
        let state = |i: u32| [i.to_le_bytes().as_slice(), &vec![(i % 9) as u8; (i % 200) as usize]].concat();
        let ids: Vec<StateId> = (0..50_000).map(|i| store.insert(&state(i), None).0).collect();
        for (i, id) in ids.iter().enumerate() {
            assert_eq!(store.insert(&state(i as u32), None), (*id, false));
            assert_eq!(bytes(&store, *id), state(i as u32));
        }
    }

    #[test]
    fn states_that_differ_only_in_trailing_zeros_are_different() {
        let mut store = Store::new(0, &[1, 2, 3]);
        assert!(store.insert(&[1, 2, 3], None).1);
        assert!(store.insert(&[1, 2, 3, 0], None).1);
        assert!(store.insert(&[1, 2], None).1);
        assert!(store.insert(&[], None).1);
    }

    #[test]
    fn the_hidden_prefix_does_not_tell_states_apart() {
        let mut store = Store::new(2, b"..x");
        let (id, _) = store.insert(b"..x", None);
        assert_eq!(store.insert(b"!!x", None), (id, false));
        assert_eq!(bytes(&store, id), b"..x");
        assert!(store.insert(b"..y", None).1);
    }

    #[test]
    fn threads_are_marked_one_by_one_or_all_at_once() {
        let mut store = Store::with_marks(1, b".x");
        let (id, _) = store.insert(b".x", None);
        let (other, _) = store.insert(b".y", Some(id));
        assert!(store.mark(id, ThreadId(3)) && !store.mark(id, ThreadId(3)));
        assert!(store.mark(id, ThreadId(200)) && !store.mark(id, ThreadId(200)));
        assert!(!store.is_marked(other, ThreadId(3)) && !store.is_marked(other, ThreadId(200)));
        let rest = store.mark_all(id, 255);
        assert!(!rest.contains(ThreadId(3)) && !rest.contains(ThreadId(200)) && rest.contains(ThreadId(4)));
        assert!(store.is_marked(id, ThreadId(4)) && store.is_marked(id, ThreadId(222)));
        assert!(store.all_marked(id) && !store.all_marked(other));
        assert_eq!(bytes(&store, id), b".x");
        assert_eq!(store.parent(other), Some(id));
    }

    #[test]
    fn holds_a_state_longer_than_a_chunk() {
        let mut store = Store::new(0, b"");
        let long = vec![3; 3 * CHUNK + 5];
        let (small, _) = store.insert(b"small", None);
        let (id, _) = store.insert(&long, None);
        let (after, _) = store.insert(b"after", Some(id));
        assert_eq!(bytes(&store, id), long);
        assert_eq!(bytes(&store, small), b"small");
        assert_eq!(bytes(&store, after), b"after");
        assert_eq!(store.parent(after), Some(id));
    }
}
