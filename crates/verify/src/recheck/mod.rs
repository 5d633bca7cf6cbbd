//! Every `holds` is checked by something independent, too: the judge of the language explores the model again within
//! the same bound if that fits the budget, and otherwise tries random runs. What it finds that the search did not is a
//! defect, never an answer. Budgets are counted in steps of the judge and depend on the model and on the search's own
//! figures only, so that the same input gives the same output. A limit that is met weakens the evidence, never the
//! verdict.

mod lockstep;

use selvedge_core::{Budget, Verdict};
use selvedge_promela_judge::Interpreter;

use crate::answer::{Answer, Evidence};
use crate::model::{Executable, OpenModel, PromelaModel};
use crate::refusal::Refusal;
use crate::request::{Recheck, Request};

/// Start of all random choices.
const SEED: u64 = 1;

/// Checks an answer without a violation. One with a violation was replayed already.
pub(crate) fn recheck(
    request: &Request,
    model: &OpenModel,
    answer: &mut Answer,
    budget: &Budget,
) -> Result<(), Refusal> {
    if !matches!(answer.verdict, Verdict::Holds | Verdict::HoldsWithinBound) || answer.evidence == Evidence::Certificate
    {
        return Ok(());
    }
    if request.recheck == Recheck::None {
        answer.evidence = Evidence::None { reason: "of --recheck none".to_owned() };
        return Ok(());
    }
    if budget.spent(0).is_some() {
        answer.evidence = Evidence::None { reason: "a limit was met before".to_owned() };
        return Ok(());
    }
    answer.evidence = match &model.executable {
        Executable::Promela(promela) => promela_evidence(request, model, promela, answer)?,
        _ => Evidence::None { reason: "there is no judge for such an answer".to_owned() },
    };
    Ok(())
}

fn promela_evidence(
    request: &Request,
    model: &OpenModel,
    promela: &PromelaModel,
    answer: &Answer,
) -> Result<Evidence, Refusal> {
    let judge = match Interpreter::new(&promela.syntax, promela.built.claim.as_ref()) {
        Ok(judge) => judge,
        Err(reason) => return Ok(Evidence::None { reason: format!("the judge cannot execute the model: {reason}") }),
    };
    let steps = match request.recheck {
        Recheck::None => 0,
        Recheck::Quick => (answer.stats.transitions / 250).clamp(1_000, 200_000),
        Recheck::Full => 2_000_000,
    };
    let compared = lockstep::compare(&promela.built.machine, &judge, &model.sources, SEED, steps)
        .map_err(|why| Refusal::defect(format!("{}: the search and the judge disagree: {why}", model.path)))?;
    Ok(Evidence::Sampled { runs: 0, steps: compared.steps, compared_states: compared.states, seed: SEED })
}
