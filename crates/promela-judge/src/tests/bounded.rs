//! Exploration within a bound: known figures, a brute force that shares only the steps of a state, and the exploration
//! without a bound.

use std::collections::{BTreeMap, BTreeSet};

use selvedge_core::ViolationKind;
use selvedge_core::bound::{Bound, BoundKind};

use super::{MOST_STATES, corpus, header, never, parse};
use crate::{Completion, Explored, Interpreter, Properties, RunBound, State, enabled_along, explore, explore_within};
use selvedge_promela_syntax::parse::parse_file;
use selvedge_source::{Diagnostics, SourceMap};

const ALL: u64 = 10_000_000;

fn everything() -> Properties {
    Properties { assertions: true, end_states: true, ..Properties::default() }
}

fn at_most(kind: BoundKind, value: u32) -> RunBound {
    RunBound { bound: Bound { kind, value: Some(value) }, count_busy_wait: false }
}

fn interpreter(text: &str) -> Interpreter {
    let model = parse(text);
    Interpreter::new(&model, never(&model)).expect("a proper model")
}

fn explored(text: &str, bound: RunBound) -> Explored {
    explore_within(&interpreter(text), &everything(), bound, ALL)
}

fn states(text: &str, bounds: &[u32]) -> Vec<usize> {
    bounds.iter().map(|bound| explored(text, RunBound::preemptions(*bound)).states).collect()
}

/// Each of `count` processes adds one and takes it back.
fn worst_case(count: usize) -> String {
    format!("byte count; active [{count}] proctype P() {{ count++; count-- }}")
}

/// The last one takes the forks in the other order.
const PHILOSOPHERS: &str = "bool taken[4]; active [4] proctype P() { byte first = (_pid == 3 -> 0 : _pid); \
    byte second = (_pid == 3 -> 3 : _pid + 1); do :: atomic { !taken[first] -> taken[first] = true }; \
    atomic { !taken[second] -> taken[second] = true }; taken[second] = false; taken[first] = false od }";

#[test]
fn the_worst_case_has_the_known_numbers_of_states() {
    assert_eq!(states(&worst_case(3), &[0]), [28]);
    assert_eq!(states(&worst_case(10), &[0, 1, 2]), [8960, 25599, 48128]);
}

#[test]
fn philosophers_who_eat_do_not_wait() {
    assert_eq!(states(PHILOSOPHERS, &[0, 1, 2, 3]), [13, 64, 79, 79]);
}

#[test]
fn bounds_without_a_value_give_all_states_and_least_costs() {
    let all = RunBound { bound: Bound { kind: BoundKind::Preemptions, value: None }, count_busy_wait: false };
    assert_eq!(explored(PHILOSOPHERS, all).states, 79);
    let text = "byte x; active [2] proctype P() { byte t; t = x; x = t + 1; assert(x == t + 1) }";
    let least = |bound| explored(text, bound).findings.first().map(|found| (found.kind, found.cost));
    assert_eq!(least(RunBound::preemptions(0)), None);
    assert_eq!(least(all), Some((ViolationKind::Assertion, 1)));
}

#[test]
fn a_rendezvous_hands_over_to_the_receiver() {
    // The receiver runs last: its own next step is no switch, the sender's is a preemption.
    let text = "chan c = [0] of { bit }; byte x; active proctype S() { c!1; x = 1 } \
                active proctype R() { c?_; x == 0; assert(false) }";
    let found = explored(text, at_most(BoundKind::Switches, 9)).findings;
    let assertion = found.iter().find(|found| found.kind == ViolationKind::Assertion).expect("it fails");
    assert_eq!(assertion.cost, 0);
    let text = "chan c = [0] of { bit }; byte x; active proctype S() { c!1; assert(x) } \
                active proctype R() { c?_; x = 1 }";
    let found = explored(text, RunBound::preemptions(9)).findings;
    let assertion = found.iter().find(|found| found.kind == ViolationKind::Assertion).expect("it fails");
    assert_eq!(assertion.cost, 1);
}

#[test]
fn waiting_in_a_loop_is_no_preemption_unless_counted() {
    let text = "byte lock = 1; active proctype P() { do :: lock == 0 -> break :: else od; assert(false) } \
                active proctype Q() { lock = 0 }";
    let found = |count_busy_wait| {
        let bound = RunBound { count_busy_wait, ..RunBound::preemptions(9) };
        let found = explored(text, bound).findings;
        found.iter().find(|found| found.kind == ViolationKind::Assertion).map(|found| found.cost)
    };
    // Even then Q can run first.
    assert_eq!((found(false), found(true)), (Some(0), Some(0)));
    let forced = "byte lock = 1, begun; active proctype P() { begun = 1; do :: lock == 0 -> break :: else od; \
                  assert(false) } active proctype Q() { begun; lock = 0 }";
    let cost = |count_busy_wait| {
        let bound = RunBound { count_busy_wait, ..RunBound::preemptions(9) };
        let found = explored(forced, bound).findings;
        found.iter().find(|found| found.kind == ViolationKind::Assertion).map(|found| found.cost)
    };
    assert_eq!((cost(false), cost(true)), (Some(0), Some(1)));
}

#[test]
fn rounds_and_depth_are_counted() {
    // The second process must run before the first one.
    let text = "byte x; active proctype P() { x == 1; assert(false) } active proctype Q() { x = 1 }";
    let least = |kind| {
        let bound = RunBound { bound: Bound { kind, value: None }, count_busy_wait: false };
        let found = explored(text, bound).findings;
        found.iter().find(|found| found.kind == ViolationKind::Assertion).map(|found| found.cost)
    };
    assert_eq!(least(BoundKind::Rounds), Some(2));
    assert_eq!(least(BoundKind::Depth), Some(3));
    assert!(explored(text, at_most(BoundKind::Rounds, 1)).findings.is_empty());
    let unknown = explored(text, at_most(BoundKind::Strata, 1));
    assert_eq!(unknown.completion, Completion::Unsupported(BoundKind::Strata));
}

#[test]
fn a_budget_is_kept() {
    let explored = explore_within(&interpreter(&worst_case(9)), &everything(), RunBound::NONE, 5000);
    assert_eq!(explored.completion, Completion::OutOfBudget);
    assert!((5000..5100).contains(&explored.steps), "{}", explored.steps);
}

#[test]
fn labels_are_reached_at_their_cost() {
    let text = "byte x; active proctype P() { x = 1; x == 2; here: x = 3 } active proctype Q() { x == 1; x = 2 }";
    let properties = Properties { reach: Some("P@here".into()), ..Properties::default() };
    let explored = explore_within(&interpreter(text), &properties, RunBound::preemptions(3), ALL);
    let reached: Vec<u32> = explored.findings.iter().map(|found| found.cost).collect();
    assert_eq!((reached, explored.has(ViolationKind::LabelReached)), (vec![0], true));
}

/// The tiny models of the corpus, with their claims.
fn tiny_models() -> Vec<(String, Interpreter)> {
    let mut models = Vec::new();
    for path in corpus() {
        let text = std::fs::read_to_string(&path).expect("a readable file");
        let size: Option<usize> = header(&text, "states").and_then(|states| states.parse().ok());
        if size.is_none_or(|size| size > MOST_STATES) {
            continue;
        }
        let (mut sources, mut diagnostics) = (SourceMap::new(), Diagnostics::new());
        let model = parse_file(&path, &mut sources, &mut diagnostics).expect("a model");
        let Ok(interpreter) = Interpreter::new(&model, never(&model)) else { continue };
        models.push((path.display().to_string(), interpreter));
    }
    assert!(models.len() > 100, "the corpus is there");
    models
}

#[test]
fn without_a_bound_all_explorations_agree() {
    for (path, interpreter) in tiny_models() {
        let Some((states, kinds)) = explore(&interpreter, 4 * MOST_STATES) else { continue };
        let all = RunBound { bound: Bound { kind: BoundKind::Preemptions, value: None }, count_busy_wait: false };
        for bound in [RunBound::NONE, all] {
            let explored = explore_within(&interpreter, &everything(), bound, ALL);
            assert_eq!(explored.completion, Completion::Complete, "{path}");
            let found: BTreeSet<ViolationKind> = explored.findings.iter().map(|found| found.kind).collect();
            if !interpreter.reads.hidden_decide() {
                assert_eq!((explored.states, &found), (states, &kinds), "{path}");
            }
            assert!(explored.states >= states && found.is_superset(&kinds), "{path}");
        }
    }
}

#[test]
fn runs_of_findings_can_be_followed() {
    for (path, interpreter) in tiny_models() {
        let explored = explore_within(&interpreter, &everything(), RunBound::preemptions(2), ALL);
        for found in explored.findings {
            let run = match found.kind {
                ViolationKind::InvalidEndState => found.run.as_slice(),
                _ => found.run.split_last().map_or(&[][..], |(_, before)| before),
            };
            let enabled = enabled_along(&interpreter, run).unwrap_or_else(|step| panic!("{path}: step {step}"));
            let there = match found.run.last() {
                Some(last) if found.kind != ViolationKind::InvalidEndState => enabled.iter().any(|l| l.contains(last)),
                Some(_) => enabled.iter().any(Vec::is_empty),
                None => true,
            };
            assert!(there, "{path}: {found:?}");
        }
    }
}

/// The least cost of every node, by going over all nodes until nothing changes.
fn brute_force(interpreter: &Interpreter, preemptions: bool, most: u32) -> (usize, BTreeMap<ViolationKind, u32>) {
    let mut costs: BTreeMap<(State, Option<u32>), u32> = BTreeMap::from([((interpreter.initial(), None), 0)]);
    let mut found: BTreeMap<ViolationKind, u32> = BTreeMap::new();
    let mut note = |kind, cost| {
        let least = found.entry(kind).or_insert(cost);
        *least = cost.min(*least);
    };
    if interpreter.claim_is_done(&interpreter.initial()) {
        note(ViolationKind::ClaimCompleted, 0);
    }
    loop {
        let before = costs.clone();
        for ((state, last), cost) in &before {
            let steps = interpreter.steps(state);
            if steps.is_empty() && !interpreter.is_valid_end(state) {
                note(ViolationKind::InvalidEndState, *cost);
            }
            for step in &steps {
                let switches = matches!((last, step.thread), (Some(last), Some(thread)) if *last != thread);
                let left_waiting = last.is_some_and(|last| {
                    steps.iter().all(|step| step.thread != Some(last)) || interpreter.is_spinning(state, last)
                });
                let cost = cost + u32::from(switches && !(preemptions && left_waiting));
                if cost > most {
                    continue;
                }
                step.faults.iter().for_each(|(kind, _)| note(*kind, cost));
                let Some(next) = step.next.clone() else { continue };
                let runner = step.partner.map(|(receiver, _)| receiver).or(step.thread).or(*last);
                let least = costs.entry((interpreter.settle(next), runner)).or_insert(cost);
                *least = cost.min(*least);
            }
        }
        if costs == before {
            break;
        }
    }
    let stored = costs.keys().filter(|(state, _)| state.is_stored()).map(|(state, _)| state.key());
    (stored.collect::<BTreeSet<State>>().len(), found)
}

#[test]
fn least_costs_are_those_of_a_brute_force() {
    let own = [
        worst_case(3),
        "byte turn, x; active [2] proctype P() { do :: turn == _pid -> x = 1 - x; turn = 1 - turn :: else od }".into(),
        "chan c = [0] of { byte }; byte x; active [2] proctype S() { c!_pid; x++ } active proctype R() { byte v; \
         c?v; x = v; do :: x == 2 -> break :: else od; c?v; assert(v == 0) }"
            .into(),
        "bit l; byte n; active [2] proctype P() { bit t = 1; do :: atomic { t = l; l = 1 }; if :: t == 0 -> break \
         :: else fi od; n++; assert(n == 1); n--; l = 0 }"
            .into(),
    ];
    let own = own.iter().map(|text| (text.clone(), interpreter(text)));
    let tiny = tiny_models()
        .into_iter()
        .filter(|(_, interpreter)| !interpreter.reads.hidden_decide() && explore(interpreter, 60).is_some());
    for (name, interpreter) in own.chain(tiny) {
        for (kind, most) in [(BoundKind::Preemptions, 0), (BoundKind::Preemptions, 2), (BoundKind::Switches, 3)] {
            let (states, found) = brute_force(&interpreter, kind == BoundKind::Preemptions, most);
            let explored = explore_within(&interpreter, &everything(), at_most(kind, most), ALL);
            let mut least: BTreeMap<ViolationKind, u32> = BTreeMap::new();
            for found in explored.findings {
                least.entry(found.kind).or_insert(found.cost);
            }
            assert_eq!((explored.states, least), (states, found), "{name}: {kind:?} {most}");
        }
    }
}
