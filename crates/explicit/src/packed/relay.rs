//! Starts with the search on plain states and continues on packed ones. A small model is searched without packing and
//! pays nothing for it. After a number of expansions the packed search starts from the initial state, repeats what was
//! done, and replaces the plain one. Where packing is impossible or does not pay, the plain search continues where it
//! stopped. Both do the same in the same order, so that callers see one search.

use std::cell::{Cell, RefCell};

use selvedge_core::{Event, Observer, StopReason};

use super::remembered::Halt;
use crate::outcome::Outcome;
use crate::search::Search;

/// When states are packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packing {
    /// After so many expansions.
    After(u64),
    /// Never.
    Never,
}

impl Default for Packing {
    fn default() -> Self {
        Packing::After(50_000)
    }
}

/// A search on packed states.
pub(crate) trait Packed {
    /// Does one thing.
    fn advance(&mut self) -> Result<(), Halt>;

    /// What it found out.
    fn outcome(self, stop: StopReason) -> Outcome;
}

/// The present search, the packed one, and who is at work.
pub(crate) struct Relay<P, Q> {
    pub present: P,
    pub packed: Option<Q>,
    after: u64,
    /// What was done, for whoever looks from outside.
    done: u64,
    /// What the present search did of it.
    done_by_present: u64,
    working: Working,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Working {
    Present,
    Packed,
}

impl<P: Search, Q: Packed> Relay<P, Q> {
    /// Two searches at their start.
    pub(crate) fn new(present: P, packed: Option<Q>, packing: Packing) -> Self {
        let (packed, after) = match packing {
            Packing::After(after) => (packed, after),
            Packing::Never => (None, u64::MAX),
        };
        Relay { present, packed, after, done: 0, done_by_present: 0, working: Working::Present }
    }

    /// The packed search, if it is the one that is ahead.
    pub(crate) fn ahead(&self) -> Option<&Q> {
        self.packed.as_ref().filter(|_| self.working == Working::Packed)
    }

    /// Does one more thing with the packed search, after all those that were done without it.
    fn advance_packed(&mut self, catches_up: bool) -> Result<(), Halt> {
        let Some(packed) = &mut self.packed else { return Err(Halt::GiveUp) };
        if catches_up {
            for _ in 0..self.done {
                packed.advance()?;
            }
        }
        packed.advance()
    }

    /// The same with the present search.
    fn advance_present(&mut self) -> Option<StopReason> {
        self.working = Working::Present;
        while self.done_by_present < self.done {
            self.done_by_present += 1;
            if let Some(stop) = self.present.advance() {
                return Some(stop);
            }
        }
        self.done += 1;
        self.done_by_present += 1;
        self.present.advance()
    }
}

impl<P: Search, Q: Packed> Search for Relay<P, Q> {
    fn advance(&mut self) -> Option<StopReason> {
        if self.packed.is_none() || self.done < self.after {
            return self.advance_present();
        }
        let catches_up = self.working == Working::Present;
        self.working = Working::Packed;
        match self.advance_packed(catches_up) {
            Ok(()) => {
                self.done += 1;
                None
            }
            Err(Halt::Stop(stop)) => Some(stop),
            Err(Halt::GiveUp | Halt::Widen) => {
                self.packed = None;
                self.advance_present()
            }
        }
    }

    fn outcome(self, stop: StopReason) -> Outcome {
        match self.packed {
            Some(packed) if self.working == Working::Packed => packed.outcome(stop),
            _ => self.present.outcome(stop),
        }
    }
}

/// An observer for searches that do the same: each layer is reported once.
pub(crate) struct Reports<'a> {
    observer: RefCell<&'a mut dyn Observer>,
    layers: Cell<u32>,
}

impl<'a> Reports<'a> {
    /// For this observer.
    pub(crate) fn to(observer: &'a mut dyn Observer) -> Self {
        Reports { observer: RefCell::new(observer), layers: Cell::new(0) }
    }

    /// What one of the searches reports to.
    pub(crate) fn one(&self) -> One<'_, 'a> {
        One(self)
    }
}

/// The observer of one search.
pub(crate) struct One<'a, 'b>(&'a Reports<'b>);

impl Observer for One<'_, '_> {
    fn event(&mut self, event: &Event) {
        if let Event::Layer(layer) = event {
            if layer.bound < self.0.layers.get() {
                return;
            }
            self.0.layers.set(layer.bound + 1);
        }
        self.0.observer.borrow_mut().event(event);
    }
}
