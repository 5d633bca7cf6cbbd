//! Warnings about models that are legal but suspicious, and mistakes that show when everything was read.

use selvedge_source::Diagnostic;

use super::{Lowerer, codes};
use crate::program::Base;
use selvedge_promela_syntax::ast::{ExprKind, Sequence, StmtKind};

/// An assignment where the other options of the selection test the same variable was probably
/// meant as a comparison.
pub(crate) fn guards(this: &mut Lowerer<'_>, options: &[Sequence]) {
    for option in options {
        let [first, _, ..] = option.stmts.as_slice() else { continue };
        let StmtKind::Assign(var, _) = &first.kind else { continue };
        let tested = options.iter().filter_map(|o| o.stmts.first()).any(|s| match &s.kind {
            StmtKind::Expr(expr) => mentions(&expr.kind, &var.name.name),
            _ => false,
        });
        if tested {
            this.warn(
                Diagnostic::warning(
                    codes::ASSIGNMENT_AS_GUARD,
                    first.span,
                    "an assignment stands where a condition is likely meant",
                )
                .label("always possible, and changes the variable")
                .help("write `==` to compare"),
            );
        }
    }
}

fn mentions(expr: &ExprKind, name: &str) -> bool {
    match expr {
        ExprKind::Var(var) => var.name.name == name,
        ExprKind::Unary(_, inner) => mentions(&inner.kind, name),
        ExprKind::Binary(_, a, b) => mentions(&a.kind, name) || mentions(&b.kind, name),
        ExprKind::Conditional(c, a, b) => [c, a, b].iter().any(|e| mentions(&e.kind, name)),
        _ => false,
    }
}

/// Variables that are written at best, never read.
pub(crate) fn never_read(this: &mut Lowerer<'_>) {
    let unread: Vec<_> = this
        .variables
        .iter()
        .filter(|v| {
            !v.read
                && !v.parameter
                && (!v.hidden || this.dropped.contains(&v.name))
                && !v.shown
                && !v.name.starts_with('_')
        })
        .map(|v| (v.name.clone(), v.span, v.base))
        .collect();
    for (name, span, base) in unread {
        let scope = if base == Base::Global { "global" } else { "local" };
        this.warn(
            Diagnostic::warning(codes::NEVER_READ, span, format!("{scope} variable `{name}` is never read"))
                .label("nothing depends on its value")
                .help(format!("remove it, or declare it `hidden` if it is only for displays: `hidden … {name}`")),
        );
    }
}

/// Polls of rendezvous channels, which never hold a message. A variable that is assigned may name another channel: what
/// it names is checked when the model runs, as for parameters.
pub(crate) fn polled_rendezvous(this: &mut Lowerer<'_>) {
    for (id, span) in std::mem::take(&mut this.polled) {
        let variable = &this.variables[id];
        if variable.written {
            continue;
        }
        let error = Diagnostic::error(
            codes::POLLED_RENDEZVOUS,
            span,
            format!("`{}` is a rendezvous channel and cannot be polled", variable.name),
        )
        .label("it never holds a message")
        .also(variable.span, "declared here with capacity 0")
        .help("receive the message with `?`, or give the channel room for one: `[1] of { … }`");
        this.error(error);
    }
}
