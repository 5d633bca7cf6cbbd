//! What a search counts against its bound. What a switch costs is decided in `core` ([`SwitchCost`]) and nowhere here; this
//! adds the bounds that count something else than switches.

use selvedge_core::{SwitchCost, ThreadId};

/// What the steps of a schedule cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cost {
    /// Switches between threads.
    Switch(SwitchCost),
    /// Every step.
    Depth,
    /// Nothing: the candidates are all there is.
    Free,
}

impl Cost {
    /// What a step of `next` costs after the last thread, given whether that one would have continued by itself.
    pub(crate) fn of_step(self, last: (ThreadId, bool), next: ThreadId) -> u32 {
        match self {
            Cost::Switch(cost) => cost.of_step(Some(last), &next),
            Cost::Depth => 1,
            Cost::Free => 0,
        }
    }

    /// What the switch alone costs if another thread than the last one runs.
    pub(crate) fn of_leaving(self, continues: bool) -> u32 {
        match self {
            Cost::Switch(cost) => cost.of_leaving(continues),
            Cost::Depth | Cost::Free => 0,
        }
    }

    /// Whether the bound may refuse every enabled thread: it is not always free to let the next one run.
    pub(crate) fn may_refuse_everybody(self) -> bool {
        self.of_leaving(false) > 0 || self == Cost::Depth
    }
}
