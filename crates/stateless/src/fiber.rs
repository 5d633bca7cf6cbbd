//! Fibers: each thread of a run has its own stack, all run on one OS thread. Stacks have a guard page and
//! are used again by later runs.
//!
//! [`suspend`] returns from the running fiber to the caller of [`Fiber::resume`]. A run that ends early abandons its
//! fibers: their frames are neither resumed nor unwound ever again, so that no destructor of the program under
//! test runs in the middle of nowhere.
#![allow(unsafe_code)]

use std::cell::{Cell, RefCell};
use std::io;
#[cfg(unix)]
use std::ops::Range;
use std::ptr;

use corosensei::stack::{DefaultStack, Stack};
use corosensei::{Coroutine, Yielder};

thread_local! {
    /// How the running fiber gets back to its caller; null outside of fibers.
    static YIELDER: Cell<*const Yielder<(), ()>> = const { Cell::new(ptr::null()) };
    /// From where to where the stack of the running fiber reaches, or of the last one.
    static STACK: Cell<(usize, usize)> = const { Cell::new((0, 0)) };
}

/// A fiber that has started or is about to.
pub(crate) struct Fiber {
    routine: Coroutine<(), (), (), DefaultStack>,
    /// Where this fiber suspends; set when it first runs.
    yielder: *const Yielder<(), ()>,
    /// From where to where its stack reaches.
    stack: (usize, usize),
}

impl Fiber {
    /// A fiber that will run `body`, which must not unwind.
    pub(crate) fn new(stack: DefaultStack, body: impl FnOnce() + 'static) -> Fiber {
        let reaches = (stack.limit().get(), stack.base().get());
        // SAFETY: what `body` borrows outlives the fiber. The main thread's closure is borrowed by `explore`, which
        // gives up all fibers before it returns; `rt::spawn` puts the obligation on scoped threads' spawner, which
        // stands in a frame of the same run and is abandoned together with them.
        let routine = unsafe {
            Coroutine::with_stack_unchecked(stack, move |yielder: &Yielder<(), ()>, ()| {
                YIELDER.set(ptr::from_ref(yielder));
                body();
            })
        };
        Fiber { routine, yielder: ptr::null(), stack: reaches }
    }

    /// A fiber that will run `main` on the model; it must be given up before the borrow of `model` ends.
    pub(crate) fn borrowing(stack: DefaultStack, model: &dyn Fn(), main: fn(&dyn Fn())) -> Fiber {
        // SAFETY: `run::Fibers::execute`, the only caller, gives up all fibers before its own borrow ends.
        let model: &'static dyn Fn() = unsafe { std::mem::transmute::<&dyn Fn(), &'static dyn Fn()>(model) };
        Fiber::new(stack, move || main(model))
    }

    /// From where to where its stack reaches.
    pub(crate) fn stack(&self) -> (usize, usize) {
        self.stack
    }

    /// Runs the fiber up to its next [`suspend`] or its end; whether it has ended.
    pub(crate) fn resume(&mut self) -> bool {
        YIELDER.set(self.yielder);
        STACK.set(self.stack);
        let result = self.routine.resume(());
        self.yielder = YIELDER.replace(ptr::null());
        result.as_return().is_some()
    }

    /// Gives the stack back. A fiber that has not ended is abandoned: nothing on its stack is dropped.
    pub(crate) fn into_stack(mut self) -> DefaultStack {
        if !self.routine.done() {
            // SAFETY: the frames are forgotten together with all other fibers of the run, so that nobody who could
            // reach them runs again; what they own is leaked, which is safe.
            unsafe { self.routine.force_reset() };
        }
        self.routine.into_stack()
    }
}

/// Leaves the running fiber. Must be called on one.
pub(crate) fn suspend() {
    let yielder = YIELDER.get();
    assert!(!yielder.is_null(), "internal error: not on a fiber");
    // SAFETY: a yielder lives on the stack of its own fiber as long as that fiber does, and the pointer is set
    // exactly while that fiber runs: `resume` sets it before and clears it after.
    unsafe { (*yielder).suspend(()) };
}

/// From where to where the stack of the running fiber reaches, the guard page first; nothing outside of fibers.
#[cfg(unix)]
pub(crate) fn running_stack() -> Option<Range<usize>> {
    let (start, end) = STACK.get();
    on_fiber().then_some(start..end)
}

/// Whether the caller is on a fiber.
pub(crate) fn on_fiber() -> bool {
    !YIELDER.get().is_null()
}

/// Stacks to be used again, by size. Those of an exploration that ended serve the next one on the same OS thread.
#[derive(Default)]
pub(crate) struct StackPool {
    free: Vec<(usize, DefaultStack)>,
}

thread_local! {
    static IDLE: RefCell<Vec<(usize, DefaultStack)>> = const { RefCell::new(Vec::new()) };
}

/// How many stacks are kept when nothing is explored.
const KEPT: usize = 16;

impl StackPool {
    /// The stacks that are idle.
    pub(crate) fn new() -> StackPool {
        StackPool { free: IDLE.take() }
    }

    /// A stack of `size` bytes, an old one if there is one.
    pub(crate) fn take(&mut self, size: usize) -> io::Result<DefaultStack> {
        match self.free.iter().rposition(|(s, _)| *s == size) {
            Some(i) => Ok(self.free.swap_remove(i).1),
            None => DefaultStack::new(size),
        }
    }

    /// Keeps a stack for later.
    pub(crate) fn put(&mut self, size: usize, stack: DefaultStack) {
        self.free.push((size, stack));
    }
}

impl Drop for StackPool {
    fn drop(&mut self) {
        self.free.truncate(KEPT);
        // The thread may be ending, its variables gone; then the stacks go too.
        let _ = IDLE.try_with(|idle| idle.replace(std::mem::take(&mut self.free)));
    }
}
