//! Proofs that no run of a Boolean program violates anything, with any number of switches and calls of any depth.
//!
//! A proof has, for each thread, an *invariant* for each place (the states in which the thread can be there), a *summary*
//! for each function that is called (what it returns with, given how it began) and the *changes* of the globals that the thread makes
//! in one step. The checker accepts it if nothing leads out of it:
//!
//! 1. each thread starts inside the invariant of its first place;
//! 2. each step from an invariant leads into the invariant of the next place, and its change is one of the thread's changes;
//! 3. a call begins inside the callee's invariant, returns inside its summary, and the caller continues inside its invariant;
//! 4. where another thread may run, the invariant is closed under the changes of every other thread;
//! 5. no invariant holds a state in which an assertion can fail, and that of a forbidden label is empty.
//!
//! Nothing is searched: each condition is one comparison of diagrams. [`prove()`] finds proofs, and nothing that it does
//! is trusted: what it finds goes through the file and the checker as any other file does.

mod check;
mod file;
mod graph;
mod names;
mod prove;
mod read;
mod semantics;
mod statements;
mod variables;

use std::collections::BTreeMap;

pub use check::check;
pub use file::{ProofHead, ProofText};
pub use prove::{NoProof, prove};

use crate::diagram::{Diagram, NONE};
use graph::{Body, Node};

/// What is proved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Property {
    /// No assertion fails.
    pub assertions: bool,
    /// No thread reaches one of these labels, `LABEL` or `FUNCTION@LABEL`.
    pub labels: Vec<String>,
}

impl Default for Property {
    fn default() -> Self {
        Property { assertions: true, labels: vec!["ERROR".to_owned(), "SLIC_ERROR".to_owned()] }
    }
}

impl Property {
    /// Whether no thread may reach a label of a function.
    fn forbids(&self, function: &str, label: &str) -> bool {
        self.labels.iter().any(|forbidden| match forbidden.split_once('@') {
            Some((wanted, forbidden)) => wanted == function && forbidden == label,
            None => forbidden == label,
        })
    }
}

/// Where a thread is, and whether in a call: its outermost function has no caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Key {
    called: bool,
    node: Node,
}

/// What a proof says of a thread.
#[derive(Clone, Debug, Default)]
struct Claims {
    invariants: BTreeMap<Key, Diagram>,
    summaries: BTreeMap<Body, Diagram>,
    changes: Option<Diagram>,
}

impl Claims {
    fn invariant(&self, key: Key) -> Diagram {
        self.invariants.get(&key).copied().unwrap_or(NONE)
    }

    fn summary(&self, body: Body) -> Diagram {
        self.summaries.get(&body).copied().unwrap_or(NONE)
    }

    fn changes(&self) -> Diagram {
        self.changes.unwrap_or(NONE)
    }
}

/// What a proof says of a program: of `init`, if it runs before the threads, and of each thread.
#[derive(Clone, Debug, Default)]
struct Proof {
    init: Option<Claims>,
    threads: Vec<Claims>,
}
