//! Bounds on preemptions and switches, with and without infinite runs, and on the switches of each thread: the engines against
//! the plain interpreter, which explores everything within the bound.

use selvedge_boolprog_judge::{Goals, explore_within};
use selvedge_boolprog_syntax::ast::Program;
use selvedge_verify::request::{Engine, Recheck, Request};
use selvedge_verify::{
    Bound, BoundKind, Budget, Effort, Interrupt, Limits, LoadedModel, Refusal, Silent, Verdict, verify,
};

/// What the interpreter may do for one bound.
const EFFORT: Effort = Effort { steps: 20_000, stack: 6 };
/// States of an engine.
const MOST_STATES: u64 = 50_000;

/// How many bounds were compared; the error says who disagrees.
pub fn compare(program: &Program, model: &LoadedModel) -> Result<u64, String> {
    let mut compared = 0;
    for value in [0, 1, 2] {
        for kind in [BoundKind::Preemptions, BoundKind::Switches, BoundKind::ThreadSwitches, BoundKind::Strata] {
            let by_thread = matches!(kind, BoundKind::ThreadSwitches | BoundKind::Strata);
            for (infinite_runs, fair) in [(false, false), (true, false), (true, true)] {
                if infinite_runs && by_thread {
                    continue;
                }
                let goals = Goals { infinite_runs, fair, ..Goals::default() };
                let bound = Bound { kind, value: Some(value) };
                compared += u64::from(one(program, model, &goals, bound)?);
            }
        }
    }
    Ok(compared)
}

/// Whether a bound was compared.
fn one(program: &Program, model: &LoadedModel, goals: &Goals, bound: Bound) -> Result<bool, String> {
    let explored = explore_within(program, goals, bound, false, EFFORT, &Budget::unlimited());
    let found = !explored.violations.is_empty();
    if !found && !explored.complete {
        return Ok(false);
    }
    let budget = Budget::start(Limits { states: Some(MOST_STATES), ..Limits::default() }, Interrupt::new());
    let verdict = match verify(model, &request(goals, bound), &budget, &mut Silent) {
        Ok(answer) => answer.verdict,
        // Not for this engine, or a program that was shrunk too far.
        Err(Refusal::Request { .. } | Refusal::Model { .. }) => return Ok(false),
        Err(refusal) => return Err(format!("{bound}, {goals:?}: {refusal}")),
    };
    let wrong = match verdict {
        Verdict::Violated => !found && explored.complete,
        Verdict::Holds | Verdict::HoldsWithinBound => found,
        Verdict::Inconclusive => return Ok(false),
    };
    match wrong {
        true => Err(format!("{bound}, {goals:?}: {verdict:?}, the interpreter explores {explored:?}")),
        false => Ok(true),
    }
}

fn request(goals: &Goals, bound: Bound) -> Request {
    let mut request = Request { recheck: Recheck::None, ..Request::default() };
    match bound.kind {
        BoundKind::Preemptions => request.bounds.preemptions = bound.value,
        BoundKind::Switches => request.bounds.switches = bound.value,
        BoundKind::ThreadSwitches => request.bounds.thread_switches = bound.value,
        _ => request.bounds.strata = bound.value,
    }
    let by_thread = matches!(bound.kind, BoundKind::ThreadSwitches | BoundKind::Strata);
    request.engine = Some(if by_thread { Engine::Dynamic } else { Engine::Explicit });
    (request.properties.non_progress, request.properties.fair) = (goals.infinite_runs, goals.fair);
    request
}
