//! Limits of a run and why it stopped. Engines call [`Budget::check`] regularly; the answer is a
//! value, never an exit.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// What a run may use. `None` is no limit.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// Wall-clock time.
    pub time: Option<Duration>,
    /// Memory of the search, in bytes.
    pub memory: Option<u64>,
    /// Stored states.
    pub states: Option<u64>,
    /// Transitions from the start.
    pub depth: Option<u64>,
}

/// Why a run stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StopReason {
    /// Everything was explored.
    Exhausted,
    /// Everything within the bound was explored, and there is more beyond it.
    Bound,
    /// A violation was found and one was enough.
    Violation,
    /// `--time-limit`.
    Time,
    /// `--memory-limit`.
    Memory,
    /// `--max-states`.
    States,
    /// `--max-depth` cut off paths.
    Depth,
    /// `--stack-limit` cut off calls.
    Stack,
    /// `--thread-limit` kept threads from being created.
    Threads,
    /// `--token-limit` kept tokens from being produced.
    Tokens,
    /// The method gave up; no limit of the user was reached.
    GaveUp,
    /// Ctrl-C.
    Interrupted,
}

/// Set by Ctrl-C, read by every engine.
#[derive(Clone, Debug, Default)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Not set.
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks the engine to stop.
    pub fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether it was asked to.
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Limits in force, with the clock running.
#[derive(Clone, Debug)]
pub struct Budget {
    limits: Limits,
    interrupt: Interrupt,
    start: Instant,
}

impl Budget {
    /// Starts the clock.
    pub fn start(limits: Limits, interrupt: Interrupt) -> Self {
        Budget { limits, interrupt, start: Instant::now() }
    }

    /// One that never ends.
    pub fn unlimited() -> Self {
        Budget::start(Limits::default(), Interrupt::new())
    }

    /// The limits.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Time since the start.
    pub fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// Whether to stop for the time, for memory or for Ctrl-C: for stages that store no states.
    pub fn spent(&self, memory: u64) -> Option<StopReason> {
        self.check(0, memory).filter(|reason| *reason != StopReason::States)
    }

    /// As [`Budget::spent`], as an error that ends the stage.
    pub fn go_on(&self, memory: u64) -> Result<(), StopReason> {
        self.spent(memory).map_or(Ok(()), Err)
    }

    /// Whether to stop, and why.
    pub fn check(&self, states: u64, memory: u64) -> Option<StopReason> {
        if self.interrupt.is_set() {
            return Some(StopReason::Interrupted);
        }
        if self.limits.states.is_some_and(|max| states >= max) {
            return Some(StopReason::States);
        }
        if self.limits.memory.is_some_and(|max| memory >= max) {
            return Some(StopReason::Memory);
        }
        if self.limits.time.is_some_and(|max| self.elapsed() >= max) {
            return Some(StopReason::Time);
        }
        None
    }
}
