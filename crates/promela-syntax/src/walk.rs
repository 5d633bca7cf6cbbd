//! A walk over statements and expressions, for questions such as "does this claim mention `_last`?". A visitor overrides
//! what it is interested in and calls the function of the same name to go on into the parts.

use crate::ast::{Expr, ExprKind, Init, Ltl, ReceiveArg, Sequence, Stmt, StmtKind, VarDecl, VarRef};

/// What is done at each node.
pub trait Visitor {
    /// A statement.
    fn stmt(&mut self, stmt: &Stmt) {
        walk_stmt(self, stmt);
    }

    /// An expression.
    fn expr(&mut self, expr: &Expr) {
        walk_expr(self, expr);
    }

    /// A variable, read or written.
    fn var(&mut self, var: &VarRef) {
        walk_var(self, var);
    }
}

/// The state expressions of a formula.
pub fn walk_formula<V: Visitor + ?Sized>(visitor: &mut V, formula: &Ltl) {
    use Ltl::{Always, And, Atom, Eventually, Iff, Implies, Next, Not, Or, Release, Until, WeakUntil};
    match formula {
        Atom(expr) => visitor.expr(expr),
        Not(f) | Next(f) | Always(f) | Eventually(f) => walk_formula(visitor, f),
        And(a, b) | Or(a, b) | Implies(a, b) | Iff(a, b) | Until(a, b) | WeakUntil(a, b) | Release(a, b) => {
            walk_formula(visitor, a);
            walk_formula(visitor, b);
        }
    }
}

/// Every statement of a sequence.
pub fn walk_sequence<V: Visitor + ?Sized>(visitor: &mut V, sequence: &Sequence) {
    sequence.stmts.iter().for_each(|stmt| visitor.stmt(stmt));
}

/// The parts of a statement.
pub fn walk_stmt<V: Visitor + ?Sized>(visitor: &mut V, stmt: &Stmt) {
    match &stmt.kind {
        StmtKind::Decl(vars) => vars.iter().for_each(|var| walk_declaration(visitor, var)),
        StmtKind::Expr(e) | StmtKind::Assert(e) | StmtKind::Printm(e) => visitor.expr(e),
        StmtKind::Assign(var, e) => {
            visitor.var(var);
            visitor.expr(e);
        }
        StmtKind::Increment(var) | StmtKind::Decrement(var) => visitor.var(var),
        StmtKind::Send { chan, args, .. } => {
            visitor.var(chan);
            args.iter().for_each(|e| visitor.expr(e));
        }
        StmtKind::Receive { chan, args, .. } => {
            visitor.var(chan);
            walk_receive_args(visitor, args);
        }
        StmtKind::Printf { args, .. } => args.iter().for_each(|e| visitor.expr(e)),
        StmtKind::If(options) | StmtKind::Do(options) => options.iter().for_each(|o| walk_sequence(visitor, o)),
        StmtKind::Atomic(body) | StmtKind::DStep(body) | StmtKind::Block(body) => walk_sequence(visitor, body),
        StmtKind::InlineCall { result, body, .. } => {
            result.iter().for_each(|var| visitor.var(var));
            walk_sequence(visitor, body);
        }
        StmtKind::Unless(main, escape) => {
            visitor.stmt(main);
            visitor.stmt(escape);
        }
        StmtKind::ForRange { var, from, to, body } => {
            visitor.var(var);
            visitor.expr(from);
            visitor.expr(to);
            walk_sequence(visitor, body);
        }
        StmtKind::ForIn { var, over, body } => {
            visitor.var(var);
            visitor.var(over);
            walk_sequence(visitor, body);
        }
        StmtKind::Select { var, from, to } => {
            visitor.var(var);
            visitor.expr(from);
            visitor.expr(to);
        }
        StmtKind::Exclusive { chans, .. } => chans.iter().for_each(|var| visitor.var(var)),
        StmtKind::Return(value) => value.iter().for_each(|e| visitor.expr(e)),
        StmtKind::Else | StmtKind::Break | StmtKind::Goto(_) => {}
    }
}

/// The initial value of a declaration.
fn walk_declaration<V: Visitor + ?Sized>(visitor: &mut V, var: &VarDecl) {
    match &var.init {
        Some(Init::Expr(e)) => visitor.expr(e),
        Some(Init::List(list)) => list.iter().for_each(|e| visitor.expr(e)),
        Some(Init::Chan(_)) | None => {}
    }
}

/// The parts of an expression.
pub fn walk_expr<V: Visitor + ?Sized>(visitor: &mut V, e: &Expr) {
    match &e.kind {
        ExprKind::Const(_) | ExprKind::NonProgress | ExprKind::Timeout => {}
        ExprKind::Var(var) | ExprKind::ChanQuery(_, var) => visitor.var(var),
        ExprKind::Unary(_, inner)
        | ExprKind::Enabled(inner)
        | ExprKind::PcValue(inner)
        | ExprKind::GetPriority(inner) => visitor.expr(inner),
        ExprKind::Binary(_, left, right) | ExprKind::SetPriority(left, right) => {
            visitor.expr(left);
            visitor.expr(right);
        }
        ExprKind::Conditional(condition, yes, no) => {
            [condition, yes, no].into_iter().for_each(|part| visitor.expr(part));
        }
        ExprKind::Run { args, priority, .. } => {
            args.iter().for_each(|arg| visitor.expr(arg));
            priority.iter().for_each(|priority| visitor.expr(priority));
        }
        ExprKind::Poll { chan, args, .. } => {
            visitor.var(chan);
            walk_receive_args(visitor, args);
        }
        ExprKind::RemoteLabel { pid, .. } => pid.iter().for_each(|pid| visitor.expr(pid)),
        ExprKind::RemoteVar { pid, var, .. } => {
            pid.iter().for_each(|pid| visitor.expr(pid));
            visitor.var(var);
        }
    }
}

fn walk_receive_args<V: Visitor + ?Sized>(visitor: &mut V, args: &[ReceiveArg]) {
    for arg in args {
        match arg {
            ReceiveArg::Var(var) => visitor.var(var),
            ReceiveArg::Match(e) => visitor.expr(e),
            ReceiveArg::Any(_) => {}
        }
    }
}

/// The index and the field of a variable.
pub fn walk_var<V: Visitor + ?Sized>(visitor: &mut V, var: &VarRef) {
    var.index.iter().for_each(|index| visitor.expr(index));
    var.field.iter().for_each(|field| visitor.var(field));
}
