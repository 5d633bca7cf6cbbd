//! A bounded queue for many producers and consumers (Vyukov): every slot has a number that says whose turn it is.
//! A producer claims a slot, writes it, and then raises the number; a consumer who sees the raised number may
//! read. The wrong producer raises the number first, and the consumer reads what is still being written: a data race.

use std::cmp::Ordering;

use selvedge::cell::UnsafeCell;
use selvedge::sync::Arc;
use selvedge::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use selvedge::{Builder, Report, thread};

const SLOTS: usize = 2;

struct Slot {
    turn: AtomicUsize,
    value: UnsafeCell<u32>,
}

struct Queue {
    slots: [Slot; SLOTS],
    head: AtomicUsize,
    tail: AtomicUsize,
    raises_first: bool,
}

// SAFETY: a slot is touched only by the thread whose turn it is; the model checks exactly that.
#[allow(unsafe_code)]
unsafe impl Sync for Queue {}

impl Queue {
    fn new(raises_first: bool) -> Self {
        let slots = std::array::from_fn(|turn| Slot { turn: AtomicUsize::new(turn), value: UnsafeCell::new(0) });
        Queue { slots, head: AtomicUsize::new(0), tail: AtomicUsize::new(0), raises_first }
    }

    #[allow(unsafe_code)]
    fn push(&self, value: u32) -> bool {
        let mut tail = self.tail.load(SeqCst);
        loop {
            let slot = &self.slots[tail % SLOTS];
            match slot.turn.load(SeqCst).cmp(&tail) {
                Ordering::Less => return false,
                Ordering::Greater => {
                    tail = self.tail.load(SeqCst);
                    continue;
                }
                Ordering::Equal => {}
            }
            if let Err(now) = self.tail.compare_exchange(tail, tail + 1, SeqCst, SeqCst) {
                tail = now;
                continue;
            }
            // SAFETY: the exchange made this slot ours until its number is raised.
            let write = || slot.value.with_mut(|p| unsafe { *p = value });
            if self.raises_first {
                slot.turn.store(tail + 1, SeqCst);
                write();
            } else {
                write();
                slot.turn.store(tail + 1, SeqCst);
            }
            return true;
        }
    }

    #[allow(unsafe_code)]
    fn pop(&self) -> Option<u32> {
        let mut head = self.head.load(SeqCst);
        loop {
            let slot = &self.slots[head % SLOTS];
            match slot.turn.load(SeqCst).cmp(&(head + 1)) {
                Ordering::Less => return None,
                Ordering::Greater => {
                    head = self.head.load(SeqCst);
                    continue;
                }
                Ordering::Equal => {}
            }
            if let Err(now) = self.head.compare_exchange(head, head + 1, SeqCst, SeqCst) {
                head = now;
                continue;
            }
            // SAFETY: the exchange made this slot ours until its number is raised.
            let value = slot.value.with(|p| unsafe { *p });
            slot.turn.store(head + SLOTS, SeqCst);
            return Some(value);
        }
    }
}

/// Two producers and a consumer: what comes out was put in, and each once.
fn scenario(raises_first: bool) {
    let queue = Arc::new(Queue::new(raises_first));
    let producer = |value| {
        let queue = queue.clone();
        thread::spawn(move || assert!(queue.push(value), "there is room for two"))
    };
    let producers = [producer(7), producer(8)];
    let mut got: Vec<u32> = queue.pop().into_iter().collect();
    for producer in producers {
        producer.join().unwrap();
    }
    got.extend(std::iter::from_fn(|| queue.pop()));
    got.sort_unstable();
    assert_eq!(got, [7, 8]);
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
    println!("write, then raise: {}\nraise, then write: {}", right(), wrong());
}
