//! Bounds on preemptions and switches, with and without infinite runs, and on the switches of each thread: the engines against
//! the plain interpreter, which explores everything within the bound.

use selvedge_boolprog_judge::{Goals, explore_values_within, explore_within};
use selvedge_boolprog_syntax::ast::{Program, StmtKind, walk};
use selvedge_boolprog_syntax::print;
use selvedge_verify::request::{Dialect, Engine, Recheck, Request};
use selvedge_verify::{
    Bound, BoundKind, Budget, Effort, Interrupt, Language, Limits, LoadOptions, LoadedModel, Refusal, Silent, Verdict,
    load_input, verify,
};

/// What the interpreter may do for one bound. Where threads are created there are up to 24 of them, and each step asks which of
/// them are enabled.
fn effort(program: &Program) -> Effort {
    Effort { steps: if creates_threads(program) { 500 } else { 5_000 }, stack: 6 }
}

/// Whether a program creates threads.
pub(super) fn creates_threads(program: &Program) -> bool {
    let mut creates = false;
    for function in &program.functions {
        walk(&function.body, &mut |statement| creates |= matches!(statement.kind, StmtKind::Start { .. }));
    }
    creates
}

/// The model of a generated program. Its dialect is not what its text looks like: in another one the variable `atomic` is
/// a variable like others.
pub(super) fn load(program: &Program) -> Result<LoadedModel, Refusal> {
    let (language, dialect) = (Some(Language::Bp), Some(Dialect::Getafix));
    let options = LoadOptions { language, dialect, ..LoadOptions::default() };
    load_input("program.bp", &print::program(program), &options)
}

/// States of an engine. Where threads are created without end, each state has more of them, and as many steps.
fn most_states(program: &Program) -> u64 {
    if creates_threads(program) { 1_000 } else { 10_000 }
}

/// Calls inside each other that the explicit engine follows: more than the interpreter, and few, since a recursion inside an
/// atomic section stores no states and would go on to the limit of the engine.
pub(super) const STACK: u32 = 8;

/// How many bounds were compared; the error says who disagrees.
pub(super) fn compare(program: &Program, model: &LoadedModel) -> Result<u64, String> {
    let mut compared = 0;
    for value in [0, 1, 2] {
        for kind in [BoundKind::Preemptions, BoundKind::Switches, BoundKind::ThreadSwitches, BoundKind::Strata] {
            let by_thread = matches!(kind, BoundKind::ThreadSwitches | BoundKind::Strata);
            let infinite = |fair| Goals { infinite_runs: true, fair, ..Goals::default() };
            let deadlock = Goals { deadlock: true, ..Goals::default() };
            for goals in [Goals::default(), infinite(false), infinite(true), deadlock] {
                if (goals.infinite_runs || goals.deadlock) && by_thread {
                    continue;
                }
                let bound = Bound { kind, value: Some(value) };
                compared += u64::from(one(program, model, &goals, bound)?);
            }
        }
    }
    Ok(compared)
}

/// Whether a bound was compared.
fn one(program: &Program, model: &LoadedModel, goals: &Goals, bound: Bound) -> Result<bool, String> {
    let (effort, budget) = (effort(program), Budget::unlimited());
    let explored = explore_within(program, goals, bound, false, effort, &budget);
    let found = !explored.violations.is_empty();
    if bound.kind == BoundKind::Preemptions || goals.fair || goals.deadlock {
        // Values that are chosen late must cost no more and no less than values that are chosen at once.
        let values = explore_values_within(program, goals, bound, false, effort, &budget);
        let violated = !values.violations.is_empty();
        if (values.complete || violated) && (explored.complete || found) && violated != found {
            return Err(format!(
                "{bound}, {goals:?}: the interpreter explores {explored:?}, value by value {values:?}"
            ));
        }
    }
    if !found && !explored.complete {
        return Ok(false);
    }
    let budget = Budget::start(Limits { states: Some(most_states(program)), ..Limits::default() }, Interrupt::new());
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
    // The other engine knows no limit of the stack.
    request.machine.stack = (!by_thread).then_some(STACK);
    (request.properties.non_progress, request.properties.fair) = (goals.infinite_runs, goals.fair);
    request.properties.deadlock = goals.deadlock;
    request
}
