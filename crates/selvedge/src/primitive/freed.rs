//! The cells and atomics that were freed in the execution at hand, by address: whoever uses one through a dangling pointer
//! may find its header overwritten by the allocator, and is told all the same.

use std::cell::RefCell;

use selvedge_stateless::ObjectId;
use selvedge_stateless::rt::CellId;

/// What was freed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Freed {
    Cell(CellId),
    Atomic(ObjectId),
}

thread_local! {
    /// Of the execution with this stamp, the last one last: many are freed, few are asked for.
    static FREED: RefCell<(u64, Vec<(usize, Freed)>)> = const { RefCell::new((0, Vec::new())) };
}

/// What is at this address was freed. Something new may take its place: its header is fresh then.
pub(crate) fn add(stamp: u64, address: usize, freed: Freed) {
    FREED.with_borrow_mut(|(of, all)| {
        if *of != stamp {
            all.clear();
            *of = stamp;
        }
        all.push((address, freed));
    });
}

/// What was freed at this address.
pub(crate) fn at(stamp: u64, address: usize) -> Option<Freed> {
    FREED.with_borrow(|(of, all)| {
        let mut freed = all.iter().rev().filter(|_| *of == stamp);
        freed.find(|(place, _)| *place == address).map(|&(_, freed)| freed)
    })
}
