//! Running a test under every schedule within a bound: [`model()`], [`Builder`], [`Report`].

mod blocks;
mod builder;
pub(crate) mod environment;
mod explain;
mod failure;
mod links;
mod regressions;
mod render;
mod report;
mod stale;
mod summary;
mod trace;
mod weakest;

pub use self::builder::Builder;
pub use self::report::{Report, Violation};
pub use self::weakest::OrderingUse;
#[doc(no_inline)]
pub use selvedge_stateless::{
    BoundStats, Disagreement, Memory, Recheck, Reduction, SearchBound as Bound, SearchEvidence as Evidence, Stop,
    ViolationKind,
};

use std::cell::Cell;

use selvedge_stateless::rt;

/// loom's limit of threads, for code that counts up to it. Here a model may have as many threads as memory allows.
pub const MAX_THREADS: usize = 5;

/// Runs `f` under every schedule with few preemptions, and panics with a report of the first violation.
///
/// The bounds and limits are those of [`Builder::new`], which the environment can change.
#[track_caller]
pub fn model<F>(f: F)
where
    F: Fn() + Send + Sync + 'static,
{
    Builder::new().check(f);
}

/// What the faces need to know of the model that runs.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Options {
    /// Weak exchanges may fail for no reason.
    pub(crate) spurious_failures: bool,
    /// Waits may end for no reason.
    pub(crate) spurious_wakeups: bool,
    /// Futures are polled as loom polls them.
    pub(crate) like_loom: bool,
}

thread_local! {
    static OPTIONS: Cell<Options> =
        const { Cell::new(Options { spurious_failures: false, spurious_wakeups: false, like_loom: false }) };
}

/// The options of the model that runs on this OS thread.
pub(crate) fn options() -> Options {
    OPTIONS.get()
}

/// loom's switch to explore again after [`stop_exploring`]. Here everything is explored anyway, which costs runs but
/// misses none.
pub fn explore() {}

/// loom's switch to stop exploring. Here everything is explored anyway, which costs runs but misses none.
pub fn stop_exploring() {}

/// Gives this run up; it counts neither as a success nor as a failure. Outside of models this does nothing.
pub fn skip_branch() {
    if rt::inside() && !rt::panicking() {
        rt::abandon();
    }
}
