//! Tests as they are written for loom, with nothing changed but the first line: they compile and mean the same.

use selvedge as loom;

use loom::cell::{Cell, ConstPtr, MutPtr, UnsafeCell};
use loom::future::{AtomicWaker, block_on};
use loom::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, fence};
use loom::sync::{Arc, Condvar, Mutex, MutexGuard, Notify, RwLock, RwLockReadGuard, RwLockWriteGuard, mpsc};
use loom::thread;

use std::cell::RefCell;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst};

#[test]
fn an_increment_that_is_one_step() {
    loom::model(|| {
        let num = Arc::new(AtomicUsize::new(0));
        let handles: Vec<_> = (0..2)
            .map(|_| {
                let num = num.clone();
                thread::spawn(move || {
                    num.fetch_add(1, AcqRel);
                })
            })
            .collect();
        for th in handles {
            th.join().unwrap();
        }
        assert_eq!(2, num.load(Relaxed));
    });
}

#[test]
#[should_panic(expected = "left: 1")]
fn an_increment_in_two_steps() {
    loom::model(|| {
        let num = Arc::new(AtomicUsize::new(0));
        let handles: Vec<_> = (0..2)
            .map(|_| {
                let num = num.clone();
                thread::spawn(move || {
                    let curr = num.load(Acquire);
                    num.store(curr + 1, Release);
                })
            })
            .collect();
        for th in handles {
            th.join().unwrap();
        }
        assert_eq!(num.load(Relaxed), 2);
    });
}

struct Channel {
    data: UnsafeCell<usize>,
    ready: AtomicBool,
}

// SAFETY: `data` is written before `ready` is set and read after; the model checks it.
#[allow(unsafe_code)]
unsafe impl Sync for Channel {}

#[allow(unsafe_code)]
fn message_passing(checks: bool) {
    loom::model(move || {
        let chan = Arc::new(Channel { data: UnsafeCell::new(0), ready: AtomicBool::new(false) });
        let th = thread::spawn({
            let chan = chan.clone();
            move || {
                // SAFETY: nobody reads before `ready`.
                chan.data.with_mut(|p| unsafe { *p = 123 });
                chan.ready.store(true, Release);
            }
        });
        if !checks || chan.ready.load(Acquire) {
            // SAFETY: as above (and wrong when `checks` is false, which the model finds).
            assert_eq!(123, chan.data.with(|p| unsafe { *p }));
        }
        th.join().unwrap();
    });
}

#[test]
fn a_cell_that_is_handed_over() {
    message_passing(true);
}

#[test]
#[should_panic]
fn a_cell_that_is_not() {
    message_passing(false);
}

#[test]
#[allow(unsafe_code)]
fn pointers_of_a_cell() {
    loom::model(|| {
        let cell = UnsafeCell::new(1);
        {
            let p: MutPtr<i32> = cell.get_mut();
            // SAFETY: the only thread.
            unsafe { *p.deref() = 2 };
            p.with(|p| unsafe { *p += 1 });
        }
        let p: ConstPtr<i32> = cell.get();
        // SAFETY: the only thread.
        assert_eq!(3, unsafe { *p.deref() });
        assert_eq!(3, p.with(|p| unsafe { *p }));
        drop(p);
        assert_eq!(3, cell.into_inner());
    });
}

#[test]
fn a_bounded_check_with_public_fields() {
    let mut builder = loom::model::Builder::new();
    builder.max_branches = 10_000;
    builder.max_permutations = Some(100_000);
    builder.max_duration = Some(std::time::Duration::from_secs(60));
    builder.preemption_bound = Some(3);
    builder.check(|| {
        let lock = Arc::new(Mutex::new(0));
        let th = thread::spawn({
            let lock = lock.clone();
            move || *lock.lock().unwrap() += 1
        });
        {
            let mut guard: MutexGuard<'_, i32> = lock.lock().unwrap();
            *guard += 1;
        }
        th.join().unwrap();
        assert_eq!(*lock.lock().unwrap(), 2);
    });
}

#[test]
fn a_condition_variable() {
    struct Inc {
        num: AtomicUsize,
        mutex: Mutex<()>,
        condvar: Condvar,
    }
    impl Inc {
        fn wait(&self) {
            let mut guard = self.mutex.lock().unwrap();
            loop {
                if self.num.load(SeqCst) > 0 {
                    break;
                }
                guard = self.condvar.wait(guard).unwrap();
            }
        }
        fn inc(&self) {
            let _guard = self.mutex.lock().unwrap();
            self.num.store(1, SeqCst);
            self.condvar.notify_one();
        }
    }
    loom::model(|| {
        let inc = Arc::new(Inc { num: AtomicUsize::new(0), mutex: Mutex::new(()), condvar: Condvar::new() });
        let th = thread::spawn({
            let inc = inc.clone();
            move || inc.inc()
        });
        inc.wait();
        th.join().unwrap();
    });
}

#[test]
fn readers_and_a_writer() {
    loom::model(|| {
        let lock = Arc::new(RwLock::new(1));
        let th = thread::spawn({
            let lock = lock.clone();
            move || {
                let mut w: RwLockWriteGuard<'_, i32> = lock.write().unwrap();
                *w += 1;
            }
        });
        let r: RwLockReadGuard<'_, i32> = lock.read().unwrap();
        assert!(*r == 1 || *r == 2);
        drop(r);
        th.join().unwrap();
        assert_eq!(2, *lock.read().unwrap());
    });
}

#[test]
fn a_notification() {
    loom::model(|| {
        let state = Arc::new((AtomicUsize::new(0), Notify::new()));
        let th = thread::spawn({
            let state = state.clone();
            move || {
                state.0.store(1, Release);
                state.1.notify();
            }
        });
        loop {
            if state.0.load(Acquire) == 1 {
                break;
            }
            state.1.wait();
        }
        th.join().unwrap();
    });
}

#[test]
fn messages() {
    loom::model(|| {
        let (tx, rx) = mpsc::channel();
        let tx2 = tx.clone();
        thread::spawn(move || tx.send(5).unwrap());
        thread::spawn(move || tx2.send(6).unwrap());
        assert_eq!(11, rx.recv().unwrap() + rx.recv().unwrap());
    });
}

#[test]
#[should_panic(expected = "deadlock")]
fn two_locks_in_two_orders() {
    loom::model(|| {
        let a = Arc::new(Mutex::new(1));
        let b = Arc::new(Mutex::new(2));
        let th = thread::spawn({
            let (a, b) = (a.clone(), b.clone());
            move || {
                let _a = a.lock().unwrap();
                let _b = b.lock().unwrap();
            }
        });
        let _b = b.lock().unwrap();
        let _a = a.lock().unwrap();
        drop((_a, _b));
        th.join().unwrap();
    });
}

#[test]
fn thread_locals_and_lazy_statics() {
    loom::thread_local! {
        static LOCAL: RefCell<usize> = RefCell::new(1);
        static OTHER: Cell<u8> = Cell::new(7);
    }
    loom::lazy_static! {
        static ref SHARED: AtomicUsize = AtomicUsize::new(0);
        pub static ref NAME: String = String::from("name");
    }
    loom::model(|| {
        let set = |n: usize| {
            LOCAL.with(|l| assert_eq!(*l.borrow(), 1));
            LOCAL.with(|l| *l.borrow_mut() = n);
            LOCAL.with(|l| assert_eq!(*l.borrow(), n));
            assert!(LOCAL.try_with(|_| ()).is_ok());
            SHARED.fetch_add(n, Relaxed);
        };
        let th = thread::spawn(move || set(2));
        set(3);
        th.join().unwrap();
        assert_eq!(5, SHARED.load(Relaxed));
        assert_eq!(7, OTHER.with(|c| c.get()));
        assert_eq!("name", NAME.as_str());
    });
}

#[test]
fn a_future_and_its_waker() {
    struct Shared {
        num: AtomicUsize,
        task: AtomicWaker,
    }
    loom::model(|| {
        let shared = Arc::new(Shared { num: AtomicUsize::new(0), task: AtomicWaker::new() });
        for _ in 0..2 {
            let shared = shared.clone();
            thread::spawn(move || {
                shared.num.fetch_add(1, Relaxed);
                shared.task.wake();
            });
        }
        block_on(std::future::poll_fn(move |cx| {
            shared.task.register_by_ref(cx.waker());
            if shared.num.load(Relaxed) == 2 { std::task::Poll::Ready(()) } else { std::task::Poll::Pending }
        }));
    });
}

#[test]
#[allow(unsafe_code)]
fn what_only_loom_has() {
    loom::model(|| {
        let mut num = AtomicUsize::new(4);
        // SAFETY: the only thread.
        assert_eq!(4, unsafe { num.unsync_load() });
        num.with_mut(|n| *n += 1);
        assert_eq!(5, num.into_inner());
        fence(SeqCst);
        loom::hint::spin_loop();
        loom::sync::atomic::spin_loop_hint();
        let layout = loom::alloc::Layout::new::<u64>();
        // SAFETY: a nonzero layout, freed with the same one.
        unsafe {
            let p = loom::alloc::alloc(layout);
            loom::alloc::dealloc(p, layout);
        }
        let mut track = loom::alloc::Track::new(3);
        *track.get_mut() += 1;
        assert_eq!((4, 4), (*track.get_ref(), track.into_inner()));
        let ptr = AtomicPtr::new(std::ptr::null_mut::<u8>());
        assert!(ptr.load(SeqCst).is_null());
        let erased: Arc<dyn Fn() -> u8 + Send + Sync> = Arc::from_std(std::sync::Arc::new(|| 1));
        assert_eq!(1, erased());
        let arc = Arc::new(5);
        assert!(Arc::ptr_eq(&arc, &arc.clone()));
        assert_eq!(Ok(5), Arc::try_unwrap(arc));
        assert_eq!(None, thread::current().name());
        let _ = loom::MAX_THREADS;
    });
}

#[test]
fn exploring_only_a_part() {
    loom::model(|| {
        let num = Arc::new(AtomicUsize::new(0));
        loom::explore();
        let th = thread::spawn({
            let num = num.clone();
            move || num.fetch_add(1, SeqCst)
        });
        num.fetch_add(1, SeqCst);
        loom::stop_exploring();
        th.join().unwrap();
        loom::skip_branch();
    });
}

#[test]
fn what_is_not_send_may_be_shared_by_fibers() {
    use std::rc::Rc;
    loom::model(|| {
        let data = Rc::new((Mutex::new(0), AtomicUsize::new(0)));
        let ths: Vec<_> = (0..2)
            .map(|_| {
                let data = data.clone();
                thread::spawn(move || {
                    let mut locked = data.0.lock().unwrap();
                    assert_eq!(data.1.fetch_add(1, SeqCst), *locked);
                    *locked += 1;
                })
            })
            .collect();
        for th in ths {
            th.join().unwrap();
        }
    });
}
