//! Whoever uses an object must know that it was made: its creation is a write. Each way to publish an object by mistake beside
//! the right one, and what must raise no alarm.
#![allow(unsafe_code)]
#![allow(clippy::redundant_closure, reason = "the place where an object is made is that of the closure")]

mod support;

use selvedge::cell::UnsafeCell;
use selvedge::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering};
use selvedge::sync::{Arc, Barrier, Condvar, LazyLock, Mutex, Notify, Once, OnceLock, RwLock, mpsc};
use selvedge::{Builder, ViolationKind, thread};
use support::holds;

use Ordering::{Acquire, Relaxed, Release, SeqCst};

fn races(body: impl Fn() + Send + Sync + 'static) -> String {
    let report = Builder::new().explore(body);
    let found = report.violation.unwrap_or_else(|| panic!("no race was found: {:?}", report.stop));
    assert_eq!(found.kind, ViolationKind::DataRace, "{}", found.message);
    found.message
}

/// A thread makes an object and stores its address; another one uses it if it finds it.
fn published<T: 'static>(
    make: fn() -> T,
    uses: fn(&T),
    store: Ordering,
    load: Ordering,
) -> impl Fn() + Send + Sync + 'static {
    move || {
        let pointer: Arc<AtomicPtr<T>> = Arc::default();
        let maker = thread::spawn({
            let pointer = pointer.clone();
            move || pointer.store(Box::into_raw(Box::new(make())), store)
        });
        let found = pointer.load(load);
        if !found.is_null() {
            // SAFETY: freed after the join; the model stops before a use that is not ordered.
            uses(unsafe { &*found });
        }
        maker.join().unwrap();
        // SAFETY: nobody else has it any more.
        drop(unsafe { Box::from_raw(pointer.load(Relaxed)) });
    }
}

fn needs_release_and_acquire<T: 'static>(make: fn() -> T, uses: fn(&T)) {
    for (store, load) in [(Relaxed, Relaxed), (Release, Relaxed), (Relaxed, Acquire)] {
        let message = races(published(make, uses, store, load));
        assert!(message.contains("unordered with its creation at"), "{message}");
        assert!(message.contains("tests/publication.rs"), "{message}");
    }
    holds(published(make, uses, Release, Acquire));
}

#[test]
fn a_fresh_lock() {
    needs_release_and_acquire(|| Mutex::new(1), |lock| assert_eq!(*lock.lock().unwrap(), 1));
    needs_release_and_acquire(|| Mutex::new(1), |lock| drop(lock.try_lock()));
    needs_release_and_acquire(|| RwLock::new(1), |lock| assert_eq!(*lock.read().unwrap(), 1));
    needs_release_and_acquire(|| RwLock::new(1), |lock| *lock.write().unwrap() = 2);
}

#[test]
fn a_fresh_object_that_threads_wait_for() {
    needs_release_and_acquire(|| Condvar::new(), |condvar| condvar.notify_all());
    needs_release_and_acquire(|| Notify::new(), |notify| notify.notify());
    needs_release_and_acquire(|| Once::new(), |once| once.call_once(|| ()));
    needs_release_and_acquire(|| Barrier::new(1), |barrier| assert!(barrier.wait().is_leader()));
    needs_release_and_acquire(|| OnceLock::<u8>::new(), |value| assert_eq!(*value.get_or_init(|| 3), 3));
}

#[test]
fn a_fresh_channel() {
    needs_release_and_acquire(|| mpsc::channel::<u8>(), |(sender, _)| sender.send(1).unwrap());
    needs_release_and_acquire(|| mpsc::sync_channel::<u8>(0), |(sender, _)| assert!(sender.try_send(1).is_err()));
}

#[test]
fn a_fresh_atomic_or_cell() {
    needs_release_and_acquire(|| AtomicUsize::new(1), |n| assert_eq!(n.load(SeqCst), 1));
    needs_release_and_acquire(|| AtomicUsize::new(1), |n| assert_eq!(n.fetch_add(1, SeqCst), 1));
    // SAFETY: the model stops before an unordered access.
    needs_release_and_acquire(|| UnsafeCell::new(1), |cell| assert_eq!(cell.with(|p| unsafe { *p }), 1));
}

/// Slots that the model does not watch, of which a number says how many are filled.
struct Slots {
    slots: [std::cell::UnsafeCell<Option<Box<Mutex<u8>>>>; 2],
    filled: AtomicUsize,
}

// SAFETY: whether accesses are ordered is what the test is about; all are on one OS thread.
unsafe impl Sync for Slots {}
// SAFETY: as above.
unsafe impl Send for Slots {}

/// The address need not be in an `AtomicPtr`.
#[test]
fn any_publication_counts() {
    let body = |store, load| {
        move || {
            let slots = Arc::new(Slots { slots: Default::default(), filled: AtomicUsize::new(0) });
            let filler = thread::spawn({
                let slots = slots.clone();
                move || {
                    // SAFETY: nobody reads the slot before the number says so, on one OS thread.
                    unsafe { *slots.slots[0].get() = Some(Box::new(Mutex::new(1))) };
                    slots.filled.store(1, store);
                }
            });
            if slots.filled.load(load) == 1 {
                // SAFETY: as above.
                let lock = unsafe { (*slots.slots[0].get()).as_ref() }.unwrap();
                assert_eq!(*lock.lock().unwrap(), 1);
            }
            filler.join().unwrap();
        }
    };
    races(body(Relaxed, Relaxed));
    races(body(Relaxed, Acquire));
    races(body(Release, Relaxed));
    holds(body(Release, Acquire));
}

/// An address in a number, as in tagged pointers.
#[test]
fn an_address_in_a_number_counts() {
    let body = |store, load| {
        move || {
            let word = Arc::new(AtomicUsize::new(0));
            let maker = thread::spawn({
                let word = word.clone();
                move || word.store(Box::into_raw(Box::new(Mutex::new(1_u8))).expose_provenance() | 1, store)
            });
            let found = word.load(load);
            if found & 1 == 1 {
                // SAFETY: freed after the join; the model stops before an unordered use.
                let lock = unsafe { &*std::ptr::with_exposed_provenance::<Mutex<u8>>(found - 1) };
                assert_eq!(*lock.lock().unwrap(), 1);
            }
            maker.join().unwrap();
            // SAFETY: nobody else has it any more.
            drop(unsafe { Box::from_raw(std::ptr::with_exposed_provenance_mut::<Mutex<u8>>(word.load(Relaxed) - 1)) });
        }
    };
    races(body(Relaxed, Relaxed));
    holds(body(Release, Acquire));
}

/// An object on the stack of the thread that publishes it.
#[test]
fn an_object_on_a_stack() {
    let body = |store, load| {
        move || {
            let (pointer, done) = (AtomicPtr::<Mutex<u8>>::default(), AtomicBool::new(false));
            thread::scope(|scope| {
                scope.spawn(|| {
                    let lock = Mutex::new(1);
                    pointer.store((&raw const lock).cast_mut(), store);
                    while !done.load(Acquire) {
                        thread::yield_now();
                    }
                });
                scope.spawn(|| {
                    let found = pointer.load(load);
                    if !found.is_null() {
                        // SAFETY: its owner waits; the model stops before an unordered use.
                        assert_eq!(unsafe { *(*found).lock().unwrap() }, 1);
                    }
                    done.store(true, Release);
                });
            });
        }
    };
    races(body(Relaxed, Relaxed));
    races(body(Release, Relaxed));
    holds(body(Release, Acquire));
}

/// Nodes that everybody knows may be passed on in any way: only the nodes themselves were made, and long ago.
#[test]
fn what_all_threads_know_may_be_published_without_synchronisation() {
    holds(|| {
        let nodes: Arc<[Mutex<u8>; 2]> = Arc::new([Mutex::new(0), Mutex::new(0)]);
        let chosen = Arc::new(AtomicPtr::<Mutex<u8>>::default());
        let chooser = thread::spawn({
            let (nodes, chosen) = (nodes.clone(), chosen.clone());
            move || chosen.store((&raw const nodes[1]).cast_mut(), Relaxed)
        });
        let found = chosen.load(Relaxed);
        if !found.is_null() {
            // SAFETY: it lives as long as `nodes`.
            unsafe { *(*found).lock().unwrap() += 1 };
        }
        chooser.join().unwrap();
    });
}

/// A thread that knows an object from elsewhere may meet its address in any pointer.
#[test]
fn a_thread_that_knows_the_object_from_elsewhere_may_use_it() {
    holds(|| {
        let chosen = Arc::new(AtomicPtr::<AtomicUsize>::default());
        let (sender, receiver) = mpsc::channel();
        let maker = thread::spawn({
            let chosen = chosen.clone();
            move || {
                let node = Arc::new(AtomicUsize::new(1));
                sender.send(node.clone()).unwrap();
                chosen.store(Arc::as_ptr(&node).cast_mut(), Relaxed);
            }
        });
        let node = receiver.recv().unwrap();
        let found = chosen.load(Relaxed);
        if !found.is_null() {
            // SAFETY: `node` keeps it.
            assert_eq!(unsafe { (*found).load(Relaxed) }, 1);
        }
        maker.join().unwrap();
        assert_eq!(node.load(Relaxed), 1);
    });
}

static COUNTER: AtomicUsize = AtomicUsize::new(0);
static TABLE: Mutex<Vec<Mutex<u8>>> = Mutex::new(Vec::new());
static VALUE: OnceLock<Mutex<u8>> = OnceLock::new();
static LAZY: LazyLock<Box<Mutex<u8>>> = LazyLock::new(|| Box::new(Mutex::new(1)));

/// Who uses a static first makes the execution's copy of it, which nobody else needs to know.
#[test]
fn statics_and_what_is_made_in_them() {
    holds(|| {
        let work = || {
            COUNTER.fetch_add(1, Relaxed);
            TABLE.lock().unwrap().push(Mutex::new(1));
            let sum: u8 = TABLE.lock().unwrap().iter().map(|lock| *lock.lock().unwrap()).sum();
            assert!(sum > 0);
            let looked = VALUE.get().map(|lock| *lock.lock().unwrap());
            assert!(looked.is_none_or(|value| value == 1));
        };
        let other = thread::spawn(work);
        work();
        *VALUE.get_or_init(|| Mutex::new(1)).lock().unwrap() = 1;
        other.join().unwrap();
    });
    holds(|| {
        let other = thread::spawn(|| *LAZY.lock().unwrap() += 1);
        *LAZY.lock().unwrap() += 1;
        other.join().unwrap();
    });
}

/// Messages lie in memory that another sender may have allocated, and are dropped in it.
#[test]
fn messages_of_several_senders() {
    struct Message(AtomicUsize);
    impl Drop for Message {
        fn drop(&mut self) {
            self.0.fetch_add(1, Relaxed);
        }
    }
    holds(|| {
        let (sender, receiver) = mpsc::channel();
        let others = [1, 2].map(|n| {
            let sender = sender.clone();
            thread::spawn(move || sender.send(Message(AtomicUsize::new(n))))
        });
        drop(receiver.recv().unwrap());
        drop(receiver);
        for other in others {
            let _ = other.join().unwrap();
        }
    });
}

/// Memory is used again, by another thread than before, and what was there is forgotten.
#[test]
fn memory_that_is_used_again() {
    holds(|| {
        let slot = Arc::new(Mutex::new(None::<Box<Mutex<usize>>>));
        let others = [1, 2].map(|n| {
            let slot = slot.clone();
            thread::spawn(move || {
                let old = slot.lock().unwrap().take();
                assert!(old.is_none_or(|lock| *lock.lock().unwrap() > 0));
                let new = Box::new(Mutex::new(n));
                *new.lock().unwrap() = n;
                *slot.lock().unwrap() = Some(new);
            })
        });
        for other in others {
            other.join().unwrap();
        }
    });
}

/// A vector moves what is in it when it grows, which is a write of the thread that pushes.
#[test]
fn objects_that_move() {
    holds(|| {
        let all = Arc::new(RwLock::new(Vec::<AtomicUsize>::new()));
        let other = thread::spawn({
            let all = all.clone();
            move || (0..5).for_each(|n| all.write().unwrap().push(AtomicUsize::new(n)))
        });
        assert!(all.read().unwrap().iter().enumerate().all(|(n, atomic)| atomic.load(Relaxed) == n));
        other.join().unwrap();
        assert_eq!(all.read().unwrap().len(), 5);
    });
}
