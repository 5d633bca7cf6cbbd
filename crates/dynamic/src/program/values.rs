//! Values of variables, and the ways to read them: an edge is executed once for each choice of its `*` and of
//! the variables it reads that may have any value.

use std::collections::BTreeSet;

use selvedge_boolprog::program::{BinOp, Expr, VarId};

/// False, true, or either: not yet chosen.
pub(super) type Value = u8;
/// Either.
pub(super) const ANY: Value = 2;
/// Choices of one edge beyond which it is not executed.
const MOST_CHOICES: usize = 16;

/// The variables in scope.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Scope {
    pub globals: Vec<Value>,
    pub locals: Vec<Value>,
}

impl Scope {
    pub(super) fn get(&self, var: VarId) -> Value {
        match var {
            VarId::Global(id) => self.globals[id.index()],
            VarId::Local(id) => self.locals[id.index()],
        }
    }

    pub(super) fn set(&mut self, var: VarId, value: Value) {
        match var {
            VarId::Global(id) => self.globals[id.index()] = value,
            VarId::Local(id) => self.locals[id.index()] = value,
        }
    }
}

/// What expressions read: variables, and occurrences of `*`.
#[derive(Default)]
pub(super) struct Reads {
    vars: BTreeSet<VarId>,
    stars: BTreeSet<u32>,
}

impl Reads {
    pub(super) fn expr(&mut self, expr: &Expr) {
        match expr {
            Expr::Const(_) => {}
            Expr::Var(var) | Expr::Next(var) => {
                self.vars.insert(*var);
            }
            Expr::Nondet(number) => {
                self.stars.insert(*number);
            }
            Expr::Not(inner) => self.expr(inner),
            Expr::Binary(_, left, right) => {
                self.expr(left);
                self.expr(right);
            }
            Expr::If(condition, then, otherwise) => {
                self.expr(condition);
                self.expr(then);
                self.expr(otherwise);
            }
        }
    }

    /// As [`Reads::expr`], but a value that is just `*` needs no choice.
    pub(super) fn value(&mut self, expr: &Expr) {
        if !matches!(expr, Expr::Nondet(_)) {
            self.expr(expr);
        }
    }

    pub(super) fn globals(&self) -> bool {
        self.vars.iter().any(|var| matches!(var, VarId::Global(_)))
    }

    /// Every choice: the scope with the variables that are read chosen, and the values of the `*`. `None` if there
    /// are too many.
    pub(super) fn choices(&self, scope: &Scope) -> Option<Vec<Chosen>> {
        let open: Vec<VarId> = self.vars.iter().copied().filter(|var| scope.get(*var) == ANY).collect();
        let stars: Vec<u32> = self.stars.iter().copied().collect();
        let bits = open.len() + stars.len();
        if bits > MOST_CHOICES {
            return None;
        }
        let chosen = |number: u32| {
            let bit = |position: usize| (number >> position & 1) as Value;
            let mut scope = scope.clone();
            open.iter().enumerate().for_each(|(position, var)| scope.set(*var, bit(position)));
            let star = |(position, star): (usize, &u32)| (*star, bit(open.len() + position));
            Chosen { scope, stars: stars.iter().enumerate().map(star).collect() }
        };
        Some((0..1u32 << bits).map(chosen).collect())
    }
}

/// One choice.
pub(super) struct Chosen {
    pub scope: Scope,
    stars: Vec<(u32, Value)>,
}

impl Chosen {
    /// The value of an expression; [`ANY`] only for a `*` that needed no choice.
    pub(super) fn value(&self, expr: &Expr) -> Value {
        match expr {
            Expr::Nondet(number) => self.star(*number).unwrap_or(ANY),
            _ => Value::from(self.holds(expr, &[])),
        }
    }

    /// Whether a condition is true; `next` are the values after the step of what it assigns.
    pub(super) fn holds(&self, expr: &Expr, next: &[(VarId, Value)]) -> bool {
        match expr {
            Expr::Const(value) => *value,
            Expr::Var(var) => self.scope.get(*var) == 1,
            Expr::Next(var) => {
                let assigned = next.iter().find(|(target, _)| target == var).map(|(_, value)| *value);
                assigned.unwrap_or_else(|| self.scope.get(*var)) == 1
            }
            Expr::Nondet(number) => self.star(*number) == Some(1),
            Expr::Not(inner) => !self.holds(inner, next),
            Expr::Binary(op, left, right) => {
                let (left, right) = (self.holds(left, next), self.holds(right, next));
                match op {
                    BinOp::And => left && right,
                    BinOp::Or => left || right,
                    BinOp::Xor => left != right,
                    BinOp::Eq => left == right,
                    BinOp::Implies => !left || right,
                }
            }
            Expr::If(condition, then, otherwise) => match self.holds(condition, next) {
                true => self.holds(then, next),
                false => self.holds(otherwise, next),
            },
        }
    }

    fn star(&self, number: u32) -> Option<Value> {
        self.stars.iter().find(|(star, _)| *star == number).map(|(_, value)| *value)
    }
}
