//! The lock with readers and writers.
#![allow(unsafe_code)]

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::panic::Location;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{LockResult, PoisonError, TryLockError, TryLockResult};

use super::mutex::{Guarded, poison};
use crate::macros::{is_unwind_safe, made_of_a_value};
use crate::primitive::Held;
use selvedge_stateless::rt::{self, ObjectKind};
use selvedge_stateless::{At, ObjectId};

/// A lock that many may hold to read or one to write, as [`std::sync::RwLock`].
pub struct RwLock<T: ?Sized> {
    outside: std::sync::RwLock<()>,
    held: Held<Guarded<T>>,
}

// SAFETY: the value is reached only by holders of the lock.
unsafe impl<T: ?Sized + Send> Send for RwLock<T> {}
// SAFETY: readers share the value, a writer has it alone.
unsafe impl<T: ?Sized + Send + Sync> Sync for RwLock<T> {}

/// The right to read, until it is dropped.
pub struct RwLockReadGuard<'a, T: ?Sized> {
    value: *const Guarded<T>,
    lock: Lock<std::sync::RwLockReadGuard<'a, ()>>,
    not_send: PhantomData<(*mut (), &'a T)>,
}

/// The right to write, until it is dropped.
pub struct RwLockWriteGuard<'a, T: ?Sized> {
    value: *mut Guarded<T>,
    lock: Lock<std::sync::RwLockWriteGuard<'a, ()>>,
    /// The thread unwound already when it locked: then its unwinding does not poison.
    panicking: bool,
    not_send: PhantomData<(*mut (), &'a mut T)>,
}

/// How the lock is held: by the runtime, locked at a place, or by std.
enum Lock<G> {
    Inside(ObjectId, At),
    Outside { _guard: G },
}

// SAFETY: a shared guard gives shared access only.
unsafe impl<T: ?Sized + Sync> Sync for RwLockReadGuard<'_, T> {}
// SAFETY: as above.
unsafe impl<T: ?Sized + Sync> Sync for RwLockWriteGuard<'_, T> {}

impl<T> RwLock<T> {
    /// An unlocked lock.
    #[track_caller]
    pub const fn new(value: T) -> Self {
        RwLock {
            outside: std::sync::RwLock::new(()),
            held: Held::new(Guarded { poisoned: AtomicBool::new(false), value }),
        }
    }

    /// The value itself.
    pub fn into_inner(self) -> LockResult<T> {
        let Guarded { poisoned, value } = self.held.into_inner();
        poison(poisoned.into_inner(), value)
    }
}

/// What std's lock gives, whether it is poisoned or not: ours knows that itself.
fn unpoisoned<G>(result: TryLockResult<G>) -> Result<G, TryLockError<()>> {
    match result {
        Ok(guard) => Ok(guard),
        Err(TryLockError::Poisoned(error)) => Ok(error.into_inner()),
        Err(TryLockError::WouldBlock) => Err(TryLockError::WouldBlock),
    }
}

impl<T: ?Sized> RwLock<T> {
    fn object(&self) -> (ObjectId, *mut Guarded<T>) {
        self.held.inside(ObjectKind::RwLock, "RwLock")
    }

    fn reader<'a>(
        value: *mut Guarded<T>,
        lock: Lock<std::sync::RwLockReadGuard<'a, ()>>,
    ) -> LockResult<RwLockReadGuard<'a, T>> {
        let guard = RwLockReadGuard { value, lock, not_send: PhantomData };
        // SAFETY: alive, and the flag is atomic.
        poison(unsafe { (*value).poisoned.load(Relaxed) }, guard)
    }

    fn writer<'a>(
        value: *mut Guarded<T>,
        lock: Lock<std::sync::RwLockWriteGuard<'a, ()>>,
    ) -> LockResult<RwLockWriteGuard<'a, T>> {
        let guard = RwLockWriteGuard { value, lock, panicking: crate::thread::panicking(), not_send: PhantomData };
        // SAFETY: alive, and the flag is atomic.
        poison(unsafe { (*value).poisoned.load(Relaxed) }, guard)
    }

    /// Waits for the writer and joins the readers.
    #[track_caller]
    pub fn read(&self) -> LockResult<RwLockReadGuard<'_, T>> {
        if rt::inside() {
            let (object, value) = self.object();
            rt::read(object, Location::caller());
            return Self::reader(value, Lock::Inside(object, Location::caller()));
        }
        let guard = self.outside.read().unwrap_or_else(PoisonError::into_inner);
        Self::reader(self.held.outside(), Lock::Outside { _guard: guard })
    }

    /// Joins the readers if nobody writes.
    #[track_caller]
    pub fn try_read(&self) -> TryLockResult<RwLockReadGuard<'_, T>> {
        if rt::inside() {
            let (object, value) = self.object();
            if !rt::try_read(object, Location::caller()) {
                return Err(TryLockError::WouldBlock);
            }
            return Ok(Self::reader(value, Lock::Inside(object, Location::caller()))?);
        }
        match unpoisoned(self.outside.try_read()) {
            Ok(guard) => Ok(Self::reader(self.held.outside(), Lock::Outside { _guard: guard })?),
            Err(_) => Err(TryLockError::WouldBlock),
        }
    }

    /// Waits for everyone and becomes the writer.
    #[track_caller]
    pub fn write(&self) -> LockResult<RwLockWriteGuard<'_, T>> {
        if rt::inside() {
            let (object, value) = self.object();
            rt::write(object, Location::caller());
            return Self::writer(value, Lock::Inside(object, Location::caller()));
        }
        let guard = self.outside.write().unwrap_or_else(PoisonError::into_inner);
        Self::writer(self.held.outside(), Lock::Outside { _guard: guard })
    }

    /// Becomes the writer if nobody reads or writes.
    #[track_caller]
    pub fn try_write(&self) -> TryLockResult<RwLockWriteGuard<'_, T>> {
        if rt::inside() {
            let (object, value) = self.object();
            if !rt::try_write(object, Location::caller()) {
                return Err(TryLockError::WouldBlock);
            }
            return Ok(Self::writer(value, Lock::Inside(object, Location::caller()))?);
        }
        match unpoisoned(self.outside.try_write()) {
            Ok(guard) => Ok(Self::writer(self.held.outside(), Lock::Outside { _guard: guard })?),
            Err(_) => Err(TryLockError::WouldBlock),
        }
    }

    /// Whether a thread panicked while it wrote.
    pub fn is_poisoned(&self) -> bool {
        let value = self.held.peek(ObjectKind::RwLock, "RwLock");
        // SAFETY: alive, and the flag is atomic; guards have references to the value beside it, not to the flag. A look without
        // the lock may come too early, as std's may.
        unsafe { (*value).poisoned.load(Relaxed) }
    }

    /// Forgets that a thread panicked.
    pub fn clear_poison(&self) {
        let value = self.held.peek(ObjectKind::RwLock, "RwLock");
        // SAFETY: as in `is_poisoned`.
        unsafe { (*value).poisoned.store(false, Relaxed) };
    }

    /// The value, exclusively.
    pub fn get_mut(&mut self) -> LockResult<&mut T> {
        let Guarded { poisoned, value } = self.held.get_mut();
        poison(*poisoned.get_mut(), value)
    }
}

impl<T: ?Sized> Deref for RwLockReadGuard<'_, T> {
    type Target = T;
    fn deref(&self) -> &T {
        // SAFETY: we hold the lock to read.
        unsafe { &(*self.value).value }
    }
}

impl<T: ?Sized> Deref for RwLockWriteGuard<'_, T> {
    type Target = T;
    fn deref(&self) -> &T {
        // SAFETY: we hold the lock to write.
        unsafe { &(*self.value).value }
    }
}

impl<T: ?Sized> DerefMut for RwLockWriteGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: we hold the lock to write.
        unsafe { &mut (*self.value).value }
    }
}

impl<T: ?Sized> Drop for RwLockReadGuard<'_, T> {
    fn drop(&mut self) {
        if let Lock::Inside(object, at) = self.lock {
            rt::unlock_read(object, at);
        }
    }
}

impl<T: ?Sized> Drop for RwLockWriteGuard<'_, T> {
    fn drop(&mut self) {
        if !self.panicking && crate::thread::panicking() {
            // SAFETY: alive, and the flag is atomic.
            unsafe { (*self.value).poisoned.store(true, Relaxed) };
        }
        if let Lock::Inside(object, at) = self.lock {
            rt::unlock_write(object, at);
        }
    }
}

made_of_a_value!(RwLock);
is_unwind_safe!(RwLock<T: ?Sized>);

impl<T: ?Sized> fmt::Debug for RwLock<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Locking to show the value would be a step of the schedule.
        f.debug_struct("RwLock").field("poisoned", &self.is_poisoned()).finish_non_exhaustive()
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for RwLockReadGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for RwLockWriteGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}
