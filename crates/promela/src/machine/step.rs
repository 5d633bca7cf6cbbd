//! One step of one process: its transitions are tried in order (escapes first, `else` last). Messages are sent and
//! received in `message`, deterministic sequences executed in `d_step`, processes started in `create`.

use selvedge_core::{ThreadId, ViolationKind};
use selvedge_machine::{Fault, Step, Steps, Threads, Turn};
use selvedge_source::Span;

use super::{Exec, ProcRef};
use crate::program::{ControlState, Ex, Op, Transition};

/// Whether an operation was possible.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Done {
    No,
    Yes,
    /// A send on this rendezvous channel waits for its receiver.
    Offered(i32),
}

impl Exec<'_> {
    /// A process's control state.
    pub(super) fn control_of(&self, index: usize) -> ControlState {
        let at = self.s.procs[index].offset as usize + 1;
        self.s.tracing.bytes(at, self.program.header.control_size as usize);
        match self.program.header.control_size {
            1 => ControlState(u16::from(self.s.work[at])),
            _ => ControlState(u16::from_le_bytes([self.s.work[at], self.s.work[at + 1]])),
        }
    }

    pub(super) fn set_control(&mut self, process: ProcRef, control: ControlState) {
        let at = process.offset as usize + 1;
        self.s.tracing.bytes(at, self.program.header.control_size as usize);
        match self.program.header.control_size {
            1 => self.s.work[at] = control.0 as u8,
            _ => self.s.work[at..at + 2].copy_from_slice(&control.0.to_le_bytes()),
        }
    }

    /// Whether a process may rest here forever.
    pub(super) fn at_valid_end(&self, index: usize) -> bool {
        let proto = &self.program.protos[usize::from(self.s.procs[index].proto)];
        proto.controls[usize::from(self.control_of(index).0)].valid_end
    }

    pub(super) fn enter(&mut self, index: usize) {
        self.base = self.s.procs[index].locals(self.program);
        self.pid = index as u8;
        self.moved = false;
    }

    /// Steps of `threads`, youngest first; with `timeout` if nothing else in the system is possible.
    pub(super) fn system_steps(&mut self, state: &[u8], threads: &Threads, out: &mut Steps) {
        self.timeout = false;
        let before = out.mark();
        self.steps_of(state, threads, out);
        let waits = !out.grew_since(&before) && self.program.uses_timeout && self.some_wait(state, threads);
        // The others are asked only if it matters.
        if waits && (*threads == Threads::ALL || !self.can_step(state, &threads.complement(), out)) {
            self.timeout = true;
            self.steps_of(state, threads, out);
        }
    }

    /// Whether one of `threads` stands where its steps may depend on `timeout`.
    pub(super) fn some_wait(&mut self, state: &[u8], threads: &Threads) -> bool {
        self.restore(state);
        (0..self.s.procs.len()).any(|index| {
            let proto = &self.program.protos[usize::from(self.s.procs[index].proto)];
            threads.contains(ThreadId(index as u32)) && proto.controls[usize::from(self.control_of(index).0)].timeout
        })
    }

    /// Whether one of `threads` has a step; who comes after the first that has one is not asked.
    pub(super) fn can_step(&mut self, state: &[u8], threads: &Threads, out: &mut Steps) -> bool {
        let before = out.mark();
        self.restore(state);
        let moved = (0..self.s.procs.len()).rev().any(|index| {
            if threads.contains(ThreadId(index as u32)) {
                self.process_steps(index, state, out);
            }
            out.grew_since(&before)
        });
        out.go_back(&before);
        moved
    }

    /// Steps of `threads`, youngest first.
    pub(super) fn steps_of(&mut self, state: &[u8], threads: &Threads, out: &mut Steps) {
        if let Some(ThreadId(only)) = threads.single() {
            return self.process_steps(only as usize, state, out);
        }
        self.restore(state);
        for index in (0..self.s.procs.len()).rev() {
            if threads.contains(ThreadId(index as u32)) {
                self.process_steps(index, state, out);
            }
        }
    }

    /// Whether the process may move at all: its `provided` clause and priority.
    pub(super) fn may_move(&mut self, index: usize) -> bool {
        if !self.program.uses_provided && !self.program.uses_priority {
            return true;
        }
        self.is_provided(index) && (!self.program.uses_priority || self.has_highest_priority(index))
    }

    fn is_provided(&mut self, index: usize) -> bool {
        let program = self.program;
        let Some(provided) = &program.protos[usize::from(self.s.procs[index].proto)].provided else { return true };
        let saved = (self.base, self.pid);
        (self.base, self.pid) = (self.s.procs[index].locals(program), index as u8);
        let value = self.eval(provided);
        (self.base, self.pid) = saved;
        value != 0
    }

    fn has_highest_priority(&mut self, index: usize) -> bool {
        self.s.tracing.shape();
        let own = self.priority_of(index);
        (0..self.s.procs.len()).all(|other| {
            other == index || self.priority_of(other) <= own || !self.is_provided(other) || !self.goes_first(other)
        })
    }

    /// Whether a process has a step, or goes wrong in one: then that is its own error, not that of who waits for it.
    fn goes_first(&mut self, index: usize) -> bool {
        let before = self.fault.take();
        let enabled = self.is_enabled(index);
        std::mem::replace(&mut self.fault, before).is_some() || enabled
    }

    /// Steps of one process.
    pub(super) fn process_steps(&mut self, index: usize, state: &[u8], out: &mut Steps) {
        self.restore(state);
        self.moved = false;
        if index >= self.s.procs.len() {
            return;
        }
        let may_move = self.may_move(index);
        self.enter(index);
        let program = self.program;
        let proto = &program.protos[usize::from(self.s.procs[index].proto)];
        let control = &proto.controls[usize::from(self.control_of(index).0)];
        if self.fault.is_some() {
            // A `provided` clause has no value: the process goes wrong where it is.
            let first = control.transitions.first().map_or(0, |transition| transition.action + 1);
            return self.emit_fault(index, [first, 0, 0], out);
        }
        if !may_move {
            return;
        }
        let mut escaped = 0;
        for (place, transition) in control.transitions.iter().enumerate() {
            if escaped > 0 && escaped != transition.escape {
                break;
            }
            let op = &proto.actions[transition.action as usize].op;
            if !self.s.tracing.performs(op) {
                continue;
            }
            self.restore(state);
            let action = [transition.action + 1, 0, 0];
            match self.perform(op, index) {
                Done::No if self.fault.is_none() => {
                    self.noted.clear();
                    continue;
                }
                Done::No => self.emit_fault(index, action, out),
                // A step that the process takes alone.
                Done::Yes if self.s.tracing.is_meeting() => {}
                Done::Yes => {
                    if self.moved {
                        self.note_choice(index);
                    }
                    self.moved = true;
                    escaped = transition.escape;
                    self.finish_step(index, index, transition, action, out);
                }
                Done::Offered(chan) => {
                    let found = self.offer(chan, index, transition, action, out);
                    // As in Spin, an offer that nobody takes revokes the escape taken before it.
                    escaped = if found { transition.escape } else { 0 };
                }
            }
            self.s.tracing.end_of_transition(place, out.list.len());
            self.changed = true;
        }
    }

    /// Offers a rendezvous to the other processes. Whether one of them takes it.
    fn offer(&mut self, chan: i32, index: usize, transition: &Transition, action: [u32; 3], out: &mut Steps) -> bool {
        self.leave_control(index, transition);
        self.set_last(index);
        let moved = self.moved;
        if moved {
            self.note_choice(index);
        }
        let found = self.receivers(chan, index, action, out);
        self.enter(index);
        self.moved = moved || found;
        found
    }

    /// A process that has an earlier step in the same state takes another one.
    pub(super) fn note_choice(&mut self, index: usize) {
        let proto = &self.program.protos[usize::from(self.s.procs[index].proto)];
        if proto.deterministic {
            self.noted.push(Fault {
                kind: ViolationKind::RuntimeError,
                message: "a D_proctype has a choice: two of its statements are enabled".to_owned(),
                span: Some(proto.span),
                thread: Some(ThreadId(index as u32)),
            });
        }
    }

    /// Back to the state the steps start from, if a step has changed the vector.
    fn restore(&mut self, state: &[u8]) {
        if !std::mem::take(&mut self.changed) {
            return;
        }
        let processes = usize::from(state[self.program.header.process_count as usize]);
        if self.s.procs.len() != processes {
            self.s.work.clear();
            self.s.work.extend_from_slice(state);
            super::locate(self.program, self.s);
            return;
        }
        self.s.work.clear();
        self.s.work.extend_from_slice(state);
    }

    fn leave_control(&mut self, index: usize, transition: &Transition) {
        if transition.target.0 > 0 {
            let process = self.s.procs[index];
            self.set_control(process, transition.target);
            let base = process.locals(self.program);
            for (offset, length) in &transition.resets {
                let start = base + *offset as usize;
                self.s.tracing.bytes(start, *length as usize);
                self.s.work[start..start + *length as usize].fill(0);
            }
        }
    }

    /// `_last`: in the middle of a rendezvous it is the sender.
    fn set_last(&mut self, index: usize) {
        if let Some(at) = self.program.header.last {
            self.s.tracing.bytes(at as usize, 1);
            self.s.work[at as usize] = index as u8;
        }
    }

    pub(super) fn finish_step(
        &mut self,
        thread: usize,
        last: usize,
        transition: &Transition,
        action: [u32; 3],
        out: &mut Steps,
    ) {
        self.leave_control(last, transition);
        self.set_last(last);
        let turn = if transition.atomic { Turn::Only(ThreadId(last as u32)) } else { Turn::Any };
        self.emit(Some(thread), Some(last), action, turn, out);
    }

    /// Appends a step with the vector as it is now.
    pub(super) fn emit(
        &mut self,
        thread: Option<usize>,
        last: Option<usize>,
        action: [u32; 3],
        turn: Turn,
        out: &mut Steps,
    ) {
        let faults_from = out.faults.len();
        out.faults.append(&mut self.noted);
        let completed = match self.fault.take() {
            None => true,
            Some(fault) => {
                out.faults.push(*fault);
                false
            }
        };
        let from = out.bytes.len();
        if completed {
            out.bytes.extend_from_slice(&self.s.work);
            self.mark(thread, action[0]);
            self.mark(last, action[1]);
        }
        let id = |i: usize| ThreadId(i as u32);
        out.list.push(Step {
            thread: thread.map(id),
            ran_last: last.map(id),
            action,
            claim_move: 0,
            state: from..out.bytes.len(),
            turn,
            faults: faults_from..out.faults.len(),
        });
    }

    /// Marks a statement as executed. A process that has ended is gone, and its end is no statement.
    fn mark(&self, thread: Option<usize>, action: u32) {
        let process = thread.and_then(|index| self.s.procs.get(index));
        let proto = process.map(|process| &self.program.protos[usize::from(process.proto)]);
        if let Some(mark) = proto.and_then(|proto| proto.executed.get((action as usize).wrapping_sub(1))) {
            mark.reach();
        }
    }

    fn emit_fault(&mut self, thread: usize, action: [u32; 3], out: &mut Steps) {
        self.emit(Some(thread), Some(thread), action, Turn::Any, out);
    }

    /// Tries an operation of the current process; on `Yes` the vector has changed.
    pub(super) fn perform(&mut self, op: &Op, index: usize) -> Done {
        let done = self.checked(|this| this.execute(op, index));
        if self.fault.is_some() { Done::No } else { done }
    }

    fn execute(&mut self, op: &Op, index: usize) -> Done {
        match op {
            Op::Skip => Done::Yes,
            Op::Print(print) => {
                // Nothing is printed here, but what is printed may have no value.
                for (value, _) in &print.args {
                    self.eval(value);
                }
                Done::Yes
            }
            Op::Else => yes_if(!self.moved),
            Op::Condition(condition) => yes_if(self.eval(condition) != 0),
            Op::Assign(place, value) => {
                let value = self.eval(value);
                if self.fault.is_none() {
                    self.store(place, value);
                }
                Done::Yes
            }
            Op::AssignAll(list) => {
                for (place, value) in list {
                    let value = self.eval(value);
                    self.store(place, value);
                }
                Done::Yes
            }
            Op::Assert(condition, text, span, id) => {
                self.program.assertions.reach(*id);
                self.assert(condition, text, *span, index);
                Done::Yes
            }
            Op::Send(send) => self.send(send),
            Op::Receive(receive) => self.receive(receive),
            Op::DStep(code) => self.d_step(code, index, None),
            Op::End => self.end(index),
        }
    }

    fn assert(&mut self, condition: &Ex, text: &str, span: Span, index: usize) {
        if self.eval(condition) == 0 && self.check_assertions && self.fault.is_none() {
            let thread = (!self.in_claim).then_some(ThreadId(index as u32));
            let message = format!("assertion violated: {text}");
            self.noted.push(Fault { kind: ViolationKind::Assertion, message, span: Some(span), thread });
        }
    }

    /// The youngest process may leave.
    fn end(&mut self, index: usize) -> Done {
        if self.in_claim {
            // A claim that is complete leaves when it is alone.
            return yes_if(self.s.procs.is_empty());
        }
        self.s.tracing.shape();
        if index + 1 != self.s.procs.len() {
            return Done::No;
        }
        if !self.test_only {
            let process = self.s.procs.pop().expect("a process");
            let channels = self.program.protos[usize::from(process.proto)].chans.len();
            self.s.chans.truncate(self.s.chans.len() - channels);
            self.s.work.truncate(process.offset as usize);
            self.s.work[self.program.header.process_count as usize] -= 1;
        }
        Done::Yes
    }

    /// Whether an operation could be done now, without doing it.
    pub(super) fn is_possible(&mut self, op: &Op, index: usize) -> bool {
        match op {
            Op::Assign(..) | Op::AssignAll(_) | Op::Assert(..) | Op::Print(_) => return true,
            _ => {}
        }
        let outer = std::mem::replace(&mut self.test_only, true);
        let message = self.s.message.clone();
        let noted = self.noted.len();
        let done = self.perform(op, index);
        self.s.message = message;
        self.noted.truncate(noted);
        self.test_only = outer;
        done != Done::No
    }

    /// Whether some transition of a process is possible (`enabled`, priorities).
    pub(super) fn is_enabled(&mut self, index: usize) -> bool {
        let saved = (self.base, self.pid, self.in_claim);
        (self.base, self.pid, self.in_claim) = (self.s.procs[index].locals(self.program), index as u8, false);
        let program = self.program;
        let proto = &program.protos[usize::from(self.s.procs[index].proto)];
        let control = &proto.controls[usize::from(self.control_of(index).0)];
        let enabled = control.transitions.iter().any(|t| self.is_possible(&proto.actions[t.action as usize].op, index));
        (self.base, self.pid, self.in_claim) = saved;
        enabled
    }
}

pub(super) fn yes_if(condition: bool) -> Done {
    if condition { Done::Yes } else { Done::No }
}
