//! Cells whose accesses are watched: two accesses that no synchronisation orders, one of them a write, are a data race.

#[allow(clippy::module_inception, reason = "as in std and loom")]
mod cell;
pub mod raw;
mod unsafe_cell;

pub use self::cell::Cell;
pub use self::unsafe_cell::{ConstPtr, MutPtr, UnsafeCell};
#[doc(no_inline)]
pub use std::cell::{OnceCell, RefCell};
