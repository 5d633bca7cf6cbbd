//! What it costs to let another thread run (DESIGN 3.1, 3.3), for searches over nodes of state and thread that ran last.

use selvedge_core::ThreadId;
use selvedge_machine::{Counting, Machine, Spinning};

/// What a switch away from a thread adds to a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Price {
    pub preemptions: u32,
    pub switches: u32,
}

/// The price of leaving `last` in `state`, where it has a step or not.
pub(crate) fn price<M: Machine>(
    machine: &M,
    spinning: &mut Spinning<M>,
    counting: Counting,
    state: &[u8],
    (last, enabled): (Option<ThreadId>, bool),
) -> Price {
    let Some(last) = last else { return Price::default() };
    let free = !enabled || (!counting.busy_waiting && spinning.is_spinning(machine, state, last));
    Price { preemptions: u32::from(!free), switches: 1 }
}
