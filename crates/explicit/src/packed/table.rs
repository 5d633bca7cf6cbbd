//! The table of packed states: each key once, with a few marks, in an array of entries of as many bytes as they need. One
//! look at a state is one access to memory.
//!
//! An entry is the key, a bit that says that the entry is used, and the marks above it; an entry that is 0 is free. Linear probing
//! from the slot to which the hash is scaled. That slot moves monotonically with the size of the table, so the table grows in place,
//! from its end. [`Table::rekey`] moves every entry to the slot of its new key, in place as well.

use super::codes::Key;

/// Bytes that are read at once, at any place.
const WORD: usize = size_of::<Key>();
/// Slots of an empty table.
const FEWEST: usize = 1 << 10;
/// Slots above which a table grows by a quarter instead of a half.
const LARGE: usize = 1 << 22;

/// Why a table cannot hold keys of a size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TooWide;

/// The table.
pub(crate) struct Table {
    /// The entries, and a word more, so that the last one can be read.
    bytes: Vec<u8>,
    slots: usize,
    /// Bytes of an entry.
    width: usize,
    key_bits: u32,
    mark_bits: u32,
    /// 0, or those of a [`Label`].
    label_bits: u32,
    len: usize,
}

/// A number that goes with a key, in a table that has labels.
pub(crate) type Label = u32;

/// Where an entry is, until the table changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Seat(usize);

#[inline]
pub(crate) fn hash(key: Key) -> u64 {
    let fold = |word: u64, by: u64| {
        let product = u128::from(word) * u128::from(by);
        (product >> 64) as u64 ^ product as u64
    };
    let low = fold(key as u64 ^ 0xd6e8_feb8_6659_fd93, 0x9e37_79b9_7f4a_7c15);
    low ^ fold((key >> 64) as u64 ^ 0x9e37_79b9_7f4a_7c15, 0xd6e8_feb8_6659_fd93)
}

/// Bytes of an entry with a key and with marks and a label of this many bits.
fn width_of(key_bits: u32, other_bits: u32) -> Result<usize, TooWide> {
    let width = (key_bits + 1 + other_bits).div_ceil(8) as usize;
    if width <= WORD { Ok(width) } else { Err(TooWide) }
}

impl Table {
    /// An empty table.
    pub fn new(key_bits: u32, mark_bits: u32) -> Result<Self, TooWide> {
        let width = width_of(key_bits, mark_bits)?;
        let bytes = vec![0; FEWEST * width + WORD];
        Ok(Table { bytes, slots: FEWEST, width, key_bits, mark_bits, label_bits: 0, len: 0 })
    }

    /// The same with labels; it must be empty.
    pub fn with_labels(mut self) -> Result<Self, TooWide> {
        self.label_bits = Label::BITS;
        self.widen(width_of(self.key_bits, self.mark_bits + self.label_bits)?);
        Ok(self)
    }

    /// Keys in it.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Bytes held.
    pub fn bytes(&self) -> u64 {
        self.bytes.capacity() as u64
    }

    /// Bytes the next growth takes on top of that.
    pub fn growth(&self) -> u64 {
        ((grown(self.slots) - self.slots) * self.width) as u64
    }

    #[inline]
    fn home(&self, hash: u64) -> usize {
        ((u128::from(hash) * self.slots as u128) >> 64) as usize
    }

    #[inline]
    fn after(&self, slot: usize) -> usize {
        if slot + 1 == self.slots { 0 } else { slot + 1 }
    }

    #[inline]
    fn word(&self, slot: usize) -> Key {
        let at = slot * self.width;
        let bytes: [u8; WORD] = self.bytes[at..at + WORD].try_into().unwrap_or([0; WORD]);
        Key::from_le_bytes(bytes)
    }

    #[inline]
    fn all(&self) -> Key {
        Key::MAX >> (8 * (WORD - self.width))
    }

    #[inline]
    fn entry(&self, slot: usize) -> Key {
        self.word(slot) & self.all()
    }

    #[inline]
    fn set(&mut self, slot: usize, entry: Key) {
        let word = self.word(slot) & !self.all() | entry;
        let at = slot * self.width;
        self.bytes[at..at + WORD].copy_from_slice(&word.to_le_bytes());
    }

    #[inline]
    fn key_mask(&self) -> Key {
        (1 << self.key_bits) - 1
    }

    /// Reads from where an entry will be looked for, so that it is in the cache then. The result means nothing.
    #[inline]
    pub fn touch(&self, hash: u64) -> u8 {
        self.bytes[self.home(hash) * self.width]
    }

    /// The entry of a key, or the slot where it would be.
    #[inline]
    fn look(&self, hash: u64, key: Key) -> Result<Seat, usize> {
        let mask = self.key_mask();
        let mut slot = self.home(hash);
        loop {
            let entry = self.entry(slot);
            if entry == 0 {
                return Err(slot);
            }
            if entry & mask == key {
                return Ok(Seat(slot));
            }
            slot = self.after(slot);
        }
    }

    /// The entry of a key.
    #[inline]
    pub fn find(&self, hash: u64, key: Key) -> Option<Seat> {
        self.look(hash, key).ok()
    }

    /// Adds a key, without marks; whether it is new.
    #[inline]
    pub fn insert(&mut self, hash: u64, key: Key) -> (Seat, bool) {
        if self.len * 5 >= self.slots * 4 {
            self.grow();
        }
        match self.look(hash, key) {
            Ok(seat) => (seat, false),
            Err(slot) => {
                self.set(slot, key | 1 << self.key_bits);
                self.len += 1;
                (Seat(slot), true)
            }
        }
    }

    /// The marks of an entry.
    #[inline]
    pub fn marks(&self, Seat(slot): Seat) -> u64 {
        (self.entry(slot) >> self.key_bits >> 1) as u64 & self.mark_mask()
    }

    #[inline]
    fn mark_mask(&self) -> u64 {
        (1 << self.mark_bits) - 1
    }

    /// Replaces them.
    #[inline]
    pub fn set_marks(&mut self, Seat(slot): Seat, marks: u64) {
        let old = Key::from(self.mark_mask()) << self.key_bits << 1;
        self.set(slot, self.entry(slot) & !old | Key::from(marks) << self.key_bits << 1);
    }

    /// The label of an entry.
    pub fn label(&self, Seat(slot): Seat) -> Label {
        (self.entry(slot) >> self.key_bits >> 1 >> self.mark_bits) as Label
    }

    /// Gives an entry without a label one.
    pub fn set_label(&mut self, Seat(slot): Seat, label: Label) {
        self.set(slot, self.entry(slot) | Key::from(label) << self.key_bits << 1 << self.mark_bits);
    }

    /// All keys, each with its label.
    pub fn labelled(&self) -> impl Iterator<Item = (Key, Label)> {
        let used = |slot: &usize| self.entry(*slot) != 0;
        (0..self.slots).filter(used).map(|slot| (self.entry(slot) & self.key_mask(), self.label(Seat(slot))))
    }

    /// Makes room, in place.
    #[cold]
    fn grow(&mut self) {
        let old = self.slots;
        self.slots = grown(old);
        self.resize();
        let mut aside = Vec::new();
        for from in (0..old).rev() {
            let entry = self.entry(from);
            if entry == 0 {
                continue;
            }
            self.set(from, 0);
            let mut to = self.home(hash(entry & self.key_mask()));
            // Behind the slot that is being emptied, everything has found its place.
            while to > from && to < self.slots && self.entry(to) != 0 {
                to += 1;
            }
            match to > from && to < self.slots {
                true => self.set(to, entry),
                false => aside.push(entry),
            }
        }
        for entry in aside {
            let mut slot = self.home(hash(entry & self.key_mask()));
            while self.entry(slot) != 0 {
                slot = self.after(slot);
            }
            self.set(slot, entry);
        }
    }

    /// Fits the array to the number of slots.
    fn resize(&mut self) {
        let bytes = self.slots * self.width + WORD;
        self.bytes.reserve_exact(bytes.saturating_sub(self.bytes.len()));
        self.bytes.resize(bytes, 0);
    }

    /// Replaces every key, in place; `new` must not map two keys to one.
    pub fn rekey(&mut self, key_bits: u32, mark_bits: u32, new: impl Fn(Key) -> Key) -> Result<(), TooWide> {
        let (old_mask, old_bits, old_marks) = (self.key_mask(), self.key_bits, self.mark_bits);
        self.widen(width_of(key_bits, mark_bits + self.label_bits)?);
        (self.key_bits, self.mark_bits) = (key_bits, mark_bits);
        let renewed = |entry: Key| {
            let key = new(entry & old_mask);
            // The bit of a used entry and the marks; above them the label.
            let (above, marks) = (entry >> old_bits, (1 << old_marks << 1) - 1);
            (key | (above & marks) << key_bits | above >> 1 >> old_marks << mark_bits << 1 << key_bits, key)
        };
        let mut done = vec![0_u64; self.slots.div_ceil(64)];
        for from in 0..self.slots {
            let entry = self.entry(from);
            if entry == 0 || done[from / 64] >> (from % 64) & 1 == 1 {
                continue;
            }
            self.set(from, 0);
            let (mut entry, mut key) = renewed(entry);
            loop {
                let mut to = self.home(hash(key));
                while done[to / 64] >> (to % 64) & 1 == 1 {
                    to = self.after(to);
                }
                let there = self.entry(to);
                self.set(to, entry);
                done[to / 64] |= 1 << (to % 64);
                if there == 0 {
                    break;
                }
                (entry, key) = renewed(there);
            }
        }
        Ok(())
    }

    /// Gives every entry more bytes, from the end.
    fn widen(&mut self, width: usize) {
        let old = self.width;
        if width <= old {
            return;
        }
        self.width = width;
        self.resize();
        for slot in (0..self.slots).rev() {
            self.bytes.copy_within(slot * old..(slot + 1) * old, slot * width);
            self.bytes[slot * width + old..(slot + 1) * width].fill(0);
        }
    }
}

fn grown(slots: usize) -> usize {
    if slots < LARGE { slots + slots / 2 } else { slots + slots / 4 }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    #[test]
    fn labels_stay_with_their_keys() {
        let mut table = Table::new(10, 3).and_then(Table::with_labels).expect("it fits");
        for key in 0..1_000 {
            let (seat, _) = table.insert(hash(key), key);
            table.set_label(seat, !(key as Label));
            table.set_marks(seat, key as u64 % 8);
        }
        table.rekey(15, 7, |key| key << 4).expect("it fits");
        assert_eq!(table.labelled().count(), 1_000);
        assert!(table.labelled().all(|(key, label)| label == !((key >> 4) as Label)));
        let marks = |key: Key| table.find(hash(key), key).map(|seat| table.marks(seat));
        assert!((0..1_000).all(|key| marks(key << 4) == Some(key as u64 % 8)));
    }

    #[test]
    fn holds_each_key_once_with_its_marks_while_it_grows_and_keys_change() {
        let mut chance = selvedge_core::Chance::new(5);
        for (key_bits, mark_bits) in [(9, 3), (14, 0), (20, 11), (40, 23), (70, 9), (100, 21)] {
            let mut table = Table::new(key_bits, mark_bits).expect("it fits");
            let mut known: HashMap<Key, u64> = HashMap::new();
            let mut shift = 0;
            for round in 0..6_000 {
                let key = (Key::from(chance.draw()) << 64 | Key::from(chance.draw())) & ((1 << key_bits) - 1);
                let key = key << shift;
                let (seat, new) = table.insert(hash(key), key);
                assert_eq!(new, !known.contains_key(&key), "{key_bits} {mark_bits} {round}");
                let marks = chance.draw() & ((1 << mark_bits) - 1);
                table.set_marks(seat, marks);
                known.insert(key, marks);
                if round % 2_500 == 2_499 {
                    table.rekey(key_bits + shift + 1, mark_bits, |key| key << 1).expect("it fits");
                    known = known.into_iter().map(|(key, marks)| (key << 1, marks)).collect();
                    shift += 1;
                }
            }
            assert_eq!(table.len(), known.len());
            for (key, marks) in known {
                let seat = table.find(hash(key), key).expect("it was added");
                assert_eq!(table.marks(seat), marks);
            }
        }
        assert!(Table::new(120, 8).is_err());
    }
}
