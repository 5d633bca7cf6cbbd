//! The codes of the diagnostics of proof files. A code never changes its meaning and is never reused: people
//! search for it, and tests name it.

selvedge_source::codes! {
    UNREADABLE_PROOF = "F0001", "a line of a proof file that cannot be read";
    UNKNOWN_NAME = "F0002", "a proof that names something the model does not have";
    NOT_PROVED = "F0003", "a proof that does not hold for the model";
}
