//! Cells: data races are found by the order of events, not by luck; so are uses after the end of a cell's life.
#![allow(unsafe_code)]

mod support;

use selvedge::cell::{Cell, UnsafeCell, raw};
use selvedge::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use selvedge::sync::{Arc, Mutex};
use selvedge::{ViolationKind, thread};
use support::{holds, violation};

/// Shares what must be ordered by hand.
struct Shared<T>(T);
// SAFETY: the tests order the accesses, or are expected to fail.
unsafe impl<T> Sync for Shared<T> {}
// SAFETY: as above.
unsafe impl<T> Send for Shared<T> {}

fn two(reads: bool) -> impl Fn() + Send + Sync + 'static {
    move || {
        let cell = Arc::new(Shared(UnsafeCell::new(0)));
        let t = thread::spawn({
            let cell = cell.clone();
            // SAFETY: checked by the model.
            move || if reads { cell.0.with(|p| unsafe { *p }) } else { cell.0.with_mut(|p| unsafe { *p + 1 }) }
        });
        // SAFETY: checked by the model.
        cell.0.with(|p| unsafe { *p });
        t.join().unwrap();
    }
}

#[test]
fn reading_is_shared_and_writing_is_not() {
    holds(two(true));
    let found = violation(two(false));
    assert_eq!(found.kind, ViolationKind::DataRace);
    assert!(found.text.matches("cells.rs").count() >= 2, "both places: {}", found.text);
}

#[test]
fn a_lock_orders() {
    holds(|| {
        let shared = Arc::new((Mutex::new(()), Shared(UnsafeCell::new(0))));
        let add = |shared: &(Mutex<()>, Shared<UnsafeCell<i32>>)| {
            let _guard = shared.0.lock().unwrap();
            // SAFETY: the lock is held.
            shared.1.0.with_mut(|p| unsafe { *p += 1 });
        };
        let t = thread::spawn({
            let shared = shared.clone();
            move || add(&shared)
        });
        add(&shared);
        t.join().unwrap();
        // SAFETY: the other thread has ended.
        assert_eq!(shared.1.0.with(|p| unsafe { *p }), 2);
    });
}

#[test]
fn a_pointer_that_lives_too_long_is_a_race() {
    let found = violation(|| {
        let shared = Arc::new((AtomicBool::new(false), Shared(UnsafeCell::new(0))));
        let t = thread::spawn({
            let shared = shared.clone();
            move || {
                let pointer = shared.1.0.get_mut();
                // Says that it is done while it still holds the pointer.
                shared.0.store(true, SeqCst);
                shared.0.load(SeqCst);
                drop(pointer);
            }
        });
        if shared.0.load(SeqCst) {
            // SAFETY: it is not, and the model says so.
            shared.1.0.with(|p| unsafe { *p });
        }
        t.join().unwrap();
    });
    assert_eq!(found.kind, ViolationKind::DataRace);
}

#[test]
fn cells_of_other_shapes_are_watched_too() {
    let found = violation(|| {
        let cell = Arc::new(Shared(Cell::new(1)));
        let t = thread::spawn({
            let cell = cell.clone();
            move || cell.0.set(2)
        });
        cell.0.get();
        t.join().unwrap();
    });
    assert_eq!(found.kind, ViolationKind::DataRace);
    let found = violation(|| {
        let cell = Arc::new(Shared(raw::UnsafeCell::new(1)));
        let t = thread::spawn({
            let cell = cell.clone();
            // SAFETY: it is not, and the model says so.
            move || unsafe { *cell.0.get() = 2 }
        });
        // SAFETY: as above.
        let _ = unsafe { *cell.0.get_const() };
        t.join().unwrap();
    });
    assert_eq!(found.kind, ViolationKind::DataRace);
}

#[test]
fn cells_do_what_std_does() {
    holds(|| {
        let (a, b) = (Cell::new(1), Cell::from(2));
        a.swap(&b);
        assert_eq!((a.get(), b.replace(5), b.take(), b.clone().into_inner()), (2, 1, 5, 0));
        assert!(a > b && a == a.clone());
        let mut cell = raw::UnsafeCell::new(3);
        *cell.get_mut() += 1;
        // SAFETY: the only thread.
        unsafe { *cell.get() += 1 };
        assert_eq!(cell.into_inner(), 5);
        let unsized_cell: Box<UnsafeCell<[i32]>> = Box::new(UnsafeCell::new([1, 2]));
        // SAFETY: the only thread.
        assert_eq!(unsized_cell.with(|p| unsafe { (&*p).len() }), 2);
    });
}

/// A thread uses a cell in a box that the main thread frees, at an address that is no longer its own.
fn freed_too_early(wait: bool) -> impl Fn() + Send + Sync + 'static {
    move || {
        let address = Box::into_raw(Box::new(UnsafeCell::new(0))).expose_provenance();
        let t = thread::spawn(move || {
            let cell = std::ptr::with_exposed_provenance::<UnsafeCell<i32>>(address);
            thread::yield_now();
            // SAFETY: not given if the box is freed; the memory stays mapped, and the model finds out.
            unsafe { &*cell }.with(|_| ());
        });
        if wait {
            t.join().unwrap();
        }
        // SAFETY: made above.
        drop(unsafe { Box::from_raw(std::ptr::with_exposed_provenance_mut::<UnsafeCell<i32>>(address)) });
    }
}

#[test]
fn a_cell_that_is_freed_before_others_use_it_is_a_violation() {
    holds(freed_too_early(true));
    let found = violation(freed_too_early(false));
    assert_eq!(found.kind, ViolationKind::DataRace);
    assert!(found.message.contains("use of a freed cell"), "{}", found.message);
    let words = found.text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("why: main frees it after step "), "{words}");
    assert!(words.contains("and the use comes after step "), "{words}");
}

#[test]
fn a_cell_that_is_used_after_it_was_freed_is_a_violation() {
    let found = violation(|| {
        let address = Box::into_raw(Box::new((AtomicBool::new(false), UnsafeCell::new(0)))).expose_provenance();
        let freed = Arc::new(AtomicBool::new(false));
        let t = thread::spawn({
            let freed = freed.clone();
            move || {
                if freed.load(SeqCst) {
                    let both = std::ptr::with_exposed_provenance::<(AtomicBool, UnsafeCell<i32>)>(address);
                    // SAFETY: not given; the memory stays mapped, and the model finds out.
                    unsafe { &*both }.1.with(|_| ());
                }
            }
        });
        let both = std::ptr::with_exposed_provenance_mut::<(AtomicBool, UnsafeCell<i32>)>(address);
        // SAFETY: made above.
        drop(unsafe { Box::from_raw(both) });
        freed.store(true, SeqCst);
        t.join().unwrap();
    });
    assert_eq!(found.kind, ViolationKind::DataRace);
    assert!(found.message.contains("use of a freed cell"), "{}", found.message);
    assert!(found.message.contains("after main freed it"), "{}", found.message);
}

#[test]
fn a_cell_whose_owners_are_counted_by_std_is_freed_in_order() {
    struct Shared(UnsafeCell<usize>);
    // SAFETY: each thread uses it under the lock of its own below.
    unsafe impl Sync for Shared {}
    // SAFETY: as above.
    unsafe impl Send for Shared {}
    holds(|| {
        let shared = std::sync::Arc::new((Mutex::new(()), Shared(UnsafeCell::new(0)), AtomicUsize::new(0)));
        let threads: Vec<_> = (0..2)
            .map(|_| {
                let shared = shared.clone();
                thread::spawn(move || {
                    let guard = shared.0.lock().unwrap();
                    // SAFETY: the lock is held.
                    shared.1.0.with_mut(|p| unsafe { *p += 1 });
                    shared.2.fetch_add(1, SeqCst);
                    drop(guard);
                    drop(shared);
                })
            })
            .collect();
        drop(shared);
        drop(threads);
    });
}

#[test]
fn a_cell_in_a_static_or_left_to_a_thread_is_freed_in_order() {
    static CELL: Mutex<Option<Box<UnsafeCell<i32>>>> = Mutex::new(None);
    holds(|| {
        *CELL.lock().unwrap() = Some(Box::new(UnsafeCell::new(0)));
        drop(thread::spawn(|| {
            let guard = CELL.lock().unwrap();
            // SAFETY: the lock is held.
            guard.as_ref().unwrap().with_mut(|p| unsafe { *p += 1 });
        }));
    });
}
