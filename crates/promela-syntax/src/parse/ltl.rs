//! Temporal formulas: the operators that only formulas have. Everything else in a formula is an
//! ordinary expression, read by `expr`.
//!
//! Operators as in Spin's `ltl` blocks, loosest first: `->` `<->`, `||`, `&&`, `U` `W` `V`, then the
//! operators of expressions; all infix ones group to the left, prefix ones bind tightest. Parts
//! without a temporal operator stay whole (`a && b` is one atom, so its evaluation stops where
//! Spin's does), but a negation on the outside becomes one of the formula.

use selvedge_source::{Diagnostic, Span};

use super::cursor::{Failed, Parsed, Parser};
use super::expr::{Infix, Operand, Value};
use crate::ast::{BinaryOp, Expr, ExprKind, Ltl, UnaryOp};
use crate::codes;
use crate::lex::{Bad, Kind};

impl Parser<'_> {
    /// A formula and nothing behind it.
    pub(super) fn whole_formula(&mut self) -> Parsed<Ltl> {
        self.ltl = true;
        let formula = self.formula()?;
        if self.at_eof() { Ok(formula) } else { Err(self.unexpected("an operator or the end of the formula")) }
    }

    pub(super) fn formula(&mut self) -> Parsed<Ltl> {
        let operand = self.binary(0)?;
        Ok(into_formula(operand.value, operand.span))
    }

    pub(super) fn temporal_infix(&self) -> Option<(Infix, u8, usize)> {
        let slash_pair = |a: &Kind, b: &Kind| (a == &self.peek().kind && b == &self.peek_at(1).kind).then_some(2usize);
        let backslash = Kind::Bad(Bad::Stray('\\'));
        if let Some(tokens) = slash_pair(&Kind::Punct("/"), &backslash) {
            return Some((Infix::Binary(BinaryOp::And), 3, tokens));
        }
        if let Some(tokens) = slash_pair(&backslash, &Kind::Punct("/")) {
            return Some((Infix::Binary(BinaryOp::Or), 2, tokens));
        }
        if self.at("<") && self.peek_at(1).is("->") {
            return Some((Infix::Iff, 1, 2));
        }
        let text = self.peek().text();
        let (op, level) = match text.as_str() {
            "->" | "implies" => (Infix::Implies, 1),
            "equivalent" => (Infix::Iff, 1),
            "U" | "until" | "stronguntil" => (Infix::Until, Self::UNTIL_LEVEL),
            "W" | "weakuntil" => (Infix::WeakUntil, Self::UNTIL_LEVEL),
            "V" | "release" => (Infix::Release, Self::UNTIL_LEVEL),
            _ => return None,
        };
        Some((op, level, 1))
    }

    /// A prefix operator with its operand, if one comes next.
    pub(super) fn temporal_prefix(&mut self) -> Parsed<Option<Operand>> {
        let start = self.pos;
        let text = self.peek().text();
        let (build, tokens): (fn(Box<Ltl>) -> Ltl, usize) = match text.as_str() {
            "[" if self.peek_at(1).is("]") => (Ltl::Always, 2),
            "<" if self.peek_at(1).is(">") => (Ltl::Eventually, 2),
            "always" => (Ltl::Always, 1),
            "eventually" => (Ltl::Eventually, 1),
            "X" | "next" => (Ltl::Next, 1),
            _ => return Ok(None),
        };
        for _ in 0..tokens {
            self.bump();
        }
        let mut operand = self.nested(|p| p.binary(u8::MAX))?;
        let before = self.pos;
        operand = self.binary_from(operand, Self::STATE_LEVEL)?;
        if self.pos > before {
            let (op, what) = (self.span_from(start), operand.span);
            self.report(
                Diagnostic::warning(
                    codes::TEMPORAL_PRECEDENCE,
                    op,
                    "the operator in front of this comparison needs parentheses",
                )
                .label("read as if the comparison were in parentheses")
                .also(what, "this part")
                .note("Spin reads the temporal operator first and then compares a meaningless number")
                .help(format!(
                    "write `{} ({})`",
                    self.text_of(start, start + tokens),
                    self.text_of(start + tokens, self.pos)
                )),
            );
        }
        let height = operand.height + 1;
        let formula = build(Box::new(into_formula(operand.value, operand.span)));
        Ok(Some(self.operand(Value::Temporal(formula), start, height)))
    }

    /// Joins two operands of which one is temporal, or which a temporal operator joins.
    pub(super) fn combine_formulas(&mut self, op: Infix, left: (Value, Span), right: (Value, Span)) -> Parsed<Ltl> {
        let build: fn(Box<Ltl>, Box<Ltl>) -> Ltl = match op {
            Infix::Binary(BinaryOp::And) => Ltl::And,
            Infix::Binary(BinaryOp::Or) => Ltl::Or,
            Infix::Implies => Ltl::Implies,
            Infix::Iff => Ltl::Iff,
            Infix::Until => Ltl::Until,
            Infix::WeakUntil => Ltl::WeakUntil,
            Infix::Release => Ltl::Release,
            Infix::Binary(op) => {
                let span = if matches!(left.0, Value::Temporal(_)) { left.1 } else { right.1 };
                return Err(match op {
                    BinaryOp::BitAnd => self.bitwise_operator("&", span),
                    BinaryOp::BitOr => self.bitwise_operator("|", span),
                    _ => self.temporal_operand(span),
                });
            }
        };
        let (left, right) = (into_formula(left.0, left.1), into_formula(right.0, right.1));
        Ok(build(Box::new(left), Box::new(right)))
    }

    /// Reports `&` or `|` between formulas.
    fn bitwise_operator(&mut self, op: &str, formula: Span) -> Failed {
        let message = format!("`{op}` works on the bits of numbers and cannot join formulas");
        let error = Diagnostic::error(codes::TEMPORAL_OPERAND, formula, message).label("a formula");
        self.fail(error.help(format!("write `{op}{op}`")))
    }

    /// Reports a formula where only a value can stand.
    pub(super) fn temporal_operand(&mut self, span: Span) -> Failed {
        self.fail(
            Diagnostic::error(codes::TEMPORAL_OPERAND, span, "a temporal formula has no numeric value")
                .label("a formula")
                .help("compare or calculate inside of it: `[] (x > 0)`, not `([] x) > 0`"),
        )
    }
}

/// A state expression as a formula.
fn into_formula(value: Value, span: Span) -> Ltl {
    match value {
        Value::Temporal(formula) => formula,
        Value::State(ExprKind::Unary(UnaryOp::Not, inner)) => {
            Ltl::Not(Box::new(into_formula(Value::State(inner.kind), inner.span)))
        }
        Value::State(kind) => Ltl::Atom(Expr { kind, span }),
    }
}
