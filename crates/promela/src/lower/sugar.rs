//! `for` and `select`, which are loops and choices in other words.

use super::Lowerer;
use super::codes;
use super::graph::{Jump, Pending, PendingKind, Sq};
use super::statements::basic;
use crate::program::{Action, Op};
use selvedge_promela_syntax::ast::{self, Sequence};
use selvedge_source::{Diagnostic, Span};

impl Lowerer<'_> {
    fn loop_body(
        &mut self,
        condition: Op,
        body: &mut dyn FnMut(&mut Self),
        increment: Option<Op>,
        exit: u32,
        span: Span,
        otherwise: bool,
    ) -> Pending {
        let text = self.text(span).lines().next().unwrap_or("").trim_end_matches('{').trim().to_owned();
        self.builder.open();
        self.builder.add(basic(condition, span, text.clone()));
        body(self);
        if let Some(increment) = increment {
            self.builder.add(basic(increment, span, text.clone()));
        }
        let repeat = self.builder.close();
        self.builder.open();
        if otherwise {
            self.builder.add(basic(Op::Else, span, "else".to_owned()));
        }
        let leave = Action { op: Op::Skip, span, text: "break".to_owned() };
        self.builder.add(Pending { kind: PendingKind::Goto(Jump::Break(exit), leave), labels: Vec::new(), span });
        let leave = self.builder.close();
        self.builder.breaks.pop();
        Pending { kind: PendingKind::Do(vec![leave, repeat], exit), labels: Vec::new(), span }
    }

    pub(super) fn for_range(
        &mut self,
        var: &ast::VarRef,
        from: &ast::Expr,
        to: &ast::Expr,
        body: &Sequence,
        span: Span,
    ) -> Option<Pending> {
        let exit = self.push_break();
        let (start, test, increment) = super::stmt::counting(self, var, from, to, ast::BinaryOp::Le)?;
        let text = format!("{} = {}", self.text(var.span), self.text(from.span));
        self.builder.add(basic(start, span, text));
        self.builder.at_start = false;
        let mut statements = |this: &mut Self| {
            this.push_scope();
            this.statements(body);
            this.pop_scope();
        };
        Some(self.loop_body(test, &mut statements, Some(increment), exit, span, true))
    }

    pub(super) fn for_in(
        &mut self,
        var: &ast::VarRef,
        over: &ast::VarRef,
        body: &Sequence,
        span: Span,
    ) -> Option<Pending> {
        let exit = self.push_break();
        let Some(parts) = super::stmt::iteration(self, var, over) else {
            self.builder.breaks.pop();
            return None;
        };
        let text = format!("for ({} in {})", self.text(var.span), self.text(over.span));
        self.builder.add(basic(parts.start, span, text.clone()));
        self.builder.at_start = false;
        let mut statements = |this: &mut Self| {
            for op in &parts.fetch {
                this.builder.add(basic(op.clone(), span, text.clone()));
            }
            this.push_scope();
            this.statements(body);
            this.pop_scope();
        };
        Some(self.loop_body(parts.test, &mut statements, Some(parts.increment), exit, span, true))
    }

    fn check_range(&mut self, from: &ast::Expr, to: &ast::Expr) {
        if let (ast::ExprKind::Const(a), ast::ExprKind::Const(b)) = (&from.kind, &to.kind)
            && a > b
        {
            self.error(
                Diagnostic::error(codes::EMPTY_RANGE, from.span.to(to.span), format!("the range {a} .. {b} is empty"))
                    .help("the first value must not be greater than the last"),
            );
        }
    }

    pub(super) fn select(
        &mut self,
        var: &ast::VarRef,
        from: &ast::Expr,
        to: &ast::Expr,
        span: Span,
    ) -> Option<Pending> {
        self.check_range(from, to);
        if let Some((first, last)) = self.literal_range(var, from, to) {
            let options: Vec<Sq> = (first..=last)
                .filter_map(|value| {
                    let (place, _) = self.assignable(var)?;
                    self.builder.open();
                    let op = Op::Assign(place, crate::program::Ex::Const(value));
                    self.builder.add(basic(op, span, format!("{} = {value}", self.text(var.span))));
                    Some(self.builder.close())
                })
                .collect();
            if options.is_empty() {
                return None;
            }
            return Some(Pending { kind: PendingKind::If(options), labels: Vec::new(), span });
        }
        let (start, test, increment) = super::stmt::counting(self, var, from, to, ast::BinaryOp::Lt)?;
        let exit = self.push_break();
        self.builder.add(basic(start, span, format!("{} = {}", self.text(var.span), self.text(from.span))));
        self.builder.at_start = false;
        Some(self.loop_body(test, &mut |_| {}, Some(increment), exit, span, false))
    }

    /// Spin takes `select` over short literal ranges apart into one choice, but only outside
    /// inlines and for a plain name of letters and digits.
    fn literal_range(&self, var: &ast::VarRef, from: &ast::Expr, to: &ast::Expr) -> Option<(i32, i32)> {
        let (ast::ExprKind::Const(a), ast::ExprKind::Const(b)) = (&from.kind, &to.kind) else { return None };
        let plain =
            var.index.is_none() && var.field.is_none() && var.name.name.chars().all(|c| c.is_ascii_alphanumeric());
        (plain && self.builder.inlines.is_empty() && *a >= 0 && *b >= *a && *b - *a <= 32).then_some((*a, *b))
    }
}
