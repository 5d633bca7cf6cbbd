//! Data races: the last accesses of every cell and of every atomic. Two accesses race if neither happens before the other
//! ([`Clocks`]), one writes, and they are not both atomic.

use crate::clocks::{Clocks, Moment};
use crate::rt::CellId;
use crate::{At, ObjectId, ThreadId};

/// A thread's access to a cell or an atomic.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Access {
    moment: Moment,
    pub(crate) write: bool,
    /// By an atomic operation.
    pub(crate) atomic: bool,
    /// It made the object, in memory that was allocated at that moment.
    pub(crate) creation: bool,
    /// Of an access to a cell: steps that were made before it.
    steps: u32,
    pub(crate) at: At,
}

impl Access {
    /// A non-atomic access, after this number of steps.
    fn plain(moment: Moment, write: bool, (at, steps): (At, u32)) -> Access {
        Access { moment, write, atomic: false, creation: false, steps, at }
    }

    /// The creation of what lies in memory that was allocated at this moment.
    fn creation(moment: Moment, created: At) -> Access {
        Access { creation: true, ..Access::plain(moment, true, (created, 0)) }
    }

    /// Who made it.
    pub(crate) fn thread(&self) -> ThreadId {
        self.moment.thread
    }

    /// When it was made.
    pub(crate) fn moment(&self) -> Moment {
        self.moment
    }
}

/// The last access of each thread.
#[derive(Debug, Default)]
struct Latest(Vec<Access>);

impl Latest {
    fn put(&mut self, access: Access) {
        match self.0.iter_mut().find(|a| a.thread() == access.thread()) {
            Some(last) => *last = access,
            None => self.0.push(access),
        }
    }

    fn unknown<'a>(&'a self, clocks: &'a Clocks, thread: ThreadId) -> impl Iterator<Item = &'a Access> {
        self.0.iter().filter(move |a| !clocks.is_known(thread, a.moment))
    }
}

#[derive(Debug)]
struct Cell {
    created: At,
    write: Option<Access>,
    /// Since the last write.
    reads: Latest,
    /// Pointers that live now.
    borrows: Vec<Access>,
    freed: Option<Action>,
}

/// The accesses of an atomic, atomic and not.
#[derive(Debug, Default)]
struct Atomic {
    loads: Latest,
    stores: Latest,
    plain_reads: Latest,
    plain_write: Option<Access>,
}

/// Who made or freed something, which is no step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Action {
    pub(crate) by: ThreadId,
    /// Steps that were recorded before it.
    pub(crate) recorded: usize,
    /// Steps that were made before it.
    pub(crate) steps: u32,
    /// All other threads had ended.
    pub(crate) alone: bool,
}

/// What is wrong with an access.
#[derive(Debug)]
pub(crate) enum Fault {
    /// Unordered with an earlier access.
    Race(Access),
    /// The cell or atomic was freed.
    Freed(Action),
}

/// The accesses of a run.
#[derive(Default)]
pub(crate) struct Accesses {
    cells: Vec<Cell>,
    /// By object; of what is no atomic, the creation only.
    atomics: Vec<Atomic>,
}

impl Accesses {
    /// Forgets the cells, keeping memory.
    pub(crate) fn reset_cells(&mut self) {
        self.cells.clear();
    }

    /// Forgets the atomics, keeping memory.
    pub(crate) fn reset_atomics(&mut self) {
        for atomic in &mut self.atomics {
            atomic.loads.0.clear();
            atomic.stores.0.clear();
            atomic.plain_reads.0.clear();
            atomic.plain_write = None;
        }
    }

    /// A new cell, in memory that was allocated then if not everybody knows of it.
    pub(crate) fn cell(&mut self, created: At, allocation: Option<Moment>) -> CellId {
        let write = allocation.map(|moment| Access::creation(moment, created));
        let cell = Cell { created, write, reads: Latest::default(), borrows: Vec::new(), freed: None };
        self.cells.push(cell);
        CellId(self.cells.len() as u32 - 1)
    }

    /// Where a cell was created.
    pub(crate) fn place_of(&self, cell: CellId) -> At {
        self.cells[cell.0 as usize].created
    }

    /// An object was created in memory that was allocated then.
    pub(crate) fn created(&mut self, object: ObjectId, allocation: Moment, at: At) {
        self.atomic(object).plain_write = Some(Access::creation(allocation, at));
    }

    /// The creation of an object, if the thread that uses it does not know of it.
    pub(crate) fn unknown_creation(&self, clocks: &Clocks, thread: ThreadId, object: ObjectId) -> Option<Access> {
        let creation = self.atomics.get(object.index())?.plain_write?;
        (!clocks.is_known(thread, creation.moment)).then_some(creation)
    }

    /// A thread frees the memory of the cell; a pointer of another thread that still lives, if there is one. Accesses that
    /// are over are not looked at: what orders them before the free may be invisible, such as the count of std's `Arc`.
    pub(crate) fn free(&mut self, freed: Action, cell: CellId) -> Option<Access> {
        let cell = &mut self.cells[cell.0 as usize];
        cell.freed = Some(freed);
        cell.borrows.iter().find(|a| a.thread() != freed.by).copied()
    }

    /// Checks and remembers an access to a cell.
    pub(crate) fn access(
        &mut self,
        clocks: &mut Clocks,
        thread: ThreadId,
        cell: CellId,
        write: bool,
        (at, steps): (At, u32),
    ) -> Result<(), Fault> {
        let access = Access::plain(clocks.now(thread), write, (at, steps));
        let cell = &mut self.cells[cell.0 as usize];
        let fault = if let Some(freed) = cell.freed {
            Some(Fault::Freed(freed))
        } else {
            let written = cell.write.iter().filter(|a| !clocks.is_known(thread, a.moment));
            let read = cell.reads.unknown(clocks, thread).filter(|_| write);
            let alive = cell.borrows.iter().filter(|a| a.thread() != thread && (a.write || write));
            written.chain(read).chain(alive).next().copied().map(Fault::Race)
        };
        if write {
            cell.write = Some(access);
            cell.reads.0.clear();
        } else {
            cell.reads.put(access);
        }
        fault.map_or(Ok(()), Err)
    }

    /// The cells that were freed while other threads lived, and where they were made.
    pub(crate) fn freed_cells(&self) -> impl Iterator<Item = (CellId, At, Action)> {
        let cells = self.cells.iter().zip((0..).map(CellId));
        cells.filter_map(|(cell, id)| Some((id, cell.created, cell.freed.filter(|freed| !freed.alone)?)))
    }

    /// Who used a cell last, and after how many steps.
    pub(crate) fn uses(&self, cell: CellId) -> Vec<(ThreadId, u32)> {
        let Cell { write, reads, .. } = &self.cells[cell.0 as usize];
        let accesses = write.iter().chain(&reads.0).filter(|access| !access.creation);
        accesses.map(|access| (access.thread(), access.steps)).collect()
    }

    /// A pointer into the cell lives from now on.
    pub(crate) fn borrow(
        &mut self,
        clocks: &mut Clocks,
        thread: ThreadId,
        cell: CellId,
        write: bool,
        (at, steps): (At, u32),
    ) {
        let access = Access::plain(clocks.now(thread), write, (at, steps));
        self.cells[cell.0 as usize].borrows.push(access);
    }

    /// The youngest such pointer of the thread is gone. Up to now it was in use: the access moves to this time, so
    /// that what the thread released meanwhile does not cover it.
    pub(crate) fn give_back(&mut self, clocks: &mut Clocks, thread: ThreadId, cell: CellId, write: bool) {
        let moment = clocks.now(thread);
        let cell = &mut self.cells[cell.0 as usize];
        let Some(i) = cell.borrows.iter().rposition(|a| a.thread() == thread && a.write == write) else { return };
        let access = Access { moment, ..cell.borrows.remove(i) };
        if write {
            cell.write = Some(access);
        } else if cell.reads.0.iter().any(|a| a.thread() == thread) {
            cell.reads.put(access);
        }
    }

    fn atomic(&mut self, object: ObjectId) -> &mut Atomic {
        let o = object.index();
        if self.atomics.len() <= o {
            self.atomics.resize_with(o + 1, Atomic::default);
        }
        &mut self.atomics[o]
    }

    /// Remembers an atomic operation; a non-atomic access that it races with, if there is one.
    pub(crate) fn atomic_access(
        &mut self,
        clocks: &mut Clocks,
        thread: ThreadId,
        object: ObjectId,
        write: bool,
        at: At,
    ) -> Option<Fault> {
        let access = Access { atomic: true, ..Access::plain(clocks.now(thread), write, (at, 0)) };
        let atomic = self.atomic(object);
        if write {
            atomic.stores.put(access);
        } else {
            atomic.loads.put(access);
        }
        let written = atomic.plain_write.iter().filter(|a| !clocks.is_known(thread, a.moment));
        let read = atomic.plain_reads.unknown(clocks, thread).filter(|_| write);
        written.chain(read).next().copied().map(Fault::Race)
    }

    /// Remembers a non-atomic access to an atomic; an access that it races with, if there is one.
    pub(crate) fn plain_access(
        &mut self,
        clocks: &mut Clocks,
        thread: ThreadId,
        object: ObjectId,
        write: bool,
        at: At,
    ) -> Option<Access> {
        let access = Access::plain(clocks.now(thread), write, (at, 0));
        let atomic = self.atomic(object);
        let written = atomic.plain_write.iter().filter(|a| !clocks.is_known(thread, a.moment));
        let read = atomic.loads.unknown(clocks, thread).chain(atomic.plain_reads.unknown(clocks, thread));
        let stored = atomic.stores.unknown(clocks, thread);
        let racing = written.chain(stored).chain(read.filter(|_| write)).next().copied();
        if write {
            *atomic = Atomic { plain_write: Some(access), ..Atomic::default() };
        } else {
            atomic.plain_reads.put(access);
        }
        racing
    }
}
