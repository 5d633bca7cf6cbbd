//! A run while it is written down, state by state. Runs of analyses that need no states can be so long, and their states
//! so large, that writing them down is what takes the time and the memory: so it has a budget.

use crate::{Path, PathStep};
use selvedge_core::{Budget, StopReason};

/// A run so far.
#[derive(Debug)]
pub struct Recorded<'a> {
    /// The run.
    pub path: Path,
    bytes: u64,
    budget: &'a Budget,
}

impl<'a> Recorded<'a> {
    /// Nothing yet.
    pub fn new(budget: &'a Budget) -> Self {
        Recorded { path: Path::default(), bytes: 0, budget }
    }

    /// Adds a step, if the budget allows it.
    pub fn push(&mut self, step: PathStep) -> Result<(), StopReason> {
        self.bytes += step.bytes();
        self.budget.go_on(self.bytes)?;
        self.path.steps.push(step);
        Ok(())
    }
}

impl PathStep {
    /// Bytes it takes, about.
    fn bytes(&self) -> u64 {
        (size_of::<PathStep>() + self.state.len()) as u64
    }
}

impl Path {
    /// Bytes it takes, about.
    pub fn bytes(&self) -> u64 {
        self.steps.iter().map(PathStep::bytes).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Step, Turn};
    use selvedge_core::{Interrupt, Limits};

    #[test]
    fn a_run_ends_where_its_memory_does() {
        let limits = Limits { memory: Some(10_000), ..Limits::default() };
        let budget = Budget::start(limits, Interrupt::new());
        let step = Step {
            thread: None,
            ran_last: None,
            action: [0; 3],
            claim_move: 0,
            state: 0..0,
            turn: Turn::Any,
            faults: 0..0,
        };
        let step = PathStep { step, state: vec![0; 1_000], faults: Vec::new() };
        let mut recorded = Recorded::new(&budget);
        let stopped = (0..10).find_map(|_| recorded.push(step.clone()).err());
        assert_eq!(stopped, Some(StopReason::Memory));
        assert!(recorded.path.bytes() < 10_000 && !recorded.path.steps.is_empty());
    }
}
