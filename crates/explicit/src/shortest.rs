//! The best counterexample (docs/design.md 3.4): fewest preemptions, then fewest steps, or as the user says. Called when a search
//! has found that there is a violation, with what it found as a bound; replaces \[BCS\]'s `-DREACH -i`.
//!
//! Label setting over nodes `(s, p)`, state and thread that ran last. A label is one way to a node: its cost (what is to
//! be least), its length in steps, and what it uses up of the bound. Labels are taken in the order of cost and length,
//! so that the first violation met is the best there is. A label is kept unless an earlier one uses up no more of the
//! bound and leads everywhere it leads at no higher price: one for the same node, one for the same state from which every
//! thread may go on for nothing, or a much cheaper one for the same state. Labels of the same cost and length are taken in
//! the lexicographic order of their runs (`runs`), so that the run found depends on nothing but the machine.
//!
//! Must hold: the machine has every step of the model (none merged), so that lengths are those of the run as shown.

mod runs;

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashSet};

use rustc_hash::FxHashMap;
use selvedge_core::{Budget, Observer, StopReason, SwitchCost, SwitchReason, ThreadId};
use selvedge_machine::{Arrival, Counting, ExpandBuffers, Fault, Hints, Leaving, Path, Turn, expand};

use crate::moves::STATEMENTS;
use crate::outcome::Found;
use crate::path::extended;
use crate::store::{StateId, Store};
use crate::watch::{Position, Watch};
use runs::{Label, LabelNo, Runs};

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

impl Measure {
    /// What a switch for this reason adds.
    fn of_switch(self, reason: Option<SwitchReason>) -> u32 {
        let cost = match self {
            Measure::Preemptions => SwitchCost::Preemptions,
            Measure::Switches => SwitchCost::Switches,
            Measure::Length => return 0,
        };
        reason.map_or(0, |reason| cost.of_leaving(reason))
    }
}

/// What to look for.
#[derive(Clone, Debug, Default)]
pub struct ShortestOptions {
    /// What is to be least; length decides between equals.
    pub minimize: Measure,
    /// Only runs within this bound.
    pub bound: Option<(Measure, u32)>,
    /// How preemptions are counted.
    pub counting: Counting,
    /// The violations to find the best run for; any one, if empty.
    pub faults: Vec<Fault>,
    /// Ends with [`StopReason::GaveUp`] after this number of runs to states, or [`STATEMENTS`](crate::moves::STATEMENTS) times as many statements inside
    /// atomic sequences.
    pub most_work: Option<u64>,
}

/// The best runs, and why the search for them stopped: [`StopReason::Violation`] if all were found.
pub fn shortest<M: Hints>(
    machine: &M,
    options: &ShortestOptions,
    budget: &Budget,
    observer: &mut dyn Observer,
) -> (Vec<Found>, StopReason) {
    let mut initial = Vec::new();
    machine.initial(&mut initial);
    let mut search = Shortest {
        machine,
        options,
        store: Store::new(machine.hidden_prefix(), &initial),
        watch: Watch::new(budget, observer),
        runs: Runs::default(),
        queue: BTreeMap::new(),
        nodes: FxHashMap::default(),
        states: FxHashMap::default(),
        leaving: Leaving::new(options.counting),
        buffers: ExpandBuffers::within(budget),
        state: Vec::new(),
        moves: Vec::new(),
        waiting: 0,
        candidates: Vec::new(),
        wanted: options.faults.iter().cloned().collect(),
        found: Vec::new(),
    };
    let stop = search.run(&initial);
    (search.found, stop)
}

/// Cost and length.
type Key = (u32, u32);

/// What is known of a node.
#[derive(Clone, Copy)]
struct Known {
    /// The least that the labels taken there use up of the bound; none does if it is [`NOT_TAKEN`].
    taken: u32,
    /// The last label that was added, of those that are better than the ones before: cost and length, what it uses up,
    /// and its number.
    added: (Key, u32, LabelNo),
}

const NOT_TAKEN: u32 = u32::MAX;

/// The first label taken at a state.
#[derive(Clone, Copy)]
struct First {
    label: LabelNo,
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
    key: Key,
    run: LabelNo,
    /// The last transition has it; otherwise the state does.
    on_step: bool,
    fault: Fault,
}

struct Shortest<'a, M: Hints> {
    machine: &'a M,
    options: &'a ShortestOptions,
    store: Store,
    watch: Watch<'a>,
    runs: Runs,
    /// Labels that were not taken yet.
    queue: BTreeMap<Key, Vec<LabelNo>>,
    nodes: FxHashMap<(StateId, Option<ThreadId>), Known>,
    states: FxHashMap<StateId, First>,
    leaving: Leaving<M>,
    buffers: ExpandBuffers<M>,
    state: Vec<u8>,
    moves: Vec<Move>,
    /// Labels in the queue.
    waiting: u64,
    candidates: Vec<Candidate>,
    wanted: HashSet<Fault>,
    found: Vec<Found>,
}

impl<M: Hints> Shortest<'_, M> {
    fn run(&mut self, initial: &[u8]) -> StopReason {
        let (state, _) = self.store.insert(initial, None);
        let (cost, length, used) = (0, 0, 0);
        self.add(Label { state, last: None, stutter: false, cost, length, used, parent: None, step: (None, 0) });
        while let Some((key, mut labels)) = self.queue.pop_first() {
            if self.settle(key) {
                return StopReason::Violation;
            }
            // What is added meanwhile is longer.
            labels.sort_unstable_by(|one, other| self.runs.compare(*one, *other));
            for label in labels {
                if let Some(stop) = self.check_limits() {
                    return stop;
                }
                if self.is_worth_while(label) {
                    self.take(label);
                }
                if let Some(stop) = self.buffers.stopped() {
                    return stop;
                }
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
        if first.is_some_and(|first| first.free && self.runs[first.label].used <= label.used) {
            return;
        }
        let (key, used) = ((label.cost, label.length), label.used);
        let next = self.runs.len() as LabelNo;
        match self.nodes.entry((label.state, label.last)) {
            Entry::Occupied(known) if known.get().added.0 == key && known.get().added.1 == used => {
                return self.runs.replace_if_first(known.get().added.2, label);
            }
            Entry::Occupied(known) if known.get().added.0 <= key && known.get().added.1 <= used => return,
            Entry::Occupied(mut known) => known.get_mut().added = (key, used, next),
            Entry::Vacant(node) => _ = node.insert(Known { taken: NOT_TAKEN, added: (key, used, next) }),
        }
        let number = self.runs.push(label);
        self.queue.entry(key).or_default().push(number);
        self.waiting += 1;
    }

    fn check_limits(&mut self) -> Option<StopReason> {
        self.waiting = self.waiting.saturating_sub(1);
        let work = (self.runs.len() as u64).max(self.buffers.followed() / STATEMENTS);
        if self.options.most_work.is_some_and(|most| work > most) {
            return Some(StopReason::GaveUp);
        }
        let Shortest { store, queue, leaving, runs, nodes, states, waiting, .. } = self;
        self.watch.tick(0, || {
            let maps = nodes.capacity() * (size_of::<((StateId, Option<ThreadId>), Known)>() + 1)
                + states.capacity() * (size_of::<(StateId, First)>() + 1);
            Position {
                bound: None,
                states: store.len(),
                transitions: runs.len() as u64,
                frontier: *waiting,
                depth: queue.first_key_value().map_or(0, |((_, length), _)| u64::from(*length)),
                memory: store.bytes() + leaving.bytes() + runs.bytes() + maps as u64 + 8 * *waiting,
                growth: store.growth(),
            }
        })
    }

    /// Whether a label can lead to something that those taken before it cannot.
    fn is_worth_while(&mut self, number: LabelNo) -> bool {
        let label = self.runs[number];
        let Some(node) = self.nodes.get_mut(&(label.state, label.last)) else { return false };
        if node.taken <= label.used {
            return false;
        }
        if let Some(First { label: other, free }) = self.states.get(&label.state) {
            let first = &self.runs[*other];
            if *free && first.used <= label.used {
                return false;
            }
            let not_later = || {
                first.length < label.length
                    || (first.length == label.length && self.runs.compare(*other, number).is_lt())
            };
            // From any node of the state every step costs at most one more.
            let cheaper = match self.options.minimize {
                Measure::Length => not_later(),
                _ => first.cost + 1 < label.cost || (first.cost + 1 == label.cost && not_later()),
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
    fn take(&mut self, number: LabelNo) {
        let label = self.runs[number];
        self.store.get(label.state, &mut self.state);
        if let Some(fault) = self.machine.state_fault(&self.state) {
            self.candidate((label.cost, label.length), number, false, &fault);
        }
        let steps = self.find_moves(&label);
        if steps == 0
            && !label.stutter
            && let Some(fault) = self.machine.end_fault(&self.state)
        {
            self.candidate((label.cost, label.length), number, false, &fault);
        }
        let reason = self.reason_to_leave(&label);
        if self.cost_of_switch(reason) == (0, 0)
            && let Some(first) = self.states.get_mut(&label.state).filter(|first| first.label == number)
        {
            first.free = true;
        }
        let moves = std::mem::take(&mut self.moves);
        for (arrival, one) in moves.iter().enumerate() {
            self.step(number, &label, arrival as u32, one, reason);
        }
        self.moves = moves;
    }

    fn find_moves(&mut self, label: &Label) -> usize {
        let Shortest { machine, store, buffers, state, moves, .. } = self;
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

    /// Why another thread would run than the one that ran last.
    fn reason_to_leave(&mut self, label: &Label) -> Option<SwitchReason> {
        let last = label.last?;
        let others = self.moves.iter().any(|one| one.thread != label.last);
        let enabled = others && self.moves.iter().any(|one| one.thread == label.last);
        Some(self.leaving.reason(self.machine, &self.state, last, enabled))
    }

    /// What such a switch adds to the cost, and to what is used up of the bound.
    fn cost_of_switch(&self, reason: Option<SwitchReason>) -> (u32, u32) {
        let used = self.options.bound.map_or(0, |(measure, _)| measure.of_switch(reason));
        (self.options.minimize.of_switch(reason), used)
    }

    fn step(&mut self, number: LabelNo, label: &Label, arrival: u32, one: &Move, reason: Option<SwitchReason>) {
        let stays = one.thread.is_none() || one.thread == label.last;
        let (added, used) = self.cost_of_switch(reason.filter(|_| !stays));
        let cost = label.cost + added;
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
        let (parent, step) = (Some(number), (one.thread, arrival));
        for (length, fault) in one.faults.iter().filter(|(length, _)| !by_length || label.used + length <= most) {
            if self.is_wanted(fault) {
                let run = self.runs.push(Label { cost, parent, step, ..*label });
                self.candidate((cost, label.length + length), run, true, fault);
            }
        }
        let Some((state, stutter)) = one.target.filter(|_| used <= most) else { return };
        let last = if one.thread.is_none() { label.last } else { one.ran_last };
        let length = label.length + one.length;
        self.add(Label { state, last, stutter, cost, length, used, parent, step });
    }

    fn is_wanted(&self, fault: &Fault) -> bool {
        self.options.faults.is_empty() || self.wanted.contains(fault)
    }

    fn candidate(&mut self, key: Key, run: LabelNo, on_step: bool, fault: &Fault) {
        if self.is_wanted(fault) {
            self.candidates.push(Candidate { key, run, on_step, fault: fault.clone() });
        }
    }

    /// Turns the candidates into findings that no run of this cost and length or more can be better than; whether all are
    /// found.
    fn settle(&mut self, next: Key) -> bool {
        if self.candidates.iter().all(|candidate| candidate.key >= next) {
            return false;
        }
        let mut candidates = std::mem::take(&mut self.candidates);
        candidates.sort_by(|a, b| a.key.cmp(&b.key).then_with(|| self.runs.compare(a.run, b.run)));
        for candidate in candidates {
            if candidate.key >= next {
                self.candidates.push(candidate);
            } else if self.options.faults.is_empty() {
                self.found.push(self.run_of(&candidate));
                return true;
            } else if self.wanted.remove(&candidate.fault) {
                self.found.push(self.run_of(&candidate));
            }
        }
        !self.options.faults.is_empty() && self.wanted.is_empty()
    }

    fn run_of(&self, candidate: &Candidate) -> Found {
        let mut chain = self.runs.chain(candidate.run);
        let last = if candidate.on_step { chain.pop() } else { None };
        let mut path = Path::default();
        self.machine.initial(&mut path.initial);
        for pair in chain.windows(2) {
            self.nth_arrival(pair[0], pair[1], &mut |arrival| path.steps.extend(arrival.to_path()));
        }
        if let (Some(from), Some(last)) = (chain.last(), last) {
            self.nth_arrival(*from, last, &mut |arrival| {
                path = extended(std::mem::take(&mut path), &arrival, &candidate.fault);
            });
        }
        Found { fault: candidate.fault.clone(), path }
    }

    /// The transition that leads from a label to the next one.
    fn nth_arrival(&self, from: LabelNo, to: LabelNo, then: &mut dyn FnMut(Arrival<'_>)) {
        let (label, (_, number)) = (&self.runs[from], self.runs[to].step);
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
