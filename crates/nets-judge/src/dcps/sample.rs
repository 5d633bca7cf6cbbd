//! Random runs of a network within a bound. Switches are counted so that a run never exceeds the bound: a switch counts as
//! a preemption even if the thread that ran last cannot be resumed, and as the start of a round whichever thread is next.

use std::collections::BTreeSet;

use selvedge_core::{Bound, BoundKind, Budget, Chance, Explored, Found, Runs, ViolationKind};
use selvedge_nets_syntax::dcps::{Dcps, Kind, Resume, Rule};
use selvedge_nets_syntax::pds::{StateId, SymbolId};
use selvedge_source::Span;

use super::Thread;
use crate::Goals;
use crate::lasso::Visited;

/// Threads of a run, at most.
const MOST_THREADS: usize = 200;

/// Takes random runs within a bound, as long as the budget lasts. With `fresh_switches` a new thread has the switch number 0, otherwise one more than its
/// creator.
pub fn sample(dcps: &Dcps, goals: Goals, bound: Bound, fresh_switches: bool, runs: Runs, budget: &Budget) -> Explored {
    let depth = bound.value.filter(|_| bound.kind == BoundKind::Depth).map(u64::from);
    let most = depth.map_or(runs.steps, |depth| depth.min(runs.steps));
    let mut chance = Chance::new(runs.seed);
    let mut explored = Explored::default();
    for _ in 0..runs.count {
        if budget.spent(0).is_some() {
            break;
        }
        let first = Thread { stack: vec![dcps.initial_symbol], switches: 0, children: 0 };
        let (state, active, last) = (dcps.initial, Some(0), 0);
        let mut run = RandomRun {
            dcps,
            bound,
            fresh_switches,
            state,
            active,
            last,
            threads: vec![first],
            spent: 0,
            round: 1,
            stratum: 0,
            goes_round: false,
        };
        explored.runs += 1;
        explored.steps += run.walk(goals, most, &mut chance);
        if let Some((span, kind)) = run.violation(goals) {
            explored.add(Found { round: run.round, span, kind });
        }
    }
    explored
}

/// What decides how a run may continue: the shared state, the active thread, the one that was active last, stacks and switch
/// numbers, and what the bound counts.
type Place = (StateId, Option<usize>, usize, Vec<(Vec<SymbolId>, u32)>, (u32, u32));

struct RandomRun<'d> {
    dcps: &'d Dcps,
    bound: Bound,
    fresh_switches: bool,
    state: StateId,
    active: Option<usize>,
    /// The thread that was active last.
    last: usize,
    threads: Vec<Thread>,
    /// What the bound counts.
    spent: u32,
    round: u32,
    stratum: u32,
    /// It has closed a cycle, and infinite runs are violations.
    goes_round: bool,
}

impl RandomRun<'_> {
    /// Takes at most so many steps, up to a target, a cycle or the end. Returns how many were taken.
    fn walk(&mut self, goals: Goals, most: u64, chance: &mut Chance) -> u64 {
        let mut visited = Visited::new();
        for taken in 0..most {
            if self.dcps.is_target(self.state) || !self.step(chance) {
                return taken;
            }
            let fair = goals.fair;
            if goals.infinite_runs && visited.closes_cycle(self.place(), Some(self.last), self.enabled(), fair) {
                self.goes_round = !self.dcps.is_target(self.state);
                return taken + 1;
            }
        }
        most
    }

    /// What the run has shown where it ends.
    fn violation(&self, goals: Goals) -> Option<(Span, ViolationKind)> {
        if let Some((_, span)) = self.dcps.targets.iter().find(|(target, _)| *target == self.state) {
            return Some((*span, ViolationKind::TargetCovered));
        }
        let span = self.dcps.rules.first().map(|rule| rule.span)?;
        if self.goes_round {
            return Some((span, ViolationKind::NonProgressCycle));
        }
        let alive = self.threads.iter().any(|thread| !thread.stack.is_empty());
        let stuck = goals.deadlock && alive && self.enabled().is_empty();
        stuck.then_some((span, ViolationKind::InvalidEndState))
    }

    fn place(&self) -> Place {
        let counted = matches!(self.bound.kind, BoundKind::ThreadSwitches | BoundKind::Strata);
        let number = |thread: &Thread| if counted { thread.switches } else { 0 };
        let threads = self.threads.iter().map(|thread| (thread.stack.clone(), number(thread))).collect();
        let stratum = if counted { self.stratum } else { 0 };
        (self.state, self.active, self.last, threads, (self.spent, stratum))
    }

    /// The threads that can continue, whatever the bound allows.
    fn enabled(&self) -> BTreeSet<usize> {
        let continues = |thread: &usize| {
            let top = self.threads[*thread].stack.last();
            let rules = || self.dcps.rules.iter().any(|rule| rule.from == self.state && Some(&rule.top) == top);
            let resumes =
                || self.dcps.resumes.iter().any(|resume| resume.from == self.state && Some(&resume.top) == top);
            self.active.map_or_else(resumes, |active| active == *thread && rules())
        };
        (0..self.threads.len()).filter(continues).collect()
    }

    /// Takes a step; whether there is one within the bound.
    fn step(&mut self, chance: &mut Chance) -> bool {
        match self.active {
            Some(thread) => self.follow(thread, chance),
            None => self.resume(chance),
        }
    }

    fn follow(&mut self, thread: usize, chance: &mut Chance) -> bool {
        let top = self.threads[thread].stack.last().copied();
        let room = self.threads.len() < MOST_THREADS;
        let fits = |rule: &&Rule| rule.from == self.state && Some(rule.top) == top && (room || rule.spawn.is_none());
        let rules: Vec<&Rule> = self.dcps.rules.iter().filter(fits).collect();
        if rules.is_empty() {
            return false;
        }
        let rule = rules[chance.below(rules.len())];
        let running = &mut self.threads[thread];
        running.stack.pop();
        running.stack.extend(rule.push.iter().rev());
        let switches = if self.fresh_switches { 0 } else { running.switches + 1 };
        if rule.kind == Kind::Yield {
            running.switches += 1;
            self.active = None;
        }
        self.state = rule.to;
        if let Some(symbol) = rule.spawn {
            self.threads.push(Thread { stack: vec![symbol], switches, children: 0 });
        }
        true
    }

    fn resume(&mut self, chance: &mut Chance) -> bool {
        let fits = |resume: &Resume, thread: usize| {
            resume.from == self.state && self.threads[thread].stack.last() == Some(&resume.top) && self.allows(thread)
        };
        let threads = 0..self.threads.len();
        let pairs = threads.flat_map(|thread| self.dcps.resumes.iter().map(move |resume| (resume, thread)));
        let pairs: Vec<(&Resume, usize)> = pairs.filter(|(resume, thread)| fits(resume, *thread)).collect();
        if pairs.is_empty() {
            return false;
        }
        let (resume, thread) = pairs[chance.below(pairs.len())];
        self.spent += self.cost(thread);
        self.round += u32::from(thread < self.last);
        self.stratum = self.stratum.max(self.threads[thread].switches);
        (self.state, self.active, self.last) = (resume.to, Some(thread), thread);
        true
    }

    fn cost(&self, next: usize) -> u32 {
        match self.bound.kind {
            BoundKind::Preemptions | BoundKind::Switches | BoundKind::Rounds => u32::from(next != self.last),
            _ => 0,
        }
    }

    /// Whether the bound allows a thread to become active.
    fn allows(&self, next: usize) -> bool {
        let Some(most) = self.bound.value else { return true };
        let switches = self.threads[next].switches;
        match self.bound.kind {
            BoundKind::ThreadSwitches => switches <= most,
            BoundKind::Strata => switches <= most && switches >= self.stratum,
            BoundKind::Rounds => 1 + self.spent + self.cost(next) <= most,
            BoundKind::Preemptions | BoundKind::Switches => self.spent + self.cost(next) <= most,
            BoundKind::Depth | BoundKind::Unbounded => true,
        }
    }
}
