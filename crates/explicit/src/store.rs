//! The exact store: every state once, in a chunked arena, found through an open-addressing table of
//! arena positions. A record is its parent's position, its length and the state's bytes.
//!
//! What must hold: a position never changes, so parents and frontier can keep it; two states are
//! the same iff their bytes after the hidden prefix are.

use rustc_hash::FxHasher;
use std::hash::Hasher;

/// Where a state stands in the arena.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StateId(u64);

impl StateId {
    /// As a number of at most 40 bits.
    pub fn to_bits(self) -> u64 {
        self.0
    }

    /// Back from [`StateId::to_bits`].
    pub fn from_bits(bits: u64) -> Self {
        StateId(bits)
    }
}

const CHUNK_BITS: u32 = 20;
const CHUNK: usize = 1 << CHUNK_BITS;
/// Five bytes of parent position.
const PARENT: usize = 5;
const NO_PARENT: u64 = (1 << 40) - 1;
const POSITION_MASK: u64 = (1 << 40) - 1;

/// The store.
pub struct Store {
    chunks: Vec<Box<[u8]>>,
    /// Bytes used in the last chunk.
    used: usize,
    /// 24 bits of hash above 40 bits of position plus one; 0 is free.
    table: Vec<u64>,
    len: u64,
    hidden: usize,
    capacity_bytes: u64,
}

impl Store {
    /// An empty store for states whose first `hidden` bytes do not count.
    pub fn new(hidden: usize) -> Self {
        Store { chunks: Vec::new(), used: CHUNK, table: vec![0; 1 << 10], len: 0, hidden, capacity_bytes: 0 }
    }

    /// States stored.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Bytes held: arena and table.
    pub fn bytes(&self) -> u64 {
        self.capacity_bytes + self.table.len() as u64 * 8
    }

    /// Bytes the states themselves and their share of the table take.
    pub fn bytes_per_state(&self) -> f64 {
        if self.len == 0 {
            return 0.0;
        }
        let unused = if self.chunks.is_empty() { 0 } else { self.chunks[self.chunks.len() - 1].len() - self.used };
        (self.bytes() - unused as u64) as f64 / self.len as f64
    }

    /// Bytes the table will need to grow, if the next insertion makes it grow.
    pub fn growth(&self) -> u64 {
        if self.is_crowded() { self.table.len() as u64 * 16 } else { 0 }
    }

    fn is_crowded(&self) -> bool {
        self.len as usize * 8 >= self.table.len() * 7
    }

    fn hash(&self, state: &[u8]) -> u64 {
        let mut hasher = FxHasher::default();
        hasher.write(&state[self.hidden..]);
        // Fx leaves the low bits weak; fold and mix once more.
        let h = hasher.finish();
        (h ^ (h >> 29)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }

    /// Adds a state. Returns its position and whether it is new.
    pub fn insert(&mut self, state: &[u8], parent: Option<StateId>) -> (StateId, bool) {
        if self.is_crowded() {
            self.grow();
        }
        let hash = self.hash(state);
        let mask = self.table.len() - 1;
        let tag = hash >> 40;
        let mut slot = hash as usize & mask;
        loop {
            let entry = self.table[slot];
            if entry == 0 {
                break;
            }
            if entry >> 40 == tag {
                let id = StateId((entry & POSITION_MASK) - 1);
                if self.get(id)[self.hidden..] == state[self.hidden..] {
                    return (id, false);
                }
            }
            slot = (slot + 1) & mask;
        }
        let id = self.append(state, parent);
        self.table[slot] = (tag << 40) | (id.0 + 1);
        self.len += 1;
        (id, true)
    }

    fn append(&mut self, state: &[u8], parent: Option<StateId>) -> StateId {
        let length_bytes = if state.len() < 0x80 { 1 } else { 4 };
        let needed = PARENT + length_bytes + state.len();
        let room = self.chunks.last().map_or(0, |chunk| chunk.len());
        if self.used + needed > room || self.used >= CHUNK {
            // A record longer than a chunk gets a chunk of its own length.
            let size = needed.max(CHUNK);
            self.chunks.push(vec![0; size].into_boxed_slice());
            self.used = 0;
            self.capacity_bytes += size as u64;
        }
        let index = self.chunks.len() - 1;
        debug_assert!(self.used < CHUNK);
        let position = ((index as u64) << CHUNK_BITS) | self.used as u64;
        let chunk = &mut self.chunks[index][self.used..self.used + needed];
        let parent = parent.map_or(NO_PARENT, |p| p.0);
        chunk[..PARENT].copy_from_slice(&parent.to_le_bytes()[..PARENT]);
        if length_bytes == 1 {
            chunk[PARENT] = state.len() as u8;
        } else {
            chunk[PARENT..PARENT + 4].copy_from_slice(&(state.len() as u32 | 0x8000_0000).to_be_bytes());
        }
        chunk[PARENT + length_bytes..].copy_from_slice(state);
        self.used += needed;
        StateId(position)
    }

    fn record(&self, id: StateId) -> &[u8] {
        &self.chunks[(id.0 >> CHUNK_BITS) as usize][(id.0 as usize) & (CHUNK - 1)..]
    }

    /// A state's bytes.
    pub fn get(&self, id: StateId) -> &[u8] {
        let record = &self.record(id)[PARENT..];
        if record[0] < 0x80 {
            &record[1..1 + record[0] as usize]
        } else {
            let length = u32::from_be_bytes([record[0], record[1], record[2], record[3]]) & 0x7fff_ffff;
            &record[4..4 + length as usize]
        }
    }

    /// The state from which it was first reached.
    pub fn parent(&self, id: StateId) -> Option<StateId> {
        let mut bytes = [0; 8];
        bytes[..PARENT].copy_from_slice(&self.record(id)[..PARENT]);
        let parent = u64::from_le_bytes(bytes);
        (parent != NO_PARENT).then_some(StateId(parent))
    }

    fn grow(&mut self) {
        let old = std::mem::take(&mut self.table);
        self.table = vec![0; old.len() * 2];
        let mask = self.table.len() - 1;
        for entry in old.into_iter().filter(|e| *e != 0) {
            let id = StateId((entry & POSITION_MASK) - 1);
            let mut slot = self.hash(self.get(id)) as usize & mask;
            while self.table[slot] != 0 {
                slot = (slot + 1) & mask;
            }
            self.table[slot] = entry;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_each_state_once_with_its_first_parent() {
        let mut store = Store::new(0);
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
        let mut store = Store::new(0);
        let state = |i: u32| [i.to_le_bytes().as_slice(), &vec![7; (i % 200) as usize]].concat();
        let ids: Vec<StateId> = (0..50_000).map(|i| store.insert(&state(i), None).0).collect();
        for (i, id) in ids.iter().enumerate() {
            assert_eq!(store.insert(&state(i as u32), None), (*id, false));
            assert_eq!(store.get(*id), state(i as u32));
        }
    }

    #[test]
    fn the_hidden_prefix_does_not_tell_states_apart() {
        let mut store = Store::new(2);
        let (id, _) = store.insert(b"..x", None);
        assert_eq!(store.insert(b"!!x", None), (id, false));
        assert!(store.insert(b"..y", None).1);
    }

    #[test]
    fn holds_a_state_longer_than_a_chunk() {
        let mut store = Store::new(0);
        let long = vec![3; 3 * CHUNK + 5];
        let (small, _) = store.insert(b"small", None);
        let (id, _) = store.insert(&long, None);
        let (after, _) = store.insert(b"after", Some(id));
        assert_eq!(store.get(id), long);
        assert_eq!(store.get(small), b"small");
        assert_eq!(store.get(after), b"after");
        assert_eq!(store.parent(after), Some(id));
    }
}
