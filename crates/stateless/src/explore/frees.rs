//! Frees that may come too early. A free is no step, so the search runs it on one side only of the uses that it does not
//! depend on; and one that no synchronisation orders after an earlier use is no violation by itself, because what orders
//! them may be something that is not seen, such as the count of std's `Arc`. So where nothing in a run forces the order, the
//! free is tried first: the same schedule up to the free, without the use and what depends on it. If something unseen orders them,
//! it is not that thread that frees then; else the use comes after the free and is reported.
//!
//! This is tried a few times for the objects that are made at one place, not for every run.

use super::{Explorer, stamp};
use crate::config::Mode;
use crate::execution::{Ending, Execution, ExecutionConfig};
use crate::op::{Kind, Step};
use crate::outcome::Stop;
use crate::race::Action;
use crate::state::State;
use crate::strategy::replay::Replay;
use crate::{At, ObjectId, ThreadId};

/// Runs in which the objects of a place are looked at.
const LOOKS: u32 = 64;
/// Runs that are made for the objects of a place.
const TRIES: u32 = 4;

/// What was done for the objects made at a place.
struct Place {
    created: At,
    looks: u32,
    tries: u32,
}

/// What was tried so far.
#[derive(Default)]
pub(super) struct Frees(Vec<Place>);

impl Frees {
    fn place(&mut self, created: At) -> &mut Place {
        let i = self.0.iter().position(|place| std::ptr::eq(place.created, created));
        let i = i.unwrap_or_else(|| {
            self.0.push(Place { created, looks: 0, tries: 0 });
            self.0.len() - 1
        });
        &mut self.0[i]
    }

    /// Whether objects of this place are to be looked at once more.
    fn looks(&mut self, created: At) -> bool {
        let place = self.place(created);
        place.looks = place.looks.saturating_add(1);
        place.looks <= LOOKS && place.tries < TRIES
    }

    /// Schedules in which something is freed before it is used that the run freed afterwards.
    fn schedules(&mut self, run: &Execution) -> Vec<Schedule> {
        let mut schedules = Vec::new();
        let mut add = |frees: &mut Frees, created, freed: Action, uses: &[(ThreadId, u32)]| {
            let mut others = uses.iter().filter(|(thread, _)| *thread != freed.by);
            let schedule = others.find_map(|&used| free_first(&run.state, freed, used));
            frees.place(created).tries += u32::from(schedule.is_some());
            schedules.extend(schedule);
        };
        for (cell, created, freed) in run.order.cells().freed_cells() {
            if self.looks(created) {
                add(self, created, freed, &run.order.cells().uses(cell));
            }
        }
        for (object, freed) in run.order.freed_atomics() {
            let created = run.state.objects()[object.index()].created;
            if self.looks(created) {
                add(self, created, freed, &uses(&run.state, object, freed));
            }
        }
        schedules
    }
}

type Schedule = Vec<(ThreadId, u32)>;

/// Who used an atomic before it was freed, and after how many steps, the last ones first.
fn uses(state: &State, object: ObjectId, freed: Action) -> Vec<(ThreadId, u32)> {
    let steps = (1..).zip(&state.steps[..freed.steps as usize]);
    let mut uses: Vec<_> = steps.filter(|(_, step)| step.object == object).map(|(n, step)| (step.thread, n)).collect();
    uses.reverse();
    uses
}

/// The schedule up to the free without the use, the last step of `user` among so many, and what depends on it, if the free
/// does not.
fn free_first(state: &State, freed: Action, (user, steps_before): (ThreadId, u32)) -> Option<Schedule> {
    let last = |thread, before: u32| state.steps[..before as usize].iter().rposition(|step| step.thread == thread);
    let (free, used) = (last(freed.by, freed.steps)?, last(user, steps_before)?);
    if used > free {
        return None;
    }
    let mut later = Later::default();
    let mut schedule = Schedule::new();
    let mut made: Vec<u32> = vec![0; state.threads().len()];
    for (i, step) in state.steps.iter().enumerate().take(free + 1) {
        let steps = &mut made[step.thread.index()];
        if i == used || later.depends(state, step) {
            later.add(step, *steps);
        } else {
            schedule.push((step.thread, step.choice));
        }
        *steps += 1;
    }
    (!later.threads.iter().any(|(thread, _)| *thread == freed.by)).then_some(schedule)
}

/// Steps that are put off.
#[derive(Default)]
struct Later {
    /// The threads that make them, and how many steps they have made before.
    threads: Vec<(ThreadId, u32)>,
    /// The objects they are on, and the classes of their accesses if those are all of atomics.
    objects: Vec<(ObjectId, Option<u16>)>,
}

impl Later {
    fn add(&mut self, step: &Step, made: u32) {
        if !self.threads.iter().any(|(thread, _)| *thread == step.thread) {
            self.threads.push((step.thread, made));
        }
        let class = step.kind.is_atomic().then(|| step.class.bit());
        self.objects.extend(objects(step).map(|object| (object, class)));
    }

    /// Whether a step must come after one of these, as far as is known.
    fn depends(&self, state: &State, step: &Step) -> bool {
        let puts_off = |thread: ThreadId| self.threads.iter().find(|(t, _)| *t == thread).map(|&(_, made)| made);
        let waits = match step.kind {
            Kind::Drain => !self.threads.is_empty(),
            Kind::Join | Kind::IsFinished => puts_off(step.other.thread()).is_some(),
            _ => false,
        };
        let birth = state.threads()[step.thread.index()].birth;
        let unborn = birth.is_some_and(|(parent, after)| puts_off(parent).is_some_and(|made| made < after));
        let commutes = |class: Option<u16>| {
            step.kind.is_atomic() && class.is_some_and(|classes| step.class.conflicts() & classes == 0)
        };
        let clashes = |object| self.objects.iter().any(|&(other, class)| other == object && !commutes(class));
        waits || unborn || puts_off(step.thread).is_some() || objects(step).any(clashes)
    }
}

/// The objects of a step.
fn objects(step: &Step) -> impl Iterator<Item = ObjectId> {
    let condvar = (step.kind == Kind::Relock).then(|| step.other.object());
    let objects = [Some(step.object), step.second(), condvar].into_iter().flatten();
    objects.filter(|object| *object != ObjectId::NONE)
}

impl Explorer<'_> {
    /// Tries frees of a run before the uses that they do not depend on; why to stop, if one is too early.
    pub(super) fn try_frees(&mut self, run: &Execution) -> Option<Stop> {
        if self.config.mode != Mode::Exhaustive || self.config.keep_going || self.config.single_run {
            return None;
        }
        for schedule in self.frees.schedules(run) {
            let config = ExecutionConfig { deadline: None, ..run.config.clone() };
            let replay = Execution::idle(config, Box::new(Replay::new(schedule)));
            let mut replay = self.fibers.execute(replay, stamp(), false, self.body);
            if let Some(Ending::Failed(failure, _)) = replay.ending.take() {
                return self.failed(&mut replay, failure);
            }
        }
        None
    }
}
