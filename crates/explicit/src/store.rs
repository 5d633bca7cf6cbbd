//! The exact store: every state once, in a chunked arena, found through an open-addressing table of
//! arena positions.
//!
//! A record is its parent's position, marks where the search wants them (which threads' steps were
//! taken from here), the bytes that do not tell states apart, and the state's code (`code`): its
//! difference from the initial state, which is short.
//!
//! What must hold: a position never changes, so parents and frontier can keep it; two states are
//! the same iff their bytes after the hidden prefix are.

mod code;

use std::hash::Hasher;
use std::hint::black_box;

use rustc_hash::{FxHashSet, FxHasher};
use selvedge_core::ThreadId;
use selvedge_machine::Threads;

use self::code::{Reference, code_length, decode, encode};
use crate::step::Step;

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
/// Bytes of marks: a bit for each of the first threads whose steps were taken and one for all threads together; a bit for
/// each of the first threads that are gathered, one for states that wait for them to be expanded, and one for those in
/// which switching is free.
const MARKS: usize = 4;
const MARKED_THREADS: u32 = 14;
const FIRST_THREADS: u32 = (1 << MARKED_THREADS) - 1;
const ALL_TAKEN: u32 = 1 << 15;
const BATCH_SHIFT: u32 = 16;
const FREE: u32 = 1 << 30;
const WAITS: u32 = 1 << 31;

/// The store.
pub(crate) struct Store {
    /// Each as long as it is used: what is not used yet is not touched, so that a small search pays for no whole chunk.
    chunks: Vec<Vec<u8>>,
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
    step: Step,
    /// What codes are differences from.
    reference: Reference,
    /// The state being inserted, encoded.
    code: Vec<u8>,
}

impl Store {
    /// An empty store for states whose first `hidden` bytes do not count and which resemble
    /// `reference`.
    pub(crate) fn new(hidden: usize, reference: &[u8]) -> Self {
        Self::with_head(hidden, reference, PARENT)
    }

    /// The same, with marks.
    pub(crate) fn with_marks(hidden: usize, reference: &[u8]) -> Self {
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
            step: Step::default(),
            reference: Reference::new(&reference[hidden..]),
            code: Vec::new(),
        }
    }

    /// States stored.
    pub(crate) fn len(&self) -> u64 {
        self.len
    }

    /// Bytes held: arena and table.
    pub(crate) fn bytes(&self) -> u64 {
        self.capacity_bytes + self.table.len() as u64 * 8 + self.far_marks.capacity() as u64 * 17
    }

    /// Bytes the states themselves and their share of the table take.
    pub(crate) fn bytes_per_state(&self) -> f64 {
        if self.len == 0 {
            return 0.0;
        }
        let unused = self.chunks.last().map_or(0, |chunk| chunk.capacity() - chunk.len());
        (self.bytes() - unused as u64) as f64 / self.len as f64
    }

    /// Bytes the next growth of the table takes on top of what is held; the old table is given back first.
    pub(crate) fn growth(&self) -> u64 {
        self.step.of(self.table.len(), 2) as u64 * 8
    }

    /// The table grows by smaller steps from now on; whether it still can.
    pub(crate) fn grow_less(&mut self) -> bool {
        self.step.lessen()
    }

    /// Adds a state. Returns its position and whether it is new.
    pub(crate) fn insert(&mut self, state: &[u8], parent: Option<StateId>) -> (StateId, bool) {
        let mut entry = std::mem::take(&mut self.code);
        entry.clear();
        self.encode(state, &mut entry);
        let inserted = self.insert_encoded(&entry, self.hash_encoded(&entry), parent);
        self.code = entry;
        inserted
    }

    /// Appends a state as the store keeps it: the hidden bytes and the code of the others.
    #[inline]
    pub(crate) fn encode(&self, state: &[u8], out: &mut Vec<u8>) {
        let (hidden, seen) = state.split_at(self.hidden);
        out.extend_from_slice(hidden);
        encode(seen, &self.reference, out);
    }

    /// The hash of a state that [`Store::encode`] wrote.
    pub(crate) fn hash_encoded(&self, entry: &[u8]) -> u64 {
        hash(&entry[self.hidden..])
    }

    /// Reads what the states with these hashes will be compared with, so that it is in the caches when they are inserted: the
    /// reads do not wait for each other.
    pub(crate) fn warm(&self, hashes: impl Iterator<Item = u64> + Clone) {
        let entry = |hash: u64| self.table[slot(hash, self.table.len())];
        black_box(hashes.clone().fold(0, |seen, hash| seen ^ entry(hash)));
        let likely = hashes.filter(|hash| entry(*hash) != 0 && entry(*hash) >> 40 == hash & TAG_MASK);
        let record = |hash: u64| self.record(StateId((entry(hash) & POSITION_MASK) - 1));
        black_box(likely.fold(0, |seen, hash| seen ^ record(hash)[0]));
    }

    /// The same as [`Store::insert`] for a state that [`Store::encode`] wrote, with its hash.
    pub(crate) fn insert_encoded(&mut self, entry: &[u8], hash: u64, parent: Option<StateId>) -> (StateId, bool) {
        if self.len as usize * 4 >= self.table.len() * 3 {
            self.grow();
        }
        let code = &entry[self.hidden..];
        match self.lookup(code, hash) {
            Ok(id) => (id, false),
            Err(slot) => {
                let id = self.append(entry, parent);
                self.table[slot] = (hash & TAG_MASK) << 40 | (id.0 + 1);
                self.len += 1;
                (id, true)
            }
        }
    }

    /// The position of a state, if it was added. Uses the caller's buffer.
    pub(crate) fn find(&self, state: &[u8], code: &mut Vec<u8>) -> Option<StateId> {
        code.clear();
        encode(&state[self.hidden..], &self.reference, code);
        self.lookup(code, hash(code)).ok()
    }

    /// The state with a code, or the slot of the table that is free for it.
    #[inline]
    fn lookup(&self, code: &[u8], hash: u64) -> Result<StateId, usize> {
        let tag = hash & TAG_MASK;
        let mut slot = slot(hash, self.table.len());
        loop {
            let entry = self.table[slot];
            if entry == 0 {
                return Err(slot);
            }
            if entry >> 40 == tag {
                let id = StateId((entry & POSITION_MASK) - 1);
                if self.record(id)[self.head + self.hidden..].starts_with(code) {
                    return Ok(id);
                }
            }
            slot = if slot + 1 == self.table.len() { 0 } else { slot + 1 };
        }
    }

    /// Behind the positions of all states added so far, and not behind those of states to come.
    pub(crate) fn end(&self) -> StateId {
        let chunks = self.chunks.len() as u64;
        // A record longer than a chunk is the only one in its chunk.
        StateId((chunks << CHUNK_BITS) - chunks.min(1) * (CHUNK - self.used.min(CHUNK)) as u64)
    }

    fn append(&mut self, entry: &[u8], parent: Option<StateId>) -> StateId {
        let head = self.head;
        let needed = head + entry.len();
        if self.used + needed > CHUNK {
            // A record longer than a chunk gets a chunk of its own length.
            let size = needed.max(CHUNK);
            if !self.chunks.is_empty() {
                self.filled.push(self.used);
            }
            self.chunks.push(Vec::with_capacity(size));
            self.used = 0;
            self.capacity_bytes += size as u64;
        }
        let index = self.chunks.len() - 1;
        let position = ((index as u64) << CHUNK_BITS) | self.used as u64;
        self.chunks[index].resize(self.used + needed, 0);
        let record = &mut self.chunks[index][self.used..];
        let parent = parent.map_or(NO_PARENT, |p| p.0);
        record[..PARENT].copy_from_slice(&parent.to_le_bytes()[..PARENT]);
        record[head..].copy_from_slice(entry);
        self.used += needed;
        StateId(position)
    }

    #[inline]
    fn record(&self, id: StateId) -> &[u8] {
        &self.chunks[(id.0 >> CHUNK_BITS) as usize][(id.0 as usize) & (CHUNK - 1)..]
    }

    /// Writes a state's bytes to `out`.
    pub(crate) fn get(&self, id: StateId, out: &mut Vec<u8>) {
        self.decode(&self.record(id)[self.head..], out);
    }

    /// The state from which it was first reached.
    pub(crate) fn parent(&self, id: StateId) -> Option<StateId> {
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
    pub(crate) fn is_marked(&self, id: StateId, thread: ThreadId) -> bool {
        self.has_mark(id, self.marks(id), thread)
    }

    /// Marks a thread; whether it was not marked before.
    #[inline]
    pub(crate) fn mark(&mut self, id: StateId, thread: ThreadId) -> bool {
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

    /// Gathers a thread, unless it is marked. Whether the state has to wait for its expansion and does not yet; `None` if
    /// there is no bit for the thread.
    #[inline]
    pub(crate) fn gather(&mut self, id: StateId, ThreadId(thread): ThreadId) -> Option<bool> {
        if thread >= MARKED_THREADS {
            return None;
        }
        let marks = self.marks(id);
        if marks & (ALL_TAKEN | 1 << thread) != 0 {
            return Some(false);
        }
        self.set_marks(id, marks | WAITS | 1 << (thread + BATCH_SHIFT));
        Some(marks & WAITS == 0)
    }

    /// Which of the first 32 threads are marked, and which are gathered, as bits. Threads that have finished are among them.
    pub(crate) fn mark_bits(&self, id: StateId) -> (u32, u32) {
        let marks = self.marks(id);
        let mut marked = marks & FIRST_THREADS;
        if !self.far_marks.is_empty() {
            let far = (MARKED_THREADS..32).filter(|thread| self.far_marks.contains(&(id, *thread)));
            marked = far.fold(marked, |marked, thread| marked | 1 << thread);
        }
        (marked, marks >> BATCH_SHIFT & FIRST_THREADS)
    }

    /// Marks the gathered threads; those that were not marked before.
    #[inline]
    pub(crate) fn mark_gathered(&mut self, id: StateId) -> Threads {
        let marks = self.marks(id);
        let batch = marks >> BATCH_SHIFT & FIRST_THREADS;
        let taken = if marks & ALL_TAKEN != 0 { FIRST_THREADS } else { marks & FIRST_THREADS };
        self.set_marks(id, marks & (ALL_TAKEN | FREE | FIRST_THREADS) | batch);
        first_threads(batch & !taken)
    }

    /// Marks a state as one in which switching is free; whether that is news, and matters to some thread.
    #[inline]
    pub(crate) fn mark_free(&mut self, id: StateId) -> bool {
        let marks = self.marks(id);
        let news = marks & (ALL_TAKEN | FREE) == 0;
        if news {
            self.set_marks(id, marks | FREE);
        }
        news
    }

    /// Whether all threads are marked.
    #[inline]
    pub(crate) fn all_marked(&self, id: StateId) -> bool {
        self.marks(id) & ALL_TAKEN != 0
    }

    /// Marks all of the first `threads` threads; those that were not marked before.
    pub(crate) fn mark_all(&mut self, id: StateId, threads: u32) -> Threads {
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

    /// Half as much again, so that the table is never less than half full, or less where memory is short. Goes through the arena from end to end, which
    /// is much faster than in the order of the table, and takes many states together, so that their slots are read at once.
    fn grow(&mut self) {
        let size = self.table.len() + self.step.of(self.table.len(), 2);
        self.table = Vec::new();
        let mut table = vec![0; size];
        let mut batch = Vec::with_capacity(BATCH);
        for (StateId(position), code) in self.records() {
            batch.push((hash(code), position));
            if batch.len() == BATCH {
                enter(&mut table, &mut batch);
            }
        }
        enter(&mut table, &mut batch);
        self.table = table;
    }

    /// The positions of all states, in the order in which they were added.
    pub(crate) fn ids(&self) -> impl Iterator<Item = StateId> {
        self.records().map(|(id, _)| id)
    }

    /// The same with their codes.
    fn records(&self) -> impl Iterator<Item = (StateId, &[u8])> {
        let front = self.head + self.hidden;
        let ends = self.filled.iter().copied().chain([self.used]);
        self.chunks.iter().zip(ends).enumerate().flat_map(move |(index, (chunk, end))| {
            let mut at = 0;
            std::iter::from_fn(move || {
                let id = (at < end).then_some(StateId((index as u64) << CHUNK_BITS | at as u64))?;
                let code = &chunk[at + front..];
                let code = &code[..code_length(code)];
                at += front + code.len();
                Some((id, code))
            })
        })
    }

    /// Writes the bytes of a state that [`Store::encode`] wrote to `out`.
    pub(crate) fn decode(&self, entry: &[u8], out: &mut Vec<u8>) {
        out.clear();
        out.extend_from_slice(&entry[..self.hidden]);
        decode(&entry[self.hidden..], &self.reference.bytes, out);
    }
}

/// States that are entered into a new table together.
const BATCH: usize = 64;

/// Moves different states, by hash and position, into a table.
fn enter(table: &mut [u64], batch: &mut Vec<(u64, u64)>) {
    black_box(batch.iter().fold(0, |seen, (hash, _)| seen ^ table[slot(*hash, table.len())]));
    for (hash, position) in batch.drain(..) {
        let mut slot = slot(hash, table.len());
        while table[slot] != 0 {
            slot = if slot + 1 == table.len() { 0 } else { slot + 1 };
        }
        table[slot] = (hash & TAG_MASK) << 40 | (position + 1);
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

#[cfg(test)]
mod tests;
