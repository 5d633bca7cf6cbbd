//! What a run found out. Verdicts and kinds of violations are spelled as scripts read them.

use serde::{Deserialize, Serialize};

/// The answer of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// A violation was found.
    Violated,
    /// There is none, and no bound can change this.
    Holds,
    /// There is none within the bound.
    HoldsWithinBound,
    /// A limit ended the run before an answer.
    Inconclusive,
}

/// The kinds of violations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ViolationKind {
    /// An assertion failed.
    Assertion,
    /// Every thread is blocked, and not every one is at a valid end state.
    InvalidEndState,
    /// A cycle through an acceptance state.
    AcceptanceCycle,
    /// A cycle without progress.
    NonProgressCycle,
    /// A never claim (or the negation of an LTL formula) was completed, or an event trace violated.
    ClaimCompleted,
    /// The label asked for was reached.
    LabelReached,
    /// The target of a net was covered.
    TargetCovered,
    /// Division by zero, index out of range, misuse of a channel.
    RuntimeError,
    /// A thread of a Rust test panicked.
    Panic,
    /// Every thread of a Rust test is blocked.
    Deadlock,
    /// A fair run of a Rust test does not end.
    Livelock,
    /// Two accesses to a cell that nothing orders, one of them a write.
    DataRace,
    /// Something was not freed.
    Leak,
}

impl ViolationKind {
    /// As people read it.
    pub fn words(self) -> &'static str {
        match self {
            ViolationKind::Assertion => "assertion violated",
            ViolationKind::InvalidEndState => "deadlock (invalid end state)",
            ViolationKind::AcceptanceCycle => "acceptance cycle",
            ViolationKind::NonProgressCycle => "non-progress cycle",
            ViolationKind::ClaimCompleted => "property violated by a finite run",
            ViolationKind::LabelReached => "label reached",
            ViolationKind::TargetCovered => "target covered",
            ViolationKind::RuntimeError => "runtime error",
            ViolationKind::Panic => "panic",
            ViolationKind::Deadlock => "deadlock",
            ViolationKind::Livelock => "livelock",
            ViolationKind::DataRace => "data race",
            ViolationKind::Leak => "memory leak",
        }
    }

    /// As scripts read it.
    pub fn code(self) -> &'static str {
        match self {
            ViolationKind::Assertion => "assertion",
            ViolationKind::InvalidEndState => "invalid-end-state",
            ViolationKind::AcceptanceCycle => "acceptance-cycle",
            ViolationKind::NonProgressCycle => "non-progress-cycle",
            ViolationKind::ClaimCompleted => "claim-completed",
            ViolationKind::LabelReached => "label-reached",
            ViolationKind::TargetCovered => "target-covered",
            ViolationKind::RuntimeError => "runtime-error",
            ViolationKind::Panic => "panic",
            ViolationKind::Deadlock => "deadlock",
            ViolationKind::Livelock => "livelock",
            ViolationKind::DataRace => "data-race",
            ViolationKind::Leak => "leak",
        }
    }
}

/// Figures of a search up to a bound, everything below it included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Layer {
    /// The bound that was completed.
    pub bound: u32,
    /// Distinct states within it.
    pub states: u64,
    /// States that no lower bound reaches.
    pub new_states: u64,
    /// Transitions executed.
    pub transitions: u64,
    /// Seconds since the start.
    pub seconds: f64,
}

/// Figures of a search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Stats {
    /// Distinct states stored.
    pub states: u64,
    /// Transitions executed between stored states (steps inside an atomic sequence are part of one).
    pub transitions: u64,
    /// Length of the longest path of the search tree, in transitions.
    pub max_depth: u64,
    /// Seconds of the search.
    pub seconds: f64,
    /// Peak of what the search itself holds: store, frontier and buffers.
    pub peak_memory_bytes: u64,
    /// What the store takes for a state, table included.
    pub bytes_per_state: f64,
    /// How often a state was visited again, because it was reached at a lower cost; never in the layered search.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub revisits: u64,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}
