//! What is explored: the kind of search, the bound, the reduction, limits, and what the environment may do.

use std::fmt;
use std::time::Duration;

use crate::ThreadId;
use crate::orderings::Change;
use crate::watchdog::Stall;

/// What is bounded. The value is the largest bound that is explored; the search goes 0, 1, 2, … up to it.
/// `None` goes on until a bound adds nothing more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchBound {
    /// Switches away from a thread that could have gone on and had not yielded.
    Preemptions(Option<u32>),
    /// How far the yields of a thread that runs may be ahead of those of an enabled thread (\[BPOR\] Definition 1.9).
    /// Not iterated: the value is the one bound that is explored.
    Fair(u32),
    /// Preemptions and stale accesses ([`Memory::Rc11`]) together.
    Deviations(Option<u32>),
    /// All switches.
    Switches(Option<u32>),
    /// Steps of a run. Not iterated.
    Depth(u32),
}

/// How schedules that cannot differ are recognised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reduction {
    /// Not at all: every schedule within the bound (`cb-dfs` of \[CBPOR\]).
    None,
    /// Backtrack points at races, \[BPOR\] Algorithms 1 with 2 (preemptions) or 3 (fair).
    Bpor,
    /// Every partial order within the bound once, \[CBPOR\] Algorithm 2.
    HappensBefore,
}

/// What a read of an atomic may see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Memory {
    /// The newest value.
    Sequential,
    /// What RC11 allows (docs/bibliography.md), the memory model of Rust without load buffering: an older value, too, as far
    /// as the orderings of the accesses and fences allow it. An access that does not read the newest store, or is not the
    /// newest store itself, is *stale* and counts against the bound. Programs whose accesses are all `SeqCst` are explored as
    /// with `Sequential`: it is the same for them.
    Rc11,
}

/// How much a complete search without violation is checked by other runs, which are not counted as executions of the
/// search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recheck {
    /// Not at all.
    None,
    /// By 64 executions, or a sixteenth of those of the search if that is more: every schedule without reduction where
    /// they are very few, else random ones.
    Quick,
    /// By every schedule without reduction where there are at most 100,000, else by as many random ones.
    Full,
}

/// How schedules are chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mode {
    /// All within the bound.
    Exhaustive,
    /// At random, `executions` times.
    Random {
        /// Seed of the first execution.
        seed: u64,
        /// How many.
        executions: u64,
    },
    /// `executions` schedules, each with about the same chance: threads are chosen by the steps they have left.
    UniformWalk {
        /// Seed of the first execution.
        seed: u64,
        /// How many.
        executions: u64,
    },
    /// Priorities that change at random at `depth - 1` points (PCT), `executions` times.
    Pct {
        /// Seed of the first execution.
        seed: u64,
        /// The depth of the bugs looked for.
        depth: u32,
        /// How many.
        executions: u64,
    },
    /// One run, as a [`crate::Violation::schedule`] says.
    Replay(String),
}

/// Everything [`crate::explore`] is told.
#[derive(Clone, Debug)]
pub struct Config {
    /// How schedules are chosen.
    pub mode: Mode,
    /// What is bounded (exhaustive mode).
    pub bound: SearchBound,
    /// Which reduction (exhaustive mode).
    pub reduction: Reduction,
    /// What reads may see. With [`Memory::Rc11`] the bound must be one on preemptions or deviations.
    pub memory: Memory,
    /// The most stale accesses of a run, where there is a limit besides the bound. With [`SearchBound::Preemptions`] preemptions
    /// and stale accesses are then limited one by one, and `u32::MAX` is any number of stale accesses.
    pub max_stale: Option<u32>,
    /// Changes to the orderings of the program: it is run as if its source were changed.
    pub changes: Vec<Change>,
    /// Collects the places with orderings ([`crate::Exploration::sites`]).
    pub collect_sites: bool,
    /// With a bound on preemptions or switches: a thread may be at most this many yields ahead of an enabled thread,
    /// so that loops that yield come to an end. `None`: no such restriction.
    pub fair_yields: Option<u32>,
    /// Wall-clock time of the whole exploration.
    pub time_limit: Option<Duration>,
    /// Executions of the whole exploration.
    pub max_executions: Option<u64>,
    /// Steps after which a run is given up: a livelock where it was fair, else a cut run.
    pub max_steps: u32,
    /// Bytes of a fiber's stack.
    pub stack_size: usize,
    /// A panic of a spawned thread is not a violation but what `join` returns.
    pub panics_join: bool,
    /// `condvar_wait` and `park` may wake up for no reason.
    pub spurious_wakeups: bool,
    /// Go on after a violation and collect the kinds and messages of all ([`crate::Exploration::all_violations`]).
    pub keep_going: bool,
    /// After a search that found nothing, runs its last schedule twice more and compares: a program that does not always do
    /// the same may have been run too few times to be noticed.
    pub verify: bool,
    /// A search that is complete after one execution runs the program no more: neither to verify nor to recheck.
    pub single_run: bool,
    /// How a complete search without violation is checked ([`crate::Exploration::evidence`]).
    pub recheck: Recheck,
    /// Called before the process is aborted because a thread of the program panicked where nothing can unwind: in a
    /// destructor that runs while an earlier panic unwinds the thread.
    pub last_words: Option<fn(&Aborting)>,
    /// Who is told when the program does not come to its next operation.
    pub stall: Option<Stall>,
    /// Called when a thread of the program has used up its stack, before the process ends (Unix). Runs in a signal handler:
    /// it must not allocate or wait for a lock.
    pub overflow_words: Option<fn(&Overflow, &mut dyn fmt::Write)>,
}

/// What can be said before the process is aborted.
#[derive(Clone, Debug)]
pub struct Aborting {
    /// The message of the panic.
    pub message: String,
    /// Where, if known.
    pub location: Option<crate::Place>,
    /// The schedule, to be given to [`Mode::Replay`].
    pub schedule: String,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            mode: Mode::Exhaustive,
            bound: SearchBound::Preemptions(Some(2)),
            reduction: Reduction::HappensBefore,
            memory: Memory::Sequential,
            max_stale: None,
            changes: Vec::new(),
            collect_sites: false,
            fair_yields: Some(2),
            time_limit: None,
            max_executions: None,
            max_steps: 20_000,
            stack_size: 1 << 20,
            panics_join: false,
            spurious_wakeups: false,
            keep_going: false,
            verify: false,
            single_run: false,
            recheck: Recheck::Quick,
            last_words: None,
            stall: None,
            overflow_words: None,
        }
    }
}

/// A thread of the program has used up its stack.
#[derive(Clone, Copy, Debug)]
pub struct Overflow {
    /// Which, if that is known.
    pub thread: Option<ThreadId>,
    /// Bytes of its stack.
    pub bytes: usize,
}
