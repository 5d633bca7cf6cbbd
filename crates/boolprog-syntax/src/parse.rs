//! Tokens to a syntax tree, for the union of the dialects. A mistake ends the function it is in; the
//! parser continues with the next one, so that several mistakes are found in one run.

mod cursor;
mod expr;
mod stmt;

use selvedge_source::{Diagnostics, FileId};

use crate::ast::{Function, Initializer, Name, Program, Variable};
use crate::codes;
use crate::dialect::{Detected, Dialect, detect};
use crate::lex::{TokenKind, tokens};

use cursor::{Failed, Parser};

/// Parses a file. `None` if it has errors; they are in `found`.
pub fn parse(file: FileId, text: &str, dialect: Option<Dialect>, found: &mut Diagnostics) -> Option<Program> {
    let tokens = tokens(file, text, found);
    let detected = match dialect {
        Some(dialect) => Detected { dialect, decided: true },
        None => detect(&tokens),
    };
    let mut parser = Parser::new(tokens, detected, found);
    let program = parser.program();
    (!found.has_errors()).then_some(program)
}

impl Parser<'_> {
    fn program(&mut self) -> Program {
        let mut program = Program { dialect: self.detected.dialect, globals: Vec::new(), functions: Vec::new() };
        while !self.at_end() {
            let before = self.position();
            if self.item(&mut program).is_err() {
                self.skip_to_item(before);
            }
        }
        program
    }

    fn item(&mut self, program: &mut Program) -> Result<(), Failed> {
        if self.eat_word("decl") {
            return self.declaration(&mut program.globals);
        }
        if self.is_word("dfs") {
            self.bump();
        }
        let function = self.function()?;
        program.functions.push(function);
        Ok(())
    }

    /// `decl` was read; up to and including the `;`.
    pub(super) fn declaration(&mut self, variables: &mut Vec<Variable>) -> Result<(), Failed> {
        loop {
            let name = self.name("the name of a variable")?;
            let initial = if self.eat_mark(":=") { Some(self.initializer()?) } else { None };
            variables.push(Variable { name, initial });
            if !self.eat_mark(",") {
                break;
            }
        }
        self.expect_mark(";", "after the declaration")
    }

    fn initializer(&mut self) -> Result<Initializer, Failed> {
        let span = self.span();
        if self.eat_mark("*") {
            return Ok(Initializer::Any);
        }
        match self.bump() {
            TokenKind::Number(0) => Ok(Initializer::Value(false)),
            TokenKind::Number(1) => Ok(Initializer::Value(true)),
            TokenKind::Word(word) if word == "F" || word == "T" => Ok(Initializer::Value(word == "T")),
            TokenKind::Number(_) => Err(self.error(codes::NOT_A_BOOLEAN, span, "the values are 0 and 1")),
            _ => Err(self.error(codes::UNEXPECTED, span, "expected `0`, `1` or `*`")),
        }
    }

    fn function(&mut self) -> Result<Function, Failed> {
        let results = self.results()?;
        let name = self.name("the name of a function")?;
        self.expect_mark("(", "before the parameters")?;
        let mut parameters = Vec::new();
        if !self.is_mark(")") {
            loop {
                parameters.push(self.name("the name of a parameter")?);
                if !self.eat_mark(",") {
                    break;
                }
            }
        }
        self.expect_mark(")", "after the parameters")?;
        let opening = self.span();
        if !self.eat_word("begin") && !self.eat_mark("{") {
            return Err(self.unexpected("`begin`"));
        }
        let mut function =
            Function { results, name, parameters, locals: Vec::new(), enforce: None, body: Vec::new(), end: opening };
        self.locals = Vec::new();
        while self.eat_word("decl") {
            self.declaration(&mut function.locals)?;
        }
        if self.eat_word("enforce") {
            function.enforce = Some(self.expression()?);
            self.expect_mark(";", "after the condition of `enforce`")?;
        }
        function.body = self.statements()?;
        function.locals.append(&mut self.locals);
        function.end = self.span();
        if !self.eat_word("end") && !self.eat_mark("}") {
            return Err(self.unclosed(opening, "this function", "`end`"));
        }
        self.eat_mark(";");
        Ok(function)
    }

    fn results(&mut self) -> Result<usize, Failed> {
        if self.eat_word("void") {
            return Ok(0);
        }
        if !self.eat_word("bool") {
            return Err(self.unexpected("`decl`, `void` or `bool`"));
        }
        if !self.eat_mark("<") {
            return Ok(1);
        }
        let span = self.span();
        let number = match self.bump() {
            TokenKind::Number(number) => number,
            _ => return Err(self.error(codes::UNEXPECTED, span, "expected the number of values that are returned")),
        };
        self.expect_mark(">", "after the number of results")?;
        const MOST: u64 = 10_000;
        if number > MOST {
            return Err(self.error(codes::BAD_NUMBER, span, format!("a function returns at most {MOST} values")));
        }
        Ok(number as usize)
    }

    /// A name that is being declared or used as a label's or function's.
    pub(super) fn name(&mut self, what: &str) -> Result<Name, Failed> {
        let span = self.span();
        match self.peek().clone() {
            TokenKind::Word(text) if !cursor::is_reserved(&text) => {
                self.bump();
                Ok(Name { text, span })
            }
            TokenKind::Word(text) => {
                Err(self.error(codes::RESERVED_WORD, span, format!("`{text}` is a reserved word and cannot be {what}")))
            }
            _ => Err(self.unexpected(what)),
        }
    }
}
