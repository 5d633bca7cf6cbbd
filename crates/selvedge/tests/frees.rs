//! A free that comes too early in some run, although the run at hand has it late; and frees that only look too early.
#![allow(unsafe_code)]

mod support;

use selvedge::cell::UnsafeCell;
use selvedge::sync::Mutex;
use selvedge::sync::atomic::{AtomicBool, AtomicUsize, Ordering::*};
use selvedge::{Builder, Reduction, ViolationKind, thread};
use std::sync::Arc;
use support::holds;

/// What threads share at their own risk.
struct Node {
    number: AtomicUsize,
    cell: UnsafeCell<u8>,
}

/// A pointer that may go to another thread.
#[derive(Clone, Copy)]
struct Raw(*mut Node);

// SAFETY: the model stops before a use of a freed node.
unsafe impl Send for Raw {}

impl Raw {
    fn new() -> Raw {
        Raw(Box::into_raw(Box::new(Node { number: AtomicUsize::new(0), cell: UnsafeCell::new(0) })))
    }

    fn load(self) {
        // SAFETY: as for `Send`.
        unsafe { (*self.0).number.load(SeqCst) };
    }

    fn read(self) {
        // SAFETY: as for `Send`.
        unsafe { (*self.0).cell.with(|_| ()) };
    }

    fn free(self) {
        // SAFETY: each test frees a node once.
        drop(unsafe { Box::from_raw(self.0) });
    }
}

/// One thread uses a node after a step, another frees it after a step on something else: nothing orders the two, and no order
/// of the steps can be told from another.
fn unordered(uses: fn(Raw)) -> impl Fn() + Send + Sync + 'static {
    move || {
        let (node, steps) = (Raw::new(), Arc::new([AtomicUsize::new(0), AtomicUsize::new(0)]));
        let user = thread::spawn({
            let steps = steps.clone();
            move || {
                steps[0].store(1, SeqCst);
                uses(node);
            }
        });
        let owner = thread::spawn(move || {
            steps[1].store(1, SeqCst);
            node.free();
        });
        user.join().unwrap();
        owner.join().unwrap();
    }
}

#[test]
fn a_free_is_tried_before_the_uses_that_nothing_orders() {
    for uses in [Raw::load, Raw::read] {
        for reduction in [Reduction::None, Reduction::Bpor, Reduction::HappensBefore] {
            let report = Builder::new().reduction(reduction).explore(unordered(uses));
            let found = report.violation.unwrap_or_else(|| panic!("{reduction:?}: {:?}", report.stop));
            assert_eq!(found.kind, ViolationKind::DataRace, "{}", found.message);
            assert!(found.message.contains("use of a freed"), "{}", found.message);
        }
    }
}

/// The same with a flag that says when the user is done.
fn flagged(store: std::sync::atomic::Ordering, load: std::sync::atomic::Ordering) -> impl Fn() + Send + Sync + 'static {
    move || {
        let (node, done) = (Raw::new(), Arc::new(AtomicBool::new(false)));
        let user = thread::spawn({
            let done = done.clone();
            move || {
                node.load();
                node.read();
                done.store(true, store);
            }
        });
        let early = done.load(load);
        if early {
            node.free();
        }
        user.join().unwrap();
        if !early {
            node.free();
        }
    }
}

/// The documented limit: a relaxed flag may be beside a count of std that orders, so its reader may free.
#[test]
fn a_free_that_a_flag_puts_after_the_uses_is_in_order() {
    holds(flagged(Release, Acquire));
    holds(flagged(Relaxed, Relaxed));
}

/// std's `Arc` orders, and nobody sees how.
#[test]
fn what_std_counts_is_freed_in_order() {
    struct Shared(Node);
    // SAFETY: each thread uses the cell under the lock.
    unsafe impl Sync for Shared {}
    // SAFETY: as above.
    unsafe impl Send for Shared {}
    holds(|| {
        let node = Shared(Node { number: AtomicUsize::new(0), cell: UnsafeCell::new(0) });
        let (shared, lock) = (Arc::new(node), Arc::new(Mutex::new(())));
        let work = move || {
            let Shared(node) = &*shared;
            node.number.fetch_add(1, Relaxed);
            let guard = lock.lock().unwrap();
            node.cell.with_mut(|_| ());
            drop(guard);
        };
        let others = [thread::spawn(work.clone()), thread::spawn(work.clone())];
        drop(work);
        drop(others);
    });
}
