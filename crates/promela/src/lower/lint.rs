//! Warnings about models that are legal but suspicious, and mistakes that show when everything was read.

use selvedge_source::{Diagnostic, Span};

use super::claims::ClaimReads;
use super::{Lowerer, codes};
use crate::lower::expr::fold;
use crate::program::{Base, Ex, Scalar};
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
                    "an assignment where a condition was probably meant",
                )
                .label("always executable, and changes the variable")
                .help("write `==` to compare"),
            );
        }
    }
}

/// A constant that its variable cannot hold. Spin stores what fits and warns when a simulation gets there.
pub(crate) fn truncated(this: &mut Lowerer<'_>, scalar: Scalar, value: &Ex, span: Span) {
    let Some(value) = fold(value) else { return };
    let stored = scalar.truncate(value);
    if stored == value {
        return;
    }
    let range = match scalar {
        Scalar::Bit => "0 and 1".to_owned(),
        Scalar::Byte => "0 to 255".to_owned(),
        Scalar::Short => "-32768 to 32767".to_owned(),
        Scalar::Int => return,
        Scalar::Unsigned(bits) => format!("0 to {}", (1i64 << bits) - 1),
    };
    this.warn(
        Diagnostic::warning(codes::TRUNCATED, span, format!("{value} does not fit into its variable"))
            .label(format!("{stored} is stored, as in Spin"))
            .note(format!("the type of the variable has the values {range}"))
            .help("declare the variable with a larger type, such as `int`, or use a value that fits"),
    );
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

/// Variables that are written at best, never read; whatever claim is in force, all claims of the file count.
pub(crate) fn never_read(this: &mut Lowerer<'_>, claims: &ClaimReads) {
    let unread: Vec<_> = this
        .variables
        .iter()
        .filter(|v| {
            !v.read
                && !v.parameter
                && (!v.hidden || this.dropped.contains(&v.name))
                && !v.shown
                && !v.name.starts_with('_')
                && !claims.reads(&v.name, v.base == Base::Global)
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
