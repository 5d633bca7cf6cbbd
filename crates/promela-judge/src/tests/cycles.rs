//! Infinite runs of small models, and of the models of the corpus that have no formula.

use selvedge_core::ViolationKind;
use selvedge_core::bound::{Bound, BoundKind};

use super::replaying::{as_trace, read};
use super::{corpus, header, never};
use crate::{
    Completion, CycleKind, Explored, Interpreter, PlainStep, Properties, RunBound, RunStep, find_cycles, replay,
};
use selvedge_promela_syntax::ast::Item;
use selvedge_promela_syntax::parse::parse_file;
use selvedge_source::{Diagnostics, SourceMap};

const ALL: u64 = 10_000_000;

fn cycles(text: &str, kind: CycleKind, fair: bool, bound: RunBound) -> Explored {
    let (model, sources) = read(text);
    let interpreter = Interpreter::new(&model, never(&model)).expect("a proper model");
    let properties = Properties { acceptance: true, ..Properties::default() };
    let explored = find_cycles(&interpreter, &properties, (kind, fair), bound, ALL);
    assert_eq!(explored.completion, Completion::Complete);
    for found in explored.findings.iter().filter(|found| found.cycle_start.is_some()) {
        let steps: Vec<PlainStep> = found.run.iter().map(plain).collect();
        let mut trace = as_trace(&sources, &steps, found.kind);
        trace.options.fair = fair;
        trace.steps[found.cycle_start.expect("a cycle")].cycle_start = true;
        assert_eq!(replay(&model, never(&model), &sources, &trace), Ok(()), "{text}: {found:?}");
    }
    explored
}

fn plain(step: &RunStep) -> PlainStep {
    let RunStep { process, span, partner } = *step;
    let (inside, faults, changes) = (Vec::new(), Vec::new(), Vec::new());
    PlainStep { thread: process, span, partner, inside, next: None, faults, changes }
}

fn cost(text: &str, kind: CycleKind, fair: bool, bound: RunBound) -> Option<u32> {
    let found = cycles(text, kind, fair, bound).findings;
    found.iter().find(|found| found.cycle_start.is_some()).map(|found| found.cost)
}

#[test]
fn progress_labels_must_be_passed() {
    let with = "bit x; active proctype P() { do :: x = 1; progress: x = 0 od }";
    assert_eq!(cost(with, CycleKind::NonProgress, false, RunBound::NONE), None);
    let sometimes = "bit x; active proctype P() { do :: x = 1; progress: x = 0 :: skip od }";
    assert_eq!(cost(sometimes, CycleKind::NonProgress, false, RunBound::NONE), Some(0));
}

#[test]
fn fairness_leaves_out_cycles_that_neglect_a_process() {
    let text = "bit x; active proctype P() { do :: !x od } active proctype Q() { x = 1 }";
    assert_eq!(cost(text, CycleKind::NonProgress, false, RunBound::NONE), Some(0));
    assert_eq!(cost(text, CycleKind::NonProgress, true, RunBound::NONE), None);
    // Q is disabled again and again, so weak fairness asks nothing.
    let on_and_off = "bit x, y; active proctype P() { do :: !y -> x = 1 - x od } active proctype Q() { x; y = 1 }";
    let found = cycles(on_and_off, CycleKind::NonProgress, true, RunBound::NONE).findings;
    assert_eq!(found.len(), 1);
    // Both must move in a fair cycle.
    let both = "byte x; active proctype P() { do :: true od } active proctype Q() { do :: x = 1 - x od }";
    let found = cycles(both, CycleKind::NonProgress, true, RunBound::NONE).findings;
    let run = &found[0].run[found[0].cycle_start.expect("a cycle")..];
    assert!((0..2).all(|process| run.iter().any(|step| step.process == Some(process))), "{run:?}");
}

#[test]
fn a_cycle_within_a_bound_has_no_counted_switch() {
    // Without the other's help neither can go round: every round has switches, all of them forced.
    let forced = "bit turn; active [2] proctype P() { do :: turn == _pid -> turn = 1 - _pid od }";
    let switches = RunBound { bound: Bound { kind: BoundKind::Switches, value: Some(9) }, count_busy_wait: false };
    assert_eq!(cost(forced, CycleKind::NonProgress, false, RunBound::preemptions(0)), Some(0));
    assert_eq!(cost(forced, CycleKind::NonProgress, false, switches), None);
    // An accepting cycle in which both work: preempted again and again, unless there is no bound.
    let works = "byte x; active [2] proctype P() { do :: x = _pid; x = 2 od } \
                 never { S: do :: x == 0 -> break :: true od; T: do :: x == 1 -> break :: true od; \
                 accept: if :: true -> goto S fi }";
    assert_eq!(cost(works, CycleKind::Acceptance, false, RunBound::NONE), Some(0));
    assert_eq!(cost(works, CycleKind::Acceptance, false, RunBound::preemptions(3)), None);
}

#[test]
fn a_cycle_costs_what_leads_to_it() {
    // P leaves its loop only if it is preempted between its two steps.
    let text = "byte x; active proctype P() { x = 1; if :: x == 2 -> do :: true od :: else fi } \
                active proctype Q() { x == 1 -> x = 2 }";
    let at = |bound| cost(text, CycleKind::NonProgress, false, RunBound::preemptions(bound));
    assert_eq!((at(0), at(1), at(5)), (None, Some(1), Some(1)));
}

#[test]
fn a_finite_run_goes_on_in_the_claim() {
    let text = "bit x; active proctype P() { x = 1 } never { accept: do :: true od }";
    for bound in [RunBound::NONE, RunBound::preemptions(0)] {
        assert_eq!(cost(text, CycleKind::Acceptance, false, bound), Some(0));
    }
    assert_eq!(cost("bit x; active proctype P() { x = 1 }", CycleKind::NonProgress, false, RunBound::NONE), None);
}

#[test]
fn the_corpus_has_the_cycles_that_it_expects() {
    let mut judged = 0;
    for path in corpus() {
        let text = std::fs::read_to_string(&path).expect("a readable file");
        let options = header(&text, "options").unwrap_or_default();
        let expected = header(&text, "expect").unwrap_or_default();
        let non_progress = options == "--non-progress";
        let acceptance = options == "--acceptance";
        let (mut sources, mut diagnostics) = (SourceMap::new(), Diagnostics::new());
        let Some(model) = parse_file(&path, &mut sources, &mut diagnostics) else { continue };
        let formula = model.items.iter().any(|item| matches!(item, Item::Ltl(_)));
        if formula || !(non_progress || acceptance || (options.is_empty() && never(&model).is_some())) {
            continue;
        }
        let Ok(interpreter) = Interpreter::new(&model, never(&model)) else { continue };
        let kind = if non_progress { CycleKind::NonProgress } else { CycleKind::Acceptance };
        let properties = Properties { acceptance, ..Properties::default() };
        let explored = find_cycles(&interpreter, &properties, (kind, false), RunBound::NONE, 300_000);
        if explored.completion != Completion::Complete {
            continue;
        }
        let wanted = expected.ends_with("-cycle");
        let found = explored.has(ViolationKind::AcceptanceCycle) || explored.has(ViolationKind::NonProgressCycle);
        assert_eq!(found, wanted, "{}", path.display());
        judged += 1;
    }
    assert!(judged >= 15, "{judged}");
}
