//! Sets of states that only grow, and which of them are still to be looked at: the bookkeeping of every saturation here.
//! A place is looked at with what is new there since the last time; places early in the control flow come first.

use std::collections::{BTreeMap, BTreeSet};

use crate::bdd::{Bdd, Bdds, Limited};

/// States by place.
pub struct Facts<P> {
    known: BTreeMap<P, Bdd>,
    news: BTreeMap<P, Bdd>,
    todo: BTreeSet<(u32, P)>,
}

impl<P: Ord + Copy> Facts<P> {
    /// Nothing is known.
    pub fn new() -> Self {
        Facts { known: BTreeMap::new(), news: BTreeMap::new(), todo: BTreeSet::new() }
    }

    /// Adds states to a place; `rank` is its place in the order of visits.
    pub fn add(&mut self, bdds: &Bdds, rank: u32, place: P, states: &Bdd) -> Limited<()> {
        let new = match self.known.get(&place) {
            Some(old) => bdds.minus(states, old)?,
            None => states.clone(),
        };
        if new.satisfiable() {
            join(bdds, &mut self.known, place, &new)?;
            join(bdds, &mut self.news, place, &new)?;
            self.todo.insert((rank, place));
        }
        Ok(())
    }

    /// The next place with something new.
    pub fn pop(&mut self) -> Option<(P, Bdd)> {
        let (_, place) = self.todo.pop_first()?;
        self.news.remove(&place).map(|new| (place, new))
    }

    /// Everything known; forgets it.
    pub fn take(&mut self) -> BTreeMap<P, Bdd> {
        self.forget_news();
        std::mem::take(&mut self.known)
    }

    /// Nothing is left to do.
    pub(crate) fn forget_news(&mut self) {
        self.news.clear();
        self.todo.clear();
    }

    /// What is known of a place.
    pub fn get(&self, place: P) -> Option<&Bdd> {
        self.known.get(&place)
    }

    /// Every place of which something is known.
    pub fn iter(&self) -> impl Iterator<Item = (P, &Bdd)> {
        self.known.iter().map(|(place, states)| (*place, states))
    }
}

impl<P: Ord + Copy> Default for Facts<P> {
    fn default() -> Self {
        Facts::new()
    }
}

/// Adds states to an entry of a map.
pub fn join<K: Ord>(bdds: &Bdds, map: &mut BTreeMap<K, Bdd>, key: K, states: &Bdd) -> Limited<()> {
    match map.get_mut(&key) {
        Some(old) => *old = bdds.or(old, states)?,
        None => {
            map.insert(key, states.clone());
        }
    }
    Ok(())
}
