//! How the judges count the switches of a random run, so that it stays within a bound. This is not the counter of the
//! searches ([`crate::bound`]): what is judged and its judge do not share one.

use crate::{Bound, BoundKind, Runs};

/// The switches of a random run.
#[derive(Clone, Copy, Debug)]
pub struct SampledRun {
    bound: Bound,
    /// What the bound counts.
    spent: u32,
    /// The round, from 1.
    pub round: u32,
}

impl SampledRun {
    /// A run within a bound; `None` for bounds on the switches of each thread.
    pub fn within(bound: Bound) -> Option<Self> {
        let counted = !matches!(bound.kind, BoundKind::ThreadSwitches | BoundKind::Strata);
        counted.then_some(SampledRun { bound, spent: 0, round: 1 })
    }

    /// Steps of a run, at most.
    pub fn most_steps(&self, runs: Runs) -> u64 {
        match (self.bound.kind, self.bound.value) {
            (BoundKind::Depth, Some(depth)) => runs.steps.min(depth.into()),
            _ => runs.steps,
        }
    }

    /// Whether the bound allows a switch from the thread that ran last; `enabled` says whether that one has a step.
    pub fn allows(&self, last: usize, next: usize, enabled: bool) -> bool {
        let first = u32::from(self.bound.kind == BoundKind::Rounds);
        let after = first + self.spent + self.cost(last, next, enabled);
        self.bound.kind == BoundKind::Depth || self.bound.value.is_none_or(|most| after <= most)
    }

    /// Counts a switch.
    pub fn switch(&mut self, last: usize, next: usize, enabled: bool) {
        self.spent += self.cost(last, next, enabled);
        self.round += u32::from(next < last);
    }

    fn cost(&self, last: usize, next: usize, enabled: bool) -> u32 {
        match self.bound.kind {
            BoundKind::Preemptions => u32::from(enabled),
            BoundKind::Switches => 1,
            BoundKind::Rounds => u32::from(next < last),
            _ => 0,
        }
    }
}
