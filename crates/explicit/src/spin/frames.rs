//! The search itself: a stack of open states, each with the transitions that leave it and how far
//! the search has got with them. \[BCS\] Figure 5 (Figure 3 without reduction), made iterative.
//!
//! The transitions of a state come in groups, one for each move of the claim (one group without a
//! claim). A group is worked off in passes, the lines of Figure 5: the steps of one process that are
//! safe ([`Pass::Ample`], lines 25-28), the steps of the process that ran last ([`Pass::Own`], 30-33),
//! the steps of the others ([`Pass::Others`], 41-44); in the initial state all steps are alike
//! ([`Pass::All`], line 10).

use std::ops::Range;

use selvedge_core::{Omission, StopReason, Switch, SwitchCost, ThreadId};
use selvedge_machine::{Arrival, ExpandBuffers, Fault, Hints, Path, PathStep, Turn, expand};

use super::SpinOptions;
use super::visited::{Visit, Visited};
use crate::findings::Wanted;
use crate::outcome::Outcome;
use crate::search::{Progress, Search, StoreFigures};
use crate::watch::{Position, Watch};

/// A transition that leaves an open state.
struct Transition {
    thread: Option<ThreadId>,
    last: Option<ThreadId>,
    claim_move: u32,
    /// Its state's bytes in [`DepthFirst::bytes`]; empty if the step could not be completed.
    state: Range<usize>,
    /// Its first step is a handshake: the one that ran last is not the one that acted.
    handshake: bool,
    /// It is one step of one process.
    single: bool,
    /// It ends where a process blocks inside an atomic sequence.
    blocked: bool,
    stutter: bool,
    faulty: bool,
}

/// Which transitions of the group are being taken.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pass {
    /// Those of all processes.
    All,
    /// Those of this process, which are safe.
    Ample(ThreadId),
    /// Those of the process that ran last.
    Own,
    /// Those of the others.
    Others {
        /// What a switch to them is: forced if the process that ran last could not go on, or only back.
        switch: Switch,
    },
}

/// An open state.
struct Frame<K> {
    key: K,
    state: Range<usize>,
    switches: u32,
    last: Option<ThreadId>,
    /// It was reached by a safe step taken for all.
    safe: bool,
    threads: u32,
    /// Its transitions in [`DepthFirst::leaving`] start here.
    first: usize,
    /// The group being worked off.
    group: Range<usize>,
    pass: Pass,
    /// The next transition to look at.
    next: usize,
    /// The group's pass (or passes) took a step.
    moved: bool,
    /// One of these steps led to a state that was not open.
    outside: bool,
}

pub(super) struct DepthFirst<'a, M: Hints, V: Visited> {
    machine: &'a M,
    options: &'a SpinOptions,
    progress: Progress<'a>,
    visited: V,
    frames: Vec<Frame<V::Key>>,
    leaving: Vec<Transition>,
    bytes: Vec<u8>,
    buffers: ExpandBuffers<M>,
    /// Processes that were there, less one, at the end of the path explored last (`pan`'s `From`).
    from: i64,
    revisits: u64,
}

impl<'a, M: Hints, V: Visited> DepthFirst<'a, M, V> {
    pub(super) fn new(machine: &'a M, options: &'a SpinOptions, watch: Watch<'a>, visited: V, initial: &[u8]) -> Self {
        let wanted = Wanted { keep_going: options.keep_going, all: options.all_violations };
        let buffers = ExpandBuffers::within(watch.budget);
        let mut run = DepthFirst {
            machine,
            options,
            progress: Progress { bound: options.bound, ..Progress::bounded(watch, wanted) },
            visited,
            frames: Vec::new(),
            leaving: Vec::new(),
            bytes: Vec::new(),
            buffers,
            from: 0,
            revisits: 0,
        };
        if let Visit::New(key) | Visit::Again(key) = run.visited.arrive(initial, 0, None) {
            run.bytes.extend_from_slice(initial);
            run.open(key, 0..initial.len(), (0, None, false), false);
            run.check_state();
        }
        run
    }

    /// The next transition of the state on top of the stack; `Some(None)` if it has no more, `None`
    /// if the stack is empty.
    fn next(&mut self) -> Option<Option<usize>> {
        self.frames.last()?;
        loop {
            let top = self.frames.len() - 1;
            let frame = &mut self.frames[top];
            while frame.next < frame.group.end {
                let index = frame.next;
                frame.next += 1;
                if frame.takes(&self.leaving[index], self.options.bound) {
                    return Some(Some(index));
                }
            }
            if !self.next_pass() && !self.next_group() {
                return Some(None);
            }
        }
    }

    /// Goes on to the next pass over the group on top; `false` if that was the last.
    fn next_pass(&mut self) -> bool {
        let Some(frame) = self.frames.last_mut() else { return false };
        match frame.pass {
            // Lines 18-23: safe steps that all lead back to open states do not count as taken.
            Pass::Ample(ThreadId(thread)) if !frame.outside => {
                (frame.moved, frame.outside) = (false, false);
                self.from = i64::from(frame.threads) - 1;
                self.choose(thread);
                true
            }
            Pass::Own => {
                let forced = !frame.moved || !frame.outside;
                let switch = if forced { Switch::Forced } else { Switch::Preemptive };
                (frame.pass, frame.next) = (Pass::Others { switch }, frame.group.start);
                self.from = i64::from(frame.threads) - 1;
                true
            }
            Pass::All | Pass::Ample(_) | Pass::Others { .. } => false,
        }
    }

    /// Goes on to the next group of the state on top; `false` if that was the last.
    fn next_group(&mut self) -> bool {
        let Some(frame) = self.frames.last_mut() else { return false };
        let start = frame.group.end;
        let Some(first) = self.leaving.get(start) else { return false };
        let same = self.leaving[start..].iter().take_while(|l| l.claim_move == first.claim_move).count();
        (frame.group, frame.moved, frame.outside) = (start..start + same, false, false);
        let threads = frame.threads;
        self.choose(threads);
        true
    }

    /// Chooses the first pass over the group on top: the steps of the youngest process below `below`
    /// whose steps are safe (Figure 5, line 24), or all.
    ///
    // DIVERGENCE [BCS] Fig. 5, line 10: safe steps are chosen in the initial state too, as in `pan`.
    fn choose(&mut self, below: u32) {
        let Some(frame) = self.frames.last_mut() else { return };
        let state = &self.bytes[frame.state.clone()];
        let may = self.options.reduction && frame.threads > 1 && frame.switches < self.options.bound;
        let candidates = if may { below } else { 0 };
        let safe = (0..candidates).rev().map(ThreadId).find(|thread| self.machine.is_safe(state, *thread));
        frame.next = frame.group.start;
        frame.pass = match safe {
            Some(thread) => Pass::Ample(thread),
            None if frame.last.is_none() || frame.threads == 1 => Pass::All,
            None => Pass::Own,
        };
    }

    /// Takes a transition of the state on top.
    fn take(&mut self, index: usize) {
        let Some(frame) = self.frames.last_mut() else { return };
        let step = &self.leaving[index];
        frame.moved |= step.thread.is_some();
        if step.faulty {
            self.report_step(index);
        }
        let (Some(frame), step) = (self.frames.last_mut(), &self.leaving[index]) else { return };
        if step.state.is_empty() {
            return;
        }
        let counted = step.thread.is_some() && !frame.safe;
        // DIVERGENCE [BCS] Fig. 3, line 24: `pan` counts no handshake, and no switch where `From` says
        // that there is one process only.
        let excused = self.options.as_pan && (step.handshake || self.from == 0);
        let cost = if counted && !excused { frame.pass.cost() } else { 0 };
        let switches = frame.switches + cost;
        let pid = step.last.map_or(0, |last| i64::from(last.0));
        // DIVERGENCE [BCS] 2(a): a process blocked inside an atomic sequence at the bound is given up.
        if self.options.as_pan && step.blocked && switches >= self.options.bound && pid > 0 {
            self.from = pid;
            return;
        }
        let safe = matches!(frame.pass, Pass::Ample(_)) && step.single;
        let came = (switches, step.last.or(frame.last), safe);
        let (state, stutter) = (step.state.clone(), step.stutter);
        self.arrive(state, came, stutter);
    }

    /// Compares a state that a transition of the state on top led to, and opens it if it is to be
    /// visited.
    fn arrive(&mut self, state: Range<usize>, came: (u32, Option<ThreadId>, bool), stutter: bool) {
        let bytes = &self.bytes[state.clone()];
        self.from = i64::from(self.machine.thread_count(bytes)) - 1;
        self.progress.transitions += 1;
        let answer = self.visited.arrive(bytes, came.0, came.1);
        if let (Some(frame), false) = (self.frames.last_mut(), matches!(answer, Visit::Open)) {
            frame.outside = true;
        }
        match answer {
            Visit::New(key) => {
                self.open(key, state, came, stutter);
                self.check_state();
            }
            Visit::Again(key) => {
                self.revisits += 1;
                self.open(key, state, came, stutter);
            }
            Visit::Old | Visit::Open => {}
        }
    }

    /// Opens a state: puts it on the stack with its transitions.
    fn open(
        &mut self,
        key: V::Key,
        state: Range<usize>,
        (switches, last, safe): (u32, Option<ThreadId>, bool),
        stutter: bool,
    ) {
        let first = self.leaving.len();
        let threads = self.machine.thread_count(&self.bytes[state.clone()]);
        let (group, pass) = (first..first, Pass::All);
        let (moved, outside) = (false, false);
        let depth = self.frames.len() as u32;
        self.progress.max_depth = self.progress.max_depth.max(depth);
        let too_deep = !self.progress.watch.allows_depth(depth);
        self.progress.cut_by_depth |= too_deep;
        let own = state.clone();
        self.frames.push(Frame {
            key,
            state,
            switches,
            last,
            safe,
            threads,
            first,
            group,
            pass,
            next: first,
            moved,
            outside,
        });
        if !too_deep {
            self.expand(own, stutter);
        }
    }

    /// Appends the transitions of the state on top.
    fn expand(&mut self, state: Range<usize>, stutter: bool) {
        let own = self.bytes[state].to_vec();
        let turn = if stutter { Turn::Stutter } else { Turn::Any };
        let (machine, leaving, bytes) = (self.machine, &mut self.leaving, &mut self.bytes);
        let steps = expand(machine, &own, turn, &mut self.buffers, &mut |arrival| {
            leaving.push(Transition::new(&arrival, bytes));
        });
        if steps == 0
            && !stutter
            && let Some(fault) = machine.end_fault(&own)
        {
            self.violation(fault, None);
        }
    }

    /// Leaves the state on top.
    fn close(&mut self) {
        let Some(frame) = self.frames.pop() else { return };
        self.visited.leave(frame.key);
        let bytes = self.leaving.get(frame.first).map(|leaving| leaving.state.start);
        self.leaving.truncate(frame.first);
        if let Some(start) = bytes {
            self.bytes.truncate(start);
        }
    }

    /// Faults of being in the state on top, which is new.
    fn check_state(&mut self) {
        let Some(frame) = self.frames.last() else { return };
        if let Some(fault) = self.machine.state_fault(&self.bytes[frame.state.clone()]) {
            self.violation(fault, None);
        }
    }

    /// Faults of a transition of the state on top.
    fn report_step(&mut self, index: usize) {
        let Some(frame) = self.frames.last() else { return };
        let steps = steps_at(self.machine, &self.bytes[frame.state.clone()], index - frame.first);
        let faults: Vec<Fault> = steps.into_iter().flat_map(|step| step.faults).collect();
        for fault in faults {
            self.violation(fault, Some(index));
        }
    }

    /// Keeps a violation that was not seen before, with the path on the stack and on along a
    /// transition of its top.
    fn violation(&mut self, fault: Fault, along: Option<usize>) {
        let DepthFirst { machine, frames, bytes, progress, .. } = self;
        progress.violation(&fault, || path(*machine, frames, bytes, along, &fault));
    }

    /// Bytes held, without what the states' bytes have in reserve, which is not touched.
    fn memory(&self) -> u64 {
        let stack = self.frames.capacity() * size_of::<Frame<V::Key>>()
            + self.leaving.capacity() * size_of::<Transition>()
            + self.bytes.len();
        self.visited.bytes() + stack as u64
    }

    fn check_limits(&mut self) -> Option<StopReason> {
        let memory = self.memory();
        let DepthFirst { progress, visited, frames, leaving, .. } = self;
        let (transitions, bound) = (progress.transitions, progress.bound);
        // The number of states is a limit like the others here: it is looked at once in a while.
        progress.watch.tick(0, || Position {
            bound: Some(bound),
            states: visited.states(),
            transitions,
            frontier: leaving.len() as u64,
            depth: frames.len() as u64,
            memory,
            growth: visited.growth(),
        })
    }
}

impl<M: Hints, V: Visited> Search for DepthFirst<'_, M, V> {
    /// Takes one transition, or leaves a state that has no more.
    fn advance(&mut self) -> Option<StopReason> {
        // The first state is expanded before the first call.
        if let Some(stop) = self.buffers.stopped().filter(|_| !self.progress.is_done()) {
            return Some(stop);
        }
        let Some(index) = self.next() else {
            // What lies beyond the bound, and what the algorithm missed, is not known.
            return Some(self.progress.end(true));
        };
        if self.progress.is_done() {
            return Some(StopReason::Violation);
        }
        match index {
            Some(index) => self.take(index),
            None => self.close(),
        }
        self.check_limits()
    }

    fn outcome(self, stop: StopReason) -> Outcome {
        let stored = StoreFigures {
            states: self.visited.states(),
            bytes: self.memory(),
            bytes_per_state: self.visited.bytes_per_state(),
            omission: Some(Omission::ByDesign { coverage: self.visited.coverage() }),
        };
        let revisits = self.revisits;
        let mut outcome = self.progress.outcome(stop, stored);
        outcome.stats.revisits = revisits;
        // Fewer switches may do.
        Outcome { violated_at: None, ..outcome }
    }
}

impl Pass {
    /// What a switch to one of its transitions costs.
    fn cost(self) -> u32 {
        match self {
            Pass::Others { switch } => SwitchCost::Preemptions.of(switch),
            Pass::All | Pass::Ample(_) | Pass::Own => 0,
        }
    }
}

impl<K> Frame<K> {
    /// Whether this pass takes a transition.
    fn takes(&self, step: &Transition, bound: u32) -> bool {
        // A step of no process (only the claim moves) is nobody's turn.
        let Some(thread) = step.thread else { return self.pass != Pass::Own };
        match self.pass {
            Pass::All => true,
            Pass::Ample(safe) => thread == safe,
            Pass::Own => Some(thread) == self.last,
            Pass::Others { .. } => Some(thread) != self.last && self.switches + self.pass.cost() <= bound,
        }
    }
}

impl Transition {
    /// Keeps what the search needs of an arrival; its state's bytes are appended to `bytes`.
    fn new(arrival: &Arrival<'_>, bytes: &mut Vec<u8>) -> Self {
        let (buffer, index) = arrival.steps[0];
        let step = &buffer.list[index];
        let (buffer, index) = arrival.steps[arrival.steps.len() - 1];
        let last = &buffer.list[index];
        let start = bytes.len();
        bytes.extend_from_slice(arrival.state.unwrap_or(&[]));
        let handshake = step.thread != step.ran_last;
        Transition {
            thread: step.thread,
            last: last.ran_last,
            claim_move: step.claim_move,
            state: start..bytes.len(),
            handshake,
            single: arrival.steps.len() == 1 && !handshake,
            blocked: matches!(last.turn, Turn::Only(_)) && arrival.turn == Turn::Any,
            stutter: arrival.turn == Turn::Stutter,
            faulty: arrival.steps().any(|(_, step)| !step.faults.is_empty()),
        }
    }
}

/// The run along the stack, and on along a transition of its top up to the step with the fault.
fn path<M: Hints, K>(machine: &M, frames: &[Frame<K>], bytes: &[u8], along: Option<usize>, fault: &Fault) -> Path {
    let mut path = Path::default();
    let Some(bottom) = frames.first() else { return path };
    path.initial = bytes[bottom.state.clone()].to_vec();
    for (index, frame) in frames.iter().enumerate() {
        let top = index + 1 == frames.len();
        // A state on the stack was reached by the transition before the one to look at next.
        let taken = if top { along } else { Some(frame.next - 1) };
        let Some(taken) = taken else { break };
        let steps = steps_at(machine, &bytes[frame.state.clone()], taken - frame.first);
        let end = steps.iter().position(|step| top && step.faults.contains(fault)).map_or(steps.len(), |at| at + 1);
        path.steps.extend(steps.into_iter().take(end));
    }
    path
}

/// The micro-steps of one transition of a state.
fn steps_at<M: Hints>(machine: &M, state: &[u8], number: usize) -> Vec<PathStep> {
    let mut buffers = ExpandBuffers::default();
    for turn in [Turn::Any, Turn::Stutter] {
        let (mut count, mut found) = (0, None);
        expand(machine, state, turn, &mut buffers, &mut |arrival| {
            if count == number {
                found = Some(arrival.to_path());
            }
            count += 1;
        });
        if let Some(found) = found {
            return found;
        }
    }
    Vec::new()
}
