//! Happens-before in a run, computed on demand. Only cells, non-atomic accesses of atomics and published pointers need
//! it, and many programs have none of them. So synchronisation is only recorded at first; the first query of a run
//! moves the clocks through the recorded events, and from then on each event moves them at once.
//!
//! The answers do not depend on the moment of the query: events are processed in the order in which they happened.

use std::sync::atomic::Ordering;

use crate::allocations::Allocations;
use crate::clocks::{Clock, Clocks, Moment};
use crate::graph::StoreId;
use crate::op::Kind;
use crate::race::{Accesses, Action, Fault};
use crate::rt::{Access, CellId, Transfer};
use crate::state::State;
use crate::{At, ObjectId, ThreadId};

/// Something that orders what threads do.
#[derive(Clone, Copy)]
pub(crate) enum SyncEvent {
    /// A thread was started.
    Spawned { parent: ThreadId, child: ThreadId },
    /// A thread has waited for the end of another one.
    Joined { thread: ThreadId, ended: ThreadId },
    /// An atomic operation was made.
    Atomic { thread: ThreadId, object: ObjectId, access: Access, at: At },
    /// An operation of an atomic whose stores are kept was made: what it read and whether it wrote.
    Chosen { thread: ThreadId, object: ObjectId, read: Option<StoreId>, writes: bool, order: Ordering, at: At },
    /// An atomic whose stores are kept got a value through an exclusive reference.
    Overwritten { object: ObjectId },
    /// A fence.
    Fence { thread: ThreadId, order: Ordering },
    /// What was released to the object is known to the thread.
    Acquire { thread: ThreadId, object: ObjectId },
    /// What the thread knows is released to the object.
    Release { thread: ThreadId, object: ObjectId },
    /// A step on an object that is no atomic, by its index.
    Step { step: u32, outcome: Transfer },
}

/// The order of a run and the accesses that must be ordered.
#[derive(Default)]
pub(crate) struct Order {
    clocks: Clocks,
    accesses: Accesses,
    /// What happened before the first question.
    log: Vec<SyncEvent>,
    /// Somebody has asked: the clocks are where the run is.
    asked: bool,
    /// Who freed an atomic, by object.
    freed: Vec<Option<Action>>,
    /// Whether one was freed while other threads lived.
    freed_beside_others: bool,
    allocations: Allocations,
}

impl Order {
    /// Forgets everything, keeping memory.
    pub(crate) fn reset(&mut self) {
        if self.asked {
            self.clocks.reset();
            self.accesses.reset_atomics();
        }
        self.accesses.reset_cells();
        self.log.clear();
        self.asked = false;
        self.freed.clear();
        self.freed_beside_others = false;
        self.allocations.reset();
    }

    /// Something happened; what is wrong with it, if it clashes with a non-atomic access or with the object's creation.
    #[inline]
    pub(crate) fn happened(&mut self, state: &State, event: SyncEvent) -> Option<Fault> {
        if self.asked {
            return self.take(state, event);
        }
        self.log.push(event);
        None
    }

    /// Moves the clocks to where the run is.
    #[inline]
    fn ask(&mut self, state: &State) {
        if !self.asked {
            self.catch_up(state);
        }
    }

    #[cold]
    fn catch_up(&mut self, state: &State) {
        self.asked = true;
        let log = std::mem::take(&mut self.log);
        for (logged, &event) in (0..).zip(&log) {
            self.date_allocations(logged);
            // Nobody has accessed an atomic non-atomically so far, so that nothing is wrong.
            self.take(state, event);
        }
        self.date_allocations(log.len() as u32);
        self.log = log;
    }

    fn date_allocations(&mut self, logged: u32) {
        self.allocations.date_until(logged, |thread| self.clocks.now(thread).time);
    }

    fn take(&mut self, state: &State, event: SyncEvent) -> Option<Fault> {
        let clocks = &mut self.clocks;
        match event {
            SyncEvent::Spawned { parent, child } => clocks.spawned(parent, child),
            SyncEvent::Joined { thread, ended } => clocks.joined(thread, ended),
            SyncEvent::Fence { thread, order } => clocks.fence(thread, order),
            SyncEvent::Acquire { thread, object } => clocks.acquire(thread, object),
            SyncEvent::Release { thread, object } => clocks.release(thread, object),
            SyncEvent::Step { step, outcome } => {
                let step = &state.steps[step as usize];
                clocks.step(step, state.objects()[step.object.index()].state.kind, outcome);
                return self.accesses.unknown_creation(clocks, step.thread, step.object).map(Fault::Race);
            }
            SyncEvent::Overwritten { object } => clocks.add_message(object, Clock::new()),
            SyncEvent::Chosen { thread, object, read, writes, order, at } => {
                if let Some(from) = read {
                    clocks.read_from(thread, object, from, order);
                }
                let racing = self.accesses.atomic_access(clocks, thread, object, writes, at);
                if writes {
                    self.clocks.write_behind(thread, object, read, order);
                }
                return racing;
            }
            SyncEvent::Atomic { thread, object, access, at } => return self.atomic(thread, object, access, at),
        }
        None
    }

    /// The read half comes first, so that the access itself happens after what it acquires and before what acquires it.
    fn atomic(&mut self, thread: ThreadId, object: ObjectId, access: Access, at: At) -> Option<Fault> {
        let Order { clocks, accesses, .. } = self;
        if let Access::Load(order) | Access::Rmw(order) = access {
            clocks.load(thread, object, order);
        }
        let racing = accesses.atomic_access(clocks, thread, object, access.writes(), at);
        match access {
            Access::Store(order) => clocks.store(thread, object, order),
            Access::Rmw(order) => clocks.modify(thread, object, order),
            Access::Load(_) | Access::CompareExchange => {}
        }
        racing
    }

    /// A step was made; what is wrong with it, if anything. Those on atomics are reported as [`SyncEvent::Atomic`], because
    /// what they do depends on their ordering.
    #[inline]
    pub(crate) fn step_made(&mut self, state: &State, kind: Kind, outcome: Transfer) -> Option<Fault> {
        if kind.is_atomic() {
            return None;
        }
        self.happened(state, SyncEvent::Step { step: state.steps.len() as u32 - 1, outcome })
    }

    /// A thread allocates memory.
    pub(crate) fn allocated(&mut self, thread: ThreadId, start: usize, size: usize) {
        let time = if self.asked { self.clocks.now(thread).time } else { self.log.len() as u32 };
        self.allocations.add(thread, time, start, size);
    }

    /// What memory there is.
    pub(crate) fn allocations(&mut self) -> &mut Allocations {
        &mut self.allocations
    }

    /// When the memory at an address was allocated, if not everybody knows of it.
    #[inline]
    fn allocation(&mut self, state: &State, address: usize) -> Option<Moment> {
        if !self.allocations.has(address) {
            return None;
        }
        self.ask(state);
        self.allocations.date(address)
    }

    /// A new cell at an address.
    pub(crate) fn cell(&mut self, state: &State, created: At, address: usize) -> CellId {
        let allocation = self.allocation(state, address);
        self.accesses.cell(created, allocation)
    }

    /// A new object has this address.
    pub(crate) fn object_is_at(&mut self, state: &State, object: ObjectId, address: usize) {
        if let Some(allocation) = self.allocation(state, address) {
            self.accesses.created(object, allocation, state.objects()[object.index()].created);
        }
    }

    /// Who freed the atomic, if it was freed.
    #[inline]
    pub(crate) fn freed(&self, object: ObjectId) -> Option<Action> {
        self.freed.get(object.index()).copied().flatten()
    }

    /// A thread frees the memory of an atomic.
    pub(crate) fn free_atomic(&mut self, freed: Action, object: ObjectId) {
        let o = object.index();
        if self.freed.len() <= o {
            self.freed.resize(o + 1, None);
        }
        self.freed[o] = Some(freed);
        self.freed_beside_others |= !freed.alone;
    }

    /// The atomics that were freed while other threads lived.
    pub(crate) fn freed_atomics(&self) -> impl Iterator<Item = (ObjectId, Action)> {
        let freed = if self.freed_beside_others { &self.freed[..] } else { &[] };
        let freed = freed.iter().zip((0..).map(ObjectId));
        freed.filter_map(|(freed, object)| Some((object, freed.filter(|freed| !freed.alone)?)))
    }

    /// The moment at which a thread is.
    pub(crate) fn now(&mut self, state: &State, thread: ThreadId) -> Moment {
        self.ask(state);
        self.clocks.now(thread)
    }

    /// Whether a moment happens before the next step of `thread`.
    pub(crate) fn is_known(&mut self, state: &State, thread: ThreadId, moment: Moment) -> bool {
        self.now(state, thread);
        self.clocks.is_known(thread, moment)
    }

    /// Whether a moment happens before the next step of `thread`, as far as the last question tells.
    pub(crate) fn is_before(&self, thread: ThreadId, moment: Moment) -> bool {
        self.clocks.is_known(thread, moment)
    }

    /// Whether an acquire fence of `thread` would make a moment known, as far as the last question tells.
    pub(crate) fn is_acquirable(&self, thread: ThreadId, moment: Moment) -> bool {
        self.clocks.is_acquirable(thread, moment)
    }

    /// The cells of the run.
    pub(crate) fn cells(&self) -> &Accesses {
        &self.accesses
    }

    /// The cells of the run, for what needs no clock.
    pub(crate) fn cells_mut(&mut self) -> &mut Accesses {
        &mut self.accesses
    }

    /// Checks and remembers an access to a cell.
    pub(crate) fn cell_access(
        &mut self,
        state: &State,
        thread: ThreadId,
        cell: CellId,
        write: bool,
        at: At,
    ) -> Result<(), Fault> {
        self.ask(state);
        self.accesses.access(&mut self.clocks, thread, cell, write, (at, state.steps.len() as u32))
    }

    /// A pointer into the cell lives from now on.
    pub(crate) fn borrow(&mut self, state: &State, thread: ThreadId, cell: CellId, write: bool, at: At) {
        self.ask(state);
        self.accesses.borrow(&mut self.clocks, thread, cell, write, (at, state.steps.len() as u32));
    }

    /// The youngest such pointer of the thread is gone.
    pub(crate) fn give_back(&mut self, state: &State, thread: ThreadId, cell: CellId, write: bool) {
        self.ask(state);
        self.accesses.give_back(&mut self.clocks, thread, cell, write);
    }

    /// Remembers a non-atomic access to an atomic; what is wrong with it, if anything.
    pub(crate) fn plain_access(
        &mut self,
        state: &State,
        thread: ThreadId,
        object: ObjectId,
        write: bool,
        at: At,
    ) -> Option<Fault> {
        if let Some(freed) = self.freed(object) {
            return Some(Fault::Freed(freed));
        }
        self.ask(state);
        self.accesses.plain_access(&mut self.clocks, thread, object, write, at).map(Fault::Race)
    }
}
