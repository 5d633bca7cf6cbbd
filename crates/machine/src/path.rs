//! [`Path`]: a run of a machine, with the state after each step.

use crate::{Fault, Step};

/// A step on a path, with the state after it (empty if the step could not be completed).
#[derive(Clone, Debug)]
pub struct PathStep {
    /// The step; its ranges are meaningless outside their buffer.
    pub step: Step,
    /// The state after it.
    pub state: Vec<u8>,
    /// Faults it raised.
    pub faults: Vec<Fault>,
}

/// A run: an initial state and steps, those inside atomic sequences included.
#[derive(Clone, Debug, Default)]
pub struct Path {
    /// Where it starts.
    pub initial: Vec<u8>,
    /// The steps.
    pub steps: Vec<PathStep>,
    /// Of a run that continues forever: the first step of the cycle that it ends with.
    pub cycle: Option<usize>,
}

impl Path {
    /// The state before a step.
    pub fn before(&self, index: usize) -> &[u8] {
        index.checked_sub(1).map_or(&self.initial, |last| &self.steps[last].state)
    }
}
