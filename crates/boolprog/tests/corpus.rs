//! The corpus: the least number of rounds of a violation is the one of the header, counted by brute
//! force over the machine's states, and every program prints and reads back.

mod support;

use std::fs;
use std::path::{Path, PathBuf};

use selvedge_boolprog::machine::{BoolMachine, MachineOptions};
use selvedge_boolprog::{BuildOptions, build};
use selvedge_boolprog_syntax::print;
use selvedge_source::{Diagnostics, SourceMap};

fn programs(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).expect("the corpus") {
        let path = entry.expect("entry").path();
        // Programs that create threads without bound have no number of rounds.
        if path.is_dir() && !path.ends_with("broken") && !path.ends_with("dynamic") {
            found.extend(programs(&path));
        } else if path.extension().is_some_and(|ending| ending == "bp") {
            found.push(path);
        }
    }
    found.sort();
    found
}

fn corpus() -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/boolprog");
    programs(&root).into_iter().map(|path| (path.clone(), fs::read_to_string(path).expect("readable"))).collect()
}

fn header<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let start = format!("// {name}:");
    text.lines().take_while(|line| line.starts_with("//")).find_map(|line| line.strip_prefix(&start)).map(str::trim)
}

/// More rounds than any violation of the corpus needs.
const MOST: u32 = 6;

#[test]
fn violations_need_the_rounds_of_the_headers() {
    let mut counted = 0;
    let mut wrong = Vec::new();
    for (path, text) in corpus() {
        let expected = header(&text, "rounds");
        let violated = header(&text, "expect").is_some_and(|answer| answer.starts_with("violated"));
        assert_eq!(violated, expected.is_some_and(|rounds| rounds != "safe"), "{}: `rounds`", path.display());
        let skipped = header(&text, "explicit").is_some_and(|own| own.starts_with("skip") || own == "inconclusive");
        let Some(Ok(expected)) = expected.map(str::parse::<u32>).filter(|_| !skipped) else { continue };
        let (mut sources, mut found) = (SourceMap::new(), Diagnostics::new());
        let built = build("m.bp", &text, &BuildOptions::default(), &mut sources, &mut found).expect("it builds");
        let limit = MachineOptions { stack_limit: 25, deadlock: false };
        let least = support::least_rounds(&BoolMachine::new(built.program, &sources, limit), MOST);
        if least != Some(expected) {
            wrong.push(format!("{}: {least:?}, expected {expected}", path.display()));
        }
        counted += 1;
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(counted > 40, "only {counted} programs were counted");
}

#[test]
fn every_program_prints_and_reads_back() {
    for (path, text) in corpus() {
        let read = |text: &str| {
            let (mut sources, mut found) = (SourceMap::new(), Diagnostics::new());
            let built = build("m.bp", text, &BuildOptions::default(), &mut sources, &mut found);
            built.unwrap_or_else(|| panic!("{}: {found:?}\n{text}", path.display()))
        };
        let tree = read(&text).ast;
        let printed = print::program(&tree);
        let again = read(&printed).ast;
        assert_eq!(
            support::without_spans(&again).functions,
            support::without_spans(&tree).functions,
            "{}\n{printed}",
            path.display()
        );
    }
}
