//! Forward search: from the start, the markings first that seem nearest to the goal. It finds
//! covering runs in few steps where backward search has to meet every way to the goal (\[BHO\]). It answers only with runs:
//! where it has seen everything, or nothing leads on, backward search decides.
//!
//! There are two ways to measure how near the goal is. The state equation ([`Measure::Equation`]) counts tokens well, but takes
//! long: a marking is measured when its turn comes, and waits with the measure of the one before it. Counting the steps
//! to mark each place, as if tokens were never used up ([`Measure::Steps`]), is quick and blind for numbers.
//!
//! A marking that covers an element of the backward search is on the way to the goal too.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rustc_hash::FxHashSet;
use selvedge_core::Budget;

use super::antichain::ElementId;
use super::backward::Backward;
use super::distance::Distance;
use super::equation::{Equation, Solution};
use super::marking::{Marking, OMEGA, minus, plus};
use super::pulse;
use super::task::{Step, Task};

/// How much nearer to the goal counts for more than few steps so far.
const GREED: f64 = 3.0;
/// What a token costs that the state equation cannot find.
const OWED: f64 = 1_000.0;
/// Places beyond which the state equation is not worth it.
const MOST_ROWS: usize = 1_500;

/// How to measure the distance to the goal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// By the state equation.
    Equation,
    /// By steps to mark each place, tokens never used up.
    Steps,
}

/// How far the search is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// There is more to do.
    Going,
    /// The marking of this node covers the goal.
    Covered(usize),
    /// The marking of this node covers an element of the backward search.
    Meets(usize, ElementId),
    /// Nothing is left to do.
    Exhausted,
    /// The budget is spent.
    Stopped,
}

#[derive(Debug)]
struct Node {
    marking: Marking,
    /// The node before and the step from there.
    parent: Option<(u32, u32)>,
    depth: u32,
}

/// The search.
pub struct Forward<'a> {
    task: &'a Task,
    budget: &'a Budget,
    goal: u32,
    nodes: Vec<Node>,
    known: FxHashSet<Marking>,
    /// Nearest first: the estimate in thousandths, then the node.
    waiting: BinaryHeap<Reverse<(u64, Reverse<u32>, u32)>>,
    equation: Option<Equation>,
    distance: Option<Distance>,
    /// The steps that take from each place, by the first place they take from.
    takers: Vec<Vec<u32>>,
    /// The steps that take nothing.
    free: Vec<u32>,
    /// Steps that were taken.
    pub transitions: u64,
    /// Work done.
    pub work: u64,
    /// Bytes held, about.
    pub bytes: u64,
}

impl<'a> Forward<'a> {
    /// From the start of a task.
    pub fn new(task: &'a Task, goal: u32, measure: Measure, budget: &'a Budget) -> Self {
        let mut takers: Vec<Vec<u32>> = vec![Vec::new(); task.width()];
        let mut free = Vec::new();
        for (index, step) in task.steps.iter().enumerate() {
            match step.take.last() {
                Some((place, _)) => takers[*place as usize].push(index as u32),
                None => free.push(index as u32),
            }
        }
        let mut forward = Forward {
            task,
            budget,
            goal,
            nodes: Vec::new(),
            known: FxHashSet::default(),
            waiting: BinaryHeap::new(),
            equation: (measure == Measure::Equation).then(|| Equation::new(task, 1.0, OWED, MOST_ROWS)).flatten(),
            distance: (measure == Measure::Steps).then(|| Distance::new(task)),
            takers,
            free,
            transitions: 0,
            work: 0,
            bytes: 0,
        };
        forward.add(Marking::from_dense(&task.initial), None, 0.0);
        forward
    }

    /// How many markings were seen.
    pub fn seen(&self) -> usize {
        self.nodes.len()
    }

    /// Works until so much work was done, or there is an answer.
    pub fn run(&mut self, until: u64, backward: Option<&Backward<'_>>) -> Progress {
        while self.work < until {
            let Some(Reverse((.., node))) = self.waiting.pop() else { return Progress::Exhausted };
            match self.expand(node, backward) {
                Progress::Going => {}
                answer => return answer,
            }
        }
        Progress::Going
    }

    fn expand(&mut self, node: u32, backward: Option<&Backward<'_>>) -> Progress {
        let marking = self.nodes[node as usize].marking.clone();
        if marking.get(self.goal) > 0 {
            return Progress::Covered(node as usize);
        }
        let estimate = if self.distance.is_none() { self.estimate(&marking) } else { 0.0 };
        let mut steps = self.free.clone();
        steps.extend(marking.0.iter().flat_map(|(place, _)| &self.takers[*place as usize]));
        self.work += 1 + steps.len() as u64 / 8;
        for (index, step) in steps.into_iter().enumerate() {
            if index % pulse(self.task) == 0 && self.budget.spent(self.bytes).is_some() {
                return Progress::Stopped;
            }
            let Some(after) = fire(&self.task.steps[step as usize], &marking) else { continue };
            self.transitions += 1;
            self.work += 2 + after.0.len() as u64 / 4;
            if !after.is_sane() || self.known.contains(&after) {
                continue;
            }
            let estimate = if self.distance.is_some() { self.estimate(&after) } else { estimate };
            let new = self.add(after, Some((node, step)), estimate);
            let marking = &self.nodes[new].marking;
            if marking.get(self.goal) > 0 {
                return Progress::Covered(new);
            }
            if let Some(backward) = backward {
                let (met, looked) = backward.set.below(&marking.0, None);
                self.work += looked / 2;
                if let Some(element) = met {
                    return Progress::Meets(new, element);
                }
            }
        }
        Progress::Going
    }

    fn add(&mut self, marking: Marking, parent: Option<(u32, u32)>, estimate: f64) -> usize {
        let id = self.nodes.len();
        let depth = parent.map_or(0, |(parent, _)| self.nodes[parent as usize].depth + 1);
        let rank = (f64::from(depth) + GREED * estimate) * 1000.0;
        self.bytes += 2 * marking.bytes() + 64;
        self.known.insert(marking.clone());
        self.nodes.push(Node { marking, parent, depth });
        self.waiting.push(Reverse((rank as u64, Reverse(depth), id as u32)));
        id
    }

    /// How far the goal is.
    fn estimate(&mut self, marking: &Marking) -> f64 {
        if let Some(distance) = &mut self.distance {
            let (steps, looked) = distance.to(self.task, marking, self.goal);
            self.work += 1 + looked / 8;
            return steps.map_or(OWED, f64::from);
        }
        let Some(equation) = &mut self.equation else { return 0.0 };
        let before = equation.work;
        let solution = equation.solve(&|place| marking.get(place), &[(self.goal, 1)], self.budget);
        self.work += equation.work - before;
        match solution {
            Solution::Feasible(cost, _) => cost,
            Solution::Infeasible(_) | Solution::Unknown => OWED,
        }
    }

    /// The steps from the start to a node.
    pub fn path(&self, node: usize) -> Vec<u32> {
        let mut steps = Vec::new();
        let mut at = node;
        while let Some((parent, step)) = self.nodes[at].parent {
            steps.push(step);
            at = parent as usize;
        }
        steps.reverse();
        steps
    }
}

impl Marking {
    /// Whether numbers are not beyond what they can be.
    fn is_sane(&self) -> bool {
        self.0.iter().all(|(_, count)| *count == OMEGA || *count < 1 << 30)
    }
}

/// The marking after a step; `None` if it lacks tokens.
pub fn fire(step: &Step, marking: &Marking) -> Option<Marking> {
    let mut after = Vec::with_capacity(marking.0.len() + step.give.len());
    let mut taken = step.take.iter().peekable();
    for (place, count) in &marking.0 {
        if taken.peek().is_some_and(|(other, _)| other < place) {
            return None;
        }
        let less = taken.next_if(|(other, _)| other == place).map_or(0, |(_, less)| *less);
        let left = minus(*count, less)?;
        if left > 0 {
            after.push((*place, left));
        }
    }
    if taken.next().is_some() {
        return None;
    }
    let mut given = step.give.clone();
    if !step.moves.is_empty() {
        for (from, to) in &step.moves {
            if let Ok(at) = after.binary_search_by_key(from, |(place, _)| *place) {
                given.extend(to.map(|to| (to, after[at].1)));
            }
        }
        after.retain(|(place, _)| !step.moves.iter().any(|(from, _)| from == place));
    }
    for (place, count) in given {
        match after.binary_search_by_key(&place, |(place, _)| *place) {
            Ok(at) => after[at].1 = plus(after[at].1, count)?,
            Err(at) => after.insert(at, (place, count)),
        }
    }
    Some(Marking::from_sorted(after))
}
