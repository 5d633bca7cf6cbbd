//! Programs from loom's issue tracker that loom 0.7.2 answers wrongly, by their numbers there, with the right answers.

use std::collections::BTreeSet;
use std::sync::Mutex as StdMutex;

use selvedge::sync::atomic::{AtomicBool, AtomicUsize, Ordering::*};
use selvedge::sync::{Arc, Condvar, Mutex, mpsc};
use selvedge::{Bound, Builder, Memory, ViolationKind, thread};

/// Every execution that RC11 allows.
fn unbounded() -> Builder {
    Builder::new().memory(Memory::Rc11).bound(Bound::Deviations(None))
}

/// What a body returns over all executions.
fn results(body: fn() -> usize) -> Vec<usize> {
    static RESULTS: StdMutex<BTreeSet<(usize, usize)>> = StdMutex::new(BTreeSet::new());
    let key = body as usize;
    let report = unbounded().explore(move || {
        let result = body();
        RESULTS.lock().unwrap().insert((key, result));
    });
    assert!(report.complete && report.violation.is_none(), "{report}");
    RESULTS.lock().unwrap().iter().filter(|r| r.0 == key).map(|r| r.1).collect()
}

fn holds(body: fn()) {
    let report = unbounded().explore(body);
    assert!(report.complete && report.violation.is_none(), "{report}");
}

#[test]
fn issue_166_a_redundant_load_hides_nothing() {
    let seen = results(|| {
        let x = Arc::new(AtomicUsize::new(0));
        let other = thread::spawn({
            let x = x.clone();
            move || x.store(1, Relaxed)
        });
        x.load(Relaxed);
        let value = x.load(Relaxed);
        other.join().unwrap();
        value
    });
    assert_eq!(seen, [0, 1]);
}

/// Each thread raises its flag and looks at the other's: they must not both miss it.
fn store_buffering() -> usize {
    let flags = Arc::new([AtomicUsize::new(0), AtomicUsize::new(0)]);
    let other = thread::spawn({
        let flags = flags.clone();
        move || {
            flags[0].store(1, SeqCst);
            flags[1].load(SeqCst)
        }
    });
    flags[1].store(1, SeqCst);
    let mine = flags[0].load(SeqCst);
    mine * 10 + other.join().unwrap()
}

#[test]
fn issue_180_sequentially_consistent_accesses_are() {
    assert_eq!(results(store_buffering), [1, 10, 11]);
}

#[test]
fn issue_191_mutual_exclusion_by_flags_and_a_turn_holds() {
    holds(|| {
        let shared =
            Arc::new((AtomicBool::new(false), AtomicBool::new(false), AtomicUsize::new(0), AtomicUsize::new(0)));
        let enter = |shared: &(AtomicBool, AtomicBool, AtomicUsize, AtomicUsize), first: bool| {
            let (mine, theirs, turn) = if first { (&shared.0, &shared.1, 1) } else { (&shared.1, &shared.0, 2) };
            mine.store(true, SeqCst);
            shared.2.store(turn, SeqCst);
            if theirs.load(SeqCst) && shared.2.load(SeqCst) == turn {
                mine.store(false, SeqCst); // does not wait: one attempt is enough to see both inside
                return;
            }
            assert_eq!(shared.3.fetch_add(1, SeqCst), 0, "both are inside");
            shared.3.fetch_sub(1, SeqCst);
            mine.store(false, SeqCst);
        };
        let other = thread::spawn({
            let shared = shared.clone();
            move || enter(&shared, false)
        });
        enter(&shared, true);
        other.join().unwrap();
    });
}

#[test]
fn issue_213_the_last_sender_that_goes_wakes_the_receiver() {
    holds(|| {
        let (sender, receiver) = mpsc::channel::<u8>();
        let other = thread::spawn(move || drop(sender));
        assert!(receiver.recv().is_err());
        other.join().unwrap();
    });
}

#[test]
fn issue_254_nothing_comes_between_the_halves_of_a_read_modify_write() {
    let seen = results(|| {
        let x = Arc::new(AtomicUsize::new(0));
        let other = thread::spawn({
            let x = x.clone();
            move || x.store(10, Relaxed)
        });
        let old = x.fetch_add(1, Relaxed);
        other.join().unwrap();
        old * 100 + x.load(Relaxed)
    });
    assert_eq!(seen, [10, 1011], "added to 0 and overwritten, or added to 10");
}

#[test]
fn issue_376_a_failing_try_lock_is_no_deadlock() {
    let seen = results(|| {
        let lock = Arc::new(Mutex::new(()));
        let other = thread::spawn({
            let lock = lock.clone();
            move || usize::from(lock.try_lock().is_ok())
        });
        let guard = lock.lock().unwrap();
        thread::yield_now();
        drop(guard);
        other.join().unwrap()
    });
    assert_eq!(seen, [0, 1]);
}

#[test]
fn issue_422_a_condvar_and_park_have_a_token_each() {
    // Woken by the notification, whatever was unparked; parked until unparked, whatever was notified.
    holds(|| {
        let shared = Arc::new((Mutex::new(false), Condvar::new()));
        let waiter = thread::spawn({
            let shared = shared.clone();
            move || {
                let mut ready = shared.0.lock().unwrap();
                while !*ready {
                    ready = shared.1.wait(ready).unwrap();
                }
                drop(ready);
                thread::park();
            }
        });
        waiter.thread().unpark();
        *shared.0.lock().unwrap() = true;
        shared.1.notify_one();
        waiter.join().unwrap();
    });
    // A deadlock that a shared token would hide.
    let report = Builder::new().explore(|| {
        let shared = Arc::new((Mutex::new(()), Condvar::new()));
        let waiter = thread::spawn({
            let shared = shared.clone();
            move || drop(shared.1.wait(shared.0.lock().unwrap()).unwrap())
        });
        waiter.thread().unpark();
        waiter.join().unwrap();
    });
    assert_eq!(report.violation.map(|v| v.kind), Some(ViolationKind::Deadlock));
}
