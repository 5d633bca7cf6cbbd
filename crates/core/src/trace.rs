//! The trace file: one JSON format for every engine, what happened in a run and why it is a
//! violation. It holds no clock and no absolute path of its own making, so that the same input
//! gives the same bytes.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub use crate::changes::{Changes, StateChanges};
pub use crate::frames::TraceFrame;
use crate::{BoundKind, Switch, SwitchReason, ViolationKind};

/// Version of the format; readers refuse newer ones.
pub const SCHEMA: u32 = 1;

/// A run as it is saved, shown and replayed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Trace {
    /// [`SCHEMA`].
    pub schema: u32,
    /// What was checked.
    pub input: TraceInput,
    /// Options that change what a step is: replay uses the same.
    #[serde(default, skip_serializing_if = "TraceOptions::is_default")]
    pub options: TraceOptions,
    /// The bound of the run.
    pub bound: TraceBound,
    /// What went wrong; absent in the trace of a simulation that ended well.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub violation: Option<TraceViolation>,
    /// Every thread that takes a step or waits at the end.
    pub threads: Vec<TraceThread>,
    /// Every variable at the start by its full name (`counter`, `inc[1].t`), in the order of declaration; empty where
    /// that is not known.
    #[serde(default, skip_serializing_if = "Changes::is_empty")]
    pub initial: Changes,
    /// What happened.
    pub steps: Vec<TraceStep>,
    /// In a deadlock: what each thread waits for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub waiting: Vec<TraceWaiting>,
}

/// The model file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TraceInput {
    /// As given on the command line.
    pub path: String,
    /// `promela`, …
    pub language: String,
    /// SHA-256 of every file read, main file first.
    pub sha256: String,
}

/// Options of the run that replay must repeat.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TraceOptions {
    /// Name or text of the LTL formula or never claim in force, where one was chosen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claim: Option<String>,
    /// Claims were left out.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub no_claim: bool,
    /// `--reach`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reach: Option<String>,
    /// `--dialect`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dialect: Option<String>,
    /// `--fresh-switches`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub fresh_switches: bool,
    /// `--fair`: of infinite runs only weakly fair ones count.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub fair: bool,
    /// `-D` and `-U` in their order, as they are typed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub definitions: Vec<String>,
    /// `-I`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub include_directories: Vec<String>,
    /// The test of Rust code, which alone can run the trace again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test: Option<TraceTest>,
}

/// A test of Rust code and the schedule of the run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TraceTest {
    /// As `cargo test` finds it.
    pub name: String,
    /// What `SELVEDGE_REPLAY` takes.
    pub schedule: String,
}

impl Trace {
    /// The number the language gives the thread with this id.
    pub fn thread_number(&self, id: u32) -> u32 {
        self.threads.iter().find(|t| t.id == id).and_then(|t| t.number).unwrap_or(id)
    }
}

impl Trace {
    /// What the thread with this id is called.
    pub fn thread_name(&self, id: u32) -> String {
        let known = self.threads.iter().find(|thread| thread.id == id);
        known.map_or_else(|| format!("thread {id}"), |thread| thread.name.clone())
    }

    /// At the end of a deadlock: threads each of which waits for what the next one has changed, the first one again at
    /// the end.
    pub fn circular_wait(&self) -> Option<Vec<u32>> {
        let next = |thread: u32| {
            let waiting = self.waiting.iter().find(|waiting| waiting.thread == thread)?;
            let waits = |other: u32| self.waiting.iter().any(|waiting| waiting.thread == other);
            waiting.since.iter().map(|since| since.thread).find(|other| waits(*other))
        };
        let threads: Vec<u32> = self.waiting.iter().map(|waiting| waiting.thread).collect();
        threads.iter().find_map(|&first| {
            let mut round = vec![first];
            while let Some(thread) = next(*round.last()?).filter(|_| round.len() <= threads.len()) {
                round.push(thread);
                if thread == first {
                    return Some(round);
                }
            }
            None
        })
    }
}

impl TraceOptions {
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// The bound of the run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TraceBound {
    /// What is bounded.
    pub kind: BoundKind,
    /// How much.
    pub value: Option<u32>,
}

/// The violation at the end of the trace.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TraceViolation {
    /// What kind.
    pub kind: ViolationKind,
    /// One sentence.
    pub message: String,
    /// Where; `null` where no place is to blame.
    #[serde(default)]
    pub location: Option<TraceLocation>,
    /// Switches away from a thread that could have gone on; `null` where there are infinitely many, in the cycle of an
    /// infinite run.
    pub preemptions: Option<u32>,
    /// The same of each round of the cycle, where that is why `preemptions` is `null`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preemptions_per_cycle: Option<u32>,
    /// All switches of the steps shown.
    pub switches: u32,
    /// Steps.
    pub length: u32,
    /// Why it happens, in one sentence: what broke the condition and who last changed what it reads, who waits for whom.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub explanation: Option<String>,
    /// Two neighbouring pieces of the run, each by its first and last step, from 1: in the other order the same steps are
    /// no such violation, as the independent interpreter has checked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub avoided_by_swapping: Option<[[u32; 2]; 2]>,
}

impl TraceViolation {
    /// Notes how many preemptions each round of the cycle has. With any, the whole run has infinitely many.
    pub fn set_preemptions_per_cycle(&mut self, preemptions: u32) {
        if preemptions > 0 {
            (self.preemptions, self.preemptions_per_cycle) = (None, Some(preemptions));
        }
    }
}

/// A place in the source.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct TraceLocation {
    /// Path as shown to people.
    pub file: String,
    /// From 1.
    pub line: u32,
    /// From 1, in characters.
    pub column: u32,
}

impl std::fmt::Display for TraceLocation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

impl From<selvedge_source::Location> for TraceLocation {
    fn from(location: selvedge_source::Location) -> Self {
        TraceLocation { file: location.file, line: location.line, column: location.column }
    }
}

/// A thread of the trace. A thread that ends and one created later with the same number are two
/// entries with different `id`s if their names differ.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TraceThread {
    /// Unique in the trace.
    pub id: u32,
    /// The number the language gives it, where that is not `id`: a number may be used again after
    /// its thread has ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<u32>,
    /// Its name.
    pub name: String,
}

/// One step.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TraceStep {
    /// The thread that acts; `None` (absent) where only the claim moves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread: Option<u32>,
    /// The statement's place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub location: Option<TraceLocation>,
    /// The statement as the source has it.
    pub text: String,
    /// Variable → new value, in the order of declaration.
    #[serde(default)]
    pub changes: Changes,
    /// The same by full names, as [`Trace::initial`] has them, with the variables that came and went; absent where
    /// `changes` says it all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<StateChanges>,
    /// The state expressions that the claim in force asks about, as they are written, after the step.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub propositions: BTreeMap<String, bool>,
    /// The calls inside of which the statement is executed, outermost first; absent in a run without calls.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stack: Vec<TraceFrame>,
    /// How this step's thread relates to the last one.
    pub switch: Switch,
    /// Why another thread runs than the last one; absent where none does, or where it is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<SwitchReason>,
    /// Whether the thread is inside an atomic sequence after this step.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub atomic: bool,
    /// A message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<TraceMessage>,
    /// The partner of a rendezvous.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partner: Option<TracePartner>,
    /// The threads that it starts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub spawns: Vec<u32>,
    /// The earlier steps that it had to wait for, and the store that it did not see.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub follows: Vec<TraceLink>,
    /// Text the step printed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
    /// First step of a lasso's cycle.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cycle_start: bool,
}

/// A message sent or received.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TraceMessage {
    /// The channel's name.
    pub channel: String,
    /// `send`, `receive` or `rendezvous`.
    pub direction: String,
    /// The message's fields.
    pub values: Vec<String>,
}

/// The other side of a rendezvous.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TracePartner {
    /// The receiver.
    pub thread: u32,
    /// Its statement's place.
    pub location: TraceLocation,
    /// Its statement.
    pub text: String,
}

/// An earlier step of another thread that made a step possible, or that it should have seen: an arrow in a space-time diagram.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TraceLink {
    /// The earlier step, from 1.
    pub step: u32,
    /// How.
    pub kind: LinkKind,
    /// The channel, lock or atomic.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub what: Option<String>,
}

/// How a step made another one possible, or did not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LinkKind {
    /// It sent the message that is received.
    Message,
    /// It let go of the lock that is taken.
    Lock,
    /// It started the thread.
    Spawn,
    /// It was the last of the thread that is waited for.
    Join,
    /// The thread could not go on before it, and could after it.
    Unblocks,
    /// It stored a newer value, which the step does not see: the edge that is missing.
    Unseen,
}

/// What a thread waits for at the end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TraceWaiting {
    /// The thread.
    pub thread: u32,
    /// Where it waits.
    pub location: TraceLocation,
    /// For what.
    pub reason: String,
    /// Who last changed what it waits for, one entry for each variable that another thread has changed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub since: Vec<TraceSince>,
}

/// The last change of a variable that a thread waits for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TraceSince {
    /// By its full name.
    pub variable: String,
    /// The step, from 1.
    pub step: u32,
    /// The thread that took it.
    pub thread: u32,
}
