//! What the layered search remembers of the states it has met: [`Memory`], and the exact kind of it.

use selvedge_core::{Omission, ThreadId};
use selvedge_machine::{Machine, Path, Threads};

use crate::path;
use crate::store::{StateId, Store};
use crate::stored::Stored;

/// A set of states that remembers which threads' steps were taken from each.
///
/// A state is handed out as a `Ref`, which stays good as long as the search keeps it. Two states are the same iff their
/// bytes after the hidden prefix are; a lossy memory may take two states for one, never one for two.
pub(crate) trait Memory {
    /// A state that was met.
    type Ref: Clone;

    /// Adds a state that was reached from `parent`; whether it is new.
    fn insert(&mut self, state: &[u8], parent: Option<&Self::Ref>) -> (Self::Ref, bool);

    /// Writes a state's bytes to `out`.
    fn load(&self, at: &Self::Ref, out: &mut Vec<u8>);

    /// Whether a thread's steps were taken from here.
    fn is_taken(&self, at: &Self::Ref, thread: ThreadId) -> bool;

    /// Notes that a thread's steps are taken; whether they were not before.
    fn take(&mut self, at: &Self::Ref, thread: ThreadId) -> bool;

    /// Whether every thread's steps were taken from here.
    fn all_taken(&self, at: &Self::Ref) -> bool;

    /// Notes that every thread's steps are taken; the threads whose were not before. `threads` is how many are alive.
    fn take_others(&mut self, at: &Self::Ref, threads: u32) -> Threads;

    /// Adds a thread to those whose steps are to be taken together, unless its steps were taken. Whether the state is to
    /// be expanded for them and is not waiting for that yet; `None` if the memory cannot gather threads.
    fn put_in_batch(&mut self, _at: &Self::Ref, _thread: ThreadId) -> Option<bool> {
        None
    }

    /// Notes that the steps of the gathered threads are taken; the threads whose were not before.
    fn take_batch(&mut self, _at: &Self::Ref) -> Threads {
        Threads::NONE
    }

    /// Notes that switching is free here; whether that is news, and some thread's steps were not taken.
    fn put_free(&mut self, at: &Self::Ref) -> bool {
        !self.all_taken(at)
    }

    /// A run to a state.
    fn path<M: Machine>(&self, machine: &M, at: &Self::Ref) -> Path;

    /// Distinct states.
    fn len(&self) -> u64;

    /// Bytes held.
    fn bytes(&self) -> u64;

    /// Bytes the next growth takes on top of that.
    fn growth(&self) -> u64;

    /// Grows by smaller steps from now on; whether it still can.
    fn grow_less(&mut self) -> bool {
        false
    }

    /// What a state takes.
    fn bytes_per_state(&self) -> f64;

    /// Where a memory that keeps states in the order in which they were met ends.
    fn end(&self) -> StateId {
        StateId(0)
    }

    /// The states that were met, given where the memory ended after each layer, if it knows them exactly.
    fn into_stored(self, _ends: Vec<StateId>) -> Option<Stored>
    where
        Self: Sized,
    {
        None
    }

    /// What may have been missed; `None` if nothing was.
    fn omission(&self) -> Option<Omission> {
        None
    }
}

impl Memory for Store {
    type Ref = StateId;

    fn insert(&mut self, state: &[u8], parent: Option<&StateId>) -> (StateId, bool) {
        Store::insert(self, state, parent.copied())
    }

    fn load(&self, at: &StateId, out: &mut Vec<u8>) {
        self.get(*at, out);
    }

    #[inline]
    fn is_taken(&self, at: &StateId, thread: ThreadId) -> bool {
        self.is_marked(*at, thread)
    }

    #[inline]
    fn take(&mut self, at: &StateId, thread: ThreadId) -> bool {
        self.mark(*at, thread)
    }

    #[inline]
    fn all_taken(&self, at: &StateId) -> bool {
        self.all_marked(*at)
    }

    fn take_others(&mut self, at: &StateId, threads: u32) -> Threads {
        self.mark_all(*at, threads)
    }

    #[inline]
    fn put_in_batch(&mut self, at: &StateId, thread: ThreadId) -> Option<bool> {
        self.gather(*at, thread)
    }

    #[inline]
    fn take_batch(&mut self, at: &StateId) -> Threads {
        self.mark_gathered(*at)
    }

    #[inline]
    fn put_free(&mut self, at: &StateId) -> bool {
        self.mark_free(*at)
    }

    fn path<M: Machine>(&self, machine: &M, at: &StateId) -> Path {
        path::to(machine, self, *at)
    }

    fn len(&self) -> u64 {
        Store::len(self)
    }

    fn bytes(&self) -> u64 {
        Store::bytes(self)
    }

    fn growth(&self) -> u64 {
        Store::growth(self)
    }

    fn grow_less(&mut self) -> bool {
        Store::grow_less(self)
    }

    fn bytes_per_state(&self) -> f64 {
        Store::bytes_per_state(self)
    }

    fn end(&self) -> StateId {
        Store::end(self)
    }

    fn into_stored(self, ends: Vec<StateId>) -> Option<Stored> {
        Some(Stored::new(self, ends))
    }
}
