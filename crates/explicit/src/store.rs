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
use selvedge_core::ThreadId;
use selvedge_machine::Threads;

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
/// Bytes of marks: a bit for each of the first threads, one for all threads together, one for states on a path; and
/// another bit for each of the first threads whose turn has come, one for states that wait for such a turn, one for those
/// in which switching is free.
const MARKS: usize = 4;
const MARKED_THREADS: u32 = 14;
const FIRST_THREADS: u32 = (1 << MARKED_THREADS) - 1;
const ON_PATH: u32 = 1 << 14;
const ALL_TAKEN: u32 = 1 << 15;
const DUE_SHIFT: u32 = 16;
const FREE: u32 = 1 << 30;
const WAITS: u32 = 1 << 31;

/// The store.
pub(crate) struct Store {
    chunks: Vec<Box<[u8]>>,
    /// Bytes used in the last chunk.
    used: usize,
    /// Bytes used in the others.
    filled: Vec<usize>,
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
    reference: Reference,
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
            filled: Vec::new(),
            table: vec![0; 1 << 10],
            len: 0,
            hidden,
            head,
            far_marks: FxHashSet::default(),
            capacity_bytes: 0,
            reference: Reference::new(&reference[hidden..]),
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

    /// Bytes the next growth of the table takes on top of what is held; the old table is given back first.
    pub fn growth(&self) -> u64 {
        self.table.len() as u64 * 4
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
            if !self.chunks.is_empty() {
                self.filled.push(self.used);
            }
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

    #[inline]
    fn record(&self, id: StateId) -> &[u8] {
        &self.chunks[(id.0 >> CHUNK_BITS) as usize][(id.0 as usize) & (CHUNK - 1)..]
    }

    /// Writes a state's bytes to `out`.
    pub fn get(&self, id: StateId, out: &mut Vec<u8>) {
        out.clear();
        let record = &self.record(id)[self.head..];
        out.extend_from_slice(&record[..self.hidden]);
        decode(&record[self.hidden..], &self.reference.bytes, out);
    }

    /// The state from which it was first reached.
    pub fn parent(&self, id: StateId) -> Option<StateId> {
        let mut bytes = [0; 8];
        bytes[..PARENT].copy_from_slice(&self.record(id)[..PARENT]);
        let parent = u64::from_le_bytes(bytes);
        (parent != NO_PARENT).then_some(StateId(parent))
    }

    #[inline]
    fn marks(&self, id: StateId) -> u32 {
        let mut bytes = [0; MARKS];
        bytes.copy_from_slice(&self.record(id)[PARENT..PARENT + MARKS]);
        u32::from_le_bytes(bytes)
    }

    #[inline]
    fn set_marks(&mut self, id: StateId, marks: u32) {
        let at = (id.0 as usize & (CHUNK - 1)) + PARENT;
        self.chunks[(id.0 >> CHUNK_BITS) as usize][at..at + MARKS].copy_from_slice(&marks.to_le_bytes());
    }

    #[inline]
    fn has_mark(&self, id: StateId, marks: u32, ThreadId(thread): ThreadId) -> bool {
        marks & ALL_TAKEN != 0
            || if thread < MARKED_THREADS { marks >> thread & 1 == 1 } else { self.far_marks.contains(&(id, thread)) }
    }

    /// Whether a thread is marked.
    #[inline]
    pub fn is_marked(&self, id: StateId, thread: ThreadId) -> bool {
        self.has_mark(id, self.marks(id), thread)
    }

    /// Whether a thread is marked, and the state lies on no path.
    #[inline]
    pub fn is_marked_aside(&self, id: StateId, thread: ThreadId) -> bool {
        let marks = self.marks(id);
        marks & ON_PATH == 0 && self.has_mark(id, marks, thread)
    }

    /// Marks a thread; whether it was not marked before.
    #[inline]
    pub fn mark(&mut self, id: StateId, thread: ThreadId) -> bool {
        let marks = self.marks(id);
        if self.has_mark(id, marks, thread) {
            return false;
        }
        if thread.0 < MARKED_THREADS {
            self.set_marks(id, marks | 1 << thread.0);
        } else {
            self.far_marks.insert((id, thread.0));
        }
        true
    }

    /// Notes that a thread's turn has come, unless it is marked. Whether the state has to wait for it and does not yet;
    /// `None` if there is no bit for the thread.
    #[inline]
    pub fn mark_due(&mut self, id: StateId, ThreadId(thread): ThreadId) -> Option<bool> {
        if thread >= MARKED_THREADS {
            return None;
        }
        let marks = self.marks(id);
        if marks & (ALL_TAKEN | 1 << thread) != 0 {
            return Some(false);
        }
        self.set_marks(id, marks | WAITS | 1 << (thread + DUE_SHIFT));
        Some(marks & WAITS == 0)
    }

    /// Marks the threads whose turn has come; those that were not marked before.
    #[inline]
    pub fn mark_those_due(&mut self, id: StateId) -> Threads {
        let marks = self.marks(id);
        let due = marks >> DUE_SHIFT & FIRST_THREADS;
        let taken = if marks & ALL_TAKEN != 0 { FIRST_THREADS } else { marks & FIRST_THREADS };
        self.set_marks(id, marks & (ALL_TAKEN | ON_PATH | FREE | FIRST_THREADS) | due);
        first_threads(due & !taken)
    }

    /// Marks a state as one in which switching is free; whether that is news, and matters to some thread.
    #[inline]
    pub fn mark_free(&mut self, id: StateId) -> bool {
        let marks = self.marks(id);
        let news = marks & (ALL_TAKEN | FREE) == 0;
        if news {
            self.set_marks(id, marks | FREE);
        }
        news
    }

    /// Marks a state as lying on a path, or not any more.
    #[inline]
    pub fn mark_path(&mut self, id: StateId, on_path: bool) {
        let marks = self.marks(id);
        self.set_marks(id, if on_path { marks | ON_PATH } else { marks & !ON_PATH });
    }

    /// Whether it is marked so.
    #[inline]
    pub fn has_path_mark(&self, id: StateId) -> bool {
        self.marks(id) & ON_PATH != 0
    }

    /// Whether all threads are marked.
    #[inline]
    pub fn all_marked(&self, id: StateId) -> bool {
        self.marks(id) & ALL_TAKEN != 0
    }

    /// Marks all of the first `threads` threads; those that were not marked before.
    pub fn mark_all(&mut self, id: StateId, threads: u32) -> Threads {
        let marks = self.marks(id);
        let mut taken = first_threads(marks);
        for thread in MARKED_THREADS..threads {
            if self.far_marks.remove(&(id, thread)) {
                taken.insert(ThreadId(thread));
            }
        }
        self.set_marks(id, marks | ALL_TAKEN);
        taken.complement()
    }

    /// Half as much again, so that the table is never less than half full. Goes through the arena from end to end, which
    /// is much faster than in the order of the table.
    fn grow(&mut self) {
        let size = self.table.len() + self.table.len() / 2;
        self.table = Vec::new();
        let mut table = vec![0; size];
        let ends = self.filled.iter().copied().chain([self.used]);
        for (index, (chunk, end)) in self.chunks.iter().zip(ends).enumerate() {
            let mut at = 0;
            while at < end {
                let code = &chunk[at + self.head + self.hidden..];
                let length = code_length(code);
                let hash = hash(&code[..length]);
                let mut slot = slot(hash, size);
                while table[slot] != 0 {
                    slot = if slot + 1 == size { 0 } else { slot + 1 };
                }
                let position = (index as u64) << CHUNK_BITS | at as u64;
                table[slot] = (hash & TAG_MASK) << 40 | (position + 1);
                at += self.head + self.hidden + length;
            }
        }
        self.table = table;
    }
}

/// The first threads whose bits are set.
fn first_threads(bits: u32) -> Threads {
    Threads::of_bits(u64::from(bits & FIRST_THREADS))
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

/// The state that codes are differences from, also as words of eight bytes.
struct Reference {
    bytes: Vec<u8>,
    words: Vec<u64>,
}

impl Reference {
    fn new(bytes: &[u8]) -> Self {
        Reference { bytes: bytes.to_vec(), words: bytes.chunks(8).map(word).collect() }
    }
}

/// Up to eight bytes as a word, the first one lowest.
fn word(bytes: &[u8]) -> u64 {
    match bytes.try_into() {
        Ok(bytes) => u64::from_le_bytes(bytes),
        Err(_) => bytes.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte)),
    }
}

/// A bit for each byte of a word that is not zero.
fn bitmap(word: u64) -> u8 {
    const LOW: u64 = 0x7f7f_7f7f_7f7f_7f7f;
    let high_bits = (((word & LOW) + LOW) | word) & !LOW;
    ((high_bits >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56) as u8
}

/// Writes the code of a state.
fn encode(state: &[u8], reference: &Reference, code: &mut Vec<u8>) {
    code.clear();
    // As long as a code can get, so that it is written without asking for room.
    code.resize(4 + state.len() + state.len().div_ceil(8), 0);
    let mut at = if state.len() < 0x80 {
        code[0] = state.len() as u8;
        1
    } else {
        code[..4].copy_from_slice(&(state.len() as u32 | 0x8000_0000).to_be_bytes());
        4
    };
    for (index, group) in state.chunks(8).enumerate() {
        let mut usual = reference.words.get(index).copied().unwrap_or(0);
        if group.len() < 8 {
            usual &= (1 << (8 * group.len())) - 1;
        }
        let difference = word(group) ^ usual;
        let mut bits = bitmap(difference);
        code[at] = bits;
        at += 1;
        while bits != 0 {
            code[at] = (difference >> (8 * bits.trailing_zeros())) as u8;
            at += 1;
            bits &= bits - 1;
        }
    }
    code.truncate(at);
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
    fn turns_that_have_come_are_gathered() {
        let mut store = Store::with_marks(0, b"x");
        let (id, _) = store.insert(b"x", None);
        store.mark(id, ThreadId(2));
        assert_eq!(store.mark_due(id, ThreadId(2)), Some(false));
        assert_eq!(store.mark_due(id, ThreadId(1)), Some(true));
        assert_eq!(store.mark_due(id, ThreadId(13)), Some(false));
        assert_eq!(store.mark_due(id, ThreadId(14)), None);
        let mut both = Threads::only(ThreadId(1));
        both.insert(ThreadId(13));
        assert_eq!(store.mark_those_due(id), both);
        assert_eq!(store.mark_those_due(id), Threads::NONE);
        assert!(store.is_marked(id, ThreadId(13)) && !store.all_marked(id));
        assert_eq!(store.mark_due(id, ThreadId(3)), Some(true));
        assert!(store.mark_free(id) && !store.mark_free(id));
        assert!(!store.mark_all(id, 4).contains(ThreadId(1)));
        assert_eq!(store.mark_those_due(id), Threads::NONE);
        assert!(store.all_marked(id));
        let (other, _) = store.insert(b"y", None);
        store.mark_all(other, 1);
        assert!(!store.mark_free(other));
    }

    #[test]
    fn a_code_is_read_back_whatever_the_lengths() {
        let state = |seed: usize, len: usize| (0..len).map(|i| ((i * seed) % 7 * 50) as u8).collect::<Vec<u8>>();
        for (len, usual) in (0..150).flat_map(|len| [0, 3, 8, 64, 130].map(|usual| (len, usual))) {
            let (bytes, reference) = (state(3, len), Reference::new(&state(5, usual)));
            let (mut code, mut out) = (Vec::new(), Vec::new());
            encode(&bytes, &reference, &mut code);
            decode(&code, &reference.bytes, &mut out);
            assert_eq!((out, code_length(&code)), (bytes, code.len()));
        }
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
