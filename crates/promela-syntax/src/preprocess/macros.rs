//! `#define` and the expansion of macros.
//!
//! An expansion is put back in front of the input and read again; a marker behind it says where it
//! ends. Until the marker is read the macro is not expanded again, and its own name met on the way
//! stays as it is for good. Arguments are expanded on their own before they are put in, except next
//! to `#` and `##`.

use std::rc::Rc;

use selvedge_source::{Diagnostic, Span};

use super::{MAX_TOKENS, Pending, Preprocessor};
use crate::codes;
use crate::lex::{Kind, Token, tokenise};

/// Macro calls nested as arguments of each other.
const MAX_NESTING: u32 = 100;
const VARIADIC: &str = "__VA_ARGS__";

/// A macro's definition.
#[derive(Debug)]
pub(super) struct Macro {
    name: Rc<str>,
    span: Span,
    /// `None` for a macro without parentheses.
    parameters: Option<Vec<Rc<str>>>,
    /// The last parameter takes all arguments that are left.
    variadic: bool,
    body: Vec<Token>,
}

impl Macro {
    fn parameter(&self, token: &Token) -> Option<usize> {
        let word = token.word()?;
        self.parameters.as_ref()?.iter().position(|p| p == word)
    }

    fn same(&self, other: &Macro) -> bool {
        let kinds = |m: &Macro| m.body.iter().map(|t| t.kind.clone()).collect::<Vec<_>>();
        self.parameters == other.parameters && kinds(self) == kinds(other)
    }
}

impl Preprocessor<'_> {
    pub(super) fn define(&mut self, span: Span, arguments: &[Token]) {
        let Some((token, rest)) = arguments.split_first() else {
            return self.malformed(span, "`#define` needs a name");
        };
        let Some(name) = token.word().cloned() else {
            return self.malformed(token.span, "`#define` needs a name, not this");
        };
        let function_like = rest.first().is_some_and(|t| t.is("(") && !t.spaced);
        let (parameters, variadic, body) = if function_like {
            match parameters(&rest[1..]) {
                Ok((parameters, variadic, len)) => (Some(parameters), variadic, &rest[1 + len..]),
                Err(at) => {
                    let place = rest.get(1 + at).map_or(token.span, |t| t.span);
                    return self.malformed(place, "a macro's parameters are names separated by commas, then `)`");
                }
            }
        } else {
            (None, false, rest)
        };
        let new = Macro { name: name.clone(), span: token.span, parameters, variadic, body: body.to_vec() };
        if let Some(old) = self.macros.get(&name).filter(|old| !old.same(&new)).cloned() {
            self.report(
                Diagnostic::warning(codes::MACRO_REDEFINED, token.span, format!("macro `{name}` is defined again"))
                    .label("this text applies from here on")
                    .also(old.span, "defined before with another text")
                    .help(format!("if you mean this, write `#undef {name}` in between")),
            );
        }
        self.macros.insert(name, Rc::new(new));
    }

    /// The next token after macro expansion.
    pub(super) fn next_expanded(&mut self) -> Option<Token> {
        loop {
            let mut token = self.next_raw()?;
            token.newline_before |= std::mem::take(&mut self.carried_newline);
            let Some(word) = token.word().filter(|_| !token.painted) else { return Some(token) };
            if &**word == "__LINE__" {
                token.kind = Kind::Number(self.sources.location(token.span).line.to_string().into());
                return Some(token);
            }
            let Some(definition) = self.macros.get(word).cloned() else { return Some(token) };
            if self.expanding.contains(word) {
                token.painted = true;
                return Some(token);
            }
            let replacement = match definition.parameters {
                None => self.substitute(&definition, &token, &[]),
                Some(_) => {
                    if !self.opens_call() {
                        return Some(token);
                    }
                    let Some(arguments) = self.call_arguments(&definition, &token) else {
                        // Anything that can stand in most places, so that the parser does not stumble.
                        return Some(Token { kind: Kind::Number("1".into()), ..token });
                    };
                    self.substitute(&definition, &token, &arguments)
                }
            };
            self.put_back(&definition, &token, replacement);
        }
    }

    fn put_back(&mut self, definition: &Macro, call: &Token, mut replacement: Vec<Token>) {
        match replacement.first_mut() {
            Some(first) => {
                first.newline_before = call.newline_before;
                first.spaced = call.spaced;
            }
            None => self.carried_newline = call.newline_before,
        }
        if self.budget < replacement.len() + 1 {
            self.report(
                Diagnostic::error(
                    codes::MACRO_EXPLOSION,
                    call.span,
                    format!("macros expand to more than {MAX_TOKENS} tokens"),
                )
                .label("while this was expanded")
                .also(definition.span, "in this macro")
                .help("do macros expand into one another? use an `inline` or a loop instead"),
            );
            return self.stop();
        }
        self.budget -= replacement.len() + 1;
        self.expanding.insert(definition.name.clone());
        self.pending.push(Pending::End(definition.name.clone()));
        self.pending.extend(replacement.into_iter().rev().map(Pending::Token));
    }

    /// Whether `(` comes next; it is consumed then.
    fn opens_call(&mut self) -> bool {
        match self.next_raw() {
            Some(token) if token.is("(") => true,
            Some(token) => {
                self.pending.push(Pending::Token(token));
                false
            }
            None => false,
        }
    }

    /// The arguments up to the closing parenthesis, or `None` after a report.
    fn call_arguments(&mut self, definition: &Macro, call: &Token) -> Option<Vec<Vec<Token>>> {
        let parameters = definition.parameters.as_deref().unwrap_or_default();
        let mut arguments = vec![Vec::new()];
        let mut depth = 0u32;
        loop {
            let Some(mut token) = self.next_raw() else {
                self.bad_call(definition, call, "the arguments of this macro are never closed");
                self.stopped |= self.isolated == 0;
                return None;
            };
            match token.kind {
                Kind::Punct(")") if depth == 0 => break,
                Kind::Punct(",") if depth == 0 && !(definition.variadic && arguments.len() == parameters.len()) => {
                    arguments.push(Vec::new());
                    continue;
                }
                Kind::Punct("(") => depth += 1,
                Kind::Punct(")") => depth -= 1,
                _ => {}
            }
            token.spaced |= token.newline_before;
            token.newline_before = false;
            arguments.last_mut().expect("never empty").push(token);
        }
        let none_given = arguments.len() == 1 && arguments[0].is_empty();
        if parameters.is_empty() && none_given {
            arguments.clear();
        } else if definition.variadic && arguments.len() + 1 == parameters.len() {
            arguments.push(Vec::new());
        }
        if arguments.len() != parameters.len() {
            let message = format!(
                "macro `{}` takes {} argument(s), {} given",
                definition.name,
                parameters.len(),
                if none_given { 0 } else { arguments.len() }
            );
            self.bad_call(definition, call, &message);
            return None;
        }
        Some(arguments)
    }

    fn bad_call(&mut self, definition: &Macro, call: &Token, message: &str) {
        self.report(
            Diagnostic::error(codes::BAD_MACRO_CALL, call.span, message)
                .label("used here")
                .also(definition.span, "defined here"),
        );
    }

    /// The macro's text with the arguments in place.
    fn substitute(&mut self, definition: &Macro, call: &Token, arguments: &[Vec<Token>]) -> Vec<Token> {
        let mut expanded: Vec<Option<Vec<Token>>> = vec![None; arguments.len()];
        let mut out: Vec<Token> = Vec::new();
        let body = &definition.body;
        let mut pasting = false;
        // Where the operand in front of the next `##` begins in `out`.
        let mut operand = 0;
        let mut i = 0;
        while i < body.len() {
            let token = &body[i];
            i += 1;
            if token.is("##") && i > 1 && i < body.len() {
                pasting = true;
                continue;
            }
            let next_pastes = body.get(i).is_some_and(|t| t.is("##")) && i + 1 < body.len();
            let stringified = token.is("#") && definition.parameters.is_some();
            let piece =
                if let Some(p) = stringified.then(|| body.get(i).and_then(|t| definition.parameter(t))).flatten() {
                    i += 1;
                    vec![Token::new(Kind::Str(stringify(&arguments[p]).into()), call.span)]
                } else if let Some(p) = definition.parameter(token) {
                    if pasting || next_pastes {
                        arguments[p].clone()
                    } else if let Some(tokens) = &expanded[p] {
                        tokens.clone()
                    } else {
                        let tokens = self.expand_alone(arguments[p].clone());
                        expanded[p] = Some(tokens.clone());
                        tokens
                    }
                } else {
                    let expanded_from = Some(token.span);
                    vec![Token {
                        span: call.span,
                        expanded_from,
                        newline_before: false,
                        line_start: false,
                        ..token.clone()
                    }]
                };
            let mut piece = piece.into_iter();
            if std::mem::take(&mut pasting)
                && out.len() > operand
                && let Some(right) = piece.next()
            {
                let left = out.pop().expect("checked");
                out.push(self.paste(definition, call, left, right));
                out.extend(piece);
                operand = out.len().saturating_sub(1);
            } else {
                operand = out.len();
                out.extend(piece);
            }
            if out.len() > MAX_TOKENS || self.diagnostics.cancel().asks_at(i, 16) {
                break;
            }
        }
        out
    }

    fn paste(&mut self, definition: &Macro, call: &Token, left: Token, right: Token) -> Token {
        let text = format!("{}{}", left.text(), right.text());
        let tokens = tokenise(call.span.file, &text, self.diagnostics.cancel());
        match &tokens[..] {
            [token, end] if end.kind == Kind::Eof && !matches!(token.kind, Kind::Bad(_)) => {
                Token { kind: token.kind.clone(), painted: false, ..left }
            }
            _ => {
                self.report(
                    Diagnostic::error(
                        codes::BAD_PASTE,
                        call.span,
                        format!("`##` forms `{text}`, which is not a token"),
                    )
                    .label("used here")
                    .also(definition.span, "in this macro"),
                );
                left
            }
        }
    }

    /// Expands tokens that nothing follows.
    pub(super) fn expand_alone(&mut self, tokens: Vec<Token>) -> Vec<Token> {
        if self.isolated >= MAX_NESTING {
            if let Some(first) = tokens.first() {
                self.report(
                    Diagnostic::error(codes::MACRO_EXPLOSION, first.span, "macro calls are nested too deeply")
                        .label("inside too many other calls"),
                );
            }
            return tokens;
        }
        self.isolated += 1;
        let waiting = std::mem::replace(&mut self.pending, tokens.into_iter().rev().map(Pending::Token).collect());
        let mut out = Vec::new();
        while let Some(token) = self.next_expanded() {
            out.push(token);
        }
        self.isolated -= 1;
        self.pending = if self.stopped { Vec::new() } else { waiting };
        out
    }
}

/// Reads `a, b)`: the parameters, whether the last is `...`, and how many tokens that took. The
/// error is the index of the token that does not fit.
fn parameters(tokens: &[Token]) -> Result<(Vec<Rc<str>>, bool, usize), usize> {
    let is = |at: usize, text: &str| tokens.get(at).is_some_and(|t| t.is(text));
    let mut names = Vec::new();
    if is(0, ")") {
        return Ok((names, false, 1));
    }
    let mut at = 0;
    loop {
        let dots = is(at, "..") && is(at + 1, ".");
        match tokens.get(at).and_then(Token::word) {
            Some(name) => {
                names.push(name.clone());
                at += 1;
            }
            None if dots => {
                names.push(VARIADIC.into());
                at += 2;
            }
            None => return Err(at),
        }
        match () {
            _ if is(at, ")") => return Ok((names, dots, at + 1)),
            _ if is(at, ",") && !dots => at += 1,
            _ => return Err(at),
        }
    }
}

fn stringify(tokens: &[Token]) -> String {
    let mut text = String::new();
    for (i, token) in tokens.iter().enumerate() {
        if i > 0 && token.spaced {
            text.push(' ');
        }
        match token.kind {
            Kind::Str(_) | Kind::Char(_) => text.push_str(&token.text().replace('\\', "\\\\").replace('"', "\\\"")),
            _ => text.push_str(&token.text()),
        }
    }
    text
}
