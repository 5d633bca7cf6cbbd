//! What a search counts against its bound. What a switch costs is decided in `core` ([`SwitchCost`]) and nowhere here; this
//! adds the bounds that count something else than switches.

use selvedge_core::{SwitchCost, ThreadId};

/// The largest number of stale accesses and of switches, where they are limited one by one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Caps {
    pub(crate) switches: Option<u32>,
    pub(crate) stale: Option<u32>,
    /// Stale accesses do not count against the bound: there may be any number.
    pub(crate) stale_is_free: bool,
}

/// What a search counts, the first and the last bound to be explored, and what is limited besides.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SearchRules {
    pub(crate) cost: Cost,
    pub(crate) first: u32,
    pub(crate) max: Option<u32>,
    pub(crate) caps: Caps,
}

/// What a schedule costs so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Spent {
    pub(crate) switches: u32,
    pub(crate) stale: u32,
}

impl Spent {
    pub(crate) fn plus(self, more: Spent) -> Spent {
        Spent { switches: self.switches + more.switches, stale: self.stale + more.stale }
    }

    /// Without a part of it.
    pub(crate) fn less(self, part: Spent) -> Spent {
        Spent { switches: self.switches - part.switches, stale: self.stale - part.stale }
    }

    /// With a step that costs so much, and may be stale.
    pub(crate) fn and(self, switches: u32, stale: bool) -> Spent {
        self.plus(Spent { switches, stale: u32::from(stale) })
    }
}

impl Caps {
    /// What counts against the bound.
    pub(crate) fn total(self, spent: Spent) -> u32 {
        spent.switches + if self.stale_is_free { 0 } else { spent.stale }
    }

    pub(crate) fn allow(self, spent: Spent) -> bool {
        self.switches.is_none_or(|most| spent.switches <= most) && self.stale.is_none_or(|most| spent.stale <= most)
    }
}

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
