//! States that are still to be expanded.

use crate::store::{StateId, Store};

/// A stored state that is still to be expanded.
#[derive(Clone, Copy)]
pub(crate) struct Unexpanded {
    pub id: StateId,
    pub stutter: bool,
    pub depth: u32,
}

/// Successors of the states on the current path, last in, first out, encoded as the store keeps them. They are not
/// compared with the store before their turn comes.
#[derive(Default)]
pub(crate) struct Pending {
    entries: Vec<Entry>,
    bytes: Vec<u8>,
    /// Successors of the state being expanded, first one first.
    fresh: Vec<Entry>,
    fresh_bytes: Vec<u8>,
}

/// A state that waits.
#[derive(Clone, Copy)]
pub(crate) struct Entry {
    pub parent: StateId,
    /// Where its bytes start.
    start: usize,
    /// Its hash in the store.
    pub hash: u64,
    pub depth: u32,
    pub stutter: bool,
}

impl Pending {
    /// Adds a successor of the state being expanded. After the last one, call [`Pending::order`].
    pub(crate) fn push(&mut self, store: &Store, state: &[u8], parent: StateId, stutter: bool, depth: u32) {
        let start = self.fresh_bytes.len();
        store.encode(state, &mut self.fresh_bytes);
        let hash = store.hash_encoded(&self.fresh_bytes[start..]);
        self.fresh.push(Entry { parent, start, hash, depth, stutter });
    }

    /// Puts the successors on top, the first one last, so that it is taken first.
    pub(crate) fn order(&mut self, store: &Store) {
        store.warm(self.fresh.iter().map(|entry| entry.hash));
        let mut end = self.fresh_bytes.len();
        while let Some(entry) = self.fresh.pop() {
            self.entries.push(Entry { start: self.bytes.len(), ..entry });
            self.bytes.extend_from_slice(&self.fresh_bytes[entry.start..end]);
            end = entry.start;
        }
        self.fresh_bytes.clear();
    }

    /// All that wait, the next one last, with their bytes.
    pub(crate) fn all(&self) -> impl Iterator<Item = (Entry, &[u8])> {
        let ends = self.entries.iter().skip(1).map(|entry| entry.start).chain([self.bytes.len()]);
        self.entries.iter().zip(ends).map(|(entry, end)| (*entry, &self.bytes[entry.start..end]))
    }

    /// The next state and its bytes.
    pub(crate) fn top(&self) -> Option<(Entry, &[u8])> {
        let entry = *self.entries.last()?;
        Some((entry, &self.bytes[entry.start..]))
    }

    /// Removes the next state.
    pub(crate) fn pop(&mut self) {
        if let Some(entry) = self.entries.pop() {
            self.bytes.truncate(entry.start);
        }
    }

    /// States waiting.
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Bytes held, without what is in reserve, which is not touched.
    pub(crate) fn bytes(&self) -> u64 {
        (self.bytes.len() + self.entries.len() * size_of::<Entry>()) as u64
    }
}
