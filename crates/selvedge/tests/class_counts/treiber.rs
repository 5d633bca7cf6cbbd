//! Treiber's stack of numbered nodes; no node is used twice.

use selvedge::sync::atomic::{AtomicUsize, Ordering::SeqCst};

struct Stack {
    head: AtomicUsize,
    next: [AtomicUsize; 5],
}

impl Stack {
    fn push(&self, node: usize) {
        loop {
            let head = self.head.load(SeqCst);
            self.next[node].store(head, SeqCst);
            if self.head.compare_exchange(head, node, SeqCst, SeqCst).is_ok() {
                return;
            }
        }
    }

    fn pop(&self) -> Option<usize> {
        loop {
            let head = self.head.load(SeqCst);
            if head == 0 {
                return None;
            }
            let next = self.next[head].load(SeqCst);
            if self.head.compare_exchange(head, next, SeqCst, SeqCst).is_ok() {
                return Some(head);
            }
        }
    }
}

/// Two threads push two nodes each and pop two.
pub fn two_by_two() {
    let stack = Stack { head: AtomicUsize::new(0), next: [const { AtomicUsize::new(0) }; 5] };
    super::threads(stack, 2, |stack, i| {
        stack.push(1 + 2 * i);
        stack.push(2 + 2 * i);
        assert!(stack.pop().is_some() && stack.pop().is_some());
    });
}
