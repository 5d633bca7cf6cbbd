//! The options of a check, and the check itself.

use std::collections::BTreeMap;
use std::panic::Location;
use std::path::PathBuf;
use std::time::Duration;

use selvedge_stateless::{
    Change, Config, Exploration, Memory, Mode, Progress, Recheck, Reduction, SearchBound as Bound, SearchEvidence,
    Stall, Stop,
};

use super::report::Report;
use super::weakest::OrderingUse;
use super::{OPTIONS, Options, blocks, environment, failure, regressions, render};
use crate::primitive::{self, Remarks};
use selvedge_stateless::rt;

/// Options of a check. The public fields are those of loom's builder that have an effect; the methods have the rest.
///
/// ```
/// use selvedge::{Builder, Reduction};
/// let report = Builder::new().preemptions(3).reduction(Reduction::Bpor).explore(|| { /* a test */ });
/// assert!(report.complete && report.violation.is_none());
/// ```
#[derive(Clone, Debug)]
#[must_use = "a builder does nothing before `check` or `explore`"]
pub struct Builder {
    /// Operations of one run, after which it is given up: as a livelock if it was fair, else as cut, and the search is
    /// incomplete (`SELVEDGE_MAX_BRANCHES`). A check in which every run was cut fails.
    pub max_branches: usize,
    /// Executions after which the search ends, incomplete (`SELVEDGE_MAX_EXECUTIONS`).
    pub max_permutations: Option<usize>,
    /// Time after which the search ends, incomplete (`SELVEDGE_TIME_LIMIT`).
    pub max_duration: Option<Duration>,
    /// The most preemptions that are explored (`SELVEDGE_PREEMPTIONS`); `None` is 2.
    pub preemption_bound: Option<usize>,
    /// Where failing schedules are kept and read from, instead of `selvedge-regressions/TEST.txt`.
    pub checkpoint_file: Option<PathBuf>,
    /// Say when a bound is complete.
    pub log: bool,
    config: Config,
    bound: Option<Bound>,
    memory: Option<Memory>,
    spurious_failures: bool,
    keep_failures: bool,
    require_complete: bool,
    like_loom: bool,
    jobs: Option<usize>,
}

impl Builder {
    /// The defaults: up to 2 preemptions, each partial order once, no limits, and what the environment says.
    pub fn new() -> Self {
        let mut config = Config::default();
        config.recheck = environment::recheck().unwrap_or(config.recheck);
        config.mode = environment::mode().unwrap_or(config.mode);
        config.max_stale = environment::stale();
        Builder {
            max_branches: environment::max_branches().unwrap_or(config.max_steps as usize),
            max_permutations: environment::max_executions(),
            max_duration: environment::time_limit(),
            preemption_bound: environment::preemptions(),
            checkpoint_file: None,
            log: std::env::var_os("LOOM_LOG").is_some(),
            config,
            bound: environment::bound(),
            memory: None,
            spurious_failures: false,
            keep_failures: true,
            require_complete: false,
            like_loom: false,
            jobs: None,
        }
    }

    /// Explores 0, 1, 2, … up to `n` preemptions: switches away from a thread that could have gone on.
    pub fn preemptions(mut self, n: usize) -> Self {
        self.preemption_bound = Some(n);
        self.bound = None;
        self
    }

    /// Explores 0, 1, 2, … preemptions until a bound adds no run.
    pub fn unbounded(self) -> Self {
        self.bound(Bound::Preemptions(None))
    }

    /// Bounds how far the yields of a running thread may be ahead of those of a waiting one: loops that yield come to an
    /// end, and a run that does not is a livelock.
    pub fn fair(self, n: u32) -> Self {
        self.bound(Bound::Fair(n))
    }

    /// Explores 0, 1, 2, … up to `n` switches of any kind.
    pub fn switches(self, n: u32) -> Self {
        self.bound(Bound::Switches(Some(n)))
    }

    /// Explores runs of at most `n` steps.
    pub fn depth(self, n: u32) -> Self {
        self.bound(Bound::Depth(n))
    }

    /// Sets what is bounded.
    pub fn bound(mut self, bound: Bound) -> Self {
        self.bound = Some(bound);
        self
    }

    /// Sets what reads of atomics may see. With [`Memory::Rc11`], the default, stale values are explored, too, as far as
    /// orderings weaker than `SeqCst` allow them; that needs a bound on deviations or preemptions. With
    /// [`Memory::Sequential`], the default with other bounds, reads see the newest value.
    pub fn memory(mut self, memory: Memory) -> Self {
        self.memory = Some(memory);
        self
    }

    /// Explores 0, 1, 2, … up to `n` deviations: preemptions and stale accesses together.
    pub fn deviations(self, n: u32) -> Self {
        self.bound(Bound::Deviations(Some(n)))
    }

    /// Explores at most `n` stale accesses in a run (`SELVEDGE_STALE`): with [`Memory::Rc11`]. With
    /// [`deviations`](Self::deviations) it is a limit besides that bound. With [`preemptions`](Self::preemptions) the two are limited one
    /// by one, and `u32::MAX` is any number of stale accesses.
    pub fn stale(mut self, n: u32) -> Self {
        self.config.max_stale = Some(n);
        self
    }

    /// Sets how schedules that cannot differ are recognised.
    pub fn reduction(mut self, reduction: Reduction) -> Self {
        self.config.reduction = reduction;
        self
    }

    /// Sets how a complete search without violation is checked (`SELVEDGE_RECHECK`): [`Recheck::Quick`] by default. The
    /// runs of the recheck call the test's closure, but are not counted as executions.
    pub fn recheck(mut self, recheck: Recheck) -> Self {
        self.config.recheck = recheck;
        self
    }

    /// Ends the search after this time; it is then incomplete.
    pub fn time_limit(mut self, limit: Duration) -> Self {
        self.max_duration = Some(limit);
        self
    }

    /// Ends the search after so many executions; it is then incomplete.
    pub fn max_executions(mut self, n: usize) -> Self {
        self.max_permutations = Some(n);
        self
    }

    /// Gives up a run after so many operations: as a livelock if it was fair, else as cut.
    pub fn max_branches(mut self, n: usize) -> Self {
        self.max_branches = n;
        self
    }

    /// Runs `executions` schedules chosen at random instead of all.
    pub fn random(mut self, seed: u64, executions: u64) -> Self {
        self.config.mode = Mode::Random { seed, executions };
        self
    }

    /// Runs `executions` schedules, each with about the same chance: where [`random`](Self::random) chooses among the threads
    /// that are enabled, this chooses by the steps they have left, as known from the runs before.
    pub fn uniform_walk(mut self, seed: u64, executions: u64) -> Self {
        self.config.mode = Mode::UniformWalk { seed, executions };
        self
    }

    /// Runs `executions` schedules by random priorities that change at `depth - 1` points (PCT): finds a bug that needs
    /// `depth` ordered steps with a probability that can be stated.
    pub fn pct(mut self, seed: u64, depth: u32, executions: u64) -> Self {
        self.config.mode = Mode::Pct { seed, depth, executions };
        self
    }

    /// Runs schedules that are chosen at random ([`random`](Self::random), [`uniform_walk`](Self::uniform_walk),
    /// [`pct`](Self::pct)) on so many OS threads (`SELVEDGE_JOBS`). The answer does not depend on the number: of several
    /// failing seeds the lowest is reported. An exhaustive search on several is refused.
    ///
    /// # Panics
    /// If the number is 0.
    pub fn jobs(mut self, n: usize) -> Self {
        assert!(n > 0, "selvedge: a check needs at least one OS thread, jobs is 0");
        self.jobs = Some(n);
        self
    }

    /// Runs one schedule, as a [`Violation`](super::Violation) or a report names it.
    pub fn replay(mut self, schedule: impl Into<String>) -> Self {
        self.config.mode = Mode::Replay(schedule.into());
        self
    }

    /// Waits (`Condvar::wait`, `park`, `block_on`) may end for no reason.
    pub fn spurious_wakeups(mut self, on: bool) -> Self {
        self.config.spurious_wakeups = on;
        self
    }

    /// `compare_exchange_weak` may fail for no reason.
    pub fn spurious_failures(mut self, on: bool) -> Self {
        self.spurious_failures = on;
        self
    }

    /// Does what tests written for loom may count on, as the crate `compat/loom` does: `block_on` polls each future once
    /// without having been woken, and a test with a single schedule is run once, not again to check it.
    pub fn like_loom(mut self, on: bool) -> Self {
        self.like_loom = on;
        self.config.single_run = on;
        self
    }

    /// A panic of a spawned thread arrives as the error of `join`, as with std, instead of being a violation.
    pub fn thread_panics_reach_join(mut self, on: bool) -> Self {
        self.config.panics_join = on;
        self
    }

    /// Bytes of a thread's stack, where its builder does not say; 1 MiB by default. Beyond it is a guard page: a thread that
    /// needs more ends the process with a segmentation fault; on Unix a message says which thread it was.
    pub fn stack_size(mut self, bytes: usize) -> Self {
        self.config.stack_size = bytes;
        self
    }

    /// Whether [`check`](Self::check) keeps failing schedules and runs those of earlier failures first.
    pub fn keep_failures(mut self, on: bool) -> Self {
        self.keep_failures = on;
        self
    }

    /// Makes [`check`](Self::check) panic when a limit ended the search before it was complete.
    pub fn require_complete(mut self, on: bool) -> Self {
        self.require_complete = on;
        self
    }

    /// Sets [`checkpoint_file`](Self::checkpoint_file), as loom has it.
    pub fn checkpoint_file(&mut self, file: &str) -> &mut Self {
        self.checkpoint_file = Some(file.into());
        self
    }

    /// What is explored: one bound kind in a run.
    fn config(&self) -> Config {
        let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let mut config = self.config.clone();
        config.bound = match (self.bound, self.preemption_bound) {
            (Some(bound), _) => bound,
            (None, Some(n)) => Bound::Preemptions(Some(number(n))),
            (None, None) => config.bound,
        };
        let bounded = matches!(config.bound, Bound::Preemptions(_) | Bound::Deviations(_));
        let default = if bounded { Memory::Rc11 } else { Memory::Sequential };
        config.memory = self.memory.unwrap_or(default);
        config.max_steps = number(self.max_branches).max(1);
        config.time_limit = self.max_duration;
        config.max_executions = self.max_permutations.map(|n| n as u64);
        config.last_words = Some(failure::last_words);
        config.overflow_words = Some(failure::overflow_words);
        config
    }

    /// Explores and returns what was found; never panics because of it, prints nothing, keeps nothing.
    #[track_caller]
    pub fn explore<F>(&self, f: F) -> Report
    where
        F: Fn() + Send + Sync + 'static,
    {
        let name = regressions::name_of::<F>(Location::caller());
        failure::checking(&name, None);
        self.run(&self.config(), &name, &f, &|_| {})
    }

    /// One exploration of `f`.
    #[track_caller]
    fn run(&self, config: &Config, name: &str, f: &(dyn Fn() + Sync), observer: &(dyn Fn(&Progress) + Sync)) -> Report {
        assert!(!rt::inside(), "a model cannot be started inside a model");
        let options = Options {
            spurious_failures: self.spurious_failures,
            spurious_wakeups: config.spurious_wakeups,
            like_loom: self.like_loom,
        };
        let body = || {
            f();
            crate::lazy_static::main_returned();
            crate::thread::drop_locals();
        };
        let stall = Stall { name: name.to_owned(), after: Duration::from_secs(5), report: failure::stalled };
        let config = &Config { stall: Some(stall), ..config.clone() };
        if config.mode == Mode::Exhaustive && self.jobs.is_some_and(|jobs| jobs > 1) {
            return render::report(name, config, unsupported(config, JOBS_ARE_FOR_RANDOM), Remarks::default());
        }
        if !blocks::is_random(&config.mode) {
            let before = OPTIONS.replace(options);
            primitive::take_remarks();
            let exploration = selvedge_stateless::explore(config, &mut |event| observer(event), &body);
            OPTIONS.set(before);
            return render::report(name, config, exploration, primitive::take_remarks());
        }
        let jobs = self.jobs.or_else(environment::jobs).unwrap_or(1);
        let kept = failure::kept_in();
        let begin = || failure::checking(name, kept.as_deref());
        let blocks = blocks::Blocks { config, options, jobs, begin: &begin, observer, body: &body };
        let (exploration, remarks) = blocks.explore();
        render::report(name, config, exploration, remarks)
    }

    /// Explores, prints one line on what was covered, and panics with a report of the first violation.
    ///
    /// Schedules that failed before (`selvedge-regressions/TEST.txt`) run first. `SELVEDGE_REPLAY` runs the one schedule
    /// that it names instead.
    ///
    /// # Panics
    /// If there is a violation, if the test does not do the same under the same schedule, if a schedule to replay
    /// does not fit it, if nothing was checked because no run came to its end, or with an internal error if the recheck of a
    /// passing search disagrees with it.
    #[track_caller]
    pub fn check<F>(&self, f: F)
    where
        F: Fn() + Send + Sync + 'static,
    {
        let name = regressions::name_of::<F>(Location::caller());
        let called_at = Location::caller();
        let expected = || regressions::is_expected_to_fail(&name, called_at);
        let file = self.regression_file(&name).filter(|file| !file.exists() || !expected());
        let check = failure::Check { name: &name, called_at, file };
        failure::checking(&name, check.file.as_deref());
        if let Some(schedule) = environment::replay() {
            let config = Config { mode: Mode::Replay(schedule), ..self.config() };
            return check.replayed(self.run(&config, &name, &f, &|_| {}));
        }
        let mut again = failure::Again::default();
        for schedule in check.kept() {
            let config = Config { mode: Mode::Replay(schedule.clone()), ..self.config() };
            let report = self.run(&config, &name, &f, &|_| {});
            match &report.stop {
                Stop::BadSchedule(why) => again.stale(&schedule, why),
                _ if report.violation.is_some() => check.failed_again(report),
                _ => again.passed += 1,
            }
        }
        let log = self.log;
        let config = Config { verify: true, ..self.config() };
        let report = self.run(&config, &name, &f, &|event| failure::log_progress(log, &name, event));
        check.finish(report, &again, self.require_complete);
    }

    /// Finds out which orderings a passing test needs: makes one of them weaker at a time, also fences, and explores again.
    /// Takes as long as an exploration for each ordering and each weaker one, until the first that suffices.
    ///
    /// # Errors
    /// The report of the test as it is, if it does not pass or was not explored completely.
    #[track_caller]
    pub fn weakest_orderings<F>(&self, f: F) -> Result<Vec<OrderingUse>, Box<Report>>
    where
        F: Fn() + Send + Sync + 'static,
    {
        let name = regressions::name_of::<F>(Location::caller());
        failure::checking(&name, None);
        let config = Config { collect_sites: true, ..self.config() };
        let report = self.run(&config, &name, &f, &|_| {});
        if report.violation.is_some() || !report.complete {
            return Err(Box::new(report));
        }
        let explore = |changes: Vec<Change>| self.run(&Config { changes, ..self.config() }, &name, &f, &|_| {});
        Ok(report.asked.sites.iter().map(|site| OrderingUse::find(site, &explore)).collect())
    }

    /// Where failing schedules of this test are kept, if they are.
    fn regression_file(&self, name: &str) -> Option<PathBuf> {
        if !self.keep_failures {
            return None;
        }
        if let Some(file) = &self.checkpoint_file {
            return Some(file.clone());
        }
        let directory = match environment::regressions().as_deref() {
            Some("off") => return None,
            Some(directory) => PathBuf::from(directory),
            None => environment::package_directory().join("selvedge-regressions"),
        };
        Some(regressions::file(&directory, name))
    }
}

const JOBS_ARE_FOR_RANDOM: &str = "an exhaustive search runs on one OS thread; `jobs` works with `random`, `uniform_walk` \
                                   and `pct`";

/// An exploration that was refused.
fn unsupported(config: &Config, why: &str) -> Exploration {
    Exploration {
        executions: 0,
        cut: 0,
        too_long: 0,
        per_bound: Vec::new(),
        complete: false,
        stop: Stop::Unsupported(why.to_owned()),
        reduction: config.reduction,
        memory: config.memory,
        violation: None,
        evidence: SearchEvidence::None,
        all_violations: BTreeMap::new(),
        sites: Vec::new(),
        differing_values: None,
        elapsed: Duration::ZERO,
    }
}

impl Default for Builder {
    fn default() -> Self {
        Builder::new()
    }
}
