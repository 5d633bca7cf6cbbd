//! Whether the steps of a process in a state may stand for those of all processes: as Spin has it ([`crate::safety`]),
//! and as all other searches ask ([`crate::independence`]). Both look into the state vector without unpacking it.

use selvedge_core::ThreadId;
use smallvec::SmallVec;

use super::Processes;
use super::vector::{Process, Vector};
use crate::independence::{ChannelUse, ChannelUser, End, Here};
use crate::program::{Base, Ex};
use crate::safety::{Safe, SafeWhen};

impl Processes {
    /// See [`selvedge_machine::Hints::is_safe`].
    pub(super) fn steps_are_safe(&self, state: &[u8], ThreadId(thread): ThreadId) -> bool {
        let vector = Vector { program: &self.program, state };
        let index = thread as usize;
        let Some(process) = vector.processes().nth(index) else { return false };
        if self.as_spin {
            let safe = self.program.safety.control(process.proto, process.control);
            return safe.is_some_and(|safe| safe.as_spin && vector.conditions_hold(safe, process, index));
        }
        // In most states of most processes nothing else has to be looked at.
        let Some(here) = self.program.independence.here(process.proto, process.control) else { return false };
        let processes: SmallVec<[Process; 16]> = vector.processes().collect();
        vector.is_undisturbed(here, index, &processes)
    }
}

impl Vector<'_> {
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

    /// Whether nothing that the others may still do enables, disables or changes the steps of a process.
    fn is_undisturbed(&self, here: &Here, index: usize, processes: &[Process]) -> bool {
        let known = &self.program.independence;
        let others = || processes.iter().enumerate().filter(|(other, _)| *other != index).map(|(_, process)| *process);
        let future = |process: Process| known.future(process.proto, process.control);
        if others().any(|other| known.disturbs(future(other), here.access)) {
            return false;
        }
        let youngest = index + 1 == processes.len() && processes.len() < 255;
        if here.ends_process && (!youngest || others().any(|other| known.futures[future(other)].may_run)) {
            return false;
        }
        if !here.ends.is_empty() && others().any(|other| known.futures[future(other)].may_claim) {
            return false;
        }
        let ends_claim = |(end, chan): &(End, Ex)| {
            let Some(number) = self.number(chan, processes[index]) else { return false };
            let uses =
                |user: &ChannelUser| user.asks || user.what == ChannelUse::Both || user.what == ChannelUse::One(*end);
            let violates = |other: Process| {
                known.futures[future(other)].channels.iter().any(|user| uses(user) && self.may_be(user, other, number))
            };
            others().any(violates)
        };
        if here.claims.iter().any(ends_claim) {
            return false;
        }
        let mut used: SmallVec<[(End, u8); 4]> = SmallVec::new();
        here.ends.iter().all(|(end, chan)| {
            let Some(number) = self.ready(*end, chan, processes[index]) else { return false };
            if here.apart && used.contains(&(*end, number)) {
                return false;
            }
            used.push((*end, number));
            let clashes = |user: &ChannelUser, of: Process| {
                (user.what == ChannelUse::Both || user.what == ChannelUse::One(*end)) && self.may_be(user, of, number)
            };
            let in_the_way =
                |other: Process| known.futures[future(other)].channels.iter().any(|user| clashes(user, other));
            !others().any(in_the_way) && !known.watchers.iter().any(|user| clashes(user, processes[index]))
        })
    }

    /// The number of a buffered channel of which this end can be used: it has room, or a message.
    fn ready(&self, end: End, chan: &Ex, process: Process) -> Option<u8> {
        let number = self.number(chan, process).filter(|_| self.is_buffered(chan, process))?;
        let (length, room) = self.channel(chan, process)?;
        let ready = match end {
            End::Tail => length < room,
            End::Head => length > 0,
        };
        ready.then_some(number)
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
}
