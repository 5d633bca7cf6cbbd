//! What is found, and how it is shown: each kind of violation with its run, its schedule, and who waits for what.

mod support;

use std::cell::Cell;
use std::panic::Location;
use std::rc::Rc;
use std::time::{Duration, Instant};

use selvedge_stateless::rt::{self, ObjectKind};
use selvedge_stateless::{
    Config, Exploration, Mode, Reduction, SearchBound, Stop, Violation, ViolationKind, explore as run_model,
};
use support::{Atomic, Mutex, config, explore, join, spawn, yield_now};

const REDUCTIONS: [Reduction; 3] = [Reduction::None, Reduction::Bpor, Reduction::HappensBefore];

/// The violation that every reduction finds, at the same least bound; the last one's.
fn violation(bound: u32, body: impl Fn()) -> Violation {
    let mut found = None;
    for reduction in REDUCTIONS {
        let result = explore(&config(reduction, 3), &body);
        assert_eq!(result.stop, Stop::Violation, "{reduction:?}");
        assert_eq!(result.per_bound.len(), bound as usize, "{reduction:?}: bounds completed before it was found");
        found = result.violation;
    }
    let found = found.expect("a violation comes with its run");
    assert_eq!(found.run.preemptions, bound, "the run shown is a cheapest one");
    replays(&found, &body);
    found
}

/// The schedule of a violation shows it again, step by step.
fn replays(violation: &Violation, body: &impl Fn()) {
    let config = Config { mode: Mode::Replay(violation.schedule.clone()), ..Config::default() };
    let again = explore(&config, body).violation.expect("the schedule shows the violation");
    assert_eq!((again.kind, &again.message), (violation.kind, &violation.message));
    let steps = |v: &Violation| v.run.steps.iter().map(|s| (s.thread, s.verb, s.at)).collect::<Vec<_>>();
    assert_eq!(steps(&again), steps(violation));
}

fn lost_update() {
    let x = Atomic::new(0);
    let threads: Vec<_> = (0..2)
        .map(|_| {
            let x = x.clone();
            spawn(move || x.store(x.load() + 1))
        })
        .collect();
    threads.into_iter().for_each(join);
    assert_eq!(x.load(), 2, "an update was lost");
}

#[test]
fn a_panic_is_shown_with_its_message_and_place() {
    let found = violation(1, lost_update);
    assert_eq!(found.kind, ViolationKind::Panic);
    assert!(found.message.contains("an update was lost"), "{}", found.message);
    let (file, line, _) = found.location.expect("a panic has a place");
    assert!(file.ends_with("violations.rs") && line > 0);
    assert_eq!(found.thread.map(|t| t.0), Some(0));
}

/// The place of the caller without its directory.
#[track_caller]
fn here() -> String {
    let at = Location::caller();
    format!("{}:{}", at.file(), at.line())
}

#[test]
fn a_deadlock_names_who_waits_for_what_held_by_whom() {
    let found = violation(1, || {
        let (a, b) = (Mutex::new(), Mutex::new());
        let other = spawn(move || {
            b.lock();
            a.lock();
            a.unlock();
            b.unlock();
        });
        a.lock();
        b.lock();
        b.unlock();
        a.unlock();
        join(other);
    });
    assert_eq!(found.kind, ViolationKind::Deadlock);
    let reasons: Vec<_> = found.run.waiting.iter().map(|w| w.reason.as_str()).collect();
    assert_eq!(reasons.len(), 2);
    assert!(reasons[0].contains("held by thread 1 (locked at "), "{reasons:?}");
    assert!(reasons[1].contains("held by main (locked at "), "{reasons:?}");
    assert!(reasons.iter().all(|r| r.starts_with("mutex ") && r.contains("violations.rs:")), "{reasons:?}");
    assert!(here().contains("violations.rs"));
}

#[test]
fn a_lost_wake_up_is_the_deadlock_it_is() {
    let found = violation(1, || {
        let mutex = Mutex::new();
        let condvar = rt::object(ObjectKind::Condvar, Location::caller());
        let ready = Rc::new(Cell::new(false));
        let set = ready.clone();
        let other = spawn(move || {
            mutex.lock();
            set.set(true);
            mutex.unlock();
            rt::notify_one(condvar, Location::caller());
        });
        // The mistake: the lock is released between the look and the wait.
        mutex.lock();
        let wait = !ready.get();
        mutex.unlock();
        if wait {
            mutex.lock();
            rt::wait(condvar, mutex.0, Location::caller());
            mutex.unlock();
        }
        join(other);
    });
    assert_eq!(found.kind, ViolationKind::Deadlock);
    assert!(found.run.waiting[0].reason.starts_with("a notification of condvar "), "{:?}", found.run.waiting);
}

#[test]
fn a_loop_that_yields_ends_under_the_fair_bound_and_one_that_never_ends_is_a_livelock() {
    let flag = |set: bool| {
        move || {
            let x = Atomic::new(0);
            let y = x.clone();
            let other = spawn(move || y.store(u64::from(set)));
            while x.load() == 0 {
                yield_now();
            }
            join(other);
        }
    };
    for reduction in REDUCTIONS {
        for bound in [SearchBound::Fair(1), SearchBound::Preemptions(Some(2))] {
            let config = Config { reduction, bound, max_steps: 500, ..Config::default() };
            let result = explore(&config, flag(true));
            assert!(result.complete && result.cut == 0, "{reduction:?} {bound:?} {:?}", result.stop);
            let result = explore(&config, flag(false));
            let kind = result.violation.map(|v| v.kind);
            assert_eq!(kind, Some(ViolationKind::Livelock), "{reduction:?} {bound:?}");
        }
    }
}

#[test]
fn a_loop_that_waits_without_yielding_counts_as_one_that_yields() {
    let config = Config { max_steps: 200, ..config(Reduction::None, 1) };
    let result = explore(&config, || {
        let x = Atomic::new(0);
        let y = x.clone();
        let other = spawn(move || y.store(1));
        while x.load() == 0 {}
        join(other);
    });
    assert!(result.violation.is_none() && result.complete && result.cut == 0, "{:?}", result.stop);
}

#[test]
fn unordered_accesses_to_a_cell_are_a_race_and_ordered_ones_are_not() {
    let body = |ordered: bool| {
        move || {
            let cell = rt::cell(Location::caller());
            let flag = Atomic::new(0);
            let seen = flag.clone();
            let other = spawn(move || {
                rt::cell_access(cell, true, Location::caller());
                seen.store(1);
            });
            if !ordered || flag.load() == 1 {
                rt::cell_access(cell, false, Location::caller());
            }
            join(other);
            rt::cell_access(cell, true, Location::caller());
        }
    };
    let found = violation(0, body(false));
    assert_eq!(found.kind, ViolationKind::DataRace);
    assert!(found.message.contains("unordered with"), "{}", found.message);
    for reduction in REDUCTIONS {
        let result = explore(&config(reduction, 3), body(true));
        assert!(result.complete && result.violation.is_none(), "{reduction:?} {:?}", result.violation);
    }
}

#[test]
fn what_is_not_freed_leaks() {
    let found = violation(1, || {
        let track = rt::track("allocation", Location::caller());
        let x = Atomic::new(0);
        let y = x.clone();
        let other = spawn(move || y.store(1));
        if x.load() == 0 {
            rt::untrack(track);
        }
        join(other);
    });
    assert_eq!(found.kind, ViolationKind::Leak);
    assert!(found.message.contains("the allocation created at"), "{}", found.message);
}

#[test]
fn a_panic_of_a_thread_can_be_what_join_returns() {
    let config = Config { panics_join: true, ..Config::default() };
    let result = explore(&config, || {
        let mutex = Mutex::new();
        struct Unlock(Mutex);
        impl Drop for Unlock {
            fn drop(&mut self) {
                self.0.unlock();
            }
        }
        let other = spawn(move || {
            mutex.lock();
            let _guard = Unlock(mutex);
            panic!("on purpose");
        });
        mutex.lock();
        assert!(!rt::panicking());
        mutex.unlock();
        join(other);
        let payload = rt::take_panic(other).expect("the thread panicked");
        assert_eq!(payload.downcast_ref::<&str>(), Some(&"on purpose"));
    });
    assert!(result.complete && result.violation.is_none(), "{:?}", result.violation);
    assert!(!std::thread::panicking());
}

#[test]
fn a_run_that_differs_is_recognised() {
    let calls = Cell::new(0);
    for reduction in REDUCTIONS {
        let result = explore(&config(reduction, 2), || {
            calls.set(calls.get() + 1);
            let (x, y) = (Atomic::new(0), Atomic::new(0));
            let (a, b) = (x.clone(), y.clone());
            let odd = calls.get() % 2 == 1;
            let other = spawn(move || {
                a.store(1);
                if odd {
                    b.store(1)
                } else {
                    b.load();
                }
            });
            x.store(2);
            y.store(2);
            join(other);
        });
        assert!(matches!(result.stop, Stop::Nondeterminism(_)), "{reduction:?} {:?}", result.stop);
    }
}

#[test]
fn limits_end_an_exploration_that_is_then_incomplete() {
    let body = || {
        let x = Atomic::new(0);
        let threads: Vec<_> = (0..5)
            .map(|_| {
                let x = x.clone();
                spawn(move || (0..6).for_each(|_| x.store(x.load() + 1)))
            })
            .collect();
        threads.into_iter().for_each(join);
    };
    for reduction in REDUCTIONS {
        let limited = |config: Config| -> Exploration { run_model(&config, &mut |_| (), &body) };
        let result = limited(Config { max_executions: Some(100), ..config(reduction, 9) });
        assert_eq!((result.stop, result.executions, result.complete), (Stop::Executions, 100, false));
        let start = Instant::now();
        let result = limited(Config { time_limit: Some(Duration::from_millis(30)), ..config(reduction, 9) });
        assert_eq!((result.stop, result.complete), (Stop::Time, false));
        assert!(result.elapsed <= start.elapsed() && result.executions > 0);
    }
}

#[test]
fn random_schedules_and_priorities_find_the_bug_and_the_same_seed_the_same_run() {
    for mode in [Mode::Random { seed: 7, executions: 500 }, Mode::Pct { seed: 7, depth: 2, executions: 500 }] {
        let run = || explore(&Config { mode: mode.clone(), ..Config::default() }, lost_update);
        let (first, second) = (run(), run());
        let found = first.violation.expect("five hundred tries are enough");
        assert_eq!(Some(&found.schedule), second.violation.as_ref().map(|v| &v.schedule));
        assert_eq!(first.executions, second.executions);
        replays(&found, &lost_update);
    }
}

#[test]
fn damaged_and_foreign_schedules_are_refused() {
    for (text, word) in [("what", "s1:"), ("s1:9", "is not enabled"), ("s1:0=7", "outcome 7")] {
        let config = Config { mode: Mode::Replay(text.to_owned()), ..Config::default() };
        match explore(&config, || Atomic::new(0).store(1)).stop {
            Stop::BadSchedule(why) => assert!(why.contains(word), "{text}: {why}"),
            other => panic!("{text}: {other:?}"),
        }
    }
}

#[test]
fn a_reduction_refuses_bounds_it_is_not_sound_for() {
    let config = Config { bound: SearchBound::Depth(5), ..config(Reduction::Bpor, 0) };
    assert!(matches!(explore(&config, || ()).stop, Stop::Unsupported(_)));
}

#[test]
fn there_may_be_many_threads() {
    let config = Config { max_executions: Some(20), stack_size: 32 * 1024, ..config(Reduction::HappensBefore, 0) };
    for reduction in REDUCTIONS {
        let result = explore(&Config { reduction, ..config.clone() }, || {
            let x = Atomic::new(0);
            let threads: Vec<_> = (0..70)
                .map(|_| {
                    let x = x.clone();
                    spawn(move || _ = x.fetch_add(1))
                })
                .collect();
            threads.into_iter().for_each(join);
            assert_eq!(x.load(), 70);
        });
        assert_eq!((result.executions, result.stop), (20, Stop::Executions), "{reduction:?}");
    }
}

#[test]
fn counts_become_visible_when_they_matter() {
    let visible = Rc::new(Cell::new(false));
    let seen = visible.clone();
    let result = explore(&Config::default(), move || {
        let x = Atomic::new(0);
        rt::counts_matter();
        seen.set(rt::counts_visible());
        x.store(1);
    });
    assert!(result.complete && visible.get());
    assert_eq!(result.executions, 1, "what ran before the restart does not count");
}

/// Threads that have nothing to do with each other: all their subsets are prefixes of the one partial order.
fn strangers(threads: usize) -> impl Fn() {
    move || {
        let start = |_| spawn(|| Atomic::new(0).store(1));
        let handles: Vec<_> = (0..threads).map(start).collect();
        handles.into_iter().for_each(join);
    }
}

#[test]
fn many_threads_side_by_side_do_not_exhaust_memory() {
    let few = explore(&config(Reduction::HappensBefore, 2), strangers(8));
    assert!(few.complete && few.executions == 1 && few.reduction == Reduction::HappensBefore, "{few:?}");
    let limited = Config { max_executions: Some(20), ..config(Reduction::HappensBefore, 2) };
    let many = explore(&limited, strangers(100));
    assert_eq!((many.executions, many.complete, many.reduction), (1, true, Reduction::Bpor));
    let many = explore(&Config { bound: SearchBound::Depth(1000), ..limited }, strangers(30));
    assert_eq!((many.stop, many.reduction), (Stop::Executions, Reduction::None));
}

#[test]
fn the_time_limit_holds_while_prefixes_are_counted() {
    // The prefixes of the one run are so many that to count them takes longer than this on any machine.
    let config = Config { time_limit: Some(Duration::from_millis(1)), ..config(Reduction::HappensBefore, 2) };
    let result = explore(&config, strangers(15));
    assert_eq!((result.stop, result.executions, result.complete), (Stop::Time, 0, false));
}

#[test]
fn a_program_that_is_run_once_is_run_again_to_compare() {
    let times = Cell::new(0);
    let body = || {
        times.set(times.get() + 1);
        (0..times.get()).for_each(|_| Atomic::new(0).store(1));
    };
    let config = Config { verify: true, ..config(Reduction::HappensBefore, 2) };
    let result = explore(&config, body);
    assert!(matches!(result.stop, Stop::Nondeterminism(_)) && !result.complete, "{result:?}");
    let result = explore(&config, || (0..3).for_each(|_| Atomic::new(0).store(1)));
    assert!(result.complete && result.executions == 1, "{result:?}");
}
