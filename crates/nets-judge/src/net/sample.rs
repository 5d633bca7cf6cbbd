//! Random runs of a net. A net has one thread, so a bound on switches leaves every run in; a bound on the depth does not.

use selvedge_core::{Bound, BoundKind, Budget, Chance, Explored, Found, Runs, ViolationKind};
use selvedge_source::{SourceMap, Span};

use super::{Net, PlaceId, Player};
use crate::Goals;

/// Tokens that are chosen beyond the least number where any number may be there at the start.
const MORE_TOKENS: usize = 4;

/// Takes random runs within a bound, as long as the budget lasts.
pub fn sample(net: &Net, sources: &SourceMap, goals: Goals, bound: Bound, runs: Runs, budget: &Budget) -> Explored {
    let depth = bound.value.filter(|_| bound.kind == BoundKind::Depth).map(u64::from);
    let most = depth.map_or(runs.steps, |depth| depth.min(runs.steps));
    let mut chance = Chance::new(runs.seed);
    let mut explored = Explored::default();
    let mut player = Player::new(net, sources);
    for _ in 0..runs.count {
        if budget.spent(0).is_some() {
            break;
        }
        // The choice of a token at the start is a step of the machine.
        let chosen = player.start(&mut chance, most);
        explored.runs += 1;
        let mut visited = vec![player.tokens.clone()];
        let mut goes_round = false;
        for _ in chosen..most {
            if goes_round || player.is_covered() || !player.take_random(&mut chance) {
                break;
            }
            explored.steps += 1;
            if goals.infinite_runs {
                // A net is one thread, so every cycle is fair.
                goes_round = visited.contains(&player.tokens);
                visited.push(player.tokens.clone());
            }
        }
        if let Some((span, kind)) = player.violation(goals, goes_round) {
            explored.add(Found { round: 1, span, kind });
        }
    }
    explored
}

impl Player<'_> {
    /// What a run has shown where it ends.
    fn violation(&self, goals: Goals, goes_round: bool) -> Option<(Span, ViolationKind)> {
        if let Some(span) = self.covered() {
            return Some((span, ViolationKind::TargetCovered));
        }
        let span = self.net.transitions.first().map(|transition| transition.span)?;
        match () {
            () if goes_round => Some((span, ViolationKind::NonProgressCycle)),
            () if goals.deadlock && self.is_stuck() => Some((span, ViolationKind::InvalidEndState)),
            () => None,
        }
    }

    /// Chooses the tokens at the start, at most this number above the minimum. Returns how many.
    fn start(&mut self, chance: &mut Chance, most: u64) -> u64 {
        let mut chosen = 0;
        for (held, range) in self.tokens.iter_mut().zip(&self.net.initial) {
            let room = range.most.map_or(MORE_TOKENS, |top| (top - range.least) as usize);
            let more = (chance.below(room + 1) as u64).min(most - chosen);
            *held = u64::from(range.least) + more;
            chosen += more;
        }
        chosen
    }

    /// Takes any transition that can be taken; whether there is one.
    fn take_random(&mut self, chance: &mut Chance) -> bool {
        let enough = |(place, count): &(PlaceId, u32)| self.held(*place) >= u64::from(*count);
        let enabled: Vec<_> = self.net.transitions.iter().filter(|t| t.take.iter().all(enough)).collect();
        if enabled.is_empty() {
            return false;
        }
        let changed = self.after(enabled[chance.below(enabled.len())]).unwrap_or_default();
        changed.into_iter().for_each(|(place, count)| self.tokens[place.0 as usize] = count);
        true
    }
}
