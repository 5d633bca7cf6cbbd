//! Whether the steps of a process in a state may stand for those of all processes: the conditions
//! that [`crate::safety`] lists, looked up in the state vector without unpacking it.

use selvedge_core::ThreadId;

use super::PromelaMachine;
use crate::program::{Base, ChanSpec, Ex, Program};
use crate::safety::{ChannelUse, ChannelUser, Safe, SafeWhen};

/// A process in a stored state.
#[derive(Clone, Copy)]
struct Process {
    proto: u16,
    control: u16,
    locals: usize,
}

/// A stored state.
struct Vector<'a> {
    program: &'a Program,
    state: &'a [u8],
}

impl PromelaMachine {
    /// See [`selvedge_machine::Machine::is_safe`].
    pub(super) fn steps_are_safe(&self, state: &[u8], ThreadId(thread): ThreadId) -> bool {
        let vector = Vector { program: &self.program, state };
        let Some(process) = vector.processes().nth(thread as usize) else { return false };
        let Some(safe) = self.program.safety.control(process.proto, process.control) else { return false };
        let index = thread as usize;
        match self.as_spin {
            true => safe.as_spin && vector.conditions_hold(safe, process, index),
            false => {
                safe.sound && vector.conditions_hold(safe, process, index) && vector.is_alone(safe, process, index)
            }
        }
    }
}

impl<'a> Vector<'a> {
    fn processes(&self) -> impl Iterator<Item = Process> + '_ {
        let header = &self.program.header;
        let mut at = header.processes as usize;
        (0..self.state[header.process_count as usize]).map(move |_| {
            let proto = u16::from(self.state[at]);
            let control = match header.control_size {
                1 => u16::from(self.state[at + 1]),
                _ => u16::from_le_bytes([self.state[at + 1], self.state[at + 2]]),
            };
            let locals = at + header.record_header as usize;
            at = locals + self.program.protos[usize::from(proto)].size as usize;
            Process { proto, control, locals }
        })
    }

    /// As Spin has it. The conditions behind the one on the process's end are not asked, as in Spin.
    fn conditions_hold(&self, safe: &Safe, process: Process, index: usize) -> bool {
        let count = usize::from(self.state[self.program.header.process_count as usize]);
        for when in &safe.when {
            let holds = match when {
                SafeWhen::Youngest => return index + 1 == count && count < 255,
                SafeWhen::NotFull(chan) => self.channel(chan, process).is_some_and(|(length, room)| length < room),
                SafeWhen::NotEmpty(chan) => self.channel(chan, process).is_some_and(|(length, _)| length > 0),
                SafeWhen::InBetween(chan) => {
                    self.channel(chan, process).is_some_and(|(length, room)| 0 < length && length < room)
                }
                SafeWhen::Full(chan) => self.channel(chan, process).is_some_and(|(length, room)| length >= room),
                SafeWhen::Empty(chan) => self.channel(chan, process).is_some_and(|(length, _)| length == 0),
            };
            if !holds {
                return false;
            }
        }
        true
    }

    /// Nobody else, now or later, uses the channels in a way that depends on these steps, and nobody
    /// starts a process before one leaves.
    fn is_alone(&self, safe: &Safe, process: Process, index: usize) -> bool {
        if safe.when.is_empty() {
            return true;
        }
        let safety = &self.program.safety;
        let may_run = |p: Process| safety.may_run[usize::from(p.proto)][usize::from(p.control)];
        if self.processes().any(may_run) {
            return false;
        }
        safe.when.iter().all(|when| {
            let (what, chan) = match when {
                SafeWhen::Youngest => return true,
                SafeWhen::NotFull(chan) => (ChannelUse::Send, chan),
                SafeWhen::NotEmpty(chan) => (ChannelUse::Receive, chan),
                SafeWhen::InBetween(_) | SafeWhen::Full(_) | SafeWhen::Empty(_) => return false,
            };
            let Some(number) = self.number(chan, process).filter(|_| self.is_buffered(chan, process)) else {
                return false;
            };
            let clashes = |user: &ChannelUser, of: Process| {
                (user.what == what || user.what == ChannelUse::Other) && self.may_be(user, of, number)
            };
            let others = self.processes().enumerate().filter(|(other, _)| *other != index);
            let in_the_way = |(_, other): (usize, Process)| {
                safety.users[usize::from(other.proto)].iter().any(|user| clashes(user, other))
            };
            !others.into_iter().any(in_the_way) && !safety.watchers.iter().any(|user| clashes(user, process))
        })
    }

    /// Whether a use may be one of this channel.
    fn may_be(&self, user: &ChannelUser, of: Process, number: u8) -> bool {
        if !user.fixed {
            return true;
        }
        match &user.chan {
            Ex::Load(place) if !place.indices.is_empty() => {
                let more: u32 = place.indices.iter().map(|i| (i.len - 1) * i.stride).sum();
                let from = place.offset as usize + if place.base == Base::Local { of.locals } else { 0 };
                self.state[from..from + more as usize + 1].contains(&number)
            }
            chan => self.number(chan, of).is_none_or(|other| other == number),
        }
    }

    /// The number of a channel; `None` if finding it takes more than reading variables.
    fn number(&self, chan: &Ex, of: Process) -> Option<u8> {
        match chan {
            Ex::GlobalByte(at) => Some(self.state[*at as usize]),
            Ex::LocalByte(at) => Some(self.state[of.locals + *at as usize]),
            Ex::Load(place) => {
                let mut at = place.offset as usize + if place.base == Base::Local { of.locals } else { 0 };
                for index in &place.indices {
                    let value = match &index.value {
                        Ex::Const(value) => u32::try_from(*value).ok()?,
                        value => u32::from(self.number(value, of)?),
                    };
                    at += (value < index.len).then_some(value as usize * index.stride as usize)?;
                }
                (place.scalar.size() == 1).then(|| self.state[at])
            }
            _ => None,
        }
    }

    fn slot(&self, chan: &Ex, of: Process) -> Option<(usize, &'a ChanSpec)> {
        let number = usize::from(self.number(chan, of)?).checked_sub(1)?;
        if let Some((slot, _)) = self.program.chans.get(number) {
            return Some((slot.offset as usize, &self.program.specs[usize::from(slot.spec)]));
        }
        let mut rest = number - self.program.chans.len();
        for process in self.processes() {
            let chans = &self.program.protos[usize::from(process.proto)].chans;
            if let Some((slot, _)) = chans.get(rest) {
                return Some((process.locals + slot.offset as usize, &self.program.specs[usize::from(slot.spec)]));
            }
            rest -= chans.len();
        }
        None
    }

    fn is_buffered(&self, chan: &Ex, of: Process) -> bool {
        self.slot(chan, of).is_some_and(|(_, spec)| spec.capacity > 0)
    }

    /// How many messages a channel holds, and how many it can hold; a rendezvous channel is never
    /// full, as in Spin.
    fn channel(&self, chan: &Ex, of: Process) -> Option<(usize, usize)> {
        let (at, spec) = self.slot(chan, of)?;
        let length = match (spec.capacity, spec.length_size()) {
            (0, _) => 0,
            (_, 1) => usize::from(self.state[at]),
            _ => usize::from(u16::from_le_bytes([self.state[at], self.state[at + 1]])),
        };
        Some((length, (spec.capacity as usize).max(1)))
    }
}
