//! The skeleton of every search ([`Search`]): it advances until there is a reason to stop, and returns an outcome.
//! [`Progress`] is what every search keeps besides its states: violations, limits, layers, statistics.

use selvedge_core::{Layer, Omission, Stats, StopReason};
use selvedge_machine::{Fault, Path};

use crate::findings::{Findings, Wanted};
use crate::outcome::Outcome;
use crate::watch::{Position, Watch};

/// A search in progress.
pub(crate) trait Search: Sized {
    /// Does one thing; why the search ended, if it did.
    fn advance(&mut self) -> Option<StopReason>;

    /// What it found out.
    fn outcome(self, stop: StopReason) -> Outcome;

    /// Searches to the end.
    fn run(mut self) -> Outcome {
        loop {
            if let Some(stop) = self.advance() {
                return self.outcome(stop);
            }
        }
    }
}

/// What a search keeps besides its states.
pub(crate) struct Progress<'a> {
    pub watch: Watch<'a>,
    pub findings: Findings,
    /// The bound that is being explored; 0 in a search without one.
    pub bound: u32,
    /// Whether there is one.
    pub is_bounded: bool,
    /// The bounds that were completed.
    pub layers: Vec<Layer>,
    pub transitions: u64,
    pub max_depth: u32,
    /// A run was cut at the limit on its length.
    pub cut_by_depth: bool,
}

/// How far a search has got, for its limits.
pub(crate) struct Waiting {
    /// What is still to be expanded.
    pub frontier: u64,
    pub depth: u64,
    /// Bytes held.
    pub memory: u64,
    /// Bytes the next growth takes on top of that.
    pub growth: u64,
}

/// What a search has stored at its end.
pub(crate) struct StoreFigures {
    pub states: u64,
    pub bytes: u64,
    pub bytes_per_state: f64,
    pub omission: Option<Omission>,
}

impl StoreFigures {
    /// Of a store that forgets nothing, all of whose bytes are for its states.
    pub(crate) fn exact(states: u64, bytes: u64) -> Self {
        StoreFigures { states, bytes, bytes_per_state: bytes as f64 / states as f64, omission: None }
    }
}

impl<'a> Progress<'a> {
    pub(crate) fn new(watch: Watch<'a>, wanted: Wanted) -> Self {
        Progress {
            watch,
            findings: Findings::new(wanted),
            bound: 0,
            is_bounded: false,
            layers: Vec::new(),
            transitions: 0,
            max_depth: 0,
            cut_by_depth: false,
        }
    }

    /// For a search within bounds.
    pub(crate) fn bounded(watch: Watch<'a>, wanted: Wanted) -> Self {
        Progress { is_bounded: true, ..Self::new(watch, wanted) }
    }

    /// Becomes what another search has found out so far.
    pub(crate) fn continue_from(&mut self, other: &Progress<'_>) {
        self.findings = other.findings.clone();
        (self.bound, self.layers) = (other.bound, other.layers.clone());
        (self.transitions, self.max_depth) = (other.transitions, other.max_depth);
        self.cut_by_depth = other.cut_by_depth;
        self.watch.peak = self.watch.peak.max(other.watch.peak);
    }

    /// Whether a violation ends the search.
    pub(crate) fn is_done(&self) -> bool {
        self.findings.done()
    }

    /// Keeps a violation that was not seen before.
    pub(crate) fn violation(&mut self, fault: &Fault, path: impl FnOnce() -> Path) {
        // Making the run may take long, and somebody may end it from outside.
        self.watch.budget.note_found(&fault.message);
        self.findings.add(self.bound, fault, path);
    }

    /// Called before each expansion; whether to stop, and why.
    #[inline]
    pub(crate) fn check_limits(&mut self, states: u64, waiting: impl FnOnce() -> Waiting) -> Option<StopReason> {
        let (transitions, bound) = (self.transitions, self.is_bounded.then_some(self.bound));
        self.watch.tick(states, || {
            let Waiting { frontier, depth, memory, growth } = waiting();
            Position { bound, states, transitions, frontier, depth, memory, growth }
        })
    }

    /// Whether a search that holds this much ends only because the next growth of its table does not fit.
    pub(crate) fn only_growth_does_not_fit(&self, stop: StopReason, memory: u64) -> bool {
        stop == StopReason::Memory && self.watch.budget.spent(memory).is_none()
    }

    /// Records that everything within the bound was explored; `states` are all so far.
    pub(crate) fn complete_layer(&mut self, states: u64) {
        self.watch.complete_layer(&mut self.layers, self.bound, states, self.transitions);
    }

    /// Why a search ends that has explored what it may; `more` says that there is something beyond its bound.
    pub(crate) fn end(&self, more: bool) -> StopReason {
        match (self.is_done(), self.cut_by_depth, more) {
            (true, ..) => StopReason::Violation,
            (_, true, _) => StopReason::Depth,
            (_, _, true) => StopReason::Bound,
            _ => StopReason::Exhausted,
        }
    }

    /// What the search found out.
    pub(crate) fn outcome(self, stop: StopReason, stored: StoreFigures) -> Outcome {
        let StoreFigures { states, bytes, bytes_per_state, omission } = stored;
        let stats = Stats {
            states,
            transitions: self.transitions,
            max_depth: u64::from(self.max_depth),
            seconds: self.watch.budget.elapsed().as_secs_f64(),
            peak_memory_bytes: self.watch.peak.max(bytes),
            bytes_per_state,
            revisits: 0,
        };
        Outcome {
            stop,
            stats,
            violated_at: self.findings.at,
            violations: self.findings.list,
            layers: self.layers,
            bound: self.bound,
            omission,
            unbounded: false,
            in_vain: 0,
            stored: None,
        }
    }
}
