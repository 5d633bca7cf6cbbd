//! Text that fits: one line, so many columns, figures that can be read.

/// Columns that a text takes; every character counts as one.
pub(crate) fn width(text: &str) -> usize {
    text.chars().count()
}

/// The text on one line: runs of blanks and line ends become one blank, other control characters
/// (they could move the cursor) a replacement character.
pub(crate) fn one_line(text: &str) -> String {
    let visible = |c: char| if c.is_control() { '\u{fffd}' } else { c };
    text.split_whitespace().map(|word| word.chars().map(visible).collect::<String>()).collect::<Vec<_>>().join(" ")
}

/// The text in at most `columns`, with `…` where something was cut.
pub(crate) fn cut(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_string();
    }
    let Some(kept) = columns.checked_sub(1) else { return String::new() };
    let kept: String = text.chars().take(kept).collect();
    format!("{}…", kept.trim_end())
}

/// The text with lines of at most `columns` where words allow it; what a line is broken into is indented.
pub fn wrap(text: &str, columns: usize) -> String {
    let mut out = String::new();
    for line in text.lines() {
        let parts = wrapped_line(line, columns, "  ");
        parts.iter().for_each(|part| {
            out.push_str(part);
            out.push('\n');
        });
    }
    out
}

/// One line as several, all but the first with `indent` in front. A line may have megabytes: only as much of it is looked
/// at as the next break needs.
pub(crate) fn wrapped_line(line: &str, columns: usize, indent: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let (mut rest, mut front) = (line, "");
    while exceeds(front, rest, columns) {
        let window = format!("{front}{}", up_to_a_blank(rest, columns));
        let Some(at) = break_of(&window, columns).filter(|at| *at >= front.len()) else { break };
        lines.push(window[..at].to_owned());
        rest = rest[at - front.len()..].trim_start();
        front = indent;
    }
    lines.push(format!("{front}{rest}"));
    lines
}

/// Whether a text with something in front is wider than so many columns.
fn exceeds(front: &str, rest: &str, columns: usize) -> bool {
    let room = columns.saturating_sub(width(front));
    rest.chars().nth(room).is_some()
}

/// The text up to the first blank beyond so many columns, and the character behind it.
fn up_to_a_blank(text: &str, columns: usize) -> &str {
    let mut beyond = text.char_indices().skip(columns + 1).skip_while(|(_, c)| *c != ' ').skip(2);
    beyond.next().map_or(text, |(at, _)| &text[..at])
}

/// The blank at which to break a line: where a clause ends, if that is not too early, else between two words. A word that
/// is too long stays whole.
fn break_of(line: &str, columns: usize) -> Option<usize> {
    let indentation = line.len() - line.trim_start().len();
    let (mut clause, mut word) = (None, None);
    for (column, (at, _)) in line.char_indices().enumerate().filter(|(_, (at, c))| *c == ' ' && *at > indentation) {
        if column > columns {
            return clause.or(word).or(Some(at));
        }
        word = Some(at);
        let ends = line[..at].ends_with(';') || line[at + 1..].starts_with(['(', '—']);
        if ends && column >= columns / 3 {
            clause = word;
        }
    }
    clause.or(word)
}

/// `1234567` as `1,234,567`.
pub(crate) fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// `1 step`, `14 steps`, `1,204 switches`.
pub(crate) fn count(number: u64, one: &str, many: &str) -> String {
    format!("{} {}", thousands(number), if number == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_separators() {
        let shown: Vec<String> = [0, 999, 1000, 123_456, 1_234_567].map(thousands).into();
        assert_eq!(shown, ["0", "999", "1,000", "123,456", "1,234,567"]);
        assert_eq!((count(1, "step", "steps"), count(2000, "step", "steps")), ("1 step".into(), "2,000 steps".into()));
    }

    #[test]
    fn long_lines_are_broken_between_words() {
        assert_eq!(wrap("one two three four\nfive\n", 9), "one two\n  three\n  four\nfive\n");
        assert_eq!(wrap("    indented and long", 12), "    indented\n  and long\n");
        assert_eq!(wrap("averylongword and more", 5), "averylongword\n  and\n  more\n", "a word stays whole");
        assert_eq!(wrap("", 5), "");
        assert_eq!(wrap("all is well; nothing (or so) was wrong", 26), "all is well; nothing\n  (or so) was wrong\n");
        assert_eq!(wrap("no; it is all wrong", 12), "no; it is\n  all wrong\n", "that would be too early");
    }

    #[test]
    fn text_is_cut_and_made_harmless() {
        assert_eq!(cut("x = y + 1", 9), "x = y + 1");
        assert_eq!(cut("x = y + 1", 5), "x =…");
        assert_eq!(cut("abc", 0), "");
        assert_eq!(one_line("if\n\t:: a -> \x1b[31mb\n"), "if :: a -> \u{fffd}[31mb");
    }
}
