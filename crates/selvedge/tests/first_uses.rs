//! Whatever a test does first with a primitive, the primitive is an object of its own afterwards: looking at it without
//! a step registers it as any other use does.

mod support;

use std::collections::BTreeSet;

use selvedge::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering::SeqCst};
use selvedge::sync::{Arc, Barrier, Condvar, LazyLock, Mutex, Once, OnceLock, RwLock, mpsc};
use selvedge::{Builder, Reduction, thread};
use support::holds;

const REDUCTIONS: [Reduction; 3] = [Reduction::None, Reduction::Bpor, Reduction::HappensBefore];

/// A lost update of `a`, which `first` looks at before anything else happens: the values at the end, with every reduction.
fn lost_update(first: impl Fn(&mut AtomicUsize) + Send + Sync + Copy + 'static) {
    for reduction in REDUCTIONS {
        let ends = std::sync::Arc::new(std::sync::Mutex::new(BTreeSet::new()));
        let seen = ends.clone();
        let report = Builder::new().reduction(reduction).explore(move || {
            // Object 0, which `a` must not be taken for.
            let other = AtomicUsize::new(0);
            let mut a = AtomicUsize::new(0);
            first(&mut a);
            other.store(5, SeqCst);
            let a = Arc::new(a);
            let add = |a: &AtomicUsize| a.store(a.load(SeqCst) + 1, SeqCst);
            let t = thread::spawn({
                let a = a.clone();
                move || add(&a)
            });
            add(&a);
            t.join().unwrap();
            seen.lock().unwrap().insert(a.load(SeqCst));
        });
        assert!(report.complete && report.violation.is_none(), "{reduction:?}: {report}");
        assert_eq!(*ends.lock().unwrap(), BTreeSet::from([1, 2]), "{reduction:?}");
    }
}

#[test]
#[allow(unsafe_code)]
fn an_unsynchronised_load() {
    // SAFETY: there is no other thread yet.
    lost_update(|a| assert_eq!(unsafe { a.unsync_load() }, 0));
    for reduction in REDUCTIONS {
        let report = Builder::new().reduction(reduction).explore(|| {
            let (flag, pointer) = (AtomicBool::new(true), AtomicPtr::new(std::ptr::null_mut::<u8>()));
            // SAFETY: there is no other thread.
            assert!(unsafe { flag.unsync_load() && pointer.unsync_load().is_null() });
            assert!(flag.load(SeqCst) && pointer.load(SeqCst).is_null());
        });
        assert!(report.complete && report.violation.is_none(), "{reduction:?}: {report}");
    }
}

#[test]
fn exclusive_use_of_an_atomic() {
    lost_update(|a| *a.get_mut() = 0);
    lost_update(|a| a.with_mut(|value| *value = 0));
    lost_update(|a| *a = AtomicUsize::new(std::mem::take(a).into_inner()));
    lost_update(|a| drop(std::mem::replace(a, AtomicUsize::new(0))));
}

#[test]
fn showing_an_atomic() {
    lost_update(|a| assert_eq!(format!("{a:?}"), "0"));
}

#[test]
#[allow(unsafe_code)]
fn an_unsynchronised_load_of_a_static() {
    static A: AtomicUsize = AtomicUsize::new(7);
    holds(|| {
        let other = AtomicUsize::new(0);
        // SAFETY: there is no other thread yet.
        assert_eq!(unsafe { A.unsync_load() }, 7);
        other.store(1, SeqCst);
        let t = thread::spawn(|| A.fetch_add(1, SeqCst));
        A.fetch_add(1, SeqCst);
        t.join().unwrap();
        assert_eq!((A.load(SeqCst), other.load(SeqCst)), (9, 1));
    });
}

/// Two threads, each of which adds to the value under the lock; `first` looks at the lock before.
fn guarded(first: impl Fn(&mut Mutex<u32>) + Send + Sync + Copy + 'static) {
    for reduction in REDUCTIONS {
        let report = Builder::new().reduction(reduction).explore(move || {
            let other = Mutex::new(());
            let mut lock = Mutex::new(0);
            first(&mut lock);
            let _held = other.lock().unwrap();
            let lock = Arc::new(lock);
            let t = thread::spawn({
                let lock = lock.clone();
                move || *lock.lock().unwrap() += 1
            });
            *lock.lock().unwrap() += 1;
            t.join().unwrap();
            assert_eq!(*lock.lock().unwrap(), 2);
        });
        assert!(report.complete && report.violation.is_none(), "{reduction:?}: {report}");
    }
}

#[test]
fn uses_of_a_mutex_without_a_step() {
    guarded(|lock| *lock.get_mut().unwrap() = 0);
    guarded(|lock| assert!(!lock.is_poisoned()));
    guarded(|lock| lock.clear_poison());
    guarded(|lock| assert!(format!("{lock:?}").contains("poisoned: false")));
    guarded(|lock| *lock = Mutex::new(std::mem::take(lock).into_inner().unwrap()));
}

#[test]
fn uses_of_a_readers_writer_lock_without_a_step() {
    let uses: [fn(&mut RwLock<u32>); 5] = [
        |lock| *lock.get_mut().unwrap() = 0,
        |lock| assert!(!lock.is_poisoned()),
        |lock| lock.clear_poison(),
        |lock| assert!(format!("{lock:?}").contains("poisoned: false")),
        |lock| *lock = RwLock::new(std::mem::take(lock).into_inner().unwrap()),
    ];
    for first in uses {
        holds(move || {
            let other = RwLock::new(());
            let mut lock = RwLock::new(0);
            first(&mut lock);
            let _held = other.write().unwrap();
            let lock = Arc::new(lock);
            let t = thread::spawn({
                let lock = lock.clone();
                move || *lock.write().unwrap() += 1
            });
            *lock.write().unwrap() += 1;
            t.join().unwrap();
            assert_eq!(*lock.read().unwrap(), 2);
        });
    }
}

#[test]
fn showing_and_dropping_what_nobody_used() {
    holds(|| {
        let other = Mutex::new(());
        let shown = (Condvar::new(), Barrier::new(1), Once::new(), OnceLock::<u8>::new(), LazyLock::new(|| 3_u8));
        assert!(!format!("{:?} {:?} {:?}", shown.0, shown.1, shown.2).is_empty());
        assert!(!format!("{:?} {:?}", shown.3, shown.4).is_empty());
        let _held = other.lock().unwrap();
        shown.0.notify_all();
        shown.1.wait();
        shown.2.call_once(|| {});
        assert_eq!((shown.3.get_or_init(|| 2), *shown.4), (&2, 3));
        let (sender, receiver) = mpsc::channel::<u8>();
        drop(sender);
        assert!(receiver.recv().is_err());
        drop((AtomicUsize::new(1), Mutex::new(vec![1]), RwLock::new(vec![1]), Condvar::new()));
        let mut empty = OnceLock::<u8>::new();
        assert!(empty.get_mut().is_none() && empty.take().is_none() && empty.into_inner().is_none());
    });
}
