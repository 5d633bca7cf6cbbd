//! Forward search: from the start, the markings first that the state equation puts nearest to the goal. It finds
//! covering runs in few steps where backward search has to meet every way to the goal (\[BHO\]). It answers only with runs:
//! where it has seen everything, or nothing leads on, backward search decides.
//!
//! A marking that covers an element of the backward search is on the way to the goal too.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rustc_hash::FxHashSet;

use super::antichain::ElementId;
use super::backward::Backward;
use super::equation::{Equation, Solution};
use super::marking::{Marking, OMEGA, minus, plus};
use super::task::{Step, Task};

/// How much nearer to the goal counts for more than few steps so far.
const GREED: f64 = 3.0;
/// What a token costs that the state equation cannot find.
const OWED: f64 = 1_000.0;

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
    goal: u32,
    nodes: Vec<Node>,
    known: FxHashSet<Marking>,
    /// Nearest first: the estimate in thousandths, then the node.
    waiting: BinaryHeap<Reverse<(u64, Reverse<u32>, u32)>>,
    equation: Option<Equation>,
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
    pub fn new(task: &'a Task, goal: u32) -> Self {
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
            goal,
            nodes: Vec::new(),
            known: FxHashSet::default(),
            waiting: BinaryHeap::new(),
            equation: Equation::new(task, 1.0, OWED),
            takers,
            free,
            transitions: 0,
            work: 0,
            bytes: 0,
        };
        forward.add(Marking::from_dense(&task.initial), None);
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
        let mut steps = self.free.clone();
        steps.extend(marking.0.iter().flat_map(|(place, _)| &self.takers[*place as usize]));
        self.work += 1 + steps.len() as u64 / 8;
        for step in steps {
            let Some(after) = fire(&self.task.steps[step as usize], &marking) else { continue };
            self.transitions += 1;
            self.work += 2 + after.0.len() as u64 / 4;
            if !after.is_sane() || self.known.contains(&after) {
                continue;
            }
            let new = self.add(after, Some((node, step)));
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

    fn add(&mut self, marking: Marking, parent: Option<(u32, u32)>) -> usize {
        let id = self.nodes.len();
        let depth = parent.map_or(0, |(parent, _)| self.nodes[parent as usize].depth + 1);
        let estimate = self.estimate(&marking);
        let rank = (f64::from(depth) + GREED * estimate) * 1000.0;
        self.bytes += 2 * marking.bytes() + 64;
        self.known.insert(marking.clone());
        self.nodes.push(Node { marking, parent, depth });
        self.waiting.push(Reverse((rank as u64, Reverse(depth), id as u32)));
        id
    }

    /// How many steps the state equation sees to the goal.
    fn estimate(&mut self, marking: &Marking) -> f64 {
        let Some(equation) = &mut self.equation else { return 0.0 };
        let before = equation.work;
        let solution = equation.solve(&|place| marking.get(place), &[(self.goal, 1)]);
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
