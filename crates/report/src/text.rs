//! Text layout: single lines, wrapping to a number of columns, readable numbers.

/// Columns that a text takes; every character counts as one.
pub(crate) fn width(text: &str) -> usize {
    text.chars().count()
}

/// The preemptions of a run; of one that preempts again and again those of each round.
pub fn preemptions(total: Option<u32>, per_cycle: Option<u32>) -> String {
    match per_cycle {
        Some(number) => count(number.into(), "preemption", "preemptions") + " in each round of the cycle",
        None => count(total.unwrap_or(0).into(), "preemption", "preemptions"),
    }
}

/// The text on one line: runs of blanks and line ends become one blank, other control characters
/// (they could move the cursor) a replacement character.
pub fn one_line(text: &str) -> String {
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

/// The text in at most `columns`, with `…` in its middle where something was cut.
pub(crate) fn cut_middle(text: &str, columns: usize) -> String {
    let (all, kept) = (width(text), columns.saturating_sub(1));
    if all <= columns {
        return text.to_string();
    }
    let head: String = text.chars().take(kept / 2).collect();
    let tail: String = text.chars().skip(all - (kept - kept / 2)).collect();
    format!("{head}…{tail}")
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

/// Prose in lines of at most `columns`, as full as words allow.
pub fn fill(text: &str, columns: usize) -> String {
    let mut out = String::new();
    let mut column = 0;
    for word in text.split_whitespace() {
        if column > 0 && column + 1 + width(word) > columns {
            out.push('\n');
            column = 0;
        } else if column > 0 {
            out.push(' ');
            column += 1;
        }
        out.push_str(word);
        column += width(word);
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

/// Whether a text with something in front is wider than `columns`.
fn exceeds(front: &str, rest: &str, columns: usize) -> bool {
    let room = columns.saturating_sub(width(front));
    rest.chars().nth(room).is_some()
}

/// The text up to the first blank beyond `columns`, and the character behind it.
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

/// Lines that end in commands (`replay: selvedge replay …`), each in at most `columns` where words allow it. A command that
/// does not fit starts on a line of its own and is continued as shells want it, so that it can still be copied as it is.
pub fn wrap_commands(text: &str, columns: usize) -> String {
    let mut out = String::new();
    for line in text.lines() {
        match line.split_once(": selvedge ") {
            Some((title, words)) if width(line) > columns => {
                out.push_str(&format!("{title}:\n{}", continued(&format!("selvedge {words}"), columns)));
            }
            _ => out.push_str(&wrap(line, columns)),
        }
    }
    out
}

/// A command as indented lines, all but the last with a backslash at the end. An option stays with its value.
fn continued(command: &str, columns: usize) -> String {
    let mut lines = vec![String::from(" ")];
    for (index, group) in groups(command).iter().enumerate() {
        let line = lines.last_mut().filter(|line| width(line) + 1 + width(group) + 2 <= columns || index == 0);
        match line {
            Some(line) => line.push_str(&format!(" {group}")),
            None => lines.push(format!("    {group}")),
        }
    }
    lines.join(" \\\n") + "\n"
}

/// The words of a command; an option and the word behind it are one.
fn groups(command: &str) -> Vec<String> {
    let mut groups: Vec<String> = Vec::new();
    let mut after_option = false;
    for word in shell_words(command) {
        let option = word.starts_with('-');
        match groups.last_mut() {
            Some(last) if after_option && !option => last.push_str(&format!(" {word}")),
            _ => groups.push(word),
        }
        after_option = option;
    }
    groups
}

/// The words of a command as they are written: blanks inside of quotes separate none.
fn shell_words(command: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let (mut quoted, mut escaped) = (false, false);
    for c in command.chars() {
        if c == ' ' && !quoted && !escaped {
            words.push(String::new());
            continue;
        }
        quoted ^= c == '\'' && !escaped;
        escaped = c == '\\' && !quoted && !escaped;
        if let Some(word) = words.last_mut() {
            word.push(c);
        }
    }
    words
}

/// `1234567` as `1,234,567`.
pub fn thousands(number: u64) -> String {
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
pub fn count(number: u64, one: &str, many: &str) -> String {
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
        assert_eq!(fill("one two\nthree four", 9), "one two\nthree\nfour");
        assert_eq!(fill("one two three", 4), "one\ntwo\nthree", "a word stays whole");
        assert_eq!(wrap("no; it is all wrong", 12), "no; it is\n  all wrong\n", "that would be too early");
    }

    #[test]
    fn long_commands_are_continued() {
        let line = "save the trace: selvedge check model.pml --ltl '[] (p -> q)' --trace-out model.trace.json\n";
        assert_eq!(wrap_commands(line, 90), line);
        let folded =
            "save the trace:\n  selvedge check model.pml --ltl '[] (p -> q)' \\\n    --trace-out model.trace.json\n";
        assert_eq!(wrap_commands(line, 70), folded);
        let narrow = "save the trace:\n  selvedge check \\\n    model.pml \\\n    --ltl '[] (p -> q)' \\\n    --trace-out model.trace.json\n";
        assert_eq!(wrap_commands(line, 25), narrow, "words stay whole");
        assert_eq!(shell_words(r"a 'it'\''s one' b\ c"), ["a", r"'it'\''s one'", r"b\ c"]);
        assert_eq!(
            wrap_commands("to explore more, raise --time-limit\n", 20),
            "to explore more,\n  raise --time-limit\n"
        );
    }

    #[test]
    fn text_is_cut_and_escaped() {
        assert_eq!(cut("x = y + 1", 9), "x = y + 1");
        assert_eq!(cut("x = y + 1", 5), "x =…");
        assert_eq!(cut("abc", 0), "");
        assert_eq!(cut_middle("readers_writers.pml", 12), "reade…rs.pml");
        assert_eq!(cut_middle("short.pml", 9), "short.pml");
        assert_eq!(one_line("if\n\t:: a -> \x1b[31mb\n"), "if :: a -> \u{fffd}[31mb");
    }
}
