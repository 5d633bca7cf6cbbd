//! Reachable shared states under round-robin schedules by brute force: the plain interpreter, every
//! value decided at once, sets of whole states. For small programs; the reference that engines are
//! compared with.

use std::collections::{BTreeSet, HashSet};

use crate::{Interpreter, State, Value};
use selvedge_boolprog_syntax::ast::Program;

/// What is reachable.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reached {
    /// Shared states within 1, 2, … rounds, where a switch is possible.
    pub shared: Vec<BTreeSet<Vec<bool>>>,
    /// Whether an assertion fails or an error label is reached within 1, 2, … rounds.
    pub violated: Vec<bool>,
    /// Whether the stack limit cut off a call: then more may be reachable.
    pub cut: bool,
}

/// Explores `rounds` rounds of a program without errors. `None` if there are more than `most` states.
pub fn reachable(program: &Program, rounds: u32, stack_limit: usize, most: usize) -> Option<Reached> {
    let interpreter = Interpreter::new(program, true, true);
    let mut brute = Brute {
        interpreter,
        stack_limit,
        most,
        reached: Reached::default(),
        violated: false,
        untouched: HashSet::new(),
    };
    let mut states = brute.start()?;
    brute.untouched = states.clone();
    let count = states.iter().map(|state| brute.interpreter.thread_count(state)).max().unwrap_or(0);
    for _ in 0..rounds {
        for thread in 0..count {
            states = brute.context(states, thread)?;
        }
        let shared = states.iter().map(|state| brute.shared(state)).collect();
        brute.reached.shared.push(shared);
        brute.reached.violated.push(brute.violated);
    }
    Some(brute.reached)
}

struct Brute<'a> {
    interpreter: Interpreter<'a>,
    stack_limit: usize,
    most: usize,
    reached: Reached,
    violated: bool,
    /// The states in which no thread has run: any thread may be the first.
    untouched: HashSet<State>,
}

impl Brute<'_> {
    /// The states in which the first context starts: after `init`, if there is one.
    fn start(&mut self) -> Option<HashSet<State>> {
        let initial: HashSet<State> = self.interpreter.initial().into_iter().collect();
        match initial.iter().any(|state| self.interpreter.in_init(state)) {
            true => self.context(initial, 0),
            false => {
                self.violated |= initial.iter().any(|state| self.at_error(state));
                Some(initial)
            }
        }
    }

    fn at_error(&self, state: &State) -> bool {
        let labels = ["SLIC_ERROR", "ERROR"];
        let threads = 0..self.interpreter.thread_count(state);
        threads.into_iter().any(|thread| self.interpreter.stands_at(state, thread, &labels, None))
    }

    fn shared(&self, state: &State) -> Vec<bool> {
        self.interpreter.shared(state).into_iter().map(|value| value == Value::Known(true)).collect()
    }

    /// The states after a context of `thread`, an empty one included.
    fn context(&mut self, states: HashSet<State>, thread: usize) -> Option<HashSet<State>> {
        let mut seen = states;
        let mut work: Vec<State> = seen.iter().cloned().collect();
        while let Some(state) = work.pop() {
            if self.at_error(&state) {
                self.violated = true;
                continue;
            }
            if seen.len() > self.most || self.interpreter.was_cut() {
                return None;
            }
            for way in self.interpreter.moves(&state, thread) {
                let Some(next) = way.next else {
                    self.violated = true;
                    continue;
                };
                if self.interpreter.depth(&next, thread) > self.stack_limit {
                    self.reached.cut = true;
                } else if seen.insert(next.clone()) {
                    work.push(next);
                }
            }
        }
        seen.retain(|state| self.untouched.contains(state) || self.interpreter.can_switch(state, thread));
        Some(seen)
    }
}
