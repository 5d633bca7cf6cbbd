//! Text to tokens. Called once for each file by `preprocess`, before any directive is looked at, so
//! errors in text that an `#if` skips must not be reported here: they become [`Kind::Bad`] tokens,
//! and the parser reports one where it meets it.

use std::rc::Rc;

use selvedge_source::{Cancel, FileId, Span};

/// What a token is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// An identifier or a keyword; which one is the parser's business, macros may have either name.
    Word(Rc<str>),
    /// A number as written.
    Number(Rc<str>),
    /// A character constant's value.
    Char(i32),
    /// A string as written, without its quotes.
    Str(Rc<str>),
    /// An operator or a bracket.
    Punct(&'static str),
    /// Text that is no token.
    Bad(Bad),
    /// The end of the text.
    Eof,
}

/// Text that is no token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bad {
    /// A character that begins no token.
    Stray(char),
    /// `"…` up to the end of the line.
    String,
    /// `'…`.
    Char,
    /// `/*…` up to the end of the file.
    Comment,
}

/// A token with its place.
#[derive(Clone, Debug)]
pub(crate) struct Token {
    /// What it is.
    pub kind: Kind,
    /// Where it stands; a macro's token stands where the macro is used.
    pub span: Span,
    /// A line ends between the token before and this one.
    pub newline_before: bool,
    /// First token of its line, comments aside: where a directive may begin.
    pub line_start: bool,
    /// White space in front of it.
    pub spaced: bool,
    /// The name of a macro met inside its own expansion: never expanded again.
    pub painted: bool,
    /// Where the macro's text has it, for a token that came from a macro.
    pub expanded_from: Option<Span>,
    /// For a token of an inline's argument: where the inline's text has the parameter.
    pub home: Option<Span>,
}

impl Token {
    /// A token at `span` with nothing in front of it.
    pub(crate) fn new(kind: Kind, span: Span) -> Self {
        Token {
            kind,
            span,
            newline_before: false,
            line_start: false,
            spaced: false,
            painted: false,
            expanded_from: None,
            home: None,
        }
    }

    /// Whether it is this operator, bracket or word.
    pub(crate) fn is(&self, text: &str) -> bool {
        match &self.kind {
            Kind::Punct(p) => *p == text,
            Kind::Word(w) => &**w == text,
            _ => false,
        }
    }

    /// The text of a word.
    pub(crate) fn word(&self) -> Option<&Rc<str>> {
        match &self.kind {
            Kind::Word(w) => Some(w),
            _ => None,
        }
    }

    /// The token as text, near enough to what was written for `#` and `##`.
    pub(crate) fn text(&self) -> String {
        match &self.kind {
            Kind::Word(s) | Kind::Number(s) => s.to_string(),
            Kind::Char(c) => char_text(*c),
            Kind::Str(s) => format!("\"{s}\""),
            Kind::Punct(p) => p.to_string(),
            Kind::Bad(Bad::Stray(c)) => c.to_string(),
            Kind::Bad(_) | Kind::Eof => String::new(),
        }
    }
}

fn char_text(value: i32) -> String {
    let c = u32::try_from(value).ok().and_then(char::from_u32).unwrap_or(' ');
    format!("'{}'", c.escape_default())
}

/// Operators and brackets, longer ones first.
const PUNCTUATION: &[&str] = &[
    "##", "::", "->", "--", "++", "<<", "<=", ">>", ">=", "==", "!=", "!!", "??", "&&", "||", "..", "#", "{", "}", "(",
    ")", "[", "]", ";", ":", ",", ".", "+", "-", "*", "/", "%", "&", "^", "|", "<", ">", "=", "!", "?", "~", "@",
];

/// All tokens of `text`, the last one [`Kind::Eof`].
pub(crate) fn tokenise(file: FileId, text: &str, cancel: &Cancel) -> Vec<Token> {
    let tokens = Vec::new();
    let mut lexer = Lexer { file, text, pos: 0, newline: true, line_start: true, spaced: false, tokens };
    lexer.run(cancel);
    lexer.tokens
}

struct Lexer<'a> {
    file: FileId,
    text: &'a str,
    pos: usize,
    newline: bool,
    line_start: bool,
    spaced: bool,
    tokens: Vec<Token>,
}

impl Lexer<'_> {
    fn run(&mut self, cancel: &Cancel) {
        loop {
            self.white_space();
            let start = self.pos;
            let cancelled = cancel.asks_at(self.tokens.len(), 1024);
            match self.peek().filter(|_| !cancelled) {
                None => break self.push(Kind::Eof, start),
                Some(b'"') => self.string(start),
                Some(b'\'') => self.character(start),
                Some(b) if b.is_ascii_digit() => {
                    let text = self.take_while(|b| b.is_ascii_alphanumeric() || b == b'_');
                    self.push(Kind::Number(text), start);
                }
                Some(b) if b.is_ascii_alphabetic() || b == b'_' => {
                    let text = self.take_while(|b| b.is_ascii_alphanumeric() || b == b'_');
                    self.push(Kind::Word(text), start);
                }
                Some(_) => self.punctuation(start),
            }
        }
    }

    fn rest(&self) -> &str {
        &self.text[self.pos..]
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.pos).copied()
    }

    fn push(&mut self, kind: Kind, start: usize) {
        let mut token = Token::new(kind, Span::new(self.file, start, self.pos));
        token.newline_before = std::mem::take(&mut self.newline);
        token.line_start = std::mem::take(&mut self.line_start);
        token.spaced = std::mem::take(&mut self.spaced);
        self.tokens.push(token);
    }

    fn take_while(&mut self, accept: impl Fn(u8) -> bool) -> Rc<str> {
        let len = self.rest().bytes().take_while(|b| accept(*b)).count();
        let text = Rc::from(&self.rest()[..len]);
        self.pos += len;
        text
    }

    /// Length of a backslash at the end of a line here, line end included; 0 where there is none.
    fn splice(&self) -> usize {
        let rest = self.rest();
        if rest.starts_with("\\\n") {
            2
        } else if rest.starts_with("\\\r\n") {
            3
        } else {
            0
        }
    }

    /// Skips blanks, comments and spliced lines, and remembers what they mean for the next token.
    fn white_space(&mut self) {
        loop {
            let rest = self.rest();
            let skipped = match self.peek() {
                Some(b'\n') => {
                    (self.newline, self.line_start) = (true, true);
                    1
                }
                Some(b' ' | b'\t' | b'\r' | 0x0b | 0x0c) => 1,
                Some(b'\\') => self.splice(),
                Some(b'/') if rest.starts_with("//") => self.line_comment(),
                Some(b'/') if rest.starts_with("/*") => self.block_comment(),
                None | Some(_) => 0,
            };
            if skipped == 0 {
                return;
            }
            self.pos += skipped;
            self.spaced = true;
        }
    }

    fn line_comment(&self) -> usize {
        let mut previous = b' ';
        let mut before = b' ';
        for (i, b) in self.rest().bytes().enumerate() {
            let spliced = previous == b'\\' || (previous == b'\r' && before == b'\\');
            if b == b'\n' && !spliced {
                return i;
            }
            (before, previous) = (previous, b);
        }
        self.rest().len()
    }

    /// A comment over several lines separates statements as the line ends in it would, but the text
    /// behind it does not begin a line: no directive can follow.
    fn block_comment(&mut self) -> usize {
        let rest = self.rest();
        match rest[2..].find("*/") {
            Some(end) => {
                let len = end + 4;
                self.newline |= rest[..len].contains('\n');
                len
            }
            None => {
                let start = self.pos;
                self.pos = start + 2;
                self.push(Kind::Bad(Bad::Comment), start);
                self.text.len() - self.pos
            }
        }
    }

    fn string(&mut self, start: usize) {
        self.pos += 1;
        let mut content = String::new();
        loop {
            let splice = self.splice();
            if splice > 0 {
                self.pos += splice;
                continue;
            }
            let Some(c) = self.rest().chars().next().filter(|c| *c != '\n') else {
                return self.push(Kind::Bad(Bad::String), start);
            };
            self.pos += c.len_utf8();
            if c == '"' {
                return self.push(Kind::Str(content.into()), start);
            }
            content.push(c);
            if c == '\\'
                && let Some(escaped) = self.rest().chars().next().filter(|c| *c != '\n')
            {
                content.push(escaped);
                self.pos += escaped.len_utf8();
            }
        }
    }

    fn character(&mut self, start: usize) {
        let mut chars = self.rest()[1..].chars();
        let (value, len) = match (chars.next(), chars.next(), chars.next()) {
            (Some('\\'), Some(c), Some('\'')) if c != '\n' => (unescape(c), 3 + c.len_utf8()),
            (Some(c), Some('\''), _) if !matches!(c, '\n' | '\\' | '\'') => (c, 2 + c.len_utf8()),
            _ => {
                self.pos += 1;
                return self.push(Kind::Bad(Bad::Char), start);
            }
        };
        self.pos += len;
        self.push(Kind::Char(value as i32), start);
    }

    fn punctuation(&mut self, start: usize) {
        match PUNCTUATION.iter().find(|p| self.rest().starts_with(**p)) {
            Some(p) => {
                self.pos += p.len();
                self.push(Kind::Punct(p), start);
            }
            None => {
                let c = self.rest().chars().next().unwrap_or(' ');
                self.pos += c.len_utf8();
                self.push(Kind::Bad(Bad::Stray(c)), start);
            }
        }
    }
}

/// The character that a backslash and `c` stand for.
pub(crate) fn unescape(c: char) -> char {
    match c {
        'n' => '\n',
        't' => '\t',
        'r' => '\r',
        'f' => '\x0c',
        'v' => '\x0b',
        'a' => '\x07',
        'b' => '\x08',
        '0' => '\0',
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<String> {
        tokenise(FileId(0), text, &Cancel::never()).iter().map(Token::text).filter(|t| !t.is_empty()).collect()
    }

    #[test]
    fn operators_are_read_longest_first() {
        assert_eq!(
            texts("q??[x] a-->b 1..N <->"),
            ["q", "??", "[", "x", "]", "a", "--", ">", "b", "1", "..", "N", "<", "->"]
        );
    }

    #[test]
    fn comments_and_spliced_lines_are_blanks() {
        let tokens = tokenise(FileId(0), "a // x \\\n still\nb /* \n */ c \\\n d", &Cancel::never());
        let seen: Vec<_> = tokens.iter().map(|t| (t.text(), t.newline_before, t.line_start)).collect();
        let row = |t: &str, n, l| (t.to_string(), n, l);
        assert_eq!(
            seen[..4],
            [row("a", true, true), row("b", true, true), row("c", true, false), row("d", false, false)]
        );
    }

    #[test]
    fn strings_and_characters() {
        let kinds: Vec<_> =
            tokenise(FileId(0), r#""a\"b" 'x' '\n' 'ab "z"#, &Cancel::never()).into_iter().map(|t| t.kind).collect();
        assert_eq!(kinds[0], Kind::Str(r#"a\"b"#.into()));
        assert_eq!(kinds[1..3], [Kind::Char(120), Kind::Char(10)]);
        assert!(kinds.contains(&Kind::Bad(Bad::Char)) && kinds.contains(&Kind::Bad(Bad::String)));
    }

    #[test]
    fn an_open_comment_is_one_bad_token() {
        let kinds: Vec<_> = tokenise(FileId(0), "a /* b", &Cancel::never()).into_iter().map(|t| t.kind).collect();
        assert_eq!(kinds[1..], [Kind::Bad(Bad::Comment), Kind::Eof]);
    }
}
