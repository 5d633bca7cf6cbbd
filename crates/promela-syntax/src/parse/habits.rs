//! What users of C, of other logics and of other languages write by habit, and what Promela has instead. Asked when a
//! token is unexpected: the general message would name the place, but neither the cause nor the remedy.

use selvedge_source::Diagnostic;

use super::cursor::{Parsed, Parser};
use crate::codes;
use crate::lex::Token;

/// Words of other languages that stand between or in front of operands, and Promela's operators.
const OPERATORS: &[(&str, &str)] = &[("and", "&&"), ("or", "||"), ("not", "!"), ("then", "->"), ("mod", "%")];
/// Temporal operators of other tools, and Promela's.
const TEMPORAL: &[(&str, &str)] = &[("G", "[]"), ("F", "<>"), ("GF", "[] <>"), ("FG", "<> []"), ("R", "V")];

impl Parser<'_> {
    /// The usual cause of an unexpected token, if it is a habit from elsewhere.
    pub(super) fn habit(&self) -> Option<Diagnostic> {
        self.arrow()
            .or_else(|| self.tripled())
            .or_else(|| self.foreign_operator())
            .or_else(|| self.while_loop())
            .or_else(|| self.extra_parenthesis())
    }

    /// `=>` and `<=>`.
    fn arrow(&self) -> Option<Diagnostic> {
        let (token, next) = (self.peek(), self.peek_at(1));
        let touching = |a: &Token, b: &Token| a.span.end == b.span.start && a.span.file == b.span.file;
        let (written, instead, span) = if token.is("=") && next.is(">") && touching(token, next) {
            ("=>", "->", token.span.to(next.span))
        } else if self.prev.is("<=") && token.is(">") && touching(&self.prev, token) {
            ("<=>", "<->", self.prev.span.to(token.span))
        } else {
            return None;
        };
        let error = Diagnostic::error(codes::UNEXPECTED, span, format!("Promela has no operator `{written}`"));
        let help = match self.ltl || self.parens == 0 {
            true => format!("write `{instead}`"),
            false => "an implication outside of formulas is written `!a || b`".to_owned(),
        };
        Some(error.label("not an operator").help(help))
    }

    /// `&&&` and `|||`.
    fn tripled(&self) -> Option<Diagnostic> {
        let (before, token) = (&self.prev, self.peek());
        let touching = before.span.end == token.span.start && before.span.file == token.span.file;
        let is = |two: &str, one: &str| touching && before.is(two) && token.is(one);
        let (written, instead) = match (is("&&", "&"), is("||", "|")) {
            (true, _) => ("&&&", "&&"),
            (_, true) => ("|||", "||"),
            _ => return None,
        };
        let span = before.span.to(token.span);
        let error = Diagnostic::error(codes::UNEXPECTED, span, format!("Promela has no operator `{written}`"));
        Some(error.label("not an operator").help(format!("write `{instead}`")))
    }

    /// A word that is an operator elsewhere. `G` may also name a variable, so in front of the place it counts only in
    /// formulas, where no variable can be followed by an operand.
    fn foreign_operator(&self) -> Option<Diagnostic> {
        let lookup = |table: &[(&'static str, &'static str)], token: &Token, any_case: bool| {
            let word = token.word()?.clone();
            let same = |name: &str| if any_case { word.eq_ignore_ascii_case(name) } else { *word == *name };
            table.iter().find(|(name, _)| same(name)).map(|(_, instead)| *instead)
        };
        let here = [self.peek(), &self.prev].into_iter();
        let mut found = here.clone().filter_map(|token| Some((token, lookup(OPERATORS, token, true)?)));
        let temporal = || here.clone().filter_map(|token| Some((token, lookup(TEMPORAL, token, false)?))).next();
        let (token, instead) = found.next().or_else(|| if self.ltl { temporal() } else { None })?;
        let word = token.text();
        let error = self.error_at(token, codes::UNEXPECTED, format!("Promela has no operator `{word}`"));
        Some(error.label("read as a name").help(format!("write `{instead}`")))
    }

    fn while_loop(&self) -> Option<Diagnostic> {
        if self.ltl || !self.prev.word().is_some_and(|word| matches!(&**word, "while" | "loop" | "repeat")) {
            return None;
        }
        let word = self.prev.text();
        let error = self.error_at(&self.prev, codes::UNEXPECTED, format!("Promela has no statement `{word}`"));
        Some(error.label("read as a name").help("a loop is `do :: condition -> … :: else -> break od`"))
    }

    fn extra_parenthesis(&self) -> Option<Diagnostic> {
        (self.at(")") && self.parens == 0 && self.in_body).then(|| self.extra_closer())
    }

    /// The next token is a bracket that closes nothing.
    pub(super) fn extra_closer(&self) -> Diagnostic {
        self.error_here(codes::EXTRA_CLOSER, format!("this `{}` has no opening bracket", self.peek().text()))
            .label("no bracket is open here")
            .help("remove it, or look above for one that closes too early")
    }

    /// `for (int i = 0; i < n; i++)`, read up to the parenthesis.
    pub(super) fn c_loop(&mut self) -> Parsed<()> {
        let declares = self.at_type();
        let name = if declares { self.peek_at(1) } else { self.peek() };
        if !declares && !self.peek_at(1).is("=") {
            return Ok(());
        }
        let name = name.word().map_or_else(|| "i".to_owned(), |word| word.to_string());
        let message = if declares { "a `for` loop cannot declare its variable" } else { "a `for` loop takes a range" };
        let label = if declares { "a declaration" } else { "not a range" };
        let first = if declares { format!("declare `{name}` in front of the loop and ") } else { String::new() };
        let error = self.error_here(codes::UNEXPECTED, message).label(label);
        Err(self.fail(error.help(format!("{first}write `for ({name} : 0 .. 9) {{ … }}`"))))
    }

    /// Whether a word that is an operator elsewhere comes next, where an operator is expected.
    pub(super) fn at_foreign_operator(&self) -> bool {
        self.peek().word().is_some_and(|word| OPERATORS.iter().any(|(name, _)| word.eq_ignore_ascii_case(name)))
    }
}
