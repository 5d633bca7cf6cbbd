//! Random runs of a pushdown system within a bound: for systems that are too large to be explored again.

use selvedge_core::{Bound, BoundKind, Chance, Explored, Found, Runs, ViolationKind};
use selvedge_nets_syntax::pds::Pds;

use super::State;

/// Takes random runs within a bound; `None` for bounds on the switches of each thread.
pub fn sample(pds: &Pds, bound: Bound, runs: Runs) -> Option<Explored> {
    if matches!(bound.kind, BoundKind::ThreadSwitches | BoundKind::Strata) {
        return None;
    }
    let depth = bound.value.filter(|_| bound.kind == BoundKind::Depth).map(u64::from);
    let most = depth.map_or(runs.steps, |depth| depth.min(runs.steps));
    let mut chance = Chance::new(runs.seed);
    let mut explored = Explored::default();
    for _ in 0..runs.count {
        let mut run = Run { pds, bound, state: State::initial(pds), last: None, spent: 0, round: 1 };
        explored.runs += 1;
        loop {
            if let Some(span) = run.state.target(pds) {
                explored.add(Found { round: run.round, span, kind: ViolationKind::TargetCovered });
                break;
            }
            if run.steps_left(most) == 0 || !run.step(&mut chance) {
                break;
            }
            explored.steps += 1;
        }
    }
    Some(explored)
}

struct Run<'p> {
    pds: &'p Pds,
    bound: Bound,
    state: State,
    /// The thread that ran last, and how many steps were taken.
    last: Option<(usize, u64)>,
    /// What the bound counts.
    spent: u32,
    round: u32,
}

impl Run<'_> {
    fn steps_left(&self, most: u64) -> u64 {
        most - self.last.map_or(0, |(_, steps)| steps)
    }

    /// Takes a step; whether there is one within the bound.
    fn step(&mut self, chance: &mut Chance) -> bool {
        let Some(thread) = self.choose(chance) else { return false };
        let mut next = self.state.successors(self.pds, thread);
        self.state = next.swap_remove(chance.below(next.len()));
        self.last = Some((thread, self.last.map_or(0, |(_, steps)| steps) + 1));
        true
    }

    /// The thread of the next step: mostly the one that ran last, as long as it can go on.
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
        let allowed = |other: &usize| *other != last && self.allows(last, *other, goes_on);
        let others: Vec<usize> = threads.into_iter().filter(allowed).collect();
        if others.is_empty() {
            return goes_on.then_some(last);
        }
        let next = others[chance.below(others.len())];
        self.spent += self.cost(last, next, goes_on);
        self.round += u32::from(next < last);
        Some(next)
    }

    fn cost(&self, last: usize, next: usize, goes_on: bool) -> u32 {
        match self.bound.kind {
            BoundKind::Preemptions => u32::from(goes_on),
            BoundKind::Switches => 1,
            BoundKind::Rounds => u32::from(next < last),
            _ => 0,
        }
    }

    /// Whether the bound allows a switch.
    fn allows(&self, last: usize, next: usize, goes_on: bool) -> bool {
        let first = u32::from(self.bound.kind == BoundKind::Rounds);
        let after = first + self.spent + self.cost(last, next, goes_on);
        self.bound.kind == BoundKind::Depth || self.bound.value.is_none_or(|most| after <= most)
    }
}
