//! Every partial order within the bound once: \[CBPOR\] Algorithm 2.
//!
//! `Search` is the run in progress: at each state it takes a step whose successor is not in the table H and whose cost
//! CB is within the bound. `Mark` comes at its end: it adds the terminal state to H, and every prefix from
//! which nothing new can be reached any more. So every run ends in a class not seen before (Theorem 4).
//!
//! The bound is raised step by step. The runs of lower bounds are kept, each as what it adds to the one before, and marked
//! again under the new bound without being run.

mod table;

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Instant;

use rustc_hash::FxHashMap;

use crate::delta::Delta;
use crate::op::Op;
use crate::outcome::Nondeterminism;
use crate::prefix::{Enough, Limits, Prefixes};
use crate::state::State;
use crate::strategy::bounded::Cost;
use crate::strategy::{Decision, Ended, Next, Strategy, View, check_same};
use table::Table;

/// A step that can be taken from a state on the path.
#[derive(Clone, Copy)]
struct Candidate {
    thread: u32,
    choice: u32,
    /// The hash of the state it leads to.
    to: u128,
}

/// A state on the path: its candidates are a range of `Classes::candidates`.
struct Level {
    first: usize,
    taken: usize,
    op: Op,
    print: u64,
}

/// The runs so far, for the next bound: of each what differs from the one before.
#[derive(Default)]
struct Log {
    deltas: Vec<Rc<Delta>>,
    ids: FxHashMap<Rc<Delta>, u32>,
    /// For each run: deltas shared with the run before, deltas of its own, whether it was aborted, and those deltas.
    words: Vec<u32>,
}

impl Log {
    fn add(&mut self, shared: usize, own: &[Delta], aborted: bool) {
        self.words.extend([shared as u32, own.len() as u32, aborted.into()]);
        for delta in own {
            let id = match self.ids.get(delta) {
                Some(&id) => id,
                None => {
                    let rc = Rc::new(delta.clone());
                    self.deltas.push(rc.clone());
                    self.ids.insert(rc, self.deltas.len() as u32 - 1);
                    self.deltas.len() as u32 - 1
                }
            };
            self.words.push(id);
        }
    }

    fn clear(&mut self) {
        self.deltas.clear();
        self.ids.clear();
        self.words.clear();
    }
}

/// The search.
pub(crate) struct Classes {
    bound: u32,
    max: Option<u32>,
    prefixes: Prefixes,
    /// The deltas of the run in progress; those beyond the length of `prefixes` are kept for their memory.
    deltas: Vec<Delta>,
    marked: Table,
    levels: Vec<Level>,
    candidates: Vec<Candidate>,
    /// Deltas that the run shares with the last one in the log.
    shared: usize,
    log: Log,
    deadline: Option<Instant>,
    executions: u64,
    begun: bool,
    finished_bound: bool,
    /// The run was cut off in its last state on the path.
    cut: bool,
    aborted: bool,
    work: Vec<usize>,
}

thread_local! {
    /// What an exploration that ended leaves to the next one on this OS thread: memory.
    static IDLE: RefCell<Option<Box<Classes>>> = const { RefCell::new(None) };
}

/// How many bytes are kept at the most when nothing is explored.
const KEPT: usize = 1 << 20;

impl Classes {
    /// A search that has not begun, in memory that was used before if there is some.
    pub(crate) fn idle(
        cost: Cost,
        first: u32,
        max: Option<u32>,
        fair: Option<u32>,
        deadline: Option<Instant>,
    ) -> Box<Classes> {
        let limits = Limits { cost, bound: first, fair, deadline };
        let mut idle = IDLE.try_with(RefCell::take).ok().flatten().unwrap_or_else(|| Box::new(Classes::new(limits)));
        idle.prefixes.limits = limits;
        (idle.bound, idle.max, idle.deadline) = (first, max, deadline);
        idle
    }

    fn new(limits: Limits) -> Classes {
        Classes {
            bound: limits.bound,
            max: None,
            prefixes: Prefixes::new(limits),
            deltas: Vec::new(),
            marked: Table::new(),
            levels: Vec::new(),
            candidates: Vec::new(),
            shared: 0,
            log: Log::default(),
            deadline: None,
            executions: 0,
            begun: false,
            finished_bound: false,
            cut: false,
            aborted: false,
            work: Vec::new(),
        }
    }

    /// As new, keeping memory.
    fn forget(&mut self) {
        self.prefixes.forget();
        self.marked.clear();
        self.levels.clear();
        self.candidates.clear();
        self.log.clear();
        self.work.clear();
        (self.shared, self.executions) = (0, 0);
        (self.begun, self.finished_bound, self.cut, self.aborted) = (false, false, false, false);
    }

    /// Takes in the steps that the run made since the last decision.
    fn observe(&mut self, state: &State) {
        if self.prefixes.len() <= state.steps.len() {
            let at = self.prefixes.len();
            if self.deltas.len() == at {
                self.deltas.push(Delta::default());
            }
            self.deltas[at].read(state, self.prefixes.history.known());
            self.prefixes.push(&self.deltas[at]);
        }
    }

    /// The candidates of the newest state: lines 8 and 9 of Algorithm 2, the table apart.
    fn find_candidates(&mut self, view: &View<'_>) {
        let top = self.prefixes.top();
        let default = view.default_thread();
        let others = view.candidates.iter().filter(|&t| t != default);
        for thread in std::iter::once(default).chain(others) {
            let t = thread as usize;
            if !self.prefixes.within(top, t) {
                continue;
            }
            for (choice, to) in self.prefixes.successors(top, t).enumerate() {
                self.candidates.push(Candidate { thread, choice: choice as u32, to });
            }
        }
    }

    /// The first candidate of a level from `from` on that leads to something new.
    fn pick(&self, level: usize, from: usize) -> Option<usize> {
        let end = self.levels.get(level + 1).map_or(self.candidates.len(), |l| l.first);
        (from..end).find(|&c| !self.marked.contains(self.candidates[c].to))
    }

    fn extend(&mut self, view: &View<'_>) -> Decision {
        let first = self.candidates.len();
        self.find_candidates(view);
        let level = self.levels.len();
        let found = (first..self.candidates.len()).find(|&c| !self.marked.contains(self.candidates[c].to));
        let Some(taken) = found else {
            self.candidates.truncate(first);
            self.cut = true;
            return Decision::Cut;
        };
        let Candidate { thread, choice, .. } = self.candidates[taken];
        self.levels.push(Level { first, taken, op: *view.pending(thread), print: view.state.fingerprint() });
        debug_assert_eq!(self.levels.len(), level + 1);
        Decision::Go(thread, choice)
    }

    fn follow(&mut self, view: &View<'_>) -> Decision {
        let depth = view.depth();
        let newest = depth + 1 == self.levels.len();
        let level = &mut self.levels[depth];
        let Candidate { thread, choice, .. } = self.candidates[level.taken];
        if !view.candidates.contains(thread) {
            let expected = format!("thread {thread} can go on");
            let found = format!("only {:?} can", view.candidates.iter().collect::<Vec<_>>());
            return Decision::Differs(Nondeterminism { step: depth, expected, found });
        }
        let known = !newest && !level.op.same(view.pending(thread));
        if level.print != view.state.fingerprint() && !known {
            return view.differs();
        }
        if newest {
            level.op = *view.pending(thread);
        } else if let Some(differs) = check_same(depth, &level.op, view.pending(thread)) {
            return Decision::Differs(differs);
        }
        Decision::Go(thread, choice)
    }

    /// Moves to the next state with something new; false if there is none.
    fn advance(&mut self) -> bool {
        while let Some(level) = self.levels.len().checked_sub(1) {
            let Level { first, taken, .. } = self.levels[level];
            if let Some(next) = self.pick(level, taken + 1) {
                self.levels[level].taken = next;
                self.prefixes.truncate(level + 1);
                self.shared = self.shared.min(level + 1);
                return true;
            }
            self.candidates.truncate(first);
            self.levels.pop();
        }
        false
    }

    /// `Mark(s)`: lines 15–22. An aborted run has one predecessor only: its last step came last.
    fn mark(&mut self, aborted: bool) {
        let top = self.prefixes.top();
        if !self.marked.insert(self.prefixes.hash(top)) {
            return;
        }
        if aborted {
            let last = self.prefixes.history.events.last().map(|e| e.step.thread as usize);
            let before = last.and_then(|t| self.prefixes.predecessor(top, t));
            self.work.extend(before.filter(|&p| self.exhausted(p)));
        } else {
            self.mark_predecessors(top);
        }
        while let Some(i) = self.work.pop() {
            if self.marked.insert(self.prefixes.hash(i)) {
                self.mark_predecessors(i);
            }
        }
    }

    fn mark_predecessors(&mut self, i: usize) {
        for p in self.prefixes.predecessors(i) {
            if !self.marked.contains(self.prefixes.hash(p)) && self.exhausted(p) {
                self.work.push(p);
            }
        }
    }

    /// Line 18: nothing new can be reached from a prefix.
    fn exhausted(&self, i: usize) -> bool {
        self.prefixes.all_successors(i, |to| self.marked.contains(to))
    }

    fn out_of_time(&self) -> bool {
        self.deadline.is_some_and(|d| Instant::now() >= d)
    }

    /// Marks the runs of lower bounds under the new one; false if the time is over.
    fn mark_again(&mut self) -> bool {
        let mut at = 0;
        let mut runs = 0u32;
        while at < self.log.words.len() {
            let (shared, own, aborted) = (self.log.words[at], self.log.words[at + 1] as usize, self.log.words[at + 2]);
            self.prefixes.truncate(shared as usize);
            for i in at + 3..at + 3 + own {
                self.prefixes.push(&self.log.deltas[self.log.words[i] as usize]);
                if self.prefixes.enough.is_some() {
                    return false;
                }
            }
            self.mark(aborted != 0);
            at += 3 + own;
            runs += 1;
            if runs & 63 == 0 && self.out_of_time() {
                return false;
            }
        }
        self.prefixes.truncate(0);
        self.shared = 0;
        true
    }

    fn raise_bound(&mut self) -> Next {
        self.finished_bound = false;
        self.bound += 1;
        self.prefixes.set_bound(self.bound);
        self.marked.clear();
        self.levels.clear();
        self.candidates.clear();
        if !self.mark_again() {
            return self.gives_up().unwrap_or(Next::Time);
        }
        // The empty prefix is marked if the new bound adds nothing.
        if self.marked.contains(0) {
            return self.complete();
        }
        Next::Run
    }

    fn gives_up(&self) -> Option<Next> {
        self.prefixes.enough.map(|why| match why {
            Enough::Crowded => Next::Crowded,
            Enough::Time => Next::Time,
        })
    }

    fn complete(&mut self) -> Next {
        self.finished_bound = true;
        Next::BoundComplete { bound: self.bound, executions: self.executions }
    }
}

impl Strategy for Classes {
    fn next(&mut self) -> Next {
        if !self.begun {
            self.begun = true;
            return Next::Run;
        }
        if let Some(why) = self.gives_up() {
            return why;
        }
        if !self.finished_bound {
            return if self.advance() { Next::Run } else { self.complete() };
        }
        if !self.prefixes.refused || self.max.is_some_and(|max| self.bound >= max) {
            return Next::Done { every_bound: !self.prefixes.refused };
        }
        self.raise_bound()
    }

    fn retire(mut self: Box<Self>) {
        if self.memory() <= KEPT {
            self.forget();
            // The OS thread may be ending, its variables gone.
            let _ = IDLE.try_with(|idle| idle.replace(Some(self)));
        }
    }

    fn memory(&self) -> usize {
        self.marked.memory() + self.log.words.capacity() * size_of::<u32>() + self.prefixes.memory()
    }

    fn decide(&mut self, view: &View<'_>) -> Decision {
        if view.depth() < self.levels.len() {
            return self.follow(view);
        }
        self.observe(view.state);
        if self.prefixes.enough.is_some() {
            return Decision::GiveUp;
        }
        self.extend(view)
    }

    fn end(&mut self, state: &State, ended: Ended) {
        let cut = std::mem::take(&mut self.cut);
        if !cut {
            self.observe(state);
        }
        if self.prefixes.enough.is_some() {
            return;
        }
        self.aborted = ended == Ended::Aborted;
        self.executions += u64::from(ended != Ended::Cut);
        self.mark(self.aborted);
        // What was cut off may end differently under a higher bound.
        if ended != Ended::Cut && self.max.is_none_or(|max| self.bound < max) {
            let own = &self.deltas[self.shared..self.prefixes.len()];
            self.log.add(self.shared, own, self.aborted);
            self.shared = self.prefixes.len();
        }
    }

    fn best_schedule(&mut self) -> Option<Vec<(u32, u32)>> {
        let events = &self.prefixes.history.events;
        let last = events.last().map(|e| e.step.thread as usize);
        let order = self.prefixes.cheapest(last.filter(|_| self.aborted));
        let complete = order.len() == events.len();
        complete.then(|| self.prefixes.renumber(&order)).flatten()
    }
}
