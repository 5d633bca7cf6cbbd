//! Which statements some run of a tiny model executes, by brute force.

use std::collections::{BTreeSet, HashSet};

use selvedge_source::Span;

use super::Interpreter;
use super::flow::{Action, El, Flow, Seq};
use super::state::State;

/// The places of the statements of a model, and of those that are executed in some run. Jumps, `skip` and what was not
/// written are no statements.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    /// All of them but the assertions.
    pub statements: BTreeSet<Span>,
    /// The assertions.
    pub assertions: BTreeSet<Span>,
    /// Those that a run executes, whether they are statements in the sense above or not.
    pub executed: BTreeSet<Span>,
}

impl Coverage {
    /// The statements that no run executes.
    pub fn never_executed(&self) -> BTreeSet<Span> {
        self.statements.difference(&self.executed).copied().collect()
    }

    /// The assertions that no run evaluates.
    pub fn never_asserted(&self) -> BTreeSet<Span> {
        self.assertions.difference(&self.executed).copied().collect()
    }
}

/// Explores every run, or gives up at more than `max_states`.
pub fn coverage(interpreter: &Interpreter, max_states: usize) -> Option<Coverage> {
    let places = |wanted: fn(&Action) -> bool| -> BTreeSet<Span> {
        interpreter.protos.iter().flat_map(|proto| places_of(&proto.flow, wanted)).collect()
    };
    let (statements, assertions) = (places(is_statement), places(|action| matches!(action, Action::Assert(_))));
    let mut coverage = Coverage { statements, assertions, executed: BTreeSet::new() };
    let mut known: HashSet<State> = HashSet::new();
    let mut waiting = vec![interpreter.initial()];
    while let Some(state) = waiting.pop() {
        let state = interpreter.settle(state);
        if !known.insert(state.clone()) {
            continue;
        }
        if known.len() > max_states {
            return None;
        }
        for step in interpreter.bare_steps(&state) {
            let partner = step.partner.map(|(_, span)| span);
            coverage.executed.extend(step.inside.into_iter().chain(step.span).chain(partner));
            waiting.extend(step.next);
        }
    }
    Some(coverage)
}

fn places_of(flow: &Flow, wanted: fn(&Action) -> bool) -> impl Iterator<Item = Span> {
    let left_out = ignored(flow);
    let elements = flow.elements.iter().enumerate().filter(move |(at, _)| !left_out.contains(at));
    elements.filter(move |(_, element)| wanted(&element.action)).filter_map(|(_, element)| element.span)
}

/// What is in escapes inside of a `d_step`: they have no effect, as a warning says, so that what is in them is no statement,
/// except where a jump may lead there.
fn ignored(flow: &Flow) -> BTreeSet<El> {
    let mut ignored = BTreeSet::new();
    for element in &flow.elements {
        if let (Action::Unless, true, [_, escape]) = (&element.action, element.in_d_step, element.parts.as_slice()) {
            let mut inside = BTreeSet::new();
            put_elements(flow, *escape, &mut inside);
            if inside.iter().all(|&at| flow.elements[at].labels.is_empty()) {
                ignored.extend(inside);
            }
        }
    }
    ignored
}

fn put_elements(flow: &Flow, seq: Seq, out: &mut BTreeSet<El>) {
    let mut at = seq.first;
    while out.insert(at) {
        let element = &flow.elements[at];
        element.parts.iter().for_each(|part| put_elements(flow, *part, out));
        match element.next {
            Some(next) if at != seq.last => at = next,
            _ => break,
        }
    }
}

fn is_statement(action: &Action) -> bool {
    match action {
        Action::Cond(_) => !action.is_skip(),
        Action::Assign(..) | Action::Declare(..) | Action::Print(_) | Action::Else => true,
        Action::Send { .. } | Action::Receive { .. } => true,
        _ => false,
    }
}
