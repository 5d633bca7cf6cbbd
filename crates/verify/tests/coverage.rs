//! What a proof did not use, compared with the independent interpreter on generated models: the statements that no run
//! executes, the assertions that none evaluates, and the conditions without which a formula says nothing.

use std::collections::BTreeSet;
use std::io;
use std::path::Path;

use selvedge_core::trace::TraceLocation;
use selvedge_promela::build::{BuildOptions, Built, ClaimSelection, build};
use selvedge_promela_judge::{Interpreter, coverage, explore};
use selvedge_promela_syntax::ast;
use selvedge_promela_syntax::parse::parse_text;
use selvedge_source::{Diagnostics, SourceMap, Span};
use selvedge_testgen::ast::Type;
use selvedge_testgen::{Program, model, shrink};
use selvedge_verify::request::{Claims, Optimize, Reduction};
use selvedge_verify::{
    Answer, Budget, Interrupt, Language, Limits, Request, Silent, Verdict, ViolationKind, load_text, verify,
};

/// Of another family than the other tests have.
const SEED: u64 = 1717;
const MODELS: u64 = 1_000;
const MOST_STATES: usize = 3_000;

struct Parsed {
    model: ast::Model,
    built: Built,
    sources: SourceMap,
}

fn parsed(text: &str) -> Option<Parsed> {
    let (mut sources, mut found) = (SourceMap::new(), Diagnostics::new());
    let mut no_files = |_: &Path| Err(io::Error::from(io::ErrorKind::NotFound));
    let model = parse_text("model.pml", text, &mut no_files, &mut sources, &mut found)?;
    let options = BuildOptions { claim: ClaimSelection::FromFile, ..BuildOptions::default() };
    let built = build(&model, &options, &mut sources, &mut found)?;
    (!found.has_errors() && built.read_hidden.is_empty()).then_some(Parsed { model, built, sources })
}

fn answer(text: &str, change: impl Fn(&mut Request)) -> Option<Answer> {
    let model = load_text("model.pml", Language::Promela, text).ok()?;
    let mut request = Request::default();
    change(&mut request);
    let limits = Limits { states: Some(MOST_STATES as u64 * 2), ..Limits::default() };
    verify(&model, &request, &Budget::start(limits, Interrupt::new()), &mut Silent).ok()
}

/// What an option does to a request.
type Change = fn(&mut Request);

/// The default, without reduction, and the plain semantics.
const WAYS: [(&str, Change); 4] = [
    ("default", |_| {}),
    ("--reduction none", |request| request.search.reduction = Some(Reduction::None)),
    ("--unbounded --reduction por", |request| {
        request.bounds.unbounded = true;
        request.search.reduction = Some(Reduction::Por);
    }),
    ("--optimize none", |request| request.search.optimize = Optimize::None),
];

/// A model without its claim.
fn without_claim(index: u64) -> Program {
    Program { never: None, formula: None, ..model(SEED, index) }
}

/// Where engine and interpreter differ about a model that holds; `None` if there is nothing to compare.
fn difference(text: &str) -> Option<(Vec<String>, usize)> {
    let Parsed { model, sources, .. } = parsed(text)?;
    let judge = Interpreter::new(&model, None).ok()?;
    explore(&judge, MOST_STATES).filter(|(_, kinds)| kinds.is_empty())?;
    let judged = coverage(&judge, 100 * MOST_STATES)?;
    let place = |span: &Span| TraceLocation::from(sources.location(*span)).to_string();
    let places = |spans: BTreeSet<Span>| -> BTreeSet<String> { spans.iter().map(place).collect() };
    let (never, unasserted) = (places(judged.never_executed()), places(judged.never_asserted()));
    let mut differences = Vec::new();
    for (way, change) in WAYS {
        let Some(answer) = answer(text, change).filter(|answer| answer.verdict == Verdict::Holds) else { continue };
        let listed: BTreeSet<String> = answer.checked.never_executed.into_iter().collect();
        let unreached: BTreeSet<String> = answer.checked.never_reached.into_iter().collect();
        if listed != never {
            differences.push(format!("{way}: never executed {listed:?}; judge: {never:?}"));
        }
        if unreached != unasserted {
            differences.push(format!("{way}: never reached {unreached:?}; judge: {unasserted:?}"));
        }
    }
    Some((differences, never.len()))
}

#[test]
fn what_is_never_executed_is_what_the_interpreter_never_executes() {
    let (mut compared, mut never) = (0, 0);
    for index in 0..MODELS {
        let program = without_claim(index);
        let Some((differences, count)) = difference(&program.to_string()) else { continue };
        if !differences.is_empty() {
            let differs = |text: &str| difference(text).filter(|(differences, _)| !differences.is_empty());
            let smallest = shrink(program, 300, |program| differs(&program.to_string()).is_some()).to_string();
            panic!("index {index}:\n{smallest}\n{:#?}", differs(&smallest));
        }
        compared += 1;
        never += usize::from(count > 0);
    }
    assert!(compared > 100 && never > 30, "{compared} models compared, {never} with such statements");
}

/// Conditions about the numbers among the global variables.
fn conditions(program: &Program) -> Vec<String> {
    let numbers = program.globals.iter().filter(|var| {
        let number = matches!(var.ty, Type::Bit | Type::Bool | Type::Byte | Type::Short | Type::Int);
        number && var.len.is_none() && var.prefix.is_empty()
    });
    numbers.flat_map(|var| [0, 1, 3].map(|value| format!("{} == {value}", var.name))).collect()
}

/// A formula that holds, whatever the model does.
fn implication(program: &Program, condition: &str) -> String {
    format!("{program}\nltl formula {{ [] ({condition} -> {condition}) }}\n")
}

/// Whether a condition is true in some state: then this claim ends.
fn is_ever_true(program: &Program, condition: &str) -> Option<bool> {
    let watched = format!("{program}\nnever {{ do :: {condition} -> break :: else od }}\n");
    let Parsed { model, built, .. } = parsed(&watched)?;
    let judge = Interpreter::new(&model, built.claim.as_ref()).ok()?;
    let (_, kinds) = explore(&judge, MOST_STATES)?;
    let others = kinds.iter().any(|kind| *kind == ViolationKind::RuntimeError);
    (!others).then(|| kinds.contains(&ViolationKind::ClaimCompleted))
}

#[test]
fn a_condition_is_vacuous_if_the_interpreter_never_finds_it_true() {
    let (mut vacuous, mut sensible) = (0, 0);
    for index in 0..MODELS / 4 {
        let program = without_claim(index);
        for condition in conditions(&program) {
            let Some(ever) = is_ever_true(&program, &condition) else { continue };
            let text = implication(&program, &condition);
            let chosen = |request: &mut Request| {
                request.properties.claims = Claims::Chosen("formula".to_owned());
                request.properties.no_assert = true;
            };
            let Some(answer) = answer(&text, chosen) else { continue };
            let Some(found) = answer.properties.iter().find(|found| found.property.name == "formula") else { continue };
            if found.verdict != Verdict::Holds {
                continue;
            }
            assert_eq!(found.vacuous.is_empty(), ever, "index {index}, {condition}:\n{text}");
            if ever { sensible += 1 } else { vacuous += 1 }
        }
    }
    assert!(vacuous > 50 && sensible > 50, "{vacuous} vacuous, {sensible} not");
}
