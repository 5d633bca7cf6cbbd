//! What a search counts against its bound. What a switch costs is decided in `core` ([`SwitchCost`]) and nowhere here; this
//! adds the bounds that count something else than switches.

use selvedge_core::{SwitchCost, ThreadId};

/// The largest number of stale accesses and of switches, where they are limited one by one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Caps {
    pub(crate) switches: Option<u32>,
    pub(crate) stale: Option<u32>,
}

/// What a search counts, the first and the last bound to be explored, and what is limited besides.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rules {
    pub(crate) cost: Cost,
    pub(crate) first: u32,
    pub(crate) max: Option<u32>,
    pub(crate) caps: Caps,
}

/// What a schedule costs so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Spent {
    pub(crate) switches: u32,
    pub(crate) stale: u32,
}

impl Spent {
    pub(crate) fn total(self) -> u32 {
        self.switches + self.stale
    }

    /// With a step that costs so much, and may be stale.
    pub(crate) fn and(self, switches: u32, stale: bool) -> Spent {
        Spent { switches: self.switches + switches, stale: self.stale + u32::from(stale) }
    }
}

impl Caps {
    pub(crate) fn allow(self, spent: Spent) -> bool {
        self.switches.is_none_or(|most| spent.switches <= most) && self.stale.is_none_or(|most| spent.stale <= most)
    }
}

/// How switches and stale accesses are counted so that one number decides whether a schedule is within a bound c, and so the
/// least number over all schedules of a class whether the class is. Where nothing else is limited, it is p + s ≤ c. Else c is at
/// most 2, and the same is said by
///
/// ```text
/// p ≤ 0:  3p + s ≤ 0, 1, 2      p ≤ 1:  3p + 2s ≤ 0, 3, 5      s ≤ 1:  2p + 3s ≤ 1, 3, 5      for c = 0, 1, 2
/// ```
#[derive(Clone, Copy, Debug)]
pub(crate) struct Weights {
    pub(crate) switch: u32,
    /// `u32::MAX` if there are to be none.
    pub(crate) stale: u32,
    /// The largest sums, for c = 0, 1, 2.
    sums: Option<[u32; 3]>,
}

impl Weights {
    /// The weights for some limits, if there are any.
    pub(crate) fn new(caps: Caps, max: Option<u32>) -> Option<Weights> {
        const NONE: u32 = u32::MAX;
        let weights = |switch: u32, stale: u32, sums: Option<[u32; 3]>| Some(Weights { switch, stale, sums });
        match (caps.switches, caps.stale) {
            (None, None) => weights(1, 1, None),
            (None, Some(0)) => weights(1, NONE, None),
            (None, Some(1)) if max.is_some_and(|max| max <= 2) => weights(2, 3, Some([1, 3, 5])),
            (Some(0), None) => weights(3, 1, Some([0, 1, 2])),
            (Some(0), Some(0)) => weights(3, NONE, Some([0, 1, 2])),
            (Some(1), None) => weights(3, 2, Some([0, 3, 5])),
            (Some(1), Some(0)) => weights(3, NONE, Some([0, 3, 5])),
            _ => None,
        }
    }

    /// The largest sum within a bound.
    pub(crate) fn of(self, bound: u32) -> u32 {
        self.sums.map_or(bound, |sums| sums[bound.min(2) as usize])
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
