//! The pointer that does not own.

use std::fmt;
use std::mem::ManuallyDrop;
use std::panic::Location;
use std::sync::Weak as Std;
use std::sync::atomic::Ordering::Relaxed;

use super::Arc;
use super::control::Control;
use selvedge_stateless::rt::Access;

/// A pointer that does not keep its value alive, as [`std::sync::Weak`].
pub struct Weak<T: ?Sized> {
    value: Std<T>,
    control: Control,
}

impl<T> Weak<T> {
    /// A pointer to nothing.
    pub const fn new() -> Self {
        Weak { value: Std::new(), control: Control::OUTSIDE }
    }
}

impl<T: ?Sized> Weak<T> {
    pub(super) fn made(value: Std<T>, control: Control) -> Self {
        Weak { value, control }
    }

    /// An owner, if there still is one.
    #[track_caller]
    pub fn upgrade(&self) -> Option<Arc<T>> {
        self.control.observe("upgrade", Access::CompareExchange, Location::caller());
        let value = self.value.upgrade();
        self.control.exchanged(value.is_some(), Location::caller());
        value.map(|value| Arc { value: ManuallyDrop::new(value), control: self.control })
    }

    /// How many own the value.
    #[track_caller]
    pub fn strong_count(&self) -> usize {
        self.control.observe("strong_count", Access::Load(Relaxed), Location::caller());
        self.value.strong_count()
    }

    /// How many weak pointers there are, 0 when nobody owns the value any more.
    #[track_caller]
    pub fn weak_count(&self) -> usize {
        self.control.observe("weak_count", Access::Load(Relaxed), Location::caller());
        self.value.weak_count()
    }

    /// Whether two pointers share one value.
    pub fn ptr_eq(&self, other: &Self) -> bool {
        self.value.ptr_eq(&other.value)
    }

    /// The address of the value.
    pub fn as_ptr(&self) -> *const T
    where
        T: Sized,
    {
        self.value.as_ptr()
    }
}

impl<T: ?Sized> Clone for Weak<T> {
    #[track_caller]
    fn clone(&self) -> Self {
        self.control.count("clone weak", Location::caller());
        Weak { value: self.value.clone(), control: self.control }
    }
}

impl<T: ?Sized> Drop for Weak<T> {
    fn drop(&mut self) {
        self.control.count_drop();
    }
}

impl<T> Default for Weak<T> {
    fn default() -> Self {
        Weak::new()
    }
}

impl<T: ?Sized> fmt::Debug for Weak<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(Weak)")
    }
}
