//! New processes: those of the start, and those that `run` starts.

use selvedge_source::Span;

use super::eval::write;
use super::{ChanRef, Exec, ProcRef};
use crate::program::{Ex, ProtoId};

impl Exec<'_> {
    /// Globals, channels and the processes of the start.
    pub(super) fn create_initial(&mut self) {
        let program = self.program;
        let chans = program.chans.iter().map(|(slot, _)| ChanRef { offset: slot.offset, spec: slot.spec });
        self.s.chans.extend(chans);
        for (place, value) in &program.init {
            let value = self.eval(value);
            self.store(place, value);
        }
        if let (Some(events), Some(at)) = (&program.events, program.header.event) {
            self.s.work[at as usize..at as usize + 2].copy_from_slice(&events.proto.start.0.to_le_bytes());
        }
        for (proto, priority) in &program.active {
            self.create(*proto, &[], *priority);
        }
    }

    /// Appends a process; the caller has checked that there is room for one.
    fn create(&mut self, proto: ProtoId, args: &[i32], priority: u8) -> u8 {
        let (header, record) = (&self.program.header, &self.program.protos[usize::from(proto.0)]);
        let pid = self.s.work[header.process_count as usize];
        let offset = self.s.work.len();
        self.s.work[header.process_count as usize] += 1;
        self.s.work.resize(offset + (header.record_header + record.size) as usize, 0);
        self.s.work[offset] = proto.0 as u8;
        let reference = ProcRef { offset: offset as u32, proto: proto.0 };
        self.s.procs.push(reference);
        self.set_control(reference, record.start);
        if self.program.uses_priority {
            self.s.work[offset + 1 + header.control_size as usize] = priority;
        }
        let (base, caller) = (self.base, self.pid);
        (self.base, self.pid) = (reference.locals(self.program), pid);
        for ((at, scalar), value) in record.params.iter().zip(args) {
            write(&mut self.s.work, self.base + *at as usize, *scalar, *value);
        }
        for (slot, at) in &record.chans {
            self.s.chans.push(ChanRef { offset: (self.base + slot.offset as usize) as u32, spec: slot.spec });
            self.s.work[self.base + *at as usize] = self.s.chans.len() as u8;
        }
        let checks = std::mem::replace(&mut self.check_exclusive, false);
        for (place, value) in &record.init {
            let value = self.eval(value);
            self.store(place, value);
        }
        (self.base, self.pid, self.check_exclusive) = (base, caller, checks);
        pid
    }

    pub(super) fn run(&mut self, proto: ProtoId, args: &[Ex], priority: &Ex, span: Span) -> i32 {
        if self.test_only {
            return 1;
        }
        let values: Vec<i32> = args.iter().map(|arg| self.eval(arg)).collect();
        let priority = self.eval(priority).clamp(1, 255) as u8;
        self.s.tracing.shape();
        if self.s.procs.len() >= 255 {
            self.runtime_error(span, "too many processes (the limit is 255)".to_owned());
            return 0;
        }
        // A guard that is false has started the process all the same.
        self.changed = true;
        i32::from(self.create(proto, &values, priority))
    }
}
