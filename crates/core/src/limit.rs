//! Limits of a run and why it stopped. Engines call [`Budget::check`] regularly; the answer is a
//! value, never an exit.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
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

/// The memory that the process uses, if it is measured. Engines count what they hold
/// themselves, but not what an allocator keeps or what other parts of the process hold.
#[derive(Clone, Debug, Default)]
pub struct Meter(Arc<AtomicU64>);

impl Meter {
    /// Nothing was measured yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Tells what was measured.
    pub fn set(&self, bytes: u64) {
        self.0.store(bytes, Ordering::Relaxed);
    }

    /// What was measured last.
    pub fn bytes(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    /// What the operating system needs at least to take this memory back when the process ends, for which a user waits as well:
    /// an eighth of a second for each gigabyte.
    fn time_to_free(&self) -> Duration {
        Duration::from_nanos(self.bytes() / 8)
    }
}

/// How long a run may be worked on after the time is over: the least, and the part of the limit.
const LATE: (Duration, f64) = (Duration::from_millis(15), 0.01);
/// How long after an interrupt.
const PATIENCE: Duration = Duration::from_millis(30);
/// How much memory it may take beyond the limit, at least.
const MORE_MEMORY: u64 = 4 << 20;

/// Limits in force, with the clock running.
#[derive(Clone, Debug)]
pub struct Budget {
    limits: Limits,
    /// The time of the whole run, of which [`Budget::share`] gives a part away.
    whole: Option<Duration>,
    interrupt: Interrupt,
    start: Instant,
    meter: Meter,
    /// A violation that was found, while its run is not yet ready.
    found: Arc<OnceLock<String>>,
    /// When an interrupt was noticed by work that may continue for a moment.
    interrupted: Arc<OnceLock<Instant>>,
}

impl Budget {
    /// Starts the clock.
    pub fn start(limits: Limits, interrupt: Interrupt) -> Self {
        Budget {
            whole: limits.time,
            limits,
            interrupt,
            start: Instant::now(),
            meter: Meter::new(),
            found: Arc::default(),
            interrupted: Arc::default(),
        }
    }

    /// The same with memory that is measured.
    pub fn measured_by(self, meter: Meter) -> Self {
        Budget { meter, ..self }
    }

    /// The same budget for a part of the work: it ends when this share of the time that is left is over, so that what
    /// comes after it has time as well.
    pub fn share(&self, numerator: u32, denominator: u32) -> Self {
        let left = |limit: Duration| limit.saturating_sub(self.elapsed()) * numerator / denominator;
        let time = self.limits.time.map(|limit| self.elapsed() + left(limit));
        Budget { limits: Limits { time, ..self.limits.clone() }, ..self.clone() }
    }

    /// The same budget with at most this many states.
    pub fn with_most_states(&self, most: u64) -> Self {
        let states = Some(self.limits.states.map_or(most, |limit| limit.min(most)));
        Budget { limits: Limits { states, ..self.limits.clone() }, ..self.clone() }
    }

    /// The same budget for a search whose violations are none of the model: what it notes is its own.
    pub fn apart(&self) -> Self {
        Budget { found: Arc::default(), ..self.clone() }
    }

    /// Notes a violation whose run must still be made and replayed, for whoever ends the run before that.
    pub fn note_found(&self, message: &str) {
        self.found.get_or_init(|| message.to_owned());
    }

    /// The first violation that was noted.
    pub fn found(&self) -> Option<&str> {
        self.found.get().map(String::as_str)
    }

    /// Whether the run was asked to stop.
    pub fn is_interrupted(&self) -> bool {
        self.interrupt.is_set()
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

    /// Time since the start at which the process is gone, if the run stops now.
    pub fn ends_after(&self) -> Duration {
        self.elapsed() + self.meter.time_to_free()
    }

    /// Whether what comes after the search, such as making, replaying and writing the run that was found, must be given up. It may
    /// take a little longer than the limits allow, because without it the search was for nothing; and longer than the share of
    /// the time that the search had.
    pub fn is_overdue(&self) -> bool {
        let late = |limit: Duration| self.ends_after() >= limit + LATE.0.max(limit.mul_f64(LATE.1));
        let large = |limit: u64| self.meter.bytes() >= limit + (limit / 64).max(MORE_MEMORY);
        let asked = || *self.interrupted.get_or_init(Instant::now);
        self.whole.is_some_and(late)
            || self.limits.memory.is_some_and(large)
            || (self.interrupt.is_set() && asked().elapsed() >= PATIENCE)
    }

    /// Whether to stop for the time, for memory or for Ctrl-C: for stages that store no states.
    pub fn spent(&self, memory: u64) -> Option<StopReason> {
        self.check(0, memory).filter(|reason| *reason != StopReason::States)
    }

    /// As [`Budget::spent`], as an error that ends the stage.
    pub fn go_on(&self, memory: u64) -> Result<(), StopReason> {
        self.spent(memory).map_or(Ok(()), Err)
    }

    /// Whether to stop, and why. `memory` is what the caller holds; what was measured counts where it is more.
    pub fn check(&self, states: u64, memory: u64) -> Option<StopReason> {
        self.check_growing(states, memory, 0)
    }

    /// As [`Budget::check`], for a caller that is about to take `growth` bytes more.
    pub fn check_growing(&self, states: u64, memory: u64, growth: u64) -> Option<StopReason> {
        if self.interrupt.is_set() {
            return Some(StopReason::Interrupted);
        }
        if self.limits.states.is_some_and(|max| states >= max) {
            return Some(StopReason::States);
        }
        let memory = memory.max(self.meter.bytes()).saturating_add(growth);
        if self.limits.memory.is_some_and(|max| memory >= max) {
            return Some(StopReason::Memory);
        }
        if self.limits.time.is_some_and(|max| self.ends_after() >= max) {
            return Some(StopReason::Time);
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measured_memory_counts_where_it_is_more() {
        let meter = Meter::new();
        let limits = Limits { memory: Some(1000), ..Limits::default() };
        let budget = Budget::start(limits, Interrupt::new()).measured_by(meter.clone());
        assert_eq!(budget.check(0, 999), None);
        meter.set(900);
        assert_eq!(budget.check_growing(0, 10, 99), None);
        assert_eq!(budget.check_growing(0, 10, 100), Some(StopReason::Memory));
        meter.set(1000);
        assert_eq!(budget.spent(0), Some(StopReason::Memory));
    }

    #[test]
    fn the_time_to_free_memory_is_time() {
        let meter = Meter::new();
        let limits = Limits { time: Some(Duration::from_secs(3600)), ..Limits::default() };
        let budget = Budget::start(limits, Interrupt::new()).measured_by(meter.clone());
        meter.set(8_000_000_000);
        assert!(budget.ends_after() >= budget.elapsed() + Duration::from_millis(900));
        assert_eq!(budget.spent(0), None);
        meter.set(8 * 3_600_000_000_000);
        assert_eq!(budget.spent(0), Some(StopReason::Time));
    }

    #[test]
    fn the_run_that_was_found_may_take_a_little_longer() {
        let meter = Meter::new();
        let (limits, interrupt) = (Limits { memory: Some(100 << 20), ..Limits::default() }, Interrupt::new());
        let budget = Budget::start(limits, interrupt.clone()).measured_by(meter.clone());
        meter.set(102 << 20);
        assert!(budget.spent(0) == Some(StopReason::Memory) && !budget.is_overdue());
        meter.set(105 << 20);
        assert!(budget.is_overdue());
        meter.set(0);
        interrupt.set();
        assert!(budget.spent(0) == Some(StopReason::Interrupted));
        while !budget.is_overdue() {
            std::thread::sleep(Duration::from_millis(1));
        }
        let over = Limits { time: Some(Duration::ZERO), ..Limits::default() };
        let budget = Budget::start(over, Interrupt::new());
        while !budget.is_overdue() {
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    #[test]
    fn a_share_ends_before_the_whole() {
        let limits = Limits { time: Some(Duration::from_secs(3600)), states: Some(7), ..Limits::default() };
        let budget = Budget::start(limits, Interrupt::new());
        let half = budget.share(1, 2);
        let time = half.limits().time.expect("there is a limit");
        assert!(time < Duration::from_secs(1900) && time > Duration::from_secs(1700), "{time:?}");
        assert_eq!(half.limits().states, Some(7));
        assert_eq!(Budget::unlimited().share(1, 2).limits().time, None);
        half.note_found("an assertion");
        assert_eq!(budget.found(), Some("an assertion"), "both are one budget");
        budget.note_found("another one");
        assert_eq!(half.found(), Some("an assertion"), "the first one stays");
        assert_eq!(half.apart().found(), None);
        let little = budget.share(1, 3_600_000);
        while little.spent(0).is_none() {
            std::thread::sleep(Duration::from_millis(1));
        }
        std::thread::sleep(2 * LATE.0);
        assert!(!little.is_overdue(), "the run that was found has the time of the whole check");
    }
}
