//! What each kind of violation means and what to do about it: the rules of SARIF, and `selvedge explain`.

use selvedge_core::ViolationKind;

/// Every kind.
pub const KINDS: &[ViolationKind] = &[
    ViolationKind::Assertion,
    ViolationKind::InvalidEndState,
    ViolationKind::AcceptanceCycle,
    ViolationKind::NonProgressCycle,
    ViolationKind::ClaimCompleted,
    ViolationKind::LabelReached,
    ViolationKind::TargetCovered,
    ViolationKind::RuntimeError,
    ViolationKind::Panic,
    ViolationKind::Deadlock,
    ViolationKind::Livelock,
    ViolationKind::DataRace,
    ViolationKind::Leak,
];

/// What a kind of violation means, and what to do about it: a few sentences.
pub fn help(kind: ViolationKind) -> &'static str {
    match kind {
        ViolationKind::Assertion => {
            "In some schedule the condition of an `assert` is false. Read the run backwards from its last switch: another thread \
             changed what the asserting thread relies on. Make the steps that belong together atomic (a lock, an atomic \
             sequence), or check the condition again after waiting. --no-assert ignores assertions."
        }
        ViolationKind::InvalidEndState => {
            "Every thread is blocked or has finished, and at least one is not at a valid end state: a deadlock. The run ends with \
             what each thread waits for. Usual causes are locks taken in different orders and messages that are never sent. \
             In Promela, mark a place where a process may wait forever with a label that starts with `end`. --no-deadlock \
             ignores these states."
        }
        ViolationKind::AcceptanceCycle => {
            "Some infinite run violates the property: the steps of its cycle repeat forever. If the cycle exists only because the \
             scheduler never runs an enabled process, use --fair, which considers only weakly fair runs."
        }
        ViolationKind::NonProgressCycle => {
            "Some infinite run passes `progress` labels only finitely often: it executes steps without making progress. --fair \
             considers only runs in which every process that stays enabled eventually runs."
        }
        ViolationKind::ClaimCompleted => {
            "A finite run violates the `never` claim, the `ltl` formula or the event trace. After the run's last step, no \
             continuation satisfies the property."
        }
        ViolationKind::LabelReached => {
            "The error label, or the label of --reach, is reachable. The run shows how, with as few switches as possible."
        }
        ViolationKind::TargetCovered => "A state that the file declares as `target` is reachable. The run shows how.",
        ViolationKind::RuntimeError => {
            "A step cannot be executed: division by zero, an index out of range, an uninitialised channel. The usual cause is a \
             value that another thread changes between a test and its use."
        }
        ViolationKind::Panic => {
            "A thread of the test panics in some interleaving. The run shows which operations of the other threads came before."
        }
        ViolationKind::Deadlock => {
            "Every thread of the test is blocked. The report names what each one waits for and who holds it. Acquire locks in one \
             order everywhere, and do not wait for a thread while holding what it needs."
        }
        ViolationKind::Livelock => {
            "The threads of the test run forever without progress, although the scheduler is fair. A loop that waits for another \
             thread must be able to observe what it waits for."
        }
        ViolationKind::DataRace => {
            "Two threads access the same cell, at least one of them writes, and neither access happens before the other. Protect \
             the cell with a lock, or order the accesses with an atomic operation that one thread writes and the other reads."
        }
        ViolationKind::Leak => {
            "Memory that the test allocated is not freed at its end: usually a cycle of `Arc`s, or a value that was deliberately \
             forgotten. Break the cycle with `Weak`."
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_listed_once() {
        let codes: std::collections::BTreeSet<&str> = KINDS.iter().map(|kind| kind.code()).collect();
        assert_eq!(codes.len(), KINDS.len());
        assert!(KINDS.iter().all(|kind| help(*kind).ends_with('.')));
        // A new kind makes this match incomplete: add it to the list above.
        for kind in KINDS {
            match kind {
                ViolationKind::Assertion
                | ViolationKind::InvalidEndState
                | ViolationKind::AcceptanceCycle
                | ViolationKind::NonProgressCycle
                | ViolationKind::ClaimCompleted
                | ViolationKind::LabelReached
                | ViolationKind::TargetCovered
                | ViolationKind::RuntimeError
                | ViolationKind::Panic
                | ViolationKind::Deadlock
                | ViolationKind::Livelock
                | ViolationKind::DataRace
                | ViolationKind::Leak => {}
            }
        }
    }
}
