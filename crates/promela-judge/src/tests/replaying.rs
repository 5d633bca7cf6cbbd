//! Traces that the interpreter made itself are accepted, and refused once they are tampered with.

use std::collections::{BTreeSet, VecDeque};
use std::path::Path;

use selvedge_core::bound::BoundKind;
use selvedge_core::trace::{Changes, SCHEMA, Trace, TraceBound, TraceInput, TracePartner, TraceStep, TraceViolation};
use selvedge_core::{Switch, ViolationKind};
use selvedge_source::{Diagnostics, SourceMap};

use super::never;
use crate::{Interpreter, PlainStep, replay};
use selvedge_promela_syntax::ast::Model;
use selvedge_promela_syntax::parse::parse_text;

pub(super) fn read(text: &str) -> (Model, SourceMap) {
    let (mut sources, mut diagnostics) = (SourceMap::new(), Diagnostics::new());
    let mut no_files = |_: &Path| Err(std::io::ErrorKind::NotFound.into());
    let model = parse_text("test.pml", text, &mut no_files, &mut sources, &mut diagnostics);
    (model.unwrap_or_else(|| panic!("{diagnostics:?}")), sources)
}

/// A shortest trace to a violation of this kind.
fn trace_to(model: &Model, sources: &SourceMap, kind: ViolationKind) -> Trace {
    let interpreter = Interpreter::new(model, never(model)).expect("a proper model");
    let mut queue = VecDeque::from([(interpreter.initial(), Vec::<PlainStep>::new())]);
    let mut seen = BTreeSet::new();
    while let Some((state, path)) = queue.pop_front() {
        let steps = interpreter.steps(&state);
        if kind == ViolationKind::InvalidEndState && steps.is_empty() && !interpreter.is_valid_end(&state) {
            return as_trace(sources, &path, kind);
        }
        for step in steps {
            let longer: Vec<PlainStep> = path.iter().cloned().chain([step.clone()]).collect();
            if step.faults.iter().any(|(found, _)| *found == kind) {
                return as_trace(sources, &longer, kind);
            }
            if let Some(next) = step.next.filter(|next| seen.insert(next.clone())) {
                queue.push_back((next, longer));
            }
        }
    }
    panic!("no {kind:?}");
}

pub(super) fn as_trace(sources: &SourceMap, path: &[PlainStep], kind: ViolationKind) -> Trace {
    let place = |span| sources.location(span).into();
    let step = |step: &PlainStep| TraceStep {
        thread: step.thread,
        location: step.span.map(place),
        changes: Changes(step.changes.clone()),
        switch: Switch::None,
        partner: step.partner.map(|(thread, span)| TracePartner { thread, location: place(span), text: String::new() }),
        ..TraceStep::default()
    };
    let message = kind.words().to_string();
    let length = path.len() as u32;
    Trace {
        schema: SCHEMA,
        input: TraceInput { path: "test.pml".into(), language: "promela".into(), sha256: String::new() },
        options: Default::default(),
        bound: TraceBound { kind: BoundKind::Unbounded, value: None },
        violation: Some(TraceViolation {
            kind,
            message,
            location: None,
            preemptions: Some(0),
            preemptions_per_cycle: None,
            switches: 0,
            length,
            explanation: None,
            avoided_by_swapping: None,
        }),
        threads: Vec::new(),
        initial: Changes::default(),
        steps: path.iter().map(step).collect(),
        waiting: Vec::new(),
    }
}

const LOST_UPDATE: &str = "byte x, done; active [2] proctype P() { byte t; t = x; x = t + 1; done++; \
    if :: done == 2 -> assert(x == 2) :: else fi }";

#[test]
fn accepts_what_happens() {
    let models = [
        (ViolationKind::Assertion, LOST_UPDATE),
        (ViolationKind::InvalidEndState, "chan c = [0] of { bit }; active [3] proctype P() { if :: c!1 :: c?1 fi }"),
        (ViolationKind::ClaimCompleted, "bit x; active proctype P() { x = 1 } never { do :: !x :: x -> break od }"),
        (ViolationKind::RuntimeError, "byte x = 1; active proctype P() { do :: x-- ; x = 4 / x od }"),
    ];
    for (kind, text) in models {
        let (model, sources) = read(text);
        let trace = trace_to(&model, &sources, kind);
        assert_eq!(replay(&model, never(&model), &sources, &trace), Ok(()), "{text}");
    }
}

#[test]
fn refuses_another_order() {
    let (model, sources) = read(LOST_UPDATE);
    let mut trace = trace_to(&model, &sources, ViolationKind::Assertion);
    trace.steps.swap(0, 2);
    let error = replay(&model, None, &sources, &trace).expect_err("the order is wrong");
    assert_eq!(error.step(), Some(1));
}

#[test]
fn refuses_another_value() {
    let (model, sources) = read(LOST_UPDATE);
    let mut trace = trace_to(&model, &sources, ViolationKind::Assertion);
    let changed = trace.steps.iter().position(|step| step.changes.0.iter().any(|(name, _)| name == "x")).unwrap();
    trace.steps[changed].changes = Changes(vec![("x".into(), "9".into())]);
    let error = replay(&model, None, &sources, &trace).expect_err("the value is wrong");
    assert_eq!(error.step(), Some(changed + 1));
}

#[test]
fn refuses_a_violation_that_is_not_there() {
    let (model, sources) = read(LOST_UPDATE);
    let mut trace = trace_to(&model, &sources, ViolationKind::Assertion);
    trace.steps.pop();
    let error = replay(&model, None, &sources, &trace).expect_err("the run ends too early");
    assert_eq!(error.step(), Some(trace.steps.len()));
}

/// The trace of a lasso: the places of its steps as the model has them, the cycle from `start` on.
fn lasso(text: &str, choices: &[usize], start: usize, kind: ViolationKind) -> (Model, SourceMap, Trace) {
    let (model, sources) = read(text);
    let interpreter = Interpreter::new(&model, never(&model)).expect("a proper model");
    let (mut state, mut path) = (interpreter.initial(), Vec::new());
    for choice in choices {
        let step = interpreter.steps(&state).swap_remove(*choice);
        state = step.next.clone().expect("a step that can be completed");
        path.push(step);
    }
    let mut trace = as_trace(&sources, &path, kind);
    trace.steps[start].cycle_start = true;
    (model, sources, trace)
}

#[test]
fn a_cycle_must_restore_hidden_variables_that_are_read() {
    let kind = ViolationKind::NonProgressCycle;
    let counts = "hidden byte n; active proctype P() { do :: n < 9 -> n++ od }";
    let (model, sources, trace) = lasso(counts, &[0, 0], 0, kind);
    assert!(replay(&model, None, &sources, &trace).is_err());
    let counts_for_nothing = "hidden byte n; active proctype P() { do :: true -> n++ od }";
    let (model, sources, trace) = lasso(counts_for_nothing, &[0, 0], 0, kind);
    assert_eq!(replay(&model, None, &sources, &trace), Ok(()));
}

#[test]
fn a_fair_cycle_lets_every_enabled_process_move() {
    let kind = ViolationKind::NonProgressCycle;
    let idle = "byte x; active proctype P() { do :: true od } active proctype Q() { do :: x = 1 - x od }";
    let (model, sources, mut trace) = lasso(idle, &[1], 0, kind);
    assert_eq!(replay(&model, None, &sources, &trace), Ok(()), "an unfair cycle is one");
    trace.options.fair = true;
    assert!(replay(&model, None, &sources, &trace).is_err());
    let (model, sources, mut trace) = lasso(idle, &[1, 0, 0], 0, kind);
    trace.options.fair = true;
    assert_eq!(replay(&model, None, &sources, &trace), Ok(()));
    let blocked = "byte x; active proctype P() { do :: x = 1 - x od } active proctype Q() { x == 1; x == 2 }";
    let (model, sources, mut trace) = lasso(blocked, &[0, 1], 0, kind);
    trace.options.fair = true;
    assert_eq!(replay(&model, None, &sources, &trace), Ok(()), "Q is not enabled all the time");
}
