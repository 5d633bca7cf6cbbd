//! One run of a model, step by step: its steps chosen at random, by the user or by a trace. Claims are left out (as
//! Spin's simulator does), except where a trace was found with one. Behind [`Simulation`] is the machine of any
//! language; its users see none.

mod follow;
mod random;

use selvedge_core::trace::{TraceLocation, TraceOptions};
use selvedge_core::{Bound, SwitchReason, ThreadId, Trace, ViolationKind};
use selvedge_machine::{Counting, Describe, Heading, Machine, Path, PathStep, Steps, Turn, classify, narrate};
use selvedge_promela::machine::Properties;
use selvedge_source::{Diagnostics, SourceMap};

use crate::language::Language;
use crate::model::{Executable, LoadedModel, OpenModel, OpenOptions, open};
use crate::refusal::Refusal;
use crate::request::MachineLimits;
use selvedge_promela::build::ClaimSelection;

pub use selvedge_core::Chance;

/// Why a thread waits that is enabled, but not now.
const IN_ATOMIC: &str = "waits for the end of an atomic sequence of another process";

/// How to simulate.
#[derive(Clone, Copy, Debug, Default)]
pub struct SimulateOptions {
    /// Being stuck is no violation.
    pub no_deadlock: bool,
    /// Failed assertions are no violation.
    pub no_assert: bool,
    /// Limits of machines.
    pub limits: MachineLimits,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// Every process is at a valid end.
    Valid,
    /// No process is enabled, some process is not at a valid end, and that is no violation.
    Stuck,
    /// A violation, in one sentence.
    Violation(String),
    /// The limit of steps.
    StepLimit,
    /// The user had enough.
    Stopped,
    /// The trace that was followed ends here, without a violation.
    TraceOver,
}

/// A step that is possible.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepChoice {
    /// Whose step it is.
    pub thread: String,
    /// Its location.
    pub place: Option<TraceLocation>,
    /// The statement.
    pub text: String,
}

/// A variable of the state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: String,
    /// Whether the last step changed it.
    pub changed: bool,
}

/// A blocked thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockedThread {
    /// Its name.
    pub thread: String,
    /// Where it is.
    pub place: TraceLocation,
    /// What it waits for.
    pub reason: String,
}

/// A run in progress.
pub struct Simulation {
    model: OpenModel,
    options: TraceOptions,
    may_get_stuck: bool,
    path: Path,
    choices: Steps,
    /// Steps that were taken back, the next one last.
    ahead: Vec<PathStep>,
}

/// Evaluates an expression with the machine of a model.
macro_rules! with_machine {
    ($model:expr, $machine:ident => $body:expr) => {
        match &$model.executable {
            Executable::Promela(model) => {
                let $machine = &model.built.machine;
                $body
            }
            Executable::Bool(model) => {
                let $machine = &model.machine;
                $body
            }
            Executable::Pds(machine) => {
                let $machine = &**machine;
                $body
            }
            Executable::Dcps(machine) => {
                let $machine = &**machine;
                $body
            }
            Executable::Net(model) => {
                let $machine = &model.machine;
                $body
            }
        }
    };
}

/// Whether the machine of a model can follow a trace; else the step that cannot be taken, and why.
pub(crate) fn fits(model: &OpenModel, trace: &Trace) -> Result<(), (usize, String)> {
    let followed = with_machine!(model, machine => follow::follow(machine, &model.sources, trace).map(drop));
    followed.map_err(|stuck| (stuck.step, stuck.reason))
}

impl Simulation {
    /// A run in which nothing has happened yet.
    pub fn start(model: &LoadedModel, options: &SimulateOptions) -> Result<Simulation, Refusal> {
        let properties = Properties { assertions: !options.no_assert, end_states: true, ..Properties::default() };
        let open_options = OpenOptions {
            claim: ClaimSelection::None,
            properties,
            no_assert: options.no_assert,
            // Being stuck ends the run with a word about it, but is no violation.
            deadlock: true,
            limits: options.limits,
            ..OpenOptions::default()
        };
        let open_model = open(model, &open_options)?;
        let may_get_stuck = options.no_deadlock || model.language != Language::Promela;
        let trace_options = open_model.trace_options.clone();
        Ok(Simulation::new(open_model, trace_options, may_get_stuck, None))
    }

    /// A run that is at the end of a trace.
    pub fn follow(model: &LoadedModel, trace: &Trace, no_deadlock: bool) -> Result<Simulation, Refusal> {
        let open_model = open(model, &OpenOptions::for_trace(trace))?;
        let path = with_machine!(open_model, machine => follow::follow(machine, &open_model.sources, trace));
        let path = path.map_err(|stuck| {
            let message = format!("the trace does not fit the model: step {}: {}", stuck.step, stuck.reason);
            let help = "if the model was changed on purpose, the trace is out of date: run `selvedge check` again";
            Refusal::with_help(message, help)
        })?;
        let kind = trace.violation.as_ref().map(|violation| violation.kind);
        let may_get_stuck = match model.language {
            Language::Promela => no_deadlock,
            _ => kind != Some(ViolationKind::InvalidEndState),
        };
        Ok(Simulation::new(open_model, trace.options.clone(), may_get_stuck, Some(path)))
    }

    fn new(model: OpenModel, options: TraceOptions, may_get_stuck: bool, path: Option<Path>) -> Self {
        let path = path.unwrap_or_else(|| {
            let mut initial = Vec::new();
            with_machine!(model, machine => machine.initial(&mut initial));
            Path { initial, steps: Vec::new(), cycle: None }
        });
        let (choices, ahead) = (Steps::new(), Vec::new());
        let mut simulation = Simulation { model, options, may_get_stuck, path, choices, ahead };
        simulation.look_ahead();
        simulation
    }

    /// What is suspicious about the model.
    pub fn diagnostics(&self) -> &Diagnostics {
        &self.model.diagnostics
    }

    /// Every file read.
    pub fn sources(&self) -> &SourceMap {
        &self.model.sources
    }

    /// The model's path.
    pub fn path(&self) -> &str {
        &self.model.path
    }

    /// Its language.
    pub fn language(&self) -> Language {
        self.model.language
    }

    /// Steps so far.
    pub fn length(&self) -> usize {
        self.path.steps.len()
    }

    /// How many steps are possible now; none after a violation.
    pub fn choice_count(&self) -> usize {
        self.choices.list.len()
    }

    /// Steps that were taken back and can be taken again.
    pub fn ahead(&self) -> usize {
        self.ahead.len()
    }

    /// Takes the possible step with this index.
    pub fn take(&mut self, index: usize) {
        let Some(step) = self.choices.list.get(index).cloned() else { return };
        let state = self.choices.state(&step).map_or_else(Vec::new, <[u8]>::to_vec);
        let faults = self.choices.faults[step.faults.clone()].to_vec();
        // The way that was taken back may be the same; then it stays.
        let again = self.ahead.pop().is_some_and(|ahead| ahead.step.thread == step.thread && ahead.state == state);
        if !again {
            self.ahead.clear();
        }
        self.path.steps.push(PathStep { step, state, faults });
        self.look_ahead();
    }

    /// Takes the last step back; whether there was one.
    pub fn back(&mut self) -> bool {
        let Some(last) = self.path.steps.pop() else { return false };
        self.ahead.push(last);
        self.look_ahead();
        true
    }

    /// Takes a step again that was taken back; whether there was one.
    pub fn forward(&mut self) -> bool {
        let Some(next) = self.ahead.pop() else { return false };
        self.path.steps.push(next);
        self.look_ahead();
        true
    }

    /// The index of the possible step that was taken back last, if there is one.
    pub fn way_ahead(&self) -> Option<usize> {
        let ahead = self.ahead.last()?;
        let leads_there = |state: Option<&[u8]>| state.unwrap_or_default() == ahead.state;
        let same =
            |step: &selvedge_machine::Step| step.thread == ahead.step.thread && leads_there(self.choices.state(step));
        self.choices.list.iter().position(same)
    }

    /// A possible step.
    pub fn choice(&self, index: usize) -> StepChoice {
        let step = &self.choices.list[index];
        let state = self.state();
        with_machine!(self.model, machine => {
            let view = machine.view(state, step, self.choices.state(step));
            let name = |thread| thread_label(machine, state, thread);
            let mut text = view.text;
            if let Some((partner, _, statement)) = view.partner {
                text.push_str(&format!("  with {}: {statement}", name(partner)));
            }
            StepChoice {
                thread: step.thread.map_or_else(|| "claim".to_owned(), name),
                place: view.span.map(|span| self.model.sources.location(span).into()),
                text,
            }
        })
    }

    /// Why a possible step would be a switch, if it would be one. Who ran last is all that matters of the run before.
    pub fn cost(&self, index: usize) -> Option<SwitchReason> {
        let steps = &self.path.steps;
        let last = steps.iter().rposition(|step| step.step.thread.is_some())?;
        let candidate = PathStep { step: self.choices.list[index].clone(), state: Vec::new(), faults: Vec::new() };
        let steps = steps[last..].iter().cloned().chain([candidate]).collect();
        let short = Path { initial: self.path.before(last).to_vec(), steps, cycle: None };
        let switches = with_machine!(self.model, machine => classify(machine, &short, Counting::default()));
        switches.last().copied().flatten()
    }

    /// The variables of the state.
    pub fn variables(&self) -> Vec<Variable> {
        with_machine!(self.model, machine => {
            let before = match self.path.steps.len() {
                0 => None,
                length => Some(machine.variables(self.path.before(length - 1))),
            };
            let variable = |(name, value): (String, String)| {
                let same = |before: &Vec<(String, String)>| {
                    before.iter().any(|(old, was)| *old == name && *was == value)
                };
                let changed = before.as_ref().is_some_and(|before| !same(before));
                Variable { name, value, changed }
            };
            machine.variables(self.state()).into_iter().map(variable).collect()
        })
    }

    /// The threads that have no step now, and why.
    pub fn blocked(&self) -> Vec<BlockedThread> {
        let state = self.state();
        let acts = |thread: ThreadId| self.choices.list.iter().any(|step| step.thread == Some(thread));
        with_machine!(self.model, machine => {
            // Inside an atomic sequence of one thread, others are enabled that must not run.
            let mut enabled = Steps::new();
            machine.steps(state, Turn::Any, &mut Default::default(), &mut enabled);
            let excluded = |thread: ThreadId| enabled.list.iter().any(|step| step.thread == Some(thread));
            let threads = (0..machine.thread_count(state)).map(ThreadId).filter(|thread| !acts(*thread));
            let idle = threads.filter(|thread| !machine.has_finished(state, *thread));
            let blocked = idle.filter_map(|thread| {
                let (span, reason) = machine.waiting(state, thread)?;
                let reason = if excluded(thread) { IN_ATOMIC.to_owned() } else { reason };
                let place = self.model.sources.location(span).into();
                Some(BlockedThread { thread: thread_label(machine, state, thread), place, reason })
            });
            blocked.collect()
        })
    }

    /// How the run ended, if no step is enabled.
    pub fn end(&self) -> Option<End> {
        if let Some(fault) = self.fault() {
            return Some(End::Violation(fault.message));
        }
        if !self.choices.list.is_empty() {
            return None;
        }
        let stuck = with_machine!(self.model, machine => machine.end_fault(self.state())).is_some();
        Some(if stuck { End::Stuck } else { End::Valid })
    }

    /// The violation at the end of the run, if there is one.
    fn fault(&self) -> Option<selvedge_machine::Fault> {
        if let Some(fault) = self.path.steps.last().and_then(|step| step.faults.first()) {
            return Some(fault.clone());
        }
        with_machine!(self.model, machine => {
            let stuck = || {
                let may_be = self.choices.list.is_empty() && !self.may_get_stuck;
                may_be.then(|| machine.end_fault(self.state())).flatten()
            };
            machine.state_fault(self.state()).or_else(stuck)
        })
    }

    /// The run so far as a trace.
    pub fn trace(&self) -> Trace {
        let fault = self.fault();
        let heading = Heading { input: self.model.input(), options: self.options.clone(), bound: Bound::UNBOUNDED };
        with_machine!(self.model, machine => {
            let switches = classify(machine, &self.path, Counting::default());
            narrate(machine, &self.model.sources, &self.path, &switches, fault.as_ref(), heading)
        })
    }

    /// Runs on at random until the end, or until the run has `steps` steps. The same seed gives the same run.
    pub fn run_at_random(&mut self, seed: u64, steps: usize) -> End {
        let mut chance = Chance::new(seed);
        loop {
            if let Some(end) = self.end() {
                return end;
            }
            if self.length() >= steps {
                return End::StepLimit;
            }
            let threads: Vec<Option<ThreadId>> = self.choices.list.iter().map(|step| step.thread).collect();
            let index = random::pick(&mut chance, &threads);
            self.take(index);
        }
    }

    /// The last state that exists.
    fn state(&self) -> &[u8] {
        let after = self.path.steps.iter().rev().map(|step| &step.state).find(|state| !state.is_empty());
        after.unwrap_or(&self.path.initial)
    }

    /// Finds the steps that are possible now. A thread that is blocked inside an atomic sequence lets every thread run.
    fn look_ahead(&mut self) {
        self.choices.clear();
        let last = self.path.steps.last();
        if last.is_some_and(|step| !step.faults.is_empty()) {
            return;
        }
        let turn = last.map_or(Turn::Any, |last| last.step.turn);
        let state = last.map_or(&self.path.initial, |last| &last.state);
        with_machine!(self.model, machine => {
            possible(machine, state, turn, &mut Default::default(), &mut self.choices);
        });
    }
}

/// What a thread is called among those that are alive: by its name, and by its number where others have the same.
fn thread_label<M: Describe>(machine: &M, state: &[u8], thread: ThreadId) -> String {
    let name = machine.thread_name(state, thread);
    let others = (0..machine.thread_count(state)).map(ThreadId).filter(|other| *other != thread);
    let shared = others.into_iter().any(|other| machine.thread_name(state, other) == name);
    if shared { format!("{name}({})", thread.0) } else { name }
}

/// Appends the steps that are possible in a state when it is `turn`'s turn.
pub(crate) fn possible<M: Describe>(
    machine: &M,
    state: &[u8],
    turn: Turn,
    scratch: &mut M::Scratch,
    steps: &mut Steps,
) {
    machine.steps(state, turn, scratch, steps);
    if steps.list.is_empty() && matches!(turn, Turn::Only(_)) {
        machine.steps(state, Turn::Any, scratch, steps);
    }
}
