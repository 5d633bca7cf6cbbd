//! `holds` of a Boolean program: proved or explored again by the judge if that fits, certified, or else random runs within
//! the bound.

use selvedge_boolprog_judge::{Goals, explore, explore_rounds, explore_within, prove, sample};
use selvedge_core::{BoundKind, Budget, Effort, Evidence, Explored, Runs, Verdict};

use super::{SEED, STACK, STEPS_OF_A_RUN, Work, bound_of, no_violation};
use crate::answer::Answer;
use crate::model::{BoolModel, OpenModel};
use crate::proof::{Attempt, certificate};
use crate::refusal::Refusal;
use crate::request::{Engine, Request};

/// A program whose answer is rechecked.
pub(super) struct Recheck<'a> {
    pub request: &'a Request,
    pub model: &'a OpenModel,
    pub program: &'a BoolModel,
    pub answer: &'a Answer,
    pub work: Work,
    pub budget: &'a Budget,
}

impl Recheck<'_> {
    /// The evidence. A violation that the engine did not find is a defect.
    pub(super) fn evidence(&self) -> Result<Evidence, Refusal> {
        let mut steps = 0;
        for explore in [Self::proved, Self::explored] {
            let Some(explored) = explore(self) else { continue };
            steps += explored.steps;
            no_violation(self.model, self.answer, &explored)?;
            if explored.confirms() {
                return Ok(Evidence::ReExplored { states: explored.states, steps, stored_states: None });
            }
        }
        if self.is_certified()? {
            return Ok(Evidence::Certificate);
        }
        let runs = Runs { seed: SEED, count: (self.work.sample / STEPS_OF_A_RUN).max(1), steps: STEPS_OF_A_RUN };
        let (syntax, bound, fresh) = (&self.program.syntax, bound_of(self.answer), self.request.dynamic.fresh_switches);
        let sampled = sample(syntax, &self.goals(), bound, fresh, runs, self.budget);
        no_violation(self.model, self.answer, &sampled)?;
        let steps = steps + sampled.steps;
        Ok(Evidence::Sampled { runs: sampled.runs, steps, compared_states: 0, stored_states: None, seed: SEED })
    }

    fn effort(&self) -> Effort {
        Effort { steps: self.work.explore / 2, stack: STACK }
    }

    /// What the judge proves of all runs. A proof may fail for what no run does: then it is none.
    fn proved(&self) -> Option<Explored> {
        // Threads that are created are not for this proof, and it says nothing of threads that are stuck or never end.
        let all = self.answer.verdict == Verdict::Holds && self.answer.engine != Engine::Dynamic;
        if !all || self.request.properties.deadlock || self.request.properties.non_progress {
            return None;
        }
        prove(&self.program.syntax, &self.goals(), self.effort(), self.budget).filter(Explored::confirms)
    }

    /// What the judge explores again.
    fn explored(&self) -> Option<Explored> {
        let (syntax, goals, effort) = (&self.program.syntax, self.goals(), self.effort());
        let bound = bound_of(self.answer);
        match (self.answer.verdict, bound.kind, bound.value) {
            (_, BoundKind::Depth, _) => None,
            // A new thread is a step like any other here.
            _ if self.answer.engine == Engine::Dynamic || goals.infinite_runs => {
                let fresh = self.request.dynamic.fresh_switches;
                Some(explore_within(syntax, &goals, bound, fresh, effort, self.budget))
            }
            (Verdict::Holds, ..) => {
                let explored = explore(syntax, &goals, effort, self.budget);
                // Only if nothing is left to explore do the rounds that were explored speak of all.
                let complete = explored.complete && explored.saturated;
                Some(Explored { complete, ..explored })
            }
            (_, BoundKind::Rounds, Some(rounds)) => Some(explore_rounds(syntax, &goals, rounds, effort, self.budget)),
            _ => Some(explore_within(syntax, &goals, bound, false, effort, self.budget)),
        }
    }

    /// Whether the checker accepts a certificate, where the symbolic engine has proved the answer.
    fn is_certified(&self) -> Result<bool, Refusal> {
        if self.answer.verdict != Verdict::Holds || self.answer.engine != Engine::Symbolic {
            return Ok(false);
        }
        let attempt = certificate(self.request, self.model, self.work.diagrams, self.budget)?;
        Ok(matches!(attempt, Attempt::Accepted(_)))
    }

    fn goals(&self) -> Goals<'_> {
        let asked = &self.request.properties;
        Goals {
            assertions: !asked.no_assert,
            reach: asked.reach.as_deref(),
            deadlock: asked.deadlock,
            // No label of a program marks progress or acceptance, so no infinite run is accepting.
            infinite_runs: asked.non_progress,
            fair: asked.fair,
        }
    }
}
