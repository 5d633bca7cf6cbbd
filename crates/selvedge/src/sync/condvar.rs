//! The condition variable. Inside a model a wait with a time-out may end either way at any time, and with
//! [`Builder::spurious_wakeups`](crate::Builder::spurious_wakeups) any wait may.

use std::fmt;
use std::panic::Location;
use std::sync::{LockResult, PoisonError};
use std::time::Duration;

use super::mutex::{Lock, MutexGuard};
use crate::primitive::Held;
use selvedge_stateless::ObjectId;
use selvedge_stateless::rt::{self, ObjectKind};

/// Threads that wait to be called, as [`std::sync::Condvar`].
pub struct Condvar {
    outside: std::sync::Condvar,
    held: Held<()>,
}

/// Whether a wait ended because the time was up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WaitTimeoutResult(bool);

impl WaitTimeoutResult {
    /// Whether the time was up.
    pub fn timed_out(&self) -> bool {
        self.0
    }
}

impl Condvar {
    /// Nobody waits.
    #[track_caller]
    pub const fn new() -> Self {
        Condvar { outside: std::sync::Condvar::new(), held: Held::new(()) }
    }

    fn object(&self) -> ObjectId {
        self.held.inside(ObjectKind::Condvar, "Condvar").0
    }

    /// Unlocks, waits to be called, locks again.
    #[track_caller]
    pub fn wait<'a, T: ?Sized>(&self, mut guard: MutexGuard<'a, T>) -> LockResult<MutexGuard<'a, T>> {
        match &mut guard.lock {
            Lock::Inside(mutex, _) => rt::wait(self.object(), *mutex, Location::caller()),
            Lock::Outside(lock) => {
                let held = lock.take().expect("a guard outside a model holds the lock");
                *lock = Some(self.outside.wait(held).unwrap_or_else(PoisonError::into_inner));
            }
        }
        guard.again()
    }

    /// Waits as long as `condition` holds.
    #[track_caller]
    pub fn wait_while<'a, T: ?Sized, F>(
        &self,
        mut guard: MutexGuard<'a, T>,
        mut condition: F,
    ) -> LockResult<MutexGuard<'a, T>>
    where
        F: FnMut(&mut T) -> bool,
    {
        while condition(&mut *guard) {
            guard = self.wait(guard)?;
        }
        Ok(guard)
    }

    /// Waits to be called or until the time is up.
    #[track_caller]
    pub fn wait_timeout<'a, T: ?Sized>(
        &self,
        mut guard: MutexGuard<'a, T>,
        time: Duration,
    ) -> LockResult<(MutexGuard<'a, T>, WaitTimeoutResult)> {
        let timed_out = match &mut guard.lock {
            Lock::Inside(mutex, _) => rt::wait_timeout(self.object(), *mutex, Location::caller()),
            Lock::Outside(lock) => {
                let held = lock.take().expect("a guard outside a model holds the lock");
                let (held, result) = self.outside.wait_timeout(held, time).unwrap_or_else(PoisonError::into_inner);
                *lock = Some(held);
                result.timed_out()
            }
        };
        let result = WaitTimeoutResult(timed_out);
        match guard.again() {
            Ok(guard) => Ok((guard, result)),
            Err(error) => Err(PoisonError::new((error.into_inner(), result))),
        }
    }

    /// Waits as long as `condition` holds, but no longer than the time.
    #[track_caller]
    pub fn wait_timeout_while<'a, T: ?Sized, F>(
        &self,
        mut guard: MutexGuard<'a, T>,
        time: Duration,
        mut condition: F,
    ) -> LockResult<(MutexGuard<'a, T>, WaitTimeoutResult)>
    where
        F: FnMut(&mut T) -> bool,
    {
        let start = std::time::Instant::now();
        let mut timed_out = false;
        while condition(&mut *guard) {
            if timed_out {
                return Ok((guard, WaitTimeoutResult(true)));
            }
            let left = if rt::inside() { time } else { time.saturating_sub(start.elapsed()) };
            let result;
            (guard, result) = self.wait_timeout(guard, left)?;
            timed_out = result.timed_out();
        }
        Ok((guard, WaitTimeoutResult(false)))
    }

    /// Calls one of the waiting threads; inside a model, each of them in some run.
    #[track_caller]
    pub fn notify_one(&self) {
        if rt::inside() {
            rt::notify_one(self.object(), Location::caller());
        } else {
            self.outside.notify_one();
        }
    }

    /// Calls all waiting threads.
    #[track_caller]
    pub fn notify_all(&self) {
        if rt::inside() {
            rt::notify_all(self.object(), Location::caller());
        } else {
            self.outside.notify_all();
        }
    }
}

impl Default for Condvar {
    #[track_caller]
    fn default() -> Self {
        Condvar::new()
    }
}

crate::macros::is_unwind_safe!(Condvar);

impl fmt::Debug for Condvar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Condvar").finish_non_exhaustive()
    }
}
