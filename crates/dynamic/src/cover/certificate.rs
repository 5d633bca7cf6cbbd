//! What proves that no run covers a target, and the checker of it, which shares nothing with the searches.
//!
//! A certificate describes markings that cannot be left backwards: those that are above one of its markings, those
//! whose weighted sum exceeds that of the start, and those that mark a place that is never marked. It is checked
//! on the whole net: every target is among them, the start is not, and whatever leads to one of them in one
//! transition is one of them.

use std::collections::{BTreeMap, HashMap};

use selvedge_nets::net::{Net, PlaceId, Transition};

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
    let checker = Checker::new(net, certificate)?;
    checker.weights()?;
    checker.unmarked()?;
    checker.start()?;
    checker.targets()?;
    for marking in &certificate.basis {
        for (index, transition) in net.transitions.iter().enumerate() {
            checker.predecessors(index, transition, marking)?;
        }
    }
    Ok(())
}

struct Checker<'a> {
    net: &'a Net,
    certificate: &'a Certificate,
    /// The markings that have tokens in a place, each under its place that fewest have.
    by_place: HashMap<PlaceId, Vec<&'a Tokens>>,
    /// The weighted sums at the start.
    sums: Vec<u128>,
    never: Vec<bool>,
}

impl<'a> Checker<'a> {
    fn new(net: &'a Net, certificate: &'a Certificate) -> Result<Self, Flaw> {
        let known = |place: &PlaceId| (place.0 as usize) < net.places.len();
        let named = certificate.basis.iter().chain(&certificate.weights).flat_map(BTreeMap::keys);
        if !named.chain(&certificate.unmarked).all(known) {
            return Err(Flaw("it speaks of places that the net does not have".to_owned()));
        }
        let mut common: HashMap<PlaceId, usize> = HashMap::new();
        for place in certificate.basis.iter().flat_map(BTreeMap::keys) {
            *common.entry(*place).or_default() += 1;
        }
        let mut by_place: HashMap<PlaceId, Vec<&Tokens>> = HashMap::new();
        for marking in &certificate.basis {
            let rarest = marking.keys().min_by_key(|place| (common[place], **place));
            let rarest = rarest.ok_or_else(|| Flaw("one of its markings is empty".to_owned()))?;
            by_place.entry(*rarest).or_default().push(marking);
        }
        let mut never = vec![false; net.places.len()];
        certificate.unmarked.iter().for_each(|place| never[place.0 as usize] = true);
        let mut sums = Vec::new();
        for weights in &certificate.weights {
            let mut sum = 0u128;
            for (place, weight) in weights.iter().filter(|(_, weight)| **weight > 0) {
                let tokens = net.initial[place.0 as usize].most.ok_or_else(|| {
                    Flaw(format!("a weighted place holds any number of tokens: {}", net.place_name(*place)))
                })?;
                sum += u128::from(*weight) * u128::from(tokens);
            }
            sums.push(sum);
        }
        Ok(Checker { net, certificate, by_place, sums, never })
    }

    /// No transition that can be taken increases a weighted sum.
    fn weights(&self) -> Result<(), Flaw> {
        for weights in &self.certificate.weights {
            let weight = |place: PlaceId| u128::from(weights.get(&place).copied().unwrap_or(0));
            for (index, transition) in self.net.transitions.iter().enumerate() {
                if transition.take.iter().any(|(place, _)| self.never[place.0 as usize]) {
                    // It is never taken.
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

    fn targets(&self) -> Result<(), Flaw> {
        for (index, target) in self.net.targets.iter().enumerate() {
            if !self.contains(&target.need.iter().copied().collect()) {
                return Err(Flaw(format!("target {} is not in it", index + 1)));
            }
        }
        Ok(())
    }

    /// Whether a marking is one of those that are described.
    fn contains(&self, marking: &Tokens) -> bool {
        let marked = |(place, count): (&PlaceId, &u32)| *count > 0 && self.never[place.0 as usize];
        if marking.iter().any(marked) {
            return true;
        }
        let heavy = |(weights, sum): (&Tokens, &u128)| {
            let weight = |place: &PlaceId| u128::from(weights.get(place).copied().unwrap_or(0));
            marking.iter().map(|(place, count)| weight(place) * u128::from(*count)).sum::<u128>() > *sum
        };
        let below = |other: &&Tokens| other.iter().all(|(place, n)| marking.get(place).copied().unwrap_or(0) >= *n);
        let candidates = || marking.keys().filter_map(|place| self.by_place.get(place)).flatten();
        candidates().any(|other| below(&other)) || self.certificate.weights.iter().zip(&self.sums).any(heavy)
    }

    /// What leads to a marking by a transition is in the set.
    fn predecessors(&self, index: usize, transition: &Transition, marking: &Tokens) -> Result<(), Flaw> {
        let gives = transition.give.iter().any(|(place, _)| marking.contains_key(place));
        let moves = transition.moves.iter().any(|(_, to)| to.is_some_and(|to| marking.contains_key(&to)));
        if !gives && !moves {
            // What is there afterwards was there before: the marking before is above the same one.
            return Ok(());
        }
        let mut rest: Vec<(PlaceId, u32)> = Vec::new();
        for (place, count) in marking {
            let given = transition.give.iter().find(|(other, _)| other == place).map_or(0, |(_, given)| *given);
            rest.extend((*count > given).then(|| (*place, count - given)));
        }
        let mut before: Tokens = transition.take.iter().copied().collect();
        self.sources(index, transition, &rest, &mut before)
    }

    /// Every way to have `rest` after tokens were moved, one place after the other.
    fn sources(
        &self,
        index: usize,
        transition: &Transition,
        rest: &[(PlaceId, u32)],
        before: &mut Tokens,
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
        match from.as_slice() {
            [] => Ok(()),
            [only] => self.with(before, &[(*only, *count)], |before| self.sources(index, transition, others, before)),
            [first, more @ ..] => {
                for share in 0..=*count {
                    // The first source gives a share, the others the rest: split off one source at a time.
                    let mut left = vec![(share, vec![(*first, share)])];
                    for (at, source) in more.iter().enumerate() {
                        let last = at + 1 == more.len();
                        left = left
                            .into_iter()
                            .flat_map(|(sum, list)| {
                                let range = if last { count - sum..=count - sum } else { 0..=count - sum };
                                range.map(move |part| {
                                    let mut list = list.clone();
                                    list.push((*source, part));
                                    (sum + part, list)
                                })
                            })
                            .collect();
                    }
                    for (_, list) in left {
                        self.with(before, &list, |before| self.sources(index, transition, others, before))?;
                    }
                }
                Ok(())
            }
        }
    }

    /// Does something with more tokens in a marking.
    fn with<T>(&self, marking: &mut Tokens, more: &[(PlaceId, u32)], then: impl FnOnce(&mut Tokens) -> T) -> T {
        let saved: Vec<(PlaceId, Option<u32>)> =
            more.iter().map(|(place, _)| (*place, marking.get(place).copied())).collect();
        for (place, count) in more.iter().filter(|(_, count)| *count > 0) {
            let tokens = marking.entry(*place).or_default();
            *tokens = tokens.saturating_add(*count);
        }
        let answer = then(marking);
        for (place, count) in saved {
            match count {
                Some(count) => marking.insert(place, count),
                None => marking.remove(&place),
            };
        }
        answer
    }
}
