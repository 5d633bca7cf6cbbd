//! The layered search ([`crate::layered`]) on packed states with remembered steps. It does the same in the same order,
//! so its counts are the same, state by state. Only the representation differs: states are keys, and the threads that
//! ran last are marks in the table.
//!
//! Marks of a state: whether all threads' steps were taken, and for each thread whether its steps were taken and
//! whether it waits to be expanded together with others.

use selvedge_core::{Layer, Silent, StopReason, SwitchReason};
use selvedge_machine::{ExpandBuffers, Hints, Path};

use super::codes::{Codes, Key};
use super::group::{Group, down};
use super::leaving::Leave;
use super::queue::{Queue, Tag, Waiting};
use super::relay::Packed;
use super::remembered::{Halt, Reached, Remembered};
use super::table::{Label, Seat, Table, hash};
use super::trail::{Parts, Repeatable, Trail, run_by};
use crate::layered::LayeredOptions;
use crate::outcome::Outcome;
use crate::search::{Progress, StoreFigures, Waiting as Position};
use crate::watch::Watch;

/// The steps of the gathered threads are to be taken.
pub(super) const GATHERED: Tag = 0;
/// The steps of everybody else: the thread that ran last is blocked, or there is none.
pub(super) const FORCED: Tag = 1;
/// The steps of everybody else, in the next layer.
pub(super) const VOLUNTARY: Tag = 2;
/// The steps of the thread with this number less than the tag.
pub(super) const THREAD: Tag = 16;

/// Threads that are gathered; as in the store.
const GATHERED_THREADS: u8 = 14;
/// Threads for which there are marks.
const MOST_THREADS: usize = 31;

pub(super) const ALL: u64 = 1;

#[inline]
pub(super) fn taken(thread: usize) -> u64 {
    2 << (2 * thread)
}

#[inline]
pub(super) fn gathered(thread: usize) -> u64 {
    4 << (2 * thread)
}

fn mark_bits(threads: usize) -> u32 {
    1 + 2 * threads as u32
}

/// The search in progress.
pub(crate) struct PackedLayers<'a, M: Hints> {
    options: &'a LayeredOptions,
    pub(super) progress: Progress<'a>,
    pub(super) steps: Remembered<'a, M>,
    leave: Leave<M>,
    pub(super) table: Table,
    pub(super) work: Queue,
    pub(super) next_layer: Queue,
    pub(super) seeds: Queue,
    group: Group,
    /// The parents of states, while the run to one of them is looked for.
    trail: Option<Trail>,
    /// The label of the state being expanded.
    parent: Label,
}

impl<'a, M: Hints> PackedLayers<'a, M> {
    /// A search at its start; `None` if the machine or the options do not allow it.
    pub(crate) fn new(machine: &'a M, options: &'a LayeredOptions, watch: Watch<'a>) -> Option<Self> {
        let buffers = ExpandBuffers::within(watch.budget);
        let (steps, initial) =
            Remembered::new(machine, buffers).filter(|(steps, _)| steps.codes.threads() <= MOST_THREADS)?;
        let mut table = Table::new(steps.codes.bits(), mark_bits(steps.codes.threads())).ok()?;
        table.insert(hash(initial), initial);
        let queue = || Queue::new(steps.codes.bits());
        let (mut work, next_layer, seeds) = (queue(), queue(), queue());
        work.push(Waiting { key: initial, depth: 0, tag: FORCED });
        Some(PackedLayers {
            options,
            progress: Progress::bounded(watch, options.wanted),
            leave: Leave::new(),
            table,
            work,
            next_layer,
            seeds,
            group: Group::default(),
            trail: None,
            parent: 0,
            steps,
        })
    }

    fn fill_group(&mut self) -> Result<(), Halt> {
        let PackedLayers { group, steps, table, work, seeds, .. } = self;
        let next = std::iter::from_fn(|| seeds.pop().or_else(|| work.pop()));
        group.fill(next, steps, table, wanted)
    }

    fn start_next_layer(&mut self) -> Option<StopReason> {
        self.progress.complete_layer(self.table.len() as u64);
        let last = self.options.max_bound.is_some_and(|max| self.progress.bound >= max);
        if self.next_layer.is_empty() || last {
            return Some(self.progress.end(!self.next_layer.is_empty()));
        }
        self.progress.bound += 1;
        std::mem::swap(&mut self.seeds, &mut self.next_layer);
        None
    }

    fn check_limits(&mut self) -> Option<StopReason> {
        let PackedLayers { progress, table, steps, leave, work, next_layer, seeds, group, .. } = self;
        let depth = u64::from(progress.max_depth);
        let stop = progress.check_limits(table.len() as u64, || Position {
            frontier: (seeds.len() + work.len() + next_layer.len() + group.len()) as u64,
            depth,
            memory: table.bytes() + steps.bytes() + leave.bytes() + seeds.bytes() + work.bytes() + next_layer.bytes(),
            growth: table.growth(),
        });
        stop.filter(|stop| !progress.only_growth_does_not_fit(*stop, table.bytes()) || !table.grow_less())
    }

    /// The entry of the state being expanded.
    #[inline]
    fn seat(&self) -> Result<Seat, Halt> {
        self.group.seat(&self.table).ok_or(Halt::GiveUp)
    }

    /// Takes the steps of threads that ran last.
    fn take_own(&mut self, key: Key, depth: u32, tag: Tag) -> Result<(), Halt> {
        let seat = self.seat()?;
        let marks = self.table.marks(seat);
        let threads = own_threads(marks, tag);
        if threads == 0 {
            let kept = if tag == GATHERED { without_gathered(marks) } else { marks };
            self.table.set_marks(seat, kept);
            return Ok(());
        }
        // Everything is found out before anything is changed.
        let (blocked, moved) = self.who_moves(threads)?;
        let free = self.is_free_to_leave(key, blocked, moved)?;
        let count = self.steps.codes.thread_count(key);
        let others = others(marks | all_taken(threads), count);
        let leaves = free || (blocked && self.nobody_moves(count)?);
        if leaves && self.find_others(others)? == 0 && moved == 0 {
            self.check_end(key)?;
        }
        let pushes = !leaves && (blocked || !self.all_pointless(key, moved)?);
        let before = if tag == GATHERED { without_gathered(marks) } else { marks };
        self.table.set_marks(seat, before | all_taken(threads));
        self.arrive_all(key, threads, depth)?;
        if leaves {
            self.leave_for_others(key, depth, others)?;
        }
        if pushes {
            self.next_layer.push(Waiting { key, depth, tag: VOLUNTARY });
        }
        Ok(())
    }

    /// Whether one of the threads has no transition, and which have some.
    fn who_moves(&mut self, threads: u64) -> Result<(bool, u64), Halt> {
        let mut moved = 0;
        for thread in down(threads) {
            if self.group.ensure(thread, &mut self.steps)?.arrives() {
                moved |= 1 << thread;
            }
        }
        Ok((moved != threads, moved))
    }

    fn is_free_to_leave(&mut self, key: Key, blocked: bool, moved: u64) -> Result<bool, Halt> {
        let cost = self.options.cost;
        if blocked && cost.of_leaving(SwitchReason::Blocked) == 0 {
            return Ok(true);
        }
        if !cost.depends_on_reason() {
            return Ok(moved != 0 && cost.of_leaving(SwitchReason::Preempted) == 0);
        }
        if self.options.count_busy_wait || cost.of_leaving(SwitchReason::Spinning) > 0 {
            return Ok(false);
        }
        for thread in up(moved) {
            if self.leave.ask(key, thread, &mut self.steps)?.spins {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn all_pointless(&mut self, key: Key, moved: u64) -> Result<bool, Halt> {
        if !self.options.reduction {
            return Ok(moved == 0);
        }
        for thread in up(moved) {
            if !self.leave.ask(key, thread, &mut self.steps)?.pointless {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn nobody_moves(&mut self, count: usize) -> Result<bool, Halt> {
        Ok(self.who_moves(threads_below(count))?.1 == 0)
    }

    /// Finds the transitions of threads; how many of them have a step.
    fn find_others(&mut self, others: u64) -> Result<usize, Halt> {
        let mut with_step = 0;
        for thread in down(others) {
            with_step += usize::from(self.group.ensure(thread, &mut self.steps)?.moved.has_step);
        }
        Ok(with_step)
    }

    /// Takes the steps of everybody else from a state that waits for that.
    fn take_others(&mut self, key: Key, depth: u32, tag: Tag) -> Result<(), Halt> {
        let marks = self.table.marks(self.seat()?);
        if marks & ALL != 0 {
            return Ok(());
        }
        let others = others(marks, self.steps.codes.thread_count(key));
        if self.find_others(others)? == 0 && tag == FORCED {
            self.check_end(key)?;
        }
        self.leave_for_others(key, depth, others)
    }

    /// Takes the steps of `others`.
    fn leave_for_others(&mut self, key: Key, depth: u32, others: u64) -> Result<(), Halt> {
        let seat = self.seat()?;
        let marks = self.table.marks(seat);
        self.table.set_marks(seat, marks | ALL);
        self.arrive_all(key, others, depth)
    }

    /// If nobody has a step: ending here may be wrong.
    fn check_end(&mut self, key: Key) -> Result<(), Halt> {
        let count = self.steps.codes.thread_count(key);
        if self.find_others(threads_below(count))? > 0 {
            return Ok(());
        }
        self.report_end(key)
    }

    fn arrive_all(&mut self, key: Key, threads: u64, depth: u32) -> Result<(), Halt> {
        for thread in down(threads) {
            let Some(found) = self.group.get(thread) else { continue };
            if found.moved.faulty {
                self.arrive_with_faults(key, thread, depth)?;
                continue;
            }
            if self.progress.is_done() {
                continue;
            }
            for index in found.range() {
                self.arrive(self.group.reached(index), depth + 1);
            }
        }
        Ok(())
    }

    #[cold]
    fn arrive_with_faults(&mut self, key: Key, thread: usize, depth: u32) -> Result<(), Halt> {
        for (faults, reached) in self.steps.faulty_transitions(key, thread).map_err(Halt::in_the_middle)? {
            for (fault, steps) in faults {
                self.report(key, &fault, steps)?;
            }
            if let Some(reached) = reached.filter(|_| !self.progress.is_done()) {
                self.arrive(reached, depth + 1);
            }
        }
        Ok(())
    }

    /// A transition.
    #[inline]
    fn arrive(&mut self, Reached { key, hash, last, gone }: Reached, depth: u32) {
        self.progress.transitions += 1;
        let (seat, new) = self.table.insert(hash, key);
        if new {
            self.progress.max_depth = self.progress.max_depth.max(depth);
            if let Some(trail) = &mut self.trail {
                trail.add(&mut self.table, seat, self.parent);
            }
        }
        let marks = if new { 0 } else { self.table.marks(seat) };
        if gone && !self.options.cost.remembers_finished_threads() {
            if marks & ALL == 0 {
                self.work.push(Waiting { key, depth, tag: FORCED });
            }
            return;
        }
        let thread = usize::from(last);
        if marks & (ALL | taken(thread)) != 0 {
            return;
        }
        if last >= GATHERED_THREADS {
            self.work.push(Waiting { key, depth, tag: THREAD + last });
            return;
        }
        if without_gathered(marks) == marks {
            self.work.push(Waiting { key, depth, tag: GATHERED });
        }
        self.table.set_marks(seat, marks | gathered(thread));
    }

    /// The layer that is being explored.
    pub(crate) fn bound(&self) -> u32 {
        self.progress.bound
    }

    /// The layers that were completed.
    pub(crate) fn completed(&self) -> &[Layer] {
        &self.progress.layers
    }

    /// Transitions so far.
    pub(crate) fn transitions(&self) -> u64 {
        self.progress.transitions
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> u64 {
        let waiting = self.seeds.bytes() + self.work.bytes() + self.next_layer.bytes();
        self.table.bytes() + self.steps.bytes() + self.leave.bytes() + waiting
    }
}

impl<'a, M: Hints> Repeatable<'a, M> for PackedLayers<'a, M> {
    fn parts(&mut self) -> Parts<'_, 'a, M> {
        let PackedLayers { progress, steps, table, trail, .. } = self;
        Parts { progress, steps, table, trail }
    }

    fn mark_bits(&self) -> u32 {
        mark_bits(self.steps.codes.threads())
    }

    fn shows_all(&self) -> bool {
        self.options.wanted.all
    }

    /// By the same search again.
    fn run_to(&mut self, key: Key) -> Result<Path, Halt> {
        let mut state = Vec::new();
        self.steps.unpack(key, &mut state);
        let mut silent = Silent;
        let watch = Watch::new(self.progress.watch.budget, &mut silent);
        run_by(PackedLayers::new(self.steps.machine(), self.options, watch), &state, self.table.len())
    }
}

impl<M: Hints> Packed for PackedLayers<'_, M> {
    fn try_to_advance(&mut self) -> Result<(), Halt> {
        if self.group.len() == 0 {
            self.fill_group()?;
        }
        let Some(Waiting { key, depth, tag }) = self.group.first() else {
            return self.start_next_layer().map_or(Ok(()), |stop| Err(Halt::Stop(stop)));
        };
        if self.trail.is_some() {
            self.parent = self.table.label(self.seat()?);
        }
        match tag {
            FORCED | VOLUNTARY => self.take_others(key, depth, tag)?,
            _ => self.take_own(key, depth, tag)?,
        }
        self.group.advance();
        if self.progress.is_done() {
            return Err(Halt::Stop(StopReason::Violation));
        }
        self.check_limits().map_or(Ok(()), |stop| Err(Halt::Stop(stop)))
    }

    fn widen(&mut self) -> Result<(), Halt> {
        let moves = self.steps.widen();
        let bits = self.steps.codes.bits();
        let marks = mark_bits(self.steps.codes.threads());
        if self.steps.codes.threads() > MOST_THREADS || self.table.rekey(bits, marks, |key| moves.apply(key)).is_err() {
            return Err(Halt::GiveUp);
        }
        for queue in [&mut self.work, &mut self.next_layer, &mut self.seeds] {
            queue.rekey(bits, &moves);
        }
        self.group.rekey(&moves);
        Ok(())
    }

    fn outcome(self, stop: StopReason) -> Outcome {
        let figures = StoreFigures::exact(self.table.len() as u64, self.bytes());
        self.progress.outcome(stop, figures)
    }
}

/// The threads whose steps are to be taken from a state that waits.
fn own_threads(marks: u64, tag: Tag) -> u64 {
    if marks & ALL != 0 {
        return 0;
    }
    let candidates = if tag == GATHERED { marks } else { gathered(usize::from(tag - THREAD)) };
    // Marks of gathered threads that are not taken, each where its mark for taken steps is.
    let wanted = candidates >> 1 & !marks & 0xaaaa_aaaa_aaaa_aaaa;
    up(wanted).fold(0, |all, bit| all | 1 << (bit / 2))
}

/// The threads whose transitions are found ahead, and those for the case that one of these is blocked.
fn wanted(marks: u64, codes: &Codes, waiting: &Waiting) -> (u64, u64) {
    let others = if marks & ALL != 0 { 0 } else { others(marks, codes.thread_count(waiting.key)) };
    match waiting.tag {
        FORCED | VOLUNTARY => (others, 0),
        tag => {
            let own = own_threads(marks, tag);
            (own, others & !own)
        }
    }
}

fn all_taken(threads: u64) -> u64 {
    down(threads).fold(0, |marks, thread| marks | taken(thread))
}

fn without_gathered(marks: u64) -> u64 {
    marks & (0xaaaa_aaaa_aaaa_aaaa | ALL)
}

/// The threads that are alive and whose steps were not taken.
fn others(marks: u64, count: usize) -> u64 {
    (0..count).filter(|thread| marks & taken(*thread) == 0).fold(0, |all, thread| all | 1 << thread)
}

fn threads_below(count: usize) -> u64 {
    (1 << count) - 1
}

/// The threads of a set, oldest first.
pub(super) fn up(threads: u64) -> impl Iterator<Item = usize> {
    let mut left = threads;
    std::iter::from_fn(move || {
        let thread = left.trailing_zeros();
        left &= left.wrapping_sub(1);
        (thread < 64).then_some(thread as usize)
    })
}
