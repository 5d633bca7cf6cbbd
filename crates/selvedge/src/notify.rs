//! loom's `Notify`: one permit, given by `notify` and taken by `wait`.

use std::sync::{Condvar, Mutex, PoisonError};

#[cfg(feature = "model")]
use crate::primitive::Held;
#[cfg(feature = "model")]
use selvedge_stateless::ObjectId;
#[cfg(feature = "model")]
use selvedge_stateless::rt::{self, ObjectKind};

/// A permit that one thread gives and another waits for. Giving it twice is giving it once.
pub struct Notify {
    given: Mutex<bool>,
    call: Condvar,
    #[cfg(feature = "model")]
    held: Held<()>,
}

impl Notify {
    /// No permit yet.
    #[cfg_attr(feature = "model", track_caller)]
    pub const fn new() -> Self {
        Notify {
            given: Mutex::new(false),
            call: Condvar::new(),
            #[cfg(feature = "model")]
            held: Held::new(()),
        }
    }

    #[cfg(feature = "model")]
    fn object(&self) -> ObjectId {
        self.held.inside(ObjectKind::Token, "Notify").0
    }

    /// Gives the permit.
    #[cfg_attr(feature = "model", track_caller)]
    pub fn notify(&self) {
        #[cfg(feature = "model")]
        if rt::inside() {
            return rt::put(self.object(), "notify", std::panic::Location::caller());
        }
        *self.given.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.call.notify_one();
    }

    /// Waits for the permit and takes it.
    #[cfg_attr(feature = "model", track_caller)]
    pub fn wait(&self) {
        #[cfg(feature = "model")]
        if rt::inside() {
            return rt::take(self.object(), "wait", std::panic::Location::caller());
        }
        let mut given = self.given.lock().unwrap_or_else(PoisonError::into_inner);
        while !std::mem::take(&mut *given) {
            given = self.call.wait(given).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Default for Notify {
    #[cfg_attr(feature = "model", track_caller)]
    fn default() -> Self {
        Notify::new()
    }
}

impl std::fmt::Debug for Notify {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Notify").finish_non_exhaustive()
    }
}
