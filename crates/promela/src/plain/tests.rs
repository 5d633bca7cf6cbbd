//! The corpus against Spin's figures, and tiny models with known answers.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use selvedge_core::ViolationKind;
use selvedge_source::{Diagnostics, SourceMap};

use super::{Interpreter, explore};
use crate::ast::{Claim, Item, Model};
use crate::parse::{parse_file, parse_text};

/// Models with more states than this are left to the fast machine.
const MOST_STATES: usize = 3000;

fn never(model: &Model) -> Option<&Claim> {
    model.items.iter().find_map(|item| match item {
        Item::Never(claim) => Some(claim),
        _ => None,
    })
}

fn parse(text: &str) -> Model {
    let (mut sources, mut diagnostics) = (SourceMap::new(), Diagnostics::new());
    let mut no_files = |_: &Path| Err(std::io::ErrorKind::NotFound.into());
    let model = parse_text("test.pml", text, &mut no_files, &mut sources, &mut diagnostics);
    model.unwrap_or_else(|| panic!("{diagnostics:?}"))
}

/// The number of states and the kinds of violations of a model, its never claim in force.
fn figures(text: &str) -> (usize, Vec<&'static str>) {
    let model = parse(text);
    let interpreter = Interpreter::new(&model, never(&model)).expect("a proper model");
    let (states, kinds) = explore(&interpreter, MOST_STATES).expect("a tiny model");
    (states, kinds.into_iter().map(ViolationKind::code).collect())
}

/// A line `// name: value` at the top of a model.
fn header<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let lines = text.lines().take_while(|line| line.starts_with("//"));
    let mut values = lines.filter_map(|line| line.strip_prefix("// ")?.strip_prefix(name)?.strip_prefix(':'));
    values.next().map(str::trim)
}

fn corpus() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/promela");
    let mut files = Vec::new();
    for part in ["constructs", "semantics", "classic"] {
        let Ok(entries) = std::fs::read_dir(root.join(part)) else { continue };
        files.extend(entries.flatten().map(|entry| entry.path()));
    }
    files.retain(|path| path.extension().is_some_and(|extension| extension == "pml"));
    files.sort();
    files
}

/// What is wrong with one model of the corpus.
fn disagreement(path: &Path) -> Option<String> {
    let text = std::fs::read_to_string(path).expect("a readable file");
    let claimless = header(&text, "states-noclaim");
    let wanted: Option<usize> = header(&text, "states").or(claimless)?.parse().ok();
    if wanted.is_some_and(|wanted| wanted > MOST_STATES) {
        return None;
    }
    let (mut sources, mut diagnostics) = (SourceMap::new(), Diagnostics::new());
    let Some(model) = parse_file(path, &mut sources, &mut diagnostics) else {
        return Some(format!("does not parse: {diagnostics:?}"));
    };
    let claim = never(&model).filter(|_| header(&text, "states").is_some());
    let interpreter = match Interpreter::new(&model, claim) {
        Ok(interpreter) => interpreter,
        Err(error) => return Some(error),
    };
    let Some((states, kinds)) = explore(&interpreter, 4 * MOST_STATES) else { return Some("too many states".into()) };
    let errors = header(&text, "errors")?;
    // At most runtime errors Spin's verifier gives up, with fewer states.
    let agrees = |wanted| states == wanted || (errors == "runtime-error" && states > wanted);
    if let Some(wanted) = wanted.filter(|wanted| !agrees(*wanted)) {
        return Some(format!("{states} states, Spin has {wanted}"));
    }
    let wanted: BTreeSet<&str> = errors.split([',', ' ']).filter(|word| !word.is_empty() && *word != "none").collect();
    let traced = model.items.iter().any(|item| matches!(item, Item::Trace(_)));
    let name = |kind| match kind {
        // Spin counts a violated trace among the assertions.
        ViolationKind::ClaimCompleted if traced => "assertion",
        kind => kind.code(),
    };
    let found: BTreeSet<&str> = kinds.into_iter().map(name).collect();
    (found != wanted).then(|| format!("finds {found:?}, Spin {wanted:?}"))
}

#[test]
fn corpus_has_spins_figures() {
    let found: Vec<String> = corpus()
        .iter()
        .filter_map(|path| disagreement(path).map(|why| format!("{}: {why}", path.display())))
        .collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn two_processes_interleave() {
    let text = "byte x; active [2] proctype P() { byte t; t = x; x = t + 1 }";
    assert_eq!(figures(text), (21, vec![]));
}
