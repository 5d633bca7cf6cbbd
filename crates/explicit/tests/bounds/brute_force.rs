//! What a brute force says about a system: its states, costs, best runs and cycles, by definition.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use selvedge_machine::{ExpandBuffers, Turn, expand};

use crate::random::System;

/// A transition between states that count, as the brute force sees it.
#[derive(Clone, Debug)]
pub struct Transition {
    pub thread: u32,
    pub last: u32,
    pub steps: u32,
    /// Every step is one of the thread, and the thread ran last after it.
    pub own: bool,
    /// Each step: who takes it and which of its moves it is.
    pub moves: Vec<(u32, u32)>,
    /// Where it leads; nowhere if it ends inside an atomic sequence that never ends.
    pub to: Option<u16>,
    /// Faults with the number of their step.
    pub faults: Vec<(u32, String)>,
}

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counted {
    Preemptions,
    Switches,
}

/// A state with the thread that ran last.
pub type Node = (u16, Option<u32>);

/// The graph of a system and the costs in it, by definition.
pub struct BruteForce<'a> {
    pub system: &'a System,
    transitions: BTreeMap<u16, Vec<Transition>>,
    counted: Counted,
    spinning_is_free: bool,
}

impl<'a> BruteForce<'a> {
    pub fn new(system: &'a System, counted: Counted, spinning_is_free: bool) -> Self {
        let mut buffers = ExpandBuffers::default();
        let transitions = (0..system.moves.len() as u16)
            .map(|id| {
                let mut out = Vec::new();
                expand(system, &id.to_le_bytes(), Turn::Any, &mut buffers, &mut |arrival| {
                    let numbered = arrival.steps().enumerate();
                    let faults = numbered.flat_map(|(i, (buffer, step))| {
                        buffer.faults[step.faults.clone()].iter().map(move |f| (i as u32 + 1, f.message.clone()))
                    });
                    let thread = arrival.thread();
                    out.push(Transition {
                        own: arrival.steps().all(|(_, step)| step.thread == thread && step.ran_last == thread),
                        moves: arrival
                            .steps()
                            .map(|(_, step)| (step.thread.expect("a thread").0, step.action[0]))
                            .collect(),
                        thread: arrival.thread().expect("a thread").0,
                        last: arrival.ran_last().expect("a thread").0,
                        steps: arrival.steps.len() as u32,
                        to: arrival.state.map(|state| u16::from_le_bytes([state[0], state[1]])),
                        faults: faults.collect(),
                    });
                });
                (id, out)
            })
            .collect();
        BruteForce { system, transitions, counted, spinning_is_free }
    }

    pub fn transitions(&self, state: u16) -> &[Transition] {
        &self.transitions[&state]
    }

    /// Whether a thread can return to a state by its own steps alone, through states that look the same to the others.
    fn is_spinning(&self, state: u16, thread: u32) -> bool {
        let class = |state: u16| self.system.classes[usize::from(state)][thread as usize];
        let own = |from: u16| {
            let own = self.transitions[&from].iter().filter(move |t| t.thread == thread && t.own);
            own.filter_map(|t| t.to).filter(move |to| class(*to) == class(state))
        };
        let mut seen: BTreeSet<u16> = BTreeSet::new();
        let mut todo: Vec<u16> = own(state).collect();
        while let Some(next) = todo.pop() {
            if seen.insert(next) {
                todo.extend(own(next));
            }
        }
        seen.contains(&state)
    }

    /// What a step of `thread` costs at a node.
    pub fn cost(&self, (state, last): Node, thread: u32) -> u32 {
        let Some(last) = last else { return 0 };
        if last == thread {
            return 0;
        }
        match self.counted {
            Counted::Switches => 1,
            Counted::Preemptions => {
                let enabled = self.transitions[&state].iter().any(|t| t.thread == last);
                u32::from(enabled && !(self.spinning_is_free && self.is_spinning(state, last)))
            }
        }
    }

    /// The least cost of every node, by relaxing until nothing changes.
    pub fn costs(&self) -> BTreeMap<Node, u32> {
        let mut costs: BTreeMap<Node, u32> = BTreeMap::from([((0, None), 0)]);
        let mut todo: VecDeque<Node> = VecDeque::from([(0, None)]);
        while let Some(node) = todo.pop_front() {
            for t in &self.transitions[&node.0] {
                let cost = costs[&node] + self.cost(node, t.thread);
                let Some(to) = t.to else { continue };
                let next = (to, Some(t.last));
                if costs.get(&next).is_none_or(|known| *known > cost) {
                    costs.insert(next, cost);
                    todo.push_back(next);
                }
            }
        }
        costs
    }

    /// States reached at a cost of at most `bound`.
    pub fn states_within(&self, bound: u32) -> BTreeSet<u16> {
        self.costs().into_iter().filter(|(_, cost)| *cost <= bound).map(|((state, _), _)| state).collect()
    }

    /// The least cost and then length of each violation, over all runs of a cost of at most `most`: breadth first over
    /// nodes with their cost.
    pub fn violations(&self, most: u32) -> BTreeMap<String, (u32, u32)> {
        let mut best: BTreeMap<String, (u32, u32)> = BTreeMap::new();
        let mut note = |message: String, key: (u32, u32)| {
            let known = best.entry(message).or_insert(key);
            *known = (*known).min(key);
        };
        // Distances in steps of (node, cost).
        let mut distance: BTreeMap<(Node, u32), u32> = BTreeMap::from([(((0, None), 0), 0)]);
        let mut todo: BTreeSet<(u32, Node, u32)> = BTreeSet::from([(0, (0, None), 0)]);
        while let Some((length, node, cost)) = todo.pop_first() {
            if distance[&(node, cost)] < length {
                continue;
            }
            if self.system.bad[usize::from(node.0)] {
                note(format!("state {}", node.0), (cost, length));
            }
            if self.transitions[&node.0].is_empty() && self.system.moves[usize::from(node.0)].iter().all(Vec::is_empty)
            {
                note(format!("end {}", node.0), (cost, length));
            }
            for t in &self.transitions[&node.0] {
                let cost = cost + self.cost(node, t.thread);
                if cost > most {
                    continue;
                }
                for (step, message) in &t.faults {
                    note(message.clone(), (cost, length + step));
                }
                let Some(to) = t.to else { continue };
                let next = ((to, Some(t.last)), cost);
                let there = length + t.steps;
                if distance.get(&next).is_none_or(|known| *known > there) {
                    distance.insert(next, there);
                    todo.insert((there, next.0, cost));
                }
            }
        }
        best
    }

    /// The best run to a violation that costs at most `most`: its cost, and who takes each step by which move. Of runs of the same cost and length
    /// the one whose sequence of transitions comes first.
    pub fn best_run(&self, most: u32) -> Option<(u32, Vec<(u32, u32)>)> {
        type Run = Vec<(u32, usize)>;
        let note = |best: &mut Option<((u32, u32), Run)>, key: (u32, u32), run: &Run| {
            if best.as_ref().is_none_or(|(least, first)| (key, run) < (*least, first)) {
                *best = Some((key, run.clone()));
            }
        };
        let mut best: Option<((u32, u32), Run)> = None;
        let mut settled: BTreeSet<(Node, u32)> = BTreeSet::new();
        let mut todo: BTreeSet<((u32, u32), Run, Node)> = BTreeSet::from([((0, 0), Vec::new(), (0, None))]);
        while let Some(((cost, length), run, node)) = todo.pop_first() {
            // The first run to a node of this cost is the shortest and, of those, the first in order.
            if !settled.insert((node, cost)) {
                continue;
            }
            let stuck = self.system.moves[usize::from(node.0)].iter().all(Vec::is_empty);
            if self.system.bad[usize::from(node.0)] || stuck {
                note(&mut best, (cost, length), &run);
            }
            for (number, t) in self.transitions[&node.0].iter().enumerate() {
                let cost = cost + self.cost(node, t.thread);
                if cost > most || best.as_ref().is_some_and(|((least, _), _)| cost > *least) {
                    continue;
                }
                let mut run = run.clone();
                run.push((t.thread, number));
                for (step, _) in &t.faults {
                    note(&mut best, (cost, length + step), &run);
                }
                todo.extend(t.to.map(|to| ((cost, length + t.steps), run, (to, Some(t.last)))));
            }
        }
        let ((cost, length), run) = best?;
        let (mut moves, mut state) = (Vec::new(), 0);
        for (_, number) in run {
            let transition = &self.transitions[&state][number];
            moves.extend(&transition.moves);
            state = transition.to.unwrap_or(state);
        }
        moves.truncate(length as usize);
        Some((cost, moves))
    }

    /// Edges that cost nothing.
    fn free(&self, node: Node) -> impl Iterator<Item = (Node, &Transition)> {
        let all = self.transitions[&node.0].iter();
        all.filter(move |t| self.cost(node, t.thread) == 0).filter_map(|t| Some(((t.to?, Some(t.last)), t)))
    }

    /// Nodes from which `to` can be reached at no cost through nodes that are allowed, by at least one step.
    fn free_reach(&self, from: Node, allowed: &dyn Fn(u16) -> bool) -> BTreeSet<Node> {
        let mut seen = BTreeSet::new();
        let mut todo: Vec<Node> = self.free(from).map(|(n, _)| n).filter(|n| allowed(n.0)).collect();
        while let Some(node) = todo.pop() {
            if seen.insert(node) {
                todo.extend(self.free(node).map(|(n, _)| n).filter(|n| allowed(n.0)));
            }
        }
        seen
    }

    /// The least bound at which there is a bad cycle.
    pub fn least_cycle(&self, non_progress: bool, fair: bool) -> Option<u32> {
        let costs = self.costs();
        let allowed = |state: u16| !non_progress || !self.system.progress[usize::from(state)];
        let mut least: Option<u32> = None;
        for (node, cost) in &costs {
            if !allowed(node.0) {
                continue;
            }
            let reach = self.free_reach(*node, &allowed);
            if !reach.contains(node) {
                continue;
            }
            // The nodes that lie on cycles with this one.
            let ring: BTreeSet<Node> =
                reach.iter().copied().filter(|n| self.free_reach(*n, &allowed).contains(node)).collect();
            let accepted = non_progress || ring.iter().any(|n| self.system.accepting[usize::from(n.0)]);
            let moves = |thread: u32| {
                ring.iter().any(|n| self.free(*n).any(|(to, t)| t.thread == thread && ring.contains(&to)))
            };
            let disabled = |thread: u32| ring.iter().any(|n| self.transitions[&n.0].iter().all(|t| t.thread != thread));
            let is_fair = !fair || (0..self.system.threads).all(|t| moves(t) || disabled(t));
            if accepted && is_fair {
                least = Some(least.map_or(*cost, |known| known.min(*cost)));
            }
        }
        least
    }

    /// A node, without the thread that ran last where leaving that one is free: such nodes of a state go on alike.
    fn joined(&self, (state, last): Node) -> Node {
        let is_left_freely = |last: u32| {
            let enabled = self.transitions[&state].iter().any(|t| t.thread == last);
            self.counted == Counted::Preemptions
                && (!enabled || (self.spinning_is_free && self.is_spinning(state, last)))
        };
        (state, last.filter(|last| !is_left_freely(*last)))
    }

    /// The cost and length of the best run that ends in a bad cycle, once round included.
    pub fn best_lasso(&self, non_progress: bool) -> Option<(u32, u32)> {
        let allowed = |state: u16| !non_progress || !self.system.progress[usize::from(state)];
        let accepts = |state: u16| non_progress || self.system.accepting[usize::from(state)];
        let mut best: Option<(u32, u32)> = None;
        let mut settled: BTreeSet<Node> = BTreeSet::new();
        let mut todo: BTreeSet<(u32, u32, Node)> = BTreeSet::from([(0, 0, (0, None))]);
        while let Some((cost, length, node)) = todo.pop_first() {
            if !settled.insert(node) {
                continue;
            }
            for t in &self.transitions[&node.0] {
                let Some(to) = t.to else { continue };
                let next = self.joined((to, Some(t.last)));
                todo.insert((cost + self.cost(node, t.thread), length + t.steps, next));
            }
            // Once round, over nodes with whether an accepting state was passed.
            let mut passed: BTreeSet<(Node, bool)> = BTreeSet::new();
            let mut round: BTreeSet<(u32, Node, bool, bool)> = BTreeSet::from([(0, node, accepts(node.0), false)]);
            while let Some((steps, at, accepted, moved)) = round.pop_first() {
                if at == node && accepted && moved {
                    let total = (cost, length + steps);
                    best = Some(best.map_or(total, |known| known.min(total)));
                    break;
                }
                if !allowed(at.0) || (moved && !passed.insert((at, accepted))) {
                    continue;
                }
                for (next, t) in self.free(at).filter(|(next, _)| allowed(next.0)) {
                    round.insert((steps + t.steps, self.joined(next), accepted || accepts(next.0), true));
                }
            }
        }
        best
    }

    /// The length of the shortest run to a violation that costs at most `bound`.
    pub fn shortest(&self, bound: u32) -> Option<u32> {
        let mut seen: BTreeSet<(Node, u32)> = BTreeSet::new();
        let mut todo: BTreeSet<(u32, Node, u32)> = BTreeSet::from([(0, (0, None), 0)]);
        let mut shortest: Option<u32> = None;
        while let Some((length, node, cost)) = todo.pop_first() {
            if !seen.insert((node, cost)) {
                continue;
            }
            let stuck = self.system.moves[usize::from(node.0)].iter().all(Vec::is_empty);
            let mut lengths: Vec<u32> = Vec::new();
            if self.system.bad[usize::from(node.0)] || stuck {
                lengths.push(length);
            }
            for t in &self.transitions[&node.0] {
                let cost = cost + self.cost(node, t.thread);
                if cost <= bound {
                    lengths.extend(t.faults.iter().map(|(step, _)| length + step));
                    todo.extend(t.to.map(|to| (length + t.steps, (to, Some(t.last)), cost)));
                }
            }
            shortest = lengths.into_iter().chain(shortest).min();
        }
        shortest
    }

    /// States reached when each thread runs at most `rounds` times, in the order of their numbers, by simulating the
    /// schedule: each context may have any number of steps.
    pub fn round_robin(&self, rounds: u32) -> BTreeSet<u16> {
        let mut reached: BTreeSet<u16> = BTreeSet::from([0]);
        for _ in 0..rounds {
            for thread in 0..self.system.threads {
                let mut todo: Vec<u16> = reached.iter().copied().collect();
                while let Some(state) = todo.pop() {
                    for t in self.transitions[&state].iter().filter(|t| t.thread == thread) {
                        todo.extend(t.to.filter(|to| reached.insert(*to)));
                    }
                }
            }
        }
        reached
    }

    /// How many states are reached by runs of at most this many steps.
    pub fn within_steps(&self, most: u32) -> usize {
        let mut distance: BTreeMap<u16, u32> = BTreeMap::from([(0, 0)]);
        let mut changed = true;
        while changed {
            changed = false;
            for (state, there) in distance.clone() {
                for t in &self.transitions[&state] {
                    let length = there + t.steps;
                    let Some(to) = t.to.filter(|_| length <= most) else { continue };
                    if distance.get(&to).is_none_or(|known| *known > length) {
                        distance.insert(to, length);
                        changed = true;
                    }
                }
            }
        }
        distance.len()
    }
}
