//! A run that grows step by step: the states so far, and what is possible next. It ends at the first
//! violation, or where nothing can go on.

use selvedge_core::ThreadId;
use selvedge_machine::{Fault, Machine, Path, PathStep, Steps, Turn};

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// Every process is at a valid end.
    Valid,
    /// Nothing can go on, some process is not at a valid end, and that is no violation.
    Stuck,
    /// A violation.
    Violation(Fault),
    /// `--steps`.
    StepLimit,
    /// The user had enough.
    Stopped,
    /// The trace that was followed ends here, without a violation.
    TraceOver,
}

/// What a thread is called among those that are alive: by its name, and by its number where others have the same.
pub fn thread_label<M: Machine>(machine: &M, state: &[u8], thread: ThreadId) -> String {
    let name = machine.thread_name(state, thread);
    let others = (0..machine.thread_count(state)).map(ThreadId).filter(|other| *other != thread);
    let shared = others.into_iter().any(|other| machine.thread_name(state, other) == name);
    if shared { format!("{name}({})", thread.0) } else { name }
}

/// A run in progress.
pub struct Run<'m, M: Machine> {
    machine: &'m M,
    /// Being stuck is no violation.
    may_get_stuck: bool,
    path: Path,
    scratch: M::Scratch,
    choices: Steps,
}

impl<'m, M: Machine> Run<'m, M> {
    /// Nothing has happened yet.
    pub fn new(machine: &'m M, may_get_stuck: bool) -> Self {
        let mut initial = Vec::new();
        machine.initial(&mut initial);
        let path = Path { initial, steps: Vec::new(), cycle: None };
        let mut run = Run { machine, may_get_stuck, path, scratch: M::Scratch::default(), choices: Steps::new() };
        run.look_ahead();
        run
    }

    /// Goes on from the end of a run of the same machine.
    pub fn resume(&mut self, path: Path) {
        self.path = path;
        self.look_ahead();
    }

    /// The run so far.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The machine.
    pub fn machine(&self) -> &'m M {
        self.machine
    }

    /// The last state that exists.
    pub fn state(&self) -> &[u8] {
        let after = self.path.steps.iter().rev().map(|step| &step.state).find(|state| !state.is_empty());
        after.unwrap_or(&self.path.initial)
    }

    /// The steps that are possible now; none after a violation.
    pub fn choices(&self) -> &Steps {
        &self.choices
    }

    /// Takes the possible step with this index.
    pub fn take(&mut self, index: usize) {
        let step = self.choices.list[index].clone();
        let state = self.choices.state(&step).map_or_else(Vec::new, <[u8]>::to_vec);
        let faults = self.choices.faults[step.faults.clone()].to_vec();
        self.path.steps.push(PathStep { step, state, faults });
        self.look_ahead();
    }

    /// Takes the last step back; whether there was one.
    pub fn back(&mut self) -> bool {
        let was = self.path.steps.pop().is_some();
        self.look_ahead();
        was
    }

    /// The violation at the end of the run, if there is one.
    pub fn fault(&self) -> Option<Fault> {
        match self.end() {
            Some(End::Violation(fault)) => Some(fault),
            _ => None,
        }
    }

    /// How the run ended, if it cannot go on.
    pub fn end(&self) -> Option<End> {
        if let Some(fault) = self.path.steps.last().and_then(|step| step.faults.first()) {
            return Some(End::Violation(fault.clone()));
        }
        if let Some(fault) = self.machine.state_fault(self.state()) {
            return Some(End::Violation(fault));
        }
        if !self.choices.list.is_empty() {
            return None;
        }
        Some(match self.machine.end_fault(self.state()) {
            None => End::Valid,
            Some(_) if self.may_get_stuck => End::Stuck,
            Some(fault) => End::Violation(fault),
        })
    }

    /// Finds the steps that are possible now. A thread that is blocked inside an atomic sequence
    /// lets every thread go on.
    fn look_ahead(&mut self) {
        self.choices.clear();
        let last = self.path.steps.last();
        if last.is_some_and(|step| !step.faults.is_empty()) {
            return;
        }
        let turn = last.map_or(Turn::Any, |last| last.step.turn);
        possible(
            self.machine,
            self.path.steps.last().map_or(&self.path.initial, |last| &last.state),
            turn,
            &mut self.scratch,
            &mut self.choices,
        );
    }
}

/// Appends the steps that are possible in a state when it is `turn`'s turn.
pub fn possible<M: Machine>(machine: &M, state: &[u8], turn: Turn, scratch: &mut M::Scratch, steps: &mut Steps) {
    machine.steps(state, turn, scratch, steps);
    if steps.list.is_empty() && matches!(turn, Turn::Only(_)) {
        machine.steps(state, Turn::Any, scratch, steps);
    }
}
