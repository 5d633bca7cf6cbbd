//! The states in which cycles are searched for, and their transitions. Each transition is executed at most once, when a
//! node needs it first: those of one thread for a node where that thread ran last, the others when another thread may
//! run. So only what the bound allows is stored, and the transitions that were executed are available to every node of
//! the state. Without a bound a state has one node and is expanded once; then nothing is kept.

use std::ops::Range;

use rustc_hash::FxHashMap;
use selvedge_core::{Budget, StopReason, SwitchCost, ThreadId};
use selvedge_machine::{Arrival, ExpandBuffers, Fault, Hints, Threads, Turn, expand, expand_own, expand_threads};

use crate::store::{StateId, Store};

/// A state, numbered in the order in which states were met.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct StateNo(pub u32);

/// Who ran last at a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Last {
    /// This thread.
    Thread(ThreadId),
    /// It does not matter: every step from here is free.
    Anybody,
    /// Only the claim moves.
    Nobody,
}

/// A transition. Threads are kept as numbers, to save space.
#[derive(Clone, Copy, Debug)]
pub(super) struct Transition {
    to: u32,
    thread: u32,
    last: u32,
    /// Which of the arrivals of its thread it is.
    pub number: u32,
    /// Micro-steps.
    pub steps: u32,
}

const NONE: u32 = u32::MAX;
const ANYBODY: u32 = u32::MAX;
const NOBODY: u32 = u32::MAX - 1;

impl Transition {
    /// What an arrival is, given the state it leads to and its number among those of its thread.
    fn of<M: Hints>(
        machine: &M,
        cost: Option<SwitchCost>,
        arrival: &Arrival<'_>,
        to: Option<StateNo>,
        number: u32,
    ) -> Self {
        Transition {
            to: to.map_or(NONE, |to| to.0),
            thread: arrival.thread().map_or(NONE, |thread| thread.0),
            last: last_at(machine, cost, arrival),
            number,
            steps: arrival.steps.len() as u32,
        }
    }

    /// Where it leads; `None` if it could not be completed.
    pub(super) fn to(&self) -> Option<StateNo> {
        (self.to != NONE).then_some(StateNo(self.to))
    }

    /// Who acts; `None` for the claim.
    pub(super) fn thread(&self) -> Option<ThreadId> {
        (self.thread != NONE).then_some(ThreadId(self.thread))
    }

    /// Who counts as the one that ran last after it.
    pub(super) fn last(&self) -> Last {
        match self.last {
            ANYBODY => Last::Anybody,
            NOBODY => Last::Nobody,
            thread => Last::Thread(ThreadId(thread)),
        }
    }
}

/// A fault of a transition.
#[derive(Clone, Debug)]
pub(super) struct Faulty {
    pub thread: Option<ThreadId>,
    /// It is the fault of ending in the state.
    pub at_end: bool,
    pub fault: Fault,
}

/// Transitions of one state that were executed together.
#[derive(Clone, Debug)]
struct Part {
    whose: Whose,
    from: u32,
    to: u32,
    /// Something is possible, even if nothing arrives.
    goes_on: bool,
    /// Transitions among them that the search has not asked for yet.
    uncounted: u32,
    /// The part that was executed before it.
    before: Option<u32>,
}

/// Whose transitions a part has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Whose {
    /// Those of this thread.
    Own(ThreadId),
    /// Those of all threads that have no part of their own, and the claim's.
    Rest,
}

struct Entry {
    id: StateId,
    /// The part that was executed last.
    part: Option<u32>,
    accepting: bool,
    progress: bool,
}

pub(super) struct States<'a, M: Hints> {
    pub machine: &'a M,
    cost: Option<SwitchCost>,
    store: Store,
    entries: Vec<Entry>,
    parts: Vec<Part>,
    transitions: Vec<Transition>,
    /// Faults of transitions that are kept, and of states.
    faults: FxHashMap<StateNo, Vec<Faulty>>,
    /// Faults of being in a state.
    bad: FxHashMap<StateNo, Fault>,
    /// Transitions that the search has asked for.
    pub executed: u64,
    /// Whoever asks puts a run together: it does not count as the search.
    aside: bool,
    buffers: ExpandBuffers<M>,
    numbers: Numbers,
    /// The buffers of the search while a run is put together, and those for runs otherwise. A run is made of steps that the
    /// search has executed within its budget, and is worth nothing if one is missing: it has no budget.
    others: ExpandBuffers<M>,
    /// The state that was loaded last.
    pub bytes: Vec<u8>,
}

impl<'a, M: Hints> States<'a, M> {
    pub(super) fn new(machine: &'a M, cost: Option<SwitchCost>, budget: &Budget) -> Self {
        let mut initial = Vec::new();
        machine.initial(&mut initial);
        States {
            machine,
            cost,
            store: Store::new(machine.hidden_prefix(), &initial),
            entries: Vec::new(),
            parts: Vec::new(),
            transitions: Vec::new(),
            faults: FxHashMap::default(),
            bad: FxHashMap::default(),
            executed: 0,
            aside: false,
            buffers: ExpandBuffers::within(budget),
            numbers: Numbers::default(),
            others: ExpandBuffers::default(),
            bytes: Vec::new(),
        }
    }

    /// What is asked from now on is for a run that is put together, or for the search again.
    pub(super) fn set_aside(&mut self, aside: bool) {
        if aside != self.aside {
            std::mem::swap(&mut self.buffers, &mut self.others);
            self.aside = aside;
        }
    }

    /// Why a step of the search was not followed to its end, if one was not: what is known of its state is not everything.
    pub(super) fn stopped(&self) -> Option<StopReason> {
        if self.aside { self.others.stopped() } else { self.buffers.stopped() }
    }

    /// Bytes held.
    pub(super) fn memory(&self) -> u64 {
        let entries = self.entries.capacity() * size_of::<Entry>() + self.parts.capacity() * size_of::<Part>();
        self.store.bytes() + (entries + self.transitions.capacity() * size_of::<Transition>()) as u64
    }

    /// Bytes the next growth takes on top of that.
    pub(super) fn growth(&self) -> u64 {
        let largest = (self.transitions.capacity() * size_of::<Transition>())
            .max(self.entries.capacity() * size_of::<Entry>())
            .max(self.parts.capacity() * size_of::<Part>());
        self.store.growth().max(largest as u64)
    }

    pub(super) fn initial(&mut self) -> StateNo {
        let mut initial = Vec::new();
        self.machine.initial(&mut initial);
        insert(self.machine, &mut self.store, &mut self.entries, &mut self.bad, &initial)
    }

    /// Loads a state's bytes.
    pub(super) fn load(&mut self, state: StateNo) {
        self.store.get(self.entries[state.0 as usize].id, &mut self.bytes);
    }

    pub(super) fn is_accepting(&self, state: StateNo) -> bool {
        self.entries[state.0 as usize].accepting
    }

    pub(super) fn is_progress(&self, state: StateNo) -> bool {
        self.entries[state.0 as usize].progress
    }

    /// The fault of being in a state.
    pub(super) fn bad(&self, state: StateNo) -> Option<&Fault> {
        if self.bad.is_empty() { None } else { self.bad.get(&state) }
    }

    /// The faults of transitions that were executed from a state and kept, and of ending there.
    pub(super) fn faults(&self, state: StateNo) -> &[Faulty] {
        if self.faults.is_empty() { &[] } else { self.faults.get(&state).map_or(&[], Vec::as_slice) }
    }

    /// The transitions of a thread from a state; those of others and of the claim may stand between them.
    pub(super) fn own_transitions(&mut self, state: StateNo, thread: ThreadId) -> Range<usize> {
        // What was executed as the thread's own is not among the rest.
        let own = self.part(state, |whose| whose == Whose::Own(thread));
        if let Some(part) = own.or_else(|| self.part(state, |whose| whose == Whose::Rest)) {
            self.count(part);
            return self.parts[part].from as usize..self.parts[part].to as usize;
        }
        self.load(state);
        self.execute(state, Whose::Own(thread))
    }

    /// The transitions of a thread from the state that is loaded, where nothing is kept.
    pub(super) fn own_of_loaded(&mut self, state: StateNo, thread: ThreadId) -> Range<usize> {
        self.execute(state, Whose::Own(thread))
    }

    /// Makes sure that all transitions from a state are executed. Where they are: a range, and the part to go on with, for
    /// [`States::part_after`].
    pub(super) fn all(&mut self, state: StateNo) -> (Range<usize>, Option<u32>) {
        if self.part(state, |whose| whose == Whose::Rest).is_none() {
            self.load(state);
            let rest = self.execute(state, Whose::Rest);
            if self.cost.is_none() {
                return (rest, None);
            }
        }
        self.part_after(self.entries[state.0 as usize].part)
    }

    /// The transitions of a part, and the next part.
    pub(super) fn part_after(&mut self, part: Option<u32>) -> (Range<usize>, Option<u32>) {
        let Some(index) = part else { return (0..0, None) };
        self.count(index as usize);
        let part = &self.parts[index as usize];
        (part.from as usize..part.to as usize, part.before)
    }

    /// The search has asked for the transitions of a part.
    fn count(&mut self, part: usize) {
        if !self.aside {
            self.executed += u64::from(std::mem::take(&mut self.parts[part].uncounted));
        }
    }

    pub(super) fn transition(&self, index: usize) -> Transition {
        self.transitions[index]
    }

    fn parts_of(&self, state: StateNo) -> impl Iterator<Item = &Part> {
        let first = self.entries[state.0 as usize].part;
        let part = |index: u32| &self.parts[index as usize];
        std::iter::successors(first.map(part), move |last| last.before.map(part))
    }

    fn part(&self, state: StateNo, wanted: impl Fn(Whose) -> bool) -> Option<usize> {
        let before = |index: &u32| self.parts[*index as usize].before;
        let mut indices =
            std::iter::successors(self.entries[state.0 as usize].part, before).map(|index| index as usize);
        indices.find(|index| wanted(self.parts[*index].whose))
    }

    /// Executes transitions of the state that is loaded.
    fn execute(&mut self, state: StateNo, whose: Whose) -> Range<usize> {
        if self.cost.is_none() {
            self.transitions.clear();
            self.faults.remove(&state);
        }
        let done: Vec<ThreadId> = match whose {
            Whose::Own(_) => Vec::new(),
            Whose::Rest => self.parts_of(state).filter_map(|part| part.thread()).collect(),
        };
        let wanted = |thread: Option<ThreadId>| match (whose, thread) {
            (Whose::Own(own), Some(thread)) => own == thread,
            (Whose::Own(_), None) => false,
            (Whose::Rest, Some(thread)) => !done.contains(&thread),
            (Whose::Rest, None) => true,
        };
        let from = self.transitions.len();
        let (machine, cost) = (self.machine, self.cost);
        let States { store, entries, bad, transitions, faults, buffers, numbers, bytes, .. } = self;
        numbers.0.clear();
        let mut arrive = |arrival: Arrival<'_>| {
            let thread = arrival.thread();
            let number = numbers.next(thread);
            // Of the steps of no thread, those that report something are everybody's business.
            if !wanted(thread) && (thread.is_some() || arrival.state.is_some()) {
                return;
            }
            note_faults(&arrival, state, faults);
            if thread.is_none() && arrival.state.is_none() {
                return;
            }
            let to = arrival.state.map(|next| insert(machine, store, entries, bad, next));
            transitions.push(Transition::of(machine, cost, &arrival, to, number));
        };
        let steps = match whose {
            Whose::Own(thread) => expand_own(machine, bytes, &Threads::only(thread), buffers, &mut arrive),
            Whose::Rest => expand_threads(machine, bytes, &all_but(&done), buffers, &mut arrive),
        };
        let range = from..self.transitions.len();
        let goes_on = steps > 0;
        let before = self.entries[state.0 as usize].part;
        if whose == Whose::Rest && !goes_on && !self.parts_of(state).any(|part| part.goes_on) {
            self.note_end(state);
        }
        let completed = self.transitions[range.clone()].iter().filter(|one| one.to != NONE).count() as u32;
        if self.cost.is_none() {
            self.executed += u64::from(completed) * u64::from(!self.aside);
            return range;
        }
        let part = self.parts.len();
        self.entries[state.0 as usize].part = Some(part as u32);
        let (from, to) = (range.start as u32, range.end as u32);
        self.parts.push(Part { whose, from, to, goes_on, uncounted: completed, before });
        self.count(part);
        range
    }

    /// The moves of the claim from a state in which no thread is enabled, and what they find. They are not kept.
    pub(super) fn stutter(&mut self, state: StateNo) -> (Vec<Transition>, Vec<Faulty>) {
        self.load(state);
        let (machine, cost) = (self.machine, self.cost);
        let States { store, entries, bad, executed, aside, buffers, bytes, .. } = self;
        let (mut moves, mut faults) = (Vec::new(), FxHashMap::default());
        let mut numbers = Numbers::default();
        expand(machine, bytes, Turn::Stutter, buffers, &mut |arrival| {
            let number = numbers.next(arrival.thread());
            note_faults(&arrival, state, &mut faults);
            let Some(next) = arrival.state else { return };
            *executed += u64::from(!*aside);
            let to = insert(machine, store, entries, bad, next);
            moves.push(Transition::of(machine, cost, &arrival, Some(to), number));
        });
        (moves, faults.remove(&state).unwrap_or_default())
    }

    /// Notes the fault of ending in a state, if no thread is enabled there. Whether only the claim can move.
    pub(super) fn check_end(&mut self, state: StateNo) -> bool {
        self.load(state);
        let (mut moves, mut threads) = (0u32, 0u32);
        let steps = expand(self.machine, &self.bytes, Turn::Any, &mut self.buffers, &mut |arrival| {
            moves += 1;
            threads += u32::from(arrival.thread().is_some());
        });
        if steps == 0 {
            self.note_end(state);
        }
        moves > 0 && threads == 0
    }

    /// Notes the fault of ending in the state that is loaded.
    fn note_end(&mut self, state: StateNo) {
        let is_noted = self.faults(state).iter().any(|faulty| faulty.at_end);
        if let Some(fault) = self.machine.end_fault(&self.bytes).filter(|_| !is_noted) {
            self.faults.entry(state).or_default().push(Faulty { thread: None, at_end: true, fault });
        }
    }

    /// Calls `then` with the first arrival of a thread from a state that is the one that is looked for. It is asked with the
    /// number that the arrival has among those of its thread. Steps of other threads, which may begin long atomic sequences
    /// that the search has not followed, are not executed.
    pub(crate) fn find_arrival(
        &mut self,
        (state, turn): (StateNo, Turn),
        thread: Option<ThreadId>,
        wanted: &dyn Fn(&Arrival<'_>, u32) -> bool,
        then: &mut dyn FnMut(Arrival<'_>),
    ) {
        self.load(state);
        let mut numbers = Numbers::default();
        let mut found = false;
        let mut arrive = |arrival: Arrival<'_>| {
            let number = numbers.next(arrival.thread());
            if !found && arrival.thread() == thread && wanted(&arrival, number) {
                found = true;
                then(arrival);
            }
        };
        match (turn, thread) {
            (Turn::Any, Some(thread)) => {
                expand_threads(self.machine, &self.bytes, &Threads::only(thread), &mut self.buffers, &mut arrive)
            }
            _ => expand(self.machine, &self.bytes, turn, &mut self.buffers, &mut arrive),
        };
    }

    /// The threads that have no step in a state.
    pub(super) fn disabled(&mut self, state: StateNo) -> Threads {
        self.load(state);
        let mut enabled = Threads::NONE;
        expand(self.machine, &self.bytes, Turn::Any, &mut self.buffers, &mut |arrival| {
            arrival.thread().into_iter().for_each(|thread| enabled.insert(thread));
        });
        enabled.complement()
    }
}

impl Part {
    fn thread(&self) -> Option<ThreadId> {
        match self.whose {
            Whose::Own(thread) => Some(thread),
            Whose::Rest => None,
        }
    }
}

/// Numbers the arrivals of each thread.
#[derive(Default)]
struct Numbers(Vec<(Option<ThreadId>, u32)>);

impl Numbers {
    fn next(&mut self, thread: Option<ThreadId>) -> u32 {
        match self.0.iter_mut().find(|(other, _)| *other == thread) {
            Some((_, number)) => {
                *number += 1;
                *number
            }
            None => {
                self.0.push((thread, 0));
                0
            }
        }
    }
}

/// Stores a state; its number.
fn insert<M: Hints>(
    machine: &M,
    store: &mut Store,
    entries: &mut Vec<Entry>,
    bad: &mut FxHashMap<StateNo, Fault>,
    state: &[u8],
) -> StateNo {
    let next = StateNo(entries.len() as u32);
    // The place of the parent holds the number.
    let (id, new) = store.insert(state, Some(StateId(u64::from(next.0))));
    if !new {
        return store.parent(id).map_or(next, |number| StateNo(number.0 as u32));
    }
    let (accepting, progress) = (machine.is_accepting(state), machine.is_progress(state));
    entries.push(Entry { id, part: None, accepting, progress });
    if let Some(fault) = machine.state_fault(state) {
        bad.insert(next, fault);
    }
    next
}

fn note_faults(arrival: &Arrival<'_>, state: StateNo, faults: &mut FxHashMap<StateNo, Vec<Faulty>>) {
    for (buffer, step) in arrival.steps() {
        for fault in &buffer.faults[step.faults.clone()] {
            let list = faults.entry(state).or_default();
            list.push(Faulty { thread: arrival.thread(), at_end: false, fault: fault.clone() });
        }
    }
}

/// All threads but these. One that sets of threads cannot tell from others is left in; the caller leaves it out.
fn all_but(done: &[ThreadId]) -> Threads {
    let mut out = Threads::NONE;
    done.iter().filter(|thread| thread.0 < Threads::MOST - 1).for_each(|thread| out.insert(*thread));
    out.complement()
}

/// Who counts as the one that ran last after an arrival.
fn last_at<M: Hints>(machine: &M, cost: Option<SwitchCost>, arrival: &Arrival<'_>) -> u32 {
    let alive = |thread: &ThreadId| arrival.state.is_some_and(|next| thread.0 < machine.thread_count(next));
    match (cost, arrival.ran_last()) {
        _ if arrival.turn == Turn::Stutter => NOBODY,
        (Some(cost), Some(last)) if cost.remembers_finished_threads() || alive(&last) => last.0,
        _ => ANYBODY,
    }
}
