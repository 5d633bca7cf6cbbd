//! Every run within a bound: the least cost of every node, by Dijkstra's algorithm. A node is a state and the process
//! that ran last. Nothing is left out and nothing is approximated.

use std::collections::{BTreeMap, HashSet, VecDeque};

use selvedge_core::bound::BoundKind;
use selvedge_source::Span;

use super::cost::Runner;
use super::finding::{Completion, Explored, Findings, Properties, RunBound, RunStep, StepBudget};
use super::graph::{Graph, Hop, claim_completed};
use super::store::{FastMap, StateNumber};
use super::{Interpreter, PlainFault};

/// Explores every run within a bound, past violations. Ends early where the budget is used up.
pub fn explore_within(
    interpreter: &Interpreter,
    properties: &Properties,
    bound: RunBound,
    budget: impl Into<StepBudget>,
) -> Explored {
    if !bound.is_supported() {
        return Explored::unsupported(bound.bound.kind);
    }
    let mut search = Bounded::new(interpreter, properties, bound, budget.into());
    search.run();
    search.into_explored()
}

/// A node's number.
pub(crate) type NodeNumber = u32;

/// A state and the process that ran last.
#[derive(Clone, Copy)]
pub(crate) struct Node {
    pub(crate) state: StateNumber,
    pub(crate) last: Runner,
    /// The least cost known; final once the node is done.
    pub(crate) cost: u32,
    pub(crate) done: bool,
    /// The node before it and the step from there.
    parent: Option<(NodeNumber, usize)>,
}

/// The exploration.
pub(crate) struct Bounded<'a> {
    pub(crate) graph: Graph<'a>,
    pub(crate) properties: &'a Properties,
    pub(crate) bound: RunBound,
    pub(crate) nodes: Vec<Node>,
    numbers: FastMap<(StateNumber, Runner), NodeNumber>,
    /// Nodes to be done, by cost; some were done meanwhile.
    waiting: BTreeMap<u32, VecDeque<NodeNumber>>,
    pub(crate) findings: Findings,
    pub(crate) completion: Completion,
}

impl<'a> Bounded<'a> {
    pub(crate) fn new(
        interpreter: &'a Interpreter,
        properties: &'a Properties,
        bound: RunBound,
        budget: StepBudget,
    ) -> Bounded<'a> {
        let (graph, initial) = Graph::new(interpreter, budget);
        let mut search = Bounded {
            graph,
            properties,
            bound,
            nodes: Vec::new(),
            numbers: FastMap::default(),
            waiting: BTreeMap::new(),
            findings: Findings::default(),
            completion: Completion::Complete,
        };
        search.reach((initial, None), bound.initial_cost(), None);
        search
    }

    /// Explores to the end or until the budget is used up.
    pub(crate) fn run(&mut self) {
        if self.graph.interpreter.claim_is_done(&self.graph.interpreter.initial) {
            let cost = self.bound.initial_cost();
            self.findings.add(&claim_completed(), None, cost, Vec::new());
        }
        while let Some(node) = self.cheapest() {
            if self.graph.is_out_of_budget() {
                self.completion = Completion::OutOfBudget;
                return;
            }
            self.nodes[node as usize].done = true;
            self.check_state(node);
            for hop in self.hops(node) {
                let cost = self.nodes[node as usize].cost + hop.cost;
                if !self.bound.allows(cost) {
                    continue;
                }
                self.check_step(node, &hop, cost);
                if let Some(to) = hop.to {
                    self.reach(to, cost, Some((node, hop.edge)));
                }
            }
        }
        // A search for spinning that was given up answered no.
        if self.graph.is_out_of_budget() {
            self.completion = Completion::OutOfBudget;
        }
    }

    /// The steps from a node with their costs.
    pub(crate) fn hops(&mut self, node: NodeNumber) -> Vec<Hop> {
        let Node { state, last, .. } = self.nodes[node as usize];
        self.graph.hops(&self.bound, state, last)
    }

    /// The number of a node that was reached.
    pub(crate) fn known(&self, to: (StateNumber, Runner)) -> Option<NodeNumber> {
        self.numbers.get(&to).copied()
    }

    /// A run to a node.
    pub(crate) fn run_to(&self, node: NodeNumber) -> Vec<RunStep> {
        let mut run = Vec::new();
        let mut current = node;
        while let Some((before, edge)) = self.nodes[current as usize].parent {
            run.push(self.graph.edge(edge).0);
            current = before;
        }
        run.reverse();
        run
    }

    pub(crate) fn into_explored(self) -> Explored {
        let states: HashSet<StateNumber> = self.nodes.iter().filter(|node| node.done).map(|node| node.state).collect();
        Explored {
            states: self.graph.count_stored(states.into_iter()),
            steps: self.graph.steps,
            runs: 0,
            findings: self.findings.into_sorted(),
            completion: self.completion,
        }
    }

    fn cheapest(&mut self) -> Option<NodeNumber> {
        loop {
            let mut layer = self.waiting.first_entry()?;
            let (cost, node) = (*layer.key(), layer.get_mut().pop_front());
            match node {
                None => {
                    layer.remove();
                }
                Some(node) => {
                    let Node { done, cost: least, .. } = self.nodes[node as usize];
                    if !done && least == cost {
                        return Some(node);
                    }
                }
            }
        }
    }

    fn reach(&mut self, to: (StateNumber, Runner), cost: u32, parent: Option<(NodeNumber, usize)>) {
        let next = self.nodes.len() as NodeNumber;
        let number = *self.numbers.entry(to).or_insert(next);
        let fresh = Node { state: to.0, last: to.1, cost, done: false, parent };
        if number == next {
            self.nodes.push(fresh);
        } else if cost < self.nodes[number as usize].cost {
            self.nodes[number as usize] = fresh;
        } else {
            return;
        }
        self.waiting.entry(cost).or_default().push_back(number);
    }

    fn check_state(&mut self, node: NodeNumber) {
        let Node { state, cost, .. } = self.nodes[node as usize];
        for fault in self.graph.state_violations(state, self.properties) {
            self.find(&fault, None, cost, node, None);
        }
    }

    fn check_step(&mut self, node: NodeNumber, hop: &Hop, cost: u32) {
        for fault in self.graph.step_violations(hop.edge, self.properties) {
            self.find(&fault, hop.step.span, cost, node, Some(hop.step));
        }
    }

    fn find(&mut self, fault: &PlainFault, span: Option<Span>, cost: u32, node: NodeNumber, step: Option<RunStep>) {
        if self.findings.is_news(fault, span, cost) {
            let run = self.run_to(node).into_iter().chain(step).collect();
            self.findings.add(fault, span, cost, run);
        }
    }

    /// Whether infinite runs are known under this bound.
    pub(crate) fn knows_cycles(bound: &RunBound) -> bool {
        matches!(bound.bound.kind, BoundKind::Preemptions | BoundKind::Switches | BoundKind::Unbounded)
    }
}
