//! Every code of a diagnostic has an explanation, and the example in it yields that very code.

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use support::{Scratch, root};

/// Codes whose story has no example, because no small model yields them: the parser finds the mistake before the check
/// does, nothing in this version reports them, or they are about proof files (`proof_files.rs` has examples).
const WITHOUT_EXAMPLE: &[&str] = &["F0001", "F0002", "F0003", "P1028", "P1033", "P1038"];

fn rust_files(directory: &Path, out: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).expect("directory") {
        let path = entry.expect("entry").path();
        if path.is_dir() {
            rust_files(&path, out);
        } else if path.file_name().is_some_and(|name| name.to_string_lossy().ends_with("codes.rs")) {
            out.push(path);
        }
    }
}

/// Whether a text is a code: a capital letter and four digits.
fn is_code(text: &str) -> bool {
    let mut characters = text.chars();
    characters.next().is_some_and(|c| c.is_ascii_uppercase())
        && text.len() == 5
        && characters.all(|c| c.is_ascii_digit())
}

/// Every code of the sources, with its meaning where the table has one.
fn codes_of_the_sources() -> BTreeMap<String, Option<String>> {
    let mut files = Vec::new();
    rust_files(&root().join("crates"), &mut files);
    assert!(files.len() >= 4, "the tables of codes were not found: {files:?}");
    let mut codes = BTreeMap::new();
    for file in files {
        for line in fs::read_to_string(&file).expect("source").lines() {
            let quoted: Vec<&str> = line.split('"').skip(1).step_by(2).collect();
            if let Some(code) = quoted.first().filter(|code| is_code(code)) {
                let meaning = quoted.get(1).map(|meaning| (*meaning).to_owned());
                assert!(codes.insert((*code).to_owned(), meaning).is_none(), "{code} is given twice");
            }
        }
    }
    codes
}

/// A section of `docs/codes`: title, and the fenced block with its info string.
struct Story {
    title: String,
    example: Option<(String, String)>,
}

fn stories() -> BTreeMap<String, Story> {
    let mut stories = BTreeMap::new();
    for entry in fs::read_dir(root().join("docs/codes")).expect("docs/codes") {
        let text = fs::read_to_string(entry.expect("entry").path()).expect("a page");
        for section in text.split("\n## ").skip(1) {
            let (head, body) = section.split_once('\n').expect("a title");
            let (code, title) = head.split_once(": ").expect("a code and a title");
            let block = body.split_once("\n```").and_then(|(_, rest)| rest.split_once("\n```"));
            let example = block.and_then(|(block, _)| block.split_once('\n'));
            let example = example.map(|(info, text)| (info.to_owned(), format!("{text}\n")));
            assert!(body.trim().len() > 40, "{code} has no story");
            let story = Story { title: title.to_owned(), example };
            assert!(stories.insert(code.to_owned(), story).is_none(), "{code} is explained twice");
        }
    }
    stories
}

#[test]
fn every_code_is_explained() {
    let (codes, stories) = (codes_of_the_sources(), stories());
    let names: BTreeSet<&String> = codes.keys().collect();
    let explained: BTreeSet<&String> = stories.keys().collect();
    let missing: Vec<&&String> = names.difference(&explained).collect();
    assert!(missing.is_empty(), "codes without an explanation in docs/codes: {missing:?}");
    let stale: Vec<&&String> = explained.difference(&names).collect();
    assert!(stale.is_empty(), "explanations of codes that do not exist: {stale:?}");
    for (code, meaning) in &codes {
        if let Some(meaning) = meaning {
            assert_eq!(&stories[code].title, meaning, "{code}: the title is not the meaning in the table");
        }
    }
}

#[test]
fn every_example_yields_its_code_and_what_to_do() {
    let mut wrong = Vec::new();
    for (code, story) in stories() {
        let exempt = WITHOUT_EXAMPLE.contains(&code.as_str());
        assert_eq!(story.example.is_none(), exempt, "{code}: an example is missing, or not needed any more");
        let Some((info, text)) = story.example else { continue };
        let output = output_of(&code, &info, &text);
        if !output.contains(&format!("[{code}]")) {
            wrong.push(format!("{code} is not what its example yields: {output}"));
        }
        wrong.extend(without_advice(&output).into_iter().map(|output| format!("{code} has no advice: {output}")));
    }
    assert!(wrong.is_empty(), "{} examples are wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn every_diagnostic_of_a_broken_model_suggests_what_to_do() {
    let scratch = Scratch::new("explain-broken");
    let mut wrong = Vec::new();
    for language in ["promela", "boolprog", "pds", "nets"] {
        for entry in fs::read_dir(root().join("corpus").join(language).join("broken")).expect("broken models") {
            let path = entry.expect("an entry").path().display().to_string();
            wrong.extend(without_advice(&scratch.run(&["check", "--time-limit", "1s", &path]).err));
        }
    }
    assert!(wrong.is_empty(), "{} diagnostics without advice:\n{}", wrong.len(), wrong.join("\n"));
}

/// The diagnostics with neither help nor a note.
fn without_advice(output: &str) -> Vec<String> {
    let silent = |diagnostic: &String| !diagnostic.contains("= help: ") && !diagnostic.contains("= note: ");
    diagnostics(output).into_iter().filter(silent).collect()
}

/// The diagnostics in what was written to stderr.
fn diagnostics(output: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for line in output.lines() {
        if line.starts_with("error[") || line.starts_with("warning[") {
            found.push(String::new());
        }
        if let Some(last) = found.last_mut() {
            last.push_str(&format!("{line}\n"));
        }
    }
    found
}

/// What the command says about an example. The info string of its block is the language, then options.
fn output_of(code: &str, info: &str, text: &str) -> String {
    let scratch = Scratch::new(&format!("explain-{code}"));
    scratch.write("model.pml", "init { assert(true) }\n");
    let mut words = info.split_whitespace();
    let language = words.next().expect("a language");
    let options: Vec<&str> = words.collect();
    match language {
        "console" => {
            let script = text.trim().strip_prefix("$ ").expect("a command");
            shell(&scratch, script)
        }
        "toml" => {
            scratch.write("selvedge.toml", text);
            let ran = scratch.run(&["check", "model.pml"]);
            assert_eq!(ran.code, 2, "{code}: {}", ran.err);
            ran.err
        }
        language => {
            let ending = if language == "promela" { "pml" } else { language };
            let file = format!("example.{ending}");
            scratch.write(&file, text);
            scratch.run(&[&["check", file.as_str()], &options[..]].concat()).err
        }
    }
}

fn shell(scratch: &Scratch, script: &str) -> String {
    let binary = Path::new(env!("CARGO_BIN_EXE_selvedge")).parent().expect("a directory").display().to_string();
    let path = format!("{binary}:{}", std::env::var("PATH").unwrap_or_default());
    let output = Command::new("sh").args(["-c", script]).current_dir(scratch.path("")).env("PATH", path).output();
    let output = output.expect("a shell");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn explain_prints_lists_and_refuses() {
    let scratch = Scratch::new("explain");
    let one = scratch.run(&["explain", "p0034"]);
    assert!(
        one.out.starts_with("P0034: an assignment where a value is expected\n\nAn assignment is a statement"),
        "{}",
        one.out
    );
    let all = scratch.run(&["explain"]);
    let codes = codes_of_the_sources();
    for code in codes.keys() {
        assert!(all.out.contains(&format!("  {code}  ")), "{code} is not in the list");
    }
    let every: Vec<&str> = std::iter::once("explain").chain(codes.keys().map(String::as_str)).collect();
    assert_eq!(scratch.run(&every).code, 0);
    assert!(all.out.contains("  data-race "), "{}", all.out);
    let kind = scratch.run(&["explain", "data-race"]);
    assert!(kind.out.starts_with("data-race: data race\n\nTwo threads access"), "{}", kind.out);
}

#[test]
fn diagnostics_name_the_command_once() {
    let scratch = Scratch::new("explain-hint");
    scratch.write("a.pml", "init { x = 1; (y = 2) }\n");
    let full = scratch.run(&["check", "a.pml"]);
    let last = full.err.lines().last().unwrap_or_default();
    assert!(last.starts_with("for more: selvedge explain P"), "{}", full.err);
    assert_eq!(full.err.matches("selvedge explain").count(), 1, "{}", full.err);
    let short = scratch.run(&["check", "a.pml", "--format", "short"]);
    assert!(!short.err.contains("selvedge explain"), "{}", short.err);
}
