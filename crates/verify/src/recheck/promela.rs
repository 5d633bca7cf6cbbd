//! `holds` of a Promela model: explored again by the judge within the same bound if that fits, else random runs within
//! the bound, and the steps of both sides compared.

use super::key::Key;
use super::stored::{LeastCost, Lookup};
use super::{SEED, Work, lockstep};
use selvedge_core::Evidence;
use selvedge_core::{Bound, Budget, Verdict};
use selvedge_promela_judge::{
    Completion, CostedStep, CycleKind, Explored, Finding, Interpreter, Properties, RunBound, Sampling, StepBudget,
    explore_within, find_cycles, sample, sample_with,
};

use crate::answer::Answer;
use crate::model::{OpenModel, PromelaModel};
use crate::refusal::Refusal;
use crate::request::Request;

/// Steps of a random run at most.
const STEPS_OF_A_RUN: u32 = 200;

/// Steps that the judge executes for one of a run, about: those that are enabled together with it.
const ENABLED_STEPS: u64 = 4;

/// A model whose answer is rechecked.
pub(super) struct Recheck<'a> {
    pub request: &'a Request,
    pub model: &'a OpenModel,
    pub promela: &'a PromelaModel,
    pub answer: &'a Answer,
    pub work: Work,
    pub budget: &'a Budget,
    /// The states of the search, where all of them were stored.
    pub stored: Option<&'a LeastCost>,
}

impl Recheck<'_> {
    /// The evidence. A violation that the search did not find is a defect.
    pub(super) fn evidence(&self) -> Result<Evidence, Refusal> {
        let judge = match Interpreter::new(&self.promela.syntax, self.promela.built.claim.as_ref()) {
            Ok(judge) => judge,
            Err(reason) => {
                return Ok(Evidence::None { reason: format!("the judge cannot execute the model: {reason}") });
            }
        };
        let mut steps = 0;
        for explored in self.explore(&judge) {
            self.no_violation(&explored)?;
            steps += explored.steps;
            if explored.completion == Completion::Complete {
                let states = explored.states as u64;
                if self.stored.is_none() {
                    return Ok(Evidence::ReExplored { states, steps, stored_states: None });
                }
                let (sampled, stored_states) = self.sample(&judge)?;
                return Ok(Evidence::ReExplored { states, steps: steps + sampled.steps, stored_states });
            }
        }
        let (sampled, stored_states) = self.sample(&judge)?;
        let assertions = !self.request.properties.no_assert;
        let work = lockstep::Work { seed: SEED, steps: self.work.compare, limits: self.budget, assertions };
        let compared = lockstep::compare(&self.promela.built.machine, &judge, &self.model.sources, &work)
            .map_err(|why| self.disagreement(&why))?;
        Ok(Evidence::Sampled {
            runs: sampled.runs,
            steps: steps + sampled.steps + compared.steps,
            compared_states: compared.states,
            stored_states,
            seed: SEED,
        })
    }

    /// Makes random runs within the bound and looks their states up in the store of the search, if there is one. Returns
    /// how many were found there.
    fn sample(&self, judge: &Interpreter) -> Result<(Explored, Option<u64>), Refusal> {
        let runs = u32::try_from(self.work.sample / u64::from(STEPS_OF_A_RUN)).unwrap_or(u32::MAX).max(1);
        let sampling = Sampling { seed: SEED, runs, steps_per_run: STEPS_OF_A_RUN };
        let budget = StepBudget { steps: ENABLED_STEPS * self.work.sample, limits: Some(self.budget.clone()) };
        let Some(stored) = self.stored else {
            let sampled = sample(judge, &self.properties(), self.bound(), sampling, budget);
            self.no_violation(&sampled)?;
            return Ok((sampled, None));
        };
        let (machine, sources) = (&self.promela.built.machine, &self.model.sources);
        let whole = self.answer.verdict == Verdict::Holds;
        let mut lookup = Lookup { machine, sources, stored, whole, found: 0 };
        let mut followed = Ok(());
        let mut observe = |run: &[CostedStep]| {
            if followed.is_ok() {
                followed = lookup.follow(run);
            }
        };
        // Of an answer about all runs, too, the costs are those that the search counted.
        let bound = RunBound { bound: Bound { kind: self.answer.bound.kind, ..self.bound().bound }, ..self.bound() };
        let sampled = sample_with(judge, &self.properties(), bound, sampling, budget, &mut observe);
        self.no_violation(&sampled)?;
        followed.map_err(|why| self.disagreement(&why))?;
        Ok((sampled, Some(lookup.found)))
    }

    /// Explores again, once for each kind of cycles that is searched. Where one is not complete, the others are left out.
    fn explore<'j>(&'j self, judge: &'j Interpreter) -> impl Iterator<Item = Explored> + 'j {
        let asked = &self.request.properties;
        let acceptance = (self.promela.built.liveness && !asked.safety_only) || asked.acceptance;
        let cycles = [(acceptance, CycleKind::Acceptance), (asked.non_progress, CycleKind::NonProgress)];
        let mut kinds: Vec<Option<CycleKind>> =
            cycles.into_iter().filter(|(asked, _)| *asked).map(|(_, kind)| Some(kind)).collect();
        if kinds.is_empty() {
            kinds.push(None);
        }
        // All of them have to be complete, so the last one tells.
        let effort = StepBudget { steps: self.work.explore / kinds.len() as u64, limits: Some(self.budget.clone()) };
        let last = kinds.len() - 1;
        // Each state takes the judge a step, so more states than steps cannot be explored.
        let mut complete = self.answer.stats.states <= effort.steps;
        kinds.into_iter().enumerate().map_while(move |(index, kind)| {
            if !complete {
                return None;
            }
            let (properties, bound) = (self.properties(), self.bound());
            let mut explored = match kind {
                None => explore_within(judge, &properties, bound, effort.clone()),
                Some(kind) => find_cycles(judge, &properties, (kind, asked.fair), bound, effort.clone()),
            };
            complete = explored.completion == Completion::Complete;
            if complete && index < last {
                explored.completion = Completion::Sampled;
            }
            Some(explored)
        })
    }

    fn properties(&self) -> Properties {
        let asked = &self.request.properties;
        Properties {
            assertions: !asked.no_assert,
            end_states: asked.reports_end_states(),
            reach: asked.reach.clone(),
            acceptance: asked.acceptance,
        }
    }

    /// The runs that the answer speaks of.
    fn bound(&self) -> RunBound {
        let bound = match self.answer.verdict {
            Verdict::Holds => Bound::UNBOUNDED,
            _ => self.answer.bound,
        };
        RunBound { bound, count_busy_wait: self.request.search.count_busy_wait }
    }

    fn no_violation(&self, explored: &Explored) -> Result<(), Refusal> {
        match explored.findings.first() {
            None => Ok(()),
            Some(finding) => Err(self.disagreement(&self.shown(finding))),
        }
    }

    fn disagreement(&self, why: &str) -> Refusal {
        let Answer { verdict, bound, stats, .. } = self.answer;
        let found = match verdict {
            Verdict::Holds => "no violation at all".to_owned(),
            _ => format!("no violation with {bound}"),
        };
        Refusal::defect(format!(
            "{}: the search found {found} ({} states, {} transitions), the independent interpreter disagrees: {why}",
            self.model.path, stats.states, stats.transitions
        ))
    }

    /// A violation that the judge found, with its run.
    fn shown(&self, finding: &Finding) -> String {
        let Finding { kind, message, cost, run, cycle_start, .. } = finding;
        let lines = run.iter().enumerate().map(|(index, step)| {
            let mark = if *cycle_start == Some(index) { "\n  the cycle starts here:" } else { "" };
            format!("{mark}\n  {}", Key::from(step).shown(&self.model.sources))
        });
        format!("{} ({message}) at cost {cost}, by this run:{}", kind.words(), lines.collect::<String>())
    }
}
