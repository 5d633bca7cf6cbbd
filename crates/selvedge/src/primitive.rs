//! What the faces share: how a primitive made by a `const fn` finds its object in the execution at hand
//! ([`held`]), what outlives an execution ([`statics`]), names for reports ([`names`]), who allocated what ([`allocator`]), and the few questions every
//! operation asks. The runtime itself is the crate `stateless`.

mod allocator;
pub(crate) mod freed;
pub(crate) mod held;
pub(crate) mod names;
pub(crate) mod notes;
pub(crate) mod statics;

use std::cell::Cell;

pub(crate) use held::Held;
pub(crate) use notes::note;
use selvedge_stateless::rt::{fail, panicking, weaker_ordering as weaker_ordering_used};
use selvedge_stateless::{At, ViolationKind};

thread_local! {
    static WEAKER: Cell<bool> = const { Cell::new(false) };
    static SPAWNED: Cell<bool> = const { Cell::new(false) };
    static USED: Cell<bool> = const { Cell::new(false) };
}

/// A test asks for less than sequential consistency: its report mentions it, and stale values are explored from now on if
/// they are to be.
#[cold]
pub(crate) fn weaker_ordering() {
    WEAKER.set(true);
    weaker_ordering_used();
}

/// Remembers that a test started a thread: without one there is nothing to interleave, which its report mentions.
pub(crate) fn spawned() {
    SPAWNED.set(true);
}

/// Remembers that a test used an object of this library: without one there is nothing to interleave, which its report
/// mentions.
pub(crate) fn used() {
    USED.set(true);
}

/// What a test did that its report mentions.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Remarks {
    /// It used an ordering weaker than `SeqCst`.
    pub(crate) weaker: bool,
    /// It started a thread.
    pub(crate) spawned: bool,
    /// It used an object of this library.
    pub(crate) used: bool,
}

impl Remarks {
    /// What was remembered here or there.
    pub(crate) fn and(self, other: Remarks) -> Remarks {
        Remarks {
            weaker: self.weaker || other.weaker,
            spawned: self.spawned || other.spawned,
            used: self.used || other.used,
        }
    }
}

/// What was remembered since the last call.
pub(crate) fn take_remarks() -> Remarks {
    Remarks { weaker: WEAKER.replace(false), spawned: SPAWNED.replace(false), used: USED.replace(false) }
}

/// Ends the run because a primitive was used in a way that no schedule can make right. A thread that unwinds already
/// must not be stopped again: then nothing happens.
pub(crate) fn misuse(message: String, at: At) {
    if !panicking() {
        fail(ViolationKind::RuntimeError, message, at);
    }
}
