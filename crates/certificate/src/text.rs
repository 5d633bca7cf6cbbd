//! Proof files as text: one entry on each line, words separated by blanks, `#` starts a comment. Every word knows
//! its place, so whatever is wrong with it can be shown.

use std::str::SplitAsciiWhitespace;

use crate::Rejected;
use selvedge_source::{Diagnostic, FileId, Span};

use crate::codes;

/// The first line of every proof file.
pub(crate) const HEADER: &str = "selvedge proof 1";

/// A word and its place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Word<'t> {
    pub text: &'t str,
    pub span: Span,
}

impl Word<'_> {
    pub(crate) fn unreadable(self, message: impl Into<String>) -> Rejected {
        Diagnostic::error(codes::UNREADABLE_PROOF, self.span, message).into()
    }

    pub(crate) fn unknown(self, what: &str) -> Rejected {
        Diagnostic::error(codes::UNKNOWN_NAME, self.span, format!("the model has no {what} `{}`", self.text)).into()
    }

    pub(crate) fn refuted(self, message: impl Into<String>) -> Rejected {
        Diagnostic::error(codes::NOT_PROVED, self.span, message).into()
    }
}

/// A line with at least one word.
#[derive(Clone, Debug)]
pub(crate) struct Line<'t> {
    pub words: Vec<Word<'t>>,
}

impl<'t> Line<'t> {
    /// The first word.
    pub(crate) fn key(&self) -> Word<'t> {
        self.words[0]
    }

    /// The words after the first; there must be exactly `N`.
    pub(crate) fn rest<const N: usize>(&self) -> Result<[Word<'t>; N], Rejected> {
        let rest: Option<[Word<'t>; N]> = self.words[1..].to_vec().try_into().ok();
        rest.ok_or_else(|| {
            let message = format!("`{}` is followed by {} words, not {N}", self.key().text, self.words.len() - 1);
            self.key().unreadable(message)
        })
    }
}

/// The lines of a file, in its order.
pub(crate) fn lines(file: FileId, text: &str) -> Vec<Line<'_>> {
    let mut lines = Vec::new();
    for line in text.lines() {
        let content = line.split('#').next().unwrap_or_default();
        let place = |word: &str| word.as_ptr() as usize - content.as_ptr() as usize;
        let words: SplitAsciiWhitespace<'_> = content.split_ascii_whitespace();
        let words: Vec<Word<'_>> = words
            .map(|word| Word { text: word, span: Span::new(file, place(word), place(word) + word.len()) })
            .collect();
        if !words.is_empty() {
            lines.push(Line { words });
        }
    }
    lines
}

/// Whether a text is a proof file of this form, and not a certificate of a net.
pub fn is_proof(text: &str) -> bool {
    text.lines().next().is_some_and(|line| line.trim_end() == HEADER)
}

/// The words of the first line, or where they should be.
pub(crate) fn header(file: FileId, lines: &[Line<'_>]) -> Result<(), Rejected> {
    let start = Span::new(file, 0, 0);
    let Some(first) = lines.first() else {
        return Err(Diagnostic::error(codes::UNREADABLE_PROOF, start, "the file is empty").into());
    };
    let words: Vec<&str> = first.words.iter().map(|word| word.text).collect();
    match words.join(" ") == HEADER {
        true => Ok(()),
        false => Err(first.key().unreadable(format!("a proof file starts with `{HEADER}`"))),
    }
}
