//! Executions at each preemption bound, as others have published them, and Figure 1 of [CBPOR].

mod support;

use std::cell::RefCell;
use std::collections::BTreeSet;

use selvedge_stateless::Reduction::{self, Bpor, HappensBefore, None as NoReduction};
use support::{Atomic, config, explore, join, per_bound, spawn};

/// Spawns the threads, then waits for all.
fn together(threads: Vec<Box<dyn FnOnce()>>) {
    let handles: Vec<_> = threads.into_iter().map(spawn).collect();
    handles.into_iter().for_each(join);
}

fn lost_update(threads: usize) -> impl Fn() {
    move || {
        let x = Atomic::new(0);
        let add = |x: Atomic| Box::new(move || x.store(x.load() + 1)) as Box<dyn FnOnce()>;
        together((0..threads).map(|_| add(x.clone())).collect());
    }
}

/// Each thread adds to `x`, then to `y`.
fn two_counters(threads: usize) -> impl Fn() {
    move || {
        let (x, y) = (Atomic::new(0), Atomic::new(0));
        let add = |x: Atomic, y: Atomic| {
            Box::new(move || {
                x.fetch_add(1);
                y.fetch_add(1);
            }) as Box<dyn FnOnce()>
        };
        together((0..threads).map(|_| add(x.clone(), y.clone())).collect());
    }
}

fn one_add(threads: usize) -> impl Fn() {
    move || {
        let x = Atomic::new(0);
        let add = |x: Atomic| Box::new(move || _ = x.fetch_add(1)) as Box<dyn FnOnce()>;
        together((0..threads).map(|_| add(x.clone())).collect());
    }
}

/// Store buffering; also the core of Dekker's algorithm.
fn store_buffering() {
    let (x, y) = (Atomic::new(0), Atomic::new(0));
    let side = |mine: Atomic, theirs: Atomic| {
        Box::new(move || {
            mine.store(1);
            theirs.load();
        }) as Box<dyn FnOnce()>
    };
    together(vec![side(x.clone(), y.clone()), side(y, x)]);
}

#[test]
fn executions_at_each_bound_are_the_published_ones() {
    assert_eq!(per_bound(HappensBefore, 2, lost_update(3)), [6, 24, 36]);
    assert_eq!(per_bound(HappensBefore, 3, lost_update(4)), [24, 168, 432, 576]);
    assert_eq!(per_bound(HappensBefore, 1, two_counters(2)), [2, 4]);
    assert_eq!(per_bound(HappensBefore, 2, two_counters(3)), [6, 24, 36]);
    assert_eq!(per_bound(HappensBefore, 1, store_buffering), [2, 3]);
    assert_eq!(per_bound(HappensBefore, 3, one_add(4)), [24; 4]);
}

#[test]
fn figure_1_both_final_values_are_found_without_a_preemption() {
    for reduction in [NoReduction, Bpor, HappensBefore] {
        assert_eq!(final_values(reduction), BTreeSet::from([1, 2]), "{reduction:?}");
    }
}

/// T1: x := 1; y := 1. T2: y := 2.
fn final_values(reduction: Reduction) -> BTreeSet<u64> {
    let seen = RefCell::new(BTreeSet::new());
    let result = explore(&config(reduction, 0), || {
        let (x, y) = (Atomic::new(0), Atomic::new(0));
        let (y1, y2) = (y.clone(), y.clone());
        let first = move || {
            x.store(1);
            y1.store(1);
        };
        together(vec![Box::new(first), Box::new(move || y2.store(2))]);
        seen.borrow_mut().insert(y.peek());
    });
    assert!(result.complete);
    seen.into_inner()
}
