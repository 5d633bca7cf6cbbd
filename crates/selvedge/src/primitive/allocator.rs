//! The allocator of every program that has this library in it: the system's, which says inside a model what was allocated and
//! freed. Objects are made by `const fn`s, which cannot say who calls them; memory can: an object in memory that a
//! thread allocated during the execution was made after that, so that a thread that does not know of the allocation must
//! not use it.
//!
//! A program can have one allocator only. One that has its own is compiled with `--cfg selvedge_no_allocator`; uses of objects
//! that were published without synchronisation are not found then, unless they are cells that the publisher wrote.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};

use selvedge_stateless::rt;

/// The system's allocator, watched inside models.
struct Watched;

#[cfg(not(selvedge_no_allocator))]
#[global_allocator]
static ALLOCATOR: Watched = Watched;

/// Whether an object may lie in it: it has a header of two words.
#[inline]
fn holds_objects(layout: Layout) -> bool {
    layout.align() >= align_of::<u64>() && layout.size() >= 2 * size_of::<u64>()
}

// SAFETY: everything is the system allocator's. The calls into the runtime neither unwind nor depend on the allocation,
// and what the runtime allocates meanwhile is not recorded.
unsafe impl GlobalAlloc for Watched {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller promises.
        let memory = unsafe { System.alloc(layout) };
        if holds_objects(layout) && !memory.is_null() {
            rt::allocated(memory.addr(), layout.size());
        }
        memory
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller promises.
        let memory = unsafe { System.alloc_zeroed(layout) };
        if holds_objects(layout) && !memory.is_null() {
            rt::allocated(memory.addr(), layout.size());
        }
        memory
    }

    #[inline]
    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        if holds_objects(layout) {
            rt::deallocated(memory.addr());
        }
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(memory, layout) };
    }

    #[inline]
    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let from = memory.addr();
        // SAFETY: as the caller promises.
        let memory = unsafe { System.realloc(memory, layout, size) };
        if layout.align() >= align_of::<u64>() && !memory.is_null() {
            rt::reallocated(from, memory.addr(), size);
        }
        memory
    }
}
