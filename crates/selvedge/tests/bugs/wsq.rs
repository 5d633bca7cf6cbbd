//! The work-stealing queue of Cilk's THE protocol with two slots, whose `push` believes there is room for one more
//! item than there is: a thief that has raised `head` and not yet read its item finds it overwritten.

use selvedge::sync::atomic::{AtomicIsize, Ordering::SeqCst};
use selvedge::sync::{Arc, Mutex};
use selvedge::thread;

const ITEMS: usize = 4;
const STEALS: usize = 2;

struct Queue {
    lock: Mutex<()>,
    /// Raised by thieves.
    head: AtomicIsize,
    /// Moved by the owner.
    tail: AtomicIsize,
    /// Plain memory, as in the original: no operation of the schedule. A power of two long.
    items: std::sync::Mutex<Vec<usize>>,
}

impl Queue {
    fn new(slots: usize) -> Self {
        let items = std::sync::Mutex::new(vec![0; slots]);
        Queue { lock: Mutex::new(()), head: AtomicIsize::new(0), tail: AtomicIsize::new(0), items }
    }

    fn mask(&self) -> isize {
        self.items.lock().unwrap().len() as isize - 1
    }

    fn item(&self, index: isize) -> usize {
        let mask = self.mask();
        self.items.lock().unwrap()[(index & mask) as usize]
    }

    fn set(&self, index: isize, item: usize) {
        let mask = self.mask();
        self.items.lock().unwrap()[(index & mask) as usize] = item;
    }

    fn steal(&self) -> Option<usize> {
        let _lock = self.lock.lock().unwrap();
        let head = self.head.load(SeqCst);
        self.head.store(head + 1, SeqCst);
        if head < self.tail.load(SeqCst) {
            return Some(self.item(head));
        }
        self.head.store(head, SeqCst);
        None
    }

    fn pop(&self) -> Option<usize> {
        let tail = self.tail.load(SeqCst) - 1;
        self.tail.store(tail, SeqCst);
        if self.head.load(SeqCst) <= tail {
            return Some(self.item(tail));
        }
        self.tail.store(tail + 1, SeqCst);
        self.pop_alone()
    }

    fn pop_alone(&self) -> Option<usize> {
        let _lock = self.lock.lock().unwrap();
        let tail = self.tail.load(SeqCst) - 1;
        self.tail.store(tail, SeqCst);
        let mut found = None;
        if self.head.load(SeqCst) <= tail {
            found = Some(self.item(tail));
        } else {
            self.tail.store(tail + 1, SeqCst);
        }
        if self.head.load(SeqCst) > tail {
            self.head.store(0, SeqCst);
            self.tail.store(0, SeqCst);
            found = None;
        }
        found
    }

    fn push(&self, item: usize) {
        let tail = self.tail.load(SeqCst);
        // The bug: one slot must stay free for the thief at work, so this should be `head + mask`.
        if tail < self.head.load(SeqCst) + self.mask() + 1 {
            self.set(tail, item);
            self.tail.store(tail + 1, SeqCst);
        } else {
            self.push_alone(item);
        }
    }

    fn push_alone(&self, item: usize) {
        let _lock = self.lock.lock().unwrap();
        let head = self.head.load(SeqCst);
        let count = self.tail.load(SeqCst) - head;
        let start = head & self.mask();
        self.head.store(start, SeqCst);
        self.tail.store(start + count, SeqCst);
        if count >= self.mask() {
            let mut larger: Vec<usize> = (0..count).map(|i| self.item(start + i)).collect();
            larger.resize(2 * (self.mask() as usize + 1), 0);
            *self.items.lock().unwrap() = larger;
            self.head.store(0, SeqCst);
            self.tail.store(count, SeqCst);
        }
        let tail = self.tail.load(SeqCst);
        self.set(tail, item);
        self.tail.store(tail + 1, SeqCst);
    }
}

/// Four items, each to be worked on once; a thief tries twice.
pub fn work_stealing_queue() {
    let queue = Arc::new(Queue::new(2));
    let thief = thread::spawn({
        let queue = queue.clone();
        move || (0..STEALS).filter_map(|_| queue.steal()).collect::<Vec<_>>()
    });
    let mut worked = Vec::new();
    for pair in 0..ITEMS / 2 {
        queue.push(2 * pair);
        queue.push(2 * pair + 1);
        worked.extend(queue.pop());
    }
    for _ in 0..ITEMS / 2 {
        worked.extend(queue.pop());
    }
    worked.extend(thief.join().unwrap());
    worked.sort_unstable();
    assert_eq!(worked, [0, 1, 2, 3], "each item is worked on once");
}
