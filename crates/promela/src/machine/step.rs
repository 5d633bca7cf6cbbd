//! One step of one process: its transitions are tried in order (escapes first, `else` last), a
//! rendezvous is fused with its partner's receive, a `d_step` runs to its end.

use selvedge_core::{ThreadId, ViolationKind};
use selvedge_machine::{Fault, Step, Steps, Threads, Turn};
use selvedge_source::Span;

use super::eval::write;
use super::{ChanRef, Exec, ProcRef};
use crate::program::{ControlState, DNode, DStep, Ex, Op, Pattern, ProtoId, Receive, Send, Transition};

/// Whether an operation was possible.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Done {
    No,
    Yes,
    /// A send on this rendezvous channel waits for its receiver.
    Offered(i32),
}

/// How far a list of steps had come, to go back there.
pub(super) struct Mark {
    steps: usize,
    bytes: usize,
    faults: usize,
}

impl Mark {
    pub(super) fn of(out: &Steps) -> Self {
        Mark { steps: out.list.len(), bytes: out.bytes.len(), faults: out.faults.len() }
    }

    pub(super) fn is_at_end_of(&self, out: &Steps) -> bool {
        self.steps == out.list.len()
    }

    pub(super) fn go_back(&self, out: &mut Steps) {
        out.list.truncate(self.steps);
        out.bytes.truncate(self.bytes);
        out.faults.truncate(self.faults);
    }
}

impl Exec<'_> {
    /// Globals, channels and the processes of the start.
    pub(super) fn create_initial(&mut self) {
        let program = self.program;
        for (index, (slot, at)) in program.chans.iter().enumerate() {
            self.s.chans.push(ChanRef { offset: slot.offset, spec: slot.spec });
            self.s.work[*at as usize] = (index + 1) as u8;
        }
        for (place, value) in &program.init {
            let value = self.eval(value);
            self.store(place, value);
        }
        if let (Some(claim), Some(at)) = (&program.claim, program.header.claim) {
            self.s.work[at as usize..at as usize + 2].copy_from_slice(&claim.start.0.to_le_bytes());
            self.base = at as usize + 2;
            for (place, value) in &claim.init {
                let value = self.eval(value);
                self.store(place, value);
            }
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
        for (place, value) in &record.init {
            let value = self.eval(value);
            self.store(place, value);
        }
        (self.base, self.pid) = (base, caller);
        pid
    }

    pub(super) fn run(&mut self, proto: ProtoId, args: &[Ex], priority: &Ex, span: Span) -> i32 {
        if self.test_only {
            return 1;
        }
        let values: Vec<i32> = args.iter().map(|arg| self.eval(arg)).collect();
        let priority = self.eval(priority).clamp(1, 255) as u8;
        if self.s.procs.len() >= 255 {
            self.runtime_error(span, "too many processes (the limit is 255)".to_owned());
            return 0;
        }
        i32::from(self.create(proto, &values, priority))
    }

    /// A process's control state.
    pub(super) fn control_of(&self, index: usize) -> ControlState {
        let at = self.s.procs[index].offset as usize + 1;
        match self.program.header.control_size {
            1 => ControlState(u16::from(self.s.work[at])),
            _ => ControlState(u16::from_le_bytes([self.s.work[at], self.s.work[at + 1]])),
        }
    }

    fn set_control(&mut self, process: ProcRef, control: ControlState) {
        let at = process.offset as usize + 1;
        match self.program.header.control_size {
            1 => self.s.work[at] = control.0 as u8,
            _ => self.s.work[at..at + 2].copy_from_slice(&control.0.to_le_bytes()),
        }
    }

    /// Whether a process may rest here for ever.
    pub(super) fn at_valid_end(&self, index: usize) -> bool {
        let proto = &self.program.protos[usize::from(self.s.procs[index].proto)];
        proto.controls[usize::from(self.control_of(index).0)].valid_end
    }

    fn enter(&mut self, index: usize) {
        self.base = self.s.procs[index].locals(self.program);
        self.pid = index as u8;
        self.moved = false;
    }

    /// Steps of `threads`, youngest first; with `timeout` if nothing else in the system is possible.
    pub(super) fn system_steps(&mut self, state: &[u8], threads: &Threads, out: &mut Steps) {
        self.timeout = false;
        let before = Mark::of(out);
        self.steps_of(state, 0, threads, out);
        let waits = before.is_at_end_of(out) && self.program.uses_timeout && self.some_wait(state, threads);
        // The others are asked only if it matters.
        if waits && (*threads == Threads::ALL || !self.can_step(state, 0, &threads.complement(), out)) {
            self.timeout = true;
            self.steps_of(state, 0, threads, out);
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

    /// Steps of `threads`, youngest first. Returns whether any process has a step.
    pub(super) fn one_round(&mut self, state: &[u8], claim_move: u32, threads: &Threads, out: &mut Steps) -> bool {
        let before = Mark::of(out);
        self.steps_of(state, claim_move, threads, out);
        let moved = !before.is_at_end_of(out);
        moved || (*threads != Threads::ALL && self.can_step(state, claim_move, &threads.complement(), out))
    }

    /// Whether one of `threads` has a step; who comes after the first that has one is not asked.
    pub(super) fn can_step(&mut self, state: &[u8], claim_move: u32, threads: &Threads, out: &mut Steps) -> bool {
        let before = Mark::of(out);
        self.restore(state);
        let moved = (0..self.s.procs.len()).rev().any(|index| {
            if threads.contains(ThreadId(index as u32)) {
                self.process_steps(index, state, claim_move, out);
            }
            !before.is_at_end_of(out)
        });
        before.go_back(out);
        moved
    }

    pub(super) fn steps_of(&mut self, state: &[u8], claim_move: u32, threads: &Threads, out: &mut Steps) {
        if let Some(ThreadId(only)) = threads.single() {
            return self.process_steps(only as usize, state, claim_move, out);
        }
        self.restore(state);
        for index in (0..self.s.procs.len()).rev() {
            if threads.contains(ThreadId(index as u32)) {
                self.process_steps(index, state, claim_move, out);
            }
        }
    }

    /// Whether the process may move at all: its `provided` clause and priority.
    fn may_move(&mut self, index: usize) -> bool {
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
        let own = self.priority_of(index);
        (0..self.s.procs.len()).all(|other| {
            other == index || self.priority_of(other) <= own || !self.is_provided(other) || !self.is_enabled(other)
        })
    }

    /// Steps of one process.
    pub(super) fn process_steps(&mut self, index: usize, state: &[u8], claim_move: u32, out: &mut Steps) {
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
            return self.emit_fault(index, [claim_move, first, 0], out);
        }
        if !may_move {
            return;
        }
        let mut escaped = 0;
        for transition in &control.transitions {
            if escaped > 0 && escaped != transition.escape {
                break;
            }
            self.restore(state);
            let op = &proto.actions[transition.action as usize].op;
            let action = [claim_move, transition.action + 1, 0];
            match self.perform(op, index) {
                Done::No if self.fault.is_none() => continue,
                Done::No => self.emit_fault(index, action, out),
                Done::Yes => {
                    if self.moved {
                        self.note_choice(index);
                    }
                    self.moved = true;
                    escaped = transition.escape;
                    self.finish_step(index, index, transition, action, out);
                }
                Done::Offered(chan) => {
                    self.leave_control(index, transition);
                    self.set_last(index);
                    let moved = self.moved;
                    if moved {
                        self.note_choice(index);
                    }
                    let found = self.receivers(chan, index, action, out);
                    // As in Spin, an offer that nobody takes revokes the escape taken before it.
                    escaped = if found { transition.escape } else { 0 };
                    self.enter(index);
                    self.moved = moved || found;
                }
            }
            self.changed = true;
        }
    }

    /// A process that has an earlier step in the same state takes another one.
    fn note_choice(&mut self, index: usize) {
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
                self.s.work[start..start + *length as usize].fill(0);
            }
        }
    }

    /// `_last`: in the middle of a rendezvous it is the sender.
    fn set_last(&mut self, index: usize) {
        if let Some(at) = self.program.header.last {
            self.s.work[at as usize] = index as u8;
        }
    }

    fn finish_step(&mut self, thread: usize, last: usize, transition: &Transition, action: [u32; 3], out: &mut Steps) {
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
        }
        let id = |i: usize| ThreadId(i as u32);
        out.list.push(Step {
            thread: thread.map(id),
            ran_last: last.map(id),
            action,
            state: from..out.bytes.len(),
            turn,
            faults: faults_from..out.faults.len(),
        });
    }

    fn emit_fault(&mut self, thread: usize, action: [u32; 3], out: &mut Steps) {
        self.emit(Some(thread), Some(thread), action, Turn::Any, out);
    }

    /// Tries an operation of the current process; on `Yes` the vector has changed.
    pub(super) fn perform(&mut self, op: &Op, index: usize) -> Done {
        let done = match op {
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
        };
        if self.fault.is_some() { Done::No } else { done }
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

    fn send(&mut self, send: &Send) -> Done {
        let Some((id, chan)) = self.channel(&send.chan, send.span) else { return Done::No };
        if self.is_full(chan) {
            return Done::No;
        }
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
        self.s.work.copy_within(start + (at + 1) * size..start + length * size, start + at * size);
        self.s.work[start + (length - 1) * size..start + length * size].fill(0);
        self.set_length(chan, length - 1);
    }

    /// A receive from a channel that holds messages.
    fn receive(&mut self, receive: &Receive) -> Done {
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
    fn receivers(&mut self, chan: i32, sender: usize, action: [u32; 3], out: &mut Steps) -> bool {
        let mut middle = std::mem::take(&mut self.s.middle);
        middle.clear();
        middle.extend_from_slice(&self.s.work);
        let noted = std::mem::take(&mut self.noted);
        let mut found = false;
        let program = self.program;
        for index in (0..self.s.procs.len()).rev().filter(|i| *i != sender) {
            let may_move = self.may_move(index);
            self.enter(index);
            let proto = &program.protos[usize::from(self.s.procs[index].proto)];
            let control = &proto.controls[usize::from(self.control_of(index).0)];
            if self.fault.is_some() {
                let first = control.transitions.first().map_or(0, |transition| transition.action + 1);
                self.emit(Some(sender), Some(index), [action[0], action[1], first], Turn::Any, out);
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
                    let action = [action[0], action[1], transition.action + 1];
                    self.finish_step(sender, index, transition, action, out);
                } else if self.fault.is_some() {
                    self.emit(Some(sender), Some(index), [action[0], action[1], transition.action + 1], Turn::Any, out);
                }
                self.s.work.clear();
                self.s.work.extend_from_slice(&middle);
            }
        }
        self.s.middle = middle;
        found
    }

    /// Whether an operation of the current process takes the offered message; if so, it is done.
    fn take_offer(&mut self, op: &Op, chan: i32, index: usize) -> bool {
        match op {
            Op::Receive(receive) => self.take_message(receive, chan),
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

    /// Runs a deterministic sequence. `offer` is the rendezvous its first statement must take.
    fn d_step(&mut self, code: &DStep, index: usize, mut offer: Option<i32>) -> Done {
        if !self.d_step_can_start(code, offer, index) {
            return Done::No;
        }
        let Some(mut at) = self.first_node(code, code.entry, offer, index) else { return Done::No };
        if self.test_only {
            return Done::Yes;
        }
        let mut first = true;
        let mut executed = 0u32;
        loop {
            match &code.nodes[at] {
                DNode::Exit => return Done::Yes,
                DNode::Jump(next) | DNode::Block(next) => at = *next,
                DNode::Choice { options, span } => {
                    let chosen = options.iter().find_map(|option| self.first_node(code, *option, None, index));
                    match chosen {
                        Some(node) => at = node,
                        None => {
                            self.runtime_error(
                                *span,
                                "a d_step sequence blocks here: no option can be taken".to_owned(),
                            );
                            return Done::No;
                        }
                    }
                }
                DNode::Basic { op, span, next } => {
                    let done = match offer.take() {
                        Some(chan) => yes_if(self.take_offer(op, chan, index)),
                        None if matches!(op, Op::Else) => Done::Yes,
                        None => self.perform(op, index),
                    };
                    match done {
                        Done::Yes => {}
                        Done::No if first && self.fault.is_none() => return Done::No,
                        Done::No => {
                            self.runtime_error(*span, "a d_step sequence blocks here".to_owned());
                            return Done::No;
                        }
                        Done::Offered(_) => {
                            self.runtime_error(*span, "a rendezvous send inside a d_step sequence".to_owned());
                            return Done::No;
                        }
                    }
                    (first, at) = (false, *next);
                }
            }
            executed += 1;
            if executed > 10_000_000 {
                let span = self.program.protos[usize::from(self.s.procs[index].proto)].span;
                self.runtime_error(span, "a d_step sequence does not end".to_owned());
                return Done::No;
            }
        }
    }

    /// The basic node (or exit) with which a path from `node` can start, if it can.
    fn first_node(&mut self, code: &DStep, node: usize, offer: Option<i32>, index: usize) -> Option<usize> {
        let mut at = node;
        for _ in 0..=code.nodes.len() {
            match &code.nodes[at] {
                DNode::Exit => return Some(at),
                DNode::Jump(next) | DNode::Block(next) => at = *next,
                DNode::Choice { options, .. } => {
                    return options.iter().find_map(|option| self.first_node(code, *option, offer, index));
                }
                DNode::Basic { op, .. } => {
                    let possible = match (offer, op) {
                        (Some(chan), Op::Receive(receive)) => self.offer_matches(receive, chan),
                        (Some(_), _) => false,
                        (None, Op::Else) => true,
                        (None, op) => self.is_possible(op, index),
                    };
                    return possible.then_some(at);
                }
            }
        }
        None
    }

    /// A `d_step` that starts with a choice starts only if a condition, send, receive or `else`
    /// among the guards allows it; as in Spin, assignments beside such guards do not count.
    fn d_step_can_start(&mut self, code: &DStep, offer: Option<i32>, index: usize) -> bool {
        let DNode::Choice { options, .. } = &code.nodes[behind_jumps(code, code.entry)] else { return true };
        self.some_guard_holds(code, options, offer, index, code.nodes.len()).unwrap_or(true)
    }

    /// Whether a guard among the options holds; `None` if none of them starts with one. What stands in a block of its
    /// own does not count, unless that starts with a choice. `depth` ends options that jump back to their choice.
    fn some_guard_holds(
        &mut self,
        code: &DStep,
        options: &[usize],
        offer: Option<i32>,
        index: usize,
        depth: usize,
    ) -> Option<bool> {
        let mut any = None;
        for option in options.iter().filter(|_| depth > 0) {
            let at = behind_gotos(code, *option);
            let node = match &code.nodes[at] {
                DNode::Block(inner) => *inner,
                _ => at,
            };
            let holds =
                match &code.nodes[node] {
                    DNode::Choice { options, .. } => self.some_guard_holds(code, options, offer, index, depth - 1),
                    DNode::Basic {
                        op: Op::Condition(_) | Op::Else | Op::Send(_) | Op::Receive(_) | Op::Skip, ..
                    } if node == at => Some(self.first_node(code, at, offer, index).is_some()),
                    _ => None,
                };
            any = holds.map_or(any, |holds| Some(holds || any.unwrap_or(false)));
        }
        any
    }

    fn offer_matches(&mut self, receive: &Receive, chan: i32) -> bool {
        !receive.copy
            && self.eval(&receive.chan) == chan
            && receive.args.len() <= self.s.message.len()
            && receive.args.iter().enumerate().all(|(field, pattern)| match pattern {
                Pattern::Match(value) => self.eval(value) == self.s.message[field],
                _ => true,
            })
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

fn yes_if(condition: bool) -> Done {
    if condition { Done::Yes } else { Done::No }
}

/// The node that jumps lead to (one of them, if they go round in circles).
fn behind_jumps(code: &DStep, node: usize) -> usize {
    let mut at = node;
    for _ in 0..code.nodes.len() {
        match &code.nodes[at] {
            DNode::Jump(next) | DNode::Block(next) => at = *next,
            _ => break,
        }
    }
    at
}

/// The node that jumps lead to; blocks are not entered.
fn behind_gotos(code: &DStep, node: usize) -> usize {
    let mut at = node;
    for _ in 0..code.nodes.len() {
        match &code.nodes[at] {
            DNode::Jump(next) => at = *next,
            _ => break,
        }
    }
    at
}
