//! Reserved words, and what tokens are called in messages.

use crate::lex::{Kind, Token};

/// Whether Spin takes a line end after this token for a separator.
pub(super) fn ends_statement(token: &Token) -> bool {
    match &token.kind {
        Kind::Number(_) | Kind::Char(_) => true,
        Kind::Punct(p) => matches!(*p, "}" | ")" | "]" | "++" | "--"),
        Kind::Word(w) => {
            !is_keyword(w)
                || matches!(&**w, "od" | "fi" | "else" | "break" | "true" | "false" | "skip" | "timeout" | "np_")
        }
        _ => false,
    }
}

/// A token in words.
pub(super) fn describe(token: &Token) -> String {
    match &token.kind {
        Kind::Word(w) if is_keyword(w) => format!("the keyword `{w}`"),
        Kind::Word(w) => format!("the name `{w}`"),
        Kind::Number(n) => format!("the number {n}"),
        Kind::Char(_) => "a character constant".to_string(),
        Kind::Str(_) => "a string".to_string(),
        Kind::Punct(p) => format!("`{p}`"),
        Kind::Bad(_) => "text that is not a token".to_string(),
        Kind::Eof => "the end of the text".to_string(),
    }
}

/// Promela's reserved words (`in` is one only inside `for`), sorted.
const KEYWORDS: &[&str] = &[
    "D_proctype",
    "active",
    "assert",
    "atomic",
    "bit",
    "bool",
    "break",
    "byte",
    "c_code",
    "c_decl",
    "c_expr",
    "c_state",
    "c_track",
    "chan",
    "d_step",
    "do",
    "else",
    "empty",
    "enabled",
    "eval",
    "false",
    "fi",
    "for",
    "full",
    "get_priority",
    "goto",
    "hidden",
    "if",
    "init",
    "inline",
    "int",
    "len",
    "local",
    "ltl",
    "mtype",
    "nempty",
    "never",
    "nfull",
    "notrace",
    "np_",
    "od",
    "of",
    "pc_value",
    "pid",
    "printf",
    "printm",
    "priority",
    "proctype",
    "provided",
    "return",
    "run",
    "select",
    "set_priority",
    "short",
    "show",
    "skip",
    "timeout",
    "trace",
    "true",
    "typedef",
    "unless",
    "unsigned",
    "xr",
    "xs",
];

/// What is written in front of parentheses.
pub(super) const CALLED: &[&str] = &[
    "assert",
    "printf",
    "printm",
    "select",
    "for",
    "run",
    "len",
    "empty",
    "full",
    "nempty",
    "nfull",
    "enabled",
    "eval",
    "pc_value",
    "get_priority",
    "set_priority",
    "provided",
];
/// What is written in front of a block inside a body.
pub(super) const BEFORE_BLOCK: &[&str] = &["atomic", "d_step", "unless"];
/// What begins an item of the top level.
pub(super) const BEGINS_ITEM: &[&str] = &[
    "proctype",
    "active",
    "init",
    "never",
    "ltl",
    "inline",
    "typedef",
    "mtype",
    "chan",
    "hidden",
    "show",
    "trace",
    "notrace",
    "D_proctype",
];
/// What is written in front of a name inside a body.
pub(super) const BEFORE_NAME: &[&str] = &["goto", "run"];

pub(super) fn is_keyword(word: &str) -> bool {
    KEYWORDS.binary_search(&word).is_ok()
}
