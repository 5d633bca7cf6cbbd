//! The cell whose value is moved in and out.
#![allow(unsafe_code)]

use std::cmp::Ordering;
use std::fmt;
use std::mem;

use super::UnsafeCell;
use crate::macros::made_of_a_value;

/// A cell as [`std::cell::Cell`], watched for data races inside a model: a type that shares one between threads by
/// `unsafe impl Sync` must order the accesses.
pub struct Cell<T>(UnsafeCell<T>);

impl<T> Cell<T> {
    /// A cell with a value.
    #[track_caller]
    pub const fn new(value: T) -> Self {
        Cell(UnsafeCell::new(value))
    }

    /// Sets the value.
    #[track_caller]
    pub fn set(&self, value: T) {
        drop(self.replace(value));
    }

    /// Sets the value and returns the old one.
    #[track_caller]
    pub fn replace(&self, value: T) -> T {
        // SAFETY: the pointer is used at once, by the only thread that may (a `Cell` is not `Sync`).
        self.0.with_mut(|p| unsafe { mem::replace(&mut *p, value) })
    }

    /// Exchanges the values of two cells.
    #[track_caller]
    pub fn swap(&self, other: &Self) {
        if !std::ptr::eq(self, other) {
            // SAFETY: as in `replace`, and the cells are two.
            self.0.with_mut(|a| other.0.with_mut(|b| unsafe { std::ptr::swap(a, b) }));
        }
    }

    /// A copy of the value.
    #[track_caller]
    pub fn get(&self) -> T
    where
        T: Copy,
    {
        // SAFETY: as in `replace`.
        self.0.with(|p| unsafe { *p })
    }

    /// Takes the value.
    #[track_caller]
    pub fn take(&self) -> T
    where
        T: Default,
    {
        self.replace(T::default())
    }

    /// The value, exclusively.
    pub fn get_mut(&mut self) -> &mut T {
        self.0.exclusive()
    }

    /// The value itself.
    pub fn into_inner(self) -> T {
        self.0.into_inner()
    }
}

made_of_a_value!(Cell);

impl<T: Copy> Clone for Cell<T> {
    #[track_caller]
    fn clone(&self) -> Self {
        Cell::new(self.get())
    }
}

impl<T: PartialEq + Copy> PartialEq for Cell<T> {
    fn eq(&self, other: &Self) -> bool {
        self.get() == other.get()
    }
}

impl<T: Eq + Copy> Eq for Cell<T> {}

impl<T: PartialOrd + Copy> PartialOrd for Cell<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        self.get().partial_cmp(&other.get())
    }
}

impl<T: Ord + Copy> Ord for Cell<T> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.get().cmp(&other.get())
    }
}

impl<T> fmt::Debug for Cell<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cell").finish_non_exhaustive()
    }
}
