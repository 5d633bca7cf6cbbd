//! Processes and channels in a stored state, looked up without unpacking it.

use crate::program::{Base, ChanSpec, Ex, Program};

/// A process in a stored state.
#[derive(Clone, Copy)]
pub(super) struct Process {
    pub proto: u16,
    pub control: u16,
    pub locals: usize,
}

/// A stored state.
pub(super) struct Vector<'a> {
    pub program: &'a Program,
    pub state: &'a [u8],
}

impl<'a> Vector<'a> {
    pub(super) fn processes(&self) -> impl Iterator<Item = Process> + '_ {
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

    /// The number of a channel; `None` if finding it takes more than reading variables.
    pub(super) fn number(&self, chan: &Ex, of: Process) -> Option<u8> {
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

    pub(super) fn is_buffered(&self, chan: &Ex, of: Process) -> bool {
        self.slot(chan, of).is_some_and(|(_, spec)| spec.capacity > 0)
    }

    /// How many messages a channel holds, and how many it can hold; a rendezvous channel is never
    /// full, as in Spin.
    pub(super) fn channel(&self, chan: &Ex, of: Process) -> Option<(usize, usize)> {
        let (at, spec) = self.slot(chan, of)?;
        let length = match (spec.capacity, spec.length_size()) {
            (0, _) => 0,
            (_, 1) => usize::from(self.state[at]),
            _ => usize::from(u16::from_le_bytes([self.state[at], self.state[at + 1]])),
        };
        Some((length, (spec.capacity as usize).max(1)))
    }
}
