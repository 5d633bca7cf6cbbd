//! The plain interpreter: executes the syntax tree directly, statement by statement, and shares no
//! code with the lowering or the machine. It replays every counterexample before it is shown
//! ([`replay()`]), explores small programs again that an engine found to be free of violations ([`explore()`],
//! [`explore_rounds`], [`explore_within`], [`prove`]), takes random runs of others ([`sample()`]), and by brute force it is the reference that
//! tests compare the machine and the engines with. Slow and simple on purpose.
#![forbid(unsafe_code)]

mod arrive;
pub mod brute;
mod control;
mod cycles;
mod eval;
mod explore;
mod goals;
mod modular;
mod moves;
mod replay;
mod sample;
mod waits;
mod wanted;
mod within;

use std::cell::Cell;

use selvedge_source::Span;

use selvedge_boolprog_syntax::ast::{Initializer, Program, StmtKind, walk};
use selvedge_boolprog_syntax::dialect::{Dialect, is_thread_name};

pub use explore::{explore, explore_rounds};
pub use goals::Goals;
pub use modular::prove;
pub use replay::{replay, replay_until};
pub use sample::{sample, sample_rounds};
pub use within::{explore_values_within, explore_within};

use control::{Blocks, Control};
use eval::{MOST_WAYS, SAMPLED_WAYS, Scope};

/// What a variable holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Value {
    /// False or true.
    Known(bool),
    /// Not decided yet.
    Open,
}

impl Value {
    /// The value that stands for both.
    fn or(self, other: Value) -> Value {
        if self == other { self } else { Value::Open }
    }
}

/// A call that is being executed.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Frame {
    function: usize,
    /// Parameters, then locals.
    locals: Vec<Value>,
    control: Control,
    stage: Stage,
}

/// What comes before the next statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Stage {
    /// The condition of `enforce`, where the function starts.
    Entering,
    /// The condition of `enforce` after a step, which no other thread may see.
    Enforcing,
    /// The condition of `enforce` after the initial values.
    EnforcingAfterValues,
    /// The initial values of locals.
    Initialising,
    /// Nothing.
    Running,
}

/// A thread.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Thread {
    root: usize,
    frames: Vec<Frame>,
    /// Atomic sections that are open.
    atomic: u32,
}

/// A state.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct State {
    globals: Vec<Value>,
    threads: Vec<Thread>,
}

/// One way to go on.
#[derive(Clone, Debug)]
pub struct Move {
    /// The statement.
    pub span: Span,
    /// What the statement's text does not say: which way a choice went.
    pub note: Option<String>,
    /// The state after it; `None` if an assertion failed.
    pub next: Option<State>,
}

/// Executes a program.
pub struct Interpreter<'a> {
    program: &'a Program,
    blocks: Vec<Blocks<'a>>,
    scope: Scope<'a>,
    /// Decide every value as soon as a variable takes it, instead of when it is read.
    eager: bool,
    /// Failed assertions are violations.
    assertions: bool,
    init: Option<usize>,
    roots: Vec<usize>,
    ways: Ways,
}

/// How many values of an expression are followed: there can be exponentially many.
struct Ways {
    /// At most so many of one evaluation.
    most: usize,
    /// After the first evaluation that has more, every further one is left out.
    gives_up: bool,
    /// Ways to go on were left out, because there are too many.
    cut: Cell<bool>,
    /// How many were followed.
    followed: Cell<u64>,
    /// How many variables were looked up.
    looked_up: Cell<u64>,
}

impl Ways {
    fn up_to(most: usize) -> Self {
        Ways { most, gives_up: false, cut: Cell::new(false), followed: Cell::new(0), looked_up: Cell::new(0) }
    }
}

impl<'a> Interpreter<'a> {
    /// For a program without errors.
    pub fn new(program: &'a Program, eager: bool, assertions: bool) -> Self {
        let blocks = program.functions.iter().map(|function| Blocks::of(&function.body)).collect();
        let mut starts = false;
        let mut calls_init = false;
        for function in &program.functions {
            walk(&function.body, &mut |statement| match &statement.kind {
                StmtKind::Start { .. } | StmtKind::StartGoto(_) => starts = true,
                StmtKind::Call { callee, .. } => calls_init |= callee.text == "init",
                _ => {}
            });
        }
        let names = program.functions.iter().enumerate().map(|(index, function)| (index, function.name.text.as_str()));
        let is_root = |name: &str| if starts { name == "main" } else { is_thread_name(name) };
        let mut roots: Vec<usize> = names.clone().filter(|(_, name)| is_root(name)).map(|(index, _)| index).collect();
        if roots.is_empty() {
            roots.push(0);
        }
        let init = names.clone().find(|(index, name)| *name == "init" && !roots.contains(index));
        let init = init.map(|(index, _)| index).filter(|_| !starts && !calls_init);
        let (scope, ways) = (Scope::of(program), Ways::up_to(MOST_WAYS));
        Interpreter { program, blocks, scope, eager, assertions, init, roots, ways }
    }

    /// The same for an exploration, which is worth nothing once something was left out: then there are no further steps.
    fn exploring(mut self) -> Self {
        self.ways.gives_up = true;
        self
    }

    /// The same for random runs, which follow one way of many.
    fn sampling(mut self) -> Self {
        self.ways.most = SAMPLED_WAYS;
        self
    }

    /// The states in which a run can start.
    pub fn initial(&self) -> Vec<State> {
        let globals = self.program.globals.iter().map(|global| match global.initial {
            Some(Initializer::Value(value)) => Value::Known(value),
            _ => Value::Open,
        });
        let empty = State { globals: globals.collect(), threads: Vec::new() };
        let mut states = self.decided(empty);
        for root in self.init.into_iter().chain(self.roots.iter().copied()) {
            states = states.into_iter().flat_map(|state| self.with_thread(state, root, &[])).collect();
        }
        states
    }

    /// How many threads a state has, those that ended included.
    pub fn thread_count(&self, state: &State) -> usize {
        state.threads.len()
    }

    /// Whether `init` is still running.
    pub fn in_init(&self, state: &State) -> bool {
        self.init.is_some() && !state.threads[0].frames.is_empty()
    }

    /// Whether other threads may run where `thread` is.
    pub fn can_switch(&self, state: &State, thread: usize) -> bool {
        let Some(running) = state.threads.get(thread) else { return true };
        let unseen = |frame: &Frame| matches!(frame.stage, Stage::Enforcing | Stage::EnforcingAfterValues);
        let by_flag = self.has_flag() && state.globals[0] == Value::Known(true);
        !self.in_init(state) && running.atomic == 0 && !by_flag && !running.frames.last().is_some_and(unseen)
    }

    /// Whether the first global is Getafix's variable `atomic`.
    fn has_flag(&self) -> bool {
        self.program.dialect == Dialect::Getafix
            && self.program.globals.first().is_some_and(|global| global.name.text == "atomic")
    }

    /// The states with a value for the flag, which decides who may run.
    fn with_flag_decided(&self, state: State) -> Vec<State> {
        if !self.has_flag() || state.globals[0] != Value::Open {
            return vec![state];
        }
        let (mut lowered, mut raised) = (state.clone(), state);
        (lowered.globals[0], raised.globals[0]) = (Value::Known(false), Value::Known(true));
        vec![lowered, raised]
    }

    /// The values of the globals.
    pub fn shared(&self, state: &State) -> Vec<Value> {
        state.globals.clone()
    }

    /// Whether a thread stands at a statement with one of these labels.
    pub fn stands_at(&self, state: &State, thread: usize, labels: &[&str], function: Option<&str>) -> bool {
        self.labelled(state, thread, labels, function).is_some()
    }

    /// The statement with one of these labels that a thread stands at.
    fn labelled(&self, state: &State, thread: usize, labels: &[&str], function: Option<&str>) -> Option<Span> {
        let frame = state.threads[thread].frames.last()?;
        let fits = function.is_none_or(|wanted| self.program.functions[frame.function].name.text == wanted);
        let running = matches!(frame.stage, Stage::Running);
        let statement = self.blocks[frame.function].current(&frame.control).filter(|_| fits && running);
        let (statement, branch) = statement?;
        let named = statement.labels.iter().any(|label| labels.contains(&label.text.as_str()));
        (branch == 0 && named).then_some(statement.span)
    }

    /// The statement that is next in a thread, or the end of its function; `None` if it has ended.
    fn position(&self, state: &State, thread: usize) -> Option<Span> {
        let frame = state.threads[thread].frames.last()?;
        let statement = self.blocks[frame.function].current(&frame.control);
        Some(statement.map_or(self.program.functions[frame.function].end, |(statement, _)| statement.span))
    }

    /// The bytes that a state takes, about.
    fn bytes(&self, state: &State) -> u64 {
        let frame = |frame: &Frame| 80 + frame.locals.len() as u64 + 24 * frame.control.len() as u64;
        let frames = state.threads.iter().flat_map(|thread| &thread.frames).map(frame);
        96 + state.globals.len() as u64 + 40 * state.threads.len() as u64 + frames.sum::<u64>()
    }

    /// How deep the stack of a thread is; 0 if it has ended.
    pub fn depth(&self, state: &State, thread: usize) -> usize {
        state.threads.get(thread).map_or(0, |thread| thread.frames.len())
    }

    /// Decides open values, if this interpreter is eager.
    fn decided(&self, state: State) -> Vec<State> {
        if !self.eager {
            return vec![state];
        }
        let mut done = Vec::new();
        let mut work = vec![state];
        while let Some(mut state) = work.pop() {
            let mut twin = state.clone();
            match (open_value(&mut state), open_value(&mut twin)) {
                (Some(one), Some(other)) => {
                    (*one, *other) = (Value::Known(false), Value::Known(true));
                    work.extend([state, twin]);
                }
                _ => done.push(state),
            }
        }
        done
    }

    /// The state with a new thread.
    fn with_thread(&self, mut state: State, root: usize, args: &[Value]) -> Vec<State> {
        let frame = self.frame(root, args);
        state.threads.push(Thread { root, frames: vec![frame], atomic: 0 });
        self.decided(state)
    }

    /// The frame of a new call.
    fn frame(&self, function: usize, args: &[Value]) -> Frame {
        let source = &self.program.functions[function];
        let mut locals = args.to_vec();
        locals.resize(source.parameters.len() + source.locals.len(), Value::Open);
        let mut frame = Frame { function, locals, control: self.blocks[function].start(), stage: Stage::Running };
        frame.stage = if source.enforce.is_some() { Stage::Entering } else { self.after_entering(function) };
        frame
    }

    fn after_entering(&self, function: usize) -> Stage {
        let has_value = |initial: &Option<Initializer>| matches!(initial, Some(Initializer::Value(_)));
        match self.program.functions[function].locals.iter().any(|local| has_value(&local.initial)) {
            true => Stage::Initialising,
            false => Stage::Running,
        }
    }
}

/// The first variable of a state that is not decided.
fn open_value(state: &mut State) -> Option<&mut Value> {
    let locals = state.threads.iter_mut().flat_map(|thread| &mut thread.frames).flat_map(|frame| &mut frame.locals);
    state.globals.iter_mut().chain(locals).find(|value| **value == Value::Open)
}
