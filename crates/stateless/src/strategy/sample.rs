//! Random schedules within a bound, for the recheck of a search that found nothing. One schedule in four chooses
//! uniformly among all steps that the bound allows; in the others threads continue by themselves except at a few random
//! points, because a uniform choice spends its preemptions at once.

use super::random::Random;
use crate::ThreadId;
use crate::cost::{Caps, Cost, SearchRules, Spent};
use crate::state::State;
use crate::strategy::{Decision, Ended, Next, Strategy, View};

/// Points of change at the most: more are left to uniform choices.
const CHANGES: u32 = 8;

/// A number of random schedules.
pub(crate) struct Sample {
    cost: Cost,
    caps: Caps,
    bound: Option<u32>,
    random: Random,
    left: u64,
    uniform: bool,
    /// What the schedule at hand costs so far.
    spent: Spent,
    /// Positions at which another thread goes on, if the bound allows it.
    changes: Vec<usize>,
    longest: usize,
}

impl Sample {
    /// `schedules` schedules within the last bound; `length` is that of a usual one.
    pub(crate) fn new(rules: SearchRules, seed: u64, schedules: u64, length: usize) -> Sample {
        let SearchRules { cost, max: bound, caps, .. } = rules;
        let (random, spent) = (Random::new(seed), Spent::default());
        Sample {
            cost,
            caps,
            bound,
            random,
            left: schedules,
            uniform: false,
            spent,
            changes: Vec::new(),
            longest: length,
        }
    }

    fn price(&self, view: &View<'_>, thread: ThreadId, stale: bool) -> Spent {
        self.spent.and(self.cost.of_step(view.last, thread), stale)
    }

    fn affords(&self, view: &View<'_>, thread: ThreadId) -> bool {
        self.allows(self.price(view, thread, false))
    }

    fn allows(&self, spent: Spent) -> bool {
        let within = self.bound.is_none_or(|bound| self.cost == Cost::Free || self.caps.total(spent) <= bound);
        within && self.caps.allow(spent)
    }

    /// The outcome of a step: any, or of an access that may be stale half of the time the newest.
    fn outcome(&mut self, view: &View<'_>, thread: ThreadId) -> u32 {
        let arity = view.state.arity(thread);
        let in_graph = view.pending(thread).access.is_some();
        if in_graph && (arity == 1 || !self.allows(self.price(view, thread, true)) || self.random.below(2) == 0) {
            return 0;
        }
        self.random.below(arity.into()) as u32
    }

    /// The thread of the next step: one of those that the bound allows.
    fn choose(&mut self, view: &View<'_>) -> Option<ThreadId> {
        let (last, would_continue) = view.last;
        let preempts = !self.uniform && would_continue && self.changes.contains(&view.depth());
        if would_continue && !self.uniform && !preempts && self.affords(view, last) {
            return Some(last);
        }
        let others = self.draw(view, |thread| !preempts || thread != last);
        others.or_else(|| self.draw(view, |_| true))
    }

    /// One of the threads that the bound allows.
    fn draw(&mut self, view: &View<'_>, wanted: impl Fn(ThreadId) -> bool) -> Option<ThreadId> {
        let allowed = |sample: &Sample, thread: ThreadId| wanted(thread) && sample.affords(view, thread);
        let count = view.candidates.iter().filter(|&t| allowed(self, t)).count() as u64;
        let index = self.random.below(count.max(1)) as usize;
        view.candidates.iter().filter(|&t| allowed(self, t)).nth(index)
    }
}

impl Strategy for Sample {
    fn next(&mut self) -> Next {
        if self.left == 0 {
            return Next::Done { every_bound: false };
        }
        self.left -= 1;
        self.uniform = self.left.is_multiple_of(4);
        self.spent = Spent::default();
        self.changes.clear();
        // Most classes need as many preemptions as the bound allows.
        let most = self.bound.unwrap_or(CHANGES).min(CHANGES);
        let fewer = self.random.below(u64::from(most / 2) + 1) as u32;
        for _ in fewer..most {
            self.changes.push(self.random.below(self.longest as u64 + 1) as usize);
        }
        Next::Run
    }

    fn decide(&mut self, view: &View<'_>) -> Decision {
        let Some(thread) = self.choose(view) else { return Decision::Cut };
        let choice = self.outcome(view, thread);
        let stale = choice > 0 && view.pending(thread).access.is_some();
        self.spent = self.price(view, thread, stale);
        Decision::Go(thread, choice)
    }

    fn end(&mut self, state: &State, _: Ended) {
        self.longest = self.longest.max(state.steps.len());
    }
}

#[cfg(test)]
mod tests {
    use selvedge_core::SwitchCost;

    use super::*;

    fn allows(cost: Cost, max: Option<u32>, caps: Caps, (switches, stale): (u32, u32)) -> bool {
        let rules = SearchRules { cost, first: 0, max, caps };
        Sample::new(rules, 1, 1, 10).allows(Spent { switches, stale })
    }

    #[test]
    fn the_bound_and_both_limits_hold_at_once() {
        let counted = Cost::Switch(SwitchCost::Preemptions);
        let none = Caps::default();
        assert!(allows(counted, Some(2), none, (1, 1)) && !allows(counted, Some(2), none, (1, 2)));
        assert!(allows(counted, None, none, (9, 9)));
        let free = Caps { stale_is_free: true, ..none };
        assert!(allows(counted, Some(2), free, (2, 9)) && !allows(counted, Some(2), free, (3, 0)));
        let capped = Caps { switches: Some(1), stale: Some(1), stale_is_free: true };
        assert!(allows(counted, Some(2), capped, (1, 1)));
        assert!(!allows(counted, Some(2), capped, (1, 2)) && !allows(counted, Some(2), capped, (2, 1)));
        // Where nothing is counted, only the limits matter.
        assert!(allows(Cost::Free, Some(0), none, (9, 9)) && !allows(Cost::Free, Some(0), capped, (1, 2)));
    }
}
