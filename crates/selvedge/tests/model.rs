//! The options of a check, and what it says.

mod support;

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize as Plain, Ordering::Acquire, Ordering::Relaxed};
use std::time::Duration;

use selvedge::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use selvedge::sync::{Arc, Mutex};
use selvedge::{Bound, Builder, Memory, Reduction, Report, Stop, ViolationKind, thread};
use support::{found, holds};

/// Loses an update with one preemption.
fn racy() {
    let x = Arc::new(AtomicUsize::new(0));
    let add = |x: &AtomicUsize| x.store(x.load(SeqCst) + 1, SeqCst);
    let t = thread::spawn({
        let x = x.clone();
        move || add(&x)
    });
    add(&x);
    t.join().unwrap();
    assert_eq!(x.load(SeqCst), 2);
}

/// More schedules than anybody waits for.
fn large() {
    let x = Arc::new(AtomicUsize::new(0));
    let work = |x: &AtomicUsize| (0..8).for_each(|_| x.store(x.load(SeqCst) + 1, SeqCst));
    let start = || {
        let x = x.clone();
        thread::spawn(move || work(&x))
    };
    let threads = [start(), start(), start()];
    threads.into_iter().for_each(|t| t.join().unwrap());
}

#[test]
fn the_least_bound_comes_first() {
    let report = Builder::new().explore(racy);
    assert_eq!(report.per_bound.iter().map(|b| b.bound).collect::<Vec<_>>(), [0]);
    assert!(!report.complete && report.stop == Stop::Violation);
    let violation = found(report);
    assert_eq!((violation.preemptions, violation.kind), (1, ViolationKind::Panic));
    assert!(violation.location.as_deref().is_some_and(|l| l.contains("model.rs:")), "{:?}", violation.location);
}

#[test]
fn bounds_of_every_kind() {
    let none = Builder::new().preemptions(0).explore(racy);
    assert!(none.violation.is_none() && none.complete, "{none}");
    for bound in [Bound::Preemptions(Some(1)), Bound::Preemptions(None), Bound::Fair(5)] {
        found(Builder::new().bound(bound).reduction(Reduction::Bpor).explore(racy));
    }
    found(Builder::new().switches(4).reduction(Reduction::None).explore(racy));
    let few = Builder::new().switches(1).reduction(Reduction::None).explore(racy);
    assert!(few.violation.is_none(), "{few}");
    found(Builder::new().depth(30).reduction(Reduction::None).explore(racy));
    let short = Builder::new().depth(2).reduction(Reduction::None).explore(racy);
    assert!(short.violation.is_none() && short.cut > 0, "{short}");
    for reduction in [Reduction::None, Reduction::HappensBefore] {
        let short = Builder::new().depth(4).reduction(reduction).explore(racy);
        assert!(short.violation.is_none() && short.executions == 0 && short.cut > 0, "{reduction:?}: {short}");
        found(Builder::new().depth(30).reduction(reduction).explore(racy));
    }
}

#[test]
fn a_schedule_is_replayed_exactly() {
    let violation = found(Builder::new().explore(racy));
    let again = found(Builder::new().replay(violation.schedule.clone()).explore(racy));
    assert_eq!(again.trace_json(), violation.trace_json());
    let (name, schedule) =
        ("\"name\": \"a_schedule_is_replayed_exactly\"", format!("\"schedule\": \"{}\"", again.schedule));
    assert!(again.trace_json().contains(name) && again.trace_json().contains(&schedule), "{}", again.trace_json());
    assert_eq!((again.schedule, again.message), (violation.schedule, violation.message));
    for damaged in ["", "nonsense", "s1:9*9", "s999:0"] {
        let report = Builder::new().replay(damaged).explore(racy);
        assert!(matches!(report.stop, Stop::BadSchedule(_)), "{damaged}: {report}");
        assert!(!report.complete && report.to_string().len() > 10);
    }
}

#[test]
fn random_searches_find_it_and_do_the_same_again() {
    for builder in [Builder::new().random(1, 200), Builder::new().pct(1, 2, 200)] {
        let (first, second) = (found(builder.explore(racy)), found(builder.explore(racy)));
        assert_eq!(first.schedule, second.schedule);
        found(Builder::new().replay(first.schedule).explore(racy));
    }
}

/// Everything of a report but its time.
fn without_time(mut report: Report) -> String {
    report.elapsed = Duration::ZERO;
    let schedule = report.violation.as_ref().map(|found| (found.schedule.clone(), found.full_text.clone()));
    format!("{report} {:?} {} {} {schedule:?}", report.stop, report.executions, report.cut)
}

/// Fails in one order of seven threads.
fn rare() {
    let x = Arc::new(AtomicUsize::new(0));
    let threads: Vec<_> = (0..7)
        .map(|n| {
            let x = x.clone();
            thread::spawn(move || _ = x.compare_exchange(n, n + 1, SeqCst, SeqCst))
        })
        .collect();
    threads.into_iter().for_each(|t| t.join().unwrap());
    assert_ne!(x.load(SeqCst), 7);
}

#[test]
fn random_searches_answer_the_same_on_any_number_of_os_threads() {
    let modes: [fn(Builder) -> Builder; 3] =
        [|b| b.random(7, 5000), |b| b.uniform_walk(7, 5000), |b| b.pct(7, 3, 5000)];
    let mut late = false;
    for mode in modes {
        let [one, two, five] = [1, 2, 5].map(|jobs| mode(Builder::new()).jobs(jobs).explore(rare));
        late |= one.violation.is_some() && one.executions > 512;
        assert_eq!(without_time(one.clone()), without_time(two));
        assert_eq!(without_time(one), without_time(five));
        let passing =
            [1, 3].map(|jobs| without_time(mode(Builder::new()).jobs(jobs).explore(|| drop(thread::spawn(|| {})))));
        assert_eq!(passing[0], passing[1]);
    }
    assert!(late, "one of the searches should find it beyond the first block of seeds");
}

#[test]
fn limits_hold_on_several_os_threads() {
    let report = Builder::new().random(1, 100_000).max_executions(1300).jobs(2).explore(|| {
        thread::spawn(|| {});
    });
    assert_eq!((report.executions, report.stop, report.complete), (1300, Stop::Executions, false));
    let report = Builder::new().random(1, u64::MAX).time_limit(Duration::from_millis(50)).jobs(2).explore(|| {
        thread::spawn(|| {});
    });
    assert_eq!(report.stop, Stop::Time);
}

#[test]
fn an_exhaustive_search_on_several_os_threads_is_refused() {
    let report = Builder::new().jobs(2).explore(racy);
    assert!(matches!(&report.stop, Stop::Unsupported(why) if why.contains("jobs")), "{report}");
    let report = Builder::new().jobs(1).explore(racy);
    assert!(report.violation.is_some(), "{report}");
    // A schedule is one run, whatever the number.
    let schedule = report.violation.unwrap().schedule;
    assert!(Builder::new().jobs(2).replay(schedule).explore(racy).violation.is_some());
}

#[test]
fn a_limit_leaves_the_search_incomplete() {
    let report = Builder::new().preemptions(6).max_executions(50).explore(large);
    assert!(!report.complete && report.executions <= 50 && report.stop == Stop::Executions, "{report}");
    assert!(report.to_string().starts_with("incomplete, "), "{report}");
    let report = Builder::new().preemptions(20).time_limit(Duration::from_millis(50)).explore(large);
    assert!(!report.complete && report.stop == Stop::Time, "{report}");
    assert!(report.elapsed >= Duration::from_millis(50));
}

#[test]
#[should_panic(expected = "incomplete")]
fn a_test_may_insist_on_completeness() {
    Builder::new().max_executions(1).require_complete(true).keep_failures(false).check(large);
}

#[test]
fn the_scope_is_stated() {
    let text = holds(|| {
        let x = Arc::new(AtomicUsize::new(0));
        let t = thread::spawn({
            let x = x.clone();
            move || x.fetch_add(1, SeqCst)
        });
        x.fetch_add(1, SeqCst);
        t.join().unwrap();
    })
    .to_string();
    assert!(text.starts_with("no violation: every schedule that can differ was run; 2 executions"), "{text}");
    assert!(!text.contains("weaker"), "{text}");
    let bounded = Builder::new().preemptions(1).explore(large).to_string();
    assert!(bounded.starts_with("no violation with at most 1 preemption: every schedule"), "{bounded}");
}

#[test]
fn weaker_orderings_are_mentioned() {
    let relaxed = || _ = AtomicUsize::new(0).load(Relaxed);
    let report = Builder::new().memory(Memory::Sequential).explore(relaxed);
    assert!(report.weaker_orderings && report.to_string().contains("stale values were not explored"), "{report}");
    let report = holds(relaxed);
    assert_eq!((report.weaker_orderings, report.memory), (true, Memory::Rc11));
    assert!(!report.to_string().contains("not explored"), "{report}");
    // A fence changes nothing among accesses that are `SeqCst`.
    let report = holds(|| {
        AtomicUsize::new(0).load(SeqCst);
        selvedge::sync::atomic::fence(Acquire);
    });
    assert_eq!((report.weaker_orderings, report.memory), (false, Memory::Sequential));
}

#[test]
fn what_was_run_is_stated_in_terms_of_the_memory_model() {
    let body = || {
        let x = Arc::new(AtomicUsize::new(0));
        let threads = [(); 3].map(|()| {
            let x = x.clone();
            thread::spawn(move || x.store(x.load(Relaxed) + 1, Relaxed))
        });
        threads.into_iter().for_each(|thread| thread.join().unwrap());
    };
    let line = |builder: Builder| builder.explore(body).to_string();
    let starts = |line: String, start: &str| assert!(line.starts_with(start), "{line}");
    starts(
        line(Builder::new()),
        "no violation: every execution allowed by the memory model with at most 2 deviations (preemptions and stale reads) was \
         run once; ",
    );
    starts(
        line(Builder::new().preemptions(1)),
        "no violation: every execution allowed by the memory model with at most 2 deviations (preemptions and stale reads) and 1 \
         preemption was run once; ",
    );
    starts(
        line(Builder::new().deviations(9)),
        "no violation: every execution that the memory model allows was run once; ",
    );
    starts(line(Builder::new().memory(Memory::Sequential)), "no violation with at most 2 preemptions: every schedule");
}

#[test]
fn stale_values_need_a_bound_that_counts_them() {
    let body = || _ = AtomicUsize::new(0).load(Relaxed);
    let report = Builder::new().memory(Memory::Rc11).switches(2).explore(body);
    let text = report.to_string();
    assert!(!report.complete && text.contains("Memory::Rc11 works with SearchBound::Deviations"), "{text}");
    // What was not asked for is not refused.
    assert!(Builder::new().switches(2).explore(body).complete);
    for reduction in [Reduction::HappensBefore, Reduction::Bpor, Reduction::None] {
        assert!(Builder::new().deviations(5).stale(2).reduction(reduction).explore(body).complete);
    }
}

#[test]
fn a_test_that_is_not_deterministic_is_reported() {
    static RUNS: Plain = Plain::new(0);
    let report = Builder::new().explore(|| {
        let x = Arc::new(AtomicUsize::new(0));
        let work = |x: &AtomicUsize| (0..3).for_each(|n| x.store(n, SeqCst));
        let t = thread::spawn({
            let x = x.clone();
            move || work(&x)
        });
        if RUNS.fetch_add(1, Relaxed) % 2 == 1 {
            x.load(SeqCst);
        }
        work(&x);
        t.join().unwrap();
    });
    assert!(matches!(report.stop, Stop::Nondeterminism(_)), "{report}");
    assert!(!report.complete);
}

#[test]
fn panics_in_models_leave_other_threads_alone() {
    let models: Vec<_> = (0..4)
        .map(|n| {
            std::thread::spawn(move || {
                if n % 2 == 0 {
                    Some(found(Builder::new().explore(racy)).schedule)
                } else {
                    let caught = std::panic::catch_unwind(|| panic!("outside of any model"));
                    assert!(caught.is_err());
                    None
                }
            })
        })
        .collect();
    let schedules: BTreeSet<_> = models.into_iter().filter_map(|t| t.join().unwrap()).collect();
    assert_eq!(schedules.len(), 1);
}

#[test]
fn a_destructor_that_locks_while_unwinding_does_no_harm() {
    struct Locks(Arc<Mutex<u32>>);
    impl Drop for Locks {
        fn drop(&mut self) {
            if let Ok(mut n) = self.0.lock() {
                *n += 1;
            }
        }
    }
    let violation = support::violation(|| {
        let lock = Arc::new(Mutex::new(0));
        let t = thread::spawn({
            let lock = lock.clone();
            move || {
                let _locks = Locks(lock.clone());
                let _guard = lock.lock().unwrap();
                panic!("with a guard and a destructor");
            }
        });
        let _locks = Locks(lock.clone());
        t.join().unwrap();
    });
    assert_eq!(violation.kind, ViolationKind::Panic);
    assert!(violation.message.contains("with a guard and a destructor"), "{}", violation.message);
}

#[test]
fn a_panic_that_the_test_catches_is_no_violation() {
    holds(|| {
        let caught = std::panic::catch_unwind(|| panic!("caught"));
        assert!(caught.is_err());
        assert!(!thread::panicking());
    });
}

#[test]
fn a_run_may_be_given_up() {
    let report = Builder::new().explore(|| {
        let x = Arc::new(AtomicUsize::new(0));
        let t = thread::spawn({
            let x = x.clone();
            move || x.store(1, SeqCst)
        });
        if x.load(SeqCst) == 1 {
            selvedge::skip_branch();
        }
        t.join().unwrap();
    });
    assert!(report.violation.is_none() && report.cut >= 1, "{report}");
}

#[test]
#[should_panic(expected = "inside a model")]
fn a_model_inside_a_model_is_refused() {
    Builder::new().keep_failures(false).check(|| selvedge::model(|| {}));
}

#[test]
fn outside_of_a_model_everything_is_stds() {
    use selvedge::sync::{Barrier, Condvar, OnceLock, RwLock, mpsc};
    let shared = Arc::new((Mutex::new(0), Condvar::new(), RwLock::new(0), AtomicUsize::new(0), Barrier::new(2)));
    let (tx, rx) = mpsc::sync_channel(1);
    let t = std::thread::spawn({
        let shared = shared.clone();
        move || {
            shared.4.wait();
            *shared.0.lock().unwrap() += 1;
            shared.1.notify_all();
            *shared.2.write().unwrap() += 1;
            shared.3.fetch_add(1, SeqCst);
            tx.send(5).unwrap();
        }
    });
    shared.4.wait();
    let guard = shared.1.wait_while(shared.0.lock().unwrap(), |n| *n == 0).unwrap();
    assert_eq!((*guard, rx.recv()), (1, Ok(5)));
    drop(guard);
    t.join().unwrap();
    assert_eq!((*shared.2.read().unwrap(), shared.3.load(SeqCst)), (1, 1));
    let mut total = 0;
    thread::scope(|s| {
        s.spawn(|| total += 1);
    });
    static CELL: OnceLock<u32> = OnceLock::new();
    assert_eq!((total, *CELL.get_or_init(|| 3), CELL.get()), (1, 3, Some(&3)));
    assert_eq!(selvedge::future::block_on(selvedge::future::spawn(async { 4 })), 4);
    thread::current().unpark();
    thread::park();
    assert!(Arc::strong_count(&shared) == 1 && Arc::downgrade(&shared).upgrade().is_some());
}

#[test]
#[should_panic(expected = "outside of a model")]
#[cfg(feature = "loom-bounds")]
fn what_is_not_send_gets_no_real_thread() {
    let shared = std::rc::Rc::new(1);
    thread::spawn(move || *shared);
}
