//! Mutexes, readers-writer locks, condition variables, barriers.

mod support;

use std::collections::BTreeSet;
use std::sync::TryLockError;
use std::time::Duration;

use selvedge::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use selvedge::sync::{Arc, Barrier, Condvar, Mutex, RwLock};
use selvedge::{Builder, ViolationKind, thread};
use support::{holds, outcomes, outcomes_of, violation};

#[test]
fn a_mutex_excludes() {
    holds(|| {
        let lock = Arc::new(Mutex::new(0));
        let add = |lock: &Mutex<u32>| {
            let mut n = lock.lock().unwrap();
            let seen = *n;
            thread::yield_now();
            *n = seen + 1;
        };
        let t = thread::spawn({
            let lock = lock.clone();
            move || add(&lock)
        });
        add(&lock);
        t.join().unwrap();
        assert_eq!(*lock.lock().unwrap(), 2);
        let mut lock = Arc::try_unwrap(lock).unwrap();
        *lock.get_mut().unwrap() += 1;
        assert_eq!(lock.into_inner().unwrap(), 3);
    });
}

#[test]
fn try_lock_has_both_outcomes() {
    let seen = outcomes(|| {
        let lock = Arc::new(Mutex::new(()));
        let t = thread::spawn({
            let lock = lock.clone();
            move || {
                let _guard = lock.lock().unwrap();
                thread::yield_now();
            }
        });
        let got = match lock.try_lock() {
            Ok(_) => "locked",
            Err(TryLockError::WouldBlock) => "would block",
            Err(TryLockError::Poisoned(_)) => "poisoned",
        };
        t.join().unwrap();
        got
    });
    assert_eq!(seen, BTreeSet::from(["locked", "would block"]));
}

#[test]
fn locking_twice_is_a_deadlock_that_names_the_holder() {
    let found = violation(|| {
        let lock = Mutex::new(());
        let _first = lock.lock();
        let _second = lock.lock();
    });
    assert_eq!(found.kind, ViolationKind::Deadlock);
    assert!(found.text.contains("locks.rs") && found.text.contains("held by main"), "{}", found.text);
}

#[test]
fn a_panic_poisons_and_arrives_at_join_if_asked_to() {
    let report = Builder::new().thread_panics_reach_join(true).explore(|| {
        let lock = Arc::new(Mutex::new(1));
        let rw = Arc::new(RwLock::new(1));
        let t = thread::spawn({
            let (lock, rw) = (lock.clone(), rw.clone());
            move || {
                let _guard = lock.lock().unwrap();
                let _write = rw.write().unwrap();
                panic!("on purpose");
            }
        });
        let error = t.join().unwrap_err();
        assert_eq!(error.downcast_ref::<&str>(), Some(&"on purpose"));
        assert!(lock.is_poisoned() && rw.is_poisoned());
        assert_eq!(*lock.lock().unwrap_err().into_inner(), 1);
        assert!(matches!(lock.try_lock(), Err(TryLockError::Poisoned(_))));
        assert!(rw.read().is_err() && rw.write().is_err());
        lock.clear_poison();
        rw.clear_poison();
        assert!(lock.lock().is_ok() && rw.read().is_ok());
    });
    assert!(report.violation.is_none() && report.complete, "{report}");
}

#[test]
fn a_panic_of_a_thread_is_a_violation_unless_asked_otherwise() {
    let found = violation(|| {
        let t = thread::spawn(|| panic!("on purpose"));
        let _ = t.join();
    });
    assert_eq!(found.kind, ViolationKind::Panic);
    assert!(found.message.contains("on purpose"), "{}", found.message);
}

#[test]
fn readers_share_and_writers_do_not() {
    let seen = outcomes(|| {
        let lock = Arc::new(RwLock::new(0));
        let inside = Arc::new(AtomicUsize::new(0));
        let most = Arc::new(AtomicUsize::new(0));
        let read = {
            let (lock, inside, most) = (lock.clone(), inside.clone(), most.clone());
            move || {
                let _guard = lock.read().unwrap();
                most.fetch_max(inside.fetch_add(1, SeqCst) + 1, SeqCst);
                inside.fetch_sub(1, SeqCst);
            }
        };
        let t = thread::spawn(read.clone());
        read();
        {
            let _guard = lock.write().unwrap();
            assert_eq!(inside.load(SeqCst), 0);
        }
        t.join().unwrap();
        most.load(SeqCst)
    });
    assert_eq!(seen, BTreeSet::from([1, 2]));
}

#[test]
fn try_read_and_try_write_have_both_outcomes() {
    // To fail and then to succeed takes three preemptions.
    let seen = outcomes_of(Builder::new().preemptions(3), || {
        let lock = Arc::new(RwLock::new(()));
        let t = thread::spawn({
            let lock = lock.clone();
            move || drop(lock.write().unwrap())
        });
        let read = lock.try_read().is_ok();
        let write = lock.try_write().is_ok();
        t.join().unwrap();
        (read, write)
    });
    assert_eq!(seen.len(), 4);
}

#[test]
fn waiting_with_a_condition() {
    holds(|| {
        let pair = Arc::new((Mutex::new(false), Condvar::new()));
        let t = thread::spawn({
            let pair = pair.clone();
            move || {
                *pair.0.lock().unwrap() = true;
                pair.1.notify_all();
            }
        });
        let open = pair.1.wait_while(pair.0.lock().unwrap(), |open| !*open).unwrap();
        assert!(*open);
        drop(open);
        t.join().unwrap();
    });
}

#[test]
fn a_timeout_has_both_outcomes() {
    let seen = outcomes(|| {
        let pair = Arc::new((Mutex::new(()), Condvar::new()));
        let t = thread::spawn({
            let pair = pair.clone();
            move || {
                let _guard = pair.0.lock().unwrap();
                pair.1.notify_one();
            }
        });
        let guard = pair.0.lock().unwrap();
        let (guard, result) = pair.1.wait_timeout(guard, Duration::from_secs(1)).unwrap();
        drop(guard);
        t.join().unwrap();
        result.timed_out()
    });
    assert_eq!(seen, BTreeSet::from([false, true]));
    let seen = outcomes(|| {
        let pair = Arc::new((Mutex::new(false), Condvar::new()));
        let t = thread::spawn({
            let pair = pair.clone();
            move || {
                *pair.0.lock().unwrap() = true;
                pair.1.notify_one();
            }
        });
        let guard = pair.0.lock().unwrap();
        let (guard, result) = pair.1.wait_timeout_while(guard, Duration::from_secs(1), |open| !*open).unwrap();
        let seen = (*guard, result.timed_out());
        drop(guard);
        t.join().unwrap();
        seen
    });
    assert_eq!(seen, BTreeSet::from([(false, true), (true, false)]));
}

#[test]
fn a_wake_up_without_a_call_if_asked_to() {
    let once = || {
        let pair = (Mutex::new(()), Condvar::new());
        let woken = pair.1.wait(pair.0.lock().unwrap());
        drop(woken);
    };
    assert_eq!(violation(once).kind, ViolationKind::Deadlock);
    let builder = Builder::new().spurious_wakeups(true);
    assert_eq!(outcomes_of(builder, once), BTreeSet::from([()]));
}

#[test]
fn one_call_wakes_one() {
    let found = violation(|| {
        let shared = Arc::new((Mutex::new(0), Condvar::new()));
        let sleep = |shared: &(Mutex<u32>, Condvar)| {
            let mut asleep = shared.0.lock().unwrap();
            *asleep += 1;
            drop(shared.1.wait(asleep).unwrap());
        };
        let start = || {
            let shared = shared.clone();
            thread::spawn(move || sleep(&shared))
        };
        let threads = [start(), start()];
        while *shared.0.lock().unwrap() < 2 {
            thread::yield_now();
        }
        shared.1.notify_one();
        for t in threads {
            t.join().unwrap();
        }
    });
    assert_eq!(found.kind, ViolationKind::Deadlock);
}

#[test]
fn a_barrier_lets_all_through_and_names_one_leader() {
    holds(|| {
        let barrier = Arc::new(Barrier::new(2));
        let arrived = Arc::new(AtomicUsize::new(0));
        let meet = {
            let (barrier, arrived) = (barrier.clone(), arrived.clone());
            move || {
                arrived.fetch_add(1, SeqCst);
                let leader = barrier.wait().is_leader();
                assert_eq!(arrived.load(SeqCst), 2);
                leader
            }
        };
        let t = thread::spawn(meet.clone());
        let leaders = usize::from(meet()) + usize::from(t.join().unwrap());
        assert_eq!(leaders, 1);
    });
    let found = violation(|| {
        Barrier::new(2).wait();
    });
    assert_eq!(found.kind, ViolationKind::Deadlock);
}

#[test]
fn a_barrier_can_be_used_again() {
    holds(|| {
        let barrier = Arc::new(Barrier::new(2));
        let t = thread::spawn({
            let barrier = barrier.clone();
            move || {
                barrier.wait();
                barrier.wait();
            }
        });
        barrier.wait();
        barrier.wait();
        t.join().unwrap();
    });
}

#[test]
fn a_circular_wait_is_explained() {
    let found = violation(|| {
        let (a, b) = (Arc::new(Mutex::new(())), Arc::new(Mutex::new(())));
        let other = thread::spawn({
            let (a, b) = (a.clone(), b.clone());
            move || {
                let _second = b.lock().unwrap();
                let _first = a.lock().unwrap();
            }
        });
        let first = a.lock().unwrap();
        drop((b.lock().unwrap(), first));
        other.join().unwrap();
    });
    let why = words(&found.text);
    assert!(why.contains("why: a circular wait: main waits for "), "{}", found.text);
    assert!(why.contains("which thread 1 holds since step") && why.contains("which main holds since step"), "{why}");
}

#[test]
fn a_lost_wake_up_is_explained() {
    let found = violation(|| {
        let shared = Arc::new((Mutex::new(()), Condvar::new()));
        let other = thread::spawn({
            let shared = shared.clone();
            move || shared.1.notify_one()
        });
        // Nobody looks whether there is something to wait for.
        drop(shared.1.wait(shared.0.lock().unwrap()).unwrap());
        other.join().unwrap();
    });
    let why = words(&found.text);
    assert!(why.contains("why: a lost wake-up: thread 1 notifies "), "{}", found.text);
    assert!(why.contains("before main waits") && why.contains("and no thread does so again"), "{why}");
}

#[test]
fn a_wake_up_that_never_comes_is_explained() {
    let found = violation(|| {
        let shared = (Mutex::new(()), Condvar::new());
        drop(shared.1.wait(shared.0.lock().unwrap()).unwrap());
    });
    assert!(words(&found.text).contains("why: a missing wake-up: main waits since step"), "{}", found.text);
}

fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
