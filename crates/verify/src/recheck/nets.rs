//! `holds` of pushdown systems, networks and nets that no certificate proves: explored or proved again by the judge if
//! that fits, else random runs within the bound.

use selvedge_core::{BoundKind, Effort, Explored, Runs, Verdict};
use selvedge_nets_judge::{dcps, net, pds};
use selvedge_nets_syntax::pds::Pds;

use super::{SEED, STACK, STEPS_OF_A_RUN, Work, bound_of, no_violation};
use selvedge_core::Evidence;

use crate::answer::Answer;
use crate::model::{Executable, OpenModel};
use crate::refusal::Refusal;
use crate::request::Request;

/// The evidence. A violation that the engine did not find is a defect.
pub(super) fn evidence(request: &Request, model: &OpenModel, answer: &Answer, work: Work) -> Result<Evidence, Refusal> {
    let asked = &request.properties;
    if asked.deadlock || asked.acceptance || asked.non_progress {
        let reason = "the judge knows neither stuck threads nor infinite runs of such a model".to_owned();
        return Ok(Evidence::None { reason });
    }
    let bound = bound_of(answer);
    let runs = Runs { seed: SEED, count: (work.sample / STEPS_OF_A_RUN).max(1), steps: STEPS_OF_A_RUN };
    let mut steps = 0;
    let sampled = match &model.executable {
        Executable::Pds(machine) => {
            if let Some(explored) = explored(machine.pds(), answer, work) {
                no_violation(model, answer, &explored)?;
                steps += explored.steps;
                if explored.confirms() {
                    return Ok(Evidence::ReExplored { states: explored.states, steps });
                }
            }
            pds::sample(machine.pds(), bound, runs).unwrap_or_default()
        }
        Executable::Dcps(machine) => dcps::sample(machine.dcps(), bound, request.dynamic.fresh_switches, runs),
        Executable::Net(net) => net::sample(net.machine.net(), &model.sources, bound, runs),
        Executable::Promela(_) | Executable::Bool(_) => Explored::default(),
    };
    no_violation(model, answer, &sampled)?;
    Ok(Evidence::Sampled { runs: sampled.runs, steps: steps + sampled.steps, compared_states: 0, seed: SEED })
}

/// What the judge explored of a pushdown system.
fn explored(system: &Pds, answer: &Answer, work: Work) -> Option<Explored> {
    let effort = Effort { steps: work.explore, stack: STACK };
    let bound = bound_of(answer);
    match (answer.verdict, bound.kind, bound.value) {
        // A proof may fail for what no run does: then it is none.
        (Verdict::Holds, ..) => Some(pds::explore(system, effort)).filter(Explored::confirms),
        (_, BoundKind::Rounds, Some(rounds)) => Some(pds::explore_rounds(system, rounds, effort)),
        _ => None,
    }
}
