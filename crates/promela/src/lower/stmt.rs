//! Basic statements: each becomes one operation of one step.

use selvedge_source::Diagnostic;

use super::expr::load_place;
use super::types::Kind;
use super::{Lowerer, codes, lint};
use crate::program::{Ex, Op, Pattern, Print, Receive, Send, Show};
use selvedge_promela_syntax::ast::{self, BinaryOp, ExprKind, Stmt, StmtKind, VarRef};

impl Lowerer<'_> {
    pub(crate) fn basic_statement(&mut self, stmt: &Stmt) -> Op {
        match &stmt.kind {
            StmtKind::Expr(expr) if !matches!(expr.kind, ExprKind::Run { .. }) && starts_process(expr) => {
                self.error(
                    Diagnostic::error(codes::RUN_IN_EXPRESSION, expr.span, "`run` inside a larger expression")
                        .label("a condition must not have side effects")
                        .help("run the process in a statement of its own and keep its pid in a variable"),
                );
                Op::Skip
            }
            StmtKind::Expr(expr) => match self.expr(expr) {
                Ex::Const(1) => Op::Skip,
                condition => Op::Condition(condition),
            },
            StmtKind::Assign(var, value) => self.assignment(var, value),
            StmtKind::Increment(var) => self.increment(var, BinaryOp::Add),
            StmtKind::Decrement(var) => self.increment(var, BinaryOp::Sub),
            StmtKind::Send { .. } | StmtKind::Receive { .. } if self.in_claim => {
                self.error(
                    Diagnostic::error(codes::CLAIM_ACTS, stmt.span, "a claim cannot send or receive")
                        .help("a claim only observes: test the channel with `q?[…]`, `len(q)`, `full(q)`"),
                );
                Op::Skip
            }
            StmtKind::Send { chan, sorted, args } => {
                let (channel, spec) = self.channel(chan);
                let args: Vec<Ex> = self.scalars(args).into_iter().map(|(ex, _)| ex).collect();
                self.check_arity(chan, spec, args.len(), stmt.span, "send");
                Op::Send(Box::new(Send { chan: channel, sorted: *sorted, args, span: stmt.span }))
            }
            StmtKind::Receive { chan, random, copy, args } => {
                Op::Receive(Box::new(self.receive(chan, *random, *copy, args, stmt.span)))
            }
            StmtKind::Assert(expr) => {
                let id = self.assertions.add(stmt.span);
                let text = without_parentheses(self.text(expr.span)).to_owned();
                Op::Assert(self.expr(expr), text, stmt.span, id)
            }
            StmtKind::Printf { format, args } => {
                self.check_format(stmt.span, format, args.len());
                Op::Print(Box::new(Print { format: format.clone(), args: self.scalars(args) }))
            }
            StmtKind::Printm(expr) => {
                let show = self.show_of(expr);
                Op::Print(Box::new(Print { format: "%e".to_owned(), args: vec![(self.expr(expr), show)] }))
            }
            StmtKind::Else => Op::Else,
            _ => Op::Skip,
        }
    }

    pub(crate) fn assignment(&mut self, var: &VarRef, value: &ast::Expr) -> Op {
        if let Some(id) = self.lookup(&var.name.name).filter(|_| var.field.is_none())
            && let Kind::Scalar(_, show) = self.variables[id].ty.kind.clone()
        {
            self.check_mtype(&show, value);
        }
        let written = value.span;
        let value = self.expr(value);
        if var.name.name == "_priority" && !self.is_declared("_priority") {
            self.uses_priority = true;
            return Op::Condition(Ex::SetPriority(Box::new((Ex::Pid, value)), var.span));
        }
        if self.in_claim {
            self.warn(
                Diagnostic::warning(codes::CLAIM_CHANGES, var.span, "a claim that changes a variable")
                    .label("a claim should only observe the model")
                    .help("test the variable instead: `==`"),
            );
        }
        match self.assignable(var) {
            Some((place, _)) => {
                lint::truncated(self, place.scalar, &value, written);
                Op::Assign(place, value)
            }
            // `_ = e` still evaluates `e`, which may start a process.
            None if matches!(value, Ex::Run { .. }) => Op::Condition(Ex::Binary(
                BinaryOp::Or,
                Box::new((Ex::Binary(BinaryOp::Ge, Box::new((value, Ex::Const(0))), var.span), Ex::Const(1))),
                var.span,
            )),
            None => Op::Skip,
        }
    }

    fn check_format(&mut self, span: selvedge_source::Span, format: &str, given: usize) {
        let wanted = format.replace("%%", "").matches('%').count();
        if wanted != given {
            self.warn(
                Diagnostic::warning(
                    codes::PRINTF_ARGUMENTS,
                    span,
                    format!("the format takes {wanted} value(s), {given} given"),
                )
                .help("each of `%d %u %x %o %c %e` takes one value"),
            );
        }
    }

    fn increment(&mut self, var: &VarRef, op: BinaryOp) -> Op {
        match self.assignable(var) {
            Some((place, show)) => {
                if show == Show::Chan {
                    self.error(
                        Diagnostic::error(codes::NOT_A_CHANNEL, var.span, "arithmetic on a channel")
                            .help("a channel variable can only be copied, sent and compared"),
                    );
                }
                let old = load_place(place.clone());
                Op::Assign(place, Ex::Binary(op, Box::new((old, Ex::Const(1))), var.span))
            }
            None => Op::Skip,
        }
    }
}

/// The text inside one pair of parentheses around all of it.
pub(super) fn without_parentheses(text: &str) -> &str {
    let Some(inner) = text.strip_prefix('(').and_then(|t| t.strip_suffix(')')) else { return text };
    let mut depth = 0i32;
    for c in inner.chars() {
        depth += i32::from(c == '(') - i32::from(c == ')');
        if depth < 0 {
            return text;
        }
    }
    inner.trim()
}

/// Whether an expression has a `run` in it.
fn starts_process(expr: &ast::Expr) -> bool {
    match &expr.kind {
        ExprKind::Run { .. } => true,
        ExprKind::Unary(_, inner) => starts_process(inner),
        ExprKind::Binary(_, a, b) => starts_process(a) || starts_process(b),
        ExprKind::Conditional(c, a, b) => [c, a, b].iter().any(|e| starts_process(e)),
        _ => false,
    }
}

/// The three operations of a counting loop: start, test, increment.
pub(crate) fn counting(
    this: &mut Lowerer<'_>,
    var: &VarRef,
    from: &ast::Expr,
    to: &ast::Expr,
    test: BinaryOp,
) -> Option<(Op, Op, Op)> {
    let (from, to) = (this.expr(from), this.expr(to));
    let (place, _) = this.assignable(var)?;
    let load = load_place(place.clone());
    let increment = Ex::Binary(BinaryOp::Add, Box::new((load.clone(), Ex::Const(1))), var.span);
    let test = Ex::Binary(test, Box::new((load, to)), var.span);
    Some((Op::Assign(place.clone(), from), Op::Condition(test), Op::Assign(place, increment)))
}

/// The operations of `for (v in …)`.
pub(crate) struct Iteration {
    pub start: Op,
    pub test: Op,
    /// What brings the element, before the body.
    pub fetch: Vec<Op>,
    pub increment: Op,
}

pub(crate) fn iteration(this: &mut Lowerer<'_>, var: &VarRef, over: &VarRef) -> Option<Iteration> {
    this.whole_array_allowed = true;
    let reference = this.reference(over, true);
    this.whole_array_allowed = false;
    let reference = reference?;
    if let Some(len) = reference.ty.array {
        let (place, _) = this.assignable(var)?;
        let load = load_place(place.clone());
        let test = Ex::Binary(BinaryOp::Le, Box::new((load.clone(), Ex::Const(len as i32 - 1))), var.span);
        let next = Ex::Binary(BinaryOp::Add, Box::new((load, Ex::Const(1))), var.span);
        return Some(Iteration {
            start: Op::Assign(place.clone(), Ex::Const(0)),
            test: Op::Condition(test),
            fetch: Vec::new(),
            increment: Op::Assign(place, next),
        });
    }
    if !matches!(reference.ty.kind, Kind::Scalar(_, Show::Chan)) {
        this.error(
            Diagnostic::error(codes::BAD_FOR, over.span, "`for … in` needs an array or a channel")
                .help("count with `for (i : 1 .. n) { … }` instead"),
        );
        return None;
    }
    over_channel(this, var, over)
}

/// Every message is taken out, handed to the body and put back, so that the channel is rotated.
fn over_channel(this: &mut Lowerer<'_>, var: &VarRef, over: &VarRef) -> Option<Iteration> {
    let (channel, spec) = this.channel(over);
    let long = spec.is_some_and(|spec| this.specs[spec as usize].capacity > 255);
    let counter = this.hidden_counter(var.span, long);
    let receive = this.receive(over, false, false, &[ast::ReceiveArg::Var(var.clone())], over.span);
    let args = receive
        .args
        .iter()
        .map(|pattern| match pattern {
            Pattern::Store(place) => load_place(place.clone()),
            _ => Ex::Const(0),
        })
        .collect();
    let send = Send { chan: channel.clone(), sorted: false, args, span: over.span };
    let load = load_place(counter.clone());
    let length = Ex::Query(ast::ChanQuery::Len, Box::new(channel), over.span);
    let next = Ex::Binary(BinaryOp::Add, Box::new((load.clone(), Ex::Const(1))), var.span);
    Some(Iteration {
        start: Op::Assign(counter.clone(), Ex::Const(0)),
        test: Op::Condition(Ex::Binary(BinaryOp::Lt, Box::new((load, length)), var.span)),
        fetch: vec![Op::Receive(Box::new(Receive { ..receive })), Op::Send(Box::new(send))],
        increment: Op::Assign(counter, next),
    })
}
