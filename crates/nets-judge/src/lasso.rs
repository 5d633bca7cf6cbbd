//! The cycle of an infinite run: it is a cycle if its last state is the one in which it begins, and a weakly fair one if every
//! thread that is enabled all the time takes a step in it.

use std::collections::BTreeSet;

/// A cycle that is followed step by step. `S` are states, `T` names of threads.
#[derive(Clone, Debug)]
pub(crate) struct Lasso<S, T> {
    /// The state in which the cycle begins.
    start: S,
    /// Threads that have been enabled since then and have not taken a step.
    neglected: BTreeSet<T>,
}

impl<S: PartialEq, T: Ord> Lasso<S, T> {
    /// A cycle that begins in a state in which these threads are enabled.
    pub(crate) fn begin(start: S, enabled: BTreeSet<T>) -> Self {
        Lasso { start, neglected: enabled }
    }

    /// A thread takes a step, after which these threads are enabled.
    pub(crate) fn step(&mut self, thread: &T, enabled: &BTreeSet<T>) {
        self.neglected.retain(|other| other != thread && enabled.contains(other));
    }

    /// Whether the cycle is closed in this state.
    pub(crate) fn is_closed(&self, state: &S) -> bool {
        self.start == *state
    }

    /// Whether no thread that is always enabled is left out.
    pub(crate) fn is_fair(&self) -> bool {
        self.neglected.is_empty()
    }
}

/// The places of a random run, to notice when it closes a cycle.
#[derive(Debug)]
pub(crate) struct Visited<S, T> {
    /// Each with the thread that took the step to it and the threads that are enabled there.
    places: Vec<(S, Option<T>, BTreeSet<T>)>,
}

impl<S: Clone + PartialEq, T: Clone + Ord> Visited<S, T> {
    /// A run that has not begun.
    pub(crate) fn new() -> Self {
        Visited { places: Vec::new() }
    }

    /// Arrives at a place; whether the run has been there before and may go round for ever.
    pub(crate) fn closes_cycle(&mut self, state: S, by: Option<T>, enabled: BTreeSet<T>, fair: bool) -> bool {
        let start = self.places.iter().rposition(|(known, ..)| *known == state);
        self.places.push((state, by, enabled));
        let Some(start) = start else { return false };
        let (state, _, enabled) = &self.places[start];
        let mut lasso = Lasso::begin(state.clone(), enabled.clone());
        for (_, by, enabled) in &self.places[start + 1..] {
            by.iter().for_each(|thread| lasso.step(thread, enabled));
        }
        !fair || lasso.is_fair()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(threads: &[u32]) -> BTreeSet<u32> {
        threads.iter().copied().collect()
    }

    #[test]
    fn a_cycle_is_fair_if_whoever_is_always_enabled_takes_a_step() {
        let mut lasso = Lasso::begin('a', set(&[0, 1, 2]));
        lasso.step(&0, &set(&[0, 1]));
        assert!(!lasso.is_closed(&'b') && !lasso.is_fair());
        lasso.step(&1, &set(&[0, 1, 2]));
        assert!(lasso.is_closed(&'a') && lasso.is_fair());
    }

    #[test]
    fn a_run_closes_a_cycle_where_it_has_been_before() {
        for (fair, closed) in [(false, [false, false, true]), (true, [false, false, false])] {
            let mut visited = Visited::new();
            let steps = [('a', None), ('b', Some(0)), ('a', Some(0))];
            let closes = steps.map(|(state, by)| visited.closes_cycle(state, by, set(&[0, 1]), fair));
            assert_eq!(closes, closed);
        }
    }
}
