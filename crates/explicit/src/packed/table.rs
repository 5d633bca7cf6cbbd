//! The table of packed states: each key once, with a few marks, in an array of entries of as many bytes as they need. One
//! look at a state is one access to memory.
//!
//! An entry is the key, a bit that says that the entry is used, and the marks and the label above it; an entry that is 0 is free.
//! Marks and label that do not fit into a word with the key have bytes of their own behind it. Linear probing
//! from the slot to which the hash is scaled. That slot moves monotonically with the size of the table, so the table grows in place,
//! from its end. [`Table::rekey`] moves every entry to the slot of its new key, in place as well.

use super::codes::Key;
use crate::step::Step;

/// Bytes that are read at once, at any place.
const WORD: usize = size_of::<Key>();
/// Slots of an empty table.
const FEWEST: usize = 1 << 10;
/// Slots of a large table.
const LARGE: usize = 1 << 22;

/// Why a table cannot hold keys of a size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TooWide;

/// The table.
pub(crate) struct Table {
    /// The entries, and a word more, so that the last one can be read.
    bytes: Vec<u8>,
    slots: usize,
    layout: Layout,
    len: usize,
    /// Changes whenever entries move.
    version: u32,
    step: Step,
}

/// What an entry consists of, in bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Layout {
    key: u32,
    marks: u32,
    /// 0, or those of a [`Label`].
    label: u32,
    /// Bytes of an entry.
    width: usize,
    /// Where marks and label start, in bytes, if they are not in one word with the key.
    apart: Option<usize>,
    /// The bits of a word that belong to the entry, those of the key, and those of the marks.
    word_mask: Key,
    key_mask: Key,
    mark_mask: Key,
}

/// An entry: the key with its bit, and the marks with the label above them.
#[derive(Clone, Copy, Default)]
struct Entry {
    key: Key,
    above: Key,
}

impl Layout {
    fn new(key: u32, marks: u32, label: u32) -> Result<Self, TooWide> {
        let bytes = |bits: u32| bits.div_ceil(8) as usize;
        let (own, others) = (bytes(key + 1), bytes(marks + label));
        let together = bytes(key + 1 + marks + label);
        if own > WORD || others > WORD {
            return Err(TooWide);
        }
        let apart = (together > WORD).then_some(own);
        let width = if apart.is_some() { own + others } else { together };
        let (key_mask, mark_mask) = (lowest(key), lowest(marks));
        Ok(Layout { key, marks, label, width: 0, apart, word_mask: 0, key_mask, mark_mask }.with_width(width))
    }

    /// The same with this many bytes.
    fn with_width(self, width: usize) -> Self {
        Layout { width, word_mask: lowest(8 * self.apart.unwrap_or(width) as u32), ..self }
    }
}

/// A number that goes with a key, in a table that has labels.
pub(crate) type Label = u32;

/// Where an entry is, until entries move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Seat(usize);

/// A seat, and where entries were when it was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Noted {
    slot: usize,
    version: u32,
}

#[inline]
pub(crate) fn hash(key: Key) -> u64 {
    let fold = |word: u64, by: u64| {
        let product = u128::from(word) * u128::from(by);
        (product >> 64) as u64 ^ product as u64
    };
    let mut word = key as u64 ^ 0xd6e8_feb8_6659_fd93;
    let high = (key >> 64) as u64;
    // Most keys are short.
    if high != 0 {
        word ^= fold(high ^ 0x9e37_79b9_7f4a_7c15, 0xd6e8_feb8_6659_fd93);
    }
    fold(word, 0x9e37_79b9_7f4a_7c15)
}

/// The lowest bits of a word.
#[inline]
fn lowest(bits: u32) -> Key {
    if bits == 0 { 0 } else { Key::MAX >> (Key::BITS - bits) }
}

impl Table {
    /// An empty table.
    pub(super) fn new(key_bits: u32, mark_bits: u32) -> Result<Self, TooWide> {
        let layout = Layout::new(key_bits, mark_bits, 0)?;
        let bytes = vec![0; FEWEST * layout.width + WORD];
        Ok(Table { bytes, slots: FEWEST, layout, len: 0, version: 0, step: Step::default() })
    }

    /// The same with labels; it must be empty.
    pub(super) fn with_labels(mut self) -> Result<Self, TooWide> {
        self.layout = Layout::new(self.layout.key, self.layout.marks, Label::BITS)?;
        self.resize();
        Ok(self)
    }

    /// Keys in it.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes.capacity() as u64
    }

    /// Bytes the next growth takes on top of that.
    pub(super) fn growth(&self) -> u64 {
        ((self.grown() - self.slots) * self.layout.width) as u64
    }

    /// Slots after the next growth: a quarter more where a table is large. Entries without marks are so small that half as many
    /// more are worth it.
    fn grown(&self) -> usize {
        let by = if self.slots < LARGE || self.layout.marks == 0 { 2 } else { 4 };
        self.slots + self.step.of(self.slots, by)
    }

    /// Grows by smaller steps from now on; whether it still can.
    pub(super) fn grow_less(&mut self) -> bool {
        self.step.lessen()
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
    fn word(&self, at: usize) -> Key {
        let bytes: [u8; WORD] = self.bytes[at..at + WORD].try_into().unwrap_or([0; WORD]);
        Key::from_le_bytes(bytes)
    }

    /// Replaces the bits of a word that are in `mask`.
    #[inline]
    fn set_word(&mut self, at: usize, mask: Key, word: Key) {
        let word = self.word(at) & !mask | word;
        self.bytes[at..at + WORD].copy_from_slice(&word.to_le_bytes());
    }

    /// The key of a slot, its bit, and perhaps what stands above them; 0 if it is free.
    #[inline]
    fn key_word(&self, slot: usize) -> Key {
        self.word(slot * self.layout.width) & self.layout.word_mask
    }

    #[inline]
    fn above(&self, slot: usize) -> Key {
        let at = slot * self.layout.width;
        match self.layout.apart {
            None => self.key_word(slot) >> self.layout.key >> 1,
            Some(apart) => self.word(at + apart) & lowest(self.layout.marks + self.layout.label),
        }
    }

    #[inline]
    fn set_above(&mut self, slot: usize, above: Key) {
        let Layout { key, width, apart, word_mask, key_mask, .. } = self.layout;
        match apart {
            None => {
                let word = self.key_word(slot) & (key_mask << 1 | 1) | above << key << 1;
                self.set_word(slot * width, word_mask, word);
            }
            Some(apart) => self.set_word(slot * width + apart, lowest(8 * (width - apart) as u32), above),
        }
    }

    #[inline]
    fn entry(&self, slot: usize) -> Entry {
        Entry { key: self.key_word(slot) & (self.layout.key_mask << 1 | 1), above: self.above(slot) }
    }

    #[inline]
    fn set(&mut self, slot: usize, Entry { key, above }: Entry) {
        self.set_word(slot * self.layout.width, self.layout.word_mask, key);
        if above != 0 || self.layout.apart.is_some() {
            self.set_above(slot, above);
        }
    }

    fn is_free(&self, slot: usize) -> bool {
        self.key_word(slot) == 0
    }

    /// Reads from where an entry will be looked for, so that it is in the cache then. The result means nothing.
    #[inline]
    pub(super) fn touch(&self, hash: u64) -> u8 {
        self.bytes[self.home(hash) * self.layout.width]
    }

    /// The entry of a key, or the slot where it would be.
    #[inline]
    fn probe(&self, hash: u64, key: Key) -> Result<Seat, usize> {
        let mask = self.layout.key_mask;
        let mut slot = self.home(hash);
        loop {
            let entry = self.key_word(slot);
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
    pub(super) fn find(&self, hash: u64, key: Key) -> Option<Seat> {
        self.probe(hash, key).ok()
    }

    /// A seat for later.
    pub(super) fn note(&self, Seat(slot): Seat) -> Noted {
        Noted { slot, version: self.version }
    }

    /// A seat that was noted; `None` if entries have moved.
    #[inline]
    pub(super) fn noted(&self, noted: Noted) -> Option<Seat> {
        (noted.version == self.version).then_some(Seat(noted.slot))
    }

    /// Adds a key, without marks; whether it is new.
    #[inline]
    pub(super) fn insert(&mut self, hash: u64, key: Key) -> (Seat, bool) {
        if self.len * 5 >= self.slots * 4 {
            self.grow();
        }
        match self.probe(hash, key) {
            Ok(seat) => (seat, false),
            Err(slot) => {
                self.set(slot, Entry { key: key | 1 << self.layout.key, above: 0 });
                self.len += 1;
                (Seat(slot), true)
            }
        }
    }

    /// The marks of an entry.
    #[inline]
    pub(super) fn marks(&self, Seat(slot): Seat) -> u64 {
        (self.above(slot) & self.layout.mark_mask) as u64
    }

    /// Replaces them.
    #[inline]
    pub(super) fn set_marks(&mut self, Seat(slot): Seat, marks: u64) {
        let label = self.above(slot) & !self.layout.mark_mask;
        self.set_above(slot, label | Key::from(marks));
    }

    /// The label of an entry.
    pub(super) fn label(&self, Seat(slot): Seat) -> Label {
        (self.above(slot) >> self.layout.marks) as Label
    }

    /// Gives an entry without a label one.
    pub(super) fn set_label(&mut self, Seat(slot): Seat, label: Label) {
        self.set_above(slot, self.above(slot) | Key::from(label) << self.layout.marks);
    }

    /// All keys, each with its label.
    pub(super) fn labelled(&self) -> impl Iterator<Item = (Key, Label)> {
        let used = |slot: &usize| !self.is_free(*slot);
        (0..self.slots).filter(used).map(|slot| (self.key_word(slot) & self.layout.key_mask, self.label(Seat(slot))))
    }

    /// Makes room, in place.
    #[cold]
    fn grow(&mut self) {
        let old = self.slots;
        self.slots = self.grown();
        self.version += 1;
        self.resize();
        let mut aside = Vec::new();
        for from in (0..old).rev() {
            if self.is_free(from) {
                continue;
            }
            let entry = self.entry(from);
            self.set(from, Entry::default());
            let mut to = self.home(hash(entry.key & self.layout.key_mask));
            // Behind the slot that is being emptied, everything has found its place.
            while to > from && to < self.slots && !self.is_free(to) {
                to += 1;
            }
            match to > from && to < self.slots {
                true => self.set(to, entry),
                false => aside.push(entry),
            }
        }
        for entry in aside {
            let mut slot = self.home(hash(entry.key & self.layout.key_mask));
            while !self.is_free(slot) {
                slot = self.after(slot);
            }
            self.set(slot, entry);
        }
    }

    /// Fits the array to the number of slots.
    fn resize(&mut self) {
        let bytes = self.slots * self.layout.width + WORD;
        self.bytes.reserve_exact(bytes.saturating_sub(self.bytes.len()));
        self.bytes.resize(bytes, 0);
    }

    /// Replaces every key, in place; `new` must not map two keys to one.
    pub(super) fn rekey(&mut self, key_bits: u32, mark_bits: u32, new: impl Fn(Key) -> Key) -> Result<(), TooWide> {
        let old = self.layout;
        self.version += 1;
        self.lay_out(Layout::new(key_bits, mark_bits, old.label)?);
        let renewed = |Entry { key, above }: Entry| {
            let key = new(key & old.key_mask);
            let (marks, label) = (above & old.mark_mask, above >> old.marks);
            (Entry { key: key | 1 << key_bits, above: marks | label << mark_bits }, key)
        };
        let mut done = vec![0_u64; self.slots.div_ceil(64)];
        for from in 0..self.slots {
            if self.is_free(from) || done[from / 64] >> (from % 64) & 1 == 1 {
                continue;
            }
            let (mut entry, mut key) = renewed(self.entry_laid_out_as(&old, from));
            self.set(from, Entry::default());
            loop {
                let mut to = self.home(hash(key));
                while done[to / 64] >> (to % 64) & 1 == 1 {
                    to = self.after(to);
                }
                let there = (!self.is_free(to)).then(|| self.entry_laid_out_as(&old, to));
                self.set(to, entry);
                done[to / 64] |= 1 << (to % 64);
                let Some(there) = there else { break };
                (entry, key) = renewed(there);
            }
        }
        Ok(())
    }

    /// An entry whose bits are still those of another layout, although its bytes are in place.
    fn entry_laid_out_as(&self, layout: &Layout, slot: usize) -> Entry {
        let at = slot * self.layout.width;
        let word = self.word(at) & layout.word_mask;
        let above = match layout.apart {
            None => word >> layout.key >> 1,
            Some(apart) => self.word(at + apart) & lowest(layout.marks + layout.label),
        };
        Entry { key: word & (layout.key_mask << 1 | 1), above }
    }

    /// Gives every entry the bytes of another layout, from the end. Its bits stay where they are.
    fn lay_out(&mut self, layout: Layout) {
        let (old, width) = (self.layout.width, layout.width.max(self.layout.width));
        self.layout = layout.with_width(width);
        if width == old {
            return;
        }
        self.resize();
        for slot in (0..self.slots).rev() {
            self.bytes.copy_within(slot * old..(slot + 1) * old, slot * width);
            self.bytes[slot * width + old..(slot + 1) * width].fill(0);
        }
    }
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
        for (key_bits, mark_bits) in [(9, 3), (14, 0), (20, 11), (40, 23), (70, 9), (100, 21), (105, 41), (124, 63)] {
            let mut table = Table::new(key_bits, mark_bits).expect("it fits");
            let mut known: HashMap<Key, u64> = HashMap::new();
            let mut shift = 0;
            for round in 0..6_000 {
                let key = (Key::from(chance.draw()) << 64 | Key::from(chance.draw())) & lowest(key_bits);
                let key = key << shift;
                let (seat, new) = table.insert(hash(key), key);
                assert_eq!(new, !known.contains_key(&key), "{key_bits} {mark_bits} {round}");
                let marks = chance.draw() & ((1 << mark_bits) - 1);
                table.set_marks(seat, marks);
                known.insert(key, marks);
                if round % 1_000 == 999 {
                    table.grow_less();
                }
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
        assert!(Table::new(128, 8).is_err());
    }
    #[test]
    fn bytes_are_those_of_the_slots_and_a_growth_is_known_beforehand() {
        let mut table = Table::new(20, 3).expect("it fits");
        for key in 0..10_000 {
            let (before, growth) = (table.bytes(), table.growth());
            table.insert(hash(key), key);
            // Three bytes for a key and its marks, at least.
            assert!(table.bytes() >= 3 * table.len() as u64);
            assert!(table.bytes() == before || table.bytes() == before + growth, "{before} {growth}");
        }
        assert!(table.bytes() < 10 * table.len() as u64, "{}", table.bytes());
    }
}
