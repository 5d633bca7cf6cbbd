//! The barrier: threads wait for each other. Every round has a gate that the last to arrive opens.

use std::fmt;
use std::panic::Location;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::Ordering;

use crate::primitive::{self, Held};
use selvedge_stateless::ObjectId;
use selvedge_stateless::rt::{self, Access, ObjectKind};

/// A place where so many threads wait for each other, as [`std::sync::Barrier`].
pub struct Barrier {
    outside: std::sync::Barrier,
    threads: usize,
    held: Held<Mutex<Round>>,
}

/// The round at hand.
struct Round {
    arrived: usize,
    gate: Option<ObjectId>,
}

/// What one who arrives does.
enum Gate {
    Waits(ObjectId),
    /// If anybody waits.
    Opens(Option<ObjectId>),
}

/// Whether this thread is the one that a round names its leader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BarrierWaitResult(bool);

impl BarrierWaitResult {
    /// Exactly one thread of a round is.
    pub fn is_leader(&self) -> bool {
        self.0
    }
}

impl Barrier {
    /// A barrier for `n` threads.
    #[track_caller]
    pub const fn new(n: usize) -> Self {
        let round = Round { arrived: 0, gate: None };
        Barrier { outside: std::sync::Barrier::new(n), threads: n, held: Held::new(Mutex::new(round)) }
    }

    /// Waits for the others.
    #[track_caller]
    pub fn wait(&self) -> BarrierWaitResult {
        if !rt::inside() {
            return BarrierWaitResult(self.outside.wait().is_leader());
        }
        let at = Location::caller();
        let (object, round) = self.held.shared(ObjectKind::Atomic, "Barrier");
        rt::access(object, Access::Rmw(Ordering::AcqRel), "wait", at);
        let gate = self.arrive(&mut round.lock().unwrap_or_else(PoisonError::into_inner));
        match gate {
            Gate::Opens(gate) => {
                if let Some(gate) = gate {
                    rt::open(gate, "release all threads", at);
                }
                BarrierWaitResult(true)
            }
            Gate::Waits(gate) => {
                rt::pass(gate, "wait for the others", at);
                BarrierWaitResult(false)
            }
        }
    }

    /// One more is there; the last one ends the round.
    fn arrive(&self, round: &mut Round) -> Gate {
        round.arrived += 1;
        let arrived = round.arrived;
        primitive::note(|| [String::new(), String::new(), format!("{arrived} of {} there", self.threads)]);
        if arrived < self.threads {
            return Gate::Waits(*round.gate.get_or_insert_with(|| rt::object(ObjectKind::Gate, self.held.created())));
        }
        round.arrived = 0;
        Gate::Opens(round.gate.take())
    }
}

crate::macros::is_unwind_safe!(Barrier);

impl fmt::Debug for Barrier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Barrier").finish_non_exhaustive()
    }
}
