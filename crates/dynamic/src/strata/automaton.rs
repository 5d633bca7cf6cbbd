//! The automaton of stratified runs (\[DYN\] Section 4.2, the automaton P intersected with the order of the
//! strata). A node is a global state, the active thread's stack (at most one symbol) or that no thread is
//! active, and the stratum. A transition leaves a thread for the next stratum, or takes one of its own
//! stratum. Only nodes on some path to a target are kept, where a thread that no transition leaves
//! behind is never taken.

use std::collections::VecDeque;

use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_core::{Budget, StopReason};
use selvedge_nets_syntax::dcps::{Dcps, Kind};
use selvedge_nets_syntax::pds::{StateId, SymbolId};

/// A node: index into [`Automaton::nodes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct NodeId(pub u32);

impl NodeId {
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// Who runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Active {
    /// Nobody.
    Nobody,
    /// A thread whose stack is empty.
    Ended,
    /// A thread with this stack.
    At(SymbolId),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Node {
    pub state: StateId,
    pub active: Active,
    pub stratum: u32,
}

/// Where a transition comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Source {
    /// A rule, by position.
    Rule(usize),
    /// An activation, by position.
    Resume(usize),
    /// The next stratum begins.
    NextStratum,
}

/// A thread with one symbol, for a stratum.
pub(super) type Pending = (SymbolId, u32);

#[derive(Clone, Debug)]
pub(super) struct Edge {
    pub from: NodeId,
    pub to: NodeId,
    pub source: Source,
    /// The thread that is taken.
    pub takes: Option<Pending>,
    /// Threads that are left behind: one created, the active one itself.
    pub leaves: Vec<Pending>,
}

/// The automaton. The first node is where runs start.
#[derive(Clone, Debug, Default)]
pub(super) struct Automaton {
    pub nodes: Vec<Node>,
    pub edges: Vec<Edge>,
    /// Nodes in a target.
    pub finals: Vec<NodeId>,
}

impl Automaton {
    pub(super) fn build(dcps: &Dcps, k: u32, budget: &Budget) -> Result<Automaton, StopReason> {
        let mut builder = Builder::new(dcps, k);
        builder.explore(budget)?;
        Ok(builder.automaton.trimmed())
    }

    /// What remains of nodes that lead to a target; if the first does not, nothing.
    fn trimmed(self) -> Automaton {
        let mut before: Vec<Vec<NodeId>> = vec![Vec::new(); self.nodes.len()];
        self.edges.iter().for_each(|edge| before[edge.to.index()].push(edge.from));
        let mut useful = vec![false; self.nodes.len()];
        let mut work = self.finals.clone();
        self.finals.iter().for_each(|node| useful[node.index()] = true);
        while let Some(node) = work.pop() {
            for previous in &before[node.index()] {
                if !std::mem::replace(&mut useful[previous.index()], true) {
                    work.push(*previous);
                }
            }
        }
        if !useful.first().copied().unwrap_or(false) {
            return Automaton::default();
        }
        let mut renamed = Vec::with_capacity(self.nodes.len());
        let mut nodes = Vec::new();
        for (node, useful) in self.nodes.into_iter().zip(&useful) {
            renamed.push(NodeId(nodes.len() as u32));
            if *useful {
                nodes.push(node);
            }
        }
        let kept = self.edges.into_iter().filter(|edge| useful[edge.from.index()] && useful[edge.to.index()]);
        let rename = |edge: Edge| Edge { from: renamed[edge.from.index()], to: renamed[edge.to.index()], ..edge };
        let edges = kept.map(rename).collect();
        Automaton { nodes, edges, finals: self.finals.into_iter().map(|node| renamed[node.index()]).collect() }
    }
}

struct Builder<'a> {
    dcps: &'a Dcps,
    k: u32,
    automaton: Automaton,
    ids: FxHashMap<Node, NodeId>,
    work: VecDeque<NodeId>,
    /// Rules by what they start from.
    rules: FxHashMap<(StateId, SymbolId), Vec<usize>>,
    /// Activations by what they start from.
    resumes: FxHashMap<StateId, Vec<usize>>,
    /// Threads that some transition leaves behind.
    pending: FxHashSet<Pending>,
    /// Activations that found no thread so far.
    waiting: FxHashMap<Pending, Vec<(NodeId, usize)>>,
    /// Strata for which some thread is left behind.
    populated: FxHashSet<u32>,
    /// Nodes from which a stratum without threads would begin.
    ready: FxHashMap<u32, Vec<NodeId>>,
    /// Transitions that differ in nothing that matters are one.
    seen: FxHashSet<(NodeId, NodeId, Option<Pending>, Vec<Pending>)>,
}

impl<'a> Builder<'a> {
    fn new(dcps: &'a Dcps, k: u32) -> Self {
        let mut rules: FxHashMap<_, Vec<usize>> = FxHashMap::default();
        for (index, rule) in dcps.rules.iter().enumerate() {
            rules.entry((rule.from, rule.top)).or_default().push(index);
        }
        let mut resumes: FxHashMap<_, Vec<usize>> = FxHashMap::default();
        for (index, resume) in dcps.resumes.iter().enumerate() {
            resumes.entry(resume.from).or_default().push(index);
        }
        Builder {
            dcps,
            k,
            automaton: Automaton::default(),
            ids: FxHashMap::default(),
            work: VecDeque::new(),
            rules,
            resumes,
            pending: FxHashSet::default(),
            waiting: FxHashMap::default(),
            populated: FxHashSet::default(),
            ready: FxHashMap::default(),
            seen: FxHashSet::default(),
        }
    }

    fn explore(&mut self, budget: &Budget) -> Result<(), StopReason> {
        self.node(Node { state: self.dcps.initial, active: Active::At(self.dcps.initial_symbol), stratum: 0 });
        let mut expanded = 0u64;
        while let Some(node) = self.work.pop_front() {
            expanded += 1;
            if expanded.is_multiple_of(1024)
                && let Some(reason) = budget.check(self.automaton.nodes.len() as u64, self.bytes())
            {
                return Err(reason);
            }
            self.expand(node);
        }
        Ok(())
    }

    /// What the automaton takes, about: nodes and transitions with their entries in the tables.
    fn bytes(&self) -> u64 {
        (self.automaton.nodes.len() * 64 + self.automaton.edges.len() * 192) as u64
    }

    fn node(&mut self, node: Node) -> NodeId {
        if let Some(id) = self.ids.get(&node) {
            return *id;
        }
        let id = NodeId(self.automaton.nodes.len() as u32);
        self.ids.insert(node, id);
        self.automaton.nodes.push(node);
        if self.dcps.is_target(node.state) {
            // A run that is here is at its end.
            self.automaton.finals.push(id);
        } else {
            self.work.push_back(id);
        }
        id
    }

    fn expand(&mut self, id: NodeId) {
        let node = self.automaton.nodes[id.index()];
        match node.active {
            Active::Ended => {}
            Active::At(symbol) => {
                for rule in self.rules.get(&(node.state, symbol)).cloned().unwrap_or_default() {
                    self.follow(id, node, rule);
                }
            }
            Active::Nobody => {
                for resume in self.resumes.get(&node.state).cloned().unwrap_or_default() {
                    self.activate(id, node, resume);
                }
                self.advance(id, node);
            }
        }
    }

    fn follow(&mut self, id: NodeId, node: Node, index: usize) {
        let rule = &self.dcps.rules[index];
        let top = rule.push.first().copied();
        let next = node.stratum + 1;
        let (active, suspended) = match rule.kind {
            Kind::Step => (top.map_or(Active::Ended, Active::At), None),
            Kind::Yield => (Active::Nobody, top),
        };
        let left = suspended.into_iter().chain(rule.spawn);
        // Threads beyond the last stratum never run.
        let leaves: Vec<Pending> = left.filter(|_| next <= self.k).map(|symbol| (symbol, next)).collect();
        let to = self.node(Node { state: rule.to, active, stratum: node.stratum });
        self.edge(Edge { from: id, to, source: Source::Rule(index), takes: None, leaves: leaves.clone() });
        for pending in leaves {
            if !self.pending.insert(pending) {
                continue;
            }
            for (from, resume) in self.waiting.remove(&pending).unwrap_or_default() {
                let node = self.automaton.nodes[from.index()];
                self.activate(from, node, resume);
            }
            if self.populated.insert(pending.1) {
                for id in self.ready.remove(&pending.1).unwrap_or_default() {
                    self.advance(id, self.automaton.nodes[id.index()]);
                }
            }
        }
    }

    fn activate(&mut self, id: NodeId, node: Node, index: usize) {
        let resume = &self.dcps.resumes[index];
        let taken = (resume.top, node.stratum);
        if !self.pending.contains(&taken) {
            self.waiting.entry(taken).or_default().push((id, index));
            return;
        }
        let to = self.node(Node { state: resume.to, active: Active::At(resume.top), stratum: node.stratum });
        self.edge(Edge { from: id, to, source: Source::Resume(index), takes: Some(taken), leaves: Vec::new() });
    }

    /// The next stratum begins, if some thread can run in it.
    fn advance(&mut self, id: NodeId, node: Node) {
        let next = node.stratum + 1;
        if next > self.k {
            return;
        }
        if !self.populated.contains(&next) {
            self.ready.entry(next).or_default().push(id);
            return;
        }
        let to = self.node(Node { stratum: next, ..node });
        self.edge(Edge { from: id, to, source: Source::NextStratum, takes: None, leaves: Vec::new() });
    }

    fn edge(&mut self, edge: Edge) {
        if self.seen.insert((edge.from, edge.to, edge.takes, edge.leaves.clone())) {
            self.automaton.edges.push(edge);
        }
    }
}
