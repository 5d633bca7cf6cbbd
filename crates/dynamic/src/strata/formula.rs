//! The formula of stratified runs: how often each transition is taken. As much goes into a node as comes out
//! of it, but for one more at the start and one less at the target; no more threads are taken than were
//! left behind (\[DYN\] Lemma 4.5). That the transitions taken hang together is required
//! only where a model has a cycle apart from the rest ([`Connected`]).

use std::collections::BTreeMap;
use std::sync::Arc;

use super::automaton::{Automaton, NodeId, Pending};
use crate::presburger::{Constraint, Refine, Relation, System, Var};

/// Transitions taken hang together with the start.
pub(super) struct Connected {
    pub automaton: Arc<Automaton>,
    /// Transitions that touch a node.
    touching: Vec<Vec<usize>>,
}

/// The formula. The first variables are those of the transitions, in their order; then one for each
/// final node: whether the run ends there.
pub(super) fn formula(automaton: &Automaton) -> (System, Connected) {
    let mut system = System::default();
    let edges: Vec<Var> = automaton.edges.iter().map(|_| system.variable()).collect();
    let ends: Vec<Var> = automaton.finals.iter().map(|_| system.variable()).collect();
    let mut flow: Vec<Vec<(Var, i64)>> = vec![Vec::new(); automaton.nodes.len()];
    let mut threads: BTreeMap<(u32, u32), Vec<(Var, i64)>> = BTreeMap::new();
    let key = |(symbol, stratum): Pending| (stratum, symbol.0);
    for (edge, var) in automaton.edges.iter().zip(&edges) {
        flow[edge.from.index()].push((*var, 1));
        flow[edge.to.index()].push((*var, -1));
        if let Some(taken) = edge.takes {
            threads.entry(key(taken)).or_default().push((*var, 1));
        }
        for left in &edge.leaves {
            threads.entry(key(*left)).or_default().push((*var, -1));
        }
    }
    for (node, var) in automaton.finals.iter().zip(&ends) {
        flow[node.index()].push((*var, 1));
    }
    for (node, terms) in flow.into_iter().enumerate() {
        system.require(Constraint::new(terms, Relation::Equal, i64::from(node == 0)));
    }
    for terms in threads.into_values().filter(|terms| terms.iter().any(|(_, sign)| *sign > 0)) {
        system.require(Constraint::new(terms, Relation::AtMost, 0));
    }
    let mut touching = vec![Vec::new(); automaton.nodes.len()];
    for (index, edge) in automaton.edges.iter().enumerate() {
        touching[edge.from.index()].push(index);
        if edge.to != edge.from {
            touching[edge.to.index()].push(index);
        }
    }
    (system, Connected { automaton: Arc::new(automaton.clone()), touching })
}

impl Connected {
    /// Nodes that transitions taken connect with a node. In a model of the formula, a connected part
    /// without the start is a set of cycles, so that the direction of transitions does not matter.
    fn part(&self, start: NodeId, values: &[u64], seen: &mut [bool]) -> Vec<NodeId> {
        let mut part = vec![start];
        seen[start.index()] = true;
        let mut done = 0;
        while done < part.len() {
            for index in &self.touching[part[done].index()] {
                let edge = &self.automaton.edges[*index];
                for node in [edge.from, edge.to] {
                    if values[*index] > 0 && !std::mem::replace(&mut seen[node.index()], true) {
                        part.push(node);
                    }
                }
            }
            done += 1;
        }
        part
    }
}

impl Refine for Connected {
    /// Of a part that is not connected with the start: a transition enters it from outside, or none within
    /// it is taken.
    fn refine(&self, values: &[u64]) -> Option<Vec<Vec<Constraint>>> {
        let mut seen = vec![false; self.automaton.nodes.len()];
        self.part(NodeId(0), values, &mut seen);
        let apart =
            self.automaton.edges.iter().zip(values).find(|(edge, count)| **count > 0 && !seen[edge.from.index()]);
        let part = self.part(apart?.0.from, values, &mut seen);
        let mut inside = vec![false; self.automaton.nodes.len()];
        part.iter().for_each(|node| inside[node.index()] = true);
        let (mut entering, mut within) = (Vec::new(), Vec::new());
        for (index, edge) in self.automaton.edges.iter().enumerate() {
            let var = Var(index as u32);
            match (inside[edge.from.index()], inside[edge.to.index()]) {
                (true, true) => within.push(var),
                (false, true) => entering.push(var),
                _ => {}
            }
        }
        Some(vec![
            vec![Constraint::sum(entering, Relation::AtLeast, 1)],
            vec![Constraint::sum(within, Relation::Equal, 0)],
        ])
    }
}
