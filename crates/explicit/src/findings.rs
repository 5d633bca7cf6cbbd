//! The violations a search has found so far, and whether they end it.

use std::collections::HashSet;

use selvedge_machine::{Fault, Path};

use crate::outcome::Found;

/// How many different violations are kept at most.
const MOST: usize = 1000;

/// What to do with violations.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wanted {
    /// Explore past violations, so that counts are exact.
    pub keep_going: bool,
    /// Keep every different violation with its run; the first one otherwise.
    pub all: bool,
}

#[derive(Clone, Default)]
pub(crate) struct Findings {
    wanted: Wanted,
    seen: HashSet<Fault>,
    pub list: Vec<Found>,
    /// The bound at which the first one was found.
    pub at: Option<u32>,
}

impl Findings {
    pub(crate) fn new(wanted: Wanted) -> Self {
        Findings { wanted, ..Findings::default() }
    }

    /// Whether a violation ends the search.
    pub(crate) fn done(&self) -> bool {
        !self.list.is_empty() && !self.wanted.keep_going && !self.wanted.all
    }

    /// Keeps a violation that was not seen before, found at this bound. Only the first one is kept with its run,
    /// unless all are wanted.
    pub(crate) fn add(&mut self, bound: u32, fault: &Fault, path: impl FnOnce() -> Path) {
        if self.seen.len() >= MOST || !self.seen.insert(fault.clone()) {
            return;
        }
        self.at.get_or_insert(bound);
        let path = if self.list.is_empty() || self.wanted.all { path() } else { Path::default() };
        self.list.push(Found { fault: fault.clone(), path });
    }
}
