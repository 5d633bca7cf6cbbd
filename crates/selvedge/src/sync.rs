//! What threads share, as [`std::sync`] and loom have it. Inside a model every operation is a step of the schedule;
//! outside of one it does what std's does.

mod arc;
pub mod atomic;
mod barrier;
mod condvar;
mod lazy_lock;
pub mod mpsc;
mod mutex;
mod once;
mod once_lock;
mod rwlock;

pub use self::arc::{Arc, Weak};
pub use self::barrier::{Barrier, BarrierWaitResult};
pub use self::condvar::{Condvar, WaitTimeoutResult};
pub use self::lazy_lock::LazyLock;
pub use self::mutex::{Mutex, MutexGuard};
pub use self::once::{Once, OnceState};
pub use self::once_lock::OnceLock;
pub use self::rwlock::{RwLock, RwLockReadGuard, RwLockWriteGuard};
pub use crate::notify::Notify;
#[doc(no_inline)]
pub use std::sync::{LockResult, PoisonError, TryLockError, TryLockResult};
