//! The cell as std has it: [`get`](UnsafeCell::get) gives a bare `*mut T`.
#![allow(unsafe_code)]

use std::fmt;
use std::panic::Location;

use crate::macros::made_of_a_value;

/// A cell in the shape of [`std::cell::UnsafeCell`].
///
/// Nothing tells what is done with a bare pointer, so that inside a model [`get`](Self::get) counts as a *write* at
/// the moment of the call. Where threads read at the same time, ask for [`get_const`](Self::get_const), which counts as a
/// read; loom's shape, [`crate::cell::UnsafeCell`], also knows how long an access lasts.
pub struct UnsafeCell<T: ?Sized>(super::UnsafeCell<T>);

impl<T> UnsafeCell<T> {
    /// A cell with a value.
    #[track_caller]
    pub const fn new(value: T) -> Self {
        UnsafeCell(super::UnsafeCell::new(value))
    }

    /// The value itself.
    pub fn into_inner(self) -> T {
        self.0.into_inner()
    }
}

impl<T: ?Sized> UnsafeCell<T> {
    /// A pointer for any use; counts as a write.
    #[track_caller]
    pub fn get(&self) -> *mut T {
        self.0.access(true, Location::caller())
    }

    /// A pointer for reading; counts as a read.
    #[track_caller]
    pub fn get_const(&self) -> *const T {
        self.0.access(false, Location::caller())
    }

    /// The value, exclusively.
    pub fn get_mut(&mut self) -> &mut T {
        self.0.exclusive()
    }

    /// As [`get`](Self::get), from a pointer to the cell, which must be alive.
    ///
    /// # Safety
    /// std's cell may not be alive yet; this one must be, because it finds out where its value is.
    #[track_caller]
    pub unsafe fn raw_get(this: *const Self) -> *mut T {
        // SAFETY: as the caller promises.
        unsafe { (*this).get() }
    }
}

made_of_a_value!(UnsafeCell);

impl<T: ?Sized> fmt::Debug for UnsafeCell<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UnsafeCell").finish_non_exhaustive()
    }
}
