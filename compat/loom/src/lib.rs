//! Selvedge under the name of loom 0.7, for tests that depend on loom somewhere in their dependency tree:
//!
//! ```toml
//! [patch.crates-io]
//! loom = { path = "path/to/selvedge/compat/loom" }
//! ```
//!
//! Everything is [`selvedge`]'s; see there for what is explored, and for the environment variables. [`model()`] and
//! [`model::Builder`] also do what loom's tests may count on, see [`selvedge::Builder::like_loom`].
#![forbid(unsafe_code)]

pub mod model;

pub use model::model;
// By name: the attribute `test` of selvedge must not take the place of std's where a test has `use loom::*`.
#[doc(no_inline)]
pub use selvedge::{
    Bound, BoundStats, Builder, Disagreement, Evidence, MAX_THREADS, Memory, OrderingUse, Recheck, Reduction, Report,
    Stop, Violation, ViolationKind, alloc, cell, choose, explore, future, hint, lazy_static, skip_branch,
    stop_exploring, sync, thread, thread_local,
};
