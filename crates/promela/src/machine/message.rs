//! Messages: sends and receives on channels with room, and rendezvous, where a send is fused with each receive that
//! answers it.

use selvedge_machine::{Steps, Turn};

use super::eval::write;
use super::step::Done;
use super::{ChanRef, Exec};
use crate::exclusive::Access;
use crate::program::{Op, Pattern, Receive, Send};

impl Exec<'_> {
    pub(super) fn send(&mut self, send: &Send) -> Done {
        let Some((id, chan)) = self.channel(&send.chan, send.span) else { return Done::No };
        if self.is_full(chan) {
            return Done::No;
        }
        self.use_channel(Access::Send, id, send.span);
        let program = self.program;
        let spec = &program.specs[chan.spec as usize];
        if spec.fields.len() < send.args.len() {
            self.arity_error(send.args.len(), chan, send.span);
            return Done::No;
        }
        let mut message = std::mem::take(&mut self.s.message);
        message.clear();
        for arg in &send.args {
            let value = self.eval(arg);
            message.push(value);
        }
        message.resize(spec.fields.len(), 0);
        self.s.message = message;
        if self.fault.is_some() {
            return Done::No;
        }
        // As in Spin, values are put in order before they are cut to the size of their fields.
        let position = if send.sorted { self.sorted_position(chan) } else { self.length(chan) };
        for (value, field) in self.s.message.iter_mut().zip(&spec.fields) {
            *value = field.truncate(*value);
        }
        self.note_missing_fields(send.args.len(), chan, send.span);
        if spec.capacity == 0 {
            self.event(true, id, chan, None);
            return Done::Offered(id);
        }
        if !self.test_only {
            self.insert(chan, position);
            self.event(true, id, chan, Some(position));
        }
        Done::Yes
    }

    /// Where a sorted send puts its message: in front of the first one that is greater.
    fn sorted_position(&self, chan: ChanRef) -> usize {
        let length = self.length(chan);
        (0..length)
            .find(|&message| {
                for (field, value) in self.s.message.iter().enumerate() {
                    let there = self.field(chan, message, field);
                    if *value != there {
                        return *value < there;
                    }
                }
                false
            })
            .unwrap_or(length)
    }

    /// Inserts the scratch message at a position.
    fn insert(&mut self, chan: ChanRef, at: usize) {
        let spec = &self.program.specs[chan.spec as usize];
        let (size, length) = (spec.message_size as usize, self.length(chan));
        let start = (chan.offset + spec.length_size()) as usize;
        self.s.tracing.bytes(start + at * size, (length + 1 - at) * size);
        self.s.work.copy_within(start + at * size..start + length * size, start + (at + 1) * size);
        let mut to = start + at * size;
        for (value, field) in self.s.message.iter().zip(&spec.fields) {
            write(&mut self.s.work, to, *field, *value);
            to += field.size() as usize;
        }
        self.set_length(chan, length + 1);
    }

    /// Removes a message; what is behind moves up, the freed room is zero.
    fn remove(&mut self, chan: ChanRef, at: usize) {
        let spec = &self.program.specs[chan.spec as usize];
        let (size, length) = (spec.message_size as usize, self.length(chan));
        let start = (chan.offset + spec.length_size()) as usize;
        self.s.tracing.bytes(start + at * size, (length - at) * size);
        self.s.work.copy_within(start + (at + 1) * size..start + length * size, start + at * size);
        self.s.work[start + (length - 1) * size..start + length * size].fill(0);
        self.set_length(chan, length - 1);
    }

    /// A receive from a channel that holds messages.
    pub(super) fn receive(&mut self, receive: &Receive) -> Done {
        let Some((id, chan)) = self.channel(&receive.chan, receive.span) else { return Done::No };
        if self.program.specs[chan.spec as usize].capacity == 0 {
            if receive.copy {
                self.runtime_error(receive.span, "a rendezvous channel cannot be polled".to_owned());
            }
            return Done::No;
        }
        let Some(message) = self.find_message(receive, chan) else { return Done::No };
        if self.test_only || self.fault.is_some() {
            return Done::Yes;
        }
        self.use_channel(Access::Receive, id, receive.span);
        for (field, pattern) in receive.args.iter().enumerate() {
            if let Pattern::Store(place) = pattern {
                let value = self.field(chan, message, field);
                self.store(place, value);
            }
        }
        if !receive.copy {
            self.note_missing_fields(receive.args.len(), chan, receive.span);
            self.event(false, id, chan, Some(message));
            self.remove(chan, message);
        }
        Done::Yes
    }

    /// Every receive of another process that takes the message offered on a rendezvous channel.
    pub(super) fn receivers(&mut self, chan: i32, sender: usize, action: [u32; 3], out: &mut Steps) -> bool {
        self.s.tracing.offer();
        let mut middle = std::mem::take(&mut self.s.middle);
        middle.clear();
        middle.extend_from_slice(&self.s.work);
        let noted = std::mem::take(&mut self.noted);
        let mut found = false;
        let program = self.program;
        for index in (0..self.s.procs.len()).rev().filter(|i| *i != sender) {
            if !self.s.tracing.meets(index) {
                continue;
            }
            let may_move = self.may_move(index);
            self.enter(index);
            let proto = &program.protos[usize::from(self.s.procs[index].proto)];
            let control = &proto.controls[usize::from(self.control_of(index).0)];
            if self.fault.is_some() {
                let first = control.transitions.first().map_or(0, |transition| transition.action + 1);
                self.emit(Some(sender), Some(index), [action[0], first, 0], Turn::Any, out);
                continue;
            }
            if !may_move {
                continue;
            }
            let mut escaped = 0;
            for transition in &control.transitions {
                if escaped > 0 && escaped != transition.escape {
                    break;
                }
                let op = &proto.actions[transition.action as usize].op;
                if self.take_offer(op, chan, index) {
                    found = true;
                    if std::mem::replace(&mut self.moved, true) {
                        self.note_choice(index);
                    }
                    escaped = transition.escape;
                    self.noted.splice(0..0, noted.iter().cloned());
                    let action = [action[0], transition.action + 1, 0];
                    self.finish_step(sender, index, transition, action, out);
                } else if self.fault.is_some() {
                    self.emit(Some(sender), Some(index), [action[0], transition.action + 1, 0], Turn::Any, out);
                }
                self.noted.clear();
                self.s.work.clear();
                self.s.work.extend_from_slice(&middle);
            }
        }
        self.s.middle = middle;
        found
    }

    /// Whether an operation of the current process takes the offered message; if so, it is done.
    pub(super) fn take_offer(&mut self, op: &Op, chan: i32, index: usize) -> bool {
        match op {
            Op::Receive(receive) => self.checked(|this| this.take_message(receive, chan)),
            Op::DStep(code) => self.d_step(code, index, Some(chan)) == Done::Yes && self.fault.is_none(),
            _ => false,
        }
    }

    fn take_message(&mut self, receive: &Receive, offered: i32) -> bool {
        if receive.copy {
            return false;
        }
        let id = self.eval(&receive.chan);
        if id != offered || self.fault.is_some() {
            return false;
        }
        let chan = self.s.chans[id as usize - 1];
        if receive.args.len() > self.s.message.len() {
            self.arity_error(receive.args.len(), chan, receive.span);
            return false;
        }
        let matches = receive.args.iter().enumerate().all(|(field, pattern)| match pattern {
            Pattern::Match(value) => self.eval(value) == self.s.message[field],
            _ => true,
        });
        if !matches {
            return false;
        }
        self.use_channel(Access::Receive, id, receive.span);
        for (field, pattern) in receive.args.iter().enumerate() {
            if let Pattern::Store(place) = pattern {
                let value = self.s.message[field];
                self.store(place, value);
            }
        }
        self.note_missing_fields(receive.args.len(), chan, receive.span);
        self.event(false, id, chan, None);
        self.fault.is_none()
    }

    pub(super) fn offer_matches(&mut self, receive: &Receive, chan: i32) -> bool {
        !receive.copy
            && self.eval(&receive.chan) == chan
            && receive.args.len() <= self.s.message.len()
            && receive.args.iter().enumerate().all(|(field, pattern)| match pattern {
                Pattern::Match(value) => self.eval(value) == self.s.message[field],
                _ => true,
            })
    }
}
