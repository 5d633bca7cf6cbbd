//! Infinite runs (docs/design.md 3.5). Within a bound a run makes its last counted switch somewhere, so the cycle of a lasso
//! consists of steps that cost nothing; without a bound, of any steps. The nodes within the bound come from the
//! exploration; here the strongly connected components of the steps without cost are found and looked at.
//!
//! A component has a fair cycle if every process is disabled in one of its states or moves inside it: a run can go
//! round all of it.

use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};

use selvedge_core::ViolationKind;

use super::Interpreter;
use super::bounded::{Bounded, NodeNumber};
use super::finding::{Explored, Finding, Properties, RunBound, RunStep, StepBudget};
use super::flow::MarkLabel;

/// Which cycles are violations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CycleKind {
    /// Those that pass an `accept` label of the claim or, with [`Properties::acceptance`], of a process.
    Acceptance,
    /// Those that pass no `progress` label.
    NonProgress,
}

/// Looks for infinite runs within a bound. Finite runs are checked as [`super::explore_within`] does. With `fair`, only
/// weakly fair cycles count. Of the cycles, the cheapest is reported.
pub fn find_cycles(
    interpreter: &Interpreter,
    properties: &Properties,
    (kind, fair): (CycleKind, bool),
    bound: RunBound,
    budget: impl Into<StepBudget>,
) -> Explored {
    if !Bounded::knows_cycles(&bound) {
        return Explored::unsupported(bound.bound.kind);
    }
    let mut search = Bounded::new(interpreter, properties, bound, budget.into());
    search.run();
    let mut cycles = Cycles { search, kind, fair, marks: HashMap::new() };
    let finding = cycles.cheapest();
    let mut explored = cycles.search.into_explored();
    explored.findings.extend(finding);
    explored
}

/// What a fair cycle has to pass: a node, and a step from there to another one.
type Obligation = (NodeNumber, Option<(RunStep, NodeNumber)>);

struct Cycles<'a> {
    search: Bounded<'a>,
    kind: CycleKind,
    fair: bool,
    /// Whether a state has a label of the kind in question.
    marks: HashMap<u32, bool>,
}

impl Cycles<'_> {
    fn cheapest(&mut self) -> Option<Finding> {
        let mut best: Option<(u32, Vec<NodeNumber>)> = None;
        for component in self.components() {
            let cost = self.search.nodes[component[0] as usize].cost;
            if best.as_ref().is_none_or(|(least, _)| cost < *least) && self.is_violation(&component) {
                best = Some((cost, component));
            }
        }
        best.map(|(cost, component)| self.finding(cost, &component))
    }

    /// Steps that cost nothing between nodes that may be on a cycle. Nodes that were not expanded have none.
    fn successors(&mut self, node: NodeNumber) -> Vec<(RunStep, NodeNumber)> {
        let here = self.search.nodes[node as usize];
        if !here.done || !self.search.graph.is_expanded(here.state) {
            return Vec::new();
        }
        let mut all = Vec::new();
        for hop in self.search.hops(node) {
            let Some(to) = hop.to.filter(|_| hop.cost == 0) else { continue };
            match self.search.known(to) {
                Some(next) if self.may_be_on_cycle(next) => all.push((hop.step, next)),
                _ => {}
            }
        }
        all
    }

    /// Without progress: a node that makes none. Otherwise any.
    fn may_be_on_cycle(&mut self, node: NodeNumber) -> bool {
        self.kind == CycleKind::Acceptance || !self.is_marked(node)
    }

    fn is_marked(&mut self, node: NodeNumber) -> bool {
        let number = self.search.nodes[node as usize].state;
        if let Some(known) = self.marks.get(&number) {
            return *known;
        }
        let (graph, interpreter) = (&self.search.graph, self.search.graph.interpreter);
        let state = graph.state(number);
        let marked = match self.kind {
            // Inside an atomic sequence no infinite run is accepted, as in Spin.
            CycleKind::Acceptance => {
                let of_process =
                    self.search.properties.acceptance && interpreter.process_stands_at(&state, MarkLabel::Accept);
                state.is_stored() && (of_process || interpreter.claim_stands_at(&state, MarkLabel::Accept))
            }
            // A finite run that ended is not one that makes no progress.
            CycleKind::NonProgress => {
                let progress = state.is_stored() && interpreter.process_stands_at(&state, MarkLabel::Progress);
                graph.is_stuttering(number) || progress
            }
        };
        self.marks.insert(number, marked);
        marked
    }

    /// Whether a component with a cycle has one that is a violation.
    fn is_violation(&mut self, component: &[NodeNumber]) -> bool {
        let accepted = match self.kind {
            CycleKind::Acceptance => component.iter().any(|node| self.is_marked(*node)),
            // Inside an atomic sequence no infinite run is looked for, as in Spin.
            CycleKind::NonProgress => component.iter().any(|node| {
                let number = self.search.nodes[*node as usize].state;
                self.search.graph.state(number).is_stored()
            }),
        };
        accepted && (!self.fair || self.obligations(component).is_some())
    }

    /// What a fair cycle passes for each process: a node where it is disabled, or the two ends of a step of it. None if
    /// some process is enabled everywhere and never moves.
    fn obligations(&mut self, component: &[NodeNumber]) -> Option<Vec<Obligation>> {
        let inside: HashSet<NodeNumber> = component.iter().copied().collect();
        let count = |this: &Self, node: NodeNumber| {
            this.search.graph.state(this.search.nodes[node as usize].state).processes.len() as u32
        };
        let processes = component.iter().map(|node| count(self, *node)).max().unwrap_or(0);
        let mut open: BTreeSet<u32> = (0..processes).collect();
        let mut obligations = Vec::new();
        for node in component {
            let state = self.search.nodes[*node as usize].state;
            if !self.search.graph.is_in_atomic(state) {
                for process in open.clone() {
                    if !self.search.graph.is_enabled(state, process) {
                        open.remove(&process);
                        obligations.push((*node, None));
                    }
                }
            }
            for (step, next) in self.successors(*node) {
                if inside.contains(&next) && step.process.is_some_and(|process| open.remove(&process)) {
                    obligations.push((*node, Some((step, next))));
                }
            }
        }
        open.is_empty().then_some(obligations)
    }

    /// A run to the component and round it.
    fn finding(&mut self, cost: u32, component: &[NodeNumber]) -> Finding {
        let inside: HashSet<NodeNumber> = component.iter().copied().collect();
        let first = |this: &mut Self| component.iter().copied().find(|node| this.is_marked(*node));
        let start = first(self).unwrap_or(component[0]);
        let mut run = self.search.run_to(start);
        let cycle_start = run.len();
        let obligations = if self.fair { self.obligations(component).unwrap_or_default() } else { Vec::new() };
        let mut here = start;
        for (node, step) in obligations {
            run.extend(self.path(here, node, &inside));
            here = node;
            if let Some((step, next)) = step {
                run.push(step);
                here = next;
            }
        }
        if here != start || run.len() == cycle_start {
            run.extend(self.path_with_steps(here, start, &inside));
        }
        let (kind, message) = match self.kind {
            CycleKind::Acceptance => (ViolationKind::AcceptanceCycle, "an acceptance cycle"),
            CycleKind::NonProgress => (ViolationKind::NonProgressCycle, "a non-progress cycle"),
        };
        Finding { kind, message: message.into(), span: None, cost, run, cycle_start: Some(cycle_start) }
    }

    fn path(&mut self, from: NodeNumber, to: NodeNumber, inside: &HashSet<NodeNumber>) -> Vec<RunStep> {
        if from == to { Vec::new() } else { self.path_with_steps(from, to, inside) }
    }

    /// A shortest path of at least one step.
    fn path_with_steps(&mut self, from: NodeNumber, to: NodeNumber, inside: &HashSet<NodeNumber>) -> Vec<RunStep> {
        let mut parents: HashMap<NodeNumber, (NodeNumber, RunStep)> = HashMap::new();
        let mut queue = VecDeque::from([from]);
        while let Some(node) = queue.pop_front().filter(|_| !parents.contains_key(&to)) {
            for (step, next) in self.successors(node) {
                if inside.contains(&next) && !parents.contains_key(&next) {
                    parents.insert(next, (node, step));
                    queue.push_back(next);
                }
            }
        }
        let (mut path, mut current) = (Vec::new(), to);
        while let Some((before, step)) = parents.get(&current) {
            path.push(*step);
            current = *before;
            if current == from {
                break;
            }
        }
        path.reverse();
        path
    }

    /// The strongly connected components that have a cycle (Tarjan's algorithm, without recursion).
    fn components(&mut self) -> Vec<Vec<NodeNumber>> {
        const UNSEEN: u32 = u32::MAX;
        let count = self.search.nodes.len();
        let (mut index, mut low, mut on_stack) = (vec![UNSEEN; count], vec![0; count], vec![false; count]);
        let (mut stack, mut components, mut next_index) = (Vec::new(), Vec::new(), 0);
        for root in 0..count as NodeNumber {
            if index[root as usize] != UNSEEN || !self.may_be_on_cycle(root) {
                continue;
            }
            let mut frames: Vec<Frame> = Vec::new();
            let mut entered = Some(root);
            loop {
                if let Some(node) = entered.take() {
                    (index[node as usize], low[node as usize]) = (next_index, next_index);
                    next_index += 1;
                    stack.push(node);
                    on_stack[node as usize] = true;
                    let successors: Vec<NodeNumber> = self.successors(node).into_iter().map(|(_, next)| next).collect();
                    let own_loop = successors.contains(&node);
                    frames.push(Frame { node, successors: successors.into_iter(), own_loop });
                }
                let Some(frame) = frames.last_mut() else { break };
                let node = frame.node as usize;
                if let Some(next) = frame.successors.next() {
                    if index[next as usize] == UNSEEN {
                        entered = Some(next);
                    } else if on_stack[next as usize] {
                        low[node] = low[node].min(index[next as usize]);
                    }
                    continue;
                }
                let own_loop = frame.own_loop;
                frames.pop();
                if let Some(parent) = frames.last() {
                    low[parent.node as usize] = low[parent.node as usize].min(low[node]);
                }
                if low[node] == index[node] {
                    let first = stack.iter().rposition(|member| *member as usize == node).unwrap_or(0);
                    let component = stack.split_off(first);
                    component.iter().for_each(|member| on_stack[*member as usize] = false);
                    if component.len() > 1 || own_loop {
                        components.push(component);
                    }
                }
            }
        }
        components
    }
}

/// A node on the path of the search.
struct Frame {
    node: NodeNumber,
    successors: std::vec::IntoIter<NodeNumber>,
    own_loop: bool,
}
