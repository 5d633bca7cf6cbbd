//! The accesses of an object, and what it is like in any prefix of the run: its state, and for each class the sum of the
//! marks of the accesses that an access of this class conflicts with, from which actions get their hashes.
//!
//! What it is like after its first n accesses is kept. Most prefixes have all accesses but some of the last, so most
//! of the work is done already.

use super::EventId;
use crate::object::{Numbers, State as ObjectState};
use crate::op::{Class, Kind};
use crate::rt::ObjectKind;
use crate::{SELF_CHECKS, ThreadId};

/// An access of an object, in the order of the run. It is in a prefix that has `need` events of `thread`.
pub(super) struct Access {
    pub(super) thread: ThreadId,
    pub(super) need: u32,
    pub(super) event: EventId,
    pub(super) mark: u64,
    pub(super) kind: Kind,
    pub(super) class: Class,
    pub(super) choice: u32,
    /// Not a step: a sender was cloned.
    pub(super) clone: bool,
}

impl Access {
    fn is_in(&self, counts: &[u32]) -> bool {
        counts[self.thread.index()] >= self.need
    }
}

/// An access of an object, numbered in the order of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct AccessId(u32);

impl AccessId {
    /// Behind all accesses.
    pub(super) const NONE: AccessId = AccessId(u32::MAX);

    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// A sum for each class.
type Sums = [u64; 9];

/// The accesses of an object by one thread.
struct OfThread {
    thread: ThreadId,
    accesses: Vec<AccessId>,
}

/// The accesses of an object.
pub(super) struct Accesses {
    pub(super) kind: ObjectKind,
    pub(super) list: Vec<Access>,
    /// The accesses of each class, so that the cost of a step does not grow with the run.
    by_class: [Vec<AccessId>; 9],
    by_thread: Vec<OfThread>,
    /// What the object is like after each of them; not for condvars, for which numbers do not suffice.
    after: Vec<(Numbers, Sums)>,
}

impl Accesses {
    pub(super) fn new(kind: ObjectKind) -> Accesses {
        Accesses { kind, list: Vec::new(), by_class: Default::default(), by_thread: Vec::new(), after: Vec::new() }
    }

    /// As new, keeping memory.
    pub(super) fn reset(&mut self, kind: ObjectKind) {
        self.kind = kind;
        self.list.clear();
        self.by_class.iter_mut().for_each(Vec::clear);
        self.by_thread.iter_mut().for_each(|of| of.accesses.clear());
        self.after.clear();
    }

    /// The accesses of a class, oldest first; not those that cloned a sender.
    pub(super) fn of_class(&self, class: Class) -> &[AccessId] {
        &self.by_class[class as usize]
    }

    /// The accesses that conflict with one of this class, newest first.
    pub(super) fn conflicting(&self, class: Class) -> impl Iterator<Item = &Access> {
        let conflicts = class.conflicts();
        let mut left = self.by_class.each_ref().map(Vec::len);
        std::iter::from_fn(move || {
            let newest = |&c: &usize| conflicts >> c & 1 != 0 && left[c] > 0;
            let class = (0..left.len()).filter(newest).max_by_key(|&c| self.by_class[c][left[c] - 1])?;
            left[class] -= 1;
            Some(&self.list[self.by_class[class][left[class]].index()])
        })
    }

    /// The position of the first access that is not in a prefix.
    fn first_missing(&self, counts: &[u32]) -> usize {
        let missing = |of: &OfThread| {
            let last = *of.accesses.last()?;
            let have = counts[of.thread.index()];
            if self.list[last.index()].need <= have {
                return None;
            }
            let first = of.accesses.partition_point(|&access| self.list[access.index()].need <= have);
            Some(of.accesses[first].index())
        };
        self.by_thread.iter().filter_map(missing).min().unwrap_or(self.list.len())
    }

    /// Bytes in use.
    pub(super) fn memory(&self) -> usize {
        self.list.capacity() * (size_of::<Access>() + size_of::<(Numbers, Sums)>())
    }

    /// Adds an access; `scratch` is any memory.
    pub(super) fn push(&mut self, access: Access, scratch: &mut Folded) {
        if self.kind != ObjectKind::Condvar {
            scratch.start(self.kind, self.after.last());
            scratch.add(&access);
            self.after.push((scratch.state.numbers(), scratch.sums));
        }
        let id = AccessId(self.list.len() as u32);
        if !access.clone {
            self.by_class[access.class as usize].push(id);
        }
        match self.by_thread.iter_mut().find(|of| of.thread == access.thread) {
            Some(of) => of.accesses.push(id),
            None => self.by_thread.push(OfThread { thread: access.thread, accesses: vec![id] }),
        }
        self.list.push(access);
    }

    /// Takes the newest access back.
    pub(super) fn pop(&mut self) {
        let Some(access) = self.list.pop() else { return };
        self.after.truncate(self.list.len());
        if !access.clone {
            self.by_class[access.class as usize].pop();
        }
        if let Some(of) = self.by_thread.iter_mut().find(|of| of.thread == access.thread) {
            of.accesses.pop();
        }
    }

    /// What the object is like in a prefix.
    pub(super) fn fold(&self, counts: &[u32], into: &mut Folded) {
        let known = self.first_missing(counts).min(self.after.len());
        self.fold_from(known, counts, into);
        // Not for long lists: a run of a loop that does not end should not take for ever.
        let checked = !SELF_CHECKS || self.list.len() > 64 || self.is_folded(counts, into);
        assert!(checked, "what is kept is what all accesses give");
    }

    /// The same, where the first `known` accesses are in the prefix and what they give is kept.
    fn fold_from(&self, known: usize, counts: &[u32], into: &mut Folded) {
        into.start(self.kind, self.after[..known].last());
        self.list[known..].iter().filter(|access| access.is_in(counts)).for_each(|access| into.add(access));
    }

    fn is_folded(&self, counts: &[u32], folded: &Folded) -> bool {
        let mut all = Folded::new();
        self.fold_from(0, counts, &mut all);
        all.sums == folded.sums
            && all.state.numbers() == folded.state.numbers()
            && all.state.waiting == folded.state.waiting
    }
}

/// What an object is like in some prefix.
pub(super) struct Folded {
    pub(super) state: ObjectState,
    pub(super) sums: Sums,
}

impl Folded {
    pub(super) fn new() -> Folded {
        Folded { state: ObjectState::new(ObjectKind::Atomic), sums: [0; 9] }
    }

    fn start(&mut self, kind: ObjectKind, known: Option<&(Numbers, Sums)>) {
        match known {
            Some((numbers, sums)) => {
                self.state.restore(kind, *numbers);
                self.sums = *sums;
            }
            None => {
                self.state.reset(kind);
                self.sums = [0; 9];
            }
        }
    }

    fn add(&mut self, access: &Access) {
        if access.clone {
            self.state.senders += 1;
            return;
        }
        let conflicts = access.class.conflicts();
        for (class, sum) in self.sums.iter_mut().enumerate() {
            let counts = conflicts >> class & 1 != 0;
            *sum = sum.wrapping_add(if counts { access.mark } else { 0 });
        }
        if self.state.kind != ObjectKind::Atomic {
            self.state.apply(access.kind, access.thread, access.choice);
        }
    }
}
