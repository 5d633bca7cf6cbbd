//! Channels: order, disconnection, bounds, time-outs.

mod support;

use std::collections::BTreeSet;
use std::sync::mpsc::{RecvError, RecvTimeoutError, TryRecvError, TrySendError};
use std::time::Duration;

use selvedge::sync::mpsc::{channel, sync_channel};
use selvedge::{ViolationKind, thread};
use support::{holds, outcomes, violation};

#[test]
fn messages_of_one_sender_keep_their_order() {
    let seen = outcomes(|| {
        let (tx, rx) = channel();
        let t = thread::spawn({
            let tx = tx.clone();
            move || {
                tx.send(1).unwrap();
                tx.send(2).unwrap();
            }
        });
        tx.send(3).unwrap();
        drop(tx);
        t.join().unwrap();
        rx.iter().collect::<Vec<_>>()
    });
    assert_eq!(seen, BTreeSet::from([vec![1, 2, 3], vec![1, 3, 2], vec![3, 1, 2]]));
}

#[test]
fn a_channel_without_senders_is_closed() {
    holds(|| {
        let (tx, rx) = channel::<u8>();
        let t = thread::spawn(move || drop(tx));
        assert_eq!(rx.recv(), Err(RecvError));
        assert_eq!(rx.try_recv(), Err(TryRecvError::Disconnected));
        t.join().unwrap();
        let (tx, rx) = channel();
        drop(rx);
        assert_eq!(tx.send(4).unwrap_err().0, 4);
    });
}

#[test]
fn what_was_sent_before_the_end_arrives() {
    holds(|| {
        let (tx, rx) = channel();
        thread::spawn(move || {
            for n in 0..2 {
                tx.send(n).unwrap();
            }
        });
        assert_eq!(rx.into_iter().collect::<Vec<_>>(), [0, 1]);
    });
}

#[test]
fn polling_sees_the_message_or_not() {
    let seen = outcomes(|| {
        let (tx, rx) = channel();
        let t = thread::spawn(move || tx.send(1));
        let got = rx.try_recv();
        t.join().unwrap().unwrap_or_default();
        match got {
            Ok(n) => n.to_string(),
            Err(error) => format!("{error:?}"),
        }
    });
    assert_eq!(seen, ["1", "Empty"].map(String::from).into());
}

#[test]
fn waiting_for_a_message_with_a_time_out_has_both_outcomes() {
    let seen = outcomes(|| {
        let (tx, rx) = channel();
        let t = thread::spawn({
            let tx = tx.clone();
            move || tx.send(1).unwrap()
        });
        let got = rx.recv_timeout(Duration::from_millis(1));
        t.join().unwrap();
        got == Err(RecvTimeoutError::Timeout)
    });
    assert_eq!(seen, BTreeSet::from([false, true]));
    holds(|| {
        let (tx, rx) = channel::<u8>();
        drop(tx);
        assert_eq!(rx.recv_timeout(Duration::from_millis(1)), Err(RecvTimeoutError::Disconnected));
    });
}

#[test]
fn a_full_channel_holds_its_sender_back() {
    holds(|| {
        let (tx, rx) = sync_channel(1);
        let t = thread::spawn(move || {
            tx.send(1).unwrap();
            tx.send(2).unwrap();
            tx.send(3).unwrap();
        });
        assert_eq!(rx.iter().collect::<Vec<_>>(), [1, 2, 3]);
        t.join().unwrap();
    });
    let found = violation(|| {
        let (tx, _rx) = sync_channel(1);
        tx.send(1).unwrap();
        tx.send(2).unwrap();
    });
    assert_eq!(found.kind, ViolationKind::Deadlock);
    holds(|| {
        let (tx, rx) = sync_channel(1);
        tx.try_send(1).unwrap();
        assert_eq!(tx.try_send(2), Err(TrySendError::Full(2)));
        drop(rx);
        assert_eq!(tx.try_send(2), Err(TrySendError::Disconnected(2)));
    });
}

#[test]
fn a_rendezvous_waits_for_its_receiver() {
    let seen = outcomes(|| {
        let (tx, rx) = sync_channel(0);
        let t = thread::spawn(move || {
            let early = tx.try_send(0).is_ok();
            tx.send(1).unwrap();
            early
        });
        let first = rx.recv().unwrap();
        let second = rx.recv();
        (first, second.is_ok(), t.join().unwrap())
    });
    assert_eq!(seen, BTreeSet::from([(0, true, true), (1, false, false)]));
    let found = violation(|| {
        let (tx, _rx) = sync_channel(0);
        tx.send(1).unwrap();
    });
    assert_eq!(found.kind, ViolationKind::Deadlock);
}

#[test]
fn a_sender_that_waits_learns_of_the_end() {
    holds(|| {
        let (tx, rx) = sync_channel(1);
        let t = thread::spawn(move || {
            let first = tx.send(1);
            let second = tx.send(2);
            assert!(second.is_err() || first.is_ok());
        });
        drop(rx);
        t.join().unwrap();
    });
}
