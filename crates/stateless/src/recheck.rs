//! Evidence for searches that found no violation. A violation is shown by running its schedule again; an answer that there is
//! none rests on the reduction, so after a complete search other schedules within the same bound are run and compared
//! with what the search visited:
//!
//! - all of them, without reduction, if they are few: violations, classes, and the number of classes within each bound
//!   must be the same;
//! - else random ones (`strategy::sample`): none may fail, and none may belong to a class that was not visited. Where
//!   the search has run nothing to its end, none may be too long either: then the search was not complete.
//!
//! The class of a run (`digest`) and the cost of its schedule (`cost`) are computed from the recorded operations by code
//! that the search does not use. What differs is a [`Disagreement`]: a defect of this crate, unless the program does
//! not do the same under the same schedule, which is looked for first.
//!
//! Nothing here changes an answer: a limit met during the recheck leaves less evidence, or none.

mod cost;
mod digest;
mod record;
mod visited;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::time::Instant;

use selvedge_core::SwitchCost;

use crate::config::{Config, Recheck, Reduction, SearchBound};
use crate::cost::{Cost, SearchRules, Spent};
use crate::execution::{Ending, Execution, ExecutionConfig, Failure, Fibers};
use crate::explore::{fairness, rules, stamp};
use crate::outcome::{BoundStats, Disagreement, Nondeterminism, SearchEvidence, Stop};
use crate::schedule;
use crate::state::State;
use crate::strategy::bounded::Bounded;
use crate::strategy::replay::Replay;
use crate::strategy::sample::Sample;
use crate::strategy::{Ended, Next};

use cost::Costs;
use digest::Digester;
use record::Record;
pub(crate) use visited::Visited;

/// Every recheck starts from this seed: the same program gets the same schedules.
const SEED: u64 = 1;

/// The quick recheck runs one schedule for so many of the search. A run takes longer here, because its class and its cost
/// are computed from scratch.
const SHARE: u64 = 16;

/// Computes digests of runs.
#[derive(Default)]
pub(crate) struct Recorder {
    record: Record,
    digester: Digester,
}

impl Recorder {
    /// The digest of the class of a run that ended.
    pub(crate) fn digest(&mut self, state: &State) -> u128 {
        self.record.read(state);
        self.digester.digest(&self.record)
    }
}

/// What the search did, as far as it is compared.
pub(crate) struct Searched<'a> {
    /// The one in force at the end.
    pub(crate) reduction: Reduction,
    pub(crate) executions: u64,
    /// Of these, the ones that ran to their end.
    pub(crate) finished: u64,
    pub(crate) steps: u64,
    pub(crate) per_bound: &'a [BoundStats],
    pub(crate) visited: &'a Visited,
    /// Steps of the last run.
    pub(crate) length: usize,
}

/// Whether a search with this reduction visits every class within the bound.
pub(crate) fn visits_all_classes(reduction: Reduction) -> bool {
    reduction != Reduction::Bpor
}

/// How much may be run, in executions and steps.
#[derive(Clone, Copy)]
struct Budget {
    executions: u64,
    steps: u64,
}

impl Budget {
    fn new(config: &Config, searched: &Searched<'_>) -> Budget {
        let budget = match config.recheck {
            Recheck::None => Budget { executions: 0, steps: 0 },
            Recheck::Quick => Budget {
                executions: (searched.executions / SHARE).max(64),
                steps: (searched.steps / SHARE).max(1 << 14),
            },
            Recheck::Full => Budget { executions: 100_000, steps: u64::MAX },
        };
        Budget { executions: budget.executions.min(config.max_executions.unwrap_or(u64::MAX)), ..budget }
    }

    /// The part of it that is spent on all schedules without reduction, if they may fit. The quick recheck keeps the other half
    /// for random schedules, because it is not known beforehand how many schedules there are.
    fn for_all(self, config: &Config, searched: &Searched<'_>) -> Option<Budget> {
        let part = match config.recheck {
            Recheck::Full => self,
            _ => Budget { executions: self.executions / 2, steps: self.steps / 2 },
        };
        (searched.reduction != Reduction::None && searched.executions <= part.executions).then_some(part)
    }

    fn spend(&mut self, steps: usize) {
        self.executions = self.executions.saturating_sub(1);
        self.steps = self.steps.saturating_sub(steps as u64);
    }

    fn is_spent(self) -> bool {
        self.executions == 0 || self.steps == 0
    }
}

/// A recheck under way.
pub(crate) struct Rechecker<'a> {
    config: &'a Config,
    body: &'a dyn Fn(),
    fibers: &'a mut Fibers,
    execution_config: ExecutionConfig,
    searched: Searched<'a>,
    recorder: Recorder,
    budget: Budget,
    /// The limit of time was met.
    late: bool,
}

impl<'a> Rechecker<'a> {
    /// A recheck of a complete search without violation; `execution_config` is the one the search ended with.
    pub(crate) fn new(
        config: &'a Config,
        body: &'a dyn Fn(),
        fibers: &'a mut Fibers,
        execution_config: ExecutionConfig,
        searched: Searched<'a>,
    ) -> Rechecker<'a> {
        let (recorder, budget) = (Recorder::default(), Budget::new(config, &searched));
        Rechecker { config, body, fibers, execution_config, searched, recorder, budget, late: false }
    }

    /// The evidence, or what disagrees with the search.
    pub(crate) fn evidence(&mut self) -> Result<SearchEvidence, Stop> {
        if let Some(part) = self.budget.for_all(self.config, &self.searched)
            && let Some(evidence) = self.run_all(part)?
        {
            return Ok(evidence);
        }
        self.sample()
    }

    /// Runs every schedule within the bound without reduction; nothing if there are too many.
    fn run_all(&mut self, mut part: Budget) -> Result<Option<SearchEvidence>, Stop> {
        let strategy = Bounded::new(self.rules(), false, fairness(self.config).is_some());
        let mut run = Execution::idle(self.execution_config.clone(), Box::new(strategy));
        let mut least: BTreeMap<u128, u32> = BTreeMap::new();
        let mut schedules = 0;
        let complete = loop {
            match run.strategy.next() {
                Next::Run if part.is_spent() || self.is_late() => break false,
                Next::Run => {}
                Next::BoundComplete { .. } => continue,
                Next::Done { .. } => break true,
                Next::Restart | Next::Time | Next::TooManyPrefixes => break false,
            }
            let ending;
            (run, ending) = self.execute(run);
            part.spend(run.state.steps.len());
            self.budget.spend(run.state.steps.len());
            match ending {
                Ending::Finished => {
                    let (digest, cost) = self.compare(&run)?;
                    least.entry(digest).and_modify(|least| *least = cost.min(*least)).or_insert(cost);
                    schedules += 1;
                    run.strategy.end(&run.state, Ended::Terminal);
                }
                Ending::TooLong => {
                    self.too_long(&run)?;
                    run.strategy.end(&run.state, Ended::Cut);
                }
                Ending::Cut => run.strategy.end(&run.state, Ended::Cut),
                Ending::Failed(failure, _) => return Err(self.failed(&run, &failure)),
                Ending::Differs(what) => return Err(Stop::Nondeterminism(what)),
                Ending::Restart(_) | Ending::Misfit(_) | Ending::Time | Ending::GivenUp => break false,
            }
        };
        run.retire();
        if !complete {
            return Ok(None);
        }
        compare_classes(&self.searched, &least).map_err(Stop::Disagreement)?;
        Ok(Some(SearchEvidence::Reexplored { schedules, classes: least.len() as u64 }))
    }

    /// Runs random schedules within the bound.
    fn sample(&mut self) -> Result<SearchEvidence, Stop> {
        let strategy = Sample::new(self.rules(), SEED, self.budget.executions, self.searched.length);
        let mut run = Execution::idle(self.execution_config.clone(), Box::new(strategy));
        let mut classes: BTreeMap<u128, ()> = BTreeMap::new();
        let mut schedules = 0;
        while run.strategy.next() == Next::Run && !self.budget.is_spent() && !self.is_late() {
            let ending;
            (run, ending) = self.execute(run);
            self.budget.spend(run.state.steps.len());
            run.strategy.end(&run.state, Ended::Terminal);
            match ending {
                Ending::Finished => {
                    classes.insert(self.compare(&run)?.0, ());
                    schedules += 1;
                }
                Ending::Failed(failure, _) => return Err(self.failed(&run, &failure)),
                Ending::Time => break,
                Ending::TooLong => self.too_long(&run)?,
                _ => {} // cut off: there is nothing to compare
            }
        }
        run.retire();
        let classes = classes.len() as u64;
        Ok(if schedules > 0 {
            SearchEvidence::Sampled { schedules, classes, seed: SEED }
        } else {
            SearchEvidence::None
        })
    }

    fn rules(&self) -> SearchRules {
        rules(self.config, self.execution_config.weak)
    }

    fn is_late(&mut self) -> bool {
        self.late |= self.execution_config.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        self.late
    }

    fn execute(&mut self, run: Box<Execution>) -> (Box<Execution>, Ending) {
        let mut run = self.fibers.execute(run, stamp(), false, self.body);
        let ending = run.ending.take().expect("internal error: a run ends for a reason");
        (run, ending)
    }

    /// The class of a run that finished, and the cost of its schedule, which are compared with the search.
    fn compare(&mut self, run: &Execution) -> Result<(u128, u32), Stop> {
        let digest = self.recorder.digest(&run.state);
        let (cost, spent) = match cost::costs(&self.recorder.record, fairness(self.config)) {
            Ok(costs) => (self.in_units(costs), Spent { switches: costs.preemptions, stale: costs.stale }),
            Err(step) => {
                let found = format!("step {} of this schedule cannot be made", step + 1);
                return Err(self.disagrees("every step that was made could be made".to_owned(), found));
            }
        };
        let capped = !self.rules().caps.allow(spent);
        if capped || self.rules().max.is_some_and(|max| cost > max) {
            let found = format!("this schedule costs {cost}, counted from its operations");
            return Err(self.disagrees(format!("a schedule {}", self.within()), found));
        }
        if visits_all_classes(self.searched.reduction) && self.searched.visited.lacks(digest) {
            return Err(self.missed(digest, cost));
        }
        Ok((digest, cost))
    }

    /// The cost in the unit of the bound.
    fn in_units(&self, costs: Costs) -> u32 {
        match self.rules().cost {
            Cost::Switch(SwitchCost::Preemptions) if self.rules().caps.stale_is_free => costs.preemptions,
            Cost::Switch(SwitchCost::Preemptions) => costs.preemptions + costs.stale,
            Cost::Switch(SwitchCost::Switches) => costs.switches,
            Cost::Depth => costs.steps,
            Cost::Free => 0,
        }
    }

    /// The search did not visit the class of the recorded run.
    fn missed(&mut self, digest: u128, cost: u32) -> Stop {
        let expected = format!("class {digest:032x}");
        if let Some(differs) = self.differs(&expected, |recorder, replay, ending| match ending {
            Ending::Finished => format!("class {:032x}", recorder.digest(&replay.state)),
            _ => "another end".to_owned(),
        }) {
            return differs;
        }
        let search = format!("{} classes visited {}", self.searched.visited.len(), self.within());
        self.disagrees(search, format!("a schedule of cost {cost} of another class ({digest:032x})"))
    }

    /// A run was too long. A search that has run nothing to its end cannot have met only shorter ones.
    fn too_long(&mut self, run: &Execution) -> Result<(), Stop> {
        if self.searched.finished > 0 {
            return Ok(());
        }
        self.recorder.record.read(&run.state);
        let found = format!("this schedule was cut off after {} steps", run.state.steps.len());
        Err(self.disagrees("every schedule was run to its end, in 0 executions".to_owned(), found))
    }

    /// A run failed, and none of the search did.
    fn failed(&mut self, run: &Execution, failure: &Failure) -> Stop {
        self.recorder.record.read(&run.state);
        let expected = format!("{}: {}", failure.kind.code(), failure.message);
        if let Some(differs) = self.differs(&expected, |_, _, ending| match ending {
            Ending::Failed(failure, _) => format!("{}: {}", failure.kind.code(), failure.message),
            _ => "no violation".to_owned(),
        }) {
            return differs;
        }
        let search = format!("no violation {}, in {} executions", self.within(), self.searched.executions);
        self.disagrees(search, expected)
    }

    /// Runs the recorded schedule twice more; that the program is not deterministic, if it does not do `expected` again.
    fn differs(&mut self, expected: &str, what: impl Fn(&mut Recorder, &Execution, &Ending) -> String) -> Option<Stop> {
        let record = self.recorder.record.clone();
        for _ in 0..2 {
            let execution_config = ExecutionConfig { deadline: None, ..self.execution_config.clone() };
            let replay = Execution::idle(execution_config, Box::new(Replay::new(record.schedule())));
            let (replay, ending) = self.execute(replay);
            let found = what(&mut self.recorder, &replay, &ending);
            replay.retire();
            if found != expected {
                let (step, expected) = (record.steps.len(), expected.to_owned());
                return Some(Stop::Nondeterminism(Nondeterminism { step, expected, found }));
            }
        }
        self.recorder.record = record;
        None
    }

    /// The bound in words.
    fn within(&self) -> String {
        let (unit, limit) = match self.config.bound {
            SearchBound::Preemptions(limit) => ("preemptions", limit),
            SearchBound::Deviations(limit) => ("deviations", limit),
            SearchBound::Switches(limit) => ("switches", limit),
            SearchBound::Depth(limit) => ("steps", Some(limit)),
            SearchBound::Fair(ahead) => return format!("of fair schedules (yields at most {ahead} apart)"),
        };
        limit.map_or(format!("with any number of {unit}"), |limit| format!("with at most {limit} {unit}"))
    }

    fn disagrees(&self, search: String, recheck: String) -> Stop {
        let schedule = Some(schedule::to_text(&self.recorder.record.schedule()));
        Stop::Disagreement(Disagreement { search, recheck, schedule })
    }
}

/// Compares the classes of all schedules, each with its least cost, with those that the search visited. That none is
/// missing is known: each run was compared when it ended.
fn compare_classes(searched: &Searched<'_>, least: &BTreeMap<u128, u32>) -> Result<(), Disagreement> {
    let disagreement = |search, recheck| Err(Disagreement { search, recheck, schedule: None });
    if searched.reduction != Reduction::HappensBefore {
        return Ok(());
    }
    if let Some(digest) = searched.visited.beyond(|digest| least.contains_key(&digest)) {
        let recheck = format!("no schedule within the bound has it; all {} classes were run", least.len());
        return disagreement(format!("class {digest:032x} visited"), recheck);
    }
    for &BoundStats { bound, executions } in searched.per_bound {
        let classes = least.values().filter(|&&cost| cost <= bound).count() as u64;
        if classes != executions {
            let search = format!("{executions} classes within bound {bound}");
            return disagreement(search, format!("{classes} classes of schedules that cost at most {bound}"));
        }
    }
    Ok(())
}
