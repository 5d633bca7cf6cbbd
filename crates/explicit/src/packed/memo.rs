//! The steps that are remembered. What a unit (a thread alone, two threads that meet, a question about a thread) does in a
//! state depends on the part of its thread and on the parts in its footprint. So with each code of the thread goes a mask,
//! the bits of the parts that were in a footprint so far; and an entry is the key under that mask, with the list of what follows.
//!
//! A mask that grows leaves old entries right, because they hold for every value of what they did not read; they are only found
//! less often.

use super::codes::{Codes, Key, Moves};
use super::table::hash;

/// Whose steps, as a number: see [`unit`].
pub(crate) type UnitId = u32;

/// What is asked about a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Question {
    /// Its steps alone.
    Alone,
    /// Whether it spins.
    Spins,
    /// The steps in which it meets this thread.
    Meets(usize),
}

/// Threads that units can tell apart.
pub(crate) const MOST_THREADS: usize = 62;

/// The number of a unit.
#[inline]
pub(crate) fn unit(thread: usize, question: Question) -> UnitId {
    let which = match question {
        Question::Alone => 0,
        Question::Spins => 1,
        Question::Meets(other) => 2 + other,
    };
    (thread * (MOST_THREADS + 2) + which) as UnitId
}

fn thread_of(unit: usize) -> usize {
    unit / (MOST_THREADS + 2)
}

/// One remembered step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Delta {
    /// The bits of the key that change.
    pub change: Key,
    /// The thread that ran last.
    pub last: u8,
    /// It is gone afterwards.
    pub gone: bool,
    /// It keeps the turn.
    pub atomic: bool,
    /// Position among the transitions of the thread that acts.
    pub order: u16,
}

/// What is known about a unit where its footprint has certain values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Known {
    start: u32,
    count: u16,
    /// Flags of [`Known`], or an answer.
    pub flags: u8,
}

impl Known {
    /// The thread offers to meet others.
    pub(super) const OFFERS: u8 = 1;
    /// Without a step it waits until nobody has one.
    pub(super) const WAITS: u8 = 2;
    /// The steps cannot be remembered.
    pub(super) const OPAQUE: u8 = 4;

    /// Whether a flag is set.
    #[inline]
    pub(super) fn is(self, flag: u8) -> bool {
        self.flags & flag != 0
    }

    /// Where its steps are.
    #[inline]
    pub(super) fn steps(self) -> std::ops::Range<usize> {
        self.start as usize..self.start as usize + usize::from(self.count)
    }
}

#[derive(Clone, Copy, Default)]
struct Entry {
    key: Key,
    /// Plus one; 0 is a free slot.
    unit: UnitId,
    known: Known,
}

/// The masks of a unit, by the code of its thread, as bits of keys and as sets of parts.
#[derive(Clone, Default)]
struct Masks {
    bits: Vec<Key>,
    parts: Vec<u64>,
}

/// Everything that is remembered.
pub(crate) struct Memo {
    masks: Vec<Masks>,
    /// Words of a set of parts.
    words: usize,
    entries: Vec<Entry>,
    len: usize,
    deltas: Vec<Delta>,
}

impl Memo {
    /// Nothing yet.
    pub(super) fn new() -> Self {
        Memo { masks: Vec::new(), words: 1, entries: vec![Entry::default(); 1 << 8], len: 0, deltas: Vec::new() }
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> u64 {
        let masks: usize = self.masks.iter().map(|masks| masks.bits.len() * 16 + masks.parts.len() * 8).sum();
        let lists = self.entries.len() * size_of::<Entry>() + self.deltas.capacity() * size_of::<Delta>();
        (masks + lists) as u64
    }

    /// A remembered step.
    #[inline]
    pub(super) fn delta(&self, index: usize) -> Delta {
        self.deltas[index]
    }

    /// What is known about a unit in a state; `code` is that of its thread.
    #[inline]
    pub(super) fn find(&self, unit: UnitId, code: u32, key: Key) -> Option<Known> {
        let mask = *self.masks.get(unit as usize)?.bits.get(code as usize)?;
        let key = key & mask;
        let mut slot = self.home(unit, key);
        loop {
            let entry = &self.entries[slot];
            if entry.unit == unit + 1 && entry.key == key {
                return Some(entry.known);
            }
            if entry.unit == 0 {
                return None;
            }
            slot = (slot + 1) & (self.entries.len() - 1);
        }
    }

    #[inline]
    fn home(&self, unit: UnitId, key: Key) -> usize {
        (hash(key) >> 20 ^ u64::from(unit).wrapping_mul(0x9e37_79b9)) as usize & (self.entries.len() - 1)
    }

    /// The parts that matter to a unit, as far as is known; `out` gets them too.
    pub(super) fn add_parts_of(&self, unit: UnitId, code: u32, out: &mut Vec<u64>) {
        let Some(masks) = self.masks.get(unit as usize) else { return };
        let from = code as usize * self.words;
        out.resize(out.len().max(self.words), 0);
        for (all, parts) in out.iter_mut().zip(masks.parts.get(from..from + self.words).unwrap_or(&[])) {
            *all |= parts;
        }
    }

    /// Remembers what a unit does in a state, given the parts that this depends on.
    pub(super) fn add(
        &mut self,
        unit: UnitId,
        key: Key,
        codes: &Codes,
        parts: &[u64],
        steps: &[Delta],
        flags: u8,
    ) -> Known {
        let code = codes.field(codes.thread_part(thread_of(unit as usize))).get(key) as usize;
        let mask = self.extend_mask(unit as usize, code, codes, parts);
        let start = self.deltas.len() as u32;
        self.deltas.extend_from_slice(steps);
        let known = Known { start, count: steps.len() as u16, flags };
        self.put(Entry { key: key & mask, unit: unit + 1, known });
        known
    }

    fn extend_mask(&mut self, unit: usize, code: usize, codes: &Codes, parts: &[u64]) -> Key {
        if self.masks.len() <= unit {
            self.masks.resize(unit + 1, Masks::default());
        }
        self.refresh(unit, codes);
        let words = self.words;
        let Masks { bits, parts: known } = &mut self.masks[unit];
        let known = &mut known[code * words..(code + 1) * words];
        if known.iter().zip(parts).any(|(known, parts)| parts & !known != 0) {
            known.iter_mut().zip(parts).for_each(|(known, parts)| *known |= parts);
            bits[code] |= mask_of(codes, known);
        }
        bits[code]
    }

    /// Fits the masks of a unit to the codes of its thread.
    fn refresh(&mut self, unit: usize, codes: &Codes) {
        let own = codes.field(codes.thread_part(thread_of(unit)));
        let masks = &mut self.masks[unit];
        masks.bits.resize(own.room(), own.ones());
        masks.parts.resize(own.room() * self.words, 0);
    }

    fn put(&mut self, entry: Entry) {
        if self.len * 2 >= self.entries.len() {
            let size = self.entries.len() * 2;
            let old = std::mem::replace(&mut self.entries, vec![Entry::default(); size]);
            self.len = 0;
            old.into_iter().filter(|entry| entry.unit > 0).for_each(|entry| self.put(entry));
        }
        let mut slot = self.home(entry.unit - 1, entry.key);
        while self.entries[slot].unit > 0 {
            slot = (slot + 1) & (self.entries.len() - 1);
        }
        self.entries[slot] = entry;
        self.len += 1;
    }

    /// Follows the keys when fields have become wider.
    pub(super) fn rekey(&mut self, codes: &Codes, moves: &Moves) {
        let words = codes.parts().div_ceil(64);
        for unit in 0..self.masks.len() {
            if self.masks[unit].bits.is_empty() {
                continue;
            }
            let old = std::mem::take(&mut self.masks[unit]);
            let own = codes.field(codes.thread_part(thread_of(unit)));
            let mut masks = Masks { bits: vec![own.ones(); own.room()], parts: vec![0; own.room() * words] };
            for (code, parts) in old.parts.chunks(self.words).enumerate() {
                let known = &mut masks.parts[code * words..(code + 1) * words];
                known[..self.words].copy_from_slice(parts);
                masks.bits[code] |= mask_of(codes, known);
            }
            self.masks[unit] = masks;
        }
        self.words = words;
        self.deltas.iter_mut().for_each(|delta| delta.change = moves.apply(delta.change));
        let size = self.entries.len();
        let old = std::mem::replace(&mut self.entries, vec![Entry::default(); size]);
        self.len = 0;
        for entry in old.into_iter().filter(|entry| entry.unit > 0) {
            self.put(Entry { key: moves.apply(entry.key), ..entry });
        }
    }
}

/// The bits of these parts.
fn mask_of(codes: &Codes, parts: &[u64]) -> Key {
    let has = |part: &usize| parts.get(part / 64).is_some_and(|word| word >> (part % 64) & 1 == 1);
    (0..codes.parts()).filter(has).fold(0, |mask, part| mask | codes.field(part).ones())
}
