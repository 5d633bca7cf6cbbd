//! From a Boolean program to a network. Pairs of shared state and symbol are met from the start on, and each
//! gives its rules: steps, and interruptions where a switch is possible. What is suspended in some
//! shared state may be resumed in any shared state in which some thread is suspended: that is more than what
//! can happen, and the analyses sort it out.

use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_boolprog::concretize;
use selvedge_boolprog::machine::Values;
use selvedge_boolprog::program::{EdgeId, Initial, NodeId, ProcId, Program};
use selvedge_core::{Budget, StopReason};
use selvedge_nets_syntax::dcps::{Action, Dcps, Kind, Move, Resume, Rule};
use selvedge_nets_syntax::pds::{StateId, SymbolId};
use selvedge_source::Span;

use super::encode::{Caller, Names, State, Symbol, recursive};
use super::step::{After, Frame, Step, TooManyChoices, give_back, steps};
use super::values::{ANY, Value};
use super::visible::visible;

/// Pairs of shared state and symbol beyond which a program is refused.
pub(crate) const MOST_PAIRS: usize = 300_000;

/// Why a program has no network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refused {
    /// It cannot be one; why, after "a program that".
    Unsuited(&'static str),
    /// It is too large; why.
    TooLarge(String),
    /// A limit of the run.
    Stopped(StopReason),
}

/// What a rule does in the program.
#[derive(Clone, Debug)]
struct Meaning {
    /// The edge that is followed; some rules only move values or suspend.
    edge: Option<EdgeId>,
    /// The assertion of the edge fails.
    fails: bool,
    /// The thread has ended.
    ends: bool,
}

/// The network of a program.
#[derive(Debug)]
pub struct Compiled {
    /// The network; its one target is any violation.
    pub dcps: Dcps,
    meanings: Vec<Meaning>,
    /// The values of the globals in each state, where all are known.
    globals: Vec<Option<Vec<bool>>>,
}

/// Compiles a program.
pub fn compile(program: &Program, budget: &Budget) -> Result<Compiled, Refused> {
    let unsuited = [
        (program.broadcasts(), "waits for broadcasts"),
        (program.init.is_some() || program.no_switch_while.is_some(), "has an `init` or a global `atomic`"),
        (program.threads.len() != 1, "starts with several threads"),
    ];
    if let Some((_, why)) = unsuited.into_iter().find(|(given, _)| *given) {
        return Err(Refused::Unsuited(why));
    }
    let mut compiler = Compiler::new(program);
    compiler.explore(budget)?;
    Ok(compiler.finish())
}

impl Compiled {
    /// A run of the network as moves of the program's threads. Numbers of threads that have ended
    /// are given again, as the machine does.
    pub fn moves(&self, run: &[Move]) -> Vec<concretize::Move> {
        let mut moves = Vec::new();
        // The thread of the network at each number of the machine, and whether it has ended.
        let mut numbers: Vec<(usize, bool)> = vec![(0, false)];
        let mut created = 1;
        for Move { thread, action } in run {
            let Action::Rule(index) = action else { continue };
            let (rule, meaning) = (&self.dcps.rules[*index], &self.meanings[*index]);
            let Some(number) = numbers.iter().position(|(other, _)| other == thread) else { continue };
            if let Some(edge) = meaning.edge {
                let globals = self.globals.get(rule.to.0 as usize).cloned().flatten();
                let (before, after) = (Values::default(), Values { globals, locals: None });
                moves.push(concretize::Move { thread: number, edge, before, after, fails: meaning.fails });
            }
            if rule.spawn.is_some() {
                numbers.push((created, false));
                created += 1;
            }
            numbers[number].1 |= meaning.ends;
            while numbers.len() > 1 && numbers.last().is_some_and(|(_, ended)| *ended) {
                numbers.pop();
            }
        }
        moves
    }
}

type Head = (StateId, SymbolId);

/// The globals, and what a procedure gives back.
type Given = (Vec<Value>, Vec<Value>);

struct Compiler<'a> {
    program: &'a Program,
    recursive: bool,
    visible: Vec<bool>,
    error_nodes: FxHashSet<NodeId>,
    names: Names,
    rules: Vec<Rule>,
    meanings: Vec<Meaning>,
    met: FxHashSet<Head>,
    work: Vec<Head>,
    /// Shared states in which no thread is active.
    idle: BTreeSet<u32>,
    /// Symbols of threads that may be resumed.
    suspended: BTreeSet<u32>,
    /// Who waits for a procedure, and what it gave back so far.
    callers: FxHashMap<ProcId, Vec<SymbolId>>,
    returned: FxHashMap<ProcId, Vec<StateId>>,
    /// The same as sets.
    waiting: FxHashSet<(ProcId, SymbolId)>,
    given: FxHashSet<(ProcId, StateId)>,
    violated: StateId,
    start: Head,
}

impl<'a> Compiler<'a> {
    fn new(program: &'a Program) -> Self {
        let mut names = Names::default();
        let violated = names.state(State::Violated);
        Compiler {
            program,
            recursive: recursive(program),
            visible: visible(program),
            error_nodes: program.targets.iter().map(|target| target.node).collect(),
            names,
            rules: Vec::new(),
            meanings: Vec::new(),
            met: FxHashSet::default(),
            work: Vec::new(),
            idle: BTreeSet::new(),
            suspended: BTreeSet::new(),
            callers: FxHashMap::default(),
            returned: FxHashMap::default(),
            waiting: FxHashSet::default(),
            given: FxHashSet::default(),
            violated,
            start: (violated, SymbolId(0)),
        }
    }

    fn explore(&mut self, budget: &Budget) -> Result<(), Refused> {
        let initial = self.program.globals.iter().map(|global| match global.initial {
            Initial::Any => ANY,
            Initial::Value(value) => Value::from(value),
        });
        let globals = State::Globals(initial.collect());
        let root = Frame::entry(self.program, self.program.threads[0].procedure, &[]);
        let at_error = self.error_nodes.contains(&root.node);
        let symbol = self.thread(root);
        let symbol = self.names.symbol(symbol);
        let state = if at_error { self.violated } else { self.names.state(globals) };
        self.start = (state, symbol);
        self.meet((state, symbol));
        let mut turns = 0u64;
        while let Some(head) = self.work.pop() {
            turns += 1;
            if turns.is_multiple_of(1024)
                && let Some(reason) = budget.check(self.met.len() as u64, 0)
            {
                return Err(Refused::Stopped(reason));
            }
            if self.met.len() > MOST_PAIRS {
                let why = format!("it has more than {MOST_PAIRS} pairs of shared and local states");
                return Err(Refused::TooLarge(why));
            }
            self.expand(head)?;
        }
        Ok(())
    }

    /// The stack of a new thread.
    fn thread(&self, frame: Frame) -> Symbol {
        if self.recursive { Symbol::New(frame) } else { Symbol::Top(frame, Vec::new()) }
    }

    fn meet(&mut self, head: Head) {
        if head.0 != self.violated && self.met.insert(head) {
            self.work.push(head);
        }
    }

    fn expand(&mut self, head: Head) -> Result<(), Refused> {
        let state = self.names.states.items[head.0.0 as usize].clone();
        let symbol = self.names.symbols.items[head.1.0 as usize].clone();
        match (state, symbol) {
            (State::Globals(globals), Symbol::Top(frame, below)) => {
                let found = steps(self.program, &globals, &frame).map_err(|TooManyChoices(edge)| {
                    let name = &self.program.procedure(self.program.node(self.program.edge(edge).from).procedure).name;
                    Refused::TooLarge(format!("a statement of `{name}` has too many choices"))
                })?;
                for step in found {
                    self.step(head, &frame, &below, step);
                }
                self.interrupt(head, &frame);
            }
            (State::Globals(_), Symbol::New(frame)) => {
                let procedure = self.program.node(frame.node).procedure;
                let span = self.program.node(frame.node).span;
                let top = self.names.symbol(Symbol::Top(frame, Vec::new()));
                let bottom = self.names.symbol(Symbol::Bottom);
                self.rule(head, (head.0, vec![top, bottom]), Kind::Step, (None, None, span));
                self.calls(procedure, bottom);
            }
            (State::Returning(globals, _), Symbol::Bottom) => {
                let to = self.names.state(State::Globals(globals));
                let span = self.program.procedures[0].span;
                self.rule(head, (to, Vec::new()), Kind::Yield, (None, None, span));
                self.ends();
            }
            (State::Returning(globals, values), Symbol::Caller((edge, locals))) => {
                let (globals, frame) = give_back(self.program, edge, &globals, &locals, &values);
                let span = self.program.edge(edge).span;
                self.goes_on(head, globals, frame, Vec::new(), (None, None, span));
            }
            _ => {}
        }
        Ok(())
    }

    /// A rule, its effects on what is met, and what it means.
    fn rule(
        &mut self,
        (from, top): Head,
        (to, push): (StateId, Vec<SymbolId>),
        kind: Kind,
        (edge, spawn, span): (Option<EdgeId>, Option<SymbolId>, Span),
    ) {
        if let (Kind::Step, Some(symbol)) = (kind, push.first()) {
            self.meet((to, *symbol));
        }
        if kind == Kind::Yield && to != self.violated {
            self.suspend(push.first().copied());
            self.leave(to);
        }
        if spawn.is_some() {
            self.suspend(spawn);
        }
        self.rules.push(Rule { from, top, to, push, spawn, kind, span });
        self.meanings.push(Meaning { edge, fails: false, ends: false });
    }

    /// The thread of the last rule has ended.
    fn ends(&mut self) {
        self.meanings.iter_mut().last().into_iter().for_each(|meaning| meaning.ends = true);
    }

    fn step(&mut self, head: Head, frame: &Frame, below: &[Caller], step: Step) {
        let Step { edge, globals, after, spawn } = step;
        let span = self.program.edge(edge).span;
        let starts_wrong = spawn.as_ref().is_some_and(|frame| self.error_nodes.contains(&frame.node));
        let spawn = spawn.map(|frame| self.thread(frame)).map(|symbol| self.names.symbol(symbol));
        let what = (Some(edge), spawn, span);
        let below = below.to_vec();
        match after {
            _ if starts_wrong => self.rule(head, (self.violated, Vec::new()), Kind::Step, what),
            After::Fail => {
                self.rule(head, (self.violated, Vec::new()), Kind::Step, what);
                self.meanings.iter_mut().last().into_iter().for_each(|meaning| meaning.fails = true);
            }
            After::At(next) => self.goes_on(head, globals, next, below, what),
            After::Call(callee, locals) => self.call(head, globals, (callee, (edge, locals)), below, what),
            After::End => {
                let to = self.names.state(State::Globals(globals));
                self.rule(head, (to, Vec::new()), Kind::Yield, what);
                self.ends();
            }
            After::Return(values) => self.give(head, frame, (globals, values), below, what),
        }
    }

    /// The thread continues with a frame on top.
    fn goes_on(
        &mut self,
        head: Head,
        globals: Vec<Value>,
        frame: Frame,
        below: Vec<Caller>,
        what: (Option<EdgeId>, Option<SymbolId>, Span),
    ) {
        if self.error_nodes.contains(&frame.node) {
            return self.rule(head, (self.violated, Vec::new()), Kind::Step, what);
        }
        let to = self.names.state(State::Globals(globals));
        let top = self.names.symbol(Symbol::Top(frame, below));
        self.rule(head, (to, vec![top]), Kind::Step, what);
    }

    fn call(
        &mut self,
        head: Head,
        globals: Vec<Value>,
        (callee, caller): (Frame, Caller),
        mut below: Vec<Caller>,
        what: (Option<EdgeId>, Option<SymbolId>, Span),
    ) {
        if !self.recursive {
            below.push(caller);
            return self.goes_on(head, globals, callee, below, what);
        }
        if self.error_nodes.contains(&callee.node) {
            return self.rule(head, (self.violated, Vec::new()), Kind::Step, what);
        }
        let procedure = self.program.node(callee.node).procedure;
        let to = self.names.state(State::Globals(globals));
        let waiting = self.names.symbol(Symbol::Caller(caller));
        let top = self.names.symbol(Symbol::Top(callee, Vec::new()));
        self.rule(head, (to, vec![top, waiting]), Kind::Step, what);
        self.calls(procedure, waiting);
    }

    /// A thread waits for a procedure.
    fn calls(&mut self, procedure: ProcId, waiting: SymbolId) {
        if !self.waiting.insert((procedure, waiting)) {
            return;
        }
        self.callers.entry(procedure).or_default().push(waiting);
        for state in self.returned.get(&procedure).cloned().unwrap_or_default() {
            self.meet((state, waiting));
        }
    }

    /// A frame gives values back.
    fn give(
        &mut self,
        head: Head,
        frame: &Frame,
        (globals, values): Given,
        mut below: Vec<Caller>,
        what: (Option<EdgeId>, Option<SymbolId>, Span),
    ) {
        if !self.recursive {
            return match below.pop() {
                Some((edge, locals)) => {
                    let (globals, next) = give_back(self.program, edge, &globals, &locals, &values);
                    self.goes_on(head, globals, next, below, what);
                }
                None => {
                    let to = self.names.state(State::Globals(globals));
                    self.rule(head, (to, Vec::new()), Kind::Yield, what);
                    self.ends();
                }
            };
        }
        let to = self.names.state(State::Returning(globals, values));
        self.rule(head, (to, Vec::new()), Kind::Step, what);
        let procedure = self.program.node(frame.node).procedure;
        if self.given.insert((procedure, to)) {
            self.returned.entry(procedure).or_default().push(to);
            for waiting in self.callers.get(&procedure).cloned().unwrap_or_default() {
                self.meet((to, waiting));
            }
        }
    }

    /// A switch, where one is possible. A thread whose next step is invisible to others takes it first, unless it never
    /// runs again.
    fn interrupt(&mut self, head: Head, frame: &Frame) {
        let node = self.program.node(frame.node);
        if node.atomic {
            return;
        }
        let noticed = node.edges.iter().any(|edge| self.visible[edge.index()]);
        let push = if noticed { vec![head.1] } else { Vec::new() };
        self.rule(head, (head.0, push), Kind::Yield, (None, None, node.span));
    }

    fn suspend(&mut self, symbol: Option<SymbolId>) {
        let Some(symbol) = symbol else { return };
        if self.suspended.insert(symbol.0) {
            for state in self.idle.clone() {
                self.meet((StateId(state), symbol));
            }
        }
    }

    fn leave(&mut self, state: StateId) {
        if self.idle.insert(state.0) {
            for symbol in self.suspended.clone() {
                self.meet((state, SymbolId(symbol)));
            }
        }
    }

    fn finish(self) -> Compiled {
        let span = self.program.procedures[self.program.threads[0].procedure.index()].span;
        let resume =
            |from: &u32, top: &u32| Resume { from: StateId(*from), to: StateId(*from), top: SymbolId(*top), span };
        let resumes = self.idle.iter().flat_map(|from| self.suspended.iter().map(move |top| resume(from, top)));
        let known = |values: &Vec<Value>| values.iter().map(|value| (*value != ANY).then_some(*value == 1)).collect();
        let globals = self.names.states.items.iter().map(|state| match state {
            State::Globals(values) => known(values),
            // The caller's variables have their values one rule later.
            State::Returning(..) | State::Violated => None,
        });
        let globals = globals.collect();
        let symbols = (0..self.names.symbols.items.len()).map(|number| format!("g{number}")).collect();
        let dcps = Dcps {
            states: self.names.state_names(self.program),
            symbols,
            initial: self.start.0,
            initial_symbol: self.start.1,
            targets: vec![(self.violated, span)],
            rules: self.rules,
            resumes: resumes.collect(),
        };
        Compiled { dcps, meanings: self.meanings, globals }
    }
}
