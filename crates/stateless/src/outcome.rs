//! What an exploration found out, as data.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use std::time::Duration;

use selvedge_core::{Switch, ThreadId, ViolationKind};

use crate::{At, Change, Memory, Place, Reduction, Site};

/// Figures of one bound that was explored to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoundStats {
    /// The bound.
    pub bound: u32,
    /// Executions within this bound, those of lower bounds included. With `HappensBefore`: classes.
    pub executions: u64,
}

/// What the engine tells while it runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Progress {
    /// Everything within this bound was explored.
    BoundComplete(BoundStats),
    /// For the first time a run was given up because it took too many steps and was not fair: a thread goes on without
    /// letting others run. There may be very many such runs.
    GivenUp {
        /// The steps it made.
        steps: usize,
        /// The thread that ran last.
        thread: String,
        /// What it was about to do.
        at: At,
    },
}

/// Why an exploration ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The strategy has nothing left to run; `every_bound` if no higher bound can add anything. Executions may have
    /// been too long: [`Exploration::complete`] tells.
    Finished {
        /// A higher bound adds nothing.
        every_bound: bool,
    },
    /// A violation was found.
    Violation,
    /// [`crate::Config::time_limit`].
    Time,
    /// [`crate::Config::max_executions`].
    Executions,
    /// The first executions were all too long, and none has come to its end: more would only take long, too.
    TooLong,
    /// The program did not do the same thing under the same schedule.
    Nondeterminism(Nondeterminism),
    /// The reduction does not work with this kind of bound; the text says which does.
    Unsupported(String),
    /// The schedule to replay is damaged or does not fit the program; the text says how.
    BadSchedule(String),
    /// The search was complete, but its recheck found something else: an internal error.
    Disagreement(Disagreement),
}

/// The search and its recheck found different things, although the program does the same under the same schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disagreement {
    /// What the search found.
    pub search: String,
    /// What the recheck found.
    pub recheck: String,
    /// The schedule that shows it, to be given to [`crate::Mode::Replay`], where it is one.
    pub schedule: Option<String>,
}

/// How an answer was checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchEvidence {
    /// Not at all: the search was incomplete, no recheck was asked for, or a limit was met before it began.
    None,
    /// The schedule of the violation was run again and violated the same.
    Replayed,
    /// Every schedule within the bound was run without reduction: the same classes, and no violation.
    Reexplored {
        /// Schedules within the bound.
        schedules: u64,
        /// Classes they belong to.
        classes: u64,
    },
    /// Random schedules within the bound were run: no violation, and no class that the search had not visited. (The
    /// latter is not asked of [`Reduction::Bpor`], which need not visit all classes.)
    Sampled {
        /// Schedules that ran to their end.
        schedules: u64,
        /// Classes they belong to.
        classes: u64,
        /// Seed of the schedules.
        seed: u64,
    },
}

/// The program behaved differently under the same schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nondeterminism {
    /// After how many steps.
    pub step: usize,
    /// What was seen the first time.
    pub expected: String,
    /// What was seen now.
    pub found: String,
}

/// A violation with the run that shows it.
#[derive(Clone, Debug)]
pub struct Violation {
    /// What kind.
    pub kind: ViolationKind,
    /// One sentence (of a panic: its message).
    pub message: String,
    /// Where, if known.
    pub location: Option<Place>,
    /// The thread that did it, where it is one.
    pub thread: Option<ThreadId>,
    /// The schedule, to be given to [`crate::Mode::Replay`].
    pub schedule: String,
    /// What is known of its cause, besides the steps.
    pub cause: Option<Cause>,
    /// Stronger orderings that would have forbidden this run, each of these sets by itself; where stale values were explored.
    pub fixes: Vec<Vec<Change>>,
    /// What happened.
    pub run: RecordedRun,
}

/// What is known of the cause of a violation, besides the steps of its run. Steps are positions in [`RecordedRun::steps`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// Of a data race: nothing orders an earlier access of another thread before the one that ends the run.
    Unordered {
        /// Who made the earlier access.
        earlier: ThreadId,
        /// The last step of that thread that happens before the access which ends the run; the earlier access comes after it.
        known: Option<usize>,
    },
    /// Of a data race: a pointer of another thread is still in use.
    InUse {
        /// Whose pointer.
        by: ThreadId,
    },
    /// Of a use after free.
    Freed {
        /// Who freed the memory.
        by: ThreadId,
        /// The last step before that, of whatever thread.
        after: Option<usize>,
    },
    /// Of a leak.
    Leaked {
        /// Who made what was not freed.
        by: ThreadId,
        /// The last step before that, of whatever thread.
        after: Option<usize>,
        /// How many were made at the same place.
        made: usize,
        /// How many of these were freed.
        freed: usize,
    },
}

/// A recorded run.
#[derive(Clone, Debug, Default)]
pub struct RecordedRun {
    /// The threads, by id.
    pub threads: Vec<RecordedThread>,
    /// The steps, in order.
    pub steps: Vec<RecordedStep>,
    /// In a deadlock: who waits for what.
    pub waiting: Vec<Waiting>,
    /// Switches away from a thread that could have gone on.
    pub preemptions: u32,
    /// All switches.
    pub switches: u32,
    /// Accesses that are stale.
    pub stale: u32,
}

/// A thread of a recorded run.
#[derive(Clone, Debug)]
pub struct RecordedThread {
    /// Its name: as given, else `main`, `thread 1`, ….
    pub name: String,
    /// Where it was spawned.
    pub spawned: Option<At>,
}

/// A step of a recorded run.
#[derive(Clone, Debug)]
pub struct RecordedStep {
    /// Who.
    pub thread: ThreadId,
    /// Where.
    pub at: At,
    /// The operation in words: `load`, `lock`, `send`, ….
    pub verb: &'static str,
    /// The object: its name, or its kind and where it was created.
    pub object: Option<String>,
    /// Where the object was created.
    pub object_at: Option<At>,
    /// A second object: the lock that a wait gives up, or the condvar of a wake.
    pub second: Option<String>,
    /// Another thread: the one that is started, waited for or asked about.
    pub other: Option<ThreadId>,
    /// The value read or written, as the primitive noted it, or the outcome (`would block`, `empty`).
    pub note: Option<String>,
    /// Whether this begins a new context, and of which kind.
    pub switch: Switch,
    /// Of an access that is stale, what it overlooks.
    pub stale: Option<StaleAccess>,
}

/// An access that did not read the newest store of its atomic, or did not write behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StaleAccess {
    /// The step that made the newest store, by position; none if it was not made by a step.
    pub newest: Option<usize>,
    /// Whether it read.
    pub reads: bool,
    /// Whether it wrote.
    pub writes: bool,
    /// Its ordering.
    pub order: Ordering,
}

/// What a thread waits for at the end of a run that is stuck.
#[derive(Clone, Debug)]
pub struct Waiting {
    /// The thread.
    pub thread: ThreadId,
    /// Where it waits.
    pub at: At,
    /// For what, in words, with the holder: `mutex src/a.rs:3:5, held by thread 2 (locked at src/a.rs:9:9)`.
    pub reason: String,
    /// The object, as steps name it.
    pub object: Option<String>,
    /// The thread that it waits for: the one that holds the lock, or whose end it waits for.
    pub holder: Option<ThreadId>,
}

/// What an exploration found out.
#[derive(Clone, Debug)]
pub struct Exploration {
    /// Executions that ran to their end.
    pub executions: u64,
    /// Executions that were cut off by a bound (switches, depth), given up by the program, or
    /// [too long](Self::too_long).
    pub cut: u64,
    /// Of these, the executions that [`crate::Config::max_steps`] cut off: with one of them nothing is complete.
    pub too_long: u64,
    /// Each bound that was explored to its end; none in which an execution was too long, nor any after it.
    pub per_bound: Vec<BoundStats>,
    /// Everything that was asked for was explored, and no execution was too long.
    pub complete: bool,
    /// Why it ended.
    pub stop: Stop,
    /// The reduction in force at the end. Where the search by classes ([`Reduction::HappensBefore`]) would need too much
    /// memory, because many threads have nothing to do with each other, another one takes its place.
    pub reduction: Reduction,
    /// The memory in force at the end: [`Memory::Rc11`] if stale values were explored.
    pub memory: Memory,
    /// The first violation.
    pub violation: Option<Violation>,
    /// How the answer was checked. The runs of the check are not counted in any of the other fields.
    pub evidence: SearchEvidence,
    /// With [`crate::Config::keep_going`]: kind and message of every violation, and how many bounds were complete when it
    /// was found first.
    pub all_violations: BTreeMap<(ViolationKind, String), usize>,
    /// With [`crate::Config::collect_sites`]: the places with orderings that the runs met.
    pub sites: Vec<Site>,
    /// With [`crate::Config::verify`]: a step that had other values when the same schedule was run again.
    pub differing_values: Option<Nondeterminism>,
    /// Wall-clock time of the search, without its recheck.
    pub elapsed: Duration,
}
