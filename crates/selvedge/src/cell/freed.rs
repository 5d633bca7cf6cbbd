//! The cells that were freed in the execution at hand, by address: whoever uses one through a dangling pointer may find
//! its header overwritten by the allocator, and is told all the same.

use std::cell::RefCell;
use std::collections::HashMap;

thread_local! {
    /// Of the execution with this stamp.
    static FREED: RefCell<(u64, HashMap<usize, u32>)> = RefCell::default();
}

/// The cell at this address was freed. A new cell may take its place: its header is fresh then.
pub(super) fn add(stamp: u64, address: usize, cell: u32) {
    FREED.with_borrow_mut(|(of, cells)| {
        if *of != stamp {
            cells.clear();
            *of = stamp;
        }
        cells.insert(address, cell);
    });
}

/// The cell that was freed at this address.
pub(super) fn at(stamp: u64, address: usize) -> Option<u32> {
    FREED.with_borrow(|(of, cells)| cells.get(&address).filter(|_| *of == stamp).copied())
}
