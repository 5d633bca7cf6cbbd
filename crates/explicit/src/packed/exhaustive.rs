//! The exhaustive search ([`crate::exhaustive`](mod@crate::exhaustive)) on packed states with remembered steps, without reduction. States are met in
//! the same order. Breadth-first, new states wait; depth-first, successors wait that are not yet compared.

use selvedge_core::StopReason;
use selvedge_machine::{ExpandBuffers, Hints};

use super::codes::{Codes, Key};
use super::group::Group;
use super::memo::MOST_THREADS;
use super::queue::{Queue, Waiting};
use super::relay::Packed;
use super::remembered::{Halt, Remembered};
use super::table::{Table, hash};
use crate::exhaustive::{ExhaustiveOptions, Order};
use crate::findings::Wanted;
use crate::outcome::Outcome;
use crate::search::{Progress, StoreFigures, Waiting as Position};
use crate::watch::Watch;

/// The search in progress.
pub(crate) struct PackedWhole<'a, M: Hints> {
    order: Order,
    progress: Progress<'a>,
    steps: Remembered<'a, M>,
    table: Table,
    waiting: Queue,
    group: Group,
    state: Vec<u8>,
}

impl<'a, M: Hints> PackedWhole<'a, M> {
    /// A search at its start; `None` if the machine does not allow it.
    pub fn new(machine: &'a M, options: &ExhaustiveOptions, watch: Watch<'a>) -> Option<Self> {
        let buffers = ExpandBuffers::within(watch.budget);
        let (steps, initial) =
            Remembered::new(machine, buffers).filter(|(steps, _)| steps.codes.threads() <= MOST_THREADS)?;
        let mut table = Table::new(steps.codes.bits(), 0).ok()?;
        table.insert(hash(initial), initial);
        let mut group = Group::default();
        group.add(Waiting { key: initial, depth: 0, tag: 0 });
        Some(PackedWhole {
            order: options.order,
            progress: Progress::new(watch, Wanted { keep_going: options.keep_going, all: options.all_violations }),
            table,
            waiting: Queue::new(steps.codes.bits()),
            group,
            state: Vec::new(),
            steps,
        })
    }

    fn try_to_advance(&mut self) -> Result<(), Halt> {
        if self.group.len() == 0 {
            self.fill_group()?;
        }
        let Some(Waiting { key, depth, .. }) = self.group.first() else {
            return Err(Halt::Stop(self.progress.end(false)));
        };
        if let Some(stop) = self.check_limits(depth) {
            return Err(Halt::Stop(stop));
        }
        self.expand(key, depth)?;
        self.group.advance();
        Ok(())
    }

    /// Breadth-first, the states that wait; depth-first, the next one that is new.
    fn fill_group(&mut self) -> Result<(), Halt> {
        let PackedWhole { order, progress, group, steps, table, waiting, .. } = self;
        match order {
            Order::BreadthFirst => group.fill(std::iter::from_fn(|| waiting.pop()), steps, table, everybody),
            Order::DepthFirst => {
                while let Some(next) = waiting.pop_last() {
                    progress.transitions += 1;
                    if table.insert(hash(next.key), next.key).1 {
                        progress.max_depth = progress.max_depth.max(next.depth);
                        return group.fill(std::iter::once(next), steps, table, everybody);
                    }
                }
                Ok(())
            }
        }
    }

    fn expand(&mut self, key: Key, depth: u32) -> Result<(), Halt> {
        let threads = self.steps.codes.thread_count(key);
        let mut is_end = true;
        for thread in 0..threads {
            is_end &= !self.group.ensure(thread, &mut self.steps)?.0;
        }
        if is_end {
            self.check_end(key)?;
        }
        match self.order {
            Order::BreadthFirst => (0..threads).rev().for_each(|thread| self.arrive_all(thread, depth + 1)),
            // The first one is taken first.
            Order::DepthFirst => (0..threads).for_each(|thread| self.push_all(thread, depth + 1)),
        }
        Ok(())
    }

    fn arrive_all(&mut self, thread: usize, depth: u32) {
        for index in self.group.range(thread) {
            let reached = self.group.reached(index);
            self.progress.transitions += 1;
            if self.table.insert(reached.hash, reached.key).1 {
                self.progress.max_depth = self.progress.max_depth.max(depth);
                self.waiting.push(Waiting { key: reached.key, depth, tag: 0 });
            }
        }
    }

    fn push_all(&mut self, thread: usize, depth: u32) {
        for index in self.group.range(thread).rev() {
            self.waiting.push(Waiting { key: self.group.reached(index).key, depth, tag: 0 });
        }
    }

    /// Nobody has a step: ending here may be wrong.
    fn check_end(&mut self, key: Key) -> Result<(), Halt> {
        let mut state = std::mem::take(&mut self.state);
        self.steps.unpack(key, &mut state);
        let fault = self.steps.machine().end_fault(&state);
        self.state = state;
        if fault.is_some() { Err(Halt::GiveUp) } else { Ok(()) }
    }

    /// Moves all keys to a layout in which all codes fit.
    fn widen(&mut self) -> Result<(), Halt> {
        let moves = self.steps.widen();
        let bits = self.steps.codes.bits();
        if self.steps.codes.threads() > MOST_THREADS || self.table.rekey(bits, 0, |key| moves.apply(key)).is_err() {
            return Err(Halt::GiveUp);
        }
        self.waiting.rekey(bits, &moves);
        self.group.rekey(&moves);
        Ok(())
    }

    fn check_limits(&mut self, depth: u32) -> Option<StopReason> {
        let PackedWhole { progress, table, steps, waiting, group, .. } = self;
        progress.check_limits(table.len() as u64, || Position {
            frontier: (waiting.len() + group.len()) as u64,
            depth: u64::from(depth),
            memory: table.bytes() + steps.bytes() + waiting.bytes(),
            growth: table.growth(),
        })
    }
}

impl<M: Hints> Packed for PackedWhole<'_, M> {
    fn advance(&mut self) -> Result<(), Halt> {
        loop {
            match self.try_to_advance() {
                Err(Halt::Widen) => self.widen()?,
                other => return other,
            }
        }
    }

    fn outcome(self, stop: StopReason) -> Outcome {
        let states = self.table.len() as u64;
        let bytes = self.table.bytes() + self.steps.bytes() + self.waiting.bytes();
        let figures = StoreFigures { states, bytes, bytes_per_state: bytes as f64 / states as f64, omission: None };
        Outcome { violated_at: None, ..self.progress.outcome(stop, figures) }
    }
}

/// All threads of a state.
fn everybody(_: &Table, codes: &Codes, waiting: &Waiting) -> (u64, u64) {
    ((1 << codes.thread_count(waiting.key)) - 1, 0)
}
