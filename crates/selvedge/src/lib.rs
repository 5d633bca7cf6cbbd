//! Finds concurrency bugs in Rust code (being written).
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
mod rt;
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
pub use model::{
    Bound, BoundStats, Builder, MAX_THREADS, Reduction, Report, Violation, ViolationKind, explore, model, skip_branch,
    stop_exploring,
};
