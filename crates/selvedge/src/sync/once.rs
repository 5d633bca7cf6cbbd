//! Once: of many threads one runs the closure, the others wait until it is done. Every attempt has a gate of its own,
//! because an attempt that panics lets the waiting threads through, too: they find the `Once` poisoned.

use std::fmt;
use std::panic::Location;
use std::sync::atomic::Ordering;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::primitive::{self, Held};
use selvedge_stateless::rt::{self, Access, ObjectKind};
use selvedge_stateless::{At, ObjectId};

/// A closure that runs once, as [`std::sync::Once`].
pub struct Once {
    outside: std::sync::Once,
    held: Held<Mutex<Stage>>,
}

#[derive(Clone, Copy)]
enum Stage {
    New,
    Running(ObjectId),
    Done,
    Poisoned,
}

/// What [`Once::call_once_force`] tells its closure.
pub struct OnceState {
    poisoned: bool,
}

impl OnceState {
    /// Whether an earlier attempt panicked.
    pub fn is_poisoned(&self) -> bool {
        self.poisoned
    }
}

impl fmt::Debug for OnceState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OnceState").field("poisoned", &self.poisoned).finish()
    }
}

impl Once {
    /// Not run yet.
    #[track_caller]
    pub const fn new() -> Self {
        Once { outside: std::sync::Once::new(), held: Held::new(Mutex::new(Stage::New)) }
    }

    /// For macros that make statics.
    #[track_caller]
    pub(crate) const fn new_static() -> Self {
        Once { outside: std::sync::Once::new(), held: Held::new_static(Mutex::new(Stage::New)) }
    }

    /// Makes the step; what is locked then is unlocked before the next one.
    fn stage(&self, access: Access, verb: &'static str, at: At) -> MutexGuard<'_, Stage> {
        let (object, stage) = self.held.shared(ObjectKind::Atomic, "Once");
        rt::access(object, access, verb, at);
        stage.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs `f` if nobody has; waits for the one who does.
    ///
    /// # Panics
    /// If an earlier attempt panicked.
    #[track_caller]
    pub fn call_once<F: FnOnce()>(&self, f: F) {
        if rt::inside() {
            self.run("call_once", false, Location::caller(), |_| f());
        } else {
            self.held.outside();
            self.outside.call_once(f);
        }
    }

    /// As [`call_once`](Self::call_once), but tries again after a panic.
    #[track_caller]
    pub fn call_once_force<F: FnOnce(&OnceState)>(&self, f: F) {
        if rt::inside() {
            self.run("call_once_force", true, Location::caller(), f);
        } else {
            self.held.outside();
            self.outside.call_once_force(|state| f(&OnceState { poisoned: state.is_poisoned() }));
        }
    }

    fn run(&self, verb: &'static str, force: bool, at: At, f: impl FnOnce(&OnceState)) {
        loop {
            let (found, gate) = self.claim(verb, force, at);
            if let Some(gate) = gate {
                let mut attempt = Attempt { once: self, gate, at, end: Stage::Poisoned };
                f(&OnceState { poisoned: matches!(found, Stage::Poisoned) });
                attempt.end = Stage::Done;
                return;
            }
            match found {
                Stage::Running(gate) => rt::pass(gate, "wait for the initializer", at),
                Stage::Poisoned => panic!("Once instance has previously been poisoned"),
                Stage::New | Stage::Done => return,
            }
            if rt::panicking() {
                return;
            }
        }
    }

    /// Looks at the stage and, if nobody runs the closure, becomes the one who does: the stage found, and the gate of
    /// the attempt.
    fn claim(&self, verb: &'static str, force: bool, at: At) -> (Stage, Option<ObjectId>) {
        let mut stage = self.stage(Access::CompareExchange, verb, at);
        let found = *stage;
        let claims = matches!(found, Stage::New) || force && matches!(found, Stage::Poisoned);
        rt::wrote(claims, Ordering::Acquire, at);
        let gate = claims.then(|| rt::object(ObjectKind::Gate, self.held.created()));
        if let Some(gate) = gate {
            *stage = Stage::Running(gate);
        }
        (found, gate)
    }

    /// Whether the closure has run.
    #[track_caller]
    pub fn is_completed(&self) -> bool {
        if !rt::inside() {
            return self.outside.is_completed();
        }
        let done =
            matches!(*self.stage(Access::Load(Ordering::Acquire), "is_completed", Location::caller()), Stage::Done);
        primitive::note(|| [String::new(), done.to_string(), String::new()]);
        done
    }

    /// Waits until the closure has run.
    ///
    /// # Panics
    /// If an attempt panicked.
    #[track_caller]
    pub fn wait(&self) {
        if !rt::inside() {
            return self.outside.wait();
        }
        let at = Location::caller();
        loop {
            let stage = *self.stage(Access::Load(Ordering::Acquire), "wait", at);
            match stage {
                Stage::Done => return,
                Stage::Poisoned => panic!("Once instance has previously been poisoned"),
                Stage::Running(gate) => rt::pass(gate, "wait for the initializer", at),
                // Nobody runs it yet: whoever does has its own gate, so that all we can do is to look again.
                Stage::New => rt::yield_now("wait for an initializer", at),
            }
            if rt::panicking() {
                return;
            }
        }
    }
}

/// The attempt at hand; its end is told when it is dropped, by a panic too.
struct Attempt<'a> {
    once: &'a Once,
    gate: ObjectId,
    at: At,
    end: Stage,
}

impl Drop for Attempt<'_> {
    fn drop(&mut self) {
        *self.once.stage(Access::Store(Ordering::Release), "complete", self.at) = self.end;
        rt::open(self.gate, "wake the waiting threads", self.at);
    }
}

impl Default for Once {
    #[track_caller]
    fn default() -> Self {
        Once::new()
    }
}

crate::macros::is_unwind_safe!(Once);

impl fmt::Debug for Once {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Once").finish_non_exhaustive()
    }
}
