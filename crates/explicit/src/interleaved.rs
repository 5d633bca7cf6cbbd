//! The cheap question first (docs/design.md 3.6): a depth-first search without a bound, reduced by ample sets, in turns with the
//! layered search. Either proves that there is no violation at all, or finds one: depth-first search soon, the layers
//! with the fewest preemptions. Turns are counted in expansions, so that the same model gives the same answer.
//!
//! The layers come first, so that small models are answered by them alone. What the depth-first search finds is a
//! violation that may be needlessly complicated. The caller simplifies it; then the layers go on, for as much work as was
//! done before or, in a large model, for a part of it ([`improvement`]), until they find a violation or have none with
//! fewer preemptions.

use selvedge_core::{Budget, Observer, StopReason};
use selvedge_machine::Hints;

use crate::exhaustive::{ExhaustiveOptions, Order, Whole, whole};
use crate::layered::{Exact, LayeredOptions, exact};
use crate::outcome::{Found, Outcome};
use crate::packed::Reports;
use crate::search::Search;
use crate::watch::Watch;

/// How to search.
#[derive(Clone, Debug)]
pub struct InterleavedOptions {
    /// The layers.
    pub layers: LayeredOptions,
    /// Expansions of a turn, where a thread chooses among few steps.
    pub turn: u64,
}

/// Expansions after which a model is large: the layers are not about to answer, and the depth-first search, which needs
/// less for a proof, has most of the time.
const LARGE: u64 = 200_000;
/// Turns of the depth-first search for one of the layers then; twice as many whenever the work has doubled.
const DEEP_SHARE: u64 = 4;
/// Expansions for a better run than the one that was found, besides a share of those that it took to find it.
const IMPROVEMENT: u64 = 100_000;

/// Steps among which a thread chooses where a turn is of full length.
const FEW_CHOICES: u64 = 16;
/// A turn is at least this part of its full length.
const SHORTEST_TURN: u64 = 16;

/// Expansions of a turn: fewer where a thread chooses among many steps, all of which have to be tried in each state.
fn turn_among(choices: usize, full: u64) -> u64 {
    let choices = (choices as u64).max(FEW_CHOICES);
    (full * FEW_CHOICES / choices).max(full / SHORTEST_TURN).max(1)
}

/// How much may be done for a better run than one that took this much work to be found: as much again where that is
/// little, and an eighth of it where an answer took long.
pub fn improvement(work: u64) -> u64 {
    work.min(IMPROVEMENT + work / 8)
}

/// Searches in both ways. `simplify` is called with a violation that the depth-first search found and with the work that
/// may be done for it; it returns the number of preemptions of the run that will be shown for it. The outcome is that of the
/// search that has an answer, with the layers that were completed.
pub fn interleaved<M: Hints>(
    machine: &M,
    InterleavedOptions { layers: options, turn }: &InterleavedOptions,
    budget: &Budget,
    observer: &mut dyn Observer,
    simplify: &mut dyn FnMut(&Found, u64) -> Option<u32>,
) -> Outcome {
    let reports = Reports::to(observer);
    let (mut one, mut two) = (reports.one(), reports.one());
    let (mut three, mut four) = (reports.one(), reports.one());
    let depth_first = ExhaustiveOptions {
        order: Order::DepthFirst,
        reduction: options.reduction,
        keep_states: options.keep_states,
        packing: options.packing,
        ..ExhaustiveOptions::default()
    };
    let mut both = Both {
        layers: Some(exact(machine, options, Watch::new(budget, &mut one), Watch::new(budget, &mut two))),
        given_up: None,
        deep: Some(whole(machine, &depth_first, Watch::new(budget, &mut three), Watch::new(budget, &mut four))),
        turn: turn_among(machine.most_choices(), *turn),
        expansions: 0,
        most_memory: budget.limits().memory.unwrap_or(u64::MAX),
    };
    both.run(simplify)
}

/// Turns of the depth-first search for one of the layers, after this number of expansions.
fn deep_share(expansions: u64) -> u64 {
    if expansions < LARGE { 1 } else { DEEP_SHARE << (expansions / LARGE).ilog2() }
}

/// The two searches in progress.
struct Both<'a, M: Hints> {
    layers: Option<Exact<'a, M>>,
    /// What the layers had found out when a limit ended them.
    given_up: Option<Outcome>,
    deep: Option<Whole<'a, M>>,
    turn: u64,
    expansions: u64,
    most_memory: u64,
}

impl<M: Hints> Both<'_, M> {
    fn run(&mut self, simplify: &mut dyn FnMut(&Found, u64) -> Option<u32>) -> Outcome {
        loop {
            if let Some(outcome) = self.turn_of_layers() {
                return outcome;
            }
            match self.turn_of_depth_first() {
                Some(outcome) if outcome.stop == StopReason::Violation => return self.improve(outcome, simplify),
                Some(outcome) => return outcome,
                None => {}
            }
            self.free_memory();
        }
    }

    /// An answer of the layers, or what they found out if both searches ended at a limit.
    fn turn_of_layers(&mut self) -> Option<Outcome> {
        let layers = self.layers.as_mut()?;
        let stop = (0..self.turn).find_map(|_| layers.advance());
        self.expansions += self.turn;
        let outcome = self.layers.take_if(|_| stop.is_some())?.outcome(stop?);
        // The depth-first search may need less than the layers.
        if matches!(outcome.stop, StopReason::Memory | StopReason::States) && self.deep.is_some() {
            self.given_up = Some(outcome);
            return None;
        }
        Some(outcome)
    }

    /// An answer of the depth-first search, or what the layers found out if both ended at a limit.
    fn turn_of_depth_first(&mut self) -> Option<Outcome> {
        let turn = self.turn * deep_share(self.expansions);
        let deep = self.deep.as_mut()?;
        let stop = (0..turn).find_map(|_| deep.advance());
        self.expansions += turn;
        let mut outcome = self.deep.take_if(|_| stop.is_some())?.outcome(stop?);
        if matches!(outcome.stop, StopReason::Exhausted | StopReason::Violation) {
            outcome.layers = match (&self.layers, &self.given_up) {
                (Some(layers), _) => layers.completed().to_vec(),
                (None, Some(given_up)) => given_up.layers.clone(),
                (None, None) => Vec::new(),
            };
            outcome.unbounded = true;
            return Some(outcome);
        }
        let ended = matches!(outcome.stop, StopReason::Time | StopReason::Interrupted);
        let layers = self.layers.take_if(|_| ended).map(|layers| layers.outcome(outcome.stop));
        layers.or_else(|| self.given_up.take())
    }

    /// Both searches together must fit into the memory; the layers are dropped first.
    fn free_memory(&mut self) {
        let (Some(layers), Some(deep)) = (&self.layers, &self.deep) else { return };
        if layers.bytes().saturating_add(deep.bytes()) > self.most_memory {
            self.given_up = self.layers.take().map(|layers| layers.outcome(StopReason::Memory));
        }
    }

    /// Looks for a violation with fewer preemptions than the run that was found has.
    fn improve(&mut self, mut found: Outcome, simplify: &mut dyn FnMut(&Found, u64) -> Option<u32>) -> Outcome {
        self.deep = None;
        let work = improvement(self.expansions);
        let preemptions = found.violations.first().and_then(|found| simplify(found, work));
        let (Some(preemptions), Some(mut layers)) = (preemptions, self.layers.take()) else {
            return found;
        };
        let mut stop = None;
        let mut left = work;
        while left > 0 && stop.is_none() && layers.bound() < preemptions {
            left -= 1;
            stop = layers.advance();
        }
        match stop {
            Some(StopReason::Violation) => return layers.outcome(StopReason::Violation),
            // Nothing is left to explore although there is a violation: it needs at least as many as were found.
            _ if layers.bound() >= preemptions => found.violated_at = Some(preemptions),
            _ => {}
        }
        found.layers = layers.completed().to_vec();
        found.bound = found.layers.last().map_or(0, |layer| layer.bound);
        found
    }
}

#[cfg(test)]
mod tests {
    use super::turn_among;

    #[test]
    fn turns_are_shorter_where_a_thread_chooses_among_many_steps() {
        assert_eq!([0, 1, 16].map(|choices| turn_among(choices, 10_000)), [10_000; 3]);
        assert_eq!([32, 160, 1_000].map(|choices| turn_among(choices, 10_000)), [5_000, 1_000, 625]);
        assert_eq!(turn_among(1_000, 3), 1);
    }
}
