//! The main loop: one execution after the other as the strategy chooses them, until nothing is left, a violation is
//! found, or a limit is reached. A violation is shown by the run that its schedule gives when it is run again.

mod evidence;
mod frees;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use selvedge_core::SwitchCost;

use self::frees::Frees;
use crate::config::{Config, Memory, Mode, Reduction, SearchBound};
use crate::cost::{Caps, Cost, SearchRules};
use crate::execution::{Ending, Execution, ExecutionConfig, Failure, Fibers, Restart, starts_weak};
use crate::orderings::Site;
use crate::outcome::{BoundStats, Exploration, Nondeterminism, Progress, SearchEvidence, Stop, Violation};
#[cfg(unix)]
use crate::overflow;
use crate::recheck::{Recorder, Visited, visits_all_classes};
use crate::repair::Repair;
use crate::strategy::bounded::Bounded;
use crate::strategy::happens_before::HappensBefore;
use crate::strategy::random::{Pct, Uniform, UniformWalk};
use crate::strategy::replay::Replay;
use crate::strategy::{Ended, Next, Strategy};
use crate::{ThreadId, ViolationKind, execution, hook, report, schedule, watchdog};

/// The time it takes to give 16 MiB back to the system, at the most: it counts as time of the search.
const GIVING_BACK: Duration = Duration::from_millis(3);
/// When it is time to think of that: nothing is large enough to take longer.
const NEAR: Duration = Duration::from_secs(2);

/// A search ends if this many executions were too long and none has finished: two loops that never end, for example, are
/// interleaved in too many ways to try them all.
const HOPELESS: u64 = 16;

/// Numbers all executions of the process.
static STAMP: AtomicU64 = AtomicU64::new(1);

/// The number of the next execution.
pub(crate) fn stamp() -> u64 {
    STAMP.fetch_add(1, Ordering::Relaxed)
}

/// Explores `body` as `config` says; `observer` hears of every bound as it completes.
///
/// Must not be called inside a model.
pub fn explore(config: &Config, observer: &mut dyn FnMut(&Progress), body: &dyn Fn()) -> Exploration {
    assert!(!execution::inside(), "a model cannot be explored inside of a model");
    hook::install();
    #[cfg(unix)]
    overflow::watch(config.overflow_words);
    let start = Instant::now();
    let deadline = config.time_limit.and_then(|limit| start.checked_add(limit));
    let mut explorer = Explorer::new(config, body, deadline, observer);
    let (stop, evidence) = match strategy(config, config.reduction, starts_weak(config), deadline) {
        Ok(strategy) => explorer.explore(strategy),
        Err(stop) => (stop, SearchEvidence::None),
    };
    let (reduction, elapsed) = (explorer.reduction, explorer.elapsed.unwrap_or_else(|| start.elapsed()));
    let memory = if explorer.weak { Memory::Rc11 } else { Memory::Sequential };
    explorer.found.into_exploration(stop, evidence, (reduction, memory), elapsed)
}

/// What was found so far.
#[derive(Default)]
struct Found {
    executions: u64,
    cut: u64,
    too_long: u64,
    per_bound: Vec<BoundStats>,
    violation: Option<Violation>,
    all_violations: BTreeMap<(ViolationKind, String), usize>,
    /// For the recheck: steps of all executions, and the classes that were visited.
    steps: u64,
    visited: Visited,
    /// Places with orderings.
    sites: Vec<Site>,
    /// Other values under the same schedule.
    values: Option<Nondeterminism>,
}

impl Found {
    /// Executions, however they ended.
    fn runs(&self) -> u64 {
        self.executions + self.cut + self.too_long
    }

    /// The search is over: everything that was asked for was explored.
    fn is_complete(&self, stop: &Stop) -> bool {
        matches!(stop, Stop::Finished { .. }) && self.too_long == 0
    }

    fn into_exploration(
        self,
        stop: Stop,
        evidence: SearchEvidence,
        (reduction, memory): (Reduction, Memory),
        elapsed: Duration,
    ) -> Exploration {
        let complete = self.is_complete(&stop);
        Exploration {
            executions: self.executions,
            cut: self.cut + self.too_long,
            too_long: self.too_long,
            per_bound: self.per_bound,
            complete,
            stop,
            reduction,
            memory,
            violation: self.violation,
            evidence,
            all_violations: self.all_violations,
            sites: self.sites,
            differing_values: self.values,
            elapsed,
        }
    }
}

/// Fairness in force.
pub(crate) fn fairness(config: &Config) -> Option<u32> {
    match (config.bound, &config.mode) {
        (SearchBound::Fair(ahead), Mode::Exhaustive) => Some(ahead),
        (SearchBound::Depth(_), Mode::Exhaustive) => None,
        _ => config.fair_yields,
    }
}

/// Deviations that are explored at the least where only preemptions are bounded and stale values are explored.
const LEAST_DEVIATIONS: u32 = 2;

/// A limit on stale accesses that is none: with a bound on preemptions they are not counted.
const ANY_NUMBER: u32 = u32::MAX;

/// What the bound counts, and the first and last bound to be explored; `weak` if stale values are explored.
pub(crate) fn rules(config: &Config, weak: bool) -> SearchRules {
    let (cost, first, mut max) = match config.bound {
        SearchBound::Preemptions(max) | SearchBound::Deviations(max) => (Cost::Switch(SwitchCost::Preemptions), 0, max),
        SearchBound::Switches(max) => (Cost::Switch(SwitchCost::Switches), 0, max),
        SearchBound::Fair(ahead) => (Cost::Free, ahead, Some(ahead)),
        SearchBound::Depth(steps) => (Cost::Depth, steps, Some(steps)),
    };
    let mut caps = Caps::default();
    if weak {
        caps.stale = config.max_stale;
        match (config.bound, config.max_stale) {
            (SearchBound::Preemptions(_), Some(0)) => {}
            (SearchBound::Preemptions(_), Some(ANY_NUMBER)) => (caps.stale, caps.stale_is_free) = (None, true),
            (SearchBound::Preemptions(Some(most)), Some(stale)) => {
                (max, caps.switches) = (most.checked_add(stale), Some(most));
            }
            (SearchBound::Preemptions(Some(most)), None) => {
                max = Some(most.max(LEAST_DEVIATIONS));
                caps.switches = (most < LEAST_DEVIATIONS).then_some(most);
            }
            _ => {}
        }
        caps.stale = caps.stale.filter(|stale| max.is_none_or(|max| *stale < max));
    }
    SearchRules { cost, first, max, caps }
}

/// Why stale values cannot be explored with these options, if so.
fn unsupported(config: &Config) -> Option<&'static str> {
    let bounded = matches!(config.bound, SearchBound::Preemptions(_) | SearchBound::Deviations(_));
    (config.mode == Mode::Exhaustive && !bounded).then_some(
        "Memory::Rc11 works with SearchBound::Deviations and SearchBound::Preemptions; for other bounds take \
         Memory::Sequential",
    )
}

/// The strategy for what is asked for, with this reduction.
fn strategy(
    config: &Config,
    reduction: Reduction,
    weak: bool,
    deadline: Option<Instant>,
) -> Result<Box<dyn Strategy>, Stop> {
    let rules = rules(config, weak);
    if weak && let Some(why) = unsupported(config) {
        return Err(Stop::Unsupported(why.to_owned()));
    }
    let fair = fairness(config);
    Ok(match &config.mode {
        Mode::Random { seed, executions } => Box::new(Uniform::new(*seed, *executions)),
        Mode::UniformWalk { seed, executions } => Box::new(UniformWalk::new(*seed, *executions)),
        Mode::Pct { seed, depth, executions } => Box::new(Pct::new(*seed, *depth, *executions)),
        Mode::Replay(text) => Box::new(Replay::new(schedule::parse(text).map_err(Stop::BadSchedule)?)),
        Mode::Exhaustive => match reduction {
            Reduction::None => Box::new(Bounded::new(rules, false, fair.is_some())),
            Reduction::Bpor if rules.cost.may_refuse_everybody() => {
                let text = "Reduction::Bpor works with SearchBound::Preemptions and SearchBound::Fair; for other bounds take \
                            Reduction::HappensBefore or Reduction::None";
                return Err(Stop::Unsupported(text.to_owned()));
            }
            Reduction::Bpor => Box::new(Bounded::new(rules, true, fair.is_some())),
            Reduction::HappensBefore => HappensBefore::idle(rules, fair, deadline),
        },
    })
}

/// Tells the strategy how an execution ended.
fn end(run: &mut Execution, ended: Ended) {
    hook::between_executions(|| run.strategy.end(&run.state, ended));
}

pub(crate) struct Explorer<'a> {
    config: &'a Config,
    body: &'a dyn Fn(),
    deadline: Option<Instant>,
    observer: &'a mut dyn FnMut(&Progress),
    /// The one in force: that of the configuration, unless the program turned out not to be one for it.
    reduction: Reduction,
    /// Stale values are explored.
    weak: bool,
    fibers: Fibers,
    found: Found,
    frees: Frees,
    recorder: Recorder,
    begun: Instant,
    /// The time that the search took, once it is over.
    elapsed: Option<Duration>,
}

impl<'a> Explorer<'a> {
    pub(crate) fn new(
        config: &'a Config,
        body: &'a dyn Fn(),
        deadline: Option<Instant>,
        observer: &'a mut dyn FnMut(&Progress),
    ) -> Explorer<'a> {
        Explorer {
            config,
            body,
            deadline,
            observer,
            reduction: config.reduction,
            weak: starts_weak(config),
            fibers: Fibers::new(),
            found: Found::default(),
            frees: Frees::default(),
            recorder: Recorder::default(),
            begun: Instant::now(),
            elapsed: None,
        }
    }

    /// Searches, then looks for evidence that the answer is right.
    pub(crate) fn explore(&mut self, strategy: Box<dyn Strategy>) -> (Stop, SearchEvidence) {
        let execution_config = ExecutionConfig::new(self.config, fairness(self.config), self.deadline);
        let mut run = Execution::idle(execution_config, strategy);
        run.pulse = watchdog::watch(self.config.stall.as_ref());
        let (mut run, stop) = self.search(run);
        let (execution_config, length) = (run.config.clone(), run.state.steps.len());
        self.found.sites = std::mem::take(&mut run.sites);
        let last = self.last_run(&run);
        run.retire();
        self.elapsed = Some(self.begun.elapsed());
        if stop == Stop::Violation {
            return (stop, SearchEvidence::Replayed);
        }
        if !self.rechecks()
            || self.is_single()
            || !self.found.is_complete(&stop)
            || !self.found.all_violations.is_empty()
        {
            return (stop, SearchEvidence::None);
        }
        match self.recheck(execution_config.clone(), length) {
            Ok(evidence) => (stop, evidence),
            Err(disagreement @ Stop::Disagreement(_)) => {
                match last.and_then(|last| self.differs_now(execution_config, last)) {
                    Some(Stop::Violation) => (Stop::Violation, SearchEvidence::Replayed),
                    differs => (differs.unwrap_or(disagreement), SearchEvidence::None),
                }
            }
            Err(stop) => (stop, SearchEvidence::None),
        }
    }

    /// One execution after the other; the run comes back for its memory.
    fn search(&mut self, mut run: Box<Execution>) -> (Box<Execution>, Stop) {
        let record = matches!(self.config.mode, Mode::Replay(_));
        loop {
            match hook::between_executions(|| run.strategy.next()) {
                Next::Run => {}
                Next::BoundComplete { bound, executions } => {
                    self.bound_complete(BoundStats { bound, executions });
                    continue;
                }
                Next::Restart => {
                    self.found = Found::default();
                    continue;
                }
                Next::TooManyPrefixes => {
                    if let Some(stop) = self.search_otherwise(&mut run) {
                        return (run, stop);
                    }
                    continue;
                }
                Next::Time => return (run, Stop::Time),
                Next::Done { every_bound } => {
                    let verify = self.config.verify && !self.is_single();
                    let differs = verify.then(|| self.repeats(&run)).flatten();
                    return (run, differs.unwrap_or(Stop::Finished { every_bound }));
                }
            }
            if let Some(stop) = self.limit(run.strategy.as_ref()) {
                return (run, stop);
            }
            run = self.fibers.execute(run, stamp(), record, self.body);
            if let Some(stop) = self.after(&mut run) {
                return (run, stop);
            }
        }
    }

    /// The strategy is through with a bound. If an execution was too long, what it would have done is not known.
    fn bound_complete(&mut self, stats: BoundStats) {
        if self.found.too_long > 0 {
            return;
        }
        self.found.per_bound.push(stats);
        (self.observer)(&Progress::BoundComplete(stats));
    }

    fn limit(&self, strategy: &dyn Strategy) -> Option<Stop> {
        if self.config.max_executions.is_some_and(|max| self.found.runs() >= max) {
            return Some(Stop::Executions);
        }
        if self.config.mode == Mode::Exhaustive && self.found.runs() == HOPELESS && self.found.too_long == HOPELESS {
            return Some(Stop::TooLong);
        }
        let left = self.deadline?.saturating_duration_since(Instant::now());
        let late =
            left < NEAR && left <= GIVING_BACK * ((strategy.memory() + self.found.visited.memory()) >> 24) as u32;
        late.then_some(Stop::Time)
    }

    /// Takes in how an execution ended; why to stop, if so.
    fn after(&mut self, run: &mut Box<Execution>) -> Option<Stop> {
        let ending = run.ending.take().expect("internal error: a run ends for a reason");
        #[cfg(all(debug_assertions, any(test, feature = "self-checks")))]
        if let Some(weak) = &run.state.weak {
            weak.graph.check_axioms();
        }
        match ending {
            Ending::Finished => {
                self.found.executions += 1;
                self.visit(run);
                let stop = self.try_frees(run);
                end(run, Ended::Terminal);
                return stop;
            }
            Ending::Cut => {
                self.found.cut += 1;
                end(run, Ended::Cut);
            }
            Ending::TooLong => {
                if self.found.too_long == 0
                    && let Some(op) = run.state.threads()[run.current.index()].pending
                {
                    let (steps, thread) = (run.state.steps.len(), run.thread_label(run.current));
                    (self.observer)(&Progress::GivenUp { steps, thread, at: op.at });
                }
                self.found.too_long += 1;
                end(run, Ended::Cut);
            }
            Ending::Failed(failure, aborted) => {
                self.found.executions += 1;
                end(run, if aborted { Ended::Aborted } else { Ended::Terminal });
                return self.failed(run, failure);
            }
            Ending::Restart(what) => return self.restart(run, what),
            Ending::Differs(what) => return Some(Stop::Nondeterminism(what)),
            Ending::Misfit(what) => return Some(Stop::BadSchedule(what)),
            Ending::Time => return Some(Stop::Time),
            Ending::GivenUp => {}
        }
        None
    }

    /// Keeps what the recheck needs of a run that ended.
    fn visit(&mut self, run: &Execution) {
        if self.rechecks() {
            self.found.steps += run.state.steps.len() as u64;
            if visits_all_classes(self.reduction) {
                self.found.visited.insert(self.recorder.digest(&run.state));
            }
        }
    }

    /// The search by classes would need too much memory: another one starts again.
    fn search_otherwise(&mut self, run: &mut Execution) -> Option<Stop> {
        self.reduction = match self.config.bound {
            SearchBound::Preemptions(_) | SearchBound::Deviations(_) | SearchBound::Fair(_) => Reduction::Bpor,
            SearchBound::Switches(_) | SearchBound::Depth(_) => Reduction::None,
        };
        self.start_again(run)
    }

    /// The program turned out to need more than was assumed: everything so far is forgotten.
    fn restart(&mut self, run: &mut Execution, what: Restart) -> Option<Stop> {
        match what {
            Restart::Counts => run.config.counts = true,
            Restart::Weak => (run.config.weak, self.weak) = (true, true),
        }
        self.start_again(run)
    }

    fn start_again(&mut self, run: &mut Execution) -> Option<Stop> {
        self.found = Found::default();
        // What the old strategy leaves serves the new one.
        std::mem::replace(&mut run.strategy, Box::new(Replay::new(Vec::new()))).retire();
        match strategy(self.config, self.reduction, run.config.weak, self.deadline) {
            Ok(strategy) => run.strategy = strategy,
            Err(stop) => return Some(stop),
        }
        None
    }

    fn failed(&mut self, run: &mut Box<Execution>, failure: Failure) -> Option<Stop> {
        if self.config.keep_going {
            let complete = self.found.per_bound.len();
            self.found.all_violations.entry((failure.kind, failure.message)).or_insert(complete);
            return None;
        }
        let ran: Vec<(ThreadId, u32)> = run.state.steps.iter().map(|s| (s.thread, s.choice)).collect();
        let best = run.strategy.best_schedule();
        for steps in best.into_iter().chain([ran]) {
            if let Some(violation) = self.show(run, &failure, steps) {
                self.found.violation = Some(violation);
                return Some(Stop::Violation);
            }
        }
        Some(Stop::Nondeterminism(Nondeterminism {
            step: run.state.steps.len(),
            expected: failure.message,
            found: "no violation when the same schedule was run again".to_owned(),
        }))
    }

    /// Runs the schedule again and writes it down; nothing if it does not show the same kind of violation.
    fn show(&mut self, run: &Execution, failure: &Failure, steps: Vec<(ThreadId, u32)>) -> Option<Violation> {
        let config = ExecutionConfig { deadline: None, collect_sites: run.config.weak, ..run.config.clone() };
        let replay = Execution::idle(config, Box::new(Replay::new(steps)));
        let mut replay = self.fibers.execute(replay, stamp(), true, self.body);
        let Some(Ending::Failed(again, _)) = replay.ending.take() else { return None };
        if again.kind != failure.kind {
            return None;
        }
        let schedule = schedule::to_text(&replay.schedule);
        let recorded = report::recorded(&mut replay, again.kind == ViolationKind::Deadlock);
        let Failure { kind, message, location, thread, cause } = again;
        let sites = std::mem::take(&mut replay.sites);
        let mut repair = Repair::new(&replay, kind, &mut self.fibers, self.body);
        let fixes = if replay.config.weak { repair.suggestions(&sites) } else { Vec::new() };
        Some(Violation { kind, message, location, thread, schedule, cause, fixes, run: recorded })
    }
}
