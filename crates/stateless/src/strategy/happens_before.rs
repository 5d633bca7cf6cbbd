//! Every partial order within the bound once: \[CBPOR\] Algorithm 2.
//!
//! `Search` is the run in progress: at each state it takes a step whose successor is not in the table H and whose cost
//! CB is within the bound. `Mark` comes at its end: it adds the terminal state to H, and every prefix from
//! which nothing new can be reached any more. So every run ends in a class not seen before (Theorem 4).
//!
//! The bound is raised step by step, and the runs of lower bounds are marked under the new one without being run. While their
//! prefixes are few they are worked out as far as the last bound reaches, or else the next one, and `Mark` is done for all
//! these bounds at once. The other runs are kept in a log, from which their prefixes are worked out again.

mod log;
mod marked;
mod table;

use std::cell::RefCell;
use std::time::Instant;

use crate::cost::SearchRules;
use crate::delta::Delta;
use crate::op::Op;
use crate::outcome::Nondeterminism;
use crate::prefix::{FAR, Incomplete, Limits, Prefixes, Prices};
use crate::state::State;
use crate::strategy::{Decision, Ended, Next, Strategy, View, check_same};
use crate::{SELF_CHECKS, ThreadId};
use log::Log;
use marked::{Marked, level_of};
use table::EVERY;

/// A step that can be taken from a state on the path.
#[derive(Clone, Copy)]
struct Candidate {
    thread: ThreadId,
    choice: u32,
    /// The hash of the state it leads to.
    to: u128,
}

/// How far the prefixes of a run are worked out, and `Mark` is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lookahead {
    /// To the last bound that may be explored.
    Entirely,
    /// To the next bound.
    OneBound,
    /// To the bound in force.
    Nothing,
}

/// A state on the path: its candidates are a range of `HappensBefore::candidates`.
struct Level {
    first: usize,
    taken: usize,
    op: Op,
    fingerprint: u64,
}

/// The search.
pub(crate) struct HappensBefore {
    bound: u32,
    max: Option<u32>,
    prefixes: Prefixes,
    /// The deltas of the run in progress; those beyond the length of `prefixes` are kept for their memory.
    deltas: Vec<Delta>,
    marked: Marked,
    lookahead: Lookahead,
    levels: Vec<Level>,
    candidates: Vec<Candidate>,
    /// Deltas that the run shares with the last one in the log.
    shared: usize,
    log: Log,
    /// Where the runs of this bound begin in the log.
    earlier: usize,
    deadline: Option<Instant>,
    executions: u64,
    begun: bool,
    finished_bound: bool,
    /// The run was cut off in its last state on the path.
    cut: bool,
    aborted: bool,
}

thread_local! {
    /// What an exploration that ended leaves to the next one on this OS thread: memory.
    static IDLE: RefCell<Option<Box<HappensBefore>>> = const { RefCell::new(None) };
}

/// How many bytes are kept at the most when nothing is explored.
const KEPT: usize = 1 << 20;

/// With more prefixes than that in one run, more of them in the table, or a longer log of the runs of one bound, those of higher
/// bounds are not worked out in advance, but for the last bound: a search that ends within this one should not pay for
/// them in time, and a long one not in memory. Little with self-checks, so that tests see all ways.
const FEW: usize = if SELF_CHECKS { 1 << 5 } else { 1 << 11 };
const MANY: usize = if SELF_CHECKS { 1 << 8 } else { 1 << 18 };
const LONG: usize = if SELF_CHECKS { 1 << 9 } else { 1 << 20 };

impl HappensBefore {
    /// A search that has not begun, in memory that was used before if there is some.
    pub(crate) fn idle(
        SearchRules { cost, first, max, caps }: SearchRules,
        fair: Option<u32>,
        deadline: Option<Instant>,
    ) -> Box<HappensBefore> {
        let limits = Limits { cost, bound: first, fair, deadline };
        let prices = Prices::new(caps, max);
        let mut idle = match IDLE.try_with(RefCell::take).ok().flatten() {
            Some(mut idle) => {
                (idle.prefixes.limits, idle.prefixes.prices) = (limits, prices);
                idle
            }
            None => Box::new(HappensBefore::new(limits, prices)),
        };
        (idle.bound, idle.max, idle.deadline) = (first, max, deadline);
        idle.marked.clear();
        idle.lookahead = Lookahead::Entirely;
        idle.begin_bound();
        idle
    }

    fn new(limits: Limits, prices: Prices) -> HappensBefore {
        HappensBefore {
            bound: limits.bound,
            max: None,
            prefixes: Prefixes::new(limits, prices),
            deltas: Vec::new(),
            marked: Marked::new(),
            lookahead: Lookahead::Entirely,
            levels: Vec::new(),
            candidates: Vec::new(),
            shared: 0,
            log: Log::default(),
            earlier: 0,
            deadline: None,
            executions: 0,
            begun: false,
            finished_bound: false,
            cut: false,
            aborted: false,
        }
    }

    /// As new, keeping memory.
    fn forget(&mut self) {
        self.prefixes.forget();
        self.levels.clear();
        self.candidates.clear();
        self.log.clear();
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
            self.reconsider();
        }
    }

    /// Stops working out prefixes in advance if that has become too much; the runs of this bound from here on are all in the log.
    fn reconsider(&mut self) {
        let much = self.prefixes.count() > FEW
            || match self.lookahead {
                Lookahead::Entirely => self.marked.len() > MANY,
                Lookahead::OneBound | Lookahead::Nothing => self.log.end() - self.earlier > LONG,
            };
        if much && self.reach() > self.bound && self.max.is_none_or(|max| max - self.bound > 1) {
            self.lookahead = Lookahead::Nothing;
            self.prefixes.limits.bound = self.bound;
        }
    }

    /// The bound up to which the prefixes of a run are worked out.
    fn reach(&self) -> u32 {
        match self.lookahead {
            Lookahead::Entirely => self.max.unwrap_or(FAR - 1),
            Lookahead::OneBound => self.bound + 1,
            Lookahead::Nothing => self.bound,
        }
    }

    /// The candidates of the newest state: lines 8 and 9 of Algorithm 2, the table apart.
    fn find_candidates(&mut self, view: &View<'_>) {
        let default = view.default_thread();
        self.add_candidates(default);
        for thread in view.candidates.iter().filter(|&t| t != default) {
            self.add_candidates(thread);
        }
    }

    fn add_candidates(&mut self, thread: ThreadId) {
        let top = self.prefixes.top();
        let bound = self.bound;
        if self.prefixes.within(top, thread, bound) {
            for (choice, to) in self.prefixes.successors(top, thread, bound) {
                self.candidates.push(Candidate { thread, choice, to });
            }
        }
    }

    /// The first candidate of a level from `from` on that leads to something new.
    fn pick(&self, level: usize, from: usize) -> Option<usize> {
        let end = self.levels.get(level + 1).map_or(self.candidates.len(), |l| l.first);
        (from..end).find(|&c| !self.marked.contains(self.candidates[c].to, self.bound))
    }

    fn extend(&mut self, view: &View<'_>) -> Decision {
        let first = self.candidates.len();
        self.find_candidates(view);
        let level = self.levels.len();
        let found = (first..self.candidates.len()).find(|&c| !self.marked.contains(self.candidates[c].to, self.bound));
        let Some(taken) = found else {
            self.candidates.truncate(first);
            self.cut = true;
            return self.nothing_left(view);
        };
        let Candidate { thread, choice, .. } = self.candidates[taken];
        self.levels.push(Level { first, taken, op: *view.pending(thread), fingerprint: view.state.fingerprint() });
        debug_assert_eq!(self.levels.len(), level + 1);
        Decision::Go(thread, choice)
    }

    /// All that can be reached within the bound from the state at hand is marked, but the state is not. That is so where the
    /// bound or fairness leaves no step at all; else `Mark` would have come here, if the program did what it did before.
    fn nothing_left(&self, view: &View<'_>) -> Decision {
        if self.prefixes.may_stop() {
            return Decision::Cut;
        }
        Decision::Differs(Box::new(Nondeterminism {
            step: view.depth(),
            expected: "something that no run has done, because something was left here".to_owned(),
            found: "only what runs before have done".to_owned(),
        }))
    }

    fn follow(&mut self, view: &View<'_>) -> Decision {
        let depth = view.depth();
        let newest = depth + 1 == self.levels.len();
        let level = &mut self.levels[depth];
        let Candidate { thread, choice, .. } = self.candidates[level.taken];
        if !view.candidates.contains(thread) {
            let expected = format!("thread {} is enabled", thread.0);
            let found = format!("only {:?} can", view.candidates.iter().map(|t| t.0).collect::<Vec<_>>());
            return Decision::Differs(Box::new(Nondeterminism { step: depth, expected, found }));
        }
        let known = !newest && !level.op.same(view.pending(thread));
        if level.fingerprint != view.state.fingerprint() && !known {
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

    fn raises(&self) -> bool {
        self.max.is_none_or(|max| self.bound < max)
    }

    /// Whether the runs of this bound will have to be marked again.
    fn keeps_log(&self) -> bool {
        self.lookahead != Lookahead::Entirely && self.max.is_none_or(|max| self.reach() < max)
    }

    /// Everything is ready for the runs of this bound.
    fn begin_bound(&mut self) {
        self.earlier = self.log.end();
        // Where a bound may refuse everybody, a prefix may be finished within it and not within a lower one, where runs are cut
        // off there: each bound is marked by itself.
        if self.prefixes.limits.cost.may_refuse_everybody() || !self.raises() {
            self.lookahead = Lookahead::Nothing;
        } else if self.lookahead != Lookahead::Entirely {
            self.lookahead = Lookahead::OneBound;
        }
        self.prefixes.limits.bound = self.reach();
    }

    fn raise_bound(&mut self) -> Next {
        self.finished_bound = false;
        let left = match self.lookahead {
            Lookahead::Entirely => 0,
            Lookahead::OneBound => self.earlier,
            Lookahead::Nothing => self.log.end(),
        };
        self.bound += 1;
        self.levels.clear();
        self.candidates.clear();
        if !self.mark_again(left) {
            return self.gives_up().unwrap_or(Next::Time);
        }
        self.begin_bound();
        // The empty prefix is marked if the new bound adds nothing.
        if self.marked.contains(0, self.bound) {
            return self.complete();
        }
        Next::Run
    }

    /// Marks the first runs of the log under the new bound; false if the time is over.
    fn mark_again(&mut self, end: usize) -> bool {
        self.prefixes.clear();
        self.prefixes.limits.bound = self.bound;
        let (mut at, mut runs) = (0, 0u32);
        while at < end {
            let run = self.log.run(at);
            self.prefixes.truncate(run.shared);
            for delta in run.own() {
                self.prefixes.push(delta);
                if self.prefixes.incomplete.is_some() {
                    return false;
                }
            }
            self.marked.mark(&self.prefixes, run.aborted, EVERY);
            at = run.end;
            runs += 1;
            if runs & 63 == 0 && self.deadline.is_some_and(|d| Instant::now() >= d) {
                return false;
            }
        }
        self.prefixes.clear();
        self.shared = 0;
        true
    }

    fn gives_up(&self) -> Option<Next> {
        self.prefixes.incomplete.map(|why| match why {
            Incomplete::TooManyPrefixes => Next::TooManyPrefixes,
            Incomplete::Time => Next::Time,
        })
    }

    fn complete(&mut self) -> Next {
        self.finished_bound = true;
        Next::BoundComplete { bound: self.bound, executions: self.executions }
    }
}

impl Strategy for HappensBefore {
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
        let refused = self.prefixes.refused(self.bound);
        if !refused || !self.raises() {
            return Next::Done { every_bound: !refused && !self.prefixes.is_capped() };
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
        self.marked.memory() + self.log.memory() + self.prefixes.memory()
    }

    #[inline]
    fn follow(&self, depth: usize, fingerprint: u64) -> Option<(ThreadId, u32)> {
        let level = self.levels.get(depth).filter(|level| level.fingerprint == fingerprint)?;
        let Candidate { thread, choice, .. } = self.candidates[level.taken];
        // Of the newest one it is not known yet what its thread does.
        (depth + 1 < self.levels.len()).then_some((thread, choice))
    }

    fn decide(&mut self, view: &View<'_>) -> Decision {
        if view.depth() < self.levels.len() {
            return self.follow(view);
        }
        self.observe(view.state);
        if self.prefixes.incomplete.is_some() {
            return Decision::GiveUp;
        }
        self.extend(view)
    }

    fn end(&mut self, state: &State, ended: Ended) {
        let cut = std::mem::take(&mut self.cut);
        if !cut {
            self.observe(state);
        }
        if self.prefixes.incomplete.is_some() {
            return;
        }
        self.aborted = ended == Ended::Aborted;
        self.executions += u64::from(ended != Ended::Cut);
        // What was cut off may end differently under a higher bound.
        let level = if ended == Ended::Cut { level_of(self.bound) } else { EVERY };
        self.marked.mark(&self.prefixes, self.aborted, level);
        if self.keeps_log() && ended != Ended::Cut {
            let own = &self.deltas[self.shared..self.prefixes.len()];
            self.log.add(self.shared, own, self.aborted);
            self.shared = self.prefixes.len();
        }
    }

    fn best_schedule(&mut self) -> Option<Vec<(ThreadId, u32)>> {
        let events = &self.prefixes.history.events;
        let last = events.last().map(|e| e.step.thread);
        let order = self.prefixes.cheapest(last.filter(|_| self.aborted));
        let complete = order.len() == events.len();
        complete.then(|| self.prefixes.renumber(&order)).flatten()
    }
}
