//! Which places can be marked at all, if one token counts as any number. A place that cannot be is never marked by a run.

use selvedge_nets_syntax::net::PlaceId;

use super::{RawStep, RawStepId, with_ids};

/// Whether each place can be marked.
pub(super) fn markable(initial: &[u32], steps: &[RawStep]) -> Vec<bool> {
    let mut spread = Spread::new(initial, steps);
    // Steps that were enabled once, with moves that may become of use later.
    let mut moving: Vec<RawStepId> = Vec::new();
    loop {
        while let Some(step_id) = spread.enabled.pop() {
            if !steps[step_id.index()].moves.is_empty() {
                moving.push(step_id);
            }
            for (place, _) in &steps[step_id.index()].give {
                spread.mark(*place);
            }
        }
        for step_id in &moving {
            for (from, to) in &steps[step_id.index()].moves {
                if let Some(to) = to.filter(|_| spread.marked[from.0 as usize]) {
                    spread.mark(to);
                }
            }
        }
        if spread.enabled.is_empty() {
            return spread.marked;
        }
    }
}

/// The places known to be markable, and the steps that they enable.
struct Spread {
    marked: Vec<bool>,
    /// The steps that take from each place.
    takers: Vec<Vec<RawStepId>>,
    /// How many places each step still lacks.
    missing: Vec<usize>,
    /// Steps that lack none and were not followed yet.
    enabled: Vec<RawStepId>,
}

impl Spread {
    fn new(initial: &[u32], steps: &[RawStep]) -> Self {
        let marked: Vec<bool> = initial.iter().map(|tokens| *tokens > 0).collect();
        let mut takers: Vec<Vec<RawStepId>> = vec![Vec::new(); initial.len()];
        let mut missing: Vec<usize> = Vec::new();
        for (step_id, step) in with_ids(steps) {
            step.take.iter().for_each(|(place, _)| takers[place.0 as usize].push(step_id));
            missing.push(step.take.iter().filter(|(place, _)| !marked[place.0 as usize]).count());
        }
        let enabled = with_ids(steps).map(|(id, _)| id).filter(|id| missing[id.index()] == 0).collect();
        Spread { marked, takers, missing, enabled }
    }

    fn mark(&mut self, place: PlaceId) {
        if std::mem::replace(&mut self.marked[place.0 as usize], true) {
            return;
        }
        for taker in &self.takers[place.0 as usize] {
            self.missing[taker.index()] -= 1;
            if self.missing[taker.index()] == 0 {
                self.enabled.push(*taker);
            }
        }
    }
}
