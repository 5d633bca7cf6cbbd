//! What Promela does not have: embedded C, and numbers it cannot read.

use selvedge_source::Diagnostic;

use super::cursor::{Parsed, Parser};
use crate::codes;
use crate::lex::Kind;

impl Parser<'_> {
    /// A decimal number. One that needs the sign bit wraps as in Spin, with a warning; Spin cuts
    /// longer ones without a word, here they are errors.
    pub(super) fn number(&mut self) -> Parsed<i32> {
        let token = self.peek().clone();
        let Kind::Number(text) = &token.kind else { return Err(self.unexpected("a number")) };
        let hex =
            text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")).and_then(|h| i64::from_str_radix(h, 16).ok());
        let Ok(value) = text.parse::<u32>() else {
            let error = if text.bytes().all(|b| b.is_ascii_digit()) {
                self.error_at(&token, codes::BAD_NUMBER, "this number is too large").label("at most 2147483647")
            } else {
                let message = format!("`{text}` is not a decimal number");
                self.error_at(&token, codes::BAD_NUMBER, message).label("Promela only has decimal integers")
            };
            return Err(self.fail(match hex {
                Some(value) => error.help(format!("write {value}")),
                None => error,
            }));
        };
        self.bump();
        let wrapped = value as i32;
        if wrapped < 0 {
            self.report(
                Diagnostic::warning(
                    codes::NUMBER_WRAPS,
                    token.span,
                    format!("{value} does not fit into a signed number of 32 bits"),
                )
                .label(format!("read as {wrapped}, as in Spin")),
            );
        }
        Ok(wrapped)
    }

    pub(super) fn at_embedded_c(&self) -> bool {
        self.at_any(&["c_code", "c_expr", "c_decl", "c_state", "c_track"])
    }

    /// Reports embedded C and skips it.
    pub(super) fn embedded_c(&mut self) {
        let word = self.peek().text();
        let error = self
            .error_here(codes::EMBEDDED_C, format!("`{word}` embeds C code, which Selvedge does not read"))
            .label("embedded C")
            .help("rewrite the C part in Promela");
        self.report(error);
        self.bump();
        while matches!(self.peek().kind, Kind::Str(_)) {
            self.bump();
        }
        for (open, close) in [("[", "]"), ("{", "}")] {
            if !self.at(open) {
                continue;
            }
            let mut depth = 0u32;
            while !self.at_eof() {
                let token = self.bump();
                depth = depth + u32::from(token.is(open)) - u32::from(token.is(close));
                if depth == 0 {
                    break;
                }
            }
        }
    }
}
