//! Text to tokens. Names may hold what any of the dialects allows: `$`, `#`, `-` after the first
//! character, and `{…}` without blanks (the predicate names of Getafix).

use selvedge_source::{Diagnostic, Diagnostics, FileId, Span};

use crate::codes;

/// What a token is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TokenKind {
    /// A name or word of the language.
    Word(String),
    /// A number.
    Number(u64),
    /// Operators and punctuation.
    Mark(&'static str),
    /// The end of the file.
    End,
}

/// A token with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// Where it stands.
    pub span: Span,
}

/// Longer marks first.
const MARKS: &[&str] = &[
    ":=", "!=", "=>", "==", "&&", "||", "(", ")", "[", "]", "<", ">", ",", ";", ":", "?", "*", "!", "~", "&", "|", "^",
    "=", "'", "{", "}",
];

/// The tokens of a file, the last of which is [`TokenKind::End`].
pub(crate) fn tokens(file: FileId, text: &str, found: &mut Diagnostics) -> Vec<Token> {
    let mut lexer = Lexer { file, text, at: 0, tokens: Vec::new() };
    while lexer.at < text.len() && !found.cancel().asks_at(lexer.at, 1024) {
        lexer.next(found);
    }
    lexer.push(TokenKind::End, text.len(), text.len());
    lexer.tokens
}

struct Lexer<'a> {
    file: FileId,
    text: &'a str,
    at: usize,
    tokens: Vec<Token>,
}

impl Lexer<'_> {
    fn push(&mut self, kind: TokenKind, start: usize, end: usize) {
        self.tokens.push(Token { kind, span: Span::new(self.file, start, end) });
        self.at = end;
    }

    fn next(&mut self, found: &mut Diagnostics) {
        let rest = &self.text[self.at..];
        let Some(first) = rest.chars().next() else { return };
        if first.is_whitespace() {
            self.at += first.len_utf8();
        } else if rest.starts_with("//") {
            self.at += rest.find('\n').unwrap_or(rest.len());
        } else if rest.starts_with("/*") {
            self.comment(rest, found);
        } else if first.is_ascii_digit() {
            self.number(rest, found);
        } else if let Some(length) = word_length(rest) {
            let word = &rest[..length];
            self.push(TokenKind::Word(word.to_owned()), self.at, self.at + length);
        } else if let Some(mark) = MARKS.iter().find(|mark| rest.starts_with(**mark)) {
            let kind = match *mark {
                "==" => "=",
                "&&" => "&",
                "||" => "|",
                mark => mark,
            };
            self.push(TokenKind::Mark(kind), self.at, self.at + mark.len());
        } else {
            let span = Span::new(self.file, self.at, self.at + first.len_utf8());
            found.push(Diagnostic::error(
                codes::STRAY_CHARACTER,
                span,
                format!("`{}` is not part of the language", first.escape_default()),
            ));
            self.at += first.len_utf8();
        }
    }

    fn comment(&mut self, rest: &str, found: &mut Diagnostics) {
        match rest.find("*/") {
            Some(length) => self.at += length + 2,
            None => {
                let span = Span::new(self.file, self.at, self.at + 2);
                let error = Diagnostic::error(codes::UNTERMINATED_COMMENT, span, "this comment is never closed");
                found.push(error.help("end it with `*/`"));
                self.at = self.text.len();
            }
        }
    }

    fn number(&mut self, rest: &str, found: &mut Diagnostics) {
        let length = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let number = rest[..length].parse().unwrap_or_else(|_| {
            let span = Span::new(self.file, self.at, self.at + length);
            found.push(Diagnostic::error(codes::BAD_NUMBER, span, "this number is too large"));
            0
        });
        self.push(TokenKind::Number(number), self.at, self.at + length);
    }
}

/// How long the name is that the text starts with.
fn word_length(rest: &str) -> Option<usize> {
    let first = rest.chars().next()?;
    if first == '{' {
        let end = rest.find(|c: char| c == '}' || c.is_whitespace())?;
        return (end > 1 && rest[end..].starts_with('}')).then_some(end + 1);
    }
    let starts = |c: char| c.is_ascii_alphabetic() || c == '_' || c == '$' || c == '#';
    let goes_on = |c: char| starts(c) || c.is_ascii_digit() || c == '-';
    starts(first).then(|| rest.find(|c: char| !goes_on(c)).unwrap_or(rest.len()))
}
