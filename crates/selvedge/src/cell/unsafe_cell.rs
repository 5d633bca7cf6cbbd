//! The cell as loom has it: read and written through closures or tracked pointers.
#![allow(unsafe_code)]

use std::fmt;
use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::panic::Location;

use crate::macros::made_of_a_value;
use crate::primitive::Held;
use crate::primitive::freed::{self, Freed};
use selvedge_stateless::At;
use selvedge_stateless::rt::{self, CellId};

/// A cell whose accesses are watched inside a model.
pub struct UnsafeCell<T: ?Sized> {
    /// As std's cell: whoever shares it says so by `unsafe impl Sync`.
    not_sync: PhantomData<std::cell::UnsafeCell<()>>,
    held: Held<T>,
}

impl<T> UnsafeCell<T> {
    /// A cell with a value.
    #[track_caller]
    pub const fn new(value: T) -> Self {
        UnsafeCell { not_sync: PhantomData, held: Held::new(value) }
    }

    /// The value itself.
    pub fn into_inner(self) -> T {
        let this = ManuallyDrop::new(self);
        // SAFETY: `this` is not used again.
        unsafe { (&raw const this.held).read() }.into_inner()
    }
}

impl<T: ?Sized> UnsafeCell<T> {
    fn inside(&self) -> (CellId, *mut T) {
        if self.held.is_strange()
            && let Some(Freed::Cell(cell)) = freed::at(rt::stamp(), self.held.address())
        {
            return (cell, self.held.outside_value());
        }
        let address = self.held.address();
        let (number, value) = self.held.find("UnsafeCell", |created| rt::cell_at(created, address).0);
        (CellId(number), value)
    }

    /// The value, and the borrow that lasts until it is dropped.
    fn borrow(&self, write: bool, at: At) -> (*mut T, Borrow) {
        if !rt::inside() {
            return (self.held.outside(), Borrow { of: None, write });
        }
        let (cell, value) = self.inside();
        rt::cell_borrow(cell, write, at);
        (value, Borrow { of: Some((rt::stamp(), cell)), write })
    }

    /// An access that is over at once.
    pub(super) fn access(&self, write: bool, at: At) -> *mut T {
        if !rt::inside() {
            return self.held.outside();
        }
        let (cell, value) = self.inside();
        rt::cell_access(cell, write, at);
        value
    }

    /// Reads through a pointer, which must not leave the closure.
    #[track_caller]
    pub fn with<F, R>(&self, f: F) -> R
    where
        F: FnOnce(*const T) -> R,
    {
        let (value, _borrow) = self.borrow(false, Location::caller());
        f(value)
    }

    /// Writes through a pointer, which must not leave the closure.
    #[track_caller]
    pub fn with_mut<F, R>(&self, f: F) -> R
    where
        F: FnOnce(*mut T) -> R,
    {
        let (value, _borrow) = self.borrow(true, Location::caller());
        f(value)
    }

    /// A pointer for reading; the read lasts as long as the pointer.
    #[track_caller]
    pub fn get(&self) -> ConstPtr<T> {
        let (value, borrow) = self.borrow(false, Location::caller());
        ConstPtr { value, _borrow: borrow, not_send: PhantomData }
    }

    /// A pointer for writing; the write lasts as long as the pointer.
    #[track_caller]
    pub fn get_mut(&self) -> MutPtr<T> {
        let (value, borrow) = self.borrow(true, Location::caller());
        MutPtr { value, _borrow: borrow, not_send: PhantomData }
    }

    /// The value, exclusively, with nothing to watch.
    pub(super) fn exclusive(&mut self) -> &mut T {
        self.held.get_mut()
    }
}

/// An access that lasts.
#[derive(Debug)]
struct Borrow {
    of: Option<(u64, CellId)>,
    write: bool,
}

impl Drop for Borrow {
    fn drop(&mut self) {
        if let Some((stamp, cell)) = self.of
            && rt::inside()
            && rt::stamp() == stamp
        {
            rt::cell_return(cell, self.write);
        }
    }
}

/// A pointer for reading a cell.
pub struct ConstPtr<T: ?Sized> {
    value: *const T,
    _borrow: Borrow,
    not_send: PhantomData<*const T>,
}

impl<T: ?Sized> ConstPtr<T> {
    /// Dereferences the pointer.
    ///
    /// # Safety
    /// The value must be alive and nobody may write it meanwhile; the model checks the latter.
    pub unsafe fn deref(&self) -> &T {
        // SAFETY: as the caller promises.
        unsafe { &*self.value }
    }

    /// Reads through the pointer, which must not leave the closure.
    pub fn with<F, R>(&self, f: F) -> R
    where
        F: FnOnce(*const T) -> R,
    {
        f(self.value)
    }
}

/// A pointer for writing a cell.
pub struct MutPtr<T: ?Sized> {
    value: *mut T,
    _borrow: Borrow,
    not_send: PhantomData<*mut T>,
}

impl<T: ?Sized> MutPtr<T> {
    /// Dereferences the pointer.
    ///
    /// # Safety
    /// The value must be alive and nobody else may touch it meanwhile; the model checks the latter.
    #[allow(clippy::mut_from_ref, reason = "the shape loom's users know; the caller promises exclusive access")]
    pub unsafe fn deref(&self) -> &mut T {
        // SAFETY: as the caller promises.
        unsafe { &mut *self.value }
    }

    /// Writes through the pointer, which must not leave the closure.
    pub fn with<F, R>(&self, f: F) -> R
    where
        F: FnOnce(*mut T) -> R,
    {
        f(self.value)
    }
}

impl<T: ?Sized> Drop for UnsafeCell<T> {
    fn drop(&mut self) {
        if rt::inside() && !rt::panicking() && (self.held.is_of(rt::stamp()) || self.held.is_fresh()) {
            let (cell, _) = self.inside();
            freed::add(rt::stamp(), self.held.address(), Freed::Cell(cell));
            rt::cell_freed(cell);
        }
    }
}

made_of_a_value!(UnsafeCell);

impl<T: ?Sized> fmt::Debug for UnsafeCell<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UnsafeCell").finish_non_exhaustive()
    }
}

impl<T: ?Sized> fmt::Debug for ConstPtr<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Pointer::fmt(&self.value, f)
    }
}

impl<T: ?Sized> fmt::Debug for MutPtr<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Pointer::fmt(&self.value, f)
    }
}
