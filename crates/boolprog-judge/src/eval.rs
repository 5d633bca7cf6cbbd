//! Expressions. Evaluation yields every value the expression can have, each with the state in which
//! it has it: reading an open variable decides it. There can be exponentially many; of more than [`MOST_WAYS`] the
//! rest is left out, and [`Interpreter::was_cut`] returns true.

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Interpreter, State, Value, Ways};
use selvedge_boolprog_syntax::ast::{BinOp, Expr, ExprKind, Program};

/// New values of variables, for primed ones.
pub(crate) type Pending = Vec<(Place, Value)>;

/// Outcomes of an evaluation, and states of a step, that are followed at most.
pub(crate) const MOST_WAYS: usize = 1 << 14;
/// The same for random runs.
pub(crate) const SAMPLED_WAYS: usize = 1 << 10;

/// Variables that a step may look up before it counts for more than one.
const LOOKED_UP_IN_A_STEP: u64 = 12;

/// Where a variable is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Place {
    /// A global.
    Global(usize),
    /// A local of the innermost frame of the thread that runs.
    Local(usize),
}

/// The variables of a program by name.
pub(crate) struct Scope<'a> {
    globals: FxHashMap<&'a str, Place>,
    /// By function: parameters and locals.
    locals: Vec<FxHashMap<&'a str, Place>>,
}

impl<'a> Scope<'a> {
    pub(crate) fn of(program: &'a Program) -> Self {
        let globals = program.globals.iter().enumerate();
        let locals = program.functions.iter().map(|function| {
            let names = function.parameters.iter().chain(function.locals.iter().map(|local| &local.name));
            names.enumerate().map(|(index, name)| (name.text.as_str(), Place::Local(index))).collect()
        });
        Scope {
            globals: globals.map(|(index, global)| (global.name.text.as_str(), Place::Global(index))).collect(),
            locals: locals.collect(),
        }
    }

    fn find(&self, function: usize, name: &str) -> Option<Place> {
        self.locals[function].get(name).or_else(|| self.globals.get(name)).copied()
    }
}

/// A value, and the state and new values in which an expression has it.
type Outcome = (bool, State, Pending);

impl Interpreter<'_> {
    /// The variable with this name in the scope of a function.
    pub(crate) fn place(&self, function: usize, name: &str) -> Option<Place> {
        self.ways.looked_up.set(self.ways.looked_up.get() + 1);
        self.scope.find(function, name).or_else(|| self.scope.find(function, name.strip_suffix('$')?))
    }

    /// A variable's value in the innermost frame of a thread.
    pub(crate) fn get(state: &State, thread: usize, place: Place) -> Value {
        match place {
            Place::Global(index) => state.globals[index],
            Place::Local(index) => state.threads[thread].frames.last().map_or(Value::Open, |f| f.locals[index]),
        }
    }

    /// Sets a variable.
    pub(crate) fn set(state: &mut State, thread: usize, place: Place, value: Value) {
        match place {
            Place::Global(index) => state.globals[index] = value,
            Place::Local(index) => {
                if let Some(frame) = state.threads[thread].frames.last_mut() {
                    frame.locals[index] = value;
                }
            }
        }
    }

    /// Every value of an expression of thread `thread`.
    pub(crate) fn eval(&self, expr: &Expr, thread: usize, state: State, pending: Pending) -> Vec<Outcome> {
        match &expr.kind {
            ExprKind::Const(value) => vec![(*value, state, pending)],
            ExprKind::Star => vec![(false, state.clone(), pending.clone()), (true, state, pending)],
            ExprKind::Var(name) | ExprKind::Next(name) => {
                let primed = matches!(expr.kind, ExprKind::Next(_));
                self.read(name, primed, thread, state, pending)
            }
            ExprKind::Not(inner) => {
                let all = self.eval(inner, thread, state, pending);
                all.into_iter().map(|(value, state, pending)| (!value, state, pending)).collect()
            }
            ExprKind::Binary(op, left, right) => {
                let all = self.eval(left, thread, state, pending);
                self.each(all, |a, state, pending, all| match (op, a) {
                    (BinOp::And, false) => all.push((false, state, pending)),
                    (BinOp::Or, true) => all.push((true, state, pending)),
                    (BinOp::Implies, false) => all.push((true, state, pending)),
                    _ => all.extend(self.eval(right, thread, state, pending).into_iter().map(|(b, state, pending)| {
                        let value = match op {
                            BinOp::And | BinOp::Or | BinOp::Implies => b,
                            BinOp::Xor | BinOp::Ne => a ^ b,
                            BinOp::Eq => a == b,
                        };
                        (value, state, pending)
                    })),
                })
            }
            ExprKind::If(condition, then, otherwise) => {
                let all = self.eval(condition, thread, state, pending);
                self.each(all, |value, state, pending, all| {
                    all.extend(self.eval(if value { then } else { otherwise }, thread, state, pending));
                })
            }
            ExprKind::Schoose(positive, negative) => {
                // Positive: true; else negative: false; else either.
                let all = self.eval(positive, thread, state, pending);
                self.each(all, |value, state, pending, all| {
                    if value {
                        return all.push((true, state, pending));
                    }
                    for (value, state, pending) in self.eval(negative, thread, state, pending) {
                        all.push((false, state.clone(), pending.clone()));
                        if !value {
                            all.push((true, state, pending));
                        }
                    }
                })
            }
        }
    }

    /// The outcomes that `then` makes of each of `all`, each once.
    fn each(&self, all: Vec<Outcome>, mut then: impl FnMut(bool, State, Pending, &mut Vec<Outcome>)) -> Vec<Outcome> {
        let mut outcomes = Vec::new();
        for (value, state, pending) in all {
            if self.is_full(outcomes.len()) {
                break;
            }
            then(value, state, pending, &mut outcomes);
        }
        self.note_followed(outcomes.len());
        distinct(outcomes)
    }

    /// Whether so many outcomes are too many to go on; then some are left out.
    pub(crate) fn is_full(&self, outcomes: usize) -> bool {
        let Ways { most, gives_up, cut, .. } = &self.ways;
        let full = outcomes >= *most || (*gives_up && cut.get());
        cut.set(cut.get() || full);
        full
    }

    fn note_followed(&self, outcomes: usize) {
        self.ways.followed.set(self.ways.followed.get() + outcomes as u64);
    }

    /// How many outcomes were followed since the interpreter was made.
    pub(crate) fn followed(&self) -> u64 {
        self.ways.followed.get()
    }

    /// The work of a number of steps, measured in steps that look up few variables: a statement of a large program may
    /// look up hundreds.
    pub(crate) fn work(&self, steps: u64) -> u64 {
        steps.max(self.ways.looked_up.get() / LOOKED_UP_IN_A_STEP)
    }

    /// Whether outcomes were left out since the interpreter was made.
    pub(crate) fn was_cut(&self) -> bool {
        self.ways.cut.get()
    }

    fn read(&self, name: &str, primed: bool, thread: usize, state: State, pending: Pending) -> Vec<Outcome> {
        let function = state.threads[thread].frames.last().map_or(0, |frame| frame.function);
        let Some(place) = self.place(function, name) else { return Vec::new() };
        let new = pending.iter().position(|(target, _)| primed && *target == place);
        let value = match new {
            Some(index) => pending[index].1,
            None => Self::get(&state, thread, place),
        };
        let decide = |decided: bool| {
            let (mut state, mut pending) = (state.clone(), pending.clone());
            match new {
                Some(index) => pending[index].1 = Value::Known(decided),
                None => Self::set(&mut state, thread, place, Value::Known(decided)),
            }
            (decided, state, pending)
        };
        match value {
            Value::Known(value) => vec![(value, state, pending)],
            Value::Open => vec![decide(false), decide(true)],
        }
    }

    /// Every value that is stored for an expression: `*` alone may stay open.
    pub(crate) fn stored(&self, expr: &Expr, thread: usize, state: State) -> Vec<(Value, State)> {
        if expr.kind == ExprKind::Star && !self.eager {
            return vec![(Value::Open, state)];
        }
        let all = self.eval(expr, thread, state, Vec::new());
        all.into_iter().map(|(value, state, _)| (Value::Known(value), state)).collect()
    }

    /// The same for a list, evaluated in the frame of `thread`. `wanted` are the values that count, where only one does.
    /// Variables that are `overwritten` by the statement keep their value only as long as the list, or `later`, reads it.
    pub(crate) fn stored_all(
        &self,
        list: &[Expr],
        thread: usize,
        state: State,
        wanted: &[Option<bool>],
        (overwritten, later): (&[Place], Option<&Expr>),
    ) -> Vec<(Vec<Value>, State)> {
        let function = state.threads[thread].frames.last().map_or(0, |frame| frame.function);
        let mut last_read: FxHashMap<Place, usize> = FxHashMap::default();
        for (index, expr) in list.iter().chain(later).enumerate() {
            self.reads(expr, function, &mut |place| _ = last_read.insert(place, index));
        }
        let mut unread: Vec<Vec<Place>> = vec![Vec::new(); list.len() + 1];
        for place in overwritten {
            unread[last_read.get(place).copied().unwrap_or(0)].push(*place);
        }
        let mut all = vec![(Vec::new(), state)];
        for (index, expr) in list.iter().enumerate() {
            let wanted = wanted.get(index).copied().flatten();
            let counts = |value: Value| wanted.is_none_or(|wanted| value != Value::Known(!wanted));
            let mut longer = Vec::new();
            for (values, state) in all {
                if self.is_full(longer.len()) {
                    break;
                }
                let mut stored = self.stored(expr, thread, state);
                for (_, state) in &mut stored {
                    unread[index].iter().for_each(|place| Self::set(state, thread, *place, Value::Open));
                }
                for (value, state) in self.joined(stored).into_iter().filter(|(value, _)| counts(*value)) {
                    longer.push((values.iter().copied().chain([value]).collect(), state));
                }
            }
            self.note_followed(longer.len());
            all = distinct(longer);
        }
        all
    }

    /// Both values in the same state are one open value.
    fn joined(&self, mut stored: Vec<(Value, State)>) -> Vec<(Value, State)> {
        if self.eager || stored.len() < 2 {
            return stored;
        }
        let mut values: FxHashMap<State, Value> = FxHashMap::default();
        for (value, state) in &stored {
            values.entry(state.clone()).and_modify(|known| *known = known.or(*value)).or_insert(*value);
        }
        stored.retain_mut(|(value, state)| {
            let joined = values.remove(state);
            *value = joined.unwrap_or(*value);
            joined.is_some()
        });
        stored
    }

    /// Calls `each` for every variable whose value before the step an expression reads.
    fn reads(&self, expr: &Expr, function: usize, each: &mut impl FnMut(Place)) {
        let mut work = vec![expr];
        while let Some(expr) = work.pop() {
            // The new value of a variable that is not assigned is its old one.
            if let ExprKind::Var(name) | ExprKind::Next(name) = &expr.kind {
                self.place(function, name).into_iter().for_each(&mut *each);
            }
            work.extend(expr.children());
        }
    }

    /// The states in which a condition can be true, or false.
    pub(crate) fn states_where(&self, expr: &Expr, wanted: bool, thread: usize, state: State) -> Vec<State> {
        if expr.kind == ExprKind::Star {
            return vec![state];
        }
        let all = self.eval(expr, thread, state, Vec::new());
        all.into_iter().filter(|(value, ..)| *value == wanted).map(|(_, state, _)| state).collect()
    }
}

/// Each once, in the same order.
fn distinct<T: Clone + Eq + std::hash::Hash>(mut all: Vec<T>) -> Vec<T> {
    if all.len() > 2 {
        let mut seen = FxHashSet::default();
        all.retain(|outcome| seen.insert(outcome.clone()));
    }
    all
}
