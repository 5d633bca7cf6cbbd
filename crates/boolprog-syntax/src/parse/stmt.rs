//! Statements.

use selvedge_source::{Diagnostic, Span};

use super::cursor::{Failed, Parser, is_reserved};
use crate::ast::{Branch, Expr, Name, Stmt, StmtKind};
use crate::codes;
use crate::lex::TokenKind;

impl Parser<'_> {
    /// Statements up to a word that closes the block.
    pub(super) fn statements(&mut self) -> Result<Vec<Stmt>, Failed> {
        self.deeper(|p| {
            let mut list = Vec::new();
            loop {
                while p.eat_mark(";") {}
                if p.closes_block() {
                    return Ok(list);
                }
                if p.eat_word("decl") {
                    let mut locals = std::mem::take(&mut p.locals);
                    let result = p.declaration(&mut locals);
                    p.locals = locals;
                    result?;
                    continue;
                }
                let statement = p.statement()?;
                let structured = matches!(statement.kind, StmtKind::If { .. } | StmtKind::While { .. });
                list.push(statement);
                if !structured && !p.is_mark(";") && !p.closes_block() {
                    return Err(p.unexpected("`;` between statements"));
                }
            }
        })
    }

    fn closes_block(&self) -> bool {
        match self.peek() {
            TokenKind::Word(word) => matches!(word.as_str(), "end" | "fi" | "od" | "else" | "elsif"),
            TokenKind::Mark(mark) => *mark == "}",
            TokenKind::End => true,
            TokenKind::Number(_) => false,
        }
    }

    fn statement(&mut self) -> Result<Stmt, Failed> {
        let mut labels = Vec::new();
        while self.mark_ahead(1, ":") {
            let Some(label) = self.label_here() else { break };
            // Generated programs repeat a label on one statement.
            if !labels.iter().any(|known: &Name| known.text == label.text) {
                labels.push(label);
            }
            self.bump();
            if self.is_mark(";") || self.closes_block() {
                // `L: ;` and `L: end`: a label on nothing.
                return Ok(Stmt { span: labels[0].span, labels, kind: StmtKind::Skip });
            }
        }
        let start = self.span();
        let (kind, head) = self.kind()?;
        let span = head.unwrap_or_else(|| self.since(start));
        let kind = match kind {
            StmtKind::Call { targets, callee, args }
                if targets.is_empty() && labels.iter().any(|label| is_async(&label.text)) =>
            {
                StmtKind::Start { callee, args }
            }
            kind => kind,
        };
        Ok(Stmt { labels, kind, span })
    }

    /// Takes the next token as a label.
    fn label_here(&mut self) -> Option<Name> {
        let span = self.span();
        let text = match self.peek() {
            TokenKind::Word(word) if !is_reserved(word) => word.clone(),
            TokenKind::Number(number) => number.to_string(),
            _ => return None,
        };
        self.bump();
        Some(Name { text, span })
    }

    fn label(&mut self) -> Result<Name, Failed> {
        self.label_here().ok_or(()).map_err(|()| self.unexpected("a label"))
    }

    /// The statement, and the span of its head where it is structured.
    fn kind(&mut self) -> Result<(StmtKind, Option<Span>), Failed> {
        let TokenKind::Word(word) = self.peek().clone() else { return Err(self.unexpected("a statement")) };
        let followed_by_word = matches!(self.ahead(1), TokenKind::Word(_));
        let followed_by_operand = followed_by_word || matches!(self.ahead(1), TokenKind::Mark("!" | "~" | "(" | "*"));
        match word.as_str() {
            "if" => return self.selection(),
            "while" => return self.iteration(),
            _ => {}
        }
        let simple = match word.as_str() {
            "skip" => Some(StmtKind::Skip),
            "end_thread" => Some(StmtKind::EndThread),
            "atomic_begin" => Some(StmtKind::AtomicBegin),
            "atomic_end" => Some(StmtKind::AtomicEnd),
            "wait" if !self.continues_name() => Some(StmtKind::Wait),
            "broadcast" if !self.continues_name() => Some(StmtKind::Broadcast),
            _ => None,
        };
        if let Some(kind) = simple {
            self.bump();
            return Ok((kind, None));
        }
        let kind = match word.as_str() {
            "goto" => self.jump()?,
            "return" => self.returning()?,
            "assert" => StmtKind::Assert(self.condition_of()?),
            "assume" => StmtKind::Assume(self.condition_of()?),
            "constrain" => StmtKind::Constrain(self.condition_of()?),
            "start_thread" => self.start()?,
            "print" if self.mark_ahead(1, "(") => self.print()?,
            "abortif" if followed_by_operand => {
                self.bump();
                StmtKind::AbortIf(self.expression()?)
            }
            "dead" if followed_by_word => self.dead()?,
            "sync" if followed_by_word => return Err(self.sync()),
            "call" if followed_by_word => {
                self.bump();
                self.call(Vec::new())?
            }
            "enforce" => {
                let span = self.span();
                return Err(self.error(codes::UNEXPECTED, span, "`enforce` must stand before the first statement"));
            }
            _ if self.mark_ahead(1, "(") => self.call(Vec::new())?,
            _ => self.assignment()?,
        };
        Ok((kind, None))
    }

    /// Whether the word here continues a name and is not a statement of its own.
    fn continues_name(&self) -> bool {
        ["(", ":=", ","].iter().any(|mark| self.mark_ahead(1, mark))
    }

    fn sync(&mut self) -> Failed {
        let error = Diagnostic::error(codes::NOT_SUPPORTED, self.span(), "`sync` is not supported")
            .note("the tools that read it give it no documented meaning");
        self.found.push(error);
        Failed
    }

    fn condition_of(&mut self) -> Result<Expr, Failed> {
        self.bump();
        self.expect_mark("(", "before the condition")?;
        let expr = self.expression()?;
        self.expect_mark(")", "after the condition")?;
        Ok(expr)
    }

    fn jump(&mut self) -> Result<StmtKind, Failed> {
        self.bump();
        let mut labels = vec![self.label()?];
        while self.eat_mark(",") {
            labels.push(self.label()?);
        }
        Ok(StmtKind::Goto(labels))
    }

    fn returning(&mut self) -> Result<StmtKind, Failed> {
        self.bump();
        let values = if self.is_mark(";") || self.closes_block() { Vec::new() } else { self.expressions()? };
        Ok(StmtKind::Return(values))
    }

    fn start(&mut self) -> Result<StmtKind, Failed> {
        self.bump();
        if self.eat_word("goto") {
            return Ok(StmtKind::StartGoto(self.label()?));
        }
        let StmtKind::Call { callee, args, .. } = self.call(Vec::new())? else {
            return Err(self.unexpected("a call"));
        };
        Ok(StmtKind::Start { callee, args })
    }

    fn print(&mut self) -> Result<StmtKind, Failed> {
        self.bump();
        self.expect_mark("(", "after `print`")?;
        let values = self.expressions()?;
        self.expect_mark(")", "after what is printed")?;
        Ok(StmtKind::Print(values))
    }

    fn dead(&mut self) -> Result<StmtKind, Failed> {
        self.bump();
        let mut names = vec![self.name("the name of a variable")?];
        while self.eat_mark(",") {
            names.push(self.name("the name of a variable")?);
        }
        Ok(StmtKind::Dead(names))
    }

    fn call(&mut self, targets: Vec<Option<Name>>) -> Result<StmtKind, Failed> {
        let callee = self.name("the name of a function")?;
        self.expect_mark("(", "before the arguments")?;
        let args = if self.is_mark(")") { Vec::new() } else { self.expressions()? };
        self.expect_mark(")", "after the arguments")?;
        Ok(StmtKind::Call { targets, callee, args })
    }

    fn assignment(&mut self) -> Result<StmtKind, Failed> {
        let mut targets = vec![self.target()?];
        while self.eat_mark(",") {
            targets.push(self.target()?);
        }
        self.expect_mark(":=", "to assign, or `(` to call")?;
        let calls = matches!(self.peek(), TokenKind::Word(word) if !is_reserved(word)) && self.mark_ahead(1, "(");
        if calls {
            return self.call(targets);
        }
        let values = self.expressions()?;
        let constrain = if self.eat_word("constrain") { Some(self.expression()?) } else { None };
        Ok(StmtKind::Assign { targets, values, constrain })
    }

    fn target(&mut self) -> Result<Option<Name>, Failed> {
        if self.eat_word("_") {
            return Ok(None);
        }
        self.name("a statement").map(Some)
    }

    fn selection(&mut self) -> Result<(StmtKind, Option<Span>), Failed> {
        let opening = self.span();
        let mut branches = Vec::new();
        let mut otherwise = None;
        loop {
            // At `if` or `elsif`.
            let start = self.span();
            self.bump();
            let condition = self.expression()?;
            let span = self.since(start);
            self.expect_word("then", "after the condition")?;
            let body = self.statements()?;
            branches.push(Branch { condition, span, body });
            if !self.is_word("elsif") {
                break;
            }
        }
        if self.eat_word("else") {
            otherwise = Some(self.statements()?);
        }
        if !self.eat_word("fi") {
            return Err(self.unclosed(opening, "this `if`", "`fi`"));
        }
        let span = branches[0].span;
        Ok((StmtKind::If { branches, otherwise }, Some(span)))
    }

    fn iteration(&mut self) -> Result<(StmtKind, Option<Span>), Failed> {
        let opening = self.span();
        self.bump();
        let condition = self.expression()?;
        let span = self.since(opening);
        self.expect_word("do", "after the condition")?;
        let body = self.statements()?;
        if !self.eat_word("od") {
            return Err(self.unclosed(opening, "this `while`", "`od`"));
        }
        Ok((StmtKind::While { condition, body }, Some(span)))
    }
}

/// Whether a label makes a call the start of a thread.
fn is_async(label: &str) -> bool {
    label.strip_prefix("ASYNC_").is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit()))
}
