//! What a thread would do next in any prefix of the run: whether it could, and which action that would be.

use super::{Accesses, History};
use crate::delta::Pending;
use crate::hash::{mix, pair};
use crate::object::State as ObjectState;
use crate::op::{Kind, NONE};
use crate::rt::{ObjectKind, Transfer};

/// What a thread would do next in some prefix.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Move {
    /// It is known; else the rest says nothing.
    pub(crate) known: bool,
    /// It can.
    pub(crate) enabled: bool,
    /// It can and fairness allows it.
    pub(crate) allowed: bool,
    /// It would only give up waiting.
    pub(crate) gives_up: bool,
    /// Among how many outcomes the environment chooses.
    pub(crate) arity: u32,
    /// The hash of the action with the first outcome, in two halves: there are many moves, a `u128` would pad them.
    halves: [u64; 2],
}

impl Move {
    /// A move with one outcome, by the hash of its action.
    fn sure(enabled: bool, first: u128) -> Move {
        let halves = [first as u64, (first >> 64) as u64];
        Move { known: true, enabled, allowed: enabled, gives_up: false, arity: 1, halves }
    }

    /// The hash of the action with the first outcome.
    pub(crate) fn first(&self) -> u128 {
        u128::from(self.halves[1]) << 64 | u128::from(self.halves[0])
    }
}

/// The hash of an action: its label, and the outcome.
fn action(label: u64, outcome: u64) -> u128 {
    let low = pair(label, outcome);
    (u128::from(mix(low ^ 0xa076_1d64_78bd_642f)) << 64) | u128::from(low)
}

impl Accesses {
    /// The state of the object in a prefix, and for each class the sum of the marks of its accesses.
    fn fold(&self, counts: &[u32], state: &mut ObjectState, sums: &mut [u64; 8]) {
        state.reset(self.kind);
        *sums = [0; 8];
        let stateless = self.kind == ObjectKind::Atomic;
        for access in &self.list {
            if counts[access.thread as usize] < access.need {
                continue;
            }
            if access.clone {
                state.senders += 1;
                continue;
            }
            let sum = &mut sums[access.class as usize & 7];
            *sum = sum.wrapping_add(access.mark);
            if !stateless {
                state.apply(access.kind, access.thread, access.choice);
            }
        }
    }
}

impl History {
    fn born(&self, counts: &[u32], thread: usize) -> bool {
        let (ancestor, after) = self.threads[thread].needs;
        counts[ancestor as usize] >= after
    }

    fn ended(&self, counts: &[u32], thread: usize) -> bool {
        let t = &self.threads[thread];
        t.ended && counts[thread] as usize == t.events.len()
    }

    /// Moves of another prefix will be asked for.
    pub(crate) fn another_prefix(&mut self) {
        self.folded = NONE;
    }

    /// What a thread would do next in the prefix that has `counts` events of each thread; the same prefix as before unless
    /// [`Self::another_prefix`] was called.
    pub(crate) fn next_move(&mut self, counts: &[u32], thread: usize) -> Move {
        let mv = match self.made_move(counts, thread) {
            Some(mv) => mv,
            None => return self.new_move(counts, thread),
        };
        debug_assert_eq!(mv, self.new_move(counts, thread), "a step is the same in all prefixes");
        mv
    }

    /// The move of a thread that made it in this run, where all that came before is in the prefix: it is the same there,
    /// because whatever conflicts with it and did not come before it comes after.
    fn made_move(&self, counts: &[u32], thread: usize) -> Option<Move> {
        let event = self.event(thread, counts[thread])?;
        let several = matches!(event.step.kind, Kind::NotifyOne | Kind::Choose) || event.step.kind.is_timed();
        (!several && self.follows(event, counts)).then(|| Move::sure(true, event.hash))
    }

    fn new_move(&mut self, counts: &[u32], thread: usize) -> Move {
        let t = &self.threads[thread];
        let n = counts[thread];
        if !self.born(counts, thread) {
            return Move::default();
        }
        let Some(&op) = t.ops.get(n as usize) else { return Move { known: true, ..Move::default() } };
        let place = t.marks[n as usize];
        let plain = |enabled: bool, tag: u64| Move::sure(enabled, action(pair(place, tag), 0));
        match op.kind {
            Kind::Join => return plain(self.ended(counts, op.other as usize), 0),
            Kind::Drain => {
                let over = |t: usize| !self.born(counts, t) || self.ended(counts, t);
                return plain((1..self.live).all(over), 0);
            }
            Kind::IsFinished => return plain(true, u64::from(self.ended(counts, op.other as usize)) + 1),
            Kind::Choose => return Move { arity: op.other.max(1), ..plain(true, 0) },
            _ if op.object == NONE => return plain(true, 0),
            _ => {}
        }
        self.move_on_object(counts, thread, op, place)
    }

    fn move_on_object(&mut self, counts: &[u32], thread: usize, op: Pending, place: u64) -> Move {
        let me = thread as u32;
        let woken = op.kind != Kind::Relock || {
            let sums = &mut [0; 8];
            self.objects[op.other as usize].fold(counts, &mut self.condvar, sums);
            !self.condvar.waiting.contains(&me)
        };
        if self.folded != op.object {
            self.objects[op.object as usize].fold(counts, &mut self.scratch, &mut self.sums);
            self.folded = op.object;
        }
        let state = &self.scratch;
        let label = label(state, &self.sums, op.kind, me, place);
        let outcome = match op.kind {
            Kind::NotifyOne => state.waiting.first().map_or(0, |&w| self.threads[w as usize].key),
            _ => 0,
        };
        let enabled = woken && state.ready(op.kind, op.other);
        let gives_up = op.kind.is_timed() && state.outcome(op.kind, me, op.other) == Transfer::WouldBlock;
        Move { gives_up, arity: state.arity(op.kind), ..Move::sure(enabled, action(label, outcome)) }
    }

    /// The hash of the action that a thread makes with another outcome than the first.
    pub(crate) fn other_outcome(&self, counts: &[u32], thread: usize, choice: u32) -> u128 {
        let n = counts[thread] as usize;
        let (op, place) = (self.threads[thread].ops[n], self.threads[thread].marks[n]);
        if op.kind != Kind::NotifyOne {
            return action(pair(place, 0), choice.into());
        }
        let (mut state, mut sums) = (ObjectState::new(ObjectKind::Condvar), [0; 8]);
        self.objects[op.object as usize].fold(counts, &mut state, &mut sums);
        // Whom it wakes tells it from the others.
        let woken = state.waiting.get(choice as usize).map_or(0, |&w| self.threads[w as usize].key);
        action(label(&state, &sums, op.kind, thread as u32, place), woken)
    }
}

/// Which action an access would be, but for the outcome chosen: its thread and number in it (`place`), its class, and
/// what it conflicts with came before.
fn label(state: &ObjectState, sums: &[u64; 8], kind: Kind, thread: u32, place: u64) -> u64 {
    let class = state.class(kind, thread);
    let (mut before, mut left) = (0u64, class.conflicts());
    while left != 0 {
        before = before.wrapping_add(sums[left.trailing_zeros() as usize & 7]);
        left &= left - 1;
    }
    pair(place, pair(class as u64 + 3, before))
}
