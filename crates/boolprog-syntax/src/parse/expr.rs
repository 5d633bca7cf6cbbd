//! Expressions. Operands and operators are read as a flat list first, then grouped by the dialect's
//! precedences; if nothing decides the dialect and the other grouping has another meaning, there is
//! a warning.

use selvedge_source::{Diagnostic, Span};

use super::cursor::{Failed, Parser, is_reserved};
use crate::ast::{BinOp, Expr, ExprKind};
use crate::codes;
use crate::dialect::Dialect;
use crate::lex::TokenKind;
use crate::print;

/// Levels of the tree of one expression; chains such as `a & a & …` make it deep without nesting.
const LEVELS: u32 = 1000;
/// Operands up to which two groupings are compared by their truth tables.
const COMPARED: usize = 10;

/// An expression and how many levels it has.
type Leveled = (Expr, u32);

impl Parser<'_> {
    /// An expression.
    pub(super) fn expression(&mut self) -> Result<Expr, Failed> {
        self.ternary().map(|(expr, _)| expr)
    }

    /// One or more expressions with commas between.
    pub(super) fn expressions(&mut self) -> Result<Vec<Expr>, Failed> {
        let mut list = vec![self.expression()?];
        while self.eat_mark(",") {
            list.push(self.expression()?);
        }
        Ok(list)
    }

    /// `e ? f : g`, to the left: `e ? f : g ? h : i` is `(e ? f : g) ? h : i`, as BoPP reads it.
    fn ternary(&mut self) -> Result<Leveled, Failed> {
        self.deeper(|p| {
            let (mut expr, mut levels) = p.chain()?;
            while p.eat_mark("?") {
                let (then, a) = p.ternary()?;
                p.expect_mark(":", "between the two values of `?`")?;
                let (otherwise, b) = p.chain()?;
                levels = p.one_more(levels.max(a).max(b))?;
                let span = expr.span.to(otherwise.span);
                let kind = ExprKind::If(Box::new(expr), Box::new(then), Box::new(otherwise));
                expr = Expr { kind, span };
            }
            Ok((expr, levels))
        })
    }

    fn one_more(&mut self, levels: u32) -> Result<u32, Failed> {
        if levels >= LEVELS { Err(self.too_deep()) } else { Ok(levels + 1) }
    }

    fn chain(&mut self) -> Result<Leveled, Failed> {
        let start = self.span();
        let mut operands = vec![self.unary()?];
        let mut operators = Vec::new();
        while let Some(op) = operator(self.peek()) {
            self.bump();
            operators.push(op);
            operands.push(self.unary()?);
        }
        if operators.is_empty() {
            return Ok(operands.swap_remove(0));
        }
        self.warn_of_precedence(start, &operands, &operators);
        let (expr, levels) = group(operands, &operators, self.detected.dialect);
        if levels >= LEVELS { Err(self.too_deep()) } else { Ok((expr, levels)) }
    }

    fn warn_of_precedence(&mut self, start: Span, operands: &[Leveled], operators: &[BinOp]) {
        if self.detected.decided || same_meaning(operators) {
            return;
        }
        let shown = |dialect| print::expression(&group(operands.to_vec(), operators, dialect).0);
        let (ours, theirs) = (shown(Dialect::Getafix), shown(Dialect::Satabs));
        let warning = Diagnostic::warning(codes::PRECEDENCE, self.since(start), "the dialects read this differently")
            .label(format!("read as `{ours}`"))
            .note(format!("Getafix and BoPP read it so; SATABS reads `{theirs}`"))
            .help("write the parentheses, or name the dialect: --dialect getafix|satabs|bopp");
        self.found.push(warning);
    }

    fn unary(&mut self) -> Result<Leveled, Failed> {
        let start = self.span();
        let mut negations = 0u32;
        while self.is_mark("!") || self.is_mark("~") {
            self.bump();
            negations += 1;
        }
        let (mut expr, mut levels) = self.primary()?;
        for _ in 0..negations {
            levels = self.one_more(levels)?;
            expr = Expr { span: start.to(expr.span), kind: ExprKind::Not(Box::new(expr)) };
        }
        Ok((expr, levels))
    }

    fn primary(&mut self) -> Result<Leveled, Failed> {
        let span = self.span();
        let leaf = |kind| Ok((Expr { kind, span }, 1));
        match self.peek().clone() {
            TokenKind::Mark("*" | "?") => {
                self.bump();
                leaf(ExprKind::Star)
            }
            TokenKind::Mark("(") => {
                self.bump();
                let (mut expr, levels) = self.ternary()?;
                self.expect_mark(")", "to close the parenthesis")?;
                expr.span = self.since(span);
                Ok((expr, levels))
            }
            TokenKind::Mark("'") => {
                self.bump();
                let name = self.name("the name of a variable")?;
                Ok((Expr { kind: ExprKind::Next(name.text), span: self.since(span) }, 1))
            }
            TokenKind::Number(number @ (0 | 1)) => {
                self.bump();
                leaf(ExprKind::Const(number == 1))
            }
            TokenKind::Number(_) => Err(self.error(codes::NOT_A_BOOLEAN, span, "the values are 0 and 1")),
            TokenKind::Word(word) if word == "schoose" => self.schoose(),
            TokenKind::Word(word) if word == "T" || word == "F" => {
                self.bump();
                leaf(ExprKind::Const(word == "T"))
            }
            TokenKind::Word(word) if !is_reserved(&word) => {
                self.bump();
                if self.is_mark("(") {
                    return Err(self.call_in_expression(span, &word));
                }
                leaf(ExprKind::Var(word))
            }
            _ => Err(self.unexpected("an expression")),
        }
    }

    fn call_in_expression(&mut self, span: Span, callee: &str) -> Failed {
        let message = format!("`{callee}` is called inside an expression");
        let error = Diagnostic::error(codes::CALL_IN_EXPRESSION, span, message)
            .help(format!("assign the result first: `x := {callee}(…);`"));
        self.found.push(error);
        Failed
    }

    fn schoose(&mut self) -> Result<Leveled, Failed> {
        let span = self.span();
        self.bump();
        self.expect_mark("[", "after `schoose`")?;
        let (first, a) = self.ternary()?;
        self.expect_mark(",", "between the two conditions of `schoose`")?;
        let (second, b) = self.ternary()?;
        self.expect_mark("]", "after the conditions of `schoose`")?;
        let levels = self.one_more(a.max(b))?;
        let kind = ExprKind::Schoose(Box::new(first), Box::new(second));
        Ok((Expr { kind, span: self.since(span) }, levels))
    }
}

fn operator(token: &TokenKind) -> Option<BinOp> {
    let TokenKind::Mark(mark) = token else { return None };
    Some(match *mark {
        "&" => BinOp::And,
        "|" => BinOp::Or,
        "^" => BinOp::Xor,
        "=" => BinOp::Eq,
        "!=" => BinOp::Ne,
        "=>" => BinOp::Implies,
        _ => return None,
    })
}

/// How tightly an operator binds, and whether it groups to the right.
pub(super) fn binding(op: BinOp, dialect: Dialect) -> (u8, bool) {
    let tight = dialect.equality_binds_tightest();
    match op {
        BinOp::Eq | BinOp::Ne if tight => (5, false),
        BinOp::And => (4, false),
        BinOp::Xor if tight => (3, false),
        BinOp::Or if tight => (2, false),
        BinOp::Implies if tight => (1, false),
        BinOp::Or => (3, false),
        BinOp::Xor => (2, false),
        BinOp::Eq | BinOp::Ne | BinOp::Implies => (1, true),
    }
}

/// Groups a flat list by precedence: operands and pending operators on two stacks.
fn group(operands: Vec<Leveled>, operators: &[BinOp], dialect: Dialect) -> Leveled {
    let join = |(a, n): Leveled, op: BinOp, (b, m): Leveled| {
        let span = a.span.to(b.span);
        (Expr { kind: ExprKind::Binary(op, Box::new(a), Box::new(b)), span }, n.max(m) + 1)
    };
    fold(operands, operators, dialect, join)
}

/// The same for any kind of operand.
fn fold<T>(operands: Vec<T>, operators: &[BinOp], dialect: Dialect, join: impl Fn(T, BinOp, T) -> T) -> T {
    let mut operands = operands.into_iter();
    let mut values: Vec<T> = operands.next().into_iter().collect();
    let mut pending: Vec<BinOp> = Vec::new();
    let reduce = |values: &mut Vec<T>, op: BinOp| {
        if let (Some(b), Some(a)) = (values.pop(), values.pop()) {
            values.push(join(a, op, b));
        }
    };
    for (op, operand) in operators.iter().zip(operands) {
        let (strength, to_the_right) = binding(*op, dialect);
        while let Some(last) = pending.last() {
            let above = binding(*last, dialect).0;
            if above < strength || (above == strength && to_the_right) {
                break;
            }
            let last = pending.pop().unwrap_or(*op);
            reduce(&mut values, last);
        }
        pending.push(*op);
        values.push(operand);
    }
    while let Some(op) = pending.pop() {
        reduce(&mut values, op);
    }
    values.swap_remove(0)
}

/// Whether both groupings of `x0 op0 x1 op1 …` have the same truth table. Long chains are compared
/// only as far as one operator is concerned: with one operator that is associative they are the same.
fn same_meaning(operators: &[BinOp]) -> bool {
    let first = operators[0];
    if operators.iter().all(|op| *op == first) && first != BinOp::Implies {
        return true;
    }
    if operators.len() >= COMPARED {
        return false;
    }
    (0..1u32 << (operators.len() + 1)).all(|row| {
        let operands: Vec<bool> = (0..=operators.len()).map(|i| row >> i & 1 == 1).collect();
        let value = |dialect| fold(operands.clone(), operators, dialect, |a, op, b| apply(op, a, b));
        value(Dialect::Getafix) == value(Dialect::Satabs)
    })
}

fn apply(op: BinOp, a: bool, b: bool) -> bool {
    match op {
        BinOp::And => a && b,
        BinOp::Or => a || b,
        BinOp::Xor | BinOp::Ne => a != b,
        BinOp::Eq => a == b,
        BinOp::Implies => !a || b,
    }
}
