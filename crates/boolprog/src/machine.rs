//! The interpreter with explicit stacks: a [`Machine`] over the lowered form. It shares no code with
//! symbolic engines and is what simulation, replay and the explicit engine run.
//!
//! Values are chosen late: a variable that takes any value holds "any" until a step reads it, or a thread waits for its
//! value (`wait.rs`), and then the step that reads it, or after which the thread waits, is there twice. A state thus stands for
//! all states that differ in such variables ([`BoolMachine::shared_states`]).
//!
//! Steps into an atomic section exist only where the section can be completed: a section that blocks
//! on every way is no step at all, as if its first statement were blocked.

mod eval;
mod layout;
mod section;
mod stack;
mod step;
mod variables;
mod view;
mod wait;

use std::sync::atomic::{AtomicBool, Ordering};

use selvedge_core::{ThreadId, ViolationKind};
use selvedge_machine::{Describe, Fault, Hints, Machine, Step, StepView, Steps, Turn};
use selvedge_source::{SourceMap, Span};

use crate::program::{Initial, Program, Target};

pub use eval::{Around, Values};
use layout::{ANY, push_frame};
pub(crate) use variables::Variable;

/// How to execute.
#[derive(Clone, Copy, Debug)]
pub struct MachineOptions {
    /// Calls inside each other, the outermost procedure included. A call beyond is not followed, and
    /// [`BoolMachine::was_cut`] tells.
    pub stack_limit: u32,
    /// Threads that are stuck for ever are a violation.
    pub deadlock: bool,
}

/// Calls inside each other if nothing is said.
pub const STACK_LIMIT: u32 = 32;

impl Default for MachineOptions {
    fn default() -> Self {
        MachineOptions { stack_limit: STACK_LIMIT, deadlock: false }
    }
}

/// The interpreter.
pub struct BoolMachine {
    program: Program,
    options: MachineOptions,
    /// The text of each edge.
    texts: Vec<String>,
    /// Nodes that must not be reached: position in [`Program::targets`].
    target_of: Vec<Option<u32>>,
    cut: AtomicBool,
    /// The state at the start, if all threads may be stuck there, and what to report then.
    stuck_at_start: Option<(Vec<u8>, Fault)>,
}

/// Buffers of [`BoolMachine`].
#[derive(Default)]
pub struct Scratch {
    raw: Vec<step::Successor>,
}

impl BoolMachine {
    /// An interpreter for a program whose spans speak of `sources`.
    pub fn new(program: Program, sources: &SourceMap, options: MachineOptions) -> Self {
        let texts = program.edges.iter().map(|edge| view::text(edge, sources)).collect();
        let mut target_of = vec![None; program.nodes.len()];
        for (position, target) in program.targets.iter().enumerate() {
            target_of[target.node.index()].get_or_insert(position as u32);
        }
        let cut = AtomicBool::new(false);
        let mut machine = BoolMachine { program, options, texts, target_of, cut, stuck_at_start: None };
        machine.stuck_at_start = machine.find_stuck_at_start();
        machine
    }

    /// The program.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// Whether a call was not followed because of the stack limit, in any state so far.
    pub fn was_cut(&self) -> bool {
        self.cut.load(Ordering::Relaxed)
    }

    /// The number of a thread of [`Program::threads`]: `init`, if there is one, is number 0.
    pub(crate) fn thread_id(&self, index: usize) -> ThreadId {
        ThreadId((index + usize::from(self.program.init.is_some())) as u32)
    }

    /// Whether `init` has not ended yet.
    pub fn in_init(&self, state: &[u8]) -> bool {
        self.program.init.is_some() && self.thread(state, 0).is_some_and(|thread| !thread.ended())
    }

    /// Calls `each` for every shared state that a state stands for.
    pub fn shared_states(&self, state: &[u8], each: &mut dyn FnMut(&[bool])) {
        let globals = &state[..self.program.globals.len()];
        let open: Vec<usize> = (0..globals.len()).filter(|i| globals[*i] == ANY).collect();
        let mut values: Vec<bool> = globals.iter().map(|value| *value == 1).collect();
        loop {
            each(&values);
            // Count in binary over the open variables.
            let Some(position) = open.iter().position(|i| !values[*i]) else { return };
            values[open[position]] = true;
            open[..position].iter().for_each(|i| values[*i] = false);
        }
    }

    /// Whether a state stands for one with these values of the globals.
    pub fn may_be(&self, state: &[u8], globals: &[bool]) -> bool {
        globals.iter().zip(state).all(|(wanted, value)| *value == ANY || *value == u8::from(*wanted))
    }

    /// The error label that a thread has reached.
    fn target(&self, state: &[u8]) -> Option<(ThreadId, &Target)> {
        if self.program.targets.is_empty() {
            return None;
        }
        self.threads(state).enumerate().find_map(|(index, thread)| {
            let node = thread.node(state)?;
            let target = self.target_of[node.index()]?;
            Some((ThreadId(index as u32), &self.program.targets[target as usize]))
        })
    }

    /// Whether no step may have been taken before: at the start no section is under way, although no thread but `init` may run,
    /// or the flag may be true.
    fn may_be_first(&self, state: &[u8], owner: Option<ThreadId>) -> bool {
        match self.program.init.filter(|_| self.in_init(state)) {
            Some(init) => {
                let at = self.thread(state, 0).and_then(|thread| thread.node(state));
                at == Some(self.program.procedure(init).entry)
            }
            None => owner.is_none() && self.program.may_start_flagged(),
        }
    }

    /// Whether nothing may go on although some thread could: the run is over.
    fn is_over(&self, state: &[u8]) -> bool {
        self.target(state).is_some()
    }
}

impl Machine for BoolMachine {
    type Scratch = Scratch;

    fn initial(&self, out: &mut Vec<u8>) {
        out.extend(self.program.globals.iter().map(|global| match global.initial {
            Initial::Any => ANY,
            Initial::Value(value) => u8::from(value),
        }));
        let roots = self.program.init.into_iter().chain(self.program.threads.iter().map(|thread| thread.procedure));
        for root in roots {
            let procedure = self.program.procedure(root);
            layout::push_thread(out, root, |frames| {
                push_frame(frames, procedure.locals.iter().map(|_| ANY), layout::at(procedure.entry));
            });
        }
    }

    fn steps(&self, state: &[u8], turn: Turn, scratch: &mut Scratch, out: &mut Steps) {
        if turn == Turn::Stutter || self.is_over(state) {
            return;
        }
        let count = self.threads(state).count() as u32;
        let owner = self.owner(state);
        let threads = match (owner, turn) {
            (Some(owner), Turn::Only(thread)) if owner != thread => return,
            (Some(ThreadId(only)), _) | (None, Turn::Only(ThreadId(only))) => only..only + 1,
            (None, _) => 0..count,
        };
        for thread in threads {
            let first = self.may_be_first(state, owner);
            self.steps_of(state, ThreadId(thread), first, scratch, out);
        }
    }

    fn end_fault(&self, state: &[u8]) -> Option<Fault> {
        if !self.options.deadlock || self.is_over(state) || self.in_init(state) {
            return None;
        }
        let alive = |thread: &layout::ThreadAt| thread.node(state).is_some_and(|node| !self.program.node(node).end);
        let stuck = self.threads(state).filter(alive).count();
        if stuck == 0 || self.beyond_stack(state) {
            return None;
        }
        let all = self.threads(state).count();
        let message = match (stuck, all) {
            (1, _) => "a thread is blocked and no other can unblock it".to_owned(),
            (stuck, all) if stuck == all => "all threads are blocked".to_owned(),
            (stuck, _) => format!("{stuck} threads are blocked, the others have finished"),
        };
        Some(Fault { kind: ViolationKind::InvalidEndState, message, span: None, thread: None })
    }

    fn state_fault(&self, state: &[u8]) -> Option<Fault> {
        if let Some((start, fault)) = &self.stuck_at_start
            && start == state
        {
            return Some(fault.clone());
        }
        let (thread, target) = self.target(state)?;
        Some(Fault {
            kind: ViolationKind::LabelReached,
            message: format!("the label `{}` is reached", target.label),
            span: Some(target.span),
            thread: Some(thread),
        })
    }

    fn has_finished(&self, state: &[u8], thread: ThreadId) -> bool {
        self.thread(state, thread.0 as usize).is_none_or(|thread| thread.ended())
    }

    fn thread_count(&self, state: &[u8]) -> u32 {
        self.threads(state).count() as u32
    }
}

impl Hints for BoolMachine {
    fn has_step(&self, state: &[u8], thread: ThreadId) -> Option<bool> {
        Some(self.is_enabled(state, thread))
    }
}

impl Describe for BoolMachine {
    fn thread_name(&self, state: &[u8], thread: ThreadId) -> String {
        let root = self.thread(state, thread.0 as usize).map(|thread| thread.root);
        root.map_or_else(String::new, |root| self.program.procedure(root).name.clone())
    }

    fn view(&self, before: &[u8], step: &Step, after: Option<&[u8]>) -> StepView {
        self.view_step(before, step, after)
    }

    fn waiting(&self, state: &[u8], thread: ThreadId) -> Option<(Span, String)> {
        self.waits_for(state, thread)
    }

    fn waits_on(&self, state: &[u8], thread: ThreadId) -> Vec<String> {
        self.waits_on_globals(state, thread)
    }

    fn stack(&self, state: &[u8], thread: ThreadId) -> Vec<selvedge_machine::Frame> {
        self.frames(state, thread)
    }

    fn condition(&self, at: &[u8], step: &Step, state: &[u8]) -> Option<selvedge_machine::Condition> {
        self.condition_of(at, step, state)
    }

    fn variables(&self, state: &[u8]) -> Vec<(String, String)> {
        self.list_variables(state)
    }
}
