//! From a stored state to the next stored states: every step followed through atomic sequences. Searches call
//! [`expand`] and its variants and nothing else, so that all of them store the same states and count the same transitions.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rustc_hash::FxHashSet;
use selvedge_core::{Budget, StopReason, ThreadId};
use smallvec::SmallVec;

use crate::{Hints, Machine, PathStep, Step, Steps, Threads, Turn};

/// Steps of one expansion between two looks at the budget.
const LOOK_EVERY: usize = 1024;
/// Steps of one expansion after which paths through one atomic sequence are merged where they
/// meet. Below it every path is followed by itself, so that transitions are counted as Spin does.
const MERGE_AFTER: usize = 20_000;
/// Depth inside one atomic sequence beyond which the same is done.
const MERGE_BELOW: usize = 256;

/// Follows every step of a stored state through atomic sequences to the next states to store, and
/// calls `arrive` for each with the turn there and the micro-steps that led to it. Returns how many
/// steps the state has: a state with none is an end, a state whose steps all go round inside an
/// endless atomic loop is not, although nothing arrives. Paths that repeat a state inside one atomic
/// sequence are cut; what went wrong on such a path arrives without a state.
pub fn expand<M: Machine>(
    machine: &M,
    state: &[u8],
    turn: Turn,
    buffers: &mut ExpandBuffers<M>,
    arrive: &mut dyn FnMut(Arrival<'_>),
) -> usize {
    buffers.first.clear();
    machine.steps(state, turn, &mut buffers.scratch, &mut buffers.first);
    follow_all(machine, buffers, arrive)
}

/// As [`expand`] with [`Turn::Any`], but only steps of `threads` (and those of no thread).
pub fn expand_threads<M: Machine>(
    machine: &M,
    state: &[u8],
    threads: &Threads,
    buffers: &mut ExpandBuffers<M>,
    arrive: &mut dyn FnMut(Arrival<'_>),
) -> usize {
    buffers.first.clear();
    machine.thread_steps(state, threads, &mut buffers.scratch, &mut buffers.first);
    follow_all(machine, buffers, arrive)
}

/// As [`expand_threads`], but perhaps without the steps of no thread that lead somewhere.
pub fn expand_own<M: Machine>(
    machine: &M,
    state: &[u8],
    threads: &Threads,
    buffers: &mut ExpandBuffers<M>,
    arrive: &mut dyn FnMut(Arrival<'_>),
) -> usize {
    buffers.first.clear();
    machine.own_steps(state, threads, &mut buffers.scratch, &mut buffers.first);
    follow_all(machine, buffers, arrive)
}

/// The steps of one thread in the model without its claim.
pub fn expand_unclaimed<M: Hints>(
    machine: &M,
    state: &[u8],
    thread: ThreadId,
    buffers: &mut ExpandBuffers<M>,
    arrive: &mut dyn FnMut(Arrival<'_>),
) -> usize {
    buffers.first.clear();
    machine.unclaimed_steps(state, thread, &mut buffers.scratch, &mut buffers.first);
    follow_all(machine, buffers, arrive)
}

fn follow_all<M: Machine>(machine: &M, buffers: &mut ExpandBuffers<M>, arrive: &mut dyn FnMut(Arrival<'_>)) -> usize {
    let ExpandBuffers { scratch, first, inside } = buffers;
    for index in 0..first.list.len() {
        let step = &first.list[index];
        let state = first.state(step);
        match step.turn {
            Turn::Only(_) if state.is_some() => follow_atomic(machine, (first, index), scratch, inside, arrive),
            turn => arrive(Arrival { steps: &[(first, index)], state, turn }),
        }
    }
    first.list.len()
}

/// Buffers that one caller of [`expand`] reuses.
pub struct ExpandBuffers<M: Machine> {
    /// The machine's own.
    pub scratch: M::Scratch,
    first: Steps,
    inside: InsideAtomic,
}

/// Where one stands inside an atomic sequence.
struct InsideAtomic {
    /// Ends an expansion that takes too long.
    budget: Option<Budget>,
    /// Why an expansion was ended before its end: what arrived is not everything.
    stopped: Option<StopReason>,
    /// Statements after which a path is cut.
    longest: usize,
    /// Looks at states after which all are.
    widest: usize,
    /// A path was.
    was_cut: bool,
    /// Looks at states so far, in all sequences.
    followed: u64,
    /// Whoever expands sets it when no further arrival matters.
    enough: Option<Arc<AtomicBool>>,
    /// A step of the sequence has a fault.
    is_faulty: bool,
    levels: Vec<Steps>,
    /// The step of each level being followed; a level was expanded from the state reached by the one before it, or by
    /// the entry.
    positions: Vec<usize>,
    current: Vec<u8>,
}

impl<M: Machine> Default for ExpandBuffers<M> {
    fn default() -> Self {
        let inside = InsideAtomic {
            budget: None,
            stopped: None,
            longest: usize::MAX,
            widest: usize::MAX,
            was_cut: false,
            followed: 0,
            enough: None,
            is_faulty: false,
            levels: Vec::new(),
            positions: Vec::new(),
            current: Vec::new(),
        };
        ExpandBuffers { scratch: M::Scratch::default(), first: Steps::new(), inside }
    }
}

impl<M: Machine> ExpandBuffers<M> {
    /// Buffers for expansions that end with the budget. The caller asks [`ExpandBuffers::stopped`] before the states
    /// that arrived are taken for all there are.
    pub fn within(budget: &Budget) -> Self {
        let mut buffers = Self::default();
        buffers.inside.budget = Some(budget.clone());
        buffers
    }

    /// Why an expansion was ended before it was complete, if one was.
    #[inline]
    pub fn stopped(&self) -> Option<StopReason> {
        self.inside.stopped
    }

    /// States inside atomic sequences that were looked at so far. What an expansion takes grows with them, although
    /// they are neither stored nor counted.
    pub fn followed(&self) -> u64 {
        self.inside.followed
    }

    /// Buffers for expansions that follow an atomic sequence through at most `longest` statements.
    pub(crate) fn up_to(longest: usize) -> Self {
        let mut buffers = Self::default();
        buffers.inside.longest = longest;
        buffers
    }

    /// The same, through at most `widest` states; an expansion ends inside of a sequence when `enough` is set.
    pub(crate) fn until(longest: usize, widest: usize, enough: Arc<AtomicBool>) -> Self {
        let mut buffers = Self::up_to(longest);
        (buffers.inside.widest, buffers.inside.enough) = (widest, Some(enough));
        buffers
    }

    /// Whether a sequence was longer than that, since this was asked the last time.
    pub(crate) fn was_cut(&mut self) -> bool {
        std::mem::take(&mut self.inside.was_cut)
    }
}

/// One arrival at a state to store.
pub struct Arrival<'a> {
    /// The micro-steps that led there: buffer and index of each.
    pub steps: &'a [(&'a Steps, usize)],
    /// The state; `None` if the last step could not be completed.
    pub state: Option<&'a [u8]>,
    /// Who may continue from there.
    pub turn: Turn,
}

impl Arrival<'_> {
    /// The thread that acts; `None` where only the claim moves.
    pub fn thread(&self) -> Option<ThreadId> {
        let (buffer, index) = self.steps[0];
        buffer.list[index].thread
    }

    /// The thread that ran last afterwards.
    pub fn ran_last(&self) -> Option<ThreadId> {
        let (buffer, index) = self.steps[self.steps.len() - 1];
        buffer.list[index].ran_last
    }

    /// Whether some step of the buffers that it comes from has a fault, perhaps one of its own.
    #[inline]
    pub fn may_be_faulty(&self) -> bool {
        self.steps.iter().any(|(buffer, _)| !buffer.faults.is_empty())
    }

    /// The micro-steps in order, each with the state after it and its faults.
    pub fn to_path(&self) -> Vec<PathStep> {
        self.steps()
            .map(|(buffer, step)| PathStep {
                step: step.clone(),
                state: buffer.state(step).map_or_else(Vec::new, <[u8]>::to_vec),
                faults: buffer.faults[step.faults.clone()].to_vec(),
            })
            .collect()
    }

    /// The micro-steps in order.
    pub fn steps(&self) -> impl Iterator<Item = (&Steps, &Step)> {
        self.steps.iter().map(|(buffer, index)| (*buffer, &buffer.list[*index]))
    }
}

/// Depth-first through one atomic sequence, one buffer a level, no recursion.
fn follow_atomic<M: Machine>(
    machine: &M,
    entry: (&Steps, usize),
    scratch: &mut M::Scratch,
    inside: &mut InsideAtomic,
    arrive: &mut dyn FnMut(Arrival<'_>),
) {
    let (mut executed, mut looks) = (0, 0_usize);
    let mut merged: FxHashSet<Vec<u8>> = FxHashSet::default();
    let step = &entry.0.list[entry.1];
    inside.positions.clear();
    inside.is_faulty = !entry.0.faults.is_empty();
    inside.enter(&entry.0.bytes[step.state.clone()]);
    let mut turn = step.turn;
    loop {
        if inside.has_enough() {
            return;
        }
        inside.followed += 1;
        let InsideAtomic { budget, stopped, longest, widest, was_cut, is_faulty, levels, positions, current, .. } =
            inside;
        let depth = positions.len();
        if levels.len() <= depth {
            levels.push(Steps::new());
        }
        levels[depth].clear();
        looks += 1;
        if looks.is_multiple_of(LOOK_EVERY) {
            *stopped = stopped.or_else(|| budget.as_ref()?.spent(0));
        }
        if stopped.is_some() {
            return;
        }
        let apart = executed < MERGE_AFTER && depth < MERGE_BELOW;
        let fresh =
            if apart { !repeats(entry, &levels[..depth], positions, current) } else { merged.insert(current.clone()) };
        if depth >= *longest || looks > *widest {
            *was_cut = true;
        } else if fresh {
            machine.steps(current, turn, scratch, &mut levels[depth]);
            executed += levels[depth].list.len();
            *is_faulty |= !levels[depth].faults.is_empty();
            if levels[depth].list.is_empty() {
                // Blocked inside the sequence: here every thread may continue.
                let steps = path_of(entry, &levels[..depth], positions);
                arrive(Arrival { steps: &steps, state: Some(current), turn: Turn::Any });
            }
        } else if *is_faulty {
            arrive_with_faults(&path_of(entry, &levels[..depth], positions), turn, arrive);
        }
        positions.push(0);
        match inside.descend(entry, arrive) {
            None => return,
            Some(next_turn) => turn = next_turn,
        }
    }
}

impl InsideAtomic {
    fn has_enough(&self) -> bool {
        self.enough.as_ref().is_some_and(|enough| enough.load(Ordering::Relaxed))
    }

    fn enter(&mut self, state: &[u8]) {
        self.current.clear();
        self.current.extend_from_slice(state);
    }

    /// Goes to the next step that leads on inside the sequence, and into the state after it; the result is its turn. On the
    /// way the steps that leave the sequence arrive. `None` at the end.
    fn descend(&mut self, entry: (&Steps, usize), arrive: &mut dyn FnMut(Arrival<'_>)) -> Option<Turn> {
        let InsideAtomic { levels, positions, current, enough, .. } = self;
        loop {
            let position = *positions.last()?;
            let depth = positions.len() - 1;
            if position >= levels[depth].list.len() {
                positions.pop();
                if let Some(parent) = positions.last_mut() {
                    *parent += 1;
                }
                continue;
            }
            let step = &levels[depth].list[position];
            match (levels[depth].state(step), step.turn) {
                (Some(next), Turn::Only(thread)) => {
                    current.clear();
                    current.extend_from_slice(next);
                    return Some(Turn::Only(thread));
                }
                (next, turn) => {
                    let steps = path_of(entry, &levels[..=depth], positions);
                    arrive(Arrival { steps: &steps, state: next, turn });
                    positions[depth] += 1;
                    if enough.as_ref().is_some_and(|enough| enough.load(Ordering::Relaxed)) {
                        return None;
                    }
                }
            }
        }
    }
}

/// A path that repeats a state: nothing else may arrive with its faults, because the sequence may never end.
fn arrive_with_faults(steps: &[(&Steps, usize)], turn: Turn, arrive: &mut dyn FnMut(Arrival<'_>)) {
    let is_faulty = |(buffer, index): &(&Steps, usize)| !buffer.list[*index].faults.is_empty();
    if let Some(last) = steps.iter().rposition(is_faulty) {
        arrive(Arrival { steps: &steps[..=last], state: None, turn });
    }
}

fn path_of<'a>(
    entry: (&'a Steps, usize),
    levels: &'a [Steps],
    positions: &[usize],
) -> SmallVec<[(&'a Steps, usize); 8]> {
    std::iter::once(entry).chain(levels.iter().zip(positions).map(|(level, position)| (level, *position))).collect()
}

/// Whether `current` already stands on the path through the atomic sequence.
fn repeats(entry: (&Steps, usize), levels: &[Steps], positions: &[usize], current: &[u8]) -> bool {
    let Some(last) = levels.len().checked_sub(1) else { return false };
    let earlier =
        levels[..last].iter().zip(positions).map(|(level, position)| &level.bytes[level.list[*position].state.clone()]);
    let first = &entry.0.bytes[entry.0.list[entry.1].state.clone()];
    first == current || earlier.into_iter().any(|state| state == current)
}
