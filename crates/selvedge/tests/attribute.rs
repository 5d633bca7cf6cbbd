//! `#[selvedge::test]`, choices of the environment, and the strategies that do not explore everything.

use std::collections::BTreeSet;
use std::sync::Mutex;

use selvedge::sync::Arc;
use selvedge::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use selvedge::{Builder, thread};

fn lost_update() {
    let count = Arc::new(AtomicUsize::new(0));
    let add = |count: &AtomicUsize| count.store(count.load(SeqCst) + 1, SeqCst);
    let other = thread::spawn({
        let count = count.clone();
        move || add(&count)
    });
    add(&count);
    other.join().unwrap();
    assert_eq!(count.load(SeqCst), 2);
}

#[selvedge::test]
#[should_panic(expected = "data race")]
fn a_test_by_attribute_is_explored() {
    let cell = Arc::new(Shared(selvedge::cell::Cell::new(0)));
    let other = thread::spawn({
        let cell = cell.clone();
        move || cell.0.set(1)
    });
    cell.0.set(2);
    other.join().unwrap();
}

struct Shared(selvedge::cell::Cell<u8>);
#[allow(unsafe_code)]
// SAFETY: the race is what the test is about; the model stops before it.
unsafe impl Sync for Shared {}

#[selvedge::test(preemptions = 0)]
fn bounds_are_in_the_attribute() {
    lost_update(); // needs one preemption
}

#[selvedge::test(unbounded, max_executions = 1000, time_limit = 60, require_complete = true)]
fn several_options_at_once() {
    let n = AtomicUsize::new(0);
    n.store(1, SeqCst);
}

#[selvedge::test(deviations = 1, stale = 0, max_branches = 100)]
fn deviations_and_length_are_limited() {
    let n = AtomicUsize::new(0);
    n.store(1, SeqCst);
}

#[test]
fn every_choice_is_explored() {
    static SEEN: Mutex<BTreeSet<(usize, usize)>> = Mutex::new(BTreeSet::new());
    let report = Builder::new().explore(|| {
        let pair = (selvedge::choose(0..3), selvedge::choose(5..7));
        SEEN.lock().unwrap().insert(pair);
    });
    assert!(report.complete && report.executions == 6, "{report}");
    assert_eq!(SEEN.lock().unwrap().len(), 6);
    assert_eq!(selvedge::choose(4..9), 4);
}

#[test]
fn a_uniform_walk_finds_the_lost_update_and_repeats_itself() {
    let find = || Builder::new().uniform_walk(1, 1000).explore(lost_update);
    let [first, second] = [find(), find()];
    assert_eq!(first.executions, second.executions);
    let schedule = |report: selvedge::Report| report.violation.map(|v| v.schedule);
    assert!(first.violation.is_some() && schedule(first) == schedule(second));
}
