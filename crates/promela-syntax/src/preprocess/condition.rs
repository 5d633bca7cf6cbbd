//! `#if` and its relatives: which groups count, and the constant expressions that decide it.

use selvedge_source::{Diagnostic, Span};

use super::{Condition, Preprocessor};
use crate::codes;
use crate::lex::{Kind, Token};

const MAX_DEPTH: u32 = 100;

impl Preprocessor<'_> {
    pub(super) fn open_condition(&mut self, name: &str, span: Span, arguments: &[Token]) {
        let active = if self.skipping() {
            false
        } else if name == "if" {
            self.holds(span, arguments)
        } else {
            match arguments.first().and_then(Token::word) {
                Some(macro_name) => self.macros.contains_key(macro_name) == (name == "ifdef"),
                None => {
                    self.malformed(span, &format!("`#{name}` needs the name of a macro"));
                    false
                }
            }
        };
        if let Some(file) = self.files.last_mut() {
            file.conditions.push(Condition { span, active, taken: active, seen_else: false });
        }
    }

    /// `#elif` (with its condition) or `#else`.
    pub(super) fn next_group(&mut self, span: Span, condition: Option<&[Token]>) {
        let Some(mut open) = self.files.last_mut().and_then(|f| f.conditions.pop()) else {
            return self.unbalanced(span, None);
        };
        if open.seen_else {
            self.unbalanced(span, Some(open.span));
        }
        open.active = !open.taken
            && !open.seen_else
            && !self.skipping()
            && condition.is_none_or(|condition| self.holds(span, condition));
        open.taken |= open.active;
        open.seen_else |= condition.is_none();
        if let Some(file) = self.files.last_mut() {
            file.conditions.push(open);
        }
    }

    pub(super) fn close_condition(&mut self, span: Span) {
        if self.files.last_mut().and_then(|f| f.conditions.pop()).is_none() {
            self.unbalanced(span, None);
        }
    }

    fn unbalanced(&mut self, span: Span, open: Option<Span>) {
        let error = Diagnostic::error(codes::UNBALANCED_CONDITIONAL, span, "this directive has no matching `#if`");
        self.report(match open {
            Some(open) => error.label("after the `#else`").also(open, "this `#if` already has an `#else`"),
            None => error.label("no `#if` is open here"),
        });
    }

    fn holds(&mut self, span: Span, arguments: &[Token]) -> bool {
        let resolved = self.resolve_defined(arguments);
        let tokens = self.expand_alone(resolved);
        let mut evaluator = Evaluator { tokens: &tokens, next: 0, depth: 0 };
        match evaluator.whole() {
            Some(value) => value != 0,
            None => {
                let place = tokens.get(evaluator.next).map_or(span, |t| t.span);
                self.report(
                    Diagnostic::error(
                        codes::BAD_CONDITION,
                        place,
                        "this condition is not a constant integer expression",
                    )
                    .label("cannot be read")
                    .help("use numbers, macros that stand for numbers, `defined(NAME)` and C operators"),
                );
                false
            }
        }
    }

    /// `defined X` and `defined(X)` become 1 or 0 before macros are expanded.
    fn resolve_defined(&self, tokens: &[Token]) -> Vec<Token> {
        let mut out = Vec::new();
        let mut i = 0;
        while i < tokens.len() {
            let name = |at: usize| tokens.get(at).and_then(Token::word);
            let is = |at: usize, text: &str| tokens.get(at).is_some_and(|t: &Token| t.is(text));
            let (found, len) = match () {
                _ if !is(i, "defined") => (None, 1),
                _ if is(i + 1, "(") && is(i + 3, ")") => (name(i + 2), 4),
                _ => (name(i + 1), 2),
            };
            match found {
                Some(name) => {
                    let value = if self.macros.contains_key(name) { "1" } else { "0" };
                    out.push(Token::new(Kind::Number(value.into()), tokens[i].span));
                    i += len;
                }
                None => {
                    out.push(tokens[i].clone());
                    i += 1;
                }
            }
        }
        out
    }
}

/// Evaluates C's integer expressions by descent; `None` at the token that cannot be read.
struct Evaluator<'a> {
    tokens: &'a [Token],
    next: usize,
    depth: u32,
}

impl Evaluator<'_> {
    fn whole(&mut self) -> Option<i64> {
        let value = self.conditional()?;
        (self.next == self.tokens.len()).then_some(value)
    }

    fn eat(&mut self, text: &str) -> bool {
        let found = self.tokens.get(self.next).is_some_and(|t| t.is(text));
        self.next += usize::from(found);
        found
    }

    fn conditional(&mut self) -> Option<i64> {
        let condition = self.binary(0)?;
        if !self.eat("?") {
            return Some(condition);
        }
        self.deeper(|e| {
            let yes = e.conditional()?;
            if !e.eat(":") {
                return None;
            }
            let no = e.conditional()?;
            Some(if condition != 0 { yes } else { no })
        })
    }

    fn deeper(&mut self, read: impl FnOnce(&mut Self) -> Option<i64>) -> Option<i64> {
        if self.depth >= MAX_DEPTH {
            return None;
        }
        self.depth += 1;
        let value = read(self);
        self.depth -= 1;
        value
    }

    fn binary(&mut self, least: u8) -> Option<i64> {
        let mut left = self.unary()?;
        while let Some((op, level)) = self.tokens.get(self.next).and_then(infix)
            && level >= least
        {
            self.next += 1;
            let right = self.binary(level + 1)?;
            left = apply(op, left, right)?;
        }
        Some(left)
    }

    fn unary(&mut self) -> Option<i64> {
        let token = self.tokens.get(self.next)?;
        self.next += 1;
        match &token.kind {
            Kind::Number(text) => number(text),
            Kind::Char(value) => Some(i64::from(*value)),
            Kind::Word(_) => Some(0),
            Kind::Punct("!") => self.deeper(|e| Some(i64::from(e.unary()? == 0))),
            Kind::Punct("!!") => self.deeper(|e| Some(i64::from(e.unary()? != 0))),
            Kind::Punct("-") => self.deeper(|e| Some(e.unary()?.wrapping_neg())),
            Kind::Punct("+") => self.deeper(Self::unary),
            Kind::Punct("~") => self.deeper(|e| Some(!e.unary()?)),
            Kind::Punct("(") => self.deeper(|e| {
                let value = e.conditional()?;
                e.eat(")").then_some(value)
            }),
            _ => None,
        }
        .or_else(|| {
            self.next = self.next.saturating_sub(1);
            None
        })
    }
}

/// A C number: decimal, hexadecimal or octal, with suffixes.
fn number(text: &str) -> Option<i64> {
    let text = text.trim_end_matches(['u', 'U', 'l', 'L']);
    match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(hex) => i64::from_str_radix(hex, 16).ok(),
        None if text.len() > 1 && text.starts_with('0') => i64::from_str_radix(text, 8).ok(),
        None => text.parse().ok(),
    }
}

fn infix(token: &Token) -> Option<(&'static str, u8)> {
    let Kind::Punct(op) = token.kind else { return None };
    let level = match op {
        "||" => 0,
        "&&" => 1,
        "|" => 2,
        "^" => 3,
        "&" => 4,
        "==" | "!=" => 5,
        "<" | "<=" | ">" | ">=" => 6,
        "<<" | ">>" => 7,
        "+" | "-" => 8,
        "*" | "/" | "%" => 9,
        _ => return None,
    };
    Some((op, level))
}

fn apply(op: &str, a: i64, b: i64) -> Option<i64> {
    Some(match op {
        "||" => i64::from(a != 0 || b != 0),
        "&&" => i64::from(a != 0 && b != 0),
        "|" => a | b,
        "^" => a ^ b,
        "&" => a & b,
        "==" => i64::from(a == b),
        "!=" => i64::from(a != b),
        "<" => i64::from(a < b),
        "<=" => i64::from(a <= b),
        ">" => i64::from(a > b),
        ">=" => i64::from(a >= b),
        "<<" => a.wrapping_shl(b as u32),
        ">>" => a.wrapping_shr(b as u32),
        "+" => a.wrapping_add(b),
        "-" => a.wrapping_sub(b),
        "*" => a.wrapping_mul(b),
        "/" => a.checked_div(b)?,
        "%" => a.checked_rem(b)?,
        _ => return None,
    })
}
