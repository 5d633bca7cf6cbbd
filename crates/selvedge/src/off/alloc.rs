//! Allocation with the feature `model` off: std's own.

#[doc(no_inline)]
pub use std::alloc::{Layout, alloc, alloc_zeroed, dealloc};

/// A value whose loss a model would report. Here it is the value and nothing else.
#[derive(Debug)]
#[repr(transparent)]
pub struct Track<T>(T);

impl<T> Track<T> {
    /// Tracks nothing.
    #[inline]
    pub const fn new(value: T) -> Self {
        Track(value)
    }

    /// The value.
    #[inline]
    pub fn get_ref(&self) -> &T {
        &self.0
    }

    /// The value, exclusively.
    #[inline]
    pub fn get_mut(&mut self) -> &mut T {
        &mut self.0
    }

    /// The value itself.
    #[inline]
    pub fn into_inner(self) -> T {
        self.0
    }
}
