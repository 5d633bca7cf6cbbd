//! The next few states of a search, with their transitions found ahead of time: while one state after the other is
//! completed, the places of their successors in the table have been read already. What a search does does not depend on
//! it: transitions depend on the state alone, and what was not found ahead is found when it is needed.

use selvedge_machine::Hints;

use super::codes::{Codes, Key, Moves};
use super::queue::Waiting;
use super::remembered::{Halt, Moved, Reached, Remembered};
use super::table::Table;

/// States that are prepared together.
pub(crate) const AT_ONCE: usize = 16;

/// The transitions of one thread.
#[derive(Clone, Copy)]
struct Found {
    thread: u8,
    moved: Moved,
    from: u32,
    to: u32,
}

/// A state with what was found.
#[derive(Clone, Copy)]
struct Member {
    waiting: Waiting,
    /// The range of its threads, while it is the last one or all are complete.
    from: u32,
    to: u32,
}

/// States that come next.
#[derive(Default)]
pub(crate) struct Group {
    members: Vec<Member>,
    next: usize,
    found: Vec<Found>,
    reached: Vec<Reached>,
    noise: u8,
}

impl Group {
    /// States that are not completed.
    pub fn len(&self) -> usize {
        self.members.len() - self.next
    }

    /// The next state.
    pub fn first(&self) -> Option<Waiting> {
        self.members.get(self.next).map(|member| member.waiting)
    }

    /// The next state is complete.
    pub fn advance(&mut self) {
        self.next += 1;
        if self.next == self.members.len() {
            self.members.clear();
            self.forget();
            self.next = 0;
        }
    }

    /// Forgets what was found, not the states.
    fn forget(&mut self) {
        self.found.clear();
        self.reached.clear();
        self.members.iter_mut().for_each(|member| (member.from, member.to) = (0, 0));
    }

    /// Adds a state, with nothing found ahead.
    pub fn add(&mut self, waiting: Waiting) {
        self.members.push(Member { waiting, from: 0, to: 0 });
    }

    /// Adds states and finds transitions of theirs ahead: those of the threads that `wanted` gives for each, and if one of
    /// these has none, those of more threads.
    pub fn fill<M: Hints>(
        &mut self,
        states: impl Iterator<Item = Waiting>,
        steps: &mut Remembered<'_, M>,
        table: &Table,
        wanted: impl Fn(&Table, &Codes, &Waiting) -> (u64, u64),
    ) -> Result<(), Halt> {
        self.members.extend(states.take(AT_ONCE).map(|waiting| Member { waiting, from: 0, to: 0 }));
        self.prepare(steps, table, wanted)
    }

    /// Finds transitions ahead. After [`Halt::Widen`] it may be called again.
    pub fn prepare<M: Hints>(
        &mut self,
        steps: &mut Remembered<'_, M>,
        table: &Table,
        wanted: impl Fn(&Table, &Codes, &Waiting) -> (u64, u64),
    ) -> Result<(), Halt> {
        self.forget();
        for member in &self.members {
            self.noise ^= table.touch(super::table::hash(member.waiting.key));
        }
        for index in self.next..self.members.len() {
            let waiting = self.members[index].waiting;
            self.members[index].from = self.found.len() as u32;
            let (mut threads, mut if_blocked) = wanted(table, &steps.codes, &waiting);
            while threads != 0 {
                let thread = 63 - threads.leading_zeros() as usize;
                threads ^= 1 << thread;
                let found = self.find(waiting.key, thread, steps)?;
                self.found.push(found);
                if found.from == found.to {
                    threads |= std::mem::take(&mut if_blocked);
                }
            }
            self.members[index].to = self.found.len() as u32;
        }
        self.touch(table);
        Ok(())
    }

    /// Reads from where the states that were found will be looked for.
    pub fn touch(&mut self, table: &Table) {
        let noise = self.reached.iter().fold(self.noise, |noise, reached| noise ^ table.touch(reached.hash));
        self.noise = std::hint::black_box(noise);
    }

    fn find<M: Hints>(&mut self, key: Key, thread: usize, steps: &mut Remembered<'_, M>) -> Result<Found, Halt> {
        let from = self.reached.len() as u32;
        let moved = steps.transitions(key, thread, &mut self.reached)?;
        Ok(Found { thread: thread as u8, moved, from, to: self.reached.len() as u32 })
    }

    /// Makes sure that the transitions of a thread of the next state are found. What it does, and whether anything arrives.
    pub fn ensure<M: Hints>(&mut self, thread: usize, steps: &mut Remembered<'_, M>) -> Result<(Moved, bool), Halt> {
        if let Some(found) = self.get(thread) {
            return Ok((found.moved, found.from < found.to || found.moved.faulty));
        }
        let Member { waiting, from, to } = self.members[self.next];
        let found = self.find(waiting.key, thread, steps)?;
        // What belongs to the state goes to the end.
        let mut new = from;
        if to as usize != self.found.len() {
            new = self.found.len() as u32;
            self.found.extend_from_within(from as usize..to as usize);
        }
        self.found.push(found);
        (self.members[self.next].from, self.members[self.next].to) = (new, self.found.len() as u32);
        Ok((found.moved, found.from < found.to || found.moved.faulty))
    }

    #[inline]
    fn get(&self, thread: usize) -> Option<Found> {
        let Member { from, to, .. } = self.members[self.next];
        let found = &self.found[from as usize..to as usize];
        found.iter().find(|found| usize::from(found.thread) == thread).copied()
    }

    /// Where the transitions of a thread of the next state are; call [`Group::ensure`] before.
    #[inline]
    pub fn range(&self, thread: usize) -> std::ops::Range<usize> {
        self.get(thread).map_or(0..0, |found| found.from as usize..found.to as usize)
    }

    /// Whether something goes wrong in a step of a thread of the next state.
    #[inline]
    pub fn is_faulty(&self, thread: usize) -> bool {
        self.get(thread).is_some_and(|found| found.moved.faulty)
    }

    /// A transition.
    #[inline]
    pub fn reached(&self, index: usize) -> Reached {
        self.reached[index]
    }

    /// Follows the keys when fields have become wider; what was found is forgotten.
    pub fn rekey(&mut self, moves: &Moves) {
        self.forget();
        self.members.iter_mut().for_each(|member| member.waiting.key = moves.apply(member.waiting.key));
    }
}

/// The threads of a set, youngest first.
pub(crate) fn down(threads: u64) -> impl Iterator<Item = usize> {
    let mut left = threads;
    std::iter::from_fn(move || {
        let thread = 63_u32.checked_sub(left.leading_zeros())?;
        left ^= 1 << thread;
        Some(thread as usize)
    })
}
