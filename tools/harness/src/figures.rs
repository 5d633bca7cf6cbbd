//! What two tools must agree on, and how they can disagree.

use std::collections::BTreeSet;
use std::fmt;

/// The kinds of violation of a safety search, in Selvedge's names (`violation.kind` of its JSON).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ErrorKind {
    /// `assert` of a false condition.
    Assertion,
    /// Some process is stuck at a place where it may not be.
    EndState,
    /// The never claim reached its end, or a `trace` or `notrace` declaration does not allow an event.
    ClaimCompleted,
    /// Index out of range, misuse of a channel, …
    Runtime,
    /// Something this list does not know.
    Other(String),
}

impl ErrorKind {
    /// The kind of one of pan's messages.
    pub fn of_pan(message: &str) -> ErrorKind {
        if message.contains("invalid array index") {
            ErrorKind::Runtime
        } else if message.starts_with("assertion violated") {
            ErrorKind::Assertion
        } else if message.starts_with("invalid end state") {
            ErrorKind::EndState
        } else if message.starts_with("end state in claim reached") || message.starts_with("event_trace error") {
            ErrorKind::ClaimCompleted
        } else if RUNTIME.iter().any(|start| message.starts_with(start)) {
            ErrorKind::Runtime
        } else {
            ErrorKind::Other(message.to_owned())
        }
    }

    /// The kind of one of Selvedge's violations.
    pub fn of_selvedge(kind: &str) -> ErrorKind {
        match kind {
            "assertion" => ErrorKind::Assertion,
            "invalid-end-state" => ErrorKind::EndState,
            "claim-completed" => ErrorKind::ClaimCompleted,
            "runtime-error" => ErrorKind::Runtime,
            _ => ErrorKind::Other(kind.to_owned()),
        }
    }
}

/// How pan's other messages about misused channels and processes begin.
const RUNTIME: [&str; 10] = [
    "non-determinism in D_proctype",
    "ref to uninitialized chan",
    "error to poll rendezvous",
    "missing pars in receive",
    "too few parameters in send",
    "too many parameters in send",
    "too many processes",
    "too many queues",
    "block in d_step",
    "rv-attempt in d_step",
];

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ErrorKind::Assertion => "assertion",
            ErrorKind::EndState => "invalid-end-state",
            ErrorKind::ClaimCompleted => "claim-completed",
            ErrorKind::Runtime => "runtime-error",
            ErrorKind::Other(name) => name,
        })
    }
}

/// What a full search finds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Figures {
    /// Distinct stored states.
    pub states: u64,
    /// Transitions executed, without one for the initial state.
    pub transitions: u64,
    /// Which kinds of violation there are.
    pub kinds: BTreeSet<ErrorKind>,
}

impl Figures {
    /// The kinds as text: `none` or a list.
    pub fn kinds_text(&self) -> String {
        if self.kinds.is_empty() {
            return "none".to_owned();
        }
        self.kinds.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
    }

    /// The first respect in which two searches differ.
    pub fn difference(&self, other: &Figures) -> Option<Difference> {
        if self.states != other.states {
            Some(Difference::States)
        } else if self.transitions != other.transitions {
            Some(Difference::Transitions)
        } else if self.kinds != other.kinds {
            Some(Difference::Kinds)
        } else {
            None
        }
    }
}

/// The sort of a disagreement. A shrunk program must show the same sort as the program it comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Difference {
    /// Other number of states.
    States,
    /// Same states, other number of transitions.
    Transitions,
    /// Same graph, other kinds of violations.
    Kinds,
    /// Selvedge refuses what Spin accepts.
    Refused,
    /// Selvedge stopped at a limit where Spin did not.
    Limit,
    /// Selvedge crashed or printed nonsense.
    Crash,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Difference::States => "states differ",
            Difference::Transitions => "transitions differ",
            Difference::Kinds => "errors differ",
            Difference::Refused => "refused",
            Difference::Limit => "limit",
            Difference::Crash => "crash",
        })
    }
}
