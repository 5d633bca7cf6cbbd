//! Small primitives on the runtime, enough for the tests of the engine.
#![allow(dead_code)] // not every test uses all of them

use std::cell::Cell;
use std::panic::Location;
use std::rc::Rc;
use std::sync::atomic::Ordering::SeqCst;

use selvedge_stateless::rt::{self, Access, ObjectKind};
use selvedge_stateless::{Config, Exploration, ObjectId, Reduction, SearchBound, ThreadId};

/// An atomic number.
#[derive(Clone)]
pub struct Atomic(Rc<(ObjectId, Cell<u64>)>);

impl Atomic {
    #[track_caller]
    pub fn new(value: u64) -> Atomic {
        Atomic(Rc::new((rt::object(ObjectKind::Atomic, Location::caller()), Cell::new(value))))
    }

    #[track_caller]
    pub fn load(&self) -> u64 {
        rt::access(self.0.0, Access::Load(SeqCst), "load", Location::caller());
        self.0.1.get()
    }

    #[track_caller]
    pub fn store(&self, value: u64) {
        rt::access(self.0.0, Access::Store(SeqCst), "store", Location::caller());
        self.0.1.set(value);
    }

    #[track_caller]
    pub fn fetch_add(&self, n: u64) -> u64 {
        rt::access(self.0.0, Access::Rmw(SeqCst), "fetch_add", Location::caller());
        self.0.1.replace(self.0.1.get() + n)
    }

    #[track_caller]
    pub fn compare_exchange(&self, old: u64, new: u64) -> bool {
        rt::access(self.0.0, Access::CompareExchange, "compare_exchange", Location::caller());
        let same = self.0.1.get() == old;
        if same {
            self.0.1.set(new);
        }
        rt::wrote(same, SeqCst, Location::caller());
        same
    }

    /// The value, for the end of a run: not visible.
    pub fn peek(&self) -> u64 {
        self.0.1.get()
    }
}

/// A lock.
#[derive(Clone, Copy)]
pub struct Mutex(pub ObjectId);

impl Mutex {
    #[track_caller]
    pub fn new() -> Mutex {
        Mutex(rt::object(ObjectKind::Mutex, Location::caller()))
    }

    #[track_caller]
    pub fn lock(self) {
        rt::lock(self.0, Location::caller());
    }

    #[track_caller]
    pub fn unlock(self) {
        rt::unlock(self.0, Location::caller());
    }
}

#[track_caller]
pub fn spawn(body: impl FnOnce() + 'static) -> ThreadId {
    rt::spawn(None, None, Location::caller(), Box::new(body))
}

#[track_caller]
pub fn join(thread: ThreadId) {
    rt::join(thread, Location::caller());
}

#[track_caller]
pub fn yield_now() {
    rt::yield_now("yield", Location::caller());
}

pub fn config(reduction: Reduction, bound: u32) -> Config {
    Config { reduction, bound: SearchBound::Preemptions(Some(bound)), ..Config::default() }
}

pub fn explore(config: &Config, body: impl Fn()) -> Exploration {
    selvedge_stateless::explore(config, &mut |_| (), &body)
}

/// Executions within each bound from 0 to `bound`.
pub fn per_bound(reduction: Reduction, bound: u32, body: impl Fn()) -> Vec<u64> {
    let result = explore(&config(reduction, bound), body);
    assert!(result.complete, "{:?} {:?}", result.stop, result.violation);
    let mut counts: Vec<u64> = result.per_bound.iter().map(|b| b.executions).collect();
    // A bound that refuses nothing is the answer for all higher ones.
    counts.resize(bound as usize + 1, *counts.last().expect("a bound was explored"));
    counts
}
