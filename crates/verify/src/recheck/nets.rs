//! `holds` of pushdown systems, networks and nets that no certificate proves: explored or proved again by the judge if
//! that fits, else random runs within the bound.

use selvedge_core::{BoundKind, Budget, Effort, Evidence, Explored, Runs, Verdict};
use selvedge_nets_judge::{Goals, dcps, net, pds};
use selvedge_nets_syntax::pds::Pds;

use super::{SEED, STACK, STEPS_OF_A_RUN, Work, bound_of, no_violation};
use crate::answer::Answer;
use crate::model::{Executable, OpenModel};
use crate::proof::{Attempt, certificate};
use crate::refusal::Refusal;
use crate::request::{Engine, Request};

/// The evidence. A violation that the engine did not find is a defect.
pub(super) fn evidence(
    request: &Request,
    model: &OpenModel,
    answer: &Answer,
    work: Work,
    budget: &Budget,
) -> Result<Evidence, Refusal> {
    let asked = &request.properties;
    let goals = Goals { deadlock: asked.deadlock, infinite_runs: asked.non_progress, fair: asked.fair };
    let bound = bound_of(answer);
    let runs = Runs { seed: SEED, count: (work.sample / STEPS_OF_A_RUN).max(1), steps: STEPS_OF_A_RUN };
    let mut steps = 0;
    let sampled = match &model.executable {
        Executable::Pds(machine) => {
            if is_certified(request, model, answer, work, budget)? {
                return Ok(Evidence::Certificate);
            }
            if let Some(explored) = explored(machine.pds(), goals, answer, work, budget) {
                no_violation(model, answer, &explored)?;
                steps += explored.steps;
                if explored.confirms() {
                    return Ok(Evidence::ReExplored { states: explored.states, steps, stored_states: None });
                }
            }
            pds::sample(machine.pds(), goals, bound, runs, budget)
        }
        Executable::Dcps(machine) => {
            dcps::sample(machine.dcps(), goals, bound, request.dynamic.fresh_switches, runs, budget)
        }
        Executable::Net(net) => net::sample(net.machine.net(), &model.sources, goals, bound, runs, budget),
        Executable::Promela(_) | Executable::Bool(_) => Explored::default(),
    };
    no_violation(model, answer, &sampled)?;
    Ok(Evidence::Sampled {
        runs: sampled.runs,
        steps: steps + sampled.steps,
        compared_states: 0,
        stored_states: None,
        seed: SEED,
    })
}

/// Whether the checker accepts a certificate of a pushdown system, where the symbolic engine has proved the answer.
fn is_certified(
    request: &Request,
    model: &OpenModel,
    answer: &Answer,
    work: Work,
    budget: &Budget,
) -> Result<bool, Refusal> {
    if answer.verdict != Verdict::Holds || answer.engine != Engine::Symbolic {
        return Ok(false);
    }
    let attempt = certificate(request, model, work.explore / 2, budget)?;
    Ok(matches!(attempt, Attempt::Accepted(_)))
}

/// What the judge explored of a pushdown system; it does not look for infinite runs there.
fn explored(system: &Pds, goals: Goals, answer: &Answer, work: Work, budget: &Budget) -> Option<Explored> {
    if goals.infinite_runs {
        return None;
    }
    let deadlock = goals.deadlock;
    let effort = Effort { steps: work.explore / 2, stack: STACK };
    let bound = bound_of(answer);
    match (answer.verdict, bound.kind, bound.value) {
        (Verdict::Holds, ..) => {
            let explored = pds::explore(system, deadlock, effort, budget);
            // Only if nothing is left to explore do the rounds that were explored speak of all.
            let complete = explored.complete && explored.saturated;
            Some(Explored { complete, ..explored })
        }
        (_, BoundKind::Rounds, Some(rounds)) => Some(pds::explore_rounds(system, deadlock, rounds, effort, budget)),
        _ => None,
    }
}
