//! Going on after an error: where to, and what to say about braces that do not match.

use selvedge_source::{Diagnostic, Span};

use super::cursor::Parser;
use super::words::describe;
use crate::codes;
use crate::lex::Kind;

/// Keywords that only begin items of the top level.
pub(super) const TOP_LEVEL: &[&str] =
    &["proctype", "D_proctype", "active", "init", "never", "ltl", "inline", "typedef", "trace", "notrace"];

impl Parser<'_> {
    /// Skips the rest of a statement that could not be read, begun at token `start` inside `outer`
    /// parentheses: to the next line, separator or end of the sequence. Passes at least one token,
    /// unless the sequence ends.
    pub(super) fn skip_statement(&mut self, start: usize, outer: u32) {
        let mut depth = 0u32;
        while !self.at_eof() && !self.at_any(TOP_LEVEL) {
            if self.at_any(&["{", "if", "do"]) {
                depth += 1;
            } else if self.at_any(&["}", "fi", "od"]) {
                if depth == 0 {
                    break;
                }
                depth -= 1;
            } else if depth == 0 && self.pos > start {
                let separated = self.parens <= outer && self.at_any(&[";", "->", "::"]);
                if separated || self.peek().newline_before {
                    break;
                }
            }
            self.bump();
        }
        self.parens = outer;
    }

    /// Skips to behind the `fi` or `od` of an `if` or `do` that could not be read.
    pub(super) fn skip_options(&mut self) {
        let mut depth = 0u32;
        while !self.at_eof() && !self.at_any(TOP_LEVEL) {
            if self.at_any(&["{", "if", "do"]) {
                depth += 1;
            } else if self.at_any(&["fi", "od", "}"]) {
                if depth == 0 {
                    if !self.at("}") {
                        self.bump();
                    }
                    return;
                }
                depth -= 1;
            }
            self.bump();
        }
    }

    /// Skips the rest of an item that could not be read: to what can only begin another.
    pub(super) fn skip_item(&mut self, start: usize) {
        let mut depth = 0u32;
        while !self.at_eof() {
            let begins_item = self.at_any(TOP_LEVEL)
                || (depth == 0 && self.peek().newline_before && (self.at_type() || self.at_embedded_c()));
            if self.pos > start && begins_item {
                return;
            }
            if self.at("{") {
                depth += 1;
            } else if self.at("}") {
                depth = depth.saturating_sub(1);
            }
            self.bump();
        }
    }

    /// Consumes `closer`, or reports that what `open` began is not closed, and continues as if it
    /// were.
    pub(super) fn close(&mut self, open: Span, closer: &str) {
        if self.eat(closer) {
            return;
        }
        let token = self.peek().clone();
        if token.kind == Kind::Eof {
            let error = Diagnostic::error(codes::UNCLOSED, open, format!("`{closer}` is missing to close this"));
            return self.report(error.label("opened here and never closed"));
        }
        if self.at_any(TOP_LEVEL) {
            self.unclosed_bodies += u32::from(closer == "}");
            let error = self
                .error_here(codes::UNCLOSED, format!("`{}` is not allowed inside a body", token.text()))
                .label("begins here")
                .also(open, "this is not closed yet")
                .help(format!("close it with `{closer}` first"));
            return self.report(error);
        }
        let error = self
            .error_here(codes::UNCLOSED, format!("expected `{closer}`, found {}", describe(&token)))
            .label(format!("expected `{closer}`"))
            .also(open, "to close this");
        let other_loop = self.at_any(&["fi", "od"]) && closer != "}";
        self.report(if other_loop { error.help("`if` closes with `fi`, `do` with `od`") } else { error });
        if other_loop {
            self.bump();
        }
    }
}
