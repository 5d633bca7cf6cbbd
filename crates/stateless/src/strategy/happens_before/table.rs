//! The table H of \[CBPOR\] Algorithm 2: hashes of prefixes with their levels, which are looked up far more often than added.
//!
//! While it is small, one open table. Then 256 parts by the upper bits of the hash, which grow one at a time, so that
//! growing never takes twice the memory.

/// Up to which bound a prefix is finished, and one more; 0: under none. Bounds beyond the largest number are not reached.
pub(super) type Level = u16;

/// Whatever the bound is.
pub(super) const EVERY: Level = Level::MAX;

/// Hashes with their levels.
pub(super) struct Table {
    parts: Vec<Part>,
    /// The number of hashes, 0 apart.
    used: usize,
}

/// The size at which the table is divided.
const SMALL: usize = 1 << 14;
const PARTS: usize = 256;
/// The least number of slots of a part that has any.
const LEAST: usize = 256;

impl Table {
    pub(super) fn new() -> Table {
        Table { parts: vec![Part::default()], used: 0 }
    }

    fn part(&self, hash: u128) -> usize {
        if self.parts.len() == 1 { 0 } else { (hash >> 120) as usize }
    }

    /// The level of a hash.
    #[inline]
    pub(super) fn level(&self, hash: u128) -> Level {
        self.parts[self.part(hash)].level(hash)
    }

    /// Gives a hash a level, unless it has a higher one.
    pub(super) fn raise(&mut self, hash: u128, level: Level) {
        if self.parts.len() == 1 && self.parts[0].used >= SMALL {
            self.divide();
        }
        let part = self.part(hash);
        self.used += usize::from(self.parts[part].raise(hash, level));
    }

    /// The number of hashes.
    pub(super) fn len(&self) -> usize {
        self.used
    }

    fn divide(&mut self) {
        let all = std::mem::take(&mut self.parts);
        self.parts.resize_with(PARTS, Part::default);
        self.used = 0;
        for part in all {
            part.hashes().for_each(|(hash, level)| self.raise(hash, level));
        }
    }

    /// Bytes in use.
    pub(super) fn memory(&self) -> usize {
        let slot = size_of::<u128>() + size_of::<Level>();
        self.parts.iter().map(|part| part.slots.capacity() * slot).sum()
    }

    pub(super) fn clear(&mut self) {
        self.parts.truncate(1);
        self.parts[0].clear();
        self.used = 0;
    }
}

/// An open table with linear probing; 0 is a free slot, so the hash 0 stands beside it.
#[derive(Default)]
struct Part {
    /// A power of two, or none; at least a quarter is free.
    slots: Vec<u128>,
    /// Of each slot; 0 of a free one.
    levels: Vec<Level>,
    used: usize,
    zero: Level,
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

    #[inline]
    fn level(&self, hash: u128) -> Level {
        if hash == 0 {
            return self.zero;
        }
        self.slot(hash).map_or(0, |slot| self.levels[slot])
    }

    /// Whether the hash is new.
    fn raise(&mut self, hash: u128, level: Level) -> bool {
        if hash == 0 {
            self.zero = self.zero.max(level);
            return false;
        }
        if self.used * 4 >= self.slots.len() * 3 {
            self.grow();
        }
        let slot = self.slot(hash).expect("internal error: there is room");
        let new = self.slots[slot] == 0;
        self.used += usize::from(new);
        self.slots[slot] = hash;
        self.levels[slot] = self.levels[slot].max(level);
        new
    }

    fn grow(&mut self) {
        let mut old = Vec::with_capacity(self.used);
        old.extend(self.slots.iter().copied().zip(self.levels.iter().copied()).filter(|&(hash, _)| hash != 0));
        let size = (self.slots.len() * 2).max(LEAST);
        self.slots.fill(0);
        self.slots.resize(size, 0);
        self.levels.fill(0);
        self.levels.resize(size, 0);
        for (hash, level) in old {
            let slot = self.slot(hash).expect("internal error: there is room");
            (self.slots[slot], self.levels[slot]) = (hash, level);
        }
    }

    fn hashes(self) -> impl Iterator<Item = (u128, Level)> {
        let zero = (self.zero > 0).then_some((0, self.zero));
        self.slots.into_iter().zip(self.levels).filter(|&(hash, _)| hash != 0).chain(zero)
    }

    /// Forgets everything. The table shrinks if it is much too large, so that this is soon in proportion to what was in it.
    fn clear(&mut self) {
        self.zero = 0;
        if self.used == 0 {
            return;
        }
        let size = (self.used * 16).next_power_of_two().max(LEAST);
        self.slots.truncate(size);
        self.slots.fill(0);
        self.levels.truncate(size);
        self.levels.fill(0);
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

    fn level(n: u64) -> Level {
        1 + (n % 7) as Level
    }

    #[test]
    fn a_table_holds_what_was_added_when_it_grows_and_is_divided() {
        let mut table = Table::new();
        assert_eq!(table.level(0), 0);
        table.raise(0, EVERY);
        let many = 3 * SMALL as u64;
        for n in 0..many {
            assert_eq!(table.level(hash(n)), 0);
            table.raise(hash(n), level(n));
            table.raise(hash(n), level(n) - 1);
        }
        assert_eq!((table.len(), table.level(0)), (many as usize, EVERY));
        assert!((0..many).all(|n| table.level(hash(n)) == level(n)));
        assert!((many..2 * many).all(|n| table.level(hash(n)) == 0));
        table.raise(hash(1), 9);
        assert_eq!(table.level(hash(1)), 9);
        table.clear();
        assert!((0..many).all(|n| table.level(hash(n)) == 0) && table.level(0) == 0);
    }

    #[test]
    fn a_part_doubles_when_three_quarters_are_used() {
        let mut part = Part::default();
        for n in 0..3_000 {
            part.raise(hash(n), 1);
            let (used, slots) = (part.used, part.slots.len());
            assert!(4 * used <= 3 * slots && (slots == LEAST || 8 * used >= 3 * slots), "{used} of {slots}");
        }
    }

    #[test]
    fn a_table_that_was_large_shrinks_when_it_is_cleared() {
        let mut table = Table::new();
        let many = SMALL as u64 / 2;
        (0..many).for_each(|n| table.raise(hash(n), 1));
        table.clear();
        let large = table.parts[0].slots.len();
        table.raise(hash(1), 1);
        assert!(table.level(hash(1)) == 1 && table.level(hash(2)) == 0);
        table.clear();
        assert!(table.parts[0].slots.len() < large && table.level(hash(1)) == 0);
        (0..many).for_each(|n| table.raise(hash(n), level(n)));
        assert!((0..many).all(|n| table.level(hash(n)) == level(n)));
    }
}
