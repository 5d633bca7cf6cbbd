//! Whether a thread spins, so that a switch away from it is free, and whether it is pointless to preempt it
//! ([`Leaving`]), remembered. The machine decides; here the parts of the state on which its answer depends are found,
//! by following on keys those steps of the thread that others cannot see.

use rustc_hash::FxHashSet;
use selvedge_core::{SwitchReason, ThreadId};
use selvedge_machine::{Counting, Hints, Leaving};

use super::codes::Key;
use super::memo::{Known, Question, unit};
use super::remembered::{Halt, Reached, Remembered};

/// States of a thread's own walk beyond which an answer is not remembered.
const LONGEST_WALK: usize = 2_000;

/// Answers about threads that have a step.
pub(crate) struct Leave<M: Hints> {
    leaving: Leaving<M>,
    /// For each thread by the code of its part: the answer plus one where nothing else decides; otherwise 0.
    fixed: Vec<Vec<u8>>,
    state: Vec<u8>,
    other: Vec<u8>,
}

/// An answer about a thread in a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Left {
    pub spins: bool,
    pub pointless: bool,
}

const SPINS: u8 = 1;
const POINTLESS: u8 = 2;

impl<M: Hints> Leave<M> {
    /// Nothing is known yet.
    pub(super) fn new() -> Self {
        Leave { leaving: Leaving::new(Counting::default()), fixed: Vec::new(), state: Vec::new(), other: Vec::new() }
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> u64 {
        self.leaving.bytes() + self.fixed.iter().map(|codes| codes.len() as u64).sum::<u64>()
    }

    /// Asks about a thread that has a step.
    #[inline]
    pub(super) fn ask(&mut self, key: Key, thread: usize, steps: &mut Remembered<'_, M>) -> Result<Left, Halt> {
        let code = steps.codes.field(steps.codes.thread_part(thread)).get(key) as usize;
        let fixed = self.fixed.get(thread).and_then(|codes| codes.get(code)).copied().unwrap_or(0);
        let answer = match fixed.checked_sub(1) {
            Some(answer) => answer,
            None => match steps.find(key, thread, Question::Spins) {
                Some(known) => known.flags,
                None => self.find_out(key, thread, steps)?,
            },
        };
        Ok(Left { spins: answer & SPINS != 0, pointless: answer & POINTLESS != 0 })
    }

    #[cold]
    fn find_out(&mut self, key: Key, thread: usize, steps: &mut Remembered<'_, M>) -> Result<u8, Halt> {
        let id = ThreadId(thread as u32);
        let machine = steps.machine();
        steps.unpack(key, &mut self.state);
        let spins = self.leaving.reason(machine, &self.state, id, true) == SwitchReason::Spinning;
        let pointless = self.leaving.is_pointless(machine, &self.state, id);
        let may_spin = machine.may_spin(&self.state, id);
        let parts = if may_spin { self.walk(key, thread, steps)? } else { Vec::new() };
        let answer = if spins { SPINS } else { 0 } | if pointless { POINTLESS } else { 0 };
        if !may_spin {
            self.fix(key, thread, answer, steps);
        }
        let known: Known = steps.memo.add(unit(thread, Question::Spins), key, &steps.codes, &parts, &[], answer);
        Ok(known.flags)
    }

    /// Only where the thread stands decides.
    fn fix(&mut self, key: Key, thread: usize, answer: u8, steps: &Remembered<'_, M>) {
        let code = steps.codes.field(steps.codes.thread_part(thread)).get(key) as usize;
        self.fixed.resize(self.fixed.len().max(thread + 1), Vec::new());
        let codes = &mut self.fixed[thread];
        codes.resize(codes.len().max(code + 1), 0);
        codes[code] = answer + 1;
    }

    /// The parts that the thread's own steps depend on, as far as others cannot see them.
    fn walk(&mut self, key: Key, thread: usize, steps: &mut Remembered<'_, M>) -> Result<Vec<u64>, Halt> {
        let everything = vec![u64::MAX; steps.codes.parts().div_ceil(64)];
        let (mut seen, mut unseen) = (FxHashSet::from_iter([key]), vec![key]);
        let mut parts = Vec::new();
        let mut found: Vec<Reached> = Vec::new();
        while let Some(at) = unseen.pop() {
            found.clear();
            if seen.len() > LONGEST_WALK || !steps.own_transitions(at, thread, &mut parts, &mut found)? {
                return Ok(everything);
            }
            for next in found.iter().filter(|next| usize::from(next.last) == thread && !next.gone) {
                if !seen.contains(&next.key) && self.look_alike(at, next.key, thread, steps) {
                    seen.insert(next.key);
                    unseen.push(next.key);
                }
            }
        }
        Ok(parts)
    }

    fn look_alike(&mut self, one: Key, other: Key, thread: usize, steps: &mut Remembered<'_, M>) -> bool {
        let id = ThreadId(thread as u32);
        let machine = steps.machine();
        for (key, state) in [(one, &mut self.state), (other, &mut self.other)] {
            steps.unpack(key, state);
            machine.erase_unread(state, id);
        }
        machine.same_shared(&self.state, &self.other, id)
    }
}
