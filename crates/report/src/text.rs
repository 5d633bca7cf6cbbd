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
    fn text_is_cut_and_made_harmless() {
        assert_eq!(cut("x = y + 1", 9), "x = y + 1");
        assert_eq!(cut("x = y + 1", 5), "x =…");
        assert_eq!(cut("abc", 0), "");
        assert_eq!(one_line("if\n\t:: a -> \x1b[31mb\n"), "if :: a -> \u{fffd}[31mb");
    }
}
