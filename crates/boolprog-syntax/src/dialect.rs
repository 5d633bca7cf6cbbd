//! The three dialects and how to tell which one a file is in. The grammar accepted is the union of
//! all of them; what the dialect decides is how operators bind, which cannot be read off an
//! expression: `a & b = c` is `a & (b = c)` for Getafix and BoPP, `(a & b) = c` for SATABS.

use crate::lex::{Token, TokenKind};

/// A dialect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// Getafix (and Moped's Boolean programs): static threads.
    Getafix,
    /// SATABS and Boppo: threads are started; `=`, `!=` and `=>` bind loosest.
    Satabs,
    /// BoPP and Boom: numbered statements.
    Bopp,
}

impl Dialect {
    /// As the command line spells it.
    pub fn name(self) -> &'static str {
        match self {
            Dialect::Getafix => "getafix",
            Dialect::Satabs => "satabs",
            Dialect::Bopp => "bopp",
        }
    }

    /// Whether `=` and `!=` bind tighter than `&`.
    pub(crate) fn equality_binds_tightest(self) -> bool {
        self != Dialect::Satabs
    }
}

/// How the dialect of a file was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Detected {
    /// The dialect.
    pub dialect: Dialect,
    /// Whether something in the file (or the user) decides how operators bind. If not,
    /// [`Dialect::Getafix`] is a guess.
    pub decided: bool,
}

/// Looks for constructs that only one dialect has.
pub(crate) fn detect(tokens: &[Token]) -> Detected {
    let mut seen = [false; 3];
    for (index, token) in tokens.iter().enumerate() {
        let next = |ahead: usize| tokens.get(index + ahead).map(|token| &token.kind);
        if let Some(dialect) = evidence(&token.kind, &next) {
            seen[dialect as usize] = true;
        }
    }
    match seen {
        [_, false, true] => Detected { dialect: Dialect::Bopp, decided: true },
        [false, true, false] => Detected { dialect: Dialect::Satabs, decided: true },
        [getafix, satabs, _] => Detected { dialect: Dialect::Getafix, decided: getafix && !satabs },
    }
}

fn evidence<'a>(token: &TokenKind, next: &dyn Fn(usize) -> Option<&'a TokenKind>) -> Option<Dialect> {
    let mark = |ahead: usize, wanted: &str| matches!(next(ahead), Some(TokenKind::Mark(mark)) if *mark == wanted);
    let word = |ahead: usize| match next(ahead) {
        Some(TokenKind::Word(word)) => Some(word.as_str()),
        _ => None,
    };
    match token {
        TokenKind::Number(_) if mark(1, ":") => Some(Dialect::Bopp),
        TokenKind::Mark("?") => match next(1) {
            Some(TokenKind::Mark(")")) => Some(Dialect::Getafix),
            _ => Some(Dialect::Bopp),
        },
        TokenKind::Word(text) => match text.as_str() {
            "abortif" | "dfs" if word(1).is_some() => Some(Dialect::Satabs),
            "dead" | "sync" if word(1).is_some() => Some(Dialect::Satabs),
            "start_thread" if word(1).is_some_and(|word| word != "goto") => Some(Dialect::Satabs),
            "start_thread" if matches!(next(2), Some(TokenKind::Number(_))) => Some(Dialect::Bopp),
            "wait" | "broadcast" if mark(1, ";") => Some(Dialect::Bopp),
            "endinit" if mark(1, ":") => Some(Dialect::Getafix),
            text if text.starts_with("ASYNC_") && mark(1, ":") => Some(Dialect::Satabs),
            text if text.starts_with('{') => Some(Dialect::Getafix),
            _ => None,
        },
        _ => None,
    }
}

/// Whether a function with this name is a thread in programs that start none.
pub fn is_thread_name(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name == "main" || name.starts_with("thread")
}
