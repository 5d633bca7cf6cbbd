//! Memory whose loss a model reports, as loom has it.
#![allow(unsafe_code)]

#[doc(no_inline)]
pub use std::alloc::Layout;

use std::cell::RefCell;
use std::collections::HashMap;
use std::panic::Location;

use crate::primitive;
use selvedge_stateless::rt::{self, TrackId};

thread_local!(static BY_ADDRESS: RefCell<(u64, HashMap<usize, TrackId>)> = RefCell::default());

/// Allocates, as [`std::alloc::alloc`]; inside a model the memory must be freed before the execution ends.
///
/// # Safety
/// See [`std::alloc::GlobalAlloc::alloc`].
#[track_caller]
pub unsafe fn alloc(layout: Layout) -> *mut u8 {
    // SAFETY: as the caller promises.
    let memory = unsafe { std::alloc::alloc(layout) };
    allocated(memory, Location::caller());
    memory
}

/// Allocates zeros, as [`std::alloc::alloc_zeroed`].
///
/// # Safety
/// See [`std::alloc::GlobalAlloc::alloc_zeroed`].
#[track_caller]
pub unsafe fn alloc_zeroed(layout: Layout) -> *mut u8 {
    // SAFETY: as the caller promises.
    let memory = unsafe { std::alloc::alloc_zeroed(layout) };
    allocated(memory, Location::caller());
    memory
}

/// Frees, as [`std::alloc::dealloc`]. Inside a model, memory that [`alloc`] did not give (or that was freed already)
/// ends the run with a report instead of undefined behaviour.
///
/// # Safety
/// See [`std::alloc::GlobalAlloc::dealloc`].
#[track_caller]
pub unsafe fn dealloc(memory: *mut u8, layout: Layout) {
    if rt::inside() && !rt::panicking() {
        let track = BY_ADDRESS
            .with_borrow_mut(|(stamp, map)| if *stamp == rt::stamp() { map.remove(&(memory as usize)) } else { None });
        match track {
            Some(track) => rt::untrack(track),
            None => primitive::misuse(
                "memory is freed that was not allocated in this execution, or was freed already".to_owned(),
                Location::caller(),
            ),
        }
    }
    // SAFETY: as the caller promises.
    unsafe { std::alloc::dealloc(memory, layout) };
}

fn allocated(memory: *mut u8, at: selvedge_stateless::At) {
    if memory.is_null() || !rt::inside() {
        return;
    }
    let track = rt::track("allocation", at);
    BY_ADDRESS.with_borrow_mut(|(stamp, map)| {
        if *stamp != rt::stamp() {
            map.clear();
            *stamp = rt::stamp();
        }
        map.insert(memory as usize, track);
    });
}

/// A value that must be dropped before the execution ends.
#[derive(Debug)]
pub struct Track<T> {
    value: T,
    mark: Mark,
}

/// Told apart from the value so that the value can be moved out.
#[derive(Debug)]
struct Mark(Option<(u64, TrackId)>);

impl Drop for Mark {
    fn drop(&mut self) {
        if let Some((stamp, track)) = self.0
            && rt::inside()
            && rt::stamp() == stamp
        {
            rt::untrack(track);
        }
    }
}

impl<T> Track<T> {
    /// Tracks a value.
    #[track_caller]
    pub fn new(value: T) -> Self {
        // Not inside the closure: it would be the caller.
        let at = Location::caller();
        let mark = rt::inside().then(|| (rt::stamp(), rt::track("Track", at)));
        Track { value, mark: Mark(mark) }
    }

    /// The value.
    pub fn get_ref(&self) -> &T {
        &self.value
    }

    /// The value, exclusively.
    pub fn get_mut(&mut self) -> &mut T {
        &mut self.value
    }

    /// The value itself, tracked no longer.
    pub fn into_inner(self) -> T {
        let Track { value, mark } = self;
        drop(mark);
        value
    }
}
