//! On generated models every way of searching gives the answer of the plain interpreter, and changes of a model that
//! mean nothing change no answer. `cargo xtask soundness` does the first with as many models as there is time for.

mod agreement;

use agreement::{Outcome, Ways, answer, compare};
use selvedge_testgen::rewrite::REWRITES;
use selvedge_testgen::{Program, model, shrink};
use selvedge_verify::{Bound, Request, Verdict};

/// Of another family than the default of `cargo xtask soundness`.
const SEED: u64 = 7;

#[test]
fn every_way_of_searching_gives_the_answer_of_the_interpreter() {
    let (mut agreed, mut violated, mut refused) = (0, 0, 0);
    let models = 500;
    for index in 0..models {
        let model = model(SEED, index);
        match compare(&model.to_string(), Ways::Every) {
            Outcome::Refused(_) => refused += 1,
            Outcome::Skipped(_) => {}
            Outcome::Agreed(agreement) => {
                agreed += 1;
                violated += u32::from(!agreement.kinds.is_empty());
            }
            Outcome::Disagreed(_) => {
                let smallest = shrink(model, 1_000, |model| compare(&model.to_string(), Ways::Every).is_disagreement())
                    .to_string();
                panic!("index {index}:\n{smallest}\n{:#?}", compare(&smallest, Ways::Every));
            }
        }
    }
    assert!(agreed * 10 > models as u32 * 7, "only {agreed} of {models} models were compared");
    assert!(refused * 10 < models, "{refused} of {models} models were refused");
    assert!(violated * 4 > agreed && violated * 10 < agreed * 9, "{violated} of {agreed} models have a violation");
}

/// The verdict and the bound it speaks of: of a violation, the least number of preemptions.
fn verdict_and_bound(text: &str) -> Option<(Verdict, Bound)> {
    let mut request = Request::default();
    request.properties.safety_only = true;
    let answer = answer(text, &request).ok()?;
    let bound = if answer.verdict == Verdict::Violated { answer.bound } else { Bound::UNBOUNDED };
    (answer.verdict != Verdict::Inconclusive).then_some((answer.verdict, bound))
}

/// The answers to a model and to its rewritten version, where they differ.
fn difference(program: &Program, rewrite: fn(&Program, u64) -> Option<Program>, seed: u64) -> Option<String> {
    let rewritten = rewrite(program, seed)?;
    let (before, after) = (verdict_and_bound(&program.to_string())?, verdict_and_bound(&rewritten.to_string())?);
    (before != after).then(|| format!("{before:?}, rewritten {after:?}:\n{rewritten}"))
}

#[test]
fn changes_without_meaning_change_neither_verdict_nor_least_bound() {
    for (name, rewrite) in REWRITES {
        let mut compared = 0;
        for index in 0..250 {
            let program = model(SEED, index);
            compared += u32::from(rewrite(&program, index).is_some());
            if difference(&program, *rewrite, index).is_some() {
                let smallest = shrink(program, 1_000, |program| difference(program, *rewrite, index).is_some());
                let difference = difference(&smallest, *rewrite, index).unwrap_or_default();
                panic!("{name}, index {index}:\n{smallest}\n{difference}");
            }
        }
        assert!(compared > 50, "{name}: only {compared} models were rewritten");
    }
}
