//! What a step costs (docs/design.md 3.1). This is the judge's own counter, written from the definition.
//!
//! A node is a state and the process that ran last. A rendezvous is a step of the sender, and after it the receiver
//! is the one that ran last. Steps inside an atomic sequence cost nothing, for there the process cannot be left; moves
//! of the claim alone are no steps of a process.

use selvedge_core::bound::BoundKind;

use super::finding::{RunBound, RunStep};

/// The process that ran last; none at the start, or where it does not matter.
pub(crate) type Runner = Option<u32>;

impl RunBound {
    /// The cost of a run without steps: the first round is one.
    pub(crate) fn initial_cost(&self) -> u32 {
        u32::from(self.bound.kind == BoundKind::Rounds)
    }

    /// Whether costs of this kind can be counted here.
    pub(crate) fn is_supported(&self) -> bool {
        !matches!(self.bound.kind, BoundKind::ThreadSwitches | BoundKind::Strata)
    }

    /// The cost of a step after `last` ran. `waits`: whether that process is blocked, or only spins.
    pub(crate) fn cost(&self, last: Runner, step: &RunStep, in_atomic: bool, waits: impl FnOnce() -> bool) -> u32 {
        if self.bound.kind == BoundKind::Depth {
            return 1;
        }
        let (Some(last), Some(process), false) = (last, step.process, in_atomic) else { return 0 };
        u32::from(match self.bound.kind {
            BoundKind::Preemptions => process != last && !waits(),
            BoundKind::Switches => process != last,
            // Every process runs once in a round, in the order of their numbers.
            BoundKind::Rounds => process < last,
            _ => false,
        })
    }

    /// Who ran last after a step.
    pub(crate) fn runner_after(&self, last: Runner, step: &RunStep, in_atomic: bool) -> Runner {
        let receiver = step.partner.map(|(receiver, _)| receiver);
        match self.bound.kind {
            BoundKind::Preemptions | BoundKind::Switches => receiver.or(step.process).or(last),
            BoundKind::Rounds if in_atomic => last,
            BoundKind::Rounds => step.process.or(last),
            _ => None,
        }
    }
}
