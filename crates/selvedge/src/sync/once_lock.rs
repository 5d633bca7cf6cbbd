//! A value written once and read ever after.
#![allow(unsafe_code)]

use std::fmt;
use std::panic::{RefUnwindSafe, UnwindSafe};

use super::once::Once;
use crate::primitive::Held;

/// A cell that is written once, as [`std::sync::OnceLock`].
pub struct OnceLock<T> {
    once: Once,
    value: Held<Option<T>>,
}

// SAFETY: written by the one thread that runs the `Once`, and only read after that.
unsafe impl<T: Send + Sync> Sync for OnceLock<T> {}

impl<T: RefUnwindSafe + UnwindSafe> RefUnwindSafe for OnceLock<T> {}

impl<T> OnceLock<T> {
    /// Empty.
    #[track_caller]
    pub const fn new() -> Self {
        OnceLock { once: Once::new(), value: Held::new(None) }
    }

    /// The value, read without a look at the `Once`.
    fn written(&self) -> Option<&T> {
        // SAFETY: written before the `Once` was completed, which the callers have seen, and never again.
        unsafe { (*self.value.plain("OnceLock")).as_ref() }
    }

    fn write(&self, value: T) {
        // SAFETY: only the thread that runs the `Once` gets here, and nobody reads before it is completed.
        unsafe { *self.value.plain("OnceLock") = Some(value) };
    }

    /// The value, if it is there.
    #[track_caller]
    pub fn get(&self) -> Option<&T> {
        if self.once.is_completed() { self.written() } else { None }
    }

    /// The value, exclusively.
    pub fn get_mut(&mut self) -> Option<&mut T> {
        self.value.get_mut().as_mut()
    }

    /// Writes the value if there is none; gives it back if there is one.
    #[track_caller]
    pub fn set(&self, value: T) -> Result<(), T> {
        let mut value = Some(value);
        self.once.call_once_force(|_| value.take().into_iter().for_each(|value| self.write(value)));
        value.map_or(Ok(()), Err)
    }

    /// The value, written by `f` if there is none.
    #[track_caller]
    pub fn get_or_init<F: FnOnce() -> T>(&self, f: F) -> &T {
        if let Some(value) = self.get() {
            return value;
        }
        self.once.call_once_force(|_| self.write(f()));
        self.written().expect("the Once is completed")
    }

    /// Waits until there is a value.
    #[track_caller]
    pub fn wait(&self) -> &T {
        self.once.wait();
        self.written().expect("the Once is completed")
    }

    /// The value itself.
    pub fn into_inner(self) -> Option<T> {
        self.value.into_inner()
    }

    /// Takes the value out: empty again.
    #[track_caller]
    pub fn take(&mut self) -> Option<T> {
        let value = self.value.get_mut().take();
        self.once = Once::new();
        value
    }
}

impl<T> Default for OnceLock<T> {
    #[track_caller]
    fn default() -> Self {
        OnceLock::new()
    }
}

impl<T> From<T> for OnceLock<T> {
    #[track_caller]
    fn from(value: T) -> Self {
        let cell = OnceLock::new();
        let _ = cell.set(value);
        cell
    }
}

impl<T> fmt::Debug for OnceLock<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Looking at the value would be a step of the schedule.
        f.debug_struct("OnceLock").finish_non_exhaustive()
    }
}
