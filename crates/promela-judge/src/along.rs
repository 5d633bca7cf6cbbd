//! For tests: the steps of a state that a run leads to.

use std::collections::BTreeSet;

use selvedge_source::Span;

use super::finding::RunStep;
use super::state::State;
use super::{Interpreter, PlainStep};

/// Follows a run from the initial state and returns the steps of the state at its end: each of them once, in order. A
/// run names processes and places, so several states may fit it: then there is a list for each of them. Spans are
/// compared by their first byte. A step without a place fits every step of its process. Steps that cannot be completed
/// are steps, too.
///
/// Fails with the number, from 1, of the first step that cannot be executed.
pub(crate) fn enabled_along(interpreter: &Interpreter, run: &[RunStep]) -> Result<Vec<Vec<RunStep>>, usize> {
    let mut current = BTreeSet::from([interpreter.initial()]);
    for (index, named) in run.iter().enumerate() {
        let steps = current.iter().flat_map(|state| interpreter.steps_of(state));
        let next: BTreeSet<State> = steps.filter(|step| fits(named, step)).filter_map(|step| step.next).collect();
        if next.is_empty() {
            return Err(index + 1);
        }
        current = next;
    }
    let named = |state: &State| -> BTreeSet<RunStep> { interpreter.steps_of(state).iter().map(name).collect() };
    let lists: BTreeSet<BTreeSet<RunStep>> = current.iter().map(named).collect();
    Ok(lists.into_iter().map(|list| list.into_iter().collect()).collect())
}

impl Interpreter {
    fn steps_of(&self, s: &State) -> Vec<PlainStep> {
        self.bare_steps(&self.settle(s.clone()))
    }
}

fn name(step: &PlainStep) -> RunStep {
    RunStep { process: step.thread, span: step.span, partner: step.partner }
}

fn fits(named: &RunStep, step: &PlainStep) -> bool {
    let same = |a: Span, b: Span| a.file == b.file && a.start == b.start;
    let place = match (named.span, step.span) {
        (Some(named), Some(span)) => same(named, span),
        (Some(_), None) => false,
        (None, _) => true,
    };
    let partner = match (named.partner, step.partner) {
        (None, None) => true,
        (Some((named, place)), Some((receiver, span))) => named == receiver && same(place, span),
        _ => false,
    };
    named.process == step.thread && partner && place
}
