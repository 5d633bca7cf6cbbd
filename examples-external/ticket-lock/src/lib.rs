//! A ticket lock, once right and once wrong. In a build the types are std's; in `cargo test` they are watched.

use selvedge::cell::UnsafeCell;
use selvedge::hint;
use selvedge::sync::atomic::{AtomicUsize, Ordering::SeqCst};

/// Draw a ticket, wait until it is served.
pub struct TicketLock<T> {
    next: AtomicUsize,
    serving: AtomicUsize,
    value: UnsafeCell<T>,
    /// Draws the ticket in two steps, so that two threads can draw the same.
    careless: bool,
}

// SAFETY: the value is touched only by the thread whose ticket is served. (Careless locks break this, as the test shows.)
unsafe impl<T: Send> Sync for TicketLock<T> {}

impl<T> TicketLock<T> {
    pub fn new(value: T) -> Self {
        Self::with(value, false)
    }

    pub fn careless(value: T) -> Self {
        Self::with(value, true)
    }

    fn with(value: T, careless: bool) -> Self {
        TicketLock { next: AtomicUsize::new(0), serving: AtomicUsize::new(0), value: UnsafeCell::new(value), careless }
    }

    fn draw(&self) -> usize {
        if self.careless {
            let ticket = self.next.load(SeqCst);
            self.next.store(ticket + 1, SeqCst);
            ticket
        } else {
            self.next.fetch_add(1, SeqCst)
        }
    }

    pub fn with_lock<R>(&self, f: impl FnOnce(&mut T) -> R) -> R {
        let ticket = self.draw();
        while self.serving.load(SeqCst) != ticket {
            hint::spin_loop();
        }
        // SAFETY: our ticket is served.
        let result = self.value.with_mut(|value| f(unsafe { &mut *value }));
        self.serving.fetch_add(1, SeqCst);
        result
    }
}
