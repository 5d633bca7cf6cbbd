//! Bugs that need a stale value: each is found with one or two deviations, and is gone with the ordering that it lacks.

use selvedge::cell::UnsafeCell;
use selvedge::sync::Arc;
use selvedge::sync::atomic::Ordering::{self, AcqRel, Acquire, Relaxed, Release, SeqCst};
use selvedge::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, fence};
use selvedge::{Bound, Builder, Memory, Report, Violation, ViolationKind, thread};

fn explore(deviations: u32, body: impl Fn() + Send + Sync + 'static) -> Report {
    Builder::new().memory(Memory::Rc11).bound(Bound::Deviations(Some(deviations))).explore(body)
}

/// The body fails with the orderings of the bug within this many deviations, and not within fewer; the report names `fix`, its
/// places aside; and with the orderings of the fix the body does not fail.
fn finds<const N: usize>(
    deviations: u32,
    bug: [Ordering; N],
    fixed: [Ordering; N],
    fix: &str,
    body: fn([Ordering; N]),
) -> Violation {
    if let Some(fewer) = deviations.checked_sub(1) {
        let report = explore(fewer, move || body(bug));
        assert!(report.complete && report.violation.is_none(), "{report}");
    }
    let report = explore(deviations, move || body(bug));
    let violation = report.violation.clone().unwrap_or_else(|| panic!("{report}"));
    let without_places = |fix: &String| {
        let words = fix.split(' ').filter(|word| !word.contains(".rs:"));
        words.collect::<Vec<_>>().join(" ")
    };
    assert_eq!(violation.fixes.first().map(without_places).as_deref(), Some(fix), "{violation}");
    // The same schedule shows it again.
    let again = Builder::new().replay(&violation.schedule).explore(move || body(bug));
    assert_eq!(again.violation.map(|again| again.message), Some(violation.message.clone()));
    let report = explore(deviations + 1, move || body(fixed));
    assert!(report.complete && report.violation.is_none(), "{report}");
    violation
}

/// A fence, or none if it is relaxed.
fn maybe_fence(order: Ordering) {
    if order != Relaxed {
        fence(order);
    }
}

/// A cell that threads share at their own risk.
struct Shared(UnsafeCell<usize>);
// SAFETY: whether accesses are ordered is what the tests are about.
#[allow(unsafe_code)]
unsafe impl Sync for Shared {}

#[allow(unsafe_code)]
impl Shared {
    fn new() -> Shared {
        Shared(UnsafeCell::new(0))
    }
    fn write(&self, value: usize) {
        self.0.with_mut(|p| unsafe { *p = value });
    }
    fn read(&self) -> usize {
        self.0.with(|p| unsafe { *p })
    }
}

/// Two threads with a state; the main thread only waits for them.
fn both<S: Send + Sync + 'static>(
    state: S,
    first: impl FnOnce(&S) + 'static,
    second: impl FnOnce(&S) + 'static,
) -> Arc<S> {
    let state = Arc::new(state);
    let (one, two) = (state.clone(), state.clone());
    let threads = [thread::spawn(move || first(&one)), thread::spawn(move || second(&two))];
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    state
}

#[test]
fn store_buffering() {
    let fix = "`fence(SeqCst)` before and `fence(SeqCst)` before";
    finds(1, [Release, Acquire, Relaxed], [Release, Acquire, SeqCst], fix, |[store, load, fenced]| {
        let [x, y, seen] = [(); 3].map(|()| AtomicUsize::new(0));
        let state = both(
            (x, y, seen),
            move |(x, y, seen)| {
                x.store(1, store);
                maybe_fence(fenced);
                if y.load(load) == 0 {
                    seen.fetch_add(1, Relaxed);
                }
            },
            move |(x, y, seen)| {
                y.store(1, store);
                maybe_fence(fenced);
                if x.load(load) == 0 {
                    seen.fetch_add(1, Relaxed);
                }
            },
        );
        assert!(state.2.load(Relaxed) < 2, "both threads saw nothing");
    });
}

#[test]
fn relaxed_message_passing() {
    let fix = "`Acquire` at and `Release` at";
    let violation = finds(1, [Relaxed, Relaxed], [Release, Acquire], fix, |[store, load]| {
        both(
            (AtomicUsize::new(0), AtomicBool::new(false)),
            move |(data, ready)| {
                data.store(42, Relaxed);
                ready.store(true, store);
            },
            move |(data, ready)| {
                if ready.load(load) {
                    assert_eq!(data.load(Relaxed), 42);
                }
            },
        );
    });
    assert_eq!((violation.kind, violation.preemptions, violation.stale), (ViolationKind::Panic, 0, 1));
    let text = violation.text.replace("\n  ", " ");
    for part in
        ["1 stale access", "(stale)", "reads 0 from", "although thread 1 stored 42", "because the load is `Relaxed`"]
    {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn a_cell_published_by_a_relaxed_flag() {
    finds(0, [Release, Relaxed], [Release, Acquire], "`Acquire` at", |[store, load]| {
        both(
            (Shared::new(), AtomicBool::new(false)),
            move |(data, ready)| {
                data.write(42);
                ready.store(true, store);
            },
            move |(data, ready)| {
                while !ready.load(load) {
                    thread::yield_now();
                }
                assert_eq!(data.read(), 42);
            },
        );
    });
}

#[test]
fn a_relaxed_spinlock() {
    finds(0, [Relaxed, Release], [Acquire, Release], "`Acquire` at", |[lock, unlock]| {
        let critical = move |(data, locked): &(Shared, AtomicBool)| {
            while locked.compare_exchange(false, true, lock, Relaxed).is_err() {
                thread::yield_now();
            }
            data.write(data.read() + 1);
            locked.store(false, unlock);
        };
        let state = both((Shared::new(), AtomicBool::new(false)), critical, critical);
        assert_eq!(state.0.read(), 2);
    });
}

#[test]
fn a_seqlock_without_its_fence() {
    finds(2, [Relaxed], [Acquire], "`Acquire` at", |[reads]| {
        let [sequence, a, b] = [(); 3].map(|()| AtomicUsize::new(0));
        both(
            (sequence, a, b),
            move |(sequence, a, b)| {
                sequence.store(1, Relaxed);
                fence(Release);
                a.store(1, Relaxed);
                b.store(1, Relaxed);
                sequence.store(2, Release);
            },
            move |(sequence, a, b)| {
                let before = sequence.load(Acquire);
                let (a, b) = (a.load(reads), b.load(reads));
                if before % 2 == 0 && sequence.load(Relaxed) == before {
                    assert_eq!(a, b, "a torn read");
                }
            },
        );
    });
}

#[test]
fn independent_reads_of_independent_writes() {
    let fix = "`fence(SeqCst)` before";
    finds(1, [Release, Acquire, Relaxed], [Release, Acquire, SeqCst], fix, |[store, load, fenced]| {
        let [x, y, seen] = [(); 3].map(|()| AtomicUsize::new(0));
        let state = Arc::new((x, y, seen));
        let reader = |flip: bool| {
            let state = state.clone();
            thread::spawn(move || {
                let (x, y, seen) = &*state;
                let (first, second) = if flip { (y, x) } else { (x, y) };
                let first = first.load(load);
                maybe_fence(fenced);
                if first == 1 && second.load(load) == 0 {
                    seen.fetch_add(1, Relaxed);
                }
            })
        };
        let writer = |flip: bool| {
            let state = state.clone();
            thread::spawn(move || if flip { &state.1 } else { &state.0 }.store(1, store))
        };
        let threads = [writer(false), writer(true), reader(false), reader(true)];
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        assert!(state.2.load(Relaxed) < 2, "the readers disagree on the order of the writes");
    });
}

#[test]
fn two_stores_each_in_opposite_order() {
    let fix = "`fence(SeqCst)` before and `fence(SeqCst)` before";
    finds(1, [Release, Relaxed], [Release, SeqCst], fix, |[store, fenced]| {
        let state = both(
            (AtomicUsize::new(0), AtomicUsize::new(0)),
            move |(x, y)| {
                x.store(1, store);
                maybe_fence(fenced);
                y.store(2, store);
            },
            move |(x, y)| {
                y.store(1, store);
                maybe_fence(fenced);
                x.store(2, store);
            },
        );
        assert!((state.0.load(Relaxed), state.1.load(Relaxed)) != (1, 1), "both first stores came last");
    });
}

/// The deque of Chase and Lev with two elements: the owner takes one from the bottom, a thief steals two from the top.
#[test]
fn a_work_stealing_deque_without_its_fence() {
    let fix = "`fence(SeqCst)` before and `fence(SeqCst)` before";
    finds(1, [Relaxed], [SeqCst], fix, |[fenced]| {
        let state = both(
            ([0, 2].map(AtomicUsize::new), [0, 0].map(AtomicUsize::new)),
            move |([top, bottom], taken)| {
                let last = bottom.load(Relaxed) - 1;
                bottom.store(last, Relaxed);
                maybe_fence(fenced);
                let first = top.load(Relaxed);
                if first < last || (first == last && top.compare_exchange(first, first + 1, SeqCst, Relaxed).is_ok()) {
                    taken[last].fetch_add(1, Relaxed);
                }
            },
            move |([top, bottom], taken)| {
                for _ in 0..2 {
                    let first = top.load(Acquire);
                    maybe_fence(fenced);
                    let free = first < bottom.load(Acquire);
                    if free && top.compare_exchange(first, first + 1, SeqCst, Relaxed).is_ok() {
                        taken[first].fetch_add(1, Relaxed);
                    }
                }
            },
        );
        let twice = state.1.iter().any(|taken| taken.load(Relaxed) > 1);
        assert!(!twice, "an element was taken twice");
    });
}

#[test]
fn double_checked_initialisation() {
    finds(0, [Relaxed, Relaxed], [Release, Acquire], "`Acquire` at and `Release` at", |[store, load]| {
        let initialise = move |(data, ready, lock): &(Shared, AtomicBool, selvedge::sync::Mutex<()>)| {
            if !ready.load(load) {
                let _guard = lock.lock().unwrap();
                if !ready.load(Relaxed) {
                    data.write(7);
                    ready.store(true, store);
                }
            }
            assert_eq!(data.read(), 7);
        };
        let state = (Shared::new(), AtomicBool::new(false), selvedge::sync::Mutex::new(()));
        both(state, initialise, initialise);
    });
}

#[test]
fn a_counter_as_publication() {
    finds(1, [Relaxed, Relaxed], [Release, Acquire], "`Acquire` at and `Release` at", |[add, load]| {
        both(
            (AtomicUsize::new(0), AtomicUsize::new(0)),
            move |(item, count)| {
                item.store(5, Relaxed);
                count.fetch_add(1, add);
            },
            move |(item, count)| {
                if count.load(load) == 1 {
                    assert_eq!(item.load(Relaxed), 5);
                }
            },
        );
    });
}

/// A reference count whose last drop does not acquire what the others did.
#[test]
fn a_count_dropped_without_acquire() {
    finds(0, [Release], [AcqRel], "`AcqRel` at", |[drop]| {
        let release = move |(data, count): &(Shared, AtomicUsize), other: bool| {
            if other {
                data.write(1);
            }
            if count.fetch_sub(1, drop) == 1 {
                data.write(2); // the destructor
            }
        };
        let state = (Shared::new(), AtomicUsize::new(2));
        both(state, move |s| release(s, true), move |s| release(s, false));
    });
}

/// RC11 has no executions in which a load reads from a store that its own thread makes it depend on.
#[test]
fn load_buffering_is_not_explored() {
    let report = explore(4, || {
        let state = both(
            [(); 4].map(|()| AtomicUsize::new(0)),
            move |[x, y, a, _]| {
                a.store(x.load(Relaxed), Relaxed);
                y.store(1, Relaxed);
            },
            move |[x, y, _, b]| {
                b.store(y.load(Relaxed), Relaxed);
                x.store(1, Relaxed);
            },
        );
        assert!(state[2].load(Relaxed) + state[3].load(Relaxed) < 2);
    });
    assert!(report.complete && report.violation.is_none(), "{report}");
}

/// A node published by a relaxed pointer is used before it is known to be there.
#[test]
#[allow(unsafe_code)]
fn a_node_published_by_a_relaxed_pointer() {
    finds(0, [Relaxed], [Release], "`Release` at", |[store]| {
        let head = both(
            AtomicPtr::new(std::ptr::null_mut()),
            move |head| head.store(Box::into_raw(Box::new(AtomicUsize::new(3))), store),
            |head| {
                let node = head.load(Acquire);
                if !node.is_null() {
                    // SAFETY: it is freed below only.
                    assert_eq!(unsafe { (*node).load(Relaxed) }, 3);
                }
            },
        );
        // SAFETY: the threads have ended, and nobody else frees it.
        drop(unsafe { Box::from_raw(head.load(Relaxed)) });
    });
}

#[test]
fn an_exchange_that_fails_is_as_strong_as_its_second_ordering() {
    finds(1, [Relaxed], [Acquire], "`Acquire` for failure at", |[failure]| {
        both(
            (AtomicUsize::new(0), AtomicUsize::new(0)),
            move |(data, flag)| {
                data.store(1, Relaxed);
                flag.store(1, Release);
            },
            move |(data, flag)| {
                if flag.compare_exchange(7, 8, AcqRel, failure) == Err(1) {
                    assert_eq!(data.load(Relaxed), 1);
                }
            },
        );
    });
}

fn message_passing() {
    both(
        (AtomicUsize::new(0), AtomicBool::new(false)),
        |(data, ready)| {
            data.store(42, Relaxed);
            fence(Release);
            ready.store(true, Release);
        },
        |(data, ready)| {
            if ready.load(SeqCst) {
                assert_eq!(data.load(Acquire), 42);
            }
        },
    );
}

#[test]
fn the_orderings_that_a_test_needs_are_distinguished_from_others() {
    let uses = Builder::new().weakest_orderings(message_passing).unwrap();
    let found: Vec<_> = uses.iter().map(|u| (u.operation, u.order, u.weakest, u.needed.is_some())).collect();
    // The fence and the release store do for each other; the first load must acquire, the second need not.
    let expected = [
        ("store", Relaxed, Relaxed, false),
        ("fence", Release, Relaxed, false),
        ("store", Release, Relaxed, false),
        ("load", SeqCst, Acquire, true),
        ("load", Acquire, Relaxed, false),
    ];
    assert!(expected.iter().all(|e| found.contains(e)) && found.len() == expected.len(), "{found:?}");
    let lines: Vec<String> = uses.iter().map(ToString::to_string).collect();
    let line = lines.iter().find(|line| line.contains("`SeqCst`")).unwrap();
    assert!(line.contains("the load is `SeqCst`; `Acquire` is enough (weaker: assertion"), "{line}");
    assert!(lines.iter().any(|line| line.ends_with("the fence is `Release`, and is not needed")), "{lines:?}");
}

#[test]
fn the_orderings_of_a_test_that_fails_are_not_looked_at() {
    let report = Builder::new().weakest_orderings(|| panic!("as it is")).unwrap_err();
    assert_eq!(report.violation.unwrap().message, "as it is");
}

#[test]
fn schedules_at_random_have_stale_accesses() {
    let body = || {
        let relaxed = |(data, ready): &(AtomicUsize, AtomicBool)| {
            data.store(42, Relaxed);
            ready.store(true, Relaxed);
        };
        both((AtomicUsize::new(0), AtomicBool::new(false)), relaxed, |(data, ready)| {
            if ready.load(Acquire) {
                assert_eq!(data.load(Relaxed), 42);
            }
        });
    };
    for builder in [Builder::new().random(1, 200), Builder::new().uniform_walk(1, 200), Builder::new().pct(1, 3, 200)] {
        let report = builder.explore(body);
        let violation = report.violation.unwrap_or_else(|| panic!("{builder:?}"));
        assert!(violation.schedule.contains('='), "{}", violation.schedule);
        let again = Builder::new().replay(&violation.schedule).explore(body);
        assert_eq!(again.violation.unwrap().message, violation.message);
    }
}
