//! [`Machine`]: the one narrow interface between a language and the engines that explore it state
//! by state. A state is a flat vector of bytes; a step is one atomic action of one thread.
//!
//! Protocol. An engine takes [`Machine::initial`], and asks [`Machine::steps`] for the steps of a
//! state; every call appends to a reusable [`Steps`] buffer, so that no step allocates. A step ends
//! in a state together with a [`Turn`]: who may go on from there. States whose turn is
//! [`Turn::Only`] lie inside an atomic sequence: they are passed through ([`expand`]), not stored.
//! Everything is deterministic: the same state and turn give the same steps in the same order.

use std::ops::Range;

use rustc_hash::FxHashSet;
use selvedge_source::Span;
use smallvec::SmallVec;

use selvedge_core::{ThreadId, ViolationKind};

/// A set of threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Threads([u64; 4]);

impl Threads {
    /// Every thread.
    pub const ALL: Threads = Threads([u64::MAX; 4]);
    /// No thread.
    pub const NONE: Threads = Threads([0; 4]);
    /// How many threads a set can tell apart; all those above count as one.
    pub const MOST: u32 = 256;

    /// This thread alone.
    pub fn only(thread: ThreadId) -> Self {
        let mut set = Threads::NONE;
        set.insert(thread);
        set
    }

    /// Those of the first 64 threads whose bits are set.
    pub fn of_bits(bits: u64) -> Self {
        Threads([bits, 0, 0, 0])
    }

    /// The threads in it, in order.
    pub fn iter(&self) -> impl Iterator<Item = ThreadId> {
        self.0.into_iter().zip(0..).flat_map(|(mut bits, word)| {
            std::iter::from_fn(move || {
                let thread = (bits != 0).then(|| ThreadId(word * 64 + bits.trailing_zeros()));
                bits &= bits.wrapping_sub(1);
                thread
            })
        })
    }

    /// Adds a thread.
    pub fn insert(&mut self, ThreadId(thread): ThreadId) {
        let thread = thread.min(Threads::MOST - 1) as usize;
        self.0[thread / 64] |= 1 << (thread % 64);
    }

    /// Whether a thread is in it.
    pub fn contains(&self, ThreadId(thread): ThreadId) -> bool {
        let thread = thread.min(Threads::MOST - 1) as usize;
        self.0[thread / 64] >> (thread % 64) & 1 == 1
    }

    /// The one thread that is in it, if there is exactly one.
    #[inline]
    pub fn single(&self) -> Option<ThreadId> {
        if let [first, 0, 0, 0] = self.0 {
            return first.is_power_of_two().then(|| ThreadId(first.trailing_zeros()));
        }
        let word = self.0.iter().position(|word| *word != 0)?;
        let alone = self.0[word].is_power_of_two() && self.0[word + 1..].iter().all(|word| *word == 0);
        let thread = word as u32 * 64 + self.0[word].trailing_zeros();
        // The last one stands for all those above, too.
        (alone && thread + 1 < Threads::MOST).then_some(ThreadId(thread))
    }

    /// The threads that are not in it.
    pub fn complement(&self) -> Self {
        Threads(self.0.map(|word| !word))
    }

    /// The threads of both.
    pub fn union(&self, other: &Threads) -> Self {
        Threads(std::array::from_fn(|i| self.0[i] | other.0[i]))
    }

    /// Whether all of another set are in it.
    pub fn includes(&self, other: &Threads) -> bool {
        self.0.iter().zip(other.0).all(|(mine, theirs)| theirs & !mine == 0)
    }
}

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

    /// Whether a thread's own steps may lead from `state` back to it. `true` is always right.
    fn may_return(&self, _state: &[u8], _thread: ThreadId) -> bool {
        true
    }

    /// Whether the steps that a thread has in `state` are nobody else's business: they touch only
    /// what is its own, can neither be prevented nor be noticed by another thread or by the
    /// property, cannot fail, and neither enable nor disable another thread. Preempting the thread
    /// in front of such a step is pointless, and [`Machine`]s say so here.
    fn is_quiet(&self, _state: &[u8], _thread: ThreadId) -> bool {
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

    /// The variables of a state with their values, for displays.
    fn variables(&self, state: &[u8]) -> Vec<(String, String)>;
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

/// Steps of one expansion after which paths through one atomic sequence are merged where they
/// meet. Below it every path is followed by itself, so that transitions are counted as Spin does.
const MERGE_AFTER: usize = 20_000;
/// Depth inside one atomic sequence beyond which the same is done.
const MERGE_BELOW: usize = 256;

/// Follows every step of a stored state through atomic sequences to the next states to store, and
/// calls `arrive` for each with the turn there and the micro-steps that led to it. Returns how many
/// steps the state has: a state with none is an end, a state whose steps all go round inside an
/// endless atomic loop is not, although nothing arrives. Paths that repeat a state inside one atomic
/// sequence are cut; what went wrong on such a path arrives without a state.
pub fn expand<M: Machine>(
    machine: &M,
    state: &[u8],
    turn: Turn,
    buffers: &mut ExpandBuffers<M>,
    arrive: &mut dyn FnMut(Arrival<'_>),
) -> usize {
    buffers.first.clear();
    machine.steps(state, turn, &mut buffers.scratch, &mut buffers.first);
    follow_all(machine, buffers, arrive)
}

/// As [`expand`] with [`Turn::Any`], but only steps of `threads` (and those of no thread).
pub fn expand_threads<M: Machine>(
    machine: &M,
    state: &[u8],
    threads: &Threads,
    buffers: &mut ExpandBuffers<M>,
    arrive: &mut dyn FnMut(Arrival<'_>),
) -> usize {
    buffers.first.clear();
    machine.thread_steps(state, threads, &mut buffers.scratch, &mut buffers.first);
    follow_all(machine, buffers, arrive)
}

/// As [`expand_threads`], but perhaps without the steps of no thread that lead somewhere.
pub fn expand_own<M: Machine>(
    machine: &M,
    state: &[u8],
    threads: &Threads,
    buffers: &mut ExpandBuffers<M>,
    arrive: &mut dyn FnMut(Arrival<'_>),
) -> usize {
    buffers.first.clear();
    machine.own_steps(state, threads, &mut buffers.scratch, &mut buffers.first);
    follow_all(machine, buffers, arrive)
}

fn follow_all<M: Machine>(machine: &M, buffers: &mut ExpandBuffers<M>, arrive: &mut dyn FnMut(Arrival<'_>)) -> usize {
    let ExpandBuffers { scratch, first, inside } = buffers;
    for index in 0..first.list.len() {
        let step = &first.list[index];
        let state = first.state(step);
        match step.turn {
            Turn::Only(_) if state.is_some() => follow_atomic(machine, (first, index), scratch, inside, arrive),
            turn => arrive(Arrival { steps: &[(first, index)], state, turn }),
        }
    }
    first.list.len()
}

/// Buffers that one caller of [`expand`] reuses.
pub struct ExpandBuffers<M: Machine> {
    /// The machine's own.
    pub scratch: M::Scratch,
    first: Steps,
    inside: InsideAtomic,
}

/// Where one stands inside an atomic sequence.
#[derive(Default)]
struct InsideAtomic {
    levels: Vec<Steps>,
    /// The step of each level being followed; a level was expanded from the state reached by the one before it, or by
    /// the entry.
    positions: Vec<usize>,
    current: Vec<u8>,
}

impl<M: Machine> Default for ExpandBuffers<M> {
    fn default() -> Self {
        ExpandBuffers { scratch: M::Scratch::default(), first: Steps::new(), inside: InsideAtomic::default() }
    }
}

/// One arrival at a state to store.
pub struct Arrival<'a> {
    /// The micro-steps that led there: buffer and index of each.
    pub steps: &'a [(&'a Steps, usize)],
    /// The state; `None` if the last step could not be completed.
    pub state: Option<&'a [u8]>,
    /// Who may go on from there.
    pub turn: Turn,
}

impl Arrival<'_> {
    /// The thread that acts; `None` where only the claim moves.
    pub fn thread(&self) -> Option<ThreadId> {
        let (buffer, index) = self.steps[0];
        buffer.list[index].thread
    }

    /// The thread that ran last afterwards.
    pub fn ran_last(&self) -> Option<ThreadId> {
        let (buffer, index) = self.steps[self.steps.len() - 1];
        buffer.list[index].ran_last
    }

    /// Whether some step of the buffers that it comes from has a fault, perhaps one of its own.
    #[inline]
    pub fn may_be_faulty(&self) -> bool {
        self.steps.iter().any(|(buffer, _)| !buffer.faults.is_empty())
    }

    /// The micro-steps in order, each with the state after it and its faults.
    pub fn to_path(&self) -> Vec<PathStep> {
        self.steps()
            .map(|(buffer, step)| PathStep {
                step: step.clone(),
                state: buffer.state(step).map_or_else(Vec::new, <[u8]>::to_vec),
                faults: buffer.faults[step.faults.clone()].to_vec(),
            })
            .collect()
    }

    /// The micro-steps in order.
    pub fn steps(&self) -> impl Iterator<Item = (&Steps, &Step)> {
        self.steps.iter().map(|(buffer, index)| (*buffer, &buffer.list[*index]))
    }
}

/// Depth-first through one atomic sequence, one buffer a level, no recursion.
fn follow_atomic<M: Machine>(
    machine: &M,
    entry: (&Steps, usize),
    scratch: &mut M::Scratch,
    inside: &mut InsideAtomic,
    arrive: &mut dyn FnMut(Arrival<'_>),
) {
    let InsideAtomic { levels, positions, current } = inside;
    let mut executed = 0;
    let mut merged: FxHashSet<Vec<u8>> = FxHashSet::default();
    positions.clear();
    current.clear();
    let step = &entry.0.list[entry.1];
    current.extend_from_slice(&entry.0.bytes[step.state.clone()]);
    let mut turn = step.turn;
    loop {
        // Descend: expand `current` at a new level.
        let depth = positions.len();
        if levels.len() <= depth {
            levels.push(Steps::new());
        }
        levels[depth].clear();
        let apart = executed < MERGE_AFTER && depth < MERGE_BELOW;
        let fresh =
            if apart { !repeats(entry, &levels[..depth], positions, current) } else { merged.insert(current.clone()) };
        if fresh {
            machine.steps(current, turn, scratch, &mut levels[depth]);
            executed += levels[depth].list.len();
            if levels[depth].list.is_empty() {
                // Blocked inside the sequence: here every thread may go on.
                let steps = path_of(entry, &levels[..depth], positions);
                arrive(Arrival { steps: &steps, state: Some(current), turn: Turn::Any });
            }
        } else {
            // Nothing else may arrive with the faults of this path: the sequence may never end.
            let steps = path_of(entry, &levels[..depth], positions);
            let is_faulty = |(buffer, index): &(&Steps, usize)| !buffer.list[*index].faults.is_empty();
            if let Some(last) = steps.iter().rposition(is_faulty) {
                arrive(Arrival { steps: &steps[..=last], state: None, turn });
            }
        }
        positions.push(0);
        // Find the next step to follow.
        let descend = loop {
            let Some(&position) = positions.last() else { break None };
            let depth = positions.len() - 1;
            if position >= levels[depth].list.len() {
                positions.pop();
                if let Some(parent) = positions.last_mut() {
                    *parent += 1;
                }
                continue;
            }
            let step = &levels[depth].list[position];
            match (levels[depth].state(step), step.turn) {
                (Some(next), Turn::Only(thread)) => {
                    current.clear();
                    current.extend_from_slice(next);
                    break Some(Turn::Only(thread));
                }
                (next, turn) => {
                    let steps = path_of(entry, &levels[..=depth], positions);
                    arrive(Arrival { steps: &steps, state: next, turn });
                    positions[depth] += 1;
                }
            }
        };
        match descend {
            None => return,
            Some(next_turn) => turn = next_turn,
        }
    }
}

fn path_of<'a>(
    entry: (&'a Steps, usize),
    levels: &'a [Steps],
    positions: &[usize],
) -> SmallVec<[(&'a Steps, usize); 8]> {
    std::iter::once(entry).chain(levels.iter().zip(positions).map(|(level, position)| (level, *position))).collect()
}

/// Whether `current` already stands on the path through the atomic sequence.
fn repeats(entry: (&Steps, usize), levels: &[Steps], positions: &[usize], current: &[u8]) -> bool {
    let Some(last) = levels.len().checked_sub(1) else { return false };
    let earlier =
        levels[..last].iter().zip(positions).map(|(level, position)| &level.bytes[level.list[*position].state.clone()]);
    let first = &entry.0.bytes[entry.0.list[entry.1].state.clone()];
    first == current || earlier.into_iter().any(|state| state == current)
}
