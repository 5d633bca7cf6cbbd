//! How the judges count the switches of a run, so that it stays within a bound. This is not the counter of the searches
//! ([`crate::bound`]): what is judged and its judge do not share one.

use crate::{Bound, BoundKind, Runs};

/// The switches of a run.
#[derive(Clone, Debug)]
pub struct SampledRun {
    bound: Bound,
    /// A new thread has the switch number 0, not its creator's plus one.
    fresh_switches: bool,
    /// What the bound counts.
    spent: u32,
    /// The round, from 1.
    pub round: u32,
    /// The switch number of each thread, where the bound is about that (\[DYN\] Section 2).
    numbers: Vec<u32>,
    /// The highest switch number of a thread that has run.
    stratum: u32,
}

/// What decides which switches are allowed from here on.
pub type Spent = (u32, u32, Vec<u32>);

impl SampledRun {
    /// A run within a bound that starts with some threads.
    pub fn within(bound: Bound, fresh_switches: bool, threads: usize) -> Self {
        let numbers = if by_thread(bound.kind) { vec![0; threads] } else { Vec::new() };
        SampledRun { bound, fresh_switches, spent: 0, round: 1, numbers, stratum: 0 }
    }

    /// What the run has spent of the bound.
    pub fn spent(&self) -> Spent {
        (self.spent, self.stratum, self.numbers.clone())
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
        let Some(most) = self.bound.value else { return true };
        let number = self.numbers.get(next).copied().unwrap_or(0);
        match self.bound.kind {
            BoundKind::Depth | BoundKind::Unbounded => true,
            BoundKind::ThreadSwitches => number <= most,
            BoundKind::Strata => number <= most && number >= self.stratum,
            BoundKind::Rounds => 1 + self.spent + self.cost(last, next, enabled) <= most,
            BoundKind::Preemptions | BoundKind::Switches => self.spent + self.cost(last, next, enabled) <= most,
        }
    }

    /// Counts a switch.
    pub fn switch(&mut self, last: usize, next: usize, enabled: bool) {
        self.spent += self.cost(last, next, enabled);
        self.round += u32::from(next < last);
        if let Some(number) = self.numbers.get_mut(last) {
            *number += 1;
        }
        self.stratum = self.stratum.max(self.numbers.get(next).copied().unwrap_or(0));
    }

    /// Notes how many threads there are after a step of a thread, which may have created the last of them.
    pub fn stepped(&mut self, thread: usize, threads: usize) {
        if by_thread(self.bound.kind) {
            let creator = self.numbers.get(thread).copied().unwrap_or(0);
            self.numbers.resize(threads, if self.fresh_switches { 0 } else { creator + 1 });
        }
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

fn by_thread(kind: BoundKind) -> bool {
    matches!(kind, BoundKind::ThreadSwitches | BoundKind::Strata)
}
