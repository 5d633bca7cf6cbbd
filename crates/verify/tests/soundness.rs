//! On generated models every way of searching gives the answer of the plain interpreter, and changes of a model that
//! mean nothing change no answer. `cargo xtask soundness` does the first with as many models as there is time for.

mod agreement;

use std::collections::BTreeSet;

use agreement::{Outcome, WAYS, Ways, answer, compare};
use selvedge_testgen::ast::Stmt;
use selvedge_testgen::rewrite::{REWRITES, Rewrite};
use selvedge_testgen::{Program, model, program, shrink, with_claims};
use selvedge_verify::request::SearchKind;
use selvedge_verify::{Bound, Refusal, Request, Verdict, ViolationKind};

/// Of another family than the default of `cargo xtask soundness`.
const SEED: u64 = 7;

/// Attempts to make a model smaller; none while mutants are tested, where a failure says enough.
fn attempts() -> usize {
    if std::env::var_os("SELVEDGE_MUTANT").is_some() { 0 } else { 1_000 }
}

/// Compares every way of searching with the interpreter, on these models. Returns the kinds of violations of
/// each that was compared.
fn all_agree(models: u64, make: fn(u64) -> Program) -> Vec<BTreeSet<ViolationKind>> {
    let (mut agreed, mut refused) = (Vec::new(), 0);
    for index in 0..models {
        let model = make(index);
        match compare(&model.to_string(), Ways::new(false)) {
            Outcome::Refused(_) => refused += 1,
            Outcome::Skipped(_) => {}
            Outcome::Agreed(agreement) => agreed.push(agreement.kinds),
            Outcome::Disagreed(_) => {
                let smallest =
                    shrink(model, attempts(), |model| compare(&model.to_string(), Ways::new(false)).is_disagreement())
                        .to_string();
                panic!("index {index}:\n{smallest}\n{:#?}", compare(&smallest, Ways::new(false)));
            }
        }
    }
    assert!(agreed.len() as u64 * 10 > models * 7, "only {} of {models} models were compared", agreed.len());
    assert!(refused * 10 < models, "{refused} of {models} models were refused");
    agreed
}

#[test]
fn every_way_of_searching_gives_the_answer_of_the_interpreter() {
    let agreed = all_agree(500, |index| model(SEED, index));
    let violated = agreed.iter().filter(|kinds| !kinds.is_empty()).count();
    let compared = agreed.len();
    assert!(
        violated * 4 > compared && violated * 10 < compared * 9,
        "{violated} of {compared} models have a violation"
    );
}

#[test]
fn every_way_of_searching_sees_violated_claims_to_channels() {
    let agreed = all_agree(150, |index| with_claims(program(SEED, index), SEED, index));
    let violated = agreed.iter().filter(|kinds| kinds.contains(&ViolationKind::RuntimeError)).count();
    assert!(violated * 10 > agreed.len(), "only {violated} of {} models have a runtime error", agreed.len());
}

/// A claim moves once for merged statements, so that in the optimised model it completes later than in the model itself.
/// What happens behind its end is no violation beside it.
#[test]
fn what_happens_after_a_claim_is_complete_is_not_reported() {
    let faults = ["for (y : 0 .. (x % y)) { skip }", "y = 0; y = 0; assert(x == 1)"];
    for fault in faults {
        let text = format!("byte x; active proctype P() {{ byte y; skip; {fault} }}\nltl {{ x == 1 }}\n");
        let Outcome::Agreed(agreement) = compare(&text, Ways::new(false)) else {
            panic!("{text}{:#?}", compare(&text, Ways::new(false)));
        };
        assert_eq!(agreement.kinds.into_iter().collect::<Vec<_>>(), [ViolationKind::ClaimCompleted], "{text}");
    }
}

/// What is asked of a model and of its rewritten version: the default, every other way of searching in turn, and
/// infinite runs.
fn requests(index: u64) -> Vec<Request> {
    let mut default = Request::default();
    default.properties.safety_only = true;
    let mut other = default.clone();
    let (_, change) = WAYS[index as usize % WAYS.len()];
    change(&mut other);
    let mut infinite = Request::default();
    match index % 2 {
        0 => infinite.properties.acceptance = true,
        _ => infinite.properties.non_progress = true,
    }
    vec![default, other, infinite]
}

/// The verdict, and of a violation that the default search finds, the least number of preemptions; `None` where a limit was
/// met. A refusal is an answer, too.
fn verdict_and_bound(text: &str, request: &Request) -> Option<Result<(Verdict, Bound), &'static str>> {
    let answer = match answer(text, request) {
        Ok(answer) => answer,
        Err(Refusal::Defect(_)) => return Some(Err("an internal error")),
        Err(_) => return Some(Err("refused")),
    };
    let least = answer.verdict == Verdict::Violated
        && request.properties.safety_only
        && !request.bounds.unbounded
        && request.search.kind == SearchKind::Layered;
    let bound = if least { answer.bound } else { Bound::UNBOUNDED };
    (answer.verdict != Verdict::Inconclusive).then_some(Ok((answer.verdict, bound)))
}

/// The answers to a model and to its rewritten version, where they differ.
fn difference(program: &Program, rewrite: Rewrite, index: u64) -> Option<String> {
    let rewritten = rewrite(program, index)?.to_string();
    let text = program.to_string();
    requests(index).iter().enumerate().find_map(|(number, request)| {
        let (before, after) = (verdict_and_bound(&text, request)?, verdict_and_bound(&rewritten, request)?);
        (before != after).then(|| format!("request {number}: {before:?}, rewritten {after:?}:\n{rewritten}"))
    })
}

#[test]
fn changes_without_meaning_change_neither_verdict_nor_least_bound() {
    for (name, rewrite) in REWRITES {
        let mut compared = 0;
        for index in 0..250 {
            let program = model(SEED, index);
            compared += u32::from(rewrite(&program, index).is_some());
            if difference(&program, *rewrite, index).is_some() {
                let smallest = shrink(program, attempts(), |program| difference(program, *rewrite, index).is_some());
                let difference = difference(&smallest, *rewrite, index).unwrap_or_default();
                panic!("{name}, index {index}:\n{smallest}\n{difference}");
            }
        }
        assert!(compared > 50, "{name}: only {compared} models were rewritten");
    }
}

/// The comparison can fail: an assertion that is violated is not overlooked.
#[test]
fn changes_with_meaning_are_noticed() {
    let fails = |program: &Program, _: u64| {
        let mut changed = program.clone();
        changed.processes.iter_mut().for_each(|process| process.body.push(Stmt::Text("assert(false)".to_owned())));
        Some(changed)
    };
    let noticed = (0..40).filter(|index| difference(&model(SEED, *index), fails, *index).is_some()).count();
    assert!(noticed > 5, "only {noticed} of 40 changes were noticed");
}
