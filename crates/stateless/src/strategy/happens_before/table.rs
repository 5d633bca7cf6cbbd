//! The table H of \[CBPOR\] Algorithm 2: hashes of prefixes, which are looked up far more often than added.
//!
//! While it is small, one open table. Then 256 parts by the upper bits of the hash, which grow one at a time, so that
//! growing never takes twice the memory.

/// A set of hashes.
pub(super) struct Table {
    parts: Vec<Part>,
}

/// The size at which the table is divided.
const SMALL: usize = 1 << 14;
const PARTS: usize = 256;
/// The least number of slots of a part that has any.
const LEAST: usize = 256;

impl Table {
    pub(super) fn new() -> Table {
        Table { parts: vec![Part::default()] }
    }

    fn part(&self, hash: u128) -> usize {
        if self.parts.len() == 1 { 0 } else { (hash >> 120) as usize }
    }

    pub(super) fn contains(&self, hash: u128) -> bool {
        self.parts[self.part(hash)].contains(hash)
    }

    /// Adds a hash; whether it is new.
    pub(super) fn insert(&mut self, hash: u128) -> bool {
        if self.parts.len() == 1 && self.parts[0].used >= SMALL {
            self.divide();
        }
        let part = self.part(hash);
        self.parts[part].insert(hash)
    }

    fn divide(&mut self) {
        let all = std::mem::take(&mut self.parts);
        self.parts.resize_with(PARTS, Part::default);
        for part in all {
            part.hashes().for_each(|hash| _ = self.insert(hash));
        }
    }

    /// Bytes in use.
    pub(super) fn memory(&self) -> usize {
        self.parts.iter().map(|part| part.slots.capacity() * size_of::<u128>()).sum()
    }

    pub(super) fn clear(&mut self) {
        self.parts.truncate(1);
        self.parts[0].clear();
    }
}

/// An open table with linear probing; 0 is a free slot, so the hash 0 stands beside it.
#[derive(Default)]
struct Part {
    /// A power of two, or none; at least a quarter is free.
    slots: Vec<u128>,
    used: usize,
    zero: bool,
}

impl Part {
    /// The slot with this hash, or the free one where it belongs.
    fn slot(&self, hash: u128) -> Option<usize> {
        let mask = self.slots.len().checked_sub(1)?;
        let mut slot = hash as usize & mask;
        while self.slots[slot] != hash && self.slots[slot] != 0 {
            slot = (slot + 1) & mask;
        }
        Some(slot)
    }

    fn contains(&self, hash: u128) -> bool {
        if hash == 0 {
            return self.zero;
        }
        self.slot(hash).is_some_and(|slot| self.slots[slot] == hash)
    }

    fn insert(&mut self, hash: u128) -> bool {
        if hash == 0 {
            return !std::mem::replace(&mut self.zero, true);
        }
        if self.used * 4 >= self.slots.len() * 3 {
            self.grow();
        }
        let slot = self.slot(hash).expect("internal error: there is room");
        let new = self.slots[slot] == 0;
        self.slots[slot] = hash;
        self.used += usize::from(new);
        new
    }

    fn grow(&mut self) {
        let mut old = Vec::with_capacity(self.used);
        old.extend(self.slots.iter().copied().filter(|&hash| hash != 0));
        self.slots.fill(0);
        self.slots.resize((self.slots.len() * 2).max(LEAST), 0);
        for hash in old {
            let slot = self.slot(hash).expect("internal error: there is room");
            self.slots[slot] = hash;
        }
    }

    fn hashes(self) -> impl Iterator<Item = u128> {
        let zero = self.zero.then_some(0);
        self.slots.into_iter().filter(|&hash| hash != 0).chain(zero)
    }

    /// Forgets everything. The table shrinks if it is much too large, so that this is soon in proportion to what was in it.
    fn clear(&mut self) {
        self.zero = false;
        if self.used == 0 {
            return;
        }
        self.slots.truncate((self.used * 16).next_power_of_two().max(LEAST));
        self.slots.fill(0);
        self.used = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::{mix, pair};

    fn hash(n: u64) -> u128 {
        u128::from(mix(n)) << 64 | u128::from(pair(n, 1))
    }

    #[test]
    fn a_table_holds_what_was_added_when_it_grows_and_is_divided() {
        let mut table = Table::new();
        assert!(!table.contains(0) && table.insert(0) && !table.insert(0));
        let many = 3 * SMALL as u64;
        for n in 0..many {
            assert!(!table.contains(hash(n)) && table.insert(hash(n)) && !table.insert(hash(n)));
        }
        assert!((0..many).all(|n| table.contains(hash(n))) && table.contains(0));
        assert!((many..2 * many).all(|n| !table.contains(hash(n))));
        table.clear();
        assert!((0..many).all(|n| !table.contains(hash(n))) && !table.contains(0));
    }

    #[test]
    fn a_part_doubles_when_three_quarters_are_used() {
        let mut part = Part::default();
        for n in 0..3_000 {
            part.insert(hash(n));
            let (used, slots) = (part.used, part.slots.len());
            assert!(4 * used <= 3 * slots && (slots == LEAST || 8 * used >= 3 * slots), "{used} of {slots}");
        }
    }

    #[test]
    fn a_table_that_was_large_shrinks_when_it_is_cleared() {
        let mut table = Table::new();
        let many = SMALL as u64 / 2;
        (0..many).for_each(|n| _ = table.insert(hash(n)));
        table.clear();
        let large = table.parts[0].slots.len();
        assert!(table.insert(hash(1)) && table.contains(hash(1)) && !table.contains(hash(2)));
        table.clear();
        assert!(table.parts[0].slots.len() < large && !table.contains(hash(1)));
        assert!((0..many).all(|n| table.insert(hash(n))) && (0..many).all(|n| table.contains(hash(n))));
    }
}
