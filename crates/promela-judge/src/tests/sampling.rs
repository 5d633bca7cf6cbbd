//! Random runs find what is there, stay within their bound and can be repeated.

use selvedge_core::{Budget, Interrupt, Limits, ViolationKind};

use super::parse;
use crate::{
    Completion, Interpreter, Properties, RunBound, RunStep, Sampling, StepBudget, enabled_along, explore_within, sample,
};

const LOST_UPDATE: &str = "byte x, done; active [2] proctype P() { byte t; t = x; x = t + 1; done++; \
    if :: done == 2 -> assert(x == 2) :: else fi }";

fn properties() -> Properties {
    Properties { assertions: true, end_states: true, ..Properties::default() }
}

fn interpreter(text: &str) -> Interpreter {
    Interpreter::new(&parse(text), None).expect("a proper model")
}

#[test]
fn a_violation_is_found_within_its_bound_only() {
    let interpreter = interpreter(LOST_UPDATE);
    let sampling = Sampling { seed: 1, runs: 200, steps_per_run: 100 };
    let none = sample(&interpreter, &properties(), RunBound::preemptions(0), sampling, u64::MAX);
    assert!(none.findings.is_empty() && none.completion == Completion::Sampled);
    for bound in [RunBound::preemptions(1), RunBound::preemptions(3), RunBound::NONE] {
        let some = sample(&interpreter, &properties(), bound, sampling, u64::MAX);
        assert!(some.has(ViolationKind::Assertion), "{bound:?}");
        assert!(some.findings.iter().all(|found| bound.bound.value.is_none_or(|most| found.cost <= most)));
        let run = &some.findings[0].run;
        assert!(enabled_along(&interpreter, run).is_ok());
    }
}

#[test]
fn the_same_seed_gives_the_same_runs() {
    let interpreter = interpreter(LOST_UPDATE);
    let with = |seed| {
        let sampling = Sampling { seed, runs: 20, steps_per_run: 100 };
        sample(&interpreter, &properties(), RunBound::preemptions(2), sampling, u64::MAX)
    };
    assert_eq!(with(7), with(7));
}

#[test]
fn runs_do_not_stay_in_a_loop_that_waits() {
    let text = "byte lock = 1; active proctype P() { do :: lock == 0 -> break :: else od; assert(false) } \
                active proctype Q() { lock = 0 }";
    let sampling = Sampling { seed: 3, runs: 50, steps_per_run: 60 };
    let explored = sample(&interpreter(text), &properties(), RunBound::preemptions(0), sampling, u64::MAX);
    assert!(explored.has(ViolationKind::Assertion));
}

#[test]
fn samples_meet_most_of_what_there_is() {
    let text = "byte x, y; active [3] proctype P() { do :: d_step { x < 3 -> x++ } :: y < 3 -> y = 3 :: x > 0 && y > 0 -> d_step { x > 0; x-- } od }";
    let interpreter = interpreter(text);
    for bound in [RunBound::preemptions(1), RunBound::NONE] {
        let all = explore_within(&interpreter, &properties(), bound, 1_000_000);
        let sampling = Sampling { seed: 5, runs: 400, steps_per_run: 200 };
        let some = sample(&interpreter, &properties(), bound, sampling, u64::MAX);
        assert!(some.states <= all.states && 10 * some.states >= 9 * all.states, "{} {}", some.states, all.states);
    }
}

#[test]
fn enabled_steps_are_sorted_and_complete() {
    let text = "chan c = [0] of { byte }; byte x; active proctype S() { if :: c!1 :: x = 1 fi } \
                active [2] proctype R() { c?x }";
    let interpreter = interpreter(text);
    let steps = enabled_along(&interpreter, &[]).expect("the initial state");
    let [steps] = steps.as_slice() else { panic!("one state") };
    let processes: Vec<(Option<u32>, Option<u32>)> =
        steps.iter().map(|step| (step.process, step.partner.map(|(receiver, _)| receiver))).collect();
    assert_eq!(processes, [(Some(0), Some(1)), (Some(0), Some(2)), (Some(0), None)]);
    assert!(steps.is_sorted_by_key(|step| (step.process, step.span)));
    let after = enabled_along(&interpreter, &steps[..1]).expect("a step that was named");
    assert_eq!(after.len(), 1);
    let nowhere = RunStep { process: Some(1), span: None, partner: None };
    assert_eq!(enabled_along(&interpreter, &[nowhere]), Err(1));
}

#[test]
fn an_interrupt_ends_the_runs() {
    let interrupt = Interrupt::new();
    let limits = Budget::start(Limits::default(), interrupt.clone());
    let interpreter = interpreter(LOST_UPDATE);
    let sampling = Sampling { seed: 1, runs: 20, steps_per_run: 100 };
    let budget = StepBudget { steps: u64::MAX, limits: Some(limits) };
    let all = sample(&interpreter, &properties(), RunBound::NONE, sampling, budget.clone());
    assert_eq!(all.runs, 20);
    interrupt.set();
    let none = sample(&interpreter, &properties(), RunBound::NONE, sampling, budget);
    assert_eq!((none.runs, none.steps), (0, 0));
}

#[test]
fn the_budget_of_steps_ends_the_runs() {
    let sampling = Sampling { seed: 1, runs: 1_000, steps_per_run: 100 };
    let some = sample(&interpreter(LOST_UPDATE), &properties(), RunBound::NONE, sampling, 10);
    assert!(some.steps < 30 && some.runs < 1_000, "{some:?}");
}
