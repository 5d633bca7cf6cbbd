//! The mutants of the code that decides verdicts, and a seeded order of them.
//!
//! The order begins with one mutant of each file; after that every stretch of it has mutants of a file in proportion to
//! how many the file has. A sample is a part of this order, so that the next one continues it.

use std::collections::BTreeMap;
use std::process::Command;
use std::{fs, io};

use selvedge_testgen::Rng;
use serde_json::Value;

/// The files whose mutants are drawn.
const FILES: &[&str] = &[
    "crates/promela/src/independence.rs",
    "crates/promela/src/lower.rs",
    "crates/promela/src/lower/**",
    "crates/promela/src/machine.rs",
    "crates/promela/src/machine/**",
    "crates/symbolic/src/**",
    "crates/dynamic/src/cover.rs",
    "crates/dynamic/src/cover/**",
    "crates/stateless/src/strategy.rs",
    "crates/stateless/src/strategy/**",
    "crates/explicit/src/**",
];

/// A mutant: some text of a file and what it is replaced by.
#[derive(Clone, Debug)]
pub struct Mutant {
    /// File, line, column, and what is changed, as cargo-mutants prints it.
    pub name: String,
    /// Relative to the repository.
    pub file: String,
    /// The package of the file.
    pub package: String,
    /// Whether it replaces the body of a function.
    pub body: bool,
    /// Whether its function returns an `impl Trait`, and so all values of one type.
    pub opaque: bool,
    /// Byte offsets of the replaced text.
    pub span: std::ops::Range<usize>,
    /// The new text.
    pub replacement: String,
}

/// The mutants from position `first` of the seed's order.
pub fn draw(seed: u64, first: usize, count: usize) -> io::Result<Vec<Mutant>> {
    let mut by_file: BTreeMap<String, Vec<Mutant>> = BTreeMap::new();
    for mutant in listed()? {
        by_file.entry(mutant.file.clone()).or_default().push(mutant);
    }
    let mut ordered: Vec<(f64, Mutant)> = Vec::new();
    for (index, (_, mut mutants)) in by_file.into_iter().enumerate() {
        let mut rng = Rng::new(seed, index as u64);
        for last in (1..mutants.len()).rev() {
            mutants.swap(last, rng.below(last + 1));
        }
        let (all, offset) = (mutants.len() as f64, rng.below(1 << 20) as f64 / f64::from(1 << 20));
        let place = |at: usize| if at == 0 { 0.0 } else { (at as f64 + offset) / all };
        ordered.extend(mutants.into_iter().enumerate().map(|(at, mutant)| (place(at), mutant)));
    }
    ordered.sort_by(|a, b| a.0.total_cmp(&b.0));
    Ok(ordered.into_iter().map(|(_, mutant)| mutant).skip(first).take(count).collect())
}

/// Every mutant of the files, as cargo-mutants lists them.
fn listed() -> io::Result<Vec<Mutant>> {
    let mut command = Command::new("cargo");
    command.args(["mutants", "--workspace", "--no-config", "--list", "--json"]);
    FILES.iter().for_each(|file| {
        command.args(["--file", file]);
    });
    let output = command.output()?;
    if !output.status.success() {
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(io::Error::other(format!("cargo mutants failed (`cargo install cargo-mutants`): {message}")));
    }
    let list: Vec<Value> = serde_json::from_slice(&output.stdout)?;
    let mut texts: BTreeMap<String, String> = BTreeMap::new();
    let mutants = list.iter().filter(|entry| !wrong_constructor(entry)).map(|entry| mutant(entry, &mut texts));
    mutants.collect()
}

/// The alias of `Result` in `symbolic`. cargo-mutants takes it for a type and guesses constructors of it; one of them is
/// taken as `Ok`, the others would only stand for the same value again.
const ALIAS: &str = "Limited::";

fn wrong_constructor(entry: &Value) -> bool {
    let replacement = entry["replacement"].as_str().unwrap_or_default();
    ["new()", "from(", "from_iter("].iter().any(|wrong| replacement.contains(&format!("{ALIAS}{wrong}")))
}

fn mutant(entry: &Value, texts: &mut BTreeMap<String, String>) -> io::Result<Mutant> {
    let word = |name: &str| entry[name].as_str().unwrap_or_default().replace(&format!("{ALIAS}new("), "Ok(");
    let file = word("file");
    if !texts.contains_key(&file) {
        texts.insert(file.clone(), fs::read_to_string(&file)?);
    }
    let text = &texts[&file];
    let end = |which: &str| offset(text, &entry["span"][which]);
    Ok(Mutant {
        name: word("name"),
        package: word("package"),
        body: entry["genre"] == "FnValue",
        opaque: entry["function"]["return_type"].as_str().is_some_and(|name| name.contains("impl ")),
        span: end("start")..end("end"),
        replacement: word("replacement"),
        file,
    })
}

/// The byte offset of a place; lines and columns are counted from 1, columns in characters.
fn offset(text: &str, place: &Value) -> usize {
    let number = |name: &str| place[name].as_u64().unwrap_or(1) as usize - 1;
    let start: usize = text.split_inclusive('\n').take(number("line")).map(str::len).sum();
    let line = &text[start..];
    start + line.char_indices().nth(number("column")).map_or(line.len(), |(at, _)| at)
}
