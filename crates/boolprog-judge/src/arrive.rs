//! Whether a thread is enabled: it can get to a place where others may run, or to a failed assertion.

use std::collections::VecDeque;

use rustc_hash::FxHashSet;

use crate::{Interpreter, State};

/// States that are tried to find a way out of an atomic section. A recursion inside one may go on for
/// ever; a thread for which no way out is found among so many counts as stuck.
const TRIED: usize = 500;

impl Interpreter<'_> {
    /// Whether a thread can reach a place where others may run, or a failed assertion.
    pub(crate) fn can_arrive(&self, state: &State, thread: usize) -> Option<bool> {
        let mut seen: FxHashSet<State> = FxHashSet::default();
        let mut work = VecDeque::from([state.clone()]);
        while let Some(state) = work.pop_front() {
            for way in self.moves(&state, thread) {
                match way.next {
                    None => return Some(true),
                    Some(next) if self.can_switch(&next, thread) => return Some(true),
                    Some(next) => {
                        if seen.len() < TRIED && seen.insert(next.clone()) {
                            work.push_back(next);
                        }
                    }
                }
            }
        }
        (seen.len() < TRIED && !self.was_cut()).then_some(false)
    }

    /// Whether a thread has no step in a state in which threads may switch; `None` if that is not known. Inside a section
    /// of another thread nothing is said of it.
    pub(crate) fn waits(&self, state: &State, last: Option<usize>, thread: usize) -> Option<bool> {
        if last.is_some_and(|last| !self.can_switch(state, last)) || self.in_init(state) {
            return Some(false);
        }
        self.can_arrive(state, thread).map(|arrives| !arrives)
    }
}
