//! What a judge finds when it explores a model again: how much work it may do, and what came of it. Work is counted in
//! steps that the judge executes, so that the same model gives the same result on every machine.

use selvedge_source::Span;

use crate::ViolationKind;

/// How much a judge may explore.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort {
    /// Steps to execute, at most.
    pub steps: u64,
    /// Frames or symbols on a stack, at most. Deeper stacks are not explored.
    pub stack: usize,
}

/// Random runs of a judge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Runs {
    /// Start of the random choices.
    pub seed: u64,
    /// How many.
    pub count: u64,
    /// Steps of each, at most.
    pub steps: u64,
}

/// A violation that a judge found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Found {
    /// The round in which it was found first, from 1; 0 before the threads start.
    pub round: u32,
    /// The statement, rule or target.
    pub span: Span,
    /// What is violated.
    pub kind: ViolationKind,
}

/// What was explored.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Explored {
    /// Violations, each statement once, in the order in which they were found.
    pub violations: Vec<Found>,
    /// States.
    pub states: u64,
    /// Steps executed.
    pub steps: u64,
    /// Runs, where they were random.
    pub runs: u64,
    /// Everything within the bound was explored: neither the effort nor the stack limit ended it.
    pub complete: bool,
    /// No further round adds anything: what was found speaks of any number of rounds.
    pub saturated: bool,
}

impl Explored {
    /// Everything within the bound was explored, and there is no violation.
    pub fn confirms(&self) -> bool {
        self.complete && self.violations.is_empty()
    }

    /// Adds a violation unless one of the kind is known at the same statement.
    pub fn add(&mut self, found: Found) {
        if !self.violations.iter().any(|known| known.kind == found.kind && known.span == found.span) {
            self.violations.push(found);
        }
    }
}
