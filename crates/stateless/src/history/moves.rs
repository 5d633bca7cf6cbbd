//! What a thread would do next in any prefix of the run: whether it could, and which action that would be.

use super::accesses::Folded;
use super::{History, Place};
use crate::delta::Pending;
use crate::hash::mix;
use crate::op::Kind;
use crate::rt::Transfer;
use crate::{ObjectId, SELF_CHECKS, ThreadId, thread_ids};

/// What a thread would do next in some prefix.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Move {
    /// It is known; else the rest says nothing.
    pub(crate) known: bool,
    /// It can; else the rest says nothing.
    pub(crate) enabled: bool,
    /// It can and fairness allows it.
    pub(crate) allowed: bool,
    /// It would only give up waiting.
    pub(crate) gives_up: bool,
    /// Among how many outcomes the environment chooses.
    pub(crate) arity: u32,
    /// The hash of the action with the first outcome, in two halves: there are many moves, a `u128` would pad them.
    pub(super) halves: [u64; 2],
}

impl Move {
    /// A move with one outcome, by the hash of its action.
    pub(super) fn sure(first: u128) -> Move {
        let halves = [first as u64, (first >> 64) as u64];
        Move { known: true, enabled: true, allowed: true, gives_up: false, arity: 1, halves }
    }

    /// It is known that the thread is blocked.
    fn none() -> Move {
        Move { known: true, ..Move::default() }
    }

    /// The hash of the action with the first outcome.
    pub(crate) fn first(&self) -> u128 {
        u128::from(self.halves[1]) << 64 | u128::from(self.halves[0])
    }
}

/// The hash of an action: its thread and number in it (`place`), what it does there, and the outcome chosen. On the way to
/// every table; so it mixes as often as it must and not more.
pub(super) fn action(place: u64, what: u64, outcome: u64) -> u128 {
    let low = mix(place.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ mix(what) ^ outcome.wrapping_mul(0xd6e8_feb8_6659_fd93));
    (u128::from(mix(low ^ 0xa076_1d64_78bd_642f)) << 64) | u128::from(low)
}

impl History {
    pub(super) fn born(&self, counts: &[u32], thread: ThreadId) -> bool {
        let (ancestor, after) = self.threads[thread.index()].needs;
        counts[ancestor.index()] >= after
    }

    fn ended(&self, counts: &[u32], thread: ThreadId) -> bool {
        let t = &self.threads[thread.index()];
        t.ended && counts[thread.index()] == t.made
    }

    /// Moves of another prefix will be asked for.
    pub(crate) fn another_prefix(&mut self) {
        self.folded = ObjectId::NONE;
    }

    /// What a thread would do next in the prefix that has `counts` events of each thread; the same prefix as before unless
    /// [`Self::another_prefix`] was called.
    pub(crate) fn next_move(&mut self, counts: &[u32], thread: ThreadId) -> Move {
        self.several = false;
        let mv = match self.made_move(counts, thread) {
            Some(mv) => mv,
            None => return self.new_move(counts, thread),
        };
        if SELF_CHECKS {
            assert_eq!(mv, self.new_move(counts, thread), "a step is the same in all prefixes");
        }
        mv
    }

    /// The move of a thread that made it in this run, where all that came before is in the prefix: it is the same there,
    /// because whatever conflicts with it and did not come before it comes after.
    fn made_move(&self, counts: &[u32], thread: ThreadId) -> Option<Move> {
        let event = self.event(thread, counts[thread.index()])?;
        if event.step.in_graph {
            return None;
        }
        let several = matches!(event.step.kind, Kind::NotifyOne | Kind::Choose) || event.step.kind.is_timed();
        (!several && self.follows(event, counts)).then(|| Move::sure(event.hash))
    }

    fn new_move(&mut self, counts: &[u32], thread: ThreadId) -> Move {
        let t = &self.threads[thread.index()];
        let n = counts[thread.index()];
        if !self.born(counts, thread) {
            return Move::default();
        }
        let Some(&Place { op, mark: place, .. }) = t.places.get(n as usize) else {
            return Move::none();
        };
        let plain = |enabled: bool, tag: u64| match enabled {
            true => Move::sure(action(place, tag, 0)),
            false => Move::none(),
        };
        match op.kind {
            Kind::Join => return plain(self.ended(counts, op.other.thread()), 0),
            Kind::Drain => {
                let over = |t: ThreadId| !self.born(counts, t) || self.ended(counts, t);
                return plain(thread_ids(self.live).skip(1).all(over), 0);
            }
            Kind::IsFinished => return plain(true, u64::from(self.ended(counts, op.other.thread())) + 1),
            Kind::Choose => return Move { arity: op.other.number().max(1), ..plain(true, 0) },
            _ if op.object == ObjectId::NONE => return plain(true, 0),
            _ => {}
        }
        match op.access {
            Some(access) => self.move_in_graph(counts, thread, &op, access, place),
            None => self.move_on_object(counts, thread, op, place),
        }
    }

    fn move_on_object(&mut self, counts: &[u32], thread: ThreadId, op: Pending, place: u64) -> Move {
        let me = thread;
        let woken = op.kind != Kind::Relock || {
            self.objects[op.other.object().index()].fold(counts, &mut self.condvar);
            !self.condvar.state.waiting.contains(&me)
        };
        if self.folded != op.object {
            self.objects[op.object.index()].fold(counts, &mut self.scratch);
            self.folded = op.object;
        }
        let state = &self.scratch.state;
        if !woken || !state.ready(op.kind, op.other) {
            return Move::none();
        }
        let outcome = match op.kind {
            Kind::NotifyOne => state.waiting.first().map_or(0, |&w| self.threads[w.index()].key),
            _ => 0,
        };
        let gives_up = op.kind.is_timed() && state.outcome(op.kind, me, op.other) == Transfer::WouldBlock;
        Move {
            gives_up,
            arity: state.arity(op.kind),
            ..Move::sure(action(place, access(&self.scratch, op.kind, me), outcome))
        }
    }

    /// The hash of the action that a thread makes with another outcome than the first.
    pub(crate) fn other_outcome(&self, counts: &[u32], thread: ThreadId, choice: u32) -> u128 {
        let n = counts[thread.index()] as usize;
        let Place { op, mark: place, .. } = self.threads[thread.index()].places[n];
        if op.kind != Kind::NotifyOne {
            return action(place, 0, choice.into());
        }
        let mut condvar = Folded::new();
        self.objects[op.object.index()].fold(counts, &mut condvar);
        // Whom it wakes tells it from the others.
        let woken = condvar.state.waiting.get(choice as usize).map_or(0, |&w| self.threads[w.index()].key);
        action(place, access(&condvar, op.kind, thread), woken)
    }
}

/// What an access would do: its class, and what it conflicts with that came before.
fn access(object: &Folded, kind: Kind, thread: ThreadId) -> u64 {
    let class = object.state.class(kind, thread);
    // Never what something else than an access does, for which there are small numbers.
    object.sums[class as usize].wrapping_add((class as u64 + 3).wrapping_mul(0xe703_7ed1_a0b4_28db))
}
