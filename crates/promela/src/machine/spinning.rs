//! Whether two states look the same to every process but one, on the state vector ([`crate::spinning`] says what
//! decides).

use selvedge_core::ThreadId;

use super::Processes;
use crate::program::Op;

impl Processes {
    /// See [`selvedge_machine::Hints::may_spin`].
    pub(super) fn stands_on_cycle(&self, state: &[u8], thread: ThreadId) -> bool {
        let Some(at) = self.place(state, thread) else { return false };
        let (proto, control) = self.control_in(state, at);
        self.program.spinning.protos[proto].on_cycle[control]
    }

    /// See [`selvedge_machine::Hints::same_shared`].
    pub(super) fn look_alike(&self, one: &[u8], other: &[u8], thread: ThreadId) -> bool {
        let Some(at) = self.place(one, thread) else { return false };
        if one.len() != other.len() || one[..=at] != other[..=at] {
            return false;
        }
        let header = &self.program.header;
        let (proto, locals) = (usize::from(one[at]), at + header.record_header as usize);
        let seen = &self.program.spinning.protos[proto];
        let after_control = at + 1 + header.control_size as usize;
        let start = if seen.private_control { after_control } else { at + 1 };
        if one[start..locals] != other[start..locals] {
            return false;
        }
        let mut from = locals;
        for (offset, length) in &seen.private {
            let to = locals + *offset as usize;
            if one[from..to] != other[from..to] {
                return false;
            }
            from = to + *length as usize;
        }
        one[from..] == other[from..]
    }

    /// See [`selvedge_machine::Hints::erase_unread`].
    pub(super) fn clear_unread(&self, state: &mut [u8], thread: ThreadId) {
        for (offset, length) in &self.program.spinning.unread {
            state[*offset as usize..(*offset + *length) as usize].fill(0);
        }
        let Some(at) = self.place(state, thread) else { return };
        let locals = at + self.program.header.record_header as usize;
        for (offset, length) in &self.program.spinning.protos[usize::from(state[at])].unread {
            let start = locals + *offset as usize;
            state[start..start + *length as usize].fill(0);
        }
    }

    /// Whether a process is at its end.
    pub(super) fn is_at_end(&self, state: &[u8], thread: ThreadId) -> bool {
        let Some(at) = self.place(state, thread) else { return true };
        let (proto, control) = self.control_in(state, at);
        let proto = &self.program.protos[proto];
        let ends = |action: u32| matches!(proto.actions[action as usize].op, Op::End);
        proto.controls[control].transitions.iter().all(|transition| ends(transition.action))
    }
}
