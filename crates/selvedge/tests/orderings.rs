//! Orderings decide what races: each mistake beside its right version.
#![allow(unsafe_code)]

use selvedge::cell::UnsafeCell;
use selvedge::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering, fence};
use selvedge::sync::{Arc, Mutex, RwLock, mpsc};
use selvedge::thread;
use selvedge::{Builder, ViolationKind};

use Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst};

/// A value that threads share at their own risk.
struct Shared(UnsafeCell<usize>);

// SAFETY: whether accesses are ordered is what the tests are about; the model stops before an unordered one.
unsafe impl Sync for Shared {}
// SAFETY: as above.
unsafe impl Send for Shared {}

impl Shared {
    fn new() -> Arc<Shared> {
        Arc::new(Shared(UnsafeCell::new(0)))
    }

    fn write(&self, value: usize) {
        // SAFETY: as for `Sync`.
        self.0.with_mut(|p| unsafe { *p = value });
    }

    fn read(&self) -> usize {
        // SAFETY: as for `Sync`.
        self.0.with(|p| unsafe { *p })
    }
}

fn races(body: impl Fn() + Send + Sync + 'static) -> String {
    let report = Builder::new().preemptions(3).explore(body);
    let found = report.violation.unwrap_or_else(|| panic!("no race was found: {:?}", report.stop));
    assert_eq!(found.kind, ViolationKind::DataRace, "{}", found.message);
    found.message
}

fn passes(body: impl Fn() + Send + Sync + 'static) {
    let report = Builder::new().preemptions(3).explore(body);
    assert!(report.complete && report.violation.is_none(), "{report}");
}

fn flag(store: Ordering, load: Ordering) -> impl Fn() + Send + Sync + 'static {
    move || {
        let (cell, ready) = (Shared::new(), Arc::new(AtomicBool::new(false)));
        let writer = thread::spawn({
            let (cell, ready) = (cell.clone(), ready.clone());
            move || {
                cell.write(1);
                ready.store(true, store);
            }
        });
        if ready.load(load) {
            assert_eq!(cell.read(), 1);
        }
        writer.join().unwrap();
        cell.write(2);
    }
}

#[test]
fn a_flag_publishes_only_if_released_and_acquired() {
    let message = races(flag(Release, Relaxed));
    assert!(message.contains("must be an acquire"), "{message}");
    for (store, load) in [(Relaxed, Relaxed), (Relaxed, Acquire), (Relaxed, SeqCst), (SeqCst, Relaxed)] {
        let message = races(flag(store, load));
        assert!(message.contains("unordered with"), "{message}");
    }
    passes(flag(Release, Acquire));
    passes(flag(SeqCst, SeqCst));
}

fn fences(released: bool, acquired: bool) -> impl Fn() + Send + Sync + 'static {
    move || {
        let (cell, ready) = (Shared::new(), Arc::new(AtomicBool::new(false)));
        let writer = thread::spawn({
            let (cell, ready) = (cell.clone(), ready.clone());
            move || {
                cell.write(1);
                if released {
                    fence(Release);
                }
                ready.store(true, Relaxed);
            }
        });
        if ready.load(Relaxed) {
            if acquired {
                fence(Acquire);
            }
            cell.read();
        }
        writer.join().unwrap();
    }
}

#[test]
fn a_fence_on_each_side_orders_relaxed_accesses() {
    races(fences(false, true));
    races(fences(true, false));
    passes(fences(true, true));
}

fn spinlock(lock: Ordering, unlock: Ordering) -> impl Fn() + Send + Sync + 'static {
    move || {
        let (cell, locked) = (Shared::new(), Arc::new(AtomicBool::new(false)));
        let enter = move |cell: &Shared, locked: &AtomicBool| {
            while locked.compare_exchange(false, true, lock, Relaxed).is_err() {
                thread::yield_now();
            }
            cell.write(cell.read() + 1);
            locked.store(false, unlock);
        };
        let other = thread::spawn({
            let (cell, locked) = (cell.clone(), locked.clone());
            move || enter(&cell, &locked)
        });
        enter(&cell, &locked);
        other.join().unwrap();
        assert_eq!(cell.read(), 2);
    }
}

#[test]
fn a_relaxed_spinlock_protects_nothing() {
    races(spinlock(Relaxed, Relaxed));
    races(spinlock(Acquire, Relaxed));
    races(spinlock(Relaxed, Release));
    passes(spinlock(Acquire, Release));
}

struct Config {
    value: UnsafeCell<usize>,
}

fn double_checked(load: Ordering, store: Ordering) -> impl Fn() + Send + Sync + 'static {
    move || {
        let slot: Arc<(AtomicPtr<Config>, Mutex<()>)> = Arc::new((AtomicPtr::default(), Mutex::new(())));
        let get = move |slot: &(AtomicPtr<Config>, Mutex<()>)| {
            let mut config = slot.0.load(load);
            if config.is_null() {
                let _guard = slot.1.lock().unwrap();
                config = slot.0.load(Relaxed);
                if config.is_null() {
                    config = Box::into_raw(Box::new(Config { value: UnsafeCell::new(7) }));
                    slot.0.store(config, store);
                }
            }
            // SAFETY: it is freed when both threads have ended; the model checks that the value is published.
            unsafe { (*config).value.with(|p| *p) }
        };
        let other = thread::spawn({
            let slot = slot.clone();
            move || assert_eq!(get(&slot), 7)
        });
        assert_eq!(get(&slot), 7);
        other.join().unwrap();
        // SAFETY: nobody uses it any more.
        drop(unsafe { Box::from_raw(slot.0.load(Relaxed)) });
    }
}

#[test]
fn double_checked_initialisation_needs_release_and_acquire() {
    let message = races(double_checked(Relaxed, Release));
    assert!(message.contains("stored the address") || message.contains("unordered"), "{message}");
    races(double_checked(Acquire, Relaxed));
    races(double_checked(Relaxed, Relaxed));
    passes(double_checked(Acquire, Release));
}

fn counter(add: Ordering, look: Ordering) -> impl Fn() + Send + Sync + 'static {
    move || {
        let (cells, done) = ([Shared::new(), Shared::new()], Arc::new(AtomicUsize::new(0)));
        let writers = cells.clone().map(|cell| {
            let done = done.clone();
            thread::spawn(move || {
                cell.write(1);
                done.fetch_add(1, add);
            })
        });
        if done.load(look) == 2 {
            // Both: the second increment continues the release sequence of the first.
            cells.iter().for_each(|cell| assert_eq!(cell.read(), 1));
        }
        for writer in writers {
            writer.join().unwrap();
        }
    }
}

#[test]
fn a_counter_publishes_what_each_increment_released() {
    races(counter(Relaxed, Acquire));
    races(counter(Release, Relaxed));
    passes(counter(Release, Acquire));
    passes(counter(AcqRel, Acquire));
}

fn release_sequence(store: bool) -> impl Fn() + Send + Sync + 'static {
    move || {
        let (cell, state) = (Shared::new(), Arc::new(AtomicUsize::new(0)));
        let writer = thread::spawn({
            let (cell, state) = (cell.clone(), state.clone());
            move || {
                cell.write(1);
                state.store(1, Release);
                if store {
                    state.store(2, Relaxed); // of the same thread: continued the sequence until C++20
                } else {
                    state.fetch_add(1, Relaxed);
                }
            }
        });
        if state.load(Acquire) == 2 {
            cell.read();
        }
        writer.join().unwrap();
    }
}

#[test]
fn a_release_sequence_goes_on_through_read_modify_writes_only() {
    races(release_sequence(true));
    passes(release_sequence(false));
}

fn failed_exchange(failure: Ordering) -> impl Fn() + Send + Sync + 'static {
    move || {
        let (cell, state) = (Shared::new(), Arc::new(AtomicUsize::new(0)));
        let writer = thread::spawn({
            let (cell, state) = (cell.clone(), state.clone());
            move || {
                cell.write(1);
                state.store(1, Release);
            }
        });
        if state.compare_exchange(0, 5, AcqRel, failure) == Err(1) {
            cell.read();
        }
        writer.join().unwrap();
    }
}

#[test]
fn a_failed_exchange_has_its_own_ordering() {
    races(failed_exchange(Relaxed));
    passes(failed_exchange(Acquire));
}

#[test]
fn a_reader_of_a_lock_publishes_nothing_to_other_readers() {
    let body = |both_read: bool| {
        move || {
            let (cell, lock) = (Shared::new(), Arc::new(RwLock::new(())));
            let order = Arc::new(AtomicUsize::new(0));
            let other = thread::spawn({
                let (cell, lock, order) = (cell.clone(), lock.clone(), order.clone());
                move || {
                    let guard = lock.read().unwrap();
                    cell.write(1);
                    drop(guard);
                    order.store(1, Relaxed);
                }
            });
            if order.load(Relaxed) == 1 {
                if both_read {
                    let _guard = lock.read().unwrap();
                    cell.read();
                } else {
                    let _guard = lock.write().unwrap();
                    cell.read();
                }
            }
            other.join().unwrap();
        }
    };
    races(body(true));
    passes(body(false));
}

#[test]
fn a_receive_publishes_nothing_to_the_sender_of_an_unbounded_channel() {
    let body = |capacity: Option<usize>| {
        move || {
            let (cell, order) = (Shared::new(), Arc::new(AtomicUsize::new(0)));
            let receive = |cell: Arc<Shared>, order: Arc<AtomicUsize>, receiver: mpsc::Receiver<u8>| {
                thread::spawn(move || {
                    cell.write(1);
                    receiver.recv().unwrap();
                    order.store(1, Relaxed);
                    receiver
                })
            };
            if let Some(capacity) = capacity {
                let (sender, receiver) = mpsc::sync_channel(capacity);
                let other = receive(cell.clone(), order.clone(), receiver);
                sender.send(0).unwrap();
                if order.load(Relaxed) == 1 {
                    sender.send(0).unwrap();
                    cell.read();
                }
                other.join().unwrap();
            } else {
                let (sender, receiver) = mpsc::channel();
                let other = receive(cell.clone(), order.clone(), receiver);
                sender.send(0).unwrap();
                if order.load(Relaxed) == 1 {
                    sender.send(0).unwrap();
                    cell.read();
                }
                other.join().unwrap();
            }
        }
    };
    races(body(None));
    races(body(Some(2)));
    passes(body(Some(1)));
}

#[test]
fn non_atomic_accesses_of_atomics_race_with_atomic_ones() {
    struct Raw(*mut AtomicUsize);
    // SAFETY: the model stops before an unordered access.
    unsafe impl Send for Raw {}
    let body = |write: bool, joined: bool| {
        move || {
            let raw = Box::into_raw(Box::new(AtomicUsize::new(0)));
            let shared = Raw(raw);
            let other = thread::spawn(move || {
                let Raw(p) = { shared };
                // SAFETY: freed after the join.
                unsafe { (*p).store(1, SeqCst) };
            });
            let mut other = Some(other);
            if joined {
                other.take().unwrap().join().unwrap();
            }
            // SAFETY: the model checks that nobody else accesses it.
            unsafe {
                if write {
                    (*raw).with_mut(|value| *value += 1);
                } else {
                    (*raw).unsync_load();
                }
            }
            if let Some(other) = other {
                other.join().unwrap();
            }
            // SAFETY: nobody uses it any more.
            drop(unsafe { Box::from_raw(raw) });
        }
    };
    races(body(true, false));
    races(body(false, false));
    passes(body(true, true));
    passes(body(false, true));
}

#[test]
fn an_unsynchronised_load_may_be_the_first_use() {
    passes(|| {
        let n = AtomicUsize::new(3);
        // SAFETY: nobody else knows it.
        assert_eq!(unsafe { n.unsync_load() }, 3);
        assert_eq!(n.load(SeqCst), 3);
        assert_eq!(n.into_inner(), 3);
    });
}

#[test]
fn an_atomic_is_not_freed_while_others_use_it() {
    use std::mem::ManuallyDrop;
    struct Raw(*mut ManuallyDrop<AtomicUsize>);
    // SAFETY: the model stops before an unordered access.
    unsafe impl Send for Raw {}
    let body = |joined: bool| {
        move || {
            let raw = Box::into_raw(Box::new(ManuallyDrop::new(AtomicUsize::new(0))));
            let shared = Raw(raw);
            let other = thread::spawn(move || {
                let Raw(p) = { shared };
                // SAFETY: the memory is there; the model reports that the atomic may not be.
                unsafe { (*p).fetch_add(1, SeqCst) };
            });
            // SAFETY: dropped once, and the memory is freed below.
            let free = || unsafe { ManuallyDrop::drop(&mut *raw) };
            if joined {
                other.join().unwrap();
                free();
            } else {
                free();
                other.join().unwrap();
            }
            // SAFETY: nobody uses it any more; the content is not dropped again.
            drop(unsafe { Box::from_raw(raw) });
        }
    };
    races(body(false));
    passes(body(true));
}

struct Node {
    value: UnsafeCell<usize>,
    next: *mut Node,
}

fn stack(push: Ordering, pop: Ordering) -> impl Fn() + Send + Sync + 'static {
    move || {
        let head: Arc<AtomicPtr<Node>> = Arc::new(AtomicPtr::default());
        let pusher = thread::spawn({
            let head = head.clone();
            move || {
                let node = Box::into_raw(Box::new(Node { value: UnsafeCell::new(5), next: std::ptr::null_mut() }));
                let old = head.load(Relaxed);
                // SAFETY: not published yet.
                unsafe { (*node).next = old };
                head.compare_exchange(old, node, push, Relaxed).unwrap();
            }
        });
        let top = head.load(pop);
        if !top.is_null() {
            // SAFETY: freed after the join; the model checks that it was published.
            assert_eq!(unsafe { (*top).value.with(|p| *p) }, 5);
        }
        pusher.join().unwrap();
        let top = head.load(Relaxed);
        // SAFETY: the only pointer left.
        drop(unsafe { Box::from_raw(top) });
    }
}

#[test]
fn a_fresh_node_is_published_by_release_and_acquire() {
    let message = races(stack(Relaxed, Acquire));
    assert!(message.contains("unordered with its creation at"), "{message}");
    races(stack(Release, Relaxed));
    races(stack(Relaxed, Relaxed));
    passes(stack(Release, Acquire));
}

/// A node is stored in a pointer, then in a second one: whoever knows of one of the stores may use it.
fn linked_twice(link: Ordering, read: Ordering) -> impl Fn() + Send + Sync + 'static {
    move || {
        let pointers: Arc<[AtomicPtr<Node>; 2]> = Arc::default();
        let linker = thread::spawn({
            let pointers = pointers.clone();
            move || {
                let node = Box::into_raw(Box::new(Node { value: UnsafeCell::new(5), next: std::ptr::null_mut() }));
                pointers.iter().for_each(|pointer| pointer.store(node, link));
            }
        });
        let node = pointers[0].load(read);
        if !node.is_null() {
            // SAFETY: freed after the join; the model checks that it was published.
            assert_eq!(unsafe { (*node).value.with(|p| *p) }, 5);
        }
        linker.join().unwrap();
        // SAFETY: nobody else has it any more.
        drop(unsafe { Box::from_raw(pointers[1].load(Relaxed)) });
    }
}

#[test]
fn a_node_that_is_published_twice_is_known_by_the_first_time() {
    passes(linked_twice(Release, Acquire));
    races(linked_twice(Release, Relaxed));
    races(linked_twice(Relaxed, Acquire));
}
