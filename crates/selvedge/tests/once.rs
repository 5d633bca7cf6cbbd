//! What happens once, and statics that start anew in every execution.

mod support;

use std::collections::BTreeSet;

use selvedge::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use selvedge::sync::{Arc, Condvar, LazyLock, Mutex, Once, OnceLock, RwLock};
use selvedge::{Builder, ViolationKind, thread};
use support::{found, holds, outcomes};

#[test]
fn one_of_many_runs_and_the_others_wait() {
    let seen = outcomes(|| {
        let shared = Arc::new((Once::new(), AtomicUsize::new(0)));
        let run = |shared: &(Once, AtomicUsize)| {
            let mut mine = false;
            shared.0.call_once(|| {
                thread::yield_now();
                shared.1.fetch_add(1, SeqCst);
                mine = true;
            });
            assert_eq!(shared.1.load(SeqCst), 1);
            assert!(shared.0.is_completed());
            mine
        };
        let t = thread::spawn({
            let shared = shared.clone();
            move || run(&shared)
        });
        let mine = run(&shared);
        assert_ne!(mine, t.join().unwrap());
        mine
    });
    assert_eq!(seen, BTreeSet::from([false, true]));
}

#[test]
fn a_once_that_panicked_is_poisoned() {
    let report = Builder::new().thread_panics_reach_join(true).explore(|| {
        let once = Arc::new(Once::new());
        let t = thread::spawn({
            let once = once.clone();
            move || once.call_once(|| panic!("on purpose"))
        });
        assert!(t.join().is_err());
        once.call_once_force(|state| assert!(state.is_poisoned()));
        once.call_once(|| unreachable!("it has run"));
        once.wait();
    });
    assert!(report.violation.is_none() && report.complete, "{report}");
}

#[test]
fn a_value_is_written_once() {
    let seen = outcomes(|| {
        let cell = Arc::new(OnceLock::new());
        let t = thread::spawn({
            let cell = cell.clone();
            move || *cell.get_or_init(|| 1)
        });
        let early = cell.get().copied();
        let set = cell.set(2);
        let value = *cell.get().unwrap();
        assert_eq!((value, t.join().unwrap()), (value, value));
        assert_eq!(set.is_ok(), value == 2);
        (early, value)
    });
    assert_eq!(seen, BTreeSet::from([(None, 1), (None, 2), (Some(1), 1)]));
    holds(|| {
        let mut cell = OnceLock::from(String::from("a"));
        cell.get_mut().unwrap().push('b');
        assert_eq!((cell.take(), cell.get().cloned()), (Some("ab".to_owned()), None));
        assert_eq!(cell.into_inner(), None);
    });
}

#[test]
fn lazy_values_are_made_by_one() {
    holds(|| {
        let made = Arc::new(AtomicUsize::new(0));
        let lazy = Arc::new(LazyLock::new({
            let made = made.clone();
            move || made.fetch_add(1, SeqCst) + 10
        }));
        let t = thread::spawn({
            let lazy = lazy.clone();
            move || **lazy
        });
        assert_eq!((**lazy, t.join().unwrap(), made.load(SeqCst)), (10, 10, 1));
    });
}

static COUNT: AtomicUsize = AtomicUsize::new(3);
static LIST: Mutex<Vec<usize>> = Mutex::new(Vec::new());
static TABLE: RwLock<[u8; 3]> = RwLock::new([1, 2, 3]);
static CALL: Condvar = Condvar::new();
static ONCE: Once = Once::new();
static NAME: OnceLock<String> = OnceLock::new();
static LAZY: LazyLock<Vec<usize>> = LazyLock::new(|| vec![COUNT.load(SeqCst)]);

/// Uses every static and expects them as they are written above.
fn statics() {
    let t = thread::spawn(|| {
        COUNT.fetch_add(1, SeqCst);
        LIST.lock().unwrap().push(1);
        CALL.notify_all();
    });
    let mut list = LIST.lock().unwrap();
    while list.is_empty() {
        list = CALL.wait(list).unwrap();
    }
    drop(list);
    t.join().unwrap();
    assert_eq!((COUNT.load(SeqCst), LIST.lock().unwrap().len()), (4, 1));
    TABLE.write().unwrap()[0] += 1;
    assert_eq!(*TABLE.read().unwrap(), [2, 2, 3]);
    let mut ran = false;
    ONCE.call_once(|| ran = true);
    assert!(ran);
    assert_eq!(NAME.set("x".repeat(100)), Ok(()));
    assert_eq!((NAME.get().map(String::len), LAZY[0]), (Some(100), 4));
}

#[test]
fn statics_start_anew_in_every_execution() {
    assert!(holds(statics).executions > 1);
}

#[test]
fn models_in_parallel_do_not_share_their_statics() {
    let models: Vec<_> = (0..4).map(|_| std::thread::spawn(|| holds(statics).executions)).collect();
    let executions: BTreeSet<u64> = models.into_iter().map(|t| t.join().unwrap()).collect();
    assert_eq!(executions.len(), 1);
}

#[test]
fn what_outlives_an_execution_is_refused() {
    let captured = std::sync::Arc::new(AtomicUsize::new(0));
    let report = Builder::new().explore(move || {
        let captured = captured.clone();
        let t = thread::spawn({
            let captured = captured.clone();
            move || captured.fetch_add(1, SeqCst)
        });
        captured.fetch_add(1, SeqCst);
        t.join().unwrap();
    });
    let found = found(report);
    assert_eq!(found.kind, ViolationKind::RuntimeError);
    assert!(found.message.contains("earlier execution") && found.message.contains("once.rs"), "{}", found.message);
}

static USED_OUTSIDE: Mutex<Vec<u8>> = Mutex::new(Vec::new());

#[test]
fn a_static_that_lost_its_first_value_is_refused() {
    USED_OUTSIDE.lock().unwrap().push(1);
    let report = Builder::new().explore(|| USED_OUTSIDE.lock().unwrap().push(2));
    let found = found(report);
    assert!(found.message.contains("outside of a model"), "{}", found.message);
    assert_eq!(*USED_OUTSIDE.lock().unwrap(), [1]);
}
