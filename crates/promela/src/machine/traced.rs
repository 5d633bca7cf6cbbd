//! The processes as a machine whose steps can be remembered: see [`Traced`].
//!
//! The parts of a state are its shape (how many processes there are, and of which types), each byte in front of the
//! processes, and each process. What is not remembered: steps that report something; an offer on a rendezvous channel beside
//! an `else`, an escape or in a `D_proctype`, where it matters whether anybody takes it; and steps inside atomic sequences that use
//! hidden variables, which are not part of a state.

use selvedge_core::ThreadId;
use selvedge_machine::{Footprint, Parts, Steps, Traced, Turn, Unit};
use smallvec::{SmallVec, smallvec};

use super::tracing::Partner;
use super::{Processes, Scratch};

impl Processes {
    /// See [`selvedge_machine::Hints::traced`].
    pub(super) fn tracer(&self) -> Option<Box<dyn Traced + '_>> {
        let traceable = self.properties.reach.is_none() && !self.as_spin;
        traceable.then(|| Box::new(Tracer { of: self, scratch: Scratch::default() }) as Box<dyn Traced>)
    }
}

struct Tracer<'a> {
    of: &'a Processes,
    scratch: Scratch,
}

impl Tracer<'_> {
    /// The bytes in front of the processes that belong to a state, without the number of processes: each is a part.
    fn shared_bytes(&self) -> impl Iterator<Item = usize> + use<> {
        let header = self.of.program.header;
        (header.hidden..header.processes).filter(move |at| *at != header.process_count).map(|at| at as usize)
    }

    /// The records of the processes: where each starts and ends.
    fn records<'a>(&'a self, state: &'a [u8]) -> impl Iterator<Item = (usize, usize)> + 'a {
        let header = &self.of.program.header;
        let mut at = header.processes as usize;
        (0..state[header.process_count as usize]).map(move |_| {
            let from = at;
            at += self.of.records[usize::from(state[at])] as usize;
            (from, at)
        })
    }

    /// Whether it matters if an offer is taken.
    fn offers_matter(&self, state: &[u8], thread: ThreadId) -> bool {
        let Some(at) = self.of.place(state, thread) else { return true };
        let (proto, control) = self.of.control_in(state, at);
        let proto = &self.of.program.protos[proto];
        let transitions = &proto.controls[control].transitions;
        proto.deterministic
            || transitions.iter().any(|t| t.escape > 0 || proto.actions[t.action as usize].op.is_otherwise())
    }

    /// Notes the parts that the execution has used; whether it has used hidden bytes.
    fn note_parts(&self, state: &[u8], footprint: &mut Footprint) -> bool {
        let used = self.scratch.tracing.used();
        let header = &self.of.program.header;
        if used.shape || used.any(header.process_count as usize, header.process_count as usize + 1) {
            footprint.add(0);
        }
        let bytes = self.shared_bytes().enumerate().filter(|(_, at)| used.any(*at, *at + 1));
        bytes.for_each(|(index, _)| footprint.add(index + 1));
        let shared = self.shared_parts();
        for (index, (from, to)) in self.records(state).enumerate() {
            if used.any(from, to) {
                footprint.add(shared + index);
            }
        }
        used.any(0, header.hidden as usize)
    }
}

impl Traced for Tracer<'_> {
    fn shared_parts(&self) -> usize {
        // The shape stands for the number of processes.
        (self.of.program.header.processes - self.of.program.header.hidden) as usize
    }

    fn split(&self, state: &[u8], parts: &mut Parts) {
        parts.clear();
        let mut shape: SmallVec<[u8; 32]> = smallvec![state[self.of.program.header.process_count as usize]];
        shape.extend(self.records(state).map(|(from, _)| state[from]));
        parts.push(&shape);
        self.shared_bytes().for_each(|at| parts.push(&state[at..=at]));
        self.records(state).for_each(|(from, to)| parts.push(&state[from..to]));
    }

    fn join(&self, parts: &Parts, state: &mut Vec<u8>) {
        let header = &self.of.program.header;
        let from = state.len();
        state.resize(from + header.processes as usize, 0);
        state[from + header.process_count as usize] = parts.get(0)[0];
        self.shared_bytes().enumerate().for_each(|(index, at)| state[from + at] = parts.get(index + 1)[0]);
        (self.shared_parts()..parts.len()).for_each(|part| state.extend_from_slice(parts.get(part)));
    }

    fn position(&self, part: &[u8]) -> u32 {
        let (proto, control) = self.of.control_in(part, 0);
        (control << 8 | proto) as u32
    }

    fn is_safe_beside(&self, own: u32, other: u32) -> Option<bool> {
        let place = |position: u32| (position as u16 & 0xff, (position >> 8) as u16);
        let known = &self.of.program.independence;
        let (proto, control) = place(other);
        let future = known.future(proto, control);
        let (proto, control) = place(own);
        known.here(proto, control).map_or(Some(false), |here| known.is_undisturbed(here, future))
    }

    fn steps(&mut self, state: &[u8], unit: Unit, out: &mut Steps, footprint: &mut Footprint) {
        footprint.clear();
        let (thread, partner) = match unit {
            Unit::Alone(thread) => (thread, Partner::Nobody),
            Unit::Meeting(thread, ThreadId(partner)) => (thread, Partner::Only(partner as usize)),
        };
        self.scratch.tracing.start(state.len(), partner);
        self.of.load(state, &mut self.scratch).process_steps(thread.0 as usize, state, out);
        let uses_hidden = self.note_parts(state, footprint);
        let used = self.scratch.tracing.used();
        footprint.order.extend_from_slice(used.order);
        footprint.offers = used.offered && partner == Partner::Nobody;
        let control = self.of.control_at(state, thread);
        footprint.waits = self.of.program.uses_timeout && control.is_some_and(|control| control.timeout);
        footprint.opaque = !out.faults.is_empty()
            || (uses_hidden && out.list.iter().any(|step| matches!(step.turn, Turn::Only(_))))
            || (footprint.offers && self.offers_matter(state, thread));
    }
}
