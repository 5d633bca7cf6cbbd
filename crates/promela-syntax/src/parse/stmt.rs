//! Statements, the sequences they form, and the labels in front of them.

use selvedge_source::{Diagnostic, misspelt};

use super::cursor::{Failed, Parsed, Parser};
use super::recover::TOP_LEVEL;
use super::words::{BEFORE_BLOCK, describe, is_keyword};
use crate::ast::{Expr, ExprKind, Ident, Sequence, Stmt, StmtKind};
use crate::codes;
use crate::lex::{Kind, unescape};

impl Parser<'_> {
    /// Statements up to the end of the block or option. Never fails: a statement that cannot be
    /// read is reported and left out.
    pub(super) fn sequence(&mut self) -> Sequence {
        let mut stmts = Vec::new();
        if self.at_sequence_end() && !self.at_any(TOP_LEVEL) && !self.at_eof() {
            self.empty_sequence();
        }
        let parens = self.parens;
        while !self.at_sequence_end() {
            let start = self.pos;
            if self.options_open == 0 && self.at_any(&["::", "fi", "od"]) {
                self.unexpected("a statement");
                self.bump();
                self.separator();
                continue;
            }
            let failed = match self.step() {
                Ok(stmt) => {
                    stmts.push(stmt);
                    false
                }
                Err(Failed) => true,
            };
            if !failed && (self.at_sequence_end() || self.separator()) {
                continue;
            }
            if !failed {
                let options = self.prev.word().is_some_and(|word| &**word == "while") && self.at("::");
                self.missing_separator(stmts.last());
                if options {
                    self.skip_options();
                } else if self.begins_statement() && !self.at_foreign_operator() {
                    continue;
                }
            }
            self.skip_statement(start, parens);
            self.separator();
            if self.pos == start {
                break;
            }
        }
        Sequence { stmts }
    }

    fn at_sequence_end(&self) -> bool {
        let ends_option = self.options_open > 0 && self.at_any(&["::", "fi", "od"]);
        self.at_eof() || self.at("}") || ends_option || self.at_any(TOP_LEVEL)
    }

    fn begins_statement(&self) -> bool {
        match &self.peek().kind {
            Kind::Word(w) => !matches!(&**w, "unless" | "of" | "eval" | "priority" | "provided"),
            Kind::Number(_) | Kind::Punct("{") => true,
            _ => false,
        }
    }

    /// Consumes separators; whether there was one. A line end may be one, and nothing is needed
    /// after `}` and `else`.
    pub(super) fn separator(&mut self) -> bool {
        let implied = self.at_line_end() || self.prev.is("}") || self.prev.is("else");
        let mut written = false;
        while self.at(";") || self.at("->") {
            self.bump();
            written = true;
        }
        written || implied
    }

    fn missing_separator(&mut self, before: Option<&Stmt>) {
        if self.at("=")
            && let Some(Stmt { kind: StmtKind::Expr(Expr { kind: ExprKind::Const(_), span }), .. }) = before
        {
            let error = Diagnostic::error(codes::ASSIGNED_CONSTANT, *span, "a constant cannot be assigned");
            return self.report(error.label("not a variable").help("a comparison is written `==`"));
        }
        let token = self.peek().clone();
        let known = matches!(token.kind, Kind::Bad(_)) || self.at("=") || self.at("(") || self.at("?") || self.at("??");
        if known || self.at_foreign_operator() || !self.begins_statement() {
            self.unexpected("`;` or the end of the statement");
            return;
        }
        let error = self
            .error_here(codes::MISSING_SEPARATOR, format!("expected `;` in front of {}", describe(&token)))
            .label("a new statement begins here");
        let word = self.prev.word().filter(|_| self.at("{"));
        self.report(match word.and_then(|word| misspelt(word, BEFORE_BLOCK)) {
            Some(meant) => error.help(format!("did you mean `{meant}`?")),
            None => error.help("separate statements by `;`, by `->` or by the end of a line"),
        });
    }

    fn empty_sequence(&mut self) {
        let error = self
            .error_here(codes::EMPTY_SEQUENCE, format!("expected a statement, found {}", describe(self.peek())))
            .label("expected a statement")
            .help("write `skip` for a statement that does nothing");
        self.report(error);
    }

    /// `{ … }` inside a body.
    pub(super) fn block(&mut self) -> Parsed<Sequence> {
        let open = self.expect("{")?;
        let sequence = self.nested(|p| Ok(p.sequence()))?;
        self.close(open.span, "}");
        Ok(sequence)
    }

    /// A declaration, or a statement that may have an escape.
    fn step(&mut self) -> Parsed<Stmt> {
        let start = self.pos;
        let main = self.nested(Self::labelled)?;
        if !self.at("unless") || matches!(main.kind, StmtKind::Decl(_)) {
            return Ok(main);
        }
        self.bump();
        let escape = self.nested(Self::labelled)?;
        let kind = StmtKind::Unless(Box::new(main), Box::new(escape));
        Ok(Stmt { labels: Vec::new(), kind, span: self.span_from(start) })
    }

    fn labelled(&mut self) -> Parsed<Stmt> {
        let mut labels = Vec::new();
        while let Some(label) = self.label()? {
            labels.push(label);
        }
        let start = self.pos;
        let bare = self.at_sequence_end() || self.at_any(&[";", "->"]);
        if let Some(label) = labels.last().filter(|_| bare) {
            let span = label.span;
            let kind = StmtKind::Expr(Expr { kind: ExprKind::Const(1), span });
            return Ok(Stmt { labels, kind, span });
        }
        if self.at_mtype_names() {
            let error = self
                .error_here(codes::MUST_BE_GLOBAL, "`mtype` names must be declared outside of processes")
                .label("declared inside a body")
                .help("move it to the top of the model");
            return Err(self.fail(error));
        }
        let declares = self.at_declaration() || self.at_any(&["xr", "xs"]);
        if declares && let Some(label) = labels.first() {
            let message = "a label is not allowed in front of a declaration";
            let error = Diagnostic::error(codes::LABELLED_DECLARATION, label.span, message)
                .label("this label")
                .also(self.peek().span, "not a statement")
                .help("put the declaration first, or a `skip` after the label");
            self.report(error);
        }
        let kind = self.kind()?;
        Ok(Stmt { labels, kind, span: self.span_from(start) })
    }

    fn label(&mut self) -> Parsed<Option<Ident>> {
        if !self.peek_at(1).is(":") {
            return Ok(None);
        }
        match self.peek().word().cloned() {
            Some(word) if is_keyword(&word) && !self.at_type() => self.name("a label").map(Some),
            Some(word) if !is_keyword(&word) && !self.processes.contains(&word) => {
                let label = self.name("a label")?;
                self.bump();
                Ok(Some(label))
            }
            _ => Ok(None),
        }
    }

    fn kind(&mut self) -> Parsed<StmtKind> {
        if self.at_declaration() {
            return Ok(StmtKind::Decl(self.declaration()?));
        }
        let word = self.peek().word().cloned();
        match word.as_deref() {
            Some("if") => Ok(StmtKind::If(self.options("fi")?)),
            Some("do") => Ok(StmtKind::Do(self.options("od")?)),
            Some("for") => self.for_loop(),
            Some("select") => self.select(),
            Some("atomic") => {
                self.bump();
                Ok(StmtKind::Atomic(self.block()?))
            }
            Some("d_step") => {
                self.bump();
                Ok(StmtKind::DStep(self.block()?))
            }
            Some("break") => {
                self.bump();
                Ok(StmtKind::Break)
            }
            Some("else") => {
                self.bump();
                Ok(StmtKind::Else)
            }
            Some("goto") => {
                self.bump();
                Ok(StmtKind::Goto(self.name("a label")?))
            }
            Some("assert") => {
                self.bump();
                Ok(StmtKind::Assert(self.expr()?))
            }
            Some("printf") => self.printf(),
            Some("printm") => {
                self.bump();
                self.expect("(")?;
                let value = self.expr()?;
                self.expect(")")?;
                Ok(StmtKind::Printm(value))
            }
            Some("return") => self.return_statement(),
            Some("xr" | "xs") => {
                let read = self.bump().is("xr");
                let mut chans = vec![self.varref()?];
                while self.eat(",") {
                    chans.push(self.varref()?);
                }
                Ok(StmtKind::Exclusive { read, chans })
            }
            Some(_) if self.at_inline_call(0) => self.inline_call(None),
            Some(_) if self.at_name() => self.named_statement(),
            None if self.at("{") => Ok(StmtKind::Block(self.block()?)),
            None if self.at("++") || self.at("--") => Err(self.prefix_increment()),
            _ if self.begins_expression() => Ok(StmtKind::Expr(self.expr()?)),
            _ => Err(self.unexpected("a statement")),
        }
    }

    fn prefix_increment(&mut self) -> Failed {
        let op = self.peek().text();
        let error = self
            .error_here(codes::UNEXPECTED, format!("`{op}` comes after its variable"))
            .label("in front of it")
            .help(format!("write `x{op}`"));
        self.fail(error)
    }

    /// A statement that begins with a variable: assignment, send, receive or expression.
    fn named_statement(&mut self) -> Parsed<StmtKind> {
        let left = self.name_operand()?;
        let ExprKind::Var(variable) = left.kind() else {
            return Ok(StmtKind::Expr(self.expr_from(left)?));
        };
        let variable = variable.clone();
        if self.at_line_end() {
            return Ok(StmtKind::Expr(self.expr_from(left)?));
        }
        match self.peek().kind {
            Kind::Punct("=") => {
                if self.at_inline_call(1) {
                    self.bump();
                    return self.inline_call(Some(variable));
                }
                self.bump();
                Ok(StmtKind::Assign(variable, self.expr()?))
            }
            Kind::Punct("++") => {
                self.bump();
                Ok(StmtKind::Increment(variable))
            }
            Kind::Punct("--") => {
                self.bump();
                Ok(StmtKind::Decrement(variable))
            }
            Kind::Punct("!" | "!!") => self.send(variable),
            Kind::Punct("?" | "??") => self.receive(variable),
            Kind::Punct(op) if self.peek_at(1).is("=") && op.chars().all(|c| "+-*/%&|^<>".contains(c)) => {
                let name = &variable.name.name;
                let error = self
                    .error_here(codes::UNEXPECTED, format!("Promela has no operator `{op}=`"))
                    .label("not an assignment")
                    .help(format!("write `{name} = {name} {op} …`"));
                Err(self.fail(error))
            }
            _ => Ok(StmtKind::Expr(self.expr_from(left)?)),
        }
    }

    /// The options of `if` or `do`, with both keywords.
    fn options(&mut self, closer: &str) -> Parsed<Vec<Sequence>> {
        let open = self.bump();
        let mut options = Vec::new();
        if !self.at("::") {
            let keyword = open.text();
            let found = describe(self.peek());
            let error = self
                .error_here(codes::UNEXPECTED, format!("expected `::` after `{keyword}`, found {found}"))
                .label("expected `::`")
                .help(format!("write `{keyword} :: guard -> … :: else -> … {closer}`"));
            self.report(error);
            self.skip_options();
            return Err(Failed);
        }
        self.options_open += 1;
        while self.eat("::") {
            match self.nested(|p| Ok(p.sequence())) {
                Ok(sequence) => options.push(sequence),
                Err(Failed) => break,
            }
        }
        self.options_open -= 1;
        self.close(open.span, closer);
        Ok(options)
    }

    /// `for (v : a .. b) { … }` or `for (v in x) { … }`.
    fn for_loop(&mut self) -> Parsed<StmtKind> {
        self.bump();
        self.expect("(")?;
        self.c_loop()?;
        let var = self.varref()?;
        if self.eat("in") {
            let over = self.varref()?;
            self.expect(")")?;
            let body = self.for_body()?;
            return Ok(StmtKind::ForIn { var, over, body });
        }
        let (from, to) = self.range("`:` or `in`")?;
        let body = self.for_body()?;
        Ok(StmtKind::ForRange { var, from, to, body })
    }

    fn for_body(&mut self) -> Parsed<Sequence> {
        self.eat(";");
        self.block()
    }

    fn select(&mut self) -> Parsed<StmtKind> {
        self.bump();
        self.expect("(")?;
        let var = self.varref()?;
        let (from, to) = self.range("`:`")?;
        Ok(StmtKind::Select { var, from, to })
    }

    /// `: a .. b )`.
    fn range(&mut self, wanted: &str) -> Parsed<(Expr, Expr)> {
        if self.at("=") {
            let error = self
                .error_here(codes::UNEXPECTED, format!("expected {wanted}, found `=`"))
                .label("not an assignment")
                .help("write `(i : 0 .. 9)`");
            return Err(self.fail(error));
        }
        if !self.eat(":") {
            return Err(self.unexpected(wanted));
        }
        let from = self.expr()?;
        self.expect("..")?;
        let to = self.expr()?;
        self.expect(")")?;
        Ok((from, to))
    }

    fn printf(&mut self) -> Parsed<StmtKind> {
        self.bump();
        self.expect("(")?;
        let Kind::Str(raw) = &self.peek().kind else {
            return Err(self.unexpected("a format string"));
        };
        let format = resolve_escapes(raw);
        self.bump();
        let mut args = Vec::new();
        while self.eat(",") {
            args.push(self.expr()?);
        }
        if !self.at(")") {
            return Err(self.unexpected("`,` or `)`"));
        }
        self.bump();
        Ok(StmtKind::Printf { format, args })
    }
}

fn resolve_escapes(raw: &str) -> String {
    let mut text = String::with_capacity(raw.len());
    let mut chars = raw.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => text.extend(chars.next().map(unescape)),
            _ => text.push(c),
        }
    }
    text
}
