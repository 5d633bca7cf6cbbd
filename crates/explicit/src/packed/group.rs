//! The next few states of a search, with their transitions computed ahead of time: while one state is expanded, the
//! table entries of the successors of the next ones are already being loaded into the cache. The result does not depend
//! on it: transitions depend on the state alone, and those that were not computed ahead are computed when they are
//! needed.

use std::ops::Range;

use selvedge_machine::Hints;

use super::codes::{Codes, Key, Moves};
use super::queue::Waiting;
use super::remembered::{Halt, Moved, Reached, Remembered};
use super::table::{Noted, Seat, Table, hash};

/// States that are prepared together.
pub(crate) const AT_ONCE: usize = 16;

/// The transitions of one thread.
#[derive(Clone, Copy)]
pub(crate) struct Found {
    thread: u8,
    pub moved: Moved,
    from: u32,
    to: u32,
}

impl Found {
    /// Whether anything arrives.
    #[inline]
    pub(super) fn arrives(&self) -> bool {
        self.from < self.to || self.moved.faulty
    }

    /// Where its transitions are.
    #[inline]
    pub(super) fn range(&self) -> Range<usize> {
        self.from as usize..self.to as usize
    }
}

/// The transitions of all threads, youngest first, with nothing that goes wrong.
#[derive(Clone, Copy)]
struct Whole {
    from: u32,
    to: u32,
    has_step: bool,
}

/// A state with what was found.
#[derive(Clone, Copy)]
struct Member {
    waiting: Waiting,
    /// The range of its threads, while it is the last one or all are complete.
    from: u32,
    to: u32,
    whole: Option<Whole>,
    seat: Option<Noted>,
}

impl Member {
    fn new(waiting: Waiting) -> Self {
        Member { waiting, from: 0, to: 0, whole: None, seat: None }
    }
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
    pub(super) fn len(&self) -> usize {
        self.members.len() - self.next
    }

    /// The next state.
    pub(super) fn first(&self) -> Option<Waiting> {
        self.members.get(self.next).map(|member| member.waiting)
    }

    /// The seat of the next state.
    #[inline]
    pub(super) fn seat(&self, table: &Table) -> Option<Seat> {
        let member = self.members.get(self.next)?;
        let noted = member.seat.and_then(|noted| table.noted(noted));
        noted.or_else(|| table.find(hash(member.waiting.key), member.waiting.key))
    }

    /// The next state is complete.
    pub(super) fn advance(&mut self) {
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
        for member in &mut self.members {
            *member = Member::new(member.waiting);
        }
    }

    /// Adds a state, with nothing found ahead.
    pub(super) fn add(&mut self, waiting: Waiting) {
        self.members.push(Member::new(waiting));
    }

    /// Adds states and finds all their transitions ahead.
    pub(super) fn fill_whole<M: Hints>(
        &mut self,
        states: impl Iterator<Item = Waiting>,
        steps: &mut Remembered<'_, M>,
        table: &Table,
    ) -> Result<(), Halt> {
        self.members.extend(states.take(AT_ONCE).map(Member::new));
        self.forget();
        for index in self.next..self.members.len() {
            let key = self.members[index].waiting.key;
            let from = self.reached.len() as u32;
            let (mut has_step, mut faulty) = (false, false);
            for thread in (0..steps.codes.thread_count(key)).rev() {
                let moved = steps.transitions(key, thread, &mut self.reached)?;
                (has_step, faulty) = (has_step | moved.has_step, faulty | moved.faulty);
            }
            let to = self.reached.len() as u32;
            self.members[index].whole = (!faulty).then_some(Whole { from, to, has_step });
        }
        self.touch(table);
        Ok(())
    }

    /// Adds states and finds transitions of theirs ahead: those of the threads that `wanted` gives for each and its marks, and
    /// if one of these has none, those of more threads.
    pub(super) fn fill<M: Hints>(
        &mut self,
        states: impl Iterator<Item = Waiting>,
        steps: &mut Remembered<'_, M>,
        table: &Table,
        wanted: impl Fn(u64, &Codes, &Waiting) -> (u64, u64),
    ) -> Result<(), Halt> {
        self.members.extend(states.take(AT_ONCE).map(Member::new));
        self.forget();
        for member in &self.members {
            self.noise ^= table.touch(hash(member.waiting.key));
        }
        for index in self.next..self.members.len() {
            let waiting = self.members[index].waiting;
            let seat = table.find(hash(waiting.key), waiting.key);
            let (from, marks) = (self.found.len() as u32, seat.map_or(0, |seat| table.marks(seat)));
            let (mut threads, mut if_blocked) = wanted(marks, &steps.codes, &waiting);
            while threads != 0 {
                let thread = 63 - threads.leading_zeros() as usize;
                threads ^= 1 << thread;
                let found = self.find(waiting.key, thread, steps)?;
                self.found.push(found);
                if found.from == found.to {
                    threads |= std::mem::take(&mut if_blocked);
                }
            }
            let (to, seat) = (self.found.len() as u32, seat.map(|seat| table.note(seat)));
            self.members[index] = Member { from, to, seat, ..self.members[index] };
        }
        self.touch(table);
        Ok(())
    }

    /// Reads from where the states that were found will be looked for.
    pub(super) fn touch(&mut self, table: &Table) {
        let noise = self.reached.iter().fold(self.noise, |noise, reached| noise ^ table.touch(reached.hash));
        self.noise = std::hint::black_box(noise);
    }

    fn find<M: Hints>(&mut self, key: Key, thread: usize, steps: &mut Remembered<'_, M>) -> Result<Found, Halt> {
        let from = self.reached.len() as u32;
        let moved = steps.transitions(key, thread, &mut self.reached)?;
        Ok(Found { thread: thread as u8, moved, from, to: self.reached.len() as u32 })
    }

    /// The transitions of all threads of the next state: whether there is a step, and where they are. `None` if they were not
    /// found ahead, or something goes wrong in one.
    #[inline]
    pub(super) fn whole(&self) -> Option<(bool, Range<usize>)> {
        let whole = self.members.get(self.next)?.whole?;
        Some((whole.has_step, whole.from as usize..whole.to as usize))
    }

    /// Makes sure that the transitions of a thread of the next state are found.
    #[inline]
    pub(super) fn ensure<M: Hints>(&mut self, thread: usize, steps: &mut Remembered<'_, M>) -> Result<Found, Halt> {
        match self.get(thread) {
            Some(found) => Ok(found),
            None => self.find_late(thread, steps),
        }
    }

    fn find_late<M: Hints>(&mut self, thread: usize, steps: &mut Remembered<'_, M>) -> Result<Found, Halt> {
        let Member { waiting, from, to, .. } = self.members[self.next];
        let found = self.find(waiting.key, thread, steps)?;
        // What belongs to the state goes to the end.
        let mut new = from;
        if to as usize != self.found.len() {
            new = self.found.len() as u32;
            self.found.extend_from_within(from as usize..to as usize);
        }
        self.found.push(found);
        (self.members[self.next].from, self.members[self.next].to) = (new, self.found.len() as u32);
        Ok(found)
    }

    /// The transitions of a thread of the next state, if they were found.
    #[inline]
    pub(super) fn get(&self, thread: usize) -> Option<Found> {
        let Member { from, to, .. } = self.members[self.next];
        let found = &self.found[from as usize..to as usize];
        found.iter().find(|found| usize::from(found.thread) == thread).copied()
    }

    /// A transition.
    #[inline]
    pub(super) fn reached(&self, index: usize) -> Reached {
        self.reached[index]
    }

    /// Follows the keys when fields have become wider; what was found is forgotten.
    pub(super) fn rekey(&mut self, moves: &Moves) {
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
