//! Treiber's stack of numbered nodes; no node is used twice.

use selvedge::sync::atomic::{AtomicUsize, Ordering::SeqCst};

include!("treiber_stack.rs");

/// Two threads push two nodes each and pop two.
pub fn two_by_two() {
    let next = (0..5).map(|_| AtomicUsize::new(0)).collect();
    let stack = Stack { head: AtomicUsize::new(0), next };
    super::threads(stack, 2, |stack, i| {
        stack.push(1 + 2 * i);
        stack.push(2 + 2 * i);
        assert!(stack.pop().is_some() && stack.pop().is_some());
    });
}
