//! The net as the searches see it: one goal place, and only the places and transitions that can matter.
//!
//! Each reduction preserves the answer, the runs and the certificates. What is removed:
//! - places that can never be marked, and transitions that need one ([`markable`]);
//! - places that hold as many tokens as any run wants ([`unlimited`]): what is taken from them is not counted, and
//!   [`run`](super::run) works it out afterwards;
//! - conditions on places that never lose tokens and have enough initially ([`unlimited`]);
//! - transitions that produce nothing that leads to the goal, and places that only those need ([`relevant`]);
//! - transitions that take from two mutually exclusive places ([`mutex_pairs`](super::mutex_pairs)).

mod markable;
mod relevant;
mod unlimited;

use std::collections::{BTreeMap, BTreeSet};

use selvedge_nets_syntax::net::{Net, PlaceId, TransitionId};

use super::marking::OMEGA;
use super::mutex_pairs::MutexPairs;

/// A place of a [`ReducedNet`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Place(pub u32);

impl Place {
    /// Its position in lists by place.
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// A step of a [`ReducedNet`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct StepId(pub u32);

impl StepId {
    /// Its position in lists by step.
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// A step of the list that is being reduced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct RawStepId(u32);

impl RawStepId {
    fn index(self) -> usize {
        self.0 as usize
    }
}

/// The steps of a list with their ids.
fn with_ids(steps: &[RawStep]) -> impl Iterator<Item = (RawStepId, &RawStep)> {
    (0..).map(RawStepId).zip(steps)
}

/// A target of a net.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TargetId(pub u32);

impl TargetId {
    /// Its position in the list of targets.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Where a step comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// A transition of the net.
    Transition(TransitionId),
    /// The last step: a target is covered.
    Target(TargetId),
}

/// A transition whose places are of the type `P`: of the reduced net ([`Place`]), or still of the whole one ([`PlaceId`]).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Step<P> {
    /// Tokens taken, sorted by place.
    pub take: Vec<(P, u32)>,
    /// Tokens given, sorted by place.
    pub give: Vec<(P, u32)>,
    /// Places whose other tokens all go elsewhere, or away.
    pub moves: Vec<(P, Option<P>)>,
    /// Where it comes from.
    pub origin: Origin,
}

impl<P: Copy + Ord> Step<P> {
    /// The places that may have more tokens after it: those given some, and those that tokens are moved to. A place may
    /// occur more than once.
    pub(super) fn filled(&self) -> impl Iterator<Item = P> + '_ {
        let moved = self.moves.iter().filter_map(|(_, to)| *to);
        self.give.iter().map(|(place, _)| *place).chain(moved)
    }

    /// Whether it leaves no place with more tokens.
    fn is_useless(&self) -> bool {
        let regained = |(place, count): &(P, u32)| tokens_in(&self.take, *place) >= *count;
        self.moves.is_empty() && self.give.iter().all(regained)
    }
}

/// The tokens of a place in a list.
fn tokens_in<P: Copy + Ord>(bag: &[(P, u32)], place: P) -> u32 {
    bag.iter().find(|(other, _)| *other == place).map_or(0, |(_, count)| *count)
}

/// A step on the way to the reduced net: places are those of the net, the goal comes after them.
type RawStep = Step<PlaceId>;

/// A net with one place to mark.
#[derive(Clone, Debug)]
pub(super) struct ReducedNet {
    /// The place of the net that each place of this one is; the goal has none.
    pub places: Vec<Option<PlaceId>>,
    /// Tokens at the start; [`OMEGA`] is any number.
    pub initial: Vec<u32>,
    /// The steps.
    pub steps: Vec<Step<Place>>,
    /// The place to mark; `None` if it cannot be.
    pub goal: Option<Place>,
    /// Places of the net that no run marks.
    pub unmarked: Vec<PlaceId>,
    /// Places of the net that a transition fills for free, in the order in which they were found: each transition needs
    /// only places that are unlimited before it.
    pub pumps: Vec<(PlaceId, TransitionId)>,
    /// Which places of the net exclude each other, where any do.
    pub pairs: Option<MutexPairs>,
}

impl ReducedNet {
    /// Reduces a net. `prune`: whether to look for places that exclude each other.
    pub(super) fn of(net: &Net, prune: bool) -> ReducedNet {
        let goal = PlaceId(net.places.len() as u32);
        let mut initial: Vec<u32> = net.initial.iter().map(|tokens| tokens.most.unwrap_or(OMEGA)).collect();
        initial.push(0);
        let mut steps = raw_steps(net, goal);
        let marked = markable::markable(&initial, &steps);
        steps.retain(|step| step.take.iter().all(|(place, _)| marked[place.0 as usize]));
        let unmarked = (0..goal.0).map(PlaceId).filter(|place| !marked[place.0 as usize]).collect();
        for step in &mut steps {
            step.moves.retain(|(from, _)| marked[from.0 as usize]);
        }
        let pumps = unlimited::drop_unlimited(&initial, &mut steps);
        let mut needed = relevant::keep_relevant(goal, &mut steps);
        let pairs = prune.then(|| MutexPairs::of(&initial, &steps, &needed)).flatten();
        if let Some(pairs) = &pairs {
            let before = steps.len();
            steps.retain(|step| pairs.exclude(&step.take).is_none());
            if steps.len() < before {
                needed = relevant::keep_relevant(goal, &mut steps);
            }
        }
        ReducedNet { unmarked, pumps, pairs, ..renumber(&initial, steps, &needed, goal) }
    }

    /// How many places there are.
    pub(super) fn width(&self) -> usize {
        self.places.len()
    }

    /// A step.
    pub(super) fn step(&self, step: StepId) -> &Step<Place> {
        &self.steps[step.index()]
    }

    /// The steps with their numbers.
    pub(crate) fn numbered_steps(&self) -> impl Iterator<Item = (StepId, &Step<Place>)> {
        self.steps.iter().enumerate().map(|(index, step)| (StepId(index as u32), step))
    }
}

/// The transitions of a net, and a last step for each target.
fn raw_steps(net: &Net, goal: PlaceId) -> Vec<RawStep> {
    let transitions = net.transitions.iter().enumerate().map(|(index, transition)| Step {
        take: transition.take.clone(),
        give: transition.give.clone(),
        moves: transition.moves.clone(),
        origin: Origin::Transition(TransitionId(index as u32)),
    });
    let targets = net.targets.iter().enumerate().map(|(index, target)| Step {
        take: target.need.clone(),
        give: vec![(goal, 1)],
        moves: Vec::new(),
        origin: Origin::Target(TargetId(index as u32)),
    });
    transitions.chain(targets).collect()
}

/// Numbers the places that remain. Places that many steps take from come first, because they distinguish markings
/// soonest.
fn renumber(initial: &[u32], steps: Vec<RawStep>, relevant: &[bool], goal: PlaceId) -> ReducedNet {
    let order = order(&steps, relevant, goal);
    let numbers: BTreeMap<PlaceId, Place> =
        order.iter().enumerate().map(|(new, old)| (*old, Place(new as u32))).collect();
    let mut kept: Vec<Step<Place>> = Vec::new();
    let mut known = BTreeSet::new();
    for step in steps.iter().map(|step| renumbered(step, &numbers)) {
        if !step.is_useless() && known.insert((step.take.clone(), step.give.clone(), step.moves.clone())) {
            kept.push(step);
        }
    }
    let reachable = kept.iter().any(|step| matches!(step.origin, Origin::Target(_)));
    ReducedNet {
        initial: order.iter().map(|place| initial[place.0 as usize]).collect(),
        goal: numbers.get(&goal).copied().filter(|_| reachable),
        places: order.iter().map(|place| (*place != goal).then_some(*place)).collect(),
        steps: kept,
        unmarked: Vec::new(),
        pumps: Vec::new(),
        pairs: None,
    }
}

/// The places that remain, in their new order.
fn order(steps: &[RawStep], relevant: &[bool], goal: PlaceId) -> Vec<PlaceId> {
    let mut uses: BTreeMap<PlaceId, u32> = BTreeMap::from([(goal, 0)]);
    for (place, _) in steps.iter().flat_map(|step| &step.take) {
        *uses.entry(*place).or_default() += 1;
    }
    for (from, _) in steps.iter().flat_map(|step| &step.moves) {
        if relevant.get(from.0 as usize).copied().unwrap_or(false) {
            uses.entry(*from).or_default();
        }
    }
    let mut order: Vec<PlaceId> = uses.keys().copied().collect();
    order.sort_by_key(|place| (std::cmp::Reverse(uses[place]), *place));
    order
}

/// A step with new numbers; places that have none are left out.
fn renumbered(step: &RawStep, numbers: &BTreeMap<PlaceId, Place>) -> Step<Place> {
    let renamed = |bag: &[(PlaceId, u32)]| {
        let mut list: Vec<(Place, u32)> =
            bag.iter().filter_map(|(place, n)| Some((*numbers.get(place)?, *n))).collect();
        list.sort_unstable();
        list
    };
    let moved = |(from, to): &(PlaceId, Option<PlaceId>)| {
        Some((*numbers.get(from)?, to.and_then(|to| numbers.get(&to).copied())))
    };
    Step {
        take: renamed(&step.take),
        give: renamed(&step.give),
        moves: step.moves.iter().filter_map(moved).collect(),
        origin: step.origin,
    }
}
