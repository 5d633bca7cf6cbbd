//! Memory: cells and their races, non-atomic accesses of atomics, what must be freed, and whether reference counts are
//! visible.

use std::cell::Cell;

use crate::allocations;
use crate::clocks;
use crate::execution::{self, Ending, Execution, Failure, Restart, Tracked, with};
use crate::op::Op;
use crate::order::SyncEvent;
use crate::race::Fault;
use crate::rt::Access;
use crate::{At, ObjectId, ThreadId};

/// A cell whose accesses must be ordered by synchronisation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CellId(pub u32);

/// A moment of a thread of this run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment(clocks::Moment);

/// Ends the run if there is a fault; `None` where accesses are not looked at.
pub(super) fn check(fault: impl FnOnce(&mut Execution, ThreadId) -> Option<Box<Failure>>) {
    let failure = with(|run| {
        let me = run.current;
        if run.pass_through || run.ending.is_some() { None } else { fault(run, me) }
    });
    if let Some(failure) = failure {
        execution::end_run_with(*failure);
    }
}

/// The moment at which the calling thread is.
pub fn now() -> Moment {
    with(|run| {
        let me = run.current;
        Moment(run.order.now(&run.state, me))
    })
}

/// Whether a moment happens before what the calling thread does next.
pub fn is_known(moment: Moment) -> bool {
    with(|run| {
        let me = run.current;
        run.order.is_known(&run.state, me, moment.0)
    })
}

/// Registers a cell.
pub fn cell(created: At) -> CellId {
    with(|run| run.order.cells_mut().cell(created, None))
}

/// Registers a cell that has an address: its creation is a write.
pub fn cell_at(created: At, address: usize) -> CellId {
    with(|run| run.order.cell(&run.state, created, address))
}

thread_local! {
    /// Whether what is allocated on this OS thread is the program's.
    static NOTED: Cell<bool> = const { Cell::new(true) };
}

/// Allocates what is the library's and holds no object that another thread could find.
#[inline]
pub fn unnoted<R>(allocate: impl FnOnce() -> R) -> R {
    NOTED.set(false);
    let memory = allocate();
    NOTED.set(true);
    memory
}

/// The program has allocated so many bytes. The engine's own allocations are not noted.
#[inline]
pub fn allocated(address: usize, size: usize) {
    if NOTED.get() && execution::inside() {
        execution::try_with(|run| {
            // What the main thread allocates before it starts another one is known to all.
            if run.state.threads().len() > 1 && !run.pass_through {
                run.order.allocated(run.current, address, size);
            }
        });
    }
}

/// An allocation of the program has another size now, and perhaps another address.
#[inline]
pub fn reallocated(from: usize, address: usize, size: usize) {
    if from == address {
        if execution::inside() {
            execution::try_with(|run| run.order.allocations().resize(address, size));
        }
    } else {
        deallocated(from);
        allocated(address, size);
    }
}

/// The memory at an address is not the program's but the library's: who allocated it says nothing about what lies in it.
pub fn disown(address: usize) {
    execution::try_with(|run| run.order.allocations().disown(address));
}

/// The memory at an address is freed.
#[inline]
pub fn deallocated(address: usize) {
    if allocations::any() && execution::inside() {
        execution::try_with(|run| run.order.allocations().remove(address));
    }
}

/// An access to a cell; an unordered one ends the run with a data race. Not visible, no event.
pub fn cell_access(cell: CellId, write: bool, at: At) {
    check(|run, me| {
        if run.config.weak
            && let Some((weak, thread)) = run.weak_of(me)
        {
            weak.local(thread);
        }
        let fault = run.order.cell_access(&run.state, me, cell, write, at).err()?;
        Some(Box::new(run.cell_failure(me, cell, write, at, &fault)))
    });
}

/// A pointer into the cell lives from here … (an access now; accesses of others that conflict while it lives are races
/// too). Not visible.
pub fn cell_borrow(cell: CellId, write: bool, at: At) {
    cell_access(cell, write, at);
    with(|run| {
        let me = run.current;
        run.order.borrow(&run.state, me, cell, write, at);
    });
}

/// … to here.
pub fn cell_return(cell: CellId, write: bool) {
    with(|run| {
        let me = run.current;
        run.order.give_back(&run.state, me, cell, write);
    });
}

/// The memory of the cell is freed: later accesses are reported, and pointers that still live. Not visible, no event.
pub fn cell_freed(cell: CellId) {
    check(|run, me| {
        let freed = run.action_of(me);
        let other = run.order.cells_mut().free(freed, cell)?;
        Some(Box::new(run.free_failure(me, cell, &other)))
    });
}

/// Visible: makes the step of an atomic operation, and what its ordering says.
pub(super) fn access(op: Op, access: Access) {
    if let (_, Some(failure)) = execution::visible_then(op, |run| run.synchronise(op.object, access, op.at)) {
        execution::end_run_with(*failure);
    }
}

impl Execution {
    /// The running thread has made an atomic operation: what its ordering says, and what is wrong with it, if anything. What
    /// a compare-exchange does is known only afterwards ([`super::wrote`]).
    #[inline]
    pub(super) fn synchronise(&mut self, object: ObjectId, access: Access, at: At) -> Option<Box<Failure>> {
        let me = self.current;
        super::weak::also(self, object, access);
        let fault = match (self.order.freed(object), access) {
            (Some(freed), _) => Some(Fault::Freed(freed)),
            (None, Access::CompareExchange) => None,
            (None, _) => self.order.happened(&self.state, SyncEvent::Atomic { thread: me, object, access, at }),
        };
        if let Access::Load(_) = access {
            self.state.looked(at);
        }
        let mine = if access.writes() { "writes" } else { "reads" };
        fault.map(|fault| Box::new(self.atomic_failure(me, object, mine, at, &fault)))
    }
}

/// A non-atomic access to an atomic (`get_mut`, `unsync_load`); an unordered one ends the run with a data race. Not visible,
/// no event.
pub fn plain_access(object: ObjectId, write: bool, at: At) {
    // In a destructor of an `Arc`, who drops last decides where the store ends the atomic's history.
    if write && super::explores_stale() && with(|run| run.watches.contains(&run.current)) {
        counts_matter();
    }
    let mine = if write { "writes (not atomically)" } else { "reads (not atomically)" };
    check(|run, me| {
        if write && let Some((weak, thread)) = run.weak_of(me) {
            weak.overwritten(thread, object);
            run.order.happened(&run.state, SyncEvent::Overwritten { object });
        }
        let fault = run.order.plain_access(&run.state, me, object, write, at)?;
        Some(Box::new(run.atomic_failure(me, object, mine, at, &fault)))
    });
}

/// The memory of an atomic is freed: later accesses are reported. Not visible, no event.
pub fn free_atomic(object: ObjectId) {
    with(|run| {
        let me = run.current;
        let freed = run.action_of(me);
        run.order.free_atomic(freed, object);
    });
}

/// Orders what the calling thread did before whatever acquires from `object` later. No event.
pub fn sync_release(object: ObjectId) {
    with(|run| {
        let me = run.current;
        run.order.happened(&run.state, SyncEvent::Release { thread: me, object });
        synchronise_visibly(run, object, true);
    });
}

/// Orders what was released to `object` before whatever the calling thread does next. No event.
pub fn sync_acquire(object: ObjectId) {
    with(|run| {
        let me = run.current;
        run.order.happened(&run.state, SyncEvent::Acquire { thread: me, object });
        synchronise_visibly(run, object, false);
    });
}

/// The same for what reads may see, where the order of the calls is one of visible operations.
fn synchronise_visibly(run: &mut Execution, object: ObjectId, release: bool) {
    let me = run.current;
    if run.config.counts
        && let Some((weak, thread)) = run.weak_of(me)
    {
        weak.synchronise(thread, object, release);
    }
}

/// Something that must be freed before the end of the execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TrackId(pub u32);

/// Registers something that must be freed: `what` is shown in the report (`Arc`, `allocation`, …).
pub fn track(what: &'static str, created: At) -> TrackId {
    with(|run| {
        let by = run.action_of(run.current);
        run.tracked.push(Tracked { what, created, by, freed: false });
        TrackId(run.tracked.len() as u32 - 1)
    })
}

/// Something that is never freed, such as a static, owns what was tracked: leaks are not looked for in this execution.
pub fn forgive_leaks() {
    with(|run| run.tracked.iter_mut().for_each(|tracked| tracked.freed = true));
}

/// It was freed.
pub fn untrack(track: TrackId) {
    with(|run| run.tracked[track.0 as usize].freed = true);
}

/// Whether reference counts are visible operations in this exploration. They are not at first: a clone or a drop of an
/// `Arc` can only be told from its neighbour if somebody looks at the count or if the destructor does something visible.
pub fn counts_visible() -> bool {
    with(|run| run.config.counts)
}

/// Somebody looked at a count, or a destructor run by the last drop is about to do something visible: the exploration
/// starts again with visible counts (does not return), unless they are already.
pub fn counts_matter() {
    if !with(|run| run.config.counts || run.pass_through) {
        execution::end_run(Ending::Restart(Restart::Counts));
    }
}

/// While the guard lives, a visible operation of this thread means [`counts_matter`]: for the destructor run by the last
/// drop of an `Arc`.
pub fn watch_destructor() -> DestructorWatch {
    with(|run| {
        let me = run.current;
        run.watches.push(me);
    });
    DestructorWatch { _private: () }
}

/// See [`watch_destructor`].
#[derive(Debug)]
pub struct DestructorWatch {
    _private: (),
}

impl Drop for DestructorWatch {
    fn drop(&mut self) {
        with(|run| {
            let me = run.current;
            if let Some(i) = run.watches.iter().rposition(|&t| t == me) {
                run.watches.remove(i);
            }
        });
    }
}
