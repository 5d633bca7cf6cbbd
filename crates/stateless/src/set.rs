//! Sets of threads: one word for the first 64, more words only where a run has more threads.

use crate::ThreadId;
/// A set of thread numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ThreadSet {
    low: u64,
    /// The words after the first, if any thread ever was there; boxed because most sets have none and many are kept.
    #[allow(clippy::box_collection)]
    high: Option<Box<Vec<u64>>>,
}

impl ThreadSet {
    /// The set of the threads below 64 whose bits are set.
    pub(crate) fn set_low(&mut self, bits: u64) {
        self.low = bits;
        self.high = None;
    }

    /// Whether all its threads are below 64.
    pub(crate) fn fits_a_word(&self) -> bool {
        self.words().iter().all(|&w| w == 0)
    }

    /// The threads below 64 as bits.
    pub(crate) fn first_word(&self) -> u64 {
        self.low
    }

    /// Adds a thread; whether it is new.
    pub(crate) fn insert(&mut self, thread: ThreadId) -> bool {
        if thread.0 < 64 {
            let new = self.low & (1 << thread.0) == 0;
            self.low |= 1 << thread.0;
            return new;
        }
        let new = !self.contains(thread);
        let (word, bit) = (thread.index() / 64, 1 << (thread.0 % 64));
        let high = self.high.get_or_insert_default();
        if high.len() < word {
            high.resize(word, 0);
        }
        high[word - 1] |= bit;
        new
    }

    /// Removes a thread.
    pub(crate) fn remove(&mut self, thread: ThreadId) {
        let (word, bit) = (thread.index() / 64, 1 << (thread.0 % 64));
        if word == 0 {
            self.low &= !bit;
        } else if let Some(w) = self.high.as_mut().and_then(|h| h.get_mut(word - 1)) {
            *w &= !bit;
        }
    }

    /// Whether a thread is in it.
    pub(crate) fn contains(&self, thread: ThreadId) -> bool {
        let (word, bit) = (thread.index() / 64, 1u64 << (thread.0 % 64));
        let w = if word == 0 { self.low } else { self.words().get(word - 1).copied().unwrap_or(0) };
        w & bit != 0
    }

    /// Empties it.
    pub(crate) fn clear(&mut self) {
        self.low = 0;
        self.high = None;
    }

    /// The words after the first.
    fn words(&self) -> &[u64] {
        self.high.as_ref().map_or(&[], |high| high.as_slice())
    }

    /// Whether nobody is in it.
    pub(crate) fn is_empty(&self) -> bool {
        self.low == 0 && self.words().iter().all(|&w| w == 0)
    }

    /// Adds all of another set.
    pub(crate) fn union(&mut self, other: &ThreadSet) {
        self.low |= other.low;
        if let Some(theirs) = &other.high {
            let ours = self.high.get_or_insert_default();
            if ours.len() < theirs.len() {
                ours.resize(theirs.len(), 0);
            }
            ours.iter_mut().zip(theirs.iter()).for_each(|(a, b)| *a |= b);
        }
    }

    /// Becomes a copy.
    #[inline]
    pub(crate) fn copy_from(&mut self, other: &ThreadSet) {
        self.low = other.low;
        if self.high.is_some() || other.high.is_some() {
            self.copy_high_from(other);
        }
    }

    #[cold]
    fn copy_high_from(&mut self, other: &ThreadSet) {
        self.high.clone_from(&other.high);
    }

    /// The threads in order.
    pub(crate) fn iter(&self) -> Iter<'_> {
        Iter { word: self.low, first: 0, rest: self.words() }
    }
}

/// The threads of a set in order.
pub(crate) struct Iter<'a> {
    /// What is left of the word at hand, the number of its first bit, and the words after it.
    word: u64,
    first: u32,
    rest: &'a [u64],
}

impl Iterator for Iter<'_> {
    type Item = ThreadId;

    fn next(&mut self) -> Option<ThreadId> {
        while self.word == 0 {
            let (&word, rest) = self.rest.split_first()?;
            (self.word, self.first, self.rest) = (word, self.first + 64, rest);
        }
        let bit = self.word.trailing_zeros();
        self.word &= self.word - 1;
        Some(ThreadId(self.first + bit))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_holds_threads_beyond_the_first_word() {
        let mut set = ThreadSet::default();
        for t in [3, 64, 200, 3] {
            set.insert(ThreadId(t));
        }
        assert_eq!(set.iter().collect::<Vec<_>>(), [3, 64, 200].map(ThreadId));
        set.remove(ThreadId(64));
        let mut other = ThreadSet::default();
        other.insert(ThreadId(70));
        set.union(&other);
        assert_eq!(set.iter().collect::<Vec<_>>(), [3, 70, 200].map(ThreadId));
        assert!(!set.contains(ThreadId(64)) && set.contains(ThreadId(200)) && !set.is_empty());
    }
}
