//! Starts with the search on plain states and continues on packed ones. A small model is searched without packing and
//! pays nothing for it. After a number of expansions the packed search takes over what was stored, what waits and what
//! was found. Where packing is impossible or does not pay, the plain search continues where it stopped. Both do the same
//! in the same order, so that callers see one search.

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
pub(crate) trait Packed: Sized {
    /// Does one thing, if all codes fit.
    fn try_to_advance(&mut self) -> Result<(), Halt>;

    /// Moves all keys to a layout in which all codes fit.
    fn widen(&mut self) -> Result<(), Halt>;

    /// What it found out.
    fn outcome(self, stop: StopReason) -> Outcome;

    /// Does one thing.
    fn advance(&mut self) -> Result<(), Halt> {
        loop {
            match self.try_to_advance() {
                Err(Halt::Widen) => self.widen()?,
                other => return other,
            }
        }
    }
}

/// The present search, and the packed one while it is at work.
pub(crate) struct Relay<'a, P, Q> {
    pub present: P,
    packed: Option<Q>,
    /// Makes the packed search of the present one.
    take_over: Option<TakeOver<'a, P, Q>>,
    after: u64,
    /// What was done, for whoever looks from outside.
    done: u64,
    /// What the present search did of it.
    done_by_present: u64,
}

/// Makes a packed search that goes on where a plain one is; `None` if that is impossible.
pub(crate) type TakeOver<'a, P, Q> = Box<dyn FnOnce(&P) -> Option<Q> + 'a>;

impl<'a, P: Search, Q: Packed> Relay<'a, P, Q> {
    /// A search at its start.
    pub(crate) fn new(present: P, take_over: Option<TakeOver<'a, P, Q>>, packing: Packing) -> Self {
        let (take_over, after) = match packing {
            Packing::After(after) => (take_over, after),
            Packing::Never => (None, u64::MAX),
        };
        Relay { present, packed: None, take_over, after, done: 0, done_by_present: 0 }
    }

    /// The packed search, if it is at work.
    pub(crate) fn packed(&self) -> Option<&Q> {
        self.packed.as_ref()
    }

    /// Does one more thing with the present search, after all those that were done without it.
    fn advance_present(&mut self) -> Option<StopReason> {
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

impl<P: Search, Q: Packed> Search for Relay<'_, P, Q> {
    fn advance(&mut self) -> Option<StopReason> {
        if self.done >= self.after
            && let Some(take_over) = self.take_over.take()
        {
            self.packed = take_over(&self.present);
        }
        let Some(packed) = &mut self.packed else { return self.advance_present() };
        match packed.advance() {
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
            Some(packed) => packed.outcome(stop),
            None => self.present.outcome(stop),
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
