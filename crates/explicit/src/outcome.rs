//! What a search found out, the same for all of them.

use selvedge_core::{Layer, Omission, Stats, StopReason};
use selvedge_machine::{Fault, Path};

use crate::stored::Stored;

/// A violation with the run that shows it.
#[derive(Clone, Debug)]
pub struct Found {
    /// What is wrong.
    pub fault: Fault,
    /// How to get there.
    pub path: Path,
}

/// What a search found out.
#[derive(Debug)]
pub struct Outcome {
    /// Why it stopped.
    pub stop: StopReason,
    /// Its figures.
    pub stats: Stats,
    /// Different violations in the order found, the first with the path that shows it.
    pub violations: Vec<Found>,
    /// One entry for each bound that was completed; empty where the search has no bound.
    pub layers: Vec<Layer>,
    /// The bound that was being explored at the end.
    pub bound: u32,
    /// The bound at which the first violation was found.
    pub violated_at: Option<u32>,
    /// What a lossy store may have missed.
    pub omission: Option<Omission>,
    /// It speaks of all runs, although bounds were raised step by step: the search without a bound answered.
    pub unbounded: bool,
    /// The transitions of the layers, which did not answer.
    pub in_vain: u64,
    /// The states, where they were to be kept.
    pub stored: Option<Stored>,
}
