//! `holds` of a Boolean program: proved or explored again by the judge if that fits, else random runs within the bound.

use selvedge_boolprog_judge::{Goals, explore, explore_rounds, prove, sample};
use selvedge_core::{BoundKind, Effort, Explored, Runs, Verdict};

use super::{SEED, STACK, STEPS_OF_A_RUN, Work, bound_of, no_violation};
use selvedge_core::Evidence;

use crate::answer::Answer;
use crate::model::{BoolModel, OpenModel};
use crate::refusal::Refusal;
use crate::request::{Engine, Request};

/// A program whose answer is rechecked.
pub(super) struct Recheck<'a> {
    pub request: &'a Request,
    pub model: &'a OpenModel,
    pub program: &'a BoolModel,
    pub answer: &'a Answer,
    pub work: Work,
}

impl Recheck<'_> {
    /// The evidence. A violation that the engine did not find is a defect.
    pub fn evidence(&self) -> Result<Evidence, Refusal> {
        let none = |reason: &str| Ok(Evidence::None { reason: reason.to_owned() });
        if self.request.properties.deadlock {
            return none("the judge of Boolean programs knows no stuck threads");
        }
        if self.request.properties.acceptance || self.request.properties.non_progress {
            return none("the judge of Boolean programs knows no infinite runs");
        }
        let mut steps = 0;
        for explored in self.explored() {
            steps += explored.steps;
            no_violation(self.model, self.answer, &explored)?;
            if explored.confirms() {
                return Ok(Evidence::ReExplored { states: explored.states, steps });
            }
        }
        let runs = Runs { seed: SEED, count: (self.work.sample / STEPS_OF_A_RUN).max(1), steps: STEPS_OF_A_RUN };
        let Some(sampled) = sample(&self.program.syntax, &self.goals(), bound_of(self.answer), runs) else {
            return none("the judge of Boolean programs does not count the switches of each thread");
        };
        no_violation(self.model, self.answer, &sampled)?;
        let steps = steps + sampled.steps;
        Ok(Evidence::Sampled { runs: runs.count, steps, compared_states: 0, seed: SEED })
    }

    /// What the judge explored again, as long as nothing confirms the answer.
    fn explored(&self) -> Vec<Explored> {
        let (syntax, goals) = (&self.program.syntax, self.goals());
        let effort = Effort { steps: self.work.explore / 2, stack: STACK };
        let bound = bound_of(self.answer);
        match (self.answer.verdict, bound.kind, bound.value) {
            // Threads that are created are not for this proof, and there may be any number of them.
            _ if self.answer.engine == Engine::Dynamic => Vec::new(),
            (Verdict::Holds, ..) => {
                let proved = prove(syntax, &goals, effort);
                match proved.filter(Explored::confirms) {
                    Some(proved) => vec![proved],
                    None => {
                        let explored = explore(syntax, &goals, effort);
                        // Rounds that are explored are no more than the budget allows: only if nothing is left to
                        // explore do they speak of all.
                        let complete = explored.complete && explored.saturated;
                        vec![Explored { complete, ..explored }]
                    }
                }
            }
            (_, BoundKind::Rounds, Some(rounds)) => vec![explore_rounds(syntax, &goals, rounds, effort)],
            _ => Vec::new(),
        }
    }

    fn goals(&self) -> Goals<'_> {
        Goals { assertions: !self.request.properties.no_assert, reach: self.request.properties.reach.as_deref() }
    }
}
