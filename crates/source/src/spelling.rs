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

#[cfg(test)]
mod tests {
    use super::{distance, nearest};

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
