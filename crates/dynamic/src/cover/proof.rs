//! From a backward search that is complete to the certificate: its minimal markings, its weights, and of the places that
//! are [apart](super::pairs) those that the proof needs. Of a net with hundreds of places these are few of all that are known.
//!
//! What needs a pair: a marking that the search left out because of it, a transition that takes from it and would lead to
//! one of the markings or increase a weighted sum, a target, and another pair of the certificate, if a transition leads
//! there. All this is asked on the whole net, as the checker of certificates does.

use std::collections::{BTreeMap, BTreeSet};

use selvedge_core::{Budget, StopReason};
use selvedge_nets_syntax::net::{Net, PlaceId, Transition};

use super::PULSE;
use super::antichain::ElementId;
use super::backward::Backward;
use super::pairs::Pairs;
use super::task::Task;
use selvedge_certificate::Certificate;

type Tokens = BTreeMap<PlaceId, u32>;
type Weights = BTreeMap<PlaceId, u32>;
/// One or two tokens, by place of the net, sorted.
type Part = Vec<(u32, u32)>;

/// The certificate of a net in which no place of a target is ever marked, or none that leads to one.
pub fn unmarked(task: &Task) -> Certificate {
    certificate(task, Vec::new(), Vec::new(), BTreeSet::new())
}

/// Pairs of a proof that is made without a search, at most: beyond that, searching may find a shorter one.
const MOST_PARTS: usize = 100_000;

/// The certificate of a net whose targets cannot be covered for what the task knows alone. `None` if it would be long.
pub fn without_search(net: &Net, task: &Task, budget: &Budget) -> Option<Certificate> {
    let mut needed = Needed::new(net, task);
    needed.targets();
    let parts = needed.complete(MOST_PARTS, budget).ok().flatten()?;
    Some(certificate(task, Vec::new(), Vec::new(), parts))
}

/// The certificate of a complete search that holds so many bytes.
pub fn of_search(
    net: &Net,
    task: &Task,
    backward: &Backward<'_>,
    budget: &Budget,
    bytes: u64,
) -> Result<Certificate, StopReason> {
    let basis = basis(task, backward, budget, bytes)?;
    let weights: Vec<Weights> = backward.weights.iter().map(|weights| by_place(task, &weights.of)).collect();
    let mut needed = Needed::new(net, task);
    needed.targets();
    needed.excluded(&backward.apart);
    needed.transitions(&basis, &weights);
    let parts = needed.complete(usize::MAX, budget)?.unwrap_or_default();
    Ok(certificate(task, basis, weights, parts))
}

fn certificate(task: &Task, basis: Vec<Tokens>, weights: Vec<Weights>, parts: BTreeSet<Part>) -> Certificate {
    let tokens = |part: Part| part.into_iter().map(|(place, count)| (PlaceId(place), count)).collect();
    let basis = basis.into_iter().chain(parts.into_iter().map(tokens)).collect();
    Certificate { basis, weights, unmarked: task.unmarked.iter().map(|place| PlaceId(*place)).collect() }
}

/// The markings of a search that no other makes superfluous. The goal itself is no place of the net: its predecessors are
/// the targets.
fn basis(task: &Task, backward: &Backward<'_>, budget: &Budget, bytes: u64) -> Result<Vec<Tokens>, StopReason> {
    let mut basis = Vec::new();
    for (index, element) in backward.elements.iter().enumerate() {
        if index % PULSE == 0 {
            budget.go_on(bytes)?;
        }
        let id = ElementId(index as u32);
        let marking = element.marking.0.iter();
        let named: Option<Tokens> =
            marking.map(|(at, count)| Some((PlaceId(task.places[*at as usize]?), *count))).collect();
        basis.extend(named.filter(|_| backward.set.below(&element.marking.0, Some(id)).0.is_none()));
    }
    Ok(basis)
}

fn by_place(task: &Task, weights: &[u32]) -> Weights {
    let list = weights.iter().enumerate().filter(|(_, weight)| **weight > 0);
    list.filter_map(|(at, weight)| Some((PlaceId(task.places[at]?), *weight))).collect()
}

/// The pairs that a proof needs, as they are found.
struct Needed<'a> {
    net: &'a Net,
    pairs: Option<&'a Pairs>,
    /// Places that are never marked.
    never: Vec<bool>,
    parts: BTreeSet<Part>,
    waiting: Vec<Part>,
}

impl<'a> Needed<'a> {
    fn new(net: &'a Net, task: &'a Task) -> Self {
        let mut never = vec![false; net.places.len()];
        task.unmarked.iter().for_each(|place| never[*place as usize] = true);
        Needed { net, pairs: task.pairs.as_ref(), never, parts: BTreeSet::new(), waiting: Vec::new() }
    }

    /// Targets that are apart.
    fn targets(&mut self) {
        let net = self.net;
        net.targets.iter().for_each(|target| self.exclude(&plain(&target.need)));
    }

    /// What a search left out.
    fn excluded(&mut self, rows: &BTreeSet<(u32, u32)>) {
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
                self.exclude(&plain(&transition.take));
            }
        }
    }

    /// A marking that no run covers, if that is because of places that are apart.
    fn exclude(&mut self, marking: &[(u32, u32)]) {
        let Some(pairs) = self.pairs else { return };
        if marking.iter().any(|(place, count)| *count > 0 && self.never[*place as usize]) {
            return;
        }
        let known = pairs.all_apart(marking).any(|part| self.parts.contains(&part));
        if let Some(part) = pairs.apart(marking).filter(|_| !known) {
            self.need(part);
        }
    }

    fn need(&mut self, part: Part) {
        if self.parts.insert(part.clone()) {
            self.waiting.push(part);
        }
    }

    /// All that the pairs need in turn. `None` if they are more than `most`.
    fn complete(mut self, most: usize, budget: &Budget) -> Result<Option<BTreeSet<Part>>, StopReason> {
        let net = self.net;
        let mut givers: Vec<Vec<usize>> = vec![Vec::new(); net.places.len()];
        if !self.waiting.is_empty() {
            for (index, transition) in net.transitions.iter().enumerate() {
                let moved = transition.moves.iter().filter_map(|(_, to)| *to);
                let given = transition.give.iter().map(|(place, _)| *place).chain(moved);
                given.for_each(|place| givers[place.0 as usize].push(index));
            }
        }
        while let Some(part) = self.waiting.pop() {
            budget.go_on((self.parts.len() * size_of::<[Part; 4]>()) as u64)?;
            if self.parts.len() > most {
                return Ok(None);
            }
            let leading: BTreeSet<usize> =
                part.iter().flat_map(|(place, _)| &givers[*place as usize]).copied().collect();
            for index in leading {
                for before in before(&net.transitions[index], &part) {
                    self.exclude(&before);
                }
            }
        }
        Ok(Some(self.parts))
    }
}

fn plain(bag: &[(PlaceId, u32)]) -> Vec<(u32, u32)> {
    bag.iter().map(|(place, count)| (place.0, *count)).collect()
}

fn increases(transition: &Transition, weights: &Weights) -> bool {
    let weight = |place: &PlaceId| u128::from(weights.get(place).copied().unwrap_or(0));
    let sum = |bag: &[(PlaceId, u32)]| bag.iter().map(|(p, n)| weight(p) * u128::from(*n)).sum::<u128>();
    let moved = |(from, to): &(PlaceId, Option<PlaceId>)| to.is_some_and(|to| weight(&to) > weight(from));
    sum(&transition.give) > sum(&transition.take) || transition.moves.iter().any(moved)
}

/// The markings from which a transition leads to one that covers a part: one for each way the tokens came there.
fn before(transition: &Transition, part: &[(u32, u32)]) -> Vec<Vec<(u32, u32)>> {
    let mut ways = vec![plain(&transition.take)];
    for (place, count) in part {
        let given = transition.give.iter().find(|(other, _)| other.0 == *place).map_or(0, |(_, given)| *given);
        let moved = transition.moves.iter().filter(|(_, to)| *to == Some(PlaceId(*place))).map(|(from, _)| from.0);
        let own = (!transition.moves.iter().any(|(from, _)| from.0 == *place)).then_some(*place);
        let from: Vec<u32> = moved.chain(own).collect();
        for _ in given..*count {
            let more = |way: &Vec<(u32, u32)>| from.iter().map(|source| with(way, *source)).collect::<Vec<_>>();
            ways = ways.iter().flat_map(more).collect();
        }
    }
    ways
}

/// A marking with one token more.
fn with(marking: &[(u32, u32)], place: u32) -> Vec<(u32, u32)> {
    let mut more = marking.to_vec();
    match more.iter_mut().find(|(other, _)| *other == place) {
        Some((_, count)) => *count = count.saturating_add(1),
        None => more.push((place, 1)),
    }
    more
}
