//! Random strategies on several cores. The seeds are cut into blocks, each an exploration of its own that learns nothing from
//! the others; OS threads take block after block. The block with the lowest number that does not end well decides, so that
//! the answer and its numbers are the same however many OS threads there are: those of the lowest failing seed.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use selvedge_stateless::{Config, Exploration, Mode, Progress, Stop, explore};

use super::{OPTIONS, Options};
use crate::primitive::{self, Remarks};

/// Seeds of a block.
const BLOCK: u64 = 512;

/// What all OS threads need.
pub(super) struct Blocks<'a> {
    pub(super) config: &'a Config,
    pub(super) options: Options,
    pub(super) jobs: usize,
    /// Called on each OS thread that takes blocks.
    pub(super) begin: &'a (dyn Fn() + Sync),
    pub(super) observer: &'a (dyn Fn(&Progress) + Sync),
    pub(super) body: &'a (dyn Fn() + Sync),
}

/// Whether schedules are chosen at random, and so can be cut into blocks.
pub(super) fn is_random(mode: &Mode) -> bool {
    executions(mode).is_some()
}

fn executions(mode: &Mode) -> Option<u64> {
    match mode {
        Mode::Random { executions, .. } | Mode::UniformWalk { executions, .. } | Mode::Pct { executions, .. } => {
            Some(*executions)
        }
        Mode::Exhaustive | Mode::Replay(_) => None,
    }
}

/// A part of the seeds of a mode.
fn part(mode: &Mode, first: u64, executions: u64) -> Mode {
    match *mode {
        Mode::Random { seed, .. } => Mode::Random { seed: seed.wrapping_add(first), executions },
        Mode::UniformWalk { seed, .. } => Mode::UniformWalk { seed: seed.wrapping_add(first), executions },
        Mode::Pct { seed, depth, .. } => Mode::Pct { seed: seed.wrapping_add(first), depth, executions },
        Mode::Exhaustive | Mode::Replay(_) => mode.clone(),
    }
}

impl Blocks<'_> {
    /// Runs all blocks, or those up to the first that does not end well.
    pub(super) fn explore(&self) -> (Exploration, Remarks) {
        let start = Instant::now();
        let deadline = self.config.time_limit.and_then(|limit| start.checked_add(limit));
        let asked = executions(&self.config.mode).unwrap_or(0);
        let planned = self.config.max_executions.map_or(asked, |most| most.min(asked));
        let run = Run {
            blocks: self,
            deadline,
            planned,
            next: AtomicU64::new(0),
            last: AtomicU64::new(u64::MAX),
            done: Mutex::default(),
        };
        let others: Vec<Remarks> = std::thread::scope(|scope| {
            let start = || scope.spawn(|| run.take_blocks());
            let others: Vec<_> = (1..self.jobs).map(|_| start()).collect();
            let mine = run.take_blocks();
            let finished =
                others.into_iter().map(|other| other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
            std::iter::once(mine).chain(finished).collect()
        });
        let remarks = others.into_iter().fold(Remarks::default(), Remarks::and);
        let done = run.done.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut found = merged(done);
        if planned < asked && matches!(found.stop, Stop::Finished { .. }) {
            (found.stop, found.complete) = (Stop::Executions, false);
        }
        found.elapsed = start.elapsed();
        self.show(&mut found);
        (found, remarks)
    }

    /// The run that shows a violation is made again on this OS thread, which keeps the names for its report.
    fn show(&self, found: &mut Exploration) {
        let Some(violation) = found.violation.as_ref().filter(|_| self.jobs > 1) else { return };
        let config = Config { mode: Mode::Replay(violation.schedule.clone()), ..self.config.clone() };
        let again = explore(&config, &mut |_| {}, &self.body);
        found.violation = again.violation.or(found.violation.take());
    }
}

/// The blocks of a run: those that are done, and the next.
struct Run<'a> {
    blocks: &'a Blocks<'a>,
    deadline: Option<Instant>,
    planned: u64,
    next: AtomicU64,
    /// The lowest block that did not end well: those above it do not count.
    last: AtomicU64,
    done: Mutex<BTreeMap<u64, Exploration>>,
}

impl Run<'_> {
    /// Explores blocks until there is none left that counts.
    fn take_blocks(&self) -> Remarks {
        let Blocks { config, options, begin, observer, body, .. } = *self.blocks;
        begin();
        let before = OPTIONS.replace(options);
        primitive::take_remarks();
        loop {
            let block = self.next.fetch_add(1, Relaxed);
            let first = block.saturating_mul(BLOCK);
            // An empty plan is one empty block.
            if (first >= self.planned && block > 0) || block > self.last.load(Relaxed) {
                break;
            }
            let executions = BLOCK.min(self.planned - first);
            let config = Config {
                mode: part(&config.mode, first, executions),
                max_executions: None,
                time_limit: self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now())),
                // Once for all of them.
                verify: config.verify && first + executions == self.planned,
                ..config.clone()
            };
            let found = explore(&config, &mut |event| observer(event), &body);
            if !matches!(found.stop, Stop::Finished { .. }) {
                self.last.fetch_min(block, Relaxed);
            }
            self.done.lock().unwrap_or_else(PoisonError::into_inner).insert(block, found);
        }
        OPTIONS.set(before);
        primitive::take_remarks()
    }
}

/// The blocks in their order as one exploration, up to the first that did not end well.
fn merged(done: BTreeMap<u64, Exploration>) -> Exploration {
    let mut blocks = done.into_values();
    let mut all = blocks.next().expect("the first block is always taken");
    for block in blocks {
        if !matches!(all.stop, Stop::Finished { .. }) {
            break;
        }
        all = Exploration {
            executions: all.executions + block.executions,
            cut: all.cut + block.cut,
            too_long: all.too_long + block.too_long,
            complete: all.complete && block.complete,
            elapsed: Duration::ZERO,
            ..block
        };
    }
    all
}
