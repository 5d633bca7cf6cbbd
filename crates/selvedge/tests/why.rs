//! Every violation comes with one sentence why it happens.

mod support;

use selvedge::cell::UnsafeCell;
use selvedge::sync::atomic::AtomicBool;
use selvedge::sync::atomic::Ordering::{Relaxed, Release, SeqCst};
use selvedge::sync::{Arc, mpsc};
use selvedge::{ViolationKind, thread};
use support::violation;

/// Kind and sentence of the violation of a test, on one line.
fn why(body: impl Fn() + Send + Sync + 'static) -> (ViolationKind, String) {
    let found = violation(body);
    let lines = found.text.lines().skip_while(|line| !line.contains("why: "));
    let sentence: Vec<&str> = lines.take_while(|line| !line.is_empty()).map(str::trim).collect();
    let sentence = sentence.join(" ");
    assert!(!sentence.is_empty(), "{}", found.text);
    (found.kind, sentence)
}

/// A value behind a flag; the thread that waits for the flag does not acquire it.
fn published() {
    let shared = Arc::new((UnsafeCell::new(0), AtomicBool::new(false)));
    let writer = thread::spawn({
        let shared = shared.clone();
        move || {
            shared.0.with_mut(|_| ());
            shared.1.store(true, Release);
        }
    });
    if shared.1.load(Relaxed) {
        shared.0.with(|_| ());
    }
    writer.join().unwrap();
}

#[test]
fn a_data_race_names_the_last_step_that_is_ordered() {
    let (kind, sentence) = why(published);
    assert_eq!(kind, ViolationKind::DataRace);
    assert!(sentence.contains("main is not synchronised with anything that thread 1 did"), "{sentence}");
    let (_, sentence) = why(|| {
        let shared = Arc::new((UnsafeCell::new(0), AtomicBool::new(false)));
        let reader = thread::spawn({
            let shared = shared.clone();
            move || {
                shared.1.load(Relaxed);
                shared.0.with(|_| ());
            }
        });
        shared.0.with_mut(|_| ());
        reader.join().unwrap();
    });
    assert!(sentence.contains("is synchronised with main only up to step 1 (`spawn(thread 1)` of main)"), "{sentence}");
    assert!(sentence.contains("and the access of main comes after that"), "{sentence}");
}

#[test]
fn a_race_with_a_pointer_in_use_names_its_thread() {
    let (kind, sentence) = why(|| {
        let cell = Arc::new(UnsafeCell::new(0));
        let held = cell.get();
        let writer = thread::spawn({
            let cell = cell.clone();
            move || cell.with_mut(|_| ())
        });
        writer.join().unwrap();
        drop(held);
    });
    assert_eq!(kind, ViolationKind::DataRace);
    assert!(sentence.contains("main still holds a pointer to it"), "{sentence}");
}

#[test]
fn a_leak_names_who_made_it_and_counts_the_others() {
    let (kind, sentence) = why(|| {
        let flag = AtomicBool::new(false);
        flag.store(true, SeqCst);
        for keep in [false, true, false] {
            let made = Arc::new(0);
            if keep {
                std::mem::forget(made);
            }
        }
    });
    assert_eq!(kind, ViolationKind::Leak);
    assert!(sentence.contains("main makes it after step 1 (`flag.store(true"), "{sentence}");
    assert!(sentence.contains("of 3 made at this place, 2 were freed"), "{sentence}");
}

#[test]
fn a_livelock_names_what_is_read_again_and_again() {
    let (kind, sentence) = why(|| {
        let never = AtomicBool::new(false);
        while !never.load(SeqCst) {
            thread::yield_now();
        }
    });
    assert_eq!(kind, ViolationKind::Livelock);
    assert!(sentence.contains("the last 2 steps repeat without end"), "{sentence}");
    assert!(sentence.contains("main reads never, which no thread has written"), "{sentence}");
    let (_, sentence) = why(|| {
        let turn = AtomicBool::new(false);
        turn.store(false, SeqCst);
        while !turn.load(SeqCst) {
            thread::yield_now();
        }
    });
    assert!(sentence.contains("main reads turn, last written in step 1 (`turn.store(false"), "{sentence}");
}

#[test]
fn a_panic_without_another_threads_write_names_the_last_operation() {
    let (kind, sentence) = why(|| {
        let flag = AtomicBool::new(false);
        assert!(flag.load(SeqCst));
    });
    assert_eq!(kind, ViolationKind::Panic);
    assert!(sentence.contains("the last operation before it is step 1 (`flag.load → false` of main)"), "{sentence}");
    let (_, sentence) = why(|| panic!("at once"));
    assert!(sentence.contains("no operation comes before it, so that every schedule fails"), "{sentence}");
}

#[test]
fn a_wait_for_a_message_that_never_comes_is_explained() {
    let (kind, sentence) = why(|| {
        let (sender, receiver) = mpsc::channel::<u8>();
        receiver.recv().unwrap();
        drop(sender);
    });
    assert_eq!(kind, ViolationKind::Deadlock);
    assert!(sentence.contains("main waits for a message of "), "{sentence}");
    assert!(sentence.contains("and no thread that could end this wait can run"), "{sentence}");
}
