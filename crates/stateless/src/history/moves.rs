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
    /// Which action that would be, but for the outcome chosen; of use only where there are several.
    pub(crate) label: u64,
    /// Among how many outcomes the environment chooses.
    pub(crate) arity: u32,
    /// The hash of the action with the first outcome.
    pub(crate) first: u128,
}

impl Move {
    /// A move with one outcome.
    fn plain(enabled: bool, label: u64) -> Move {
        Move { label, ..Move::sure(enabled, action(label, 0)) }
    }

    /// The only outcome, by the hash of its action.
    fn sure(enabled: bool, first: u128) -> Move {
        Move { known: true, enabled, allowed: enabled, gives_up: false, label: 0, arity: 1, first }
    }
}

/// The hash of an action: its label, and the outcome.
pub(crate) fn action(label: u64, outcome: u64) -> u128 {
    let low = pair(label, outcome);
    (u128::from(mix(low ^ 0xa076_1d64_78bd_642f)) << 64) | u128::from(low)
}

impl Accesses {
    /// The state of the object in a prefix, and for each class the sum of the marks of its accesses.
    fn fold(&self, counts: &[u32], state: &mut ObjectState) -> [u64; 8] {
        state.reset(self.kind);
        let mut sums = [0u64; 8];
        for access in &self.list {
            if counts[access.thread as usize] < access.need {
                continue;
            }
            if access.clone {
                state.senders += 1;
                continue;
            }
            sums[access.class as usize] = sums[access.class as usize].wrapping_add(access.mark);
            if self.kind != ObjectKind::Atomic {
                state.apply(access.kind, access.thread, access.choice);
            }
        }
        sums
    }
}

impl History {
    fn born(&self, counts: &[u32], thread: usize) -> bool {
        match self.threads[thread].birth {
            Some((parent, after)) => counts[parent as usize] >= after && self.born(counts, parent as usize),
            None => true,
        }
    }

    fn ended(&self, counts: &[u32], thread: usize) -> bool {
        let t = &self.threads[thread];
        t.ended && counts[thread] as usize == t.events.len()
    }

    /// Moves of another prefix will be asked for.
    pub(crate) fn another_prefix(&mut self) {
        self.folded = None;
    }

    /// What a thread would do next in the prefix that has `counts` events of each thread; the same prefix as before unless
    /// [`Self::another_prefix`] was called.
    pub(crate) fn next_move(&mut self, counts: &[u32], thread: usize) -> Move {
        let mv = match self.made_move(counts, thread) {
            Some(mv) => mv,
            None => return self.new_move(counts, thread),
        };
        debug_assert_eq!(mv, Move { label: 0, ..self.new_move(counts, thread) }, "a step is the same in all prefixes");
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
        let plain = |enabled: bool, tag: u64| Move::plain(enabled, pair(place, tag));
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
            self.objects[op.other as usize].fold(counts, &mut self.condvar);
            !self.condvar.waiting.contains(&me)
        };
        if self.folded != Some(op.object) {
            self.sums = self.objects[op.object as usize].fold(counts, &mut self.scratch);
            self.folded = Some(op.object);
        }
        let (state, sums) = (&self.scratch, &self.sums);
        let class = state.class(op.kind, me);
        let conflicts = class.conflicts();
        let (mut before, mut left) = (0u64, conflicts);
        while left != 0 {
            before = before.wrapping_add(sums[left.trailing_zeros() as usize & 7]);
            left &= left - 1;
        }
        let label = pair(place, pair(class as u64 + 3, before));
        let outcome = match op.kind {
            Kind::NotifyOne => state.waiting.first().map_or(0, |&w| self.threads[w as usize].key),
            _ => 0,
        };
        let enabled = woken && state.ready(op.kind, op.other);
        Move {
            known: true,
            enabled,
            allowed: enabled,
            gives_up: op.kind.is_timed() && state.outcome(op.kind, me, op.other) == Transfer::WouldBlock,
            label,
            arity: state.arity(op.kind),
            first: action(label, outcome),
        }
    }

    /// What tells an outcome from the others in the hash of an action: of a notification whom it wakes.
    pub(crate) fn outcome_mark(&self, counts: &[u32], thread: usize, choice: u32) -> u64 {
        match self.threads[thread].ops.get(counts[thread] as usize) {
            Some(op) if op.kind == Kind::NotifyOne => {
                let mut state = ObjectState::new(ObjectKind::Condvar);
                self.objects[op.object as usize].fold(counts, &mut state);
                state.waiting.get(choice as usize).map_or(0, |&w| self.threads[w as usize].key)
            }
            _ => choice.into(),
        }
    }
}
