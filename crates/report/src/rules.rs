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
            "There is a schedule in which the condition of an `assert` is false. Read the run from its last switch back: what \
             the asserting thread takes for granted was changed by the thread that ran in between. Make the steps that belong \
             together one step (a lock, an atomic sequence), or check the condition again after waiting. --no-assert \
             leaves assertions out."
        }
        ViolationKind::InvalidEndState => {
            "Nothing can go on, and some thread is not at its end: a deadlock. The run ends with what each thread waits for. \
             Usual causes are locks taken in different orders and a message that nobody sends. In Promela, a place where a \
             process may rest for ever is marked with a label that starts with `end`. --no-deadlock leaves these states out."
        }
        ViolationKind::AcceptanceCycle => {
            "There is an infinite run that the claim forbids: the steps of its cycle repeat for ever. If the cycle is only \
             possible because the scheduler neglects a process that could go on, --fair leaves such runs out."
        }
        ViolationKind::NonProgressCycle => {
            "There is an infinite run that from some point on passes no `progress` label: work is done and nothing is \
             achieved. --fair leaves out runs in which a process that could go on is neglected for ever."
        }
        ViolationKind::ClaimCompleted => {
            "A finite run already shows what the `never` claim, the `ltl` formula or the event trace forbids. The run's last \
             step is the one after which nothing can make the claim true again."
        }
        ViolationKind::LabelReached => {
            "The label that marks an error, or that --reach asked for, can be reached. The run shows how, with as few switches \
             as possible."
        }
        ViolationKind::TargetCovered => {
            "A state that the file names as `target` can be reached by some run of the threads. The run shows how."
        }
        ViolationKind::RuntimeError => {
            "A step has no result: a division by zero, an index outside its array, a channel that does not exist. Values that \
             other threads change between a test and its use are the usual cause."
        }
        ViolationKind::Panic => {
            "A thread of the test panics in some interleaving. The run shows which operations of the other threads came before."
        }
        ViolationKind::Deadlock => {
            "No thread of the test can go on. The report names what each one waits for and who holds it. Take locks in one \
             order everywhere, and do not wait for a thread while holding what it needs."
        }
        ViolationKind::Livelock => {
            "The threads of the test run for ever without getting on, although each of them gets its turn. A loop that waits \
             for another thread must be able to see what it waits for."
        }
        ViolationKind::DataRace => {
            "Two threads access the same cell, one of them writes, and nothing orders the two accesses. Protect the cell by a \
             lock, or order the accesses by an atomic operation that one thread writes and the other one reads."
        }
        ViolationKind::Leak => {
            "Something that the test allocated is still there at its end: usually a cycle of `Arc`s, or a value that was \
             forgotten on purpose. Break the cycle with `Weak`."
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
