//! Happens-before from its definition: the events of a run, the relation synchronises-with as pairs, its transitive closure
//! with program order, and the races of the accesses to data. Shares nothing with the clocks of the engine.

use std::sync::atomic::Ordering;

/// What happened, in the order in which it did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// A read of an atomic.
    Load(usize, Ordering),
    /// A write that reads nothing.
    Store(usize, Ordering),
    /// A read and write in one.
    Rmw(usize, Ordering),
    Fence(Ordering),
    /// A non-atomic access to an atomic; whether it writes.
    Plain(usize, bool),
    /// An access to a cell; whether it writes.
    Cell(usize, bool),
    Lock,
    Unlock,
    ReadLock,
    ReadUnlock,
    WriteLock,
    WriteUnlock,
    Send,
    Receive,
    /// The receiver found the channel empty, the sender found it full, a lock was taken: nothing follows.
    Nothing,
    Put,
    Take,
    Open,
    Pass,
    Spawn(u32),
    Join(u32),
}

/// An event of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    pub thread: u32,
    pub what: What,
}

fn acquires(order: Ordering) -> bool {
    matches!(order, Ordering::Acquire | Ordering::AcqRel | Ordering::SeqCst)
}

fn releases(order: Ordering) -> bool {
    matches!(order, Ordering::Release | Ordering::AcqRel | Ordering::SeqCst)
}

/// A run as its events.
pub struct Reference<'a> {
    events: &'a [Event],
    /// Room of the channel; none is unbounded.
    capacity: Option<usize>,
}

impl<'a> Reference<'a> {
    pub fn new(events: &'a [Event], capacity: Option<usize>) -> Reference<'a> {
        Reference { events, capacity }
    }

    fn positions(&self, of: impl Fn(What) -> bool) -> Vec<usize> {
        (0..self.events.len()).filter(|&i| of(self.events[i].what)).collect()
    }

    /// The writes of an atomic in modification order, which is the order of the run.
    fn writes(&self, atomic: usize) -> Vec<usize> {
        self.positions(|what| matches!(what, What::Store(a, _) | What::Rmw(a, _) | What::Plain(a, true) if a == atomic))
    }

    /// The write that a read reads from.
    fn reads_from(&self, read: usize, atomic: usize) -> Option<usize> {
        self.writes(atomic).into_iter().rfind(|&w| w < read)
    }

    /// The release sequence that a write heads: itself, and read-modify-writes as long as nothing else comes between.
    fn release_sequence(&self, head: usize, atomic: usize) -> Vec<usize> {
        let later = self.writes(atomic).into_iter().filter(|&w| w > head);
        let rmws = later.take_while(|&w| matches!(self.events[w].what, What::Rmw(..)));
        [head].into_iter().chain(rmws).collect()
    }

    /// The events that release by a write: itself, and release fences before it.
    fn releasing(&self, write: usize, order: Ordering) -> Vec<usize> {
        let thread = self.events[write].thread;
        let fence = |&i: &usize| {
            self.events[i].thread == thread && matches!(self.events[i].what, What::Fence(o) if releases(o))
        };
        (0..write).filter(fence).chain(releases(order).then_some(write)).collect()
    }

    /// The events that acquire by a read: itself, and acquire fences after it.
    fn acquiring(&self, read: usize, order: Ordering) -> Vec<usize> {
        let thread = self.events[read].thread;
        let fence = |&i: &usize| {
            self.events[i].thread == thread && matches!(self.events[i].what, What::Fence(o) if acquires(o))
        };
        acquires(order).then_some(read).into_iter().chain((read + 1..self.events.len()).filter(fence)).collect()
    }

    /// Synchronises-with by atomics.
    fn by_atomics(&self, pairs: &mut Vec<(usize, usize)>) {
        for head in 0..self.events.len() {
            let (What::Store(atomic, order) | What::Rmw(atomic, order)) = self.events[head].what else { continue };
            let sequence = self.release_sequence(head, atomic);
            for read in 0..self.events.len() {
                let (What::Load(of, acquire) | What::Rmw(of, acquire)) = self.events[read].what else { continue };
                if of != atomic || !self.reads_from(read, atomic).is_some_and(|w| sequence.contains(&w)) {
                    continue;
                }
                for a in self.releasing(head, order) {
                    pairs.extend(self.acquiring(read, acquire).into_iter().map(|b| (a, b)));
                }
            }
        }
    }

    /// From each event of one kind to each later one of another.
    fn each_later(&self, pairs: &mut Vec<(usize, usize)>, from: What, to: What) {
        for a in self.positions(|what| what == from) {
            pairs.extend(self.positions(|what| what == to).into_iter().filter(|&b| b > a).map(|b| (a, b)));
        }
    }

    fn by_library(&self, pairs: &mut Vec<(usize, usize)>) {
        use What::*;
        for (from, to) in [
            (Unlock, Lock),
            (WriteUnlock, ReadLock),
            (WriteUnlock, WriteLock),
            (ReadUnlock, WriteLock),
            (Put, Take),
            (Open, Pass),
        ] {
            self.each_later(pairs, from, to);
        }
        let (sends, receives) = (self.positions(|what| what == Send), self.positions(|what| what == Receive));
        pairs.extend(sends.iter().copied().zip(receives.iter().copied()));
        if let Some(room) = self.capacity {
            pairs.extend(receives.into_iter().zip(sends.into_iter().skip(room)));
        }
        for (i, event) in self.events.iter().enumerate() {
            let of = |thread: u32| (0..self.events.len()).filter(move |&j| self.events[j].thread == thread);
            match event.what {
                Spawn(child) => pairs.extend(of(child).next().map(|first| (i, first))),
                Join(child) => pairs.extend(of(child).next_back().map(|last| (last, i))),
                _ => {}
            }
        }
    }

    /// Happens-before, as a matrix.
    fn happens_before(&self) -> Vec<Vec<bool>> {
        let n = self.events.len();
        let mut pairs = Vec::new();
        self.by_atomics(&mut pairs);
        self.by_library(&mut pairs);
        let mut before = vec![vec![false; n]; n];
        for (i, row) in before.iter_mut().enumerate() {
            for (j, cell) in row.iter_mut().enumerate() {
                *cell = i < j && self.events[i].thread == self.events[j].thread || pairs.contains(&(i, j));
            }
        }
        for k in 0..n {
            let via = before[k].clone();
            for row in before.iter_mut().filter(|row| row[k]) {
                row.iter_mut().zip(&via).for_each(|(cell, there)| *cell |= there);
            }
        }
        before
    }

    /// Whether two events conflict so that they must be ordered.
    fn conflict(&self, a: usize, b: usize) -> bool {
        use What::*;
        // The datum (atomics before cells), whether it is written, whether the access is atomic.
        let access = |i: usize| match self.events[i].what {
            Load(x, _) => Some((x, false, true)),
            Store(x, _) | Rmw(x, _) => Some((x, true, true)),
            Plain(x, write) => Some((x, write, false)),
            Cell(x, write) => Some((x + 1000, write, false)),
            _ => None,
        };
        let (Some((x, w, atomic)), Some((y, v, also_atomic))) = (access(a), access(b)) else { return false };
        x == y && (w || v) && !(atomic && also_atomic) && self.events[a].thread != self.events[b].thread
    }

    /// The first event that races with an earlier one.
    pub fn first_race(&self) -> Option<usize> {
        let before = self.happens_before();
        (0..self.events.len()).find(|&b| (0..b).any(|a| self.conflict(a, b) && !before[a][b]))
    }
}
