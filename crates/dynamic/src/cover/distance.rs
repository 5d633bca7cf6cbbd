//! An estimate of the steps that it takes to mark a place, as if tokens were never consumed: the costs of several input
//! places are added. It is quick to compute, and good where few tokens do the work.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::marking::Marking;
use super::reduced_net::{Place, ReducedNet, StepId};

/// The cost of a place that cannot be marked, as far as is known.
const UNREACHED: u32 = u32::MAX;

/// The estimator; its tables are reused from query to query.
#[derive(Debug)]
pub(super) struct Distance {
    /// The steps that take from each place, or move its tokens.
    takers: Vec<Vec<StepId>>,
    /// The steps that take nothing.
    free: Vec<StepId>,
    /// The steps to mark each place, as far as is known.
    cost: Vec<u32>,
    /// Places that each step still lacks, and what the others cost.
    missing: Vec<u32>,
    paid: Vec<u32>,
    queue: BinaryHeap<Reverse<(u32, Place)>>,
}

impl Distance {
    /// For a net.
    pub(super) fn new(reduced: &ReducedNet) -> Self {
        let mut takers: Vec<Vec<StepId>> = vec![Vec::new(); reduced.width()];
        for (id, step) in reduced.numbered_steps() {
            step.take.iter().for_each(|(place, _)| takers[place.index()].push(id));
        }
        let free = reduced.numbered_steps().filter(|(_, step)| step.take.is_empty()).map(|(id, _)| id).collect();
        let (width, steps) = (reduced.width(), reduced.steps.len());
        Distance {
            takers,
            free,
            cost: vec![UNREACHED; width],
            missing: vec![0; steps],
            paid: vec![0; steps],
            queue: BinaryHeap::new(),
        }
    }

    /// The steps from a marking to a place; `None` if it cannot be marked. And how many steps were visited.
    pub(super) fn to(&mut self, reduced: &ReducedNet, marking: &Marking, goal: Place) -> (Option<u32>, u64) {
        self.cost.fill(UNREACHED);
        self.paid.fill(0);
        for (missing, step) in self.missing.iter_mut().zip(&reduced.steps) {
            *missing = step.take.len() as u32;
        }
        self.queue.clear();
        for (place, _) in &marking.0 {
            self.cost[place.index()] = 0;
            self.queue.push(Reverse((0, *place)));
        }
        let mut visited = reduced.steps.len() as u64 / 4;
        for at in 0..self.free.len() {
            self.reach(reduced, self.free[at], 1);
        }
        while let Some(Reverse((cost, place))) = self.queue.pop() {
            if place == goal {
                return (Some(cost), visited);
            }
            if cost > self.cost[place.index()] {
                continue;
            }
            for at in 0..self.takers[place.index()].len() {
                let step = self.takers[place.index()][at];
                visited += 1;
                self.paid[step.index()] = self.paid[step.index()].saturating_add(cost);
                self.missing[step.index()] -= 1;
                if self.missing[step.index()] == 0 {
                    let cost = self.paid[step.index()].saturating_add(1);
                    self.reach(reduced, step, cost);
                }
            }
        }
        (None, visited)
    }

    /// A step can be taken at this cost.
    fn reach(&mut self, reduced: &ReducedNet, step: StepId, cost: u32) {
        for place in reduced.step(step).filled() {
            if cost < self.cost[place.index()] {
                self.cost[place.index()] = cost;
                self.queue.push(Reverse((cost, place)));
            }
        }
    }
}
