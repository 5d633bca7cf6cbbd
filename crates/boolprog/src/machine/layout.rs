//! The state vector: one byte for each global, then the threads one after the other. A thread is the
//! length of its stack in bytes, the procedure it runs, and its frames, the outermost first. A frame
//! is its locals and where it is: the node of the running procedure, or, of a procedure that waits
//! for a call, the edge of that call. A thread that has ended has no frames; at the end of the vector
//! threads that have ended and did not exist from the start are left out.

use crate::program::{EdgeId, NodeId, ProcId};

use super::BoolMachine;

/// A variable that holds any value.
pub(super) const ANY: u8 = 2;

const HEADER: usize = 8;
const WHERE: usize = 4;
/// Marks the edge of a call.
const CALLING: u32 = 1 << 31;

/// A thread in a state vector.
#[derive(Clone, Copy, Debug)]
pub struct ThreadAt {
    /// Its first byte.
    pub start: usize,
    /// One past its last byte.
    pub end: usize,
    /// What it runs.
    pub root: ProcId,
}

/// A frame in a state vector.
#[derive(Clone, Copy, Debug)]
pub struct FrameAt {
    /// Its first local.
    pub locals: usize,
    /// Its place.
    pub place: usize,
}

/// Where a frame is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// At a node.
    Node(NodeId),
    /// Waiting for a call.
    Call(EdgeId),
}

/// The place of the innermost frame.
pub(super) fn at(node: NodeId) -> [u8; WHERE] {
    node.0.to_le_bytes()
}

/// The place of a frame that waits for a call.
pub(super) fn calling(edge: EdgeId) -> [u8; WHERE] {
    (edge.0 | CALLING).to_le_bytes()
}

fn number(state: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([state[at], state[at + 1], state[at + 2], state[at + 3]])
}

/// What is written at a frame's place.
pub(super) fn place(state: &[u8], at: usize) -> Place {
    let number = number(state, at);
    if number & CALLING == 0 { Place::Node(NodeId(number)) } else { Place::Call(EdgeId(number & !CALLING)) }
}

/// Appends a thread whose frames `frames` appends.
pub(crate) fn push_thread(out: &mut Vec<u8>, root: ProcId, frames: impl FnOnce(&mut Vec<u8>)) {
    let start = out.len();
    out.extend([0; 4]);
    out.extend(root.0.to_le_bytes());
    frames(out);
    let length = out.len() - start - HEADER;
    set_length(out, start, length);
}

/// Appends a frame.
pub(crate) fn push_frame(out: &mut Vec<u8>, locals: impl Iterator<Item = u8>, place: [u8; WHERE]) {
    out.extend(locals);
    out.extend(place);
}

/// Writes the length of a thread's stack.
pub(super) fn set_length(state: &mut [u8], thread: usize, length: usize) {
    state[thread..thread + 4].copy_from_slice(&(length as u32).to_le_bytes());
}

impl ThreadAt {
    /// Whether it has no frames.
    pub fn ended(&self) -> bool {
        self.start + HEADER == self.end
    }

    /// Where its frames start.
    pub fn frames(&self) -> usize {
        self.start + HEADER
    }

    /// The node of its innermost frame.
    pub fn node(&self, state: &[u8]) -> Option<NodeId> {
        if self.ended() {
            return None;
        }
        match place(state, self.end - WHERE) {
            Place::Node(node) => Some(node),
            Place::Call(_) => None,
        }
    }
}

/// Iterates over the threads of a state.
pub struct Threads<'s> {
    state: &'s [u8],
    at: usize,
}

impl Iterator for Threads<'_> {
    type Item = ThreadAt;

    fn next(&mut self) -> Option<ThreadAt> {
        if self.at + HEADER > self.state.len() {
            return None;
        }
        let length = number(self.state, self.at) as usize;
        let root = ProcId(number(self.state, self.at + 4));
        let thread = ThreadAt { start: self.at, end: self.at + HEADER + length, root };
        self.at = thread.end;
        Some(thread)
    }
}

impl BoolMachine {
    /// The threads of a state.
    pub fn threads<'s>(&self, state: &'s [u8]) -> Threads<'s> {
        Threads { state, at: self.program.globals.len() }
    }

    /// One thread of a state.
    pub fn thread(&self, state: &[u8], index: usize) -> Option<ThreadAt> {
        self.threads(state).nth(index)
    }

    /// The frame whose place is written at `place_at`.
    pub fn frame(&self, state: &[u8], place_at: usize) -> FrameAt {
        let node = match place(state, place_at) {
            Place::Node(node) => node,
            Place::Call(edge) => self.program.edge(edge).from,
        };
        let locals = self.program.procedure(self.program.node(node).procedure).locals.len();
        FrameAt { locals: place_at - locals, place: place_at }
    }

    /// The innermost frame of a thread that has not ended.
    pub fn top(&self, state: &[u8], thread: &ThreadAt) -> FrameAt {
        self.frame(state, thread.end - WHERE)
    }

    /// The frame that waits for `frame` to return.
    pub fn caller(&self, state: &[u8], thread: &ThreadAt, frame: &FrameAt) -> Option<FrameAt> {
        (frame.locals > thread.frames()).then(|| self.frame(state, frame.locals - WHERE))
    }

    /// How many frames a thread has.
    pub fn depth(&self, state: &[u8], thread: &ThreadAt) -> u32 {
        if thread.ended() {
            return 0;
        }
        let mut depth = 1;
        let mut frame = self.top(state, thread);
        while let Some(outer) = self.caller(state, thread, &frame) {
            (depth, frame) = (depth + 1, outer);
        }
        depth
    }
}
