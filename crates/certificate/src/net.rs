//! What proves that no run covers a target, and the checker of it, which shares nothing with the searches.
//!
//! A certificate describes markings that cannot be left backwards: those that are above one of its markings, those
//! whose weighted sum exceeds that of the start, and those that mark a place that is never marked. It is checked
//! on the whole net: every target is among them, the start is not, and whatever leads to one of them in one
//! transition is one of them. A transition that needs one of them to be taken is never taken: it leads nowhere from outside.

use std::collections::BTreeMap;

use selvedge_nets_syntax::net::{Net, PlaceId, Transition};

use crate::trie::Trie;

/// The certificate; places are those of the net.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Certificate {
    /// Minimal markings.
    pub basis: Vec<BTreeMap<PlaceId, u32>>,
    /// Weights of places whose sum no transition increases.
    pub weights: Vec<BTreeMap<PlaceId, u32>>,
    /// Places that are never marked.
    pub unmarked: Vec<PlaceId>,
}

/// Why a certificate proves nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flaw(pub String);

type Tokens = BTreeMap<PlaceId, u32>;

/// Checks a certificate.
pub fn check(net: &Net, certificate: &Certificate) -> Result<(), Flaw> {
    let mut checker = Checker::new(net, certificate)?;
    checker.find_dead();
    checker.weights()?;
    checker.unmarked()?;
    checker.start()?;
    checker.targets()?;
    for marking in &certificate.basis {
        let mut leading: Vec<usize> =
            marking.keys().flat_map(|place| &checker.givers[place.0 as usize]).copied().collect();
        leading.sort_unstable();
        leading.dedup();
        // Whatever gives nothing to the marking and moves nothing there leads to it only from above it.
        for index in leading.into_iter().filter(|index| !checker.dead[*index]).collect::<Vec<_>>() {
            checker.predecessors(index, &net.transitions[index], marking)?;
        }
    }
    Ok(())
}

struct Checker<'a> {
    net: &'a Net,
    certificate: &'a Certificate,
    basis: Trie,
    /// The transitions that give to each place, or move tokens there.
    givers: Vec<Vec<usize>>,
    /// The weights by place, with the weighted sum at the start.
    sums: Vec<(Vec<u32>, u128)>,
    never: Vec<bool>,
    /// Transitions that are taken only from markings that are described.
    dead: Vec<bool>,
    /// A marking by place, while it is looked at.
    tokens: Vec<u32>,
}

impl<'a> Checker<'a> {
    fn new(net: &'a Net, certificate: &'a Certificate) -> Result<Self, Flaw> {
        let known = |place: &PlaceId| (place.0 as usize) < net.places.len();
        let named = certificate.basis.iter().chain(&certificate.weights).flat_map(BTreeMap::keys);
        if !named.chain(&certificate.unmarked).all(known) {
            return Err(Flaw("it names places that the net does not have".to_owned()));
        }
        let mut givers: Vec<Vec<usize>> = vec![Vec::new(); net.places.len()];
        for (index, transition) in net.transitions.iter().enumerate() {
            let given = transition.give.iter().map(|(place, _)| *place);
            given
                .chain(transition.moves.iter().filter_map(|(_, to)| *to))
                .for_each(|p| givers[p.0 as usize].push(index));
        }
        let mut never = vec![false; net.places.len()];
        certificate.unmarked.iter().for_each(|place| never[place.0 as usize] = true);
        if certificate.basis.iter().any(BTreeMap::is_empty) {
            return Err(Flaw("one of its markings is empty".to_owned()));
        }
        let mut sums = Vec::new();
        for weights in &certificate.weights {
            let (mut of, mut sum) = (vec![0; net.places.len()], 0u128);
            for (place, weight) in weights.iter().filter(|(_, weight)| **weight > 0) {
                let tokens = net.initial[place.0 as usize].most.ok_or_else(|| {
                    Flaw(format!("a weighted place holds any number of tokens: {}", net.place_name(*place)))
                })?;
                of[place.0 as usize] = *weight;
                sum += u128::from(*weight) * u128::from(tokens);
            }
            sums.push((of, sum));
        }
        let (basis, tokens) = (Trie::of(&certificate.basis), vec![0; net.places.len()]);
        let dead = Vec::new();
        Ok(Checker { net, certificate, basis, givers, sums, never, dead, tokens })
    }

    /// A marking with what such a transition takes is above it, so it is one of those that are described.
    fn find_dead(&mut self) {
        let net = self.net;
        self.dead = net.transitions.iter().map(|transition| self.contains(&transition.take)).collect();
    }

    /// No transition that can be taken increases a weighted sum.
    fn weights(&self) -> Result<(), Flaw> {
        for (weights, _) in &self.sums {
            let weight = |place: PlaceId| u128::from(weights[place.0 as usize]);
            for (index, transition) in self.net.transitions.iter().enumerate() {
                if self.dead[index] {
                    continue;
                }
                let sum = |bag: &[(PlaceId, u32)]| -> u128 {
                    bag.iter().map(|(place, count)| weight(*place) * u128::from(*count)).sum()
                };
                // A place that is never marked has nothing to move.
                let moved = |(from, to): &(PlaceId, Option<PlaceId>)| {
                    !self.never[from.0 as usize] && to.is_some_and(|to| weight(to) > weight(*from))
                };
                if sum(&transition.give) > sum(&transition.take) || transition.moves.iter().any(moved) {
                    return Err(Flaw(format!("transition {} increases a weighted sum", index + 1)));
                }
            }
        }
        Ok(())
    }

    /// Whatever marks a place that is never marked needs such a place.
    fn unmarked(&self) -> Result<(), Flaw> {
        let never = |place: PlaceId| self.never[place.0 as usize];
        for (place, tokens) in self.net.initial.iter().enumerate() {
            if self.never[place] && tokens.most != Some(0) {
                return Err(Flaw(format!("`{}` is marked at the start", self.net.places[place])));
            }
        }
        for (index, transition) in self.net.transitions.iter().enumerate() {
            let gives = transition.give.iter().any(|(place, _)| never(*place));
            let moves = transition.moves.iter().any(|(from, to)| to.is_some_and(never) && !never(*from));
            if (gives || moves) && !transition.take.iter().any(|(place, _)| never(*place)) {
                return Err(Flaw(format!("transition {} marks a place that is never marked", index + 1)));
            }
        }
        Ok(())
    }

    fn start(&self) -> Result<(), Flaw> {
        let below = |marking: &&Tokens| {
            marking
                .iter()
                .all(|(place, count)| self.net.initial[place.0 as usize].most.is_none_or(|most| most >= *count))
        };
        match self.certificate.basis.iter().find(below) {
            Some(_) => Err(Flaw("the start is above one of its markings".to_owned())),
            None => Ok(()),
        }
    }

    fn targets(&mut self) -> Result<(), Flaw> {
        for (index, target) in self.net.targets.iter().enumerate() {
            if !self.contains(&target.need) {
                return Err(Flaw(format!("target {} is not in it", index + 1)));
            }
        }
        Ok(())
    }

    /// Whether a marking is one of those that are described; its places stand in it once.
    fn contains(&mut self, marking: &[(PlaceId, u32)]) -> bool {
        if marking.iter().any(|(place, count)| *count > 0 && self.never[place.0 as usize]) {
            return true;
        }
        marking.iter().for_each(|(place, count)| self.tokens[place.0 as usize] = *count);
        let heavy = |(weights, sum): &(Vec<u32>, u128)| {
            let weight = |place: &PlaceId| u128::from(weights[place.0 as usize]);
            marking.iter().map(|(place, count)| weight(place) * u128::from(*count)).sum::<u128>() > *sum
        };
        let answer = self.sums.iter().any(heavy) || self.basis.has_below(marking, &self.tokens);
        marking.iter().for_each(|(place, _)| self.tokens[place.0 as usize] = 0);
        answer
    }

    /// What leads to a marking by a transition is in the set.
    fn predecessors(&mut self, index: usize, transition: &Transition, marking: &Tokens) -> Result<(), Flaw> {
        let (mut before, mut rest) = (transition.take.clone(), Vec::new());
        for (place, count) in marking {
            let given = transition.give.iter().find(|(other, _)| other == place).map_or(0, |(_, given)| *given);
            let left = count.saturating_sub(given);
            let moved = |(from, to): &(PlaceId, Option<PlaceId>)| from == place || *to == Some(*place);
            match transition.moves.iter().any(moved) {
                true if left > 0 => rest.push((*place, left)),
                true => {}
                // Only what the transition takes can be of the same place.
                false => match before[..transition.take.len()].iter_mut().find(|(other, _)| other == place) {
                    Some((_, tokens)) => *tokens = tokens.saturating_add(left),
                    None => before.extend((left > 0).then_some((*place, left))),
                },
            }
        }
        self.sources(index, transition, &rest, &mut before)
    }

    /// Every way to have `rest`, in places that tokens are moved from or to, one place after the other.
    fn sources(
        &mut self,
        index: usize,
        transition: &Transition,
        rest: &[(PlaceId, u32)],
        before: &mut Vec<(PlaceId, u32)>,
    ) -> Result<(), Flaw> {
        let Some(((place, count), others)) = rest.split_first() else {
            return match self.contains(before) {
                true => Ok(()),
                false => Err(Flaw(format!("transition {} leads into it from outside", index + 1))),
            };
        };
        let moved = transition.moves.iter().filter(|(_, to)| *to == Some(*place)).map(|(from, _)| *from);
        let own = (!transition.moves.iter().any(|(from, _)| from == place)).then_some(*place);
        let from: Vec<PlaceId> = moved.chain(own).collect();
        for shares in ways(*count, from.len()) {
            let saved = before.clone();
            from.iter().zip(shares).for_each(|(source, share)| add(before, *source, share));
            self.sources(index, transition, others, before)?;
            *before = saved;
        }
        Ok(())
    }
}

/// Adds tokens to a place of a marking.
fn add(marking: &mut Vec<(PlaceId, u32)>, place: PlaceId, count: u32) {
    match marking.iter_mut().find(|(other, _)| *other == place) {
        Some((_, tokens)) => *tokens = tokens.saturating_add(count),
        None if count > 0 => marking.push((place, count)),
        None => {}
    }
}

/// The ways to write a number as a sum of so many; none if there is nothing to add up.
fn ways(count: u32, parts: usize) -> Vec<Vec<u32>> {
    let Some(others) = parts.checked_sub(1) else { return Vec::new() };
    if others == 0 {
        return vec![vec![count]];
    }
    let mut all = Vec::new();
    for first in 0..=count {
        for mut rest in ways(count - first, others) {
            rest.push(first);
            all.push(rest);
        }
    }
    all
}
