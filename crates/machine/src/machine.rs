//! [`Machine`]: the one narrow interface between a language and the engines that explore it state
//! by state. A state is a flat vector of bytes; a step is one atomic action of one thread. This is what every search
//! needs: initial state, steps, faults. What a machine may know besides is in [`Hints`](crate::Hints), how it shows
//! them to people in [`Describe`](crate::Describe); a claim runs beside any machine in a [`Product`](crate::Product).
//!
//! Protocol. An engine takes [`Machine::initial`], and asks [`Machine::steps`] for the steps of a
//! state; every call appends to a reusable [`Steps`] buffer, so that no step allocates. A step ends
//! in a state together with a [`Turn`]: who may continue from there. States whose turn is
//! [`Turn::Only`] lie inside an atomic sequence: they are passed through ([`expand`](crate::expand())), not stored.
//! Everything is deterministic: the same state and turn give the same steps in the same order.

use std::ops::Range;

use selvedge_core::{ThreadId, ViolationKind};
use selvedge_source::Span;

use crate::Threads;

/// Who may continue from a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Turn {
    /// Every thread.
    Any,
    /// Only this thread, which is inside an atomic sequence. If it is blocked, every thread may run.
    Only(ThreadId),
    /// Nothing can continue and only the claim still moves (finite runs are extended by stuttering).
    Stutter,
}

/// A violation as a step found it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Fault {
    /// What kind.
    pub kind: ViolationKind,
    /// One sentence.
    pub message: String,
    /// Where, if a place in the source is to blame.
    pub span: Option<Span>,
    /// The thread that did it, if one did.
    pub thread: Option<ThreadId>,
}

/// One step in a [`Steps`] buffer.
#[derive(Clone, Debug)]
pub struct Step {
    /// The thread that acts; `None` where only the claim moves.
    pub thread: Option<ThreadId>,
    /// The thread that counts as the last one to have run after the step.
    pub ran_last: Option<ThreadId>,
    /// What it does, for [`Describe::view`](crate::Describe::view); its meaning is the machine's own.
    pub action: [u32; 3],
    /// The move of the claim that it follows, so that the steps of one claim move can be distinguished from those of another; 0
    /// where there is no claim.
    pub claim_move: u32,
    /// Where the state after it stands in the buffer; empty if the step could not be completed
    /// (then it has a fault).
    pub state: Range<usize>,
    /// Who may continue.
    pub turn: Turn,
    /// Index into [`Steps::faults`], plus how many.
    pub faults: Range<usize>,
}

impl Step {
    /// Whether a step of another machine of the same model is this one: the same action after the same move of the claim.
    pub fn is_like(&self, other: &Step) -> bool {
        (self.thread, self.action, self.claim_move) == (other.thread, other.action, other.claim_move)
    }
}

/// A reusable buffer of steps, their target states and faults.
#[derive(Clone, Debug, Default)]
pub struct Steps {
    /// The steps, in the machine's order.
    pub list: Vec<Step>,
    /// Target states, one after the other.
    pub bytes: Vec<u8>,
    /// Faults of the steps.
    pub faults: Vec<Fault>,
}

impl Steps {
    /// An empty buffer.
    pub fn new() -> Self {
        Self::default()
    }

    /// Forgets everything, keeps the memory.
    pub fn clear(&mut self) {
        self.list.clear();
        self.bytes.clear();
        self.faults.clear();
    }

    /// How many steps there are now, to go back there.
    pub fn mark(&self) -> Mark {
        Mark { steps: self.list.len(), bytes: self.bytes.len(), faults: self.faults.len() }
    }

    /// Whether steps were added since.
    pub fn grew_since(&self, mark: &Mark) -> bool {
        self.list.len() > mark.steps
    }

    /// Removes what was added since.
    pub fn go_back(&mut self, mark: &Mark) {
        self.list.truncate(mark.steps);
        self.bytes.truncate(mark.bytes);
        self.faults.truncate(mark.faults);
    }

    /// The steps that were added since.
    pub fn since(&mut self, mark: &Mark) -> &mut [Step] {
        &mut self.list[mark.steps..]
    }

    /// The state after a step; `None` if the step could not be completed.
    pub fn state(&self, step: &Step) -> Option<&[u8]> {
        (!step.state.is_empty()).then(|| &self.bytes[step.state.clone()])
    }
}

/// A position in a [`Steps`] buffer.
#[derive(Clone, Copy, Debug)]
pub struct Mark {
    steps: usize,
    bytes: usize,
    faults: usize,
}

/// A language's next-state function, as a search needs it.
pub trait Machine: Sync {
    /// Buffers that one caller reuses from call to call.
    type Scratch: Default;

    /// Appends the initial state to `out`.
    fn initial(&self, out: &mut Vec<u8>);

    /// Bytes at the front of every state that are carried along but do not tell states apart.
    fn hidden_prefix(&self) -> usize {
        0
    }

    /// Appends the steps that `turn` allows in `state`. With [`Turn::Only`] an empty answer means
    /// that the thread is blocked inside its atomic sequence.
    fn steps(&self, state: &[u8], turn: Turn, scratch: &mut Self::Scratch, out: &mut Steps);

    /// Appends those of the steps of [`Turn::Any`] that are taken by one of `threads` or by no
    /// thread at all. A machine that can leave out the work for the others should.
    fn thread_steps(&self, state: &[u8], threads: &Threads, scratch: &mut Self::Scratch, out: &mut Steps) {
        let from = out.list.len();
        self.steps(state, Turn::Any, scratch, out);
        let wanted = |step: &Step| step.thread.is_none_or(|thread| threads.contains(thread));
        let mut index = 0;
        out.list.retain(|step| {
            index += 1;
            index <= from || wanted(step)
        });
    }

    /// Appends the steps of `threads` in `state`, as [`Machine::thread_steps`] does. Of the steps of
    /// no thread, those that lead somewhere may be left out, so that it need not be found out whether
    /// another thread can continue. A machine that leaves them out has none where some thread can.
    fn own_steps(&self, state: &[u8], threads: &Threads, scratch: &mut Self::Scratch, out: &mut Steps) {
        self.thread_steps(state, threads, scratch, out);
    }

    /// Whether an infinite run through this state again and again is accepted.
    fn is_accepting(&self, _state: &[u8]) -> bool {
        false
    }

    /// Whether the state counts as progress.
    fn is_progress(&self, _state: &[u8]) -> bool {
        false
    }

    /// Called for a state without steps: the fault of ending here, if that is one.
    fn end_fault(&self, state: &[u8]) -> Option<Fault>;

    /// Called once for each stored state: faults of being there (a label to reach).
    fn state_fault(&self, _state: &[u8]) -> Option<Fault> {
        None
    }

    /// Whether a thread has ended, or has nothing left to do but to end.
    fn has_finished(&self, state: &[u8], thread: ThreadId) -> bool {
        thread.0 >= self.thread_count(state)
    }

    /// How many threads are alive in a state.
    fn thread_count(&self, state: &[u8]) -> u32;
}
