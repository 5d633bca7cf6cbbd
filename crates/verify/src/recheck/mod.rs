//! Every `holds` is checked by something independent, too: the judge of the language explores the model again within
//! the same bound if that fits the budget, and otherwise tries random runs. What it finds that the search did not is a
//! defect, never an answer. Budgets are counted in steps of the judge and depend on the model and on the search's own
//! figures only, so that the same input gives the same output. A limit that is met weakens the evidence, never the
//! verdict.

mod boolprog;
mod lockstep;
mod promela;

use selvedge_core::{Budget, Verdict};

use crate::answer::{Answer, Evidence};
use crate::model::{Executable, OpenModel};
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
    let work = Work::of(request, answer);
    answer.evidence = match &model.executable {
        Executable::Promela(promela) => {
            promela::Recheck { request, model, promela, answer, work, budget }.evidence()?
        }
        Executable::Bool(program) => boolprog::Recheck { request, model, program, answer, work }.evidence()?,
        _ => Evidence::None { reason: "no judge explores models in this language".to_owned() },
    };
    Ok(())
}

/// How much the judge may do, in steps of its own.
#[derive(Clone, Copy, Debug)]
struct Work {
    /// To explore again.
    explore: u64,
    /// In random runs.
    sample: u64,
    /// To compare steps.
    compare: u64,
}

impl Work {
    /// A step of the judge takes as long as some transitions of a search. `quick` stays below a tenth of what the search
    /// has done, or some milliseconds.
    fn of(request: &Request, answer: &Answer) -> Work {
        let transitions = answer.stats.transitions;
        match request.recheck {
            Recheck::None => Work { explore: 0, sample: 0, compare: 0 },
            Recheck::Quick => Work {
                explore: (transitions / TRANSITIONS_OF_A_STEP).clamp(2_000, 500_000),
                sample: (transitions / TRANSITIONS_OF_A_STEP / 4).clamp(400, 100_000),
                compare: (transitions / TRANSITIONS_OF_A_STEP / 8).clamp(200, 50_000),
            },
            Recheck::Full => Work { explore: 200_000_000, sample: 2_000_000, compare: 500_000 },
        }
    }
}

/// Transitions of a search for which the judge may execute one step.
const TRANSITIONS_OF_A_STEP: u64 = 100;
