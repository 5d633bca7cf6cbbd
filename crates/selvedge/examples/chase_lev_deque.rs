//! The deque of Chase and Lev: its owner pushes and takes at the bottom, thieves steal at the top. Only the last
//! item is fought for. The owner must lower `bottom` *before* it looks at `top`: a thief who comes later then sees
//! that the item is taken. The wrong version looks first.

use selvedge::sync::Arc;
use selvedge::sync::atomic::{AtomicIsize, Ordering::SeqCst};
use selvedge::{Builder, Report, thread};

const SLOTS: usize = 4;

struct Deque {
    top: AtomicIsize,
    bottom: AtomicIsize,
    items: [AtomicIsize; SLOTS],
    looks_first: bool,
}

impl Deque {
    fn new(looks_first: bool) -> Self {
        let items = std::array::from_fn(|_| AtomicIsize::new(0));
        Deque { top: AtomicIsize::new(0), bottom: AtomicIsize::new(0), items, looks_first }
    }

    fn item(&self, index: isize) -> &AtomicIsize {
        &self.items[index as usize % SLOTS]
    }

    fn push(&self, value: isize) {
        let bottom = self.bottom.load(SeqCst);
        self.item(bottom).store(value, SeqCst);
        self.bottom.store(bottom + 1, SeqCst);
    }

    fn take(&self) -> Option<isize> {
        let bottom = self.bottom.load(SeqCst) - 1;
        let top = if self.looks_first {
            let top = self.top.load(SeqCst);
            self.bottom.store(bottom, SeqCst);
            top
        } else {
            self.bottom.store(bottom, SeqCst);
            self.top.load(SeqCst)
        };
        if top > bottom {
            self.bottom.store(bottom + 1, SeqCst);
            return None;
        }
        let value = self.item(bottom).load(SeqCst);
        if top < bottom {
            return Some(value);
        }
        let won = self.top.compare_exchange(top, top + 1, SeqCst, SeqCst).is_ok();
        self.bottom.store(bottom + 1, SeqCst);
        won.then_some(value)
    }

    fn steal(&self) -> Option<isize> {
        let top = self.top.load(SeqCst);
        if top >= self.bottom.load(SeqCst) {
            return None;
        }
        let value = self.item(top).load(SeqCst);
        self.top.compare_exchange(top, top + 1, SeqCst, SeqCst).is_ok().then_some(value)
    }
}

/// Two items, an owner who takes both and a thief who tries twice: every item has exactly one taker.
fn scenario(looks_first: bool) {
    let deque = Arc::new(Deque::new(looks_first));
    deque.push(1);
    deque.push(2);
    let thief = thread::spawn({
        let deque = deque.clone();
        move || [deque.steal(), deque.steal()]
    });
    let mut taken: Vec<isize> = [deque.take(), deque.take()].into_iter().flatten().collect();
    taken.extend(thief.join().unwrap().into_iter().flatten());
    taken.extend(deque.take());
    taken.sort_unstable();
    assert_eq!(taken, [1, 2], "every item is taken once");
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
    println!("bottom first: {}\ntop first: {}", right(), wrong());
}
