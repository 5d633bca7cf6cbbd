//! Packed states: each part of a state ([`selvedge_machine::Traced`]) is a small number, its code, and the codes stand side
//! by side in one [`Key`]. A part that never changes takes no bits.
//!
//! A part with a value that was not met before gets a new code. When the codes of a part no longer fit into its field, the
//! fields are laid out anew ([`Codes::widen`]) and every key moves ([`Moves`]).

use rustc_hash::FxHashMap;
use selvedge_machine::Parts;

/// A packed state.
pub(crate) type Key = u128;

/// The values of one part, and the place of their codes.
#[derive(Default)]
struct Part {
    codes: FxHashMap<Box<[u8]>, u32>,
    values: Vec<Box<[u8]>>,
    field: Field,
}

/// Bits of a key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Field {
    shift: u32,
    width: u32,
}

impl Field {
    /// The code in it.
    #[inline]
    pub(super) fn get(self, key: Key) -> u32 {
        (key >> self.shift) as u32 & ((1_u64 << self.width) - 1) as u32
    }

    #[inline]
    fn put(self, code: u32) -> Key {
        if self.width == 0 { 0 } else { Key::from(code) << self.shift }
    }

    /// All its bits.
    pub(super) fn ones(self) -> Key {
        self.put(((1_u64 << self.width) - 1) as u32)
    }

    /// How many codes fit.
    pub(super) fn room(self) -> usize {
        1 << self.width
    }
}

/// The codes of all parts.
pub(crate) struct Codes {
    parts: Vec<Part>,
    /// Parts in front of those of threads.
    shared: usize,
    bits: u32,
    bytes: u64,
    buffer: Parts,
    /// The parts that were packed last and their key: most parts of the next state are the same.
    last: Option<(Parts, Key)>,
}

impl Codes {
    /// No codes yet; `shared` parts belong to no thread.
    pub(super) fn new(shared: usize) -> Self {
        Codes { parts: Vec::new(), shared, bits: 0, bytes: 0, buffer: Parts::default(), last: None }
    }

    /// Bits of a key.
    pub(super) fn bits(&self) -> u32 {
        self.bits
    }

    /// Bytes held, about.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The parts that are known.
    pub(super) fn parts(&self) -> usize {
        self.parts.len()
    }

    /// The most threads that a state had.
    pub(super) fn threads(&self) -> usize {
        self.parts.len().saturating_sub(self.shared)
    }

    /// The field of a part.
    pub(super) fn field(&self, part: usize) -> Field {
        self.parts[part].field
    }

    /// The value of a part that has this code.
    pub(super) fn value(&self, part: usize, code: usize) -> &[u8] {
        &self.parts[part].values[code]
    }

    /// The part of a thread.
    pub(super) fn thread_part(&self, thread: usize) -> usize {
        self.shared + thread
    }

    /// How many threads a state has.
    #[inline]
    pub(super) fn thread_count(&self, key: Key) -> usize {
        let shape = &self.parts[0];
        usize::from(shape.values[shape.field.get(key) as usize][0])
    }

    /// The key of a state; `None` if a code does not fit: call [`Codes::widen`].
    pub(super) fn pack(&mut self, parts: &Parts) -> Option<Key> {
        let last = self.last.take();
        let similar = last.as_ref().and_then(|(last, key)| self.pack_like(parts, last, *key));
        let key = similar.unwrap_or_else(|| self.pack_all(parts))?;
        // What the last state is kept in is used again.
        let mut kept = last.map_or_else(Parts::default, |(last, _)| last);
        kept.copy_from(parts);
        self.last = Some((kept, key));
        Some(key)
    }

    /// The same for a state in which most parts are those of another one; `None` if the two have not the same parts.
    fn pack_like(&mut self, parts: &Parts, other: &Parts, mut key: Key) -> Option<Option<Key>> {
        let mut fits = true;
        let alike = parts.changed(other, |part| {
            let field = self.parts[part].field;
            let code = self.code(part, parts.get(part));
            fits &= (code as usize) < field.room();
            key = key & !field.ones() | field.put(code);
        });
        alike.then(|| fits.then_some(key))
    }

    fn pack_all(&mut self, parts: &Parts) -> Option<Key> {
        while self.parts.len() < parts.len() {
            let mut part = Part::default();
            // States met before do not have it, except at the very start.
            if self.bits > 0 {
                part.add(&[]);
            }
            self.parts.push(part);
        }
        let mut key = 0;
        let mut fits = true;
        for index in 0..self.parts.len() {
            let code = self.code(index, parts.get(index));
            let field = self.parts[index].field;
            fits &= (code as usize) < field.room();
            key |= field.put(code);
        }
        fits.then_some(key)
    }

    /// The code of a value of a part.
    fn code(&mut self, part: usize, value: &[u8]) -> u32 {
        let part = &mut self.parts[part];
        match part.codes.get(value) {
            Some(code) => *code,
            None => {
                self.bytes += 2 * value.len() as u64 + 64;
                part.add(value)
            }
        }
    }

    /// Lays the fields out so that all codes fit.
    pub(super) fn widen(&mut self) -> Moves {
        self.last = None;
        let mut moves = Vec::new();
        let mut shift = 0;
        for part in &mut self.parts {
            let needed = usize::BITS - (part.values.len().max(1) - 1).leading_zeros();
            let field = Field { shift, width: needed.max(part.field.width) };
            if part.field.width > 0 {
                moves.push((part.field, field));
            }
            shift += field.width;
            part.field = field;
        }
        self.bits = shift.max(1);
        Moves::new(moves)
    }

    /// The parts of a state.
    pub(super) fn unpack(&mut self, key: Key) -> &Parts {
        self.buffer.clear();
        let threads = self.thread_count(key);
        for part in &self.parts[..self.shared + threads] {
            self.buffer.push(&part.values[part.field.get(key) as usize]);
        }
        &self.buffer
    }
}

impl Part {
    fn add(&mut self, value: &[u8]) -> u32 {
        let code = self.values.len() as u32;
        self.values.push(value.into());
        self.codes.insert(value.into(), code);
        code
    }
}

/// Where the bits of a key go when fields become wider.
pub(crate) struct Moves {
    /// Bits that move together, and by how much to the left.
    runs: Vec<(Key, u32)>,
}

impl Moves {
    fn new(fields: Vec<(Field, Field)>) -> Self {
        let mut runs: Vec<(Key, u32)> = Vec::new();
        for (from, to) in fields {
            let by = to.shift - from.shift;
            match runs.last_mut() {
                Some((mask, before)) if *before == by => *mask |= from.ones(),
                _ => runs.push((from.ones(), by)),
            }
        }
        Moves { runs }
    }

    /// The key in the new layout.
    #[inline]
    pub(super) fn apply(&self, key: Key) -> Key {
        self.runs.iter().fold(0, |new, (mask, by)| new | (key & mask) << by)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(values: &[&[u8]]) -> Parts {
        let mut parts = Parts::default();
        values.iter().for_each(|value| parts.push(value));
        parts
    }

    #[test]
    fn keys_stay_distinct_and_can_be_unpacked_after_every_widening() {
        let mut codes = Codes::new(2);
        let mut chance = selvedge_core::Chance::new(3);
        let mut known: Vec<(Parts, Key)> = Vec::new();
        for _ in 0..400 {
            let threads = 1 + chance.below(3);
            let values: Vec<[u8; 1]> = (0..=threads).map(|_| [chance.below(40) as u8]).collect();
            let shape = [threads as u8];
            let all: Vec<&[u8]> = [&shape[..]].into_iter().chain(values.iter().map(|value| &value[..])).collect();
            let state = parts(&all);
            let key = codes.pack(&state).unwrap_or_else(|| {
                let moves = codes.widen();
                known.iter_mut().for_each(|(_, key)| *key = moves.apply(*key));
                codes.pack(&state).expect("all codes fit now")
            });
            known.push((state, key));
        }
        for (state, key) in &known {
            let unpacked = codes.unpack(*key);
            assert_eq!(unpacked.len(), state.len());
            assert!((0..state.len()).all(|part| unpacked.get(part) == state.get(part)));
            assert_eq!(codes.thread_count(*key), usize::from(state.get(0)[0]));
        }
    }
}
