//! The engine and the judge agree about costs: on generated models each layer of the plain semantics has the states that
//! the judge reaches within the bound, and every way of searching finds a violation at the judge's least cost. The judge
//! counts switches and finds spinning processes on its own.

use std::io;
use std::path::Path;

use selvedge_core::bound::{Bound, BoundKind};
use selvedge_promela::build::{BuildOptions, Built, ClaimSelection, build};
use selvedge_promela_judge::{Completion, Explored, Interpreter, Properties, RunBound, explore_within};
use selvedge_promela_syntax::ast;
use selvedge_promela_syntax::parse::parse_text;
use selvedge_source::{Diagnostics, SourceMap};
use selvedge_testgen::{model, shrink};
use selvedge_verify::request::{Claims, Minimize, Optimize, Reduction};
use selvedge_verify::{
    Answer, Budget, Interrupt, Language, Limits, Refusal, Request, Silent, Verdict, load_text, verify,
};

/// Of another family than the other tests have.
const SEED: u64 = 17;
const MODELS: u64 = 400;
/// Bounds from 0 to this are compared.
const LAST_BOUND: u32 = 3;
/// Steps of the judge for one bound.
const EFFORT: u64 = 200_000;
const MOST_STATES: u64 = 5_000;

fn parsed(text: &str) -> Option<(ast::Model, Built)> {
    let (mut sources, mut found) = (SourceMap::new(), Diagnostics::new());
    let mut no_files = |_: &Path| Err(io::Error::from(io::ErrorKind::NotFound));
    let model = parse_text("model.pml", text, &mut no_files, &mut sources, &mut found)?;
    let options = BuildOptions { claim: ClaimSelection::FromFile, ..BuildOptions::default() };
    let built = build(&model, &options, &mut sources, &mut found)?;
    (!found.has_errors() && built.read_hidden.is_empty()).then_some((model, built))
}

fn answer(text: &str, request: &Request) -> Result<Answer, Refusal> {
    let model = load_text("model.pml", Language::Promela, text)?;
    let limits = Limits { states: Some(MOST_STATES), ..Limits::default() };
    verify(&model, request, &Budget::start(limits, Interrupt::new()), &mut Silent)
}

/// What is counted: kind, and whether leaving a spinning process is.
const COUNTED: [(BoundKind, bool); 3] =
    [(BoundKind::Preemptions, false), (BoundKind::Preemptions, true), (BoundKind::Switches, false)];

fn request(kind: BoundKind, count_busy_wait: bool, bound: u32) -> Request {
    let mut request = Request::default();
    request.properties.claims = Claims::First;
    request.properties.safety_only = true;
    request.search.count_busy_wait = count_busy_wait;
    match kind {
        BoundKind::Switches => {
            request.bounds.switches = Some(bound);
            request.search.minimize = Minimize::Switches;
        }
        _ => request.bounds.preemptions = Some(bound),
    }
    request
}

/// The judge's view of the runs within a bound; `None` if it has too much to do.
fn judged(judge: &Interpreter, kind: BoundKind, count_busy_wait: bool, bound: u32) -> Option<Explored> {
    let properties = Properties { assertions: true, end_states: true, ..Properties::default() };
    let bound = RunBound { bound: Bound { kind, value: Some(bound) }, count_busy_wait };
    let explored = explore_within(judge, &properties, bound, EFFORT);
    (explored.completion == Completion::Complete).then_some(explored)
}

/// What came of one model.
#[derive(Debug, Default)]
struct Compared {
    differences: Vec<String>,
    bounds: u32,
    violations: u32,
}

fn compare(text: &str) -> Option<Compared> {
    let (parsed, built) = parsed(text)?;
    let judge = Interpreter::new(&parsed, built.claim.as_ref()).ok()?;
    let mut compared = Compared::default();
    for (kind, busy) in COUNTED {
        for bound in 0..=LAST_BOUND {
            let Some(explored) = judged(&judge, kind, busy, bound) else { break };
            let what = format!("{kind:?} {bound}, busy waiting counted: {busy}");
            compared.bounds += 1;
            compare_states(text, &request(kind, busy, bound), &explored, &what, &mut compared);
            // The judge charges a claim's fault with the switch of the step that the claim observes, the engine does not.
            if kind != BoundKind::Switches || built.claim.is_none() {
                compare_least(text, &request(kind, busy, bound), &explored, &what, &mut compared);
            }
        }
    }
    Some(compared)
}

/// The states within the bound, in the plain semantics.
fn compare_states(text: &str, request: &Request, explored: &Explored, what: &str, compared: &mut Compared) {
    let mut plain = request.clone();
    plain.search.optimize = Optimize::None;
    plain.search.reduction = Some(Reduction::None);
    plain.search.keep_going = true;
    match answer(text, &plain) {
        Ok(answer) if answer.stats.states >= MOST_STATES => {}
        Ok(answer) if answer.stats.states == explored.states as u64 => {}
        Ok(answer) => {
            compared.differences.push(format!("{what}: {} states; judge: {}", answer.stats.states, explored.states))
        }
        Err(refusal) => compared.differences.push(format!("{what}: {refusal}")),
    }
}

/// The least cost of a violation, and the cost of the run that is shown.
fn compare_least(text: &str, request: &Request, explored: &Explored, what: &str, compared: &mut Compared) {
    let least = explored.findings.iter().map(|finding| finding.cost).min();
    compared.violations += u32::from(least.is_some());
    let ways =
        [(Optimize::Safe, None), (Optimize::Safe, Some(Reduction::None)), (Optimize::None, Some(Reduction::Por))];
    for (optimize, reduction) in ways {
        let mut request = request.clone();
        (request.search.optimize, request.search.reduction) = (optimize, reduction);
        let answer = match answer(text, &request) {
            Ok(answer) => answer,
            Err(Refusal::Request { .. }) => continue,
            Err(refusal) => {
                compared.differences.push(format!("{what}: {refusal}"));
                continue;
            }
        };
        if answer.verdict == Verdict::Inconclusive {
            continue;
        }
        let shown = answer.traces.first().and_then(|trace| trace.violation.as_ref());
        let cost = shown.map(|violation| match request.bounds.switches {
            Some(_) => violation.switches,
            None => violation.preemptions.unwrap_or(u32::MAX),
        });
        if cost != least {
            compared.differences.push(format!("{what}, {optimize:?} {reduction:?}: {cost:?}; judge: {least:?}"));
        }
    }
}

#[test]
fn costs_are_those_that_the_judge_counts() {
    let (mut bounds, mut violations) = (0, 0);
    for index in 0..MODELS {
        let program = model(SEED, index);
        let Some(compared) = compare(&program.to_string()) else { continue };
        if !compared.differences.is_empty() {
            let differs = |text: &str| compare(text).filter(|compared| !compared.differences.is_empty());
            let smallest = shrink(program, 300, |program| differs(&program.to_string()).is_some()).to_string();
            panic!("index {index}:\n{smallest}\n{:#?}", differs(&smallest));
        }
        bounds += compared.bounds;
        violations += compared.violations;
    }
    assert!(bounds > 1_000 && violations > 300, "{bounds} bounds, {violations} with a violation");
}
