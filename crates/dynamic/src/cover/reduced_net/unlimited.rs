//! Places whose tokens need not be counted. A place is *unlimited* if it holds any number of tokens initially, or if a
//! transition fills it from unlimited places alone, as often as a run likes. A place that never loses tokens satisfies a
//! condition forever that its initial tokens satisfy.

use std::collections::{BTreeMap, BTreeSet};

use selvedge_nets_syntax::net::{PlaceId, TransitionId};

use super::{Origin, RawStep, RawStepId, tokens_in, with_ids};
use crate::cover::marking::OMEGA;

/// Drops what is taken from unlimited places and given to them. The result: the places that transitions fill for free, in
/// the order in which they were found.
pub(crate) fn drop_unlimited(initial: &[u32], steps: &mut [RawStep]) -> Vec<(PlaceId, TransitionId)> {
    let mut moved = vec![false; initial.len()];
    steps.iter().flat_map(|step| &step.moves).for_each(|(from, _)| moved[from.0 as usize] = true);
    drop_satisfied(initial, steps, &moved);
    let unlimited = (0..initial.len()).map(|place| initial[place] == OMEGA && !moved[place]).collect();
    let mut pumping = Pumping::new(steps, &moved, unlimited);
    pumping.run();
    let Pumping { unlimited, pumps, .. } = pumping;
    let limited = |place: PlaceId| !unlimited[place.0 as usize];
    for step in steps {
        step.take.retain(|(place, _)| limited(*place));
        step.give.retain(|(place, _)| limited(*place));
        step.moves.iter_mut().for_each(|(_, to)| *to = to.filter(|to| limited(*to)));
    }
    pumps
}

/// Finds the places that transitions fill for free, sweep after sweep in the order of the steps. A step is considered when
/// the last place that it takes from has become unlimited.
struct Pumping<'a> {
    steps: &'a [RawStep],
    /// Places that a step may empty; they are never unlimited.
    moved: &'a [bool],
    unlimited: Vec<bool>,
    pumps: Vec<(PlaceId, TransitionId)>,
    /// The steps that take from each place.
    takers: Vec<Vec<RawStepId>>,
    /// How many limited places each step takes from.
    missing: Vec<usize>,
    /// The steps of this sweep, and of the next.
    sweep: BTreeSet<RawStepId>,
    next_sweep: BTreeSet<RawStepId>,
}

impl<'a> Pumping<'a> {
    fn new(steps: &'a [RawStep], moved: &'a [bool], unlimited: Vec<bool>) -> Self {
        let mut takers: Vec<Vec<RawStepId>> = vec![Vec::new(); unlimited.len()];
        let mut missing: Vec<usize> = vec![0; steps.len()];
        let mut sweep = BTreeSet::new();
        for (id, step) in with_ids(steps) {
            if !step.moves.is_empty() || matches!(step.origin, Origin::Target(_)) {
                continue;
            }
            for (place, _) in step.take.iter().filter(|(place, _)| !unlimited[place.0 as usize]) {
                takers[place.0 as usize].push(id);
                missing[id.index()] += 1;
            }
            if missing[id.index()] == 0 {
                sweep.insert(id);
            }
        }
        Pumping { steps, moved, unlimited, pumps: Vec::new(), takers, missing, sweep, next_sweep: BTreeSet::new() }
    }

    fn run(&mut self) {
        while !self.sweep.is_empty() {
            while let Some(id) = self.sweep.pop_first() {
                let Origin::Transition(transition) = self.steps[id.index()].origin else { continue };
                for (place, _) in &self.steps[id.index()].give {
                    self.fill(*place, transition, id);
                }
            }
            std::mem::swap(&mut self.sweep, &mut self.next_sweep);
        }
    }

    /// The step fills a place for free.
    fn fill(&mut self, place: PlaceId, transition: TransitionId, id: RawStepId) {
        let at = place.0 as usize;
        if self.moved[at] || std::mem::replace(&mut self.unlimited[at], true) {
            return;
        }
        self.pumps.push((place, transition));
        for taker in &self.takers[at] {
            self.missing[taker.index()] -= 1;
            if self.missing[taker.index()] == 0 {
                let sweep = if *taker > id { &mut self.sweep } else { &mut self.next_sweep };
                sweep.insert(*taker);
            }
        }
    }
}

/// Drops conditions on places that never lose a token and have enough initially.
fn drop_satisfied(initial: &[u32], steps: &mut [RawStep], moved: &[bool]) {
    let mut never_loses: Vec<bool> = moved.iter().map(|moved| !moved).collect();
    for step in steps.iter() {
        for (place, count) in &step.take {
            never_loses[place.0 as usize] &= tokens_in(&step.give, *place) >= *count;
        }
    }
    for step in steps {
        let satisfied =
            |place: PlaceId, count: u32| never_loses[place.0 as usize] && initial[place.0 as usize] >= count;
        let dropped: BTreeMap<PlaceId, u32> = step.take.iter().filter(|(p, c)| satisfied(*p, *c)).copied().collect();
        step.take.retain(|(place, _)| !dropped.contains_key(place));
        for (place, count) in &mut step.give {
            *count -= dropped.get(place).copied().unwrap_or(0);
        }
        step.give.retain(|(_, count)| *count > 0);
    }
}
