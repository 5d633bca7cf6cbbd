//! Expressions and their uses.

use selvedge_promela_syntax::ast::{BinaryOp, ChanQuery, Expr, ExprKind, ReceiveArg, VarRef};

use super::Walk;
use super::tables::{EXPRESSIONS, USES};

impl Walk<'_> {
    pub(super) fn argument(&mut self, arg: &ReceiveArg, poll: bool) {
        match arg {
            ReceiveArg::Var(var) => {
                self.feature("receive into variable");
                self.var(var);
            }
            ReceiveArg::Any(_) => self.feature(if poll { "poll any" } else { "receive any" }),
            ReceiveArg::Match(expr) => {
                let constant = matches!(expr.kind, ExprKind::Const(_));
                self.feature(match (poll, constant) {
                    (true, _) => "poll match",
                    (_, true) => "receive match",
                    _ => "receive eval",
                });
                self.expr(expr, "eval");
            }
        }
    }

    pub(super) fn var(&mut self, var: &VarRef) {
        if let Some(index) = &var.index {
            self.expr(index, "index");
        }
        if let Some(field) = &var.field {
            self.var(field);
        }
    }

    pub(super) fn expr(&mut self, expr: &Expr, column: &'static str) {
        let (row, parts): (&'static str, Vec<&Expr>) = match &expr.kind {
            ExprKind::Const(_) => ("constant", vec![]),
            ExprKind::Var(var) => {
                self.var(var);
                (variable(var), vec![])
            }
            ExprKind::Unary(op, a) => (op.symbol(), vec![a]),
            ExprKind::Binary(op, a, b) => (binary(*op), vec![a, b]),
            ExprKind::Conditional(a, b, c) => ("conditional", vec![a, b, c]),
            ExprKind::Run { args, priority, .. } => {
                if priority.is_some() {
                    self.feature("run with priority");
                }
                args.iter().for_each(|arg| self.expr(arg, "run argument"));
                ("run", vec![])
            }
            ExprKind::ChanQuery(query, _) => (
                match query {
                    ChanQuery::Len => "len",
                    ChanQuery::Empty => "empty",
                    ChanQuery::NonEmpty => "nempty",
                    ChanQuery::Full => "full",
                    ChanQuery::NonFull => "nfull",
                },
                vec![],
            ),
            ExprKind::Poll { random, args, .. } => {
                args.iter().for_each(|arg| self.argument(arg, true));
                (if *random { "random poll" } else { "poll" }, vec![])
            }
            ExprKind::Enabled(a) => ("enabled", vec![a]),
            ExprKind::PcValue(a) => ("pc_value", vec![a]),
            ExprKind::GetPriority(a) => ("get_priority", vec![a]),
            ExprKind::SetPriority(a, b) => ("set_priority", vec![a, b]),
            ExprKind::Timeout => ("timeout", vec![]),
            ExprKind::NonProgress => ("np_", vec![]),
            ExprKind::RemoteLabel { pid, .. } => (
                if pid.is_some() { "remote label" } else { "remote label without pid" },
                pid.as_deref().into_iter().collect(),
            ),
            ExprKind::RemoteVar { pid, .. } => (
                if pid.is_some() { "remote variable" } else { "remote variable without pid" },
                pid.as_deref().into_iter().collect(),
            ),
        };
        debug_assert!(EXPRESSIONS.contains(&row) && USES.contains(&column), "{row}, {column}");
        *self.coverage.expressions.entry((row, column)).or_default() += 1;
        parts.into_iter().for_each(|part| self.expr(part, column));
    }
}

fn variable(var: &VarRef) -> &'static str {
    match (var.name.name.as_str(), &var.index, &var.field) {
        ("_pid", ..) => "_pid",
        ("_last", ..) => "_last",
        ("_nr_pr", ..) => "_nr_pr",
        ("_priority", ..) => "_priority",
        (_, _, Some(field)) if field.index.is_some() => "element of field",
        (_, _, Some(_)) => "field",
        (_, Some(_), None) => "element",
        (_, None, None) => "variable",
    }
}

/// The row of an operator; `-` has two.
fn binary(op: BinaryOp) -> &'static str {
    if op == BinaryOp::Sub { "- (infix)" } else { op.symbol() }
}
