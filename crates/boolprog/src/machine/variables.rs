//! The variables of a state by what they are, not by where they stand: for who compares the states of a run.

use selvedge_core::ThreadId;

use super::BoolMachine;
use super::layout::{ANY, FrameAt, Place, ThreadAt, place};
use crate::program::{EdgeId, Op, VarId};

/// A variable of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Variable {
    /// By its number.
    Global(usize),
    /// Of a thread, in one of its frames (the outermost is number 0), by its number.
    Local {
        /// Index of the thread.
        thread: usize,
        /// Number of the frame.
        frame: usize,
        /// Number in the frame's procedure.
        number: usize,
    },
}

impl BoolMachine {
    /// Every variable of a state with the byte that it holds.
    pub(crate) fn all_values(&self, state: &[u8]) -> Vec<(Variable, u8)> {
        if state.is_empty() {
            return Vec::new();
        }
        let globals = 0..self.program.globals.len();
        let mut values: Vec<(Variable, u8)> = globals.map(|global| (Variable::Global(global), state[global])).collect();
        for (thread, at) in self.threads(state).enumerate() {
            for (frame, found) in self.frames_of(state, &at).iter().enumerate() {
                let locals = (found.locals..found.place).enumerate();
                values.extend(locals.map(|(number, byte)| (Variable::Local { thread, frame, number }, state[byte])));
            }
        }
        values
    }

    /// The variables of a state that have a value.
    pub(crate) fn known_values(&self, state: &[u8]) -> Vec<(Variable, u8)> {
        let mut values = self.all_values(state);
        values.retain(|(_, value)| *value != ANY);
        values
    }

    /// The variables that a thread writes when it follows an edge, as far as they exist before.
    pub(crate) fn written(&self, state: &[u8], thread: ThreadId, edge: EdgeId) -> Vec<Variable> {
        let thread = thread.0 as usize;
        let Some(at) = self.thread(state, thread) else { return Vec::new() };
        let frames = self.frames_of(state, &at);
        let in_frame = |frame: usize, variable: VarId| match variable {
            VarId::Global(id) => Variable::Global(id.index()),
            VarId::Local(id) => Variable::Local { thread, frame, number: id.index() },
        };
        let Some(innermost) = frames.len().checked_sub(1) else { return Vec::new() };
        match &self.program.edge(edge).op {
            Op::Assign { targets, .. } => targets.iter().map(|target| in_frame(innermost, *target)).collect(),
            Op::Return { .. } if innermost > 0 => match place(state, frames[innermost - 1].place) {
                Place::Call(call) => match &self.program.edge(call).op {
                    Op::Call { targets, .. } => {
                        targets.iter().flatten().map(|target| in_frame(innermost - 1, *target)).collect()
                    }
                    _ => Vec::new(),
                },
                Place::Node(_) => Vec::new(),
            },
            _ => Vec::new(),
        }
    }

    /// The frames of a thread, the outermost first.
    fn frames_of(&self, state: &[u8], thread: &ThreadAt) -> Vec<FrameAt> {
        let mut frames = Vec::new();
        let mut next = (!thread.ended()).then(|| self.top(state, thread));
        while let Some(frame) = next {
            frames.push(frame);
            next = self.caller(state, thread, &frame);
        }
        frames.reverse();
        frames
    }
}
