//! How far two names are apart, and which known name a misspelt one was meant to be, for proposals in help lines.

/// Insertions, deletions and replacements of characters between two names (Levenshtein's distance).
pub fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(row[j + 1] + 1);
        }
    }
    row[b.len()]
}

/// The known name that `written` was probably meant to be. Names of one or two characters are only taken for each
/// other if they differ in case: every other pair of them is as near as a typing error.
pub fn nearest<'n>(written: &str, known: impl Iterator<Item = &'n str>) -> Option<String> {
    let length = |name: &str| name.chars().count();
    let near = |name: &str, apart: usize| {
        let (short, long) = (length(written).min(length(name)), length(written).max(length(name)));
        name.eq_ignore_ascii_case(written) || (long > 2 && apart <= 1 + short / 4)
    };
    let measured = known.map(|name| (distance(written, name), name));
    measured.filter(|(apart, name)| near(name, *apart)).min().map(|(_, name)| name.to_owned())
}

/// The reserved word that `written` was probably meant to be. This is stricter than [`nearest`], because a name that is only
/// similar to a reserved word is a name: letters of another case, two neighbours swapped, or one letter too many or too few;
/// from five letters on also one wrong letter, and from eight on two such mistakes.
pub fn misspelt<'k>(written: &str, keywords: &[&'k str]) -> Option<&'k str> {
    let meant = |keyword: &&&str| {
        let (short, long) = (written.len().min(keyword.len()), written.len().max(keyword.len()));
        let mistakes = match short {
            _ if !written.is_ascii() || written == **keyword => return false,
            _ if keyword.eq_ignore_ascii_case(written) => return true,
            0..3 => 0,
            _ if is_swapped(written, keyword) => 2,
            3 | 4 => usize::from(short < long),
            5..8 => 1,
            _ => 2,
        };
        distance(written, keyword) <= mistakes
    };
    keywords.iter().find(meant).copied()
}

/// Whether two words differ in the order of two neighbours.
fn is_swapped(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let Some(at) = a.iter().zip(b).position(|(x, y)| x != y) else { return false };
    a.len() == b.len() && at + 1 < a.len() && (a[at], a[at + 1]) == (b[at + 1], b[at]) && a[at + 2..] == b[at + 2..]
}

#[cfg(test)]
mod tests {
    use super::{distance, misspelt, nearest};

    #[test]
    fn a_reserved_word_is_recognised_with_one_mistake() {
        const WORDS: &[&str] = &["assert", "printf", "atomic", "full", "int", "proctype", "do"];
        for (written, meant) in [
            ("asert", "assert"),
            ("assertt", "assert"),
            ("prinf", "printf"),
            ("print", "printf"),
            ("atmoic", "atomic"),
            ("Atomic", "atomic"),
            ("ful", "full"),
            ("itn", "int"),
            ("procytpe", "proctype"),
            ("proctpye", "proctype"),
            ("procttyp", "proctype"),
        ] {
            assert_eq!(misspelt(written, WORDS), Some(meant), "{written}");
        }
        for name in ["insert", "accept", "fill", "pull", "in", "ink", "d", "od", "process", "assert", "é"] {
            assert_eq!(misspelt(name, WORDS), None, "{name}");
        }
    }

    #[test]
    fn short_names_are_not_taken_for_each_other() {
        let near = |written: &str, known: &[&'static str]| nearest(written, known.iter().copied());
        assert_eq!(near("n", &["c", "x"]), None);
        assert_eq!(near("p1", &["q1", "p"]), None);
        assert_eq!(near("N", &["c", "n"]).as_deref(), Some("n"));
        assert_eq!(near("cout", &["count", "c"]).as_deref(), Some("count"));
        assert_eq!(near("flag", &["lock", "turn"]), None);
    }

    #[test]
    fn counts_insertions_deletions_and_replacements() {
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("abc", ""), 3);
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("größe", "grösse"), 2);
        assert_eq!(distance("same", "same"), 0);
    }
}
