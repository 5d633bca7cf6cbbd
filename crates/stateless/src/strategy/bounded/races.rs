//! Backtrack points: \[BPOR\] Algorithm 1 with Algorithm 2 (preemptions) and 3 (fairness).

use super::Bounded;
use crate::cost::Cost;
use crate::op::{Kind, Op, Step};
use crate::set::ThreadSet;
use crate::state::State;
use crate::{ThreadId, thread_ids};

impl Bounded {
    /// Lines 4–7 of Algorithm 1, for what is new: the last step against everybody's pending operation, and the
    /// operation its thread announced since against everybody's last dependent step.
    pub(super) fn find_races(&mut self, state: &State) {
        let Some(newest) = state.steps.len().checked_sub(1) else { return };
        let step = state.steps[newest];
        for u in thread_ids(state.threads().len()) {
            let Some(op) = &state.threads()[u.index()].pending else { continue };
            let forced = waits_for_ends(op);
            if u != step.thread && !forced && step.dependent(op) {
                self.backtrack(&state.steps, newest, u);
            }
            let announced = u == step.thread || born_in(state, u, &step);
            if announced && !forced {
                self.races_of(state, u, op);
            }
        }
        if step.finished {
            self.races_of_end(state, newest, &step);
        }
    }

    /// For each other thread its last step that is dependent with `op` of `u`.
    fn races_of(&mut self, state: &State, u: ThreadId, op: &Op) {
        let mut seen = ThreadSet::default();
        for (i, step) in state.steps.iter().enumerate().rev() {
            if step.thread != u && !seen.contains(step.thread) && step.dependent(op) {
                seen.insert(step.thread);
                self.backtrack(&state.steps, i, u);
            }
        }
    }

    /// The end of a thread is known only after its last step: who looked whether it had ended comes before it, and
    /// under fairness it may enable who waits for it.
    fn races_of_end(&mut self, state: &State, newest: usize, end: &Step) {
        for (i, step) in state.steps[..newest].iter().enumerate().rev() {
            if step.kind == Kind::IsFinished && step.other.thread() == end.thread {
                self.backtrack(&state.steps, i, end.thread);
            }
        }
        if self.fair_matters() {
            self.all(newest);
        }
    }

    /// A step that ends the run takes away what everybody else would have done: it is dependent with all of it.
    pub(super) fn races_of_abort(&mut self, state: &State) {
        let Some(newest) = state.steps.len().checked_sub(1) else { return };
        for u in thread_ids(state.threads().len()) {
            if u != state.steps[newest].thread && state.threads()[u.index()].pending.is_some() {
                self.backtrack(&state.steps, newest, u);
            }
        }
    }

    fn all(&mut self, i: usize) {
        let node = &mut self.path[i];
        node.backtrack.union(&node.candidates);
    }

    /// `Backtrack(S, i, u)` of Algorithm 2: at the step itself and at the start of its block.
    fn backtrack(&mut self, steps: &[Step], i: usize, u: ThreadId) {
        self.add_point(steps, i, u);
        if self.cost == Cost::Free {
            return; // no preemptions are counted: Algorithm 3 has no second point
        }
        let starts = |j: usize| {
            let node = &self.path[j];
            node.last != (steps[j].thread, true)
        };
        if let Some(j) = (0..=i).rev().find(|&j| starts(j))
            && j != i
        {
            self.add_point(steps, j, u);
        }
    }

    /// `AddBacktrackPoint`: `u` where it is enabled, else every thread; every thread too where `u` would enable others and
    /// that makes a difference to fairness.
    fn add_point(&mut self, steps: &[Step], i: usize, u: ThreadId) {
        let node = &self.path[i];
        let releases = self.fair_matters()
            && steps[i..].iter().find(|s| s.thread == u).is_none_or(|s| s.kind.is_release() || s.finished);
        if node.candidates.contains(u) && !releases {
            self.path[i].backtrack.insert(u);
        } else {
            self.all(i);
        }
    }
}

/// Whether an operation waits for the ends of threads: it comes after them in every run and is never enabled beside them, so
/// that there is nothing to reverse. Threads that only have their end in common would otherwise multiply the runs.
fn waits_for_ends(op: &Op) -> bool {
    matches!(op.kind, Kind::Join | Kind::Drain)
}

/// Whether `u` was spawned in the local part of `step`, the newest one.
fn born_in(state: &State, u: ThreadId, step: &Step) -> bool {
    match state.threads()[u.index()].birth {
        Some((parent, after)) => {
            let p = &state.threads()[parent.index()];
            (parent == step.thread && after == p.steps) || (p.steps == 0 && after == 0 && born_in(state, parent, step))
        }
        None => false,
    }
}
