//! How many steps it takes at least to mark a place if tokens are never used up, where what several tokens cost is
//! added: a guess that is quick to make and good where few tokens do the work.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::marking::Marking;
use super::task::Task;

const FAR: u32 = u32::MAX;

/// What is reused from question to question.
#[derive(Debug)]
pub struct Distance {
    /// The steps that take from each place, or move its tokens.
    takers: Vec<Vec<u32>>,
    /// The steps that take nothing.
    free: Vec<u32>,
    /// The steps to mark each place, as far as is known.
    cost: Vec<u32>,
    /// Places that each step still lacks, and what the others cost.
    missing: Vec<u32>,
    paid: Vec<u32>,
    queue: BinaryHeap<Reverse<(u32, u32)>>,
}

impl Distance {
    /// For a task.
    pub fn new(task: &Task) -> Self {
        let mut takers: Vec<Vec<u32>> = vec![Vec::new(); task.width()];
        for (index, step) in task.steps.iter().enumerate() {
            step.take.iter().for_each(|(place, _)| takers[*place as usize].push(index as u32));
        }
        let free = (0..task.steps.len() as u32).filter(|step| task.steps[*step as usize].take.is_empty()).collect();
        let (width, steps) = (task.width(), task.steps.len());
        Distance {
            takers,
            free,
            cost: vec![FAR; width],
            missing: vec![0; steps],
            paid: vec![0; steps],
            queue: BinaryHeap::new(),
        }
    }

    /// The steps from a marking to a place; `None` if it cannot be marked. And how many steps were looked at.
    pub fn to(&mut self, task: &Task, marking: &Marking, goal: u32) -> (Option<u32>, u64) {
        self.cost.fill(FAR);
        self.paid.fill(0);
        for (missing, step) in self.missing.iter_mut().zip(&task.steps) {
            *missing = step.take.len() as u32;
        }
        self.queue.clear();
        for (place, _) in &marking.0 {
            self.cost[*place as usize] = 0;
            self.queue.push(Reverse((0, *place)));
        }
        let mut looked = task.steps.len() as u64 / 4;
        for at in 0..self.free.len() {
            self.reach(task, self.free[at], 1);
        }
        while let Some(Reverse((cost, place))) = self.queue.pop() {
            if place == goal {
                return (Some(cost), looked);
            }
            if cost > self.cost[place as usize] {
                continue;
            }
            for at in 0..self.takers[place as usize].len() {
                let step = self.takers[place as usize][at];
                looked += 1;
                self.paid[step as usize] = self.paid[step as usize].saturating_add(cost);
                self.missing[step as usize] -= 1;
                if self.missing[step as usize] == 0 {
                    let cost = self.paid[step as usize].saturating_add(1);
                    self.reach(task, step, cost);
                }
            }
        }
        (None, looked)
    }

    /// A step can be taken at this cost.
    fn reach(&mut self, task: &Task, step: u32, cost: u32) {
        let step = &task.steps[step as usize];
        let moved = step.moves.iter().filter_map(|(_, to)| *to);
        for place in step.give.iter().map(|(place, _)| *place).chain(moved) {
            if cost < self.cost[place as usize] {
                self.cost[place as usize] = cost;
                self.queue.push(Reverse((cost, place)));
            }
        }
    }
}
