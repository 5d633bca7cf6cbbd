//! The number of a thread.

/// A thread or process, numbered from 0 as the language numbers it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ThreadId(pub u32);
