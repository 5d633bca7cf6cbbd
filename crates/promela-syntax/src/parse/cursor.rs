//! The parser's view of the tokens: looking ahead, line ends that separate, places, and reports.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use selvedge_source::{Diagnostic, Diagnostics, Severity, Span, misspelt, nearest};

use super::inline::{Call, Inline};
use super::words::{BEGINS_ITEM, CALLED, describe, ends_statement, is_keyword};
use crate::ast::Ident;
use crate::codes;
use crate::lex::{Bad, Kind, Token};

/// Statements and expressions inside each other. Bounded because the parser and everything that
/// reads the tree recurse.
const MAX_DEPTH: u32 = 300;
const MAX_ERRORS: usize = 20;
/// Tokens between two questions whether to go on.
const ASK_EVERY: usize = 256;
/// Tokens that inlines may produce in one run.
const MAX_INLINED: usize = 500_000;

/// The parser met an error and has reported it.
#[derive(Debug)]
pub(super) struct Failed;

/// What a part of the grammar gives.
pub(super) type Parsed<T> = Result<T, Failed>;

pub(super) struct Parser<'a> {
    diagnostics: &'a mut Diagnostics,
    /// What is being read: the model, or the text of an inline. Ends with [`Kind::Eof`].
    pub tokens: Vec<Token>,
    pub pos: usize,
    /// The token consumed last.
    pub prev: Token,
    /// Parentheses open here; a line end inside them separates nothing.
    pub parens: u32,
    /// Inside a process, claim or typedef: a line end may separate.
    pub in_body: bool,
    /// Inside a formula.
    pub ltl: bool,
    /// Bodies left open when the next item began: their braces come later.
    pub unclosed_bodies: u32,
    /// `if` and `do` that are open here.
    pub options_open: u32,
    depth: u32,
    pub typedefs: HashSet<Rc<str>>,
    pub processes: HashSet<Rc<str>>,
    pub inlines: HashMap<Rc<str>, Rc<Inline>>,
    /// Inlines being expanded, outermost first.
    pub calls: Vec<Call>,
    /// Tokens that inlines may still produce.
    pub inline_budget: usize,
    reported: HashSet<(&'static str, Span)>,
    errors: usize,
    end: Token,
    /// Tokens consumed, those of inlines too.
    bumped: usize,
    /// There is nothing more to read.
    gave_up: bool,
}

impl<'a> Parser<'a> {
    /// A parser of `tokens`, which end with [`Kind::Eof`].
    pub(super) fn new(tokens: Vec<Token>, diagnostics: &'a mut Diagnostics) -> Self {
        let end = tokens.last().expect("ends with Eof").clone();
        Parser {
            diagnostics,
            tokens,
            pos: 0,
            prev: end.clone(),
            parens: 0,
            in_body: false,
            ltl: false,
            unclosed_bodies: 0,
            options_open: 0,
            depth: 0,
            typedefs: HashSet::new(),
            processes: HashSet::new(),
            inlines: HashMap::new(),
            calls: Vec::new(),
            inline_budget: MAX_INLINED,
            reported: HashSet::new(),
            errors: 0,
            end,
            bumped: 0,
            gave_up: false,
        }
    }

    pub(super) fn peek(&self) -> &Token {
        self.peek_at(0)
    }

    /// The token `ahead` places further on.
    pub(crate) fn peek_at(&self, ahead: usize) -> &Token {
        if self.gave_up {
            return &self.end;
        }
        self.tokens.get(self.pos + ahead).unwrap_or(&self.tokens[self.tokens.len() - 1])
    }

    /// Whether this operator, bracket or keyword comes next.
    pub(super) fn at(&self, text: &str) -> bool {
        self.peek().is(text)
    }

    pub(crate) fn at_any(&self, texts: &[&str]) -> bool {
        texts.iter().any(|t| self.at(t))
    }

    pub(crate) fn at_eof(&self) -> bool {
        self.peek().kind == Kind::Eof
    }

    /// Whether a name (no keyword) comes next.
    pub(crate) fn at_name(&self) -> bool {
        self.name_at(0)
    }

    pub(crate) fn name_at(&self, ahead: usize) -> bool {
        self.peek_at(ahead).word().is_some_and(|w| !is_keyword(w))
    }

    /// Consumes a token; the end is never passed.
    pub(super) fn bump(&mut self) -> Token {
        self.bumped += 1;
        self.gave_up |= self.diagnostics.cancel().asks_at(self.bumped, ASK_EVERY);
        let token = self.peek().clone();
        if token.kind != Kind::Eof {
            self.pos += 1;
            match token.kind {
                Kind::Punct("(") => self.parens += 1,
                Kind::Punct(")") => self.parens = self.parens.saturating_sub(1),
                _ => {}
            }
            self.prev = token.clone();
        }
        token
    }

    pub(super) fn eat(&mut self, text: &str) -> bool {
        let found = self.at(text);
        if found {
            self.bump();
        }
        found
    }

    /// This token; in front of `}` a separator may stand, as everywhere in Spin.
    pub(super) fn expect(&mut self, text: &str) -> Parsed<Token> {
        if text == "}" && self.at(";") && self.peek_at(1).is("}") {
            self.bump();
        }
        if self.at(text) { Ok(self.bump()) } else { Err(self.unexpected(&format!("`{text}`"))) }
    }

    /// A name; `what` it names is for the message.
    pub(super) fn name(&mut self, what: &str) -> Parsed<Ident> {
        if self.at_name() {
            let token = self.bump();
            return Ok(Ident { name: token.word().map(|w| w.to_string()).unwrap_or_default(), span: token.span });
        }
        if let Some(word) = self.peek().word().cloned() {
            let error = self
                .error_here(codes::RESERVED_WORD, format!("`{word}` is a reserved word and cannot name {what}"))
                .label(format!("expected {what}"))
                .help("choose another name");
            return Err(self.fail(error));
        }
        Err(self.unexpected(what))
    }

    /// Whether the end of the line in front of the next token ends the statement, as Spin 6 has it:
    /// in a body, outside parentheses, after a token that can end a statement.
    pub(crate) fn at_line_end(&self) -> bool {
        self.in_body && self.parens == 0 && self.peek().newline_before && ends_statement(&self.prev)
    }

    /// The place of the tokens consumed since `start`. Where only some of them are an inline's
    /// argument, the place is in the inline's text; where all are, it is that of the argument.
    pub(crate) fn span_from(&self, start: usize) -> Span {
        let last = self.pos.max(start + 1) - 1;
        let end = self.tokens.len() - 1;
        let (first, last) = (&self.tokens[start.min(end)], &self.tokens[last.min(end)]);
        if first.home == last.home {
            return first.span.to(last.span);
        }
        first.home.unwrap_or(first.span).to(last.home.unwrap_or(last.span))
    }

    /// The tokens `start..end` as they are written, blanks between them made one.
    pub(super) fn text_of(&self, start: usize, end: usize) -> String {
        let mut text = String::new();
        let mut before: Option<Span> = None;
        for token in &self.tokens[start..end.min(self.tokens.len())] {
            if before.is_some_and(|span| span.file != token.span.file || span.end != token.span.start) {
                text.push(' ');
            }
            text.push_str(&token.text());
            before = Some(token.span);
        }
        text
    }

    /// Runs `parse` one level deeper.
    pub(super) fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= MAX_DEPTH {
            return Err(self.too_deep());
        }
        self.depth += 1;
        let result = parse(self);
        self.depth -= 1;
        result
    }

    /// Reports nesting that is too deep and stops: what follows would fail for the same reason.
    pub(super) fn too_deep(&mut self) -> Failed {
        let error = self
            .error_here(codes::TOO_DEEP, "this is nested too deeply")
            .label("at this point")
            .help("split it up by variables or inlines");
        self.give_up(error)
    }

    /// Reports an error after which nothing more is read.
    pub(super) fn give_up(&mut self, error: Diagnostic) -> Failed {
        self.report(error);
        self.gave_up = true;
        Failed
    }

    /// An error at the next token.
    pub(crate) fn error_here(&self, code: &'static str, message: impl Into<String>) -> Diagnostic {
        self.error_at(self.peek(), code, message)
    }

    /// An error at `token`, with the macro it came from.
    pub(crate) fn error_at(&self, token: &Token, code: &'static str, message: impl Into<String>) -> Diagnostic {
        let error = Diagnostic::error(code, token.span, message);
        match token.expanded_from {
            Some(span) => error.also(span, "in this macro"),
            None => error,
        }
    }

    pub(super) fn fail(&mut self, error: Diagnostic) -> Failed {
        self.report(error);
        Failed
    }

    /// Reports once for each place and code; an inline used twice makes the same mistake twice.
    pub(super) fn report(&mut self, mut diagnostic: Diagnostic) {
        let place = diagnostic.primary.as_ref().map_or(self.end.span, |l| l.span);
        if self.gave_up || !self.reported.insert((diagnostic.code, place)) {
            return;
        }
        if diagnostic.severity == Severity::Error {
            self.errors += 1;
            if self.errors > MAX_ERRORS {
                self.gave_up = true;
                diagnostic = Diagnostic::error_without_place(
                    codes::TOO_MANY_ERRORS,
                    format!("stopped after {MAX_ERRORS} errors"),
                )
                .help("fix the first ones; the others may be consequences of them");
            }
        }
        if let Some(call) = self.calls.last().filter(|_| !self.gave_up) {
            diagnostic = diagnostic.also(call.span, format!("in this use of inline `{}`", call.name));
        }
        self.diagnostics.push(diagnostic);
    }

    /// Reports that the next token is not `wanted`, with the usual cause where one is known.
    pub(super) fn unexpected(&mut self, wanted: &str) -> Failed {
        let token = self.peek().clone();
        if let Some(habit) = self.habit() {
            return self.fail(habit);
        }
        let error = match &token.kind {
            Kind::Bad(bad) => self.bad_token(&token, *bad),
            Kind::Punct("=") if !self.ltl => self
                .error_here(codes::ASSIGNMENT_IN_EXPRESSION, "`=` assigns, and an assignment has no value")
                .label(format!("expected {wanted}"))
                .help("did you mean `==`?"),
            Kind::Punct("(") if self.prev.word().is_some_and(|w| !is_keyword(w)) => self.unknown_call(),
            _ => {
                let error = self
                    .error_here(codes::UNEXPECTED, format!("expected {wanted}, found {}", describe(&token)))
                    .label(format!("expected {wanted}"));
                self.with_cause(error, &token)
            }
        };
        self.fail(error)
    }

    fn unknown_call(&self) -> Diagnostic {
        let name = self.prev.text();
        let error = |message| self.error_at(&self.prev, codes::UNKNOWN_CALL, message).label("called like a function");
        if self.processes.contains(&*name) {
            return error(format!("`{name}` is a process type")).help(format!("start it with `run {name}(…)`"));
        }
        let error = error(format!("there is no inline or macro `{name}` here"));
        let inlines = self.inlines.keys().map(|name| &**name);
        if let Some(meant) = misspelt(&name, CALLED).map(str::to_owned).or_else(|| nearest(&name, inlines)) {
            return error.help(format!("did you mean `{meant}`?"));
        }
        error.help("an inline must be defined above its first use; a process is started with `run`")
    }

    fn with_cause(&self, error: Diagnostic, token: &Token) -> Diagnostic {
        let infix = ["&&", "||", "==", "!=", "<=", ">=", "<", ">", "+", "*", "/", "%", "&", "|", "^", "<<", ">>", "?"];
        if self.in_body && token.newline_before && infix.iter().any(|op| token.is(op)) {
            return error
                .note("inside a body, a line break ends the statement")
                .help("put the operator at the end of the line above, or the whole expression in parentheses");
        }
        if !self.in_body
            && let Some(meant) = token.word().and_then(|word| misspelt(word, BEGINS_ITEM))
        {
            return error.help(format!("did you mean `{meant}`?"));
        }
        if self.prev.is("=") && token.is("=") {
            return error.help("write `==` without a space");
        }
        if token.is("?") || token.is("??") {
            return error.help("a receive is a statement; to ask whether it is possible, write `q?[…]`");
        }
        if token.is("!!") {
            return error.note("`!!` is the sorted send").help("negate twice with `!(!x)`");
        }
        if token.is("++") || token.is("--") {
            return error.help("`x++` and `x--` are statements; inside an expression write `x + 1`");
        }
        error
    }

    fn bad_token(&self, token: &Token, bad: Bad) -> Diagnostic {
        match bad {
            Bad::Stray(c) => self
                .error_at(
                    token,
                    codes::STRAY_CHARACTER,
                    format!("the character `{}` means nothing here", c.escape_debug()),
                )
                .label("not part of Promela"),
            Bad::String => self
                .error_at(token, codes::UNTERMINATED_STRING, "this string is never closed")
                .label("begins here")
                .help("close it with `\"` on the same line"),
            Bad::Char => self
                .error_at(
                    token,
                    codes::BAD_CHARACTER_CONSTANT,
                    "a character constant is one character between single quotes",
                )
                .label("not a character constant")
                .help("write 'a' or '\\n'; strings are only allowed in `printf`"),
            Bad::Comment => self.error_at(token, codes::UNTERMINATED_COMMENT, "this comment is never closed"),
        }
    }
}
