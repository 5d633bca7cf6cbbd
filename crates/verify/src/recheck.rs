//! Every `holds` is checked by something independent, too: the judge of the language explores the model again within
//! the same bound if that fits the budget, and otherwise tries random runs. What it finds that the search did not is a
//! defect, never an answer. Budgets are counted in steps of the judge and depend on the model and on the search's own
//! figures only, so that the same input gives the same output. A limit that is met weakens the evidence, never the
//! verdict.

mod boolprog;
mod key;
mod lockstep;
mod nets;
mod promela;
mod stored;

use selvedge_core::trace::TraceLocation;
use selvedge_core::{Bound, Budget, Explored, Stats, Verdict};

use selvedge_core::Evidence;

pub(crate) use self::stored::LeastCost;

use crate::answer::{Answer, Details};
use crate::model::{Executable, OpenModel};
use crate::proof::{Attempt, certificate};
use crate::refusal::Refusal;
use crate::request::{Engine, Recheck, Request};

/// Start of all random choices.
const SEED: u64 = 1;

/// Checks an answer without a violation. One with a violation was replayed already. `stored` is the store of the search,
/// where that holds every state; `shares` is the number of searches of this check, which are rechecked one by one.
pub(crate) fn recheck(
    request: &Request,
    model: &OpenModel,
    answer: &mut Answer,
    stored: Option<&LeastCost>,
    shares: u64,
    budget: &Budget,
) -> Result<(), Refusal> {
    if !matches!(answer.verdict, Verdict::Holds | Verdict::HoldsWithinBound) || answer.evidence == Evidence::Certificate
    {
        return Ok(());
    }
    if request.dynamic.certificate && certify(request, model, answer, budget)? {
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
    let work = Work::of(request, answer, shares);
    answer.evidence = match &model.executable {
        Executable::Promela(promela) => {
            promela::Recheck { request, model, promela, answer, work, budget, stored }.evidence()?
        }
        Executable::Bool(program) => boolprog::Recheck { request, model, program, answer, work, budget }.evidence()?,
        Executable::Pds(_) | Executable::Dcps(_) | Executable::Net(_) => {
            nets::evidence(request, model, answer, work, budget)?
        }
    };
    Ok(())
}

/// Adds the certificate that was asked for to an answer of the symbolic engine; whether there is one.
fn certify(request: &Request, model: &OpenModel, answer: &mut Answer, budget: &Budget) -> Result<bool, Refusal> {
    let (Verdict::Holds, Details::Symbolic(details)) = (answer.verdict, &mut answer.details) else { return Ok(false) };
    let Attempt::Accepted(file) = certificate(request, model, u64::MAX, budget)? else { return Ok(false) };
    details.certificate = Some(file);
    answer.evidence = Evidence::Certificate;
    Ok(true)
}

/// Steps of a random run at most.
const STEPS_OF_A_RUN: u64 = 200;

/// Frames or symbols on a stack that are explored.
const STACK: usize = 32;

/// The runs that an answer speaks of.
fn bound_of(answer: &Answer) -> Bound {
    match answer.verdict {
        Verdict::Holds => Bound::UNBOUNDED,
        _ => answer.bound,
    }
}

/// A violation that a judge found is a defect of what found none.
fn no_violation(model: &OpenModel, answer: &Answer, explored: &Explored) -> Result<(), Refusal> {
    let Some(found) = explored.violations.first() else { return Ok(()) };
    let place = TraceLocation::from(model.sources.location(found.span));
    let claimed = match answer.verdict {
        Verdict::Holds => "no violation at all".to_owned(),
        _ => format!("no violation with {}", answer.bound),
    };
    Err(Refusal::defect(format!(
        "{}: the engine found {claimed}, the independent interpreter disagrees: {} at {place}, in round {}",
        model.path,
        found.kind.words(),
        found.round
    )))
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
    /// Operations on diagrams, to find a certificate.
    diagrams: u64,
}

impl Work {
    /// What the judge may do about an answer; a check of `shares` searches has as much for all of them together.
    fn of(request: &Request, answer: &Answer, shares: u64) -> Work {
        match request.recheck {
            Recheck::None => Work { explore: 0, sample: 0, compare: 0, diagrams: 0 },
            Recheck::Quick => Work::quick(answer, shares),
            Recheck::Full => Work { explore: 200_000_000, sample: 2_000_000, compare: 500_000, diagrams: 20_000_000 },
        }
    }

    /// Less than a tenth of what the search has done, or 5 milliseconds (`bench/recheck/cost.py` measures it). Where the
    /// search stored more states than the judge may take steps, exploring cannot fit, and its part is for random runs.
    fn quick(answer: &Answer, shares: u64) -> Work {
        let Stats { states, transitions, .. } = answer.stats;
        let least = |steps: u64| (steps / shares).max(10);
        let steps = (transitions / TRANSITIONS_OF_A_STEP).clamp(least(LEAST_STEPS), 500_000);
        let explore = steps - steps / 8;
        let diagrams = (transitions / 20).clamp(least(10_000), 5_000_000);
        match answer.engine == Engine::Explicit && states > explore {
            true => Work { explore: 0, sample: steps / 8, compare: steps / 8, diagrams },
            false => Work { explore, sample: steps / 32, compare: steps / 32, diagrams },
        }
    }
}

/// Transitions of a search for which the judge may execute one step, which takes about twenty times as many instructions.
const TRANSITIONS_OF_A_STEP: u64 = 300;

/// Steps of the judge that take less than 5 milliseconds.
const LEAST_STEPS: u64 = 1_600;
