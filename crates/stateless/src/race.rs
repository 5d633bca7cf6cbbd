//! Data races: vector clocks of threads and objects, moved by synchronisation only, and the last accesses of
//! every cell. Two accesses race if neither is before the other and one writes.
//!
//! All orderings count as sequentially consistent: every atomic access synchronises.

use std::collections::VecDeque;

use crate::At;
use crate::op::{Class, Kind};
use crate::rt::Transfer;

type Clock = Vec<u32>;

fn join(into: &mut Clock, from: &Clock) {
    if into.len() < from.len() {
        into.resize(from.len(), 0);
    }
    for (a, b) in into.iter_mut().zip(from) {
        *a = (*a).max(*b);
    }
}

fn copy(into: &mut Clock, from: &Clock) {
    into.clear();
    into.extend_from_slice(from);
}

/// A thread's access to a cell, at its own time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Access {
    pub(crate) thread: u32,
    time: u32,
    pub(crate) write: bool,
    pub(crate) at: At,
}

#[derive(Debug)]
struct Cell {
    created: At,
    write: Option<Access>,
    /// The last read of each thread since the last write.
    reads: Vec<Access>,
    /// Pointers that live now.
    borrows: Vec<Access>,
    /// Who freed it.
    freed: Option<u32>,
}

/// What is wrong with an access.
#[derive(Debug)]
pub(crate) enum Fault {
    /// Unordered with an earlier access.
    Race(Access),
    /// The cell was freed by this thread.
    Freed(u32),
}

/// Clocks and cells of a run.
#[derive(Default)]
pub(crate) struct Clocks {
    threads: Vec<Clock>,
    objects: Vec<Clock>,
    /// Per channel the clocks of the messages on their way.
    messages: Vec<VecDeque<Clock>>,
    cells: Vec<Cell>,
    spare: Vec<Clock>,
}

impl Clocks {
    /// Forgets everything, keeping memory.
    pub(crate) fn reset(&mut self) {
        self.threads.iter_mut().chain(&mut self.objects).for_each(Vec::clear);
        for queue in &mut self.messages {
            self.spare.extend(queue.drain(..));
        }
        self.cells.clear();
    }

    fn thread(&mut self, thread: u32) -> &mut Clock {
        let t = thread as usize;
        if self.threads.len() <= t {
            self.threads.resize_with(t + 1, Vec::new);
        }
        let clock = &mut self.threads[t];
        if clock.len() <= t {
            clock.resize(t + 1, 0);
            clock[t] = 1;
        }
        clock
    }

    fn object(&mut self, object: u32) -> usize {
        let o = object as usize;
        if self.objects.len() <= o {
            self.objects.resize_with(o + 1, Vec::new);
            self.messages.resize_with(o + 1, VecDeque::new);
        }
        o
    }

    /// A new thread knows what its parent knows.
    pub(crate) fn spawned(&mut self, parent: u32, child: u32) {
        let known = std::mem::take(self.thread(parent));
        join(self.thread(child), &known);
        self.threads[parent as usize] = known;
        self.tick(parent);
    }

    /// `thread` knows what `ended` knew at its end.
    pub(crate) fn joined(&mut self, thread: u32, ended: u32) {
        let known = std::mem::take(self.thread(ended));
        join(self.thread(thread), &known);
        self.threads[ended as usize] = known;
    }

    fn tick(&mut self, thread: u32) {
        self.thread(thread)[thread as usize] += 1;
    }

    /// What was released to the object is known to the thread.
    pub(crate) fn acquire(&mut self, thread: u32, object: u32) {
        let o = self.object(object);
        let known = std::mem::take(&mut self.objects[o]);
        join(self.thread(thread), &known);
        self.objects[o] = known;
    }

    /// What the thread knows is released to the object, besides what was.
    pub(crate) fn release(&mut self, thread: u32, object: u32) {
        let o = self.object(object);
        let mut known = std::mem::take(&mut self.objects[o]);
        join(&mut known, self.thread(thread));
        self.objects[o] = known;
        self.tick(thread);
    }

    fn replace(&mut self, thread: u32, object: u32) {
        let o = self.object(object);
        let mut known = std::mem::take(&mut self.objects[o]);
        copy(&mut known, self.thread(thread));
        self.objects[o] = known;
        self.tick(thread);
    }

    /// Moves the clocks for a step.
    pub(crate) fn step(&mut self, thread: u32, kind: Kind, class: Class, object: u32, other: u32, outcome: Transfer) {
        use Kind::*;
        match kind {
            Load | Pass => self.acquire(thread, object),
            Store => self.replace(thread, object),
            CompareExchange if class != Class::Write => self.acquire(thread, object),
            Rmw | CompareExchange => {
                self.acquire(thread, object);
                self.release(thread, object);
            }
            Lock | Relock | Read | Write => self.acquire(thread, object),
            TryLock | TryRead | TryWrite if outcome == Transfer::Done => self.acquire(thread, object),
            Unlock | UnlockRead | UnlockWrite | Put | Open => self.release(thread, object),
            Wait | WaitTimed => self.release(thread, other),
            Take | TakeTimed if outcome == Transfer::Done => self.acquire(thread, object),
            Send | TrySend if outcome == Transfer::Done => {
                let o = self.object(object);
                let mut message = self.spare.pop().unwrap_or_default();
                copy(&mut message, self.thread(thread));
                self.messages[o].push_back(message);
                // A slot that was freed by a receive is known to the sender that takes it.
                self.acquire(thread, object);
                self.tick(thread);
            }
            Recv | TryRecv | RecvTimed if outcome == Transfer::Done => {
                let o = self.object(object);
                if let Some(message) = self.messages[o].pop_front() {
                    join(self.thread(thread), &message);
                    self.spare.push(message);
                }
                self.release(thread, object);
            }
            Taken => self.acquire(thread, object),
            Recv | TryRecv | RecvTimed if outcome == Transfer::Disconnected => self.acquire(thread, object),
            DropSender | DropReceiver => self.release(thread, object),
            _ => {}
        }
    }

    /// A new cell.
    pub(crate) fn cell(&mut self, created: At) -> u32 {
        self.cells.push(Cell { created, write: None, reads: Vec::new(), borrows: Vec::new(), freed: None });
        self.cells.len() as u32 - 1
    }

    /// Where a cell was created.
    pub(crate) fn created(&self, cell: u32) -> At {
        self.cells[cell as usize].created
    }

    /// A thread frees the memory of the cell; an access of another thread with which that is unordered, if there is one.
    pub(crate) fn free(&mut self, thread: u32, cell: u32) -> Option<Access> {
        let clock = std::mem::take(self.thread(thread));
        let known = |a: &&Access| clock.get(a.thread as usize).copied().unwrap_or(0) >= a.time;
        let cell = &mut self.cells[cell as usize];
        cell.freed = Some(thread);
        let alive = cell.borrows.iter().filter(|a| a.thread != thread);
        let racing = cell.write.iter().chain(&cell.reads).filter(|a| !known(a)).chain(alive).next().copied();
        self.threads[thread as usize] = clock;
        racing
    }

    /// Checks and remembers an access.
    pub(crate) fn access(&mut self, thread: u32, cell: u32, write: bool, at: At) -> Result<(), Fault> {
        let mut clock = std::mem::take(self.thread(thread));
        let time = clock[thread as usize];
        let known = |a: &Access| clock.get(a.thread as usize).copied().unwrap_or(0) >= a.time;
        let cell = &mut self.cells[cell as usize];
        let fault = if let Some(by) = cell.freed {
            Some(Fault::Freed(by))
        } else {
            let earlier = cell.write.iter().chain(if write { cell.reads.iter() } else { [].iter() });
            let alive = cell.borrows.iter().filter(|a| a.thread != thread && (a.write || write));
            earlier.filter(|a| !known(a)).chain(alive).next().copied().map(Fault::Race)
        };
        let access = Access { thread, time, write, at };
        if write {
            cell.write = Some(access);
            cell.reads.clear();
        } else if let Some(read) = cell.reads.iter_mut().find(|a| a.thread == thread) {
            *read = access;
        } else {
            cell.reads.push(access);
        }
        std::mem::swap(&mut self.threads[thread as usize], &mut clock);
        fault.map_or(Ok(()), Err)
    }

    /// A pointer into the cell lives from now on.
    pub(crate) fn borrow(&mut self, thread: u32, cell: u32, write: bool, at: At) {
        let access = Access { thread, time: 0, write, at };
        self.cells[cell as usize].borrows.push(access);
    }

    /// The youngest such pointer of the thread is gone. Up to now it was in use: the access moves to this time, so
    /// that what the thread released meanwhile does not cover it.
    pub(crate) fn give_back(&mut self, thread: u32, cell: u32, write: bool) {
        let time = self.thread(thread)[thread as usize];
        let cell = &mut self.cells[cell as usize];
        let Some(i) = cell.borrows.iter().rposition(|a| a.thread == thread && a.write == write) else { return };
        let access = Access { time, ..cell.borrows.remove(i) };
        if write {
            cell.write = Some(access);
        } else if let Some(read) = cell.reads.iter_mut().find(|a| a.thread == thread) {
            *read = access;
        }
    }
}
