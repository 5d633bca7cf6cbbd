//! Finds prefixes by their hashes. Prefixes come and go as on a stack, so an open table needs no marks for what was
//! removed: what stands behind a removed prefix came later and is gone already.

use super::PrefixId;

/// Numbers of prefixes, by the lower bits of their hashes.
pub(super) struct Index {
    /// A power of two, at least half of it free.
    slots: Vec<PrefixId>,
}

impl Index {
    pub(super) fn new() -> Index {
        Index { slots: vec![PrefixId::NONE; 128] }
    }

    fn home(&self, hash: u128) -> usize {
        hash as usize & (self.slots.len() - 1)
    }

    fn after(&self, slot: usize) -> usize {
        (slot + 1) & (self.slots.len() - 1)
    }

    /// The prefix with this hash.
    pub(super) fn find(&self, hashes: &[u128], hash: u128) -> Option<usize> {
        let mut slot = self.home(hash);
        loop {
            let i = self.slots[slot];
            if i == PrefixId::NONE {
                return None;
            }
            if hashes[i.index()] == hash {
                return Some(i.index());
            }
            slot = self.after(slot);
        }
    }

    /// Takes in the last of the prefixes.
    pub(super) fn push(&mut self, hashes: &[u128]) {
        if hashes.len() * 2 > self.slots.len() {
            let size = self.slots.len() * 4;
            self.slots.clear();
            self.slots.resize(size, PrefixId::NONE);
            (0..hashes.len()).for_each(|i| self.place(hashes, i));
        } else if let Some(last) = hashes.len().checked_sub(1) {
            self.place(hashes, last);
        }
    }

    fn place(&mut self, hashes: &[u128], i: usize) {
        let mut slot = self.home(hashes[i]);
        while self.slots[slot] != PrefixId::NONE {
            slot = self.after(slot);
        }
        self.slots[slot] = PrefixId::new(i);
    }

    /// Forgets all prefixes.
    pub(super) fn clear(&mut self, hashes: &[u128]) {
        if hashes.len() * 16 > self.slots.len() {
            self.slots.fill(PrefixId::NONE);
        } else {
            (1..=hashes.len()).rev().for_each(|len| self.pop(&hashes[..len]));
        }
    }

    /// Forgets the last of the prefixes.
    pub(super) fn pop(&mut self, hashes: &[u128]) {
        let Some(last) = hashes.len().checked_sub(1) else { return };
        let mut slot = self.home(hashes[last]);
        while self.slots[slot] != PrefixId::new(last) {
            slot = self.after(slot);
        }
        self.slots[slot] = PrefixId::NONE;
    }
}
