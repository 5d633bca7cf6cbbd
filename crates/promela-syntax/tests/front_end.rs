//! The front end on whole models: Spin's own examples, our corpus, and damaged copies of both, which
//! must be refused or read but never make it panic.

use std::fs;
use std::path::{Path, PathBuf};

use selvedge_core::Chance;
use selvedge_promela_syntax::parse::{parse_file, parse_ltl, parse_text};
use selvedge_source::{Diagnostics, Severity, SourceMap};

const SPIN_EXAMPLES: &str = "/usr/share/doc/spin/examples";
/// `patterns.pml` has a `&` where `&&` is meant; Spin refuses it too.
const NOT_PROMELA: &[&str] = &["patterns.pml"];

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/promela")
}

fn models(directory: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(directory) else { return Vec::new() };
    let mut found = Vec::new();
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(models(&path));
        } else if path.extension().is_some_and(|e| e == "pml" || e == "prom") {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// Parses a file; the errors as text.
fn errors(path: &Path) -> Vec<String> {
    let (mut sources, mut diagnostics) = (SourceMap::new(), Diagnostics::new());
    let model = parse_file(path, &mut sources, &mut diagnostics);
    assert_eq!(model.is_none(), diagnostics.has_errors(), "{}", path.display());
    let errors = diagnostics.iter().filter(|d| d.severity == Severity::Error);
    let place = |d: &selvedge_source::Diagnostic| d.primary.as_ref().map(|l| sources.location(l.span).to_string());
    errors.map(|d| format!("{}: {} {}", place(d).unwrap_or_default(), d.code, d.message)).collect()
}

#[test]
fn spins_examples_parse() {
    let models = models(Path::new(SPIN_EXAMPLES));
    if models.is_empty() {
        println!("skipped: {SPIN_EXAMPLES} is not here");
    }
    for path in models {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if !NOT_PROMELA.contains(&&*name) {
            assert_eq!(errors(&path), Vec::<String>::new());
        }
    }
}

#[test]
fn the_corpus_parses() {
    for path in models(&corpus()) {
        if !path.components().any(|c| c.as_os_str() == "broken") {
            assert_eq!(errors(&path), Vec::<String>::new());
        }
    }
}

/// A broken model says where its mistake is: `// mistake: LINE:COL`. If the front end objects, it
/// must be there or on a neighbouring line; mistakes of meaning are found later.
#[test]
fn mistakes_of_syntax_are_found_where_they_are() {
    for path in models(&corpus().join("broken")) {
        let text = String::from_utf8_lossy(&fs::read(&path).expect("readable")).into_owned();
        let Some(line) = text.split("// mistake:").nth(1).and_then(|t| t.trim().split(':').next()?.parse::<i64>().ok())
        else {
            continue;
        };
        let found = errors(&path);
        let lines = found.iter().filter_map(|e| e.rsplit(".pml:").next()?.split(':').next()?.parse::<i64>().ok());
        assert!(found.is_empty() || lines.clone().any(|l| (l - line).abs() <= 1), "{}: {found:?}", path.display());
    }
}

/// Reads text in every way; the only duty is to come back.
fn survives(text: &str) {
    let (mut sources, mut diagnostics) = (SourceMap::new(), Diagnostics::new());
    let mut loader = |_: &Path| Ok("#define INCLUDED 1\nbyte included;\n".to_string());
    let model = parse_text("fuzz.pml", text, &mut loader, &mut sources, &mut diagnostics);
    assert_eq!(model.is_none(), diagnostics.has_errors(), "{text}");
    parse_ltl(text, &mut sources, &mut diagnostics);
    for diagnostic in diagnostics.iter() {
        for label in diagnostic.primary.iter().chain(&diagnostic.secondary) {
            sources.location(label.span);
        }
    }
}

/// Words and blanks of a model, enough to damage it.
fn pieces(text: &str) -> Vec<String> {
    let mut pieces: Vec<String> = Vec::new();
    let mut in_word = false;
    for c in text.chars() {
        let word = c.is_alphanumeric() || c == '_';
        match pieces.last_mut() {
            Some(last) if word && in_word => last.push(c),
            _ => pieces.push(c.to_string()),
        }
        in_word = word;
    }
    pieces
}

fn sample() -> Vec<String> {
    let mut texts: Vec<String> = models(&corpus()).iter().filter_map(|p| fs::read_to_string(p).ok()).collect();
    texts.retain(|t| t.len() < 6_000);
    texts.push(include_str!("everything.pml").to_string());
    texts
}

const CASES: usize = 400;

#[test]
fn random_bytes_do_not_panic() {
    let mut chance = Chance::new(1);
    for _ in 0..CASES {
        let bytes: Vec<u8> = (0..chance.below(400)).map(|_| chance.below(256) as u8).collect();
        survives(&String::from_utf8_lossy(&bytes));
    }
}

/// What random texts are made of.
const WORDS: &[&str] = &[
    "init",
    "proctype",
    "P",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    ";",
    "->",
    "::",
    "if",
    "fi",
    "do",
    "od",
    "x",
    "y",
    "=",
    "==",
    "!",
    "?",
    "<",
    ">",
    "1",
    "byte",
    "chan",
    "inline",
    "f",
    ",",
    ".",
    ":",
    "\n#define f(x) x##x f(x)\n",
    "\n#if f\n",
    "\n#endif\n",
    "\n#include \"x\"\n",
    "ltl",
    "U",
    "unless",
    "atomic",
    "else",
    "for",
    "..",
    "in",
    "select",
    "eval",
    "run",
    "never",
    "typedef",
    "mtype",
    "\"s\"",
    "'c'",
    "c_code",
    "\n",
    "/*",
    "*/",
    "@",
    "-",
    "return",
    "goto",
    "assert",
    "printf",
    "of",
    "unsigned",
    "len",
    "active",
    "_",
    "#",
    "\\",
    "$",
];

#[test]
fn random_tokens_do_not_panic() {
    let mut chance = Chance::new(2);
    for _ in 0..CASES {
        let words: Vec<&str> = (0..chance.below(120)).map(|_| WORDS[chance.below(WORDS.len())]).collect();
        survives(&words.join(" "));
    }
}

#[test]
fn damaged_models_do_not_panic() {
    let (texts, mut chance) = (sample(), Chance::new(3));
    for _ in 0..CASES {
        let mut pieces = pieces(&texts[chance.below(texts.len())]);
        for _ in 0..1 + chance.below(5) {
            if pieces.is_empty() {
                break;
            }
            let (a, b) = (chance.below(pieces.len()), chance.below(pieces.len()));
            match chance.below(4) {
                0 => drop(pieces.remove(a)),
                1 => pieces.insert(a, pieces[b].clone()),
                2 => pieces.swap(a, b),
                _ => pieces.truncate(a),
            }
        }
        survives(&pieces.concat());
    }
}
