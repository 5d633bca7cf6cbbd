//! From a complete backward search to the certificate: its minimal markings, its weights, and of the
//! [mutexes](super::mutex_pairs) those that the proof needs. In a net with hundreds of places these are few of all.
//!
//! A mutex is needed by a marking that the search pruned because of it, by a transition that takes from it and would lead
//! to one of the markings or increase a weighted sum, by a target, and by another mutex of the certificate if a transition
//! leads there. All this is decided on the whole net, as the checker of certificates does.

use std::collections::{BTreeMap, BTreeSet};

use selvedge_core::{Budget, StopReason};
use selvedge_nets_syntax::net::{Bag, Net, PlaceId, Transition, TransitionId};

use super::PULSE;
use super::backward::Backward;
use super::mutex_pairs::{Mutex, MutexPairs, Row};
use super::reduced_net::ReducedNet;
use super::trie::ElementId;
use selvedge_certificate::Certificate;

type Tokens = BTreeMap<PlaceId, u32>;
type Weights = BTreeMap<PlaceId, u32>;

/// The certificate of a net in which no place of a target is ever marked, or none that leads to one.
pub(super) fn unmarked(reduced: &ReducedNet) -> Certificate {
    certificate(reduced, Vec::new(), Vec::new(), BTreeSet::new())
}

/// MutexPairs of a proof that is made without a search, at most: beyond that, searching may find a shorter one.
const MOST_MUTEXES: usize = 100_000;

/// The certificate of a net whose targets cannot be covered for what the reduction knows alone. `None` if it would be long.
pub(crate) fn without_search(net: &Net, reduced: &ReducedNet, budget: &Budget) -> Option<Certificate> {
    let mut needed = Needed::new(net, reduced);
    needed.targets();
    let mutexes = needed.complete(MOST_MUTEXES, budget).ok().flatten()?;
    Some(certificate(reduced, Vec::new(), Vec::new(), mutexes))
}

/// The certificate of a complete search that uses `bytes` of memory.
pub(crate) fn of_search(
    net: &Net,
    reduced: &ReducedNet,
    backward: &Backward<'_>,
    budget: &Budget,
    bytes: u64,
) -> Result<Certificate, StopReason> {
    let basis = basis(reduced, backward, budget, bytes)?;
    let weights: Vec<Weights> = backward.weights.iter().map(|weights| by_place(reduced, &weights.of)).collect();
    let mut needed = Needed::new(net, reduced);
    needed.targets();
    needed.excluded(&backward.mutexes);
    needed.transitions(&basis, &weights);
    let mutexes = needed.complete(usize::MAX, budget)?.unwrap_or_default();
    Ok(certificate(reduced, basis, weights, mutexes))
}

fn certificate(
    reduced: &ReducedNet,
    basis: Vec<Tokens>,
    weights: Vec<Weights>,
    mutexes: BTreeSet<Mutex>,
) -> Certificate {
    let mutexes = mutexes.into_iter().map(|mutex| mutex.into_iter().collect());
    let basis = basis.into_iter().chain(mutexes).collect();
    Certificate { basis, weights, unmarked: reduced.unmarked.clone() }
}

/// The minimal markings of a search. The goal itself is no place of the net: its predecessors are
/// the targets.
fn basis(
    reduced: &ReducedNet,
    backward: &Backward<'_>,
    budget: &Budget,
    bytes: u64,
) -> Result<Vec<Tokens>, StopReason> {
    let mut basis = Vec::new();
    for (index, element) in backward.elements.iter().enumerate() {
        if index % PULSE == 0 {
            budget.go_on(bytes)?;
        }
        let id = ElementId(index as u32);
        let marking = element.marking.0.iter();
        let named: Option<Tokens> = marking.map(|(at, count)| Some((reduced.places[at.index()]?, *count))).collect();
        basis.extend(named.filter(|_| backward.set.below(&element.marking.0, Some(id)).0.is_none()));
    }
    Ok(basis)
}

fn by_place(reduced: &ReducedNet, weights: &[u32]) -> Weights {
    let list = weights.iter().enumerate().filter(|(_, weight)| **weight > 0);
    list.filter_map(|(at, weight)| Some((reduced.places[at]?, *weight))).collect()
}

/// The mutexes that a proof needs, as they are found.
struct Needed<'a> {
    net: &'a Net,
    pairs: Option<&'a MutexPairs>,
    /// Places that are never marked.
    never: Vec<bool>,
    mutexes: BTreeSet<Mutex>,
    waiting: Vec<Mutex>,
}

impl<'a> Needed<'a> {
    fn new(net: &'a Net, reduced: &'a ReducedNet) -> Self {
        let mut never = vec![false; net.places.len()];
        reduced.unmarked.iter().for_each(|place| never[place.0 as usize] = true);
        Needed { net, pairs: reduced.pairs.as_ref(), never, mutexes: BTreeSet::new(), waiting: Vec::new() }
    }

    /// Targets that a mutex excludes.
    fn targets(&mut self) {
        let net = self.net;
        net.targets.iter().for_each(|target| self.exclude(&target.need));
    }

    /// What a search pruned.
    fn excluded(&mut self, rows: &BTreeSet<(Row, Row)>) {
        let Some(pairs) = self.pairs else { return };
        for (row, other) in rows {
            let (low, high) = (pairs.place(*row), pairs.place(*other));
            self.need(if low == high { vec![(low, 2)] } else { vec![(low, 1), (high, 1)] });
        }
    }

    /// Transitions that are never taken, and would lead to a marking or make a weighted sum larger.
    fn transitions(&mut self, basis: &[Tokens], weights: &[Weights]) {
        if self.pairs.is_none() {
            return;
        }
        let mut of_basis = vec![false; self.net.places.len()];
        basis.iter().flat_map(BTreeMap::keys).for_each(|place| of_basis[place.0 as usize] = true);
        let net = self.net;
        for transition in &net.transitions {
            let moved = transition.moves.iter().filter_map(|(_, to)| *to);
            let mut given = transition.give.iter().map(|(place, _)| *place).chain(moved);
            if given.any(|place| of_basis[place.0 as usize]) || weights.iter().any(|w| increases(transition, w)) {
                self.exclude(&transition.take);
            }
        }
    }

    /// A marking that no run covers, if a mutex excludes it.
    fn exclude(&mut self, marking: &[(PlaceId, u32)]) {
        let Some(pairs) = self.pairs else { return };
        if marking.iter().any(|(place, count)| *count > 0 && self.never[place.0 as usize]) {
            return;
        }
        let known = pairs.all_excluding(marking).any(|mutex| self.mutexes.contains(&mutex));
        if let Some(mutex) = pairs.exclude(marking).filter(|_| !known) {
            self.need(mutex);
        }
    }

    fn need(&mut self, mutex: Mutex) {
        if self.mutexes.insert(mutex.clone()) {
            self.waiting.push(mutex);
        }
    }

    /// All that the mutexes need in turn. `None` if they are more than `most`.
    fn complete(mut self, most: usize, budget: &Budget) -> Result<Option<BTreeSet<Mutex>>, StopReason> {
        let net = self.net;
        let mut producers: Vec<Vec<TransitionId>> = vec![Vec::new(); net.places.len()];
        if !self.waiting.is_empty() {
            for (id, transition) in (0..).map(TransitionId).zip(&net.transitions) {
                let moved = transition.moves.iter().filter_map(|(_, to)| *to);
                let given = transition.give.iter().map(|(place, _)| *place).chain(moved);
                given.for_each(|place| producers[place.0 as usize].push(id));
            }
        }
        while let Some(mutex) = self.waiting.pop() {
            budget.go_on((self.mutexes.len() * size_of::<[Mutex; 4]>()) as u64)?;
            if self.mutexes.len() > most {
                return Ok(None);
            }
            let leading: BTreeSet<TransitionId> =
                mutex.iter().flat_map(|(place, _)| &producers[place.0 as usize]).copied().collect();
            for id in leading {
                for before in before(&net.transitions[id.0 as usize], &mutex) {
                    self.exclude(&before);
                }
            }
        }
        Ok(Some(self.mutexes))
    }
}

fn increases(transition: &Transition, weights: &Weights) -> bool {
    let weight = |place: &PlaceId| u128::from(weights.get(place).copied().unwrap_or(0));
    let sum = |bag: &[(PlaceId, u32)]| bag.iter().map(|(p, n)| weight(p) * u128::from(*n)).sum::<u128>();
    let moved = |(from, to): &(PlaceId, Option<PlaceId>)| to.is_some_and(|to| weight(&to) > weight(from));
    sum(&transition.give) > sum(&transition.take) || transition.moves.iter().any(moved)
}

/// The markings from which a transition leads to one that covers another: one for each way the tokens came there.
fn before(transition: &Transition, marking: &[(PlaceId, u32)]) -> Vec<Bag> {
    let mut ways = vec![transition.take.clone()];
    for (place, count) in marking {
        let given = transition.give.iter().find(|(other, _)| other == place).map_or(0, |(_, given)| *given);
        let moved = transition.moves.iter().filter(|(_, to)| *to == Some(*place)).map(|(from, _)| *from);
        let own = (!transition.moves.iter().any(|(from, _)| from == place)).then_some(*place);
        let from: Vec<PlaceId> = moved.chain(own).collect();
        for _ in given..*count {
            let more = |way: &Bag| from.iter().map(|source| with(way, *source)).collect::<Vec<_>>();
            ways = ways.iter().flat_map(more).collect();
        }
    }
    ways
}

/// A marking with one token more.
fn with(marking: &[(PlaceId, u32)], place: PlaceId) -> Bag {
    let mut more = marking.to_vec();
    match more.iter_mut().find(|(other, _)| *other == place) {
        Some((_, count)) => *count = count.saturating_add(1),
        None => more.push((place, 1)),
    }
    more
}
