//! Plain runs chosen by chance, within a bound. The same seed gives the same runs. The schedules are of four kinds, so
//! that deep states and rare orders are met: preemptions at places chosen beforehand, random priorities of the
//! processes with a few changes (probabilistic concurrency testing), long stretches of one process, and a fair coin.
//! Every run also prefers some statements to others, so that rare branches are taken again and again in some run.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use selvedge_core::{Chance, mix};

use super::Interpreter;
use super::cost::Runner;
use super::finding::{Completion, Explored, Findings, Properties, RunBound, RunStep, StepBudget};
use super::graph::{Graph, Hop, claim_completed};
use super::store::StateNumber;

/// How many runs are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sampling {
    /// Decides all choices.
    pub seed: u64,
    /// Number of runs.
    pub runs: u32,
    /// Most steps of a run.
    pub steps_per_run: u32,
}

/// A step of a run, with the cost of the run up to it.
pub type CostedStep = (RunStep, u32);

/// Makes random runs within a bound and checks them. Each run ends at its last state, at a step that cannot be
/// completed, or after the given number of steps.
pub fn sample(
    interpreter: &Interpreter,
    properties: &Properties,
    bound: RunBound,
    sampling: Sampling,
    budget: impl Into<StepBudget>,
) -> Explored {
    sample_with(interpreter, properties, bound, sampling, budget, &mut |_| {})
}

/// The same. Each run is given to `observe` at its end: its completed steps, each with the cost of the run up to it.
pub fn sample_with(
    interpreter: &Interpreter,
    properties: &Properties,
    bound: RunBound,
    sampling: Sampling,
    budget: impl Into<StepBudget>,
    observe: &mut dyn FnMut(&[CostedStep]),
) -> Explored {
    if !bound.is_supported() {
        return Explored::unsupported(bound.bound.kind);
    }
    let (graph, initial) = Graph::new(interpreter, budget.into());
    let visited = HashSet::from([initial]);
    let mut sampler = Sampler { graph, properties, bound, sampling, findings: Findings::default(), visited };
    if interpreter.claim_is_done(&interpreter.initial) {
        sampler.findings.add(&claim_completed(), None, bound.initial_cost(), Vec::new());
    }
    let mut made = 0;
    while made < sampling.runs && !sampler.graph.is_out_of_budget() {
        let number = made;
        made += 1;
        let run = sampler.run(initial, Chance::new(mix(sampling.seed ^ mix(u64::from(number)))));
        observe(&run);
    }
    Explored {
        states: sampler.graph.count_stored(sampler.visited.into_iter()),
        steps: sampler.graph.steps,
        findings: sampler.findings.into_sorted(),
        runs: u64::from(made),
        completion: Completion::Sampled,
    }
}

struct Sampler<'a> {
    graph: Graph<'a>,
    properties: &'a Properties,
    bound: RunBound,
    sampling: Sampling,
    findings: Findings,
    visited: HashSet<StateNumber>,
}

impl Sampler<'_> {
    /// Makes a run. Returns its completed steps, each with the cost up to it.
    fn run(&mut self, initial: StateNumber, mut chance: Chance) -> Vec<CostedStep> {
        let mut schedule = Schedule::new(&mut chance, self.bound.bound.value, self.sampling.steps_per_run);
        let (mut state, mut last): (StateNumber, Runner) = (initial, None);
        let (mut cost, mut run, mut completed) = (self.bound.initial_cost(), Vec::new(), Vec::new());
        loop {
            self.visited.insert(state);
            for fault in self.graph.state_violations(state, self.properties) {
                self.find(&fault, None, cost, &run);
            }
            if run.len() >= self.sampling.steps_per_run as usize || self.graph.is_out_of_budget() {
                return completed;
            }
            let mut hops = self.graph.hops(&self.bound, state, last);
            hops.retain(|hop| self.bound.allows(cost + hop.cost));
            let Some(hop) = schedule.choose(&mut chance, last, &hops, run.len() as u32) else { return completed };
            cost += hop.cost;
            run.push(hop.step);
            for fault in self.graph.step_violations(hop.edge, self.properties) {
                self.find(&fault, hop.step.span, cost, &run);
            }
            let Some(next) = hop.to else { return completed };
            completed.push((hop.step, cost));
            (state, last) = next;
        }
    }

    fn find(&mut self, fault: &super::PlainFault, span: Option<selvedge_source::Span>, cost: u32, run: &[RunStep]) {
        if self.findings.is_news(fault, span, cost) {
            self.findings.add(fault, span, cost, run.to_vec());
        }
    }
}

/// How the steps of one run are chosen.
struct Schedule {
    kind: ScheduleKind,
    /// Which statements this run prefers.
    taste: u64,
}

enum ScheduleKind {
    /// Counted switches at these steps, as soon as there is one to make.
    Planned(BTreeSet<u32>),
    /// The enabled process of the highest priority; after some steps the running one gets the lowest.
    Priorities { of: BTreeMap<u32, u64>, changes: BTreeSet<u32> },
    /// The same process, mostly.
    Stretches,
    /// Any process.
    Coin,
}

/// Changes of priorities in a run without a bound.
const USUAL_CHANGES: u32 = 4;

impl Schedule {
    fn new(chance: &mut Chance, bound: Option<u32>, steps: u32) -> Schedule {
        // Short runs are common: half of the plans lie within the first few steps.
        let horizon = if chance.remainder(2) == 0 { steps } else { steps.min(40) };
        let count = bound.unwrap_or(USUAL_CHANGES).min(1000);
        let plan: BTreeSet<u32> = (0..count).map(|_| chance.remainder(u64::from(horizon.max(1))) as u32).collect();
        let kind = match chance.remainder(4) {
            0 => ScheduleKind::Planned(plan),
            1 => ScheduleKind::Priorities { of: BTreeMap::new(), changes: plan },
            2 => ScheduleKind::Stretches,
            _ => ScheduleKind::Coin,
        };
        Schedule { kind, taste: chance.draw() }
    }

    fn choose<'h>(&mut self, chance: &mut Chance, last: Runner, hops: &'h [Hop], step: u32) -> Option<&'h Hop> {
        let process = self.process(chance, last, hops, step)?;
        let own: Vec<&Hop> = hops.iter().filter(|hop| hop.step.process == process).collect();
        let weights: Vec<u64> = own.iter().map(|hop| self.weight(&hop.step)).collect();
        let mut point = chance.remainder(weights.iter().sum::<u64>().max(1));
        for (hop, weight) in own.into_iter().zip(weights) {
            if point < weight {
                return Some(hop);
            }
            point -= weight;
        }
        None
    }

    /// The process to move; its number is none where only the claim moves.
    fn process(&mut self, chance: &mut Chance, last: Runner, hops: &[Hop], step: u32) -> Option<Runner> {
        let all: BTreeSet<Runner> = hops.iter().map(|hop| hop.step.process).collect();
        let any = |chance: &mut Chance, among: &BTreeSet<Runner>| {
            let count = among.len() as u64;
            if count == 0 { None } else { among.iter().nth(chance.remainder(count) as usize).copied() }
        };
        let with = |counted: bool| -> BTreeSet<Runner> {
            hops.iter().filter(|hop| (hop.cost > 0) == counted).map(|hop| hop.step.process).collect()
        };
        let can_stay = all.contains(&last);
        match &mut self.kind {
            ScheduleKind::Planned(plan) => {
                let planned = plan.first().is_some_and(|first| *first <= step);
                let counted = with(true);
                if planned && !counted.is_empty() {
                    plan.pop_first();
                    return any(chance, &counted);
                }
                let free = with(false);
                // Where switches cost nothing, a process mostly keeps running.
                if can_stay && chance.remainder(8) < 5 { Some(last) } else { any(chance, &free).or(any(chance, &all)) }
            }
            ScheduleKind::Priorities { of, changes } => {
                if changes.remove(&step)
                    && let Some(last) = last
                {
                    of.insert(last, 0);
                }
                let mut priority = |process: Runner| match process {
                    None => 0,
                    Some(process) => *of.entry(process).or_insert_with(|| 1 + (chance.draw() >> 1)),
                };
                let best = all.iter().copied().max_by_key(|process| priority(*process))?;
                // A process that spins would keep the others from running forever.
                if best == last && with(false).len() > 1 && chance.remainder(4) == 0 {
                    any(chance, &all)
                } else {
                    Some(best)
                }
            }
            ScheduleKind::Stretches if can_stay && chance.remainder(16) != 0 => Some(last),
            ScheduleKind::Stretches | ScheduleKind::Coin => any(chance, &all),
        }
    }

    fn weight(&self, step: &RunStep) -> u64 {
        let place = step.span.map_or(0, |span| u64::from(span.start) + 1);
        if mix(self.taste ^ place).is_multiple_of(4) { 8 } else { 1 }
    }
}
