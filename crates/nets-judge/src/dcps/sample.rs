//! Random runs of a network within a bound. Switches are counted so that a run never exceeds the bound: a switch counts as
//! a preemption even if the thread that ran last cannot be resumed, and as the start of a round whoever is next.

use selvedge_core::{Bound, BoundKind, Budget, Chance, Explored, Found, Runs, ViolationKind};
use selvedge_nets_syntax::dcps::{Dcps, Kind, Resume, Rule};
use selvedge_nets_syntax::pds::StateId;

use super::Thread;

/// Threads of a run, at most.
const MOST_THREADS: usize = 200;

/// Takes random runs within a bound, as long as the budget lasts. With `fresh_switches` a new thread has the switch number 0, otherwise one more than its
/// creator.
pub fn sample(dcps: &Dcps, bound: Bound, fresh_switches: bool, runs: Runs, budget: &Budget) -> Explored {
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
        };
        explored.runs += 1;
        for _ in 0..most {
            if dcps.is_target(run.state) || !run.step(&mut chance) {
                break;
            }
            explored.steps += 1;
        }
        if let Some((_, span)) = dcps.targets.iter().find(|(target, _)| *target == run.state) {
            explored.add(Found { round: run.round, span: *span, kind: ViolationKind::TargetCovered });
        }
    }
    explored
}

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
}

impl RandomRun<'_> {
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
