//! Commands as the user can type them again: words quoted for a POSIX shell where needed.

use std::path::Path;

/// One word of a command.
pub fn quote(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./,:=@%+".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// Words of a command in a row.
pub fn joined(words: &[String]) -> String {
    words.iter().map(|word| quote(word)).collect::<Vec<_>>().join(" ")
}

/// The command line of this run with something added.
pub fn again_with(more: &[&str]) -> String {
    let given = std::env::args_os().skip(1).map(|word| quote(&word.to_string_lossy()));
    let more = more.iter().map(|word| quote(word));
    std::iter::once("selvedge".to_owned()).chain(given).chain(more).collect::<Vec<_>>().join(" ")
}

/// The command line of this run with another value of an option, and without the `dropped` ones. All of them take values.
pub fn again_replacing(option: &str, value: &str, dropped: &[&str]) -> String {
    let given: Vec<String> = std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    let kept = without(&given, &[&[option], dropped].concat());
    let words = std::iter::once("selvedge").chain(kept).chain([option, value]);
    words.map(quote).collect::<Vec<_>>().join(" ")
}

/// The words without these options and their values (`--rounds 2`, `--rounds=2`).
fn without<'a>(words: &'a [String], options: &[&str]) -> Vec<&'a str> {
    let mut kept = Vec::new();
    let mut rest = words.iter().map(String::as_str);
    while let Some(word) = rest.next() {
        let behind = |option: &&str| word.strip_prefix(option);
        match options.iter().find_map(behind) {
            Some("") => drop(rest.next()),
            Some(value) if value.starts_with('=') => {}
            _ => kept.push(word),
        }
    }
    kept
}

/// Where the trace of a model would be saved by default: `peterson.trace.json`.
pub fn trace_name(model: &Path) -> String {
    format!("{}.trace.json", stem(model))
}

/// Where the view of a model's run would be written by default: `peterson.html`.
pub fn view_name(model: &Path) -> String {
    format!("{}.html", stem(model))
}

/// The name of a model without its ending; `stdin` for one from standard input.
pub fn stem(model: &Path) -> String {
    let stem = model.file_stem().unwrap_or_default().to_string_lossy();
    stem.trim_matches(['<', '>']).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_only_where_needed() {
        assert_eq!(quote("a/b-c.pml"), "a/b-c.pml");
        assert_eq!(quote("[] (x == 1)"), "'[] (x == 1)'");
        assert_eq!(quote("it's"), r"'it'\''s'");
        assert_eq!(quote(""), "''");
        let words = ["check", "a.bp", "--rounds", "2", "--roundsman", "--max-bound=3"].map(str::to_owned);
        assert_eq!(without(&words, &["--rounds", "--max-bound"]), ["check", "a.bp", "--roundsman"]);
        assert_eq!(trace_name(Path::new("models/peterson.pml")), "peterson.trace.json");
    }
}
