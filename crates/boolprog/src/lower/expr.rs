//! Expressions: names become variables, every `*` gets its number, `schoose` is spelled out.

use crate::program::{BinOp, Expr, GlobalId, LocalId, VarId};
use selvedge_boolprog_syntax::ast::{self, ExprKind, Function};
use selvedge_boolprog_syntax::check::undecorated;

/// What names mean in a function.
pub(super) struct Scope<'a> {
    program: &'a ast::Program,
    function: &'a Function,
}

impl<'a> Scope<'a> {
    /// The scope of a function.
    pub(super) fn new(program: &'a ast::Program, function: &'a Function) -> Self {
        Scope { program, function }
    }

    /// Names of the parameters and locals, in the order of their ids.
    pub(super) fn locals(&self) -> impl Iterator<Item = &'a ast::Name> {
        self.function.parameters.iter().chain(self.function.locals.iter().map(|local| &local.name))
    }

    /// Every variable in scope.
    pub(super) fn everything(&self) -> Vec<VarId> {
        let globals = (0..self.program.globals.len()).map(|i| VarId::Global(GlobalId::new(i)));
        globals.chain((0..self.locals().count()).map(|i| VarId::Local(LocalId::new(i)))).collect()
    }

    /// The variable with this name; locals hide globals.
    pub(super) fn variable(&self, name: &str) -> VarId {
        let find = |name: &str| {
            let local = self.locals().position(|local| local.text == name).map(|i| VarId::Local(LocalId::new(i)));
            let global = || self.program.globals.iter().position(|global| global.name.text == name);
            local.or_else(|| global().map(|i| VarId::Global(GlobalId::new(i))))
        };
        let found = find(name).or_else(|| undecorated(name).and_then(find));
        found.unwrap_or_else(|| unreachable!("the checks know every variable, but not `{name}`"))
    }
}

/// Translates the expressions of one edge.
pub(super) struct Translator<'a, 's> {
    scope: &'s Scope<'a>,
    /// Occurrences of `*` so far.
    pub choices: u32,
}

impl<'a, 's> Translator<'a, 's> {
    /// For a new edge.
    pub(super) fn new(scope: &'s Scope<'a>) -> Self {
        Translator { scope, choices: 0 }
    }

    /// A `*` of its own.
    pub(crate) fn nondet(&mut self) -> Expr {
        self.choices += 1;
        Expr::Nondet(self.choices - 1)
    }

    /// One expression.
    pub(super) fn expr(&mut self, expr: &ast::Expr) -> Expr {
        match &expr.kind {
            ExprKind::Const(value) => Expr::Const(*value),
            ExprKind::Var(name) => Expr::Var(self.scope.variable(name)),
            ExprKind::Next(name) => Expr::Next(self.scope.variable(name)),
            ExprKind::Star => self.nondet(),
            ExprKind::Not(inner) => Expr::Not(Box::new(self.expr(inner))),
            ExprKind::Binary(op, left, right) => {
                let (left, right) = (self.expr(left), self.expr(right));
                let op = match op {
                    ast::BinOp::And => BinOp::And,
                    ast::BinOp::Or => BinOp::Or,
                    ast::BinOp::Xor | ast::BinOp::Ne => BinOp::Xor,
                    ast::BinOp::Eq => BinOp::Eq,
                    ast::BinOp::Implies => BinOp::Implies,
                };
                Expr::Binary(op, Box::new(left), Box::new(right))
            }
            ExprKind::If(condition, then, otherwise) => {
                Expr::If(Box::new(self.expr(condition)), Box::new(self.expr(then)), Box::new(self.expr(otherwise)))
            }
            ExprKind::Schoose(positive, negative) => {
                let positive = self.expr(positive);
                let not_negative = Expr::Not(Box::new(self.expr(negative)));
                let otherwise = Expr::Binary(BinOp::And, Box::new(self.nondet()), Box::new(not_negative));
                Expr::Binary(BinOp::Or, Box::new(positive), Box::new(otherwise))
            }
        }
    }

    /// Several.
    pub(super) fn exprs(&mut self, list: &[ast::Expr]) -> Vec<Expr> {
        list.iter().map(|expr| self.expr(expr)).collect()
    }
}
