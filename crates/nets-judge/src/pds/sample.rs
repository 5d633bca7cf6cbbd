//! Random runs of a pushdown system within a bound: for systems that are too large to be explored again.

use selvedge_core::{Bound, Budget, Chance, Explored, Found, Runs, SampledRun, Spent, ViolationKind};
use selvedge_nets_syntax::pds::Pds;

use super::State;
use crate::Goals;
use crate::lasso::Visited;

/// Takes random runs within a bound. A limit of the budget ends it.
pub fn sample(pds: &Pds, goals: Goals, bound: Bound, runs: Runs, budget: &Budget) -> Explored {
    let switches = SampledRun::within(bound, false, pds.threads.len());
    let most = switches.most_steps(runs);
    let mut chance = Chance::new(runs.seed);
    let mut explored = Explored::default();
    for _ in 0..runs.count {
        if budget.spent(0).is_some() {
            break;
        }
        let mut run = RandomRun { pds, state: State::initial(pds), last: None, switches: switches.clone() };
        explored.runs += 1;
        let mut visited = Visited::new();
        loop {
            let closes = |thread: usize| (pds.threads[thread].span, ViolationKind::NonProgressCycle);
            let cycle = run.last.filter(|_| goals.infinite_runs && run.closes_cycle(&mut visited, goals.fair));
            let found = run.state.violation(pds, goals.deadlock).or(cycle.map(|(thread, _)| closes(thread)));
            if let Some((span, kind)) = found {
                explored.add(Found { round: run.switches.round, span, kind });
                break;
            }
            if run.steps_left(most) == 0 || !run.step(&mut chance) {
                break;
            }
            explored.steps += 1;
        }
    }
    explored
}

struct RandomRun<'p> {
    pds: &'p Pds,
    state: State,
    /// The thread that ran last, and how many steps were taken.
    last: Option<(usize, u64)>,
    switches: SampledRun,
}

impl RandomRun<'_> {
    fn steps_left(&self, most: u64) -> u64 {
        most - self.last.map_or(0, |(_, steps)| steps)
    }

    /// Whether the run has been here before, with as much spent, and may go round for ever.
    fn closes_cycle(&self, visited: &mut Visited<(State, usize, Spent), usize>, fair: bool) -> bool {
        let Some((last, _)) = self.last else { return false };
        let place = (self.state.clone(), last, self.switches.spent());
        visited.closes_cycle(place, Some(last), self.state.enabled(self.pds), fair)
    }

    /// Takes a step; whether there is one within the bound.
    fn step(&mut self, chance: &mut Chance) -> bool {
        let Some(thread) = self.choose(chance) else { return false };
        let mut next = self.state.successors(self.pds, thread);
        self.state = next.swap_remove(chance.below(next.len()));
        self.last = Some((thread, self.last.map_or(0, |(_, steps)| steps) + 1));
        true
    }

    /// The thread of the next step: mostly the one that ran last, as long as it can continue.
    fn choose(&mut self, chance: &mut Chance) -> Option<usize> {
        let enabled = |thread: &usize| !self.state.successors(self.pds, *thread).is_empty();
        let threads: Vec<usize> = (0..self.pds.threads.len()).filter(enabled).collect();
        let Some((last, _)) = self.last else {
            return (!threads.is_empty()).then(|| threads[chance.below(threads.len())]);
        };
        let goes_on = threads.contains(&last);
        if goes_on && !chance.once_in(3) {
            return Some(last);
        }
        let allowed = |other: &usize| *other != last && self.switches.allows(last, *other, goes_on);
        let others: Vec<usize> = threads.into_iter().filter(allowed).collect();
        if others.is_empty() {
            return goes_on.then_some(last);
        }
        let next = others[chance.below(others.len())];
        self.switches.switch(last, next, goes_on);
        Some(next)
    }
}
