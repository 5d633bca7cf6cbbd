//! A depth-first search without a bound, reduced by ample sets, in turns with the layered search (docs/design.md 3.6).
//! Either proves that there is no violation, or finds one: depth-first search finds one early, the layers find one with
//! the fewest preemptions. Turns are counted in expansions and transitions, so that the same model gives the same
//! answer.
//!
//! The layers have the first turn, so that small models are answered by them alone. A violation that the depth-first
//! search finds may be needlessly complicated. The caller simplifies it. Then the layers continue for the same amount
//! of work again or, in a large model, for a part of it ([`improvement`]), until they find a violation or prove that
//! there is none with fewer preemptions.

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

/// Pairs of turns after which a model is large: the layers are not about to answer, and the depth-first search, which needs
/// less for a proof, has most of the time.
const LARGE: u64 = 10;
/// Turns of the depth-first search for one of the layers then; twice as many whenever the work has doubled.
const DEEP_SHARE: u64 = 4;
/// The same after the first turns, which answer most models.
const EARLY_DEEP_SHARE: u64 = 2;
/// Expansions for a better run than the one that was found, besides a share of those that it took to find it.
const IMPROVEMENT: u64 = 100_000;

/// Transitions that an expansion has at most as a rule: where states have more, a turn ends after as many transitions as it would have
/// expansions and each of them these.
const SUCCESSORS: u64 = 8;

/// Steps among which a thread chooses where a turn is of full length.
const FEW_CHOICES: u64 = 16;
/// A turn is at least this part of its full length.
const SHORTEST_TURN: u64 = 16;

/// An amount of work, less where a thread of the machine chooses among many steps, all of which have to be tried in each state.
pub fn among_choices<M: Hints>(machine: &M, full: u64) -> u64 {
    turn_among(machine.most_choices(), full)
}

/// Expansions of a turn: fewer where a thread chooses among many steps.
fn turn_among(choices: usize, full: u64) -> u64 {
    let choices = (choices as u64).max(FEW_CHOICES);
    (full * FEW_CHOICES / choices).max(full / SHORTEST_TURN).max(1)
}

/// The turn of a search.
struct Turn {
    /// Its expansions.
    full: u64,
    /// Those that are left.
    left: u64,
    /// The number of transitions at its start.
    first: u64,
}

impl Turn {
    /// A turn of so many expansions, of a search that has made these transitions.
    fn of(full: u64, first: u64) -> Self {
        Turn { full, left: full, first }
    }

    /// Begins one more expansion, if there is one left.
    fn goes_on(&mut self, transitions: u64) -> bool {
        let goes_on = self.left > 0 && self.done(transitions) < self.full;
        self.left -= u64::from(goes_on);
        goes_on
    }

    /// What was done of it.
    fn done(&self, transitions: u64) -> u64 {
        (transitions.saturating_sub(self.first) / SUCCESSORS).max(self.full - self.left)
    }

    /// Advances a search to the end of the turn, or until it stops. Its transitions are those that `transitions` counts.
    fn take<S: Search>(&mut self, search: &mut S, transitions: impl Fn(&S) -> u64) -> Option<StopReason> {
        while self.goes_on(transitions(search)) {
            let stop = search.advance();
            if stop.is_some() {
                return stop;
            }
        }
        None
    }
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
        turn: among_choices(machine, *turn),
        turns: 0,
        work: 0,
        most_memory: budget.limits().memory.unwrap_or(u64::MAX),
    };
    both.run(simplify)
}

/// Turns of the depth-first search for one of the layers, after this number of turns of either.
fn deep_share(turns: u64) -> u64 {
    match turns / (2 * LARGE) {
        0 if turns < 2 => 1,
        0 => EARLY_DEEP_SHARE,
        large => DEEP_SHARE << large.ilog2(),
    }
}

/// The two searches in progress.
struct Both<'a, M: Hints> {
    layers: Option<Exact<'a, M>>,
    /// What the layers had found out when a limit ended them.
    given_up: Option<Outcome>,
    deep: Option<Whole<'a, M>>,
    turn: u64,
    /// Turns so far.
    turns: u64,
    /// Expansions so far.
    work: u64,
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
        let mut turn = Turn::of(self.turn, layers.transitions());
        let stop = turn.take(layers, Exact::transitions);
        self.turns += 1;
        self.work += turn.done(layers.transitions());
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
        let share = deep_share(self.turns);
        let deep = self.deep.as_mut()?;
        let mut turn = Turn::of(self.turn * share, deep.transitions());
        let stop = turn.take(deep, Whole::transitions);
        self.turns += share;
        self.work += turn.done(deep.transitions());
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
        let work = improvement(self.work);
        let preemptions = found.violations.first().and_then(|found| simplify(found, work));
        let layers = self.layers.take();
        let given_up = self.given_up.as_ref().map_or(0, |given_up| given_up.stats.transitions);
        found.in_vain = layers.as_ref().map_or(given_up, Exact::transitions);
        let (Some(preemptions), Some(mut layers)) = (preemptions, layers) else { return found };
        let mut turn = Turn::of(work, layers.transitions());
        let mut stop = None;
        while stop.is_none() && layers.bound() < preemptions && turn.goes_on(layers.transitions()) {
            stop = layers.advance();
        }
        match stop {
            Some(StopReason::Violation) => return layers.outcome(StopReason::Violation),
            // Nothing is left to explore although there is a violation: it needs at least as many as were found.
            _ if layers.bound() >= preemptions => found.violated_at = Some(preemptions),
            _ => {}
        }
        found.in_vain = layers.transitions();
        found.layers = layers.completed().to_vec();
        found.bound = found.layers.last().map_or(0, |layer| layer.bound);
        found
    }
}

#[cfg(test)]
mod tests {
    use super::{Turn, deep_share, turn_among};

    #[test]
    fn turns_are_shorter_where_a_thread_chooses_among_many_steps() {
        assert_eq!([0, 1, 16].map(|choices| turn_among(choices, 10_000)), [10_000; 3]);
        assert_eq!([32, 160, 1_000].map(|choices| turn_among(choices, 10_000)), [5_000, 1_000, 625]);
        assert_eq!(turn_among(1_000, 3), 1);
    }

    #[test]
    fn turns_end_sooner_where_states_have_many_successors() {
        let expansions = |successors: u64| {
            let (mut turn, mut done) = (Turn::of(100, 7), 0);
            while turn.goes_on(7 + done * successors) {
                done += 1;
            }
            done
        };
        assert_eq!([0, 1, 8, 16, 800, 1_000].map(expansions), [100, 100, 100, 50, 1, 1]);
    }

    #[test]
    fn the_depth_first_search_gets_more_turns_the_longer_it_takes() {
        assert_eq!([1, 3, 6, 19, 20, 39, 40, 80].map(deep_share), [1, 2, 2, 2, 4, 4, 8, 16]);
    }
}
