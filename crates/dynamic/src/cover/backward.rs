//! Backward search: from the marking to cover to its minimal predecessors, and on, until one is below the initial marking
//! or no new one is found. The set found is upward closed and closed under predecessors; if the initial marking is not in
//! it, the set is the proof. Predecessors that no run covers are pruned: first those that mark [mutually exclusive
//! places](super::mutex_pairs), because that test is the fastest, then those that known weights exclude, then those that the
//! state equation excludes, which gives new weights.
//!
//! This is the algorithm of \[BFHH\] and \[GLS\], with weights that are kept and tried first. Small markings are expanded
//! first. A marking that a smaller one has made redundant is not expanded.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

use selvedge_core::Budget;

use super::equation::{Equation, Solution, Weights};
use super::marking::Marking;
use super::mutex_pairs::{MutexPairs, Row};
use super::pulse;
use super::reduced_net::{Place, ReducedNet, Step, StepId};
use super::trie::{ElementId, MarkingTrie};

/// Solutions of the state equation that are remembered.
const REMEMBERED: usize = 48;
/// Places beyond which the state equation is not worth it.
const MOST_ROWS: usize = 3_000;
/// Work on the state equation that need not succeed.
const PATIENCE: u64 = 400_000;
/// Ways to choose where moved tokens come from, at most.
const MOST_SPLITS: usize = 100_000;

/// An element of the set, and how it leads to the goal.
#[derive(Clone, Debug)]
pub(super) struct Element {
    /// The marking.
    pub marking: Marking,
    /// The step taken from it, and the element that is covered then; none for the goal itself.
    pub next: Option<(StepId, ElementId)>,
}

/// The state of the search after a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Progress {
    /// The frontier is not empty.
    Continues,
    /// The initial marking covers this element.
    Covered(ElementId),
    /// The set is complete, and the initial marking is not in it.
    Complete,
    /// A transfer has too many predecessors, so that this search has to stop.
    TooManySplits,
    /// The budget is spent.
    Stopped,
}

/// The search.
pub(super) struct Backward<'a> {
    reduced: &'a ReducedNet,
    budget: &'a Budget,
    /// Every marking that was found.
    pub elements: Vec<Element>,
    /// The set of them.
    pub set: MarkingTrie,
    frontier: BinaryHeap<Reverse<(u64, ElementId)>>,
    /// The steps that give tokens to each place, or move some there.
    producers: Vec<Vec<StepId>>,
    pairs: Option<&'a MutexPairs>,
    /// The row of each place in the pairs; the goal has none.
    rows: Vec<Option<Row>>,
    /// Rows whose places excluded a marking; a row twice for two tokens.
    pub mutexes: BTreeSet<(Row, Row)>,
    equation: Option<Equation>,
    /// Weights that exclude markings.
    pub weights: Vec<Weights>,
    /// Markings that the state equation lets runs reach, by place.
    feasible: Vec<Vec<f64>>,
    next_feasible: usize,
    /// Predecessors that were computed.
    pub transitions: u64,
    /// Work done.
    pub work: u64,
    /// Bytes held, about.
    pub bytes: u64,
    misses: u32,
}

impl<'a> Backward<'a> {
    /// From the goal of a net. `prune`: whether to leave out what no run covers.
    pub(super) fn new(reduced: &'a ReducedNet, goal: Place, prune: bool, budget: &'a Budget) -> Self {
        let mut backward = Backward {
            reduced,
            budget,
            elements: Vec::new(),
            set: MarkingTrie::default(),
            frontier: BinaryHeap::new(),
            producers: producers(reduced),
            pairs: reduced.pairs.as_ref(),
            rows: reduced.pairs.as_ref().map(|pairs| rows(reduced, pairs)).unwrap_or_default(),
            mutexes: BTreeSet::new(),
            equation: prune.then(|| Equation::new(reduced, 0.0, 1.0, MOST_ROWS)).flatten(),
            weights: Vec::new(),
            feasible: Vec::new(),
            next_feasible: 0,
            transitions: 0,
            work: 0,
            bytes: 0,
            misses: 0,
        };
        let goal = Marking::from_sorted(vec![(goal, 1)]);
        if backward.keep(&goal) {
            backward.add(goal, None);
        }
        backward
    }

    /// Works until this much work was done in all, or there is an answer.
    pub(super) fn run(&mut self, until: u64) -> Progress {
        loop {
            match self.frontier.peek() {
                None => return Progress::Complete,
                Some(_) if self.work >= until => return Progress::Continues,
                Some(_) => {}
            }
            let Some(Reverse((_, element))) = self.frontier.pop() else { return Progress::Complete };
            match self.expand(element) {
                Progress::Continues => {}
                answer => return answer,
            }
        }
    }

    fn expand(&mut self, element: ElementId) -> Progress {
        let marking = self.elements[element.index()].marking.clone();
        let (smaller, visited) = self.set.below(&marking.0, Some(element));
        self.work += visited;
        if smaller.is_some() {
            return Progress::Continues;
        }
        let mut steps: Vec<StepId> =
            marking.0.iter().flat_map(|(place, _)| &self.producers[place.index()]).copied().collect();
        steps.sort_unstable();
        steps.dedup();
        for (index, step) in steps.into_iter().enumerate() {
            if index % pulse(self.reduced) == 0 && self.budget.spent(self.bytes).is_some() {
                return Progress::Stopped;
            }
            let Some(predecessors) = predecessors(self.reduced.step(step), &marking) else {
                return Progress::TooManySplits;
            };
            for predecessor in predecessors {
                self.transitions += 1;
                self.work += 2 + predecessor.0.len() as u64 / 4;
                if predecessor.is_covered_by(&self.reduced.initial) {
                    return Progress::Covered(self.add(predecessor, Some((step, element))));
                }
                if self.is_excluded_by_mutex(&predecessor) {
                    continue;
                }
                let (below, visited) = self.set.below(&predecessor.0, None);
                self.work += visited / 2;
                if below.is_none() && self.keep(&predecessor) {
                    self.add(predecessor, Some((step, element)));
                }
            }
        }
        Progress::Continues
    }

    fn add(&mut self, marking: Marking, next: Option<(StepId, ElementId)>) -> ElementId {
        let id = ElementId(self.elements.len() as u32);
        self.set.insert(&marking, id);
        self.frontier.push(Reverse((marking.sum() * 4 + marking.0.len() as u64, id)));
        self.bytes += 2 * marking.bytes() + 96;
        self.elements.push(Element { marking, next });
        id
    }

    /// Whether a marking has tokens in places that no run marks together.
    fn is_excluded_by_mutex(&mut self, marking: &Marking) -> bool {
        let Some(pairs) = self.pairs else { return false };
        for (at, (place, count)) in marking.0.iter().enumerate() {
            let Some(row) = self.rows[place.index()] else { continue };
            let others = marking.0[..at].iter().filter_map(|(other, _)| self.rows[other.index()]);
            let twice = (*count > 1).then_some(row);
            let mutex = others.chain(twice).find(|other| !pairs.may_be_together(row, *other));
            if let Some(other) = mutex {
                self.mutexes.insert((row.min(other), row.max(other)));
                return true;
            }
        }
        false
    }

    /// Whether a run may cover a marking, as far as weights and the state equation know.
    fn keep(&mut self, marking: &Marking) -> bool {
        self.work += self.weights.len() as u64 / 8;
        // What excluded one marking often excludes the next.
        if let Some(at) = self.weights.iter().position(|weights| weights.exclude(&marking.0)) {
            if at > 0 {
                self.weights.swap(at, at / 2);
            }
            return false;
        }
        let allows = |point: &Vec<f64>| marking.0.iter().all(|(place, n)| point[place.index()] + 1e-6 >= f64::from(*n));
        if self.equation.is_none() || self.feasible.iter().any(allows) {
            return true;
        }
        self.solve(marking)
    }

    /// Whether the state equation lets a run cover a marking.
    fn solve(&mut self, marking: &Marking) -> bool {
        let Some(equation) = &mut self.equation else { return true };
        // Where it does not help, it gets only a part of the work.
        self.misses = self.misses.saturating_add(1);
        if self.misses > 16 && equation.work > PATIENCE + self.work / 3 {
            return true;
        }
        let before = equation.work;
        let solution = equation.solve(&|place| self.reduced.initial[place.index()], &marking.0, self.budget);
        self.work += equation.work - before;
        match solution {
            Solution::Infeasible(proposal) => {
                let weights = equation.weights(&proposal, self.reduced).filter(|weights| weights.exclude(&marking.0));
                match weights {
                    Some(weights) => {
                        self.bytes += 4 * weights.of.len() as u64;
                        self.weights.push(weights);
                        self.misses = 0;
                        false
                    }
                    None => true,
                }
            }
            Solution::Feasible(_, ends) => {
                let point = equation.by_place(&ends, &self.reduced.initial);
                match self.feasible.get_mut(self.next_feasible) {
                    Some(old) => *old = point,
                    None => self.feasible.push(point),
                }
                self.next_feasible = (self.next_feasible + 1) % REMEMBERED;
                true
            }
            Solution::Unknown => true,
        }
    }
}

/// The steps after which each place may have more tokens.
fn producers(reduced: &ReducedNet) -> Vec<Vec<StepId>> {
    let mut producers: Vec<Vec<StepId>> = vec![Vec::new(); reduced.width()];
    for (id, step) in reduced.numbered_steps() {
        let places: BTreeSet<Place> = step.filled().collect();
        places.into_iter().for_each(|place| producers[place.index()].push(id));
    }
    producers
}

/// The rows of the places of a net.
fn rows(reduced: &ReducedNet, pairs: &MutexPairs) -> Vec<Option<Row>> {
    reduced.places.iter().map(|place| place.and_then(|place| pairs.row(place))).collect()
}

/// The minimal markings from which a step leads to one that covers `marking`. `None` if there are too many.
pub(super) fn predecessors(step: &Step<Place>, marking: &Marking) -> Option<Vec<Marking>> {
    // What must be there after the step took its tokens and moved the others.
    let mut rest: Vec<(Place, u32)> = Vec::with_capacity(marking.0.len());
    let mut gains = !step.moves.is_empty();
    let mut given = step.give.iter().peekable();
    for (place, count) in &marking.0 {
        while given.next_if(|(other, _)| other < place).is_some() {}
        let gift = given.peek().filter(|(other, _)| other == place).map_or(0, |(_, gift)| *gift);
        gains |= gift > 0;
        if *count > gift {
            rest.push((*place, count - gift));
        }
    }
    if !gains {
        return Some(Vec::new());
    }
    if step.moves.is_empty() {
        return Some(vec![merge(&step.take, &rest)]);
    }
    let splits = splits(step, &rest)?;
    Some(splits.iter().map(|split| merge(&step.take, split)).collect())
}

/// The sum of two lists.
fn merge(left: &[(Place, u32)], right: &[(Place, u32)]) -> Marking {
    let mut sum = Vec::with_capacity(left.len() + right.len());
    let (mut left, mut right) = (left.iter().peekable(), right.iter().peekable());
    loop {
        match (left.peek(), right.peek()) {
            (Some(a), Some(b)) if a.0 == b.0 => {
                sum.push((a.0, a.1.saturating_add(b.1)));
                left.next();
                right.next();
            }
            (Some(a), Some(b)) if a.0 < b.0 => sum.extend(left.next()),
            (Some(_), None) => sum.extend(left.next()),
            (_, Some(_)) => sum.extend(right.next()),
            (None, None) => return Marking::from_sorted(sum),
        }
    }
}

/// The ways to have `rest` after tokens were moved: each place's tokens come from itself, if it keeps its own, and
/// from the places that are moved there.
fn splits(step: &Step<Place>, rest: &[(Place, u32)]) -> Option<Vec<Vec<(Place, u32)>>> {
    let mut ways: Vec<Vec<(Place, u32)>> = vec![Vec::new()];
    for (place, count) in rest {
        let mut sources: Vec<Place> =
            step.moves.iter().filter(|(_, to)| *to == Some(*place)).map(|(from, _)| *from).collect();
        if !step.moves.iter().any(|(from, _)| from == place) {
            sources.push(*place);
        }
        let mut longer = Vec::new();
        for way in &ways {
            for shares in shares(*count, sources.len()) {
                if longer.len() >= MOST_SPLITS {
                    return None;
                }
                let more = sources.iter().copied().zip(shares).filter(|(_, share)| *share > 0);
                longer.push(way.iter().copied().chain(more).collect());
            }
        }
        ways = longer;
    }
    ways.iter_mut().for_each(|way| way.sort_unstable());
    Some(ways)
}

/// The ways to write a number as a sum of this many parts.
fn shares(count: u32, parts: usize) -> Vec<Vec<u32>> {
    match parts {
        0 => Vec::new(),
        1 => vec![vec![count]],
        _ => {
            let first = (0..=count).take(MOST_SPLITS);
            let with = |first: u32| {
                shares(count - first, parts - 1).into_iter().map(move |mut rest| {
                    rest.push(first);
                    rest
                })
            };
            first.flat_map(with).take(MOST_SPLITS + 1).collect()
        }
    }
}
