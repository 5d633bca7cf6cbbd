//! Expressions, by precedence climbing. Inside a formula the same climber reads the temporal
//! operators too, because they mix with the others: an [`Operand`] is one or the other.

use selvedge_source::Span;

use super::cursor::{Parsed, Parser};
use crate::ast::{BinaryOp, ChanQuery, Expr, ExprKind, Ltl, UnaryOp, VarRef};
use crate::codes;
use crate::lex::Kind;

/// Levels of the expression tree. Chains such as `a + a + …` make it deep without any nesting.
const MAX_HEIGHT: u32 = 1_000;

/// A state expression, or a formula with temporal operators.
pub(super) struct Operand {
    pub value: Value,
    /// Index of its first token.
    pub start: usize,
    pub span: Span,
    pub height: u32,
}

pub(super) enum Value {
    State(ExprKind),
    Temporal(Ltl),
}

impl Operand {
    /// The state expression it is; a formula is reported.
    pub(crate) fn into_expr(self, parser: &mut Parser<'_>) -> Parsed<Expr> {
        match self.value {
            Value::State(kind) => Ok(Expr { kind, span: self.span }),
            Value::Temporal(_) => Err(parser.temporal_operand(self.span)),
        }
    }

    /// The expression of an operand read outside of a formula.
    pub(super) fn kind(&self) -> &ExprKind {
        match &self.value {
            Value::State(kind) => kind,
            Value::Temporal(_) => &ExprKind::Const(0),
        }
    }
}

/// An infix operator.
#[derive(Clone, Copy)]
pub(super) enum Infix {
    Binary(BinaryOp),
    Implies,
    Iff,
    Until,
    WeakUntil,
    Release,
}

/// Precedence of `U`, `W` and `V`: above `&&`, below `|`.
const UNTIL_LEVEL: u8 = 4;

impl Parser<'_> {
    /// A state expression.
    pub(super) fn expr(&mut self) -> Parsed<Expr> {
        self.binary(0)?.into_expr(self)
    }

    /// The rest of an expression that begins with `left`.
    pub(super) fn expr_from(&mut self, left: Operand) -> Parsed<Expr> {
        self.binary_from(left, 0)?.into_expr(self)
    }

    /// Operators of at least this level with their operands.
    pub(super) fn binary(&mut self, least: u8) -> Parsed<Operand> {
        let left = self.nested(Self::unary)?;
        self.binary_from(left, least)
    }

    pub(super) fn binary_from(&mut self, mut left: Operand, least: u8) -> Parsed<Operand> {
        while !self.at_line_end()
            && let Some((op, level, tokens)) = self.infix()
            && level >= least
        {
            for _ in 0..tokens {
                self.bump();
            }
            let right = self.nested(|p| p.binary(level + 1))?;
            left = self.combine(op, left, right)?;
        }
        Ok(left)
    }

    /// The infix operator that comes next, its level, and how many tokens it has.
    fn infix(&self) -> Option<(Infix, u8, usize)> {
        if self.ltl
            && let Some(temporal) = self.temporal_infix()
        {
            return Some(temporal);
        }
        let Kind::Punct(text) = self.peek().kind else { return None };
        let (op, level) = match text {
            "||" => (BinaryOp::Or, 2),
            "&&" => (BinaryOp::And, 3),
            "|" => (BinaryOp::BitOr, 5),
            "^" => (BinaryOp::BitXor, 6),
            "&" => (BinaryOp::BitAnd, 7),
            "==" => (BinaryOp::Eq, 8),
            "!=" => (BinaryOp::Ne, 8),
            "<" => (BinaryOp::Lt, 9),
            ">" => (BinaryOp::Gt, 9),
            "<=" => (BinaryOp::Le, 9),
            ">=" => (BinaryOp::Ge, 9),
            "<<" => (BinaryOp::Shl, 10),
            ">>" => (BinaryOp::Shr, 10),
            "+" => (BinaryOp::Add, 11),
            "-" => (BinaryOp::Sub, 11),
            "*" => (BinaryOp::Mul, 12),
            "/" => (BinaryOp::Div, 12),
            "%" => (BinaryOp::Rem, 12),
            _ => return None,
        };
        Some((Infix::Binary(op), level, 1))
    }

    /// The level from which on operators bind tighter than temporal ones.
    pub(super) const STATE_LEVEL: u8 = UNTIL_LEVEL + 1;
    pub(super) const UNTIL_LEVEL: u8 = UNTIL_LEVEL;

    fn combine(&mut self, op: Infix, left: Operand, right: Operand) -> Parsed<Operand> {
        let (start, height) = (left.start, left.height.max(right.height) + 1);
        if height > MAX_HEIGHT {
            return Err(self.too_deep());
        }
        let span = self.span_from(start);
        let value = match (op, left.value, right.value) {
            (Infix::Binary(op), Value::State(a), Value::State(b)) => {
                let boxed = |kind, span| Box::new(Expr { kind, span });
                Value::State(ExprKind::Binary(op, boxed(a, left.span), boxed(b, right.span)))
            }
            (op, a, b) => Value::Temporal(self.combine_formulas(op, (a, left.span), (b, right.span))?),
        };
        Ok(Operand { value, start, span, height })
    }

    /// Wraps what was read since `start`.
    pub(super) fn operand(&self, value: Value, start: usize, height: u32) -> Operand {
        Operand { value, start, span: self.span_from(start), height }
    }

    fn unary(&mut self) -> Parsed<Operand> {
        let start = self.pos;
        if self.ltl
            && let Some(operand) = self.temporal_prefix()?
        {
            return Ok(operand);
        }
        let (op, twice) = match self.peek().kind {
            Kind::Punct("!") => (UnaryOp::Not, false),
            Kind::Punct("!!") if self.ltl => (UnaryOp::Not, true),
            Kind::Punct("-") => (UnaryOp::Negate, false),
            Kind::Punct("~") => (UnaryOp::Complement, false),
            _ => return self.primary(),
        };
        self.bump();
        let operand = self.nested(Self::unary)?;
        if op == UnaryOp::Not {
            self.warn_negated_probe(start, &operand);
        }
        let once = self.apply_prefix(op, start, operand)?;
        if twice { self.apply_prefix(op, start, once) } else { Ok(once) }
    }

    fn apply_prefix(&mut self, op: UnaryOp, start: usize, operand: Operand) -> Parsed<Operand> {
        let value = match operand.value {
            Value::State(kind) => Value::State(ExprKind::Unary(op, Box::new(Expr { kind, span: operand.span }))),
            Value::Temporal(formula) if op == UnaryOp::Not => Value::Temporal(Ltl::Not(Box::new(formula))),
            Value::Temporal(_) => return Err(self.temporal_operand(operand.span)),
        };
        Ok(self.operand(value, start, operand.height + 1))
    }

    /// Spin's partial order reduction relies on `full` and its like not being negated, so its
    /// grammar refuses that. Here it is harmless, but the model is then not portable.
    fn warn_negated_probe(&mut self, start: usize, operand: &Operand) {
        if let ExprKind::ChanQuery(query, _) = operand.kind()
            && let Some((is, instead)) = match query {
                ChanQuery::Len => None,
                ChanQuery::Empty => Some(("empty", "nempty")),
                ChanQuery::NonEmpty => Some(("nempty", "empty")),
                ChanQuery::Full => Some(("full", "nfull")),
                ChanQuery::NonFull => Some(("nfull", "full")),
            }
        {
            let span = self.span_from(start);
            self.report(
                selvedge_source::Diagnostic::warning(
                    codes::NEGATED_PROBE,
                    span,
                    format!("Spin does not accept `!{is}(…)`"),
                )
                .label("negated channel query")
                .help(format!("write `{instead}(…)`")),
            );
        }
    }

    pub(super) fn begins_expression(&self) -> bool {
        const PREFIX_WORDS: &[&str] = &[
            "true",
            "false",
            "skip",
            "run",
            "len",
            "empty",
            "nempty",
            "full",
            "nfull",
            "enabled",
            "pc_value",
            "get_priority",
            "set_priority",
            "timeout",
            "np_",
            "c_code",
            "c_expr",
            "c_decl",
            "c_state",
            "c_track",
        ];
        match &self.peek().kind {
            Kind::Number(_) | Kind::Char(_) => true,
            Kind::Punct(p) => matches!(*p, "(" | "!" | "-" | "~"),
            Kind::Word(w) => self.at_name() || PREFIX_WORDS.contains(&&**w),
            _ => false,
        }
    }

    pub(super) fn primary(&mut self) -> Parsed<Operand> {
        let start = self.pos;
        let kind = match &self.peek().kind {
            Kind::Number(_) => ExprKind::Const(self.number()?),
            Kind::Char(value) => {
                let value = *value;
                self.bump();
                ExprKind::Const(value)
            }
            Kind::Punct("(") => return self.parenthesised(),
            Kind::Word(_) if self.at_name() => return self.name_operand(),
            Kind::Word(w) => {
                let word = w.clone();
                self.keyword_primary(&word)?
            }
            _ => return Err(self.unexpected("an expression")),
        };
        Ok(self.operand(Value::State(kind), start, 1))
    }

    fn keyword_primary(&mut self, word: &str) -> Parsed<ExprKind> {
        let query = match word {
            "len" => Some(ChanQuery::Len),
            "empty" => Some(ChanQuery::Empty),
            "nempty" => Some(ChanQuery::NonEmpty),
            "full" => Some(ChanQuery::Full),
            "nfull" => Some(ChanQuery::NonFull),
            _ => None,
        };
        if let Some(query) = query {
            self.bump();
            self.expect("(")?;
            let chan = self.varref()?;
            self.expect(")")?;
            return Ok(ExprKind::ChanQuery(query, chan));
        }
        let constant = match word {
            "true" | "skip" => ExprKind::Const(1),
            "false" => ExprKind::Const(0),
            "timeout" => ExprKind::Timeout,
            "np_" => ExprKind::NonProgress,
            "run" => return self.run(),
            "enabled" => return Ok(ExprKind::Enabled(self.call_of_one()?)),
            "pc_value" => return Ok(ExprKind::PcValue(self.call_of_one()?)),
            "get_priority" => return Ok(ExprKind::GetPriority(self.call_of_one()?)),
            "set_priority" => {
                self.bump();
                self.expect("(")?;
                let process = self.expr()?;
                self.expect(",")?;
                let priority = self.expr()?;
                self.expect(")")?;
                return Ok(ExprKind::SetPriority(Box::new(process), Box::new(priority)));
            }
            _ if self.at_embedded_c() => {
                self.embedded_c();
                return Ok(ExprKind::Const(1));
            }
            _ => return Err(self.unexpected("an expression")),
        };
        self.bump();
        Ok(constant)
    }

    fn call_of_one(&mut self) -> Parsed<Box<Expr>> {
        self.bump();
        self.expect("(")?;
        let value = self.expr()?;
        self.expect(")")?;
        Ok(Box::new(value))
    }

    fn run(&mut self) -> Parsed<ExprKind> {
        self.bump();
        let name = self.name("a process type")?;
        self.expect("(")?;
        let args = self.expr_list(")")?;
        self.expect(")")?;
        let priority = self.priority()?.map(Box::new);
        Ok(ExprKind::Run { name, args, priority })
    }

    /// `(e)` or `(c -> a : b)`.
    fn parenthesised(&mut self) -> Parsed<Operand> {
        let start = self.pos;
        let open = self.bump();
        let inner = self.nested(|p| p.binary(0))?;
        let (mut value, mut height) = (inner.value, inner.height);
        if !self.ltl && self.at("->") {
            let arrow = self.peek().clone();
            while self.eat("->") {}
            let Value::State(condition) = value else { return Err(self.temporal_operand(inner.span)) };
            let condition = Expr { kind: condition, span: inner.span };
            let yes = self.nested(|p| p.binary(0))?;
            if !self.at(":") {
                let error = self
                    .error_at(&arrow, codes::UNCLOSED, "a `)` is missing in front of this `->`")
                    .label("expected `)`")
                    .also(open.span, "to close this")
                    .help("in parentheses `->` begins a choice between two values: `(c -> a : b)`");
                return Err(self.fail(error));
            }
            self.bump();
            let no = self.nested(|p| p.binary(0))?;
            height = height.max(yes.height).max(no.height) + 1;
            let (yes, no) = (yes.into_expr(self)?, no.into_expr(self)?);
            value = Value::State(ExprKind::Conditional(Box::new(condition), Box::new(yes), Box::new(no)));
        }
        self.expect(")")?;
        Ok(self.operand(value, start, height))
    }

    /// A variable, a poll of one, or a reference into another process.
    pub(super) fn name_operand(&mut self) -> Parsed<Operand> {
        let start = self.pos;
        let remote = self.ltl || self.peek().word().is_some_and(|w| self.processes.contains(w));
        let variable = self.varref()?;
        let polls = (self.at("?") || self.at("??")) && self.peek_at(1).is("[") && !self.at_line_end();
        let kind = if polls {
            self.poll(variable)?
        } else if self.at("@") && variable.field.is_none() {
            self.bump();
            let label = self.name("a label")?;
            ExprKind::RemoteLabel { process: variable.name, pid: variable.index, label }
        } else if remote && self.at(":") && variable.field.is_none() {
            self.bump();
            let var = self.varref()?;
            ExprKind::RemoteVar { process: variable.name, pid: variable.index, var }
        } else {
            ExprKind::Var(variable)
        };
        Ok(self.operand(Value::State(kind), start, 1))
    }

    /// `name[index].field…`.
    pub(super) fn varref(&mut self) -> Parsed<VarRef> {
        let start = self.pos;
        let name = self.name("a variable")?;
        let mut index = None;
        if self.at("[") && !(self.ltl && self.peek_at(1).is("]")) && !self.at_line_end() {
            self.bump();
            let ltl = std::mem::take(&mut self.ltl);
            let value = self.nested(Self::expr);
            self.ltl = ltl;
            index = Some(Box::new(value?));
            self.expect("]")?;
        }
        let mut field = None;
        if self.eat(".") {
            field = Some(Box::new(self.nested(Self::varref)?));
        }
        Ok(VarRef { name, index, field, span: self.span_from(start) })
    }
}
