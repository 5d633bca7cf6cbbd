//! Words and marks of the languages of nets. `#` starts a comment; names are made of letters, digits,
//! `_`, `.` and `'`; ends of lines are blanks.

use std::collections::HashMap;

use selvedge_source::{Diagnostic, Diagnostics, FileId, Span};

use crate::codes;

/// A word or mark with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    /// Its text; empty at the end of the file.
    pub text: String,
    /// Where it stands.
    pub span: Span,
    /// The line it stands in.
    line: u32,
}

impl Token {
    /// Whether it is a name (or a word of the language).
    pub(crate) fn is_name(&self) -> bool {
        self.text.chars().next().is_some_and(is_name_character)
    }

    /// As it is shown in messages.
    pub(crate) fn shown(&self) -> String {
        if self.text.is_empty() { "the end of the file".to_owned() } else { format!("`{}`", self.text) }
    }
}

fn is_name_character(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '.' || c == '\''
}

/// Names and their numbers, in the order in which they were met.
#[derive(Default)]
pub(crate) struct Names {
    /// The names by number.
    pub list: Vec<String>,
    numbers: HashMap<String, u32>,
}

impl Names {
    /// The number of a name, a new one if it was not met before.
    pub(crate) fn number(&mut self, name: &str) -> u32 {
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        let number = self.list.len() as u32;
        self.list.push(name.to_owned());
        self.numbers.insert(name.to_owned(), number);
        number
    }

    /// The number of a name that was met before.
    pub(crate) fn find(&self, name: &str) -> Option<u32> {
        self.numbers.get(name).copied()
    }
}

/// Reads tokens one after the other.
pub(crate) struct Reader<'a> {
    tokens: Vec<Token>,
    at: usize,
    /// How what is being read is written, for complaints.
    form: &'static str,
    /// Where complaints go.
    pub found: &'a mut Diagnostics,
}

/// A mistake was reported.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Failed;

impl<'a> Reader<'a> {
    /// At the start of a text whose marks are these, longer ones first.
    pub(crate) fn new(file: FileId, text: &str, marks: &[&str], found: &'a mut Diagnostics) -> Self {
        let tokens = tokens(file, text, marks, found);
        Reader { tokens, at: 0, form: "", found }
    }

    /// What is read from here on is written like this: complaints will say so.
    pub(crate) fn reads(&mut self, form: &'static str) {
        self.form = form;
    }

    /// The next token.
    pub(crate) fn peek(&self) -> &Token {
        &self.tokens[self.at]
    }

    /// Takes the next token.
    pub(crate) fn take(&mut self) -> Token {
        if self.found.cancel().asks_at(self.at, 256) {
            self.at = self.tokens.len() - 1;
        }
        let token = self.tokens[self.at].clone();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    /// Whether the next token stands in the line of this one.
    pub(crate) fn same_line(&self, token: &Token) -> bool {
        self.peek().line == token.line
    }

    /// Whether nothing is left.
    pub(crate) fn at_end(&self) -> bool {
        self.peek().text.is_empty()
    }

    /// Takes the next token if it is this one.
    pub(crate) fn eat(&mut self, text: &str) -> bool {
        let is = self.peek().text == text;
        if is {
            self.take();
        }
        is
    }

    /// Takes this token or complains.
    pub(crate) fn expect(&mut self, text: &str) -> Result<Token, Failed> {
        if self.peek().text == text { Ok(self.take()) } else { Err(self.unexpected(&format!("`{text}`"))) }
    }

    /// Takes a name or complains.
    pub(crate) fn name(&mut self, what: &str) -> Result<Token, Failed> {
        if self.peek().is_name() { Ok(self.take()) } else { Err(self.unexpected(what)) }
    }

    /// Complains about the next token.
    pub(crate) fn unexpected(&mut self, wanted: &str) -> Failed {
        let token = self.peek().clone();
        let message = format!("expected {wanted}, found {}", token.shown());
        self.error(codes::UNEXPECTED, token.span, message)
    }

    /// Complains.
    pub(crate) fn error(&mut self, code: &'static str, span: Span, message: impl Into<String>) -> Failed {
        let error = Diagnostic::error(code, span, message);
        let shows_form = code == codes::UNEXPECTED && !self.form.is_empty();
        self.found.push(if shows_form { error.help(self.form) } else { error });
        Failed
    }

    /// Takes the first word of a file, or complains that this is no file of `what`.
    pub(crate) fn first_word(&mut self, word: &str, what: &str) -> Result<(), Failed> {
        if self.eat(word) {
            return Ok(());
        }
        let error = Diagnostic::error(codes::WRONG_KIND, self.peek().span, format!("this is not a file of {what}"));
        self.found.push(error.help(format!("such a file starts with the word `{word}`")));
        Err(Failed)
    }

    /// Complains about something that can be given once only.
    pub(crate) fn given_twice(&mut self, span: Span, earlier: Span, what: &str) -> Failed {
        let error = Diagnostic::error(codes::GIVEN_TWICE, span, format!("{what} is given twice"));
        self.found.push(error.also(earlier, "first here"));
        Failed
    }

    /// Complains about a third symbol on the right side of a rule.
    pub(crate) fn at_most_two(&mut self, push: &[Token]) -> Result<(), Failed> {
        let Some(third) = push.get(2) else { return Ok(()) };
        let error = Diagnostic::error(codes::TOO_MANY_SYMBOLS, third.span, "a rule pushes at most two symbols");
        self.found.push(error.help("use a new symbol and a second rule"));
        Err(Failed)
    }

    /// After a mistake: continues in the next line.
    pub(crate) fn skip_line(&mut self) {
        let line = self.peek().line;
        while !self.at_end() && self.peek().line == line {
            self.take();
        }
    }

    /// After a mistake: continues at the next of these words or marks, in another line.
    pub(crate) fn skip_to(&mut self, starts: &[&str]) {
        self.skip_line();
        while !self.at_end() && !starts.contains(&self.peek().text.as_str()) {
            self.take();
        }
    }
}

/// After so many characters that no token has, this is no file of ours.
const MOST_STRAYS: u32 = 20;

fn tokens(file: FileId, text: &str, marks: &[&str], found: &mut Diagnostics) -> Vec<Token> {
    let mut tokens = Vec::new();
    let (mut at, mut line, mut strays) = (0, 1, 0);
    while let Some(first) = text[at..].chars().next() {
        if found.cancel().asks_at(tokens.len(), 1024) {
            break;
        }
        let rest = &text[at..];
        let length = if first == '#' {
            at += rest.find('\n').unwrap_or(rest.len());
            continue;
        } else if first.is_whitespace() {
            line += u32::from(first == '\n');
            at += first.len_utf8();
            continue;
        } else if is_name_character(first) {
            rest.find(|c: char| !is_name_character(c)).unwrap_or(rest.len())
        } else if let Some(mark) = marks.iter().find(|mark| rest.starts_with(**mark)) {
            mark.len()
        } else {
            // Several in a row are one mistake.
            let known = |c: char| c.is_whitespace() || is_name_character(c) || c == '#';
            let mark = marks.iter().filter_map(|mark| rest.find(mark)).min();
            let length = rest.find(known).into_iter().chain(mark).min().unwrap_or(rest.len());
            let span = Span::new(file, at, at + length);
            let message = format!("`{}` is not part of the language", rest[..length].escape_default());
            found.push(Diagnostic::error(codes::STRAY_CHARACTER, span, message));
            strays += 1;
            if strays == MOST_STRAYS {
                break;
            }
            at += length;
            continue;
        };
        tokens.push(Token { text: rest[..length].to_owned(), span: Span::new(file, at, at + length), line });
        at += length;
    }
    tokens.push(Token { text: String::new(), span: Span::new(file, text.len(), text.len()), line });
    tokens
}
