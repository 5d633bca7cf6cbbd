//! `lazy_static!` inside a model: made anew in every execution, at the first use, and dropped at its end.

use std::fmt;

use crate::primitive;
use crate::sync::LazyLock;
pub use crate::thread::AccessError;

/// What [`lazy_static!`](crate::lazy_static!) makes of a `static ref`.
pub struct Lazy<T: 'static>(LazyLock<T>);

impl<T: 'static> Lazy<T> {
    /// Made by `init` at the first use.
    #[track_caller]
    pub const fn new(init: fn() -> T) -> Self {
        Lazy(LazyLock::new_static(init))
    }

    /// The value, made if this is the first use.
    ///
    /// # Panics
    /// If the execution is over and its statics are being dropped: the value may be gone.
    #[track_caller]
    pub fn get(&'static self) -> &'static T {
        self.try_get().expect("attempted to access lazy_static during shutdown")
    }

    /// The value, made if this is the first use, unless the execution is over and its statics are being dropped.
    #[track_caller]
    pub fn try_get(&'static self) -> Result<&'static T, AccessError> {
        if primitive::held::shutting_down() { Err(AccessError) } else { Ok(&self.0) }
    }
}

impl<T: 'static> fmt::Debug for Lazy<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lazy").finish_non_exhaustive()
    }
}
