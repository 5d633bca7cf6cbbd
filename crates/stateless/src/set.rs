//! Sets of threads: one word for the first 64, more words only where a run has more threads.

/// A set of thread numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ThreadSet {
    low: u64,
    high: Vec<u64>,
}

impl ThreadSet {
    /// Adds a thread; whether it is new.
    pub(crate) fn insert(&mut self, thread: u32) -> bool {
        let new = !self.contains(thread);
        let (word, bit) = (thread as usize / 64, 1 << (thread % 64));
        if word == 0 {
            self.low |= bit;
        } else {
            if self.high.len() < word {
                self.high.resize(word, 0);
            }
            self.high[word - 1] |= bit;
        }
        new
    }

    /// Removes a thread.
    pub(crate) fn remove(&mut self, thread: u32) {
        let (word, bit) = (thread as usize / 64, 1 << (thread % 64));
        if word == 0 {
            self.low &= !bit;
        } else if let Some(w) = self.high.get_mut(word - 1) {
            *w &= !bit;
        }
    }

    /// Whether a thread is in it.
    pub(crate) fn contains(&self, thread: u32) -> bool {
        let (word, bit) = (thread as usize / 64, 1u64 << (thread % 64));
        let w = if word == 0 { self.low } else { self.high.get(word - 1).copied().unwrap_or(0) };
        w & bit != 0
    }

    /// Empties it, keeping memory.
    pub(crate) fn clear(&mut self) {
        self.low = 0;
        self.high.clear();
    }

    /// Whether nobody is in it.
    pub(crate) fn is_empty(&self) -> bool {
        self.low == 0 && self.high.iter().all(|&w| w == 0)
    }

    /// Adds all of another set.
    pub(crate) fn union(&mut self, other: &ThreadSet) {
        self.low |= other.low;
        if self.high.len() < other.high.len() {
            self.high.resize(other.high.len(), 0);
        }
        for (a, b) in self.high.iter_mut().zip(&other.high) {
            *a |= b;
        }
    }

    /// Becomes a copy, keeping memory.
    pub(crate) fn copy_from(&mut self, other: &ThreadSet) {
        self.low = other.low;
        self.high.clear();
        self.high.extend_from_slice(&other.high);
    }

    /// The threads in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        let words = std::iter::once(self.low).chain(self.high.iter().copied());
        words.enumerate().flat_map(|(i, word)| Bits(word).map(move |bit| i as u32 * 64 + bit))
    }
}

/// The positions of the bits of a word.
struct Bits(u64);

impl Iterator for Bits {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        let bit = (self.0 != 0).then(|| self.0.trailing_zeros())?;
        self.0 &= self.0 - 1;
        Some(bit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_holds_threads_beyond_the_first_word() {
        let mut set = ThreadSet::default();
        for t in [3, 64, 200, 3] {
            set.insert(t);
        }
        assert_eq!(set.iter().collect::<Vec<_>>(), [3, 64, 200]);
        set.remove(64);
        let mut other = ThreadSet::default();
        other.insert(70);
        set.union(&other);
        assert_eq!(set.iter().collect::<Vec<_>>(), [3, 70, 200]);
        assert!(!set.contains(64) && set.contains(200) && !set.is_empty());
    }
}
