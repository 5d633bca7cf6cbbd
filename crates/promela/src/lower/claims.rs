//! What claims ask about: the variables that the claims of a file read, whether or not they are in force (a variable that
//! only another formula reads has its use), and the state expressions of the one in force.

use std::collections::HashSet;

use selvedge_promela_syntax::ast::{BinaryOp, Claim, Expr, ExprKind, Item, Model, Stmt, StmtKind, UnaryOp, VarRef};
use selvedge_promela_syntax::walk::{Visitor, walk_expr, walk_formula, walk_sequence, walk_stmt, walk_var};

use super::Lowerer;
use super::stmt::without_parentheses;
use crate::program::Ex;

/// Names that claims read.
#[derive(Default)]
pub(crate) struct ClaimReads {
    globals: HashSet<String>,
    /// Variables of processes, from references such as `P:x`.
    locals: HashSet<String>,
}

impl ClaimReads {
    /// The names in all `never` claims and `ltl` formulas.
    pub(super) fn of(model: &Model) -> Self {
        let mut reads = ClaimReads::default();
        for item in &model.items {
            match item {
                Item::Never(claim) => walk_sequence(&mut reads, &claim.body),
                Item::Ltl(claim) => walk_formula(&mut reads, &claim.formula),
                _ => {}
            }
        }
        reads
    }

    /// Whether a claim reads a variable of this name.
    pub(super) fn reads(&self, name: &str, global: bool) -> bool {
        if global { self.globals.contains(name) } else { self.locals.contains(name) }
    }
}

impl Visitor for ClaimReads {
    fn expr(&mut self, expr: &Expr) {
        if let ExprKind::RemoteVar { var, .. } = &expr.kind {
            self.locals.insert(var.name.name.clone());
        }
        walk_expr(self, expr);
    }

    fn var(&mut self, var: &VarRef) {
        self.globals.insert(var.name.name.clone());
        walk_var(self, var);
    }
}

/// The parts of conditions that are no `!`, `&&` or `||` of others.
#[derive(Default)]
struct Propositions {
    found: Vec<Expr>,
}

impl Propositions {
    fn split(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Const(_) => {}
            ExprKind::Unary(UnaryOp::Not, inner) => self.split(inner),
            ExprKind::Binary(BinaryOp::And | BinaryOp::Or, left, right) => {
                self.split(left);
                self.split(right);
            }
            _ => self.found.push(expr.clone()),
        }
    }
}

impl Visitor for Propositions {
    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Expr(condition) => self.split(condition),
            _ => walk_stmt(self, stmt),
        }
    }
}

impl Lowerer<'_> {
    /// What a claim asks about, each expression once, as it is written.
    pub(super) fn propositions(&mut self, claim: &Claim) -> Vec<(String, Ex)> {
        let mut propositions = Propositions::default();
        walk_sequence(&mut propositions, &claim.body);
        let mut known: Vec<(String, Ex)> = Vec::new();
        self.in_claim = true;
        for expr in propositions.found {
            let text = without_parentheses(self.text(expr.span)).split_whitespace().collect::<Vec<_>>().join(" ");
            if !text.is_empty() && known.iter().all(|(other, _)| *other != text) {
                let lowered = self.expr(&expr);
                known.push((text, lowered));
            }
        }
        self.in_claim = false;
        known
    }
}
