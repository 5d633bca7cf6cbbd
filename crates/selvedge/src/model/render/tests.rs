//! Reports and traces of small bodies.

use selvedge_core::Trace;
use selvedge_core::trace::{LinkKind, TraceStep};

use super::*;
use crate::sync::atomic::AtomicUsize;
use crate::sync::atomic::Ordering::{Acquire, Relaxed, SeqCst};
use crate::sync::{Arc, Mutex, mpsc};
use crate::{Builder, thread};

fn found(body: fn()) -> Violation {
    Builder::new().explore(body).violation.expect("the body fails")
}

/// The arrows of a run: what they are, and the words of the steps at both ends.
fn arrows(trace: &Trace) -> Vec<(LinkKind, &str, &str)> {
    let from = |step: u32| trace.steps[step as usize - 1].text.as_str();
    let of = |step: &'_ TraceStep| step.follows.iter().map(|link| (link.kind, link.step)).collect::<Vec<_>>();
    let arrow = |step| of(step).into_iter().map(|(kind, cause)| (kind, from(cause), step.text.as_str()));
    trace.steps.iter().flat_map(arrow).collect()
}

#[test]
fn threads_locks_and_messages_are_linked() {
    let violation = found(|| {
        let count = Arc::new(Mutex::new(0));
        let (sender, receiver) = mpsc::channel();
        let other = thread::spawn({
            let count = count.clone();
            move || {
                *count.lock().unwrap() += 1;
                sender.send(7).unwrap();
            }
        });
        assert_eq!(receiver.recv(), Ok(7));
        other.join().unwrap();
        assert_eq!(*count.lock().unwrap(), 2);
    });
    let kinds: Vec<LinkKind> = arrows(&violation.trace).iter().map(|arrow| arrow.0).collect();
    assert_eq!(kinds, [LinkKind::Spawn, LinkKind::Message, LinkKind::Join, LinkKind::Lock], "{}", violation.text);
    let spawn = &violation.trace.steps[0];
    assert_eq!((spawn.text.as_str(), spawn.thread, spawn.spawns.as_slice()), ("spawn(thread 1)", Some(0), &[1][..]));
    assert_eq!(violation.trace.violation.as_ref().map(|v| v.length as usize), Some(violation.trace.steps.len()));
}

#[test]
fn a_thread_that_starts_a_thread_at_once_is_linked_too() {
    let violation = found(|| {
        let count = Arc::new(AtomicUsize::new(0));
        let inner = count.clone();
        let outer = thread::spawn(move || {
            let last = inner.clone();
            let nested = thread::spawn(move || last.fetch_add(1, SeqCst));
            nested.join().unwrap();
        });
        outer.join().unwrap();
        assert_eq!(count.load(SeqCst), 2);
    });
    let spawns: Vec<_> = violation.trace.steps.iter().filter(|step| !step.spawns.is_empty()).collect();
    assert_eq!(spawns.iter().map(|s| (s.thread, s.spawns[0])).collect::<Vec<_>>(), [(Some(0), 1), (Some(1), 2)]);
    let kinds: Vec<LinkKind> = arrows(&violation.trace).iter().map(|arrow| arrow.0).collect();
    use LinkKind::{Join, Spawn};
    assert_eq!(kinds, [Spawn, Spawn, Join, Join], "{}", violation.text);
}

#[test]
fn the_store_that_a_stale_read_does_not_see_is_drawn() {
    let violation = found(|| {
        let shared = Arc::new((AtomicUsize::new(0), AtomicUsize::new(0)));
        let other = thread::spawn({
            let shared = shared.clone();
            move || {
                shared.0.store(42, Relaxed);
                shared.1.store(1, Relaxed);
            }
        });
        if shared.1.load(Acquire) == 1 {
            assert_eq!(shared.0.load(Relaxed), 42);
        }
        other.join().unwrap();
    });
    let steps = &violation.trace.steps;
    let stale = steps.iter().position(|step| step.text.contains("(stale)")).expect("a stale read");
    let store = steps.iter().position(|step| step.text.contains("store(42)")).expect("the store");
    let unseen: Vec<_> = arrows(&violation.trace).into_iter().filter(|arrow| arrow.0 == LinkKind::Unseen).collect();
    let (store_text, stale_text) = (steps[store].text.as_str(), steps[stale].text.as_str());
    assert_eq!(unseen, [(LinkKind::Unseen, store_text, stale_text)], "{}", violation.text);
    let row = violation.text.lines().find(|line| line.contains("not seen")).expect("a row for the missing edge");
    assert!(row.contains("✗┄") || row.contains("┄✗"), "{row}");
    assert!(row.contains(&format!("step {}", store + 1)), "{row}");
}

#[test]
fn a_report_fits_eighty_columns() {
    let violation = found(|| {
        let counter_with_a_long_name = Arc::new(AtomicUsize::new(0));
        let threads: Vec<_> = (0..4)
            .map(|number| {
                let counter_with_a_long_name = counter_with_a_long_name.clone();
                let builder = thread::Builder::new().name(format!("worker-number-{number}-of-four"));
                builder.spawn(move || {
                    let old = counter_with_a_long_name.load(SeqCst);
                    let _ = counter_with_a_long_name.compare_exchange(old, old + 1_000_000, SeqCst, SeqCst);
                })
            })
            .collect();
        threads.into_iter().for_each(|thread| thread.unwrap().join().unwrap());
        assert_eq!(counter_with_a_long_name.load(SeqCst), 4_000_000);
    });
    let drawn = violation.full_text.split("\n\n").nth(1).expect("the lanes stand between the head and the foot");
    let widest = drawn.lines().map(|line| line.chars().count()).max().unwrap_or(0);
    assert!((60..=WIDTH).contains(&widest), "{widest} columns:\n{drawn}");
    assert_eq!(WIDTH, 80);
    // Each step still tells its file and line.
    let places = drawn.lines().filter(|line| line.contains("tests.rs:")).count();
    assert!(places >= violation.trace.steps.len(), "{drawn}");
}

#[test]
fn a_long_report_keeps_its_ends() {
    let lines: Vec<String> = (0..300).map(|n| format!("row {n}")).collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let text = fold(&["head"], &lines, &["foot"]);
    assert_eq!(text.lines().count(), LINES);
    assert!(text.starts_with("head\nrow 0\n") && text.ends_with("row 299\nfoot"), "{text}");
    assert!(text.contains("lines hidden"));
    assert_eq!(fold(&["head"], &lines[..3], &["foot"]), "head\nrow 0\nrow 1\nrow 2\nfoot");
}

#[test]
fn a_test_is_run_by_its_own_name() {
    assert_eq!(test_filter("tests::queue::is_fair"), "is_fair");
    assert_eq!(test_filter("tests::queue::is_fair-2"), "is_fair");
    assert_eq!(test_filter("support::outcomes<bool, tests::is_fair>"), "is_fair");
}

#[test]
fn a_long_run_is_folded_around_its_switches() {
    let violation = found(|| {
        let count = Arc::new(AtomicUsize::new(0));
        let other = thread::spawn({
            let count = count.clone();
            move || (0..100).for_each(|_| _ = count.fetch_add(1, SeqCst))
        });
        (0..100).for_each(|_| count.store(count.load(SeqCst) + 1, SeqCst));
        other.join().unwrap();
        assert_eq!(count.load(SeqCst), 200);
    });
    let lines: Vec<&str> = violation.text.lines().collect();
    assert!(lines.len() <= LINES, "{}", violation.text);
    let switch = |of: &str| violation.text.matches(of).count();
    assert_eq!((switch("is preempted by"), switch("is blocked or has finished")), (1, 1), "{}", violation.text);
    assert!(switch("lines hidden …") == 2, "{}", violation.text);
}
