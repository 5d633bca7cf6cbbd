//! `inline`: definitions are kept as tokens; a call replaces the parameters in them and parses the
//! result where it stands, as Spin does. Each name equal to a parameter is replaced, also a label or
//! a field. The body's tokens keep their places in the body, those of arguments theirs at the call.

use std::rc::Rc;

use selvedge_source::Span;

use super::cursor::{Failed, Parsed, Parser};
use super::words::describe;
use crate::ast::{StmtKind, VarRef};
use crate::codes;
use crate::lex::{Kind, Token};

/// A definition.
pub(super) struct Inline {
    span: Span,
    params: Vec<Rc<str>>,
    /// From `{` to `}`.
    body: Vec<Token>,
}

/// A call that is being expanded.
pub(super) struct Call {
    pub name: Rc<str>,
    pub span: Span,
    has_result: bool,
}

impl Parser<'_> {
    pub(super) fn inline_definition(&mut self) -> Parsed<()> {
        self.bump();
        let name = self.name("an inline")?;
        let mut params = Vec::new();
        self.expect("(")?;
        if !self.at(")") {
            loop {
                params.push(Rc::from(self.name("a parameter")?.name));
                if !self.eat(",") {
                    break;
                }
            }
        }
        self.expect(")")?;
        if !self.at("{") {
            return Err(self.unexpected("`{`"));
        }
        let body = self.braced_tokens()?;
        let key: Rc<str> = Rc::from(name.name.as_str());
        if let Some(old) = self.inlines.get(&key).map(|old| old.span) {
            let error = selvedge_source::Diagnostic::error(
                codes::INLINE_REDEFINED,
                name.span,
                format!("inline `{key}` is defined twice"),
            )
            .label("defined again")
            .also(old, "defined first here")
            .help("rename one of them");
            return Err(self.fail(error));
        }
        self.inlines.insert(key, Rc::new(Inline { span: name.span, params, body }));
        Ok(())
    }

    /// The tokens from `{` to its `}`.
    fn braced_tokens(&mut self) -> Parsed<Vec<Token>> {
        let open = self.peek().clone();
        let mut body = Vec::new();
        let mut depth = 0u32;
        loop {
            if self.at_eof() {
                let error = self
                    .error_at(&open, codes::UNCLOSED, "this `{` is never closed")
                    .label("opened here")
                    .help("add `}`");
                return Err(self.fail(error));
            }
            let token = self.bump();
            depth = depth + u32::from(token.is("{")) - u32::from(token.is("}"));
            body.push(token);
            if depth == 0 {
                return Ok(body);
            }
        }
    }

    /// Whether a call of a known inline stands `ahead` tokens further on.
    pub(super) fn at_inline_call(&self, ahead: usize) -> bool {
        self.peek_at(ahead).word().is_some_and(|w| self.inlines.contains_key(w)) && self.peek_at(ahead + 1).is("(")
    }

    /// `name(args)`; what it returns goes to `result`.
    pub(super) fn inline_call(&mut self, result: Option<VarRef>) -> Parsed<StmtKind> {
        let token = self.peek().clone();
        let name = self.name("an inline")?;
        let key: Rc<str> = Rc::from(name.name.as_str());
        let Some(inline) = self.inlines.get(&key).cloned() else { return Err(Failed) };
        let args = self.call_arguments()?;
        if self.calls.iter().any(|c| c.name == key) {
            let error = self
                .error_at(&token, codes::INLINE_RECURSION, format!("inline `{key}` uses itself"))
                .label("expanding this would never end")
                .also(inline.span, "defined here")
                .help("use a loop, or a `proctype` that runs itself");
            return Err(self.fail(error));
        }
        if args.len() != inline.params.len() {
            let (wanted, given) = (inline.params.len(), args.len());
            let error = self
                .error_at(
                    &token,
                    codes::INLINE_ARGUMENTS,
                    format!("inline `{key}` takes {wanted} argument(s), {given} given"),
                )
                .label("used here")
                .also(inline.span, "defined here");
            return Err(self.fail(error));
        }
        let mut body = substitute(&inline, &args);
        if body.len() > self.inline_budget {
            let error = self
                .error_at(&token, codes::INLINE_EXPLOSION, "inlines expand to too much text")
                .label("while this was expanded")
                .help("use a `proctype` or a loop for what repeats");
            return Err(self.give_up(error));
        }
        self.inline_budget -= body.len();
        let last = body.last().map_or(token.span, |t| t.span);
        body.push(Token { newline_before: true, ..Token::new(Kind::Eof, last) });
        self.calls.push(Call { name: key, span: token.span, has_result: result.is_some() });
        let (tokens, pos) = (std::mem::replace(&mut self.tokens, body), std::mem::take(&mut self.pos));
        let (parens, options) = (std::mem::take(&mut self.parens), std::mem::take(&mut self.options_open));
        let sequence = self.block();
        (self.tokens, self.pos) = (tokens, pos);
        (self.parens, self.options_open) = (parens, options);
        self.calls.pop();
        Ok(StmtKind::InlineCall { name, result, body: sequence? })
    }

    /// `(a, b)` as tokens, split at the commas that are in no brackets.
    fn call_arguments(&mut self) -> Parsed<Vec<Vec<Token>>> {
        let open = self.expect("(")?;
        let mut args = vec![Vec::new()];
        let mut depth = 0u32;
        loop {
            if self.at_eof() || self.at(";") {
                let found = describe(self.peek());
                let error = self
                    .error_here(codes::UNCLOSED, format!("expected `)`, found {found}"))
                    .label("expected `)`")
                    .also(open.span, "to close this");
                return Err(self.fail(error));
            }
            let token = self.bump();
            match token.kind {
                Kind::Punct(")") if depth == 0 => break,
                Kind::Punct("(" | "[" | "{") => depth += 1,
                Kind::Punct(")" | "]" | "}") => depth = depth.saturating_sub(1),
                Kind::Punct(",") if depth == 0 => {
                    args.push(Vec::new());
                    continue;
                }
                _ => {}
            }
            args.last_mut().expect("never empty").push(token);
        }
        if args.len() == 1 && args[0].is_empty() {
            args.clear();
        }
        Ok(args)
    }

    /// `return e`.
    pub(super) fn return_statement(&mut self) -> Parsed<StmtKind> {
        if !self.calls.last().is_some_and(|c| c.has_result) {
            let error = self
                .error_here(codes::MISPLACED_RETURN, "nothing receives the value of this `return`")
                .label("`return` is for inlines used as `v = name(…)`")
                .help("to end a process, jump to a label at its end");
            self.report(error);
        }
        self.bump();
        Ok(StmtKind::Return(Some(self.expr()?)))
    }
}

/// The inline's text with the arguments in place of the parameters.
fn substitute(inline: &Inline, args: &[Vec<Token>]) -> Vec<Token> {
    let mut out = Vec::with_capacity(inline.body.len() + 1);
    for token in &inline.body {
        let Some(p) = token.word().and_then(|w| inline.params.iter().position(|param| param == w)) else {
            out.push(token.clone());
            continue;
        };
        // An argument that is partly an argument of an outer call stands in the outer inline's text.
        let mixed = args[p].iter().any(|a| a.home != args[p][0].home);
        for (i, argument) in args[p].iter().enumerate() {
            let newline_before = i == 0 && token.newline_before;
            let span = argument.home.filter(|_| mixed).unwrap_or(argument.span);
            out.push(Token { home: Some(token.span), span, newline_before, ..argument.clone() });
        }
    }
    out
}
