//! `cargo xtask words`: finds words that a colleague from the field would have to ask about, in names, messages, comments
//! and documents. Each has a word that users of Spin, TLC, loom, Moped or mist know.
//!
//! Only words without a proper use in this repository are listed, so that every hit is a mistake. `ALLOWED` has the few
//! lines that need one of them.

use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Find words that are not the field's
#[derive(clap::Args)]
pub struct Options {
    /// The directory to search
    #[arg(long, default_value = ".")]
    root: PathBuf,
}

/// Words in the names of files and of items that are declared, with what to write instead. In prose they have their uses.
const NAMES: &[(&str, &str)] = &[
    ("tell", "render, report"),
    ("tells", "reports, distinguishes"),
    ("told", "rendered, summary"),
    ("say", "emit"),
    ("says", "reports, states"),
    ("said", "message"),
    ("due", "batch"),
    ("opened", "loaded"),
    ("endless", "unbounded"),
    ("harmless", "safe"),
    ("crowded", "too many"),
];

/// Words that are used for nothing here, as parts of names (`NobodyElse`, `next_seam`) or in prose.
const WORDS: &[(&str, &str)] =
    &[("untold", "without a trace"), ("seam", "next layer"), ("shelf", "trie"), ("plenty", "unlimited")];

/// Phrases in prose and messages, with what to write instead.
const PHRASES: &[(&str, &str)] = &[
    ("could go on", "is enabled"),
    ("can go on", "is enabled"),
    ("cannot go on", "is blocked"),
    ("who searches", "the engine"),
    ("so many files", "the number of files"),
    ("long story", "explanation"),
    ("(design ", "docs/design.md"),
    ("(interface ", "docs/interface.md"),
];

/// Files that list the words themselves.
const ALLOWED: &[&str] = &["xtask/src/words.rs"];

const SKIPPED: &[&str] = &["target", ".git", "node_modules", "artifacts", "charts"];
const ENDINGS: &[&str] = &["rs", "md", "toml", "yml", "js", "css", "html", "txt", "json"];

/// Prints each hit; fails if there is one.
pub fn run(options: &Options) -> io::Result<ExitCode> {
    let hits = hits(&options.root)?;
    hits.iter().for_each(|hit| println!("{hit}"));
    println!("{} words to replace", hits.len());
    Ok(if hits.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// `PATH:LINE: WORD: write …` for each hit.
fn hits(root: &Path) -> io::Result<Vec<String>> {
    let mut files = Vec::new();
    collect(root, &mut files)?;
    files.sort();
    let mut hits = Vec::new();
    for file in files {
        let shown = file.strip_prefix(root).unwrap_or(&file).display().to_string();
        if ALLOWED.contains(&shown.as_str()) {
            continue;
        }
        let in_path = listed(NAMES, &shown).chain(listed(WORDS, &shown));
        hits.extend(in_path.map(|(word, instead)| format!("{shown}: {word}: write {instead}")));
        let Ok(text) = std::fs::read_to_string(&file) else { continue };
        for (line, text) in text.lines().enumerate() {
            let found = listed(NAMES, declared(text)).chain(listed(WORDS, text)).chain(phrases_in(text));
            hits.extend(found.map(|(word, instead)| format!("{shown}:{}: {word}: write {instead}", line + 1)));
        }
    }
    Ok(hits)
}

fn collect(directory: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in std::fs::read_dir(directory)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() && !SKIPPED.contains(&name.as_str()) {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|ending| ENDINGS.iter().any(|known| ending == *known)) {
            files.push(path);
        }
    }
    Ok(())
}

type Entry = (&'static str, &'static str);

/// The listed words among the words of a text; `putDue`, `PutDue` and `put_due` have two words each.
fn listed(list: &'static [Entry], text: &str) -> impl Iterator<Item = Entry> + use<> {
    let words = split(text);
    list.iter().copied().filter(move |(word, _)| words.iter().any(|other| other == word))
}

/// The name that a line of Rust declares; empty if it declares none.
fn declared(line: &str) -> &str {
    const KEYWORDS: [&str; 7] = ["fn", "struct", "enum", "trait", "mod", "type", "const"];
    let mut words = line.split_whitespace().skip_while(|word| word.starts_with("pub"));
    match words.next() {
        Some(keyword) if KEYWORDS.contains(&keyword) => {
            words.next().unwrap_or_default().split('(').next().unwrap_or_default()
        }
        _ => "",
    }
}

fn phrases_in(line: &str) -> impl Iterator<Item = Entry> + use<> {
    let line = line.to_lowercase();
    PHRASES.iter().copied().filter(move |(phrase, _)| line.contains(phrase))
}

fn split(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_lower = false;
    for character in line.chars() {
        let starts = character.is_uppercase() && was_lower;
        if !character.is_alphabetic() || starts {
            words.push(String::new());
        }
        if character.is_alphabetic() {
            words.last_mut().expect("there is a word").extend(character.to_lowercase());
        }
        was_lower = character.is_lowercase();
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_prose_are_split_into_words() {
        assert_eq!(split("fn putDue(Untold, take_rest2)"), ["fn", "put", "due", "untold", "take", "rest"]);
        assert_eq!(listed(WORDS, "enum Why { Untold }").count(), 1);
        assert_eq!(listed(WORDS, "retold, seamless, stellar").count(), 0);
        assert_eq!(phrases_in("but it Could go on").count(), 1);
    }

    #[test]
    fn only_declared_names_are_checked_against_names() {
        assert_eq!(declared("    pub(crate) fn put_due(&mut self) {"), "put_due");
        assert_eq!(declared("    // the batch is due"), "");
        assert_eq!(listed(NAMES, declared("pub struct Told {")).count(), 1);
    }

    #[test]
    fn the_repository_uses_none_of_them() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the directory of the workspace");
        let hits = hits(root).expect("the files of the workspace");
        assert!(hits.is_empty(), "{}", hits.join("\n"));
    }
}
