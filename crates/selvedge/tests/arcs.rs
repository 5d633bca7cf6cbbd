//! Shared ownership: counts, weak pointers, leaks, and that dropping handles costs no runs.
#![allow(unsafe_code)]

mod support;

use std::collections::BTreeSet;

use selvedge::alloc::{Layout, Track, alloc, dealloc};
use selvedge::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use selvedge::sync::mpsc::channel;
use selvedge::sync::{Arc, Mutex, Weak};
use selvedge::{ViolationKind, thread};
use support::{holds, outcomes, violation};

#[test]
fn handles_that_are_only_dropped_cost_no_runs() {
    let report = holds(|| {
        let value = Arc::new(5);
        let threads: Vec<_> = (0..3)
            .map(|_| {
                let value = value.clone();
                thread::spawn(move || *value)
            })
            .collect();
        drop(value);
        for t in threads {
            assert_eq!(t.join().unwrap(), 5);
        }
    });
    assert_eq!(report.executions, 1, "{report}");
}

#[test]
fn whoever_looks_at_a_count_sees_every_value() {
    let seen = outcomes(|| {
        let value = Arc::new(());
        let t = thread::spawn({
            let value = value.clone();
            move || drop(value)
        });
        let count = Arc::strong_count(&value);
        t.join().unwrap();
        count
    });
    assert_eq!(seen, BTreeSet::from([1, 2]));
}

#[test]
fn unwrapping_succeeds_or_not() {
    let seen = outcomes(|| {
        let value = Arc::new(3);
        let t = thread::spawn({
            let value = value.clone();
            move || *value
        });
        let unwrapped = Arc::try_unwrap(value).is_ok();
        t.join().unwrap();
        unwrapped
    });
    assert_eq!(seen, BTreeSet::from([false, true]));
    let seen = outcomes(|| {
        let value = Arc::new(3);
        let t = thread::spawn({
            let value = value.clone();
            move || Arc::into_inner(value).is_some()
        });
        let mine = Arc::into_inner(value).is_some();
        (mine, t.join().unwrap())
    });
    assert_eq!(seen, BTreeSet::from([(false, true), (true, false)]));
}

#[test]
fn a_weak_pointer_finds_its_value_or_not() {
    let seen = outcomes(|| {
        let value = Arc::new(7);
        let weak = Arc::downgrade(&value);
        let t = thread::spawn(move || drop(value));
        let found = weak.upgrade().map(|v| *v);
        t.join().unwrap();
        assert!(weak.upgrade().is_none());
        found
    });
    assert_eq!(seen, BTreeSet::from([None, Some(7)]));
    assert!(Weak::<u8>::new().upgrade().is_none());
}

#[test]
fn exclusive_access_needs_the_only_pointer() {
    holds(|| {
        let mut value = Arc::new(1);
        let weak = Arc::downgrade(&value);
        assert!(Arc::get_mut(&mut value).is_none());
        drop(weak);
        *Arc::get_mut(&mut value).unwrap() += 1;
        let mut other = value.clone();
        *Arc::make_mut(&mut other) += 10;
        assert_eq!((*value, *other, Arc::weak_count(&value)), (2, 12, 0));
        let cyclic = Arc::new_cyclic(|me: &Weak<Mutex<Weak<u8>>>| {
            assert!(me.upgrade().is_none());
            Mutex::new(Weak::new())
        });
        assert_eq!(Arc::strong_count(&cyclic), 1);
    });
}

#[test]
fn raw_pointers_keep_the_count() {
    holds(|| {
        let value = Arc::new(5);
        let pointer = Arc::into_raw(value.clone());
        // SAFETY: from `into_raw`, balanced.
        unsafe {
            Arc::increment_strong_count(pointer);
            Arc::decrement_strong_count(pointer);
            assert_eq!(*Arc::from_raw(pointer), 5);
        }
        let text: Arc<str> = "abc".into();
        let list: Arc<[u8]> = vec![1, 2].into();
        assert_eq!((text.len(), list.len()), (3, 2));
    });
}

#[test]
fn a_destructor_with_steps_makes_the_last_drop_a_step() {
    struct CountsDrops(Arc<AtomicUsize>);
    impl Drop for CountsDrops {
        fn drop(&mut self) {
            self.0.fetch_add(1, SeqCst);
        }
    }
    let seen = outcomes(|| {
        let drops = Arc::new(AtomicUsize::new(0));
        let value = Arc::new(CountsDrops(drops.clone()));
        let t = thread::spawn({
            let value = value.clone();
            move || drop(value)
        });
        drop(value);
        let early = drops.load(SeqCst);
        t.join().unwrap();
        assert_eq!(drops.load(SeqCst), 1);
        early
    });
    assert_eq!(seen, BTreeSet::from([0, 1]));
}

#[test]
fn what_is_not_freed_is_a_leak() {
    let forgotten = violation(|| std::mem::forget(Arc::new(1)));
    assert_eq!(forgotten.kind, ViolationKind::Leak);
    assert!(forgotten.text.contains("arcs.rs"), "{}", forgotten.text);
    let tracked = violation(|| std::mem::forget(Track::new(1)));
    assert_eq!(tracked.kind, ViolationKind::Leak);
    assert!(tracked.message.contains("arcs.rs"), "{}", tracked.message);
    let allocated = violation(|| {
        // SAFETY: the size is not zero.
        unsafe { alloc(Layout::new::<u64>()) };
    });
    assert_eq!(allocated.kind, ViolationKind::Leak);
    let cycle = violation(|| {
        struct Node(Mutex<Option<Arc<Node>>>);
        let node = Arc::new(Node(Mutex::new(None)));
        *node.0.lock().unwrap() = Some(node.clone());
    });
    assert_eq!(cycle.kind, ViolationKind::Leak);
}

#[test]
fn freeing_twice_is_reported_before_it_happens() {
    let found = violation(|| {
        let layout = Layout::new::<u64>();
        // SAFETY: wrong on purpose; the model ends the run before the second call reaches the allocator.
        unsafe {
            let memory = alloc(layout);
            dealloc(memory, layout);
            dealloc(memory, layout);
        }
    });
    assert_eq!(found.kind, ViolationKind::RuntimeError);
}

#[test]
fn a_channel_in_a_shared_value_closes_with_its_last_owner() {
    holds(|| {
        let (tx, rx) = channel::<u8>();
        let shared = Arc::new(tx);
        let t = thread::spawn({
            let shared = shared.clone();
            move || drop(shared)
        });
        drop(shared);
        assert!(rx.recv().is_err());
        t.join().unwrap();
    });
}

struct State(AtomicUsize);

impl Drop for State {
    fn drop(&mut self) {
        self.0.with_mut(|state| assert_eq!(*state, 1));
    }
}

/// Who drops last writes the atomic: where stale values are explored, the order of the drops matters then.
#[test]
fn a_destructor_may_take_its_atomic_apart() {
    use std::sync::atomic::Ordering::{AcqRel, Acquire};
    holds(|| {
        let state = Arc::new(State(AtomicUsize::new(0)));
        thread::spawn({
            let state = state.clone();
            move || state.0.fetch_or(1, AcqRel)
        });
        state.0.load(Acquire);
    });
}
