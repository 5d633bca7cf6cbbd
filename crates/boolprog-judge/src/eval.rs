//! Expressions. Evaluation yields every value the expression can have, each with the state in which
//! it has it: reading an open variable decides it.

use super::{Interpreter, State, Value};
use selvedge_boolprog_syntax::ast::{BinOp, Expr, ExprKind};

/// New values of variables, for primed ones.
pub type Pending = Vec<(Place, Value)>;

/// Where a variable is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// A global.
    Global(usize),
    /// A local of the innermost frame of the thread that runs.
    Local(usize),
}

/// A value, and the state and new values in which an expression has it.
type Outcome = (bool, State, Pending);

impl Interpreter<'_> {
    /// The variable with this name in the scope of a function.
    pub(crate) fn place(&self, function: usize, name: &str) -> Option<Place> {
        let source = &self.program.functions[function];
        let find = |name: &str| {
            let mut locals = source.parameters.iter().chain(source.locals.iter().map(|local| &local.name));
            let local = locals.position(|local| local.text == name).map(Place::Local);
            local.or_else(|| self.program.globals.iter().position(|g| g.name.text == name).map(Place::Global))
        };
        find(name).or_else(|| find(name.strip_suffix('$')?))
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
            ExprKind::Binary(op, left, right) => self.both(left, right, thread, state, pending, |a, b| match op {
                BinOp::And => a & b,
                BinOp::Or => a | b,
                BinOp::Xor | BinOp::Ne => a ^ b,
                BinOp::Eq => a == b,
                BinOp::Implies => a <= b,
            }),
            ExprKind::If(condition, then, otherwise) => {
                let all = self.eval(condition, thread, state, pending);
                let chosen =
                    |(value, state, pending)| self.eval(if value { then } else { otherwise }, thread, state, pending);
                all.into_iter().flat_map(chosen).collect()
            }
            ExprKind::Schoose(positive, negative) => {
                // Positive: true; else negative: false; else either.
                let mut all = Vec::new();
                for (value, state, pending) in self.eval(positive, thread, state, pending) {
                    if value {
                        all.push((true, state, pending));
                        continue;
                    }
                    for (value, state, pending) in self.eval(negative, thread, state, pending) {
                        all.push((false, state.clone(), pending.clone()));
                        if !value {
                            all.push((true, state, pending));
                        }
                    }
                }
                all
            }
        }
    }

    fn both(
        &self,
        left: &Expr,
        right: &Expr,
        thread: usize,
        state: State,
        pending: Pending,
        join: impl Fn(bool, bool) -> bool,
    ) -> Vec<Outcome> {
        let mut all = Vec::new();
        for (a, state, pending) in self.eval(left, thread, state, pending) {
            for (b, state, pending) in self.eval(right, thread, state, pending) {
                all.push((join(a, b), state, pending));
            }
        }
        all
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

    /// The same for a list.
    pub(crate) fn stored_all(&self, list: &[Expr], thread: usize, state: State) -> Vec<(Vec<Value>, State)> {
        let mut all = vec![(Vec::new(), state)];
        for expr in list {
            let mut longer = Vec::new();
            for (values, state) in all {
                for (value, state) in self.stored(expr, thread, state) {
                    longer.push((values.iter().copied().chain([value]).collect(), state));
                }
            }
            all = longer;
        }
        all
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
