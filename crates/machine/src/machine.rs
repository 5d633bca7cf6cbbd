//! [`Machine`]: the one narrow interface between a language and the engines that explore it state
//! by state. A state is a flat vector of bytes; a step is one atomic action of one thread.
//!
//! Protocol. An engine takes [`Machine::initial`], and asks [`Machine::steps`] for the steps of a
//! state; every call appends to a reusable [`Steps`] buffer, so that no step allocates. A step ends
//! in a state together with a [`Turn`]: who may go on from there. States whose turn is
//! [`Turn::Only`] lie inside an atomic sequence: they are passed through ([`expand`](crate::expand())), not stored.
//! Everything is deterministic: the same state and turn give the same steps in the same order.

use std::ops::Range;

use selvedge_core::{ThreadId, ViolationKind};
use selvedge_source::Span;

use crate::{Condition, Frame, Threads};

/// Who may go on from a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Turn {
    /// Every thread.
    Any,
    /// Only this thread, which is inside an atomic sequence. If it cannot go on, every thread may.
    Only(ThreadId),
    /// Nothing can go on and only the claim still moves (finite runs are extended by stuttering).
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
    /// What it does, for [`Machine::view`]; its meaning is the machine's own.
    pub action: [u32; 3],
    /// Where the state after it stands in the buffer; empty if the step could not be completed
    /// (then it has a fault).
    pub state: Range<usize>,
    /// Who may go on.
    pub turn: Turn,
    /// Index into [`Steps::faults`], plus how many.
    pub faults: Range<usize>,
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

    /// The state after a step; `None` if the step could not be completed.
    pub fn state(&self, step: &Step) -> Option<&[u8]> {
        (!step.state.is_empty()).then(|| &self.bytes[step.state.clone()])
    }
}

/// What a step did, for people.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StepView {
    /// The statement.
    pub span: Option<Span>,
    /// The statement as the source has it.
    pub text: String,
    /// Variables that changed, with their new values.
    pub changes: Vec<(String, String)>,
    /// A message sent or received: channel, `send`/`receive`/`rendezvous`, values.
    pub message: Option<(String, &'static str, Vec<String>)>,
    /// The statement of the partner in a rendezvous.
    pub partner: Option<(ThreadId, Span, String)>,
    /// Text printed by the step.
    pub output: Option<String>,
}

/// A language's next-state function.
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
    /// no thread, those that lead somewhere may be left out, so that nobody has to find out whether
    /// another thread can go on. A machine that leaves them out has none where some thread can.
    fn own_steps(&self, state: &[u8], threads: &Threads, scratch: &mut Self::Scratch, out: &mut Steps) {
        self.thread_steps(state, threads, scratch, out);
    }

    /// Appends the steps of one thread in `state`, in the model without its claim. Used to follow a thread that may be
    /// spinning; states are those of the model with its claim, which stays where it is.
    fn unclaimed_steps(&self, state: &[u8], thread: ThreadId, scratch: &mut Self::Scratch, out: &mut Steps) {
        self.own_steps(state, &Threads::only(thread), scratch, out);
    }

    /// Whether a thread has a step of [`Turn::Any`] that leads somewhere; `None` where that has to be found out from its
    /// steps. For machines with states that can have too many steps to list them.
    fn has_step(&self, _state: &[u8], _thread: ThreadId) -> Option<bool> {
        None
    }

    /// Whether a thread can be spinning in `state` (see [`Spinning`](crate::Spinning)): a filter, for which `true` is
    /// always right in a machine that defines [`Machine::same_shared`].
    fn may_spin(&self, _state: &[u8], _thread: ThreadId) -> bool {
        false
    }

    /// Whether two states differ at most in what only `thread` can see: its control and its local variables, except
    /// those that another thread refers to. Both states have been through [`Machine::erase_unread`].
    fn same_shared(&self, _one: &[u8], _other: &[u8], _thread: ThreadId) -> bool {
        false
    }

    /// Clears what must not tell states apart when `thread` is asked whether it spins: variables that nothing reads, and
    /// the claim.
    fn erase_unread(&self, _state: &mut [u8], _thread: ThreadId) {}

    /// Whether the steps that a thread has in `state` are local: they touch only what is its own, can neither be
    /// prevented nor be observed by another thread or by the property, cannot fail, and neither enable nor disable
    /// another thread. Preempting the thread in front of such a step is pointless.
    fn is_local(&self, _state: &[u8], _thread: ThreadId) -> bool {
        false
    }

    /// Whether an infinite run through this state again and again is accepted.
    fn is_accepting(&self, _state: &[u8]) -> bool {
        false
    }

    /// Whether the state counts as progress.
    fn is_progress(&self, _state: &[u8]) -> bool {
        false
    }

    /// Which move of the claim a step follows, so that a caller can tell the steps of one claim
    /// move from those of another; all the same where there is no claim.
    fn claim_move(&self, _step: &Step) -> u32 {
        0
    }

    /// Whether the steps of a thread in `state` may stand for those of all threads: nobody else can
    /// disable them or change what they do, they neither disable nor change a step of anybody else,
    /// now or later before one of them is taken, and no property can tell them from standing still.
    fn is_safe(&self, _state: &[u8], _thread: ThreadId) -> bool {
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

    /// A thread's name, unique in the state together with its id.
    fn thread_name(&self, state: &[u8], thread: ThreadId) -> String;

    /// What a step did, for people.
    fn view(&self, before: &[u8], step: &Step, after: Option<&[u8]>) -> StepView;

    /// What each thread is waiting for in a state in which it cannot go on: the place and a sentence.
    fn waiting(&self, state: &[u8], thread: ThreadId) -> Option<(Span, String)>;

    /// The variables, by the names of [`Machine::variables`], that would have to change for such a thread to go on.
    fn waits_on(&self, state: &[u8], thread: ThreadId) -> Vec<String> {
        let _ = (state, thread);
        Vec::new()
    }

    /// The calls that a thread is inside of, outermost first; none in a language without procedures.
    fn stack(&self, state: &[u8], thread: ThreadId) -> Vec<Frame> {
        let _ = (state, thread);
        Vec::new()
    }

    /// What the statement of `step`, which is taken in `at`, reads and writes, looked at in `state`. `None` where nothing is
    /// known of it, or what it reads does not exist in `state`.
    fn condition(&self, at: &[u8], step: &Step, state: &[u8]) -> Option<Condition> {
        let _ = (at, step, state);
        None
    }

    /// The state expressions that the claim in force asks about, as they are written, and whether they hold in `state`.
    fn propositions(&self, state: &[u8]) -> Vec<(String, bool)> {
        let _ = state;
        Vec::new()
    }

    /// The variables of a state with their values, for displays.
    fn variables(&self, state: &[u8]) -> Vec<(String, String)>;

    /// The variables of two states with their values, for displays; those of a part of the state that is the same in both
    /// may be left out of both.
    fn differing_variables(&self, before: &[u8], after: &[u8]) -> [Vec<(String, String)>; 2] {
        [before, after].map(|state| self.variables(state))
    }
}

/// A step on a path, with the state after it (empty if the step could not be completed).
#[derive(Clone, Debug)]
pub struct PathStep {
    /// The step; its ranges are meaningless outside their buffer.
    pub step: Step,
    /// The state after it.
    pub state: Vec<u8>,
    /// Faults it raised.
    pub faults: Vec<Fault>,
}

/// A run: an initial state and steps, those inside atomic sequences included.
#[derive(Clone, Debug, Default)]
pub struct Path {
    /// Where it starts.
    pub initial: Vec<u8>,
    /// The steps.
    pub steps: Vec<PathStep>,
    /// Of a run that goes on for ever: the first step of the cycle that it ends with.
    pub cycle: Option<usize>,
}

impl Path {
    /// The state before a step.
    pub fn before(&self, index: usize) -> &[u8] {
        index.checked_sub(1).map_or(&self.initial, |last| &self.steps[last].state)
    }
}
