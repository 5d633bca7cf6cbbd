//! What every operation needs to know about the execution in progress. Kept beside the execution, so that reading it borrows nothing.

use std::cell::Cell;

struct Facts {
    /// 0 outside of executions.
    stamp: Cell<u64>,
    recording: Cell<bool>,
    weak: Cell<bool>,
}

thread_local! {
    static FACTS: Facts =
        const { Facts { stamp: Cell::new(0), recording: Cell::new(false), weak: Cell::new(false) } };
}

/// An execution begins.
pub(crate) fn begin(stamp: u64, recording: bool, weak: bool) {
    FACTS.with(|facts| {
        facts.stamp.set(stamp);
        facts.recording.set(recording);
        facts.weak.set(weak);
    });
}

/// The execution is over.
pub(crate) fn end() {
    begin(0, false, false);
}

/// A number that no other execution of this process has: for objects that register lazily.
#[inline]
pub fn stamp() -> u64 {
    let stamp = FACTS.with(|facts| facts.stamp.get());
    assert!(stamp != 0, "internal error: not inside a model");
    stamp
}

/// Is this run recorded for a report? Only then are [`note`](super::note)s evaluated.
#[inline]
pub fn recording() -> bool {
    FACTS.with(|facts| facts.recording.get())
}

/// Whether stale values are explored in this execution.
#[inline]
pub fn explores_stale() -> bool {
    FACTS.with(|facts| facts.weak.get())
}
