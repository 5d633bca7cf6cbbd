//! What tests written for loom count on besides its interface.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::task::Poll;

use loom::sync::Arc;
use loom::{future, thread};

#[test]
fn a_future_is_polled_once_without_a_reason() {
    static POLLED_THREE_TIMES: AtomicBool = AtomicBool::new(false);
    loom::model(|| {
        let ready = Arc::new(loom::sync::atomic::AtomicBool::new(false));
        let mut polls = 0;
        future::block_on(std::future::poll_fn(|context| {
            polls += 1;
            if polls == 1 {
                let (ready, waker) = (ready.clone(), context.waker().clone());
                thread::spawn(move || {
                    ready.store(true, SeqCst);
                    waker.wake();
                });
            }
            if ready.load(SeqCst) { Poll::Ready(()) } else { Poll::Pending }
        }));
        assert!(polls <= 3, "at the first time, for no reason, and after the wake-up");
        POLLED_THREE_TIMES.fetch_or(polls == 3, SeqCst);
    });
    assert!(POLLED_THREE_TIMES.load(SeqCst));
}

#[test]
fn a_test_with_one_schedule_runs_once() {
    static RUNS: AtomicUsize = AtomicUsize::new(0);
    loom::model(|| {
        thread::spawn(|| RUNS.fetch_add(1, SeqCst)).join().unwrap();
    });
    assert_eq!(RUNS.load(SeqCst), 1);
}

/// A test module that takes everything of loom still has std's attribute.
mod with_everything {
    #[allow(unused_imports)]
    use loom::*;

    #[test]
    fn is_a_test_of_std() {
        assert!(std::thread::current().name().is_some_and(|name| name.ends_with("is_a_test_of_std")));
    }
}

/// Runs of a test with two threads under a bound.
fn runs(preemptions: usize) -> usize {
    static RUNS: AtomicUsize = AtomicUsize::new(0);
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(preemptions);
    builder.check(|| {
        let count = Arc::new(loom::sync::atomic::AtomicUsize::new(0));
        let other = thread::spawn({
            let count = count.clone();
            move || [(); 2].map(|()| count.fetch_add(1, SeqCst))
        });
        let _ = [(); 2].map(|()| count.fetch_add(1, SeqCst));
        other.join().unwrap();
        RUNS.fetch_add(1, SeqCst);
    });
    RUNS.swap(0, SeqCst)
}

#[test]
fn the_fields_of_the_builder_have_effect() {
    assert!(runs(0) < runs(2));
}

#[test]
fn fields_without_effect_are_accepted() {
    let mut builder = loom::model::Builder::new();
    builder.max_threads = loom::MAX_THREADS - 1;
    builder.checkpoint_interval = 1;
    builder.expect_explicit_explore = true;
    builder.location = true;
    builder.check(|| {
        let threads: Vec<_> = (0..loom::MAX_THREADS).map(|_| thread::spawn(loom::stop_exploring)).collect();
        threads.into_iter().for_each(|thread| thread.join().unwrap());
    });
}
