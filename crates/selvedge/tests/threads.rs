//! Threads: joining, parking, scopes, names, locals.

mod support;

use std::collections::BTreeSet;
use std::time::Duration;

use selvedge::sync::Arc;
use selvedge::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use selvedge::{Builder, ViolationKind, thread};
use support::{found, holds, outcomes, violation};

#[test]
fn joining_brings_the_value() {
    holds(|| {
        let t = thread::Builder::new().name("worker".into()).stack_size(1 << 18).spawn(|| 7).unwrap();
        assert_eq!(t.thread().name(), Some("worker"));
        assert_ne!(t.thread().id(), thread::current().id());
        assert_eq!(t.join().unwrap(), 7);
    });
}

#[test]
fn whether_a_thread_has_finished_can_be_asked() {
    let seen = outcomes(|| {
        let t = thread::spawn(|| thread::yield_now());
        let finished = t.is_finished();
        t.join().unwrap();
        finished
    });
    assert_eq!(seen, BTreeSet::from([false, true]));
}

#[test]
fn a_thread_that_is_not_joined_still_runs_to_its_end() {
    let ends = std::sync::Arc::new(std::sync::Mutex::new((0u64, 0u64)));
    let report = holds({
        let ends = ends.clone();
        move || {
            ends.lock().unwrap().0 += 1;
            let ends = ends.clone();
            thread::spawn(move || ends.lock().unwrap().1 += 1);
        }
    });
    let (started, ended) = *ends.lock().unwrap();
    assert_eq!(started, ended);
    assert!(started >= report.executions, "{started} runs, those of the recheck included");
}

#[test]
fn more_threads_than_five() {
    let report = Builder::new().preemptions(0).explore(|| {
        let threads: Vec<_> = (0..40).map(|n| thread::spawn(move || n)).collect();
        assert_eq!(threads.into_iter().map(|t| t.join().unwrap()).sum::<usize>(), 39 * 40 / 2);
    });
    assert!(report.violation.is_none() && report.complete, "{report}");
}

#[test]
fn parking_waits_for_the_token() {
    holds(|| {
        let flag = Arc::new(AtomicBool::new(false));
        let parked = thread::spawn({
            let flag = flag.clone();
            move || {
                while !flag.load(SeqCst) {
                    thread::park();
                }
            }
        });
        flag.store(true, SeqCst);
        parked.thread().unpark();
        parked.join().unwrap();
        thread::current().unpark();
        thread::park();
    });
    assert_eq!(violation(thread::park).kind, ViolationKind::Deadlock);
    assert_eq!(outcomes(|| thread::park_timeout(Duration::from_secs(1))), BTreeSet::from([()]));
}

#[test]
fn a_condition_variable_does_not_eat_the_token() {
    use selvedge::sync::{Condvar, Mutex};
    holds(|| {
        let main = thread::current();
        let pair = Arc::new((Mutex::new(false), Condvar::new()));
        let t = thread::spawn({
            let pair = pair.clone();
            move || {
                main.unpark();
                *pair.0.lock().unwrap() = true;
                pair.1.notify_one();
            }
        });
        let mut ready = pair.0.lock().unwrap();
        while !*ready {
            ready = pair.1.wait(ready).unwrap();
        }
        drop(ready);
        thread::park();
        t.join().unwrap();
    });
}

#[test]
fn sleeping_lets_others_run() {
    let seen = outcomes(|| {
        let n = Arc::new(AtomicUsize::new(0));
        let t = thread::spawn({
            let n = n.clone();
            move || n.store(1, SeqCst)
        });
        thread::sleep(Duration::from_secs(3600));
        let got = n.load(SeqCst);
        t.join().unwrap();
        got
    });
    assert_eq!(seen, BTreeSet::from([0, 1]));
}

#[test]
fn scoped_threads_borrow() {
    holds(|| {
        let n = AtomicUsize::new(0);
        let mut values = [1, 2];
        let total = thread::scope(|s| {
            let t = s.spawn(|| n.fetch_add(1, SeqCst));
            s.spawn(|| {
                n.fetch_add(1, SeqCst);
                s.spawn(|| n.fetch_add(1, SeqCst));
            });
            values[0] = 5;
            t.join().unwrap()
        });
        assert!(total < 3);
        assert_eq!((n.load(SeqCst), values), (3, [5, 2]));
    });
}

#[test]
fn a_scope_waits_for_threads_that_were_not_joined() {
    holds(|| {
        let done = AtomicBool::new(false);
        thread::scope(|s| {
            s.spawn(|| done.store(true, SeqCst));
        });
        assert!(done.load(SeqCst));
    });
}

#[test]
fn a_spin_loop_that_yields_ends() {
    let report = Builder::new().fair(2).explore(|| {
        let flag = Arc::new(AtomicBool::new(false));
        let t = thread::spawn({
            let flag = flag.clone();
            move || flag.store(true, SeqCst)
        });
        while !flag.load(SeqCst) {
            selvedge::hint::spin_loop();
        }
        t.join().unwrap();
    });
    assert!(report.violation.is_none() && report.complete, "{report}");
}

#[test]
fn a_spin_loop_that_never_ends_is_a_livelock() {
    let report = Builder::new().fair(2).explore(|| {
        let flag = AtomicBool::new(false);
        while !flag.load(SeqCst) {
            thread::yield_now();
        }
    });
    assert_eq!(found(report).kind, ViolationKind::Livelock);
}

mod locals {
    use super::*;
    use std::cell::{Cell, RefCell};

    selvedge::thread_local! {
        static LAZY: RefCell<Vec<u32>> = RefCell::new(vec![1]);
        static CONSTANT: Cell<u32> = const { Cell::new(5) };
    }

    #[test]
    fn every_thread_and_every_run_has_its_own() {
        holds(|| {
            let touch = || {
                LAZY.with_borrow_mut(|v| v.push(2));
                CONSTANT.set(CONSTANT.get() + 1);
                assert_eq!((LAZY.with_borrow(Vec::len), CONSTANT.get()), (2, 6));
                assert_eq!((LAZY.take(), CONSTANT.replace(0)), (vec![1, 2], 6));
            };
            let t = thread::spawn(touch);
            touch();
            t.join().unwrap();
        });
    }

    #[test]
    fn they_are_dropped_when_their_thread_ends() {
        struct Counts(std::sync::Arc<std::sync::atomic::AtomicUsize>);
        impl Drop for Counts {
            fn drop(&mut self) {
                self.0.fetch_add(1, SeqCst);
            }
        }
        selvedge::thread_local!(static HELD: RefCell<Option<Counts>> = const { RefCell::new(None) });
        holds(|| {
            let drops = std::sync::Arc::new(std::sync::atomic::AtomicUsize::new(0));
            let t = thread::spawn({
                let drops = drops.clone();
                move || HELD.set(Some(Counts(drops)))
            });
            t.join().unwrap();
            assert_eq!(drops.load(SeqCst), 1);
        });
    }
}
