//! The parser's place in the tokens, and its complaints.

use selvedge_source::{Diagnostic, Diagnostics, Span};

use crate::ast::Variable;
use crate::codes;
use crate::dialect::Detected;
use crate::lex::{Token, TokenKind};

/// A mistake was reported; the caller gives up.
#[derive(Clone, Copy, Debug)]
pub(super) struct Failed;

/// Levels of statements and expressions inside each other.
const NESTING: u32 = 200;

/// The parser.
pub(super) struct Parser<'a> {
    tokens: Vec<Token>,
    at: usize,
    depth: u32,
    /// The dialect.
    pub detected: Detected,
    /// Declarations between the statements of the function being parsed.
    pub locals: Vec<Variable>,
    /// Where complaints go.
    pub found: &'a mut Diagnostics,
}

/// Whether a word can never be a name.
pub(crate) fn is_reserved(word: &str) -> bool {
    matches!(
        word,
        "begin"
            | "end"
            | "decl"
            | "void"
            | "bool"
            | "goto"
            | "enforce"
            | "if"
            | "then"
            | "else"
            | "elsif"
            | "fi"
            | "skip"
            | "while"
            | "do"
            | "od"
            | "start_thread"
            | "end_thread"
            | "atomic_begin"
            | "atomic_end"
            | "return"
            | "schoose"
            | "constrain"
            | "assert"
            | "assume"
            | "T"
            | "F"
            | "_"
    )
}

impl<'a> Parser<'a> {
    /// At the first token.
    pub(super) fn new(tokens: Vec<Token>, detected: Detected, found: &'a mut Diagnostics) -> Self {
        Parser { tokens, at: 0, depth: 0, detected, locals: Vec::new(), found }
    }

    /// The next token.
    pub(super) fn peek(&self) -> &TokenKind {
        &self.tokens[self.at].kind
    }

    /// The token after so many others.
    pub(super) fn ahead(&self, count: usize) -> &TokenKind {
        &self.tokens[(self.at + count).min(self.tokens.len() - 1)].kind
    }

    /// Takes the next token.
    pub(super) fn bump(&mut self) -> TokenKind {
        if self.found.cancel().asks_at(self.at, 256) {
            self.at = self.tokens.len() - 1;
        }
        let kind = self.tokens[self.at].kind.clone();
        if self.at + 1 < self.tokens.len() {
            self.at += 1;
        }
        kind
    }

    /// The place of the next token.
    pub(super) fn span(&self) -> Span {
        self.tokens[self.at].span
    }

    /// From `start` to the last token taken.
    pub(super) fn since(&self, start: Span) -> Span {
        start.to(self.tokens[self.at.saturating_sub(1)].span)
    }

    /// How many tokens were taken.
    pub(super) fn position(&self) -> usize {
        self.at
    }

    /// Whether nothing is left.
    pub(super) fn at_end(&self) -> bool {
        *self.peek() == TokenKind::End
    }

    /// Whether the next token is this word.
    pub(crate) fn is_word(&self, word: &str) -> bool {
        matches!(self.peek(), TokenKind::Word(next) if next == word)
    }

    /// Whether the next token is this mark.
    pub(crate) fn is_mark(&self, mark: &str) -> bool {
        matches!(self.peek(), TokenKind::Mark(next) if *next == mark)
    }

    /// Whether the token after so many others is this mark.
    pub(crate) fn mark_ahead(&self, count: usize, mark: &str) -> bool {
        matches!(self.ahead(count), TokenKind::Mark(next) if *next == mark)
    }

    /// Takes this word if it is next.
    pub(crate) fn eat_word(&mut self, word: &str) -> bool {
        let is = self.is_word(word);
        if is {
            self.bump();
        }
        is
    }

    /// Takes this mark if it is next.
    pub(crate) fn eat_mark(&mut self, mark: &str) -> bool {
        let is = self.is_mark(mark);
        if is {
            self.bump();
        }
        is
    }

    /// Takes this mark or complains.
    pub(crate) fn expect_mark(&mut self, mark: &str, place: &str) -> Result<(), Failed> {
        if self.eat_mark(mark) { Ok(()) } else { Err(self.unexpected(&format!("`{mark}` {place}"))) }
    }

    /// Takes this word or complains.
    pub(crate) fn expect_word(&mut self, word: &str, place: &str) -> Result<(), Failed> {
        if self.eat_word(word) { Ok(()) } else { Err(self.unexpected(&format!("`{word}` {place}"))) }
    }

    /// Complains.
    pub(super) fn error(&mut self, code: &'static str, span: Span, message: impl Into<String>) -> Failed {
        self.found.push(Diagnostic::error(code, span, message));
        Failed
    }

    /// Complains about the next token.
    pub(super) fn unexpected(&mut self, wanted: &str) -> Failed {
        let got = match self.peek() {
            TokenKind::Word(word) => format!("`{word}`"),
            TokenKind::Number(number) => format!("`{number}`"),
            TokenKind::Mark(mark) => format!("`{mark}`"),
            TokenKind::End => "the end of the file".to_owned(),
        };
        let span = self.span();
        self.error(codes::UNEXPECTED, span, format!("expected {wanted}, found {got}"))
    }

    /// Complains that something opened is not closed here.
    pub(crate) fn unclosed(&mut self, opening: Span, what: &str, wanted: &str) -> Failed {
        if !self.at_end() {
            return self.unexpected(&format!("a statement or {wanted}"));
        }
        let error = Diagnostic::error(codes::UNCLOSED, opening, format!("{what} is not closed"));
        self.found.push(error.help(format!("end it with {wanted}")));
        Failed
    }

    /// Runs `parse` one level deeper.
    pub(super) fn deeper<T>(&mut self, parse: impl FnOnce(&mut Self) -> Result<T, Failed>) -> Result<T, Failed> {
        if self.depth >= NESTING {
            return Err(self.too_deep());
        }
        self.depth += 1;
        let result = parse(self);
        self.depth -= 1;
        result
    }

    /// Complains that this is nested too deeply.
    pub(super) fn too_deep(&mut self) -> Failed {
        let error = Diagnostic::error(codes::TOO_DEEP, self.span(), "this is nested too deeply");
        self.found.push(error.help("give a part of it a name: a variable or a function"));
        Failed
    }

    /// After a mistake: continues at the next declaration outside functions. `before` is where the
    /// item with the mistake starts.
    pub(crate) fn skip_to_item(&mut self, before: usize) {
        self.depth = 0;
        if self.at == before {
            self.bump();
        }
        while !self.at_end() {
            let opens_function = match self.peek() {
                TokenKind::Word(word) => matches!(word.as_str(), "void" | "bool" | "dfs"),
                _ => false,
            };
            if opens_function {
                return;
            }
            self.bump();
        }
    }
}
