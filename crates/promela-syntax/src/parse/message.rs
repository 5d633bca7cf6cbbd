//! Send, receive and poll.

use super::cursor::{Parsed, Parser};
use crate::ast::{Expr, ExprKind, ReceiveArg, StmtKind, VarRef};
use crate::lex::Kind;

impl Parser<'_> {
    /// `! a, b`, `!! a, b` or `! m(a, b)` behind the channel.
    pub(super) fn send(&mut self, chan: VarRef) -> Parsed<StmtKind> {
        let sorted = self.bump().is("!!");
        let mut args = vec![self.expr()?];
        if self.at("(") && !self.at_line_end() {
            self.bump();
            args.push(self.expr()?);
            while self.eat(",") {
                args.push(self.expr()?);
            }
            self.expect(")")?;
        } else {
            while self.eat(",") {
                args.push(self.expr()?);
            }
        }
        Ok(StmtKind::Send { chan, sorted, args })
    }

    /// `? …`, `?? …`, `?< … >` or `??< … >` behind the channel; polls are expressions.
    pub(super) fn receive(&mut self, chan: VarRef) -> Parsed<StmtKind> {
        let random = self.bump().is("??");
        let copy = self.eat("<");
        let args = self.receive_args()?;
        if copy {
            self.expect(">")?;
        }
        Ok(StmtKind::Receive { chan, random, copy, args })
    }

    /// `?[ … ]` or `??[ … ]` behind the channel.
    pub(super) fn poll(&mut self, chan: VarRef) -> Parsed<ExprKind> {
        let random = self.bump().is("??");
        self.expect("[")?;
        let args = self.receive_args()?;
        self.expect("]")?;
        Ok(ExprKind::Poll { chan, random, args })
    }

    /// Expressions separated by commas, none if `end` comes at once.
    pub(super) fn expr_list(&mut self, end: &str) -> Parsed<Vec<Expr>> {
        let mut list = Vec::new();
        if self.at(end) {
            return Ok(list);
        }
        loop {
            list.push(self.expr()?);
            if !self.eat(",") {
                return Ok(list);
            }
        }
    }

    fn receive_args(&mut self) -> Parsed<Vec<ReceiveArg>> {
        let mut args = Vec::new();
        loop {
            if self.at("(") {
                args.extend(self.receive_args_in_parentheses()?);
            } else {
                args.push(self.receive_arg()?);
                if self.at("(") && !self.at_line_end() {
                    args.extend(self.receive_args_in_parentheses()?);
                }
            }
            if !self.eat(",") {
                return Ok(args);
            }
        }
    }

    fn receive_args_in_parentheses(&mut self) -> Parsed<Vec<ReceiveArg>> {
        self.expect("(")?;
        let args = self.nested(Self::receive_args)?;
        self.expect(")")?;
        Ok(args)
    }

    fn receive_arg(&mut self) -> Parsed<ReceiveArg> {
        let start = self.pos;
        match &self.peek().kind {
            Kind::Number(_) | Kind::Char(_) => Ok(ReceiveArg::Match(self.primary()?.into_expr(self)?)),
            Kind::Punct("-") => {
                self.bump();
                if !matches!(self.peek().kind, Kind::Number(_)) {
                    return Err(self.unexpected("a number"));
                }
                let value = self.number()?.wrapping_neg();
                Ok(ReceiveArg::Match(Expr { kind: ExprKind::Const(value), span: self.span_from(start) }))
            }
            Kind::Word(w) if matches!(&**w, "true" | "false" | "skip") => {
                Ok(ReceiveArg::Match(self.primary()?.into_expr(self)?))
            }
            Kind::Word(w) if &**w == "eval" => {
                self.bump();
                self.expect("(")?;
                let value = self.expr()?;
                self.expect(")")?;
                Ok(ReceiveArg::Match(value))
            }
            Kind::Word(w) if &**w == "_" => Ok(ReceiveArg::Any(self.bump().span)),
            Kind::Word(_) if self.at_name() => Ok(ReceiveArg::Var(self.varref()?)),
            _ => Err(self.unexpected("a variable, a constant or `eval(…)`")),
        }
    }
}
