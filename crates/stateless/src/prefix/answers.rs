//! What threads would do next, as far as it was asked before: a thread's next access of an atomic is the same in all prefixes that
//! have the same stores of that atomic, for what its thread knows comes before it. So most prefixes need not ask again.
//! A stack, as the run is: what was found out since an event was added is forgotten when the event is taken back.

use crate::ThreadId;
use crate::history::Move;

/// An answer, numbered in the order in which they are found.
#[derive(Clone, Copy, PartialEq, Eq)]
struct AnswerId(u32);

impl AnswerId {
    const NONE: AnswerId = AnswerId(u32::MAX);

    fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a thread would do after its first `n` events where its object has certain stores.
struct Answer {
    thread: ThreadId,
    n: u32,
    stores: u64,
    mv: Move,
    others: u32,
    /// The answer to the same thread that was found before.
    next: AnswerId,
}

/// The answers so far.
#[derive(Default)]
pub(super) struct Answers {
    answers: Vec<Answer>,
    /// For each thread and number of its events the answer found last.
    latest: Vec<Vec<AnswerId>>,
    /// The hashes of the actions that are stale accesses; prefixes that agree on a thread's next operation share them.
    others: Vec<u128>,
    /// Numbers of answers and of such hashes before each delta.
    lengths: Vec<(usize, usize)>,
}

impl Answers {
    /// What comes now depends on one more delta.
    pub(super) fn begin_delta(&mut self) {
        self.lengths.push((self.answers.len(), self.others.len()));
    }

    /// Forgets what was found since there were more than `len` deltas.
    pub(super) fn truncate(&mut self, len: usize) {
        let Some(&(answers, others)) = self.lengths.get(len) else { return };
        self.lengths.truncate(len);
        self.others.truncate(others);
        for Answer { thread, n, next, .. } in self.answers.drain(answers..).rev() {
            self.latest[thread.index()][n as usize] = next;
        }
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.truncate(0);
    }

    /// What a thread does after its first `n` events, as it was added.
    pub(super) fn find(&self, (thread, n): (ThreadId, u32), stores: u64) -> Option<(Move, u32)> {
        let mut at = *self.latest.get(thread.index())?.get(n as usize)?;
        while at != AnswerId::NONE {
            let answer = &self.answers[at.index()];
            if answer.stores == stores {
                return Some((answer.mv, answer.others));
            }
            at = answer.next;
        }
        None
    }

    /// Adds an answer.
    pub(super) fn add(&mut self, (thread, n): (ThreadId, u32), stores: u64, mv: Move, others: u32) {
        let (t, place) = (thread.index(), n as usize);
        if self.latest.len() <= t {
            self.latest.resize_with(t + 1, Vec::new);
        }
        let latest = &mut self.latest[t];
        if latest.len() <= place {
            latest.resize(place + 1, AnswerId::NONE);
        }
        let next = std::mem::replace(&mut latest[place], AnswerId(self.answers.len() as u32));
        self.answers.push(Answer { thread, n, stores, mv, others, next });
    }

    /// Adds the hashes of a thread's outcomes but the first; where they begin.
    pub(super) fn add_others(&mut self, hashes: &[u128]) -> u32 {
        let first = self.others.len() as u32;
        self.others.extend_from_slice(hashes);
        first
    }

    /// So many of these hashes.
    pub(super) fn others(&self, first: u32, count: usize) -> &[u128] {
        &self.others[first as usize..][..count]
    }
}

#[cfg(test)]
mod tests {
    use super::super::NOWHERE;
    use super::*;

    #[test]
    fn answers_are_forgotten_with_the_event_after_which_they_were_found() {
        let place = (ThreadId(1), 2);
        let mv = |arity| {
            let mut mv = Move::default();
            mv.arity = arity;
            mv
        };
        let mut answers = Answers::default();
        answers.begin_delta();
        answers.add(place, 5, mv(1), NOWHERE);
        answers.begin_delta();
        let first = answers.add_others(&[7, 8]);
        answers.add(place, 6, mv(3), first);
        assert_eq!(answers.find(place, 5), Some((mv(1), NOWHERE)));
        assert_eq!(answers.find(place, 6), Some((mv(3), first)));
        assert_eq!(answers.others(first, 2), [7, 8]);
        assert_eq!((answers.find(place, 7), answers.find((ThreadId(1), 3), 5)), (None, None));
        answers.truncate(1);
        assert_eq!((answers.find(place, 5), answers.find(place, 6)), (Some((mv(1), NOWHERE)), None));
        assert_eq!(answers.add_others(&[9]), first);
        answers.clear();
        assert_eq!(answers.find(place, 5), None);
    }
}
