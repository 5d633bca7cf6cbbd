//! The Promela machine: a [`Program`] behind the [`Machine`] interface, with Spin's semantics. The [`Processes`] are a
//! machine, and so is their product with the claim, [`PromelaMachine`].
//!
//! A stored state is a state between two moves of the system. `eval` computes, `step` executes one process's
//! transition, `claim` moves the claim, `view` explains to people.

mod claim;
mod condition;
mod create;
mod d_step;
pub(crate) mod eval;
mod events;
mod exclusive;
mod message;
mod safe;
mod spinning;
mod step;
mod traced;
mod tracing;
mod vector;
mod view;
mod waiting;

use selvedge_core::{ThreadId, ViolationKind};
use selvedge_machine::{
    Describe, Fault, Hints, Machine, Product, Step, StepView, Steps, Threads, Timeouts, Traced, Turn,
};
use selvedge_source::Span;

pub use claim::NeverClaim;

use crate::program::{Control, ControlState, Program, ProtoId};
use crate::weight::most_choices;

/// A process in the vector being worked on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ProcRef {
    pub offset: u32,
    pub proto: u16,
}

impl ProcRef {
    /// Where its variables start.
    pub(crate) fn locals(self, program: &Program) -> usize {
        (self.offset + program.header.record_header) as usize
    }
}

/// A channel in the vector being worked on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ChanRef {
    pub offset: u32,
    pub spec: u16,
}

/// Reusable buffers of one caller.
#[derive(Default)]
pub struct Scratch {
    pub(crate) work: Vec<u8>,
    pub(crate) middle: Vec<u8>,
    pub(crate) procs: Vec<ProcRef>,
    pub(crate) chans: Vec<ChanRef>,
    pub(crate) message: Vec<i32>,
    pub(crate) tracing: tracing::Tracing,
}

/// One evaluation: a program, a vector being worked on, and the process at work.
pub(crate) struct Exec<'a> {
    pub program: &'a Program,
    pub s: &'a mut Scratch,
    /// Where the current process's variables start.
    pub base: usize,
    pub pid: u8,
    pub in_claim: bool,
    pub timeout: bool,
    /// A transition of the current process was taken in this state: `else` is not possible.
    pub moved: bool,
    /// The vector is that after a step, no longer the one the steps start from.
    pub changed: bool,
    /// Only whether something is possible is asked.
    pub test_only: bool,
    /// A statement is executed whose uses of channels must not violate claims (`xr`, `xs`).
    pub check_exclusive: bool,
    pub check_assertions: bool,
    pub fault: Option<Box<Fault>>,
    /// Violations that do not stop the step: failed assertions, event errors.
    pub noted: Vec<Fault>,
}

impl<'a> Exec<'a> {
    /// An evaluation of what is in the buffers.
    fn new(program: &'a Program, s: &'a mut Scratch, check_assertions: bool) -> Self {
        Exec {
            program,
            s,
            base: 0,
            pid: 0,
            in_claim: false,
            timeout: false,
            moved: false,
            changed: false,
            test_only: false,
            check_exclusive: false,
            check_assertions,
            fault: None,
            noted: Vec::new(),
        }
    }
}

/// What to look for besides what the model says.
#[derive(Clone, Debug, Default)]
pub struct Properties {
    /// Report failed assertions.
    pub assertions: bool,
    /// Report states in which nothing can continue and not every process is at a valid end.
    pub end_states: bool,
    /// Report when a process stands at this label.
    pub reach: Option<String>,
    /// Runs that pass `accept` labels of processes forever are accepted, not only those the claim accepts.
    pub acceptance: bool,
}

/// A Promela model: its processes beside its claim, if one is in force.
pub type PromelaMachine = Product<Processes, NeverClaim>;

/// The machine of a program.
pub fn machine(program: Program, properties: Properties) -> PromelaMachine {
    let claim = NeverClaim::of(&program);
    Product { system: Processes::new(program, properties), claim }
}

/// The processes of a model as a [`Machine`], without the claim. They carry its control along.
pub struct Processes {
    pub(crate) program: Program,
    pub(crate) properties: Properties,
    /// Control states (process type, state) that carry the label asked for.
    reach: Vec<(u16, ControlState, Option<Span>)>,
    /// Steps are safe as Spin has it.
    as_spin: bool,
    /// Where the processes stand in every state; empty if that differs from state to state.
    places: Vec<u32>,
    /// Bytes of the record of a process of each type.
    records: Vec<u32>,
}

impl Processes {
    fn new(program: Program, properties: Properties) -> Self {
        let mut reach = Vec::new();
        if let Some(label) = &properties.reach {
            let (process, name) = match label.split_once('@') {
                Some((process, name)) => (Some(process), name),
                None => (None, label.as_str()),
            };
            for (index, proto) in program.protos.iter().enumerate() {
                for (state, control) in proto.controls.iter().enumerate() {
                    if process.is_none_or(|p| p == proto.name) && control.labels.iter().any(|l| l == name) {
                        reach.push((index as u16, ControlState(state as u16), control.span));
                    }
                }
            }
        }
        let places = fixed_places(&program);
        let records = program.protos.iter().map(|proto| program.header.record_header + proto.size).collect();
        Processes { program, properties, reach, as_spin: false, places, records }
    }

    /// Calls steps safe exactly where Spin does: `xr` and `xs` are believed, and so is a claim that
    /// counts steps. For comparison with Spin only: what is reported may then be incomplete.
    pub fn reduce_as_spin(&mut self) {
        self.as_spin = true;
    }

    /// The program it runs.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// Whether the label to reach exists.
    pub(crate) fn reach_label_exists(&self) -> bool {
        !self.reach.is_empty()
    }

    /// The processes of a state, oldest first, each with its control state.
    fn controls<'a>(&'a self, state: &'a [u8]) -> impl Iterator<Item = &'a Control> {
        let header = &self.program.header;
        let mut at = header.processes as usize;
        (0..state[header.process_count as usize]).map(move |_| {
            let (proto, control) = self.control_in(state, at);
            let proto = &self.program.protos[proto];
            at += (header.record_header + proto.size) as usize;
            &proto.controls[control]
        })
    }

    /// The type of the process whose record starts at `at`, and its control state.
    fn control_in(&self, state: &[u8], at: usize) -> (usize, usize) {
        let control = match self.program.header.control_size {
            1 => usize::from(state[at + 1]),
            _ => usize::from(u16::from_le_bytes([state[at + 1], state[at + 2]])),
        };
        (usize::from(state[at]), control)
    }

    /// Where the record of a process starts.
    fn place(&self, state: &[u8], ThreadId(thread): ThreadId) -> Option<usize> {
        if thread >= u32::from(state[self.program.header.process_count as usize]) {
            return None;
        }
        if let Some(at) = self.places.get(thread as usize) {
            return Some(*at as usize);
        }
        let mut at = self.program.header.processes as usize;
        for _ in 0..thread {
            at += self.records[usize::from(state[at])] as usize;
        }
        Some(at)
    }

    fn control_at(&self, state: &[u8], thread: ThreadId) -> Option<&Control> {
        let (proto, control) = self.control_in(state, self.place(state, thread)?);
        Some(&self.program.protos[proto].controls[control])
    }

    fn any_control(&self, state: &[u8], such: fn(&Control) -> bool) -> bool {
        self.controls(state).any(such)
    }

    /// Loads a state into the buffers.
    pub(crate) fn load<'a>(&'a self, state: &[u8], scratch: &'a mut Scratch) -> Exec<'a> {
        scratch.work.clear();
        scratch.work.extend_from_slice(state);
        locate(&self.program, scratch);
        Exec::new(&self.program, scratch, self.properties.assertions)
    }
}

/// Without `run` the processes are always the first of the active ones, each at its place.
fn fixed_places(program: &Program) -> Vec<u32> {
    if program.uses_run {
        return Vec::new();
    }
    let mut at = program.header.processes;
    let mut place = |proto: ProtoId| {
        let here = at;
        at += program.header.record_header + program.protos[usize::from(proto.0)].size;
        here
    };
    program.active.iter().map(|(proto, _)| place(*proto)).collect()
}

/// Finds processes and channels in the vector. Where they are follows from the kinds of the processes, so if these are
/// as they were, nothing has to be done. Without `run` the processes are always the first of the active ones.
#[inline]
fn locate(program: &Program, scratch: &mut Scratch) {
    let count = usize::from(scratch.work[program.header.process_count as usize]);
    let same = |process: &ProcRef| u16::from(scratch.work[process.offset as usize]) == process.proto;
    if scratch.chans.len() >= program.chans.len()
        && scratch.procs.len() == count
        && (!program.uses_run || scratch.procs.iter().all(same))
    {
        return;
    }
    locate_anew(program, scratch);
}

fn locate_anew(program: &Program, scratch: &mut Scratch) {
    scratch.procs.clear();
    // Global channels are always the same.
    scratch.chans.truncate(program.chans.len());
    if scratch.chans.len() < program.chans.len() {
        scratch.chans.clear();
        scratch.chans.extend(program.chans.iter().map(|(slot, _)| ChanRef { offset: slot.offset, spec: slot.spec }));
    }
    let header = &program.header;
    let mut at = header.processes;
    for _ in 0..scratch.work[header.process_count as usize] {
        let proto = u16::from(scratch.work[at as usize]);
        scratch.procs.push(ProcRef { offset: at, proto });
        let record = &program.protos[usize::from(proto)];
        let locals = at + header.record_header;
        scratch
            .chans
            .extend(record.chans.iter().map(|(slot, _)| ChanRef { offset: locals + slot.offset, spec: slot.spec }));
        at = locals + record.size;
    }
}

impl Machine for Processes {
    type Scratch = Scratch;

    fn initial(&self, out: &mut Vec<u8>) {
        let mut scratch = Scratch::default();
        scratch.work.resize(self.program.header.processes as usize, 0);
        let mut exec = Exec::new(&self.program, &mut scratch, false);
        exec.create_initial();
        out.extend_from_slice(&scratch.work);
    }

    fn hidden_prefix(&self) -> usize {
        self.program.header.hidden as usize
    }

    fn steps(&self, state: &[u8], turn: Turn, scratch: &mut Scratch, out: &mut Steps) {
        let mut exec = self.load(state, scratch);
        match turn {
            Turn::Only(thread) => exec.process_steps(thread.0 as usize, state, out),
            Turn::Any => exec.system_steps(state, &Threads::ALL, out),
            Turn::Stutter => {}
        }
    }

    fn thread_steps(&self, state: &[u8], threads: &Threads, scratch: &mut Scratch, out: &mut Steps) {
        let mut exec = self.load(state, scratch);
        if self.program.uses_timeout {
            exec.system_steps(state, threads, out);
        } else {
            exec.steps_of(state, threads, out);
        }
    }

    fn own_steps(&self, state: &[u8], threads: &Threads, scratch: &mut Scratch, out: &mut Steps) {
        let mut exec = self.load(state, scratch);
        match threads.single() {
            Some(ThreadId(only)) if !self.program.uses_timeout => exec.process_steps(only as usize, state, out),
            _ => exec.system_steps(state, threads, out),
        }
    }

    fn is_accepting(&self, state: &[u8]) -> bool {
        self.properties.acceptance && self.any_control(state, |control| control.accept)
    }

    fn is_progress(&self, state: &[u8]) -> bool {
        self.any_control(state, |control| control.progress)
    }

    fn end_fault(&self, state: &[u8]) -> Option<Fault> {
        // A finite run is extended by repeating its last state, as in Spin.
        if self.properties.acceptance && self.any_control(state, |control| control.accept) {
            let message = "acceptance cycle: the run ends at an accept label and stays there forever".to_owned();
            return Some(Fault { kind: ViolationKind::AcceptanceCycle, message, span: None, thread: None });
        }
        if !self.properties.end_states {
            return None;
        }
        let mut scratch = Scratch::default();
        let exec = self.load(state, &mut scratch);
        let stuck = (0..exec.s.procs.len()).filter(|i| !exec.at_valid_end(*i));
        let name = |i: usize| &self.program.protos[usize::from(exec.s.procs[i].proto)].name;
        let shared = |i: usize| (0..exec.s.procs.len()).any(|j| j != i && name(i) == name(j));
        let full = |i: usize| if shared(i) { format!("{}({i})", name(i)) } else { name(i).clone() };
        let names: Vec<String> = stuck.map(full).collect();
        let event_open = !exec.s.procs.is_empty() && exec.event_incomplete();
        if names.is_empty() && !event_open {
            return None;
        }
        let message = match names.as_slice() {
            [] => "the run ended before the event trace was complete".to_owned(),
            [one] => format!("deadlock: {one} is blocked and not at a valid end state"),
            [all @ .., last] => format!("deadlock: {} and {last} are blocked", all.join(", ")),
        };
        Some(Fault { kind: ViolationKind::InvalidEndState, message, span: None, thread: None })
    }

    fn state_fault(&self, state: &[u8]) -> Option<Fault> {
        let label = self.properties.reach.as_ref()?;
        let mut scratch = Scratch::default();
        let exec = self.load(state, &mut scratch);
        for (index, process) in exec.s.procs.iter().enumerate() {
            let control = exec.control_of(index);
            let found = self.reach.iter().find(|(proto, state, _)| *proto == process.proto && *state == control);
            if let Some((_, _, span)) = found {
                let thread = ThreadId(index as u32);
                let message = format!("label `{label}` is reached by {}", self.thread_name(state, thread));
                return Some(Fault { kind: ViolationKind::LabelReached, message, span: *span, thread: Some(thread) });
            }
        }
        None
    }

    fn has_finished(&self, state: &[u8], thread: ThreadId) -> bool {
        self.is_at_end(state, thread)
    }

    fn thread_count(&self, state: &[u8]) -> u32 {
        u32::from(state[self.program.header.process_count as usize])
    }
}

impl Timeouts for Processes {
    fn uses_timeout(&self) -> bool {
        self.program.uses_timeout
    }

    fn steps_given(&self, state: &[u8], timeout: bool, threads: &Threads, scratch: &mut Scratch, out: &mut Steps) {
        let mut exec = self.load(state, scratch);
        exec.timeout = timeout;
        exec.steps_of(state, threads, out);
    }

    fn can_step(&self, state: &[u8], timeout: bool, threads: &Threads, scratch: &mut Scratch, out: &mut Steps) -> bool {
        let mut exec = self.load(state, scratch);
        exec.timeout = timeout;
        exec.can_step(state, threads, out)
    }

    fn some_wait(&self, state: &[u8], threads: &Threads, scratch: &mut Scratch) -> bool {
        self.load(state, scratch).some_wait(state, threads)
    }
}

impl Hints for Processes {
    fn unclaimed_steps(&self, state: &[u8], thread: ThreadId, scratch: &mut Scratch, out: &mut Steps) {
        let mut exec = self.load(state, scratch);
        if self.program.uses_timeout {
            exec.system_steps(state, &Threads::only(thread), out);
        } else {
            exec.process_steps(thread.0 as usize, state, out);
        }
    }

    fn may_spin(&self, state: &[u8], thread: ThreadId) -> bool {
        self.stands_on_cycle(state, thread)
    }

    fn same_shared(&self, one: &[u8], other: &[u8], thread: ThreadId) -> bool {
        self.look_alike(one, other, thread)
    }

    fn erase_unread(&self, state: &mut [u8], thread: ThreadId) {
        self.clear_unread(state, thread);
    }

    fn is_local(&self, state: &[u8], thread: ThreadId) -> bool {
        self.control_at(state, thread).is_some_and(|control| control.local)
    }

    fn is_safe(&self, state: &[u8], thread: ThreadId) -> bool {
        self.steps_are_safe(state, thread)
    }

    fn most_choices(&self) -> usize {
        most_choices(&self.program)
    }

    fn traced(&self) -> Option<Box<dyn Traced + '_>> {
        self.tracer()
    }
}

impl Describe for Processes {
    fn thread_name(&self, state: &[u8], thread: ThreadId) -> String {
        let mut scratch = Scratch::default();
        let exec = self.load(state, &mut scratch);
        match exec.s.procs.get(thread.0 as usize) {
            Some(process) => self.program.protos[usize::from(process.proto)].name.clone(),
            None => "?".to_owned(),
        }
    }

    fn view(&self, before: &[u8], step: &Step, after: Option<&[u8]>) -> StepView {
        self.view_step(before, step, after)
    }

    fn waiting(&self, state: &[u8], thread: ThreadId) -> Option<(Span, String)> {
        self.waiting_for(state, thread).map(|waits| (waits.span, waits.reason))
    }

    fn waits_on(&self, state: &[u8], thread: ThreadId) -> Vec<String> {
        self.waiting_for(state, thread).map(|waits| waits.on).unwrap_or_default()
    }

    fn condition(&self, at: &[u8], step: &Step, state: &[u8]) -> Option<selvedge_machine::Condition> {
        self.condition_of(at, step, state)
    }

    fn propositions(&self, state: &[u8]) -> Vec<(String, bool)> {
        self.propositions_in(state)
    }

    fn variables(&self, state: &[u8]) -> Vec<(String, String)> {
        self.all_variables(state)
    }

    fn differing_variables(&self, before: &[u8], after: &[u8]) -> [Vec<(String, String)>; 2] {
        self.differing(before, after, None)
    }
}
