//! The best counterexample (DESIGN 3.4): fewest preemptions, then fewest steps, or as the user says. Called when a search
//! has found that there is a violation, with what it found as a bound; replaces \[BCS\]'s `-DREACH -i`.
//!
//! Label setting over nodes `(s, p)`, state and thread that ran last. A label is one way to a node: its cost (what is to
//! be least), its length in steps, and what it uses up of the bound. Labels are taken in the order of cost and length,
//! so that the first violation met is the best there is. A label is kept unless an earlier one for the same node, or a
//! much cheaper one for the same state, uses up no more of the bound.
//!
//! Must hold: the machine has every step of the model (none merged), so that lengths are those of the run as shown.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};

use rustc_hash::FxHashMap;
use selvedge_core::{
    Arrival, Budget, BusyWaiting, Counting, ExpandBuffers, Fault, Machine, Observer, Path, StopReason, ThreadId, Turn,
    expand,
};

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
    queue: BinaryHeap<Reverse<((u32, u32), u32)>>,
    /// The least that was used of the bound at each node.
    nodes: FxHashMap<(StateId, Option<ThreadId>), u32>,
    /// The first label taken at each state.
    states: FxHashMap<StateId, u32>,
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

    fn add(&mut self, label: Label) {
        let number = self.labels.len() as u32;
        self.labels.push(label);
        self.queue.push(Reverse(((label.cost, label.length), number)));
    }

    fn look_around(&mut self) -> Option<StopReason> {
        let (store, queue, busy) = (&self.store, &self.queue, &self.busy);
        let labels = self.labels.len() as u64;
        self.watch.tick(0, || Position {
            states: store.len(),
            transitions: labels,
            frontier: queue.len() as u64,
            depth: queue.peek().map_or(0, |Reverse(((_, length), _))| u64::from(*length)),
            memory: store.bytes() + busy.bytes() + labels * (size_of::<Label>() as u64 + 64),
            growth: store.growth(),
        })
    }

    /// Whether a label can lead to something that earlier ones cannot.
    fn is_worth_while(&mut self, number: u32) -> bool {
        let label = self.labels[number as usize];
        let node = (label.state, label.last);
        if self.nodes.get(&node).is_some_and(|used| *used <= label.used) {
            return false;
        }
        // From any node of the state every step costs at most one more.
        if let Some(first) = self.states.get(&label.state) {
            let first = &self.labels[*first as usize];
            let cheaper = match self.options.minimize {
                Measure::Length => first.length <= label.length,
                _ => first.cost + 1 < label.cost || (first.cost + 1 == label.cost && first.length <= label.length),
            };
            if cheaper && first.used < label.used.max(u32::from(self.options.bound.is_none())) {
                return false;
            }
        } else {
            self.states.insert(label.state, number);
        }
        self.nodes.insert(node, label.used);
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
            && self.busy.is_busy(self.machine, &self.state, last);
        (u32::from(enabled && !free), 1)
    }

    fn step(&mut self, number: u32, label: &Label, arrival: u32, one: &Move, leaving: (u32, u32)) {
        let stays = one.thread.is_none() || one.thread == label.last;
        let (preemptions, switches) = if stays { (0, 0) } else { leaving };
        let cost = label.cost
            + match self.options.minimize {
                Measure::Preemptions => preemptions,
                Measure::Switches => switches,
                Measure::Length => 0,
            };
        let (used, most) = match self.options.bound {
            Some((Measure::Preemptions, most)) => (label.used + preemptions, most),
            Some((Measure::Switches, most)) => (label.used + switches, most),
            Some((Measure::Length, most)) => (label.used + one.length, most),
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
