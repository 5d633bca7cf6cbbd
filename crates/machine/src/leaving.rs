//! Why the thread that ran last would be left in a state (docs/design.md 3.1, 3.3). Every search that counts switches asks
//! here, and [`SwitchCost`] says what the reason costs.

use selvedge_core::{SwitchCost, SwitchReason, ThreadId};

use crate::spinning::OwnCycle;
use crate::{Hints, Spinning};

/// How preemptions are counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counting {
    /// A switch away from a spinning thread is a preemption too.
    pub busy_waiting: bool,
}

/// Finds the reasons, for one machine; keeps what it has found out about spinning threads.
pub struct Leaving<M: Hints> {
    counting: Counting,
    spinning: Spinning<M>,
}

impl<M: Hints> Leaving<M> {
    /// With nothing found out yet.
    pub fn new(counting: Counting) -> Self {
        Leaving { counting, spinning: Spinning::default() }
    }

    /// Why another thread than `last` runs in `state`, where `last` is enabled or not: it is blocked (perhaps finished),
    /// spins there, or is preempted.
    #[inline]
    pub fn reason(&mut self, machine: &M, state: &[u8], last: ThreadId, enabled: bool) -> SwitchReason {
        if !enabled {
            SwitchReason::Blocked
        } else if !self.counting.busy_waiting && self.spinning.is_spinning(machine, state, last) {
            SwitchReason::Spinning
        } else {
            SwitchReason::Preempted
        }
    }

    /// What that costs. Whether `last` spins is found out only if it matters.
    #[inline]
    pub fn cost(&mut self, cost: SwitchCost, machine: &M, state: &[u8], last: ThreadId, enabled: bool) -> u32 {
        if cost.depends_on_reason() {
            cost.of_leaving(self.reason(machine, state, last, enabled))
        } else {
            cost.of_leaving(SwitchReason::Preempted)
        }
    }

    /// Whether it is pointless to preempt `thread` in `state`: its next steps may come before those of all others, because they
    /// are local ([`Hints::is_local`]) and it cannot return to them by steps that others cannot see, which would put the
    /// others off forever.
    #[inline]
    pub fn is_pointless(&mut self, machine: &M, state: &[u8], thread: ThreadId) -> bool {
        machine.is_local(state, thread) && self.spinning.own_cycle(machine, state, thread) == OwnCycle::None
    }

    /// What is known about spinning threads.
    pub fn spinning(&mut self) -> &mut Spinning<M> {
        &mut self.spinning
    }

    /// Bytes held.
    pub fn bytes(&self) -> u64 {
        self.spinning.bytes()
    }
}
