//! A program that does not reach its next operation cannot be stopped from inside: it waits for a lock of the system
//! that another of its threads holds, or it loops. A separate thread watches all executions of the process and reports,
//! once for each exploration, which one has made no progress for long.
#![allow(unsafe_code)]

use std::panic::Location;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, Once, PoisonError, Weak};
use std::time::Duration;

use crate::{At, MAIN, ThreadId};

/// How a stalled thread is reported, and when.
#[derive(Clone, Debug)]
pub struct Stall {
    /// Of the exploration.
    pub name: String,
    /// The time without an operation.
    pub after: Duration,
    /// Called on an OS thread of its own with the name.
    pub report: fn(&str, &Stalled),
}

/// A thread of a program that has not come to its next operation.
#[derive(Clone, Copy, Debug)]
pub struct Stalled {
    /// Which.
    pub thread: ThreadId,
    /// Where its last operation was, or that of another thread before it started.
    pub since: Option<At>,
    /// For how long.
    pub time: Duration,
}

/// The sign of life of an exploration.
#[derive(Debug, Default)]
pub(crate) struct Pulse {
    running: AtomicBool,
    steps: AtomicU64,
    thread: AtomicU32,
    /// Where the last operation was, or null.
    since: AtomicPtr<Location<'static>>,
}

impl Pulse {
    /// The program runs, or does not.
    pub(crate) fn run(&self, running: bool) {
        self.running.store(running, Relaxed);
        self.beat(MAIN, None);
    }

    /// A thread goes on after an operation.
    pub(crate) fn beat(&self, thread: ThreadId, at: Option<At>) {
        self.thread.store(thread.0, Relaxed);
        self.since.store(at.map_or(ptr::null_mut(), |at| ptr::from_ref(at).cast_mut()), Relaxed);
        self.steps.store(self.steps.load(Relaxed).wrapping_add(1), Relaxed);
    }

    fn since(&self) -> Option<At> {
        // SAFETY: only `beat` stores there: null, or a place that lives for ever and is never written.
        unsafe { self.since.load(Relaxed).as_ref() }
    }
}

/// An exploration that is looked after.
struct Watched {
    pulse: Weak<Pulse>,
    stall: Stall,
    steps: u64,
    still: Duration,
    reported: bool,
}

static WATCHED: Mutex<Vec<Watched>> = Mutex::new(Vec::new());
static START: Once = Once::new();
const INTERVAL: Duration = Duration::from_millis(500);

/// Looks after an exploration as long as the result lives.
pub(crate) fn watch(stall: Option<&Stall>) -> Arc<Pulse> {
    let pulse = Arc::new(Pulse::default());
    if let Some(stall) = stall {
        let watched = Watched {
            pulse: Arc::downgrade(&pulse),
            stall: stall.clone(),
            steps: 0,
            still: Duration::ZERO,
            reported: false,
        };
        WATCHED.lock().unwrap_or_else(PoisonError::into_inner).push(watched);
        // Where there is no thread to be had, nothing is reported.
        START.call_once(|| _ = std::thread::Builder::new().name("selvedge watchdog".to_owned()).spawn(look_after));
    }
    pulse
}

fn look_after() {
    loop {
        std::thread::sleep(INTERVAL);
        let mut all = WATCHED.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain_mut(|watched| match watched.pulse.upgrade() {
            Some(pulse) => {
                watched.probe(&pulse);
                true
            }
            None => false,
        });
    }
}

impl Watched {
    fn probe(&mut self, pulse: &Pulse) {
        let steps = pulse.steps.load(Relaxed);
        let still = pulse.running.load(Relaxed) && steps == self.steps;
        self.still = if still { self.still + INTERVAL } else { Duration::ZERO };
        self.steps = steps;
        if self.still >= self.stall.after && !self.reported {
            self.reported = true;
            let (thread, since) = (ThreadId(pulse.thread.load(Relaxed)), pulse.since());
            (self.stall.report)(&self.stall.name, &Stalled { thread, since, time: self.still });
        }
    }
}
