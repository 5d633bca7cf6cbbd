//! Cells with the feature `model` off: std's cell behind loom's face, nothing is tracked.
#![allow(unsafe_code)]

#[doc(no_inline)]
pub use std::cell::{Cell, OnceCell, RefCell};

/// The cell as std has it.
pub mod raw {
    /// std's `UnsafeCell`, and [`get_const`](Self::get_const), by which a model tells reading from writing.
    #[derive(Debug, Default)]
    #[repr(transparent)]
    pub struct UnsafeCell<T: ?Sized>(std::cell::UnsafeCell<T>);

    impl<T> UnsafeCell<T> {
        /// A cell with a value.
        #[inline]
        pub const fn new(value: T) -> Self {
            UnsafeCell(std::cell::UnsafeCell::new(value))
        }

        /// The value itself.
        #[inline]
        pub fn into_inner(self) -> T {
            self.0.into_inner()
        }
    }

    impl<T: ?Sized> UnsafeCell<T> {
        /// A pointer for any use.
        #[inline(always)]
        pub const fn get(&self) -> *mut T {
            self.0.get()
        }

        /// A pointer for reading.
        #[inline(always)]
        pub const fn get_const(&self) -> *const T {
            self.0.get()
        }

        /// The value, exclusively.
        #[inline(always)]
        pub fn get_mut(&mut self) -> &mut T {
            self.0.get_mut()
        }
    }

    impl<T> From<T> for UnsafeCell<T> {
        fn from(value: T) -> Self {
            UnsafeCell::new(value)
        }
    }
}

/// A cell read and written through closures or pointers.
#[derive(Debug, Default)]
#[repr(transparent)]
pub struct UnsafeCell<T: ?Sized>(std::cell::UnsafeCell<T>);

impl<T> UnsafeCell<T> {
    /// A cell with a value.
    #[inline]
    pub const fn new(data: T) -> Self {
        UnsafeCell(std::cell::UnsafeCell::new(data))
    }

    /// The value itself.
    #[inline]
    pub fn into_inner(self) -> T {
        self.0.into_inner()
    }
}

impl<T: ?Sized> UnsafeCell<T> {
    /// Reads through a pointer.
    #[inline(always)]
    pub fn with<F, R>(&self, f: F) -> R
    where
        F: FnOnce(*const T) -> R,
    {
        f(self.0.get())
    }

    /// Writes through a pointer.
    #[inline(always)]
    pub fn with_mut<F, R>(&self, f: F) -> R
    where
        F: FnOnce(*mut T) -> R,
    {
        f(self.0.get())
    }

    /// A pointer for reading.
    #[inline(always)]
    pub fn get(&self) -> ConstPtr<T> {
        ConstPtr(self.0.get())
    }

    /// A pointer for writing.
    #[inline(always)]
    pub fn get_mut(&self) -> MutPtr<T> {
        MutPtr(self.0.get())
    }
}

impl<T> From<T> for UnsafeCell<T> {
    fn from(value: T) -> Self {
        UnsafeCell::new(value)
    }
}

/// A pointer for reading.
#[derive(Debug)]
#[repr(transparent)]
pub struct ConstPtr<T: ?Sized>(*const T);

impl<T: ?Sized> ConstPtr<T> {
    /// Dereferences the pointer.
    ///
    /// # Safety
    /// The value must be alive and nobody may write it meanwhile.
    #[inline(always)]
    pub unsafe fn deref(&self) -> &T {
        // SAFETY: as the caller promises.
        unsafe { &*self.0 }
    }

    /// Reads through the pointer.
    #[inline(always)]
    pub fn with<F, R>(&self, f: F) -> R
    where
        F: FnOnce(*const T) -> R,
    {
        f(self.0)
    }
}

/// A pointer for writing.
#[derive(Debug)]
#[repr(transparent)]
pub struct MutPtr<T: ?Sized>(*mut T);

impl<T: ?Sized> MutPtr<T> {
    /// Dereferences the pointer.
    ///
    /// # Safety
    /// The value must be alive and nobody else may touch it meanwhile.
    #[inline(always)]
    #[allow(clippy::mut_from_ref, reason = "the shape loom's users know; the caller promises exclusive access")]
    pub unsafe fn deref(&self) -> &mut T {
        // SAFETY: as the caller promises.
        unsafe { &mut *self.0 }
    }

    /// Writes through the pointer.
    #[inline(always)]
    pub fn with<F, R>(&self, f: F) -> R
    where
        F: FnOnce(*mut T) -> R,
    {
        f(self.0)
    }
}
