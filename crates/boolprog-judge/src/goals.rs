//! What counts as a violation.

use selvedge_source::Span;

use crate::{Interpreter, State};

/// What no run may do.
#[derive(Clone, Copy, Debug)]
pub struct Goals<'a> {
    /// Failed assertions are violations.
    pub assertions: bool,
    /// The label that must not be reached, `LABEL` or `FUNCTION@LABEL`; `SLIC_ERROR` and `ERROR` if none is given.
    pub reach: Option<&'a str>,
    /// A state in which a thread has not ended and none is enabled is a violation.
    pub deadlock: bool,
    /// An infinite run is a violation: a program has no labels that mark progress.
    pub infinite_runs: bool,
    /// Of infinite runs only those count in which no thread that always has a step is left out for ever.
    pub fair: bool,
}

impl Default for Goals<'_> {
    fn default() -> Self {
        Goals { assertions: true, reach: None, deadlock: false, infinite_runs: false, fair: false }
    }
}

impl Goals<'_> {
    /// The statement of a thread that is stuck with all the others. Sections that are too long to be followed are not
    /// taken for stuck.
    pub(crate) fn stuck(&self, interpreter: &Interpreter<'_>, state: &State) -> Option<Span> {
        if !self.deadlock || interpreter.in_init(state) {
            return None;
        }
        let span = (0..state.threads.len()).find_map(|thread| interpreter.position(state, thread))?;
        let all = (0..state.threads.len()).all(|thread| interpreter.can_arrive(state, thread) == Some(false));
        all.then_some(span)
    }

    /// The statement at which a thread has reached a label.
    pub(crate) fn reached(&self, interpreter: &Interpreter<'_>, state: &State) -> Option<Span> {
        let (function, labels) = match self.reach.map(|reach| reach.split_once('@').ok_or(reach)) {
            Some(Ok((function, label))) => (Some(function), vec![label]),
            Some(Err(label)) => (None, vec![label]),
            None => (None, vec!["SLIC_ERROR", "ERROR"]),
        };
        (0..state.threads.len()).find_map(|thread| interpreter.labelled(state, thread, &labels, function))
    }
}
