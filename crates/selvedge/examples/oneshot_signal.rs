//! A signal that is sent once and freed by whoever is last: the protocol of a oneshot channel for futures, without its
//! message. The receiver leaves a waker, the sender takes it out and wakes the task.
//!
//! `FLAWED` closes the channel with a swap while the sender may be taking the waker. The receiver then waits until the sender
//! is done, which it reads from the state; but there it finds the `CLOSED` that it wrote itself, and frees the channel under
//! the sender. loom passes the test: after a `spin_loop` it never lets a thread read a store that the thread has seen
//! before, so the receiver is never shown its own.
#![allow(unsafe_code)]

use std::task::Waker;

use selvedge::cell::UnsafeCell;
use selvedge::sync::atomic::{AtomicU8, Ordering::AcqRel, Ordering::Acquire};
use selvedge::{Builder, Report, hint, thread};

/// Nothing was sent, nobody waits.
const EMPTY: u8 = 0;
/// The receiver has left its waker.
const WAITING: u8 = 1;
/// The sender is taking the waker: the channel must stay.
const WAKING: u8 = 2;
/// Sent; the receiver frees the channel.
const SENT: u8 = 3;
/// The receiver is gone; the sender frees the channel.
const CLOSED: u8 = 4;

struct Channel {
    state: AtomicU8,
    waker: UnsafeCell<Option<Waker>>,
}

struct Sender(*mut Channel);
struct Receiver<const FLAWED: bool>(*mut Channel);

// SAFETY: the state says who may touch what, and who frees the channel.
unsafe impl Send for Sender {}

fn channel<const FLAWED: bool>() -> (Sender, Receiver<FLAWED>) {
    let channel = Box::into_raw(Box::new(Channel { state: AtomicU8::new(EMPTY), waker: UnsafeCell::new(None) }));
    (Sender(channel), Receiver(channel))
}

/// # Safety
/// Called once, by whoever the state says is last.
unsafe fn free(channel: *mut Channel) {
    // SAFETY: as the caller promises.
    drop(unsafe { Box::from_raw(channel) });
}

impl Sender {
    fn send(self) {
        // SAFETY: the receiver does not free the channel before it finds `SENT`.
        let channel = unsafe { &*self.0 };
        let mut state = channel.state.load(Acquire);
        loop {
            let next = if state == WAITING { WAKING } else { SENT };
            if state == CLOSED {
                // SAFETY: the receiver is gone.
                return unsafe { free(self.0) };
            }
            match channel.state.compare_exchange(state, next, AcqRel, Acquire) {
                Ok(WAITING) => break,
                Ok(_) => return,
                Err(now) => state = now,
            }
        }
        // SAFETY: in the state `WAKING` the waker is the sender's.
        let waker = channel.waker.with_mut(|waker| unsafe { (*waker).take() });
        channel.state.swap(SENT, AcqRel);
        waker.into_iter().for_each(Waker::wake);
    }
}

impl<const FLAWED: bool> Receiver<FLAWED> {
    /// Whether the signal was sent; if not, the waker is called when it is.
    fn poll(&mut self, waker: &Waker) -> bool {
        // SAFETY: the sender frees the channel only after it was closed.
        let channel = unsafe { &*self.0 };
        if channel.state.load(Acquire) != EMPTY {
            return true;
        }
        // SAFETY: nobody looks at it before the state is `WAITING`.
        channel.waker.with_mut(|slot| unsafe { *slot = Some(waker.clone()) });
        channel.state.compare_exchange(EMPTY, WAITING, AcqRel, Acquire).is_err()
    }

    // ANCHOR: close
    /// Leaves the channel to the sender, or waits until the sender has left it to us: whether it is ours to free.
    fn close(&self) -> bool {
        // SAFETY: as in `poll`.
        let state = unsafe { &(*self.0).state };
        if FLAWED {
            return match state.swap(CLOSED, AcqRel) {
                SENT => true,
                WAKING => loop {
                    hint::spin_loop();
                    if state.load(Acquire) != WAKING {
                        break true;
                    }
                },
                _ => false,
            };
        }
        loop {
            match state.load(Acquire) {
                SENT => return true,
                WAKING => hint::spin_loop(),
                found if state.compare_exchange(found, CLOSED, AcqRel, Acquire).is_ok() => return false,
                _ => {}
            }
        }
    }
    // ANCHOR_END: close
}

impl<const FLAWED: bool> Drop for Receiver<FLAWED> {
    fn drop(&mut self) {
        if self.close() {
            // SAFETY: the sender is done with it.
            unsafe { free(self.0) };
        }
    }
}

// ANCHOR: test
fn poll_and_drop_while_it_is_sent<const FLAWED: bool>() {
    let (sender, mut receiver) = channel::<FLAWED>();
    let sending = thread::spawn(move || sender.send());
    receiver.poll(Waker::noop());
    drop(receiver);
    sending.join().unwrap();
}
// ANCHOR_END: test

/// Explores the right version.
pub fn right() -> Report {
    Builder::new().explore(poll_and_drop_while_it_is_sent::<false>)
}

/// Explores the flawed one.
pub fn wrong() -> Report {
    Builder::new().explore(poll_and_drop_while_it_is_sent::<true>)
}

/// Shows that the right version holds, then fails with the flawed one: a check writes the files that the environment asks
/// for, such as `SELVEDGE_HTML=bug.html`.
pub fn main() {
    println!("right: {}", right());
    Builder::new().keep_failures(false).check(poll_and_drop_while_it_is_sent::<true>);
}
