//! Event traces: an automaton over sends and receives that must be able to follow every one of
//! them (`trace`), or must never be completed (`notrace`).

use selvedge_core::ViolationKind;
use selvedge_machine::Fault;

use super::{ChanRef, Exec};
use crate::program::{ControlState, Ex, Op, Pattern};

impl Exec<'_> {
    /// A message was sent (or is about to be received) on a channel; `message` is its position, or
    /// the message of a rendezvous.
    pub(super) fn event(&mut self, send: bool, id: i32, chan: ChanRef, message: Option<usize>) {
        let program = self.program;
        let (Some(events), Some(at)) = (&program.events, program.header.event) else { return };
        let scope = if send { &events.sends } else { &events.receives };
        if self.test_only || !scope.iter().any(|ex| self.eval(ex) == id) {
            return;
        }
        let at = at as usize;
        self.s.tracing.bytes(at, 2);
        let control = u16::from_le_bytes([self.s.work[at], self.s.work[at + 1]]);
        let end = end_state(&events.proto);
        if control == end.0 && !events.negated {
            self.event_error("an event beyond the end of the event trace".to_owned());
            return;
        }
        let mut matching = events.proto.controls[usize::from(control)].transitions.iter().filter(|transition| {
            let op = &events.proto.actions[transition.action as usize].op;
            self.event_matches(op, send, id, chan, message)
        });
        let (matched, another) = (matching.next(), matching.next());
        if another.is_some() {
            self.runtime_error(events.proto.span, "the event trace is not deterministic".to_owned());
        }
        match matched {
            Some(transition) => {
                self.s.work[at..at + 2].copy_from_slice(&transition.target.0.to_le_bytes());
                if events.negated && transition.target == end {
                    self.event_error("the events of the `notrace` happened".to_owned());
                }
            }
            // Only the first mismatch counts for `notrace`: the run can no longer match.
            None if events.negated => self.s.work[at..at + 2].copy_from_slice(&end.0.to_le_bytes()),
            None => self.event_error("a message that the event trace does not allow".to_owned()),
        }
    }

    fn event_matches(&mut self, op: &Op, send: bool, id: i32, chan: ChanRef, message: Option<usize>) -> bool {
        let value = |this: &Self, field: usize| match message {
            Some(message) => this.field(chan, message, field),
            None => this.s.message[field],
        };
        match op {
            Op::Send(event) if send => {
                self.eval(&event.chan) == id
                    && event.args.iter().enumerate().all(|(field, arg)| match arg {
                        Ex::Const(wanted) => *wanted == value(self, field),
                        _ => true,
                    })
            }
            Op::Receive(event) if !send => {
                self.eval(&event.chan) == id
                    && event.args.iter().enumerate().all(|(field, arg)| match arg {
                        Pattern::Match(wanted) => self.eval(wanted) == value(self, field),
                        _ => true,
                    })
            }
            _ => false,
        }
    }

    fn event_error(&mut self, message: String) {
        let span = self.program.events.as_ref().map(|e| e.proto.span);
        self.noted.push(Fault { kind: ViolationKind::ClaimCompleted, message, span, thread: None });
    }

    /// Whether an event trace is not complete.
    pub(super) fn event_incomplete(&self) -> bool {
        let (Some(events), Some(at)) = (&self.program.events, self.program.header.event) else { return false };
        let control = u16::from_le_bytes([self.s.work[at as usize], self.s.work[at as usize + 1]]);
        !events.proto.controls[usize::from(control)].valid_end
    }
}

/// The last control state of an automaton.
fn end_state(proto: &crate::program::Proto) -> ControlState {
    ControlState(proto.controls.len() as u16 - 1)
}
