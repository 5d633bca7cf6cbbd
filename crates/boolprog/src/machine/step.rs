//! The steps of one thread: every edge of its node, once for each choice of values that it reads.

use std::sync::atomic::Ordering;

use selvedge_core::{ThreadId, ViolationKind};
use selvedge_machine::{Fault, Step, Steps, Turn};

use super::eval::{Around, Eval, Oracle};
use super::layout::{self, ANY, Place, ThreadAt, at, calling, push_frame, push_thread, set_length};
use super::section::Section;
use super::wait::Enabled;
use super::{BoolMachine, Scratch};
use crate::program::{EdgeId, Expr, NodeId, Op, ProcId, VarId};

/// What an edge leads to.
#[derive(Clone, Debug)]
pub(super) struct Successor {
    edge: EdgeId,
    /// Which of the edge's choices.
    choice: u32,
    /// The state after it; empty after a violation.
    pub(super) state: Vec<u8>,
}

/// A state with the thread whose edges are taken.
struct Here<'s> {
    state: &'s [u8],
    thread: ThreadAt,
    /// Frames of the thread that the state leaves out.
    below: u32,
}

/// One way to take an edge.
enum Way {
    /// It leads here.
    To(Successor),
    /// It reads a variable that is marked.
    Reads(u8),
}

/// How one execution of an edge ended.
enum Taken {
    Blocked,
    Done,
    Violation,
    /// The step is executed, and another choice of `*` is a violation.
    Both,
}

impl BoolMachine {
    /// The only thread that may go on in a state, if it is inside `init` or an atomic section.
    pub(super) fn owner(&self, state: &[u8]) -> Option<ThreadId> {
        if self.in_init(state) {
            return Some(ThreadId(0));
        }
        let inside = |thread: &ThreadAt| thread.node(state).is_some_and(|node| self.program.node(node).atomic);
        self.threads(state).position(|thread| inside(&thread)).map(|index| ThreadId(index as u32))
    }

    /// Whether another thread may run in a state that `thread` has just reached.
    fn can_switch(&self, state: &[u8], thread: ThreadId) -> bool {
        if self.in_init(state) {
            return false;
        }
        if self.program.no_switch_while.is_some_and(|global| state[global.index()] == 1) {
            return false;
        }
        let node = self.thread(state, thread.0 as usize).and_then(|thread| thread.node(state));
        node.is_none_or(|node| !self.program.node(node).atomic)
    }

    /// Whether the run ends in a state or another thread may run there.
    pub(super) fn arrives(&self, successor: &Successor, thread: ThreadId) -> bool {
        let state = &successor.state;
        state.is_empty() || self.can_switch(state, thread) || self.is_over(state)
    }

    /// Appends the steps of a thread; `first` if no step may have been taken before.
    pub(super) fn steps_of(&self, state: &[u8], thread: ThreadId, first: bool, scratch: &mut Scratch, out: &mut Steps) {
        let Scratch { raw } = scratch;
        raw.clear();
        self.successors(state, thread, 0, raw);
        // A section that is under way can be completed, so its only step need not be tried.
        let certain = raw.len() == 1 && !first && !self.can_switch(state, thread);
        for successor in raw.iter() {
            let arrives = self.arrives(successor, thread);
            if !arrives && !certain && !self.completes(&successor.state, thread) {
                continue;
            }
            self.push_decided(successor, thread, arrives, out);
        }
    }

    /// Appends a step for each way to decide what threads wait for in the state after it.
    fn push_decided(&self, successor: &Successor, thread: ThreadId, arrives: bool, out: &mut Steps) {
        if !arrives || successor.state.is_empty() || self.is_over(&successor.state) {
            return self.push((successor, &successor.state, 0), thread, arrives, out);
        }
        for (number, state) in self.decided(&successor.state).iter().enumerate() {
            self.push((successor, state, number as u32), thread, arrives, out);
        }
    }

    fn push(
        &self,
        (successor, state, decided): (&Successor, &[u8], u32),
        thread: ThreadId,
        arrives: bool,
        out: &mut Steps,
    ) {
        let start = out.bytes.len();
        out.bytes.extend_from_slice(state);
        let faults = out.faults.len();
        if successor.state.is_empty() {
            out.faults.push(self.failed(successor.edge, thread));
        }
        out.list.push(Step {
            thread: Some(thread),
            ran_last: Some(thread),
            action: [successor.edge.0, successor.choice, decided],
            claim_move: 0,
            state: start..out.bytes.len(),
            turn: if arrives { Turn::Any } else { Turn::Only(thread) },
            faults: faults..out.faults.len(),
        });
    }

    fn failed(&self, edge: EdgeId, thread: ThreadId) -> Fault {
        let text = &self.texts[edge.index()];
        let condition = text.strip_prefix("assert").map_or(text.as_str(), str::trim);
        let condition = condition.strip_prefix('(').and_then(|c| c.strip_suffix(')')).unwrap_or(condition);
        Fault {
            kind: ViolationKind::Assertion,
            message: format!("assertion violated: {condition}"),
            span: Some(self.program.edge(edge).span),
            thread: Some(thread),
        }
    }

    /// Whether a thread that is inside an atomic section can reach its end, or a violation.
    fn completes(&self, state: &[u8], thread: ThreadId) -> bool {
        self.completion(state, thread) == Enabled::Yes
    }

    /// The same in a state with marks.
    fn completion(&self, state: &[u8], thread: ThreadId) -> Enabled {
        let arrives = |_: &[u8], _, next: &[Successor]| next.iter().any(|next| self.arrives(next, thread));
        let mut section = Section::new(self, thread);
        let completes = section.any(state, arrives);
        Enabled::of(completes, section.mark())
    }

    /// Every way to take an edge of a thread's node, atomic sections not regarded. `below` counts frames of the
    /// thread that the state leaves out. The result is the first mark that a way has read, which is left out.
    pub(super) fn successors(
        &self,
        state: &[u8],
        thread: ThreadId,
        below: u32,
        out: &mut Vec<Successor>,
    ) -> Option<u8> {
        let at = self.thread(state, thread.0 as usize)?;
        let node = at.node(state)?;
        let here = Here { state, thread: at, below };
        let mut first = None;
        for edge in &self.program.node(node).edges {
            self.successors_along(&here, *edge, None, &mut |way| {
                match way {
                    Way::To(successor) => out.push(successor),
                    Way::Reads(mark) => first = first.or(Some(mark)),
                }
                true
            });
        }
        first
    }

    /// Whether a thread has a step where any may run.
    pub(super) fn is_enabled(&self, state: &[u8], thread: ThreadId) -> bool {
        let owned = self.owner(state).is_some_and(|owner| owner != thread);
        !owned && !self.is_over(state) && self.enabled(state, thread) == Enabled::Yes
    }

    /// Whether a thread has a step in a state that may have marks. The first one ends the search: there may be very many.
    pub(super) fn enabled(&self, state: &[u8], thread: ThreadId) -> Enabled {
        let Some(at) = self.thread(state, thread.0 as usize) else { return Enabled::No };
        let Some(node) = at.node(state) else { return Enabled::No };
        if self.always_has_step(state, &at, node) {
            return Enabled::Yes;
        }
        let here = Here { state, thread: at, below: 0 };
        let (mut arrives, mut mark) = (false, None);
        for edge in self.program.node(node).edges.iter() {
            self.successors_along(&here, *edge, None, &mut |way| {
                match way {
                    Way::Reads(read) => mark = mark.or(Some(read)),
                    Way::To(successor) if self.arrives(&successor, thread) => arrives = true,
                    Way::To(successor) => match self.completion(&successor.state, thread) {
                        Enabled::Yes => arrives = true,
                        Enabled::If(read) => mark = mark.or(Some(read)),
                        Enabled::No => {}
                    },
                }
                !arrives
            });
            if arrives {
                break;
            }
        }
        Enabled::of(arrives, mark)
    }

    /// Appends the steps of a thread along one edge, with the values that are known before and after it; what threads wait for
    /// is decided if that is wanted. Whether an atomic section that it is in can be completed is not asked: that is for who
    /// knows how the run continues.
    pub fn steps_along(
        &self,
        (state, turn): (&[u8], Turn),
        thread: ThreadId,
        edge: EdgeId,
        (around, decided): (Around<'_>, bool),
        out: &mut Steps,
    ) {
        let Some(at) = self.thread(state, thread.0 as usize) else { return };
        let is_here = at.node(state).is_some_and(|node| self.program.node(node).edges.contains(&edge));
        let may_run = matches!(turn, Turn::Any) || turn == Turn::Only(thread);
        if !is_here || !may_run || self.is_over(state) || self.owner(state).is_some_and(|owner| owner != thread) {
            return;
        }
        let here = Here { state, thread: at, below: 0 };
        self.successors_along(&here, edge, Some(around), &mut |way| {
            if let Way::To(successor) = way {
                let arrives = self.arrives(&successor, thread);
                match decided {
                    true => self.push_decided(&successor, thread, arrives, out),
                    false => self.push((&successor, &successor.state, 0), thread, arrives, out),
                }
            }
            true
        });
    }

    /// Calls `each` for every way to take an edge, as long as it returns true.
    fn successors_along(
        &self,
        here: &Here<'_>,
        edge: EdgeId,
        around: Option<Around<'_>>,
        each: &mut dyn FnMut(Way) -> bool,
    ) {
        let mut oracle = Oracle::within(around);
        let mut choice = 0;
        let mut go_on = true;
        while go_on {
            let mut next = here.state.to_vec();
            let taken = self.take(&mut next, here, edge, &mut oracle);
            if let Some(mark) = oracle.take_mark() {
                go_on = each(Way::Reads(mark)) && oracle.advance();
                continue;
            }
            if matches!(taken, Taken::Violation | Taken::Both) {
                go_on = each(Way::To(Successor { edge, choice, state: Vec::new() }));
                choice += 1;
            }
            if go_on && matches!(taken, Taken::Done | Taken::Both) {
                if let Some(global) = self.program.no_switch_while
                    && next[global.index()] == ANY
                {
                    next[global.index()] = u8::from(oracle.after(VarId::Global(global)));
                }
                self.forget_ended(&mut next);
                go_on = each(Way::To(Successor { edge, choice, state: next }));
                choice += 1;
            }
            go_on &= oracle.advance();
        }
    }

    /// Executes an edge once.
    fn take(&self, state: &mut Vec<u8>, here: &Here<'_>, id: EdgeId, oracle: &mut Oracle<'_>) -> Taken {
        let Here { thread, below, .. } = here;
        let edge = self.program.edge(id);
        let frame = self.top(state, thread);
        let mut eval = Eval { state, locals: frame.locals, oracle, next: &mut [] };
        match &edge.op {
            Op::Assume(condition) if eval.value(condition) == 0 => return Taken::Blocked,
            Op::Skip | Op::Assume(_) => {}
            Op::Assert(condition) => match eval.value(condition) {
                0 => return Taken::Violation,
                1 => {}
                _ => {
                    self.go_to(state, thread, edge.to);
                    return Taken::Both;
                }
            },
            Op::Assign { targets, values, constrain } => {
                if !assign(&mut eval, targets, values, constrain.as_ref()) {
                    return Taken::Blocked;
                }
            }
            Op::Call { procedure, args, .. } => {
                if below + self.depth(eval.state, thread) >= self.options.stack_limit {
                    self.cut.store(true, Ordering::Relaxed);
                    return Taken::Blocked;
                }
                let args: Vec<u8> = args.iter().map(|arg| eval.value(arg)).collect();
                self.call(state, thread, id, *procedure, &args);
                return Taken::Done;
            }
            Op::Return { values } => {
                let values: Vec<u8> = values.iter().map(|value| eval.value(value)).collect();
                self.give_back(state, thread, &values);
                return Taken::Done;
            }
            Op::Start { procedure, args } => {
                let args: Vec<u8> = args.iter().map(|arg| eval.value(arg)).collect();
                self.go_to(state, thread, edge.to);
                self.start(state, *procedure, args);
                return Taken::Done;
            }
            Op::StartAt(node) => {
                self.go_to(state, thread, edge.to);
                let locals = state[frame.locals..frame.place].to_vec();
                self.start_at(state, *node, locals);
                return Taken::Done;
            }
            Op::EndThread => {
                resize(state, thread, thread.frames(), &[]);
                return Taken::Done;
            }
            Op::Wait => return Taken::Blocked,
            Op::Broadcast => self.wake(state, thread),
        }
        self.go_to(state, thread, edge.to);
        Taken::Done
    }

    /// Starts a thread at a node, with the locals of its creator.
    fn start_at(&self, state: &mut Vec<u8>, node: NodeId, locals: Vec<u8>) {
        let root = self.program.node(node).procedure;
        push_thread(state, root, |frames| push_frame(frames, locals.into_iter(), at(node)));
    }

    /// Starts a thread in a procedure.
    fn start(&self, state: &mut Vec<u8>, procedure: ProcId, args: Vec<u8>) {
        let callee = self.program.procedure(procedure);
        let locals = args.into_iter().chain(std::iter::repeat(ANY)).take(callee.locals.len());
        push_thread(state, procedure, |frames| push_frame(frames, locals, at(callee.entry)));
    }

    fn go_to(&self, state: &mut [u8], thread: &ThreadAt, node: NodeId) {
        let place = self.top(state, thread).place;
        state[place..place + 4].copy_from_slice(&at(node));
    }

    fn call(
        &self,
        state: &mut Vec<u8>,
        thread: &ThreadAt,
        edge: EdgeId,
        procedure: crate::program::ProcId,
        args: &[u8],
    ) {
        let callee = self.program.procedure(procedure);
        let place = self.top(state, thread).place;
        state[place..place + 4].copy_from_slice(&calling(edge));
        let mut frame = Vec::new();
        let locals = args.iter().copied().chain(std::iter::repeat(ANY)).take(callee.locals.len());
        push_frame(&mut frame, locals, at(callee.entry));
        resize(state, thread, thread.end, &frame);
    }

    fn give_back(&self, state: &mut Vec<u8>, thread: &ThreadAt, values: &[u8]) {
        let frame = self.top(state, thread);
        let caller = self.caller(state, thread, &frame);
        if let Some(caller) = caller
            && let Place::Call(edge) = layout::place(state, caller.place)
        {
            let edge = self.program.edge(edge);
            if let Op::Call { targets, .. } = &edge.op {
                for (target, value) in targets.iter().zip(values) {
                    match target {
                        None => {}
                        Some(VarId::Global(id)) => state[id.index()] = *value,
                        Some(VarId::Local(id)) => state[caller.locals + id.index()] = *value,
                    }
                }
            }
            state[caller.place..caller.place + 4].copy_from_slice(&at(edge.to));
        }
        resize(state, thread, frame.locals, &[]);
    }

    /// Wakes every thread that waits.
    fn wake(&self, state: &mut [u8], by: &ThreadAt) {
        let threads: Vec<ThreadAt> = self.threads(state).collect();
        for thread in threads.iter().filter(|thread| thread.start != by.start) {
            let Some(node) = thread.node(state) else { continue };
            let waits = |edge: &&EdgeId| self.program.edge(**edge).op == Op::Wait;
            if let Some(edge) = self.program.node(node).edges.iter().find(waits) {
                self.go_to(state, thread, self.program.edge(*edge).to);
            }
        }
    }

    /// Leaves out threads that have ended, as far as no other follows them.
    fn forget_ended(&self, state: &mut Vec<u8>) {
        let from_the_start = self.program.threads.len() + usize::from(self.program.init.is_some());
        let threads: Vec<ThreadAt> = self.threads(state).collect();
        for thread in threads.iter().skip(from_the_start).rev().take_while(|thread| thread.ended()) {
            state.truncate(thread.start);
        }
    }

    /// Whether the stack limit keeps a thread from going on in a state in which none has a step: at once, or inside the
    /// atomic section that its next step would begin.
    pub(super) fn beyond_stack(&self, state: &[u8]) -> bool {
        let threads = self.threads(state).count() as u32;
        (0..threads).any(|thread| self.is_cut(state, ThreadId(thread)))
    }

    /// Whether a thread reaches a call beyond the stack limit before another may run.
    fn is_cut(&self, state: &[u8], thread: ThreadId) -> bool {
        let calls = |edge: &EdgeId| matches!(self.program.edge(*edge).op, Op::Call { .. });
        Section::new(self, thread).any(state, |state, below, _| {
            let Some(at) = self.thread(state, thread.0 as usize) else { return false };
            let full = below + self.depth(state, &at) >= self.options.stack_limit;
            full && at.node(state).is_some_and(|node| self.program.node(node).edges.iter().any(calls))
        })
    }

    /// Removes all frames of a thread but the two innermost, and returns them.
    pub(super) fn take_base(&self, state: &mut Vec<u8>, thread: ThreadId) -> Vec<u8> {
        let Some(at) = self.thread(state, thread.0 as usize) else { return Vec::new() };
        let Some(caller) = self.caller(state, &at, &self.top(state, &at)) else { return Vec::new() };
        let base: Vec<u8> = state.drain(at.frames()..caller.locals).collect();
        set_length(state, at.start, at.end - caller.locals);
        base
    }

    /// Puts frames back that [`BoolMachine::take_base`] removed.
    pub(super) fn with_base(&self, mut state: Vec<u8>, thread: ThreadId, base: &[u8]) -> Vec<u8> {
        if let Some(at) = self.thread(&state, thread.0 as usize) {
            state.splice(at.frames()..at.frames(), base.iter().copied());
            set_length(&mut state, at.start, at.end - at.frames() + base.len());
        }
        state
    }
}

/// Parallel assignment; whether the condition holds.
fn assign(eval: &mut Eval<'_, '_>, targets: &[VarId], values: &[Expr], constrain: Option<&Expr>) -> bool {
    let mut next: Vec<(VarId, u8)> = Vec::with_capacity(targets.len());
    for (target, value) in targets.iter().zip(values) {
        next.push((*target, eval.value(value)));
    }
    if let Some(condition) = constrain {
        let Eval { state, locals, oracle, .. } = eval;
        let mut inner = Eval { state, locals: *locals, oracle, next: &mut next };
        if inner.value(condition) == 0 {
            return false;
        }
    }
    for (target, value) in next {
        let position = eval.position(target);
        eval.state[position] = value;
    }
    true
}

/// Replaces what follows `from` in a thread's stack.
fn resize(state: &mut Vec<u8>, thread: &ThreadAt, from: usize, with: &[u8]) {
    state.splice(from..thread.end, with.iter().copied());
    set_length(state, thread.start, from - thread.frames() + with.len());
}
