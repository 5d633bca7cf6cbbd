//! How many executions a bound takes: exactly as many as there are partial orders within it. The numbers were published
//! or established by exhaustive enumeration.

#[path = "class_counts/chase_lev.rs"]
mod chase_lev;
#[path = "class_counts/treiber.rs"]
mod treiber;

use selvedge::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use selvedge::sync::mpsc::channel;
use selvedge::sync::{Arc, Condvar, Mutex, RwLock};
use selvedge::thread::{self, JoinHandle};
use selvedge::{Builder, Evidence, Recheck, Reduction};

fn join(threads: impl IntoIterator<Item = JoinHandle<()>>) {
    for thread in threads {
        thread.join().unwrap();
    }
}

/// The main thread only starts the others and waits.
fn threads<S: Send + Sync + 'static>(state: S, n: usize, body: fn(&S, usize)) {
    let state = Arc::new(state);
    let start = |index| {
        let state = state.clone();
        thread::spawn(move || body(&state, index))
    };
    let threads: Vec<_> = (0..n).map(start).collect();
    join(threads);
}

fn xy() -> [AtomicUsize; 2] {
    [AtomicUsize::new(0), AtomicUsize::new(0)]
}

fn lost_update(n: usize) {
    threads(AtomicUsize::new(0), n, |x, _| x.store(x.load(SeqCst) + 1, SeqCst));
}

fn two_counters(n: usize) {
    threads(xy(), n, |[x, y], _| {
        x.fetch_add(1, SeqCst);
        y.fetch_add(1, SeqCst);
    });
}

fn store_buffering() {
    threads(xy(), 2, |xy, index| {
        xy[index].store(1, SeqCst);
        xy[1 - index].load(SeqCst);
    });
}

fn one_increment(n: usize) {
    threads(AtomicUsize::new(0), n, |x, _| {
        x.fetch_add(1, SeqCst);
    });
}

/// Announce, look at the other, and enter if it has not announced.
fn dekker_core() {
    threads(xy(), 2, |flags, index| {
        flags[index].store(1, SeqCst);
        if flags[1 - index].load(SeqCst) == 0 {
            std::hint::black_box(index);
        }
    });
}

fn philosophers_in_order() {
    threads([Mutex::new(()), Mutex::new(()), Mutex::new(())], 3, |forks, seat| {
        let (left, right) = (seat.min((seat + 1) % 3), seat.max((seat + 1) % 3));
        for _ in 0..2 {
            let _first = forks[left].lock().unwrap();
            let _second = forks[right].lock().unwrap();
        }
    });
}

fn readers_and_writers() {
    threads(RwLock::new(0), 4, |lock, index| {
        if index < 2 {
            std::hint::black_box(*lock.read().unwrap());
        } else {
            *lock.write().unwrap() += 1;
        }
    });
}

fn two_senders() {
    let (tx, rx) = channel();
    let start = |tx: selvedge::sync::mpsc::Sender<u8>| {
        thread::spawn(move || {
            tx.send(1).unwrap();
            tx.send(2).unwrap();
        })
    };
    let threads = [start(tx.clone()), start(tx)];
    for _ in 0..4 {
        rx.recv().unwrap();
    }
    join(threads);
}

/// What both sides share: how many items there are, and a word when there is one more.
type Items = Arc<(Mutex<usize>, Condvar)>;

fn produce(items: &Items) {
    for _ in 0..2 {
        *items.0.lock().unwrap() += 1;
        items.1.notify_one();
    }
}

fn consume(items: &Items) {
    for _ in 0..2 {
        let mut there = items.0.lock().unwrap();
        while *there == 0 {
            there = items.1.wait(there).unwrap();
        }
        *there -= 1;
    }
}

/// The main thread does one of the two; who of them starts makes a difference to the bound.
fn producer_and_consumer(main: fn(&Items), other: fn(&Items)) {
    let items = Items::default();
    let thread = thread::spawn({
        let items = items.clone();
        move || other(&items)
    });
    main(&items);
    join([thread]);
}

fn lost_updates() {
    threads(AtomicUsize::new(0), 2, |x, _| (0..3).for_each(|_| x.store(x.load(SeqCst) + 1, SeqCst)));
}

/// A body, and the classes within 0, 1, 2, … preemptions.
type Row = (&'static str, fn(), &'static [u64]);

const CLASSES: &[Row] = &[
    ("lost update, 3 threads", || lost_update(3), &[6, 24, 36]),
    ("lost update, 4 threads", || lost_update(4), &[24, 168, 432, 576]),
    ("two counters, 2 threads", || two_counters(2), &[2, 4]),
    ("two counters, 3 threads", || two_counters(3), &[6, 24, 36]),
    ("store buffering", store_buffering, &[2, 3]),
    ("one increment, 4 threads", || one_increment(4), &[24, 24, 24]),
    ("Dekker's core", dekker_core, &[2, 3]),
    ("three philosophers in order, two meals", philosophers_in_order, &[6, 24, 60, 90, 90]),
    ("two readers, two writers", readers_and_writers, &[18, 18, 18, 18, 18]),
    ("two senders, two messages each", two_senders, &[2, 4, 6, 6, 6]),
    ("three lost updates each, 2 threads", lost_updates, &[2, 12, 56, 132, 236]),
    ("the main thread produces two items", || producer_and_consumer(produce, consume), &[1, 4, 7, 8, 8]),
    ("the main thread consumes two items", || producer_and_consumer(consume, produce), &[1, 3, 6, 8, 8]),
    ("Treiber's stack, 2 threads, 2 items each", treiber::two_by_two, &[2, 16, 106, 400, 1182]),
    ("Chase-Lev, 3 items, 2 steals", || chase_lev::three_by_two(true), &[1, 13, 46, 161, 200]),
    ("Chase-Lev that never looks for room", || chase_lev::three_by_two(false), &[1, 11, 39, 125, 154]),
];

#[test]
fn every_class_within_a_bound_runs_once() {
    for (name, body, classes) in CLASSES {
        let report = Builder::new().preemptions(classes.len() - 1).explore(*body);
        assert!(report.violation.is_none() && report.complete, "{name}: {report}");
        let counted: Vec<u64> = report.per_bound.iter().map(|bound| bound.executions).collect();
        // The search ends early when a bound can add nothing.
        let expected = &classes[..counted.len().min(classes.len())];
        assert_eq!(counted, expected, "{name}");
        assert!(counted.last() == classes.last(), "{name}: {counted:?}");
    }
}

/// The digests that the recheck computes of all schedules are as many as there are classes.
#[test]
fn the_recheck_counts_the_same_classes() {
    let mut counted = Vec::new();
    for (name, body, classes) in CLASSES.iter().filter(|(_, _, classes)| *classes.last().unwrap() < 300) {
        let report = Builder::new().preemptions(classes.len() - 1).recheck(Recheck::Full).explore(*body);
        assert!(report.complete, "{name}: {report}");
        if let Evidence::Reexplored { classes: found, .. } = report.evidence {
            assert_eq!(Some(&found), classes.last(), "{name}");
            counted.push(*name);
        }
    }
    assert!(counted.len() >= 10, "{counted:?}");
}

#[test]
fn the_other_reductions_miss_no_violation_and_run_no_fewer() {
    for (name, body, classes) in CLASSES.iter().filter(|(_, _, classes)| *classes.last().unwrap() < 100) {
        for reduction in [Reduction::None, Reduction::Bpor] {
            let report = Builder::new().preemptions(1).reduction(reduction).explore(*body);
            assert!(report.violation.is_none() && report.complete, "{name}: {report}");
            assert!(report.executions >= classes[1], "{name}: {report}");
        }
    }
}

#[test]
fn a_condition_variable_comes_to_an_end() {
    let report = Builder::new().unbounded().explore(|| producer_and_consumer(produce, consume));
    assert!(report.violation.is_none() && report.complete, "{report}");
}

/// A thread that a new thread starts at once may race with what others did before both were there.
#[test]
fn a_grandchild_races_with_earlier_steps() {
    for reduction in [Reduction::HappensBefore, Reduction::Bpor, Reduction::None] {
        let ends = std::sync::Arc::new(std::sync::Mutex::new(std::collections::BTreeSet::new()));
        let seen = ends.clone();
        let report = Builder::new().unbounded().reduction(reduction).explore(move || {
            let (x, gate) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
            let (early, late) = (x.clone(), x.clone());
            let first = thread::spawn(move || early.store(1, SeqCst));
            let second = thread::spawn(move || {
                gate.load(SeqCst);
                let child = thread::spawn(move || thread::spawn(move || late.store(2, SeqCst)).join().unwrap());
                child.join().unwrap();
            });
            join([first, second]);
            seen.lock().unwrap().insert(x.load(SeqCst));
        });
        assert!(report.violation.is_none() && report.complete, "{report}");
        assert_eq!(*ends.lock().unwrap(), [1, 2].into(), "{reduction:?}");
    }
}
