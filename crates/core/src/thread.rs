//! The number of a thread.

/// A thread or process, numbered from 0 as the language numbers it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ThreadId(pub u32);

impl ThreadId {
    /// As an index into a table with one row for each thread.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}
