//! Files to one stream of tokens: directives obeyed, macros expanded. Works on tokens, not on text,
//! so every token keeps its place: one from a macro's text stands where the macro is used, one from
//! a macro's argument where it was written.
//!
//! What is read is what `gcc -E` would leave for Spin, and a line end counts as Spin sees it there:
//! none inside an expansion, none between the arguments of a macro.

mod condition;
mod include;
mod macros;
mod setup;

use std::collections::{HashMap, HashSet};
use std::io;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use selvedge_source::{Diagnostic, Diagnostics, SourceMap, Span};

use crate::codes;
use crate::lex::{Bad, Kind, Token, tokenise};
use macros::Macro;
pub use setup::{Definition, Setup};

/// Tokens that macros may produce in one run.
const MAX_TOKENS: usize = 2_000_000;
const MAX_INCLUDE_DEPTH: usize = 50;
const MAX_INCLUDES: usize = 1_000;
/// Tokens between two questions whether to go on.
const ASK_EVERY: usize = 1024;
/// The number of messages after which the preprocessor stops reporting.
const MAX_MESSAGES: usize = 20;

/// Reads an included file.
pub(crate) type Loader<'a> = &'a mut dyn FnMut(&Path) -> io::Result<String>;

/// The tokens of `text` with its includes. Errors go to `diagnostics`; the tokens are then those
/// that could be read.
pub(crate) fn preprocess(
    name: &str,
    text: &str,
    setup: &Setup,
    loader: Loader<'_>,
    sources: &mut SourceMap,
    diagnostics: &mut Diagnostics,
) -> Preprocessed {
    let mut preprocessor = Preprocessor {
        sources,
        diagnostics,
        loader,
        directories: &setup.directories,
        macros: HashMap::new(),
        expanding: HashSet::new(),
        files: Vec::new(),
        pending: Vec::new(),
        isolated: 0,
        carried_newline: false,
        budget: MAX_TOKENS,
        includes: 0,
        messages: 0,
        read: 0,
        stopped: false,
    };
    let end = preprocessor.open(PathBuf::from(name), text);
    if let Some(directives) = setup.directives() {
        // The file that was opened last is read first.
        preprocessor.open(PathBuf::from(setup::COMMAND_LINE), &directives);
    }
    let mut tokens = Vec::new();
    while let Some(token) = preprocessor.next_expanded() {
        tokens.push(token);
    }
    tokens.push(Token { newline_before: true, ..Token::new(Kind::Eof, end) });
    Preprocessed { tokens, complete: !preprocessor.stopped }
}

/// What the preprocessor leaves for the parser.
pub(crate) struct Preprocessed {
    /// All tokens, the last one [`Kind::Eof`].
    pub tokens: Vec<Token>,
    /// Whether the text was read to its end; if not, parsing it would only report the cut.
    pub complete: bool,
}

/// A file that is being read.
struct OpenFile {
    path: PathBuf,
    tokens: Vec<Token>,
    next: usize,
    conditions: Vec<Condition>,
}

impl OpenFile {
    fn skipping(&self) -> bool {
        self.conditions.iter().any(|c| !c.active)
    }
}

/// An `#if` that is open.
struct Condition {
    span: Span,
    /// The group being read counts.
    active: bool,
    /// Some group of it has counted.
    taken: bool,
    seen_else: bool,
}

/// Tokens to be read before the file continues.
enum Pending {
    Token(Token),
    /// Here the expansion of this macro ends.
    End(Rc<str>),
}

struct Preprocessor<'a> {
    sources: &'a mut SourceMap,
    diagnostics: &'a mut Diagnostics,
    loader: Loader<'a>,
    /// Searched for included files after the directory of the including file.
    directories: &'a [PathBuf],
    macros: HashMap<Rc<str>, Rc<Macro>>,
    /// Macros whose expansion is being read: not expanded inside themselves.
    expanding: HashSet<Rc<str>>,
    files: Vec<OpenFile>,
    /// A stack: the next token is the last.
    pending: Vec<Pending>,
    /// Above 0 while a macro's argument or an `#if` line is expanded on its own.
    isolated: u32,
    /// An empty expansion stood at the start of a line.
    carried_newline: bool,
    budget: usize,
    includes: usize,
    messages: usize,
    /// Tokens read, those of macros too.
    read: usize,
    /// Some text was not read.
    stopped: bool,
}

impl Preprocessor<'_> {
    /// Starts reading a file; returns the place of its end.
    fn open(&mut self, path: PathBuf, text: &str) -> Span {
        let text = if text.len() < u32::MAX as usize { text } else { "" };
        let file = self.sources.add(path.display().to_string(), text);
        self.files.push(OpenFile {
            path,
            tokens: tokenise(file, text, self.diagnostics.cancel()),
            next: 0,
            conditions: Vec::new(),
        });
        Span::new(file, text.len(), text.len())
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        self.messages += 1;
        if self.messages <= MAX_MESSAGES {
            self.diagnostics.push(diagnostic);
        }
    }

    /// Stops reading: what follows cannot be trusted.
    fn stop(&mut self) {
        self.stopped = true;
        self.files.clear();
        self.pending.clear();
    }

    /// The next token before macro expansion; directives on the way are obeyed.
    fn next_raw(&mut self) -> Option<Token> {
        loop {
            self.read += 1;
            if self.diagnostics.cancel().asks_at(self.read, ASK_EVERY) {
                self.stop();
                return None;
            }
            match self.pending.pop() {
                Some(Pending::Token(token)) => return Some(token),
                Some(Pending::End(name)) => {
                    self.expanding.remove(&name);
                    continue;
                }
                None if self.isolated > 0 => return None,
                None => {}
            }
            let file = self.files.last_mut()?;
            let token = file.tokens[file.next].clone();
            if token.kind == Kind::Eof {
                self.close_file();
                continue;
            }
            file.next += 1;
            if token.line_start && token.is("#") {
                self.directive(token.span);
            } else if let Kind::Bad(Bad::Comment) = token.kind {
                self.report(
                    Diagnostic::error(codes::UNTERMINATED_COMMENT, token.span, "this comment is never closed")
                        .label("begins here")
                        .help("close it with `*/`; comments do not nest"),
                );
                self.stopped = true;
            } else if token.is("*")
                && file.tokens[file.next].is("/")
                && file.tokens[file.next].span.start == token.span.end
            {
                file.next += 1;
                let report = !file.skipping();
                if report {
                    self.report(
                        Diagnostic::warning(codes::STRAY_COMMENT_END, token.span, "`*/` without a comment")
                            .label("ignored")
                            .help("remove it; comments do not nest"),
                    );
                }
            } else if !file.skipping() {
                return Some(token);
            }
        }
    }

    fn close_file(&mut self) {
        if let Some(file) = self.files.pop()
            && let Some(open) = file.conditions.last()
        {
            self.report(
                Diagnostic::error(codes::UNBALANCED_CONDITIONAL, open.span, "this `#if` has no `#endif`")
                    .label("opened here")
                    .help("add `#endif` in the same file"),
            );
        }
    }

    /// The tokens up to the end of the directive's line.
    fn rest_of_line(&mut self) -> Vec<Token> {
        let Some(file) = self.files.last_mut() else { return Vec::new() };
        let rest = &file.tokens[file.next..];
        let len = rest.iter().take_while(|t| !t.line_start && t.kind != Kind::Eof).count();
        let line = rest[..len].to_vec();
        file.next += len;
        line
    }

    fn directive(&mut self, hash: Span) {
        let line = self.rest_of_line();
        let Some(first) = line.first() else { return };
        let Some(name) = first.word().cloned() else {
            let line_marker = matches!(first.kind, Kind::Number(_));
            if !line_marker && !self.skipping() {
                self.report(
                    Diagnostic::error(codes::BAD_DIRECTIVE, first.span, "a directive's name must follow `#`")
                        .label("not a name"),
                );
            }
            return;
        };
        let (span, arguments) = (hash.to(first.span), &line[1..]);
        match &*name {
            "if" | "ifdef" | "ifndef" => return self.open_condition(&name, span, arguments),
            "elif" => return self.next_group(span, Some(arguments)),
            "else" => return self.next_group(span, None),
            "endif" => return self.close_condition(span),
            _ if self.skipping() => return,
            _ => {}
        }
        match &*name {
            "define" => self.define(span, arguments),
            "undef" => match arguments.first().and_then(Token::word) {
                Some(name) => drop(self.macros.remove(name)),
                None => self.malformed(span, "`#undef` needs the name of a macro"),
            },
            "include" => self.include(span, arguments),
            "error" => {
                let text = self.line_text(arguments);
                self.report(Diagnostic::error(codes::ERROR_DIRECTIVE, span, format!("#error {text}")));
            }
            "warning" => {
                let text = self.line_text(arguments);
                self.report(Diagnostic::warning(codes::WARNING_DIRECTIVE, span, format!("#warning {text}")));
            }
            "pragma" | "line" | "ident" => {}
            _ => self.report(
                Diagnostic::error(codes::UNKNOWN_DIRECTIVE, span, format!("there is no directive `#{name}`"))
                    .label("unknown directive"),
            ),
        }
    }

    fn skipping(&self) -> bool {
        self.files.last().is_some_and(OpenFile::skipping)
    }

    fn malformed(&mut self, span: Span, message: &str) {
        self.report(Diagnostic::error(codes::BAD_DIRECTIVE, span, message).label("in this directive"));
    }

    fn line_text(&self, tokens: &[Token]) -> String {
        match (tokens.first(), tokens.last()) {
            (Some(first), Some(last)) => self.sources.text(first.span.to(last.span)).to_string(),
            _ => String::new(),
        }
    }
}

#[cfg(test)]
mod tests;
