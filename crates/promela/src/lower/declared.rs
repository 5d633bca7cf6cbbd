//! Which channels a variable names for life, for [`super::independence`]: those that it is declared with, if nothing
//! writes it. Two such variables name different channels; a parameter may name the same one as any other variable.

use super::uses::Bytes;
use super::visit::variable;
use crate::program::{Base, ChanSlot, Ex, Program, Proto};

/// The channels of a process type's variables.
pub(super) struct Declared<'p> {
    pub program: &'p Program,
    pub proto: &'p Proto,
    /// Global bytes that some process writes.
    pub written: &'p Bytes,
    /// Own bytes that the process type writes.
    pub own_writes: &'p Bytes,
}

impl<'p> Declared<'p> {
    /// The channels that a variable, or an array, is declared with; `None` if it may name others.
    fn channels(&self, chan: &Ex) -> Option<Vec<&'p ChanSlot>> {
        let (base, range) = variable(chan)?;
        let (slots, written) = match base {
            Base::Global => (&self.program.chans, self.written),
            Base::Local => (&self.proto.chans, self.own_writes),
        };
        if written.overlaps(range) {
            return None;
        }
        let inside = |at: u32| range.0 <= at && at < range.0 + range.1;
        let named: Vec<_> = slots.iter().filter(|(_, variable)| inside(*variable)).map(|(slot, _)| slot).collect();
        (named.len() == range.1 as usize).then_some(named)
    }

    /// Whether a variable names a channel that no other such variable names. Two elements of an array may be one.
    pub fn is_own(&self, chan: &Ex) -> bool {
        let indexed = matches!(chan, Ex::Load(place) if !place.indices.is_empty());
        !indexed && self.channels(chan).is_some()
    }

    /// Whether a variable may name a rendezvous channel.
    pub fn may_be_rendezvous(&self, chan: &Ex) -> bool {
        let capacity = |slot: &ChanSlot| self.program.specs[usize::from(slot.spec)].capacity;
        self.program.uses_rendezvous
            && self.channels(chan).is_none_or(|slots| slots.into_iter().any(|slot| capacity(slot) == 0))
    }
}
