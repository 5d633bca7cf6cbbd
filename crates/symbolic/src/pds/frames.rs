//! A Boolean program as a concurrent pushdown system (\[LR\] Section 4): a shared state is a valuation of
//! the globals, a symbol a node with a valuation of its procedure's locals. Results of a call travel in the
//! shared state for one step, from the return to the caller's frame.

use rustc_hash::FxHashMap;
use selvedge_boolprog::program::{BinOp, Edge, EdgeId, Expr, NodeId, Op, ProcId, Program, VarId};

use super::system::{Action, State, Symbol, System};

/// What a symbol stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Frame {
    /// The thread has not started.
    Start,
    /// Its outermost procedure has returned; also the bottom of its stack.
    Ended,
    /// Something went wrong.
    Error,
    /// At a node with these locals, one bit each.
    At(NodeId, u64),
    /// Waits for a call to return.
    Waiting(EdgeId, u64),
}

/// A program too large to be looked at state by state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TooLarge(pub String);

/// Globals and results must fit into a shared state, locals into a symbol; and what is enumerated must end soon.
const MOST_GLOBALS: usize = 16;
const MOST_LOCALS: usize = 12;
const MOST_CHOICES: u32 = 16;

/// The system of a program.
pub struct Frames<'p> {
    program: &'p Program,
    initial: Vec<State>,
    frames: Vec<(usize, Frame)>,
    numbers: FxHashMap<(usize, Frame), Symbol>,
    targets: Vec<bool>,
}

impl<'p> Frames<'p> {
    /// The system of a program that starts in these shared states.
    pub fn new(program: &'p Program, initial: Vec<State>) -> Result<Self, TooLarge> {
        let locals = program.procedures.iter().map(|p| p.locals.len()).max().unwrap_or(0);
        let results = program.procedures.iter().map(|p| p.results).max().unwrap_or(0);
        if program.globals.len() > MOST_GLOBALS || locals > MOST_LOCALS || results > MOST_LOCALS {
            return Err(TooLarge(format!(
                "the program has {} globals and procedures with up to {locals} locals; state by state, \
                 {MOST_GLOBALS} and {MOST_LOCALS} are the most",
                program.globals.len()
            )));
        }
        let choices = program.edges.iter().map(|edge| edge.choices).max().unwrap_or(0);
        if choices > MOST_CHOICES {
            return Err(TooLarge(format!(
                "a statement has {choices} choices; state by state, {MOST_CHOICES} are the most"
            )));
        }
        let mut targets = vec![false; program.nodes.len()];
        program.targets.iter().for_each(|target| targets[target.node.index()] = true);
        Ok(Frames { program, initial, frames: Vec::new(), numbers: FxHashMap::default(), targets })
    }

    /// The symbol of a frame.
    pub fn symbol(&mut self, thread: usize, frame: Frame) -> Symbol {
        let next = Symbol(self.frames.len() as u32);
        let number = *self.numbers.entry((thread, frame)).or_insert(next);
        if number == next {
            self.frames.push((thread, frame));
        }
        number
    }

    /// The frame of a symbol.
    pub fn frame(&self, symbol: Symbol) -> (usize, Frame) {
        self.frames[symbol.0 as usize]
    }

    /// The values of a shared state.
    pub fn globals(&self, state: State) -> Vec<bool> {
        (0..self.program.globals.len()).map(|bit| state >> bit & 1 == 1).collect()
    }

    fn no_switch(&self, state: State) -> bool {
        self.program.no_switch_while.is_some_and(|global| state >> global.index() & 1 == 1)
    }

    /// The symbols with which a procedure starts: parameters as given, other locals any.
    fn entries(&mut self, thread: usize, procedure: ProcId, params: Option<u64>) -> Vec<Symbol> {
        let callee = self.program.procedure(procedure);
        let (entry, locals, given) = (callee.entry, callee.locals.len(), params.map_or(0, |_| callee.parameters));
        (0..1u64 << (locals - given))
            .map(|free| self.symbol(thread, Frame::At(entry, params.unwrap_or(0) | free << given)))
            .collect()
    }

    /// The bit that marks a shared state in which results travel.
    fn returning(&self) -> State {
        1 << self.program.globals.len()
    }

    fn at(&mut self, thread: usize, node: NodeId, locals: u64, state: State) -> Vec<Action> {
        if self.targets[node.index()] {
            return vec![Action { state, push: vec![self.symbol(thread, Frame::Error)], error: true }];
        }
        let program = self.program;
        let mut actions = Vec::new();
        for &id in &program.node(node).edges {
            let edge = program.edge(id);
            for choices in 0..1u64 << edge.choices {
                self.follow(thread, id, edge, &Values { globals: state, locals, choices, after: None }, &mut actions);
            }
        }
        actions.sort_unstable();
        actions.dedup();
        actions
    }

    fn follow(&mut self, thread: usize, id: EdgeId, edge: &Edge, before: &Values, actions: &mut Vec<Action>) {
        let Values { globals, locals, .. } = *before;
        let mut go = |state, push| actions.push(Action { state, push, error: false });
        match &edge.op {
            Op::Skip | Op::EndThread => go(globals, vec![self.symbol(thread, Frame::At(edge.to, locals))]),
            Op::Assume(e) => {
                if before.eval(e) {
                    go(globals, vec![self.symbol(thread, Frame::At(edge.to, locals))]);
                }
            }
            Op::Assert(e) => match before.eval(e) {
                true => go(globals, vec![self.symbol(thread, Frame::At(edge.to, locals))]),
                false => {
                    let push = vec![self.symbol(thread, Frame::Error)];
                    actions.push(Action { state: globals, push, error: true });
                }
            },
            Op::Assign { targets, values, constrain } => {
                let values: Vec<bool> = values.iter().map(|e| before.eval(e)).collect();
                let after = write((globals, locals), targets.iter().copied().map(Some), values);
                let before = Values { after: Some(after), ..*before };
                if constrain.as_ref().is_none_or(|e| before.eval(e)) {
                    go(after.0, vec![self.symbol(thread, Frame::At(edge.to, after.1))]);
                }
            }
            Op::Call { procedure, args, .. } => {
                let params = bits(args.iter().map(|e| before.eval(e)));
                let waiting = self.symbol(thread, Frame::Waiting(id, locals));
                for entry in self.entries(thread, *procedure, Some(params)) {
                    go(globals, vec![entry, waiting]);
                }
            }
            Op::Return { values } => {
                let results = bits(values.iter().map(|e| before.eval(e)));
                go(globals | self.returning() | results << (self.program.globals.len() + 1), Vec::new());
            }
            Op::Start { .. } | Op::StartAt(_) | Op::Wait | Op::Broadcast => {}
        }
    }

    /// A callee has returned to this frame.
    fn resume(&mut self, thread: usize, id: EdgeId, locals: u64, state: State) -> Vec<Action> {
        let edge = self.program.edge(id);
        let Op::Call { targets, .. } = &edge.op else { return Vec::new() };
        let globals = state & (self.returning() - 1);
        let results = state >> (self.program.globals.len() + 1);
        let values = (0..targets.len()).map(|r| results >> r & 1 == 1).collect();
        let after = write((globals, locals), targets.iter().copied(), values);
        vec![Action { state: after.0, push: vec![self.symbol(thread, Frame::At(edge.to, after.1))], error: false }]
    }
}

impl System for Frames<'_> {
    fn threads(&self) -> usize {
        self.program.threads.len()
    }

    fn initial(&self) -> Vec<State> {
        self.initial.clone()
    }

    fn entry(&mut self, thread: usize) -> Symbol {
        self.symbol(thread, Frame::Start)
    }

    fn actions(&mut self, state: State, top: Symbol) -> Vec<Action> {
        let (thread, frame) = self.frame(top);
        let returning = state & self.returning() != 0;
        match frame {
            Frame::Start => {
                let bottom = self.symbol(thread, Frame::Ended);
                let entries = self.entries(thread, self.program.threads[thread].procedure, None);
                entries.into_iter().map(|entry| Action { state, push: vec![entry, bottom], error: false }).collect()
            }
            Frame::At(node, locals) if !returning => self.at(thread, node, locals, state),
            Frame::Waiting(edge, locals) if returning => self.resume(thread, edge, locals, state),
            // The outermost procedure returns its results to no caller.
            Frame::Ended if returning => {
                vec![Action { state: state & (self.returning() - 1), push: vec![top], error: false }]
            }
            _ => Vec::new(),
        }
    }

    fn may_switch(&self, state: State, top: Symbol) -> bool {
        let free = match self.frame(top).1 {
            Frame::Start | Frame::Ended => true,
            Frame::At(node, _) => !self.program.node(node).atomic,
            Frame::Waiting(..) | Frame::Error => false,
        };
        // If the flag is true at the start, no thread has set it: any thread may be the first to run.
        let untouched = self.frame(top).1 == Frame::Start && self.initial.contains(&state);
        free && state & self.returning() == 0 && (untouched || !self.no_switch(state))
    }

    fn thread_of(&self, symbol: Symbol) -> usize {
        self.frame(symbol).0
    }
}

/// The values an expression reads.
#[derive(Clone, Copy)]
struct Values {
    globals: u64,
    locals: u64,
    choices: u64,
    after: Option<(u64, u64)>,
}

impl Values {
    fn read((globals, locals): (u64, u64), var: VarId) -> bool {
        match var {
            VarId::Global(global) => globals >> global.index() & 1 == 1,
            VarId::Local(local) => locals >> local.index() & 1 == 1,
        }
    }

    fn eval(&self, expr: &Expr) -> bool {
        let now = (self.globals, self.locals);
        match expr {
            Expr::Const(value) => *value,
            Expr::Var(var) => Values::read(now, *var),
            Expr::Next(var) => Values::read(self.after.unwrap_or(now), *var),
            Expr::Nondet(index) => self.choices >> index & 1 == 1,
            Expr::Not(inner) => !self.eval(inner),
            Expr::If(condition, then, other) => self.eval(if self.eval(condition) { then } else { other }),
            Expr::Binary(op, left, right) => {
                let (left, right) = (self.eval(left), self.eval(right));
                match op {
                    BinOp::And => left & right,
                    BinOp::Or => left | right,
                    BinOp::Xor => left ^ right,
                    BinOp::Eq => left == right,
                    BinOp::Implies => !left | right,
                }
            }
        }
    }
}

fn bits(values: impl Iterator<Item = bool>) -> u64 {
    values.enumerate().fold(0, |bits, (place, value)| bits | u64::from(value) << place)
}

fn write(state: (u64, u64), targets: impl Iterator<Item = Option<VarId>>, values: Vec<bool>) -> (u64, u64) {
    let (mut globals, mut locals) = state;
    for (target, value) in targets.zip(values) {
        let (word, place) = match target {
            Some(VarId::Global(global)) => (&mut globals, global.index()),
            Some(VarId::Local(local)) => (&mut locals, local.index()),
            None => continue,
        };
        *word = *word & !(1 << place) | u64::from(value) << place;
    }
    (globals, locals)
}
