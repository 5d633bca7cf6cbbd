//! Threads, as [`std::thread`] and loom have them. Inside a model a thread is a fiber of the execution; every switch
//! between them is chosen by the search. Outside, these are std's threads.

mod handle;
mod local;
mod scope;

pub use self::handle::{Builder, JoinHandle, MaySend, Thread, ThreadId, current, spawn};
pub use self::local::{AccessError, LocalKey};
pub use self::scope::{Scope, ScopedJoinHandle, scope};
#[doc(no_inline)]
pub use std::thread::{Result, available_parallelism};

pub(crate) use self::local::drop_locals;

use std::panic::Location;
use std::time::Duration;

use crate::primitive;
use selvedge_stateless::rt;

/// Lets other threads run. Inside a model the switch is free, and loops that yield are cut fairly.
#[track_caller]
pub fn yield_now() {
    if rt::inside() {
        rt::yield_now("yield_now", Location::caller());
    } else {
        std::thread::yield_now();
    }
}

/// Inside a model time has no length: others may run or not, as for [`yield_now`].
#[track_caller]
pub fn sleep(time: Duration) {
    if rt::inside() {
        rt::yield_now("sleep", Location::caller());
    } else {
        std::thread::sleep(time);
    }
}

/// Waits for this thread's permit ([`Thread::unpark`]) and takes it.
#[track_caller]
pub fn park() {
    if rt::inside() {
        primitive::used();
        rt::park(Location::caller());
    } else {
        std::thread::park();
    }
}

/// Waits for the permit or until the time is up; inside a model both happen.
#[track_caller]
pub fn park_timeout(time: Duration) {
    if rt::inside() {
        primitive::used();
        rt::park_timeout(Location::caller());
    } else {
        std::thread::park_timeout(time);
    }
}

/// Whether this thread unwinds. Inside a model each of its threads has its own answer.
pub fn panicking() -> bool {
    if rt::inside() { rt::panicking() } else { std::thread::panicking() }
}
