//! Memory: cells and their races, what must be freed, and whether reference counts are visible.

use crate::execution::{self, Ending, Restart, Tracked, with};
use crate::{At, ObjectId};

/// A cell whose accesses must be ordered by synchronisation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CellId(pub u32);

/// Registers a cell.
pub fn cell(created: At) -> CellId {
    CellId(with(|run| {
        run.need_clocks();
        run.clocks.cell(created)
    }))
}

/// An access to a cell; an unordered one ends the run with a data race. Not visible, no event.
pub fn cell_access(cell: CellId, write: bool, at: At) {
    let fault = with(|run| {
        let me = run.current;
        if run.pass_through || run.ending.is_some() {
            return None;
        }
        let fault = run.clocks.access(me, cell.0, write, at).err()?;
        Some(run.cell_failure(me, cell.0, write, at, &fault))
    });
    if let Some(failure) = fault {
        execution::end_run_with(failure);
    }
}

/// A pointer into the cell lives from here … (an access now; accesses of others that conflict while it lives are races
/// too). Not visible.
pub fn cell_borrow(cell: CellId, write: bool, at: At) {
    cell_access(cell, write, at);
    with(|run| {
        let me = run.current;
        run.clocks.borrow(me, cell.0, write, at);
    });
}

/// … to here.
pub fn cell_return(cell: CellId, write: bool) {
    with(|run| {
        let me = run.current;
        run.clocks.give_back(me, cell.0, write);
    });
}

/// The memory of the cell is freed: later accesses are reported, and earlier ones that are unordered with this. Not
/// visible, no event.
pub fn cell_freed(cell: CellId) {
    let fault = with(|run| {
        let me = run.current;
        if run.pass_through || run.ending.is_some() {
            return None;
        }
        let other = run.clocks.free(me, cell.0)?;
        Some(run.free_failure(me, cell.0, &other))
    });
    if let Some(failure) = fault {
        execution::end_run_with(failure);
    }
}

/// Orders what the calling thread did before whatever acquires from `object` later. No event.
pub fn sync_release(object: ObjectId) {
    with(|run| {
        let me = run.current;
        if run.config.clocks {
            run.clocks.release(me, object.0);
        }
    });
}

/// Orders what was released to `object` before whatever the calling thread does next. No event.
pub fn sync_acquire(object: ObjectId) {
    with(|run| {
        let me = run.current;
        if run.config.clocks {
            run.clocks.acquire(me, object.0);
        }
    });
}

/// Something that must be freed before the end of the execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TrackId(pub u32);

/// Registers something that must be freed: `what` is shown in the report (`Arc`, `allocation`, …).
pub fn track(what: &'static str, created: At) -> TrackId {
    with(|run| {
        run.tracked.push(Tracked { what, created, freed: false });
        TrackId(run.tracked.len() as u32 - 1)
    })
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
