//! How the elements of a process type are linked: what follows inner sequences, and where control rests after jumps.

use std::collections::HashMap;

use super::super::graph::{El, Graph, Node, Sq};
use crate::program::{Action, Ex, Op};

/// The graph of a process type with the targets of its jumps.
pub(super) struct Tables<'g> {
    pub graph: &'g mut Graph,
    pub targets: HashMap<El, El>,
}

impl Tables<'_> {
    /// The first element of a sequence.
    pub(super) fn first(&self, seq: Sq) -> El {
        self.graph.seqs[seq].first.expect("sequences are not empty")
    }

    /// Ties the ends of inner sequences to what follows, outer ones first, and mends the atomicity
    /// of gotos that leave or bridge atomic sequences.
    pub(super) fn link(&mut self) {
        let inner_of = |node: &Node| match node {
            Node::Atomic(s) | Node::DStep(s) | Node::Block(s) => Some(*s),
            _ => None,
        };
        let mut inners = Vec::new();
        for element in (0..self.graph.elements.len()).rev() {
            let Some(inner) = inner_of(&self.graph.elements[element].node) else { continue };
            let last = self.graph.seqs[inner].last.expect("sequences are not empty");
            self.graph.elements[last].next = self.graph.elements[element].next;
            inners.push(inner);
        }
        for inner in inners {
            self.patch_atomic(inner);
        }
    }

    fn patch_atomic(&mut self, seq: Sq) {
        let extent = self.graph.seqs[seq].extent;
        let mut at = self.graph.seqs[seq].first;
        while let Some(element) = at {
            if let Some(&target) = self.targets.get(&element) {
                let t = &self.graph.elements[target];
                let target_atomic = t.atom || t.last_of_atom;
                let e = &mut self.graph.elements[element];
                if (e.atom || e.last_of_atom) && !target_atomic {
                    (e.atom, e.last_of_atom) = (false, true);
                }
                if e.last_of_atom && target_atomic {
                    (e.atom, e.last_of_atom) = (true, false);
                }
            } else {
                for option in self.graph.elements[element].sub.clone() {
                    self.patch_atomic(option);
                }
            }
            if Some(element) == extent {
                break;
            }
            at = self.graph.elements[element].next;
        }
    }

    /// The element at which control rests when it is sent to `from`: gotos and targets are passed
    /// through, unless that would silently leave an atomic sequence. `None` for an endless circle.
    pub(crate) fn hunt(&self, from: El, atomic: bool) -> Option<El> {
        // Without a circle each element is passed once, and looked at again where an `unless` ends at it.
        self.hunt_within(from, atomic, &mut (2 * self.graph.elements.len() + 2))
    }

    fn hunt_within(&self, from: El, atomic: bool, steps: &mut usize) -> Option<El> {
        let mut at = from;
        while *steps > 0 {
            *steps -= 1;
            let e = &self.graph.elements[at];
            let next = match &e.node {
                Node::Goto(..) => *self.targets.get(&at)?,
                Node::Dot | Node::BreakTarget => match e.next {
                    Some(next) => next,
                    None => return Some(at),
                },
                Node::Unless => self.hunt_within(self.first(e.sub[0]), atomic, steps)?,
                _ => return Some(at),
            };
            if atomic && !self.graph.elements[next].atom {
                return Some(at);
            }
            at = next;
        }
        None
    }

    /// The element that represents the start of an option.
    pub(super) fn start(&self, from: El) -> El {
        let mut at = from;
        for _ in 0..self.graph.elements.len() {
            let e = &self.graph.elements[at];
            at = match (&e.node, e.next) {
                (Node::Dot, Some(next)) => next,
                (Node::Unless, _) => self.first(e.sub[0]),
                _ => return at,
            };
        }
        at
    }

    /// An option that can never be taken.
    pub(crate) fn is_dead(&self, element: El) -> bool {
        let e = &self.graph.elements[element];
        e.escapes.is_empty() && matches!(&e.node, Node::Basic(Action { op: Op::Condition(Ex::Const(0)), .. }))
    }
}
