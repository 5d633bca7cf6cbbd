//! What the engine proves, the judge proves again: its exploration of the corpus finds what the headers say, and where the
//! upper bound of the engine is safe, so is that of the judge.

mod support;

use std::fs;
use std::path::{Path, PathBuf};

use selvedge_boolprog::lower::LowerOptions;
use selvedge_boolprog::program::Program;
use selvedge_boolprog::{BuildOptions, build};
use selvedge_boolprog_judge::brute::Reached;
use selvedge_boolprog_judge::{Goals, explore, prove};
use selvedge_boolprog_syntax::ast;
use selvedge_boolprog_syntax::dialect::Dialect;
use selvedge_core::{Budget, Effort, ViolationKind};
use selvedge_source::{Diagnostics, SourceMap};
use selvedge_symbolic::encode::{Encoding, Locals};
use selvedge_symbolic::modular::upper_bound;
use selvedge_symbolic::start::Start;
use support::{budget, on_random_programs};

const EFFORT: Effort = Effort { steps: 50_000, stack: 12 };

fn programs(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).expect("the corpus") {
        let path = entry.expect("entry").path();
        if path.is_dir() && !path.ends_with("broken") {
            found.extend(programs(&path));
        } else if path.extension().is_some_and(|ending| ending == "bp") {
            found.push(path);
        }
    }
    found.sort();
    found
}

fn header<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let start = format!("// {name}:");
    text.lines().take_while(|line| line.starts_with("//")).find_map(|line| line.strip_prefix(&start)).map(str::trim)
}

/// What the judge makes of a program of the corpus: whether it confirms that there is no violation, or the violations.
fn judged(text: &str) -> (bool, Vec<ViolationKind>) {
    let options: Vec<&str> = header(text, "options").unwrap_or_default().split_whitespace().collect();
    let value = |name: &str| options.iter().position(|option| *option == name).map(|at| options[at + 1]);
    let dialect = value("--dialect").map(|name| {
        let known = [Dialect::Getafix, Dialect::Satabs, Dialect::Bopp];
        known.into_iter().find(|dialect| dialect.name() == name).expect("a dialect")
    });
    let goals = Goals { assertions: !options.contains(&"--no-assert"), reach: value("--reach"), ..Goals::default() };
    let lower = LowerOptions { assertions: goals.assertions, reach: goals.reach.map(str::to_owned) };
    let (mut sources, mut found) = (SourceMap::new(), Diagnostics::new());
    let built = build("m.bp", text, &BuildOptions { dialect, lower }, &mut sources, &mut found).expect("it builds");
    let explored = explore(&built.ast, &goals, EFFORT, &Budget::unlimited());
    let proved = prove(&built.ast, &goals, EFFORT, &Budget::unlimited()).is_some_and(|proved| proved.confirms());
    assert!(!proved || explored.violations.is_empty(), "a proof and a violation");
    (explored.confirms() || proved, explored.violations.iter().map(|found| found.kind).collect())
}

#[test]
fn the_judge_finds_in_the_corpus_what_the_headers_expect() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/boolprog");
    let (mut confirmed, mut refuted) = (0, 0);
    for path in programs(&root) {
        let text = fs::read_to_string(&path).expect("readable");
        let expected = header(&text, "expect").expect("an answer");
        let (confirms, violations) = judged(&text);
        match expected.strip_prefix("violated ") {
            // The judge is asked here neither for threads that are stuck nor for infinite runs.
            Some("invalid-end-state" | "non-progress-cycle") => {}
            Some(kind) => {
                assert!(!confirms, "{}: confirmed", path.display());
                let kind = if kind == "assertion" { ViolationKind::Assertion } else { ViolationKind::LabelReached };
                refuted += u32::from(violations.contains(&kind));
            }
            None => {
                assert!(violations.is_empty(), "{}: {violations:?}", path.display());
                confirmed += u32::from(confirms);
            }
        }
    }
    assert!(confirmed > 60 && refuted > 50, "{confirmed} programs are confirmed, {refuted} refuted");
}

/// Whether the engine and the judge call a program safe for any number of rounds.
fn proofs(source: &ast::Program, program: &Program, _: &Reached) -> Option<String> {
    let encoding = Encoding::new(program, 1, Locals::WhileLive, &budget());
    let start = Start::new(&encoding).expect("in budget");
    if !start.met.is_empty() || start.at_goal.is_some() {
        return None;
    }
    let bound = upper_bound(&encoding, &start.states).expect("in budget");
    let proved = prove(source, &Goals::default(), EFFORT, &Budget::unlimited())?;
    let missing = bound.safe && proved.complete && !proved.violations.is_empty();
    missing.then(|| format!("the engine calls it safe, the judge does not: {proved:?}"))
}

#[test]
fn proofs_of_the_engine_are_proofs_of_the_judge() {
    let counts = on_random_programs(50_000..50_900, 1, &mut proofs);
    assert!(counts[0] > 600, "{counts:?}");
}
