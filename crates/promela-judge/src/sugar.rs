//! `for` and `select`, taken apart into the loops and choices that they stand for. Every step of
//! such a loop has the place of the whole statement.

use super::build::{Builder, Form, Jump, Node, add_one, counter_shape, number, variable};
use super::flow::{Action, Seq};
use super::value::Kind;
use selvedge_promela_syntax::ast::{
    BinaryOp, ChanQuery, Expr, ExprKind, Ident, Init, ReceiveArg, Sequence, Stmt, StmtKind, VarRef,
};
use selvedge_source::Span;

impl Builder<'_> {
    /// Reads a `for` or `select`.
    pub(crate) fn read_sugar(&mut self, stmt: &Stmt) -> Result<Form, String> {
        match &stmt.kind {
            StmtKind::ForRange { var, from, to, body } => self.read_for(var, from.clone(), to.clone(), body, stmt.span),
            StmtKind::ForIn { var, over, body } => self.read_for_in(var, over, body, stmt.span),
            StmtKind::Select { var, from, to } => Ok(self.read_select(var, from, to, stmt.span)),
            _ => Err("neither `for` nor `select`".into()),
        }
    }

    /// `var = from; do :: var <= to -> body; var++ :: else -> break od`.
    fn read_for(&mut self, var: &VarRef, from: Expr, to: Expr, body: &Sequence, span: Span) -> Result<Form, String> {
        let number = self.enter_loop();
        self.put(Action::Assign(var.clone(), from), span);
        self.open();
        self.put(compare(var, BinaryOp::Le, to, span), span);
        self.in_braces(|this| this.statements(body))?;
        Ok(self.end_loop(var, number, true, span))
    }

    /// Over an array: its indices. Over a channel: every message in turn is taken out, put back at
    /// the end and visited.
    fn read_for_in(&mut self, var: &VarRef, over: &VarRef, body: &Sequence, span: Span) -> Result<Form, String> {
        let shape = self.shape_of(&over.name.name).ok_or_else(|| format!("`{}` is unknown", over.name.name))?;
        if let Some(length) = shape.length
            && !matches!(self.shape_of(&var.name.name), Some(shape) if matches!(shape.kind, Kind::Struct(_)))
        {
            let last = i32::try_from(length).map_err(|_| "array too long")? - 1;
            return self.read_for(var, number(0, span), number(last, span), body, span);
        }
        let loop_number = self.enter_loop();
        let counter = self.counter(over, span);
        self.put(Action::Assign(counter.clone(), number(0, span)), span);
        self.open();
        let length = Expr { kind: ExprKind::ChanQuery(ChanQuery::Len, over.clone()), span };
        self.put(compare(&counter, BinaryOp::Lt, length, span), span);
        let args = vec![ReceiveArg::Var(var.clone())];
        self.put(Action::Receive { chan: over.clone(), random: false, copy: false, args }, span);
        let args = vec![Expr { kind: ExprKind::Var(var.clone()), span }];
        self.put(Action::Send { chan: over.clone(), sorted: false, args }, span);
        self.in_braces(|this| this.statements(body))?;
        Ok(self.end_loop(&counter, loop_number, true, span))
    }

    /// The hidden counter of a loop over a channel: loops in the same scope share one.
    fn counter(&mut self, over: &VarRef, span: Span) -> VarRef {
        let path: Vec<String> = self.path.iter().map(u32::to_string).collect();
        let name = format!("for counter {}", path.join("."));
        if self.shape_of(&name).is_none() {
            let capacity = match self.globals.variable(&over.name.name).and_then(|global| global.init.as_ref()) {
                Some(Init::Chan(init)) => self.globals.constant(&init.capacity).unwrap_or(0),
                _ => 0,
            };
            self.declare(&name, counter_shape(capacity), None);
        }
        variable(&Ident { name, span })
    }

    /// `if :: var = from … :: var = to fi` for a few literal values, otherwise
    /// `var = from; do :: break :: var < to -> var++ od`.
    fn read_select(&mut self, var: &VarRef, from: &Expr, to: &Expr, span: Span) -> Form {
        let plain_name = var.name.name.chars().all(|c| c.is_ascii_alphanumeric());
        if let (ExprKind::Const(first), ExprKind::Const(last)) = (&from.kind, &to.kind)
            && self.inlines.is_empty()
            && plain_name
            && *first >= 0
            && (0..=32).contains(&(last - first))
        {
            let options = (*first..=*last).map(|value| {
                self.open();
                self.put(Action::Assign(var.clone(), number(value, span)), span);
                self.close()
            });
            return Form::If(options.collect());
        }
        self.put(Action::Assign(var.clone(), from.clone()), span);
        self.open();
        self.put(compare(var, BinaryOp::Lt, to.clone(), span), span);
        let number = self.enter_loop();
        self.end_loop(var, number, false, span)
    }

    /// Closes the body of a loop with its increment and adds the way out.
    fn end_loop(&mut self, var: &VarRef, number: usize, with_else: bool, span: Span) -> Form {
        self.put(add_one(var, BinaryOp::Add), span);
        let body: Seq = self.close();
        self.open();
        if with_else {
            self.put(Action::Else, span);
        }
        self.place(Node { labels: Vec::new(), span, form: Form::Goto(Jump::Break(number)) });
        let out = self.close();
        self.leave_loop();
        Form::Do(vec![out, body], number)
    }

    fn put(&mut self, action: Action, span: Span) {
        self.place(Node { labels: Vec::new(), span, form: Form::Basic(action) });
    }
}

fn compare(var: &VarRef, op: BinaryOp, right: Expr, span: Span) -> Action {
    let left = Expr { kind: ExprKind::Var(var.clone()), span };
    Action::Cond(Expr { kind: ExprKind::Binary(op, Box::new(left), Box::new(right)), span })
}
