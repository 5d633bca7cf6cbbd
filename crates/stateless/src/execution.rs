//! One execution: starts the main thread on a fiber, asks the strategy at every visible operation which thread is next,
//! and switches fibers only if that is another thread.
//!
//! The execution is stored in a thread-local variable while it runs, because the program under test reaches it through
//! free functions (`rt.rs`). It is borrowed only between two switches, never across one.

mod config;
mod fibers;
mod graph;
mod record;
mod steps;

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use selvedge_core::{SwitchCounter, ThreadId, ViolationKind};

use crate::clocks::Moment;
use crate::config::Aborting;
use crate::fiber;
use crate::graph::StoreId;
use crate::order::{Order, SyncEvent};
use crate::orderings::Site;
use crate::outcome::{Cause, Nondeterminism, RecordedStep};
use crate::race::Action;
use crate::set::ThreadSet;
use crate::state::State;
use crate::strategy::{Decision, Strategy, View};
use crate::watchdog::Pulse;
use crate::{At, MAIN, ObjectId, Place, schedule};

pub(crate) use config::{ExecutionConfig, starts_weak};
pub(crate) use fibers::{Fibers, is_running};
use record::{leak_of, livelock};
pub(crate) use steps::{visible, visible_then};

/// A violation before it is shown with its run.
#[derive(Clone, Debug)]
pub(crate) struct Failure {
    pub(crate) kind: ViolationKind,
    pub(crate) message: String,
    pub(crate) location: Option<Place>,
    pub(crate) thread: Option<ThreadId>,
    pub(crate) cause: Option<Cause>,
}

/// What must change before the program can be explored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Restart {
    /// Reference counts are visible operations.
    Counts,
    /// Stale values are explored.
    Weak,
}

/// How a run ended.
#[derive(Debug)]
pub(crate) enum Ending {
    /// All threads ended.
    Finished,
    /// With a violation; whether others could still go on.
    Failed(Failure, bool),
    /// Cut off by the bound, or given up by the program.
    Cut,
    /// More steps than allowed, and not fair.
    TooLong,
    /// The exploration must start again.
    Restart(Restart),
    /// The program is not deterministic.
    Differs(Nondeterminism),
    /// The schedule does not fit.
    Misfit(String),
    /// The time is over.
    Time,
    /// The strategy has failed.
    GivenUp,
}

/// What is written down for a report.
#[derive(Default)]
pub(crate) struct Recording {
    pub(crate) steps: Vec<RecordedStep>,
    /// The moment of each step, just before it.
    pub(crate) moments: Vec<Moment>,
    pub(crate) counter: SwitchCounter,
    /// Which step made a store.
    pub(crate) stores: Vec<(ObjectId, StoreId, usize)>,
}

impl Recording {
    fn new() -> Recording {
        let mut counter = SwitchCounter::default();
        counter.step(MAIN, false, MAIN); // the main thread has run: it is where switches start from
        Recording { counter, ..Recording::default() }
    }
}

/// Something that must be freed.
pub(crate) struct Tracked {
    pub(crate) what: &'static str,
    pub(crate) created: At,
    /// Who made it.
    pub(crate) by: Action,
    pub(crate) freed: bool,
}

/// A thread that is about to start: number, size of its stack, what it does.
type Newborn = (ThreadId, usize, Box<dyn FnOnce()>);

/// A run in progress.
pub(crate) struct Execution {
    pub(crate) state: State,
    pub(crate) config: ExecutionConfig,
    pub(crate) strategy: Box<dyn Strategy>,
    pub(crate) order: Order,
    pub(crate) stamp: u64,
    pub(crate) pulse: Arc<Pulse>,
    /// The thread that runs or will run next, and the outcome chosen for its step.
    pub(crate) current: ThreadId,
    choice: u32,
    /// The thread that ran last: at first the main thread, which has started the others.
    last: ThreadId,
    /// Threads that wait for a child to reach its first visible operation, innermost last.
    starting: Vec<ThreadId>,
    newborn: Option<Newborn>,
    pub(crate) ending: Option<Ending>,
    /// The bound is used up: the threads run to their ends so that their destructors do, but nobody looks.
    draining: Option<u32>,
    /// The run is over and a panic is unwound to its end: operations do nothing.
    pub(crate) pass_through: bool,
    pub(crate) recording: Option<Recording>,
    pub(crate) schedule: Vec<(ThreadId, u32)>,
    /// The places with orderings that the runs so far met, if they are collected.
    pub(crate) sites: Vec<Site>,
    /// A fence that follows the access at hand, where the orderings are changed.
    pub(crate) fence_after: Option<Ordering>,
    pub(crate) tracked: Vec<Tracked>,
    pub(crate) at_exit: Vec<Box<dyn FnOnce()>>,
    pub(crate) watches: Vec<ThreadId>,
    enabled: ThreadSet,
    candidates: ThreadSet,
    waits: Vec<u32>,
    longest_wait: u32,
    /// Yields in the first half of the steps that a run may have: without any later it is long, but waits for nobody.
    yields_at_half: u32,
}

thread_local! {
    static RUN: RefCell<Option<Box<Execution>>> = const { RefCell::new(None) };
    /// What an exploration that ended leaves to the next one on this OS thread: memory.
    static IDLE: RefCell<Option<(State, Order)>> = const { RefCell::new(None) };
}

/// Calls `f` with the run in progress.
pub(crate) fn with<R>(f: impl FnOnce(&mut Execution) -> R) -> R {
    RUN.with_borrow_mut(|run| f(run.as_deref_mut().expect("internal error: not inside a model")))
}

/// Whether nobody uses the run in progress: then the program runs.
pub(crate) fn is_free() -> bool {
    RUN.with(|run| run.try_borrow_mut().is_ok())
}

/// Calls `f` with the run in progress unless it is being used.
pub(crate) fn try_with(f: impl FnOnce(&mut Execution)) {
    RUN.with(|run| {
        if let Ok(mut run) = run.try_borrow_mut()
            && let Some(run) = run.as_deref_mut()
        {
            f(run);
        }
    });
}

/// Whether a run is in progress on this OS thread and the caller is one of its threads.
pub(crate) fn inside() -> bool {
    fiber::on_fiber()
}

impl Execution {
    /// A run that has not begun, in memory that was used before if there is some.
    pub(crate) fn idle(config: ExecutionConfig, strategy: Box<dyn Strategy>) -> Box<Execution> {
        let (state, order) = IDLE.try_with(RefCell::take).ok().flatten().unwrap_or_default();
        Box::new(Execution {
            state,
            config,
            strategy,
            order,
            stamp: 0,
            pulse: Arc::default(),
            current: MAIN,
            choice: 0,
            last: MAIN,
            starting: Vec::new(),
            newborn: None,
            ending: None,
            draining: None,
            pass_through: false,
            recording: None,
            schedule: Vec::new(),
            sites: Vec::new(),
            fence_after: None,
            tracked: Vec::new(),
            at_exit: Vec::new(),
            watches: Vec::new(),
            enabled: ThreadSet::default(),
            candidates: ThreadSet::default(),
            waits: Vec::new(),
            longest_wait: 0,
            yields_at_half: 0,
        })
    }

    /// No run follows. What belongs to the program goes, memory of a usual size stays.
    pub(crate) fn retire(self: Box<Execution>) {
        let Execution { mut state, mut order, strategy, .. } = *self;
        strategy.retire();
        if state.forget() {
            order.reset();
            // The OS thread may be ending, its variables gone.
            let _ = IDLE.try_with(|idle| idle.replace(Some((state, order))));
        }
    }

    fn reset(&mut self, stamp: u64, record: bool) {
        if self.config.weak {
            self.state.keep_stores();
        }
        self.state.reset();
        self.order.reset();
        self.stamp = stamp;
        self.current = MAIN;
        self.last = MAIN;
        self.starting.clear();
        self.newborn = None;
        self.ending = None;
        self.draining = None;
        self.pass_through = false;
        self.recording = record.then(Recording::new);
        self.schedule.clear();
        self.tracked.clear();
        self.at_exit.clear();
        self.watches.clear();
        self.waits.clear();
        self.longest_wait = 0;
        self.yields_at_half = 0;
    }

    /// Chooses who goes next, or ends the run.
    #[inline]
    fn decide(&mut self) {
        if self.ending.is_some() {
            return;
        }
        match self.known_step() {
            Some((thread, choice)) => (self.current, self.choice) = (thread, choice),
            None => self.decide_anew(),
        }
    }

    fn decide_anew(&mut self) {
        self.state.enabled_threads(&mut self.enabled);
        if self.enabled.is_empty() {
            self.ending = Some(self.stuck());
            return;
        }
        if self.too_long() {
            return;
        }
        self.candidates.copy_from(&self.enabled);
        if let Some(ahead) = self.config.fair {
            self.state.fair(&mut self.candidates, ahead);
        }
        let last = (self.last, self.candidates.contains(self.last) && self.state.would_continue_if_enabled(self.last));
        let view = View { state: &self.state, candidates: &self.candidates, enabled: &self.enabled, last };
        let decision = match self.draining {
            Some(_) => Decision::Go(view.default_thread(), 0),
            None => self.strategy.decide(&view),
        };
        match decision {
            Decision::Go(thread, choice) => {
                self.current = thread;
                self.choice = choice;
            }
            Decision::Cut => {
                self.current = view.default_thread();
                self.choice = 0;
                self.draining = Some(0);
            }
            Decision::Differs(what) => self.ending = Some(Ending::Differs(*what)),
            Decision::Misfit(what) => self.ending = Some(Ending::Misfit(what.into())),
            Decision::GiveUp => self.ending = Some(Ending::GivenUp),
        }
    }

    /// No thread is enabled.
    fn stuck(&self) -> Ending {
        if self.draining.is_some() {
            return Ending::Cut;
        }
        if self.state.all_finished() {
            return match self.tracked.iter().find(|t| !t.freed) {
                Some(leak) => Ending::Failed(leak_of(leak, &self.tracked), false),
                None => Ending::Finished,
            };
        }
        // A thread that waits while it unwinds: the panic is the news.
        let unwinding = self.state.threads().iter().position(|t| !t.finished && t.panic.is_some());
        let failure = match unwinding {
            Some(t) => self.panic_of(ThreadId(t as u32)),
            None => Failure {
                kind: ViolationKind::Deadlock,
                message: "deadlock: every thread is blocked".to_owned(),
                location: None,
                thread: None,
                cause: None,
            },
        };
        Ending::Failed(failure, false)
    }

    fn panic_of(&self, thread: ThreadId) -> Failure {
        let (message, location) = self.state.threads()[thread.index()].panic.clone().unwrap_or_default();
        Failure { kind: ViolationKind::Panic, message, location, thread: Some(thread), cause: None }
    }

    /// Whether it is time to look at the length of the run and at the clock.
    #[inline]
    fn looks_at_length(&self) -> bool {
        let steps = self.state.steps.len() as u32;
        steps + 1 >= self.config.max_steps / 2 || steps & 63 == 63
    }

    /// Ends a run that takes too many steps or too much time.
    fn too_long(&mut self) -> bool {
        if !self.looks_at_length() && self.draining.is_none() {
            return false;
        }
        let steps = self.state.steps.len() as u32;
        let half = self.config.max_steps / 2;
        if steps < half {
            self.yields_at_half = self.state.yields();
        } else {
            self.watch_fairness();
        }
        if let Some(drained) = &mut self.draining {
            *drained += 1;
            if *drained > self.config.max_steps {
                self.ending = Some(Ending::Cut);
            }
        } else if steps >= self.config.max_steps {
            let waits = self.is_fair() && self.state.yields() > self.yields_at_half;
            self.ending = Some(if waits { Ending::Failed(livelock(steps), true) } else { Ending::TooLong });
        }
        if steps & 63 == 63 && self.config.deadline.is_some_and(|d| Instant::now() >= d) {
            self.ending = Some(Ending::Time);
        }
        self.ending.is_some()
    }

    /// In the second half of a run that may be too long: counts how long each thread has been able to go on and did not.
    fn watch_fairness(&mut self) {
        self.waits.resize(self.state.threads().len(), 0);
        for (t, wait) in (0..).map(ThreadId).zip(&mut self.waits) {
            let waits = self.enabled.contains(t) && self.last != t;
            *wait = if waits { *wait + 1 } else { 0 };
            self.longest_wait = self.longest_wait.max(*wait);
        }
    }

    /// Whether nobody was passed over for long in the second half of the run: if somebody was, another thread spins
    /// without yielding, and a fair scheduler would end that.
    fn is_fair(&self) -> bool {
        self.longest_wait < self.config.max_steps / 4
    }

    /// The process is about to be aborted.
    pub(crate) fn aborting(&mut self) {
        let Some(last_words) = self.config.last_words.take() else { return };
        let (message, location) = self.state.thread(self.current).panic.clone().unwrap_or_default();
        let steps: Vec<(ThreadId, u32)> = self.state.steps.iter().map(|s| (s.thread, s.choice)).collect();
        last_words(&Aborting { message, location, schedule: schedule::to_text(&steps) });
    }

    /// Ends the run with a violation.
    pub(crate) fn fail(&mut self, failure: Failure) {
        if self.ending.is_none() {
            self.ending = Some(match self.draining {
                Some(_) => Ending::Cut,
                None => Ending::Failed(failure, true),
            });
        }
    }
}

/// Ends the run; the caller's frames are abandoned.
pub(crate) fn end_run(ending: Ending) -> ! {
    with(|run| {
        if run.ending.is_none() {
            run.ending = Some(ending);
        }
    });
    loop {
        fiber::suspend();
    }
}

/// Starts a thread and returns when it has reached its first visible operation or its end.
pub(crate) fn spawn(name: Option<String>, stack_size: Option<usize>, at: At, body: Box<dyn FnOnce()>) -> ThreadId {
    let child = with(|run| {
        let parent = run.current;
        let child = run.state.add_thread(Some(parent), name, Some(at));
        run.record_spawn(parent, child, at);
        run.order.happened(&run.state, SyncEvent::Spawned { parent, child });
        if let Some((weak, parent)) = run.weak_of(parent) {
            weak.spawned(parent, child);
        }
        let size = stack_size.map_or(run.config.stack_size, |s| s.max(16 * 1024));
        run.newborn = Some((child, size, body));
        run.starting.push(parent);
        run.current = child;
        child
    });
    fiber::suspend();
    child
}

/// Ends the run with a violation; the caller's frames are abandoned.
pub(crate) fn end_run_with(failure: Failure) -> ! {
    with(|run| run.fail(failure));
    loop {
        fiber::suspend();
    }
}
