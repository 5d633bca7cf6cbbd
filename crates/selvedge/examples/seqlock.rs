//! A sequence lock: the writer makes a number odd, writes, makes it even; a reader reads between two looks at the
//! number and trusts what it read only if the number was even and is still the same. The wrong reader looks once.

use selvedge::sync::Arc;
use selvedge::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use selvedge::{Builder, Report, thread};

#[derive(Default)]
struct SeqLock {
    sequence: AtomicUsize,
    low: AtomicUsize,
    high: AtomicUsize,
}

impl SeqLock {
    /// One writer at a time.
    fn write(&self, low: usize, high: usize) {
        self.sequence.fetch_add(1, SeqCst);
        self.low.store(low, SeqCst);
        self.high.store(high, SeqCst);
        self.sequence.fetch_add(1, SeqCst);
    }

    /// The pair, or nothing while a writer is at work.
    fn try_read(&self, looks_again: bool) -> Option<(usize, usize)> {
        let before = self.sequence.load(SeqCst);
        if !before.is_multiple_of(2) {
            return None;
        }
        let pair = (self.low.load(SeqCst), self.high.load(SeqCst));
        (!looks_again || self.sequence.load(SeqCst) == before).then_some(pair)
    }
}

/// The writer always writes equal halves.
fn scenario(looks_again: bool) {
    let lock = Arc::new(SeqLock::default());
    let writer = thread::spawn({
        let lock = lock.clone();
        move || {
            lock.write(1, 1);
            lock.write(2, 2);
        }
    });
    if let Some((low, high)) = lock.try_read(looks_again) {
        assert_eq!(low, high, "a torn read");
    }
    writer.join().unwrap();
}

/// Explores the right version.
pub fn right() -> Report {
    Builder::new().explore(|| scenario(true))
}

/// Explores the wrong version, which has a violation.
pub fn wrong() -> Report {
    Builder::new().explore(|| scenario(false))
}

#[allow(dead_code, reason = "the tests call the two versions themselves")]
fn main() {
    println!("looking twice: {}\nlooking once: {}", right(), wrong());
}
