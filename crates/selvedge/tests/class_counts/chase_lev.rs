//! The deque of Chase and Lev. Its owner looks at `top` before it pushes, to see whether there is room; a version that
//! trusts that there is has fewer classes.

use selvedge::sync::Arc;
use selvedge::sync::atomic::{AtomicIsize, Ordering::SeqCst};
use selvedge::thread;

const ROOM: usize = 4;

struct Deque {
    top: AtomicIsize,
    bottom: AtomicIsize,
    items: [AtomicIsize; ROOM],
    looks_for_room: bool,
}

impl Deque {
    fn item(&self, index: isize) -> &AtomicIsize {
        &self.items[index as usize % ROOM]
    }

    fn push(&self, item: isize) {
        let bottom = self.bottom.load(SeqCst);
        if self.looks_for_room {
            assert!(bottom - self.top.load(SeqCst) < ROOM as isize);
        }
        self.item(bottom).store(item, SeqCst);
        self.bottom.store(bottom + 1, SeqCst);
    }

    fn take(&self) -> Option<isize> {
        let bottom = self.bottom.load(SeqCst) - 1;
        self.bottom.store(bottom, SeqCst);
        let top = self.top.load(SeqCst);
        if top > bottom {
            self.bottom.store(bottom + 1, SeqCst);
            return None;
        }
        let item = self.item(bottom).load(SeqCst);
        if top < bottom {
            return Some(item);
        }
        let won = self.top.compare_exchange(top, top + 1, SeqCst, SeqCst).is_ok();
        self.bottom.store(bottom + 1, SeqCst);
        won.then_some(item)
    }

    fn steal(&self) -> Option<isize> {
        let top = self.top.load(SeqCst);
        if top >= self.bottom.load(SeqCst) {
            return None;
        }
        let item = self.item(top).load(SeqCst);
        self.top.compare_exchange(top, top + 1, SeqCst, SeqCst).is_ok().then_some(item)
    }
}

/// The main thread owns the deque and takes as many items as it pushed, a thief tries twice.
pub fn three_by_two(looks_for_room: bool) {
    let zero = || AtomicIsize::new(0);
    let items = [const { AtomicIsize::new(0) }; ROOM];
    let deque = Arc::new(Deque { top: zero(), bottom: zero(), items, looks_for_room });
    let thief = deque.clone();
    let thread = thread::spawn(move || (0..2).filter_map(|_| thief.steal()).count());
    (0..3).for_each(|i| deque.push(i));
    let taken = (0..3).filter_map(|_| deque.take()).count();
    assert_eq!(taken + thread.join().unwrap(), 3);
}
