//! What it costs to reach a prefix: one number that is compared with the bound, or, where preemptions and stale accesses are
//! limited one by one, a set of pairs.
//!
//! A schedule that makes p preemptions and s stale accesses is within the limits P, S and c if p ≤ P, s ≤ S and p + s ≤ c. The schedules
//! of a prefix have different pairs, and none may be the best: a stale access can take the place of a preemption. So a prefix has
//! the set of its least pairs. Sets are few, and each is kept once: a price is a number in both cases.

use std::collections::HashMap;

use super::FAR;
use crate::cost::{Caps, Spent};

/// A cost: a number, or that of a set of pairs. 0 is no cost at all, [`FAR`] is out of every bound.
pub(crate) type Price = u32;

/// How prices are compared and added.
pub(crate) struct Prices {
    /// What a stale access adds where prices are numbers; [`FAR`] where there are to be none.
    stale: u32,
    sets: Option<Box<Sets>>,
}

impl Prices {
    /// The prices for some limits, up to a bound.
    pub(crate) fn new(caps: Caps, max: Option<u32>) -> Prices {
        let stale = match caps.stale {
            Some(0) => FAR,
            _ if caps.stale_is_free => 0,
            _ => 1,
        };
        let one_number = caps.switches.is_none() && caps.stale.is_none_or(|most| most == 0);
        Prices { stale, sets: (!one_number).then(|| Box::new(Sets::new(caps, max))) }
    }

    /// The least bound that allows a price.
    pub(super) fn bound(&self, price: Price) -> u32 {
        match &self.sets {
            None => price,
            Some(sets) => sets.bound(price),
        }
    }

    /// ... and a stale access besides.
    pub(super) fn bound_with_stale(&self, price: Price) -> u32 {
        match &self.sets {
            None => price.saturating_add(self.stale),
            Some(sets) => sets.bound_with_stale(price),
        }
    }

    /// Whether a stale access costs anything.
    pub(super) fn counts_stale(&self) -> bool {
        self.stale > 0
    }

    /// The lesser of two prices, or all pairs of both.
    pub(super) fn lesser(&mut self, a: Price, b: Price) -> Price {
        match &mut self.sets {
            None => a.min(b),
            Some(sets) => sets.join(a, b),
        }
    }

    /// A price and a switch that costs so much.
    pub(super) fn and_switch(&mut self, price: Price, switch: u32) -> Price {
        match &mut self.sets {
            None => price.saturating_add(switch),
            Some(_) if switch == 0 => price,
            Some(sets) => sets.plus(price, Spent { switches: switch, stale: 0 }),
        }
    }

    /// A price and a stale access.
    pub(super) fn and_stale(&mut self, price: Price) -> Price {
        match &mut self.sets {
            None => price.saturating_add(self.stale),
            Some(sets) => sets.plus(price, Spent { switches: 0, stale: 1 }),
        }
    }

    /// The cheapest schedules that a price stands for; none if it is out of every bound.
    pub(super) fn points(&self, price: Price) -> Vec<Spent> {
        match &self.sets {
            _ if price == FAR => Vec::new(),
            None => vec![Spent { switches: price, stale: 0 }],
            Some(sets) => sets.of(price).to_vec(),
        }
    }

    /// What a stale access adds to such a schedule.
    pub(super) fn stale_point(&self) -> Spent {
        match &self.sets {
            None => Spent { switches: self.stale, stale: 0 },
            Some(_) => Spent { switches: 0, stale: 1 },
        }
    }
}

/// Sets of pairs, each kept once.
struct Sets {
    caps: Caps,
    max: Option<u32>,
    sets: Vec<Set>,
    numbers: HashMap<Vec<Spent>, Price>,
    joins: HashMap<(Price, Price), Price>,
    sums: HashMap<(Price, Spent), Price>,
}

/// Pairs of which none is worse than another in both numbers; stale accesses increase.
struct Set {
    pairs: Vec<Spent>,
    bound: u32,
    bound_with_stale: u32,
}

impl Sets {
    fn new(caps: Caps, max: Option<u32>) -> Sets {
        let (numbers, joins, sums) = (HashMap::new(), HashMap::new(), HashMap::new());
        let mut sets = Sets { caps, max, sets: Vec::new(), numbers, joins, sums };
        let free = sets.number(vec![Spent::default()]);
        debug_assert_eq!(free, 0);
        sets
    }

    fn of(&self, price: Price) -> &[Spent] {
        self.sets.get(price as usize).map_or(&[], |set| &set.pairs)
    }

    fn bound(&self, price: Price) -> u32 {
        self.sets.get(price as usize).map_or(FAR, |set| set.bound)
    }

    fn bound_with_stale(&self, price: Price) -> u32 {
        self.sets.get(price as usize).map_or(FAR, |set| set.bound_with_stale)
    }

    fn join(&mut self, a: Price, b: Price) -> Price {
        if a == b || b == FAR {
            return a;
        }
        if a == FAR {
            return b;
        }
        let both = (a.min(b), a.max(b));
        if let Some(&join) = self.joins.get(&both) {
            return join;
        }
        let pairs = [self.of(a), self.of(b)].concat();
        let join = self.number(pairs);
        self.joins.insert(both, join);
        join
    }

    fn plus(&mut self, price: Price, more: Spent) -> Price {
        if price == FAR {
            return FAR;
        }
        if let Some(&sum) = self.sums.get(&(price, more)) {
            return sum;
        }
        let pairs = self.of(price).iter().map(|&pair| pair.plus(more)).collect();
        let sum = self.number(pairs);
        self.sums.insert((price, more), sum);
        sum
    }

    /// The number of the set of the least among some pairs, those beyond the limits left out.
    fn number(&mut self, mut pairs: Vec<Spent>) -> Price {
        let (caps, max) = (self.caps, self.max);
        let allowed = |pair: Spent| caps.allow(pair) && max.is_none_or(|max| caps.total(pair) <= max);
        pairs.retain(|&pair| allowed(pair));
        pairs.sort_unstable_by_key(|pair| (pair.stale, pair.switches));
        let mut least = FAR;
        pairs.retain(|pair| {
            let better = pair.switches < least;
            least = least.min(pair.switches);
            better
        });
        if pairs.is_empty() {
            return FAR;
        }
        if let Some(&number) = self.numbers.get(&pairs) {
            return number;
        }
        let bound = |pairs: &mut dyn Iterator<Item = Spent>| {
            pairs.filter(|&pair| allowed(pair)).map(|pair| caps.total(pair)).min().unwrap_or(FAR)
        };
        let set = Set {
            bound: bound(&mut pairs.iter().copied()),
            bound_with_stale: bound(&mut pairs.iter().map(|pair| pair.and(0, true))),
            pairs: pairs.clone(),
        };
        let number = self.sets.len() as Price;
        self.sets.push(set);
        self.numbers.insert(pairs, number);
        number
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_has_the_least_pairs_within_the_limits() {
        let caps = Caps { switches: Some(2), stale: Some(1), stale_is_free: false };
        let mut prices = Prices::new(caps, Some(3));
        let two = prices.and_switch(0, 1);
        let two = prices.and_switch(two, 1);
        let one_stale = prices.and_stale(0);
        assert_eq!((prices.bound(two), prices.bound_with_stale(two), prices.bound(one_stale)), (2, 3, 1));
        let either = prices.lesser(two, one_stale);
        assert_eq!(either, prices.lesser(one_stale, two));
        assert_eq!((prices.points(either).len(), prices.bound(either), prices.bound_with_stale(either)), (2, 1, 3));
        assert_eq!(prices.lesser(either, 0), 0, "nothing is less than no cost");
        assert_eq!(prices.and_switch(two, 1), FAR);
        assert_eq!(prices.and_stale(one_stale), FAR);
        let dear = prices.and_switch(one_stale, 1);
        let dear = prices.and_switch(dear, 1);
        assert_eq!((prices.bound(dear), prices.bound_with_stale(dear)), (3, FAR));
    }
}
