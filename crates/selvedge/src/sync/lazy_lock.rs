//! A value made at its first use.
#![allow(unsafe_code)]

use std::fmt;
use std::ops::Deref;
use std::panic::{RefUnwindSafe, UnwindSafe};

use super::once::Once;
use crate::primitive::Held;

/// A value made at its first use, as [`std::sync::LazyLock`].
pub struct LazyLock<T, F = fn() -> T> {
    once: Once,
    state: Held<State<T, F>>,
}

enum State<T, F> {
    Unmade(F),
    Making,
    Made(T),
}

// SAFETY: written by the one thread that runs the `Once`, and only read after that.
unsafe impl<T: Send + Sync, F: Send> Sync for LazyLock<T, F> {}

impl<T: RefUnwindSafe + UnwindSafe, F: UnwindSafe> RefUnwindSafe for LazyLock<T, F> {}

impl<T, F: FnOnce() -> T> LazyLock<T, F> {
    /// Made by `f` at the first use.
    #[track_caller]
    pub const fn new(f: F) -> Self {
        LazyLock { once: Once::new(), state: Held::new(State::Unmade(f)) }
    }

    /// For macros that make statics.
    #[track_caller]
    pub(crate) const fn new_static(f: F) -> Self {
        LazyLock { once: Once::new_static(), state: Held::new_static(State::Unmade(f)) }
    }

    /// Makes the value if that has not been done.
    #[track_caller]
    pub fn force(this: &LazyLock<T, F>) -> &T {
        this.get()
    }

    #[track_caller]
    fn get(&self) -> &T {
        self.once.call_once(|| {
            // SAFETY: only the thread that runs the `Once` gets here, and nobody reads before it is completed.
            let state = unsafe { &mut *self.state.plain("LazyLock") };
            if let State::Unmade(f) = std::mem::replace(state, State::Making) {
                let value = f();
                // The closure may have taken steps: what it left behind is looked up anew.
                // SAFETY: as above.
                unsafe { *self.state.plain("LazyLock") = State::Made(value) };
            }
        });
        // SAFETY: written before the `Once` was completed, and never again.
        match unsafe { &*self.state.plain("LazyLock") } {
            State::Made(value) => value,
            State::Unmade(_) | State::Making => panic!("LazyLock instance has previously been poisoned"),
        }
    }
}

impl<T, F: FnOnce() -> T> Deref for LazyLock<T, F> {
    type Target = T;
    #[track_caller]
    fn deref(&self) -> &T {
        self.get()
    }
}

impl<T: Default> Default for LazyLock<T> {
    #[track_caller]
    fn default() -> Self {
        LazyLock::new(T::default)
    }
}

impl<T, F> fmt::Debug for LazyLock<T, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LazyLock").finish_non_exhaustive()
    }
}
