//! Steps that depend on what other threads can do: a rendezvous, for which a partner must be ready, and a timeout, which comes
//! where nobody has a step without one.

use selvedge_machine::Hints;

use super::codes::Key;
use super::memo::{Delta, Known, Question};
use super::remembered::{Halt, Remembered};

impl<M: Hints> Remembered<'_, M> {
    /// A thread has no step. If it waits for a timeout and nobody else has one either, the machine is asked.
    pub(super) fn without_steps(&mut self, key: Key, thread: usize, known: Known) -> Result<Option<bool>, Halt> {
        if !known.is(Known::WAITS) {
            return Ok(Some(false));
        }
        // What this depends on is not only parts that threads have read.
        if self.depends_on.is_some() {
            return Ok(None);
        }
        for other in (0..self.codes.thread_count(key)).filter(|other| *other != thread) {
            match self.has_own_step(key, other)? {
                Some(true) => return Ok(Some(false)),
                Some(false) => {}
                None => return Ok(None),
            }
        }
        Ok(None)
    }

    /// Whether a thread has a step without a timeout, as far as is remembered.
    fn has_own_step(&mut self, key: Key, thread: usize) -> Result<Option<bool>, Halt> {
        let known = self.known(key, thread, Question::Alone)?;
        if known.is(Known::OPAQUE) {
            return Ok(None);
        }
        if !known.steps().is_empty() || !known.is(Known::OFFERS) {
            return Ok(Some(!known.steps().is_empty()));
        }
        Ok(self.with_partners(key, thread, known)?.map(|deltas| !deltas.is_empty()))
    }

    /// The steps of a thread that offers to meet others: its own and those with each partner, youngest first.
    pub(super) fn with_partners(&mut self, key: Key, thread: usize, known: Known) -> Result<Option<Vec<Delta>>, Halt> {
        let mut deltas: Vec<Delta> = known.steps().map(|index| self.memo.delta(index)).collect();
        // Who is there is the shape, part 0.
        self.depends_on.iter_mut().for_each(|parts| parts[0] |= 1);
        for other in (0..self.codes.thread_count(key)).rev().filter(|other| *other != thread) {
            let met = self.known(key, thread, Question::Meets(other))?;
            if met.is(Known::OPAQUE) {
                return Ok(None);
            }
            deltas.extend(met.steps().map(|index| self.memo.delta(index)));
        }
        deltas.sort_by_key(|delta| delta.order);
        Ok(Some(deltas))
    }
}
