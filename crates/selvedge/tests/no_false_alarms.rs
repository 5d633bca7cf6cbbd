//! Correct uses of orderings over every execution that RC11 allows: none is reported. Each has a relaxed access, so stale values are
//! explored although what matters may be `SeqCst`; and each is reported with one ordering less.

use selvedge::sync::atomic::Ordering::{self, AcqRel, Acquire, Relaxed, Release, SeqCst};
use selvedge::sync::atomic::{AtomicUsize, fence};
use selvedge::sync::{Arc, Mutex, mpsc};
use selvedge::{Bound, Builder, Memory, Report, thread};

/// What the threads of a test share.
type Counters = [AtomicUsize; 4];

/// Every execution; and those within two preemptions with any number of stale accesses.
fn reports<const N: usize>(orderings: [Ordering; N], body: fn([Ordering; N])) -> [Report; 2] {
    let all = Builder::new().memory(Memory::Rc11).bound(Bound::Deviations(None));
    let some = Builder::new().preemptions(2).stale(u32::MAX);
    [all, some].map(|builder| builder.explore(move || body(orderings)))
}

/// The body holds with these orderings, and with none of the weaker ones.
fn needs<const N: usize>(orderings: [Ordering; N], weaker: &[[Ordering; N]], body: fn([Ordering; N])) {
    for report in reports(orderings, body) {
        assert!(report.complete && report.violation.is_none(), "{orderings:?}: {report}");
    }
    for &weaker in weaker {
        for report in reports(weaker, body) {
            assert!(report.violation.is_some(), "{weaker:?} are not enough: {report}");
        }
    }
}

/// Runs two threads on the same counters.
fn both(first: impl FnOnce(&Counters) + 'static, second: impl FnOnce(&Counters) + 'static) -> Arc<Counters> {
    let counters = Arc::new([0; 4].map(AtomicUsize::new));
    let (one, two) = (counters.clone(), counters.clone());
    let threads = [thread::spawn(move || first(&one)), thread::spawn(move || second(&two))];
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    counters
}

fn maybe_fence(order: Ordering) {
    if order != Relaxed {
        fence(order);
    }
}

/// As strong as possible for a load, or for a store.
fn load(order: Ordering) -> Ordering {
    if matches!(order, Release | AcqRel) { Acquire } else { order }
}

fn store(order: Ordering) -> Ordering {
    if matches!(order, Acquire | AcqRel) { Release } else { order }
}

/// Each thread raises its flag and looks at the other's.
fn dekker([accesses, fences]: [Ordering; 2]) {
    let enter = move |counters: &Counters, mine: usize| {
        counters[3].fetch_add(1, Relaxed);
        counters[mine].store(1, store(accesses));
        maybe_fence(fences);
        if counters[1 - mine].load(load(accesses)) == 0 {
            counters[2].fetch_add(1, Relaxed);
        }
    };
    let counters = both(move |c| enter(c, 0), move |c| enter(c, 1));
    assert!(counters[2].load(Relaxed) < 2, "both are inside");
}

#[test]
fn two_flags_exclude_each_other_if_accesses_or_fences_are_sequentially_consistent() {
    needs([SeqCst, Relaxed], &[[AcqRel, Relaxed]], dekker);
    needs([Relaxed, SeqCst], &[[Relaxed, AcqRel], [AcqRel, AcqRel]], dekker);
}

/// Two flags and a turn. Does not wait: one attempt each is enough to see both inside.
fn peterson([accesses, turns]: [Ordering; 2]) {
    let enter = move |counters: &Counters, mine: usize| {
        counters[mine].store(1, store(accesses));
        counters[2].swap(mine, turns);
        let waits = counters[1 - mine].load(load(accesses)) == 1 && counters[2].load(load(accesses)) == mine;
        if !waits {
            assert_eq!(counters[3].fetch_add(1, Relaxed), 0, "both are inside");
            counters[3].fetch_sub(1, Relaxed);
        }
        counters[mine].store(0, store(accesses));
    };
    both(move |c| enter(c, 0), move |c| enter(c, 1));
}

#[test]
fn two_flags_and_a_turn_exclude_each_other() {
    needs([SeqCst, SeqCst], &[[Relaxed, Relaxed], [AcqRel, Relaxed]], peterson);
    // The turn is taken by read-modify-writes, each of which learns what the one before knew.
    needs([AcqRel, AcqRel], &[], peterson);
}

/// A message behind a flag, both relaxed, with a fence on each side.
fn message_by_fences([release, acquire]: [Ordering; 2]) {
    both(
        move |[data, flag, ..]| {
            data.store(1, Relaxed);
            maybe_fence(release);
            flag.store(1, Relaxed);
        },
        move |[data, flag, ..]| {
            if flag.load(Relaxed) == 1 {
                maybe_fence(acquire);
                assert_eq!(data.load(Relaxed), 1);
            }
        },
    );
}

#[test]
fn a_message_is_passed_by_two_fences() {
    let weaker = [[Relaxed, Acquire], [Release, Relaxed], [Acquire, Acquire], [Release, Release]];
    needs([Release, Acquire], &weaker, message_by_fences);
    needs([SeqCst, SeqCst], &[], message_by_fences);
}

/// A release sequence: the read-modify-write of another thread continues it, however weak it is.
fn release_sequence([publish, look]: [Ordering; 2]) {
    let counters = Arc::new([0; 4].map(AtomicUsize::new));
    let run = |body: fn(&Counters, [Ordering; 2])| {
        let counters = counters.clone();
        thread::spawn(move || body(&counters, [publish, look]))
    };
    let publisher = run(|[data, state, ..], [publish, _]| {
        data.store(1, Relaxed);
        state.store(1, publish);
    });
    let other = run(|[_, state, ..], _| {
        let _ = state.compare_exchange(1, 2, Relaxed, Relaxed);
    });
    let reader = run(|[data, state, ..], [_, look]| {
        if state.load(look) == 2 {
            assert_eq!(data.load(Relaxed), 1);
        }
    });
    [publisher, other, reader].into_iter().for_each(|thread| thread.join().unwrap());
}

#[test]
fn a_release_sequence_passes_a_message_on() {
    needs([Release, Acquire], &[[Relaxed, Acquire], [Release, Relaxed]], release_sequence);
}

/// Two elements with sequence numbers around them, written with fences: a reader takes none that is torn.
fn sequence_lock([before, after]: [Ordering; 2]) {
    both(
        move |[sequence, a, b, _]| {
            sequence.store(1, Relaxed);
            maybe_fence(before);
            a.store(1, Relaxed);
            b.store(1, Relaxed);
            sequence.store(2, Release);
        },
        move |[sequence, a, b, _]| {
            let first = sequence.load(Acquire);
            let (a, b) = (a.load(Relaxed), b.load(Relaxed));
            maybe_fence(after);
            if first % 2 == 0 && sequence.load(Relaxed) == first {
                assert_eq!(a, b, "a torn read");
            }
        },
    );
}

#[test]
fn a_sequence_lock_with_its_fences_has_no_torn_reads() {
    needs([Release, Acquire], &[[Relaxed, Acquire], [Release, Relaxed]], sequence_lock);
}

/// A look at an empty channel comes before the message, as a sequentially consistent access would: who sends the message reads
/// what was stored before the look.
fn look_before_a_message([accesses]: [Ordering; 1]) {
    let (sender, receiver) = mpsc::channel();
    let counters = both(
        move |[flag, empty, ..]| {
            flag.store(1, store(accesses));
            empty.store(usize::from(receiver.try_recv().is_err()), Relaxed);
        },
        move |[flag, _, overlooked, _]| {
            sender.send(()).unwrap_or_default();
            overlooked.store(usize::from(flag.load(load(accesses)) == 0), Relaxed);
        },
    );
    let [_, empty, overlooked, _] = &*counters;
    assert!(empty.load(Relaxed) + overlooked.load(Relaxed) < 2, "the flag was raised before the message was sent");
}

/// An attempt to lock that fails comes after the lock was taken: what the owner stored before is there.
fn attempt_after_a_lock([accesses]: [Ordering; 1]) {
    let lock = Arc::new(Mutex::new(()));
    let same = lock.clone();
    both(
        move |[flag, other, ..]| {
            other.store(1, Relaxed);
            flag.store(1, store(accesses));
            let _guard = lock.lock().unwrap();
        },
        move |[flag, ..]| {
            if same.try_lock().is_err() {
                assert_eq!(flag.load(load(accesses)), 1, "the lock is taken");
            }
        },
    );
}

#[test]
fn what_the_library_does_is_in_one_order_with_sequentially_consistent_accesses() {
    needs([SeqCst], &[[Relaxed], [AcqRel]], look_before_a_message);
    needs([SeqCst], &[[Relaxed], [AcqRel]], attempt_after_a_lock);
}
