//! Packed states that wait: a queue or a stack, with as many bytes for each as its key needs. What a state waits for
//! and its depth rarely change from one state to the next, so they are stored once for a run of states.

use std::collections::VecDeque;

use super::codes::{Key, Moves};

/// Bytes that are taken at once.
const CHUNK: usize = 1 << 16;

/// What a state waits for; its meaning is the search's own.
pub(crate) type Tag = u8;

/// A state that waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Waiting {
    pub key: Key,
    pub depth: u32,
    pub tag: Tag,
}

#[derive(Clone, Copy)]
struct Run {
    depth: u32,
    tag: Tag,
    count: u64,
}

/// States that wait.
pub(crate) struct Queue {
    chunks: VecDeque<Vec<u8>>,
    /// Bytes of the first chunk that were taken.
    taken: usize,
    /// Bytes of a key.
    width: usize,
    runs: VecDeque<Run>,
    len: usize,
}

impl Queue {
    /// Nobody, with keys of this many bits.
    pub(super) fn new(bits: u32) -> Self {
        let width = (bits.div_ceil(8) as usize).max(1);
        Queue { chunks: VecDeque::new(), taken: 0, width, runs: VecDeque::new(), len: 0 }
    }

    /// How many wait.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Whether nobody waits.
    pub(super) fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Bytes held, without what runs have in reserve, which is not touched.
    pub(super) fn bytes(&self) -> u64 {
        (self.chunks.len() * CHUNK + self.runs.len() * size_of::<Run>()) as u64
    }

    /// One more.
    #[inline]
    pub(super) fn push(&mut self, Waiting { key, depth, tag }: Waiting) {
        if self.chunks.back().is_none_or(|chunk| chunk.len() + self.width > CHUNK) {
            self.chunks.push_back(Vec::with_capacity(CHUNK));
        }
        if let Some(chunk) = self.chunks.back_mut() {
            chunk.extend_from_slice(&key.to_le_bytes()[..self.width]);
        }
        match self.runs.back_mut() {
            Some(run) if (run.depth, run.tag) == (depth, tag) => run.count += 1,
            _ => self.runs.push_back(Run { depth, tag, count: 1 }),
        }
        self.len += 1;
    }

    /// The one that waits longest.
    #[inline]
    pub(super) fn pop(&mut self) -> Option<Waiting> {
        let run = self.runs.front_mut()?;
        let (depth, tag) = (run.depth, run.tag);
        run.count -= 1;
        if run.count == 0 {
            self.runs.pop_front();
        }
        let chunk = self.chunks.front()?;
        let mut bytes = [0; size_of::<Key>()];
        bytes[..self.width].copy_from_slice(&chunk[self.taken..self.taken + self.width]);
        self.taken += self.width;
        if self.taken == chunk.len() {
            self.chunks.pop_front();
            self.taken = 0;
        }
        self.len -= 1;
        Some(Waiting { key: Key::from_le_bytes(bytes), depth, tag })
    }

    /// The one that came last.
    pub(super) fn pop_last(&mut self) -> Option<Waiting> {
        let run = self.runs.back_mut()?;
        let (depth, tag) = (run.depth, run.tag);
        run.count -= 1;
        if run.count == 0 {
            self.runs.pop_back();
        }
        let taken = if self.chunks.len() == 1 { self.taken } else { 0 };
        let chunk = self.chunks.back_mut()?;
        let mut bytes = [0; size_of::<Key>()];
        let from = chunk.len() - self.width;
        bytes[..self.width].copy_from_slice(&chunk[from..]);
        chunk.truncate(from);
        if chunk.len() == taken {
            self.chunks.pop_back();
            self.taken = if self.chunks.is_empty() { 0 } else { self.taken };
        }
        self.len -= 1;
        Some(Waiting { key: Key::from_le_bytes(bytes), depth, tag })
    }

    /// Follows the keys when fields have become wider.
    pub(super) fn rekey(&mut self, bits: u32, moves: &Moves) {
        let mut new = Queue::new(bits);
        while let Some(waiting) = self.pop() {
            new.push(Waiting { key: moves.apply(waiting.key), ..waiting });
        }
        *self = new;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_leave_at_both_ends_in_the_order_in_which_they_came() {
        let mut chance = selvedge_core::Chance::new(9);
        let (mut queue, mut expected) = (Queue::new(20), VecDeque::new());
        for _ in 0..100_000 {
            if chance.once_in(3) {
                assert_eq!(queue.pop(), expected.pop_front());
            } else if chance.once_in(4) {
                assert_eq!(queue.pop_last(), expected.pop_back());
            } else {
                let key = Key::from(chance.draw()) & 0xf_ffff;
                let waiting = Waiting { key, depth: chance.below(2) as u32, tag: chance.below(2) as u8 };
                queue.push(waiting);
                expected.push_back(waiting);
            }
            assert_eq!(queue.len(), expected.len());
        }
    }
    #[test]
    fn bytes_are_those_of_the_keys() {
        let mut queue = Queue::new(20);
        (0..100_000).for_each(|key| queue.push(Waiting { key, depth: 1, tag: 0 }));
        let least = 3 * queue.len() as u64;
        assert!((least..least + 2 * CHUNK as u64 + 1_000).contains(&queue.bytes()), "{} {least}", queue.bytes());
    }
}
