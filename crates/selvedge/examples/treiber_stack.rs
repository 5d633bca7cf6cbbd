//! Treiber's stack: push and pop move one head with compare-and-exchange. Nodes are reused, and that is the
//! trap: `pop` reads the head and its successor, and when its exchange comes, the head may be the same node again
//! with another successor (the ABA problem). The right version counts every change in the upper half of the head.

use selvedge::sync::Arc;
use selvedge::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use selvedge::{Builder, Report, thread};

const EMPTY: usize = 0xff;
const TAG: usize = 0x100;

/// Nodes are numbers; `next[n]` is the node below node `n`.
struct Stack {
    head: AtomicUsize,
    next: [AtomicUsize; 3],
    tagged: bool,
}

impl Stack {
    /// Nodes 0 and 1 are on the stack, 0 on top.
    fn with_two_nodes(tagged: bool) -> Self {
        let next = [AtomicUsize::new(1), AtomicUsize::new(EMPTY), AtomicUsize::new(EMPTY)];
        Stack { head: AtomicUsize::new(0), next, tagged }
    }

    /// The head after a change: another node, and one more change if they are counted.
    fn successor(&self, head: usize, node: usize) -> usize {
        if self.tagged { (head / TAG + 1) * TAG + node } else { node }
    }

    fn push(&self, node: usize) {
        let mut head = self.head.load(SeqCst);
        loop {
            self.next[node].store(head % TAG, SeqCst);
            match self.head.compare_exchange(head, self.successor(head, node), SeqCst, SeqCst) {
                Ok(_) => return,
                Err(now) => head = now,
            }
        }
    }

    fn pop(&self) -> Option<usize> {
        let mut head = self.head.load(SeqCst);
        loop {
            let node = head % TAG;
            if node == EMPTY {
                return None;
            }
            let below = self.next[node].load(SeqCst);
            match self.head.compare_exchange(head, self.successor(head, below), SeqCst, SeqCst) {
                Ok(_) => return Some(node),
                Err(now) => head = now,
            }
        }
    }
}

/// One thread pops while another pops twice and gives its first node back: nobody may get a node that another holds.
fn scenario(tagged: bool) {
    let stack = Arc::new(Stack::with_two_nodes(tagged));
    let other = thread::spawn({
        let stack = stack.clone();
        move || {
            let first = stack.pop();
            let kept = stack.pop();
            if let Some(node) = first {
                stack.push(node);
            }
            kept
        }
    });
    let mut mine = vec![];
    while let Some(node) = stack.pop() {
        mine.push(node);
        if mine.len() == 2 {
            break;
        }
    }
    if let Some(kept) = other.join().unwrap() {
        assert!(!mine.contains(&kept), "node {kept} was handed out twice");
    }
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
    println!("with counted changes: {}\nwithout: {}", right(), wrong());
}
