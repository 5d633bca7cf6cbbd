//! Once: of many threads one runs the closure, the others wait until it is done. Every attempt has a gate of its own,
//! because an attempt that panics lets the waiting threads through, too: they find the `Once` poisoned.
#![allow(unsafe_code)]

use std::fmt;
use std::panic::Location;

use crate::rt::{self, Access, At, Held, ObjectId, ObjectKind};

/// A closure that runs once, as [`std::sync::Once`].
pub struct Once {
    outside: std::sync::Once,
    held: Held<Stage>,
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
        Once { outside: std::sync::Once::new(), held: Held::new(Stage::New) }
    }

    /// For macros that make statics.
    #[track_caller]
    pub(crate) const fn new_static() -> Self {
        Once { outside: std::sync::Once::new(), held: Held::new_static(Stage::New) }
    }

    fn stage(&self, access: Access, verb: &'static str, at: At) -> (ObjectId, &mut Stage) {
        let (object, stage) = self.held.inside(ObjectKind::Atomic, "Once");
        rt::access(object, access, verb, at);
        // SAFETY: nobody else runs before our next step, and nobody keeps the reference beyond it.
        (object, unsafe { &mut *stage })
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
            let (_, stage) = self.stage(Access::CompareExchange, verb, at);
            let poisoned = matches!(stage, Stage::Poisoned);
            match *stage {
                Stage::Done => return rt::wrote(false),
                Stage::Running(gate) => {
                    rt::wrote(false);
                    rt::pass(gate, "wait for the one who runs", at);
                    if rt::panicking() {
                        return;
                    }
                }
                Stage::Poisoned if !force => {
                    rt::wrote(false);
                    panic!("Once instance has previously been poisoned");
                }
                Stage::New | Stage::Poisoned => {
                    let gate = rt::object(ObjectKind::Gate, self.held.created());
                    *stage = Stage::Running(gate);
                    rt::wrote(true);
                    let mut attempt = Attempt { once: self, gate, at, end: Stage::Poisoned };
                    f(&OnceState { poisoned });
                    attempt.end = Stage::Done;
                    return;
                }
            }
        }
    }

    /// Whether the closure has run.
    #[track_caller]
    pub fn is_completed(&self) -> bool {
        if !rt::inside() {
            return self.outside.is_completed();
        }
        let (_, stage) = self.stage(Access::Load, "is_completed", Location::caller());
        let done = matches!(stage, Stage::Done);
        rt::note(|| [String::new(), done.to_string(), String::new()]);
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
            let (_, stage) = self.stage(Access::Load, "wait", at);
            match *stage {
                Stage::Done => return,
                Stage::Poisoned => panic!("Once instance has previously been poisoned"),
                Stage::Running(gate) => rt::pass(gate, "wait for the one who runs", at),
                // Nobody runs it yet: whoever does has its own gate, so that all we can do is to look again.
                Stage::New => rt::yield_now("wait for someone to run it", at),
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
        let (_, stage) = self.once.stage(Access::Store, "complete", self.at);
        *stage = self.end;
        rt::open(self.gate, "wake who waits", self.at);
    }
}

impl Default for Once {
    #[track_caller]
    fn default() -> Self {
        Once::new()
    }
}

impl fmt::Debug for Once {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Once").finish_non_exhaustive()
    }
}
