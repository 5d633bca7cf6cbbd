//! Tasks and wakers.

mod support;

use std::collections::BTreeSet;
use std::future::poll_fn;
use std::task::Poll;

use selvedge::future::{AtomicWaker, block_on, spawn};
use selvedge::sync::Arc;
use selvedge::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use selvedge::{Builder, ViolationKind, thread};
use support::{holds, outcomes, outcomes_of, violation};

#[derive(Default)]
struct Gate {
    open: AtomicBool,
    waker: AtomicWaker,
}

impl Gate {
    async fn pass(&self, registers_first: bool) {
        poll_fn(|context| {
            if registers_first {
                self.waker.register_by_ref(context.waker());
            }
            if self.open.load(SeqCst) {
                return Poll::Ready(());
            }
            if !registers_first {
                self.waker.register_by_ref(context.waker());
            }
            Poll::Pending
        })
        .await;
    }

    fn open(&self) {
        self.open.store(true, SeqCst);
        self.waker.wake();
    }
}

fn scenario(registers_first: bool) {
    let gate = Arc::new(Gate::default());
    let t = thread::spawn({
        let gate = gate.clone();
        move || gate.open()
    });
    block_on(gate.pass(registers_first));
    t.join().unwrap();
}

#[test]
fn a_waker_registered_before_the_look_is_not_missed() {
    holds(|| scenario(true));
}

#[test]
fn a_waker_registered_after_the_look_is() {
    assert_eq!(violation(|| scenario(false)).kind, ViolationKind::Deadlock);
}

#[test]
fn tasks_are_awaited() {
    let seen = outcomes(|| {
        let n = Arc::new(AtomicUsize::new(0));
        let add = |by: usize| {
            let n = n.clone();
            async move { n.fetch_add(by, SeqCst) }
        };
        let (a, b) = (spawn(add(1)), spawn(add(10)));
        block_on(async { (a.await, b.await) })
    });
    assert_eq!(seen, BTreeSet::from([(0, 1), (10, 0)]));
}

#[test]
fn a_future_may_be_polled_for_no_reason_if_asked_to() {
    let polls = || {
        let mut polls = 0;
        block_on(poll_fn(|context| {
            polls += 1;
            if polls == 1 {
                context.waker().wake_by_ref();
            }
            if polls < 3 { Poll::Pending } else { Poll::Ready(()) }
        }));
    };
    assert_eq!(violation(polls).kind, ViolationKind::Deadlock);
    let builder = Builder::new().spurious_wakeups(true);
    let seen = outcomes_of(builder, || {
        let mut polls = 0;
        block_on(poll_fn(|context| {
            polls += 1;
            context.waker().wake_by_ref();
            if polls < 3 { Poll::Pending } else { Poll::Ready(polls) }
        }))
    });
    assert_eq!(seen, BTreeSet::from([3]));
}
