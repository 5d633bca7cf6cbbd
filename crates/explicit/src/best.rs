//! The best counterexample (DESIGN 3.4): fewest preemptions, then fewest steps, or as the user says. Called when a search
//! has found that there is a violation, with what it found as a bound; replaces \[BCS\]'s `-DREACH -i`.
//!
//! Label setting over nodes `(s, p)`, state and thread that ran last. A label is one way to a node: its cost (what is to
//! be least), its length in steps, and what it uses up of the bound. Labels are taken in the order of cost and length,
//! so that the first violation met is the best there is. A label is kept unless an earlier one uses up no more of the
//! bound and leads everywhere it leads at no higher price: one for the same node, one for the same state from which every
//! thread may go on for nothing, or a much cheaper one for the same state.
//!
//! Must hold: the machine has every step of the model (none merged), so that lengths are those of the run as shown.

use std::cmp::Reverse;
use std::collections::hash_map::Entry;
use std::collections::{BinaryHeap, HashSet};

use rustc_hash::FxHashMap;
use selvedge_core::{Budget, Observer, StopReason, ThreadId};
use selvedge_machine::{Arrival, BusyWaiting, Counting, ExpandBuffers, Fault, Machine, Path, Turn, expand};

use crate::layered::with_last;
use crate::search::Found;
use crate::store::{StateId, Store};
use crate::watch::{Position, Watch};

/// What a run is measured by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Measure {
    /// Switches away from a thread that could have gone on.
    #[default]
    Preemptions,
    /// All switches.
    Switches,
    /// Steps.
    Length,
}

/// What to look for.
#[derive(Clone, Debug, Default)]
pub struct BestOptions {
    /// What is to be least; length decides between equals.
    pub minimize: Measure,
    /// Only runs within this bound.
    pub bound: Option<(Measure, u32)>,
    /// How preemptions are counted.
    pub counting: Counting,
    /// The violations to find the best run for; any one, if empty.
    pub faults: Vec<Fault>,
}

/// The best runs, and why the search for them stopped: [`StopReason::Violation`] if all were found.
pub fn best<M: Machine>(
    machine: &M,
    options: &BestOptions,
    budget: &Budget,
    observer: &mut dyn Observer,
) -> (Vec<Found>, StopReason) {
    let mut initial = Vec::new();
    machine.initial(&mut initial);
    let mut search = Best {
        machine,
        options,
        store: Store::new(machine.hidden_prefix(), &initial),
        watch: Watch::new(budget, observer),
        labels: Vec::new(),
        queue: BinaryHeap::new(),
        nodes: FxHashMap::default(),
        states: FxHashMap::default(),
        busy: BusyWaiting::default(),
        buffers: ExpandBuffers::default(),
        state: Vec::new(),
        moves: Vec::new(),
        candidates: Vec::new(),
        wanted: options.faults.iter().cloned().collect(),
        found: Vec::new(),
    };
    let stop = search.run(&initial);
    (search.found, stop)
}

/// A way to a node.
#[derive(Clone, Copy)]
struct Label {
    state: StateId,
    last: Option<ThreadId>,
    stutter: bool,
    cost: u32,
    length: u32,
    /// Of the bound.
    used: u32,
    parent: Option<u32>,
    /// Number of the arrival from the parent's state.
    arrival: u32,
}

/// Cost and length of a label that was not taken yet, and its number.
type Waiting = ((u32, u32), u32);

/// What is known of a node.
#[derive(Clone, Copy)]
struct Known {
    /// The least that the labels taken there use up of the bound; none does if it is [`NOT_TAKEN`].
    taken: u32,
    /// The last label that was added, of those that are better than the ones before: cost and length, and what it uses up.
    added: ((u32, u32), u32),
}

const NOT_TAKEN: u32 = u32::MAX;

/// The first label taken at a state.
#[derive(Clone, Copy)]
struct First {
    label: u32,
    /// From there every thread may go on for nothing.
    free: bool,
}

/// An arrival from the state of a label.
struct Move {
    thread: Option<ThreadId>,
    ran_last: Option<ThreadId>,
    length: u32,
    target: Option<(StateId, bool)>,
    /// Faults, each with the number of its step.
    faults: Vec<(u32, Fault)>,
}

/// A violation that may be the best one of its kind.
struct Candidate {
    key: (u32, u32),
    label: u32,
    /// The arrival that has it; `None` if the state itself does.
    arrival: Option<u32>,
    fault: Fault,
}

struct Best<'a, M: Machine> {
    machine: &'a M,
    options: &'a BestOptions,
    store: Store,
    watch: Watch<'a>,
    labels: Vec<Label>,
    queue: BinaryHeap<Reverse<Waiting>>,
    nodes: FxHashMap<(StateId, Option<ThreadId>), Known>,
    states: FxHashMap<StateId, First>,
    busy: BusyWaiting<M>,
    buffers: ExpandBuffers<M>,
    state: Vec<u8>,
    moves: Vec<Move>,
    candidates: Vec<Candidate>,
    wanted: HashSet<Fault>,
    found: Vec<Found>,
}

impl<M: Machine> Best<'_, M> {
    fn run(&mut self, initial: &[u8]) -> StopReason {
        let (state, _) = self.store.insert(initial, None);
        self.add(Label { state, last: None, stutter: false, cost: 0, length: 0, used: 0, parent: None, arrival: 0 });
        while let Some(Reverse((key, label))) = self.queue.pop() {
            if self.settle(key) {
                return StopReason::Violation;
            }
            if let Some(stop) = self.look_around() {
                return stop;
            }
            if self.is_worth_while(label) {
                self.take(label);
            }
        }
        match self.settle((u32::MAX, u32::MAX)) {
            true => StopReason::Violation,
            false => StopReason::Exhausted,
        }
    }

    /// Adds a label, unless one that was added before makes it pointless.
    fn add(&mut self, label: Label) {
        let first = self.states.get(&label.state);
        if first.is_some_and(|first| first.free && self.labels[first.label as usize].used <= label.used) {
            return;
        }
        let (key, used) = ((label.cost, label.length), label.used);
        let node = self.nodes.entry((label.state, label.last));
        match node {
            Entry::Occupied(known) if known.get().added.0 <= key && known.get().added.1 <= used => return,
            Entry::Occupied(mut known) => known.get_mut().added = (key, used),
            Entry::Vacant(node) => _ = node.insert(Known { taken: NOT_TAKEN, added: (key, used) }),
        }
        let number = self.labels.len() as u32;
        self.labels.push(label);
        self.queue.push(Reverse((key, number)));
    }

    fn look_around(&mut self) -> Option<StopReason> {
        let Best { store, queue, busy, labels, nodes, states, .. } = self;
        self.watch.tick(0, || {
            let maps = nodes.capacity() * (size_of::<((StateId, Option<ThreadId>), Known)>() + 1)
                + states.capacity() * (size_of::<(StateId, First)>() + 1);
            let lists = labels.capacity() * size_of::<Label>() + queue.capacity() * size_of::<Reverse<Waiting>>();
            Position {
                states: store.len(),
                transitions: labels.len() as u64,
                frontier: queue.len() as u64,
                depth: queue.peek().map_or(0, |Reverse(((_, length), _))| u64::from(*length)),
                memory: store.bytes() + busy.bytes() + (maps + lists) as u64,
                growth: store.growth(),
            }
        })
    }

    /// Whether a label can lead to something that those taken before it cannot.
    fn is_worth_while(&mut self, number: u32) -> bool {
        let label = self.labels[number as usize];
        let Some(node) = self.nodes.get_mut(&(label.state, label.last)) else { return false };
        if node.taken <= label.used {
            return false;
        }
        if let Some(First { label: first, free }) = self.states.get(&label.state) {
            let first = &self.labels[*first as usize];
            if *free && first.used <= label.used {
                return false;
            }
            // From any node of the state every step costs at most one more.
            let cheaper = match self.options.minimize {
                Measure::Length => first.length <= label.length,
                _ => first.cost + 1 < label.cost || (first.cost + 1 == label.cost && first.length <= label.length),
            };
            if cheaper && first.used < label.used.max(u32::from(self.options.bound.is_none())) {
                return false;
            }
        } else {
            self.states.insert(label.state, First { label: number, free: false });
        }
        node.taken = label.used;
        true
    }

    /// Takes every step from a label's node.
    fn take(&mut self, number: u32) {
        let label = self.labels[number as usize];
        self.store.get(label.state, &mut self.state);
        if let Some(fault) = self.machine.state_fault(&self.state) {
            self.candidate((label.cost, label.length), number, None, &fault);
        }
        let steps = self.find_moves(&label);
        if steps == 0
            && !label.stutter
            && let Some(fault) = self.machine.end_fault(&self.state)
        {
            self.candidate((label.cost, label.length), number, None, &fault);
        }
        let leaving = self.price_of_leaving(&label);
        if self.price_counted(leaving) == (0, 0)
            && let Some(first) = self.states.get_mut(&label.state).filter(|first| first.label == number)
        {
            first.free = true;
        }
        let moves = std::mem::take(&mut self.moves);
        for (arrival, one) in moves.iter().enumerate() {
            self.step(number, &label, arrival as u32, one, leaving);
        }
        self.moves = moves;
    }

    fn find_moves(&mut self, label: &Label) -> usize {
        let Best { machine, store, buffers, state, moves, .. } = self;
        moves.clear();
        let turn = if label.stutter { Turn::Stutter } else { Turn::Any };
        expand(*machine, state, turn, buffers, &mut |arrival: Arrival<'_>| {
            let numbered = arrival.steps().enumerate();
            let faults = numbered.flat_map(|(i, (buffer, step))| {
                buffer.faults[step.faults.clone()].iter().map(move |fault| (i as u32 + 1, fault.clone()))
            });
            moves.push(Move {
                thread: arrival.thread(),
                ran_last: arrival.ran_last(),
                length: arrival.steps.len() as u32,
                faults: faults.collect(),
                target: arrival.state.map(|next| (store.insert(next, None).0, arrival.turn == Turn::Stutter)),
            });
        })
    }

    /// What a switch away from the thread that ran last costs here, in preemptions and in switches.
    fn price_of_leaving(&mut self, label: &Label) -> (u32, u32) {
        let Some(last) = label.last else { return (0, 0) };
        let others = self.moves.iter().any(|one| one.thread != Some(last));
        let enabled = self.moves.iter().any(|one| one.thread == Some(last));
        let free = enabled
            && others
            && !self.options.counting.busy_waiting
            && self.machine.may_return(&self.state, last)
            && self.busy.is_busy(self.machine, &self.state, last);
        (u32::from(enabled && !free), 1)
    }

    /// What that adds to the cost, and to what is used up of the bound.
    fn price_counted(&self, (preemptions, switches): (u32, u32)) -> (u32, u32) {
        let counted = |measure| match measure {
            Measure::Preemptions => preemptions,
            Measure::Switches => switches,
            Measure::Length => 0,
        };
        (counted(self.options.minimize), self.options.bound.map_or(0, |(measure, _)| counted(measure)))
    }

    fn step(&mut self, number: u32, label: &Label, arrival: u32, one: &Move, leaving: (u32, u32)) {
        let stays = one.thread.is_none() || one.thread == label.last;
        let (price, used) = self.price_counted(if stays { (0, 0) } else { leaving });
        let cost = label.cost + price;
        let (used, most) = match self.options.bound {
            Some((Measure::Length, most)) => (label.used + one.length, most),
            Some((_, most)) => (label.used + used, most),
            None => (0, 0),
        };
        let by_length = matches!(self.options.bound, Some((Measure::Length, _)));
        if used > most && !by_length {
            return;
        }
        // Of an atomic sequence that is too long, the beginning counts.
        for (length, fault) in one.faults.iter().filter(|(length, _)| !by_length || label.used + length <= most) {
            self.candidate((cost, label.length + length), number, Some(arrival), fault);
        }
        let Some((state, stutter)) = one.target.filter(|_| used <= most) else { return };
        let last = if one.thread.is_none() { label.last } else { one.ran_last };
        let length = label.length + one.length;
        self.add(Label { state, last, stutter, cost, length, used, parent: Some(number), arrival });
    }

    fn candidate(&mut self, key: (u32, u32), label: u32, arrival: Option<u32>, fault: &Fault) {
        if !self.options.faults.is_empty() && !self.wanted.contains(fault) {
            return;
        }
        self.candidates.push(Candidate { key, label, arrival, fault: fault.clone() });
    }

    /// Turns the candidates that nothing still to come can be better than into findings; whether all are found.
    fn settle(&mut self, next: (u32, u32)) -> bool {
        if self.candidates.iter().all(|candidate| candidate.key > next) {
            return false;
        }
        let mut candidates = std::mem::take(&mut self.candidates);
        candidates.sort_by_key(|candidate| (candidate.key, candidate.label));
        for candidate in candidates {
            if candidate.key > next {
                self.candidates.push(candidate);
            } else if self.options.faults.is_empty() {
                self.found.push(self.tell(&candidate));
                return true;
            } else if self.wanted.remove(&candidate.fault) {
                self.found.push(self.tell(&candidate));
            }
        }
        !self.options.faults.is_empty() && self.wanted.is_empty()
    }

    fn tell(&self, candidate: &Candidate) -> Found {
        let mut path = self.path(candidate.label);
        if let Some(number) = candidate.arrival {
            let label = &self.labels[candidate.label as usize];
            self.nth_arrival(label, number, &mut |arrival| {
                path = with_last(std::mem::take(&mut path), &arrival, &candidate.fault);
            });
        }
        Found { fault: candidate.fault.clone(), path }
    }

    fn path(&self, label: u32) -> Path {
        let mut chain = vec![label];
        while let Some(parent) = self.labels[chain[chain.len() - 1] as usize].parent {
            chain.push(parent);
        }
        chain.reverse();
        let mut path = Path::default();
        self.machine.initial(&mut path.initial);
        for pair in chain.windows(2) {
            let (from, to) = (&self.labels[pair[0] as usize], &self.labels[pair[1] as usize]);
            self.nth_arrival(from, to.arrival, &mut |arrival| path.steps.extend(arrival.to_path()));
        }
        path
    }

    fn nth_arrival(&self, label: &Label, number: u32, then: &mut dyn FnMut(Arrival<'_>)) {
        let mut state = Vec::new();
        self.store.get(label.state, &mut state);
        let turn = if label.stutter { Turn::Stutter } else { Turn::Any };
        let mut index = 0;
        expand(self.machine, &state, turn, &mut ExpandBuffers::default(), &mut |arrival| {
            if index == number {
                then(arrival);
            }
            index += 1;
        });
    }
}
