//! The fibers of an execution: what each of them does, and the loop that resumes the chosen one.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};

use corosensei::stack::DefaultStack;

use super::{Execution, RUN, visible, with};
use crate::fiber::{Fiber, StackPool};
use crate::op::{Kind, Op, Other};
use crate::{MAIN, ObjectId, ThreadId, hook};

/// For each exploration of the process the stamp of the execution that runs now, or 0.
static RUNNING: Mutex<Vec<Arc<AtomicU64>>> = Mutex::new(Vec::new());

/// Whether the execution with this stamp runs now.
pub(crate) fn is_running(stamp: u64) -> bool {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner).iter().any(|running| running.load(Relaxed) == stamp)
}

/// What the fiber of a thread does: the thread's closure, then its end.
fn thread_main(thread: ThreadId, body: Box<dyn FnOnce()>) {
    let result = catch_unwind(AssertUnwindSafe(body));
    with(|run| run.thread_ended(thread, result.err()));
}

impl Execution {
    fn thread_ended(&mut self, thread: ThreadId, payload: Option<Box<dyn Any + Send>>) {
        if self.pass_through || hook::is_defective() {
            return;
        }
        if let Some(payload) = payload {
            if thread == MAIN || !self.config.panics_join {
                let failure = self.panic_of(thread);
                self.fail(failure);
                return;
            }
            self.state.thread(thread).payload = Some(payload);
        }
        self.state.thread(thread).panic = None;
        if let Some((weak, thread)) = self.weak_of(thread) {
            weak.local(thread);
        }
        self.state.finish(thread);
        match self.starting.pop() {
            Some(parent) => self.current = parent,
            None => self.decide(),
        }
    }
}

/// What the main fiber does: the model, then the end of all other threads, then what was left for the end.
fn main_thread(model: &dyn Fn()) {
    let result = catch_unwind(AssertUnwindSafe(|| {
        model();
        if with(|run| !run.state.all_joined()) {
            let at = std::panic::Location::caller();
            let (object, other) = (ObjectId::NONE, Other::NONE);
            visible(Op { kind: Kind::Drain, object, other, access: None, verb: "return", at });
        }
        while let Some(f) = with(|run| run.at_exit.pop()) {
            f();
        }
    }));
    with(|run| run.thread_ended(MAIN, result.err()));
}

/// Fibers of a run, and stacks for the next.
pub(crate) struct Fibers {
    running: Vec<Option<(usize, Fiber)>>,
    stacks: StackPool,
    /// The stamp of the execution that runs now, or 0: one of [`RUNNING`].
    stamp: Arc<AtomicU64>,
}

impl Fibers {
    pub(crate) fn new() -> Fibers {
        let stamp = Arc::new(AtomicU64::new(0));
        RUNNING.lock().unwrap_or_else(PoisonError::into_inner).push(stamp.clone());
        Fibers { running: Vec::new(), stacks: StackPool::new(), stamp }
    }

    /// One execution of `body`. `run` is lent to the program for that time and comes back with `ending` set.
    ///
    /// # Panics
    /// With an internal error if the engine panicked meanwhile on a fiber.
    pub(crate) fn execute(
        &mut self,
        mut run: Box<Execution>,
        stamp: u64,
        record: bool,
        body: &dyn Fn(),
    ) -> Box<Execution> {
        crate::rt::begin(stamp, record, run.config.weak);
        run.reset(stamp, record);
        run.state.add_thread(None, None, None);
        let size = run.config.stack_size;
        let pulse = run.pulse.clone();
        pulse.run(true);
        self.stamp.store(stamp, Relaxed);
        RUN.set(Some(run));
        let stack = self.stack(size);
        self.keep(MAIN, size, Fiber::borrowing(stack, body, main_thread));
        self.drive();
        self.give_up();
        pulse.run(false);
        self.stamp.store(0, Relaxed);
        crate::rt::end();
        let run = RUN.take().expect("internal error: the run comes back");
        if let Some(defect) = hook::take_defect() {
            panic!("{defect}");
        }
        run
    }

    fn stack(&mut self, size: usize) -> DefaultStack {
        self.stacks.take(size).unwrap_or_else(|e| panic!("no memory for the stack of a thread: {e}"))
    }

    fn keep(&mut self, thread: ThreadId, size: usize, fiber: Fiber) {
        let slot = thread.index();
        if self.running.len() <= slot {
            self.running.resize_with(slot + 1, || None);
        }
        self.running[slot] = Some((size, fiber));
    }

    /// Resumes fibers until the run has ended.
    fn drive(&mut self) {
        loop {
            let thread = with(|run| run.current);
            let slot = &mut self.running[thread.index()];
            let (size, fiber) = slot.as_mut().expect("internal error: the chosen thread has a fiber");
            if fiber.resume() {
                let size = *size;
                if let Some((_, fiber)) = slot.take() {
                    self.stacks.put(size, fiber.into_stack());
                }
            }
            if hook::is_defective() {
                // For those who unwind: their panic is the engine's.
                with(|run| run.state.thread(thread).panic = Some(Default::default()));
                return;
            }
            let (over, newborn) = with(|run| (run.ending.is_some(), run.newborn.take()));
            if over {
                return;
            }
            if let Some((child, size, body)) = newborn {
                let fiber = Fiber::new(self.stack(size), move || thread_main(child, body));
                with(|run| run.order.allocations().add_stack(child, fiber.stack()));
                self.keep(child, size, fiber);
            }
        }
    }

    /// Takes back the stacks. Threads that are unwinding get to the end of it first, with operations that do nothing,
    /// so that the OS thread does not count as panicking for ever.
    fn give_up(&mut self) {
        for slot in 0..self.running.len() {
            let unwinding = with(|run| {
                run.pass_through = true;
                run.state.threads().get(slot).is_some_and(|t| t.panic.is_some()) && hook::panicking()
            });
            let Some((size, mut fiber)) = self.running[slot].take() else { continue };
            if unwinding {
                with(|run| run.current = ThreadId(slot as u32));
                fiber.resume();
            }
            self.stacks.put(size, fiber.into_stack());
        }
    }
}

impl Drop for Fibers {
    fn drop(&mut self) {
        RUNNING.lock().unwrap_or_else(PoisonError::into_inner).retain(|running| !Arc::ptr_eq(running, &self.stamp));
    }
}
