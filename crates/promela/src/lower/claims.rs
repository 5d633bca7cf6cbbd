//! Which variables the claims of a file read, whether or not they are in force: a variable that only another formula
//! reads has its use.

use std::collections::HashSet;

use selvedge_promela_syntax::ast::{Expr, ExprKind, Item, Model, VarRef};
use selvedge_promela_syntax::walk::{Visitor, walk_expr, walk_formula, walk_sequence, walk_var};

/// Names that claims read.
#[derive(Default)]
pub(crate) struct ClaimReads {
    globals: HashSet<String>,
    /// Variables of processes, from references such as `P:x`.
    locals: HashSet<String>,
}

impl ClaimReads {
    /// The names in all `never` claims and `ltl` formulas.
    pub fn of(model: &Model) -> Self {
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
    pub fn reads(&self, name: &str, global: bool) -> bool {
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
