//! What a proof did not use, compared with the independent interpreter on generated models: the conditions without which a
//! formula says nothing.

use std::io;
use std::path::Path;

use selvedge_promela::build::{BuildOptions, Built, ClaimSelection, build};
use selvedge_promela_judge::{Interpreter, explore};
use selvedge_promela_syntax::ast;
use selvedge_promela_syntax::parse::parse_text;
use selvedge_source::{Diagnostics, SourceMap};
use selvedge_testgen::ast::Type;
use selvedge_testgen::{Program, model};
use selvedge_verify::request::Claims;
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
}

fn parsed(text: &str) -> Option<Parsed> {
    let (mut sources, mut found) = (SourceMap::new(), Diagnostics::new());
    let mut no_files = |_: &Path| Err(io::Error::from(io::ErrorKind::NotFound));
    let model = parse_text("model.pml", text, &mut no_files, &mut sources, &mut found)?;
    let options = BuildOptions { claim: ClaimSelection::FromFile, ..BuildOptions::default() };
    let built = build(&model, &options, &mut sources, &mut found)?;
    (!found.has_errors() && built.read_hidden.is_empty()).then_some(Parsed { model, built })
}

fn answer(text: &str, change: impl Fn(&mut Request)) -> Option<Answer> {
    let model = load_text("model.pml", Language::Promela, text).ok()?;
    let mut request = Request::default();
    change(&mut request);
    let limits = Limits { states: Some(MOST_STATES as u64 * 2), ..Limits::default() };
    verify(&model, &request, &Budget::start(limits, Interrupt::new()), &mut Silent).ok()
}

/// A model without its claim.
fn without_claim(index: u64) -> Program {
    Program { never: None, formula: None, ..model(SEED, index) }
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
