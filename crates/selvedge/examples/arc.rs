//! A shared pointer with a count of its owners. The last owner frees the value, so counting down and asking
//! "was I the last?" must be one step. The wrong version asks first: two owners both see the other one and nobody frees.

use std::ops::Deref;
use std::ptr::NonNull;

use selvedge::alloc::Track;
use selvedge::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use selvedge::{Builder, Report, thread};

struct Inner {
    owners: AtomicUsize,
    value: Track<u32>,
}

struct Shared {
    inner: NonNull<Inner>,
    asks_first: bool,
}

// SAFETY: the value is only read, and freed by the last owner.
#[allow(unsafe_code)]
unsafe impl Send for Shared {}

#[allow(unsafe_code)]
impl Shared {
    fn new(value: u32, asks_first: bool) -> Self {
        let inner = Box::new(Inner { owners: AtomicUsize::new(1), value: Track::new(value) });
        Shared { inner: NonNull::from(Box::leak(inner)), asks_first }
    }

    fn owners(&self) -> &AtomicUsize {
        // SAFETY: freed only when no owner is left, and we are one.
        unsafe { &self.inner.as_ref().owners }
    }

    fn is_last(&self) -> bool {
        if self.asks_first {
            let last = self.owners().load(SeqCst) == 1;
            self.owners().fetch_sub(1, SeqCst);
            last
        } else {
            self.owners().fetch_sub(1, SeqCst) == 1
        }
    }
}

impl Clone for Shared {
    fn clone(&self) -> Self {
        self.owners().fetch_add(1, SeqCst);
        Shared { ..*self }
    }
}

#[allow(unsafe_code)]
impl Deref for Shared {
    type Target = u32;
    fn deref(&self) -> &u32 {
        // SAFETY: freed only when no owner is left, and we are one.
        unsafe { self.inner.as_ref().value.get_ref() }
    }
}

#[allow(unsafe_code)]
impl Drop for Shared {
    fn drop(&mut self) {
        if self.is_last() {
            // SAFETY: made by `Box::leak`, and no other owner is left.
            drop(unsafe { Box::from_raw(self.inner.as_ptr()) });
        }
    }
}

/// Two owners, each in its own thread.
fn scenario(asks_first: bool) {
    let mine = Shared::new(5, asks_first);
    let theirs = mine.clone();
    let other = thread::spawn(move || assert_eq!(*theirs, 5));
    assert_eq!(*mine, 5);
    drop(mine);
    other.join().unwrap();
}

/// Explores the right version.
pub fn right() -> Report {
    Builder::new().explore(|| scenario(false))
}

/// Explores the wrong version, which has a violation.
pub fn wrong() -> Report {
    Builder::new().explore(|| scenario(true))
}

#[allow(dead_code, reason = "the tests call the two versions themselves")]
fn main() {
    println!("counting and asking in one step: {}\nasking first: {}", right(), wrong());
}
