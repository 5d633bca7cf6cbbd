//! What threads wait for is decided when they reach the statement: in every state in which threads may switch, whether a
//! thread is enabled does not depend on a variable that may hold any value. Otherwise a run in which the value blocks a
//! thread would cost the preemption of a thread that is blocked, a thread that waits for ever would not count as one, and a
//! state in which all threads are stuck would not be seen.
//!
//! To find the variables in question they are marked, and the thread is tried: a way that reads a mark leads nowhere and says
//! which one. Then that variable is tried with either value. A variable stays open where both lead to the same.
//!
//! The state at the start is one state, so nothing is decided there. No thread ran before it, so that no switch can be a
//! preemption, and it is no state of a cycle: after a step everything is decided. Only threads that are all stuck from the
//! start are looked for with values ([`BoolMachine::find_stuck_at_start`]).

use selvedge_core::ThreadId;
use selvedge_machine::{Fault, Machine};

use super::BoolMachine;
use super::layout::{ANY, Place, ThreadAt, place};
use crate::program::{EdgeId, Expr, NodeId, Op, VarId};

/// Marks are the numbers from here on; of more variables than there are marks some share one.
const FIRST_MARK: u8 = ANY + 1;
const MARKS: usize = (u8::MAX - FIRST_MARK) as usize + 1;

/// Whether a thread has a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Enabled {
    Yes,
    No,
    /// That depends on the variable with this mark.
    If(u8),
}

impl Enabled {
    /// By what was found without reading a mark, and the first mark that was read.
    pub(super) fn of(found: bool, mark: Option<u8>) -> Enabled {
        match (found, mark) {
            (true, _) => Enabled::Yes,
            (false, Some(mark)) => Enabled::If(mark),
            (false, None) => Enabled::No,
        }
    }
}

impl BoolMachine {
    /// The states that a state stands for, as far as the difference decides which threads are enabled.
    pub(super) fn decided(&self, state: &[u8]) -> Vec<Vec<u8>> {
        let mut states = vec![state.to_vec()];
        for thread in 0..self.threads(state).count() {
            let ways = states.into_iter().flat_map(|state| self.decided_for(state, thread));
            states = ways.collect();
        }
        states
    }

    /// Whether a state in which threads may switch stands only for states in which the same threads are enabled.
    pub(crate) fn is_decided(&self, state: &[u8]) -> bool {
        state.is_empty() || self.is_over(state) || matches!(self.decided(state).as_slice(), [only] if only == state)
    }

    fn decided_for(&self, mut state: Vec<u8>, thread: usize) -> Vec<Vec<u8>> {
        let Some(at) = self.thread(&state, thread) else { return vec![state] };
        if at.node(&state).is_none_or(|node| self.always_has_step(&state, &at, node)) {
            return vec![state];
        }
        let open = self.open_to(&state, &at);
        for (number, position) in open.iter().enumerate() {
            state[*position] = FIRST_MARK + (number % MARKS) as u8;
        }
        let mut states = Vec::new();
        self.split(&state, ThreadId(thread as u32), &open, &mut states);
        for state in &mut states {
            open.iter().for_each(|position| state[*position] = state[*position].min(ANY));
        }
        states
    }

    /// The positions of the variables that a thread can read and that hold any value.
    fn open_to(&self, state: &[u8], thread: &ThreadAt) -> Vec<usize> {
        let mut open: Vec<usize> = (0..self.program.globals.len()).filter(|global| state[*global] == ANY).collect();
        let mut next = Some(self.top(state, thread));
        while let Some(frame) = next {
            open.extend((frame.locals..frame.place).filter(|local| state[*local] == ANY));
            next = self.caller(state, thread, &frame);
        }
        open
    }

    /// Appends states that a state with marks stands for, in each of which the thread is enabled or is not; the result is
    /// which, if it is the same in all of them. Then there is only one.
    fn split(&self, state: &[u8], thread: ThreadId, open: &[usize], out: &mut Vec<Vec<u8>>) -> Option<bool> {
        let same = match self.enabled(state, thread) {
            Enabled::Yes => Some(true),
            Enabled::No => Some(false),
            Enabled::If(mark) => {
                let position = open.iter().find(|position| state[**position] == mark)?;
                let (mut state, before) = (state.to_vec(), out.len());
                let [no, yes] = [0, 1].map(|value| {
                    state[*position] = value;
                    self.split(&state, thread, open, out)
                });
                if no.is_none() || no != yes {
                    return None;
                }
                out.truncate(before);
                no
            }
        };
        out.push(state.to_vec());
        same
    }

    /// Whether a thread has a step at its node whatever the values of variables are, by the kind of its statements alone.
    pub(super) fn always_has_step(&self, state: &[u8], thread: &ThreadAt, node: NodeId) -> bool {
        let edges = &self.program.node(node).edges;
        if self.program.no_switch_while.is_some_and(|flag| state[flag.index()] == 1) {
            return false;
        }
        edges.iter().any(|edge| self.never_blocks(state, thread, *edge)) || self.has_both(edges)
    }

    /// Whether an edge can be taken and leads to where other threads may run, whatever the values are.
    fn never_blocks(&self, state: &[u8], thread: &ThreadAt, id: EdgeId) -> bool {
        let edge = self.program.edge(id);
        let free = !self.program.node(edge.to).atomic;
        let flag = self.program.no_switch_while.map(VarId::Global);
        match &edge.op {
            Op::Skip | Op::Assert(_) | Op::Start { .. } | Op::StartAt(_) | Op::EndThread | Op::Broadcast => free,
            Op::Assign { targets, constrain: None, .. } => free && flag.is_none_or(|flag| !targets.contains(&flag)),
            Op::Call { procedure, .. } => {
                let entry = self.program.procedure(*procedure).entry;
                !self.program.node(entry).atomic && self.depth(state, thread) < self.options.stack_limit
            }
            Op::Return { .. } => flag.is_none() && self.returns_to_free(state, thread),
            Op::Assume(_) | Op::Assign { .. } | Op::Wait => false,
        }
    }

    /// Whether other threads may run where a thread is after it has returned.
    fn returns_to_free(&self, state: &[u8], thread: &ThreadAt) -> bool {
        let caller = self.caller(state, thread, &self.top(state, thread));
        caller.is_none_or(|caller| match place(state, caller.place) {
            Place::Call(edge) => !self.program.node(self.program.edge(edge).to).atomic,
            Place::Node(_) => false,
        })
    }

    /// Whether one edge can be taken if a condition is true, another if it is false (`if`, `while`).
    fn has_both(&self, edges: &[EdgeId]) -> bool {
        let conditions = edges.iter().filter_map(|edge| match &self.program.edge(*edge) {
            edge if self.program.node(edge.to).atomic => None,
            edge => match &edge.op {
                Op::Assume(condition) => Some(condition),
                _ => None,
            },
        });
        let conditions: Vec<&Expr> = conditions.collect();
        let is_other = |one: &Expr, other: &Expr| matches!(other, Expr::Not(inner) if **inner == *one);
        conditions.iter().any(|one| conditions.iter().any(|other| is_other(one, other)))
    }

    /// The state at the start, if no thread has a step there with some values of its variables.
    pub(super) fn find_stuck_at_start(&self) -> Option<(Vec<u8>, Fault)> {
        let mut start = Vec::new();
        self.initial(&mut start);
        if !self.options.deadlock || self.is_over(&start) {
            return None;
        }
        let flag = self.program.no_switch_while.filter(|flag| start[flag.index()] == ANY);
        let mut states = vec![start.clone()];
        if let Some(flag) = flag {
            states = vec![start.clone(); 2];
            (states[0][flag.index()], states[1][flag.index()]) = (0, 1);
        }
        let threads = self.threads(&start).count() as u32;
        let is_stuck =
            |state: &Vec<u8>| !(0..threads).any(|thread| self.enabled(state, ThreadId(thread)) == Enabled::Yes);
        let stuck = states.iter().flat_map(|state| self.decided(state)).find(is_stuck)?;
        // Where no thread has a step with any values the search says so.
        (stuck != start).then(|| self.end_fault(&stuck)).flatten().map(|fault| (start, fault))
    }
}
