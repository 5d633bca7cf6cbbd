//! The nearest run that passes: two neighbouring steps of different threads or, if that does not help, two neighbouring
//! contexts that, in the other order, lead past the violation. Every candidate is executed by the judge of the language;
//! what it cannot execute is no candidate.

use std::ops::Range;

use selvedge_core::trace::{Changes, TraceStep};
use selvedge_core::{ReplayError, Trace, ViolationKind};
use selvedge_source::Cancel;

use crate::model::OpenModel;

/// Steps that the judge executes at most.
const STEPS: usize = 20_000;

/// Two pieces of the run, each by its first and last step, from 1. What is nearest to the end is taken; the last step
/// itself, which shows the violation, is moved only if nothing else helps. `None` if it was cancelled, too: the run itself
/// is known then.
pub(crate) fn passing_swap(model: &OpenModel, trace: &Trace, cancel: &Cancel) -> Option<[[u32; 2]; 2]> {
    use ViolationKind::{Assertion, InvalidEndState, LabelReached, RuntimeError, TargetCovered};
    let kind = trace.violation.as_ref()?.kind;
    if !matches!(kind, Assertion | RuntimeError | InvalidEndState | LabelReached | TargetCovered) {
        return None;
    }
    let affordable = STEPS / (2 * trace.steps.len().max(1));
    let passes = |pair: &[Range<usize>; 2]| passes(model, trace, pair, cancel);
    let [one, other] = candidates(trace).into_iter().take(affordable).find(passes)?;
    Some([one, other].map(|piece| [piece.start as u32 + 1, piece.end as u32]))
}

/// Neighbouring pieces of different threads, in the order in which they are tried.
fn candidates(trace: &Trace) -> Vec<[Range<usize>; 2]> {
    let thread = |index: usize| trace.steps[index].thread;
    let mut contexts: Vec<Range<usize>> = Vec::new();
    for index in 0..trace.steps.len() {
        match contexts.last_mut().filter(|last| thread(last.start) == thread(index)) {
            Some(last) => last.end = index + 1,
            None => contexts.push(index..index + 1),
        }
    }
    let neighbours = |pair: &[Range<usize>]| {
        let known = pair.iter().all(|piece| thread(piece.start).is_some());
        known.then(|| [pair[0].clone(), pair[1].clone()])
    };
    let pairs: Vec<[Range<usize>; 2]> = contexts.windows(2).filter_map(neighbours).collect();
    let borders = pairs.iter().map(|[one, other]| [one.end - 1..one.end, other.start..other.start + 1]);
    let mut all: Vec<[Range<usize>; 2]> = borders.rev().chain(pairs.iter().rev().cloned()).collect();
    // The failing step comes last; the order among the others stays.
    all.sort_by_key(|[_, other]| other.end == trace.steps.len());
    all.dedup();
    all
}

/// Whether the judge can execute the steps with two pieces swapped, and there is no such violation at the end.
fn passes(model: &OpenModel, trace: &Trace, [one, other]: &[Range<usize>; 2], cancel: &Cancel) -> bool {
    let mut swapped = trace.clone();
    swapped.steps[one.start..other.end].rotate_left(one.len());
    // The values are other ones now.
    swapped.steps.iter_mut().for_each(|step: &mut TraceStep| {
        step.changes = Changes::default();
        step.state = None;
    });
    let ends_in_violation = model.replay(&swapped, cancel);
    swapped.violation = None;
    matches!(ends_in_violation, Err(ReplayError::Mismatch { .. })) && model.replay(&swapped, cancel).is_ok()
}
