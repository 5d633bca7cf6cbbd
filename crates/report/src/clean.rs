//! The one function that everything passes on its way to a terminal or a log. Names of files, source lines and what a
//! model prints were written by others: they must not move the cursor, retitle the window or give orders to a runner of
//! continuous integration, which obeys lines that start with `::` and marks `##[`.

use std::borrow::Cow;

/// Takes the place of a control character.
const REPLACEMENT: char = '\u{fffd}';
/// Stands between two colons, or two number signs, that would be an order to a runner: a word joiner, which has no width.
const BREAK: char = '\u{2060}';

/// The text without control characters other than line ends and tabs, and without orders to GitHub's runners. `colored`
/// says whether sequences that select a colour may stay.
pub fn clean(text: &str, colored: bool) -> Cow<'_, str> {
    if is_clean(text) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    // Whether only blanks and colours stand before this place in its line.
    let mut at_start = true;
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if let Some(sequence) = color_sequence(rest).filter(|_| colored) {
            out.push_str(sequence);
            rest = &rest[sequence.len()..];
            continue;
        }
        let after = &rest[c.len_utf8()..];
        out.push(if is_forbidden(c, after) { REPLACEMENT } else { c });
        let order = (at_start && c == ':' && after.starts_with(':')) || (c == '#' && after.starts_with("#["));
        if order {
            out.push(BREAK);
        }
        at_start = c == '\n' || (at_start && c.is_whitespace());
        rest = after;
    }
    Cow::Owned(out)
}

fn is_clean(text: &str) -> bool {
    text.chars().all(|c| !is_forbidden(c, ""))
        && !text.contains("##[")
        && !text.lines().any(|line| line.trim_start().starts_with("::"))
}

/// Whether a character must not be printed: one that moves the cursor, or that turns the direction of a text around. A
/// carriage return may stand in front of a line end only.
fn is_forbidden(c: char, after: &str) -> bool {
    match c {
        '\n' | '\t' => false,
        '\r' => !after.starts_with('\n'),
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => true,
        c => c.is_control(),
    }
}

/// The sequence at the start of a text that selects a colour or a weight: `ESC [ digits and semicolons m`.
fn color_sequence(text: &str) -> Option<&str> {
    let parameters = text.strip_prefix("\x1b[")?;
    let end = parameters.find(|c: char| !c.is_ascii_digit() && c != ';')?;
    parameters[end..].starts_with('m').then(|| &text[..2 + end + 1])
}

#[cfg(test)]
mod tests {
    use super::clean;

    #[test]
    fn control_characters_are_replaced() {
        assert_eq!(clean("a\tb\nc\r\n", false), "a\tb\nc\r\n");
        assert_eq!(
            clean("\x1b]0;title\x07x\u{9b}1m\rhidden\x08", true),
            "\u{fffd}]0;title\u{fffd}x\u{fffd}1m\u{fffd}hidden\u{fffd}"
        );
        assert_eq!(clean("\x1b[1;31mred\x1b[0m \x1b[2J", true), "\x1b[1;31mred\x1b[0m \u{fffd}[2J");
        assert_eq!(clean("\x1b[31mred", false), "\u{fffd}[31mred");
    }

    #[test]
    fn orders_to_runners_are_broken() {
        let broken = |text: &str| {
            let shown = clean(text, true).into_owned();
            assert!(
                !shown.lines().any(|line| line.trim_start().starts_with("::")) && !shown.contains("##["),
                "{shown}"
            );
            shown.replace('\u{2060}', "")
        };
        for text in ["::error::x", " \t::add-mask::x", "fine\n::stop-commands::x\n", "a ##[group]b", "\u{a0}::x", ":::"]
        {
            assert_eq!(broken(text), text, "nothing else changes");
        }
        assert_eq!(clean("std::fmt :: x", false), "std::fmt :: x");
        assert!(!clean("\x1b[0m::error::x", true).contains("::error"), "a colour in front of it changes nothing");
    }
}
