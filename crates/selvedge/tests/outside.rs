//! The primitives outside of models, on threads of the operating system. No fiber runs here, so that Miri can execute these
//! tests (docs/limits.md): they go through each `unsafe` block that does not need a model.
#![allow(unsafe_code)]

use std::panic::{AssertUnwindSafe, catch_unwind};

use selvedge::alloc::{Layout, alloc, alloc_zeroed, dealloc};
use selvedge::cell::{Cell, UnsafeCell, raw};
use selvedge::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};
use selvedge::sync::{Arc, LazyLock, Mutex, OnceLock, RwLock};
use selvedge::thread;

struct Shared<T>(T);
// SAFETY: the tests order the accesses.
unsafe impl<T> Sync for Shared<T> {}

#[test]
fn locks_are_shared() {
    let (mutex, lock) = (Mutex::new(vec![0]), RwLock::new(0));
    thread::scope(|scope| {
        for number in 1..4 {
            scope.spawn({
                let (mutex, lock) = (&mutex, &lock);
                move || {
                    mutex.lock().unwrap().push(number);
                    *lock.write().unwrap() += number;
                    assert!(*lock.read().unwrap() >= number);
                }
            });
        }
    });
    let mut numbers = mutex.into_inner().unwrap();
    numbers.sort_unstable();
    assert_eq!((numbers, lock.into_inner().unwrap()), (vec![0, 1, 2, 3], 6));
}

/// A thread that panics poisons the lock while another one looks at it without the lock.
#[test]
fn poison_is_looked_at_without_the_lock() {
    let (mutex, lock) = (Mutex::new(0), RwLock::new(0));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let _ = catch_unwind(AssertUnwindSafe(|| {
                let _guards = (mutex.lock().unwrap(), lock.write().unwrap());
                std::panic::resume_unwind(Box::new(()));
            }));
        });
        while !mutex.is_poisoned() || !lock.is_poisoned() {
            std::thread::yield_now();
        }
    });
    mutex.clear_poison();
    lock.clear_poison();
    assert!(mutex.lock().is_ok() && lock.read().is_ok() && lock.write().is_ok());
}

#[test]
fn what_is_unwind_safe_in_std_is_so_here() {
    use selvedge::sync::{Barrier, Condvar, Once, mpsc};
    use std::panic::{RefUnwindSafe, UnwindSafe};
    fn check<T: UnwindSafe + RefUnwindSafe + ?Sized>() {}
    check::<AtomicUsize>();
    check::<AtomicPtr<u8>>();
    check::<Arc<AtomicUsize>>();
    check::<Mutex<[Cell<u8>]>>();
    check::<RwLock<Cell<u8>>>();
    check::<(Condvar, Once, Barrier, OnceLock<u8>, LazyLock<u8>)>();
    check::<(mpsc::Sender<Cell<u8>>, mpsc::SyncSender<Cell<u8>>, mpsc::Receiver<Cell<u8>>)>();
}

#[test]
fn values_are_made_once() {
    static LAZY: LazyLock<String> = LazyLock::new(|| "made".to_owned());
    let once: OnceLock<String> = OnceLock::new();
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope
                .spawn(|| assert_eq!((LAZY.as_str(), once.get_or_init(|| "set".to_owned()).as_str()), ("made", "set")));
        }
    });
    assert_eq!(once.into_inner().as_deref(), Some("set"));
}

#[test]
fn owners_are_counted() {
    let arc = Arc::new(5);
    let (weak, pinned) = (Arc::downgrade(&arc), Arc::pin(6));
    let raw = Arc::into_raw(arc.clone());
    // SAFETY: `raw` is one owner, and a second one is added and taken away.
    let again = unsafe {
        Arc::increment_strong_count(raw);
        Arc::decrement_strong_count(raw);
        Arc::from_raw(raw)
    };
    assert_eq!((*again, *pinned, Arc::strong_count(&arc)), (5, 6, 2));
    let moved = std::thread::spawn(move || drop(again));
    moved.join().unwrap();
    assert_eq!(Arc::try_unwrap(arc).ok(), Some(5));
    assert!(weak.upgrade().is_none());
    let slice: Arc<[u8]> = Arc::from_std(std::sync::Arc::from(vec![1, 2]));
    assert_eq!(&*slice, [1, 2]);
}

#[test]
fn cells_give_their_values() {
    let (one, other) = (Cell::new(Box::new(1)), Cell::new(Box::new(2)));
    one.swap(&other);
    assert_eq!((*one.replace(Box::new(3)), *one.into_inner(), *other.into_inner()), (2, 3, 1));
    let cell = Shared(UnsafeCell::new(vec![1]));
    std::thread::scope(|scope| {
        let cell = &cell;
        // SAFETY: nobody else uses the cell meanwhile.
        scope.spawn(move || cell.0.with_mut(|value| unsafe { (*value).push(2) })).join().unwrap();
    });
    let pointer = cell.0.get();
    // SAFETY: as above.
    assert_eq!(unsafe { pointer.deref() }.len(), 2);
    drop(pointer);
    assert_eq!(cell.0.into_inner(), [1, 2]);
    let bare = raw::UnsafeCell::new(7);
    // SAFETY: as above.
    unsafe { *raw::UnsafeCell::raw_get(&raw const bare) += 1 };
    assert_eq!(bare.into_inner(), 8);
}

#[test]
fn memory_is_given_and_taken() {
    let layout = Layout::new::<u64>();
    // SAFETY: each is freed once with its layout, and written before it is read.
    unsafe {
        let (one, zeros) = (alloc(layout).cast::<u64>(), alloc_zeroed(layout).cast::<u64>());
        *one = 1;
        assert_eq!(*one + *zeros, 1);
        dealloc(one.cast(), layout);
        dealloc(zeros.cast(), layout);
    }
}

#[test]
fn atomics_publish() {
    let (pointer, count) = (AtomicPtr::new(std::ptr::null_mut()), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        scope.spawn(|| pointer.store(Box::into_raw(Box::new(9)), Ordering::Release));
        while pointer.load(Ordering::Acquire).is_null() {
            count.fetch_add(1, Ordering::Relaxed);
            std::thread::yield_now();
        }
    });
    // SAFETY: the box was published, and is taken back once.
    assert_eq!(*unsafe { Box::from_raw(pointer.into_inner()) }, 9);
}

/// A cell is for one thread unless somebody promises more: these implementations overlap if it were `Sync`.
mod cells_are_not_sync {
    use super::{Cell, UnsafeCell, raw};

    trait Ambiguous<A> {
        fn here() {}
    }
    struct IfSync;
    impl<T: ?Sized> Ambiguous<()> for T {}
    impl<T: ?Sized + Sync> Ambiguous<IfSync> for T {}

    #[test]
    fn the_compiler_knows() {
        <Cell<u8> as Ambiguous<_>>::here();
        <UnsafeCell<u8> as Ambiguous<_>>::here();
        <raw::UnsafeCell<u8> as Ambiguous<_>>::here();
    }
}
