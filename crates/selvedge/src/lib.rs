//! Finds concurrency bugs in Rust code: runs a test under **every** interleaving with few preemptions, and shows the one
//! that fails.
//!
//! A counter that loses an update, found in ten lines:
//!
//! ```should_panic
//! # #[cfg(not(feature = "model"))] compile_error!("the example needs the feature");
//! use selvedge::sync::{Arc, atomic::{AtomicUsize, Ordering::SeqCst}};
//! use selvedge::thread;
//!
//! selvedge::model(|| {
//!     let count = Arc::new(AtomicUsize::new(0));
//!     let add = |count: &AtomicUsize| count.store(count.load(SeqCst) + 1, SeqCst);
//!     let other = thread::spawn({ let count = count.clone(); move || add(&count) });
//!     add(&count);
//!     other.join().unwrap();
//!     assert_eq!(count.load(SeqCst), 2);
//! });
//! ```
//!
//! The test fails, whatever the machine does, and its log shows how:
//!
//! ```text
#![doc = include_str!("../docs/first-report.txt")]
//! ```
//!
//! # Starting
//!
//! ```toml
//! [dev-dependencies]
//! selvedge = "0.1"
//! ```
//!
//! In the test use `selvedge::sync`, `selvedge::thread` and `selvedge::cell` where you would use std's, and wrap the body
//! in [`model()`]. Everything else stays as it is: `cargo test` runs it.
//!
//! Library code uses the same paths. With the feature `model` off, every type *is* std's; let tests switch it on:
//!
//! ```toml
//! [dependencies]
//! selvedge = { version = "0.1", default-features = false }   # std's own types
//!
//! [dev-dependencies]
//! selvedge = "0.1"                                            # the models, in tests only
//! ```
//!
//! # What is explored
//!
//! Each *operation* on a shared object is a *step*. A *switch* from one thread to another is a *preemption* if the
//! first thread could have gone on. [`model()`] runs all schedules with no preemption, then those with one, then two, each
//! partial order of the operations once, and prints what it covered:
//!
//! ```text
//! selvedge: tests::queue: no violation with at most 2 preemptions: every schedule that can differ within it was run; 432 executions in 12.10ms (bound 0: 24, 1: 168, 2: 432); checked: 64 random schedules met no other class (seed 1)
//! ```
//!
//! The end of the line is evidence for a test that passes. A failure is shown by running its schedule again; a pass
//! relies on the search having left out only schedules that cannot differ. So when the search is complete, other schedules
//! within the bound are run, and each is compared with the search by code of its own: all of them where they are few, else
//! random ones, always the same. One that fails, or that differs from all that was run, is an internal error, and the test fails. This
//! takes 64 executions or a sixteenth of those of the search, which are not counted; [`Builder::recheck`] changes that.
//!
//! Most bugs need two preemptions or fewer. [`Builder`] sets bounds, limits and reductions; [`Builder::explore`]
//! returns a [`Report`] instead of panicking.
//!
//! Found are: panics and failed assertions, deadlocks (who waits for what, held by whom), lost wake-ups, livelocks, data
//! races on [`cell::UnsafeCell`] and uses of one that was freed, leaks of [`sync::Arc`] and [`alloc`]. A test must do the same under the same schedule;
//! one that does not (clock, `HashMap` order, real threads) is recognised and told so.
//!
//! # Memory orderings
//!
//! decide what happens before what, as the language has it: what a `Relaxed` flag publishes is a data race. They also decide
//! which values a read may see. A test whose accesses are all `SeqCst` sees the newest ones. From the first weaker ordering on, every
//! execution that the memory model allows is explored within the bound: a *stale* access, which does not read the newest store of
//! its atomic or does not write behind it, counts as a *deviation* like a preemption, and with at most 2 deviations
//! the log says
//!
//! ```text
//! selvedge: tests::queue: no violation: every execution allowed by the memory model with at most 2 deviations (preemptions and stale reads) was run once; …
//! ```
//!
//! A failing run with stale accesses says what each of them overlooked (`thread 2 reads 0 from ready at src/a.rs:12:9, although thread 1
//! stored 1 at src/a.rs:9:5; allowed because the load is Relaxed`) and which stronger orderings or fences would have forbidden the run.
//! [`Builder::weakest_orderings`] finds orderings of a passing test that are stronger than it needs.
//!
//! The model is RC11 with the release sequences of C++20: all orderings, fences, and read-modify-writes, but no *load
//! buffering*, in which a read sees a store that comes after it in its own thread's causes. [`Builder::deviations`],
//! [`Builder::preemptions`] and [`Builder::stale`] set the bound, [`Builder::memory`] with [`Memory::Sequential`] switches stale values off. Bounds on switches, depth
//! or fairness do so, too.
//!
//! # Creation and end of objects
//!
//! Creating an object is a write, which whoever uses the object must know of. So that this can be checked, the library is the
//! program's allocator; a program that has one of its own is compiled with `--cfg selvedge_no_allocator` and goes without this check. A
//! cell or an atomic must not be used after it was dropped; a drop that could have come before a use is tried there. A drop that is late
//! because of relaxed accesses only is *not* reported: std's `Arc`, whose count is not seen, may order it.
//!
//! # A failure
//!
//! ends with a line to paste, `SELVEDGE_REPLAY=… cargo test name`, which runs exactly that schedule. It is kept in
//! `selvedge-regressions/`, and the next run of the test starts with it. Commit that directory.
//!
//! # Outside of a model
//!
//! the types do what std's do; ordinary tests of the same code run as ever. (One exception: [`thread::spawn()`], which
//! takes what is not `Send`, as loom's does, starts real threads only with the default feature `loom-bounds` off.) Statics
//! (`static N: AtomicUsize = AtomicUsize::new(0)`) start anew in every execution of a model. What is made before a model
//! and captured by its closure would carry state from one execution into the next: the model says so and fails.
//!
//! # Environment
//!
//! | variable | meaning |
//! | --- | --- |
//! | `SELVEDGE_PREEMPTIONS` | the most preemptions explored (else `LOOM_MAX_PREEMPTIONS`, else 2); with stale accesses at most as many deviations, or 2 |
//! | `SELVEDGE_STALE` | the most stale accesses explored in a run; with a bound on preemptions both are limited one by one |
//! | `SELVEDGE_BOUND` | another bound: `deviations:N`, `preemptions:N`, `switches:N`, `fair:N`, `depth:N` or `none` |
//! | `SELVEDGE_STRATEGY` | `exhaustive`, or schedules at random: `random`, `walk` or `pct`, from `SELVEDGE_SEED` on |
//! | `SELVEDGE_JOBS` | OS threads for schedules at random; the answer does not depend on their number |
//! | `SELVEDGE_TIME_LIMIT` | `250ms`, `30s`, `5m`, `2h`: ends the search, incomplete (else `LOOM_MAX_DURATION`, seconds) |
//! | `SELVEDGE_MAX_EXECUTIONS` | the same by number (else `LOOM_MAX_PERMUTATIONS`) |
//! | `SELVEDGE_RECHECK` | how a pass is checked: `none`, `quick` (64 executions or a sixteenth of the search) or `full` (up to 100,000) |
//! | `SELVEDGE_MAX_BRANCHES` | steps of one run, after which it is given up (else `LOOM_MAX_BRANCHES`, else 20,000) |
//! | `SELVEDGE_REPLAY` | run this one schedule |
//! | `SELVEDGE_TRACE_OUT` | write the failing run as a trace file; a directory gets one for each test |
//! | `SELVEDGE_HTML` | write the failing run as a page for the browser; a directory gets one for each test |
//! | `SELVEDGE_REGRESSIONS` | another directory for failing schedules; `off` keeps none |
#![deny(unsafe_code)]

mod macros;
mod notify;

#[cfg(feature = "model")]
pub mod alloc;
#[cfg(feature = "model")]
pub mod cell;
#[cfg(feature = "model")]
pub mod hint;
#[cfg(feature = "model")]
pub mod lazy_static;
#[cfg(feature = "model")]
pub mod model;
#[cfg(feature = "model")]
mod primitive;
#[cfg(feature = "model")]
pub mod sync;
#[cfg(feature = "model")]
pub mod thread;

#[cfg(not(feature = "model"))]
mod off;
#[cfg(not(feature = "model"))]
pub use off::{alloc, cell, hint, lazy_static, sync, thread};
#[cfg(not(feature = "model"))]
#[doc(no_inline)]
pub use std::thread_local;

pub mod future;

#[cfg(feature = "model")]
pub use selvedge_macros::test;

#[cfg(feature = "model")]
pub use model::{
    Bound, BoundStats, Builder, Disagreement, Evidence, MAX_THREADS, Memory, OrderingUse, Recheck, Reduction, Report,
    Stop, Violation, ViolationKind, explore, model, skip_branch, stop_exploring,
};

/// A value that the environment chooses: every one of the range is explored. Outside of a model it is the first.
///
/// # Panics
/// If the range is empty.
#[cfg(feature = "model")]
#[track_caller]
pub fn choose(range: std::ops::Range<usize>) -> usize {
    use selvedge_stateless::rt;
    assert!(!range.is_empty(), "there is nothing to choose from");
    if !rt::inside() {
        return range.start;
    }
    primitive::used();
    let count = u32::try_from(range.len()).expect("fewer than 2^32 values");
    let chosen = range.start + rt::choose(count, "choose", std::panic::Location::caller()) as usize;
    primitive::note(|| [format!("{range:?}"), chosen.to_string(), String::new()]);
    chosen
}
