//! The canonical text of an expression: fully bracketed Promela. Two expressions with the same text
//! are one atom ([`super::atoms`]), and the text is what [`super::print`] writes.
//!
//! What must hold: the text parses back to the same expression, constants apart (`true` is `1`).

use selvedge_promela_syntax::ast::{ChanQuery, Expr, ExprKind, ReceiveArg, VarRef};

/// The text of `expr`.
pub(super) fn expr_text(expr: &Expr) -> String {
    let text = |e: &Expr| expr_text(e);
    match &expr.kind {
        ExprKind::Const(value) => value.to_string(),
        ExprKind::Var(var) => var_text(var),
        ExprKind::Unary(op, a) => format!("{}({})", op.symbol(), text(a)),
        ExprKind::Binary(op, a, b) => format!("({} {} {})", text(a), op.symbol(), text(b)),
        ExprKind::Conditional(c, a, b) => format!("({} -> {} : {})", text(c), text(a), text(b)),
        ExprKind::Run { name, args, priority } => {
            let args: Vec<String> = args.iter().map(expr_text).collect();
            let priority = priority.as_ref().map_or(String::new(), |p| format!(" priority {}", text(p)));
            format!("run {}({}){priority}", name.name, args.join(", "))
        }
        ExprKind::ChanQuery(query, chan) => format!("{}({})", query_text(*query), var_text(chan)),
        ExprKind::Poll { chan, random, args } => {
            let args: Vec<String> = args.iter().map(arg_text).collect();
            format!("{}{}[{}]", var_text(chan), if *random { "??" } else { "?" }, args.join(", "))
        }
        ExprKind::Enabled(a) => format!("enabled({})", text(a)),
        ExprKind::PcValue(a) => format!("pc_value({})", text(a)),
        ExprKind::GetPriority(a) => format!("get_priority({})", text(a)),
        ExprKind::SetPriority(a, b) => format!("set_priority({}, {})", text(a), text(b)),
        ExprKind::Timeout => "timeout".to_owned(),
        ExprKind::NonProgress => "np_".to_owned(),
        ExprKind::RemoteLabel { process, pid, label } => {
            format!("{}{}@{}", process.name, pid_text(pid.as_deref()), label.name)
        }
        ExprKind::RemoteVar { process, pid, var } => {
            format!("{}{}:{}", process.name, pid_text(pid.as_deref()), var_text(var))
        }
    }
}

fn pid_text(pid: Option<&Expr>) -> String {
    pid.map_or(String::new(), |pid| format!("[{}]", expr_text(pid)))
}

fn var_text(var: &VarRef) -> String {
    let index = var.index.as_ref().map_or(String::new(), |i| format!("[{}]", expr_text(i)));
    let field = var.field.as_ref().map_or(String::new(), |f| format!(".{}", var_text(f)));
    format!("{}{index}{field}", var.name.name)
}

fn arg_text(arg: &ReceiveArg) -> String {
    match arg {
        ReceiveArg::Var(var) => var_text(var),
        ReceiveArg::Any(_) => "_".to_owned(),
        ReceiveArg::Match(expr) => match expr.kind {
            ExprKind::Const(value) => value.to_string(),
            _ => format!("eval({})", expr_text(expr)),
        },
    }
}

fn query_text(query: ChanQuery) -> &'static str {
    match query {
        ChanQuery::Len => "len",
        ChanQuery::Empty => "empty",
        ChanQuery::NonEmpty => "nempty",
        ChanQuery::Full => "full",
        ChanQuery::NonFull => "nfull",
    }
}
