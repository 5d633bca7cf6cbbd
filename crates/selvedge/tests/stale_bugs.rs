//! Bugs that need a stale value: each is found with one or two deviations, and is gone with the ordering that it lacks.

use selvedge::cell::UnsafeCell;
use selvedge::sync::Arc;
use selvedge::sync::atomic::Ordering::{self, AcqRel, Acquire, Relaxed, Release, SeqCst};
use selvedge::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, fence};
use selvedge::{Bound, Builder, Memory, Report, thread};

fn explore(deviations: u32, body: impl Fn() + Send + Sync + 'static) -> Report {
    Builder::new().memory(Memory::Rc11).bound(Bound::Deviations(Some(deviations))).explore(body)
}

/// The body fails with the orderings of the bug within so many deviations, and not with the others within more.
fn finds<const N: usize>(deviations: u32, bug: [Ordering; N], fixed: [Ordering; N], body: fn([Ordering; N])) {
    if let Some(fewer) = deviations.checked_sub(1) {
        let report = explore(fewer, move || body(bug));
        assert!(report.complete && report.violation.is_none(), "{report}");
    }
    let report = explore(deviations, move || body(bug));
    assert!(report.violation.is_some(), "{report}");
    let report = explore(deviations + 1, move || body(fixed));
    assert!(report.complete && report.violation.is_none(), "{report}");
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
    finds(1, [Release, Acquire], [SeqCst, SeqCst], |[store, load]| {
        let [x, y, seen] = [(); 3].map(|()| AtomicUsize::new(0));
        let state = both(
            (x, y, seen),
            move |(x, y, seen)| {
                x.store(1, store);
                if y.load(load) == 0 {
                    seen.fetch_add(1, Relaxed);
                }
            },
            move |(x, y, seen)| {
                y.store(1, store);
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
    finds(1, [Relaxed, Relaxed], [Release, Acquire], |[store, load]| {
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
}

#[test]
fn a_cell_published_by_a_relaxed_flag() {
    finds(0, [Release, Relaxed], [Release, Acquire], |[store, load]| {
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
    finds(0, [Relaxed, Release], [Acquire, Release], |[lock, unlock]| {
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
    let body = |[reads, fenced]: [Ordering; 2]| {
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
                if fenced != Relaxed {
                    fence(fenced);
                }
                if before % 2 == 0 && sequence.load(Relaxed) == before {
                    assert_eq!(a, b, "a torn read");
                }
            },
        );
    };
    finds(2, [Relaxed, Relaxed], [Relaxed, Acquire], body);
}

#[test]
fn independent_reads_of_independent_writes() {
    finds(1, [Release, Acquire], [SeqCst, SeqCst], |[store, load]| {
        let [x, y, seen] = [(); 3].map(|()| AtomicUsize::new(0));
        let state = Arc::new((x, y, seen));
        let reader = |flip: bool| {
            let state = state.clone();
            thread::spawn(move || {
                let (x, y, seen) = &*state;
                let (first, second) = if flip { (y, x) } else { (x, y) };
                if first.load(load) == 1 && second.load(load) == 0 {
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
    finds(1, [Release], [SeqCst], |[store]| {
        let state = both(
            (AtomicUsize::new(0), AtomicUsize::new(0)),
            move |(x, y)| {
                x.store(1, store);
                y.store(2, store);
            },
            move |(x, y)| {
                y.store(1, store);
                x.store(2, store);
            },
        );
        assert!((state.0.load(Relaxed), state.1.load(Relaxed)) != (1, 1), "both first stores came last");
    });
}

/// The deque of Chase and Lev with two elements: the owner takes one from the bottom, a thief steals two from the top.
#[test]
fn a_work_stealing_deque_without_its_fence() {
    finds(1, [Relaxed], [SeqCst], |[fenced]| {
        let between = move || {
            if fenced != Relaxed {
                fence(fenced);
            }
        };
        let state = both(
            ([0, 2].map(AtomicUsize::new), [0, 0].map(AtomicUsize::new)),
            move |([top, bottom], taken)| {
                let last = bottom.load(Relaxed) - 1;
                bottom.store(last, Relaxed);
                between();
                let first = top.load(Relaxed);
                if first < last || (first == last && top.compare_exchange(first, first + 1, SeqCst, Relaxed).is_ok()) {
                    taken[last].fetch_add(1, Relaxed);
                }
            },
            move |([top, bottom], taken)| {
                for _ in 0..2 {
                    let first = top.load(Acquire);
                    between();
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
    finds(0, [Relaxed, Relaxed], [Release, Acquire], |[store, load]| {
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
    finds(1, [Relaxed, Relaxed], [Release, Acquire], |[add, load]| {
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
    finds(0, [Release, Relaxed], [Release, Acquire], |[drop, last]| {
        let release = move |(data, count): &(Shared, AtomicUsize), other: bool| {
            if other {
                data.write(1);
            }
            if count.fetch_sub(1, drop) == 1 {
                if last != Relaxed {
                    fence(last);
                }
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
    finds(0, [Relaxed], [Release], |[store]| {
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
    finds(1, [Relaxed], [Acquire], |[failure]| {
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
