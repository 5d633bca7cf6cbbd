//! The barrier: threads wait for each other. Every round has a gate that the last to arrive opens.
#![allow(unsafe_code)]

use std::fmt;
use std::panic::Location;

use crate::rt::{self, Access, Held, ObjectId, ObjectKind};

/// A place where so many threads wait for each other, as [`std::sync::Barrier`].
pub struct Barrier {
    outside: std::sync::Barrier,
    threads: usize,
    held: Held<Round>,
}

/// The round at hand.
struct Round {
    arrived: usize,
    gate: Option<ObjectId>,
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
        Barrier { outside: std::sync::Barrier::new(n), threads: n, held: Held::new(round) }
    }

    /// Waits for the others.
    #[track_caller]
    pub fn wait(&self) -> BarrierWaitResult {
        if !rt::inside() {
            return BarrierWaitResult(self.outside.wait().is_leader());
        }
        let at = Location::caller();
        let (object, round) = self.held.inside(ObjectKind::Atomic, "Barrier");
        rt::access(object, Access::Rmw, "wait", at);
        // SAFETY: nobody else runs before our next step.
        let round = unsafe { &mut *round };
        round.arrived += 1;
        let arrived = round.arrived;
        rt::note(|| [String::new(), String::new(), format!("{arrived} of {} there", self.threads)]);
        if arrived >= self.threads {
            let gate = round.gate.take();
            round.arrived = 0;
            if let Some(gate) = gate {
                rt::open(gate, "let all through", at);
            }
            return BarrierWaitResult(true);
        }
        let gate = *round.gate.get_or_insert_with(|| rt::object(ObjectKind::Gate, self.held.created()));
        rt::pass(gate, "wait for the others", at);
        BarrierWaitResult(false)
    }
}

impl fmt::Debug for Barrier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Barrier").finish_non_exhaustive()
    }
}
