//! The assertions and statements of a model, and which of them a search has reached. An assertion that no run reaches
//! checks nothing, and a statement that is never executed is worth reporting. The marks are the only part of a
//! program that changes while it runs; nothing that the machine does depends on them.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};

use selvedge_source::Span;

use crate::program::{Action, DNode, Op, Program};

/// Whether a search has reached something.
#[derive(Debug, Default)]
pub struct Mark {
    reached: AtomicBool,
    /// It belongs to a statement of the model.
    counts: bool,
}

impl Mark {
    /// For what was written; what it does may be left out later. Jumps, `skip`, what was not written and assertions, which have
    /// marks of their own, do not count.
    pub(crate) fn of(action: &Action) -> Self {
        let counts = match action.op {
            Op::Skip => !is_jump(&action.text),
            Op::End | Op::Assert(..) => false,
            _ => true,
        };
        Mark { reached: AtomicBool::new(false), counts }
    }

    /// It has.
    pub fn reach(&self) {
        if !self.is_reached() {
            self.reached.store(true, Ordering::Relaxed);
        }
    }

    /// Whether it has.
    pub(crate) fn is_reached(&self) -> bool {
        self.reached.load(Ordering::Relaxed)
    }
}

impl Clone for Mark {
    fn clone(&self) -> Self {
        Mark { reached: AtomicBool::new(self.is_reached()), counts: self.counts }
    }
}

/// An assertion of the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AssertId(u32);

/// All of them.
#[derive(Clone, Debug, Default)]
pub struct Assertions {
    known: Vec<(Span, Mark)>,
}

impl Assertions {
    /// One more.
    pub fn add(&mut self, span: Span) -> AssertId {
        self.known.push((span, Mark::default()));
        AssertId(self.known.len() as u32 - 1)
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.known.len()
    }

    /// Marks one that is evaluated.
    pub fn reach(&self, AssertId(index): AssertId) {
        if let Some((_, reached)) = self.known.get(index as usize) {
            reached.reach();
        }
    }

    /// The places of those that were never evaluated; one in an inline counts as one, however often that is used.
    pub fn unreached(&self) -> Vec<Span> {
        unreached(self.known.iter().map(|(span, mark)| (*span, mark)))
    }
}

/// The places that are never marked.
fn unreached<'a>(known: impl Iterator<Item = (Span, &'a Mark)>) -> Vec<Span> {
    let (mut never, mut once) = (BTreeSet::new(), BTreeSet::new());
    for (span, mark) in known {
        let places = if mark.is_reached() { &mut once } else { &mut never };
        places.insert((span.file, span.start, span.end));
    }
    never.difference(&once).map(|(file, start, end)| Span { file: *file, start: *start, end: *end }).collect()
}

impl Program {
    /// The places of statements that were never executed, assertions aside. Jumps, `skip` and what was not written are no
    /// statements; one in an inline counts as one, however often that is used.
    pub fn never_executed(&self) -> Vec<Span> {
        let mut known: Vec<(Span, &Mark)> = Vec::new();
        for proto in &self.protos {
            for (action, mark) in proto.actions.iter().zip(&proto.executed) {
                match &action.op {
                    Op::DStep(code) => known.extend(code.nodes.iter().filter_map(|node| match node {
                        DNode::Basic { span, executed, .. } => Some((*span, executed)),
                        _ => None,
                    })),
                    _ => known.push((action.span, mark)),
                }
            }
        }
        unreached(known.into_iter().filter(|(_, mark)| mark.counts))
    }
}

/// Whether a statement without effect is a jump, or says itself that it has none.
fn is_jump(text: &str) -> bool {
    matches!(text, "break" | "skip" | "true" | "1" | "(leave the sequence)") || text.starts_with("goto")
}
