//! The mutex: inside a model the runtime decides who holds it, outside a lock of std does.
#![allow(unsafe_code)]

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::panic::Location;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{LockResult, PoisonError, TryLockError, TryLockResult};

use crate::macros::{is_unwind_safe, made_of_a_value};
use crate::primitive::Held;
use selvedge_stateless::rt::{self, ObjectKind};
use selvedge_stateless::{At, ObjectId};

/// A lock around a value, as [`std::sync::Mutex`].
pub struct Mutex<T: ?Sized> {
    outside: std::sync::Mutex<()>,
    held: Held<Guarded<T>>,
}

/// What a lock guards, and whether a thread panicked while it held the lock.
pub(super) struct Guarded<T: ?Sized> {
    /// Atomic, because it may be looked at without the lock.
    pub(super) poisoned: AtomicBool,
    pub(super) value: T,
}

// SAFETY: the value is reached only by the holder of the lock.
unsafe impl<T: ?Sized + Send> Send for Mutex<T> {}
// SAFETY: as above.
unsafe impl<T: ?Sized + Send> Sync for Mutex<T> {}

/// The right to use the value, until it is dropped.
pub struct MutexGuard<'a, T: ?Sized> {
    value: *mut Guarded<T>,
    pub(super) lock: Lock<'a>,
    /// The thread unwound already when it locked: then its unwinding does not poison.
    panicking: bool,
    not_send: PhantomData<(*mut (), &'a mut T)>,
}

/// How the lock is held.
pub(super) enum Lock<'a> {
    /// By the runtime, locked at this place.
    Inside(ObjectId, At),
    /// By std; gone while a condition variable has it.
    Outside(Option<std::sync::MutexGuard<'a, ()>>),
}

// SAFETY: a shared guard gives shared access only.
unsafe impl<T: ?Sized + Sync> Sync for MutexGuard<'_, T> {}

impl<T> Mutex<T> {
    /// An unlocked mutex.
    #[track_caller]
    pub const fn new(value: T) -> Self {
        Mutex {
            outside: std::sync::Mutex::new(()),
            held: Held::new(Guarded { poisoned: AtomicBool::new(false), value }),
        }
    }

    /// The value itself.
    pub fn into_inner(self) -> LockResult<T> {
        let Guarded { poisoned, value } = self.held.into_inner();
        poison(poisoned.into_inner(), value)
    }
}

impl<T: ?Sized> Mutex<T> {
    fn object(&self) -> (ObjectId, *mut Guarded<T>) {
        self.held.inside(ObjectKind::Mutex, "Mutex")
    }

    fn guard<'a>(&'a self, value: *mut Guarded<T>, lock: Lock<'a>) -> MutexGuard<'a, T> {
        let panicking = crate::thread::panicking();
        MutexGuard { value, lock, panicking, not_send: PhantomData }
    }

    /// Waits until the mutex is free and locks it.
    #[track_caller]
    pub fn lock(&self) -> LockResult<MutexGuard<'_, T>> {
        let guard = if rt::inside() {
            let (object, value) = self.object();
            rt::lock(object, Location::caller());
            self.guard(value, Lock::Inside(object, Location::caller()))
        } else {
            let lock = self.outside.lock().unwrap_or_else(PoisonError::into_inner);
            self.guard(self.held.outside(), Lock::Outside(Some(lock)))
        };
        poison(guard.is_poisoned(), guard)
    }

    /// Locks the mutex if it is free.
    #[track_caller]
    pub fn try_lock(&self) -> TryLockResult<MutexGuard<'_, T>> {
        let guard = if rt::inside() {
            let (object, value) = self.object();
            if !rt::try_lock(object, Location::caller()) {
                return Err(TryLockError::WouldBlock);
            }
            self.guard(value, Lock::Inside(object, Location::caller()))
        } else {
            let lock = match self.outside.try_lock() {
                Ok(lock) => lock,
                Err(TryLockError::Poisoned(error)) => error.into_inner(),
                Err(TryLockError::WouldBlock) => return Err(TryLockError::WouldBlock),
            };
            self.guard(self.held.outside(), Lock::Outside(Some(lock)))
        };
        Ok(poison(guard.is_poisoned(), guard)?)
    }

    /// Whether a thread panicked while it held the lock.
    pub fn is_poisoned(&self) -> bool {
        let value = self.held.peek(ObjectKind::Mutex, "Mutex");
        // SAFETY: alive, and the flag is atomic; a guard has a reference to the value beside it, not to the flag. A look without
        // the lock may come too early, as std's may.
        unsafe { (*value).poisoned.load(Relaxed) }
    }

    /// Forgets that a thread panicked.
    pub fn clear_poison(&self) {
        let value = self.held.peek(ObjectKind::Mutex, "Mutex");
        // SAFETY: as in `is_poisoned`.
        unsafe { (*value).poisoned.store(false, Relaxed) };
    }

    /// The value, exclusively.
    pub fn get_mut(&mut self) -> LockResult<&mut T> {
        let Guarded { poisoned, value } = self.held.get_mut();
        poison(*poisoned.get_mut(), value)
    }
}

/// A result as std gives it.
pub(super) fn poison<G>(poisoned: bool, guard: G) -> LockResult<G> {
    if poisoned { Err(PoisonError::new(guard)) } else { Ok(guard) }
}

impl<'a, T: ?Sized> MutexGuard<'a, T> {
    fn is_poisoned(&self) -> bool {
        // SAFETY: alive, and the flag is atomic.
        unsafe { (*self.value).poisoned.load(Relaxed) }
    }

    /// The result of coming back from a wait.
    pub(super) fn again(self) -> LockResult<Self> {
        poison(self.is_poisoned(), self)
    }
}

impl<T: ?Sized> Deref for MutexGuard<'_, T> {
    type Target = T;
    fn deref(&self) -> &T {
        // SAFETY: we hold the lock.
        unsafe { &(*self.value).value }
    }
}

impl<T: ?Sized> DerefMut for MutexGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: we hold the lock.
        unsafe { &mut (*self.value).value }
    }
}

impl<T: ?Sized> Drop for MutexGuard<'_, T> {
    fn drop(&mut self) {
        if !self.panicking && crate::thread::panicking() {
            // SAFETY: alive, and the flag is atomic.
            unsafe { (*self.value).poisoned.store(true, Relaxed) };
        }
        if let Lock::Inside(object, at) = self.lock {
            rt::unlock(object, at);
        }
    }
}

made_of_a_value!(Mutex);
is_unwind_safe!(Mutex<T: ?Sized>);

impl<T: ?Sized> fmt::Debug for Mutex<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Locking to show the value would be a step of the schedule.
        f.debug_struct("Mutex").field("poisoned", &self.is_poisoned()).finish_non_exhaustive()
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for MutexGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T: ?Sized + fmt::Display> fmt::Display for MutexGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}
