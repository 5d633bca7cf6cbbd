//! Brute force: every state of a tiny model, counted as Spin counts them, and the kinds of
//! violations on the way.

use std::collections::{BTreeSet, HashSet};

use selvedge_core::ViolationKind;

use super::state::State;
use super::{Interpreter, PlainStep};

/// Explores every state, depth first in Spin's order, and continues past violations. Returns the
/// number of distinct states that Spin would store and the kinds of violations found, or `None`
/// if there are more than `max_states`.
pub fn explore(interpreter: &Interpreter, max_states: usize) -> Option<(usize, BTreeSet<ViolationKind>)> {
    let mut search = Search { interpreter, stored: HashSet::new(), passed: HashSet::new(), kinds: BTreeSet::new() };
    let mut stack: Vec<std::vec::IntoIter<PlainStep>> = Vec::new();
    let initial = interpreter.initial();
    if interpreter.claim_is_done(&initial) {
        search.kinds.insert(ViolationKind::ClaimCompleted);
    }
    stack.extend(search.visit(initial));
    while let Some(steps) = stack.last_mut() {
        match steps.next() {
            None => {
                stack.pop();
            }
            Some(step) => {
                search.kinds.extend(step.faults.iter().map(|(kind, _)| *kind));
                if let Some(next) = step.next {
                    stack.extend(search.visit(next));
                }
            }
        }
        if search.stored.len() > max_states || search.passed.len() > 100 * max_states.max(100) {
            return None;
        }
    }
    Some((search.stored.len(), search.kinds))
}

struct Search<'i> {
    interpreter: &'i Interpreter,
    stored: HashSet<State>,
    /// States that are passed through, so that loops among them end.
    passed: HashSet<State>,
    kinds: BTreeSet<ViolationKind>,
}

impl Search<'_> {
    /// The steps of a state that was not seen before.
    fn visit(&mut self, state: State) -> Option<std::vec::IntoIter<PlainStep>> {
        let state = self.interpreter.settle(state);
        let fresh = match state.is_stored() {
            true => self.stored.insert(state.key()),
            false => self.passed.insert(state.clone()),
        };
        if !fresh {
            return None;
        }
        let steps = self.interpreter.steps(&state);
        if steps.is_empty() && !self.interpreter.is_valid_end(&state) {
            self.kinds.insert(ViolationKind::InvalidEndState);
        }
        Some(steps.into_iter())
    }
}
