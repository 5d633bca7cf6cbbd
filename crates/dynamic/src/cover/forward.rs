//! Forward search: from the initial marking, best first by the estimated distance to the goal. It finds covering runs in
//! few steps where backward search has to explore every way to the goal (\[BHO\]). It answers only with runs; when the
//! frontier is empty, backward search decides.
//!
//! There are two estimates. The state equation ([`Measure::Equation`]) counts tokens well but is slow: a marking is measured
//! when it is expanded, and waits with the estimate of its parent. Counting the steps to mark each place, as if tokens were
//! never consumed ([`Measure::Steps`]), is quick and blind to numbers of tokens.
//!
//! A marking that covers an element of the backward search leads to the goal, too.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rustc_hash::FxHashSet;
use selvedge_core::Budget;

use super::backward::Backward;
use super::distance::Distance;
use super::equation::{Equation, Solution};
use super::marking::{Marking, OMEGA, minus, plus};
use super::pulse;
use super::reduced_net::{Place, ReducedNet, Step, StepId};
use super::trie::ElementId;

/// The weight of the estimated distance against the depth.
const GREED: f64 = 3.0;
/// The cost of a token that the state equation cannot produce.
const UNREACHABLE: f64 = 1_000.0;
/// Places beyond which the state equation is not worth it.
const MOST_ROWS: usize = 1_500;

/// How to measure the distance to the goal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Measure {
    /// By the state equation.
    Equation,
    /// By the steps to mark each place, as if tokens were never consumed.
    Steps,
}

/// A marking that the search has stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct NodeId(u32);

impl NodeId {
    fn index(self) -> usize {
        self.0 as usize
    }
}

/// The state of the search after a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Progress {
    /// The frontier is not empty.
    Continues,
    /// The marking of this node covers the goal.
    Covered(NodeId),
    /// The marking of this node covers an element of the backward search.
    Meets(NodeId, ElementId),
    /// The frontier is empty.
    Exhausted,
    /// The budget is spent.
    Stopped,
}

#[derive(Debug)]
struct Node {
    marking: Marking,
    /// The node before and the step from there.
    parent: Option<(NodeId, StepId)>,
    depth: u32,
}

/// The search.
pub(super) struct Forward<'a> {
    reduced: &'a ReducedNet,
    budget: &'a Budget,
    goal: Place,
    nodes: Vec<Node>,
    known: FxHashSet<Marking>,
    /// Nearest first: the estimate in thousandths, then the deepest, then the oldest.
    frontier: BinaryHeap<Reverse<(u64, Reverse<u32>, NodeId)>>,
    equation: Option<Equation>,
    distance: Option<Distance>,
    /// The steps that take from each place, by the first place they take from.
    takers: Vec<Vec<StepId>>,
    /// The steps that take nothing.
    free: Vec<StepId>,
    /// Steps that were taken.
    pub transitions: u64,
    /// Work done.
    pub work: u64,
    /// Bytes held, about.
    pub bytes: u64,
}

impl<'a> Forward<'a> {
    /// From the initial marking of a net.
    pub(super) fn new(reduced: &'a ReducedNet, goal: Place, measure: Measure, budget: &'a Budget) -> Self {
        let mut takers: Vec<Vec<StepId>> = vec![Vec::new(); reduced.width()];
        let mut free = Vec::new();
        for (id, step) in reduced.numbered_steps() {
            match step.take.last() {
                Some((place, _)) => takers[place.index()].push(id),
                None => free.push(id),
            }
        }
        let mut forward = Forward {
            reduced,
            budget,
            goal,
            nodes: Vec::new(),
            known: FxHashSet::default(),
            frontier: BinaryHeap::new(),
            equation: (measure == Measure::Equation)
                .then(|| Equation::new(reduced, 1.0, UNREACHABLE, MOST_ROWS))
                .flatten(),
            distance: (measure == Measure::Steps).then(|| Distance::new(reduced)),
            takers,
            free,
            transitions: 0,
            work: 0,
            bytes: 0,
        };
        forward.add(Marking::from_dense(&reduced.initial), None, 0.0);
        forward
    }

    /// How many markings were stored.
    pub(super) fn stored(&self) -> usize {
        self.nodes.len()
    }

    /// Works until this much work was done in all, or there is an answer.
    pub(super) fn run(&mut self, until: u64, backward: Option<&Backward<'_>>) -> Progress {
        while self.work < until {
            let Some(Reverse((.., node))) = self.frontier.pop() else { return Progress::Exhausted };
            match self.expand(node, backward) {
                Progress::Continues => {}
                answer => return answer,
            }
        }
        Progress::Continues
    }

    fn expand(&mut self, node: NodeId, backward: Option<&Backward<'_>>) -> Progress {
        let marking = self.nodes[node.index()].marking.clone();
        if marking.get(self.goal) > 0 {
            return Progress::Covered(node);
        }
        let estimate = if self.distance.is_none() { self.estimate(&marking) } else { 0.0 };
        let mut steps = self.free.clone();
        steps.extend(marking.0.iter().flat_map(|(place, _)| &self.takers[place.index()]));
        self.work += 1 + steps.len() as u64 / 8;
        for (index, step) in steps.into_iter().enumerate() {
            if index % pulse(self.reduced) == 0 && self.budget.spent(self.bytes).is_some() {
                return Progress::Stopped;
            }
            let Some(after) = fire(self.reduced.step(step), &marking) else { continue };
            self.transitions += 1;
            self.work += 2 + after.0.len() as u64 / 4;
            if !after.is_representable() || self.known.contains(&after) {
                continue;
            }
            let estimate = if self.distance.is_some() { self.estimate(&after) } else { estimate };
            let new = self.add(after, Some((node, step)), estimate);
            let marking = &self.nodes[new.index()].marking;
            if marking.get(self.goal) > 0 {
                return Progress::Covered(new);
            }
            if let Some(backward) = backward {
                let (met, visited) = backward.set.below(&marking.0, None);
                self.work += visited / 2;
                if let Some(element) = met {
                    return Progress::Meets(new, element);
                }
            }
        }
        Progress::Continues
    }

    fn add(&mut self, marking: Marking, parent: Option<(NodeId, StepId)>, estimate: f64) -> NodeId {
        let id = NodeId(self.nodes.len() as u32);
        let depth = parent.map_or(0, |(parent, _)| self.nodes[parent.index()].depth + 1);
        let rank = (f64::from(depth) + GREED * estimate) * 1000.0;
        self.bytes += 2 * marking.bytes() + 64;
        self.known.insert(marking.clone());
        self.nodes.push(Node { marking, parent, depth });
        self.frontier.push(Reverse((rank as u64, Reverse(depth), id)));
        id
    }

    /// The estimated distance to the goal.
    fn estimate(&mut self, marking: &Marking) -> f64 {
        if let Some(distance) = &mut self.distance {
            let (steps, visited) = distance.to(self.reduced, marking, self.goal);
            self.work += 1 + visited / 8;
            return steps.map_or(UNREACHABLE, f64::from);
        }
        let Some(equation) = &mut self.equation else { return 0.0 };
        let before = equation.work;
        let solution = equation.solve(&|place| marking.get(place), &[(self.goal, 1)], self.budget);
        self.work += equation.work - before;
        match solution {
            Solution::Feasible(cost, _) => cost,
            Solution::Infeasible(_) | Solution::Unknown => UNREACHABLE,
        }
    }

    /// The steps from the start to a node.
    pub(super) fn path(&self, node: NodeId) -> Vec<StepId> {
        let mut steps = Vec::new();
        let mut at = node;
        while let Some((parent, step)) = self.nodes[at.index()].parent {
            steps.push(step);
            at = parent;
        }
        steps.reverse();
        steps
    }
}

impl Marking {
    /// Whether its numbers are far from overflowing.
    fn is_representable(&self) -> bool {
        self.0.iter().all(|(_, count)| *count == OMEGA || *count < 1 << 30)
    }
}

/// The marking after a step; `None` if it lacks tokens.
pub(super) fn fire(step: &Step<Place>, marking: &Marking) -> Option<Marking> {
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
