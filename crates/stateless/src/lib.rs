//! The stateless engine: runs a closure again and again on fibers, choosing at every visible operation
//! which thread goes next (\[CBPOR\], \[BPOR\], docs/bibliography.md).
//!
//! Two faces:
//!
//! - [`rt`] is what a primitive (an atomic, a mutex, a channel …) is built on. Every function that is a
//!   visible operation announces itself, lets the strategy decide who goes next, and returns when the
//!   calling thread has been chosen; until its next visible operation the thread then runs undisturbed.
//! - [`explore`] is what a test harness calls: a [`Config`] and a closure in, an [`Exploration`] out.
//!
//! The engine prints nothing, reads no environment and never exits: violations are data.
#![deny(unsafe_code)]

mod allocations;
mod clocks;
mod config;
mod cost;
mod delta;
mod execution;
mod explore;
mod fiber;
mod graph;
mod hash;
mod history;
mod hook;
mod object;
mod op;
mod order;
mod orderings;
mod outcome;
#[cfg(unix)]
mod overflow;
mod prefix;
mod race;
mod recheck;
mod repair;
mod report;
pub mod rt;
mod schedule;
mod set;
mod state;
mod strategy;
mod watchdog;
mod weak;

pub use config::{Aborting, Config, Memory, Mode, Overflow, Recheck, Reduction, SearchBound};
pub use explore::explore;
pub use orderings::{Change, Changed, Site, SiteKind};
pub use outcome::{
    BoundStats, Cause, Disagreement, Exploration, Nondeterminism, Progress, RecordedRun, RecordedStep, RecordedThread,
    SearchEvidence, StaleAccess, Stop, Violation, Waiting,
};
/// Threads are numbered in the order of their creation in a run; the main thread is 0.
pub use selvedge_core::{ThreadId, ViolationKind};
pub use watchdog::{Stall, Stalled};

/// A place in the source of the program under test.
pub type At = &'static std::panic::Location<'static>;

/// A place as text: file, line and column.
pub type Place = (String, u32, u32);

/// An object of a run, numbered in the order of registration in this run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObjectId(pub u32);

impl ObjectId {
    /// No object.
    pub(crate) const NONE: ObjectId = ObjectId(u32::MAX);

    /// As an index into a table with one row for each object.
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// Whether everything that is kept is compared with what it stands for, at many times the cost of a run: in this project's own tests.
pub(crate) const SELF_CHECKS: bool = cfg!(all(debug_assertions, any(test, feature = "self-checks")));

/// The thread that starts a run.
pub(crate) const MAIN: ThreadId = ThreadId(0);

/// The first `n` threads of a run.
pub(crate) fn thread_ids(n: usize) -> impl DoubleEndedIterator<Item = ThreadId> + Clone {
    (0..n as u32).map(ThreadId)
}
