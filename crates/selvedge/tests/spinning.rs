//! Loops that wait without `yield_now`: they come to an end, and one that never does fails quickly.

use selvedge::sync::Arc;
use selvedge::sync::atomic::Ordering::{self, Acquire, Relaxed, Release, SeqCst};
use selvedge::sync::atomic::{AtomicBool, AtomicUsize};
use selvedge::{Builder, Memory, Reduction, ViolationKind, thread};

const REDUCTIONS: [Reduction; 3] = [Reduction::None, Reduction::Bpor, Reduction::HappensBefore];

#[test]
fn a_loop_that_waits_without_yielding_ends_when_the_other_thread_has_written() {
    for reduction in REDUCTIONS {
        let report = Builder::new().reduction(reduction).explore(|| {
            let ready = Arc::new(AtomicBool::new(false));
            let other = thread::spawn({
                let ready = ready.clone();
                move || ready.store(true, SeqCst)
            });
            while !ready.load(SeqCst) {}
            other.join().unwrap();
        });
        assert!(report.complete && report.violation.is_none(), "{reduction:?}: {report}");
    }
}

/// Two threads that count under a spinlock, taken by `take`, which says whether it was; freed if the lock `unlocks`.
fn spinlock(
    unlocks: bool,
    take: impl Fn(&AtomicBool) -> bool + Copy + 'static,
    count: Ordering,
    free: Ordering,
) -> impl Fn() + 'static {
    move || {
        let lock = Arc::new((AtomicBool::new(false), AtomicUsize::new(0)));
        let enter = move |lock: &(AtomicBool, AtomicUsize)| {
            while !take(&lock.0) {}
            lock.1.store(lock.1.load(count) + 1, count);
            lock.0.store(!unlocks, free);
        };
        let other = thread::spawn({
            let lock = lock.clone();
            move || enter(&lock)
        });
        enter(&lock);
        other.join().unwrap();
        assert_eq!(lock.1.load(count), 2);
    }
}

#[test]
fn a_spinlock_without_yield_is_explored() {
    let take = |lock: &AtomicBool| lock.compare_exchange(false, true, SeqCst, SeqCst).is_ok();
    let body = |unlocks: bool| spinlock(unlocks, take, SeqCst, SeqCst);
    let report = Builder::new().explore(body(true));
    assert!(report.complete && report.violation.is_none(), "{report}");
    let report = Builder::new().explore(body(false));
    assert_eq!(report.violation.map(|v| v.kind), Some(ViolationKind::Livelock), "{:?}", report.stop);
}

/// A swap that finds the lock taken leaves it as it was: it is a write, but also busy waiting.
#[test]
fn a_spinlock_by_swap_without_yield_is_explored() {
    let body = |unlocks: bool, take: Ordering, free: Ordering| {
        spinlock(unlocks, move |lock| !lock.swap(true, take), Relaxed, free)
    };
    for (take, free) in [(SeqCst, SeqCst), (Acquire, Release)] {
        for memory in [Memory::Sequential, Memory::Rc11] {
            let report = Builder::new().memory(memory).explore(body(true, take, free));
            assert!(report.complete && report.violation.is_none(), "{memory:?}: {report}");
            let report = Builder::new().memory(memory).max_branches(2_000).explore(body(false, take, free));
            assert_eq!(report.violation.map(|v| v.kind), Some(ViolationKind::Livelock), "{:?}", report.stop);
        }
    }
}

#[test]
fn waiting_for_what_never_comes_is_a_livelock() {
    for reduction in REDUCTIONS {
        let report = Builder::new().reduction(reduction).explore(|| {
            let never = AtomicBool::new(false);
            while !never.load(SeqCst) {}
        });
        let found = report.violation.unwrap_or_else(|| panic!("{reduction:?}: {:?}", report.stop));
        assert_eq!(found.kind, ViolationKind::Livelock, "{}", found.message);
    }
}

#[test]
fn a_long_straight_run_is_too_long_and_no_livelock() {
    for reduction in REDUCTIONS {
        let report = Builder::new().reduction(reduction).explore(|| {
            let n = AtomicUsize::new(0);
            (0..25_000).for_each(|i| n.store(i, SeqCst));
        });
        assert!(report.violation.is_none() && !report.complete && report.too_long == 1, "{reduction:?}: {report}");
    }
}
