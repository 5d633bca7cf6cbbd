//! Shared ownership. The value and its counts are in an `Arc` of std; around it stand the leak check and the steps.
//!
//! A clone or a drop is a step only when it can be told from its neighbours: when some thread looks at a count, or when
//! the destructor run by the last drop takes steps of its own. The runtime finds that out and starts over with visible
//! counts ([`rt::counts_matter`]); without this, two threads that merely drop their handles would double the runs.
#![allow(unsafe_code)]

mod control;
mod traits;
mod weak;

pub use self::weak::Weak;

use std::mem::ManuallyDrop;
use std::panic::Location;
use std::pin::Pin;
use std::sync::Arc as Std;
use std::sync::atomic::Ordering::Relaxed;

use self::control::Control;
use selvedge_stateless::rt::Access;

/// A shared pointer, as [`std::sync::Arc`]. To unsize one, unsize std's and use [`Arc::from_std`].
pub struct Arc<T: ?Sized> {
    value: ManuallyDrop<Std<T>>,
    control: Control,
}

impl<T> Arc<T> {
    /// The first owner.
    #[track_caller]
    pub fn new(value: T) -> Self {
        Arc::made(Std::new(value), Location::caller())
    }

    /// The first owner of a value that does not move.
    #[track_caller]
    pub fn pin(value: T) -> Pin<Self> {
        let arc = Arc::new(value);
        // SAFETY: the value of a shared pointer does not move.
        unsafe { Pin::new_unchecked(arc) }
    }

    /// A value that holds weak pointers to itself.
    #[track_caller]
    pub fn new_cyclic<F: FnOnce(&Weak<T>) -> T>(f: F) -> Self {
        let control = Control::new(Location::caller());
        let value = Std::new_cyclic(|weak| f(&Weak::made(weak.clone(), control)));
        Arc { value: ManuallyDrop::new(value), control }
    }

    /// The value, if this is the only owner.
    #[track_caller]
    pub fn try_unwrap(this: Self) -> Result<T, Self> {
        this.control.observe("try_unwrap", Access::CompareExchange, Location::caller());
        let (value, control) = this.into_parts();
        match Std::try_unwrap(value) {
            Ok(value) => {
                control.exchanged(true, Location::caller());
                control.freed();
                Ok(value)
            }
            Err(value) => {
                control.exchanged(false, Location::caller());
                Err(Arc { value: ManuallyDrop::new(value), control })
            }
        }
    }

    /// The value, if this is the last owner; else one owner less.
    #[track_caller]
    pub fn into_inner(this: Self) -> Option<T> {
        this.control.observe("into_inner", Access::Rmw(Relaxed), Location::caller());
        let (value, control) = this.into_parts();
        let value = Std::into_inner(value);
        if value.is_some() {
            control.freed();
        } else {
            control.release();
        }
        value
    }

    /// The value, if this is the only owner; else a clone of it.
    #[track_caller]
    pub fn unwrap_or_clone(this: Self) -> T
    where
        T: Clone,
    {
        Arc::try_unwrap(this).unwrap_or_else(|arc| (*arc).clone())
    }
}

impl<T: ?Sized> Arc<T> {
    fn made(value: Std<T>, at: selvedge_stateless::At) -> Self {
        Arc { value: ManuallyDrop::new(value), control: Control::new(at) }
    }

    fn into_parts(self) -> (Std<T>, Control) {
        let mut this = ManuallyDrop::new(self);
        // SAFETY: `this` is not used again.
        (unsafe { ManuallyDrop::take(&mut this.value) }, this.control)
    }

    /// Takes over std's pointer, for values that std can unsize: `Arc::from_std(std::sync::Arc::new(f) as _)`.
    #[track_caller]
    pub fn from_std(value: Std<T>) -> Self {
        Arc::made(value, Location::caller())
    }

    /// How many own the value.
    #[track_caller]
    pub fn strong_count(this: &Self) -> usize {
        this.control.observe("strong_count", Access::Load(Relaxed), Location::caller());
        let count = Std::strong_count(&this.value);
        this.control.show_count(count);
        count
    }

    /// How many weak pointers there are.
    #[track_caller]
    pub fn weak_count(this: &Self) -> usize {
        this.control.observe("weak_count", Access::Load(Relaxed), Location::caller());
        let count = Std::weak_count(&this.value);
        this.control.show_count(count);
        count
    }

    /// A pointer that does not own.
    #[track_caller]
    pub fn downgrade(this: &Self) -> Weak<T> {
        this.control.count("downgrade", Location::caller());
        Weak::made(Std::downgrade(&this.value), this.control)
    }

    /// The value, exclusively, if there is no other pointer of any kind.
    #[track_caller]
    pub fn get_mut(this: &mut Self) -> Option<&mut T> {
        this.control.observe("get_mut", Access::Load(Relaxed), Location::caller());
        let value = Std::get_mut(&mut this.value);
        if value.is_some() {
            this.control.acquire();
        }
        value
    }

    /// Whether two pointers share one value.
    pub fn ptr_eq(this: &Self, other: &Self) -> bool {
        Std::ptr_eq(&this.value, &other.value)
    }

    /// The address of the value; ownership stays with the address until [`from_raw`](Self::from_raw).
    #[must_use = "losing the pointer will leak memory"]
    pub fn into_raw(this: Self) -> *const T {
        let (value, control) = this.into_parts();
        control.remember(Std::as_ptr(&value).cast());
        Std::into_raw(value)
    }

    /// The address of the value.
    pub fn as_ptr(this: &Self) -> *const T {
        this.control.remember(Std::as_ptr(&this.value).cast());
        Std::as_ptr(&this.value)
    }

    /// Takes ownership back.
    ///
    /// # Safety
    /// `ptr` must come from [`into_raw`](Self::into_raw) of the same type, each once.
    #[track_caller]
    pub unsafe fn from_raw(ptr: *const T) -> Self {
        let control = Control::recall(ptr.cast());
        // SAFETY: as the caller promises.
        Arc { value: ManuallyDrop::new(unsafe { Std::from_raw(ptr) }), control }
    }

    /// One owner more, by address.
    ///
    /// # Safety
    /// As for [`from_raw`](Self::from_raw), and an owner must exist meanwhile.
    #[track_caller]
    pub unsafe fn increment_strong_count(ptr: *const T) {
        // SAFETY: as the caller promises; the pointer that we make up is not dropped.
        let arc = ManuallyDrop::new(unsafe { Arc::from_raw(ptr) });
        let _ = ManuallyDrop::new((*arc).clone());
    }

    /// One owner less, by address.
    ///
    /// # Safety
    /// As for [`from_raw`](Self::from_raw).
    #[track_caller]
    pub unsafe fn decrement_strong_count(ptr: *const T) {
        // SAFETY: as the caller promises.
        drop(unsafe { Arc::from_raw(ptr) });
    }
}

impl<T: Clone> Arc<T> {
    /// The value, exclusively: a clone of it if others own it, too.
    #[track_caller]
    pub fn make_mut(this: &mut Self) -> &mut T {
        this.control.observe("make_mut", Access::Load(Relaxed), Location::caller());
        if Std::get_mut(&mut this.value).is_none() {
            let clone = (**this).clone();
            *this = Arc::made(Std::new(clone), Location::caller());
        }
        this.control.acquire();
        Std::get_mut(&mut this.value).expect("the only pointer")
    }
}

impl<T: ?Sized> Clone for Arc<T> {
    #[track_caller]
    fn clone(&self) -> Self {
        self.control.count("clone", Location::caller());
        Arc { value: self.value.clone(), control: self.control }
    }
}

impl<T: ?Sized> Drop for Arc<T> {
    fn drop(&mut self) {
        self.control.count_drop();
        // SAFETY: `self.value` is not used again.
        let value = unsafe { ManuallyDrop::take(&mut self.value) };
        if Std::strong_count(&value) == 1 {
            let _watch = self.control.last();
            drop(value);
        } else {
            self.control.release();
            drop(value);
        }
    }
}
