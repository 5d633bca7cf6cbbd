//! Deterministic sequences: whether one can start, and its execution up to the end. Of every choice the first option is
//! taken that can be.

use selvedge_source::Span;

use super::Exec;
use super::step::{Done, yes_if};
use crate::program::{DNode, DStep, Op};

/// Nodes after which a sequence is taken to be infinite.
const MOST_NODES: u32 = 10_000_000;

impl Exec<'_> {
    /// Runs a deterministic sequence. `offer` is the rendezvous its first statement must take.
    pub(super) fn d_step(&mut self, code: &DStep, index: usize, mut offer: Option<i32>) -> Done {
        if (self.moved && code.begins_with_else()) || !self.d_step_can_start(code, offer, index) {
            return Done::No;
        }
        let mut at = code.entry;
        if self.test_only || offer.is_some() {
            match self.first_node(code, at, offer, index) {
                None => return Done::No,
                Some(_) if self.test_only => return Done::Yes,
                Some(node) => at = node,
            }
        }
        let mut first = true;
        let mut executed = 0u32;
        loop {
            match &code.nodes[at] {
                DNode::Exit => return Done::Yes,
                DNode::Jump(next) | DNode::Block(next) => at = *next,
                DNode::Choice { options, span } => {
                    match options.iter().find_map(|option| self.take_option(code, *option, index)) {
                        Some(next) => (first, at) = (false, next),
                        None if first && self.fault.is_none() => return Done::No,
                        None => return self.blocks_inside(*span, ": no option can be taken"),
                    }
                }
                DNode::Basic { op, span, next, executed: mark } => {
                    let done = match offer.take() {
                        Some(chan) => yes_if(self.take_offer(op, chan, index)),
                        None if matches!(op, Op::Else) => Done::Yes,
                        None => self.perform(op, index),
                    };
                    match done {
                        Done::Yes => {}
                        Done::No if first && self.fault.is_none() => return Done::No,
                        Done::No => return self.blocks_inside(*span, ""),
                        Done::Offered(_) => {
                            self.runtime_error(*span, "a rendezvous send inside a d_step sequence".to_owned());
                            return Done::No;
                        }
                    }
                    mark.reach();
                    (first, at) = (false, *next);
                }
            }
            executed += 1;
            if executed > MOST_NODES {
                let span = self.program.protos[usize::from(self.s.procs[index].proto)].span;
                self.runtime_error(span, "a d_step sequence does not end".to_owned());
                return Done::No;
            }
        }
    }

    #[cold]
    fn blocks_inside(&mut self, span: Span, why: &str) -> Done {
        self.runtime_error(span, format!("a d_step sequence blocks here{why}"));
        Done::No
    }

    /// Executes the statement with which a path from `node` starts, if it can. Returns the node behind it.
    fn take_option(&mut self, code: &DStep, node: usize, index: usize) -> Option<usize> {
        let at = behind_jumps(code, node);
        match &code.nodes[at] {
            DNode::Exit => Some(at),
            DNode::Jump(_) | DNode::Block(_) => None,
            DNode::Choice { options, .. } => options.iter().find_map(|option| self.take_option(code, *option, index)),
            DNode::Basic { op, span, next, executed } => {
                let noted = self.noted.len();
                let done = if matches!(op, Op::Else) { Done::Yes } else { self.perform(op, index) };
                match done {
                    Done::Yes => {
                        executed.reach();
                        return Some(*next);
                    }
                    Done::No => self.noted.truncate(noted),
                    Done::Offered(_) => {
                        self.runtime_error(*span, "a rendezvous send inside a d_step sequence".to_owned());
                    }
                }
                None
            }
        }
    }

    /// The basic node (or exit) with which a path from `node` can start, if it can.
    fn first_node(&mut self, code: &DStep, node: usize, offer: Option<i32>, index: usize) -> Option<usize> {
        let at = behind_jumps(code, node);
        match &code.nodes[at] {
            DNode::Exit => Some(at),
            DNode::Jump(_) | DNode::Block(_) => None,
            DNode::Choice { options, .. } => {
                options.iter().find_map(|option| self.first_node(code, *option, offer, index))
            }
            DNode::Basic { op, .. } => {
                let possible = match (offer, op) {
                    (Some(chan), Op::Receive(receive)) => self.offer_matches(receive, chan),
                    (Some(_), _) => false,
                    (None, Op::Else) => true,
                    (None, op) => self.is_possible(op, index),
                };
                possible.then_some(at)
            }
        }
    }

    /// A `d_step` that starts with a choice starts only if a condition, send, receive or `else`
    /// among the guards allows it; as in Spin, assignments beside such guards do not count.
    fn d_step_can_start(&mut self, code: &DStep, offer: Option<i32>, index: usize) -> bool {
        let DNode::Choice { options, .. } = &code.nodes[behind_jumps(code, code.entry)] else { return true };
        self.some_guard_holds(code, options, offer, index, code.nodes.len()).unwrap_or(true)
    }

    /// Whether a guard among the options holds; `None` if none of them starts with one. What stands in a block of its
    /// own does not count, unless that starts with a choice. `depth` ends options that jump back to their choice.
    fn some_guard_holds(
        &mut self,
        code: &DStep,
        options: &[usize],
        offer: Option<i32>,
        index: usize,
        depth: usize,
    ) -> Option<bool> {
        let mut any = None;
        for option in options.iter().filter(|_| depth > 0) {
            let at = behind_gotos(code, *option);
            let node = match &code.nodes[at] {
                DNode::Block(inner) => *inner,
                _ => at,
            };
            let holds =
                match &code.nodes[node] {
                    DNode::Choice { options, .. } => self.some_guard_holds(code, options, offer, index, depth - 1),
                    DNode::Basic {
                        op: Op::Condition(_) | Op::Else | Op::Send(_) | Op::Receive(_) | Op::Skip, ..
                    } if node == at => Some(self.first_node(code, at, offer, index).is_some()),
                    _ => None,
                };
            any = holds.map_or(any, |holds| Some(holds || any.unwrap_or(false)));
        }
        any
    }
}

impl Op {
    /// Whether it can be executed only if nothing beside it can: `else`, or a deterministic sequence that begins with it.
    pub(crate) fn is_otherwise(&self) -> bool {
        match self {
            Op::Else => true,
            Op::DStep(code) => code.begins_with_else(),
            _ => false,
        }
    }
}

impl DStep {
    /// Whether its first statement is an `else`, which is that of the selection in which the sequence is an option.
    pub(crate) fn begins_with_else(&self) -> bool {
        matches!(self.nodes[behind_jumps(self, self.entry)], DNode::Basic { op: Op::Else, .. })
    }
}

/// The node that jumps lead to (one of them, if they go round in circles).
fn behind_jumps(code: &DStep, node: usize) -> usize {
    let mut at = node;
    for _ in 0..code.nodes.len() {
        match &code.nodes[at] {
            DNode::Jump(next) | DNode::Block(next) => at = *next,
            _ => break,
        }
    }
    at
}

/// The node that jumps lead to; blocks are not entered.
fn behind_gotos(code: &DStep, node: usize) -> usize {
    let mut at = node;
    for _ in 0..code.nodes.len() {
        match &code.nodes[at] {
            DNode::Jump(next) => at = *next,
            _ => break,
        }
    }
    at
}
