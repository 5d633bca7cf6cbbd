//! States that are still to be looked at.

use crate::store::StateId;

/// A stored state that is still to be expanded.
#[derive(Clone, Copy)]
pub(crate) struct Unexpanded {
    pub id: StateId,
    pub stutter: bool,
    pub depth: u32,
}

/// Successors of the states on the current path, last in, first out. States are kept whole: they
/// are not compared with the store before their turn comes.
#[derive(Default)]
pub(crate) struct Pending {
    entries: Vec<Entry>,
    bytes: Vec<u8>,
    /// Entries below this were put in order.
    ordered: usize,
}

struct Entry {
    parent: StateId,
    end: usize,
    depth: u32,
    stutter: bool,
}

impl Pending {
    /// Adds a successor. After the last one of a state, call [`Pending::order`].
    pub fn push(&mut self, state: &[u8], parent: StateId, stutter: bool, depth: u32) {
        self.bytes.extend_from_slice(state);
        self.entries.push(Entry { parent, end: self.bytes.len(), depth, stutter });
    }

    /// Turns the successors added since the last call round, so that the first is taken first.
    pub fn order(&mut self) {
        let from = self.ordered;
        if self.entries.len() - from > 1 {
            let start = self.start(from);
            let mut turned = Vec::with_capacity(self.bytes.len() - start);
            for index in (from..self.entries.len()).rev() {
                turned.extend_from_slice(&self.bytes[self.start(index)..self.entries[index].end]);
            }
            let lengths: Vec<usize> =
                (from..self.entries.len()).rev().map(|i| self.entries[i].end - self.start(i)).collect();
            self.bytes.truncate(start);
            self.bytes.extend_from_slice(&turned);
            self.entries[from..].reverse();
            let mut end = start;
            for (entry, length) in self.entries[from..].iter_mut().zip(lengths) {
                end += length;
                entry.end = end;
            }
        }
        self.ordered = self.entries.len();
    }

    fn start(&self, index: usize) -> usize {
        if index == 0 { 0 } else { self.entries[index - 1].end }
    }

    /// Takes the next state, written to `state`.
    pub fn pop(&mut self, state: &mut Vec<u8>) -> Option<(StateId, bool, u32)> {
        let entry = self.entries.pop()?;
        let start = self.start(self.entries.len());
        state.clear();
        state.extend_from_slice(&self.bytes[start..entry.end]);
        self.bytes.truncate(start);
        self.ordered = self.entries.len();
        Some((entry.parent, entry.stutter, entry.depth))
    }

    /// States waiting.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Bytes held.
    pub fn bytes(&self) -> u64 {
        (self.bytes.capacity() + self.entries.capacity() * size_of::<Entry>()) as u64
    }
}
