//! The exhaustive search ([`crate::exhaustive`](mod@crate::exhaustive)) on packed states with remembered steps. States
//! are reached in the same order. Breadth-first, new states wait in a queue; depth-first, successors wait on a stack,
//! not yet looked up in the table. The run to a state is, depth-first, the current path; breadth-first it is found by a
//! second search.

use std::ops::Range;

use selvedge_core::{Silent, StopReason, ThreadId};
use selvedge_machine::{ExpandBuffers, Hints, Path};

use super::ample::choose;
use super::codes::Key;
use super::group::{Group, down};
use super::memo::MOST_THREADS;
use super::queue::{Queue, Waiting};
use super::relay::Packed;
use super::remembered::{Halt, Reached, Remembered};
use super::table::{Label, Table, hash};
use super::trail::{Parts, Repeatable, Trail, run_by};
use crate::ample::{Open, Payoff};
use crate::exhaustive::{ExhaustiveOptions, Order};
use crate::findings::Wanted;
use crate::outcome::Outcome;
use crate::path;
use crate::search::{Progress, StoreFigures, Waiting as Position};
use crate::watch::Watch;

/// The search in progress.
pub(crate) struct PackedWhole<'a, M: Hints> {
    pub(super) options: ExhaustiveOptions,
    pub(super) progress: Progress<'a>,
    pub(super) steps: Remembered<'a, M>,
    pub(super) table: Table,
    pub(super) waiting: Queue,
    pub(super) group: Group,
    pub(super) started: bool,
    /// Those of the state being expanded.
    successors: Vec<Reached>,
    /// Depth-first: the states on the way to the one being expanded, that one last.
    pub(super) open: Open<Key>,
    pub(super) payoff: Payoff,
    /// Breadth-first: the parents of states, while the run to one of them is looked for.
    trail: Option<Trail>,
    /// The label of the state being expanded.
    parent: Label,
}

impl<'a, M: Hints> PackedWhole<'a, M> {
    /// A search at its start; `None` if the machine does not allow it.
    pub(crate) fn new(machine: &'a M, options: &ExhaustiveOptions, watch: Watch<'a>) -> Option<Self> {
        let buffers = ExpandBuffers::within(watch.budget);
        let (steps, initial) =
            Remembered::new(machine, buffers).filter(|(steps, _)| steps.codes.threads() <= MOST_THREADS)?;
        let mut table = Table::new(steps.codes.bits(), 0).ok()?;
        table.insert(hash(initial), initial);
        let mut group = Group::default();
        group.add(Waiting { key: initial, depth: 0, tag: 0 });
        Some(PackedWhole {
            progress: Progress::new(watch, Wanted { keep_going: options.keep_going, all: options.all_violations }),
            table,
            waiting: Queue::new(steps.codes.bits()),
            group,
            started: false,
            successors: Vec::new(),
            open: Open::default(),
            payoff: Payoff::default(),
            trail: None,
            parent: 0,
            options: options.clone(),
            steps,
        })
    }

    /// Breadth-first, the states that wait; depth-first, the next one that is new.
    fn fill_group(&mut self) -> Result<(), Halt> {
        let PackedWhole { options, progress, group, steps, table, waiting, .. } = self;
        if options.order == Order::BreadthFirst {
            return group.fill_whole(std::iter::from_fn(|| waiting.pop()), steps, table);
        }
        while let Some(next) = waiting.pop_last() {
            progress.transitions += 1;
            if table.insert(hash(next.key), next.key).1 {
                progress.max_depth = progress.max_depth.max(next.depth);
                group.add(next);
                break;
            }
        }
        Ok(())
    }

    /// Everything is found out before anything is changed.
    fn expand(&mut self, key: Key, depth: u32) -> Result<(), Halt> {
        let asks = self.options.reduction && self.payoff.will_ask();
        if self.options.order == Order::DepthFirst {
            self.open.enter(depth, key, asks);
        }
        let all = (1 << self.steps.codes.thread_count(key)) - 1;
        let chosen = if asks { self.choose(key)? } else { None };
        if chosen.is_none()
            && let Some((has_step, range)) = self.group.whole()
        {
            return self.expand_whole(key, depth, has_step, range);
        }
        let threads = match chosen {
            Some(ThreadId(thread)) if self.leads_on(thread as usize) => 1 << thread,
            _ => all,
        };
        let mut is_end = true;
        for thread in down(threads) {
            is_end &= !self.group.ensure(thread, &mut self.steps)?.moved.has_step;
        }
        if is_end {
            self.report_end(key)?;
        }
        self.learn(chosen.is_some());
        match self.options.order {
            Order::BreadthFirst => self.arrive_at(key, chosen, threads, depth + 1),
            // The first one is taken first.
            Order::DepthFirst => self.push_all(key, threads, depth + 1),
        }
    }

    /// Breadth-first, where all transitions were found ahead and nothing goes wrong in one.
    fn expand_whole(&mut self, key: Key, depth: u32, has_step: bool, range: Range<usize>) -> Result<(), Halt> {
        if !has_step {
            self.report_end(key)?;
        }
        self.learn(false);
        if !self.progress.is_done() {
            for index in range {
                self.arrive(self.group.reached(index), depth + 1);
            }
        }
        Ok(())
    }

    /// What came of the question whether the steps of one thread stand for all, if it was asked.
    fn learn(&mut self, chosen: bool) {
        if self.options.reduction && self.payoff.asks() {
            self.payoff.learn(chosen);
        }
    }

    /// The thread whose steps stand for all, if one can be found.
    fn choose(&mut self, key: Key) -> Result<Option<ThreadId>, Halt> {
        let PackedWhole { options, open, group, steps, .. } = self;
        let is_open = |next| options.order == Order::DepthFirst && open.contains(next);
        choose(key, is_open, group, steps)
    }

    /// Whether the steps of the thread that was chosen are enough: breadth-first, if one leads to a new state.
    fn leads_on(&self, thread: usize) -> bool {
        let is_new = |index: usize| {
            let Reached { key, hash, .. } = self.group.reached(index);
            self.table.find(hash, key).is_none()
        };
        let some_are_new = || self.group.get(thread).is_some_and(|found| found.range().any(is_new));
        self.options.order == Order::DepthFirst || some_are_new()
    }

    /// Breadth-first; the steps of the thread that was chosen come first.
    fn arrive_at(&mut self, key: Key, chosen: Option<ThreadId>, threads: u64, depth: u32) -> Result<(), Halt> {
        let first = chosen.map_or(0, |ThreadId(thread)| 1 << thread);
        down(first).chain(down(threads & !first)).try_for_each(|thread| self.arrive_all(key, thread, depth))
    }

    fn arrive_all(&mut self, key: Key, thread: usize, depth: u32) -> Result<(), Halt> {
        let Some(found) = self.group.get(thread) else { return Ok(()) };
        if found.moved.faulty {
            for reached in self.reached_with_faults(key, thread)? {
                self.arrive(reached, depth);
            }
            return Ok(());
        }
        for index in found.range() {
            let reached = self.group.reached(index);
            if !self.progress.is_done() {
                self.arrive(reached, depth);
            }
        }
        Ok(())
    }

    #[inline]
    fn arrive(&mut self, Reached { key, hash, .. }: Reached, depth: u32) {
        self.progress.transitions += 1;
        let (seat, new) = self.table.insert(hash, key);
        if new {
            self.progress.max_depth = self.progress.max_depth.max(depth);
            self.waiting.push(Waiting { key, depth, tag: 0 });
            if let Some(trail) = &mut self.trail {
                trail.add(&mut self.table, seat, self.parent);
            }
        }
    }

    /// Successors wait, the first one on top.
    fn push_all(&mut self, key: Key, threads: u64, depth: u32) -> Result<(), Halt> {
        self.group.touch(&self.table);
        let mut all = std::mem::take(&mut self.successors);
        all.clear();
        for thread in down(threads) {
            let Some(found) = self.group.get(thread) else { continue };
            if found.moved.faulty {
                all.extend(self.reached_with_faults(key, thread)?);
            } else if !self.progress.is_done() {
                all.extend(found.range().map(|index| self.group.reached(index)));
            }
        }
        for reached in all.iter().rev() {
            self.waiting.push(Waiting { key: reached.key, depth, tag: 0 });
        }
        self.successors = all;
        Ok(())
    }

    /// The transitions of a thread up to the violation that ends the search, if one does.
    #[cold]
    fn reached_with_faults(&mut self, key: Key, thread: usize) -> Result<Vec<Reached>, Halt> {
        let mut all = Vec::new();
        for (faults, reached) in self.steps.faulty_transitions(key, thread).map_err(Halt::in_the_middle)? {
            for (fault, steps) in faults {
                self.report(key, &fault, steps)?;
            }
            all.extend(reached.filter(|_| !self.progress.is_done()));
        }
        Ok(all)
    }

    /// The same search again, with parents.
    fn search_again(&mut self, key: Key) -> Result<Path, Halt> {
        let mut state = Vec::new();
        self.steps.unpack(key, &mut state);
        let mut silent = Silent;
        let watch = Watch::new(self.progress.watch.budget, &mut silent);
        run_by(PackedWhole::new(self.steps.machine(), &self.options, watch), &state, self.table.len())
    }

    /// The state that is expanded next is the parent of what is reached from it.
    fn note_parent(&mut self, key: Key) -> Result<(), Halt> {
        if self.trail.is_some() {
            self.parent = self.table.label(self.table.find(hash(key), key).ok_or(Halt::GiveUp)?);
        }
        Ok(())
    }

    fn check_limits(&mut self, depth: u32) -> Option<StopReason> {
        let PackedWhole { progress, table, steps, waiting, group, open, .. } = self;
        let stop = progress.check_limits(table.len() as u64, || Position {
            frontier: (waiting.len() + group.len()) as u64,
            depth: u64::from(depth),
            memory: table.bytes() + steps.bytes() + waiting.bytes() + open.bytes(),
            growth: table.growth(),
        });
        stop.filter(|stop| !progress.only_growth_does_not_fit(*stop, table.bytes()) || !table.grow_less())
    }

    /// Transitions so far.
    pub(crate) fn transitions(&self) -> u64 {
        self.progress.transitions
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> u64 {
        self.table.bytes() + self.steps.bytes() + self.waiting.bytes() + self.open.bytes()
    }
}

impl<'a, M: Hints> Repeatable<'a, M> for PackedWhole<'a, M> {
    fn parts(&mut self) -> Parts<'_, 'a, M> {
        let PackedWhole { progress, steps, table, trail, .. } = self;
        Parts { progress, steps, table, trail }
    }

    fn mark_bits(&self) -> u32 {
        0
    }

    fn shows_all(&self) -> bool {
        self.options.all_violations
    }

    fn run_to(&mut self, key: Key) -> Result<Path, Halt> {
        if self.options.order == Order::DepthFirst {
            let PackedWhole { open, steps, .. } = self;
            let states = open.path().iter().map(|key| {
                let mut state = Vec::new();
                steps.unpack(*key, &mut state);
                state
            });
            let states: Vec<Vec<u8>> = states.collect();
            return Ok(path::through(self.steps.machine(), &states));
        }
        self.search_again(key)
    }
}

impl<M: Hints> Packed for PackedWhole<'_, M> {
    fn try_to_advance(&mut self) -> Result<(), Halt> {
        if self.options.order == Order::DepthFirst && !self.started {
            // As without packing, the first state is not counted.
            self.expand(0, 0)?;
            self.group.advance();
            self.started = true;
        }
        if self.group.len() == 0 {
            self.fill_group()?;
        }
        if self.progress.is_done() {
            return Err(Halt::Stop(StopReason::Violation));
        }
        let Some(Waiting { key, depth, .. }) = self.group.first() else {
            return Err(Halt::Stop(self.progress.end(false)));
        };
        if let Some(stop) = self.check_limits(depth) {
            return Err(Halt::Stop(stop));
        }
        self.note_parent(key)?;
        self.expand(key, depth)?;
        self.group.advance();
        Ok(())
    }

    fn widen(&mut self) -> Result<(), Halt> {
        let moves = self.steps.widen();
        let bits = self.steps.codes.bits();
        if self.steps.codes.threads() > MOST_THREADS || self.table.rekey(bits, 0, |key| moves.apply(key)).is_err() {
            return Err(Halt::GiveUp);
        }
        self.waiting.rekey(bits, &moves);
        self.group.rekey(&moves);
        self.open.rename(|key| moves.apply(key));
        Ok(())
    }

    fn outcome(self, stop: StopReason) -> Outcome {
        let figures = StoreFigures::exact(self.table.len() as u64, self.bytes());
        Outcome { violated_at: None, ..self.progress.outcome(stop, figures) }
    }
}
