//! `lazy_static!` inside a model: made anew in every execution, at the first use, and dropped at its end.

use std::fmt;

use crate::sync::LazyLock;

/// What [`lazy_static!`](crate::lazy_static!) makes of a `static ref`.
pub struct Lazy<T: 'static>(LazyLock<T>);

impl<T: 'static> Lazy<T> {
    /// Made by `init` at the first use.
    #[track_caller]
    pub const fn new(init: fn() -> T) -> Self {
        Lazy(LazyLock::new_static(init))
    }

    /// The value, made if this is the first use. It must not be used after the execution, in which it looks immortal.
    #[track_caller]
    pub fn get(&'static self) -> &'static T {
        &self.0
    }
}

impl<T: 'static> fmt::Debug for Lazy<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lazy").finish_non_exhaustive()
    }
}
